"""Operations that are nothing but a record have values of every kind, and are refused where they are not defined."""

from __future__ import annotations

import pytest
from flint import arb
from sympy import Integer, MatrixSymbol

from symattn.base.errors import DomainError
from symattn.base.shapes import shape
from symattn.compute.solution import Solution
from symattn.compute.solution.domain import asked, certify_domain
from symattn.compute.values.alike import Kinds, alike
from symattn.compute.values.balls import power
from symattn.operations.equations.read import read_operation
from symattn.operations.node import Applied, apply
from symattn.read.given import Given
from symattn.read.plan import Plan

X, Y = MatrixSymbol("X", 3, 4), MatrixSymbol("Y", 2, 4)
GIVENS = {
    "X": [["1/2", "-3", "0", "2"], ["2", "5/7", "1", "-1/4"], ["1/2", "-3", "0", "2"]],
    "Y": [["1", "1/3", "-2", "3"], ["-1/4", "2", "1", "1/5"]],
    "b": [["1", "-2", "3", "1/2"]],
}
b = MatrixSymbol("b", 1, 4)

OWN: dict[str, tuple[str, tuple[object, ...]]] = {
    "softcap": ("softcap(X, c)\n y[i,j] = c * tanh(X[i,j] / c)", (X, Integer(5))),
    "sigmoid": ("sigmoid(X)\n y[i,j] = 1 / (1 + exp(-X[i,j]))", (X,)),
    "softplus": ("softplus(X)\n y[i,j] = log(1 + exp(X[i,j]))", (X,)),
    "leaky": ("leaky(X, s = 1/100)\n y[i,j] = X[i,j] if X[i,j] > 0 else s * X[i,j]", (X,)),
    "log_softmax": ("log_softmax(S)\n t[i] = sum(k, exp(S[i,k]))\n y[i,j] = S[i,j] - log(t[i])", (X,)),
    "scaled": ("scaled(X: m×d, gamma: d = 1, p = 2) -> m×d\n y[i,j] = gamma[j] * X[i,j]^2 / p", (X, b)),
    "centred": (
        "centred(X: m×d)\n mu[i] = sum(k, X[i,k]) / d\n s[i] = sum(k, abs(X[i,k] - mu[i]))\n"
        " y[i,j] = (X[i,j] - mu[i]) / s[i]",
        (X,),
    ),
    "totals": ("totals(X: m×n) -> 1×n\n y[j] = sum(i, X[i,j])", (X,)),
    "stripes": ("stripes(X)\n y[i,j] = X[i,j] if (i + j) % 2 == 0 else -X[i,j]", (X,)),
    "distances": ("distances(X: m×d, Y: p×d) -> m×p\n y[i,j] = sqrt(sum(k, (X[i,k] - Y[j,k])^2))", (X, Y)),
    "reversed": ("reversed(X: m×n) -> m×n\n y[i,j] = X[m + 1 - i, n + 1 - j]", (X,)),
}


def made(name: str) -> Applied:
    text, args = OWN[name]
    return apply(read_operation(text), *args)


@pytest.fixture
def solution() -> Solution:
    plan = Plan()
    for name, rows in GIVENS.items():
        plan = plan.given(name, shape(len(rows), len(rows[0])))
    return Solution(plan, {name: Given.read(rows) for name, rows in GIVENS.items()})


@pytest.mark.parametrize("name", ["softcap", "log_softmax", "centred"])
def test_rows_that_are_made_alike_are_found(name: str) -> None:
    numbers = alike(made(name), {"X": [[1, 2, 3, 4], [1, 2, 3, 5], [2, 1, 4, 3]]}.__getitem__, Kinds())

    (a, b, c, d), other, turned = numbers
    assert turned == [b, a, d, c]
    assert (name == "softcap") == (other[:3] == [a, b, c])


REFUSED = {
    "step, softcap: c in 'y[i,j] = c * tanh(X[i,j] / c)' is 0, and nothing can be divided by 0": (
        "softcap(X, c)\n y[i,j] = c * tanh(X[i,j] / c)",
        (X, Integer(0)),
    ),
    "step, inverse: X[1,3] is 0, and nothing can be divided by 0": ("inverse(X)\n y[i,j] = 1 / X[i,j]", (X,)),
    "step, shares: t[i] in 'y[i,j] = X[i,j] / t[i]' is 0 for i = 2, and nothing can be divided by 0": (
        "shares(X)\n t[i] = max(k, X[i,k]) - 2 * i / i\n y[i,j] = X[i,j] / t[i]",
        (MatrixSymbol("Y", 2, 4),),
    ),
    "step, roots: X[1,2] is negative: expected a number from 0 up under a root": (
        "roots(X)\n y[i,j] = sqrt(X[i,j])",
        (X,),
    ),
    "step, soft: t[i] in 'y[i,j] = exp(M[i,j]) / t[i]' is 0 for i = 1, and nothing can be divided by 0": (
        "soft(M)\n t[i] = sum(k, exp(M[i,k]))\n y[i,j] = exp(M[i,j]) / t[i]",
        (apply(read_operation("hidden(n) -> n×n\n y[i,j] = -oo if i == 1 else 0"), Integer(3)),),
    ),
}


@pytest.mark.parametrize("sentence", REFUSED)
def test_what_is_not_defined_is_refused_with_its_place(sentence: str, solution: Solution) -> None:
    text, args = REFUSED[sentence]
    with pytest.raises(DomainError) as caught:
        certify_domain(solution.store, apply(read_operation(text), *args), "step")
    assert str(caught.value) == sentence


def test_what_a_case_rules_out_is_not_asked_for(solution: Solution) -> None:
    clip = read_operation("clip(X, c)\n r = sum(k, sum(l, X[k,l]^2))\n y[i,j] = X[i,j] if r <= c else X[i,j] * (c / r)")
    inverse = read_operation("inverse(X)\n y[i,j] = 1 / X[i,j] if X[i,j] != 0 else 0")
    assert asked(apply(clip, X, Integer(1))) == ()
    certify_domain(solution.store, apply(inverse, X), "step")


def test_a_whole_power_of_what_is_around_0_is_around_0() -> None:
    around = arb("0 +/- 1e-30")
    assert all(power(around, n).is_finite() and power(around, n).contains(0) for n in (1, 2, 3, 4))
    assert power(around, 3).rad() < arb("1e-85")
