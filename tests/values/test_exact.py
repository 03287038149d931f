"""Proofs of equality: what is proved and what is left open; logarithms; entries that are made alike."""

from __future__ import annotations

from collections import defaultdict
from contextlib import suppress
from fractions import Fraction

import numpy as np
import pytest
from flint import fmpq, fmpq_mat
from hypothesis import given, settings
from hypothesis import strategies as st
from sympy import (
    E,
    Expr,
    ImmutableDenseMatrix,
    Integer,
    MatAdd,
    MatMul,
    MatrixExpr,
    MatrixSymbol,
    Rational,
    S,
    Transpose,
    exp,
    log,
    nan,
    oo,
    pi,
    root,
    simplify,
    sqrt,
)

from symattn import derive
from symattn import operations as ops
from symattn.base.errors import SymattnError, UndecidedError
from symattn.compute.solution.proofs import equal_entries
from symattn.compute.values import alike as module
from symattn.compute.values.alike import Kinds, alike
from symattn.compute.values.exact import exact
from symattn.compute.values.logarithm import Logs, exponentials, exponents, logs, logs_of, weights
from symattn.compute.values.rational import rational
from symattn.compute.values.zero import is_zero
from symattn.operations import ReLU, RowNorm, Softmax
from symattn.read.scenario.load import loads
from tests.counted import calls

# -- proved, disproved, left open --------------------------------------------------------------------------------------


HALF = Rational(1, 2)


@pytest.mark.parametrize("value", [
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
], ids=str)  # fmt: skip
def test_zeros_are_proved(value: Expr) -> None:
    assert is_zero(value) is True


@pytest.mark.parametrize("value", [
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
], ids=str)  # fmt: skip
def test_what_is_not_zero_is_disproved_however_near_it_comes(value: Expr) -> None:
    assert is_zero(value) is False


@pytest.mark.parametrize("value", [
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
], ids=str)  # fmt: skip
def test_what_is_outside_the_theorem_is_left_open(value: Expr) -> None:
    assert is_zero(value) is None


# The square factors of these are primes that SymPy does not find by trial division.

P, Q = 1_000_000_007, 1_000_000_009


@pytest.mark.parametrize("value", [
    sqrt(P**2 * Q) - P * sqrt(Q),
    E * sqrt(P**2 * Q) - E * P * sqrt(Q),
    exp(sqrt(P**2 * Q)) - exp(P * sqrt(Q)),
    exp(sqrt(P * Q)) - exp(sqrt(P) * sqrt(Q)),
], ids=["difference", "factor of an exponential", "exponent", "product in an exponent"])  # fmt: skip
def test_a_root_that_sympy_cannot_simplify_is_no_disproof(value: Expr) -> None:
    assert is_zero(value) is not False


# Random sums of exponentials

surds = st.builds(
    lambda a, b, n: Rational(a, b) * sqrt(n), st.integers(-9, 9), st.integers(1, 6), st.sampled_from([1, 2, 3, 6, 8])
)
exponents_drawn = st.lists(surds, min_size=1, max_size=2).map(lambda terms: sum(terms, S.Zero))
sums = st.lists(st.tuples(surds, exponents_drawn), min_size=1, max_size=4)


def total(terms: list[tuple[Expr, Expr]]) -> Expr:
    return sum((a * exp(b) for a, b in terms), S.Zero)


@settings(max_examples=40)
@given(sums)
def test_random_sums_of_exponentials_are_decided_rightly(terms: list[tuple[Expr, Expr]]) -> None:
    value = total(terms)
    certainly_not = bool(abs(value.evalf(60, maxn=400)) > Rational(10) ** -50)  # which the proofs do not use
    assert is_zero(value) is not certainly_not


@pytest.mark.long
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
@pytest.mark.parametrize("formula", [
    "unit(dot(softmax(ones(3, 4)), proportions(relu(sinusoidal(4, 4)))))",
    "angle(gelu_tanh(padding_mask(2, 4, 2, value=-10^9)), ones(4, 4))",
])  # fmt: skip
def test_what_is_too_long_to_be_multiplied_out_is_left_open_at_once(formula: str) -> None:
    """Sums of roots of sums of sines, and signs that hang on the 10^27th digit, once took minutes and more."""
    lesson = f'title = "t"\n[given]\nX = [["1"]]\n[[section]]\ntitle = "s"\nsteps = ["Y = {formula}"]'
    with suppress(SymattnError):
        calls(lambda: derive(loads(lesson)).render(), most=80_000_000)


# -- matrices of logarithms, and the rationals that their exponentials and weights come back to ------------------------


LOGS, WHOLE = MatrixSymbol("S", 2, 2), MatrixSymbol("R", 2, 2)
NUMBERS = {
    "S": [log(2), 2 * log(3), log(Rational(9, 2)), Integer(0)],
    "R": [Rational(1), Rational(2), Rational(-1), Rational(3)],
}


class OfNames:
    """The values of the names, as the two roads want them."""

    def exact_value(self, name: str) -> ImmutableDenseMatrix:
        return ImmutableDenseMatrix(2, 2, NUMBERS[name])


def known(name: str) -> fmpq_mat | Logs | None:
    if name == "S":
        return logs_of(NUMBERS["S"], 2, 2)
    return fmpq_mat(2, 2, [fmpq(int(x.p), int(x.q)) for x in NUMBERS[name]])


MADE_OF_LOGARITHMS: tuple[MatrixExpr, ...] = (
    LOGS,
    MatMul(LOGS, WHOLE, evaluate=False),
    MatMul(WHOLE, LOGS, Transpose(WHOLE), evaluate=False),
    MatMul(Integer(-3), LOGS, evaluate=False),
    MatAdd(LOGS, MatMul(LOGS, WHOLE, evaluate=False), evaluate=False),
    MatAdd(LOGS, ops.CausalMask(2, -oo), evaluate=False),
    MatAdd(LOGS, ops.CausalMask(2, -oo), ops.PaddingMask(2, 2, 1, -oo), evaluate=False),
    ops.Quotient(MatMul(LOGS, WHOLE, evaluate=False), Rational(1, 2)),
    ops.Quotient(MatMul(Integer(2), LOGS, evaluate=False), sqrt(4)),
    ops.Dot(LOGS, WHOLE),
    ops.Dot(WHOLE, LOGS),
    Transpose(MatMul(WHOLE, LOGS, evaluate=False)),
    Transpose(MatAdd(LOGS, ops.CausalMask(2, -oo), evaluate=False)),
    ops.Row(LOGS, 2),
    ops.Rows(ops.Stack(LOGS, LOGS), 2, 3),
    ops.Head(ops.Concat(LOGS, MatMul(LOGS, WHOLE, evaluate=False)), 2, 2),
    ops.Broadcast(ops.Row(LOGS, 1), 3),
)


@pytest.mark.parametrize("formula", MADE_OF_LOGARITHMS, ids=str)
@pytest.mark.parametrize("node", [ops.Softmax, ops.Exp])
def test_weights_and_exponentials_are_those_of_sympy(formula: MatrixExpr, node: type) -> None:
    found = rational(node(formula), known)
    assert found is not None
    true = [simplify(x) for x in exact(node(formula), OfNames())]
    assert [Rational(int(x.p), int(x.q)) for x in found.entries()] == true


@pytest.mark.parametrize("formula", [
    MatMul(LOGS, LOGS, evaluate=False),
    MatAdd(LOGS, WHOLE, evaluate=False),
    MatAdd(LOGS, ops.CausalMask(2, Integer(-9)), evaluate=False),
    MatMul(LOGS, ops.Exp(WHOLE), evaluate=False),
    MatMul(MatAdd(LOGS, ops.CausalMask(2, -oo), evaluate=False), WHOLE, evaluate=False),
    ops.Quotient(LOGS, sqrt(2)),
    ops.Quotient(MatAdd(LOGS, ops.CausalMask(2, -oo), evaluate=False), Integer(-1)),
    ops.Hadamard(LOGS, LOGS),
    ops.ReLU(LOGS),
    ops.Softmax(LOGS),
    WHOLE,
], ids=str)  # fmt: skip
def test_anything_else_is_not_made_of_logarithms(formula: MatrixExpr) -> None:
    assert logs(formula, known, rational) is None
    assert rational(ops.Softmax(formula), known) is None


def test_halves_rows_that_see_nothing_and_powers_too_long() -> None:
    halves = logs_of([log(3) / 2, log(12) / 2, log(27) / 2], 1, 3)
    mixed = logs_of([log(3) / 2, log(3)], 1, 2)
    assert halves is not None
    assert mixed is not None
    assert exponentials(halves) is None
    assert weights(halves) == fmpq_mat([[fmpq(1, 6), fmpq(1, 3), fmpq(1, 2)]])
    assert weights(mixed) is None
    # Where a solution lets it through; its domain is looked at before.
    hidden = logs_of([-oo, -oo, log(2), Integer(0)], 2, 2)
    assert hidden is not None
    assert weights(hidden) == fmpq_mat([[0, 0], [fmpq(2, 3), fmpq(1, 3)]])
    assert exponentials(hidden) == fmpq_mat([[0, 0], [2, 1]])
    long = logs_of([10**2000 * log(2), Integer(0)], 1, 2)
    assert long is not None
    assert exponentials(long) is None
    assert weights(long) is None


@pytest.mark.parametrize("number", [
    sqrt(2),
    log(2) + 1,
    log(2) * log(3),
    sqrt(2) * log(2),
    log(sqrt(5) + 1),
    log(2**64 + 13),
    oo,
    log(2) ** 2,
    log(-2, evaluate=False),
])  # fmt: skip
def test_what_is_no_sum_of_logarithms(number: Expr) -> None:
    assert exponents(number) is None


positive = st.fractions(Fraction(1, 30), 30, max_denominator=30)


@pytest.mark.long
@given(st.lists(positive, min_size=1, max_size=5), st.integers(1, 3), positive)
def test_softmax_of_logarithms_is_shares(numbers: list[Fraction], power: int, moved: Fraction) -> None:
    """e^(k ln x + c ln y) / Σ is x^k / Σ x^k, whatever the row is moved by; worked out in Python's fractions."""
    shift = log(Rational(moved.numerator, moved.denominator)) / 7
    scores = [power * log(Rational(x.numerator, x.denominator)) + shift for x in numbers]
    found = logs_of(scores, 1, len(scores))
    assert found is not None

    shares = weights(found)

    total = sum(x**power for x in numbers)
    if not found.parts:
        assert len(numbers) == 1 or len(set(numbers)) == 1
    assert shares is not None
    assert [Fraction(int(x.p), int(x.q)) for x in shares.entries()] == [x**power / total for x in numbers]


# -- entries that are made alike are equal, however deep a derivation goes ---------------------------------------------


GIVENS = """
X = [["1", "0", "1", "sqrt(2)"], ["0", "1", "0", "1"], ["1", "0", "1", "sqrt(2)"]]
Y = [["1", "1", "0", "1"], ["sqrt(2)", "0", "1", "sqrt(2)"], ["1", "1", "0", "1"]]
S = [["1", "sqrt(2)", "1"], ["sqrt(2)", "1", "1"], ["1", "1", "sqrt(2)"]]
v = [["1", "sqrt(2)", "1", "1"]]
C = [["1", "2"], ["1", "1"]]
D = [["2", "1"], ["2", "2"]]
"""

FORMULAS = [
    "softmax(X @ Y.T)",
    "softmax(Y @ X.T) @ X",
    "S @ S @ S",
    "2 * S + S.T",
    "cosine(C, D)",
    "cosine(X, stack(2 * row(Y, 1), row(Y, 2), 3 * row(Y, 3)))",
    "hadamard(X, Y) + Y",
    "divide(X, Y + 2 * ones(3, 4))",
    "softmax(S + causal_mask(3))",
    "relu(X) + elu(Y) + gelu(X) + gelu_tanh(Y) + silu(X) + tanh(Y)",
    "concat(head(X, 1, 2), head(Y, 2, 2))",
    "stack(row(X, 3), rows(Y, 1, 2), broadcast(v, 2))",
    "distance(3) + identity(3)",
    "top_k(sinusoidal(3, 4), 2) + rotary(ones(3, 4))",
]
"""Operations of operations; each by itself is tried in tests/test_every_stage.py."""


def lesson(*steps: str, head: str = "") -> str:
    written = ", ".join(f'"{step}"' for step in steps)
    return f'title = "t"\n{head}\n[given]{GIVENS}\n[[section]]\ntitle = "s"\nsteps = [{written}]'


@pytest.mark.parametrize("largest", [module.LARGEST_PRODUCT, 0])
@pytest.mark.parametrize("formula", FORMULAS)
def test_entries_with_the_same_number_are_equal(formula: str, largest: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LARGEST_PRODUCT", largest)
    solution = derive(loads(lesson(f"Z = {formula}", f"A = {formula} + ({formula})")))
    kinds = Kinds()
    givens = {
        name: kinds.of_values([solution.givens[name].entries[i : i + given.shape[1]] for i in starts])
        for name, given in solution.givens.items()
        for starts in [range(0, given.shape[0] * given.shape[1], given.shape[1])]
    }
    values: dict[int, list[float]] = defaultdict(list)
    for name in ("Z", "A"):
        numbers = alike(solution.store.formula(name), givens.__getitem__, kinds)
        assert np.shape(numbers) == solution[name].shape
        for number, value in zip(np.ravel(numbers).tolist(), solution.float64(name).ravel().tolist(), strict=True):
            values[number].append(value)
    for same in values.values():
        assert max(same) == min(same) or max(same) - min(same) < 1e-12 * max(1, abs(max(same)))


@pytest.mark.parametrize("carry", ["exact", "rounded"])
def test_a_repeated_token_ties_through_many_layers(carry: str) -> None:
    """Closed forms are far too large here, and enclosures of equal numbers overlap for ever."""
    layer = "A_{0} = softmax(H_{0} @ H_{0}.T / sqrt(2))|Z_{0} = layer_norm(A_{0} @ H_{0} + H_{0})|H_{1} = gelu(Z_{0})"
    layers = [line for k in range(4) for line in layer.format(k, k + 1).split("|")]
    solution = derive(loads(lesson("H_0 = X / 2", *layers)), carry=carry)
    assert {0, 2} in map(set, solution.ranking("A_3", 0))
    assert solution.render()
    assert solution["A_3"].decimals(6)[0] == solution["A_3"].decimals(6)[2]


def test_what_is_made_alike_in_any_order_is_equal_and_nothing_else() -> None:
    solution = derive(loads(lesson("A = softmax(X @ Y.T)")))
    assert equal_entries(solution.store, "A", 0, 2)
    assert not equal_entries(solution.store, "A", 0, 1)
    assert not equal_entries(solution.store, "A", 0, 3), "nor one of another row"
    X = MatrixSymbol("X", 1, 3)
    ((a, b, c),) = alike(Softmax(MatMul(2, X)), {"X": [[5, 5, 6]]}.__getitem__, Kinds())
    assert a == b != c
    rows = {"X": [[7, 8, 9], [9, 7, 8], [9, 7, 7]]}
    (a,), (b,), (c,) = alike(RowNorm(MatrixSymbol("X", 3, 3)), rows.__getitem__, Kinds())
    assert a == b != c


def test_what_cannot_be_decided_is_said_beside_figures_that_are_certain() -> None:
    hard = "softmax(layer_norm(layer_norm(sinusoidal(2, 4, base=100)), gamma=sinusoidal(1, 4)))"
    solution = derive(loads(lesson(f"A = {hard}")))
    assert "Row 2 has its largest entry in column 4 ($0.518251$, more than half)." in solution.render()
    with pytest.raises(UndecidedError, match="which of the two is larger cannot be decided"):
        solution.ranking("A", 1)
    assert "Row 2 chooses id 3, column 4." in derive(loads(lesson(f"c = argmax({hard})"))).render()


def test_equal_shares_are_known_and_others_are_not() -> None:
    kinds = Kinds()
    a, b = kinds("a"), kinds("b")
    assert kinds.share(kinds("div", a, kinds("sum", (a, a, a)))) == Fraction(1, 3)
    assert kinds.share(kinds("div", a, kinds("sum", (a, a, b)))) is None
    assert kinds.share(kinds("div", b, kinds("sum", (a, a, a)))) is None
    assert kinds.share(a) is None


def test_weights_of_equal_scores_are_exact_and_a_row_that_sees_nothing_has_none() -> None:
    text = "title = 't'\nfigures.on_empty = 'zero'\ngiven.S = [['sqrt(2)', 'sqrt(2)'], ['-oo', '-oo']]\n"
    solution = derive(loads(text + "[[section]]\ntitle = 's'\nsteps = ['A = softmax(S)']"))
    assert [solution.equals("A", place, Rational(1, 2)) for place in range(4)] == [True, True, False, False]
    assert [[figure.text for figure in row] for row in solution["A"].figures] == [["0.5", "0.5"], ["0.0", "0.0"]]
