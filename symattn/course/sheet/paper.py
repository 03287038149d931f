"""The common part of question sheets and keys: an exercise with its scenario and names, and the layout of its parts."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from sympy import Basic, Expr, MatrixExpr, MatrixSymbol, OneMatrix, ZeroMatrix, preorder_traversal

from symattn import operations as ops
from symattn.base.remembered import cached_property
from symattn.base.words import between
from symattn.compute.solution.store import Store
from symattn.course.checksum import stamp_of
from symattn.course.model import Exercise, Part, Place, scenario_of, solution_of
from symattn.operations import LayerNorm, RMSNorm
from symattn.operations.node import Applied, apply, parameters_of
from symattn.read.plan import Plan, Step
from symattn.read.scenario.model import Scenario
from symattn.read.scenario.words import SymbolRef
from symattn.show.blocks import Argument, Block, Equation, Field, Fields, Inline, Matrix, Phrase, Prose
from symattn.show.build import scenario_names, words_with_references
from symattn.show.entries.step_entry import definition
from symattn.show.forms.in_letters import unfolded
from symattn.show.math import Blank, Chain, Letter, Math, Number, Shaped, Sign
from symattn.show.notation.calls import call_name
from symattn.show.notation.formulas import Names, formula, number
from symattn.show.notation.names import axis_size, by_rule
from symattn.show.roles import legend
from symattn.show.steps import StepBlocks
from symattn.show.window import Window

Told = tuple[tuple[str, Argument], ...]
Teller = Callable[[Any, Names], Told]

ZERO, ONE = Number("0"), Number("1")

ROOT = "sqrt"
"""An operation whose definition, √x = √x, would be of no help."""


def signs(formulas: Iterable[MatrixExpr | None], names: Names) -> Iterator[Phrase]:
    """Yield a sentence for the first sign of every kind, in the order of their first use in the formulas.

    >>> from sympy import MatrixSymbol, oo
    >>> masked = ops.MatAdd(MatrixSymbol("S", 2, 2), ops.CausalMask(2, -oo), evaluate=False)
    >>> [phrase.key for phrase in signs([masked], Names())]
    ['sign_mask']
    """
    found: dict[object, Phrase] = {}
    for written in formulas:
        for node in () if written is None else preorder_traversal(written):
            if isinstance(node, Applied) and node.operation.name == ROOT:
                found.setdefault(ROOT, Phrase("sign_each", (("sign", formula(_alone(node), names)),)))
            elif isinstance(node, Applied):
                alone = _alone(node)
                lines = (("sign", formula(alone, names)), ("lines", definition(alone, names)))
                numbers = tuple(arg for arg in node.args if not arg.is_Matrix)
                found.setdefault(numbers, Phrase("sign_operation", lines))
            elif (entry := KINDS.get(type(node))) is not None and not _is_beside_number(node):
                key, told = entry
                # exp and ln are one sentence each, of the same kind.
                which = type(node).__name__ if key == "sign_each" else key
                found.setdefault(which, Phrase(key, (("sign", _sign(node, names)), *told(node, names))))
    yield from found.values()


def _alone(node: Applied) -> Applied:
    """Return the operation applied to its own parameters: its operands may not be shown anywhere on a sheet."""
    given = parameters_of(node)
    if any(parameter.many for parameter, _ in given):
        return node
    usual = (OneMatrix, ZeroMatrix)
    named = (MatrixSymbol(p.name, *x.shape) if x.is_Matrix and not isinstance(x, usual) else x for p, x in given)
    return apply(node.operation, *named)


def _is_beside_number(node: Basic) -> bool:
    """Return whether a node is an entrywise product or quotient with a number, written as usual, or the number."""
    if isinstance(node, OneMatrix):
        return bool(node.shape == (1, 1))
    return isinstance(node, ops.Hadamard | ops.EntryQuotient) and node.with_number


def _sign(node: Basic, names: Names) -> Argument:
    """Return the sign by itself if it stands between or before all kinds of operands, else with its operand."""
    if isinstance(node, ops.Hadamard | ops.EntryQuotient):
        return Sign("⊙" if isinstance(node, ops.Hadamard) else "⊘")
    if isinstance(node, ops.Exp | ops.Log):
        return Letter(call_name(node), "upright")
    return formula(node, names)


def _matrix(node: Any, names: Names) -> Told:
    return (("matrix", formula(node.argument, names)),)


def _mask(node: Any, names: Names) -> Told:
    return ("zero", ZERO), ("hidden", number(node.value))


def _padding(node: Any, names: Names) -> Told:
    rows, columns = map(number, node.shape)
    return ("rows", rows), ("columns", columns), ("real", number(node.length)), *_mask(node, names)


def _keep(node: Any, names: Names) -> Told:
    return ("mask", formula(node.mask, names)), ("zero", ZERO), ("one", ONE)


def _broadcast(node: Any, names: Names) -> Told:
    return ("row", formula(node.argument, names)), ("rows", number(node.shape[0]))


def _always(*told: tuple[str, Argument]) -> Teller:
    return lambda node, names: told


KINDS: Mapping[type, tuple[str, Teller]] = MappingProxyType(
    {
        ops.CachedMask: ("sign_mask", _mask),
        ops.CausalMask: ("sign_mask", _mask),
        ops.PaddingMask: ("sign_padding", _padding),
        ops.Keep: ("sign_keep", _keep),
        ops.Broadcast: ("sign_broadcast", _broadcast),
        ops.Head: ("sign_head", lambda x, names: (*_matrix(x, names), ("head", x.number), ("heads", x.count))),
        ops.Row: ("sign_row", lambda x, names: (*_matrix(x, names), ("row", x.number))),
        ops.Concat: ("sign_concat", _always()),
        ops.OneHot: ("sign_onehot", _always(("zero", ZERO), ("one", ONE))),
        ops.RowMax: ("sign_rowmax", _always()),
        ops.ArgMax: ("sign_argmax", _always(("zero", ZERO))),
        ops.Hadamard: ("sign_times", _always()),
        ops.EntryQuotient: ("sign_divide", _always()),
        ops.Exp: ("sign_each", _always()),
        ops.Log: ("sign_each", _always()),
        OneMatrix: ("sign_ones", _always(("one", ONE))),
    }
)
"""The nodes that have a sentence: its key, and its values besides the sign. No sentence tells how to compute it."""


WHOLE = Window(64, 64)
"""A sheet shows every entry of a matrix."""

MOST_PUT_IN = 3
"""A formula with more substituted definitions is shown line by line."""

WIDEST, NARROWEST, LINE = 10, 4, 44
"""The most and the fewest figures that a blank has room for, and all blanks of a line together."""

FEW = 12
"""The most labels of an axis in a sentence; more of them become a list."""

LONG_NAME = 24
"""A longer name has a line of its own."""

_DECIMAL = re.compile(r"-?[0-9]+(?:\.[0-9]+)?\Z", re.ASCII)


@dataclass(frozen=True)
class Paper:
    """An exercise in one language, prepared for a sheet; ``inner`` is the level of headings inside it."""

    exercise: Exercise
    language: str
    inner: int = 1

    @property
    def scenario(self) -> Scenario:
        return scenario_of(self.exercise).told_in(self.language)

    @property
    def solution(self) -> Store:
        return solution_of(self.exercise)

    @property
    def plan(self) -> Plan:
        return self.scenario.derivation

    @cached_property
    def names(self) -> Names:
        return scenario_names(self.scenario)

    @cached_property
    def steps(self) -> StepBlocks:
        return StepBlocks(self.solution, self.names, "steps", WHOLE)

    @property
    def worked(self) -> tuple[Step, ...]:
        """The steps that have a formula, in order; the first has the number 1."""
        return tuple(step for step in self.plan.steps if step.formula is not None)

    # -- the head of a sheet -------------------------------------------------------------------------------------

    def title(self, key: bool) -> tuple[Inline, ...]:
        """Return the title: the version and the task, and whether it is a key."""
        words = words_with_references(self.scenario, self.solution, self.scenario.title, self.language)
        told: tuple[tuple[str, Argument], ...] = (("version", self.exercise.version), ("title", words))
        return (Phrase("sheet_title_key" if key else "sheet_title", told),)

    def origin(self, student: str = "") -> Phrase:
        """Return the origin of a sheet and its owner: topic, difficulty and seed, from which the sheet and its key can
        be made again, with a checksum of its numbers; for a sheet with a secret, only its code."""
        one, stamp = self.exercise, stamp_of(self.exercise)
        made: tuple[tuple[str, Argument], ...] = (
            ("topic", f"{one.topic}/{one.of}" if one.of else one.topic),
            ("difficulty", one.difficulty),
            ("seed", one.seed),
            ("version", one.version),
        )
        told = (*(() if one.code else made), ("checksum", stamp.code), ("made_by", stamp.made_by))
        key = "sheet_code" if one.code else "sheet_origin"
        return Phrase(f"{key}_name", (*told, ("name", student))) if student else Phrase(key, told)

    def head(self, student: str) -> Iterator[Block]:
        """Yield the head of a question sheet, below the title."""
        yield self.origin()
        name = Field(Phrase("field_name"), student, 4)
        others = (Field(Phrase("field_date"), share=2), Field(Phrase("field_points"), share=1))
        if len(student) <= LONG_NAME:
            yield Fields((name, *others))
        else:
            yield Fields((name,))
            yield Fields(others)

    def task(self) -> Iterator[Block]:
        """Yield the words of the task, and the labels that they refer to."""
        if self.scenario.intro is not None:
            yield Prose(words_with_references(self.scenario, self.solution, self.scenario.intro, self.language))
        if all(len(labels) <= FEW for labels in self.scenario.labels.values()):
            for axis, labels in self.scenario.labels.items():
                if labels:
                    yield Phrase("sheet_labels", (("axis", by_rule(axis)), ("labels", tuple(labels))))
        else:
            yield from legend.labelled_axes(
                self.scenario.told_in(self.language), Window(), scenario_names(self.scenario).letters
            )

    # -- what is given -------------------------------------------------------------------------------------------

    def givens(self) -> Iterator[Block]:
        """Yield the given matrices with exact numbers, or only their shapes if those suffice; then the sizes."""
        given = [step for step in self.plan.steps if step.is_given]
        if given:
            yield Phrase("sheet_given", (), "lead")
        kinds = [part.kind for part in self.exercise.parts]
        if kinds and set(kinds) <= {"shape", "number", "order"}:
            if given:
                yield Equation(tuple(map(self._shape, given)), "shapes")
        else:
            yield from (
                Equation((self._shape(step),), "shapes") if step.general else self.given(step) for step in given
            )
        known = tuple(self._known())
        if known:
            yield Phrase("sheet_sizes", (("sizes", known),))
        meant = tuple(signs((step.formula for step in self.worked), self.names))
        if meant:
            gap = (between(self.language),)
            yield Prose(tuple(piece for sentence in meant for piece in (*gap, sentence))[1:])

    def _shape(self, step: Step) -> Chain:
        return Chain(Shaped(self.names(step.name), axis_size(step.shape.rows), axis_size(step.shape.columns)))

    def given(self, step: Step) -> Matrix:
        """Return one given as it was written: decimals with their digits; roots, fractions and logarithms exact."""
        given = self.solution.givens[step.name]

        def cell(i: int, j: int) -> Math:
            text = given.texts[i][j].strip()
            return Number(text) if _DECIMAL.match(text) else number(given.values[i][j])

        return self.matrix(step.name, cell)

    def _known(self) -> Iterator[Chain]:
        """Yield d_k = 4 for every size that the task or a formula mentions, and each nonzero ε of a norm."""
        formulas = [step.formula for step in self.worked]
        letters = {str(letter) for formula in formulas for letter in formula.free_symbols}  # type: ignore[union-attr]
        counted = {str(x) for quantity in self.scenario.quantities.values() for x in quantity.written.free_symbols}
        for name, value in self.plan.sizes.items():
            if name in letters | counted | self._spoken_of() and isinstance(value, int):
                yield Chain(self.names(name), (("=", Number(str(value))),))
        found: dict[Expr, None] = {}
        for node in formulas:
            norms = [inner for inner in preorder_traversal(node) if isinstance(inner, LayerNorm | RMSNorm)]
            found.update(dict.fromkeys(norm.epsilon for norm in norms if norm.epsilon != 0))
        for epsilon in found:
            yield Chain(Letter("epsilon"), (("=", number(epsilon)),))

    def _spoken_of(self) -> frozenset[str]:
        """Return the names in the words of the task."""
        intro = self.scenario.intro
        texts = () if intro is None else intro.texts.values()
        return frozenset(part.name for parts in texts for part in parts if isinstance(part, SymbolRef))

    # -- matrices and formulas -----------------------------------------------------------------------------------

    def matrix(self, name: str, cell: Callable[[int, int], Math]) -> Matrix:
        """Return a matrix of that name with the given cells."""
        shape = self.solution.shape(name)
        entries = WHOLE.grid(self.solution.rows(name), self.solution.columns(name), cell)
        return Matrix(self.names(name), axis_size(shape.rows), axis_size(shape.columns), entries)

    def decimals(self, name: str) -> Matrix:
        """Return a matrix entirely in decimals, so that no wrong entry stands out among closed forms."""
        return self.steps.parts.matrix(name, self.solution.style.places(name))

    def cells(self, part: Part, empty: Collection[Place]) -> Matrix:
        """Return the figures of a part, with blanks in the ``empty`` places."""
        blank = Blank(max(NARROWEST, min(WIDEST, LINE // part.shape[1])))
        return self.matrix(part.name, lambda i, j: blank if (i, j) in empty else Number(part.key[i][j]))

    def definition(self, name: str, known: Collection[str]) -> Equation:
        """Return the formula of a step in terms of givens and known names: combined, or line by line if it is long.

        >>> from symattn.course.model import Exercise
        >>> steps = 'steps = ["S = X @ X.T", "Z = S @ X"]'
        >>> text = f'title = "T"\\n[given]\\nX = [["1"]]\\n[[section]]\\ntitle = "S"\\n{steps}'
        >>> paper = Paper(Exercise("t", 1, 1, 1, "en", text, ()), "en")
        >>> [len(paper.definition("Z", known).chains) for known in ((), ("S",))]
        [1, 1]
        """
        behind = self._behind(name, known)
        uses = [used for step in (*behind, self.plan[name]) for used in step.uses]
        if len(behind) > MOST_PUT_IN or any(uses.count(step.name) > 1 for step in behind):
            return Equation(tuple(self._line(step.name, step.formula) for step in (*behind, self.plan[name])))
        return Equation((self._line(name, unfolded(self.plan, name, tuple(known))[-1]),))

    def _behind(self, name: str, known: Collection[str]) -> list[Step]:
        """Return the steps that a step depends on and that are neither given nor known."""
        found = self.plan.behind(self.plan[name].uses, known)
        return [step for step in self.worked if step.name in found and step.name not in known]

    def _line(self, name: str, written: MatrixExpr | None) -> Chain:
        left, right = self.names(name), formula(written, self.names)
        return Chain(left, (("=", right),)) if right != left else Chain(left)

    def own_line(self, step: Step) -> Chain:
        """Return a step as it was written."""
        return self._line(step.name, step.formula)
