"""Compare every entry of two formulas at small sizes, for certain numbers.

No rule of proofs is used here: each name becomes a matrix of rational numbers, and both sides are evaluated in balls.
Where the balls of an entry do not overlap, the statement is false, which needs no more proof. Agreement to
:data:`DIGITS` digits wherever there is a value shows no more than that: the proof is in the rules.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from random import Random
from types import MappingProxyType

from flint import arb, arb_mat, ctx, fmpq
from sympy import Expr, MatAdd, MatMul, MatPow, MatrixExpr, MatrixSymbol, Rational, Symbol, preorder_traversal

from symattn.compute.proof.tree import ProofError
from symattn.compute.values.applied import applied_entries
from symattn.compute.values.ball import of_operands
from symattn.compute.values.balls import FUNCTIONS, Balls, at_precision, number_ball
from symattn.compute.values.cost import spend_at
from symattn.operations import Exp, Hadamard, Keep
from symattn.operations.node import operation_of

ENTRIES = 400
"""The most entries of a matrix on the way."""

DIGITS = 30
"""The number of digits to which both sides must agree."""

BITS = (192, 768)
"""Precision, and the higher one for entries that the first leaves open."""

RANGES = ((-4095, 4095), (1, 1023), (2**20, 2**25))
"""Numbers of both signs, numbers between 0 and 1, large ones: the ends of the numerators over 1024, draw by draw."""


class _WithoutShares(Balls):
    """Balls in which 0/0 has no value, unlike the shares of an empty row elsewhere."""

    functions = MappingProxyType({name: rule for name, rule in FUNCTIONS.items() if name != "shares"})


def compared(left: MatrixExpr, right: MatrixExpr, sizes: Mapping[Symbol, Expr]) -> tuple[int, int] | bool:
    """Return row and column of an entry proved to differ; else whether all agree for some of the numbers.

    Raises :class:`~symattn.compute.proof.tree.ProofError` for an operation that depends on the size.

    >>> from symattn.operations import Dot, Transpose
    >>> X = MatrixSymbol("X", 2, 2)
    >>> compared(Dot(X, X), MatMul(X, Transpose(X), evaluate=False), {})
    True
    >>> compared(Dot(X, X), MatMul(X, X, evaluate=False), {})
    (1, 1)
    """
    nodes = [node for side in (left, right) for node in preorder_traversal(side) if getattr(node, "is_Matrix", False)]
    for node in nodes:
        if not isinstance(node, MatrixSymbol | MatMul | MatAdd | MatPow) and operation_of(node) is None:
            raise ProofError(f"there is no rule for {type(node).__name__}")
    if any(node.shape[0] * node.shape[1] > ENTRIES for node in nodes):
        return False
    found = [dict(_verdicts(_at(left, sizes, draw), _at(right, sizes, draw), draw)) for draw in range(len(RANGES))]
    apart = [place for verdicts in found for place, agrees in verdicts.items() if agrees is False]
    return min(apart) if apart else any(all(verdicts.values()) for verdicts in found)


def _at(formula: MatrixExpr, sizes: Mapping[Symbol, Expr], draw: int) -> MatrixExpr:
    """Substitute numbers for letters. A mask m of 0 and −∞ becomes e^m inside a keep, as in the rules."""
    kept = formula.replace(lambda node: isinstance(node, Keep), lambda node: Hadamard(node.args[0], Exp(node.args[1])))
    letters = kept.atoms(Symbol) - sizes.keys()
    return kept.xreplace({**sizes, **{letter: Rational(*_drawn(str(letter), 1, draw)[0]) for letter in letters}})


def _drawn(name: str, count: int, draw: int) -> list[tuple[int, int]]:
    """Draw the same numbers for a name each time; over a power of 2, so that their sums and products are exact."""
    random = Random(f"{name} {draw}")
    return [(random.randint(*RANGES[draw]), 1024) for _ in range(count)]


def _verdicts(left: MatrixExpr, right: MatrixExpr, draw: int) -> Iterator[tuple[tuple[int, int], bool | None]]:
    """Yield whether each entry agrees; ``None`` where it has no value, or a case stays open."""

    def given(matrix: MatrixSymbol) -> arb_mat:
        rows, columns = map(int, matrix.shape)
        return arb_mat(rows, columns, [arb(fmpq(*number)) for number in _drawn(matrix.name, rows * columns, draw)])

    for bits in BITS:
        with at_precision(bits):
            one, two = _worked_out(left, given), _worked_out(right, given)
            found = [_agree(a, b) for a, b in zip(one.entries(), two.entries(), strict=True)]
        if None not in found:
            break
    width = two.ncols()
    yield from (((n // width + 1, n % width + 1), agrees) for n, agrees in enumerate(found))


def _worked_out(node: MatrixExpr, given: Callable[[MatrixSymbol], arb_mat]) -> arb_mat:
    if isinstance(node, MatrixSymbol):
        return given(node)
    values = [_worked_out(arg, given) for arg in node.args if arg.is_Matrix]
    spend_at(node, ctx.prec)
    if operation_of(node) is None:
        return of_operands(node, values)
    return arb_mat(
        applied_entries(node, [each.tolist() for each in values], lambda x: number_ball(x.doit()), _WithoutShares())
    )


def _agree(a: arb, b: arb) -> bool | None:
    if not (a.is_finite() and b.is_finite()):
        return None
    if not a.overlaps(b):
        return False
    return True if abs(a - b) < (1 + abs(a)) * arb(10) ** -DIGITS else None
