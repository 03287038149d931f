"""Every Jacobian against SymPy's ``Matrix.jacobian``, which differentiates explicit entries one by one."""

from __future__ import annotations

import pytest
import sympy
from sympy import Matrix, Rational, Symbol

from symattn.api.worked import derive
from symattn.read.scenario.load import loads

GIVENS = {
    "x": [["1/2", "-1", "3/4"]],
    "X": [["1/2", "-1", "2"], ["3/2", "1/4", "-1/3"]],
    "W": [["1", "1/2"], ["-1/3", "2"], ["1/4", "1"]],
    "V": [["1", "-1", "1/2"], ["2", "1/3", "1"], ["1/2", "1", "3"]],
    "c": [["1/2"], ["2"], ["-1"]],
}


def given(name: str) -> str:
    return f"{name} = {GIVENS[name]}".replace("'", '"')


def soft(S: Matrix) -> Matrix:
    return Matrix(S.rows, S.cols, lambda i, j: sympy.exp(S[i, j]) / sum(sympy.exp(S[i, k]) for k in range(S.cols)))


def each(f):  # type: ignore[no-untyped-def]
    return lambda X: X.applyfunc(f)


def norm(X: Matrix) -> Matrix:
    def entry(i: int, j: int) -> sympy.Expr:
        row = [X[i, k] for k in range(X.cols)]
        mean = sum(row) / X.cols
        return (X[i, j] - mean) / sympy.sqrt(sum((x - mean) ** 2 for x in row) / X.cols + Rational(1, 100000))

    return Matrix(X.rows, X.cols, entry)


G = {name: Matrix([[Rational(x) for x in row] for row in rows]) for name, rows in GIVENS.items()}
SIG = each(lambda t: 1 / (1 + sympy.exp(-t)))

OWN = 'parameters = ["S: m×n"]\nequations = ["t[i] = sum(k, exp(S[i,k]))", "y[i,j] = exp(S[i,j]) / t[i]"]'

CASES = {
    "y = x @ W": lambda x: x * G["W"],
    "y = softmax(x)": lambda x: soft(x),
    "y = softmax(x @ W)": lambda x: soft(x * G["W"]),
    "y = tanh(x) / 2 + x": lambda x: x.applyfunc(sympy.tanh) / 2 + x,
    "y = x * x": lambda x: x.multiply_elementwise(x),
    "y = layer_norm(x)": lambda x: norm(x),
    "y = unit(x)": lambda x: x / sympy.sqrt((x * x.T)[0]),
    "y = x.T @ x": lambda x: x.T * x,
    "y = concat(x, 2 * x @ W)": lambda x: x.row_join(2 * x * G["W"]),
    "y = stack(x, 2 * x)": lambda x: x.col_join(2 * x),
    "y = log_softmax(x)": lambda x: soft(x).applyfunc(sympy.log),
    "y = sum(x * x, axis=None)": lambda x: x * x.T,
    "y = x.T * c": lambda x: x.T.multiply_elementwise(G["c"]),
    "y = softmax(X)": lambda X: soft(X),
    "y = X @ W": lambda X: X * G["W"],
    "y = W @ X": lambda X: G["W"] * X,
    "y = X.T": lambda X: X.T,
    "y = softmax(X @ X.T / sqrt(3)) @ X": lambda X: soft(X * X.T / sympy.sqrt(3)) * X,
    "y = sigmoid(X @ V)": lambda X: SIG(X * G["V"]),
    "y = layer_norm(X)": lambda X: norm(X),
    "y = X + x": lambda x: G["X"] + Matrix([[1], [1]]) * x,
    "y = concat(X, X @ W)": lambda X: X.row_join(X * G["W"]),
    "y = row_sum(X)": lambda X: X * Matrix([1, 1, 1]),
    "y = X[1:2] @ V": lambda X: X[1, :] * G["V"],
    "y = X * X * X": lambda X: X.applyfunc(lambda t: t**3),
    "y = soft(x)": lambda x: soft(x),
    "u = tanh(x @ V); v = softmax(x); y = u * v": (
        lambda x: (x * G["V"]).applyfunc(sympy.tanh).multiply_elementwise(soft(x))
    ),
}


@pytest.mark.sampled(9)
@pytest.mark.parametrize("steps", CASES)
def test_a_jacobian_is_that_of_explicit_entries(steps: str) -> None:
    f = CASES[steps]
    by = f.__code__.co_varnames[0]
    rows, columns = G[by].shape
    letters = Matrix(rows, columns, lambda i, j: Symbol(f"x{i}{j}", real=True))
    wanted = Matrix(list(f(letters))).jacobian(list(letters)).subs(dict(zip(letters, G[by], strict=True)))
    listed = ", ".join(f'"{step}"' for step in [*steps.split("; "), f"J = jacobian(y, {by})"])
    used = "\n".join(given(name) for name in GIVENS)
    solution = derive(
        loads(f'title = "t"\n[operation.soft]\n{OWN}\n[given]\n{used}\n[[section]]\ntitle = "s"\nsteps = [{listed}]')
    )
    assert solution["J"].shape == wanted.shape
    found = [figure for row in solution["J"].decimals(25) for figure in row]
    for one, other in zip(found, wanted, strict=True):
        assert abs(sympy.Float(one, 40) - sympy.N(other, 40)) < sympy.Float("6e-26", 40), steps
    assert "J" in solution.render(language="en", max_rows=4, max_columns=4, steps=["J"])
