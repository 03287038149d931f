"""Functions of a list, and of each number, by the names that people call them.

>>> float(ALONG["mean"]([arb(1), arb(4)], 0))
2.5
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from functools import reduce
from types import MappingProxyType

from flint import arb

from symattn.checking.following import worlds
from symattn.checking.following.rows import BallMatrix, NoFit, ball, difference
from symattn.checking.following.worlds import Worlds
from symattn.checking.reading.tree import Combined, Expressed, FigureRead, GridRead, NameRead


def _mean(row: list[arb], _: int) -> arb:
    return sum(row, arb()) / len(row)


def _variance(row: list[arb], correction: int) -> arb:
    if len(row) <= correction:
        raise NoFit("a variance of a single number")
    middle = _mean(row, 0)
    apart = [difference(x, middle) for x in row]
    return sum((x * x for x in apart), arb()) / (len(row) - correction)


ALONG: Mapping[str, Callable[[list[arb], int], arb]] = MappingProxyType(
    {
        "sum": lambda row, _: sum(row, arb()),
        "mean": _mean,
        "var": _variance,
        "std": lambda row, correction: _variance(row, correction).sqrt(),
        "norm": lambda row, _: sum((x * x for x in row), arb()).sqrt(),
        "max": lambda row, _: reduce(lambda a, b: a.max(b), row),
        "min": lambda row, _: reduce(lambda a, b: a.min(b), row),
        "len": lambda row, _: arb(len(row)),
        "prod": lambda row, _: reduce(lambda a, b: a * b, row),
    }
)


def order_of(one: Combined) -> Expressed | None:
    """What is said of which norm is meant: below it, or as an argument."""
    said = [value for name, value in one.named if name in ("_", "ord", "p")]
    return next(iter((*said, *one.args[1:2])), None)


def epsilon_of(one: Combined) -> Fraction | None:
    """What is written to be added below the root of a norm."""
    written = (value for name, value in one.named if name in ("eps", "epsilon", "ε"))
    return next((each.value for each in written if isinstance(each, FigureRead)), None)


def norm(order: Expressed | None) -> Callable[[list[arb], int], arb]:
    """The norm of an order that is written below or behind it. Raises :class:`NoFit` of what is no order."""
    match order:
        case None | NameRead(base="F" | "Fro") | FigureRead(value=Fraction(numerator=2, denominator=1)):
            return ALONG["norm"]
        case FigureRead(value=None, sign=1):
            return lambda row, _: reduce(larger, map(abs, row))
        case FigureRead(value=Fraction() as p) if p >= 1:
            return lambda row, _: sum((abs(x) ** ball(p) for x in row), arb()) ** ball(1 / p)
    raise NoFit("a norm that is not modelled")


_LARGEST = 256


def _whole(x: arb) -> int:
    if not x.is_integer() or abs(x) > _LARGEST:
        raise NoFit("no whole number that is followed")
    return int(float(x))


def root(x: arb, degree: int) -> arb:
    """The real root of a degree. Raises :class:`NoFit` where there is none."""
    if degree < 1 or (x < 0 and degree % 2 == 0):
        raise NoFit("a root that is not real")
    return -((-x).root(degree)) if x < 0 else x.root(degree)


OF_ONE: Mapping[str, Callable[[arb], arb]] = MappingProxyType(
    {
        "factorial": lambda x: arb(math.factorial(abs(_whole(x)))) if x >= 0 else arb.nan(),
        "lg": lambda x: x.log() / arb(10).log(),
        "cbrt": lambda x: root(x, 3),
        "floor": lambda x: x.floor(),
        "ceil": lambda x: x.ceil(),
    }
)
"""Functions of a number that are no operation of the formula language."""

_BY_NAME = "exp log sqrt tanh erf sin cos relu gelu gelu_tanh silu sigmoid abs softplus elu".split()
ENTRYWISE: Mapping[str, str] = MappingProxyType(
    {**{name: name for name in _BY_NAME}, "ln": "log", "swish": "silu", "σ": "sigmoid"}
)


def larger(a: arb, b: arb) -> arb:
    """The larger one of two numbers."""
    return a if a >= b else b if b >= a else a.max(b)


def smaller(a: arb, b: arb) -> arb:
    """The smaller one of two numbers."""
    return a if a <= b else b if b <= a else a.min(b)


CONSTANTS: Mapping[str, Callable[[], arb]] = MappingProxyType({"e": lambda: arb(1).exp(), "π": arb.pi, "pi": arb.pi})

OF_TWO: Mapping[str, Callable[[arb, arb], arb]] = MappingProxyType(
    {
        **dict.fromkeys(("max", "maximum"), larger),
        **dict.fromkeys(("min", "minimum"), smaller),
        "log": lambda a, base: a.log() / base.log(),
        "mod": lambda a, b: a - b * (a / b).floor(),
        "floor_divide": lambda a, b: (a / b).floor(),
        "comb": lambda n, k: arb(math.comb(max(0, _whole(n)), max(0, _whole(k)))),
    }
)


OF_LISTS = frozenset("sum prod mean var std norm softmax log_softmax proportions normalize layer_norm rms_norm".split())
"""What is done with a list, so that its numbers may stand one after another: ``softmax(0.3, 1.2)``."""


def unit_norm(rows: BallMatrix) -> BallMatrix:
    """Every row divided by its length.

    Raises :class:`~symattn.checking.following.rows.NoFit` where that is 0.

    >>> [round(float(x), 9) for x in unit_norm([[arb(3), arb(4)]])[0]]
    [0.6, 0.8]
    """
    lengths = [ALONG["norm"](row, 0) for row in rows]
    if any(each.contains(0) for each in lengths):
        raise NoFit("a row of length 0")
    return [[x / length for x in row] for row, length in zip(rows, lengths, strict=True)]


def keeps_axis(one: Combined) -> bool:
    """Whether a sum along rows is a column: ``x.sum(dim=-1, keepdim=True)``."""
    return any(
        name in ("keepdim", "keepdims") and isinstance(value, NameRead) and value.base == "True"
        for name, value in one.named
    )


def as_list(name: str, one: Combined) -> tuple[Expressed, ...]:
    """``softmax(0.3, 1.2)``: figures that stand one after another are a list, which may have been printed before."""
    figures = all(isinstance(each, FigureRead) for each in one.args)
    if len(one.args) < 2 or name not in OF_LISTS or not figures:
        return one.args
    return (GridRead((one.args,), "tuple", 1, one.start, one.end),)


def is_along_rows(one: Combined) -> bool:
    """Whether matrices are put one below the other: ``axis=0``."""
    return any(
        name in ("dim", "axis") and isinstance(value, FigureRead) and value.value == 0 for name, value in one.named
    )


def is_sum(below: Expressed, above: Worlds) -> bool:
    """Whether a figure is the sum of the figures above it: ``[4.11, 1] / 5.11`` divides them by their sum."""
    if not isinstance(below, FigureRead) or below.value is None or below.unit >= 1:
        return False
    total = sum((x for row in above.carried for x in row), arb())
    return bool(abs(total - ball(below.value)) <= ball(below.unit * above.entries))


def spread(written: Expressed, value: Worlds) -> Worlds:
    """Figures that were rounded on the way: anything that is printed so."""
    units = [written.unit] if isinstance(written, FigureRead) else []
    if isinstance(written, GridRead):
        units = [each.unit for each in written.rows[0] if isinstance(each, FigureRead)]
    wide = [[arb(x.mid(), ball(unit / 2)) for x, unit in zip(value.true[0], units, strict=True)]]
    return replace(value, true=wide)


def _pooled(one: Worlds, *size: Worlds) -> Worlds:
    """The largest number of each window; windows of two by two where no size is said, none over another."""
    wide = _whole(size[0].true[0][0]) if size else 2
    high = 1 if one.axes == 1 else wide
    rows, columns = one.shape
    if wide < 1 or rows % high or columns % wide:
        raise NoFit("windows that do not fit")

    def made(given: BallMatrix) -> BallMatrix:
        return [
            [
                reduce(larger, (x for row in given[i : i + high] for x in row[j : j + wide]))
                for j in range(0, columns, wide)
            ]
            for i in range(0, rows, high)
        ]

    return worlds.through(made, [one], one.axes)


OF_POOLS: Mapping[str, Callable[..., Worlds]] = MappingProxyType(
    dict.fromkeys(("maxpool", "max_pool", "MaxPool", "maxpool2d", "max_pool2d", "MaxPool2d"), _pooled)
)
"""Functions of windows."""
