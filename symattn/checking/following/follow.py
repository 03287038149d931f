"""A document followed statement by statement: what each defines, from what it follows, whether its figures are so."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import pairwise

from flint import arb

from symattn.budget import spend
from symattn.checking.following import worlds
from symattn.checking.following.chain import Equated, agreeing, as_printed, chains, fits, flat, size
from symattn.checking.following.coefficients import Coefficients
from symattn.checking.following.evaluate import Appraiser
from symattn.checking.following.fitting import fitting
from symattn.checking.following.hints import Hints, hints
from symattn.checking.following.indexed import letters_of
from symattn.checking.following.judging import root_of, without_unit
from symattn.checking.following.ledger import Ledger
from symattn.checking.following.lexicon import Chinese
from symattn.checking.following.literal import steps
from symattn.checking.following.made import made_by
from symattn.checking.following.names import Called, called
from symattn.checking.following.natural import CLOSE_SHARE, ROLE_OF_WORD, is_of_whole, nearness
from symattn.checking.following.passing import DERIVED
from symattn.checking.following.printing import Printing
from symattn.checking.following.rows import NoFit, ball
from symattn.checking.following.scope import Followed, Memory, digits, rows_of, tells
from symattn.checking.following.seeking import roles_of
from symattn.checking.following.sentences import Sentence
from symattn.checking.following.sides import SortedSide, sorted_side
from symattn.checking.following.stacked import StackedRows
from symattn.checking.following.truths import Truths, is_alone, strange
from symattn.checking.following.under import RowsUnder
from symattn.checking.following.verdicts import Ought, Verdicts
from symattn.checking.following.worlds import Worlds
from symattn.checking.following.written import walk
from symattn.checking.reading.shown import shown
from symattn.checking.reading.tree import (
    Combined,
    Expressed,
    FigureRead,
    GridRead,
    Member,
    NameRead,
    Reading,
    Statement,
    Talk,
    ToldPart,
)
from symattn.errors import BudgetError
from symattn.limits import DOCUMENT_STEPS

FINE = Fraction(1, 100_000)
"""A unit that nobody types: figures as fine as this were worked out and rounded."""

PRINTED = Fraction(1, 10_000)
"""The same of what a program prints."""

_VECTOR = re.compile(r"([a-zα-ω])(?:_\{?([A-Za-z0-9]{1,6})\}?)?")
"""The name of a vector, where a colon says that it is none of the words."""

_NAME = re.compile(r"([A-ZΑ-Ω]|[a-zA-Z]{1,2}(?=_))(?:_\{?([A-Za-z0-9]{1,6})\}?)?")

CLAIMS = frozenset(
    (*ROLE_OF_WORD, *ROLE_OF_WORD.values(), "scores", "normalise", "layer_norm", "rms_norm", "relu", "gelu")
)
"""What words speak of where figures follow from something; without them a list is what a document starts from."""

BY_CHAIN = 1_000
"""Steps that it takes to follow a chain, without what is worked out."""

SPENT = f"not verified: the document takes more than DOCUMENT_STEPS = {DOCUMENT_STEPS} steps to check"

LABEL = 24
"""How long a label of a row is at most."""

_PRINTED = re.compile(r"\bprinted\b|印出|打印", re.I)
"""Words that speak of the figures as they stand there, and not of what they are worth."""

WORDS = 400
"""How many characters before figures are looked at."""


@dataclass
class Follower:
    """Goes through a document."""

    scope: Memory = field(default_factory=Memory)
    ledger: Ledger = field(default_factory=Ledger)
    words: list[Talk] = field(default_factory=list)
    """What was said since the last figures."""
    heading: str = ""
    early: list[tuple[Equated, int]] = field(default_factory=list)
    """Results that are told before anything they could follow from, and their numbers."""
    under: RowsUnder | None = None
    """Rows that come one by one under a head."""
    stacked: StackedRows = field(default_factory=StackedRows)
    head: Equated | None = None
    """A name or a formula that stood alone, whose figures are to come."""
    chinese: Chinese | None = None
    sentence: Sentence = field(default_factory=Sentence)

    printing: Printing = field(default_factory=Printing)

    def __post_init__(self) -> None:
        self.truths = Truths(self.scope)
        self.verdicts = Verdicts(self.scope, self.ledger)
        self.coefficients = Coefficients(self.truths, self.verdicts)

    def follow(self, reading: Reading) -> None:
        """Go through all of it."""
        said = [hints(told.text, self.chinese) for told in reading.told if isinstance(told, Talk)]
        self.scope.from_zero = any(which.from_zero for one in said for which in one.which if which.kind != "head")
        self.truths.may_be_columns = any(one.axis == "columns" for one in said)
        for place, told in enumerate(reading.told):
            if isinstance(told, Statement):
                is_half = self.is_half(told, reading.told[place + 1 : place + 2])
                for chain in () if is_half else chains(told):
                    self.within_budget(chain)
            elif isinstance(told, Talk):
                self.words.append(told)
                self.sentence.hear(told)
                self.truths.hear(told.text)
                if told.is_heading:
                    self.heading = told.text
                    self.under = None
                self.head = self.named_alone(told) or self.head
            else:
                self.truths.line = ""
                if told.kind == "paragraph":
                    self.sentence.end()

        with suppress(BudgetError):
            self.told_before()

    def within_budget(self, chain: Equated) -> None:
        """One chain, as long as there is budget: what comes behind it is left."""
        try:
            spend(BY_CHAIN)
            if is_percentage(chain):
                self.verdicts.recalled(chain.printed[0])
                return
            self.chain(chain)
            self.in_sentence(chain)
        except BudgetError:
            for side in chain.printed:
                self.leave(side, SPENT)
        if chain.printed:
            self.words.clear()
            self.truths.is_next = False

    def told_before(self) -> None:
        """Results that stood before what they follow from: now it is known."""
        self.scope.hidden = {number for _, number in self.early}
        for chain, number in self.early:
            self.ledger.reopen(flat(chain.printed[0].figures))
            roles = [role for each in chain.of("name") if isinstance(each.of, NameRead) for role in roles_of(each.of)]
            truth = self.truths.natural.truth(chain, Hints(), tuple(roles), iter(()))
            if truth is not None and nearness(truth.value, chain.printed[0], CLOSE_SHARE) < 1:
                truth = None
            if truth is not None:
                shaped = as_printed(truth.value, chain.printed[0])
                figures = chain.printed[0].figures
                cause = self.verdicts.judge(shaped, figures, str(chain.names[0]), truth)
                known = replace(self.scope.quantities[number], is_given=False, text=truth.text, cause=cause)
                written = replace(self.verdicts.as_written(shaped, figures), of=frozenset({number}))
                self.scope.put(replace(known, value=written))
                self.scope.hidden.discard(number)
            for figure in flat(chain.printed[0].figures):
                if truth is None:
                    self.ledger.given(figure)

    def is_half(self, told: Statement, following: Sequence[ToldPart]) -> bool:
        """``S = Q K^T, then divided by √2``: a formula that words go on with says not yet what its name stands for."""
        after = following[0] if following else None
        if (
            not isinstance(after, Talk)
            or len(told.sides) < 2
            or "scale" not in hints(after.text, self.chinese).does[:1]
        ):
            return False
        return not any(
            isinstance(one, FigureRead) or (isinstance(one, Combined) and one.op == "/")
            for side in told.sides
            for one in walk(side.of)
        )

    def in_sentence(self, chain: Equated) -> None:
        """A name that stands alone among words is what they speak of; figures end their sentence."""
        if not chain.printed and len(chain.sides) == 1 and chain.sides[0].kind in ("name", "symbolic"):
            self.sentence.take(chain.sides[0].of)
        else:
            self.sentence.clear()

    def said(self) -> Hints:
        """What the words before figures speak of: those since the last ones, else those of the heading."""
        text = " ".join(each.text[-WORDS:] for each in self.words[-WORDS:])[-WORDS:]
        return hints(text or self.heading, self.chinese)

    def chain(self, chain: Equated) -> None:
        """Find what a chain says, hold its figures against it, and remember it."""
        if hides_an_entry(chain):
            self.ledger.given(flat(chain.printed[0].figures)[0])
            return
        self.truths.sentence = self.sentence.formula(chain.names, self.chinese) if chain.printed else None
        alone, chain = chain, self.with_head(chain)
        self.truths.direct = bool(self.words)
        self.truths.of_printed = bool(_PRINTED.search(" ".join(each.text for each in self.words)[-WORDS:]))
        self.truths.nearest = hints(self.words[-1].text, self.chinese) if self.words else Hints()
        self.truths.word = self.words[-1].text.strip(" ,;:=≈：，、*") if self.words else ""
        self.coefficients.hold(chain)
        under = self.under if self.under is not None and self.under.takes(chain) else None
        truth = under.truth(chain) if under is not None else None
        if truth is None:
            truth = self.truths.of(chain, self.said())
            truth = truth and fitting(self.truths, truth, chain, self.said())
        if (
            truth is not None
            and chain is not alone
            and not chain.names
            and not chain.told.is_code
            and strange(truth.value, alone.printed[0])
            and not self.verdicts.is_mistaken(truth, alone.printed[0].figures)
        ):
            chain, truth = alone, self.truths.of(alone, self.said())  # the formula before them was another thing
        if truth is None and chain is not alone and chain.told.is_code and chain.symbolic and self.words:
            named = Equated(tuple(each for each in chain.sides if each.kind != "symbolic"), alone.told)
            if (truth := self.truths.of(named, self.said())) is not None:
                chain = named  # a function that is not followed: the words say what it gave
        self.verdicts.alike = under.cause if under is not None else None
        if truth is not None:
            self.hold(truth, chain)
            if under is not None:
                under.cause = self.verdicts.alike
        elif under is not None and under.whole is None:
            for figure in flat(chain.printed[-1].figures):
                self.ledger.given(figure)
        else:
            self.untold(chain)
        if under is not None:
            self.gather(under, chain)

    def gather(self, under: RowsUnder, chain: Equated) -> None:
        """One more row of a matrix whose name stands before them: it is known when they are there."""
        side = chain.printed[-1]
        grid = under.add(side)
        if grid is None:
            return
        whole = replace(side, figures=grid, axes=2)
        value = self.starting(whole, under.head)
        if under.whole is not None:
            value = self.verdicts.as_written(under.whole.value, grid)
        wrong = (self.ledger.entered.get(figure.start) for figure in flat(grid))
        cause = next((one.cause for one in wrong if one is not None and one.standing == "wrong"), None)
        text = under.whole.text if under.whole is not None else ""
        formula = under.whole.formula if under.whole is not None else None
        made = Followed(0, None, value, grid, under.whole is None, formula, text, cause, start=chain.told.start)
        self.define(made, under.head)

    def named_alone(self, told: Talk) -> Equated | None:
        """``### W_Q``: a name that stands alone in words, whose figures are to come."""
        bare = told.text.replace("\\", "").strip(" *_`:：.#")
        is_introduced = told.text.rstrip(" *_`").endswith((":", "："))
        found = _NAME.fullmatch(bare) or (_VECTOR.fullmatch(bare) if is_introduced else None)
        if found is None:
            return None
        below = (NameRead(found[2], (), (), (), told.end, told.end, found[2]),) if found[2] else ()
        name = NameRead(found[1], (), below, (), told.start, told.end, told.text)
        return Equated((sorted_side(name),), Statement((Member(None, name),), told.start, told.end))

    def with_head(self, chain: Equated) -> Equated:
        """Figures that stand alone belong to the name or formula that stood alone before them."""
        if not chain.printed:
            is_alone = len(chain.sides) == len(chain.names) + len(chain.symbolic) and bool(chain.sides)
            self.head = chain if is_alone else None
            self.under = None
            if is_alone:
                self.printing.heard(chain)
            return chain
        if self.under is None and (found := self.printing.of(chain, self.truths.worth_of_head)) is not None:
            self.head = None
            return found
        if self.truths.sentence is not None and not chain.symbolic:
            self.head = None
        chain = self.without_label(chain)
        said = self.said()
        since = [each.text for each in self.words if self.head is None or each.start > self.head.told.start]
        if self.head is not None and self.under is None and hints(" ".join(since), self.chinese).which:
            self.under = RowsUnder(self.head, self.truths.worth_of(self.head))
        if self.under is not None:
            self.under.heard(hints(" ".join(since), self.chinese) if since else Hints(), self.scope)
            if self.under.takes(chain) or not chain.printed[0].axes:
                return chain
        if chain.literal and not chain.names and not chain.symbolic and not chain.printed[0].axes and said.which:
            return chain
        head, self.head = self.head, None
        first = chain.sides[0]
        if head is not None and is_shape(first, map(self.scope.named, head.names)):
            self.head = head
            return replace(chain, sides=())
        if head is None or first.kind not in ("printed", "literal") or chain.names:
            return chain
        if not chain.printed[0].axes and (since or not self.is_number_of(head, chain)):
            return chain
        if chain.printed[0].axes == 1 and since and len(since[-1]) <= LABEL:
            self.under = RowsUnder.labelled(head, self.truths.worth_of(head), chain)
            if self.under is not None:
                return chain
        return Equated((*head.sides, *chain.sides), replace(chain.told, is_code=head.told.is_code))

    def is_number_of(self, head: Equated, chain: Equated) -> bool:
        """Whether a figure that stands alone is that of a formula just before it, which makes one number."""
        figure = chain.printed[0].figures[0][0]
        if len(chain.sides) > 1 or chain.told.is_code or figure is None or figure.unit >= 1:
            return False
        known = [found for name in head.names if (found := self.scope.named(name))]
        values = [worth.value for each in head.symbolic if (worth := self.truths.worth(each.of, ()))]
        values += [each.value for each in known if not each.figures and each.formula is not None]
        return any(each.entries == 1 for each in values)

    def without_label(self, chain: Equated) -> Equated:
        """``cat: [2, 1]`` under ``Q = X W:`` is a row of Q, whatever it is called."""
        is_list = len(chain.told.sides) == 2 and chain.told.sides[1].relation == ":" and len(chain.names) == 1
        if self.under is not None and self.under.is_in_order and is_list:
            whole: Ought | None = self.under.whole
            side = chain.printed[0]
        elif self.head is None or not is_list or self.scope.named(chain.names[0]) is not None:
            return chain
        else:
            whole, side = self.truths.worth_of(self.head), chain.printed[0]
        if whole is None or side.axes != 1 or size(side.figures) != (1, whole.value.shape[1]):
            return chain
        name = chain.sides[0].of
        self.words.append(Talk(str(chain.names[0]), name.start, name.end))
        return replace(chain, sides=(side,))

    def hold(self, truth: Ought, chain: Equated) -> None:
        """Hold the figures of a chain against what they should be."""
        of = str(chain.names[0]) if chain.names else truth.text
        last: SortedSide | None = None
        cause: int | None = None
        for each in chain.printed:
            self.verdicts.torn(each)
            if not fits(truth.value, each):
                if self.verdicts.misshapen(truth, each, of, any(side.of is truth.formula for side in chain.sides)):
                    continue
                self.leave(each, "its shape is not that of what it should be")
                continue
            cause = self.verdicts.judge(as_printed(truth.value, each), each.figures, of, truth) or cause
            last = each
        for one in (*chain.literal, *chain.symbolic):
            self.verdicts.restated(one.of)
        for one in chain.symbolic:
            for other in chain.literal:
                self.verdicts.compare(one.of, other.of)
        for one, other in pairwise(chain.literal):
            self.steps(one.of, other.of)
        self.remember(truth, chain, last, cause)

    def steps(self, one: Expressed, other: Expressed) -> None:
        """Figures on the way from one line of a calculation to the next."""
        for figure, expression in steps(one, other) or ():
            side = SortedSide("printed", figure, ((figure,),))
            worth = [Appraiser(self.scope, cites=cites) for cites in (False, True)]
            try:
                exact, meant = (each.value(expression) for each in worth)
            except NoFit:
                continue
            if exact.entries == 1 == meant.entries:
                value = meant if agreeing(meant, side) == 1 else exact
                self.verdicts.judge(value, side.figures, shown(expression), Ought(value, shown(expression)))

    def remember(self, truth: Ought, chain: Equated, last: SortedSide | None, cause: int | None) -> None:
        """What a chain defines is there for what follows."""
        value = truth.value
        if last is None:
            self.truths.announced.extend(each.of for each in (*chain.symbolic, *chain.literal))
            self.truths.is_next = True
            meant = self.truths.meant(chain) if truth.is_literal else None
            self.alias(meant if meant is not None and meant.shape == value.shape else value, truth, chain)
            return
        meant = self.truths.meant(chain) if truth.is_literal else None
        if meant is not None and self.truths.is_plausible(value, meant, last):
            value = meant
        value = self.verdicts.as_written(as_printed(value, last), last.figures)
        known = [quantity for name in chain.names if (quantity := self.scope.named(name))]
        again = any(each.is_given for each in known) and not chain.symbolic and not chain.literal
        made = Followed(0, None, value, last.figures, again, truth.formula, truth.text, cause, start=chain.told.start)
        made = replace(made, roles=made_by(truth), found=truth.found)
        self.define(made, chain)
        row = replace(made, roles=(*made.roles, *self.spoken()))
        stack = None if chain.names else self.stacked.add(row, self.said(), self.scope.from_zero)
        if stack is not None and stack.roles:
            self.scope.add(stack)
        is_term = truth.is_literal or (last.axes == 1 and "exp" in self.said().does)
        if is_term and not chain.names and not chain.symbolic:
            written = self.verdicts.as_written(as_printed(truth.value, last), last.figures)
            self.truths.run.append(replace(written, of=truth.value.of))

    # -- what has no formula -------------------------------------------------------------------------------------------

    def untold(self, chain: Equated) -> None:
        """Figures that no formula is known for: given, printed before, or left."""
        if not chain.printed:
            if any(each.kind == "unread" for each in chain.sides) and not chain.told.is_code:
                self.truths.unread.update(chain.names)
            for each in chain.symbolic:
                self.truths.announced.append(each.of)
                self.truths.is_next = True
                self.truths.pending.update(dict.fromkeys(chain.names, each.of))
                if chain.is_assigned:
                    self.scope.forget(chain.names)
            return
        first = chain.printed[0]
        self.verdicts.torn(first)
        if not chain.names and self.verdicts.grid_again(first.figures, right=True) is not None:
            return
        if not chain.names and self.verdicts.columns_again(first):
            return
        if chain.symbolic and first.axes:
            self.given_whole(chain, first)
            return
        if not chain.names and (known := self.gathered(first)) is not None:
            self.hold(known, chain)
            return
        if chain.symbolic or (not chain.names and len(flat(first.figures)) == 1):
            self.verdicts.bare(first, is_claim=not self.is_in_passing(chain))
            return
        is_claim = bool({*self.said().does, *self.said().roles} & CLAIMS) and not self.said().given
        for figure in flat(first.figures):
            if chain.names or not is_claim:
                self.ledger.given(figure)
            else:
                self.ledger.open(figure, "nothing is said of what it follows from")
        roles = [role for each in chain.of("name") if isinstance(each.of, NameRead) for role in roles_of(each.of)]
        told = {number for _, number in self.early}
        others = (each for each in self.scope.quantities if each.number not in told)
        if set(roles) & DERIVED and not any(each.value.axes == 2 for each in others):
            self.early.append((chain, len(self.scope.quantities)))
        value = self.starting(first, chain)
        made = Followed(0, None, value, first.figures, True, start=chain.told.start)
        self.define(made, chain)

    def gathered(self, side: SortedSide) -> Ought | None:
        """``exps [1.649, 7.389]``: a list of figures that were all worked out before, one by one."""
        telling = [each for each in flat(side.figures) if tells(each)]
        if len(telling) < 2 or any(self.scope.cited(each) is None for each in telling):
            return None
        value = Appraiser(self.scope, cites=True).value(side.of)
        is_whole = all(each.value in (0, 1) for each in flat(side.figures) if each not in telling)
        return Ought(value, shown(side.of), is_literal=True) if is_whole and value.of else None

    def given_whole(self, chain: Equated, side: SortedSide) -> None:
        """``Q K^T = [[…]]`` where nobody has said what Q and K are: the product is what is given."""
        for figure in flat(side.figures):
            self.ledger.given(figure)
        made = Followed(0, None, self.starting(side, chain), side.figures, True, start=chain.told.start)
        self.define(made, chain)
        number = len(self.scope.quantities) - 1
        self.scope.by_formula.update({shown(each.of): number for each in chain.symbolic})

    def is_in_passing(self, chain: Equated) -> bool:
        """Whether a figure stands alone in a sentence that says nothing of what it follows from."""
        return is_alone(chain) and bool(self.words) and (self.truths.of_printed or not self.truths.nearest.does)

    def alias(self, value: Worlds, truth: Ought, chain: Equated) -> None:
        """Names that are said to be something without figures: what is known by one of them, all are."""
        if chain.is_assigned:
            self.scope.forget(chain.names)
        elif chain.literal and not chain.symbolic and self.exact_again(value, chain):
            return
        known = [found for each in chain.names if (found := self.scope.named(each))]
        made = Followed(0, None, value, (), False, truth.formula, truth.text, start=chain.told.start)
        if known:
            made = replace(known[0], name=None)
        formula = next((each.of for each in (*chain.symbolic, *chain.literal)), None)
        for each in chain.of("name"):
            if isinstance(each.of, NameRead) and formula is not None and not chain.is_assigned:
                self.truths.pending[called(each.of)] = formula
            if isinstance(each.of, NameRead) and self.scope.named(called(each.of)) is None:
                self.scope.add(replace(made, name=called(each.of), roles=roles_of(each.of)))

    def exact_again(self, value: Worlds, chain: Equated) -> bool:
        """``W = [√2, 0]`` behind ``W = [1.4142, 0]``: what was given in figures is given without rounding."""
        for quantity in filter(None, map(self.scope.named, chain.names)):
            shape = len(quantity.figures), len(quantity.figures[0]) if quantity.figures else 0
            side = SortedSide("printed", chain.literal[0].of, quantity.figures, quantity.value.axes)
            if quantity.is_given and shape == value.shape and agreeing(value, side) == 1:
                exact = replace(quantity.value, true=value.true, mended=quantity.value.carried)
                self.scope.put(replace(quantity, value=exact))
                return True
        return False

    def define(self, made: Followed, chain: Equated) -> None:
        """Remember a quantity by all its names, or as one without a name."""
        named = [each.of for each in chain.of("name") if isinstance(each.of, NameRead)]
        spoken = self.spoken()
        for name in named:
            roles = roles_of(name) or spoken
            self.scope.add(replace(made, name=_whole(name, made), roles=(*roles, *made.roles)))
        if not named:
            self.scope.add(replace(made, roles=(*made.roles, *spoken)))

    def spoken(self) -> tuple[str, ...]:
        """What the words before figures say that these are for."""
        said = self.said()
        return tuple(dict.fromkeys((*said.roles, *(ROLE_OF_WORD[each] for each in said.does if each in ROLE_OF_WORD))))

    def starting(self, side: SortedSide, chain: Equated) -> Worlds:
        """Figures that a document starts from: those that it rounded itself may be anywhere within half a unit."""
        points = rows_of(side.figures)
        if not is_rounded(side, any(name in self.truths.pending or name in self.truths.unread for name in chain.names)):
            return worlds.known(points, side.axes)
        for figure in flat(side.figures):
            if root := root_of(figure):
                self.ledger.remark(f"{without_unit(figure.text)} is {root}, rounded", figure.start)
        wide = [
            [
                x if f is None or f.value is None or is_of_whole(side) else arb(x.mid(), ball(f.unit / 2))
                for f, x in zip(row, line, strict=True)
            ]
            for row, line in zip(side.figures, points, strict=True)
        ]
        return Worlds(wide, points, points, side.axes)

    def leave(self, side: SortedSide, why: str) -> None:
        """Figures that cannot be held against anything."""
        for figure in flat(side.figures):
            self.ledger.open(figure, why)


def _whole(name: NameRead, made: Followed) -> Called:
    """What a name is called by: ``S`` of ``S_{ij}`` where its figures are the whole matrix."""
    is_general = made.value.axes == 2 == len(name.below) and all(isinstance(each, str) for each in letters_of(name))
    return called(replace(name, below=())) if is_general else called(name)


def is_shape(side: SortedSide, known: Iterable[Followed | None]) -> bool:
    """``Q = X   (3, 2)``: whether a pair of numbers behind a name says only how large it is."""
    if not isinstance(side.of, GridRead) or side.of.kind != "tuple" or len(side.figures) != 1:
        return False
    sizes = tuple(int(each.value or 0) for each in flat(side.figures) if each.unit == 1)
    return any(each is not None and each.value.shape == sizes for each in known)


def is_percentage(chain: Equated) -> bool:
    """Whether a whole number of hundredths stands in a sentence: it is one printed before, or says nothing."""
    if len(chain.sides) != 1 or not isinstance(figure := chain.sides[0].of, FigureRead):
        return False
    return figure.text.endswith("%") and figure.text[:-1].isdecimal()


def hides_an_entry(chain: Equated) -> bool:
    """``S_{12} = -\\infty``: an entry is set, and nothing is claimed."""
    if not chain.names or chain.symbolic or chain.literal or len(chain.printed) != 1 or chain.printed[0].axes:
        return False
    figure = chain.printed[0].figures[0][0]
    return figure is not None and figure.value is None


def is_rounded(side: SortedSide, is_worked_out: bool) -> bool:
    """Whether figures that nothing explains were rounded by whoever wrote them."""
    among = flat(side.figures)
    fine = [each for each in among if each.unit <= FINE and len(digits(each)) > 1]
    if 2 * len(fine) > len(among):
        return True
    if is_worked_out:  # whole numbers come of whole numbers, and nobody rounded them
        return any(each.unit < 1 for each in among)
    is_output = isinstance(side.of, GridRead) and side.of.kind in ("tensor", "brackets")
    return is_output and 2 * sum(each.unit <= PRINTED for each in among) > len(among)
