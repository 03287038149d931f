"""Figures of a matrix as printed: certified, and with the number of decimals that the style asks for."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from math import isinf, isnan
from typing import Any, overload

from flint import arb, arb_mat, fmpq
from sympy import Expr, Integer, Rational

from symattn.base import limits
from symattn.base.budget import spend
from symattn.base.errors import UndecidedError
from symattn.base.printed import Figure, Ties, decimal_text, scale_of, shortest
from symattn.base.shapes import EntryPlace, in_rows
from symattn.compute.solution.proofs import entry_size, equals, one_of_each
from symattn.compute.solution.store import Figures, Shown, Store
from symattn.compute.values.balls import at_precision
from symattn.compute.values.certify import LAST_BITS, START_BITS, precisions, settle
from symattn.compute.values.rational import digits_of
from symattn.compute.values.rounding import only_integer, round_ball, round_rational
from symattn.read.given import Cells, Given, LazyRows

PLAIN_DIGITS = 7
"""Figures with more digits than this before the point are written as a multiple of a power of ten."""

LARGE = 4096
"""Entries of a matrix beyond which the figures of a row are computed when the row is read: a page shows a few."""

SIMPLE = 12
"""Size of a closed form, in numbers, that is compared with a short decimal quickly."""

_AS_WRITTEN = re.compile(r"-?(\d+(\.\d+)?|\d+/\d+|10\^\d{1,4}|oo)\Z", re.ASCII)


def printed(solution: Store, name: str, places: int) -> Figures:
    """Return the figures of one name.

    A given is printed as it is written; a derived matrix (column, entry: the style's scope) with the fewest decimals
    that are exact for all of it, and with ``places`` where no fewer are.
    """
    rows, columns = solution.rows(name), solution.columns(name)
    given = solution.givens.get(name)
    if given is not None and given.array is not None and given.array.is_decimal:
        array = given.array
        return LazyRows(given.shape, lambda index: _exact(Figure.written(array.text(index), True)))
    flat = _as_written(given) if given is not None and given.array is None else None
    if flat is None:
        if rows * columns > LARGE:
            return _Large(solution, name, places)
        flat = _derived(solution, name, places, _groups(solution.style.scope, rows, columns))
    return in_rows(flat, columns)


def located(found: Figures, name: str) -> Figures:
    """Attach the name and the place of its entry to each figure."""
    rows, columns = len(found), len(found[0])

    def cell(i: int, j: int) -> Figure:
        return found[i][j].at(EntryPlace(name, i, j))

    if rows * columns > LARGE:
        return LazyRows((rows, columns), lambda index: cell(*divmod(index, columns)))
    return tuple(tuple(cell(i, j) for j in range(columns)) for i in range(rows))


def rounded(solution: Store, name: str, places: int, only: Iterable[int] | None = None) -> list[int]:
    """Return round(x · 10^places) of every entry (or of those in ``only``), certified."""
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
        if 2 * enclosures(LAST_BITS)[position].rad() > enclosures(START_BITS)[position].rad():
            return (
                f"{place}: decimal number {places} cannot be decided: the formula jumps here, as the slope of ReLU "
                "does at 0, and on which side of the jump the value lies cannot be told; other numbers avoid it"
            )
        return (
            f"{place}: decimal number {places} cannot be decided: the value is too close to the middle between two "
            "roundings; ask for fewer or more digits"
        )

    return settle(len(chosen), enclosures, lambda x: round_ball(x, scale), exactly, describe, max(places, 0))


def decimals(solution: Store, name: str, places: int) -> list[str]:
    """Return every entry with so many decimals, certified; an infinity as Python writes one."""
    # The precision that rounding starts with.
    entries = solution.enclosure(name, next(precisions(max(places, 0)))).entries()
    texts = {i: "-inf" if x < 0 else "inf" for i, x in enumerate(entries) if not x.is_finite() and (x < 0 or x > 0)}
    finite = [i for i in range(len(entries)) if i not in texts] if texts else None
    certain = [decimal_text(number, places) for number in rounded(solution, name, places, finite)]
    if finite is None:
        return certain
    texts |= dict(zip(finite, certain, strict=True))
    return [texts[i] for i in range(len(entries))]


def entry_name(solution: Store, name: str, index: int) -> str:
    """Return the name to ask for the figure of one entry: another one where other entries hold free symbols."""
    if solution.symbolic is None or solution.shown(name) is not Shown.CLOSED_FORMS:
        return name
    return solution.symbolic.known_at(name, index)


def double_text(x: float, places: int) -> str:
    """Format a number of double precision with so many decimals.

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


def _as_written(given: Given) -> list[Figure] | None:
    texts = [text.strip().replace("**", "^") for row in given.texts for text in row]
    return (
        [_exact(Figure.written(text, True)) if not given.rounded else Figure.written(text, False) for text in texts]
        if all(map(_AS_WRITTEN.match, texts))
        else None
    )


def _groups(scope: str, rows: int, columns: int) -> list[list[int]]:
    """Group the entries that share a number of decimals."""
    everything = range(rows * columns)
    if scope == "matrix":
        return [list(everything)]
    if scope == "column":
        return [list(everything[column::columns]) for column in range(columns)]
    return [[index] for index in everything]


def _derived(solution: Store, name: str, places: int, groups: list[list[int]]) -> list[Figure]:
    for bits in precisions(places):
        with at_precision(bits):
            enclosures = solution.enclosure(name, bits).entries()
            # Many layers may use the first precision up: then nothing is known of an entry, not even its sign.
            if all(x.is_finite() or x < 0 or x > 0 for x in enclosures):
                break
    with at_precision(bits):
        return _derived_at(solution, name, places, groups, enclosures)


def _derived_at(
    solution: Store, name: str, places: int, groups: list[list[int]], enclosures: list[arb]
) -> list[Figure]:
    figures: dict[int, Figure] = {}
    for group in groups:
        needed = _fewest_decimals(solution, name, group, places, enclosures)
        figures.update(_with_decimals(solution, name, group, places, needed, enclosures))
    return [figures[index] for index in range(len(enclosures))]


def _with_decimals(
    solution: Store, name: str, indices: list[int], places: int, needed: int | None, enclosures: Sequence[arb]
) -> Iterator[tuple[int, Figure]]:
    """Yield the figures of some entries, with ``needed`` decimals where that is exact for all that share them."""
    small = [index for index in indices if not is_large(enclosures[index])]
    shown = places if needed is None else needed
    for index, number in zip(small, rounded(solution, name, shown, small), strict=True):
        exact = needed is not None or _surely_exact(solution, name, index, places, number, enclosures[index])
        figure = Figure.of(number, shown, exact)
        yield index, _exact(figure, rounded_beside=needed is None) if exact else figure
    for index in (index for index in indices if is_large(enclosures[index])):
        yield index, _large_figure(solution, name, index, places, enclosures[index])


BY_SHARED, BY_CELL = 12, 300
"""Steps for an entry that is inspected to find the common number of decimals, and for a single figure."""


class _Large(Sequence[Sequence[Figure]]):
    """The figures of a large matrix, each certified when it is read.

    The number of decimals is found as for any other matrix: from all entries that share it.
    """

    def __init__(self, solution: Store, name: str, places: int) -> None:
        self._solution, self._name, self._places = solution, name, places
        self._shape = (solution.rows(name), solution.columns(name))
        self._known: dict[int, Figure] = {}
        bits = next(precisions(places))
        with at_precision(bits):
            self._enclosures = _Entries(solution.enclosure(name, bits))
            # An entry with its own number of decimals is examined when it is read.
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
            spend(BY_CELL)
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
    solution: Store, name: str, group: list[int], places: int, enclosures: Sequence[arb]
) -> int | None:
    """Return the fewest decimals that write every entry of the group exactly, or ``None`` if ``places`` are too few."""
    scale = scale_of(places)
    spend(BY_SHARED * len(group))
    # An enclosure without a multiple of 10^-places inside proves at once, and cheaply, that no fewer decimals do.
    if not all((enclosures[index] * scale).contains_integer() or is_large(enclosures[index]) for index in group):
        return None
    group = [index for index in group if not is_large(enclosures[index])]
    most = 0
    for index in one_of_each(solution, name, group):
        found = _exact_decimals(solution, name, index, places, enclosures[index])
        if found is None:
            return None
        most = max(most, found)
    return most


def _exact_decimals(solution: Store, name: str, index: int, places: int, enclosure: arb) -> int | None:
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
    exact = equals(solution, name, index, Rational(int(candidate.p), int(candidate.q)))
    return digits_of(candidate, places) if exact else None


def _surely_exact(solution: Store, name: str, index: int, places: int, number: int, enclosure: arb) -> bool:
    known = solution.rational_entries(name)
    if known is not None:
        return known[index] * scale_of(places) == number
    return enclosure.is_exact() and bool(enclosure * scale_of(places) == number)


def settled(solution: Store, name: str, index: int, figure: Figure) -> Figure:
    """Return the figure of one entry, after asking whether it is exact where others of its matrix are rounded.

    In a matrix that is not rational this is asked only of entries shown in detail, because the answer is slow.
    """
    places = solution.style.places(name)
    if figure.exact or figure.number is None or solution.rational_entries(name) is not None:
        return figure
    bits = next(precisions(places))
    with at_precision(bits):
        entry = solution.enclosure(name, bits)[divmod(index, solution.columns(name))]
        # Only a whole number converts to a ball exactly.
        scale = scale_of(figure.places)
        near = (entry * scale).contains((figure.number * scale).p)
        if not near or is_large(entry) or is_nearly_exact(solution, name):
            return figure
        found = _exact_decimals(solution, name, index, places, entry)
    return figure if found is None else replace(figure, exact=True, short=shortest(figure.text))


def is_nearly_exact(solution: Store, name: str) -> bool:
    """Return whether a large number behind a name, such as a mask of −10⁹, makes weights that are nearly 0 and 1.

    To disprove exactness of each is slow; where the closed form is simple, it is tried.
    """
    if entry_size(solution, name) <= SIMPLE:
        return False
    bits = next(precisions(solution.style.decimals))
    behind = (needed for needed in solution.needed(name) if solution.shown(needed) is not Shown.CLOSED_FORMS)
    # A mask of −∞ does not count: what it hides is exactly 0.
    return any(x.is_finite() and is_large(x) for needed in behind for x in solution.enclosure(needed, bits).entries())


def _exact(figure: Figure, rounded_beside: bool = False) -> Figure:
    """Shorten an exact figure: alone, 2.00 is 2, while 0.50 keeps its matrix's zeros unless others say: rounded."""
    short = shortest(figure.text)
    return replace(figure, short=short) if rounded_beside or "." not in short else figure


def is_large(enclosure: arb) -> bool:
    """Return whether a number is infinite or written as a multiple of a power of ten.

    >>> is_large(arb(10) ** 7), is_large(arb(-9999999))
    (True, False)
    """
    return not enclosure.is_finite() or bool(abs(enclosure) >= 10**PLAIN_DIGITS)


def _large_figure(solution: Store, name: str, index: int, significant: int, enclosure: arb) -> Figure:
    """Return a large entry, rounded to at least two significant digits: a masked score prints as −10^9."""
    if not enclosure.is_finite():
        if not (enclosure < 0 or enclosure > 0):
            raise UndecidedError(
                f"{solution.place(name, index)} is not a number: an infinite value cannot be used here"
            )
        return Figure("-oo" if enclosure < 0 else "oo", True)
    must_be_writable(solution.place(name, index), enclosure)
    places = places_of_large(enclosure, significant)
    number = rounded(solution, name, places, [index])[0]
    known = solution.rational_entries(name)
    exact = known is not None and known[index] * scale_of(places) == number
    return Figure.of(number, places, exact)


def must_be_writable(what: str, enclosure: arb) -> None:
    """Raise UndecidedError for a number with more digits than can reasonably be written."""
    if enclosure.is_finite() and not abs(enclosure) < arb(10) ** limits.FIGURE_DIGITS:
        raise UndecidedError(
            f"{what} is too large to be written down: it has more than FIGURE_DIGITS = {limits.FIGURE_DIGITS} digits"
        )


def places_of_large(enclosure: arb, significant: int) -> int:
    """Return the number of decimals, usually negative, that leaves a large number so many significant digits.

    >>> places_of_large(arb(123456789), 6)
    -3
    """
    # One digit more or less, next to a power of ten, changes nothing that is shown.
    logarithm = only_integer((abs(enclosure).mid().log() / arb.const_log10()).mid().floor())
    return max(significant, 2) - int(logarithm or 0) - 1


def _exactly_rounded(solution: Store, name: str, index: int, places: int, enclosure: arb) -> int | None:
    """Return round(x · 10^places) where enclosures leave it open: of a rational value, or of an exact tie."""
    scale, ties = scale_of(places), solution.style.ties
    known = solution.rational_entries(name)
    if known is not None:
        return round_rational(known[index], scale, ties)
    return tie(enclosure, places, ties, lambda middle: equals(solution, name, index, middle))


def tie(enclosure: arb, places: int, ties: Ties, is_exactly: Callable[[Expr], bool | None]) -> int | None:
    """Return round(x · 10^places) of a value proved to lie exactly between two roundings, else ``None``."""
    # If |x| · scale + ½ is a whole number m, it does.
    near = only_integer(abs(enclosure * scale_of(places)) + fmpq(1, 2))
    if near is None:
        return None
    middle: Expr = (Integer(int(near)) - Rational(1, 2)) * Rational(10) ** -places
    sign = -1 if enclosure < 0 else 1
    if not is_exactly(sign * middle):
        return None
    return sign * (int(near) - (int(near) % 2 if ties == "half_even" else 0))
