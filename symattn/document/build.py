"""From a scenario and its solution to a document: sections, steps, words, the comparison with the source."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sympy import Basic

from symattn.document import general
from symattn.document.blocks import (
    Block,
    Document,
    Equation,
    Heading,
    Inline,
    Labels,
    Listing,
    Phrase,
    Prose,
    Table,
)
from symattn.document.compare import Difference, compare
from symattn.document.math import Letter, Number, Parens, Script, Sign, seq
from symattn.document.notation import Names, by_rule, formula, number
from symattn.document.steps import KINDS, Detail, StepBlocks
from symattn.document.unfold import unfolding
from symattn.errors import UndecidedError, UnknownNameError, unknown
from symattn.formula import FUNCTIONS, Scope, read_any
from symattn.listing import PROGRAMS
from symattn.operations.terms import Term
from symattn.scenario.model import (
    Item,
    ListingItem,
    NoteItem,
    Scenario,
    Section,
    ShowItem,
    StepItem,
    UnfoldItem,
)
from symattn.scenario.words import FigureRef, FormulaRef, LabelRef, Part, SymbolRef, Text, Words
from symattn.solution import Solution
from symattn.values.rounding import read_figure

DETAILS: tuple[Detail, ...] = ("result", "steps", "entries")


def scenario_names(scenario: Scenario) -> Names:
    """How the names of a scenario are written."""
    axes = {step.name: step.shape.rows.name for step in scenario.derivation.steps}
    return Names(scenario.notation, scenario.labels, axes)


def build(
    scenario: Scenario,
    solution: Solution,
    *,
    language: str | None = None,
    detail: Detail = "steps",
    digits: int | None = None,
) -> Document:
    """The document of a solution.

    ``digits`` says that the number of decimals was asked for, and overrides what single steps set for themselves.
    """
    if detail not in DETAILS:
        raise UnknownNameError(unknown("detail", detail, DETAILS))
    return _Builder(scenario, solution, language or scenario.language, detail, digits).document()


@dataclass(frozen=True)
class _Builder:
    scenario: Scenario
    solution: Solution
    language: str
    detail: Detail
    digits: int | None

    @property
    def names(self) -> Names:
        return scenario_names(self.scenario)

    @property
    def steps(self) -> StepBlocks:
        return StepBlocks(self.solution, self.names, self.detail)

    def document(self) -> Document:
        blocks: list[Block] = []
        if self.scenario.intro is not None:
            blocks.append(self._prose(self.scenario.intro))
        if self.scenario.source is not None:
            blocks.append(self._prose(self.scenario.source, "source"))
        blocks += self._labels()
        if self.solution.style.carry == "rounded":
            blocks.append(Phrase("carry_rounded", (), "note"))
        for section in self.scenario.sections:
            blocks += self._section(section)
        blocks += self._comparison()
        return Document(self._inlines(self.scenario.title), self.language, tuple(blocks))

    # -- words ---------------------------------------------------------------------------------------------------

    def _prose(self, words: Words, role: str = "text") -> Prose:
        return Prose(self._inlines(words), role)  # type: ignore[arg-type]

    def _inlines(self, words: Words) -> tuple[Inline, ...]:
        return tuple(self._inline(part) for part in words.pick(self.language, self.scenario.language))

    def _inline(self, part: Part) -> Inline:
        match part:
            case Text(text):
                return text
            case SymbolRef(name):
                return Letter(name, "upright") if name in FUNCTIONS else self.names(name)
            case FigureRef(name, row, column):
                return Number(self.solution.figures(name)[row - 1][column - 1].text)
            case LabelRef(axis, index):
                return self.scenario.labels[axis][index - 1]
            case FormulaRef(text):
                return self._written(text)
        raise TypeError(f"no rule for the words {type(part).__name__}")

    def _written(self, text: str) -> Inline:
        plan = self.scenario.derivation
        scope = Scope({step.name: step.shape for step in plan.steps}, {**plan.sizes, **self.scenario.sizes})
        read = read_any(text, scope)
        return formula(read.expr, self.names) if isinstance(read, Term) else number(read)

    def _labels(self) -> Iterator[Block]:
        for axis, labels in self.scenario.labels.items():
            if not labels:
                continue
            key = "tokens_are" if axis == self.scenario.token_axis else "labels_are"
            lead = Phrase(key, (("axis", by_rule(axis)), ("count", len(labels))), "lead")
            letter = Letter("t") if key == "tokens_are" else Letter("w")
            items = tuple((Script(letter, sub=Number(str(i))), label) for i, label in enumerate(labels, 1))
            yield Labels(lead, items)

    # -- sections ------------------------------------------------------------------------------------------------

    def _section(self, section: Section) -> Iterator[Block]:
        yield Heading(section.level, section.number, self._inlines(section.title))
        if section.intro is not None:
            yield self._prose(section.intro)
        for item in section.items:
            yield from self._item(item)
        if section.why is not None:
            yield self._prose(section.why, "why")
        elif reason := self._general_reason(section):
            yield reason

    def _general_reason(self, section: Section) -> Phrase | None:
        """What the kind of the section's last step is good for, where the scenario does not say it."""
        made = [item.name for item in section.items if isinstance(item, StepItem)]
        node = self.solution.derivation[made[-1]].formula if made else None
        return None if node is None else Phrase(f"why_{kind(node)}", (), "why")

    def _item(self, item: Item) -> Iterator[Block]:
        """The blocks of one item; what cannot be decided about its values is told with file, line and key."""
        try:
            yield from self._blocks(item)
        except UndecidedError as error:
            place = self.scenario.place(item.name) if isinstance(item, ShowItem | StepItem) else self.scenario.path
            raise UndecidedError(f"{place}: {error}") from None

    def _blocks(self, item: Item) -> Iterator[Block]:
        match item:
            case ShowItem():
                yield from self._show(item)
            case StepItem():
                yield from self.steps.step(item.name, self._decimals(item.decimals), item.works)
                if item.note is not None:
                    yield self._prose(item.note, "note")
            case UnfoldItem(name, to, called):
                yield Phrase("lead_unfold", (("name", self.names(name)),), "lead")
                chain = unfolding(self.solution.derivation, name, to, called, self.names)
                yield Equation((chain,), "statement")
            case NoteItem(words):
                yield self._prose(words, "note")
            case ListingItem(language, of):
                yield self._listing(language, of)

    def _decimals(self, decimals: int | None) -> int | None:
        return decimals if self.digits is None else self.digits

    def _show(self, item: ShowItem) -> Iterator[Block]:
        solution, names, decimals = self.solution, self.names, self._decimals(item.decimals)
        labels = names.row_labels(item.name)
        match item.form:
            case "values":
                yield self.steps.matrix(item.name, decimals)
                given = self.scenario.givens.get(item.name)
                if given is not None:
                    yield from self._given_words(item.name, given.note)
            case "general":
                yield from general.general_form(solution, item.name, names)
            case "rows":
                yield from general.rows_form(solution, item.name, names)
            case "vectors":
                yield from general.vectors_form(solution, item.name, names, labels, decimals)
            case "weighted":
                inner = names.row_labels(general.right_factor(solution, item.name))
                yield from general.weighted_form(solution, item.name, names, (labels, inner), decimals)

    def _given_words(self, name: str, note: Words | None) -> Iterator[Block]:
        """The exact form of a given whose figures are rounded, and its remark."""
        figures = [figure for row in self.solution.figures(name) for figure in row]
        if self.detail != "result" and not all(figure.exact for figure in figures):
            yield from self.steps.exact_given(name)
        if note is not None:
            yield self._prose(note, "note")

    def _listing(self, language: str, of: str) -> Listing:
        if language not in PROGRAMS:
            raise UnknownNameError(unknown("listing language", language, PROGRAMS))
        write, show = PROGRAMS[language]
        return Listing(language, write(self.solution, of), show(self.solution, of))

    # -- the source's figures ------------------------------------------------------------------------------------

    def _comparison(self) -> Iterator[Block]:
        if not self.scenario.printed:
            return
        result = compare(self.scenario, self.solution)
        counts = (("matrices", result.matrices), ("figures", result.figures))
        if not result.differences:
            yield Phrase("all_reproduced", counts, "line")
            return
        yield Heading(1, "", (Phrase("differences_title"),))
        wrong = sum(1 for difference in result.differences if difference.row)
        yield Phrase("differences_intro", (*counts, ("same", result.figures - wrong), ("wrong", wrong)), "line")
        header = tuple(Phrase(key) for key in ("head_place", "head_printed", "head_derived", "head_reason"))
        yield Table(header, tuple(self._difference(difference) for difference in result.differences))

    def _difference(self, difference: Difference) -> tuple[tuple[Inline, ...], ...]:
        reason = self.scenario.reasons.get(difference.name)
        words: tuple[Inline, ...] = (Phrase("reason_unknown"),) if reason is None else self._inlines(reason)
        symbol = self.names(difference.name)
        if not difference.row:
            return ((symbol,), (difference.printed,), (difference.derived,), words)
        base = symbol if isinstance(symbol, Letter) else Parens(symbol)
        place = Script(base, sub=seq(Number(str(difference.row)), Sign(","), Number(str(difference.column))))
        printed: Inline = Number(difference.printed) if read_figure(difference.printed) else difference.printed
        return ((place,), (printed,), (Number(difference.derived),), words)


def kind(node: Basic) -> str:
    """What the words call this kind of step."""
    return KINDS[type(node)]
