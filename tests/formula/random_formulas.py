"""Random formulas of what symattn and NumPy both read: text over a few names, mostly of shapes that fit."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random

import numpy as np

from tests.formula.numpy_road import Array, by_numpy

VALUES: Mapping[str, Array] = {
    "X": np.array([[1.0, -0.5, 2.0, 0.25], [0.0, 1.5, -1.0, 1.0], [2.0, 0.5, 1.0, -2.0]]),
    "Y": np.array([[0.5, 1.0, -1.0, 0.0], [1.0, 0.25, 0.5, 2.0], [-1.5, 1.0, 0.0, 1.0]]),
    "S": np.array([[1.0, 0.5, -1.0], [0.25, 2.0, 0.0], [1.0, -0.5, 0.75]]),
    "W": np.array([[1.0, 0.0], [-1.0, 0.5], [2.0, 1.0], [0.25, -0.5]]),
    "r": np.array([[0.5, -1.0, 1.0, 2.0]]),
    "c": np.array([[1.0], [-2.0], [0.5]]),
    "u": np.array([1.0, 0.5, -1.5]),
    "v": np.array([2.0, -0.25, 1.0, 0.5]),
    "one": np.array([[1.5]]),
    "t": np.float64(0.75),
}
"""Matrices, a row, a column, vectors, a matrix of one entry and a number: every entry is a double as it stands."""

NAMES = ("X", "X", "S", "S", "Y", "W", "r", "c", "u", "v", "t", "one")
NUMBERS = ("2", "3", "0.5", "1", "1/4", "pi")
ENTRY_BY_ENTRY = ("exp", "sin", "cos", "tanh", "abs", "sqrt", "log")
ACROSS = ("sum", "mean", "max", "min", "var", "std")
AXES = (
    *("", ", 0", ", 1", ", -1", ", axis=0", ", axis=1", ", axis=-1"),
    *(", axis=0, keepdims=True", ", axis=-1, keepdims=True", ", axis=None"),
)
PLACES = ("0", "1", "-1", "0:2", "1:", ":2", "-2:", ":")
LARGEST = 1e6


class Maker:
    """Draws one formula. What the pieces are worth in NumPy is looked at, so that most of them fit."""

    def __init__(self, draw: Random) -> None:
        self.draw = draw

    def one_of(self, *choices: str) -> str:
        return self.draw.choice(choices)

    def mostly(self, times: int) -> bool:
        """So many times, and once not."""
        return self.draw.randint(0, times) > 0

    def formula(self, depth: int) -> str:
        if depth == 0:
            return self.one_of(*NAMES) if self.mostly(5) else self.one_of(*NUMBERS)
        return self.draw.choice(RULES)(self, depth - 1)

    def factor(self, depth: int) -> str:
        """A piece that keeps together, most of the time: elsewhere the rules of precedence are what is tried."""
        text = self.formula(depth)
        return text if text.isidentifier() or not self.mostly(7) else f"({text})"

    def fitting(self, text: str, sign: str) -> str:
        """A name that goes with a text, if there is one."""
        return self.one_of(*([name for name in VALUES if worth(f"{text} {sign} {name}") is not None] or NAMES))

    # One method for each kind of syntax

    def sum_or_product(self, depth: int) -> str:
        sign, left, right = self.one_of(*"++--**//"), self.factor(depth), self.factor(depth)
        if worth(f"{left} {sign} {right}") is None and self.mostly(4):
            right = self.fitting(left, sign)
        return f"{left} {sign} {right}"

    def matrix_product(self, depth: int) -> str:
        left, right = self.factor(depth), self.factor(depth)
        if worth(f"{left} @ {right}") is None and self.mostly(6):
            right = f"{left}.T" if self.mostly(1) else self.fitting(left, "@")
        return f"{left} @ {right}"

    def power(self, depth: int) -> str:
        return f"{self.factor(depth)} {self.one_of('**', '**', '**', '^')} {self.one_of('2', '3', '0.5', '-1', '1')}"

    def turned(self, depth: int) -> str:
        return f"{self.factor(depth)}.T"

    def minus(self, depth: int) -> str:
        return f"-{self.factor(depth)}"

    def entry_by_entry(self, depth: int) -> str:
        function, inner = self.one_of(*ENTRY_BY_ENTRY), self.formula(depth)
        inner = f"abs({inner}) + 1" if function in ("sqrt", "log") and self.mostly(5) else inner
        return f"{self.prefix()}{function}({inner})"

    def larger(self, depth: int) -> str:
        one, other = self.formula(depth), self.one_of("0", "0.5", self.formula(depth))
        return f"{self.prefix()}{self.one_of('maximum', 'minimum')}({one}, {other})"

    def across(self, depth: int) -> str:
        function, axis = self.one_of(*ACROSS), self.one_of(*AXES)
        if self.mostly(4):
            return f"{self.prefix()}{function}({self.formula(depth)}{axis})"
        return f"{self.factor(depth)}.{function}({axis.removeprefix(', ')})"

    def softmax(self, depth: int) -> str:
        return f"softmax({self.formula(depth)}{self.one_of('', ', axis=-1', ', axis=0', ', axis=1')})"

    def indexed(self, depth: int) -> str:
        places = [self.one_of(*PLACES) for _ in range(self.draw.choice((1, 2, 2)))]
        shown = self.one_of(", ".join(places), ", ".join(places), ":, None", "None, :", "..., 0", "::2")
        return f"{self.factor(depth)}[{shown}]"

    def listed(self, depth: int) -> str:
        parts = [self.formula(depth) for _ in range(self.draw.randint(2, 3))]
        numbers = [part for part in parts if np.ndim(worth(part)) == 0] or ["1", "t"]
        return f"[{', '.join(numbers)}]" if self.mostly(2) else f"[[{', '.join(numbers)}], [1, 2, t]]"

    def joined(self, depth: int) -> str:
        one = self.formula(depth)
        other = self.one_of(one, *NAMES, self.formula(depth))
        function = self.one_of("np.concatenate", "concatenate", "vstack", "hstack", "np.vstack", "np.hstack")
        axis = self.one_of("", ", axis=0", ", axis=1", ", axis=-1") if "concatenate" in function else ""
        return f"{function}([{one}, {other}]{axis})"

    def other_calls(self, depth: int) -> str:
        one, other = self.factor(depth), self.one_of(*NAMES, self.factor(depth))
        return self.one_of(*OF_ONE).format(one) if self.mostly(1) else self.one_of(*OF_TWO).format(one, other)

    def prefix(self) -> str:
        return "" if self.mostly(7) else "np."


OF_ONE = """repeat({}, 2, axis=0)|np.repeat({}, 2, axis=1)|np.repeat({}, 2)|np.tile({}, (2, 1))|np.tile({}, 2)
    |matrix_power({}, 2)|np.linalg.matrix_power({}, 3)|layer_norm({})|relu({})|{}.reshape(2, 6)|{}.reshape(-1)
    |np.reshape({}, (3, -1))|{}.reshape(1, -1)|{}.reshape(-1, 1)|np.outer({}, v)|np.linalg.norm({})|np.floor({})
    |np.linalg.norm({}, axis=1)|np.linalg.norm({}, axis=0, keepdims=True)|np.square({})|np.argmax({}, axis=1)
    |np.argmin({})|{}.argmax(axis=0)|np.clip({}, -1, 1)|{}.clip(0, 1)|np.transpose({})|{}.transpose()|{}.swapaxes(0, 1)
    |np.negative({})|np.reciprocal({})|np.deg2rad({})|np.log2(abs({}) + 1)|np.log10(abs({}) + 1)|{} + np.eye(3)
    |{} * np.full((3, 1), 2)|{} - np.ones((3, 4))|np.arange(4) * {}|{}.sum(0)|{}.mean()|np.max({})|np.var({}, ddof=1)
    |np.std({}, axis=1, ddof=1)|np.sin({}) ** 2""".replace("\n    ", "").split("|")
"""Calls of one, of which NumPy has many."""

OF_TWO = """np.dot({}, {})|{}.dot({})|np.matmul({}, {})|np.multiply({}, {})|np.add({}, {})|np.subtract({}, {})
    |np.divide({}, {})|np.power(abs({}) + 1, 2) + {}|np.inner({}, {})|np.outer({}, {})|np.vdot({}, {})
    |np.stack([{}, {}])|np.stack([{}, {}], axis=1)|np.column_stack([{}, {}])|np.concatenate(({}, {}), axis=0)
    |hstack(({}, {}))""".replace("\n    ", "").split("|")
"""Calls of two."""

RULES: tuple[Callable[[Maker, int], str], ...] = (
    *(Maker.sum_or_product,) * 5,
    *(Maker.matrix_product,) * 3,
    *(Maker.across,) * 3,
    *(Maker.indexed,) * 3,
    *(Maker.entry_by_entry,) * 3,
    *(Maker.power, Maker.turned, Maker.minus, Maker.larger, Maker.softmax, Maker.listed, Maker.joined),
    Maker.other_calls,
)


def worth(text: str) -> Array | None:
    """What NumPy makes of a text: nothing where it refuses it or finds no number."""
    try:
        found = by_numpy(text, VALUES)
    except (*REFUSALS, *NO_NUMBERS):
        return None
    return found if np.isfinite(found).all() and found.size and np.abs(found).max() < LARGEST else None


REFUSALS = (TypeError, ValueError, IndexError, AttributeError, SyntaxError)
"""What NumPy and Python raise at a formula that means nothing to them."""

NO_NUMBERS = (ZeroDivisionError, FloatingPointError, OverflowError, Warning)
"""What they raise where the formula means something, and its numbers have no value."""


def formula(number: int) -> str:
    """The formula of a number, up to three operations deep."""
    draw = Random(number)
    return Maker(draw).formula(draw.choice((1, 2, 2, 3)))
