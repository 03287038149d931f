"""Certified figures of intermediate numbers that belong to no matrix: exponentials, a mean, a length."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from flint import arb
from sympy import Expr, Rational

from symattn.base import limits
from symattn.base.errors import UndecidedError
from symattn.base.printed import Figure, power_text, scale_of, shortest
from symattn.compute.solution.figures import is_large, must_be_writable, places_of_large, tie
from symattn.compute.solution.store import Store
from symattn.compute.values.balls import at_precision
from symattn.compute.values.certify import precisions, settle, unless_open
from symattn.compute.values.rounding import round_ball
from symattn.compute.values.zero import is_zero
from symattn.read.scenario.model import FigureStyle


def numbers(
    solution: Store,
    enclosures: Callable[[int], list[arb]],
    what: Sequence[str],
    exact: Callable[[int], Expr | None] = lambda _: None,
    decimals: int | None = None,
) -> tuple[Figure, ...]:
    """Return certified figures of numbers that are not entries of a matrix; ``what`` has a name for each of them.

    ``exact`` returns the exact value of one of them, to decide a tie or whether it is a short decimal: then it is
    written short. Where even that does not settle a tie (a masked weight of e^(−10⁹) away from one), one more decimal
    does: it is 0.25, whichever way 0.3 would go. Large ones are written like the large entries of a matrix.
    """
    style = solution.style if decimals is None else replace(solution.style, decimals=decimals)
    known: dict[int, list[arb]] = {}

    def remembered(bits: int) -> list[arb]:
        if bits not in known:
            known[bits] = enclosures(bits)
        return known[bits]

    try:
        return _numbers(style, remembered, what, exact)
    except UndecidedError:
        return _numbers(replace(style, decimals=style.decimals + 1), remembered, what, exact)


def significant(solution: Store, name: str, index: int) -> Figure | None:
    """Write an entry so small that its decimals show little of it as its first digits and a power of ten.

    ``None`` where the enclosure reaches to 0, or the power is too extreme to write.
    """
    style, columns = solution.style, solution.columns(name)

    def enclosures(bits: int) -> list[arb]:
        return [solution.enclosure(name, bits)[divmod(index, columns)]]

    bits = next(precisions(style.decimals))
    with at_precision(bits):
        (x,) = enclosures(bits)
        if x.contains(0) or not abs(x) * arb(10) ** limits.FIGURE_DIGITS > 1:
            return None
        places = places_of_large(x, style.decimals)
    try:
        (number,) = _rounded_numbers(style, places, [0], enclosures, [solution.place(name, index)], lambda _: None)
    except UndecidedError:
        return None
    return Figure(power_text(number, -places), False)


def _numbers(
    style: FigureStyle, enclosures: Callable[[int], list[arb]], what: Sequence[str], exact: Callable[[int], Expr | None]
) -> tuple[Figure, ...]:
    bits = next(precisions(style.decimals))
    with at_precision(bits):
        balls = enclosures(bits)
        for name, x in zip(what, balls, strict=True):
            must_be_writable(name, x)
        places = [places_of_large(x, style.decimals) if is_large(x) else style.decimals for x in balls]
    figures: dict[int, Figure] = {}
    for shown in dict.fromkeys(places):
        indices = [index for index, other in enumerate(places) if other == shown]
        found = _rounded_numbers(style, shown, indices, enclosures, what, exact)
        with at_precision(bits):
            for index, number in zip(indices, found, strict=True):
                is_exact = _is_number(balls[index], number, shown, lambda index=index: exact(index))  # type: ignore[misc]
                figure = Figure.of(number, shown, is_exact)
                figures[index] = replace(figure, text=shortest(figure.text)) if is_exact else figure
    return tuple(figures[index] for index in range(len(what)))


def _rounded_numbers(
    style: FigureStyle,
    places: int,
    indices: list[int],
    enclosures: Callable[[int], list[arb]],
    what: Sequence[str],
    exact: Callable[[int], Expr | None],
) -> list[int]:
    """Return round(x · 10^places) of some of the numbers, certified."""
    scale = scale_of(places)

    def exactly(position: int, enclosure: arb) -> int | None:
        return tie(
            enclosure, places, style.ties, lambda middle: unless_open(lambda: _is(exact(indices[position]), middle))
        )

    def describe(position: int) -> str:
        digit = f"decimal number {places}" if places > 0 else f"the digit before {-places} more"
        return f"{what[indices[position]]}: {digit} cannot be decided"

    return settle(
        len(indices),
        lambda bits: [enclosures(bits)[index] for index in indices],
        lambda x: round_ball(x, scale),
        exactly,
        describe,
        style.decimals,
    )


def _is_number(enclosure: arb, number: int, places: int, exact: Callable[[], Expr | None]) -> bool:
    """Return whether a value is exactly n / 10^places; most enclosures rule it out at once."""
    scaled = enclosure * scale_of(places)
    if enclosure.is_exact():
        return bool(scaled == number)
    return bool(scaled.contains(number)) and bool(_is(exact(), Rational(number) / Rational(10) ** places))


def _is(value: Expr | None, number: Expr) -> bool | None:
    return None if value is None else is_zero(value - number)
