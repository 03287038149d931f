"""Collect the relations that sentences before figures state."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from symattn.checking.following.chain import Equated, as_printed, flat
from symattn.checking.following.hints import Hints, hints
from symattn.checking.following.instruction import (
    MADE,
    STARTING,
    Instruction,
    SpokenPart,
    Stater,
    instructing,
    instruction,
)
from symattn.checking.following.natural import nearness
from symattn.checking.following.references import text_of
from symattn.checking.following.scope import Memory
from symattn.checking.following.seeking import DERIVED, roles_of
from symattn.checking.following.verdicts import Ought
from symattn.checking.following.working import SURE, agreement, best, is_evident, is_less_ones, parts_of
from symattn.checking.following.worths import Worths
from symattn.checking.following.written import walk
from symattn.checking.phrases import Chinese
from symattn.checking.reading.tree import NameRead, Talk

RESULTS = frozenset((*DERIVED, "output"))
"""Roles of results: words that call figures one of them speak of no other."""


@dataclass
class WordedRelations:
    """Finds what an instruction in words makes."""

    worths: Worths
    chinese: Chinese | None = None
    parts: list[SpokenPart] = field(default_factory=list)
    """Words and mathematics since the last figures."""

    @property
    def scope(self) -> Memory:
        """What is known at this place of the document."""
        return self.worths.scope

    def in_words(self, chain: Equated, said: Hints) -> Iterator[Ought]:
        """Yield what an instruction in words before the figures makes."""
        printed = chain.printed[0]
        if any(not any(each.of is part for part in self.parts) for each in chain.symbolic):
            return  # "Divide by √d_k:" speaks of a formula; one beside the figures is theirs
        words = [*word_names(chain)]
        parts = [each for each in self.parts if not (has_label(chain) and isinstance(each, Talk) and each.is_heading)]
        told = instruction([*instructing(parts, self.chinese), *words], self.chinese, self.scope)
        if told is not None and told.is_understood and (found := self.made(chain, told, said)):
            near = max(found, key=lambda each: (agreement(each, printed), nearness(each.value, printed)))
            is_told = told.is_explicit or ((bool(words) or self.is_introduced()) and told.is_complete)
            is_told = is_told and self.is_of_latest(near)
            has_minus = any(each.value is not None and each.value < 0 for each in flat(printed.figures))
            if has_minus and is_less_ones(as_printed(near.value, printed), printed):
                return  # probabilities minus what is true, as in a gradient
            if is_evident(near, printed) or (
                self.parts and not told.said.given and printed.axes and (nearness(near.value, printed) > 0 or is_told)
            ):
                yield near if is_evident(near, printed) or nearness(near.value, printed) > 0 else found[0]
                return
        given = instruction([*self.parts, *words], self.chinese, self.scope)
        found = self.made(chain, given, said) if given is not None else []
        if found and agreement(nearest := best(found, printed), printed) > SURE:
            yield nearest

    def is_of_latest(self, found: Ought) -> bool:
        """Return True if what is worked on has a name, or stands just before: nothing else has to be meant."""
        unnamed = [each.base for each in walk(found.formula) if isinstance(each, NameRead)] if found.formula else []
        latest = f"#{len(self.scope.quantities) - 1}"
        return all(each == latest for each in unnamed if each.startswith("#"))

    def made(self, chain: Equated, given: Instruction, said: Hints) -> list[Ought]:
        """Return what an instruction may make that has the shape of the figures, the likeliest first."""
        printed = chain.printed[0]
        found: list[Ought] = []
        for formula in (
            one for each in given.orders() if self.may_be(chain, each) for one in Stater(self.scope).formulas(each)
        ):
            truth = self.worths.worth(formula, [printed])
            if truth is not None:
                truth = replace(truth, text=self.readable(truth.text))
                if given.said.approximate and "sum" in given.said.does:
                    truth = replace(truth, value=replace(truth.value, true=truth.value.carried))
                found.extend(parts_of(self.worths, truth, printed, said))
        if not found and not self.may_be(chain, given):
            return []
        for truth in () if found or len(given.steps) > 1 else self.worths.natural.candidates(given.said, (), iter(())):
            parts = parts_of(self.worths, replace(truth, is_literal=False), printed, said)
            found.extend(each for each in parts if agreement(each, printed) > SURE)
        return found

    def may_be(self, chain: Equated, given: Instruction) -> bool:
        """Return True if the figures may be what the instruction makes, by their name and by what is said of them."""
        made = MADE.get(given.steps[-1].does if given.steps else "", frozenset())
        for each in chain.of("name"):
            roles = roles_of(each.of) if isinstance(each.of, NameRead) else ()
            if roles and (set(roles) <= STARTING or (made and made.isdisjoint(roles))):
                return False
        return given.role not in STARTING and (not made or given.role in made or given.role not in RESULTS)

    def is_introduced(self) -> bool:
        """Return True if the words end with a colon where the figures begin."""
        last = self.parts[-1] if self.parts else None
        return isinstance(last, Talk) and last.text.rstrip(" *_`\n").endswith((":", "："))

    def readable(self, text: str) -> str:
        """Return a text with the references in it replaced by names or figures."""
        quantities = self.scope.quantities
        return re.sub(r"#(\d+)", lambda found: text_of(quantities[int(found[1])]), text)


def has_label(chain: Equated) -> bool:
    """Return True for figures with a word of their own, ``deviations: (-0.2, 0.2)``: no heading says what they are."""
    return any(
        isinstance(each.of, NameRead) and len(each.of.base) > 2 and each.of.base.isalpha() and not roles_of(each.of)
        for each in chain.of("name")
    ) and not any(True for _ in word_names(chain))


def word_names(chain: Equated) -> Iterator[SpokenPart]:
    """Yield the names of a chain that are words, as words: ``Softmax of it: [0.2, 0.8]``."""
    for each in chain.of("name"):
        if not isinstance(each.of, NameRead) or each.of.below or each.of.above or each.of.base.isupper():
            continue
        if len(each.of.base) > 1 and hints(each.of.base).does:
            yield Talk(f"{each.of.base}:", each.of.start, each.of.end)
