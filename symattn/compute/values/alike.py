"""Value numbering: prove entries equal, however large, because the same operation makes them from equal entries.

A token that occurs twice in a text has two equal rows, and so has every matrix computed from it, through any number of
layers. Enclosures cannot show that and closed forms grow too large, so each entry gets a number: results of the same
operation on entries with equal numbers get the same number. Equal numbers prove equal values; different numbers prove
nothing.

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
from symattn.compute.values.applied import applied_entries, frame
from symattn.compute.values.exact import ExactNames, exact
from symattn.operations.entry import FUNCTIONS
from symattn.operations.stages import Stage

Numbers: TypeAlias = "list[list[int]]"
"""A number for every entry of a matrix."""

KindLookup = Callable[[str], Numbers]

LARGEST_PRODUCT = 200_000
"""Largest matrix product, in multiplications, whose entries are numbered one by one."""


BY_ROW = 10
"""Steps for each entry of a product."""


class Kinds:
    """Maps each way of making an entry to a number."""

    def __init__(self, rational: Callable[[Basic], Sequence[Any] | None] = lambda _: None) -> None:
        self._known: dict[Any, int] = {}
        self._made: list[Any] = []
        self.rational = rational
        """Returns the entries of a rational formula: two sums of different numbers may still be equal."""

    def __call__(self, *made: Any) -> int:
        """Return the number for a way of making an entry; equal ways get equal numbers."""
        number = self._known.setdefault(made, len(self._made))
        if number == len(self._made):
            self._made.append(made)
        return number

    def share(self, number: int) -> Fraction | None:
        """Return 1/n for one of n equal terms divided by their sum, as in a softmax of equal scores (0 and ∞ aside)."""
        match self._made[number]:
            case ("div", part, whole) if self._made[whole][0] == "sum" and {part}.issuperset(self._made[whole][1]):
                return Fraction(1, len(self._made[whole][1]))
        return None

    def of_values(self, rows: Sequence[Sequence[Any]]) -> Numbers:
        """Return the numbers of known entries."""
        return [[self("value", x) for x in row] for row in rows]

    def own(self, what: Any, rows: int, columns: int) -> Numbers:
        """Return numbers of which no two are equal."""
        return [[self("own", what, i, j) for j in range(columns)] for i in range(rows)]


@Stage
def alike(node: Basic, lookup: KindLookup, kinds: Kinds) -> Numbers:
    """Return the value numbers of a formula's entries; ``lookup`` returns those of its names."""
    frame(node)  # raises an error for a node without equations
    matrices = [arg for arg in node.args if arg.is_Matrix]
    if not matrices:  # a mask, positions, ones
        return kinds.of_values(exact(node, cast(ExactNames, None)).tolist())
    return applied_entries(
        node, [alike(arg, lookup, kinds) for arg in matrices], partial(kinds, "value"), _Numbering(kinds)
    )


@alike.register(ops.ArgMax)
@alike.register(ops.TopK)
def _(node: Basic, lookup: KindLookup, kinds: Kinds) -> Numbers:
    """Number the entries of a selection (arg max, top k) by its row: they depend on nothing else."""
    rows = [kinds("row", *row) for row in alike(node.argument, lookup, kinds)]
    return [[kinds(type(node), node.args[1:], row, j) for j in range(whole_sizes(node)[1])] for row in rows]


@dataclass(frozen=True)
class _Numbering:
    """Arithmetic on value numbers. The order of terms and factors does not matter."""

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
    """Return the number of a dot product; the order of terms and factors does not matter."""
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
