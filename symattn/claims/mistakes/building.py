"""Build the formulas of mistakes: find and replace parts of a formula, and combine matrices without evaluation.

>>> from symattn.operations import MatrixSymbol, Softmax, Transpose
>>> S = MatrixSymbol("S", 2, 2)
>>> [path for path, node in places(Softmax(Transpose(S))) if node == S]
[(0, 0)]
>>> put(Softmax(Transpose(S)), (0,), S)
Softmax(S)
"""

from __future__ import annotations

from sympy import Expr, Integer, MatAdd, MatMul, MatrixExpr, MatrixSymbol, Mul, OneMatrix, Transpose

from symattn.operations import ReLU

Path = tuple[int, ...]
"""The path to a node: an index of an argument at each level."""


def places(formula: MatrixExpr) -> tuple[tuple[Path, MatrixExpr], ...]:
    """Return every matrix in a formula with the path to it, from the outside in and from left to right."""
    found: list[tuple[Path, MatrixExpr]] = []
    waiting: list[tuple[Path, MatrixExpr]] = [((), formula)]
    while waiting:
        path, node = waiting.pop()
        found.append((path, node))
        if not isinstance(node, MatrixSymbol):
            inner = [((*path, i), arg) for i, arg in enumerate(node.args) if getattr(arg, "is_Matrix", False)]
            waiting.extend(reversed(inner))
    return tuple(found)


def put(formula: MatrixExpr, path: Path, new: MatrixExpr) -> MatrixExpr:
    """Return the formula with ``new`` in one place."""
    if not path:
        return new
    arguments = list(formula.args)
    arguments[path[0]] = put(arguments[path[0]], path[1:], new)
    if isinstance(formula, MatMul):
        return unevaluated_product(*arguments)
    if isinstance(formula, MatAdd):
        return unevaluated_sum(*arguments)
    return formula.func(*arguments)


def unevaluated_product(*factors: Expr) -> MatrixExpr:
    """Return an unevaluated product; a single factor is returned as it is.

    >>> from symattn.operations import MatrixSymbol
    >>> unevaluated_product(MatrixSymbol("A", 2, 2))
    A
    """
    return factors[0] if len(factors) == 1 else MatMul(*factors, evaluate=False)


def unevaluated_sum(*terms: MatrixExpr) -> MatrixExpr:
    """Return an unevaluated sum; a single term is returned as it is."""
    return terms[0] if len(terms) == 1 else MatAdd(*terms, evaluate=False)


def scaled_matrix(number: Expr, matrix: MatrixExpr) -> MatrixExpr:
    """Return a number times a matrix; a number that is there already is multiplied in.

    >>> from symattn.operations import MatrixSymbol
    >>> X = MatrixSymbol("X", 2, 2)
    >>> scaled_matrix(Integer(2), scaled_matrix(Integer(3), X))
    6*X
    >>> scaled_matrix(Integer(-1), scaled_matrix(Integer(-1), X))
    X
    """
    numbers, matrices = factors(matrix)
    if len(matrices) == 1:
        number, matrix = Mul(number, *numbers), matrices[0]
    return matrix if number == 1 else MatMul(number, matrix, evaluate=False)


def difference(left: MatrixExpr, right: MatrixExpr) -> MatrixExpr:
    """X − Y."""
    return unevaluated_sum(left, scaled_matrix(Integer(-1), right))


def absolute(positive: ReLU) -> MatrixExpr:
    """|X| = max(0, X) + max(0, −X), given max(0, X)."""
    return unevaluated_sum(positive, ReLU(scaled_matrix(Integer(-1), positive.argument)))


def transposed_matrix(matrix: MatrixExpr) -> MatrixExpr:
    """Return Xᵀ; the transpose of a transpose is the matrix itself."""
    return matrix.arg if isinstance(matrix, Transpose) else Transpose(matrix)


def ones(rows: int, columns: int) -> MatrixExpr:
    """Return a matrix of ones."""
    return OneMatrix(Integer(rows), Integer(columns))


def factors(node: MatrixExpr) -> tuple[tuple[Expr, ...], tuple[MatrixExpr, ...]]:
    """Return the numbers and the matrices of a product; anything else is its own only factor."""
    if not isinstance(node, MatMul):
        return (), (node,)
    return tuple(x for x in node.args if not x.is_Matrix), tuple(x for x in node.args if x.is_Matrix)


def matrices(node: MatrixExpr) -> tuple[MatrixExpr, ...]:
    """Return the matrices of a product; nothing for anything else."""
    return factors(node)[1] if isinstance(node, MatMul) else ()


def sum_terms(node: MatrixExpr) -> tuple[MatrixExpr, ...]:
    """Return the terms of a sum; anything else is its own only term."""
    return node.args if isinstance(node, MatAdd) else (node,)


def matrix_size(node: MatrixExpr) -> tuple[int, int]:
    """Return the rows and columns of a formula with numeric sizes."""
    rows, columns = node.shape
    return int(rows), int(columns)


def fit(left: MatrixExpr, right: MatrixExpr) -> bool:
    """Return whether two matrices can be multiplied."""
    return matrix_size(left)[1] == matrix_size(right)[0]
