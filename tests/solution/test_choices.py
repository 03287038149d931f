"""Which entries are largest is proved before anything that rests on it is worked out, ties included."""

from __future__ import annotations

import pytest

from symattn.given import Given
from symattn.plan import Plan
from symattn.scenario.style import FigureStyle
from symattn.shapes import shape
from symattn.solution import Solution


def solved(rows: list[list[str]], *steps: tuple[str, str], carry: str = "exact") -> Solution:
    plan = Plan().given("Z", shape(len(rows), len(rows[0])))
    for name, formula in steps:
        plan = plan.step(name, formula)
    return Solution(plan, {"Z": Given.read(rows)}, FigureStyle(carry=carry))


@pytest.mark.parametrize("carry", ["exact", "rounded"])
def test_a_tie_that_no_precision_shows_is_settled_for_the_first(carry: str) -> None:
    steps = (("P", "softmax(Z)"), ("R", "proportions(hadamard(P, top_k(P, 2)))"), ("c", "argmax(softmax(Z))"))
    solution = solved([["1", "1", "1"], ["0", "sqrt(2)", "sqrt(2)"]], *steps, carry=carry)

    assert solution["R"].decimals(2) == (("0.50", "0.50", "0.00"), ("0.00", "0.50", "0.50"))
    assert solution["c"].decimals(0) == (("0",), ("1",))


def test_a_choice_inside_a_choice_is_settled_from_within() -> None:
    solution = solved([["1", "3", "2"]], ("C", "argmax(hadamard(softmax(Z), top_k(softmax(Z), 1)))"))

    assert solution["C"].decimals(0) == (("1",),)


def test_what_is_chosen_depends_on_the_printed_figures_where_those_are_carried() -> None:
    steps = (("P", "Z / 3"), ("c", "argmax(P)"))
    rows = [["0.1000001", "0.1000002"]]

    assert solved(rows, *steps)["c"].decimals(0) == (("1",),)
    assert solved(rows, *steps, carry="rounded")["c"].decimals(0) == (("0",),)
