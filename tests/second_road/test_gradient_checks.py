"""The loss before and after a move, the quotient and the gradient of random derivations, worked out by mpmath."""

from __future__ import annotations

from typing import Any

import pytest

from symattn.base.errors import DomainError, UndecidedError
from symattn.base.printed import Figure
from symattn.compute.solution import Solution
from symattn.compute.solution.gradient_checks import MOVES, checked_gradient
from symattn.read.given import Given
from symattn.read.gradients.chain import backward

pytest.importorskip("torch")

from tests.second_road.random_plans import RandomPlan, random_plan, torch
from tests.second_road.roads import mp
from tests.second_road.test_gradient_figures import texts
from tests.second_road.test_gradients import Digits, difference, forward


def moved_loss(made: RandomPlan, place: Any, move: Any) -> Any:
    """The loss with one entry of a given moved, and nothing of symattn but the formulas of the steps."""
    given = {name: [list(map(Digits().number, row)) for row in rows] for name, rows in made.numbers.items()}
    given[place.name][place.row][place.column] += mp.mpf(move)
    return forward(made.plan, given)


def is_rounded(figure: Figure, value: Any) -> bool:
    """Whether a figure is a value, rounded, or the value itself where it says so."""
    gap = abs(mp.mpf(figure.text) - value)
    allowed = mp.mpf(10) ** -40 if figure.exact else mp.mpf("0.5") / 10**figure.places
    return bool(gap <= allowed * (1 + mp.mpf(10) ** -20))


def checked(seed: int) -> bool:
    """Whether a random derivation has a check, after every figure of it was worked out again."""
    made = random_plan(seed)
    if not torch.isfinite(made.tensors["L"]).all():
        return False
    passed = backward(made.plan, "L", made.moving)
    solution = Solution(passed.plan, {name: Given.read(texts(rows)) for name, rows in made.numbers.items()}).store
    try:
        found = checked_gradient(solution, "L", [(name, passed.names[name]) for name in made.moving])
    except (DomainError, UndecidedError):
        return False
    if found is None:
        return False
    place = found.place
    slope = difference(made.plan, made.numbers, place.name, (place.row, place.column))
    if slope is None:
        return False
    (before, after, further) = (moved_loss(made, place, move) for move in ("0", *MOVES))
    quotients = [(loss - before) / mp.mpf(move) for loss, move in zip((after, further), MOVES, strict=True)]
    far, near = (abs(each - slope) for each in quotients)
    told = (found.before, found.after, found.quotient, found.gradient, found.apart, found.nearer)
    for figure, value in zip(told, (before, after, quotients[0], slope, far, near), strict=True):
        assert is_rounded(figure, value), (seed, made.texts, place, figure, value)
    assert found.is_same == (far < mp.mpf(10) ** -30), (seed, far)
    assert found.is_same or (near <= far / 5 and far <= abs(slope) / 20), (seed, far, near, slope)
    return True


def test_every_figure_of_a_check_is_that_of_mpmath() -> None:
    assert sum(map(checked, range(11_000, 11_030))) >= 15


@pytest.mark.slow
@pytest.mark.parametrize("first", range(12_000, 13_000, 100))
def test_every_figure_of_a_thousand_checks_is_that_of_mpmath(first: int) -> None:
    assert sum(map(checked, range(first, first + 100))) >= 50
