"""What a document defines, remembered for what follows."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from fractions import Fraction

from flint import arb

from symattn.base.budget import spend
from symattn.checking.following import worlds
from symattn.checking.following.chain import Equated, SortedSide, agreeing, as_printed, fits, flat, size
from symattn.checking.following.citing import UNVERIFIED
from symattn.checking.following.coefficients import Coefficients
from symattn.checking.following.evaluate import Appraiser
from symattn.checking.following.hints import Hints, hints
from symattn.checking.following.indexed import letters_of
from symattn.checking.following.instruction import SpokenPart
from symattn.checking.following.judging import root_of, without_unit
from symattn.checking.following.ledger import Ledger
from symattn.checking.following.literal import steps
from symattn.checking.following.natural import ROLE_OF_WORD, is_of_whole
from symattn.checking.following.relations import Relations
from symattn.checking.following.rows import NoFit, ball
from symattn.checking.following.scope import FigureGrid, Followed, Memory, digits, rows_of, tells
from symattn.checking.following.seeking import roles_of
from symattn.checking.following.shapes import StatedShapes
from symattn.checking.following.under import RowsUnder
from symattn.checking.following.verdicts import Ought, Verdicts, made_by
from symattn.checking.following.working import FINE
from symattn.checking.following.worlds import Worlds
from symattn.checking.following.worths import Worths, exact_worth
from symattn.checking.following.written import Called, called, walk
from symattn.checking.phrases import Chinese
from symattn.checking.reading.shown import shown
from symattn.checking.reading.tree import Combined, Expressed, GridRead, NameRead, Statement, Talk

_KINDS = ("row", "token", "position")


@dataclass
class StackedRows:
    """The rows that have come, from the first one on."""

    values: list[Worlds] = field(default_factory=list)
    figures: list[FigureGrid] = field(default_factory=list)
    roles: tuple[str, ...] = ()
    cause: int | None = None

    def add(self, row: Followed, said: Hints, from_zero: bool) -> Followed | None:
        """One more row where it is the next one; the matrix of those that there are."""
        numbers = [which.number - (not from_zero) for which in said.which if which.kind in _KINDS]
        if not numbers or row.value.axes != 1 or size(row.figures)[0] != 1:
            return None
        if numbers[-1] == 0:
            self.values, self.figures, self.roles, self.cause = [], [], (), None
        fits = not self.values or self.values[0].shape == row.value.shape
        if numbers[-1] != len(self.values) or not fits:
            return None
        self.values.append(row.value)
        self.figures.append(row.figures)
        self.cause = row.cause or self.cause
        self.roles = tuple(dict.fromkeys((*self.roles, *row.roles)))
        if len(self.values) < 2:
            return None
        value = worlds.through(lambda *rows: [each[0] for each in rows], self.values, 2)
        grid = tuple(each[0] for each in self.figures)
        return Followed(0, None, value, grid, False, None, "", self.cause, start=row.start, roles=self.roles)


PRINTED = Fraction(1, 10_000)
"""The same of what a program prints."""


WORDS = 400
"""How many characters before figures are looked at."""

BY_LETTER = 16
"""Steps that it takes to look at one of them."""


def _whole(name: NameRead, made: Followed) -> Called:
    """What a name is called by: ``S`` of ``S_{ij}`` where its figures are the whole matrix."""
    is_general = made.value.axes == 2 == len(name.below) and all(isinstance(each, str) for each in letters_of(name))
    return called(replace(name, below=())) if is_general else called(name)


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


@dataclass
class Recorder:
    """Remembers quantities, and what they were made of."""

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
    parts: list[SpokenPart] = field(default_factory=list)
    """Words and mathematics since the last figures."""
    text: str = ""
    """The document."""
    heard: tuple[str, Hints] = ("", Hints())
    """Words before figures, and what they speak of: they are asked for several times."""

    def __post_init__(self) -> None:
        self.worths = Worths(self.scope)
        self.relations = Relations(self.worths)
        self.verdicts = Verdicts(self.scope, self.ledger)
        self.coefficients = Coefficients(self.worths, self.verdicts)
        self.shapes = StatedShapes(self.scope, self.ledger)

    def said(self) -> Hints:
        """What the words before figures speak of: those since the last ones, else those of the heading."""
        text = " ".join(each.text[-WORDS:] for each in self.words[-WORDS:])[-WORDS:]
        text = text or self.heading[:WORDS]
        if text != self.heard[0]:
            spend(BY_LETTER * len(text))
            self.heard = text, hints(text, self.chinese)
        return self.heard[1]

    def steps(self, one: Expressed, other: Expressed) -> None:
        """Figures on the way from one line of a calculation to the next."""
        for side, expression in steps(one, other) or ():
            exact = exact_worth(self.scope, expression, Equated((side,), Statement((), side.of.start, side.of.end)))
            try:
                meant = Appraiser(self.scope, cites=True).value(expression)
            except NoFit:
                continue
            if exact is not None and fits(exact, side) and fits(meant, side):
                value = meant if agreeing(meant, side) == 1 else exact
                of = shown(expression)
                self.verdicts.judge(as_printed(value, side), side.figures, of, Ought(value, of))

    def remember(self, truth: Ought, chain: Equated, last: SortedSide | None, cause: int | None) -> None:
        """What a chain defines is there for what follows."""
        value = truth.value
        if last is None and isinstance(truth.formula, Combined) and truth.formula.op == "±":
            return  # two values, or what lies between them
        if last is None:
            self.worths.announced.extend(each.of for each in (*chain.symbolic, *chain.literal))
            self.worths.is_next = True
            meant = self.worths.meant(chain) if truth.is_literal else None
            self.alias(meant if meant is not None and meant.shape == value.shape else value, truth, chain)
            return
        meant = truth.meant or (self.worths.meant(chain) if truth.is_literal else None)
        if meant is not None and self.worths.is_plausible(value, meant, last):
            value = meant
        value = self.verdicts.as_written(as_printed(value, last), last.figures)
        known = [quantity for name in chain.names if (quantity := self.scope.named(name))]
        again = any(each.is_given for each in known) and not chain.symbolic and not chain.literal
        made = Followed(0, None, value, last.figures, again, truth.formula, truth.text, cause, start=chain.told.start)
        made = replace(made, roles=made_by(truth))
        self.define(made, chain)
        row = replace(made, roles=(*made.roles, *self.spoken()))
        stack = None if chain.names else self.stacked.add(row, self.said(), self.scope.from_zero)
        if stack is not None and stack.roles:
            self.scope.add(stack)
        is_term = truth.is_literal or (last.axes == 1 and "exp" in self.said().does)
        if is_term and not chain.names and not chain.symbolic:
            written = self.verdicts.as_written(as_printed(truth.value, last), last.figures)
            self.worths.run.append((replace(written, of=truth.value.of), value))

    def gathered(self, side: SortedSide) -> Ought | None:
        """``exps [1.649, 7.389]``: a list of figures that were all worked out before, one by one."""
        telling = [each for each in flat(side.figures) if tells(each)]
        if len(telling) < 2 or any(self.scope.cited(each) is None for each in telling):
            return None
        value = Appraiser(self.scope, cites=True).value(side.of)
        is_whole = all(each.value in (0, 1) for each in flat(side.figures) if each not in telling)
        return Ought(value, shown(side.of), is_literal=True) if is_whole and value.of else None

    def given_whole(self, chain: Equated, side: SortedSide, why: str = "") -> None:
        """``Q K^T = [[…]]`` where nobody has said what Q and K are: the product is what is given.

        Where some of its operands are known it is claimed, and ``why`` it is not followed is told.
        """
        names = (one for each in chain.symbolic for one in walk(each.of) if isinstance(one, NameRead))
        is_claimed = bool(why) and any(self.scope.named(called(each)) is not None for each in names)
        for figure in flat(side.figures):
            if is_claimed:
                self.ledger.open(figure, why)
            else:
                self.ledger.given(figure)
        made = Followed(0, None, self.starting(side, chain, why), side.figures, True, start=chain.told.start)
        self.define(made, chain)
        number = len(self.scope.quantities) - 1
        self.scope.by_formula.update({shown(each.of): number for each in chain.symbolic})

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
                self.scope.pending[called(each.of)] = formula
            if isinstance(each.of, NameRead) and self.scope.named(called(each.of)) is None:
                self.scope.add(replace(made, name=_whole(each.of, made), roles=roles_of(each.of)))

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
            if made.value.axes == 2 and made.figures and all(each for row in made.figures for each in row):
                self.shapes.seen(called(name), made.value.shape)
            self.scope.add(replace(made, name=_whole(name, made), roles=(*roles, *made.roles)))
        if not named:
            self.scope.add(replace(made, roles=(*made.roles, *spoken)))

    def spoken(self) -> tuple[str, ...]:
        """What the words before figures say that these are for."""
        said = self.said()
        return tuple(dict.fromkeys((*said.roles, *(ROLE_OF_WORD[each] for each in said.does if each in ROLE_OF_WORD))))

    def starting(self, side: SortedSide, chain: Equated, why: str = "") -> Worlds:
        """Figures that a document starts from: those that it rounded itself may be anywhere within half a unit."""
        points = rows_of(side.figures)
        is_worked_out = any(name in self.scope.pending or name in self.worths.unread for name in chain.names)
        is_worked_out |= any(each.of is side.of and each.relation == "≈" for each in chain.told.sides)
        if not side.axes:
            is_total = any("sum" in hints(each.base, self.chinese).does for each in chain.names)
            is_worked_out |= is_total or self.said().approximate
        is_worked_out |= bool(why) and all(each.unit <= UNVERIFIED for each in flat(side.figures) if each.unit < 1)
        if not is_rounded(side, is_worked_out):
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
