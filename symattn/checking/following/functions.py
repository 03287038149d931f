"""Functions of formulas on enclosures: of a row, of an entry, of two numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import reduce
from types import MappingProxyType

from flint import arb

from symattn.checking.following.rows import NoFit


def _mean(row: list[arb], _: int) -> arb:
    return sum(row, arb()) / len(row)


def _variance(row: list[arb], correction: int) -> arb:
    if len(row) <= correction:
        raise NoFit("a variance of a single number")
    middle = _mean(row, 0)
    return sum(((x - middle) ** 2 for x in row), arb()) / (len(row) - correction)


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
    }
)

"""What makes a number of a row; the number behind it is taken from how many there are, as variances do."""

ENTRYWISE: Mapping[str, str] = MappingProxyType(
    {
        **{
            name: name
            for name in "exp log sqrt tanh erf sin cos relu gelu gelu_tanh silu sigmoid abs softplus elu".split()
        },
        "ln": "log",
        "swish": "silu",
        "σ": "sigmoid",
    }
)
"""What is done with each entry, and what it is called where it is worked out."""


def larger(a: arb, b: arb) -> arb:
    """The larger one of two numbers."""
    return a if a >= b else b if b >= a else a.max(b)


def smaller(a: arb, b: arb) -> arb:
    """The smaller one of two numbers."""
    return a if a <= b else b if b <= a else a.min(b)


OF_TWO: Mapping[str, Callable[[arb, arb], arb]] = MappingProxyType(
    {name: rule for names, rule in ((("max", "maximum"), larger), (("min", "minimum"), smaller)) for name in names}
)
"""What makes a number of two."""
