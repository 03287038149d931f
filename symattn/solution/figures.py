"""The figures of a matrix as they are printed: certified, and with the number of decimals the style asks for."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from math import inf, isinf, isnan
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, overload

from flint import arb, arb_mat, fmpq, fmpq_mat, fmpz
from sympy import Expr, Integer, Rational

from symattn import limits
from symattn.budget import spend
from symattn.errors import NoValueError, UndecidedError
from symattn.given import Cells, Rows
from symattn.scenario.given import FigureStyle, Given
from symattn.values.ball import ball
from symattn.values.certify import START_BITS, precisions, settle, unless_open
from symattn.values.number import at_precision
from symattn.values.rational import digits_of, rational, to_fmpq
from symattn.values.rounding import (
    Figure,
    Ties,
    decimal_text,
    only_integer,
    power_text,
    read_figure,
    round_ball,
    round_rational,
    scale_of,
)
from symattn.values.zero import is_zero

if TYPE_CHECKING:
    from symattn.solution.core import Solution

Figures = Sequence[Sequence[Figure]]

PLAIN_DIGITS = 7
"""Figures with more digits than this before the point are written as a multiple of a power of ten."""

LARGE = 4096
"""Entries of a matrix beyond which the figures of a row are found when the row is asked for: a page shows a few."""

_INFINITE: Mapping[str, float] = MappingProxyType({"oo": inf, "-oo": -inf})

_AS_WRITTEN = re.compile(r"-?(\d+(\.\d+)?|\d+/\d+|10\^\d{1,4}|oo)\Z", re.ASCII)


def printed(solution: Solution, name: str, places: int) -> Figures:
    """The figures of one name.

    A given is printed as it is written; a derived matrix (column, entry: the style's scope) with the fewest decimals
    that are exact for all of it, and with ``places`` where no fewer are.
    """
    rows, columns = solution.rows(name), solution.columns(name)
    given = solution.givens.get(name)
    if given is not None and given.array is not None and given.array.is_decimal:
        array = given.array
        return Rows(given.shape, lambda index: Figure(array.text(index), True))
    flat = _as_written(given) if given is not None and given.array is None else None
    if flat is None:
        if rows * columns > LARGE:
            return _Large(solution, name, places)
        flat = _derived(solution, name, places, _groups(solution.style.scope, rows, columns))
    return tuple(tuple(flat[start : start + columns]) for start in range(0, rows * columns, columns))


def rounded(solution: Solution, name: str, places: int, only: Iterable[int] | None = None) -> list[int]:
    """round(x · 10^places) of every entry (or of those in ``only``), certified."""
    scale = scale_of(places)
    chosen = list(range(solution.rows(name) * solution.columns(name))) if only is None else list(only)

    def exactly(position: int, enclosure: arb) -> int | None:
        return _exactly_rounded(solution, name, chosen[position], places, enclosure)

    def enclosures(bits: int) -> list[arb]:
        values = solution.enclosure(name, bits)
        if only is None:
            return values.entries()
        columns = values.ncols()
        return [values[index // columns, index % columns] for index in chosen]

    def describe(position: int) -> str:
        place = solution.place(name, chosen[position])
        if not enclosures(START_BITS)[position].is_finite():
            return f"{place} is not a finite number and has no decimals"
        return (
            f"{place}: decimal number {places} cannot be decided: the value is too close to the middle between two "
            "roundings; ask for fewer or more digits"
        )

    return settle(
        len(chosen),
        enclosures,
        lambda x: round_ball(x, scale),
        exactly,
        describe,
        max(places, 0),
    )


def double_text(x: float, places: int) -> str:
    """A number of double precision with so many decimals.

    >>> double_text(-1e-9, 6), double_text(float("-inf"), 6), double_text(float("nan"), 6)
    ('0.000000', '-oo', 'NaN')
    """
    if isnan(x):
        return "NaN"
    if isinf(x):
        return "oo" if x > 0 else "-oo"
    if abs(x) >= 10**PLAIN_DIGITS:
        mantissa, exponent = f"{x:.{max(places, 2) - 1}e}".split("e")
        return f"{mantissa}*10^{int(exponent)}"
    return f"{round(x, places) + 0:.{places}f}"  # the 0 takes the sign off a zero


def read_back(solution: Solution, name: str) -> list[fmpq | float]:
    """The printed figures read as exact numbers; −∞ in a mask stays what it is."""
    given = solution.givens.get(name)
    numbers: list[fmpq | float] = []
    for index, figure in enumerate(figure for row in solution.figures(name) for figure in row):
        parsed = read_figure(figure.text)
        exact = parsed[0] if parsed else to_fmpq(given.entry(index)) if given is not None else None
        number = _INFINITE.get(figure.text) if exact is None else exact
        if number is None:
            raise NoValueError(f"{solution.place(name, index)} is printed {figure.text}: no number to carry on with")
        numbers.append(number)
    return numbers


def carried(solution: Solution, name: str) -> fmpq_mat | None:
    """The printed figures as a matrix, or ``None`` where one of them is infinite."""
    numbers = read_back(solution, name)
    finite = [number for number in numbers if isinstance(number, fmpq)]
    if len(finite) < len(numbers):
        return None
    return fmpq_mat(solution.rows(name), solution.columns(name), finite)


def carried_ball(solution: Solution, name: str) -> arb_mat:
    """The printed figures as balls without a radius."""
    numbers = [arb(x) for x in read_back(solution, name)]
    return arb_mat(solution.rows(name), solution.columns(name), numbers)


def numbers(
    style: FigureStyle,
    count: int,
    enclosures: Callable[[int], list[arb]],
    what: str,
    exact: Callable[[int], Expr | None] = lambda _: None,
) -> tuple[Figure, ...]:
    """Certified figures of numbers that are not entries of a matrix.

    ``exact`` gives the exact value of one of them where a tie has to be decided. Where even that does not settle it (a
    masked weight of e^(−10⁹) away from a tie), one more decimal does: it is 0.25, whichever way 0.3 would go.
    One whose enclosure has no radius and is a short decimal, as e⁰ is, is written short.
    """
    try:
        return _numbers(style, count, enclosures, what, exact)
    except UndecidedError:
        return _numbers(replace(style, decimals=style.decimals + 1), count, enclosures, what, exact)


def _numbers(
    style: FigureStyle,
    count: int,
    enclosures: Callable[[int], list[arb]],
    what: str,
    exact: Callable[[int], Expr | None],
) -> tuple[Figure, ...]:
    places, scale = style.decimals, scale_of(style.decimals)

    def exactly(index: int, enclosure: arb) -> int | None:
        return tie(enclosure, places, style.ties, lambda middle: unless_open(lambda: _is(exact(index), middle)))

    certain = settle(
        count,
        enclosures,
        lambda x: round_ball(x, scale),
        exactly,
        lambda index: f"{what}: decimal number {places} of number {index + 1} cannot be decided",
        places,
    )
    with at_precision(next(precisions(places))):
        balls = enclosures(next(precisions(places)))
        known = [x.is_exact() and x * scale == n for x, n in zip(balls, certain, strict=True)]
    return tuple(
        Figure(_shortest(n, places) if is_exact else decimal_text(n, places), is_exact)
        for n, is_exact in zip(certain, known, strict=True)
    )


def _is(value: Expr | None, number: Expr) -> bool | None:
    return None if value is None else is_zero(value - number)


def _shortest(number: int, places: int) -> str:
    text = decimal_text(number, places)
    return text.rstrip("0").rstrip(".") if places else text


def by_hand(solution: Solution, name: str) -> tuple[tuple[int, str], ...]:
    """Where the step, worked from the printed figures of its operands, prints something else than the true figures."""
    if name in solution.givens or solution.style.carry == "rounded" or solution.is_interval(name):
        return ()
    if any(solution.rows(other) * solution.columns(other) > LARGE for other in (name, *solution.step(name).uses)):
        return ()  # most of the figures that it would be worked from, or that would come out, are not on the page
    try:
        rounding = _from_printed(solution, name)
    except (NoValueError, ZeroDivisionError):
        # A value that is not 0 may be printed as 0, and is then nothing to divide by.
        return ()
    different: list[tuple[int, str]] = []
    for index, figure in enumerate(figure for row in solution.figures(name) for figure in row):
        parsed = read_figure(figure.text)
        if parsed is None or "^" in figure.text:
            continue
        value, places = parsed
        number = rounding(index, scale_of(places))
        if number is not None and number != value * scale_of(places):
            different.append((index, decimal_text(number, places)))
    return tuple(different)


def _from_printed(solution: Solution, name: str) -> Callable[[int, fmpz | fmpq], int | None]:
    """Rounds entries of a step that is worked from printed figures."""
    known = rational(solution.formula(name), lambda used: carried(solution, used))
    if known is not None:
        exact = known.entries()
        return lambda index, scale: round_rational(exact[index], scale, solution.style.ties)
    bits = next(precisions(solution.style.decimals))
    with at_precision(bits):
        balls = ball(solution.formula(name), lambda used: carried_ball(solution, used)).entries()

    def rounding(index: int, scale: fmpz | fmpq) -> int | None:
        with at_precision(bits):
            return round_ball(balls[index], scale)

    return rounding


def _as_written(given: Given) -> list[Figure] | None:
    texts = [text.strip().replace("**", "^") for row in given.texts for text in row]
    return [Figure(text, not given.rounded) for text in texts] if all(map(_AS_WRITTEN.match, texts)) else None


def _groups(scope: str, rows: int, columns: int) -> list[list[int]]:
    """The entries that share a number of decimals."""
    everything = range(rows * columns)
    if scope == "matrix":
        return [list(everything)]
    if scope == "column":
        return [list(everything[column::columns]) for column in range(columns)]
    return [[index] for index in everything]


def _derived(solution: Solution, name: str, places: int, groups: list[list[int]]) -> list[Figure]:
    bits = next(precisions(places))
    with at_precision(bits):
        return _derived_at(solution, name, places, groups, solution.enclosure(name, bits).entries())


def _derived_at(
    solution: Solution, name: str, places: int, groups: list[list[int]], enclosures: list[arb]
) -> list[Figure]:
    figures: dict[int, Figure] = {}
    for group in groups:
        needed = _fewest_decimals(solution, name, group, places, enclosures)
        figures.update(_with_decimals(solution, name, group, places, needed, enclosures))
    return [figures[index] for index in range(len(enclosures))]


def _with_decimals(
    solution: Solution, name: str, indices: list[int], places: int, needed: int | None, enclosures: Sequence[arb]
) -> Iterator[tuple[int, Figure]]:
    """Figures of some entries, with ``needed`` decimals where so few are exact for all that share them."""
    small = [index for index in indices if not _is_large(enclosures[index])]
    shown = places if needed is None else needed
    for index, number in zip(small, rounded(solution, name, shown, small), strict=True):
        exact = needed is not None or _surely_exact(solution, name, index, places, number)
        yield index, Figure(decimal_text(number, shown), exact)
    for index in (index for index in indices if _is_large(enclosures[index])):
        yield index, _large_figure(solution, name, index, places, enclosures[index])


class _Large(Sequence[Sequence[Figure]]):
    """The figures of a large matrix, each certified when it is asked for.

    How many decimals there are is decided as for any other matrix: by all entries that share them.
    """

    def __init__(self, solution: Solution, name: str, places: int) -> None:
        self._solution, self._name, self._places = solution, name, places
        self._shape = (solution.rows(name), solution.columns(name))
        self._known: dict[int, Figure] = {}
        bits = next(precisions(places))
        with at_precision(bits):
            self._enclosures = _Entries(solution.enclosure(name, bits))
            # An entry with a number of decimals of its own is looked at when it is asked for.
            groups = [] if solution.style.scope == "entry" else _groups(solution.style.scope, *self._shape)
            self._needed = [_fewest_decimals(solution, name, group, places, self._enclosures) for group in groups]

    def __len__(self) -> int:
        return self._shape[0]

    @overload
    def __getitem__(self, index: int) -> Sequence[Figure]: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Sequence[Figure]]: ...

    def __getitem__(self, index: int | slice) -> Sequence[Figure] | Sequence[Sequence[Figure]]:
        if isinstance(index, slice):
            return tuple(self[i] for i in range(*index.indices(len(self))))
        columns = self._shape[1]
        start = range(len(self))[index] * columns
        return Cells(range(start, start + columns), self._figure)

    def _figure(self, index: int) -> Figure:
        if index not in self._known:
            with at_precision(next(precisions(self._places))):
                needed = self._decimals(index)
                found = _with_decimals(self._solution, self._name, [index], self._places, needed, self._enclosures)
                self._known.update(found)
        return self._known[index]

    def _decimals(self, index: int) -> int | None:
        match self._solution.style.scope:
            case "matrix":
                return self._needed[0]
            case "column":
                return self._needed[index % self._shape[1]]
        return _fewest_decimals(self._solution, self._name, [index], self._places, self._enclosures)


class _Entries(Sequence[arb]):
    """The entries of a matrix of balls, row by row."""

    def __init__(self, matrix: arb_mat) -> None:
        self._matrix, self._columns = matrix, matrix.ncols()

    def __len__(self) -> int:
        return int(self._matrix.nrows() * self._columns)

    def __getitem__(self, index: Any) -> Any:
        return self._matrix[index // self._columns, index % self._columns]


def _fewest_decimals(
    solution: Solution, name: str, group: list[int], places: int, enclosures: Sequence[arb]
) -> int | None:
    """The fewest decimals that write every entry of the group exactly, or ``None`` if ``places`` are not enough."""
    scale = scale_of(places)
    spend(6 * len(group))
    # An enclosure without a multiple of 10^-places inside proves at once, and cheaply, that no fewer decimals do.
    if not all((enclosures[index] * scale).contains_integer() or _is_large(enclosures[index]) for index in group):
        return None
    group = [index for index in group if not _is_large(enclosures[index])]
    found = [_exact_decimals(solution, name, index, places, enclosures[index]) for index in group]
    return None if None in found else max((digits for digits in found if digits is not None), default=0)


def _exact_decimals(solution: Solution, name: str, index: int, places: int, enclosure: arb) -> int | None:
    known = solution.rational_entries(name)
    if known is not None:
        return digits_of(known[index], places)
    if enclosure.is_exact():
        mantissa, exponent = enclosure.man_exp()
        return digits_of(fmpq(mantissa) * fmpq(2) ** exponent, places)
    bits = 1024
    with at_precision(bits):
        near = only_integer(_Entries(solution.enclosure(name, bits))[index] * scale_of(places))
    if near is None:
        return None
    candidate = fmpq(near, int(scale_of(places)))
    exact = solution.equals(name, index, Rational(int(candidate.p), int(candidate.q)))
    return digits_of(candidate, places) if exact else None


def _surely_exact(solution: Solution, name: str, index: int, places: int, number: int) -> bool:
    known = solution.rational_entries(name)
    return known is not None and known[index] * scale_of(places) == number


def _is_large(enclosure: arb) -> bool:
    return not enclosure.is_finite() or bool(abs(enclosure) >= 10**PLAIN_DIGITS)


def _large_figure(solution: Solution, name: str, index: int, significant: int, enclosure: arb) -> Figure:
    """A large entry, rounded to so many significant digits (at least two): a masked score prints as −10^9."""
    if not enclosure.is_finite():
        if not (enclosure < 0 or enclosure > 0):
            raise UndecidedError(
                f"{solution.place(name, index)} is not a number: an infinite value cannot be used here"
            )
        return Figure("-oo" if enclosure < 0 else "oo", True)
    if not abs(enclosure) < arb(10) ** limits.FIGURE_DIGITS:
        raise UndecidedError(
            f"{solution.place(name, index)} is too large to be written down: it has more than FIGURE_DIGITS = "
            f"{limits.FIGURE_DIGITS} digits"
        )
    # One digit more or less, next to a power of ten, changes nothing that is shown.
    logarithm = only_integer((abs(enclosure).mid().log() / arb.const_log10()).mid().floor())
    places = max(significant, 2) - int(logarithm or 0) - 1
    number = rounded(solution, name, places, [index])[0]
    known = solution.rational_entries(name)
    exact = known is not None and known[index] * scale_of(places) == number
    return Figure(power_text(number, -places) if places < 0 else decimal_text(number, places), exact)


def _exactly_rounded(solution: Solution, name: str, index: int, places: int, enclosure: arb) -> int | None:
    """round(x · 10^places) where enclosures leave it open: of a rational value, or of an exact tie."""
    scale, ties = scale_of(places), solution.style.ties
    known = solution.rational_entries(name)
    if known is not None:
        return round_rational(known[index], scale, ties)
    return tie(enclosure, places, ties, lambda middle: solution.equals(name, index, middle))


def tie(enclosure: arb, places: int, ties: Ties, is_exactly: Callable[[Expr], bool | None]) -> int | None:
    """round(x · 10^places) of a value that is proved to lie exactly between two roundings, else ``None``."""
    # If |x| · scale + ½ is a whole number m, it does.
    near = only_integer(abs(enclosure * scale_of(places)) + fmpq(1, 2))
    if near is None:
        return None
    middle: Expr = (Integer(int(near)) - Rational(1, 2)) * Rational(10) ** -places
    sign = -1 if enclosure < 0 else 1
    if not is_exactly(sign * middle):
        return None
    return sign * (int(near) - (int(near) % 2 if ties == "half_even" else 0))
