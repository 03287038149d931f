"""No text that can mean two things is guessed at: it is refused, and what is said names both."""

from __future__ import annotations

import tomllib
from itertools import combinations

import numpy as np
import pytest

from symattn.base.shapes import Axis, Shape
from symattn.operations.terms import Term
from tests.conftest import ROOT
from tests.formula.numpy_road import certified, difference, read, shape_of
from tests.formula.random_formulas import VALUES as MATRICES

DRAWN = np.random.default_rng(15)
VALUES = {
    **MATRICES,
    "r": np.array([[1.0, 2.0, -1.0]]),
    "b": np.array([[1.0, 0.5, 0.25, 2.0]]),
    "g": np.array([[3.0, 1.0, 2.0]]),
    **{name: np.round(DRAWN.random((3, 3)), 2) for name in ("P", "L", "A", "Q", "K", "QK")},
    "B": np.round(DRAWN.random((11, 11)), 2),
    **{name: np.round(DRAWN.random(3), 2) for name in ("a", "e", "x")},
    "A_12": np.float64(0.5),
    "a_1": np.float64(0.25),
}
SIZES = {"n": 3, "d": 3, "T": 2}
SHAPES = {
    **{name: shape_of(value) for name, value in VALUES.items()},
    "L": Shape(Axis(3, "n"), Axis(3, "d")),
    "g": Shape(Axis(1), Axis(3, "n")),
}
TABLES = tomllib.loads((ROOT / "tests" / "formula" / "two_readings.toml").read_text(encoding="utf-8"))
CASES = {text: readings for table in TABLES.values() for text, readings in table.items()}


def plain(text: str) -> str:
    return text.replace(" ", "")


def wrong(text: str) -> str:
    """What is wrong with what is said of a text that has two readings."""
    said = read(text, SHAPES, SIZES)
    if isinstance(said, Term):
        return f"{text} is read as {said.expr}"
    missing = [reading for reading in CASES[text] if plain(reading) not in plain(str(said))]
    if missing:
        return f"{missing} is not in: {said}"
    values = []
    for reading in CASES[text]:
        term = read(reading, SHAPES, SIZES)
        if not isinstance(term, Term):
            return f"{reading} cannot be typed: {term}"
        values.append(certified(term, VALUES, SHAPES, SIZES))
    same = [f"{one}" for one, other in combinations(values, 2) if not difference(one, other)]
    return f"two readings have the same value: {same}" if same else ""


@pytest.mark.parametrize("text", CASES, ids=repr)
def test_what_can_mean_two_things_is_refused_with_both_and_both_can_be_typed(text: str) -> None:
    assert not wrong(text), wrong(text)
