"""Nodes that arrange entries without calculating: rows, blocks, matrices side by side or stacked, one-hot rows."""

from __future__ import annotations

from typing import Any

from sympy import Eq, Expr, Integer, MatrixExpr, Piecewise

from symattn.operations.indices import size


class Broadcast(MatrixExpr):
    """B_{ij} = b_j: the row b written n times, so that it can be added to n rows.

    Shapes: (1, d) → (n, d).

    >>> from sympy import MatrixSymbol
    >>> Broadcast(MatrixSymbol("b", 1, 2), 3)[2, 1]
    b[0, 1]
    """

    def __new__(cls, argument: MatrixExpr, rows: Expr | int) -> Broadcast:
        return MatrixExpr.__new__(cls, argument, size(rows))

    @property
    def argument(self) -> MatrixExpr:
        """The row b."""
        return self.args[0]

    @property
    def shape(self) -> tuple[Expr, Expr]:
        return (self.args[1], self.argument.shape[1])

    def _entry(self, i: Expr, j: Expr, **kwargs: Any) -> Expr:
        return self.argument[Integer(0), j]


class Row(MatrixExpr):
    """Row i of X, counted from 1 as the reader counts: row(X, i)_{1j} = x_{ij}.

    Shapes: (m, n) → (1, n).

    >>> from sympy import MatrixSymbol
    >>> Row(MatrixSymbol("X", 3, 2), 3)[0, 1]
    X[2, 1]
    """

    def __new__(cls, argument: MatrixExpr, number: Expr | int) -> Row:
        return MatrixExpr.__new__(cls, argument, Integer(number))

    @property
    def argument(self) -> MatrixExpr:
        """The matrix X."""
        return self.args[0]

    @property
    def number(self) -> int:
        """Which row, from 1."""
        return int(self.args[1])

    @property
    def shape(self) -> tuple[Expr, Expr]:
        return (Integer(1), self.argument.shape[1])

    def _entry(self, i: Expr, j: Expr, **kwargs: Any) -> Expr:
        return self.argument[self.number - 1, j]


class Head(MatrixExpr):
    """head(X, t, h)_{ij} = x_{i, (t − 1) d/h + j}: the t-th of h equally wide blocks of columns, counted from 1.

    Shapes: (n, d) → (n, d/h); h divides d.

    >>> from sympy import MatrixSymbol
    >>> Head(MatrixSymbol("Q", 4, 8), 2, 2)[0, 0]
    Q[0, 4]

    Source: Vaswani et al. 2017, section 3.2.2: with one projection for all heads side by side, as in PyTorch's
    ``MultiheadAttention``, the columns of Q W_t^Q are a block of the columns of Q.
    """

    def __new__(cls, argument: MatrixExpr, number: Expr | int, count: Expr | int) -> Head:
        return MatrixExpr.__new__(cls, argument, Integer(number), Integer(count))

    @property
    def argument(self) -> MatrixExpr:
        """The matrix X."""
        return self.args[0]

    @property
    def number(self) -> int:
        """Which head, from 1."""
        return int(self.args[1])

    @property
    def count(self) -> int:
        """How many heads there are."""
        return int(self.args[2])

    @property
    def start(self) -> Expr:
        """The first column, counted from 0."""
        return self.shape[1] * (self.number - 1)

    @property
    def shape(self) -> tuple[Expr, Expr]:
        rows, columns = self.argument.shape
        return (rows, columns / self.count)

    def _entry(self, i: Expr, j: Expr, **kwargs: Any) -> Expr:
        return self.argument[i, j + self.start]


class Concat(MatrixExpr):
    """concat(X, Y, …) = [X Y …], matrices side by side.

    Shapes: (n, a), (n, b), … → (n, a + b + …).

    >>> from sympy import MatrixSymbol
    >>> Concat(MatrixSymbol("A", 2, 2), MatrixSymbol("B", 2, 3))[1, 4]
    B[1, 2]

    Source: Vaswani et al. 2017, section 3.2.2, MultiHead(Q, K, V) = Concat(head_1, …, head_h) W^O.
    """

    def __new__(cls, *parts: MatrixExpr) -> Concat:
        return MatrixExpr.__new__(cls, *parts)

    @property
    def shape(self) -> tuple[Expr, Expr]:
        return (self.args[0].shape[0], sum((part.shape[1] for part in self.args), Integer(0)))

    def place(self, column: int) -> tuple[int, int]:
        """Which part a column is in, and its place there, all counted from 0."""
        for number, part in enumerate(self.args):
            if column < int(part.shape[1]):
                return number, column
            column -= int(part.shape[1])
        raise IndexError(column)

    def _entry(self, i: Expr, j: Expr, **kwargs: Any) -> Expr:
        if getattr(j, "is_Integer", isinstance(j, int)) and all(part.shape[1].is_Integer for part in self.args):
            number, column = self.place(int(j))
            return self.args[number][i, Integer(column)]
        branches, start = [], Integer(0)
        for part in self.args:
            branches.append((part[i, j - start], j < start + part.shape[1]))
            start += part.shape[1]
        return Piecewise(*branches[:-1], (branches[-1][0], True))


class OneHot(MatrixExpr):
    """one_hot(ids, v)_{ij} = 1 where j is ids_i and 0 elsewhere; ids count from 0, as tokenizers do.

    Shapes: (1, n) → (n, v). Times an embedding table (v, d) it looks up a row for every id.

    >>> from sympy import Matrix
    >>> OneHot(Matrix([[2, 0]]), 3).as_explicit()
    Matrix([
    [0, 0, 1],
    [1, 0, 0]])
    """

    def __new__(cls, ids: MatrixExpr, width: Expr | int) -> OneHot:
        return MatrixExpr.__new__(cls, ids, size(width))

    @property
    def ids(self) -> MatrixExpr:
        """The ids, one row."""
        return self.args[0]

    @property
    def shape(self) -> tuple[Expr, Expr]:
        return (self.ids.shape[1], self.args[1])

    def _entry(self, i: Expr, j: Expr, **kwargs: Any) -> Expr:
        return Piecewise((Integer(1), Eq(self.ids[Integer(0), i], j)), (Integer(0), True))


class Rows(MatrixExpr):
    """rows(X, a, b) = the rows a to b of X, both counted from 1 and both included.

    Shapes: (m, n) → (b − a + 1, n).

    >>> from sympy import MatrixSymbol
    >>> Rows(MatrixSymbol("K", 4, 2), 3, 4)[0, 1]
    K[2, 1]
    """

    def __new__(cls, argument: MatrixExpr, first: Expr | int, last: Expr | int) -> Rows:
        return MatrixExpr.__new__(cls, argument, Integer(first), Integer(last))

    @property
    def argument(self) -> MatrixExpr:
        """The matrix X."""
        return self.args[0]

    @property
    def first(self) -> int:
        """The first row, from 1."""
        return int(self.args[1])

    @property
    def last(self) -> int:
        """The last row, from 1."""
        return int(self.args[2])

    @property
    def shape(self) -> tuple[Expr, Expr]:
        return (Integer(self.last - self.first + 1), self.argument.shape[1])

    def _entry(self, i: Expr, j: Expr, **kwargs: Any) -> Expr:
        return self.argument[i + self.first - 1, j]


class Stack(MatrixExpr):
    """stack(X, Y, …) = X above Y above …, as a cache of keys grows by the key of a new token.

    Shapes: (a, n), (b, n), … → (a + b + …, n).

    >>> from sympy import MatrixSymbol
    >>> Stack(MatrixSymbol("A", 2, 2), MatrixSymbol("B", 3, 2))[4, 1]
    B[2, 1]
    """

    def __new__(cls, *parts: MatrixExpr) -> Stack:
        return MatrixExpr.__new__(cls, *parts)

    @property
    def shape(self) -> tuple[Expr, Expr]:
        return (sum((part.shape[0] for part in self.args), Integer(0)), self.args[0].shape[1])

    def place(self, row: int) -> tuple[int, int]:
        """Which part a row is in, and its place there, all counted from 0."""
        for number, part in enumerate(self.args):
            if row < int(part.shape[0]):
                return number, row
            row -= int(part.shape[0])
        raise IndexError(row)

    def _entry(self, i: Expr, j: Expr, **kwargs: Any) -> Expr:
        if getattr(i, "is_Integer", isinstance(i, int)) and all(part.shape[0].is_Integer for part in self.args):
            number, row = self.place(int(i))
            return self.args[number][Integer(row), j]
        branches, start = [], Integer(0)
        for part in self.args:
            branches.append((part[i - start, j], i < start + part.shape[0]))
            start += part.shape[0]
        return Piecewise(*branches[:-1], (branches[-1][0], True))
