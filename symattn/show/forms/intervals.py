"""Steps that rest on rounded figures: matrices of intervals, the working of their ends, the meaning of the figures."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from flint import fmpq
from sympy import Expr

from symattn.base.printed import Figure, decimal_text
from symattn.compute.solution.intervals import no_value, rounded_outwards
from symattn.compute.solution.store import Store
from symattn.compute.values.ends import Bounds
from symattn.compute.values.rational import digits_of, to_fmpq
from symattn.operations import Keep, Proportions, Softmax
from symattn.operations.stages import same_as_ours
from symattn.read.given import Given
from symattn.read.scenario.rounded import half_unit, places_of, row_sum
from symattn.show.blocks import Equation, Line, Phrase, Readings
from symattn.show.entries.letters import Letters
from symattn.show.math import Chain, Fraction, Interval, Math, Number
from symattn.show.notation.figures import guarded, long_sum
from symattn.show.notation.formulas import Names, number
from symattn.show.readings.rows import kept
from symattn.show.readings.step import MOST_ROWS
from symattn.show.readings.weights import empty_inside, rows_sum_to_one


def places_for(solution: Store, name: str, decimals: int | None = None) -> int:
    """Return how many decimals the ends get: by default one more than the figures that they rest on."""
    if decimals is not None:
        return decimals
    texts = (text for given in solution.rounded_givens(name) for row in solution.givens[given].texts for text in row)
    return 1 + max(places_of(text) or 0 for text in texts)


def cell(ends: Bounds, places: int) -> Math:
    """Return the interval with its ends rounded outwards; a point with a short decimal is written as a number.

    >>> cell(Bounds(fmpq(1, 3), fmpq(1, 2)), 2), cell(Bounds(fmpq(1), fmpq(1)), 5)
    (Interval(low=Number(text='0.33'), high=Number(text='0.50')), Number(text='1'))
    """
    if ends.hidden:
        return Number("-oo")
    needed = digits_of(ends.low, places) if ends.is_point else None
    if needed is not None:
        return Number(decimal_text(int(ends.low * 10**needed), needed))
    low, high = rounded_outwards(ends, places)
    return Interval(Number(low), Number(high))


def cells(solution: Store, name: str, decimals: int | None = None) -> Callable[[int, int], Math]:
    """Return the function that makes an entry of an interval name, counted from 0."""
    places, rows = places_for(solution, name, decimals), solution.intervals(name)
    return lambda i, j: cell(rows[i][j], places)


# -- where the ends come from --------------------------------------------------------------------------------------


def working(
    solution: Store, name: str, letters: Letters, decimals: int | None, asked: tuple[int, int] | None, every: bool
) -> list[Line]:
    """Return the working of shares of intervals at both ends; for other steps the formula shows enough."""
    node = solution.formula(name)
    if not isinstance(node, Proportions):
        return []
    rows, places = solution.intervals(solution.part(node.argument)), places_for(solution, name, decimals)
    wide = [
        (i, j)
        for i, row in enumerate(solution.intervals(name))
        for j, ends in enumerate(row)
        if not ends.is_point and all(x.low >= 0 for x in rows[i])
    ]
    chosen = wide if every else [place for place in ([asked] if asked else wide[:1]) if place in wide]
    chains: list[Chain] = []
    for i, j in chosen:
        left = letters.entry(name, Number(str(i + 1)), Number(str(j + 1)))
        chains += _both_ends(left, rows[i], j, places)
    if not chains:
        return []
    return [Phrase("lead_ends", (("every", int(every)),), "lead"), Equation(tuple(chains), "working")]


def every_entry(solution: Store, name: str, letters: Letters) -> list[Line]:
    """Return every entry worked at both ends. Raises :class:`~symattn.base.errors.NoValueError` if there is none."""
    blocks = working(solution, name, letters, None, None, True)
    if not blocks:
        raise no_value(solution, name, "entry that can be worked in figures")
    return blocks


def _both_ends(left: Math, row: Sequence[Bounds], j: int, places: int) -> tuple[Chain, Chain]:
    """Return both bounds of a share: it is least if its own entry is at its low end and the others at their high ends.

    The figures are rounded the way that keeps each line true.
    """
    outwards = [tuple(map(fmpq_of, rounded_outwards(ends, places))) for ends in row]
    least = [low if k == j else high for k, (low, high) in enumerate(outwards)]
    most = [high if k == j else low for k, (low, high) in enumerate(outwards)]
    low, _ = rounded_outwards(_share(least, j), places)
    _, high = rounded_outwards(_share(most, j), places)
    return (
        Chain(left, (("≥", _fraction(least, row, j, places)), ("≥", Number(low)))),
        Chain(left, (("≤", _fraction(most, row, j, places)), ("≤", Number(high)))),
    )


def fmpq_of(text: str) -> fmpq:
    """Return the number that a plain decimal stands for."""
    whole, _, decimals = text.partition(".")
    return fmpq(int(whole + decimals), 10 ** len(decimals))


def _share(numbers: list[fmpq], j: int) -> Bounds:
    share = numbers[j] / sum(numbers, fmpq(0)) if numbers[j] != 0 else fmpq(0)
    return Bounds(share, share)


def _fraction(numbers: list[fmpq], row: Sequence[Bounds], j: int, places: int) -> Math:
    figures = [Figure.of(int(x * 10**places), places, True) for x in numbers]
    hidden = {k for k, ends in enumerate(row) if ends == Bounds(fmpq(0), fmpq(0))}
    return Fraction(guarded(figures[j]), long_sum([guarded(x) for k, x in enumerate(figures) if k not in hidden]))


# -- sentences about them ------------------------------------------------------------------------------------------


def readings(solution: Store, name: str, names: Names) -> tuple[Phrase, ...]:
    """Return what is true of a step whatever the figures were before they were rounded."""
    found = list(empty_inside(solution, name, names))
    match same_as_ours(solution.formula(name)):
        case Keep():
            found.append(kept(solution, name))
        case Softmax() | Proportions():
            found += rows_sum_to_one(solution, name)
    return tuple(found)


def meaning(solution: Store, name: str) -> Readings:
    """Return the meaning of a rounded given's figures, and that its rows can have the sum they should."""
    given = solution.givens[name]
    slacks = {half_unit(text) for row in given.texts for text in row}
    text, ends = given.texts[0][0], solution.intervals(name)[0][0]
    arguments = (
        ("figure", Number(text)),
        ("interval", cell(ends, (places_of(text) or 0) + 1)),
        ("slack", _decimal(min(slacks)) if len(slacks) == 1 else ""),
    )
    said = Phrase("rounded_figures", arguments, "reading")
    return Readings((said,) if given.row_sum is None else (said, rows_can_sum(given, given.row_sum)))


def rows_can_sum(given: Given, sum_of_row: Expr) -> Phrase:
    """Return the reading that every row of printed figures can sum to a number, which is checked before."""
    found = [(i + 1, *row_sum(given, i)) for i in range(given.shape[0])]
    other = [(row, total, slack) for row, total, slack in found if fmpq_of(total) != to_fmpq(sum_of_row)]
    arguments = (
        ("total", number(sum_of_row)),
        ("rows", tuple((row, Number(total), Number(slack)) for row, total, slack in other[:MOST_ROWS])),
        ("more", len(other[MOST_ROWS:])),
        ("alike", int(len({slack for _, _, slack in other}) == 1)),
    )
    return Phrase("rows_can_sum", arguments, "reading")


def _decimal(value: Expr) -> Math:
    found = to_fmpq(value)
    assert found is not None
    return cell(Bounds(found, found), digits_of(found, 10**6) or 0)
