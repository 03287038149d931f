"""A document followed statement by statement: what each defines, from what it follows, whether its figures are so."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from symattn.checking.following import worlds
from symattn.checking.following.chain import Chain, as_printed, chains, fits, flat
from symattn.checking.following.hints import Hints, hints
from symattn.checking.following.ledger import Ledger
from symattn.checking.following.lexicon import Chinese
from symattn.checking.following.names import called
from symattn.checking.following.natural import ROLE_OF_WORD
from symattn.checking.following.scope import Quantity, Scope, rows_of
from symattn.checking.following.seeking import roles_of
from symattn.checking.following.sides import SortedSide
from symattn.checking.following.truths import Truths
from symattn.checking.following.verdicts import Truth, Verdicts
from symattn.checking.following.worlds import Worlds
from symattn.checking.reading.tree import NameRead, Reading, Said, Statement

WORDS = 400
"""How many characters before figures are looked at."""


@dataclass
class Follower:
    """Goes through a document."""

    scope: Scope = field(default_factory=Scope)
    ledger: Ledger = field(default_factory=Ledger)
    words: list[Said] = field(default_factory=list)
    """What was said since the last figures."""
    heading: str = ""
    chinese: Chinese | None = None

    def __post_init__(self) -> None:
        self.truths = Truths(self.scope)
        self.verdicts = Verdicts(self.scope, self.ledger)

    def follow(self, reading: Reading) -> None:
        """Go through all of it."""
        for told in reading.told:
            if isinstance(told, Statement):
                for chain in chains(told):
                    self.chain(chain)
                    if chain.printed:
                        self.words.clear()
            elif isinstance(told, Said):
                self.words.append(told)
                if told.is_heading:
                    self.heading = told.text

    def said(self) -> Hints:
        """What the words before figures speak of: those since the last ones, else those of the heading."""
        text = " ".join(each.text for each in self.words)[-WORDS:]
        return hints(text or self.heading, self.chinese)

    def chain(self, chain: Chain) -> None:
        """Find what a chain says, hold its figures against it, and remember it."""
        self.truths.direct = bool(self.words)
        truth = self.truths.of(chain, self.said())
        if truth is None:
            self.untold(chain)
        else:
            self.hold(truth, chain)

    def hold(self, truth: Truth, chain: Chain) -> None:
        """Hold the figures of a chain against what they should be."""
        of = str(chain.names[0]) if chain.names else truth.text
        last: SortedSide | None = None
        cause: int | None = None
        for each in chain.printed:
            if not fits(truth.value, each):
                self.leave(each, "its shape is not that of what it should be")
                continue
            cause = self.verdicts.judge(as_printed(truth.value, each), each.figures, of, truth) or cause
            last = each
        for one in (*chain.literal, *chain.symbolic):
            self.verdicts.restated(one.of)
        for one in chain.symbolic:
            for other in chain.literal:
                self.verdicts.compare(one.of, other.of)
        self.remember(truth, chain, last, cause)

    def remember(self, truth: Truth, chain: Chain, last: SortedSide | None, cause: int | None) -> None:
        """What a chain defines is there for what follows."""
        value = truth.value
        if last is None:
            self.truths.announced.extend(each.of for each in (*chain.symbolic, *chain.literal))
            self.alias(value, truth, chain)
            return
        meant = self.truths.meant(chain) if truth.is_literal else None
        if meant is not None and self.truths.is_plausible(value, meant, last):
            value = meant
        value = self.verdicts.as_written(as_printed(value, last), last.figures)
        made = Quantity(0, None, value, last.figures, False, truth.formula, truth.text, cause, start=chain.told.start)
        self.define(made, chain)

    # -- what has no formula -------------------------------------------------------------------------------------------

    def untold(self, chain: Chain) -> None:
        """Figures that no formula is known for: given, printed before, or left."""
        if not chain.printed:
            for each in chain.symbolic:
                self.truths.announced.append(each.of)
                self.truths.pending.update(dict.fromkeys(chain.names, each.of))
            return
        first = chain.printed[0]
        if not chain.names and self.verdicts.grid_again(first.figures, right=True) is not None:
            return
        if chain.symbolic or (not chain.names and len(flat(first.figures)) == 1):
            self.verdicts.bare(first)
            return
        for figure in flat(first.figures):
            if chain.names:
                self.ledger.given(figure)
            else:
                self.ledger.open(figure, "nothing is said of what it follows from")
        made = Quantity(
            0, None, worlds.known(rows_of(first.figures), first.axes), first.figures, True, start=chain.told.start
        )
        self.define(made, chain)

    def alias(self, value: Worlds, truth: Truth, chain: Chain) -> None:
        """Names that are said to be something without figures: what is known by one of them, all are."""
        known = [found for each in chain.names if (found := self.scope.named(each))]
        made = Quantity(0, None, value, (), False, truth.formula, truth.text, start=chain.told.start)
        if known:
            made = replace(known[0], name=None)
        for each in chain.of("name"):
            if isinstance(each.of, NameRead) and self.scope.named(called(each.of)) is None:
                self.scope.add(replace(made, name=called(each.of), roles=roles_of(each.of)))

    def define(self, made: Quantity, chain: Chain) -> None:
        """Remember a quantity by all its names, or as one without a name."""
        named = [each.of for each in chain.of("name") if isinstance(each.of, NameRead)]
        spoken = self.spoken()
        for name in named:
            self.scope.add(replace(made, name=called(name), roles=(*roles_of(name), *spoken)))
        if not named:
            self.scope.add(replace(made, roles=spoken))

    def spoken(self) -> tuple[str, ...]:
        """What the words before figures say that these are for."""
        said = self.said()
        return tuple(dict.fromkeys((*said.roles, *(ROLE_OF_WORD[each] for each in said.does if each in ROLE_OF_WORD))))

    def leave(self, side: SortedSide, why: str) -> None:
        """Figures that cannot be held against anything."""
        for figure in flat(side.figures):
            self.ledger.open(figure, why)
