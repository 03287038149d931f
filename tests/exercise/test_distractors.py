"""What mistakes come to: wrong answers, and right ones by accident."""

from __future__ import annotations

import pytest
from flint import arb, fmpq

from symattn.errors import NoValueError
from symattn.exercise.distractors import accepted_values, changes, wrongs
from symattn.exercise.worked import Ask
from symattn.mistakes.bank import bank
from symattn.mistakes.model import Change
from symattn.operations import MatrixSymbol
from tests.exercise.lessons import lesson

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
    value = accepted_values(right, (Ask("Y", decimals=3),))["Y"][0, 0]
    assert value.contains(arb(fmpq(15004, 10000)))
    assert not value.contains(arb(fmpq(1501, 1000)))


def test_a_mistake_that_divides_by_zero_has_no_figures() -> None:
    right = lesson('X = [["1", "-1"]]', "Y = X + ones(1, 2)", "P = proportions(Y)")
    made = right.made(Change("Y", {"Y": MatrixSymbol("X", 1, 2)}))
    assert right.figures(Ask("P")) == (("1", "0"),)
    with pytest.raises(NoValueError, match="P is not defined with these numbers"):
        made.figures(Ask("P"))
