"""Nodes that arrange entries without calculating: rows, blocks, matrices side by side or stacked, one-hot rows."""

from __future__ import annotations

from typing import ClassVar

from sympy import Basic, Expr

from symattn.operations.node import Node
from symattn.operations.stored import GivenArgument, WholeArgument, as_number


class Broadcast(Node):
    """B_{ij} = b_j: the row b written n times, so that it can be added to n rows."""

    definition = """
        broadcast(b: d, n) -> n×d
            y[i,j] = b[j]
    """
    is_infix = True


class Row(Node):
    """Row i of X, counted from 1 as the reader counts: row(X, i)_{1j} = x_{ij}.

    >>> from sympy import MatrixSymbol
    >>> Row(MatrixSymbol("X", 3, 2), 3)[0, 1]
    X[2, 1]
    """

    definition = """
        row(X: m×n, i: whole) -> 1×n
            y[r,j] = X[i,j]
    """
    number = WholeArgument(1, "Which row, from 1.")


class Picked(Node):
    """Entry (i, j) of X, counted from 1 as the reader counts: entry(X, i, j) = x_{ij}.

    >>> from sympy import MatrixSymbol
    >>> Picked(MatrixSymbol("X", 3, 2), 3, 1)[0, 0]
    X[2, 0]
    """

    definition = """
        entry(X: m×n, i: whole, j: whole) -> 1×1
            y[r,c] = X[i,j]
    """
    row = WholeArgument(1, "Which row, from 1.")
    column = WholeArgument(2, "Which column, from 1.")

    @property
    def places(self) -> tuple[Expr, ...]:
        """The indices under a matrix for its entry; for a single row or column there is one."""
        rows, columns = self.argument.shape
        return (self.args[2],) if rows == 1 else (self.args[1],) if columns == 1 else self.args[1:]


class Head(Node):
    """head(X, t, h)_{ij} = x_{i, (t − 1) d/h + j}: the t-th of h equally wide blocks of columns, counted from 1.

    Shapes: (n, d) → (n, d/h); h divides d.

    >>> from sympy import MatrixSymbol
    >>> Head(MatrixSymbol("Q", 4, 8), 2, 2)[0, 0]
    Q[0, 4]

    Source: Vaswani et al. 2017, section 3.2.2: with one projection for all heads side by side, as in PyTorch's
    ``MultiheadAttention``, the columns of Q W_t^Q are a block of the columns of Q.
    """

    definition = """
        head(X: n×d, t: whole, h: whole) -> n×(d/h)
            y[i,j] = X[i, (t - 1) * d / h + j]
    """
    number = WholeArgument(1, "Which head, from 1.")
    count = WholeArgument(2, "How many heads there are.")

    @property
    def start(self) -> Expr:
        """The first column, counted from 0."""
        return self.shape[1] * (self.number - 1)


class _Joined(Node):
    """Matrices joined along one axis: stacked along 0, side by side along 1."""

    along: ClassVar[int]

    def place(self, at: int) -> tuple[int, int]:
        """Return the part that a row or a column belongs to, and its place there, all counted from 0."""
        for number, part in enumerate(self.args):
            if at < int(part.shape[self.along]):
                return number, at
            at -= int(part.shape[self.along])
        raise IndexError(at)


class Concat(_Joined):
    """concat(X, Y, …) = [X Y …], matrices side by side.

    >>> from sympy import MatrixSymbol
    >>> Concat(MatrixSymbol("A", 2, 2), MatrixSymbol("B", 2, 3))[1, 4]
    B[1, 2]

    Source: Vaswani et al. 2017, section 3.2.2, MultiHead(Q, K, V) = Concat(head_1, …, head_h) W^O.
    """

    definition = """
        concat(*X: n×a) -> n×sum(a)
            y[i,j] = X[i,j]
    """
    along = 1


def grid_of(node: Basic) -> tuple[tuple[Basic, ...], ...] | None:
    """Return the numbers of a list, or of a list of lists, as formulas; ``None`` for anything else.

    >>> from sympy import MatrixSymbol
    >>> x, y = MatrixSymbol("x", 1, 1), MatrixSymbol("y", 1, 1)
    >>> grid_of(Stack(Concat(x, y), Concat(y, x)))
    ((x, y), (y, x))
    """
    if not isinstance(node, _Joined):
        return None
    parts = [((part,),) if part.shape == (1, 1) else grid_of(part) for part in node.args]
    if None in parts:
        return None
    rows = [row for part in parts for row in part or ()]
    return tuple(rows) if isinstance(node, Stack) else (tuple(each for row in rows for each in row),)


def numbers_listed(node: Basic) -> tuple[tuple[Expr, ...], ...] | None:
    """Return the numbers of a list in a formula, which is joined from numbers; ``None`` for anything else.

    >>> from sympy import MatMul, OneMatrix
    >>> numbers_listed(Concat(MatMul(2, OneMatrix(1, 1), evaluate=False), OneMatrix(1, 1)))
    ((2, 1),)
    """
    listed = tuple(tuple(map(as_number, row)) for row in grid_of(node) or ((node,),))
    return None if any(number is None for row in listed for number in row) else listed


class OneHot(Node):
    """one_hot(ids, v)_{ij} = 1 where j is ids_i and 0 elsewhere; ids count from 0, as tokenizers do.

    Times an embedding table (v, d) it looks up a row for every id.

    >>> from sympy import Matrix
    >>> OneHot(Matrix([[2, 0]]), 3).as_explicit()
    Matrix([
    [0, 0, 1],
    [1, 0, 0]])
    """

    definition = """
        one_hot(ids: n, v) -> n×v
            y[i,j] = 1 if j == ids[i] + 1 else 0
    """
    called = "onehot"
    ids = GivenArgument(0, "The ids, one row.")


class Rows(Node):
    """rows(X, a, b) = the rows a to b of X, both counted from 1 and both included.

    >>> from sympy import MatrixSymbol
    >>> Rows(MatrixSymbol("K", 4, 2), 3, 4)[0, 1]
    K[2, 1]
    """

    definition = """
        rows(X: m×n, a: whole, b: whole) -> (b - a + 1)×n
            y[i,j] = X[a + i - 1, j]
    """
    first = WholeArgument(1, "The first row, from 1.")
    last = WholeArgument(2, "The last row, from 1.")


class Stack(_Joined):
    """stack(X, Y, …) = X above Y above …, as a cache of keys grows by the key of a new token.

    >>> from sympy import MatrixSymbol
    >>> Stack(MatrixSymbol("A", 2, 2), MatrixSymbol("B", 3, 2))[4, 1]
    B[2, 1]
    """

    definition = """
        stack(*X: a×n) -> sum(a)×n
            y[i,j] = X[i,j]
    """
    along = 0


class Repeated(Node):
    """Y_{ij} = x, an entry of what is repeated along the axes that it has a length of 1 on.

    Shapes: those of what is repeated → (m, n).

    >>> from sympy import MatrixSymbol
    >>> isinstance(InEveryRow(MatrixSymbol("b", 1, 2), 3), Repeated)
    True
    """

    is_repeated = True


class InEveryRow(Repeated):
    """in_every_row(b, m)_{ij} = b_j: a row beside a matrix of m rows.

    >>> from sympy import MatrixSymbol
    >>> InEveryRow(MatrixSymbol("b", 1, 2), 3)[2, 1]
    b[0, 1]

    Source: Harris et al. 2020, *Array programming with NumPy*, section "Broadcasting".
    """

    definition = """
        in_every_row(b: n, m) -> m×n
            y[i,j] = b[j]
    """


class InEveryColumn(Repeated):
    """in_every_column(c, n)_{ij} = c_i: a column beside a matrix of n columns.

    >>> from sympy import MatrixSymbol
    >>> InEveryColumn(MatrixSymbol("c", 2, 1), 3)[1, 2]
    c[1, 0]

    Source: Harris et al. 2020, *Array programming with NumPy*, section "Broadcasting".
    """

    definition = """
        in_every_column(c: m×1, n: size) -> m×n
            y[i,j] = c[i,1]
    """


class Everywhere(Repeated):
    """everywhere(x, m, n)_{ij} = x: a number beside a matrix.

    >>> from sympy import MatrixSymbol
    >>> Everywhere(MatrixSymbol("x", 1, 1), 2, 3)[1, 2]
    x[0, 0]

    Source: Harris et al. 2020, *Array programming with NumPy*, section "Broadcasting".
    """

    definition = """
        everywhere(x: 1×1, m: size, n: size) -> m×n
            y[i,j] = x[1,1]
    """
