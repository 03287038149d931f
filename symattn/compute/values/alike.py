"""Entries that are equal because they are made alike: the same operation of the same numbers, however large it is.

A token that stands twice in a text has two equal rows, and so has everything that is worked out from it, through as
many layers as there are. Enclosures cannot see that and closed forms grow too large, so numbers stand for entries here:
what is made by the same operation from entries with the same numbers gets the same number. Equal numbers prove equal
values; different ones prove nothing.

>>> from symattn.operations import MatMul, MatrixSymbol, Softmax
>>> X = MatrixSymbol("X", 2, 3)
>>> kinds = Kinds()
>>> Softmax(MatMul(X, X.T, X)).shape, alike(Softmax(X), {"X": [[7, 8, 7], [8, 7, 7]]}.__getitem__, kinds)
((2, 3), [[3, 4, 3], [4, 3, 3]])
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial, reduce
from typing import Any, TypeAlias, cast

from sympy import Basic, MatAdd, MatMul, MatPow, MatrixSymbol

from symattn import operations as ops
from symattn.base.budget import spend
from symattn.base.shapes import in_rows, whole_sizes
from symattn.compute.values.applied import applied, frame
from symattn.compute.values.exact import ExactNames, exact
from symattn.operations.entry import FUNCTIONS
from symattn.operations.stages import Stage

Numbers: TypeAlias = "list[list[int]]"
"""A number for every entry of a matrix."""

KindLookup = Callable[[str], Numbers]

LARGEST_PRODUCT = 200_000
"""Multiplications of a product of matrices that are looked at one by one."""


BY_ROW = 10
"""Steps for an entry of a product."""


class Kinds:
    """How entries are made, and the number that each way of making one has."""

    def __init__(self, rational: Callable[[Basic], Sequence[Any] | None] = lambda _: None) -> None:
        self._known: dict[Any, int] = {}
        self._made: list[Any] = []
        self.rational = rational
        """The entries of a formula, if they are rational: two sums may be equal that are made of different numbers."""

    def __call__(self, *made: Any) -> int:
        """The number of what is made so: the same for the same."""
        number = self._known.setdefault(made, len(self._made))
        if number == len(self._made):
            self._made.append(made)
        return number

    def share(self, number: int) -> Fraction | None:
        """1/n of what is divided by the sum of n numbers like it, as a softmax divides equal scores: 0 and ∞ aside."""
        match self._made[number]:
            case ("div", part, whole) if self._made[whole][0] == "sum" and {part}.issuperset(self._made[whole][1]):
                return Fraction(1, len(self._made[whole][1]))
        return None

    def of_values(self, rows: Sequence[Sequence[Any]]) -> Numbers:
        """The numbers of entries that are known."""
        return [[self("value", x) for x in row] for row in rows]

    def own(self, what: Any, rows: int, columns: int) -> Numbers:
        """Numbers of which no two are the same."""
        return [[self("own", what, i, j) for j in range(columns)] for i in range(rows)]


@Stage
def alike(node: Basic, lookup: KindLookup, kinds: Kinds) -> Numbers:
    """The numbers of the entries of a formula; ``lookup`` has those of its names."""
    frame(node)  # which refuses what has no equations
    matrices = [arg for arg in node.args if arg.is_Matrix]
    if not matrices:  # a mask, positions, ones
        return kinds.of_values(exact(node, cast(ExactNames, None)).tolist())
    return applied(node, [alike(arg, lookup, kinds) for arg in matrices], partial(kinds, "value"), _Numbering(kinds))


@alike.register(ops.ArgMax)
@alike.register(ops.TopK)
def _(node: Basic, lookup: KindLookup, kinds: Kinds) -> Numbers:
    """What is chosen hangs on the entries of a row and on nothing else."""
    rows = [kinds("row", *row) for row in alike(node.argument, lookup, kinds)]
    return [[kinds(type(node), node.args[1:], row, j) for j in range(whole_sizes(node)[1])] for row in rows]


@dataclass(frozen=True)
class _Numbering:
    """What is made alike has one number. Neither the order of terms nor that of factors matters."""

    kinds: Kinds

    @property
    def functions(self) -> Mapping[str, Callable[..., int]]:
        return {
            name: partial(self._of_pair if name in ("add", "mul", "max", "min") else self.kinds, name)
            for name in FUNCTIONS
        }

    def _of_pair(self, function: str, x: int, y: int) -> int:
        return self.kinds(function, min(x, y), max(x, y))

    def number(self, value: int | Fraction) -> int:
        return self.kinds("number", value)

    def sum(self, values: list[int]) -> int:
        return self.kinds("sum", tuple(sorted(values)))

    def max(self, values: list[int]) -> int:
        return self.kinds("largest", tuple(sorted(values)))

    def compare(self, sign: str, left: int, right: int) -> Any:
        return (sign, left, right)

    def either(self, then: int, otherwise: int, condition: Any) -> int:
        return self.kinds("case", condition, then, otherwise)

    def product(self, left: Numbers, right: Numbers) -> Numbers:
        return _product(self.kinds, left, right)


@alike.register
def _(node: MatrixSymbol, lookup: KindLookup, kinds: Kinds) -> Numbers:
    return lookup(node.name)


# -- sums and products -------------------------------------------------------------------------------------------------


def _product(kinds: Kinds, a: Numbers, b: Numbers) -> Numbers:
    columns = list(zip(*b, strict=True))
    spend(BY_ROW * len(a) * len(columns))
    if len(a) * len(b) * len(columns) > LARGEST_PRODUCT:
        # Whole rows and columns have numbers, and the order of factors is not looked at.
        rows, turned = [kinds("row", *row) for row in a], [kinds("row", *column) for column in columns]
        return [[kinds("product", row, column) for column in turned] for row in rows]
    return [[_sum_of_products(kinds, row, column) for column in columns] for row in a]


def _sum_of_products(kinds: Kinds, a: Sequence[int], b: Sequence[int]) -> int:
    """Neither the order of terms nor that of factors matters."""
    return kinds("products", tuple(sorted((x, y) if x < y else (y, x) for x, y in zip(a, b, strict=True))))


@alike.register
def _(node: MatMul, lookup: KindLookup, kinds: Kinds) -> Numbers:
    values = kinds.rational(node)
    if values is not None:
        columns = whole_sizes(node)[1]
        return kinds.of_values(in_rows(values, columns))
    product = reduce(lambda a, b: _product(kinds, a, b), (alike(x, lookup, kinds) for x in node.args if x.is_Matrix))
    scalars = tuple(x for x in node.args if not x.is_Matrix)
    return _each(kinds, ("times", scalars), product) if scalars else product


@alike.register
def _(node: MatPow, lookup: KindLookup, kinds: Kinds) -> Numbers:
    base = alike(node.base, lookup, kinds)
    return reduce(lambda a, b: _product(kinds, a, b), [base] * int(node.exp))


@alike.register
def _(node: MatAdd, lookup: KindLookup, kinds: Kinds) -> Numbers:
    parts = [alike(arg, lookup, kinds) for arg in node.args]
    return [
        [kinds(type(node), tuple(sorted(entries))) for entries in zip(*rows, strict=True)]
        for rows in zip(*parts, strict=True)
    ]


def _each(kinds: Kinds, made: tuple[Any, ...], entries: Numbers) -> Numbers:
    return [[kinds(*made, x) for x in row] for row in entries]
