"""The second road of a Jacobian: ∂y/∂x is multiplied together forwards, and its rows come backwards.

Row r of ∂y/∂x is the vector-Jacobian product of a row of zeros with a 1 at place r, which
:mod:`symattn.gradients.chain` takes from the last step to the first. Both are worked out at the given values in balls.

Source: Baydin et al. 2018, *Automatic Differentiation in Machine Learning: a Survey*, section 3.2.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain, count

from flint import arb_mat, fmpq, fmpq_mat
from sympy import MatMul, MatrixExpr

from symattn.given import Given
from symattn.gradients.chain import backward
from symattn.plan import Plan
from symattn.solution.shown import Shown
from symattn.solution.store import Store

BITS = 128
"""The precision of both roads."""

ROWS = 16
"""A Jacobian of more rows is checked by this many sums of all of its rows, each with weights of its own."""


class JacobianMismatch(AssertionError):
    """The two roads to a Jacobian differ: a fault of symattn, whatever the numbers are."""


def check_jacobian(solution: Store, name: str) -> None:
    """Compare a Jacobian with vector-Jacobian products.

    Raises :class:`JacobianMismatch` where one of its rows is not what comes back through the steps.
    """
    derivative = solution.step(name).derivative
    assert derivative is not None
    of, by = derivative
    plan = _before(solution.derivation, name)
    if (
        by == of
        or _is_written_zero(solution.formula(name))
        or any(solution.shown(each) is not Shown.FIGURES for each in (name, of, by))
    ):
        return
    grad = next(each for each in chain(["G"], (f"G_{k}" for k in count(2))) if _is_free(solution.derivation, each))
    made = backward(plan.given(grad, plan[of].shape), of, [by], grad)
    unmarked = tuple(replace(step, derivative=None) for step in solution.derivation.steps)
    evaluated, exactly = type(solution), replace(solution.style, carry="exact")
    values = evaluated(replace(solution.derivation, steps=unmarked), solution.givens, exactly)
    found = values.enclosure(name, BITS)
    rows, columns = solution.rows(of), solution.columns(of)
    for weights in _weights(rows * columns):
        seed = Given.read([weights[k * columns : (k + 1) * columns] for k in range(rows)])
        other = evaluated(made.plan, {**solution.givens, grad: seed}, exactly)
        row = other.enclosure(made.names[by], BITS)
        wanted = arb_mat(fmpq_mat(1, len(weights), [fmpq(each) for each in weights])) * found
        if not all(one.overlaps(two) for one, two in zip(wanted.entries(), row.entries(), strict=True)):
            raise JacobianMismatch(f"{name}: ∂{of}/∂{by} is not what comes back from {of} to {by}")


def _is_written_zero(formula: MatrixExpr) -> bool:
    """Return True for 0 · 1, as a Jacobian is written where x does not act on y: nothing comes back then."""
    return isinstance(formula, MatMul) and formula.args[0] == 0


def _before(plan: Plan, name: str) -> Plan:
    """The plan before a step."""
    return replace(plan, steps=plan.steps[: [step.name for step in plan.steps].index(name)])


def _is_free(plan: Plan, name: str) -> bool:
    return name not in {*plan.by_name, *plan.sizes, *plan.symbols, *plan.operations, *plan.batches}


def _weights(count: int) -> Iterator[Sequence[int]]:
    """A row of zeros and a one for each of few entries; of many, sums in which no two entries weigh the same."""
    if count <= ROWS:
        yield from ([int(k == r) for k in range(count)] for r in range(count))
    else:
        yield from ([(k + 1) ** 2 * (r + 3) % 1009 - 500 for k in range(count)] for r in range(3))
