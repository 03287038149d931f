"""Which entries are largest is proved before anything that rests on it is worked out, ties included."""

from __future__ import annotations

from collections.abc import Callable

import pytest


@pytest.mark.parametrize("carry", ["exact", "rounded"])
def test_a_tie_that_no_precision_shows_is_settled_for_the_first(carry: str, solve: Callable) -> None:
    steps = ("P = softmax(Z)", "R = proportions(hadamard(P, top_k(P, 2)))", "c = argmax(softmax(Z))")
    solution = solve({"Z": [["1", "1", "1"], ["0", "sqrt(2)", "sqrt(2)"]]}, *steps, carry=carry)

    assert solution["R"].decimals(2) == (("0.50", "0.50", "0.00"), ("0.00", "0.50", "0.50"))
    assert solution["c"].decimals(0) == (("0",), ("1",))


def test_a_choice_inside_a_choice_is_settled_from_within(solve: Callable) -> None:
    solution = solve({"Z": [["1", "3", "2"]]}, "C = argmax(hadamard(softmax(Z), top_k(softmax(Z), 1)))")

    assert solution["C"].decimals(0) == (("1",),)


@pytest.mark.parametrize(("carry", "chosen"), [("exact", "1"), ("rounded", "0")])
def test_what_is_chosen_depends_on_the_printed_figures_where_those_are_carried(
    carry: str, chosen: str, solve: Callable
) -> None:
    solution = solve({"Z": [["0.1000001", "0.1000002"]]}, "P = Z / 3", "c = argmax(P)", carry=carry)

    assert solution["c"].decimals(0) == ((chosen,),)
