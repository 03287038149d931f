"""Read printed figures as numbers again, for steps that are computed from them, as by hand."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import inf
from types import MappingProxyType

from flint import arb, arb_mat, fmpq, fmpq_mat, fmpz

from symattn.base.errors import NoValueError
from symattn.base.printed import decimal_text, scale_of
from symattn.compute.solution.figures import LARGE
from symattn.compute.solution.store import Shown, Store
from symattn.compute.values.ball import ball
from symattn.compute.values.balls import at_precision
from symattn.compute.values.certify import precisions
from symattn.compute.values.rational import rational, to_fmpq
from symattn.compute.values.rounding import round_ball, round_rational

_INFINITE: Mapping[str, float] = MappingProxyType({"oo": inf, "-oo": -inf})


def read_back(solution: Store, name: str) -> list[fmpq | float]:
    """Return the printed figures as exact numbers; −∞ in a mask is unchanged.

    Raises :class:`~symattn.base.errors.NoValueError` for a figure that is not a number.
    """
    given = solution.givens.get(name)
    numbers: list[fmpq | float] = []
    for index, figure in enumerate(figure for row in solution.figures(name) for figure in row):
        exact = figure.number
        if exact is None and given is not None:
            exact = to_fmpq(given.entry(index))
        number = _INFINITE.get(figure.text) if exact is None else exact
        if number is None:
            raise NoValueError(f"{solution.place(name, index)} is printed {figure.text}: no number to carry on with")
        numbers.append(number)
    return numbers


def carried(solution: Store, name: str) -> fmpq_mat | None:
    """Return the printed figures as a matrix, or ``None`` where one of them is infinite."""
    numbers = read_back(solution, name)
    finite = [number for number in numbers if isinstance(number, fmpq)]
    if len(finite) < len(numbers):
        return None
    return fmpq_mat(solution.rows(name), solution.columns(name), finite)


def carried_ball(solution: Store, name: str) -> arb_mat:
    """Return the printed figures as balls without a radius."""
    numbers = [arb(x) for x in read_back(solution, name)]
    return arb_mat(solution.rows(name), solution.columns(name), numbers)


def by_hand(solution: Store, name: str) -> tuple[tuple[int, str], ...]:
    """Return the entries that print differently when the step is computed from the printed figures of its operands."""
    if name in solution.givens or solution.style.carry == "rounded" or solution.shown(name) is Shown.INTERVALS:
        return ()
    if any(solution.rows(other) * solution.columns(other) > LARGE for other in (name, *solution.step(name).uses)):
        return ()  # most of the figures that it would use or produce are not on the page
    try:
        rounding = _from_printed(solution, name)
    except (NoValueError, ZeroDivisionError):
        # A value that is not 0 may be printed as 0, and is then nothing to divide by.
        return ()
    different: list[tuple[int, str]] = []
    for index, figure in enumerate(figure for row in solution.figures(name) for figure in row):
        if figure.number is None or "^" in figure.text:
            continue
        scale = scale_of(figure.places)
        number = rounding(index, scale)
        if number is not None and number != figure.number * scale:
            different.append((index, decimal_text(number, figure.places)))
    return tuple(different)


def _from_printed(solution: Store, name: str) -> Callable[[int, fmpz | fmpq], int | None]:
    """Return a function that rounds entries of a step computed from printed figures."""
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
