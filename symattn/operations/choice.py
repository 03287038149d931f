"""Choosing by size: the place of the largest entry, the largest few."""

from __future__ import annotations

from typing import Any

from sympy import Add, Expr, Integer, MatMul, MatrixExpr, Piecewise
from sympy.matrices.expressions.matexpr import MatrixElement

from symattn.operations.stored import Stored, WholeArgument, basic
from symattn.shapes import whole_sizes


class ArgMax(Stored):
    """argmax(X)_i = the column of the largest entry of row i, counted from 0 as ids are; the first one where it ties.

    Shapes: (m, n) → (m, 1).

    >>> from sympy import MatrixSymbol
    >>> ArgMax(MatrixSymbol("P", 2, 3)).shape
    (2, 1)

    Source: the greedy choice of the next token.
    """

    called = "argmax"

    @property
    def of_smallest(self) -> MatrixExpr | None:
        """X of argmax(−X), which people write argmin(X); ``None`` of any other.

        >>> from sympy import MatrixSymbol
        >>> ArgMax(-MatrixSymbol("D", 2, 3)).of_smallest
        D
        """
        args = self.argument.args
        return args[1] if isinstance(self.argument, MatMul) and args[0] == -1 and len(args) == 2 else None

    @property
    def shape(self) -> tuple[Expr, Expr]:
        return (basic(self.argument.shape[0]), Integer(1))

    def _entry(self, i: Expr, j: Expr, **kwargs: Any) -> Expr:
        x = self.argument
        if not basic(x.shape[1]).is_Integer:
            # Which of a number of entries that is a letter is largest has no form in SymPy: it stands for itself.
            return MatrixElement(self, i, j)
        places = range(whole_sizes(x)[1])
        return Piecewise(*((Integer(k), _ahead(x, i, k) < 1) for k in places[:-1]), (Integer(places[-1]), True))


class TopK(Stored):
    """top_k(P, k)_{ij} = 1 where p_{ij} is among the k largest entries of row i and 0 elsewhere; ties: the first ones.

    Shapes: (m, n) → (m, n), 1 ≤ k ≤ n; every row sums to k. proportions(hadamard(P, top_k(P, k))) are the
    probabilities that top-k sampling draws from.

    >>> from sympy import MatrixSymbol
    >>> TopK(MatrixSymbol("P", 2, 3), 2).count
    2

    Source: Fan, Lewis and Dauphin 2018, *Hierarchical Neural Story Generation*, section 5.4.
    """

    called = "top"
    count = WholeArgument(1, "How many are chosen in every row.")

    @property
    def shape(self) -> tuple[Expr, Expr]:
        rows, columns = map(basic, self.argument.shape)
        return rows, columns

    def _entry(self, i: Expr, j: Expr, **kwargs: Any) -> Expr:
        if not (self.shape[1].is_Integer and getattr(j, "is_Integer", isinstance(j, int))):
            return MatrixElement(self, i, j)
        return Piecewise((Integer(1), _ahead(self.argument, i, int(j)) < self.count), (Integer(0), True))


def _ahead(x: MatrixExpr, i: Expr, j: int) -> Expr:
    """How many entries of row i come before the one in column j, the larger ones first and of equal ones the first."""
    before = (Piecewise((1, x[i, k] >= x[i, j]), (0, True)) for k in range(j))
    after = (Piecewise((1, x[i, k] > x[i, j]), (0, True)) for k in range(j + 1, whole_sizes(x)[1]))
    return Add(*before, *after)
