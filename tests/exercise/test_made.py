"""An exercise worked out: after a mistake, with every mistake of the bank, and with rounding on the way."""

from __future__ import annotations

from decimal import Decimal

import pytest
from flint import arb, fmpq
from sympy import Integer, MatrixSymbol, Transpose

from symattn.base.errors import NoValueError
from symattn.base.printed import scale_of
from symattn.claims.by_hand import BITS, by_hand, rounded_givens
from symattn.claims.causes import changes
from symattn.claims.judge import agrees
from symattn.claims.mistakes.model import Change, altered, bank, changed
from symattn.claims.worked import Ask, Worked, read_exercise
from symattn.compute.values.balls import at_precision
from symattn.course.accept import wrongs
from tests.exercise.lessons import lesson
from tests.exercise.paper_and_pencil import rounded

# -- worked ------------------------------------------------------------------------------------------------------------


SOURCE = """
title = "A head"
[sizes]
n = 2
d = 2
[figures]
decimals = 4
[given]
Q = [["1", "1/2"], ["-1", "2"]]
K = [["1", "0"], ["1/4", "1"]]
V = [["1", "2", "3"], ["0", "1", "-1"]]
[[section]]
title = "Steps"
steps = ["S = Q @ K.T", "A = softmax(S)", "O = A @ V", "L = 2 * K", { quantity = "N = n * d" }]
"""

Q, K = ([[1, 0.5], [-1, 2]], [[1, 0], [0.25, 1]])


@pytest.fixture
def right() -> Worked:
    return read_exercise(SOURCE)


def test_what_no_longer_fits_is_left_out(right: Worked) -> None:
    """A result of another shape has figures; what would rest on it has none."""
    value = Transpose(MatrixSymbol("V", 2, 3))
    plan = changed(right.plan, Change("A", {"A": value}))
    assert plan["A"].shape.sizes == (3, 2)
    assert "O" not in plan.by_name
    assert [step.name for step in plan.steps] == ["Q", "K", "V", "S", "A", "L"]


def test_rounding_too_early_rounds_every_number_on_the_way(right: Worked) -> None:
    """The second road: decimals by Python, rounded at each step."""
    made = right.made(Change("O", rounded_to=1))
    scores = [[Decimal(str(sum(Q[i][k] * K[j][k] for k in range(2)))) for j in range(2)] for i in range(2)]
    carried = [[rounded(x, 1) for x in row] for row in scores]
    values = [[1, 2, 3], [0, 1, -1]]
    expected = []
    for row in carried:
        powers = [rounded(x.exp(), 1) for x in row]
        weights = [rounded(p / sum(powers), 1) for p in powers]
        expected.append(tuple(f"{sum(w * v[j] for w, v in zip(weights, values, strict=True)):.4f}" for j in range(3)))
    assert made.figures(Ask("O", decimals=4)) == tuple(expected)


# -- altered -----------------------------------------------------------------------------------------------------------


STEPS = """
title = "T"
[sizes]
n = 2
d = 2
[given]
X = [["1", "2"], ["3", "5"]]
V = [["1", "0"], ["2", "1"]]
[[section]]
title = "S"
steps = ["S = X / 3", "A = softmax(S)", "O = A @ V", "L = 2 * V"]
[[section]]
title = "C"
steps = [{ quantity = "N = n * d" }, { quantity = "M = 2 * N" }]
"""


@pytest.fixture
def altering() -> Worked:
    return read_exercise(STEPS)


@pytest.mark.parametrize(("step", "touched"), [("S", "SAO"), ("A", "AO"), ("O", "O"), ("L", "L")])
def test_what_rests_on_a_step_is_touched(altering: Worked, step: str, touched: str) -> None:
    made = altered(altering.subject, Change(step, {step: MatrixSymbol("V", 2, 2)}))
    assert made.touched == set(touched)
    assert set(made.formulas) == set(touched)


def test_rounding_too_early_touches_the_steps_on_the_way_too(altering: Worked) -> None:
    assert altered(altering.subject, Change("O", rounded_to=1)).touched == {"S", "A", "O"}


def test_a_quantity_that_is_counted_wrong_spoils_those_that_use_it(altering: Worked) -> None:
    made = altering.made(Change("N", quantities={"N": Integer(5)}))
    assert made.touched == {"N", "M"}
    assert made.figures(Ask("M", "number")) == (("10",),)


def test_behind_a_name_stands_all_it_rests_on_in_the_order_of_the_derivation(altering: Worked) -> None:
    assert altering.plan.behind(["A"]) == ("X", "S", "A")
    assert altering.plan.behind(["O", "L"]) == ("X", "V", "S", "A", "O", "L")


# -- distractors -------------------------------------------------------------------------------------------------------


SYMMETRIC = lesson('S = [["0", "1"], ["1", "0"]]\nV = [["1"], ["3"]]', "A = softmax(S)", "O = A @ V")
"""Its weights are the same by rows and by columns, so that some mistakes do not show."""


def accidents(allowed: tuple[str, ...] | None) -> tuple[str, ...]:
    asks = (Ask("A"), Ask("O"))
    return wrongs(SYMMETRIC, asks, {ask.name: SYMMETRIC.figures(ask) for ask in asks}, allowed=allowed)[1]


def test_the_first_accident_that_is_not_allowed_ends_the_search() -> None:
    every = accidents(None)
    assert {"softmax-over-columns", "weights-transposed"} <= set(every)
    assert accidents(()) == every[:1]
    assert accidents(every[:1]) == every[:2]
    assert accidents(every) == every


def test_a_mistake_that_may_leave_every_figure_as_it_is_is_no_accident() -> None:
    right = lesson('x = [["1", "2", "4"]]', "y = layer_norm(x, epsilon=10^-12)")
    ask = Ask("y")
    found, by_accident = wrongs(right, (ask,), {"y": right.figures(ask)}, allowed=None)
    assert any(mistake.name == "epsilon-forgotten" for mistake, _ in changes(right, (ask,)))
    assert "epsilon-forgotten" not in by_accident
    assert "epsilon-forgotten" not in {wrong.mistake for wrong in found}


def test_with_a_topic_only_its_own_mistakes_are_made() -> None:
    asks = (Ask("A"), Ask("O"))
    every = {mistake.name for mistake, _ in changes(SYMMETRIC, asks)}
    own = {mistake.name for mistake, _ in changes(SYMMETRIC, asks, "softmax-row")}
    assert own == {mistake.name for mistake in bank() if mistake.name in every and "softmax-row" in mistake.topics}
    assert own < every


def test_a_value_is_accepted_within_half_a_unit_of_the_last_decimal() -> None:
    right = lesson('X = [["3"]]', "Y = X / 2")
    value = right.right_values((Ask("Y", decimals=3),))["Y"][0, 0]
    assert agrees(value, fmpq(15004, 10000), scale_of(3))
    assert not agrees(value, fmpq(1501, 1000), scale_of(3))


def test_a_mistake_that_divides_by_zero_has_no_figures() -> None:
    right = lesson('X = [["1", "-1"]]', "Y = X + ones(1, 2)", "P = proportions(Y)")
    made = right.made(Change("Y", {"Y": MatrixSymbol("X", 1, 2)}))
    assert right.figures(Ask("P")) == (("1", "0"),)
    with pytest.raises(NoValueError, match="P is not defined with these numbers"):
        made.figures(Ask("P"))


# -- enclosures --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "number"), [("sqrt(2)", Decimal(2).sqrt()), ("1/3", Decimal(1) / 3), ("2/7", Decimal(2) / 7)]
)
def test_a_given_without_a_finite_decimal_may_be_rounded_when_it_is_used(text: str, number: Decimal) -> None:
    value = hundredfold(text)
    assert value.contains(arb(str(100 * number)))
    assert value.contains(arb(str(100 * rounded(number, 2))))


@pytest.mark.parametrize(("text", "number"), [("1/8", "12.5"), ("0.125", "12.5"), ("7/40", "17.5")])
def test_a_given_that_is_a_decimal_is_used_as_it_is(text: str, number: str) -> None:
    value = hundredfold(text)
    assert value.contains(arb(number))
    assert value.rad() < arb("1e-9")


def hundredfold(text: str) -> arb:
    """Where 100 x may lie for somebody who writes two decimals."""
    right = lesson(f'X = [["{text}"]]', "Y = 100 * X")
    with at_precision(BITS):
        return right.right_values((Ask("Y", decimals=2),))["Y"][0, 0]


def test_whole_numbers_beside_endless_ones_stay_what_they_are() -> None:
    right = lesson('X = [["1/3", "2", "0.125"]]', "Y = 1 * X")
    first, second, third = rounded_givens(right.solution, 2)["X"].entries()
    assert not first.is_exact()
    assert second == 2
    assert third == arb("0.125")


def test_a_value_is_right_also_where_rounding_on_the_way_may_divide_by_zero() -> None:
    right = lesson('X = [["0.0001", "0.0002"]]', "Y = X / 3", "P = proportions(Y)")
    ask = Ask("P", decimals=2)
    wide = by_hand(right.solution, "P", 2)
    assert wide is not None
    assert not all(x.is_finite() for x in wide.entries())
    with at_precision(BITS):
        for x, third in zip(right.right_values((ask,))["P"].entries(), (1, 2), strict=True):
            assert x.is_finite()
            assert x.contains(arb(third) / 3)


@pytest.mark.parametrize("kind", ["shape", "number"])
def test_what_is_no_matrix_and_what_is_not_there_has_no_enclosure(kind: str) -> None:
    right = lesson('X = [["1"]]', "Y = X / 3")
    assert right.right_values((Ask("Y", kind), Ask("Z"))) == {}  # type: ignore[arg-type]
