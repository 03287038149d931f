"""What an exercise gives, read from its text by other code than the project's, in double precision."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from math import log, sqrt

import numpy as np
from numpy.typing import NDArray

from symattn.exercise.model import Exercise

Array = NDArray[np.float64]

CLOSE = 1e-9
"""How far beyond half a unit of its last digit a figure may be from a number in double precision."""

_FACTOR = re.compile(r"(sqrt|log)\(([0-9/.]+)\)|([0-9.]+)")


@dataclass(frozen=True)
class Sheet:
    """What somebody has in front of them: given numbers, sizes, steps as they are written, and what is counted."""

    given: Mapping[str, Array]
    sizes: Mapping[str, int]
    steps: Mapping[str, str]
    counted: frozenset[str]
    shapes: Mapping[str, tuple[int, ...]]
    """Of matrices without numbers."""

    def option(self, step: str, name: str) -> float:
        """The number that an operation is set to: 0.5 for ``epsilon`` in ``Y = rms_norm(X, epsilon=1/2)``."""
        found = re.search(rf"\b{name}=([^,)]+)", self.steps[step])
        assert found is not None, (step, name)
        return number(found.group(1))


def number(text: str) -> float:
    """The number in a text: products and quotients of decimals, roots and logarithms, with a sign before them."""
    text = text.strip()
    sign, value = (-1.0, 1.0) if text.startswith("-") else (1.0, 1.0)
    for i, part in enumerate(re.split(r"([*/])(?![^(]*\))", text.removeprefix("-"))):
        if i % 2:
            divides = part == "/"
            continue
        found = _FACTOR.fullmatch(part.strip())
        assert found is not None, text
        function, inner, plain = found.groups()
        factor = float(plain) if plain else {"sqrt": sqrt, "log": log}[function](number(inner))
        value = value / factor if i and divides else value * factor
    return sign * value


def rounded(number: Decimal, places: int) -> Decimal:
    """Half a unit goes up, away from zero."""
    return number.quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP)


def sheet_of(exercise: Exercise) -> Sheet:
    """The numbers and steps of an exercise."""
    table = tomllib.loads(exercise.source)
    given = {name: _matrix(value) for name, value in table.get("given", {}).items()}
    sizes = {**table.get("sizes", {}), **{axis: len(labels) for axis, labels in table.get("labels", {}).items()}}
    steps = [step for section in table["section"] for step in section["steps"]]
    formulas = dict(step.split(" = ", 1) for step in steps if isinstance(step, str))
    counted = frozenset(step["quantity"].split(" = ")[0] for step in steps if isinstance(step, dict))
    shapes = {name: tuple(map(int, shape)) for name, shape in table.get("general", {}).items()}
    return Sheet(given, sizes, formulas, counted, shapes)


def _matrix(value: object) -> Array:
    rows = value["value"] if isinstance(value, dict) else value
    assert isinstance(rows, list)
    return np.array([[number(str(text)) for text in row] for row in rows])


def must_agree(exercise: Exercise, values: Mapping[str, object]) -> None:
    """Every figure of the key is what the other road comes to, rounded at most by half a unit of its last digit."""
    assert {part.name for part in exercise.parts} <= set(values)
    for part in exercise.parts:
        found = np.atleast_2d(np.asarray(values[part.name], dtype=np.float64))
        assert found.shape == part.shape, (exercise.topic, part.name)
        for key, value in zip(np.ravel(part.key), np.ravel(found), strict=True):
            figure = float(str(key).replace("oo", "inf"))
            half = 0.5 * 10.0**-part.decimals if "." in str(key) else 0.0
            close = figure == value or abs(figure - value) <= half + CLOSE * max(1.0, abs(value))
            assert close, (exercise.topic, exercise.difficulty, exercise.version, part.name, key, value)
