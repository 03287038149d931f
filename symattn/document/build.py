"""From a scenario and its solution to a document: sections, steps, words, the comparison with the source."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from symattn.budget import doing, working
from symattn.document.blocks import Block, Document, Equation, Heading, Labels, Phrase, Prose, Readings, Table
from symattn.document.forms import in_letters
from symattn.document.kinds import reason
from symattn.document.math import Letter, Math, Number, Script, Sign
from symattn.document.notation.arithmetic import in_symbols, ordered
from symattn.document.notation.formulas import Names, by_rule, formula, number
from symattn.document.source.origin import given_origin
from symattn.document.steps import Detail, StepBlocks
from symattn.document.window import LABELS, Window, without_middle
from symattn.document.working.unfold import unfolding
from symattn.errors import (
    BudgetError,
    DomainError,
    NoValueError,
    SymattnError,
    UndecidedError,
    UnknownNameError,
    unknown,
)
from symattn.formula import read_any
from symattn.operations.counting import Kept
from symattn.operations.terms import Term
from symattn.plan import Plan
from symattn.remembered import cached_property
from symattn.scenario.lines import Key
from symattn.scenario.model import (
    Claim,
    FigureItem,
    ListingItem,
    NoteItem,
    ProveItem,
    QuantityItem,
    Scenario,
    Section,
    SectionItem,
    ShowItem,
    StepItem,
    TensorItem,
    UnfoldItem,
    VarianceItem,
)
from symattn.scenario.problem import place
from symattn.scenario.words import FigureRef, FormulaRef, LabelRef, PlainText, SymbolRef, WordPart, Words
from symattn.solution.shown import Shown
from symattn.solution.store import Store

if TYPE_CHECKING:
    from symattn.document.pictures.kinds import PictureMaker
    from symattn.document.source.claims import Verdict
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
    solution: Store,
    *,
    language: str | None = None,
    detail: Detail = "steps",
    digits: int | None = None,
    code: Sequence[str] | None = None,
    window: Window | None = None,
    pictures: bool | None = None,
) -> Document:
    """The document of a solution.

    ``digits`` says that the number of decimals was asked for, and overrides what single steps set for themselves.
    ``code`` names the languages of the programs at the end; without it they are the scenario's own. ``window`` says how
    many rows and columns of a matrix are shown. ``pictures`` says whether there are pictures that nobody asked for;
    without it, whether the scenario wants them.

    Raises :class:`~symattn.errors.UnknownNameError` for a detail or a language of programs that is not known, and what
    keeps a part from being made (:class:`~symattn.errors.NoValueError`, :class:`~symattn.errors.UndecidedError`,
    :class:`~symattn.errors.BudgetError`, :class:`~symattn.proof.error.ProofError`) with its file, line and key.
    """
    if detail not in DETAILS:
        raise UnknownNameError(unknown("detail", detail, DETAILS))
    languages = scenario.programs.languages if code is None else code
    spoken = language or scenario.language
    wanted = detail != "result" and (scenario.pictures if pictures is None else pictures)
    return _Builder(scenario, solution, spoken, detail, digits, languages, window or Window(), wanted).document()


def said(scenario: Scenario, solution: Store, words: Words, language: str) -> tuple[str | Math, ...]:
    """Words of a scenario with their references written out."""
    return _builder(scenario, solution, language)._inlines(words)


def labelled(scenario: Scenario, solution: Store, language: str) -> tuple[Block, ...]:
    """The labels of the axes that have some."""
    return tuple(_builder(scenario, solution, language)._labels())


def worked(scenario: Scenario, solution: Store, language: str) -> tuple[Block, ...]:
    """The sections of a solution alone, and in them nothing but what is worked out: no reasons."""
    builder = _builder(scenario, solution, language)
    parts = (part for i, section in enumerate(scenario.sections) for part in builder._section(section, ("section", i)))
    blocks = (block for part in parts for block in part.make())
    return tuple(block for block in blocks if not (isinstance(block, Phrase | Prose) and block.role == "why"))


def _builder(scenario: Scenario, solution: Store, language: str) -> _Builder:
    return _Builder(scenario, solution, language, "steps", None, (), Window())


def failures(scenario: Scenario, solution: Store) -> Iterator[tuple[Key, str]]:
    """Everything that keeps the document from being made: the key it comes up at, and a sentence.

    What rests on a step that cannot be worked out is passed over.
    """
    builder = replace(_builder(scenario, solution, scenario.language), code=scenario.programs.languages)
    solution.budget.renew()
    failed: set[str] = set()
    told: set[str] = set()
    judged = True
    for part in (*builder.parts(), _Part(("title",), lambda: [Heading(1, "", builder._inlines(scenario.title))])):
        if part.name in solution and _rests_on(solution.derivation, part.name, failed):
            failed.add(part.name)
            continue
        if part.key == ("claim",) and not judged:
            continue
        try:
            with working(solution.budget, goes_on=True):
                part.made()
        except BudgetError as error:
            yield part.key, str(error)
            return
        except SymattnError as error:
            failed.add(part.name)
            judged &= part.key[:1] != ("claim",)
            if str(error) not in told:
                yield part.key, str(error)
            told.add(str(error))


def _rests_on(plan: Plan, name: str, failed: Collection[str]) -> bool:
    """Whether one of the names in ``failed`` is behind ``name``."""
    return not set(plan.behind(plan[name].uses)).isdisjoint(failed)


@dataclass(frozen=True)
class _Part:
    """Some blocks that are still to be made, and the key in the file that they come from."""

    key: Key
    make: Callable[[], Iterable[Block]]
    name: str = ""
    """What it is that is shown, if it has a name."""
    proves: bool = False

    def made(self) -> list[Block]:
        with doing(f"the part about {self.name}" if self.name else "the page"):
            return list(self.make())


_OF_VALUES = (BudgetError, DomainError, NoValueError, UndecidedError)  # only the numbers show them


@dataclass(frozen=True)
class _Builder:
    scenario: Scenario
    solution: Store
    language: str
    detail: Detail
    digits: int | None
    code: Sequence[str]
    window: Window
    pictures: bool = False
    """Whether there are pictures that nobody has asked for."""

    @property
    def names(self) -> Names:
        return scenario_names(self.scenario)

    @property
    def steps(self) -> StepBlocks:
        return StepBlocks(self.solution, self.names, self.detail, self.window)

    def document(self) -> Document:
        blocks: list[Block] = []
        with working(self.solution.budget):
            for part in self.parts():
                with self._located(part):
                    blocks += part.made()
            with self._located(_Part(("title",), list)):
                return Document(self._inlines(self.scenario.title), self.language, tuple(blocks))

    @contextmanager
    def _located(self, part: _Part) -> Iterator[None]:
        """What cannot be decided about values, and what cannot be proved, is told with file, line and key."""
        try:
            yield
        except SymattnError as error:
            if not part.proves and not isinstance(error, _OF_VALUES):
                raise
            raise type(error)(f"{place(self.scenario.path, self.scenario.text, part.key)}: {error}") from None

    def parts(self) -> Iterator[_Part]:
        """What the document is made of, in order; nothing is worked out before it is asked for."""
        scenario = self.scenario
        if scenario.intro is not None:
            yield _Part(("intro",), partial(self._prose_alone, scenario.intro))
        if scenario.source is not None:
            yield _Part(("source",), partial(self._prose_alone, scenario.source, "source"))
        yield _Part((), self._labels)
        if self.pictures:
            yield _Part((), lambda: self._maker().of_page(scenario))
        if self.solution.style.carry == "rounded":
            yield _Part((), lambda: [Phrase("carry_rounded", (), "note")])
        if any(given.given.rounded for given in scenario.givens.values()):
            from symattn.document.forms import intervals

            yield _Part(("given",), partial(intervals.shown, self.solution, self.names))
        if scenario.symbols:
            from symattn.document.forms import closed_forms

            yield _Part(("symbols",), partial(closed_forms.shown, self.solution, scenario.put_in))
        for i, section in enumerate(scenario.sections):
            yield from self._section(section, ("section", i))
        yield from self._claims()
        if scenario.printed:
            from symattn.document.source.printed import comparison

            yield _Part(("printed",), partial(comparison, scenario, self.solution, self.names, self._inlines))
        if self.code:
            from symattn.document import programs

            yield _Part((), partial(programs.section, scenario, self.solution, self.code))

    # -- words ---------------------------------------------------------------------------------------------------

    def _prose(self, words: Words, role: str = "text") -> Prose:
        return Prose(self._inlines(words), role)  # type: ignore[arg-type]

    def _prose_alone(self, words: Words, role: str = "text") -> list[Block]:
        return [self._prose(words, role)]

    def _inlines(self, words: Words) -> tuple[str | Math, ...]:
        return tuple(self._inline(part) for part in words.pick(self.language, self.scenario.language))

    def _inline(self, part: WordPart) -> str | Math:
        match part:
            case PlainText(text):
                return text
            case SymbolRef(name):
                return Letter(name, "upright") if name in self.scenario.derivation.scope.functions else self.names(name)
            case FigureRef(name, row, column):
                return self.steps.figure(name, row - 1, column - 1)
            case LabelRef(axis, index):
                return self.scenario.labels[axis][index - 1]
            case FormulaRef(text):
                return self._written(text)
        raise TypeError(f"no rule for the words {type(part).__name__}")

    def _written(self, text: str) -> Math:
        plan = self.scenario.derivation
        sizes, quantities = {**plan.sizes, **self.scenario.sizes}, frozenset(self.scenario.quantities)
        scope = replace(plan.scope, sizes=sizes, quantities=quantities, symbols=frozenset(self.scenario.symbols))
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
            first, other = ("t", "x") if key == "tokens_are" else ("w", "v")
            letter = Letter(other if first in self.scenario.symbols else first)
            items = [(Script(letter, sub=Number(str(i))), label) for i, label in enumerate(labels, 1)]
            yield Labels(lead, without_middle(items, LABELS * self.window.rows, (Sign("⋮"), "")))

    # -- sections ------------------------------------------------------------------------------------------------

    def _section(self, section: Section, key: Key) -> Iterator[_Part]:
        yield _Part((*key, "title"), lambda: [Heading(section.level, section.number, self._inlines(section.title))])
        if section.intro is not None:
            yield _Part((*key, "intro"), partial(self._prose_alone, section.intro))
        for item in section.items:
            yield self._item(item, key)
        if section.why is not None:
            yield _Part((*key, "why"), partial(self._prose_alone, section.why, "why"))
        elif reason := self._general_reason(section):
            yield _Part(key, partial(list[Block], (reason,)))

    def _general_reason(self, section: Section) -> Phrase | None:
        """What the kind of the section's last step is good for, where the scenario does not say it."""
        made = [item for item in section.items if isinstance(item, StepItem)]
        if not made or made[-1].because is not None:
            return None
        node = self.solution.derivation[made[-1].name].formula
        return None if node is None else reason(node, self.language)

    def _item(self, item: SectionItem, key: Key) -> _Part:
        if isinstance(item, ProveItem | VarianceItem):
            return _Part(item.key, partial(self._blocks, item), proves=True)
        name = item.name if isinstance(item, ShowItem | StepItem | QuantityItem | TensorItem) else ""
        return _Part(self.scenario.keys.get(name, key), partial(self._blocks, item), name)

    def _blocks(self, item: SectionItem) -> Iterator[Block]:
        match item:
            case ShowItem():
                yield from self._show(item)
            case StepItem():
                yield from self.steps.step(item.name, self._decimals(item.decimals), item.works)
                if self.pictures:
                    yield from self._maker().of_step(item.name)
                if item.because is not None:
                    yield self._prose(item.because, "why")
            case UnfoldItem(name, to, called):
                yield Phrase("lead_unfold", (("name", self.names(name)),), "lead")
                chain = unfolding(self.solution.derivation, name, to, called, self.names)
                yield Equation((chain,), "statement")
            case QuantityItem():
                from symattn.document.quantities import quantity_blocks

                yield from quantity_blocks(item, self.values, self.names)
            case TensorItem():
                from symattn.document.quantities import tensor_blocks

                yield from tensor_blocks(item, self.solution, self.names)
            case ProveItem() | VarianceItem():
                from symattn.document.proofs.statements import item_blocks

                yield from item_blocks(item, self.solution.derivation, self.names)
            case NoteItem(words):
                yield self._prose(words, "note")
            case FigureItem(caption=caption):
                yield self._maker().picture(item, () if caption is None else self._inlines(caption))
            case ListingItem(language, of):
                from symattn.document import programs

                yield programs.listing(self.solution, language, of)
        if isinstance(item, StepItem | QuantityItem | TensorItem | ProveItem | VarianceItem) and item.note is not None:
            yield self._prose(item.note, "note")

    def _maker(self) -> PictureMaker:
        from symattn.document.pictures.kinds import PictureMaker

        return PictureMaker(self.solution, self.names, self.window, self.language)

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
                    yield from self._given_words(item.name, given.note, decimals)
            case "general":
                yield from in_letters.general_form(solution, item.name, names)
            case "rows":
                yield from in_letters.rows_form(solution, item.name, names)
            case "vectors":
                yield from in_letters.vectors_form(solution, item.name, names, labels, decimals, self.window)
            case "weighted":
                inner = names.row_labels(in_letters.right_factor(solution, item.name))
                both = (labels, inner)
                yield from in_letters.weighted_form(solution, item.name, names, both, decimals, self.window)
            case "entries":
                yield from self.steps.every_entry(item.name)
            case "float64":
                yield from self.steps.in_double(item.name, decimals)
            case "printed":
                from symattn.document.source.printed import printed

                yield from printed(self.scenario, solution, item.name, names, self.window)

    def _given_words(self, name: str, note: Words | None, decimals: int | None) -> Iterator[Block]:
        """The exact form of a given whose figures are rounded, and its remark."""
        shown = self.solution.shown(name)
        if shown is Shown.CLOSED_FORMS:
            yield from self.steps.exact_given(name)
        elif shown is Shown.INTERVALS:
            from symattn.document.forms import intervals

            yield intervals.meaning(self.solution, name)
        elif self.solution.givens[name].array is not None:
            yield from given_origin(name, self.solution.givens)
        elif self.detail != "result" and not all(x.exact for row in self.solution.figures(name) for x in row):
            yield from self.steps.exact_given(name, decimals)
        if note is not None:
            yield self._prose(note, "note")

    # -- what the source says ------------------------------------------------------------------------------------

    @cached_property
    def values(self) -> QuantityValues:
        """The quantities with their values."""
        from symattn.solution.quantities import QuantityValues

        return QuantityValues(self.solution, self.scenario.quantities, self.scenario.place)

    def _claims(self) -> Iterator[_Part]:
        """The table of claims; each is judged as a part of its own, so that an error can say which."""
        verdicts: list[Verdict] = []
        for claim in self.scenario.claims:
            yield _Part(claim.key, partial(self._judge, claim, verdicts))
        if self.scenario.claims:
            yield _Part(("claim",), partial(self._claims_table, verdicts))

    def _judge(self, claim: Claim, verdicts: list[Verdict]) -> list[Block]:
        from symattn.document.source.claims import judge

        verdicts.append(judge(claim, self.solution, self.values, self.names))
        return []

    def _claims_table(self, verdicts: list[Verdict]) -> Iterator[Block]:
        from symattn.document.source import claims

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
