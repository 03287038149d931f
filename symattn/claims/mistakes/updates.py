"""Mistakes in a step of training: its sign, its learning rate, and Adam's averages of the gradient.

The right ways: W − η ∂L/∂W; M = β_1 M + (1 − β_1) G and V = β_2 V + (1 − β_2) G², both divided by 1 − β^t before W − η
M / (√V + ε): Kingma and Ba 2015, *Adam: a method for stochastic optimization*, algorithm 1.
"""

from __future__ import annotations

from collections.abc import Iterator

from sympy import Expr, Integer, MatAdd, MatMul, MatrixExpr, MatrixSymbol, Mul, expand

from symattn.claims.mistakes.building import (
    factors,
    matrix_size,
    places,
    put,
    scaled_matrix,
    sum_terms,
    unevaluated_product,
    unevaluated_sum,
)
from symattn.claims.mistakes.gradients import operation_name, signed
from symattn.claims.mistakes.model import Mistake
from symattn.claims.mistakes.rewriting import at_each
from symattn.claims.mistakes.subject import Subject
from symattn.operations import EntryQuotient, Quotient


def update(subject: Subject, node: MatrixExpr) -> tuple[MatrixExpr, MatrixExpr] | None:
    """Return the weights and the term that a step of training subtracts from them.

    >>> from symattn.read.plan import Plan
    >>> from symattn.base.shapes import shape
    >>> plan = Plan().given("W", shape(2, 3)).given("dW", shape(2, 3)).step("U", "W - dW / 10")
    >>> update(Subject(plan), plan["U"].formula)
    (W, Quotient(dW, 10))
    """
    added, taken = signed(node) if isinstance(node, MatAdd) else ((), ())
    if len(added) != 1 or len(taken) != 1:
        return None
    # With weight decay, a number slightly below 1 multiplies the weights.
    kept, step = factors(added[0])[1], taken[0]
    if len(kept) != 1 or not isinstance(kept[0], MatrixSymbol) or kept[0].name in subject.gradients:
        return None
    return (added[0], step) if subject.comes_from_gradients(step) and _unscaled(step) != step else None


def _unscaled(step: MatrixExpr) -> MatrixExpr:
    """Return a step without its learning rate."""
    numbers, inner = factors(step)
    rest = unevaluated_product(*inner)
    if numbers:
        return rest
    if isinstance(rest, Quotient):
        return rest.argument
    if isinstance(rest, EntryQuotient):
        return EntryQuotient(_unscaled(rest.left), rest.right)
    return rest


def _uphill(subject: Subject, node: MatrixExpr) -> Iterator[MatrixExpr]:
    """W + η G."""
    if (found := update(subject, node)) is not None:
        yield unevaluated_sum(*found)


def _rate_forgotten(subject: Subject, node: MatrixExpr) -> Iterator[MatrixExpr]:
    """W − G."""
    if (found := update(subject, node)) is not None:
        yield unevaluated_sum(found[0], scaled_matrix(Integer(-1), _unscaled(found[1])))


# -- Adam --------------------------------------------------------------------------------------------------------------


def _average(subject: Subject, node: MatrixExpr) -> tuple[tuple[Expr, Expr], tuple[MatrixExpr, MatrixExpr]] | None:
    """Return β, 1 − β and the matrices they weigh, in a running average of a gradient or of its square."""
    if not isinstance(node, MatAdd) or len(sum_terms(node)) != 2 or not subject.comes_from_gradients(node):
        return None
    (first, old), (second, new) = (
        (Mul(*factors(term)[0]), unevaluated_product(*factors(term)[1])) for term in sum_terms(node)
    )
    if first == 1 or second == 1 or expand(subject.scalar(first + second)) != 1 or matrix_size(old) != matrix_size(new):
        return None
    return (first, second), (old, new)


def _uncorrected(subject: Subject, node: MatrixExpr) -> Iterator[MatrixExpr]:
    """M instead of M / (1 − β^t)."""
    if isinstance(node, Quotient):
        argument = subject.meaning(node.argument)
        if _average(subject, argument) is not None or _is_first(subject, argument, node.divisor):
            yield node.argument


def _is_first(subject: Subject, node: MatrixExpr, divisor: Expr) -> bool:
    """Return whether an average is that of the first step, (1 − β) G, and the divisor 1 − β."""
    numbers, inner = factors(node)
    share = subject.scalar(Mul(*numbers))
    return (
        bool(numbers)
        and share == subject.scalar(divisor) != 1
        and subject.comes_from_gradients(unevaluated_product(*inner))
    )


def _shares_exchanged(subject: Subject, node: MatrixExpr) -> Iterator[MatrixExpr]:
    """(1 − β) M + β G instead of β M + (1 − β) G."""
    if (found := _average(subject, node)) is not None:
        (first, second), (old, new) = found
        yield unevaluated_sum(MatMul(second, old, evaluate=False), MatMul(first, new, evaluate=False))


def _root_forgotten(subject: Subject, node: MatrixExpr) -> Iterator[MatrixExpr]:
    """M / V instead of M / √V."""
    for path, inner in places(node) if update(subject, node) is not None else ():
        if operation_name(inner) == "sqrt":
            yield put(node, path, inner.args[1])


ADAM = ("adam-step",)
STEPS = ("sgd-step", *ADAM)

MISTAKES = (
    Mistake("step-uphill", at_each(_uphill, which="any"), STEPS, rank=252),
    Mistake("rate-forgotten", at_each(_rate_forgotten, which="any"), STEPS, rank=253),
    Mistake("bias-not-corrected", at_each(_uncorrected, which="any"), ADAM, rank=254),
    Mistake("decay-on-the-wrong-side", at_each(_shares_exchanged, which="any"), ADAM, rank=822),
    Mistake("root-of-squares-forgotten", at_each(_root_forgotten, which="any"), ADAM, rank=823),
)
