"""Activations of numbers so large that an exponential of theirs is beyond every number."""

from __future__ import annotations

import mpmath
import pytest
from flint import arb

from symattn import derive
from symattn.compute.values.balls import at_precision
from symattn.read.scenario.load import loads

PAGE = 'title = "t"\n[given]\nX = [["{x}", "1"]]\n[[section]]\ntitle = "s"\nsteps = ["Y = {f}(X)"]\n'
FUNCTIONS = {
    "silu": lambda x: x / (1 + mpmath.exp(-x)),
    "gelu": lambda x: x * (mpmath.erfc(-x / mpmath.sqrt(2)) / 2 if abs(x) < 10**9 else x > 0),
    "gelu_tanh": lambda x: x / 2 * (1 + mpmath.tanh(mpmath.sqrt(2 / mpmath.pi) * (x + mpmath.mpf("0.044715") * x**3))),
    "elu": lambda x: x if x > 0 else mpmath.expm1(x),
    "tanh": mpmath.tanh,
}


NUMBERS = {"-6*10^300": "-6e300", "-6*10^5": "-6e5", "-50": "-50", "-3": "-3", "0.001": "0.001", "6*10^300": "6e300"}


@pytest.mark.parametrize("x", NUMBERS)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_they_are_finite_and_right(name: str, x: str) -> None:
    solution = derive(loads(PAGE.format(f=name, x=x)))
    enclosure = solution["Y"].enclosure(128)[0, 0]
    with at_precision(2000), mpmath.workprec(2000):
        true = arb(mpmath.nstr(FUNCTIONS[name](mpmath.mpf(NUMBERS[x])), 500))
        assert enclosure.is_finite()
        assert abs(enclosure - true) <= (abs(true) + 1) * arb(10) ** -30
    assert solution["Y"].decimals(6)[0][0] not in ("NaN", "oo", "-oo")


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("carry", ["exact", "rounded"])
def test_their_pages_go_on_without_what_cannot_be_written(name: str, carry: str) -> None:
    page = derive(loads(PAGE.format(f=name, x="-6*10^300")), carry=carry).render(language="en", detail="entries")
    assert "\\begin{bmatrix}" in page
    assert len(page) < 8_000
