"""The questions that a section asks its reader: what comes next, what a mask removes, which slip gave a wrong figure.

Each is about the numbers of the lesson, and its answer is computed like every figure. A section gets one, of the kind
that the page has used least: five questions of one kind teach no more than one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from flint import arb_mat, fmpq
from sympy import MatrixSymbol

from symattn import operations as ops
from symattn.base.errors import DomainError, NoValueError, UndecidedError
from symattn.base.remembered import cached_property
from symattn.claims.by_hand import BITS
from symattn.claims.causes import changes
from symattn.claims.mistakes.model import mistake_text
from symattn.claims.worked import Ask, Worked, by_ours, rounded_figures
from symattn.compute.solution.store import Shown
from symattn.compute.values.balls import at_precision
from symattn.operations.node import Node
from symattn.operations.stages import same_as_ours
from symattn.read.scenario.model import AskItem, Scenario, Section, StepItem
from symattn.show.blocks import Inline, Phrase, Question
from symattn.show.math import Number
from symattn.show.readings.sentence import columns_of, labelled
from symattn.show.roles.reasons import Roles
from symattn.show.step_parts import StepParts
from symattn.show.understanding import LOOKS, StepView, asked_in_words
from symattn.show.working.masked import masked_entries

QuestionPair = tuple[Phrase, Phrase]
"""A question and its answer."""

UNDERSTOOD = tuple(
    "moved zero_rows gate summed hidden scale shift turned layer_norm rms_norm mixture angle bias inner_size".split()
)
"""The kinds of questions of understanding for sections: their sentences are true in any lesson."""

TIRES = {"product": 4}
"""Kinds of which one question counts as several: the answer is nearly the same for every lesson."""

MOST_ENTRIES = 400
"""Matrices with more entries are not asked about: their readers see only a part of them."""


@dataclass
class SectionQuestions:
    """The questions of the sections of one page."""

    scenario: Scenario
    roles: Roles
    parts: StepParts
    used: Counter[str] = field(default_factory=Counter)
    slips: set[str] = field(default_factory=set)
    understood: set[str] = field(default_factory=set)

    count: int = 0
    """How many questions the page has asked."""

    def question(self, says: tuple[Inline, ...], answer: tuple[Inline, ...]) -> Question:
        """Return a question with the next number."""
        self.count += 1
        return Question(self.count, says, answer)

    def of(self, section: Section) -> Iterator[Question]:
        """Yield the question that ends a section; none if nothing in it can be asked about, or its author asks."""
        if not any(isinstance(item, AskItem) for item in section.items) and (pair := self._chosen(section)) is not None:
            says, answer = pair
            yield self.question((says,), (answer,))

    def _chosen(self, section: Section) -> QuestionPair | None:
        steps = [item.name for item in section.on_page if isinstance(item, StepItem) and self._is_shown(item.name)]
        if not steps:
            return None
        kinds: dict[str, Callable[[Sequence[str]], Iterator[QuestionPair]]] = {
            "largest": self._largest,
            "mask": self._mask,
            "relu": self._relu,
            "slip": self._slip,
            "understood": self._understood,
            "product": self._product,
        }
        for kind in sorted(kinds, key=lambda kind: self.used[kind]):  # of kinds used as often, the first
            if (found := next(kinds[kind](steps), None)) is not None:
                self.used[kind] += TIRES.get(kind, 1)
                return found
        return None

    def _is_shown(self, name: str) -> bool:
        solution = self.roles.solution
        if solution.derivation[name].general or solution.shown(name) is not Shown.FIGURES:
            return False
        return solution.rows(name) * solution.columns(name) <= MOST_ENTRIES

    @cached_property
    def _order(self) -> dict[str, int]:
        """The place on the page of every step that it shows."""
        items = (item for section in self.scenario.sections for item in section.on_page)
        return {item.name: place for place, item in enumerate(items) if isinstance(item, StepItem)}

    def _before(self, steps: Sequence[str], operation: type) -> Iterator[tuple[str, str, Any]]:
        """Yield the steps of an operation that the page shows later: the operand in the section, the step, the node."""
        last = max(self._order[name] for name in steps)
        for name in (name for name, place in self._order.items() if place > last and self._is_shown(name)):
            node: Any = same_as_ours(self.roles.solution.derivation[name].formula)
            of = node.args[0] if isinstance(node, Node) and isinstance(node, operation) else None
            if isinstance(of, MatrixSymbol) and str(of.name) in steps:
                yield str(of.name), name, node

    # -- what comes next -----------------------------------------------------------------------------------------

    def _largest(self, steps: Sequence[str]) -> Iterator[QuestionPair]:
        """Ask for the largest weight of a row whose scores are shown, before the softmax is."""
        solution, names = self.roles.solution, self.roles.names
        for scores, _, _ in self._before(steps, ops.Softmax):
            row = solution.rows(scores) - 1
            largest = self._view(scores).largest(scores, row)
            if largest is None or solution.columns(scores) < 2:
                continue
            shape = solution.shape(scores)
            rows, columns = (names.labels.get(axis.name, ()) for axis in (shape.rows, shape.columns))
            about = (("scores", names(scores)), *labelled(row, rows).items(), ("rows", solution.rows(scores)))
            figure = Number(solution.figures(scores)[row][largest].text)
            top = (("top", columns_of([largest], columns)), ("score", figure))
            yield Phrase("ask_largest", about), Phrase("answer_largest", (*about, *top))

    def _mask(self, steps: Sequence[str]) -> Iterator[QuestionPair]:
        """Ask how many weights of a row a mask leaves, before the softmax is shown."""
        solution, names = self.roles.solution, self.roles.names
        for scores, _, node in self._before(steps, ops.Softmax):
            hidden = masked_entries(solution, node.argument)
            width = solution.columns(scores)
            for i in reversed(range(solution.rows(scores))):
                left = width - sum(row == i for row, _, _ in hidden)
                if 0 < left < width:
                    rows = names.labels.get(solution.shape(scores).rows.name, ())
                    about = (("scores", names(scores)), *labelled(i, rows).items())
                    yield Phrase("ask_mask", about), Phrase("answer_mask", (*about, ("left", left), ("width", width)))
                    return

    def _relu(self, steps: Sequence[str]) -> Iterator[QuestionPair]:
        """Ask how many entries a ReLU sets to 0, before it is shown."""
        for _, name, _ in self._before(steps, ops.ReLU):
            for told in LOOKS["relu"](self._view(name)):
                yield asked_in_words("relu", *told)

    # -- what has been shown -------------------------------------------------------------------------------------

    def _understood(self, steps: Sequence[str]) -> Iterator[QuestionPair]:
        """Ask for the understanding of a step, with a kind of question that the page has not asked."""
        for kind in UNDERSTOOD:
            for name in reversed(steps):
                found = () if kind in self.understood else LOOKS[kind](self._view(name))
                for told in found:
                    self.understood.add(kind)
                    yield asked_in_words(kind, *told)

    def _product(self, steps: Sequence[str]) -> Iterator[QuestionPair]:
        """Ask what an entry of a product is made from."""
        for name in steps:
            for told in LOOKS["product"](self._view(name)):
                yield asked_in_words("product", *told)

    def _view(self, name: str) -> StepView:
        return StepView(self.roles.solution, self._right.subject, self.roles.names, name)

    def _slip(self, steps: Sequence[str]) -> Iterator[QuestionPair]:
        """Ask which mistake of the bank gave a wrong figure of a step, one that the page has not asked about."""
        for name in reversed(steps):
            for mistake, change in self._mistakes:
                if change.change.step != name or mistake.name in self.slips or change.change.rounded_to is not None:
                    continue
                if (found := self._wrong(name, change)) is not None:
                    (i, j), wrong, right = found
                    self.slips.add(mistake.name)
                    feedback = mistake_text(mistake.name, "feedback", self.roles.language)
                    entry = self.parts.letters(self.roles.solution.derivation[name])
                    letter = entry.entry(name, Number(str(i + 1)), Number(str(j + 1)))
                    about = (("entry", letter), ("wrong", Number(wrong)), ("right", Number(right)))
                    yield Phrase("ask_slip", about), Phrase("answer_slip", (("feedback", feedback),))

    @cached_property
    def _right(self) -> Worked:
        return by_ours(self.scenario)

    @cached_property
    def _mistakes(self) -> Sequence[Any]:
        """The mistakes that can be made in the steps of the page, the more common ones first."""
        return changes(self._right, tuple(Ask(name) for name in self._order if self._is_shown(name)))

    def _wrong(self, name: str, change: Any) -> tuple[tuple[int, int], str, str] | None:
        """Return a place where a mistake gives another figure than the page prints, with both figures.

        The entry that the page works out comes first.
        """
        solution = self.roles.solution
        figures = solution.figures(name)
        places = max(figure.places for row in figures for figure in row)
        try:
            with at_precision(BITS):
                value: arb_mat = self._right.made(change).enclosure(name)
                wrong = rounded_figures(value, places)
        except (DomainError, NoValueError, UndecidedError):  # nobody can have got what has no value
            return None
        if wrong is None or (len(wrong), len(wrong[0])) != (len(figures), len(figures[0])):
            return None
        for i, j in self._entries(name):
            figure = figures[i][j]
            if figure.number is not None and _differs(wrong[i][j], figure.number):
                return (i, j), wrong[i][j], figure.text
        return None

    def _entries(self, name: str) -> Iterable[tuple[int, int]]:
        rows, columns = self.roles.solution.rows(name), self.roles.solution.columns(name)
        worked = self.parts.worked_entries(self.roles.solution.derivation[name])
        return dict.fromkeys([*worked, *((i, j) for i in range(rows) for j in range(columns))])


def _differs(wrong: str, right: fmpq) -> bool:
    """Return whether a wrong figure is a number other than the right one, and neither of them is 0.

    >>> _differs("-1000000000", fmpq(-(10**9))), _differs("1.50", fmpq(3, 2)), _differs("1.5", fmpq(2))
    (False, False, True)
    """
    return "oo" not in wrong and bool(wrong.strip("-0.")) and right != 0 and Fraction(wrong) != Fraction(str(right))
