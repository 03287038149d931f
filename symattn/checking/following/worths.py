"""What formulas are worth that stand beside figures, were announced before them, or belong to a name."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from fractions import Fraction

from flint import arb

from symattn.checking.following import rows as on
from symattn.checking.following import worlds
from symattn.checking.following.causes import mistakes_of
from symattn.checking.following.chain import (
    Equated,
    SortedSide,
    agreeing,
    alike,
    as_printed,
    fits,
    fits_turned,
    flat,
    rearranged,
    telling,
)
from symattn.checking.following.citing import Open
from symattn.checking.following.evaluate import Appraiser
from symattn.checking.following.hints import Hints, role_of_name
from symattn.checking.following.indexed import is_for_all
from symattn.checking.following.judging import double, prints, units_off
from symattn.checking.following.natural import NEAR_UNITS, Natural, has_whole_numbers, is_of_whole, nearness
from symattn.checking.following.rows import BallMatrix, NoFit
from symattn.checking.following.scope import FigureGrid, Followed, Memory
from symattn.checking.following.seeking import LABEL, STATISTICS, Seeker
from symattn.checking.following.verdicts import Ought
from symattn.checking.following.worlds import Worlds
from symattn.checking.following.written import Called, called, walk
from symattn.checking.reading.shown import shown
from symattn.checking.reading.tree import Combined, Expressed, FigureRead, NameRead

LATEST = 6
"""How many matrices of the same shape are looked at, the last one first."""


def is_mistaken(scope: Memory, formula: Expressed | None, figures: FigureGrid) -> bool:
    """Whether a mistake of the bank makes all figures of a matrix, or softmax of what was not masked yet.

    >>> is_mistaken(Memory(), None, ())
    False
    """
    if formula is None or len(figures) < 2 or any(each is None for row in figures for each in row):
        return False
    return _is_unmasked(scope, formula, figures) or bool(
        mistakes_of(formula, Appraiser(scope, cites=True).value, figures)
    )


def _is_unmasked(scope: Memory, formula: Expressed, figures: FigureGrid) -> bool:
    match formula:
        case Combined("call:softmax", (NameRead() as name, *_)):
            masked = scope.named_or_none(name)
        case _:
            return False
    if masked is None or _is_finite(masked.true):
        return False
    others = [each.value for each in scope.latest() if each.value.shape == masked.shape]
    return any(_is_softmax(each.true, figures) for each in others[:LATEST] if _is_finite(each.true))


def _is_softmax(scores: BallMatrix, figures: FigureGrid) -> bool:
    try:
        made = on.called("softmax", scores)
    except NoFit:
        return False
    return len(made) == len(figures) and all(
        len(row) == len(line) and all(f is not None and prints(f, x, f.unit) for f, x in zip(line, row, strict=True))
        for row, line in zip(made, figures, strict=True)
    )


def _is_finite(rows: BallMatrix) -> bool:
    return all(x.is_finite() for row in rows for x in row)


USUAL = Open()


_READINGS = (
    USUAL,
    Open(epsilon=Fraction(0)),
    *(Open(epsilon=Fraction(1, 10**power)) for power in (6, 8, 12, 3, 2, 1, 0)),
    Open(epsilon=Fraction(1, 2)),
    Open(correction=1),
    Open(axis="columns"),
    Open(is_by_entries=True),
    Open(is_unit_norm=True),
    *(Open(signs=signs) for signs in ("-", "-+", "+-")),
)
"""What is tried where a formula leaves something open, the usual first."""


_OF_FIGURES = (
    USUAL,
    *(Open(signs=signs) for signs in ("-", "-+", "+-")),
    Open(is_common=True),
    Open(correction=1),
)
"""How a formula in figures may be read: ± has two values, a logarithm or a variance may be one of another kind."""


NEAR = 12
"""How many units of its last place a figure may be off through rounding on the way."""


STRANGE = 0.34
"""The share of figures that agree, below which they are those of something else where nothing says what they are."""


MOST = 0.5
"""The share of figures that has to agree with an ε that nobody wrote, if the others are wrong."""

CLOSE = 0.05
"""How far a number may be from what its name was worth before, so that it is still that."""


SUMMANDS = 12
"""A sum that no figure proves is one of so many numbers at most, right in the figures before it."""


ANNOUNCED = 6
"""How many of the formulas before figures these may belong to."""


def strange(value: Worlds, printed: SortedSide) -> bool:
    """Whether figures are so far from a value, in every world, that they are those of something else."""
    both = (value, replace(value, true=value.carried))
    return max(telling(each, printed) for each in both) < STRANGE and not any(
        rearranged(each, printed) for each in both
    )


def apart(value: Worlds, chain: Equated) -> tuple[int, float]:
    """How many figures of a chain are not those of a value, and how many units of their last places in all."""
    printed = chain.printed[0] if chain.printed else None
    if printed is None or not fits(value, printed):
        return 0, 0.0
    pairs = zip(printed.figures, as_printed(value, printed).true, strict=True)
    off = [units_off(f, x, f.unit) for row, line in pairs for f, x in zip(row, line, strict=True) if f is not None]
    return sum(each > 0.5 for each in off), sum(off)


def exact_worth(scope: Memory, formula: Expressed, chain: Equated, is_wide: bool = False) -> Worlds | None:
    """What a formula in figures is worth; of the values of ± those that its figures are nearest to."""
    asked: set[str] = set()
    found: list[tuple[tuple[int, bool, float], Worlds]] = []
    for reading in _OF_FIGURES:
        if _asks(reading) <= asked:
            evaluator = Appraiser(scope, is_code=chain.told.is_code, is_wide=is_wide, open=reading)
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
    rows_told: dict[tuple[int, Called], int] = field(default_factory=dict)
    """For how many rows of a matrix a number was told under one name."""
    told_by_rows: set[tuple[int, Called]] = field(default_factory=set)
    """Those of them that were right for a row: they surely are of its rows."""
    is_recalled: bool = False
    """Whether the last figures are only those of a row before: the words before them speak of what follows too."""
    word: str = ""
    """What was said last before the figures."""
    direct: bool = False
    """Whether the words stand directly before the figures, and not in a heading."""
    sentence: Expressed | None = None
    """What the words before figures say as a formula."""
    line: str = ""
    """The words of the line so far."""
    unread: set[Called] = field(default_factory=set)
    """Names whose formula is not understood."""
    nearest: Hints = field(default_factory=Hints)
    """What the last words before the figures speak of."""

    def __post_init__(self) -> None:
        self.seeker = Seeker(self.scope)
        self.natural = Natural(self.scope)

    def of_sentence(self, chain: Equated) -> Ought | None:
        """Figures behind words that say what is done with what."""
        if self.sentence is None or not chain.printed or chain.symbolic or chain.literal:
            return None
        if any(self.scope.named(name) is not None for name in chain.names):
            return None
        found = self.worth(self.sentence, chain.printed)
        if found is None or not fits_turned(found.value, chain.printed[0]):
            return None
        if is_of_whole(chain.printed[0]) and not has_whole_numbers(found.value):
            return None  # 2 and 0 behind words on softmax: something new is given
        if found.value.entries < 4 or not strange(found.value, chain.printed[0]):
            return found
        return found if is_mistaken(self.scope, self.sentence, chain.printed[0].figures) else None

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

    def named_anew(self, chain: Equated) -> bool:
        """Whether the names of a chain stand for other numbers than before: its own figures say so.

        ``4 d^2 = 4 × 512^2 = 1048576`` speaks of another d than the one of the example.
        """
        return self.is_exactly(chain) and chain.printed[-1].axes == 0

    def has_names(self, formula: Expressed) -> bool:
        """Whether a document said what any name of a formula is: how large something is may be guessed."""
        names = (each for each in walk(formula) if isinstance(each, NameRead))
        return any(self.scope.named(called(each)) is not None for each in names)

    def is_exactly(self, chain: Equated) -> bool:
        """Whether a chain is right by its own figures alone."""
        if not chain.literal or not chain.printed:
            return False
        exact = self.exactly(chain.literal[-1].of, chain)
        return exact is not None and agreeing(exact.value, chain.printed[-1]) == 1

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

    def part(self, name: NameRead, printed: SortedSide) -> Worlds | None:
        """An entry or a row of what is known; what its formula leaves open, these figures decide."""
        part, (whole, _) = self.scope.part(name), self.scope.indexed(name)
        if part is None or whole is None or whole.figures or whole.formula is None or agreeing(part, printed) == 1:
            return part
        _, asked = self.read(whole.formula, USUAL, False)
        for reading in _READINGS if "epsilon" in asked else ():
            if _asks(reading) <= {"epsilon"} and (other := self.read(whole.formula, reading, False)[0]) is not None:
                self.scope.put(replace(whole, value=other.value))
                found = self.scope.part(name)
                if found is not None and agreeing(found, printed) == 1:
                    return found
        self.scope.put(whole)
        return part

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

    def is_begun(self, formula: Expressed | None, printed: SortedSide) -> bool:
        """Whether figures are those of a part of a formula: something in it was not done."""
        parts = walk(formula) if isinstance(formula, Combined) else iter(())
        worths = (self.worth(each, [printed]) for each in parts if each is not formula and isinstance(each, Combined))
        return any(each is not None and agreeing(each.value, printed) == 1 for each in worths)

    def worth_of_head(self, head: Equated) -> Worlds | None:
        """What a name or a formula is worth that stood alone."""
        if not head.sides or isinstance(head.sides[0].of, FigureRead):
            return None
        found, _ = self.read(head.sides[0].of, USUAL, head.told.is_code)
        return None if found is None else found.value

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

    def roughly(self, chain: Equated) -> Ought | None:
        """``s ≈ 0.92 - 0.07 ≈ 0.86``, right by an s that nobody can follow: its figures are said to be rounded ones."""
        first = chain.literal[0].of
        is_rough = any(side.of is first and side.relation == "≈" for side in chain.told.sides)
        wide = self.exactly(first, chain, is_wide=True) if is_rough else None
        return wide if wide is not None and agreeing(wide.value, chain.printed[-1]) == 1 else None

    def row_of_announced(self, chain: Equated, said: Hints, exact: Worlds) -> Ought | None:
        """``Token 0: [0.35 · 1.0 + …] ≈ [0.68, 0.25]``: what was announced before, or a row of it, in such figures."""
        for found in self.worked_announcements():
            for value, text in self.natural.parts(found, chain.printed[-1], said):
                same = replace(value, true=value.carried)
                is_meant = value.axes == 2 or bool(said.which)
                if is_meant and agreeing(same, chain.printed[-1]) == 1 == agreeing(exact, chain.printed[-1]):
                    return replace(found, value=value, text=text)
        return None

    def exactly(self, formula: Expressed, chain: Equated, is_wide: bool = False) -> Ought | None:
        """What stands there; ``is_wide`` where its figures are rounded ones.

        What is not modelled is no number: no figure beside it is right or wrong, unless another formula of the chain
        says what it is.
        """
        value = exact_worth(self.scope, formula, chain, is_wide)
        if (
            value is None
            and chain.printed
            and not is_wide
            and not any(exact_worth(self.scope, each.of, chain) for each in chain.literal if each.of is not formula)
        ):
            printed = chain.printed[0]
            value = worlds.known([[arb.nan()] * len(row) for row in printed.figures], printed.axes)
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

    def of_rounded(self, printed: SortedSide) -> Ought | None:
        """“The rounded figures add up to 1.001”: the sum of a row as it is printed."""
        for found in self.natural.candidates(Hints(does=("sum",)), (), iter(())):
            for place in range(found.value.entries if printed.axes == 0 else 0):
                one = worlds.entry(found.value, 0, place)
                if agreeing(one := replace(one, true=one.carried), printed) == 1:
                    return replace(found, value=one, text=f"{found.text}[{place + 1}]")
        return None

    def _is_near(self, total: Worlds, printed: SortedSide) -> bool:
        """Whether a sum is meant although its last digit is another one."""
        figure = printed.figures[0][0]
        if figure is None or figure.unit >= Fraction(1, 10):
            return False
        return units_off(figure, total.carried[0][0], figure.unit) <= NEAR_UNITS

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

    def is_of_another(self, quantity: Followed) -> bool:
        """Whether a name may stand for another thing: of a new example, or of the token at the line's head."""
        if quantity.is_given and quantity.number < self.scope.anew:
            return True
        is_statistic = quantity.name is not None and bool({*role_of_name(quantity.name.base)} & STATISTICS)
        return quantity.value.axes == 0 and is_statistic and LABEL.fullmatch(self.line.strip()) is not None

    def _is_another(self, is_given: bool, value: Worlds, printed: SortedSide, is_formula: bool = False) -> bool:
        """Whether figures give a name another value: what was given is given anew where most differs."""
        share = agreeing(value, printed)
        if value.axes == 0 and share < 1:
            figure = printed.figures[0][0]
            known = value.true[0][0]
            if figure is not None and is_given and known.is_finite():
                return figure.unit > Fraction(1, 1000) or units_off(figure, known, figure.unit) > NEAR_UNITS
            if nearness(value, printed) >= 1:
                return False
            if figure is None or figure.value is None or not known.is_finite():
                return True
            return abs(double(figure.value) - double(known)) > CLOSE * abs(double(known))
        if share < 1 and is_given and (share < 0.75 or value.entries < 4):
            return True
        return value.entries >= 4 and not is_formula and strange(value, printed)

    def of_announced(self, printed: SortedSide) -> Ought | None:
        """Figures without a formula: one that was announced before."""
        for formula in reversed(self.announced[-ANNOUNCED:]):
            if printed.axes == 0 and is_for_all(formula):
                continue
            found = self.worth(formula, [printed])
            if found is not None and fits(found.value, printed) and telling(found.value, printed) > 0.5:
                return found
        return None
