"""What formulas are worth that stand beside figures, were announced before them, or belong to a name."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from fractions import Fraction

from flint import arb

from symattn.checking.following import worlds
from symattn.checking.following.chain import Equated, SortedSide, agreeing, alike, as_printed, fits, flat, telling
from symattn.checking.following.citing import Open
from symattn.checking.following.evaluate import Appraiser
from symattn.checking.following.indexed import is_for_all
from symattn.checking.following.judging import double, units_off
from symattn.checking.following.natural import Natural
from symattn.checking.following.rows import BallMatrix, NoFit
from symattn.checking.following.scope import Memory
from symattn.checking.following.seeking import LABEL, Seeker
from symattn.checking.following.verdicts import Ought
from symattn.checking.following.worlds import Worlds
from symattn.checking.following.written import Called
from symattn.checking.reading.shown import shown
from symattn.checking.reading.tree import Combined, Expressed

LATEST = 6
"""How many matrices of the same shape are looked at, the last one first."""


USUAL = Open()


_READINGS = (
    USUAL,
    Open(epsilon=Fraction(0)),
    *(Open(epsilon=Fraction(1, 10**power)) for power in (6, 8, 12)),
    *(Open(correction=1), Open(axis="columns"), Open(is_by_entries=True), Open(is_unit_norm=True)),
    *(Open(signs=signs) for signs in ("-", "-+", "+-")),
)
"""What is tried where a formula leaves something open, the usual first."""


_OF_FIGURES = (USUAL, *(Open(signs=signs) for signs in ("-", "-+", "+-")), Open(is_common=True), Open(correction=1))
"""How a formula in figures may be read: ± has two values, a logarithm or a variance may be one of another kind."""


NEAR = 12
"""How many units of its last place a figure may be off through rounding on the way."""


MOST = 0.5
"""The share of figures that has to agree with an ε that nobody wrote, if the others are wrong."""

SUMMANDS = 12
"""A sum that no figure proves is one of so many numbers at most, right in the figures before it."""


ANNOUNCED = 6
"""How many of the formulas before figures these may belong to."""


def apart(value: Worlds, chain: Equated) -> tuple[int, float]:
    """How many figures of a chain are not those of a value, and how many units of their last places in all."""
    printed = chain.printed[0] if chain.printed else None
    if printed is None or not fits(value, printed):
        return 0, 0.0
    pairs = zip(printed.figures, as_printed(value, printed).true, strict=True)
    off = [units_off(f, x, f.unit) for row, line in pairs for f, x in zip(row, line, strict=True) if f is not None]
    return sum(each > 0.5 for each in off), sum(off)


def exact_worth(scope: Memory, formula: Expressed, chain: Equated, wide: Fraction = Fraction(0)) -> Worlds | None:
    """What a formula in figures is worth; of the values of ± those that its figures are nearest to."""
    asked: set[str] = set()
    found: list[tuple[tuple[int, bool, float], Worlds]] = []
    for reading in _OF_FIGURES:
        if _asks(reading) <= asked:
            evaluator = Appraiser(scope, is_code=chain.told.is_code, wide=wide, open=reading)
            with suppress(NoFit):
                value = evaluator.value(formula)
                wrong, off = apart(value, chain)
                found.append(((wrong, bool(_asks(reading) - {"signs"}), off), value))
            asked |= evaluator.asked if chain.printed else set()
    fitting = [each for each in found if not chain.printed or fits(each[1], chain.printed[0])]
    return min(fitting or found, key=lambda each: each[0], default=(None, None))[1]


def is_wide(value: Worlds) -> bool:
    """Whether it was made of givens that a document rounded itself."""
    return any(x.is_finite() and x.rad() > 1e-9 for row in value.true for x in row)


def _total(rule: Callable[..., BallMatrix], run: Sequence[tuple[Worlds, Worlds]]) -> Ought:
    exact, meant = (worlds.through(rule, each, 0) for each in zip(*run, strict=True))
    return Ought(exact, "the sum of what stands before it", meant=meant)


def _asks(reading: Open) -> set[str]:
    return {
        name
        for name in ("axis", "epsilon", "correction", "is_by_entries", "is_unit_norm", "signs", "is_common")
        if getattr(reading, name) != getattr(USUAL, name)
    }


@dataclass
class Worths:
    """Works out formulas of a document, as far as what is known goes."""

    scope: Memory
    announced: list[Expressed] = field(default_factory=list)
    """Formulas whose figures have not come yet, the last one last."""
    run: list[tuple[Worlds, Worlds]] = field(default_factory=list)
    """What formulas in figures alone were worth since the last sum of such: as they stand, and as they are meant."""
    order: tuple[str, ...] = ()
    """The indices of the name that a formula is said of."""
    may_be_columns: bool = False
    """Whether anything in the document speaks of columns, so that softmax may go along them."""
    is_next: bool = False
    """Whether no figures have come since the last announcement."""
    line: str = ""
    """The words of the line so far."""
    unread: set[Called] = field(default_factory=set)
    """Names whose formula is not understood."""

    def __post_init__(self) -> None:
        self.seeker = Seeker(self.scope)
        self.natural = Natural(self.scope)

    def worked_announcements(self, of_number: bool = False) -> Iterator[Ought]:
        """Formulas that were announced, worked out, the last one first; a list only right before its figures.

        ``of_number`` says that they are to explain a single number: then those of all places of an index are not.
        """
        for back, formula in enumerate(reversed(self.announced[-ANNOUNCED:])):
            if isinstance(formula, Combined) and formula.op == "index":
                continue  # an entry or a row that is spoken of
            if of_number and is_for_all(formula):
                continue
            found, _ = self.read(formula, USUAL, False)
            if found is not None and (
                found.value.axes == 2 or (found.value.entries > 1 and back == 0 and self.is_next)
            ):
                yield found

    def worth(self, formula: Expressed, printed: Sequence[SortedSide], is_code: bool = False) -> Ought | None:
        """What a formula in names is worth; what it leaves open is as its figures have it."""
        usual = self.read(formula, USUAL, is_code)
        found, asked = usual
        if found is None and not asked:
            return None
        if not printed or (found is not None and agreeing(found.value, printed[0]) == 1):
            return found and self.with_epsilon(found, formula, asked, printed, USUAL)
        best, most = found, MOST if found is None else max(MOST, alike(found.value, printed[0]))
        for reading in _READINGS[1:]:
            if _asks(reading) <= asked and (self.may_be_columns or reading.axis != "columns"):
                other, _ = self.read(formula, reading, is_code)
                share = alike(other.value, printed[0]) if other is not None else 0.0
                if other is None or not (share == 1 or (share > most and _asks(reading) == {"epsilon"})):
                    continue
                best, most = self.with_epsilon(other, formula, asked, printed, reading), share
                if share == 1:
                    break
        return best

    def with_epsilon(
        self, found: Ought, formula: Expressed, asked: set[str], printed: Sequence[SortedSide], reading: Open
    ) -> Ought:
        """Say which ε a norm has that nobody wrote, where its figures tell."""
        if "epsilon" not in asked or not printed or not reading.epsilon:
            return found
        without, _ = self.read(formula, Open(epsilon=Fraction(0)), False)
        if without is None or agreeing(without.value, printed[0]) == 1:
            return found
        power = len(str(reading.epsilon.denominator)) - 1
        said = f"10^-{power}" if power > 1 and reading.epsilon == Fraction(1, 10**power) else reading.epsilon
        return replace(found, hidden=(f"ε = {said}",))

    def worth_of(self, head: Equated) -> Ought | None:
        """What the formula of a head is worth: a matrix, or nothing."""
        for each in head.symbolic:
            found = self.worth(each.of, ())
            if found is not None and found.value.axes == 2:
                return found
        return None

    def read(self, formula: Expressed, reading: Open, is_code: bool) -> tuple[Ought | None, set[str]]:
        """A formula read in one way, and what it left open."""
        evaluator = Appraiser(self.scope, cites=True, is_code=is_code, open=reading)
        try:
            return Ought(evaluator.value(formula), shown(formula), formula), evaluator.asked
        except NoFit:
            evaluator.places.clear()
        try:
            return Ought(evaluator.for_all(formula, self.order), shown(formula), formula), evaluator.asked
        except NoFit:
            return None, evaluator.asked

    def exactly(self, formula: Expressed, chain: Equated, wide: Fraction = Fraction(0)) -> Ought | None:
        """Return what stands there, figures up to ``wide`` as rounded ones; ``None`` for what is unknown."""
        value = exact_worth(self.scope, formula, chain, wide)
        return None if value is None else Ought(value, shown(formula), formula, is_literal=True)

    def meant(self, chain: Equated) -> Worlds | None:
        """What a formula in figures is worth if each of them stands for what it was printed for."""
        for each in chain.literal:
            try:
                return Appraiser(self.scope, cites=True, is_code=chain.told.is_code).value(each.of)
            except NoFit:
                continue
        return None

    def is_plausible(self, exact: Worlds, meant: Worlds, printed: SortedSide) -> bool:
        """Whether what is meant is no accident of equal digits: near what stands there, or from something wrong."""
        if meant.shape != exact.shape or not fits(meant, printed):
            return False
        if any(self.scope.quantities[each].cause is not None for each in meant.of):
            return True
        one, other = as_printed(exact, printed).true, as_printed(meant, printed).true
        unit = max((double(each.unit) for each in flat(printed.figures)), default=1.0)
        pairs = [(a, b) for x, y in zip(one, other, strict=True) for a, b in zip(x, y, strict=True)]
        return all(not a.is_finite() or abs(double(a - b)) <= NEAR * unit for a, b in pairs)

    def totals(self) -> Iterator[Ought]:
        """Sums of what formulas in figures were worth: of the last list, of the last two numbers, three, …"""
        if self.run[-1][0].entries > 1:
            yield _total(lambda rows: [[sum((x for row in rows for x in row), arb())]], self.run[-1:])
        numbers = [each for each in self.run[-SUMMANDS:] if each[0].entries == 1]
        for count in range(len(numbers), 1, -1):
            yield _total(lambda *rows: [[sum((each[0][0] for each in rows), arb())]], numbers[-count:])

    def hear(self, words: str) -> None:
        """Words of a line: a label begins one."""
        self.line = words if LABEL.fullmatch(words) else f"{self.line} {words}"

    def of_announced(self, printed: SortedSide) -> Ought | None:
        """Figures without a formula: one that was announced before."""
        for formula in reversed(self.announced[-ANNOUNCED:]):
            if printed.axes == 0 and is_for_all(formula):
                continue
            found = self.worth(formula, [printed])
            if found is not None and fits(found.value, printed) and telling(found.value, printed) > 0.5:
                return found
        return None
