"""How a lesson shows its steps: a kind of step in full once, then only the new parts; moved entries in one line.

A reader who has seen one projection in full does not need the second in full too, only its formula, shapes and matrix.
The next level of detail shows everything that is left out here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import compress
from typing import Any, Literal

from sympy import Basic, Identity, MatrixSymbol, OneMatrix, Transpose

from symattn import operations as ops
from symattn.operations.node import Node, operation_of
from symattn.operations.stages import same_as_ours
from symattn.read.plan import Plan
from symattn.show.blocks import Argument, Block, Equation, Line, Phrase, Readings
from symattn.show.math import Chain

Treatment = Literal["full", "likewise", "moved"]


@dataclass(frozen=True)
class Treated:
    """The way a step is shown, and the first step of its kind, to which later ones are compared."""

    how: Treatment
    like: str


GIVEN = "given"
"""The kind of the givens that may be shown side by side."""

OF_ITS_OWN = ("gradient", "embeddings", "comparison", "scores", "self_comparison", "column_comparison", "mixture")
"""Purposes of steps that are shown in full the first time, even if a step with a similar formula came before."""

SAID_ONCE = ("lead_entry", "lead_worked", "lead_tensor")
"""Keys of lead-ins that are said only for the first display they introduce."""

SAID_AGAIN = ("left_out",)
"""Keys of sentences about the display above them, which are repeated for each display."""

OF_A_ROW = ("attends", "largest_share", "sees_no_key")
"""Readings of one row."""

MANY_READ = 4
"""The number of rows from which their readings become one paragraph."""

TOLD_ONCE = (
    *("rounded_figures", "in_every_row", "in_every_column", "gradient_shape", "unit_matrix"),
    *("sign_ones_column", "sign_ones_everywhere", "delta", "proof_holds"),
)
"""Keys of sentences that are said once on a page, whatever their arguments."""

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
"""The nodes that move entries to another place and compute nothing."""


def treatments(plan: Plan, names: Iterable[str], role: Callable[[str], str] = lambda _: "") -> Mapping[str, Treated]:
    """Return how each of the steps ``names``, in the order of the page, is shown; ``role`` returns the purpose of one.

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
    """Return whether every entry of a formula is a number of a list, or an entry of a matrix that has been shown."""
    ours = same_as_ours(node)
    if ops.numbers_listed(ours) is not None:
        return True
    return isinstance(ours, MOVES) and all(puts_elsewhere(arg) for arg in ours.args if getattr(arg, "is_Matrix", False))


def kind_of(node: Basic | None) -> object:
    """Return what steps computed in the same way have in common: their formulas without names and numbers.

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
    """Return items with their kinds, consecutive ones of one kind grouped; givens between two steps of a kind are moved
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


class PageMemory:
    """The sentences and lines that a page already has, so that none is repeated, and the remarks for its end. A page
    without memory repeats everything."""

    def __init__(self, remembers: bool) -> None:
        self.remembers = remembers
        self.remarks: list[tuple[str, Phrase]] = []
        self._said: set[Phrase] = set()
        self._worked_out: set[Chain] = set()

    def is_new(self, name: str, said: Phrase) -> bool:
        """Return whether a sentence about ``name`` belongs on the page, and remember it."""
        if not self.remembers:
            return True
        if said.role == "figures":
            self.remarks.append((name, said))
            return False
        if said.key in TOLD_ONCE:
            said = Phrase(said.key)
        if said in self._said and said.key not in SAID_AGAIN and (said.role != "lead" or said.key in SAID_ONCE):
            return False
        self._said.add(said)
        return True

    def new_readings(self, name: str, items: Sequence[Phrase]) -> tuple[Phrase, ...]:
        """Return the readings that belong on the page, those of many rows as one paragraph; readings of single rows all
        appear if one of them is new."""
        if not self.remembers:
            return tuple(items)
        any_row = any(item.key in OF_A_ROW and item not in self._said for item in items)
        is_new = [self.is_new(name, item) or (any_row and item.key in OF_A_ROW) for item in items]
        return _rows_together(tuple(compress(items, is_new)))

    def new_lines(self, lines: Sequence[Line]) -> tuple[Line, ...]:
        """Return a working without intermediate lines that the page already has, such as the length of the same row."""
        return tuple(self._without_known(line) if isinstance(line, Equation) else line for line in lines)

    def _without_known(self, shown: Equation) -> Equation:
        if not self.remembers or shown.kind != "working":
            return shown
        *on_the_way, last = shown.chains
        new = [line for line in on_the_way if line not in self._worked_out]
        self._worked_out |= {*on_the_way, last}
        return replace(shown, chains=(*new, last))

    def once(self, name: str, blocks: Iterable[Block]) -> Iterator[Block]:
        """Yield the blocks of something that is shown again, without what the page already has."""
        for block in blocks:
            if isinstance(block, Readings):
                if items := self.new_readings(name, block.items):
                    yield Readings(items)
            elif not isinstance(block, Phrase) or self.is_new(name, block):
                yield block

    def of_a_proof(self, blocks: Iterable[Block]) -> Iterator[Block]:
        """Yield the blocks of a proof, without sentences told before and without remarks on how it was checked."""
        for block in blocks:
            is_apart = isinstance(block, Phrase) and (block.role == "figures" or block.key in TOLD_ONCE)
            if not is_apart or self.is_new("", block):  # type: ignore[arg-type]
                yield block


def _rows_together(items: tuple[Phrase, ...]) -> tuple[Phrase, ...]:
    """Return readings, those of many rows merged into one paragraph."""
    rows = tuple(item for item in items if item.key in OF_A_ROW)
    if len(rows) < MANY_READ:
        return items
    first = items.index(rows[0])
    others = [item for item in items[first:] if item not in rows]
    told = [dict(row.arguments) for row in rows]
    aside = ("label", "labelled", "open", "ties", "forced", "even")
    plain = all(
        row.key == "attends" and not any(each[key] for key in aside) for row, each in zip(rows, told, strict=True)
    )
    together = _by_column(told) if plain else Phrase("sentences", (("said", rows),), "reading")
    return (*items[:first], together, *others)


def _by_column(told: Sequence[Mapping[str, Argument]]) -> Phrase:
    """Return the reading that groups rows by the column of their largest entry, where neither has a label."""
    groups: dict[Argument, list[Mapping[str, Argument]]] = {}
    for each in told:
        groups.setdefault(each["top"], []).append(each)
    found = tuple(
        (tuple(each["row"] for each in rows), top, tuple(each["weight"] for each in rows))
        for top, rows in groups.items()
    )
    return Phrase("largest_entries", (("groups", found),), "reading")
