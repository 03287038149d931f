"""Where an operation is not defined: proved not to happen, or refused with the entry that it happens at.

A cosine has no zero vector, shares are of rows that do not sum to zero, an entropy is of weights, an id has a row in
its table. Nothing is divided before this is known.
"""

from __future__ import annotations

from functools import singledispatch
from typing import TYPE_CHECKING, Protocol

from flint import fmpq
from sympy import Basic, MatAdd, MatMul, MatrixExpr, MatrixSymbol, OneMatrix, postorder_traversal

from symattn import operations as ops
from symattn.errors import DomainError
from symattn.solution.empty import empty_rows, row_names

if TYPE_CHECKING:
    from symattn.solution.core import Solution

PARTIAL: tuple[type, ...] = (
    ops.Angle,
    ops.Cosine,
    ops.Entropy,
    ops.EntryQuotient,
    ops.Keep,
    ops.LayerNorm,
    ops.Log,
    ops.OneHot,
    ops.Proportions,
    ops.RMSNorm,
    ops.Softmax,
    ops.UnitRows,
)
"""The nodes that are not defined everywhere."""


class Values(Protocol):
    """What is asked of the solution."""

    def signs(self, formula: MatrixExpr, what: str) -> tuple[tuple[int, ...], ...]:
        """The certified sign of every entry of a formula."""
        ...

    def evaluate_rational(self, formula: MatrixExpr) -> list[fmpq] | None:
        """The entries of a formula, if they are all rational."""
        ...


def certify_domain(solution: Values, formula: MatrixExpr, what: str) -> None:
    """Prove that every operation in a formula is defined for its operands, or raise
    :class:`~symattn.errors.DomainError`."""
    # The innermost first: what is asked about a node is asked of the values of its operands.
    for node in dict.fromkeys(node for node in postorder_traversal(formula) if isinstance(node, PARTIAL)):
        check(node, solution, what)


@singledispatch
def check(node: Basic, solution: Values, what: str) -> None:
    """Prove that one node is defined for its operands."""
    raise TypeError(f"no domain rule for {type(node).__name__}")


@check.register
def _(node: ops.Proportions, solution: Values, what: str) -> None:
    total = MatMul(node.argument, OneMatrix(node.shape[1], 1), evaluate=False)
    for i, (sign,) in enumerate(solution.signs(total, f"{what}, a sum of a row")):
        if sign == 0:
            rows = _written(node.argument, "the formula in proportions")
            raise DomainError(f"{what}: row {i + 1} of {rows} sums to 0 and cannot be divided by its sum")


@check.register(ops.Cosine)
@check.register(ops.Angle)
def _(node: ops.Cosine | ops.Angle, solution: Values, what: str) -> None:
    for side in (node.left, node.right):
        _must_have_length(side, solution, f"{what}, {type(node).__name__.lower()}", "has no direction")


@check.register
def _(node: ops.UnitRows, solution: Values, what: str) -> None:
    _must_have_length(node.argument, solution, f"{what}, unit", "cannot be brought to length 1")


def _must_have_length(rows: MatrixExpr, solution: Values, what: str, why: str) -> None:
    for i, (sign,) in enumerate(solution.signs(ops.RowNorm(rows), f"{what}, a length")):
        if sign == 0:
            raise DomainError(
                f"{what}: row {i + 1} of {_written(rows, 'the formula in it')} is the zero vector, which {why}"
            )


@check.register
def _(node: ops.Entropy, solution: Values, what: str) -> None:
    for i, row in enumerate(solution.signs(node.argument, f"{what}, a weight")):
        if min(row) < 0:
            place = f"{_written(node.argument, 'entry ')}[{i + 1},{row.index(min(row)) + 1}]"
            raise DomainError(f"{what}, entropy: {place} is negative: expected weights from 0 up")


@check.register
def _(node: ops.Keep, solution: Values, what: str) -> None:
    for i, row in enumerate(solution.signs(node.mask, f"{what}, a mask")):
        if max(row) > 0:
            place = f"{_written(node.mask, 'entry ')}[{i + 1},{row.index(max(row)) + 1}]"
            raise DomainError(f"{what}, keep: {place} is positive: expected a mask, whose entries are 0 or negative")


@check.register
def _(node: ops.Log, solution: Values, what: str) -> None:
    for i, row in enumerate(solution.signs(node.argument, f"{what}, the input of log")):
        if min(row) <= 0:
            came = "negative" if min(row) < 0 else "0"
            place = f"{_written(node.argument, 'entry ')}[{i + 1},{row.index(min(row)) + 1}]"
            raise DomainError(
                f"{what}, log: {place} is {came}: expected positive numbers, such as weights of a softmax"
            )


@check.register
def _(node: ops.EntryQuotient, solution: Values, what: str) -> None:
    for i, row in enumerate(solution.signs(node.right, f"{what}, a divisor")):
        if 0 in row:
            place = f"{_written(node.right, 'entry ')}[{i + 1},{row.index(0) + 1}]"
            raise DomainError(f"{what}, divide: {place} is 0, and nothing can be divided by 0")


@check.register
def _(node: ops.RMSNorm, solution: Values, what: str) -> None:
    if node.epsilon.is_zero:
        _must_have_length(node.argument, solution, f"{what}, rms_norm", "has the mean square 0, and epsilon is 0 too")


@check.register
def _(node: ops.LayerNorm, solution: Values, what: str) -> None:
    if not node.epsilon.is_zero:
        return
    width = node.shape[1]
    mean = MatMul(1 / width, node.argument, OneMatrix(width, width), evaluate=False)
    centred = MatAdd(node.argument, MatMul(-1, mean, evaluate=False), evaluate=False)
    for i, (sign,) in enumerate(solution.signs(ops.RowNorm(centred), f"{what}, a variance")):
        if sign == 0:
            rows = _written(node.argument, "the formula in it")
            raise DomainError(f"{what}, layer_norm: row {i + 1} of {rows} has the variance 0, and epsilon is 0 too")


@check.register(ops.Softmax)
def _(node: ops.Softmax, solution: Solution, what: str) -> None:
    if solution.style.on_empty == "error" and (empty := empty_rows(solution, node.argument)):
        rows, sees = row_names(solution, node.argument, empty), "sees" if len(empty) == 1 else "see"
        raise DomainError(
            f"{what}: {rows} of {_written(node.argument, 'the scores')} {sees} no key: every score there is −∞, and a "
            'softmax needs one that is not; on_empty = "zero" under [figures] gives weights of 0'
        )


@check.register
def _(node: ops.OneHot, solution: Values, what: str) -> None:
    count = int(node.shape[1])
    known = solution.evaluate_rational(node.ids)
    for j, number in enumerate(known or [None] * int(node.shape[0])):
        if number is None or number.q != 1 or not 0 <= number < count:
            came = "a number with a root or an exponential in it" if number is None else str(number)
            place = f"{_written(node.ids, 'one_hot, entry ')}[1,{j + 1}]"
            raise DomainError(f"{what}: {place} is {came}: expected an id, a whole number from 0 to {count - 1}")


def _written(node: MatrixExpr, otherwise: str) -> str:
    """The name of a node, or other words where it has none."""
    return str(node.name) if isinstance(node, MatrixSymbol) else otherwise
