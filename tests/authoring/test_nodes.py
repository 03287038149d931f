"""The functions of formulas with matrices of SymPy: nodes, with the shapes checked as everywhere."""

from __future__ import annotations

from fractions import Fraction

from sympy import Matrix, MatrixSymbol, Rational, Symbol, ZeroMatrix, simplify, sqrt, symbols

import symattn
from symattn import operations as ops
from symattn.authoring.calls import FUNCTIONS

n, m, d = symbols("n m d", integer=True)
X, b = MatrixSymbol("X", 3, 2), MatrixSymbol("b", 1, 2)
S, K = MatrixSymbol("S", n, d), MatrixSymbol("K", m, d)


def test_a_formula_of_sympy_becomes_a_node() -> None:
    weights = symattn.softmax(X * X.T / sqrt(2))
    assert weights == ops.Softmax(X * X.T / sqrt(2))
    values = Matrix([[1, 0], [0, 1], [1, 1]])
    assert simplify(sum(weights.subs(X, values).doit()[0, :])) == 1
    assert symattn.layer_norm(X, Fraction(1, 3), gamma=b) == ops.LayerNorm(X, Rational(1, 3), b, ZeroMatrix(1, 2))
    assert symattn.stack(X, b, X).shape == (7, 2)
    assert symattn.row(X, 2) == ops.Row(X, 2)
    assert symattn.hadamard(X, Matrix(3, 2, range(6))).subs(X, values).doit()[2, 1] == 5


def test_sizes_may_be_letters() -> None:
    assert symattn.softmax(S * K.T).shape == (n, m)
    assert symattn.concat(symattn.dot(S, K), S).shape == (n, m + d)
    assert symattn.broadcast(MatrixSymbol("c", 1, d), 2 * n).shape == (2 * n, d)
    assert symattn.keep(S * S.T, MatrixSymbol("M", n, n)).subs(n, 2).shape == (2, 2)
    assert symattn.clip_norm(S, Symbol("c", positive=True)).threshold == Symbol("c", positive=True)


def test_every_function_of_one_matrix_takes_one_of_sympy() -> None:
    square = MatrixSymbol("A", 2, 2)
    for name in ("softmax", "relu", "gelu", "entropy", "norm", "argmax", "rotary", "rms_norm", "log"):
        assert FUNCTIONS[name](square).argument == square
