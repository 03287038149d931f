"""Gradients by symbols: letters for any number in factors, divisors and givens, against SymPy's own derivatives."""

from __future__ import annotations

import pytest
import sympy
from sympy import Matrix, Rational, Symbol

from symattn import Derivation
from symattn.api.authoring import softmax
from symattn.api.worked import derive
from symattn.base.errors import SymattnError
from symattn.read.scenario.load import loads

HEAD = """title = "t"
symbols = ["t", "u"]
[given]
Q = [["1", "1/2"], ["-1", "2"]]
K = [["1", "0"], ["1/3", "1"]]
H = [["2*t", "1"], ["t^2", "u"]]
[[section]]
title = "s"
steps = [{steps}]
"""
T, U = Symbol("t"), Symbol("u")
Q = Matrix([[1, Rational(1, 2)], [-1, 2]])
K = Matrix([[1, 0], [Rational(1, 3), 1]])
H = Matrix([[2 * T, 1], [T**2, U]])


def soft(S: Matrix) -> Matrix:
    return Matrix(*S.shape, lambda i, j: sympy.exp(S[i, j]) / sum(sympy.exp(S[i, k]) for k in range(S.cols)))


CASES = {
    '"L = sum(softmax(Q @ K.T / t) @ Q * K, axis=None)"': (soft(Q * K.T / T) * Q).multiply_elementwise(K),
    '"S = t * Q + K / t", "L = sum(S * S, axis=None)"': (T * Q + K / T).applyfunc(lambda x: x**2),
    '"S = Q + t", "L = sum(S * S * t, axis=None)"': (Q + T * sympy.ones(2, 2)).applyfunc(lambda x: T * x**2),
    '"L = sum(tanh(Q / sqrt(t)), axis=None)"': (Q / sympy.sqrt(T)).applyfunc(sympy.tanh),
    '"S = H @ Q * t", "L = sum(S * S, axis=None)"': (H * Q * T).applyfunc(lambda x: x**2),
    '"L = sum(u * Q, axis=None)"': U * Q,
    '"L = sum(exp(H), axis=None)"': H.applyfunc(sympy.exp),
}


@pytest.mark.parametrize("steps", CASES)
def test_a_gradient_by_a_symbol_is_what_sympy_says(steps: str) -> None:
    scenario = loads(HEAD.format(steps=f'{steps}, "dt = grad(L, t)", "du = grad(L, u)"'))
    solution = derive(scenario).substitute(t="3/2", u="1/2")
    for name, letter in (("dt", T), ("du", U)):
        wanted = sympy.diff(sum(CASES[steps]), letter).subs({T: Rational(3, 2), U: Rational(1, 2)})
        ((figure,),) = solution[name].decimals(20)
        assert abs(sympy.Float(figure, 30) - sympy.N(wanted, 30)) < sympy.Float("6e-21", 30)


def test_a_gradient_by_a_symbol_is_shown_in_closed_form() -> None:
    text = HEAD.format(steps='"S = t * Q", "L = sum(S * S, axis=None)"') + '[[backward]]\nwrt = "t"\n'
    solution = derive(loads(text))
    assert str(solution["dt"].exact[0]) == "25*t/2"
    page = solution.render(language="en")
    assert "\\frac{\\partial L}{\\partial t}" in page


def test_a_temperature_in_python() -> None:
    d = Derivation(title="t", symbols=["t"])
    X = d.given("X", [[1, 2], [0, 1]])
    A = d.step("A", softmax(X @ X.T / d.symbol("t")))
    d.step("L", "sum(A * A, axis=None)")
    dt, dA = d.gradient("L", [d.symbol("t"), A])
    assert (dt.text, dA.text) == ("dt", "dA")
    assert d.substitute(t=2).solve()["dt"].decimals(3) == (("-0.171",),)


def test_a_symbol_that_only_a_choice_depends_on_has_no_gradient() -> None:
    with pytest.raises(SymattnError, match="L depends on t through argmax only: a choice has no gradient"):
        loads(HEAD.format(steps='"L = sum(argmax(t * Q), axis=None)", "dt = grad(L, t)"'))
    with pytest.raises(SymattnError, match="unknown name 't'"):
        loads(HEAD.format(steps='"S = t * Q", "J = jacobian(S, t)"'))
