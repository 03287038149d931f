"""Intervals for names that depend on rounded figures: they have no exact value or decimals, only ends."""

from __future__ import annotations

from flint import fmpq
from sympy import Expr, MatrixExpr

from symattn.base.budget import doing, spend
from symattn.base.errors import NoValueError
from symattn.base.printed import decimal_text, scale_of
from symattn.base.shapes import whole_sizes
from symattn.compute.solution.domain import prove_defined
from symattn.compute.solution.store import Store
from symattn.compute.values.cost import spend_on
from symattn.compute.values.ends import ZERO, Bounds, Intervals, from_balls, point
from symattn.compute.values.interval import BITS, interval
from symattn.compute.values.rational import to_fmpq
from symattn.operations import Softmax
from symattn.read.scenario.rounded import bounds

_ENTRY, _PRODUCT = 400, 40
"""Steps for a pair of rationals computed alone, and for a product of two pairs."""


def no_value(solution: Store, name: str, what: str) -> NoValueError:
    """Return the error for a request for a single value of an interval name."""
    if name in solution.givens:
        why = "each of its figures stands for every number that rounds to it"
    else:
        why = f"it rests on the rounded figures of {', '.join(solution.rounded_givens(name))}"
    return NoValueError(f"{name} has no {what}: {why}; ask for its intervals")


def intervals(solution: Store, name: str) -> Intervals:
    """Return the ends of every entry of one name, from its operands in the solution.

    Raises :class:`~symattn.base.errors.NoValueError` where the figures leave open whether there is a value.
    """
    given = solution.givens.get(name)
    if given is not None and given.rounded:
        return tuple(tuple(Bounds(_fmpq(low), _fmpq(high)) for low, high in row) for row in bounds(given))
    if not solution.rounded_givens(name):
        return _of_exact(solution, name)
    formula = solution.formula(name)
    with doing(f"step {name}"):
        spend_on(formula, by_entry=_ENTRY, by_product=_PRODUCT)
        for node in sorted(formula.atoms(Softmax), key=str):
            prove_defined(node, solution, f"step {name}")
            # Each end of a weight takes the exponentials of its row.
            rows, columns = whole_sizes(node)
            spend(8 * rows * columns**2)
    try:
        found = interval(formula, lambda used: _operand(solution, used))
    except NoValueError as error:
        raise NoValueError(f"step {name}: {error}") from None
    return tuple(tuple(x.shortened() for x in row) for row in found)


def hides(solution: Store, mask: MatrixExpr) -> tuple[tuple[bool, ...], ...]:
    """Return which entries a mask hides: those where it is not 0."""
    return tuple(tuple(x != ZERO for x in row) for row in interval(mask, lambda used: _operand(solution, used)))


def _operand(solution: Store, name: str) -> Intervals:
    """Return the ends of an operand: intervals are carried as they are, printed figures only where there are any."""
    if solution.style.carry == "rounded" and not solution.rounded_givens(name):
        printed = solution.printed_value(name)
        if printed is not None:
            return tuple(tuple(map(point, row)) for row in printed.tolist())
        # A mask of −∞ is exact, however it is carried.
        return _of_exact(solution, name)
    return solution.intervals(name)


def _of_exact(solution: Store, name: str) -> Intervals:
    known = solution.rational(name)
    if known is not None:
        return tuple(tuple(map(point, row)) for row in known.tolist())
    return from_balls(solution.enclosure(name, BITS))


def _fmpq(number: Expr) -> fmpq:
    found = to_fmpq(number)
    assert found is not None, "the figures of a rounded given are plain decimals"
    return found


def rounded_outwards(x: Bounds, places: int) -> tuple[str, str]:
    """Return both ends with so many decimals, the lower one rounded down and the upper one up.

    >>> rounded_outwards(Bounds(fmpq(1, 3), fmpq(1, 2)), 2)
    ('0.33', '0.50')
    """
    scale = scale_of(places)
    low, high = (x.low * scale).floor(), (x.high * scale).ceil()
    return decimal_text(int(low), places), decimal_text(int(high), places)
