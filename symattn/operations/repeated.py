"""What stands beside a larger matrix and is repeated there: a row in every row, a column in every column, a number
everywhere.

A formula on a page writes the operand alone, as people do, X − μ; the step says what is repeated where. By itself a
repeated operand is written with ones.
"""

from __future__ import annotations

from symattn.operations.node import Node


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
