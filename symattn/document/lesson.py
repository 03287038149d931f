"""How a lesson shows its steps: a kind of step in full once, then only what is new; what only moves entries, in a line.

A reader who has worked one projection out does not want to see the second one worked out too, but its formula, its
shapes and its matrix. Everything that is left out here stands on the page of the next level of detail.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from itertools import groupby
from typing import Any, Literal

from sympy import Basic, Identity, MatAdd, MatrixSymbol, OneMatrix, Transpose

from symattn import operations as ops
from symattn.document.blocks import Argument, Block, Equation, Matrices, Matrix, Phrase, Readings, ends_in
from symattn.document.math import Chain, Letter, Math, Number
from symattn.document.notation.formulas import Names, formula
from symattn.document.steps import StepBlocks, chains_of, unless_said
from symattn.document.window import Window
from symattn.operations.node import Node, operation_of
from symattn.operations.stages import same_as_ours
from symattn.operations.stored import as_number
from symattn.plan import Plan, Step
from symattn.solution.shown import Shown
from symattn.solution.store import Store

Treatment = Literal["full", "likewise", "moved"]


@dataclass(frozen=True)
class Treated:
    """How a step is shown, and the first step of its kind, to which a later one is likened."""

    how: Treatment
    like: str


GIVEN = "given"
"""The kind of the givens that may stand side by side."""

OF_ITS_OWN = ("gradient", "embeddings", "comparison", "scores", "self_comparison", "column_comparison", "mixture")
"""What steps are for that teach something of their own, whatever their formulas are like."""

SAID_ONCE = ("lead_entry", "lead_worked", "lead_tensor")
"""What introduces displays that speak for themselves from the second time on."""

SAID_AGAIN = ("left_out",)
"""What is said of the display above it, and true of each by itself."""

OF_A_ROW = ("attends", "largest_share", "sees_no_key")
"""Readings of one row."""

MANY_READ = 4
"""So many rows are read in one paragraph."""

TOLD_ONCE = (
    *("rounded_figures", "in_every_row", "in_every_column", "gradient_shape", "unit_matrix"),
    *("sign_ones_column", "sign_ones_everywhere", "delta", "proof_holds"),
)
"""What needs no other example the second time."""

MOVES = (
    ops.Picked,
    ops.Row,
    ops.Rows,
    ops.Head,
    ops.Concat,
    ops.Stack,
    ops.Broadcast,
    Transpose,
    Identity,
    OneMatrix,
    MatrixSymbol,
)
"""What puts entries into another place and works nothing out."""

ENTRY_BY_ENTRY = (MatAdd, ops.Quotient, ops.Hadamard, ops.EntryQuotient)
"""What does to entries what its formula says of the matrices: a general entry would only say it again."""


def treatments(plan: Plan, names: Iterable[str], role: Callable[[str], str] = lambda _: "") -> Mapping[str, Treated]:
    """How each of the steps ``names``, in the order of the page, is shown; ``role`` says what one is for.

    A weighted mixture is worked out in full although a projection, a product like it, was worked out before.
    """
    first: dict[object, str] = {}
    found: dict[str, Treated] = {}
    for name in names:
        node = plan[name].formula
        purpose = role(name)
        like = first.setdefault((kind_of(node), purpose if purpose in OF_ITS_OWN else ""), name)
        found[name] = Treated("moved" if puts_elsewhere(node) else "full" if like == name else "likewise", like)
    return found


def puts_elsewhere(node: Basic | None) -> bool:
    """Whether every entry of a formula is an entry of a matrix that has been shown."""
    ours = same_as_ours(node)
    if ops.numbers_listed(ours) is not None:
        return True
    return isinstance(ours, MOVES) and all(puts_elsewhere(arg) for arg in ours.args if getattr(arg, "is_Matrix", False))


def kind_of(node: Basic | None) -> object:
    """What two steps have in common that are worked out in the same way: their formulas but for names and numbers.

    >>> A, B = MatrixSymbol("A", 2, 3), MatrixSymbol("B", 3, 2)
    >>> from sympy import MatMul
    >>> kind_of(MatMul(A, B)) == kind_of(MatMul(B, A)), kind_of(MatMul(A, B)) == kind_of(MatMul(A, A.T, evaluate=False))
    (True, False)
    """
    ours = same_as_ours(node)
    if isinstance(ours, MatrixSymbol):
        return "name"
    operation = operation_of(ours) if isinstance(ours, Node) else None
    called: object = type(ours).__name__ if operation is None else operation
    return called, *(
        kind_of(arg) if getattr(arg, "is_Matrix", False) else "number" for arg in getattr(ours, "args", ())
    )


def grouped(items: Sequence[tuple[object, Any]]) -> list[list[Any]]:
    """Items with their kinds, those of one kind in a row together; givens that stand between two steps of a kind come
    before both.

    >>> grouped([("likewise", "K"), (GIVEN, "W_V"), ("likewise", "V"), (None, "S"), (None, "A")])
    [['W_V'], ['K', 'V'], ['S'], ['A']]
    """
    groups: list[tuple[object, list[Any]]] = []
    for kind, item in items:
        if kind not in (None, GIVEN) and [group for group, _ in groups[-2:]] == [kind, GIVEN]:
            (_, steps), (_, givens) = groups.pop(-2), groups.pop()
            groups += [(GIVEN, (groups.pop()[1] if groups and groups[-1][0] == GIVEN else []) + givens), (kind, steps)]
        if groups and kind is not None and groups[-1][0] == kind:
            groups[-1][1].append(item)
        else:
            groups.append((kind, [item]))
    return [group for _, group in groups]


class LessonBlocks(StepBlocks):
    """Makes the blocks of the steps of a lesson; remembers what it has said, and what is left for the end."""

    def __init__(self, solution: Store, names: Names, window: Window, treated: Mapping[str, Treated]) -> None:
        super().__init__(solution, names, "lesson", window)
        self.treated = treated
        self.remarks: list[tuple[str, Phrase]] = []
        self._said: set[Phrase] = set()
        self._worked_out: set[Chain] = set()

    def step(self, name: str, decimals: int | None, works: tuple[int, int] | None) -> list[Block]:
        """The blocks of a step that is worked out in full, or moves what has been shown."""
        step = self.solution.derivation[name]
        if step.general or self.solution.shown(name) is not Shown.FIGURES:
            return self.once(name, _formula_beside_shapes(super().step(name, decimals, works)))
        matrix = self.matrix(name, decimals)
        read = self._readings(name)
        how = self.treated[name].how
        if how == "moved" and works is None:
            return self.once(name, [self._with_formula(step, matrix), *read])
        asked = None if works is None else (works[0] - 1, works[1] - 1)
        heading: list[Block] = [Equation(self._heading(step, in_full=how == "full"), "formula", beside=True)]
        if how == "likewise":
            worked = self._working(step, asked) if asked or _is_number(matrix) else []
        else:
            working = self._working(step, asked)
            closed = self._short_closed_form(step, asked, decimals)
            worked = [*unless_said(self._entry_of(step), working), *working, *unless_said(closed, working)]
        worked = [self._without_known(block) for block in worked]
        kept = [] if _is_number(matrix) and ends_in(worked, matrix.entries[0][0]) else [matrix]
        beside = self._beside(step)
        return _merged(
            self.once(name, [*[block for block in heading if chains_of([block])], *beside, *worked, *kept, *read])
        )

    def likewise(self, names: Sequence[str], like: str, decimals: Mapping[str, int | None]) -> list[Block]:
        """Steps of a kind that has been worked out: their formulas with shapes, their matrices, what is new in them."""
        lines: dict[Chain, None] = {}
        shown: list[Block] = []
        copies: dict[object, list[Phrase]] = {}
        for name in names:
            step = self.solution.derivation[name]
            matrix = self.matrix(name, decimals[name])
            worked = chains_of(self._working(step, None)) if _is_number(matrix) else []
            lines |= dict.fromkeys((*self._heading(step, in_full=False), *worked))
            shown += [*([] if worked else [matrix]), *_without_copies(self.once(name, self._readings(name)), copies)]
        said = Phrase("likewise", (("like", self.names(like)),), "lead")
        copied = [Readings((_copies(alike),)) for alike in copies.values()]
        return [said, Equation(tuple(lines), "shapes", beside=True), *side_by_side(shown), *copied]

    def moved(self, names: Sequence[str], decimals: Mapping[str, int | None]) -> list[Block]:
        """Several steps in a row that only move entries."""
        shown: list[Block] = []
        for name in names:
            shown.append(self._with_formula(self.solution.derivation[name], self.matrix(name, decimals[name])))
            shown += self.once(name, self._readings(name))
        return side_by_side(shown)

    def _without_known(self, block: Block) -> Block:
        """A working without the lines on the way that another one has had, such as the length of the same row."""
        if not isinstance(block, Equation) or block.kind != "working":
            return block
        *lines, last = block.chains
        new = [line for line in lines if line not in self._worked_out]
        self._worked_out |= {*lines, last}
        return replace(block, chains=(*new, last))

    def set_aside(self, blocks: Iterable[Block]) -> list[Block]:
        """The blocks without what is told once, and without remarks on how they were checked, which end the page."""
        return [
            block
            for block in blocks
            if not isinstance(block, Phrase)
            or (block.role != "figures" and block.key not in TOLD_ONCE)
            or self._is_new("", block)
        ]

    def once(self, name: str, blocks: Iterable[Block]) -> list[Block]:
        """The blocks without what the page has said before, and without remarks on figures, which stand at its end."""
        kept: list[Block] = []
        for block in blocks:
            if isinstance(block, Readings):
                any_row = any(item.key in OF_A_ROW and item not in self._said for item in block.items)
                new = [self._is_new(name, item) or (any_row and item.key in OF_A_ROW) for item in block.items]
                items = tuple(item for item, is_new in zip(block.items, new, strict=True) if is_new)
                kept += [Readings(_rows_together(items))] if items else []
            elif not isinstance(block, Phrase) or self._is_new(name, block):
                kept.append(block)
        return kept

    def _not_said(self, step: Step, said: Iterable[Phrase]) -> Iterable[Phrase]:
        return [each for each in said if self._is_new(step.name, each)]

    def _is_new(self, name: str, said: Phrase) -> bool:
        if said.role == "figures":
            self.remarks.append((name, said))
            return False
        if said.key in TOLD_ONCE:
            said = Phrase(said.key)
        if said in self._said and said.key not in SAID_AGAIN and (said.role != "lead" or said.key in SAID_ONCE):
            return False
        self._said.add(said)
        return True

    def _heading(self, step: Step, in_full: bool) -> tuple[Chain, ...]:
        """The formula with the shapes of its operands, and in full by itself before that."""
        shapes, written = chains_of(self._shapes(step)), chains_of(self._formula(step))
        return (*written, *shapes) if in_full or not shapes else (*self._divisors(step.formula), *shapes)

    def _with_formula(self, step: Step, matrix: Matrix) -> Matrix | Equation:
        """K_1 = K_{·,1:2} (shape=3×2) = …: formula, shape and matrix in one line; a number without a matrix."""
        assert step.formula is not None
        if as_number(step.formula) is not None:
            return self.number_line(step)
        if self._is_as_written(step.name):
            return matrix
        written = formula(step.formula, self.names)
        symbol: Math = matrix.symbol if written == matrix.symbol else Chain(matrix.symbol, (("=", written),))
        return replace(matrix, symbol=symbol)

    def _entry_of(self, step: Step) -> list[Block]:
        """The general entry where it teaches something."""
        node = same_as_ours(step.formula)
        named = all(isinstance(arg, MatrixSymbol) for arg in node.args if getattr(arg, "is_Matrix", False))
        plain = isinstance(node, ENTRY_BY_ENTRY) and named
        found = [] if plain else self._entry(step)
        return [] if chains_of(found) == chains_of(self._formula(step)) else found

    def _short_closed_form(self, step: Step, asked: tuple[int, int] | None, decimals: int | None) -> list[Block]:
        from symattn.document.notation.closed_form import teaches

        found = self._closed_form(step, asked, decimals)
        return found if all(teaches(chain) for chain in chains_of(found)) else []


def _is_number(matrix: Matrix) -> bool:
    return len(matrix.entries) == 1 and len(matrix.entries[0]) == 1


def _merged(blocks: Sequence[Block]) -> list[Block]:
    """A general entry and its working that follow each other without a word, as one display; lines of one form, such as
    the exponentials of a row, beside one another."""
    merged: list[Block] = []
    for block in (part for whole in blocks for part in _in_runs(whole)):
        last = merged[-1] if merged else None
        if (
            isinstance(last, Equation)
            and last.kind == "entry"
            and isinstance(block, Equation)
            and block.kind == "working"
            and not block.beside
        ):
            merged[-1] = Equation((*last.chains, *block.chains), "working")
        else:
            merged.append(block)
    return merged


def _in_runs(block: Block) -> list[Block]:
    """The lines of a working, those of one form by themselves."""
    if not isinstance(block, Equation) or block.kind != "working":
        return [block]
    runs = [tuple(chains) for _, chains in groupby(block.chains, lambda chain: _form(chain.left))]
    parts: list[Equation] = []
    for chains in runs:
        many = len(chains) > 2
        if parts and not many and not parts[-1].beside:
            parts[-1] = Equation((*parts[-1].chains, *chains), "working")
        else:
            parts.append(Equation(chains, "working", beside=many))
    return list(parts)


def _form(piece: object) -> object:
    """A piece of mathematics without its letters and numbers."""
    if isinstance(piece, Letter | Number):
        return type(piece)
    if isinstance(piece, tuple):
        return tuple(map(_form, piece))
    return (
        (type(piece), *(_form(getattr(piece, each.name)) for each in fields(piece))) if is_dataclass(piece) else piece
    )


def _rows_together(items: tuple[Phrase, ...]) -> tuple[Phrase, ...]:
    """Readings, those of many rows as one paragraph."""
    rows = tuple(item for item in items if item.key in OF_A_ROW)
    if len(rows) < MANY_READ:
        return items
    first = items.index(rows[0])
    others = [item for item in items[first:] if item not in rows]
    told = [dict(row.arguments) for row in rows]
    aside = ("label", "labelled", "open", "ties")
    plain = all(
        row.key == "attends" and not any(each[key] for key in aside) for row, each in zip(rows, told, strict=True)
    )
    together = _by_column(told) if plain else Phrase("sentences", (("said", rows),), "reading")
    return (*items[:first], together, *others)


def _by_column(told: Sequence[Mapping[str, Argument]]) -> Phrase:
    """Which rows have their largest entry in which column, where neither has a label."""
    groups: dict[Argument, list[Mapping[str, Argument]]] = {}
    for each in told:
        groups.setdefault(each["top"], []).append(each)
    found = tuple(
        (tuple(each["row"] for each in rows), top, tuple(each["weight"] for each in rows))
        for top, rows in groups.items()
    )
    return Phrase("largest_entries", (("groups", found),), "reading")


def _formula_beside_shapes(blocks: Sequence[Block]) -> list[Block]:
    """The formula of a step and the line of shapes after it as one display."""
    match blocks:
        case [Equation(kind="formula") as written, Equation(kind="shapes") as shapes, *rest]:
            return [Equation((*written.chains, *shapes.chains), "formula", beside=True), *rest]
    return list(blocks)


def _without_copies(blocks: Iterable[Block], copies: dict[object, list[Phrase]]) -> list[Block]:
    """The blocks without readings that a matrix is the same as an operand, which go to ``copies``, by that operand."""
    kept: list[Block] = []
    for block in blocks:
        if isinstance(block, Readings):
            items = tuple(item for item in block.items if item.key != "equals_operand")
            for item in block.items:
                if item.key == "equals_operand":
                    copies.setdefault(dict(item.arguments)["operand"], []).append(item)
            block = Readings(items)
        if not isinstance(block, Readings) or block.items:
            kept.append(block)
    return kept


def _copies(alike: Sequence[Phrase]) -> Phrase:
    """One reading for all that are the same as one operand."""
    told = [dict(reading.arguments) for reading in alike]
    results = tuple(each["result"] for each in told)
    return Phrase("equal_operand", (("results", results), ("operand", told[0]["operand"])), "reading")


def side_by_side(blocks: Iterable[Block]) -> list[Block]:
    """Matrices that nothing is said between stand side by side: a sentence speaks of the one above it."""
    merged: list[Block] = []
    for block in blocks:
        last = merged[-1] if merged else None
        if isinstance(block, Matrix) and isinstance(last, Matrix | Matrices):
            merged[-1] = Matrices((*(last.items if isinstance(last, Matrices) else (last,)), block))
        elif isinstance(last, Matrices):
            *others, read = last.items
            merged[-1:] = [Matrices(tuple(others)) if len(others) > 1 else others[0], read, block]
        else:
            merged.append(block)
    return merged
