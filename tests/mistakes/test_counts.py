"""Mistakes in counts and shapes against the numbers that a person gets who makes them."""

from __future__ import annotations

import pytest

from symattn.base.shapes import Axis, Shape
from symattn.claims.mistakes.model import bank, changed
from symattn.claims.mistakes.subject import Subject
from symattn.read.plan import Plan
from symattn.read.quantities import quantity_values, read_quantity
from tests.mistakes.mistaken import changes_of

PARAMETERS = {"d": 6, "f": 24, "h": 2, "L": 3, "n": 5}
COUNTS: tuple[tuple[str, str, int], ...] = (
    ("biases-not-counted", "2*d*f + d + f", 2 * 6 * 24),
    ("output-projection-not-counted", "4*d*d + 4*d", 3 * 36 + 4 * 6),
    ("one-of-two-matrices-counted", "2*d*f + d + f", 6 * 24 + 6 + 24),
    ("one-of-two-matrices-counted", "8*d**2 + 5*d", 4 * 36 + 5 * 6),
    ("one-head-counted", "h*(3*d*f + f)", 3 * 6 * 24 + 24),
    ("one-layer-counted", "L*(4*d**2 + 2*d*f)", 4 * 36 + 2 * 6 * 24),
    ("counted-for-every-head", "4*d*d", 2 * 4 * 36),
    ("length-and-width-exchanged", "n**2*d", 5 * 36),
    ("additions-counted-too", "n*d*f", 2 * 5 * 6 * 24),
    ("sizes-added", "d*f + f", 6 + 24 + 24),
)


@pytest.mark.parametrize(("mistake", "formula", "expected"), COUNTS)
def test_a_count_goes_wrong_as_it_does_by_hand(mistake: str, formula: str, expected: int) -> None:
    plan = Plan(sizes=PARAMETERS)
    quantity = read_quantity("N", formula, plan, {})
    changes = list(changes_of(mistake, Subject(plan, {"N": quantity})))
    assert expected in [change.quantities["N"].subs(quantity_values({}, PARAMETERS)) for change in changes]
    assert all(change.step == "N" for change in changes)


def test_counting_one_multiplication_for_each_entry_leaves_out_the_size_in_the_middle() -> None:
    plan = Plan(sizes={"n": 3, "d": 4, "m": 5}).given("X", Shape(Axis(3, "n"), Axis(4, "d")))
    plan = plan.given("W", Shape(Axis(4, "d"), Axis(5, "m")))
    quantity = read_quantity("N", "multiplications(X @ W)", plan, {})
    (change,) = changes_of("one-multiplication-per-entry", Subject(plan, {"N": quantity}))
    assert change.quantities["N"].subs(quantity_values({}, {"n": 3, "d": 4, "m": 5})) == 15


SHAPES = (
    ("rows-and-columns-swapped", (4, 2)),
    ("inner-sizes-kept", (3, 3)),
    ("shape-of-the-first-factor", (2, 3)),
    ("shape-of-the-last-factor", (3, 4)),
)


@pytest.mark.parametrize(("mistake", "expected"), SHAPES)
def test_a_shape_goes_wrong_as_it_does_by_hand(mistake: str, expected: tuple[int, int]) -> None:
    plan = Plan().given("A", Shape(Axis(2), Axis(3))).given("B", Shape(Axis(3), Axis(4))).step("C", "A @ B")
    (change,) = changes_of(mistake, Subject(plan))
    assert changed(plan, change)["C"].shape.sizes == expected


@pytest.mark.parametrize(("mistake", "formula"), [
    ("biases-not-counted", "2*d*f"), ("output-projection-not-counted", "3*d*d"), ("one-head-counted", "4*d*d"),
    ("one-layer-counted", "4*d*d"), ("length-and-width-exchanged", "n*d*f"), ("additions-counted-too", "4*d*d"),
    ("sizes-added", "d + f"), ("one-multiplication-per-entry", "n*d*f"),
])  # fmt: skip
def test_a_count_without_the_place_of_a_mistake_has_no_change(mistake: str, formula: str) -> None:
    plan = Plan(sizes=PARAMETERS)
    assert list(changes_of(mistake, Subject(plan, {"N": read_quantity("N", formula, plan, {})}))) == []


def test_the_shape_of_a_square_matrix_cannot_be_swapped() -> None:
    plan = Plan().given("A", Shape(Axis(2), Axis(2))).step("C", "A @ A")
    assert [
        mistake.name for mistake in bank() if "shape" in mistake.kinds and list(mistake.rewrite(Subject(plan)))
    ] == []


def test_every_mistake_in_counts_and_shapes_has_been_worked_out_by_hand() -> None:
    tried = {name for name, _, _ in COUNTS} | {name for name, _ in SHAPES} | {"one-multiplication-per-entry"}
    assert [mistake.name for mistake in bank() if "matrix" not in mistake.kinds and mistake.name not in tried] == []
