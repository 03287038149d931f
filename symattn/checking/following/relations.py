"""Collect the relations that a document states between the figures of a claim and what it says before and beside them.

A relation has a source: a formula *beside* the figures, the formula or the figures that their *name* had before, a
formula *announced* just before them, an instruction in *words*, or a *search* among everything that is known. What is
said comes before what fits: the sources are asked in this order, and agreement with the figures only chooses among the
relations of one source. A searched relation may show that figures are right; to call one wrong it needs much evidence.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from symattn.checking.following import worlds
from symattn.checking.following.chain import Equated, SortedSide, agreeing, fits, fits_turned, flat, is_mask
from symattn.checking.following.hints import Hints
from symattn.checking.following.instruction import MADE, STARTING, Instruction, SpokenPart, Stater, instruction
from symattn.checking.following.lexicon import Chinese
from symattn.checking.following.natural import nearness, text_of
from symattn.checking.following.rows import NoFit
from symattn.checking.following.scope import Followed
from symattn.checking.following.seeking import heard_with, is_passing, roles_of
from symattn.checking.following.truths import Truths, entries_again, gathered, row_again
from symattn.checking.following.unsaid import index_equation
from symattn.checking.following.verdicts import Ought
from symattn.checking.following.worths import is_mistaken, strange
from symattn.checking.following.written import called, walk
from symattn.checking.reading.tree import Combined, NameRead

RelationSource = Literal["beside", "named", "announced", "words", "searched"]

MOST_AGREE = 0.5
"""The share of figures that has to agree where a name that was given stands for the same as before."""


@dataclass(frozen=True)
class Relation:
    """What the figures of a claim should be, and how the document says so."""

    source: RelationSource
    truth: Ought | None
    """``None`` where it is said and cannot be followed."""
    why: str = ""
    """Why it cannot be followed."""


@dataclass
class Relations:
    """Collects the relations of a claim and chooses the one that the document states."""

    truths: Truths
    chinese: Chinese | None = None
    parts: list[SpokenPart] = field(default_factory=list)
    """Words and mathematics since the last figures."""
    is_direct: bool = False
    """Whether they stand directly before the figures."""
    head: Equated | None = None
    """A formula that stands alone just before the figures."""

    def of(self, chain: Equated, said: Hints) -> Relation | None:
        """Return the relation that a claim is judged by, or ``None`` if nothing is said of it."""
        printed = chain.printed[0] if chain.printed else None
        why = ""
        for source, found in self.stated(chain, said):
            candidates = [each for each in found if each is not None]
            if printed is None:
                if candidates:
                    return Relation(source, candidates[0])
                continue
            fitting = [each for each in candidates if fits_turned(each.value, printed)]
            if fitting:
                return Relation(source, self.best(fitting, printed))
            if found and not candidates and source == "beside":
                why = "what its formula is made of is not known"
        if printed is None:
            return None
        if found := self.truths.of_each_row(chain):
            return Relation("words", found)
        if found := self.in_words(chain, said):
            return Relation("words", found)
        if found := self.searched(chain, said):
            if not why or agreeing(found.value, printed) == 1:
                return Relation("searched", found)
        return Relation("beside", None, why) if why else None

    def best(self, found: Sequence[Ought], printed: SortedSide) -> Ought:
        """Return the relation that agrees best, the first of several that agree alike."""
        return max(found, key=lambda each: self.agreement(each, printed))

    def agreement(self, truth: Ought, printed: SortedSide) -> float:
        """Return the share of figures that are right, exactly or from the figures before them."""
        return max(agreeing(truth.value, printed), agreeing(replace(truth.value, true=truth.value.carried), printed) - 1e-6)

    def stated(self, chain: Equated, said: Hints) -> Iterator[tuple[RelationSource, list[Ought | None]]]:
        """Yield the relations that are stated, source by source."""
        yield "beside", list(self.beside(chain, said))
        yield "named", list(self.named(chain, said))
        yield "announced", list(self.announced(chain))

    # -- beside ---------------------------------------------------------------------------------------------------------

    def beside(self, chain: Equated, said: Hints) -> Iterator[Ought | None]:
        """Yield what the formulas of the chain itself are worth."""
        for each in () if index_equation(chain) else chain.symbolic:
            yield self.truths.worth(each.of, chain.printed, chain.told.is_code)
        if chain.literal:
            yield self.truths.of_figures(chain, said)

    # -- named ----------------------------------------------------------------------------------------------------------

    def named(self, chain: Equated, said: Hints) -> Iterator[Ought | None]:
        """Yield what the names of the chain stood for before."""
        if chain.is_assigned:
            return
        for each in chain.of("name"):
            if isinstance(each.of, NameRead):
                yield from self.of_name(each.of, chain)

    def of_name(self, name: NameRead, chain: Equated) -> Iterator[Ought | None]:
        """Yield the formula that a name had, or its figures where it is not given anew."""
        key, printed = called(name), chain.printed
        if is_passing(key) and not (printed and printed[0].axes and len(key.base) == 1):
            return
        formula = self.truths.scope.pending.get(key)
        if formula is not None and printed:
            found = self.truths.worth(formula, printed)
            if found is not None and (printed[0].axes or nearness(found.value, printed[0]) > 0):
                yield found
                return
        quantity = self.truths.scope.named(key)
        if quantity is None:
            part = self.truths.part(name, printed[0]) if printed and 1 in _size(printed[0]) else None
            if part is not None:
                yield Ought(part, name.text or str(key), name)
            return
        if not printed:
            yield Ought(quantity.value, quantity.text or str(key), quantity.formula)
            return
        if not fits_turned(quantity.value, printed[0]):
            if found := entries_again(quantity, printed[0]):
                yield found
            return
        if quantity.figures or not printed[0].axes:
            share = self.agreement(Ought(quantity.value, ""), printed[0])
            is_same = share >= MOST_AGREE if printed[0].axes else nearness(quantity.value, printed[0]) >= 1
            if not is_same:
                return
        restated = quantity.is_given and bool(quantity.figures)
        yield Ought(quantity.value, quantity.text or str(key), quantity.formula, is_restated=restated)

    # -- announced ------------------------------------------------------------------------------------------------------

    def announced(self, chain: Equated) -> Iterator[Ought | None]:
        """Yield what a formula just before the figures is worth, where these have no name of their own."""
        if chain.symbolic or chain.literal or not chain.printed:
            return
        if self.head is not None and not chain.names:
            for each in self.head.symbolic:
                yield self.truths.worth(each.of, chain.printed)

    # -- words ----------------------------------------------------------------------------------------------------------

    def in_words(self, chain: Equated, said: Hints) -> Ought | None:
        """Return what an instruction in words before the figures makes."""
        printed = chain.printed[0]
        given = instruction(self.parts, self.chinese)
        if given is None or chain.symbolic or chain.literal or is_mask(printed):
            return None
        if any(self.truths.scope.named(name) is not None for name in chain.names):
            return None
        if not self.may_be(chain, given):
            return None
        found: list[Ought] = []
        for formula in Stater(self.truths.scope).formulas(given):
            truth = self.truths.worth(formula, [printed])
            if truth is None:
                continue
            truth = replace(truth, text=self.readable(truth.text))
            for value, text in self.truths.natural.parts(truth, printed, said):
                found.append(replace(truth, value=value, text=text))
            if fits_turned(truth.value, printed) and not fits(truth.value, printed):
                found.append(truth)
        if not found:
            return None
        best = self.best(found, printed)
        if self.agreement(best, printed) > 0.3:
            return best
        if self.is_direct and not given.said.given and printed.axes:
            near = max(found, key=lambda each: nearness(each.value, printed))
            return near if nearness(near.value, printed) > 0 else found[0] if self.is_told(chain, given) else None
        return None

    def may_be(self, chain: Equated, given: Instruction) -> bool:
        """Return True if the figures may be what the instruction makes, by their name and by what is said of them."""
        made = MADE.get(given.steps[-1].does, frozenset())
        for each in chain.of("name"):
            roles = roles_of(each.of) if isinstance(each.of, NameRead) else ()
            if roles and set(roles) <= STARTING:
                return False
            if roles and made and made.isdisjoint(roles):
                return False
        return given.role not in STARTING or given.role == "value"

    def is_told(self, chain: Equated, given: Instruction) -> bool:
        """Return True if the words end where the figures begin."""
        last = next((each for each in reversed(self.parts)), None)
        return last is not None and getattr(last, "text", "").rstrip(" *_`\n").endswith((":", "："))

    def readable(self, text: str) -> str:
        """Return a text with the references in it replaced by names or figures."""
        quantities = self.truths.scope.quantities
        return re.sub(r"#(\d+)", lambda found: text_of(quantities[int(found[1])]), text)

    # -- searched -------------------------------------------------------------------------------------------------------

    def searched(self, chain: Equated, said: Hints) -> Ought | None:
        """Return what a search finds that the figures follow from."""
        return self.truths.unsaid(chain, said)


def _size(printed: SortedSide) -> tuple[int, int]:
    return len(printed.figures), len(printed.figures[0])
