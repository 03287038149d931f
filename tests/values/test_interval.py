"""Intervals hold every possible value: numbers inside the givens never leave them; shares are as tight as can be."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import product

import mpmath
import pytest
from flint import arb, arb_mat, fmpq
from hypothesis import given, settings
from hypothesis import strategies as st
from sympy import MatrixSymbol, S, oo

from symattn import derive
from symattn.base.errors import NoValueError
from symattn.base.shapes import shape
from symattn.compute.solution import Solution
from symattn.compute.solution.intervals import rounded_outwards
from symattn.compute.solution.store import Shown
from symattn.compute.values.ball import ball
from symattn.compute.values.balls import at_precision
from symattn.compute.values.ends import HIDDEN, LONGEST, ONE, ZERO, Bounds, ends, point, to_ball
from symattn.compute.values.interval import interval
from symattn.operations import CausalMask, Keep, Proportions, Softmax
from symattn.read.given import Given
from symattn.read.plan import Plan
from symattn.read.scenario.load import loads
from symattn.read.scenario.model import FigureStyle

# -- intervals ---------------------------------------------------------------------------------------------------------


SOURCE = [["0.3417", "0.2756", "0.3828"], ["0.3028", "0.3760", "0.3212"], ["0.2962", "0.3034", "0.4003"]]


def solved(figures: Sequence[Sequence[str]], *steps: str, **style: object) -> Solution:
    """A solution whose given ``A`` is rounded; ``B`` is an exact matrix of the same size."""
    n = len(figures)
    rounded = replace(Given.read(figures), rounded=True)
    exact = Given.read([[f"{i + 1}/{j + 2}" for j in range(n)] for i in range(n)])
    plan = Plan().given("A", shape(n, len(figures[0]))).given("B", shape(n, n))
    for step in steps:
        name, formula = step.split("=", 1)
        plan = plan.step(name.strip(), formula.strip())
    return Solution(plan, {"A": rounded, "B": exact}, FigureStyle(**style))


FORMULAS = """A; A @ B; B @ A @ A; A + B - A; A.T / 3; A / sqrt(2); -2 * A; A ** 2; dot(A, A); row(A, 2)
    head(concat(A, A), 2, 2); concat(A, B); broadcast(row(A, 1), 3); identity(3) @ A + ones(3, 3)
    keep(A, causal_mask(3)); keep(A, causal_mask(3) + window_mask(3, 2)); proportions(keep(A, causal_mask(3)))
    proportions(A); softmax(A); softmax(A + causal_mask(3)); softmax(A + causal_mask(3, -5)); relu(A - B); row_max(A)
    exp(A); elu(A - B); layer_norm(A); layer_norm(A, 10^-5, row(B, 1), row(A, 1)); unit(A); norm(A); cosine(A, B)
    entropy(proportions(A))""".replace("\n    ", "; ").split("; ")

figures = st.integers(1, 99).map(lambda n: f"{n / 100:.2f}")
matrices = st.lists(st.lists(figures, min_size=3, max_size=3), min_size=3, max_size=3)


@pytest.mark.long
@pytest.mark.sampled(8)
@pytest.mark.parametrize("formula", FORMULAS)
@settings(max_examples=5)
@given(rows=matrices, shares=st.lists(st.fractions(0, 1, max_denominator=8), min_size=9, max_size=9))
def test_no_number_that_rounds_to_the_figures_leads_out_of_the_interval(
    formula: str, rows: list[list[str]], shares: list[object]
) -> None:
    solution = solved(rows, f"Y = {formula}" if formula != "A" else "Y = A + B - B")
    inside = iter(shares)
    boxes = solution.intervals("A")
    chosen = [[x.low + (x.high - x.low) * _fmpq(next(inside)) for x in row] for row in boxes]
    inside_a = Given.read([[f"{x.p}/{x.q}" for x in row] for row in chosen])
    exact = Solution(solution.derivation, {"A": inside_a, "B": solution.givens["B"]})
    with at_precision(400):
        true = exact.enclosure("Y", 400).tolist()
        for row, others in zip(solution.intervals("Y"), true, strict=True):
            for found, value in zip(row, others, strict=True):
                # Touching is allowed: what is known of the value is itself a ball.
                assert found.hidden or not (value < found.low or value > found.high)
        for outer, row in zip(solution.enclosure("Y", 60).tolist(), solution.intervals("Y"), strict=True):
            for held, found in zip(outer, row, strict=True):
                assert held.contains(found.low)
                assert held.contains(found.high)


def _fmpq(number: object) -> fmpq:
    return fmpq(int(number.numerator), int(number.denominator))  # type: ignore[attr-defined]


def corners(rows: Sequence[Bounds]) -> list[list[fmpq]]:
    """Every row of numbers in which each entry is at one of its ends."""
    return [list(chosen) for chosen in product(*((x.low, x.high) for x in rows))]


boxes = st.tuples(st.integers(-3, 20), st.integers(0, 6)).map(lambda p: Bounds(fmpq(p[0]), fmpq(p[0] + p[1])))


@given(row=st.lists(boxes, min_size=1, max_size=4))
def test_shares_end_where_a_corner_of_the_box_does(row: list[Bounds]) -> None:
    total = sum((x.low for x in row), fmpq(0)), sum((x.high for x in row), fmpq(0))
    node = Proportions(MatrixSymbol("A", 1, len(row)))
    if total[0] <= 0 <= total[1]:
        with pytest.raises(NoValueError, match="row 1 may sum to 0"):
            interval(node, lambda _: (tuple(row),))
        return
    (found,) = interval(node, lambda _: (tuple(row),))
    for j, share in enumerate(found):
        reached = [numbers[j] / sum(numbers, fmpq(0)) for numbers in corners(row)]
        assert (share.low, share.high) == (min(reached), max(reached))


@given(row=st.lists(boxes, min_size=1, max_size=4))
def test_weights_of_a_softmax_end_where_a_corner_of_the_box_does(row: list[Bounds]) -> None:
    symbol = MatrixSymbol("A", 1, len(row))
    (found,) = interval(Softmax(symbol), lambda _: (tuple(row),))
    with at_precision(400):
        reached = [ball(Softmax(symbol), lambda _, c=numbers: arb_mat([c])).entries() for numbers in corners(row)]
        for j, weight in enumerate(found):
            lowest = min((values[j] for values in reached), key=lambda x: x.mid())
            highest = max((values[j] for values in reached), key=lambda x: x.mid())
            assert abs(lowest - weight.low) < fmpq(1, 2**250)
            assert abs(highest - weight.high) < fmpq(1, 2**250)


def test_masks_hide_show_or_leave_open_and_an_infinite_score_has_no_weight() -> None:
    a, b = Bounds(fmpq(1), fmpq(2)), Bounds(fmpq(-1), fmpq(3))
    rows = ((a, b), (b, a))
    symbol = MatrixSymbol("A", 2, 2)
    assert interval(Keep(symbol, CausalMask(2, -oo)), lambda _: rows) == ((a, ZERO), (b, a))
    assert interval(Keep(symbol, CausalMask(2, S(-9))), lambda _: rows) == ((a, ZERO), (b, a))
    open_mask, a = Bounds(fmpq(-1), fmpq(0)), Bounds(fmpq(1), fmpq(2))
    values = {"A": ((a,),), "M": ((open_mask,),)}
    node = Keep(MatrixSymbol("A", 1, 1), MatrixSymbol("M", 1, 1))
    assert interval(node, values.__getitem__) == ((Bounds(fmpq(0), fmpq(2)),),)
    # Nor has a row of them, which a solution lets through only where it was asked for.
    node = Softmax(MatrixSymbol("A", 1, 2))
    assert interval(node, lambda _: ((ONE, HIDDEN),)) == ((ONE, ZERO),)
    assert interval(node, lambda _: ((HIDDEN, HIDDEN),)) == ((ZERO, ZERO),)


@given(st.fractions(), st.fractions(0, 1), st.integers(-30, 30))
def test_the_ends_of_a_ball_lie_around_it(middle: object, width: object, shift: int) -> None:
    low = _fmpq(middle) * fmpq(2) ** shift
    box = Bounds(low, low + _fmpq(width))
    for bits in (20, 90):
        with at_precision(bits):
            found = ends(to_ball(box))
        assert found.low <= box.low <= box.high <= found.high


def test_ends_are_of_bounded_length_and_move_outwards() -> None:
    with at_precision(64):
        found = ends((to_ball(point(fmpq(-(10**9))))).exp())
    assert found.low == 0 < found.high
    assert found.high.q.bit_length() <= LONGEST + 1
    box = Bounds(fmpq(1, 3**2000), fmpq(2, 3**2000))
    found = box.shortened()
    assert found.low <= box.low < box.high <= found.high
    assert max(found.low.q.bit_length(), found.high.q.bit_length()) <= LONGEST + 1


@given(boxes, st.integers(0, 8))
def test_printed_ends_are_outside(box: Bounds, places: int) -> None:
    third = Bounds(box.low / 3, box.high / 7 if box.high < 0 else box.high / 3)
    low, high = (fmpq(int(text.replace(".", "")), 10**places) for text in rounded_outwards(third, places))
    assert low <= third.low <= third.high <= high
    assert third.low - low < fmpq(1, 10**places) > high - third.high


# What a name that rests on rounded figures has, and has not


def test_a_name_on_rounded_figures_has_intervals_and_no_single_value() -> None:
    solution = solved(SOURCE, "K = keep(A, causal_mask(3))", "W = proportions(K)", "C = B @ B")
    assert [name for name in solution if solution.store.shown(name) is Shown.INTERVALS] == ["A", "K", "W"]
    assert solution.rational("W") is None
    asked: tuple[Callable[[], object], ...] = (
        lambda: solution["W"].exact,
        lambda: solution["W"].decimals(4),
        lambda: solution["W"].figures,
        lambda: solution["A"].exact,
        lambda: solution["A"].decimals(2),
        lambda: solution.store.printed_value("A"),
        lambda: solution.equals("W", 3, S.Half),
    )
    for ask in asked:
        with pytest.raises(NoValueError, match="ask for its intervals"):
            ask()
    assert solution["A"].figures[1][0].text == "0.3028"
    assert not solution["A"].figures[1][0].exact
    assert solution["C"].decimals(4) == solved(SOURCE, "C = B @ B")["C"].decimals(4)


def test_shares_end_in_two_fractions_and_a_sum_that_may_be_zero_names_the_step() -> None:
    solution = solved(SOURCE, "W = proportions(keep(A, causal_mask(3)))")
    found = solution.intervals("W")
    assert found[0] == (ONE, ZERO, ZERO)
    assert tuple(found[1][0]) == (fmpq(30275, 30275 + 37605), fmpq(30285, 30285 + 37595))
    assert rounded_outwards(found[1][1], 5) == ("0.55384", "0.55400")
    solution = solved([["0.0", "0.0"], ["1", "1"]], "W = proportions(A)")
    with pytest.raises(NoValueError, match="step W: row 1 may sum to 0"):
        solution.intervals("W")


@pytest.mark.parametrize("carry", ["exact", "rounded"])
def test_intervals_are_carried_as_they_are(carry: str) -> None:
    solution = solved(SOURCE, "H = B / 7", "W = A @ H", carry=carry, decimals=2)
    first = solution.intervals("W")[0][0]
    inner = [fmpq(n, 2 * 7) if carry == "exact" else fmpq(round(100 * n / 14), 100) for n in (1, 2, 3)]
    lows = [fmpq(figure, 100000) for figure in (34165, 27555, 38275)]
    assert first.low == sum((a * b for a, b in zip(lows, inner, strict=True)), fmpq(0))


def test_a_mask_of_infinities_does_not_stop_rounded_carrying() -> None:
    solution = solved(SOURCE, "M = causal_mask(3)", "S = A + M", "W = softmax(S)", carry="rounded")
    assert solution.intervals("S")[0][1] == HIDDEN
    assert solution.intervals("W")[0] == (ONE, ZERO, ZERO)


def test_what_is_kept_of_rational_entries_is_rational() -> None:
    solution = solved(SOURCE, "K = keep(B, causal_mask(3) + window_mask(3, 2))", "L = keep(B, causal_mask(3))")
    for name, row in (("K", [fmpq(0), fmpq(3, 3), fmpq(3, 4)]), ("L", [fmpq(3, 2), fmpq(3, 3), fmpq(3, 4)])):
        known = solution.rational(name)
        assert known is not None
        assert known.tolist()[2] == row
        assert [fmpq(int(x.p), int(x.q)) for x in solution.exact_value(name)] == known.entries()


@pytest.mark.parametrize("formula", ["norm(M)", "unit(M)", "cosine(M, A)", "angle(A, M)", "clip_norm(M, 1)"])
def test_an_infinite_entry_has_no_length(formula: str) -> None:
    solution = solved(SOURCE, "M = A + causal_mask(3)", f"W = {formula}")
    with pytest.raises(NoValueError, match="step W: "):
        solution.intervals("W")


def test_an_angle_is_between_0_and_180_degrees() -> None:
    solution = solved(SOURCE, "W = angle(A, A)", "V = angle(A, -1 * A)")
    for i in range(3):
        assert solution.intervals("W")[i][i].low == 0
        assert solution.intervals("V")[i][i].high == 180
        assert solution.intervals("W")[i][i].high < 2


# -- activations of numbers so large that an exponential of theirs is beyond every number ------------------------------


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
