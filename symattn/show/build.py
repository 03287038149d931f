"""From a scenario and its solution to a document: sections, steps, words, the comparison with the source."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from itertools import takewhile
from typing import TYPE_CHECKING, Any

from symattn.base.budget import working
from symattn.base.errors import OF_VALUES, BudgetError, SymattnError, UnknownNameError, unknown
from symattn.base.remembered import cached_property
from symattn.base.words import language_named
from symattn.compute.solution.store import Shown, Store
from symattn.read.scenario.model import (
    ASK_LEVELS,
    WORD_LEVELS,
    AskItem,
    AskLevel,
    FigureItem,
    GradientCheckItem,
    ListingItem,
    NoteItem,
    OutcomeItem,
    ProveItem,
    QuantityItem,
    RuleItem,
    Scenario,
    Section,
    SectionItem,
    ShowItem,
    StepItem,
    TensorItem,
    UnfoldItem,
    VarianceItem,
    WhatIfItem,
    WordLevel,
)
from symattn.read.scenario.problem import Key, place
from symattn.read.scenario.words import Words
from symattn.show.blocks import (
    Block,
    Document,
    Equation,
    Heading,
    Inline,
    Matrices,
    Passage,
    Phrase,
    Picture,
    Prose,
    with_label,
)
from symattn.show.closing import AboutSource, Mistakes, about_figures, no_mistakes
from symattn.show.forms.in_letters import unfolding
from symattn.show.lesson import GIVEN, grouped, treatments
from symattn.show.notation.formulas import Names
from symattn.show.part import PagePart, letters_of, may_stand, part_of, with_words
from symattn.show.roles import ends, legend
from symattn.show.roles.legend import scenario_names as scenario_names
from symattn.show.roles.reasons import Roles
from symattn.show.show import shown_again
from symattn.show.steps import Detail, StepBlocks, matrices_together
from symattn.show.window import Window
from symattn.show.wording import Wording

if TYPE_CHECKING:
    from symattn.compute.solution.quantities import QuantityValues
    from symattn.show.pictures.kinds import PictureMaker
    from symattn.show.questions import SectionQuestions

# Modules that only some scenarios need (proofs, programs, claims, quantities, intervals) are imported on demand:
# that saves a tenth of a second.

DETAILS: tuple[Detail, ...] = ("result", "lesson", "steps", "entries")


def build_document(
    scenario: Scenario,
    solution: Store,
    *,
    language: str | None = None,
    detail: Detail = "lesson",
    words: WordLevel | None = None,
    digits: int | None = None,
    code: Sequence[str] | None = None,
    window: Window | None = None,
    steps: Sequence[str] = (),
    section: str | None = None,
    pictures: bool | None = None,
    asks: AskLevel | None = None,
    labels: bool = False,
    mistakes: Mistakes = no_mistakes,
) -> Document:
    """Return the document of a solution, or of a part of it: of some ``steps``, or of one ``section``.

    ``words`` is how much is said besides the words of the scenario; the default is the scenario's level. ``digits`` is
    a number of decimals that overrides those of single steps. ``code`` names the languages of the programs at the end;
    the default is the scenario's own. ``window`` limits the rows and columns that are shown of a matrix. ``pictures``
    adds automatic pictures, and ``asks`` is which questions the page asks; the default is the scenario's choice. With
    ``labels`` the first equation of every step has one. ``mistakes`` explains printed figures that differ from the
    derived ones.

    Raises :class:`~symattn.base.errors.UnknownNameError` for an unknown detail, level or language of programs,
    and every error that keeps a part from being made (:class:`~symattn.base.errors.NoValueError`,
    :class:`~symattn.base.errors.UndecidedError`, :class:`~symattn.base.errors.BudgetError`,
    :class:`~symattn.compute.proof.tree.ProofError`) with its file, line and key.
    """
    for kind, chosen, known in (
        ("detail", detail, DETAILS),
        ("level of words", words or "all", WORD_LEVELS),
        ("choice of questions", asks or "all", ASK_LEVELS),
    ):
        if chosen not in known:
            raise UnknownNameError(unknown(kind, chosen, known))
    is_part = bool(steps) or section is not None
    languages = () if is_part and code is None else scenario.programs.languages if code is None else code
    scenario = scenario.unfolded() if detail in ("steps", "entries") else scenario
    scenario = part_of(scenario, steps, section) if is_part else scenario
    builder = _builder(scenario, solution, language or scenario.language)
    shown = replace(builder, detail=detail, digits=digits, code=languages, window=window or Window())
    drawn = detail != "result" and (scenario.pictures if pictures is None else pictures)
    questions: AskLevel = "none" if detail == "result" else asks or scenario.asks
    shown = replace(
        shown,
        asks="own" if is_part and questions == "all" else questions,
        labels=labels,
        mistakes=mistakes,
        words=words or scenario.words,
        pictures=drawn,
    )
    return replace(shown, is_whole=not is_part).document()


def words_with_references(scenario: Scenario, solution: Store, words: Words, language: str) -> tuple[Inline, ...]:
    """Return words of a scenario with their references written out."""
    return _builder(scenario, solution, language)._inlines(words)


def worked(scenario: Scenario, solution: Store, language: str) -> tuple[Block, ...]:
    """Return the sections of a solution alone, without reasons or checks."""
    builder = replace(_builder(scenario, solution, language), words="none")
    parts = (part for i, section in enumerate(scenario.sections) for part in builder._section(section, ("section", i)))
    blocks = (block for part in parts for block in builder.names.letters.told_apart(tuple(part.make())))
    return tuple(block for block in blocks if not (isinstance(block, Phrase | Prose) and block.role == "need"))


def _stands_in(block: Block, blocks: Sequence[Block]) -> bool:
    """Return whether a block is a picture that a page has already."""
    drawn = {each.of.drawn for each in blocks if isinstance(each, Picture) and each.of}
    return isinstance(block, Picture) and block.of is not None and block.of.drawn in drawn


def _builder(scenario: Scenario, solution: Store, language: str) -> _Builder:
    spoken = language_named(language)
    return _Builder(scenario.told_in(spoken), solution, spoken, "steps", None, (), Window())


def failures(scenario: Scenario, solution: Store) -> Iterator[tuple[Key, str]]:
    """Yield the key and the message of every error that keeps the document from being made.

    Parts that rest on a failed step are skipped.
    """
    builder = replace(_builder(scenario, solution, scenario.language), code=scenario.programs.languages)
    solution.budget.renew()
    failed: set[str] = set()
    told: set[str] = set()
    judged = True
    for part in (*builder.parts(), PagePart(("title",), lambda: [Heading(1, "", builder._inlines(scenario.title))])):
        plan = solution.derivation
        if part.name in solution and not failed.isdisjoint(plan.behind(plan[part.name].uses)):
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


@dataclass(frozen=True)
class _Builder:
    scenario: Scenario
    solution: Store
    language: str
    detail: Detail
    digits: int | None
    code: Sequence[str]
    window: Window
    is_whole: bool = True
    pictures: bool = False
    """Whether the page has automatic pictures."""
    asks: AskLevel = "none"
    """Which questions the page asks."""
    words: WordLevel = "all"
    labels: bool = False
    """Whether steps get labels to refer to."""
    mistakes: Mistakes = no_mistakes
    """Returns the mistakes that explain the figures of a source."""

    @cached_property
    def names(self) -> Names:
        return scenario_names(self.scenario)

    @cached_property
    def steps(self) -> StepBlocks:
        if self.detail != "lesson":
            return StepBlocks(self.solution, self.names, self.detail, self.window)
        items = (item for section in self.scenario.sections for item in section.on_page)
        names = [item.name for item in items if isinstance(item, StepItem)]
        treated = treatments(self.solution.derivation, names, self.roles.kind)
        return StepBlocks(self.solution, self.names, self.detail, self.window, treated)

    def document(self) -> Document:
        blocks, passages = list[Block](), list[Passage]()
        with working(self.solution.budget):
            for part in self.parts():
                with self._located(part):
                    made = self.names.letters.told_apart(tuple(with_words(part.made(), self.words)))
                    blocks += (made := tuple(each for each in made if not _stands_in(each, blocks)))
                passages.append(Passage(len(made), part.names, tuple(map(self.names, part.names))))
            with self._located(PagePart(("title",), list)):
                return Document(self._inlines(self.scenario.title), self.language, tuple(blocks), tuple(passages))

    @contextmanager
    def _located(self, part: PagePart) -> Iterator[None]:
        """Put file, line and key before the message of a proof, or of an error about values."""
        try:
            yield
        except SymattnError as error:
            if not part.proves and not isinstance(error, OF_VALUES):
                raise
            raise type(error)(f"{place(self.scenario.path, self.scenario.text, part.key)}: {error}") from None

    def parts(self) -> Iterator[PagePart]:
        """Yield the parts of the document, in order; nothing is computed before it is asked for."""
        scenario = self.scenario
        if scenario.intro is not None:
            yield PagePart(("intro",), partial(self._prose_alone, scenario.intro))
        if scenario.source is not None and (self.words == "none" or not self._about_source.says_anything):
            yield PagePart(("source",), partial(self._prose_alone, scenario.source, "source"))
        before = partial(legend.from_before, letters_of(scenario), self.roles, self.steps.parts.head.shaped)
        yield from self._beginning() if self.is_whole else [PagePart((), before)]
        worked_out = (each.name for each in scenario.derivation.steps if each.formula is not None)
        are_intervals = {bool(self.solution.rounded_givens(name)) for name in worked_out}
        has_intervals, by_hand = True in are_intervals, self.solution.style.carry == "rounded"
        if by_hand and False in are_intervals:
            yield PagePart((), lambda: [Phrase("carry_rounded", (("intervals", has_intervals),), "note")])
        if scenario.symbols:
            from symattn.show.forms import closed_forms

            yield PagePart(("symbols",), partial(closed_forms.letters_put_in, self.solution, scenario.put_in))
        for i, section in enumerate(scenario.sections):
            yield from self._section(section, ("section", i))
        if self.is_whole:
            yield PagePart(("conclusion",), self._conclusion)
        if self.words != "none":
            yield from self._about_source.parts()
        if self.is_whole and self.detail != "result" and self.words != "none":
            yield PagePart((), lambda: legend.legend(self.scenario, self.roles))
        if self.detail == "lesson" and self.words == "all":
            yield PagePart((), partial(about_figures, self.steps.memory.remarks, self.names, by_hand, has_intervals))
        if self.code:
            from symattn.show import programs

            yield PagePart((), partial(programs.section, scenario, self.solution, self.code))

    # -- words ---------------------------------------------------------------------------------------------------

    def _prose(self, words: Words, role: str = "text") -> Prose:
        return Prose(self._inlines(words), role)  # type: ignore[arg-type]

    def _prose_alone(self, words: Words, role: str = "text") -> list[Block]:
        return [self._prose(words, role)] if may_stand(words, role, self.words) else []

    def _inlines(self, words: Words) -> tuple[Inline, ...]:
        return self._wording.inlines(words)

    @cached_property
    def _wording(self) -> Wording:
        return Wording(self.scenario, self.solution, self.names, self.language, self.steps.parts.figure)

    def _beginning(self) -> Iterator[PagePart]:
        yield PagePart(("opening",), self._opening)
        yield PagePart((), lambda: legend.labelled_axes(self.scenario, self.window, self.names.letters))
        if (puzzle := self.scenario.puzzle) is not None:
            yield PagePart(("puzzle",), partial(self._blocks, puzzle))
        if self.pictures:
            yield PagePart((), lambda: self._maker.of_page())
        if self.detail != "result" and self.words != "none":
            yield PagePart((), lambda: legend.sizes_said(self.scenario))

    def _opening(self) -> Iterator[Block]:
        if (own := self.scenario.opening) is not None:
            yield self._prose(own)
        elif self.words == "all":
            yield from ends.opening(self.roles)

    def _conclusion(self) -> Iterator[Block]:
        own = self.scenario.conclusion
        shown = ends.conclusion(self.roles) if self.words == "all" else ()
        if found := [*shown] if own is None else [self._prose(own)]:
            yield from (Heading(1, "", (Phrase("conclusion_title"),)), *found)

    # -- sections ------------------------------------------------------------------------------------------------

    def _section(self, section: Section, key: Key) -> Iterator[PagePart]:
        if section.title.texts:
            yield PagePart(
                (*key, "title"), lambda: [Heading(section.level, section.number, self._inlines(section.title))]
            )
        if section.intro is not None:
            yield PagePart((*key, "intro"), partial(self._prose_alone, section.intro))
        if section.need is not None:
            yield PagePart((*key, "need"), partial(self._prose_alone, section.need, "need"))
        if self.is_whole and self.detail != "result" and self.words == "all":
            yield PagePart((*key, "steps"), partial(self._met.introduced, section))
        yield PagePart(("given",), partial(self._met.rounded, section))
        for items in self._grouped(section.on_page):
            if len(items) == 1:
                yield self._item(items[0], key)
            else:
                names = tuple(item.name for item in items)
                yield PagePart(self.scenario.keys.get(names[0], key), partial(self._several, items), names)
        if self.asks == "all" and self.words == "all":
            yield PagePart((*key, "steps"), partial(self._questions.of, section))

    @cached_property
    def _met(self) -> legend.LettersMet:
        return legend.LettersMet(self.scenario, self.roles)

    @cached_property
    def roles(self) -> Roles:
        """The purposes of all names."""
        return Roles(self.solution, self.names, self.language, self.scenario.sections, legend.tokens(self.scenario))

    def _reasons(self, items: Sequence[StepItem]) -> Iterator[Phrase]:
        """Yield the reasons of steps that their roles give."""
        said = self.roles.reasoned if self.detail != "result" and self.words == "all" else frozenset()
        if self.detail == "lesson":
            said -= self.roles.moving
        yield from (reason for item in items if item.name in said and (reason := self.roles.reason(item.name)))

    def _item(self, item: SectionItem, key: Key) -> PagePart:
        if isinstance(item, ProveItem | VarianceItem | FigureItem | GradientCheckItem | WhatIfItem):
            return PagePart(item.key, partial(self._blocks, item), proves=isinstance(item, ProveItem | VarianceItem))
        names = (item.name,) if isinstance(item, ShowItem | StepItem | QuantityItem | TensorItem) else ()
        return PagePart(self.scenario.keys.get("".join(names), key), partial(self._blocks, item), names)

    def _blocks(self, item: SectionItem) -> Iterator[Block]:
        match item:
            case ShowItem():
                again = shown_again(item, self.scenario, self.steps, self._decimals(item.decimals), self._inlines)
                yield from self.steps.memory.once(item.name, again)
            case StepItem():
                if item.need is not None:
                    yield from self._prose_alone(item.need, "need")
                yield from self._reasons([item])
                made = self.steps.step(item.name, self._decimals(item.decimals), item.works)
                yield from with_label(made, item.name) if self.labels else made
                yield from self._maker.of_step(item.name) if self.pictures else ()
            case UnfoldItem(name, to, called):
                before = takewhile(lambda each: each is not item, (x for s in self.scenario.sections for x in s.items))
                known = any(isinstance(each, StepItem | ShowItem) and each.name == name for each in before)
                yield Phrase("lead_unfold", (("name", self.names(name)), ("known", int(known))), "lead")
                yield Equation((unfolding(self.solution.derivation, name, to, called, self.names),), "statement")
            case QuantityItem():
                from symattn.show.quantities import quantity_blocks

                yield from quantity_blocks(item, self.values, self.names)
            case TensorItem():
                from symattn.show.quantities import tensor_blocks

                made = tensor_blocks(item, self.solution, self.names)
                yield from self.steps.memory.once(item.name, made)
            case ProveItem() | VarianceItem():
                from symattn.show.proofs.statements import item_blocks

                proof = item_blocks(item, self.solution.derivation, self.names)
                yield from self.steps.memory.of_a_proof(proof)
            case NoteItem(words):
                yield from self._prose_alone(words, "note")
            case AskItem() if self.asks != "none":
                yield self._questions.question(self._inlines(item.words), self._inlines(item.answer))
            case WhatIfItem():
                from symattn.show.what_if import what_if_blocks

                asked = () if item.ask is None else self._inlines(item.ask)
                yield from what_if_blocks(item, asked, self.solution, self.names, self.window)
            case FigureItem(caption=caption):
                yield self._maker.picture(item, () if caption is None else self._inlines(caption))
            case ListingItem(language, of):
                from symattn.show import programs

                yield programs.listing(self.scenario, self.solution, language, of)
            case RuleItem() | OutcomeItem():
                from symattn.show.trained import training_blocks

                yield from training_blocks(item, self.steps)
            case GradientCheckItem() if self.words != "none" and self.detail != "result":
                from symattn.show.trained import check_blocks

                yield from check_blocks(item, self.solution, self.names)
        if (
            isinstance(item, StepItem | QuantityItem | TensorItem | ProveItem | VarianceItem | WhatIfItem)
            and item.note is not None
        ):
            yield self._prose(item.note, "note")

    @cached_property
    def _questions(self) -> SectionQuestions:
        from symattn.show.questions import SectionQuestions

        return SectionQuestions(self.scenario, self.roles, self.steps.parts)

    @cached_property
    def _maker(self) -> PictureMaker:
        from symattn.show.pictures.kinds import PictureMaker

        return PictureMaker(self.solution, self.names, self.window, self.language, self.scenario)

    def _decimals(self, decimals: int | None) -> int | None:
        return decimals if self.digits is None else self.digits

    # -- several at a time, in a lesson ----------------------------------------------------------------------------

    def _grouped(self, items: Sequence[SectionItem]) -> list[list[Any]]:
        """Return the items of a section; in a lesson, those that are shown together are grouped."""
        gathers = self.detail == "lesson"
        shown = [item for item in items if not (gathers and isinstance(item, NoteItem) and item.of_source)]
        return grouped([(self._group_of(item), item) for item in shown])

    def _group_of(self, item: SectionItem) -> object:
        """Return what an item has in common with those that may be shown beside it, or ``None``."""
        match item:
            case ShowItem(name, "general") if self.detail == "lesson":
                return "general"
            case ShowItem(name, "values") if self.detail == "lesson" and self.solution.shown(name) is Shown.FIGURES:
                given = self.scenario.givens.get(name)
                plain = given is not None and given.note is None and given.given.array is None
                exact = plain and not list(self.steps.parts.exact_given(name, self._decimals(item.decimals)))
                return GIVEN if exact else None
            case StepItem(name, note=None, need=None, works=None) if self.detail == "lesson" and not self.labels:
                treated = self.steps.treated[name]
                if self.solution.derivation[name].general or self.solution.shown(name) is not Shown.FIGURES:
                    return None
                return None if treated.how == "full" else (treated.how, treated.how == "likewise" and treated.like)
        return None

    def _several(self, items: Sequence[Any]) -> list[Block]:
        """Return givens side by side, or steps of one kind."""
        decimals = {item.name: self._decimals(item.decimals) for item in items}
        if isinstance(items[0], ShowItem) and items[0].form == "general":
            return matrices_together(block for item in items for block in self._blocks(item))
        if isinstance(items[0], ShowItem):
            return [Matrices(tuple(self.steps.parts.matrix(name, places) for name, places in decimals.items()))]
        treated = self.steps.treated[items[0].name]
        if treated.how == "moved":
            return [*self._reasons(items), *self.steps.moved(list(decimals), decimals)]
        shown = self.steps.likewise(list(decimals), treated.like, decimals)
        pictures = [each for name in decimals for each in self._maker.of_step(name)] if self.pictures else []
        return [*self._reasons(items), *shown, *pictures]

    # -- the end -------------------------------------------------------------------------------------------------------

    @cached_property
    def values(self) -> QuantityValues:
        """The quantities with their values."""
        from symattn.compute.solution.quantities import QuantityValues

        return QuantityValues(self.solution, self.scenario.quantities, self.scenario.place)

    @property
    def _about_source(self) -> AboutSource:
        return AboutSource(
            *(self.scenario, self.solution, self.names, self._inlines, self.detail == "lesson", lambda: self.values),
            partial(self.mistakes, self.language),
        )
