"""What question and key have in common: an exercise with its scenario, its names, and how its parts are written."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass

from sympy import Expr, MatrixExpr, preorder_traversal

from symattn.document.blocks import Argument, Block, Equation, Field, Fields, Inline, Matrix, Phrase, Prose
from symattn.document.build import said, scenario_names
from symattn.document.forms.in_letters import unfolded
from symattn.document.math import Blank, Chain, Letter, Math, Number, Shaped
from symattn.document.notation.formulas import Names, formula, number
from symattn.document.notation.names import by_rule, size
from symattn.document.roles import legend
from symattn.document.steps import StepBlocks
from symattn.document.window import Window
from symattn.exercise.checksum import stamp_of
from symattn.exercise.model import Exercise, Part, Place
from symattn.exercise.sheet.signs import signs
from symattn.exercise.worked import scenario_of, solution_of
from symattn.operations import LayerNorm, RMSNorm
from symattn.plan import Plan, Step
from symattn.remembered import cached_property
from symattn.scenario.model import Scenario
from symattn.scenario.words import SymbolRef
from symattn.solution.store import Store
from symattn.words import between

WHOLE = Window(64, 64)
"""Every entry of a matrix stands on a sheet."""

MOST_PUT_IN = 3
"""A formula with more definitions to put into each other is shown line by line."""

WIDEST, NARROWEST, LINE = 10, 4, 44
"""How many figures a blank has room for, at most and at least, and all the blanks of a line together."""

FEW = 12
"""So many labels of an axis stand in a sentence, more of them in a list."""

LONG_NAME = 24
"""A longer name has a line of its own."""

_DECIMAL = re.compile(r"-?[0-9]+(?:\.[0-9]+)?\Z", re.ASCII)


@dataclass(frozen=True)
class Paper:
    """An exercise in one language, ready to be put on a sheet; ``inner`` is the level of headings inside it."""

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
        """The steps that have a formula, in their order; the first has the number 1."""
        return tuple(step for step in self.plan.steps if step.formula is not None)

    # -- the head of a sheet -------------------------------------------------------------------------------------

    def title(self, key: bool) -> tuple[Inline, ...]:
        """Version and title of the task, and whether it is a key."""
        words = said(self.scenario, self.solution, self.scenario.title, self.language)
        told: tuple[tuple[str, Argument], ...] = (("version", self.exercise.version), ("title", words))
        return (Phrase("sheet_title_key" if key else "sheet_title", told),)

    def origin(self, student: str = "") -> Phrase:
        """What the sheet is marked by, and whose it is: topic, difficulty and seed, from which anybody can make it and
        its key again, with a checksum of its numbers; of one that was made with a secret its code alone."""
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
        """What stands on top of question and key, below the title."""
        yield self.origin()
        name = Field(Phrase("field_name"), student, 4)
        others = (Field(Phrase("field_date"), share=2), Field(Phrase("field_points"), share=1))
        if len(student) <= LONG_NAME:
            yield Fields((name, *others))
        else:
            yield Fields((name,))
            yield Fields(others)

    def task(self) -> Iterator[Block]:
        """The words of the task, and the labels that they speak of."""
        if self.scenario.intro is not None:
            yield Prose(said(self.scenario, self.solution, self.scenario.intro, self.language))
        if all(len(labels) <= FEW for labels in self.scenario.labels.values()):
            for axis, labels in self.scenario.labels.items():
                if labels:
                    yield Phrase("sheet_labels", (("axis", by_rule(axis)), ("labels", tuple(labels))))
        else:
            yield from legend.labels(
                self.scenario.told_in(self.language), Window(), scenario_names(self.scenario).letters
            )

    # -- what is given -------------------------------------------------------------------------------------------

    def givens(self) -> Iterator[Block]:
        """The given matrices with exact numbers, or their shapes alone where nothing else matters; then the sizes."""
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
        return Chain(Shaped(self.names(step.name), size(step.shape.rows), size(step.shape.columns)))

    def given(self, step: Step) -> Matrix:
        """One given as it was written: decimals with their digits; roots, fractions and logarithms exact."""
        given = self.solution.givens[step.name]

        def cell(i: int, j: int) -> Math:
            text = given.texts[i][j].strip()
            return Number(text) if _DECIMAL.match(text) else number(given.values[i][j])

        return self.matrix(step.name, cell)

    def _known(self) -> Iterator[Chain]:
        """d_k = 4 for every size that the task or a formula speaks of, and the ε of a norm, unless it is zero."""
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
        """The names in the words of the task."""
        intro = self.scenario.intro
        texts = () if intro is None else intro.texts.values()
        return frozenset(part.name for parts in texts for part in parts if isinstance(part, SymbolRef))

    # -- matrices and formulas -----------------------------------------------------------------------------------

    def matrix(self, name: str, cell: Callable[[int, int], Math]) -> Matrix:
        """A matrix of that name, whatever its cells are."""
        shape = self.solution.shape(name)
        entries = WHOLE.grid(self.solution.rows(name), self.solution.columns(name), cell)
        return Matrix(self.names(name), size(shape.rows), size(shape.columns), entries)

    def decimals(self, name: str) -> Matrix:
        """A matrix in decimals throughout, among which no wrong one stands out as a logarithm would."""
        return self.steps.parts.matrix(name, self.solution.style.places(name))

    def cells(self, part: Part, empty: Collection[Place]) -> Matrix:
        """The figures of a part, with blanks in the place of those that are empty."""
        blank = Blank(max(NARROWEST, min(WIDEST, LINE // part.shape[1])))
        return self.matrix(part.name, lambda i, j: blank if (i, j) in empty else Number(part.key[i][j]))

    def definition(self, name: str, known: Collection[str]) -> Equation:
        """The formula of a step down to the givens and to what is known: put together, or line by line if it is long.

        >>> from symattn.exercise.model import Exercise
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
        """The steps that a step rests on and that are neither given nor known."""
        found = self.plan.behind(self.plan[name].uses, known)
        return [step for step in self.worked if step.name in found and step.name not in known]

    def _line(self, name: str, written: MatrixExpr | None) -> Chain:
        left, right = self.names(name), formula(written, self.names)
        return Chain(left, (("=", right),)) if right != left else Chain(left)

    def own_line(self, step: Step) -> Chain:
        """A step as it was written."""
        return self._line(step.name, step.formula)
