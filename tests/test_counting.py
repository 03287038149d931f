"""Counting: what products cost, what masks keep, and numbers over sizes that stay exact and within limits."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from sympy import Integer, Rational, Symbol, oo, sqrt

from symattn.base.errors import FormulaError, SymattnError
from symattn.base.shapes import Axis, Shape, shape
from symattn.compute.solution.evaluation import Evaluation
from symattn.compute.solution.quantities import QuantityValues, visible
from symattn.operations import CausalMask, WindowMask
from symattn.operations.terms import Kept, size_symbol
from symattn.read.formula import Scope, read_formula, read_number, read_scalar
from symattn.read.given import Given
from symattn.read.plan import Plan
from symattn.read.quantities import (
    Order,
    Quantity,
    growth,
    in_letters,
    put_in,
    quantity_values,
    read_order,
    read_quantity,
)

M, N, D = Axis(6, "m"), Axis(2, "n"), Axis(4, "d")
m, n, d, w = (size_symbol(name) for name in "mndw")
SCOPE = Scope(
    {"X": Shape(M, N), "W": Shape(N, D), "A": Shape(M, M), "P": shape(6, 3), "x": Shape(Axis(1), N)},
    {"m": 6, "n": 2, "d": 4, "w": 2},
)
PLAN = Plan(sizes={"m": 6, "n": 2, "d": 4, "w": 2}).given("X", Shape(M, N)).given("W", Shape(N, D))


@pytest.mark.parametrize(
    ("formula", "cost"),
    [
        ("X @ X.T", m * n * m),
        ("X @ W", m * n * d),
        ("A @ X @ W", m * m * n + m * n * d),
        ("A @ (X @ W)", m * n * d + m * m * d),
        ("softmax(X @ X.T / sqrt(d) + A) @ X", m * n * m + m * m * n),
        ("dot(X, X)", m * n * m),
        ("dot(x, X)", n * m),
        ("matrix_power(A, 3)", 2 * m**3),
        ("P @ P.T", Integer(6 * 3 * 6)),
        ("cosine(X, X)", Integer(0)),
    ],
)
def test_a_product_costs_its_three_axes_as_it_is_nested(formula: str, cost: object) -> None:
    assert read_scalar(f"multiplications({formula})", SCOPE).expand() == cost


def test_a_count_inside_a_formula_does_not_count_for_the_formula_around_it() -> None:
    inner = "multiplications(X @ W / multiplications(X @ X.T))"
    assert read_scalar(inner, SCOPE).expand() == m * n * d
    both = read_scalar("multiplications(X @ W) + multiplications(X @ X.T)", SCOPE)
    assert both.expand() == m * n * d + m**2 * n


@pytest.mark.parametrize(
    ("formula", "letters"),
    [
        ("causal_mask(m)", m * (m + 1) / 2),
        ("causal_mask(6)", Integer(21)),
        ("window_mask(m, w)", m * (2 * w - 1) - w * (w - 1)),
        ("window_mask(m, 3)", 5 * m - 6),
    ],
)
def test_a_mask_has_a_formula_in_the_letters_it_was_written_with(formula: str, letters: object) -> None:
    kept = read_scalar(f"kept({formula})", SCOPE)
    assert isinstance(kept, Kept)
    assert kept.letters == letters


def test_a_sum_of_masks_and_a_given_have_no_formula() -> None:
    for formula in ("causal_mask(m) + window_mask(m, w)", "A"):
        kept = read_scalar(f"kept({formula})", SCOPE)
        assert isinstance(kept, Kept)
        assert kept.letters is None


def test_the_formulas_agree_with_counting() -> None:
    solution = Evaluation(Plan(), {})
    for size in range(1, 6):
        assert visible(solution, CausalMask(size, -oo)) == size * (size + 1) // 2
        for width in range(1, size + 1):
            mask = WindowMask(size, width, -oo)
            by_hand = sum(abs(i - j) < width for i in range(size) for j in range(size))
            assert visible(solution, mask) == mask.kept == by_hand


def test_entries_that_are_neither_0_nor_negative_are_no_mask() -> None:
    plan = Plan().given("G", shape(1, 2))
    kept = read_scalar("kept(G)", plan.scope)
    assert isinstance(kept, Kept)
    assert visible(Evaluation(plan, {"G": Given.read([["0", "-oo"]])}), kept.mask) == 1
    with pytest.raises(SymattnError, match=r"kept: G\[1,2\] is 1.00000: expected a mask"):
        visible(Evaluation(plan, {"G": Given.read([["0", "1"]])}), kept.mask)


def test_a_formula_that_miscounts_its_mask_is_found_out() -> None:
    wrong = Kept(CausalMask(6, -oo), m * (m + 1), m - 1)
    quantities = {"k": Quantity("k", wrong, wrong, counts=True)}
    with pytest.raises(SymattnError, match=r"k: m\*\(m \+ 1\) = 42 is not the 21 entries"):
        QuantityValues(Evaluation(PLAN, {}), quantities).exact("k")


def test_the_name_of_a_mask_counts_by_its_formula() -> None:
    plan = PLAN.step("C", "causal_mask(m)").step("V", "window_mask(m, 2)")
    assert in_letters(read_quantity("k", "kept(C)", plan, {}).value, {}) == m * (m + 1) / 2
    assert in_letters(read_quantity("k", "kept(V)", plan, {}).value, {}).expand() == 3 * m - 2


@pytest.mark.parametrize("text", ["kept(causal_mask(2))", "multiplications(identity(2) @ identity(2))"])
def test_counting_has_no_place_in_a_number(text: str) -> None:
    with pytest.raises(FormulaError, match="is about a formula"):
        read_number(text)


def test_kept_has_no_place_in_a_matrix_formula() -> None:
    with pytest.raises(FormulaError, match="has its place in a quantity"):
        read_formula("X / kept(causal_mask(m))", SCOPE)


def test_quantities_build_on_each_other() -> None:
    first = read_quantity("N", "m^2", PLAN, {})
    second = read_quantity("r", "N / n - sqrt(N)", PLAN, {"N": first})
    known = quantity_values({"N": first, "r": second}, {"m": 6, "n": 2})
    assert known[first.symbol] == 36
    assert known[second.symbol] == 12
    assert in_letters(second.value, {"N": first}) == m**2 / n - sqrt(m**2)


def test_a_quantity_keeps_what_was_written() -> None:
    written = read_quantity("N", "n + m + n * m", PLAN, {}).written
    assert str(written.args[0].args) == "(n, m)"
    assert read_quantity("N", "multiplications(X @ X.T)", PLAN, {}).written.args == (m, n, m)
    assert read_quantity("N", "multiplications(X @ X.T)", PLAN, {}).value == m**2 * n


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1 / (m - 6)", "division by zero"),
        ("sqrt(n - m)", "under a root is negative"),
        ("oo", "is not a real number"),
        ("(((m + 1)^64 + 1)^64 + 1)^64", "POWER_DIGITS"),
        ("sqrt(m^60 + 1)", "RADICAND_DIGITS"),
    ],
)
def test_what_is_no_number_or_too_long_is_refused_without_working_it_out(text: str, message: str) -> None:
    # The letters are read without a number, so that it is putting them in that meets the limit.
    quantity = read_quantity("N", text, Plan(sizes={"m": "m", "n": "n"}), {})
    with pytest.raises(FormulaError, match=message):
        put_in(quantity.value, {m: Integer(6), n: Integer(2)})


HIGH_POWER = """
from symattn.read.plan import Plan
from symattn.read.quantities import read_quantity
for text in ("(((m + 1)^64 + 1)^64 + 1)^64", "1 / (((m + 1)^64 + 1)^64 + 1)^64", "sqrt(((m + n)^64 + 1)^64 - n)"):
    read_quantity("N", text, Plan(sizes={"m": "m", "n": "n"}), {})
"""


@pytest.mark.long
def test_a_high_power_of_letters_is_read_whatever_order_sympy_asks_its_questions_in(root: Path) -> None:
    """SymPy's answer to "is it zero?" depends on the hash seed: with this one it looked for roots without end."""
    environment = {**os.environ, "PYTHONHASHSEED": "4"}
    subprocess.run([sys.executable, "-c", HIGH_POWER], cwd=root, env=environment, check=True, timeout=60)


def test_a_chain_of_quantities_that_doubles_each_time_stops() -> None:
    quantities: dict[str, Quantity] = {}
    for number in range(40):
        text = f"sqrt(q{number - 1}) + sqrt(q{number - 1} + 1)" if number else "m"
        quantities[f"q{number}"] = read_quantity(f"q{number}", text, PLAN, quantities)
    with pytest.raises(FormulaError, match="PARTS"):
        quantity_values(quantities, {"m": 6})
    with pytest.raises(FormulaError, match="PARTS"):
        in_letters(quantities["q39"].value, quantities)


@pytest.mark.parametrize(
    ("value", "letter", "power"),
    [
        (m**2 * n, "m", 2),
        (m**2 * n, "n", 1),
        (m * n, "d", 0),
        (m * (m + 1) / 2, "m", 2),
        (m * (m + 1) - m**2, "m", 1),
        (m * n / m, "m", 0),
        (1 / m, "m", -1),
        (sqrt(m) + 1, "m", Rational(1, 2)),
    ],
)
def test_growth_is_the_power_after_everything_that_cancels_is_gone(value: Symbol, letter: str, power: object) -> None:
    assert growth(value, letter) == power


def test_growth_that_is_no_power_is_not_guessed() -> None:
    with pytest.raises(FormulaError, match="not a sum of powers of m"):
        growth(1 / (m + 1), "m")
    with pytest.raises(FormulaError, match="TERMS"):
        growth((m + n + d) ** 60, "m")


def test_orders_as_sources_print_them() -> None:
    known = {"O(1)": Order(0), "O(n)": Order(1), "O( N^2 )": Order(2), "O(n²)": Order(2), "O(n³)": Order(3)}
    known |= {"O(d_k)": Order(1), "O(n log n)": Order(1, True), "O(n^2*log(n))": Order(2, True)}
    known |= {"O(log n)": Order(0, True)}
    assert {text: read_order(text) for text in known} == known
    assert [read_order(text) for text in ("O()", "O(n d)", "O(n log m)", "n^2", "O(2n)")] == [None] * 5


def test_a_logarithm_is_never_the_growth_of_a_polynomial() -> None:
    assert Order(1).is_growth(Integer(1))
    assert not Order(1, True).is_growth(Integer(1))
    assert not Order(0).is_growth(Integer(2))
