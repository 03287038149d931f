"""The figures of a page before it is written: each with its text, and what it should be."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from tests.checking.plantings.page import Slot, figure
from tests.checking.plantings.steps import Array, Values, Worked

Texts = dict[str, list[list[str]]]


@dataclass(frozen=True)
class ReadFigures:
    """The texts of all values of an example, and what is true."""

    worked: Worked
    true: Values
    decimals: Mapping[str, int]
    texts: Texts
    comma: bool = False

    def slots(self, name: str, repeated: bool = False) -> list[list[Slot]]:
        """The figures of a name; of one that was transposed each has the truth of the place where it stands."""
        is_given = self.worked.step(name).formula is None
        role = "given" if is_given else "repeat" if repeated else "result"
        return [
            [
                Slot(text, role, (self._truth(name, row, column),), name, row, column, self.comma)  # type: ignore[arg-type]
                for column, text in enumerate(texts)
            ]
            for row, texts in enumerate(self.texts[name])
        ]

    def _truth(self, name: str, row: int, column: int) -> float:
        true = self.true[name]
        return float(true[row, column]) if row < true.shape[0] and column < true.shape[1] else float("nan")

    def with_values(self, values: Values) -> ReadFigures:
        """The same page with other values in it."""
        texts = {name: texts_of(values[name], self.decimals[name]) for name in self.texts}
        return replace(self, texts=texts)


def texts_of(values: Array, decimals: int) -> list[list[str]]:
    return [[figure(float(value), decimals) for value in row] for row in values]


def decimals_of(value: Array, most: int, is_given: bool, trimmed: bool) -> int:
    """How many decimals somebody prints: of what has few by itself no more, on some pages."""
    finite = value[np.isfinite(value)]
    for few in range(3 if not is_given else most + 1):
        if (trimmed or is_given) and np.all(np.abs(finite * 10**few - np.round(finite * 10**few)) < 1e-9):
            return min(few, most) if not is_given else few
    return most


def figures(worked: Worked, most: int, trimmed: bool, comma: bool = False) -> ReadFigures:
    """The figures of a page on which all is right."""
    true = worked.values()
    shown = [step for step in worked.steps if not step.is_hidden]
    decimals = {step.name: decimals_of(true[step.name], most, step.formula is None, trimmed) for step in worked.steps}
    texts = {step.name: texts_of(true[step.name], decimals[step.name]) for step in shown}
    return ReadFigures(worked, true, decimals, texts, comma)
