"""Ranges of values that count as right for somebody who works by hand: who rounds every number on the way to the
requested decimals, and may continue from figures of their own."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from flint import arb_mat
from sympy import MatrixExpr

from symattn.base.errors import SymattnError
from symattn.compute.solution.store import Store
from symattn.compute.values.ball import BallLookup
from symattn.compute.values.balls import at_precision
from symattn.compute.values.hand import Carry, hand, widened
from symattn.compute.values.rational import digits_of

Enclosures = Mapping[str, arb_mat]

BITS = 128
"""The precision of values by hand: far more than anybody writes down."""

ENDLESS = 1_000
"""A fraction with more decimals than this counts as one with endlessly many."""


def carried(solution: Store, carry: Carry, names: tuple[str, ...], own: Enclosures | None = None) -> dict[str, arb_mat]:
    """Return the values of ``names`` and all they depend on, with ``carry`` applied to every number on the way.

    Matrices in ``own`` are taken as they are. The working precision is the one in force.
    """
    own, found, written = own or {}, dict(own or {}), dict(own or {})
    for name in solution.derivation.behind(names, known=own):
        if name in own:
            continue
        if name in solution.givens:
            found[name] = written[name] = solution.enclosure(name, BITS)
        else:
            found[name] = hand(solution.formula(name), written.__getitem__, carry)
            rows, columns = found[name].nrows(), found[name].ncols()
            written[name] = arb_mat(rows, columns, list(map(carry, found[name].entries())))
    return found


def by_hand(
    solution: Store, name: str, decimals: int, own: Enclosures | None = None, *, digits: bool = False
) -> arb_mat | None:
    """Return the range of a value for somebody who rounds to so many decimals and has ``own`` matrices; ``None`` if it
    cannot be computed by hand.

    Givens that no decimal writes are rounded too, unless all their ``digits`` are available, as in a spreadsheet.
    """

    def work() -> arb_mat:
        start = {} if digits else rounded_givens(solution, decimals)
        return carried(solution, widened(decimals), (name,), {**start, **(own or {})})[name]

    return _tried(work) if name in solution.derivation.by_name else None


def step_by_hand(formula: MatrixExpr, operand: BallLookup, decimals: int) -> arb_mat | None:
    """Return the same for one formula whose operands are given."""
    return _tried(lambda: hand(formula, operand, widened(decimals)))


def or_exact(wide: arb_mat | None, exact: arb_mat) -> arb_mat:
    """Return the accepted range of a value: the one by hand, or the exact value where it is missing or infinite, as
    rounding on the way may make a divisor zero."""
    if wide is None:
        return exact
    pairs = zip(wide.entries(), exact.entries(), strict=True)
    return arb_mat(exact.nrows(), exact.ncols(), [w if w.is_finite() else x for w, x in pairs])


def _tried(work: Callable[[], arb_mat]) -> arb_mat | None:
    try:
        with at_precision(BITS):
            return work()
    except (SymattnError, ArithmeticError, ValueError, KeyError):
        return None


def rounded_givens(solution: Store, decimals: int) -> dict[str, arb_mat]:
    """Return the givens with numbers that no decimal writes, such as √2: they too are rounded before use."""
    return {name: value for name in solution.givens if (value := _rounded(solution, name, decimals)) is not None}


def _rounded(solution: Store, name: str, decimals: int) -> arb_mat | None:
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
