"""Whatever a formula has in common with NumPy means the same there: its value, its shape, how many axes it has."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping

import pytest

from symattn.base.errors import SymattnError
from symattn.base.shapes import Axis, Shape
from symattn.operations.terms import Term
from tests.formula.numpy_road import NotSettledError, by_numpy, certified, difference, read, shape_of
from tests.formula.random_formulas import NO_NUMBERS, REFUSALS, VALUES, formula, worth

SHAPES = {name: shape_of(value) for name, value in VALUES.items()}
LETTERS = {1: "", 2: "k", 3: "n", 4: "d"}
NAMED = {
    name: Shape(*(Axis(axis.size, LETTERS[int(axis.size)]) for axis in (shape.rows, shape.columns)), shape.ndim)
    for name, shape in SHAPES.items()
}
"""The same with names for the axes, by their lengths."""

ALLOWED: Mapping[str, tuple[str, str]] = {
    "a whole number has a power below 1 too": ("negative integer powers", ""),
    "a number is a matrix of one entry": ("[01]-dim|of dimension 0|enough dimensions|array is 0", ""),
    "a number has methods too": ("object has no attribute", ""),
    "a number beside a list is a product of the two": ("not subscriptable", r"\d\)*\["),
    "a vector that lies as a column goes with the rows": ("broadcast", r"[(\[@.]"),
}
"""What is read though NumPy refuses it: why, what NumPy says, and what such a text looks like."""


def looked_at(text: str, shapes: Mapping[str, Shape]) -> str:
    """``same``, ``refused``, ``neither``, ``no number``, ``more``: what NumPy and symattn make of a text; fails where
    the two differ."""
    term = read(text, shapes, {})
    try:
        wanted = by_numpy(text, VALUES)
    except NO_NUMBERS:
        return "no number"
    except REFUSALS as error:
        return _is_refused_by_numpy(text, term, str(error))
    if worth(text) is None:
        return "no number"
    if not isinstance(term, Term):
        return "refused"
    assert term.expr.shape == term.shape.sizes, f"{text} lies as {term.expr.shape} and is said to be {term.shape}"
    try:
        wrong = difference(certified(term, VALUES, shapes, {}), wanted)
    except NotSettledError:
        return "no number"
    assert not wrong, f"{text} {wrong}"
    return "same"


def _is_refused_by_numpy(text: str, term: Term | SymattnError, error: str) -> str:
    if not isinstance(term, Term):
        return "neither"
    is_known = any(re.search(said, error) and re.search(form, text) for said, form in ALLOWED.values())
    assert is_known, f"{text} is read, and NumPy says {error}"
    return "more"


def outcomes(numbers: range) -> tuple[Counter[str], list[str]]:
    """What comes of the formulas of these numbers, and what is wrong, the shortest first."""
    found: Counter[str] = Counter()
    wrong = []
    for number in numbers:
        try:
            found[looked_at(formula(number), NAMED if number % 2 else SHAPES)] += 1
        except AssertionError as error:
            wrong.append(str(error))
    return found, sorted(wrong, key=len)


@pytest.mark.parametrize(
    "numbers",
    [
        range(2_000),
        *(pytest.param(range(part * 20_000, (part + 1) * 20_000), marks=pytest.mark.slow) for part in (1, 2, 3)),
    ],
)
def test_whatever_is_read_has_the_value_and_the_shape_that_numpy_gives_it(numbers: range) -> None:
    found, wrong = outcomes(numbers)

    assert not wrong, "\n".join(wrong[:5])
    assert found["same"] >= FLOOR * (found["same"] + found["refused"]), found


FLOOR = 0.8
"""The share of NumPy's formulas that has to be read."""
