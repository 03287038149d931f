"""From a scenario and its solution to a document: sections, steps, words, the comparison with the source."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from sympy import Basic

from symattn.document import general
from symattn.document.arithmetic import in_symbols, ordered
from symattn.document.blocks import (
    Block,
    Document,
    Equation,
    Heading,
    Inline,
    Labels,
    Phrase,
    Prose,
    Readings,
    Table,
)
from symattn.document.math import Letter, Number, Script
from symattn.document.notation import Names, by_rule, formula, number
from symattn.document.steps import KINDS, Detail, StepBlocks
from symattn.document.unfold import unfolding
from symattn.errors import DomainError, NoValueError, SymattnError, UndecidedError, UnknownNameError, unknown
from symattn.formula import FUNCTIONS, Scope, read_any
from symattn.operations.counting import Kept
from symattn.operations.terms import Term
from symattn.scenario.model import (
    Claim,
    Item,
    ListingItem,
    NoteItem,
    ProveItem,
    QuantityItem,
    Scenario,
    Section,
    ShowItem,
    StepItem,
    TensorItem,
    UnfoldItem,
    VarianceItem,
)
from symattn.scenario.problem import place
from symattn.scenario.words import FigureRef, FormulaRef, LabelRef, Part, SymbolRef, Text, Words
from symattn.solution import Solution

if TYPE_CHECKING:
    from symattn.document.claims import Verdict
    from symattn.solution.quantities import QuantityValues

# What only some scenarios hold (proofs, programs, claims, quantities, intervals) is imported where one of them does:
# that is a tenth of a second.

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
    code: Sequence[str] | None = None,
) -> Document:
    """The document of a solution.

    ``digits`` says that the number of decimals was asked for, and overrides what single steps set for themselves.
    ``code`` names the languages of the programs at the end; without it they are the scenario's own.
    """
    if detail not in DETAILS:
        raise UnknownNameError(unknown("detail", detail, DETAILS))
    languages = scenario.programs.languages if code is None else code
    return _Builder(scenario, solution, language or scenario.language, detail, digits, languages).document()


@dataclass(frozen=True)
class _Builder:
    scenario: Scenario
    solution: Solution
    language: str
    detail: Detail
    digits: int | None
    code: Sequence[str]

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
        if any(given.given.rounded for given in self.scenario.givens.values()):
            from symattn.document import intervals

            blocks += intervals.shown(self.solution, self.names)
        for section in self.scenario.sections:
            blocks += self._section(section)
        blocks += self._claims()
        if self.scenario.printed:
            from symattn.document import source

            blocks += source.comparison(self.scenario, self.solution, self.names, self._inlines)
        if self.code:
            from symattn.document import programs

            blocks += programs.section(self.scenario, self.solution, self.code)
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
                return self.steps.figure(name, row - 1, column - 1)
            case LabelRef(axis, index):
                return self.scenario.labels[axis][index - 1]
            case FormulaRef(text):
                return self._written(text)
        raise TypeError(f"no rule for the words {type(part).__name__}")

    def _written(self, text: str) -> Inline:
        plan = self.scenario.derivation
        scope = Scope(plan.scope.names, {**plan.sizes, **self.scenario.sizes}, frozenset(self.scenario.quantities))
        read = read_any(text, scope)
        if isinstance(read, Term):
            return formula(read.expr, self.names)
        return in_symbols(ordered(read), self.names) if read.has(Kept) else number(read)

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
        except (DomainError, NoValueError, UndecidedError) as error:
            named = item.name if isinstance(item, ShowItem | StepItem | QuantityItem) else None
            where = self.scenario.path if named is None else self.scenario.place(named)
            raise type(error)(f"{where}: {error}") from None

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
            case QuantityItem():
                from symattn.document.quantities import quantity_blocks

                yield from quantity_blocks(item, self.values, self.names)
                if item.note is not None:
                    yield self._prose(item.note, "note")
            case TensorItem():
                from symattn.document.quantities import tensor_blocks

                yield from tensor_blocks(item, self.solution, self.names)
                if item.note is not None:
                    yield self._prose(item.note, "note")
            case ProveItem() | VarianceItem():
                yield from self._proof(item)
                if item.note is not None:
                    yield self._prose(item.note, "note")
            case NoteItem(words):
                yield self._prose(words, "note")
            case ListingItem(language, of):
                from symattn.document import programs

                yield programs.listing(self.solution, language, of)

    def _proof(self, item: ProveItem | VarianceItem) -> list[Block]:
        from symattn.document.proof import item_blocks

        try:
            return item_blocks(item, self.solution.derivation, self.names)
        except SymattnError as error:
            where = place(self.scenario.path, self.scenario.text, item.key)
            raise type(error)(f"{where}: {error}") from None

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
            case "entries":
                yield from self.steps.every_entry(item.name)
            case "float64":
                yield from self.steps.in_double(item.name, decimals)
            case "printed":
                from symattn.document import source

                yield from source.printed(self.scenario, solution, item.name, names)

    def _given_words(self, name: str, note: Words | None) -> Iterator[Block]:
        """The exact form of a given whose figures are rounded, and its remark."""
        figures = [figure for row in self.solution.figures(name) for figure in row]
        if self.solution.is_interval(name):
            from symattn.document import intervals

            yield intervals.meaning(self.solution, name)
        elif self.detail != "result" and not all(figure.exact for figure in figures):
            yield from self.steps.exact_given(name)
        if note is not None:
            yield self._prose(note, "note")

    # -- what the source says ------------------------------------------------------------------------------------

    @cached_property
    def values(self) -> QuantityValues:
        """The quantities with their values."""
        from symattn.solution.quantities import QuantityValues

        return QuantityValues(self.solution, self.scenario.quantities, self.scenario.place)

    def _claims(self) -> Iterator[Block]:
        if not self.scenario.claims:
            return
        from symattn.document import claims

        verdicts = [self._judged(claim) for claim in self.scenario.claims]
        yield Heading(1, "", (Phrase("claims_title"),))
        yield Phrase("claims_intro", claims.counts(verdicts), "line")
        header = tuple(Phrase(key) for key in ("head_claim", "head_printed", "head_derived", "head_verdict"))
        found = list(zip(self.scenario.claims, verdicts, strict=True))
        rows = [claims.row(claim, verdict, self._inlines) for claim, verdict in found if verdict.is_settled]
        if rows:
            yield Table(header, tuple(rows))
        rest = [claims.listed(claim, self._inlines) for claim, verdict in found if not verdict.is_settled]
        if rest:
            yield Phrase("claims_open", (("count", len(rest)),), "lead")
            yield Readings(tuple(rest))

    def _judged(self, claim: Claim) -> Verdict:
        from symattn.document.claims import judge

        try:
            return judge(claim, self.solution, self.values, self.names)
        except (DomainError, NoValueError, UndecidedError) as error:
            raise type(error)(f"{place(self.scenario.path, self.scenario.text, claim.key)}: {error}") from None


def kind(node: Basic) -> str:
    """What the words call this kind of step."""
    return KINDS[type(node)]
