"""How gradients are derived on their pages: which lines there are, and where there are none."""

from __future__ import annotations

import pytest

from symattn.api.worked import derive
from symattn.read.scenario.load import loads
from tests.readback.page import read_solution

HEAD = 'title = "t"\nlanguage = "en"\n'
GIVEN = '[given]\nX = [["1", "2", "0"], ["-1", "1/2", "1"]]\nW = [["1", "0"], ["1/3", "1"], ["0", "2"]]\n'
STEPS = '[[section]]\ntitle = "s"\nsteps = ['


def page(*steps: str, more: str = "") -> str:
    listed = ", ".join(f"'{step}'" for step in steps)
    return derive(loads(f"{HEAD}{more}{GIVEN}{STEPS}{listed}]\n")).render(language="en")


DERIVED = {
    "softmax": (
        ("A = softmax(X)", "L = sum(A * A, axis=None)", "dX = grad(L, X)"),
        r"\frac{\partial a_{ik}}{\partial x_{ij}} &= \frac{\delta_{kj}e^{x_{ik}}}{\sum_{r=1}^{3} e^{x_{ir}}} - "
        r"\frac{e^{x_{ij}}e^{x_{ik}}}{\left(\sum_{r=1}^{3} e^{x_{ir}}\right)^2} = a_{ik}(\delta_{kj} - a_{ij})",
    ),
    "cross-entropy": (
        ("P = softmax(X)", "Y = one_hot([1, 0], 3)", "L = cross_entropy(X, [1, 0])", "dX = grad(L, X)"),
        r"\frac{\frac{e^{x_{ij}}}{\sum_{k=1}^{3} e^{x_{ik}}} - \mathbf 1",
    ),
    "a product": (
        ("Z = X @ W", "L = sum(Z * Z, axis=None)", "dW = grad(L, W)"),
        r"\frac{\partial z_{kj}}{\partial w_{ij}} &= x_{ki}",
    ),
    "layer norm": (
        ("N = layer_norm(X)", "L = sum(N * N * N, axis=None)", "dX = grad(L, X)"),
        r"\frac{\partial\sigma_i^2}{\partial x_{ij}} &= \frac{2(x_{ij} - \mu_i)}{3}",
    ),
    "a row of what is inside a product": (
        ("r = row(exp(X) @ W, 2)", "L = sum(r * r, axis=None)", "dX = grad(L, X)"),
        r"&= \delta_{i2}w_{jk}",  # \delta_{2i} would read as one place
    ),
    "what has a name inside a softmax": (
        ("Q = X @ W", "A = softmax(Q @ W.T)", "L = sum(A * A, axis=None)", "dQ = grad(L, Q)"),
        r"\frac{\partial s_{ik}^A}{\partial q_{ij}} &= w_{kj}",
    ),
    "tanh": (
        ("T = tanh(X @ W)", "L = sum(T * T, axis=None)", "dX = grad(L, X)"),
        r"= 1 - t_{ij}^2",
    ),
}


@pytest.mark.parametrize("name", DERIVED)
def test_a_gradient_is_derived_from_its_step(name: str) -> None:
    steps, line = DERIVED[name]
    assert line in page(*steps)


def test_a_way_is_derived_once() -> None:
    said = page("Z = X @ W", "Y = X @ W * 2", "L = sum(Z * Y, axis=None)", "dW = grad(L, W)")
    assert said.count(r"\frac{\partial z_{kj}}{\partial w_{ij}}") <= 2  # its own line, and the chain rule


def test_a_wrong_gradient_that_somebody_typed_is_not_derived() -> None:
    told = {}
    for factor in ("", "2 * "):
        steps = ("Z = X @ W", "L = sum(Z * Z, axis=None)", "G = 2 * Z", f"D = {factor}X.T @ G")
        told[factor] = page(*steps, more='[notation]\nG = "grad(L, Z)"\nD = "grad(L, W)"\n')
    assert r"\frac{\partial z_{kj}}{\partial w_{ij}} &= x_{ki}" in told[""]
    assert r"\frac{\partial z_{kj}}{\partial w_{ij}}" not in told["2 * "]


@pytest.mark.parametrize(
    "steps",
    [
        ("Z = X @ W", "A = softmax(Z / sqrt(2), axis=0)", "L = sum(A * A, axis=None)"),
        ("e = exp(X)", "i = proportions(e)", "L = sum(i * i, axis=None)"),
        ("j = rms_norm(X) @ W", "k = sigmoid(j)", "L = sum(k * k, axis=None)"),
        ("r = W.T @ X.T", "T = softmax(r)", "L = sum(T * T, axis=None)"),
    ],
)
def test_derived_lines_are_true_whatever_the_names(steps: tuple[str, ...]) -> None:
    listed = ", ".join(f"'{step}'" for step in (*steps, "D = grad(L, X)"))
    report = read_solution(derive(loads(f"{HEAD}{GIVEN}{STEPS}{listed}]\n")))
    assert report.wrong == []
    assert report.compared > 60
