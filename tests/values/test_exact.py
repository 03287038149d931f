"""Proofs of equality: a ``True`` or ``False`` of ``is_zero`` is a proof, and what it cannot prove it leaves open."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sympy import E, Expr, ImmutableDenseMatrix, MatrixSymbol, Rational, S, exp, log, nan, oo, pi, root, sqrt

from symattn import derive
from symattn.base.errors import SymattnError
from symattn.compute.values.exact import exact
from symattn.compute.values.zero import is_zero
from symattn.operations import ReLU
from symattn.read.scenario.load import loads
from tests.counted import calls

HALF = Rational(1, 2)


# Proved, disproved, left open


@pytest.mark.parametrize(
    "value",
    [
        S.Zero,
        Rational(1, 3) + Rational(2, 3) - 1,
        sqrt(8) - 2 * sqrt(2),
        1 / (1 + sqrt(2)) - sqrt(2) + 1,
        E / (1 + E) + 1 / (1 + E) - 1,
        exp(HALF) ** 2 - E,
        exp(-1) * E - 1,
        exp(1 + sqrt(2)) - E * exp(sqrt(2)),
        (E + exp(sqrt(2))) ** 2 - exp(2) - 2 * exp(1 + sqrt(2)) - exp(2 * sqrt(2)),
        exp(2) / (exp(2) + exp(3)) - 1 / (1 + E),
        1 / (1 + exp(HALF) + E) + exp(HALF) / (1 + exp(HALF) + E) + E / (1 + exp(HALF) + E) - 1,
        exp(sqrt(2) / 2) / (1 + exp(sqrt(2) / 2)) + exp(-sqrt(2) / 2) / (1 + exp(-sqrt(2) / 2)) - 1,
        exp(E) * exp(-E) - 1,
        log(12) - log(3) - 2 * log(2),
        sqrt(2) * log(Rational(3, 2)) + sqrt(2) * (log(2) - log(3)),
        (log(8) / 3 + 1) / (log(2) + 1) - 1,
        log(2) * log(9) - 2 * log(2) * log(3),
    ],
    ids=str,
)
def test_zeros_are_proved(value: Expr) -> None:
    assert is_zero(value) is True


@pytest.mark.parametrize(
    "value",
    [
        S.One,
        Rational(1, 10**50),
        sqrt(2) - Rational(14142135623730950488, 10**19),
        exp(2) - E,
        E - Rational(271828182845904523536, 10**20),
        E / (1 + E) - Rational(731058578630004879251, 10**21),
        exp(sqrt(2)) - exp(sqrt(3)),
        exp(Rational(1, 10**30)) - 1,
        sqrt(2) * E - sqrt(3) * exp(2) + 1,
        log(3) / 2 - log(2),
        log(2) - Rational(693147180559945309417, 10**21),
        sqrt(2) * log(2) - log(3) + sqrt(3),
        log(2**40 + 1) - 40 * log(2),
    ],
    ids=str,
)
def test_what_is_not_zero_is_disproved_however_near_it_comes(value: Expr) -> None:
    assert is_zero(value) is False


@pytest.mark.parametrize(
    "value",
    [
        exp(E) - exp(2),  # an exponential of an exponential
        exp(exp(1) / (1 + E)) - 2,
        root(2, 4) - root(3, 4),  # a fourth root
        sqrt(E + 1) - sqrt(E),
        pi - Rational(22, 7),  # no exponential at all
        exp(pi) - 23,
        log(2) * log(3) - log(5),  # a product of logarithms
        log(2) - exp(-HALF),  # logarithms and exponentials together
        log(10**30 + 57) - 30 * log(10),  # too long to be taken apart
        oo,
        nan,
    ],
    ids=str,
)
def test_what_is_outside_the_theorem_is_left_open(value: Expr) -> None:
    assert is_zero(value) is None


# The square factors of these are primes that SymPy does not find by trial division.

P, Q = 1_000_000_007, 1_000_000_009


@pytest.mark.parametrize(
    "value",
    [
        sqrt(P**2 * Q) - P * sqrt(Q),
        E * sqrt(P**2 * Q) - E * P * sqrt(Q),
        exp(sqrt(P**2 * Q)) - exp(P * sqrt(Q)),
        exp(sqrt(P * Q)) - exp(sqrt(P) * sqrt(Q)),
    ],
    ids=["difference", "factor of an exponential", "exponent", "product in an exponent"],
)
def test_a_root_that_sympy_cannot_simplify_is_no_disproof(value: Expr) -> None:
    assert is_zero(value) is not False


# Random sums of exponentials

surds = st.builds(
    lambda a, b, n: Rational(a, b) * sqrt(n), st.integers(-9, 9), st.integers(1, 6), st.sampled_from([1, 2, 3, 6, 8])
)
exponents = st.lists(surds, min_size=1, max_size=2).map(lambda terms: sum(terms, S.Zero))
sums = st.lists(st.tuples(surds, exponents), min_size=1, max_size=4)


def total(terms: list[tuple[Expr, Expr]]) -> Expr:
    return sum((a * exp(b) for a, b in terms), S.Zero)


def certainly_not_zero(value: Expr) -> bool:
    """By 120 digits of SymPy's evalf, which the proofs do not use."""
    return bool(abs(value.evalf(60, maxn=400)) > Rational(10) ** -50)


@settings(max_examples=40)
@given(sums)
def test_random_sums_of_exponentials_are_decided_rightly(terms: list[tuple[Expr, Expr]]) -> None:
    value = total(terms)

    assert is_zero(value) is (not certainly_not_zero(value))


@settings(max_examples=40)
@given(sums, sums)
def test_a_product_less_its_expansion_is_zero(left: list[tuple[Expr, Expr]], right: list[tuple[Expr, Expr]]) -> None:
    expanded = sum((a * c * exp(b + d) for a, b in left for c, d in right), S.Zero)

    assert is_zero(total(left) * total(right) - expanded) is True


@settings(max_examples=40)
@given(sums, st.integers(1, 10**6))
def test_a_small_change_is_noticed(terms: list[tuple[Expr, Expr]], size: int) -> None:
    value = total(terms)
    divisor = 1 + exp(HALF)

    assert is_zero(value / divisor - value / divisor + Rational(1, size)) is False


# The rules behind the proofs


class Names:
    def __init__(self, **matrices: list[list[object]]) -> None:
        self.matrices = {name: ImmutableDenseMatrix(rows) for name, rows in matrices.items()}

    def exact_value(self, name: str) -> ImmutableDenseMatrix:
        return self.matrices[name]

    def signs(self, formula: object, what: str) -> tuple[tuple[int, ...], ...]:
        return ((1, 0), (-1, 1))


def test_relu_asks_for_proved_signs_and_for_nothing_else() -> None:
    X = MatrixSymbol("X", 2, 2)

    assert exact(ReLU(X), Names(X=[[5, 6], [7, 8]])) == ImmutableDenseMatrix([[5, 0], [0, 8]])


@pytest.mark.sampled(0)
@pytest.mark.parametrize(
    "formula",
    [
        "unit(dot(softmax(ones(3, 4)), proportions(relu(sinusoidal(4, 4)))))",
        "angle(gelu_tanh(padding_mask(2, 4, 2, value=-10^9)), ones(4, 4))",
    ],
)
def test_what_is_too_long_to_be_multiplied_out_is_left_open_at_once(formula: str) -> None:
    """Sums of roots of sums of sines, and signs that hang on the 10^27th digit, once took minutes and more."""
    lesson = f'title = "t"\n[given]\nX = [["1"]]\n[[section]]\ntitle = "s"\nsteps = ["Y = {formula}"]'

    with suppress(SymattnError):
        calls(lambda: derive(loads(lesson)).render(), most=80_000_000)
