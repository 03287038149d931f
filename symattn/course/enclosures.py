"""Where values may lie for somebody who rounds every number on the way to as many decimals as are asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from flint import arb_mat

from symattn.base.errors import SymattnError
from symattn.compute.solution.store import Store
from symattn.compute.values.balls import at_precision
from symattn.compute.values.hand import widened
from symattn.compute.values.rational import digits_of
from symattn.course.worked import BITS, Ask, Worked, by_hand

Enclosures = Mapping[str, arb_mat]

ENDLESS = 1_000
"""A fraction that takes more decimals than this is as good as one that takes endlessly many."""


def true_values(right: Worked, asks: Sequence[Ask]) -> Enclosures:
    """Where the true values may lie. A name that has none by hand is missing."""
    return {ask.name: value for ask in asks if (value := _true(right, ask)) is not None}


def _true(right: Worked, ask: Ask) -> arb_mat | None:
    if ask.kind != "matrix" or not right.has(ask.name):
        return None
    try:
        exact = right.solution.enclosure(ask.name, BITS)
    except SymattnError:
        return None
    return settled(followed(right, ask, {}), exact)


def settled(wide: arb_mat | None, exact: arb_mat) -> arb_mat:
    """Where values may lie, and the value itself where rounding on the way may make a divisor zero: there nothing
    else is known, and it is still right."""
    if wide is None:
        return exact
    pairs = zip(wide.entries(), exact.entries(), strict=True)
    return arb_mat(exact.nrows(), exact.ncols(), [w if w.is_finite() else x for w, x in pairs])


def followed(made: Worked, ask: Ask, own: Enclosures) -> arb_mat | None:
    """Where the value of a name may lie that follows from matrices in ``own``; ``None`` where nothing follows."""
    if ask.name not in made.plan.by_name:
        return None
    return rounded_on_the_way(
        made.solution, ask.name, ask.decimals, lambda: {**written(made.solution, ask.decimals), **own}
    )


def rounded_on_the_way(
    solution: Store, name: str, decimals: int, start: Callable[[], Enclosures] = dict
) -> arb_mat | None:
    """Where the value of a name may lie for somebody who begins with ``start`` and rounds; ``None`` where it has none
    by hand."""
    try:
        with at_precision(BITS):
            return by_hand(solution, widened(decimals), (name,), start())[name]
    except (SymattnError, ArithmeticError, ValueError, KeyError):
        return None


def written(solution: Store, decimals: int) -> dict[str, arb_mat]:
    """The givens that hold numbers which no decimal writes, such as √2: they are rounded too when they are used."""
    return {name: value for name in solution.givens if (value := _written(solution, name, decimals)) is not None}


def _written(solution: Store, name: str, decimals: int) -> arb_mat | None:
    known = solution.rational_entries(name)
    endless = (
        [True] * (solution.rows(name) * solution.columns(name))
        if known is None
        else [digits_of(x, ENDLESS) is None for x in known]
    )
    if not any(endless):
        return None
    carry = widened(decimals)
    value = solution.enclosure(name, BITS)
    entries = [
        carry(x) if is_endless and not x.is_exact() else x
        for x, is_endless in zip(value.entries(), endless, strict=True)
    ]
    return arb_mat(value.nrows(), value.ncols(), entries)
