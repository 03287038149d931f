"""Entries that are equal because they are made alike: the same operation of the same numbers, however large it is.

A token that stands twice in a text has two equal rows, and so has everything that is worked out from it, through as
many layers as there are. Enclosures cannot see that and closed forms grow too large, so numbers stand for entries here:
what is made by the same operation from entries with the same numbers gets the same number. Equal numbers prove equal
values; different ones prove nothing.

>>> from symattn.operations import MatMul, MatrixSymbol, Softmax
>>> X = MatrixSymbol("X", 2, 3)
>>> kinds = Kinds()
>>> Softmax(MatMul(X, X.T, X)).shape, alike(Softmax(X), {"X": [[7, 8, 7], [8, 7, 7]]}.__getitem__, kinds)
((2, 3), [[0, 1, 0], [1, 0, 0]])
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce, singledispatch
from typing import Any, TypeAlias, cast

from sympy import Basic, MatAdd, MatMul, MatPow, MatrixSymbol, Transpose

from symattn import operations as ops
from symattn.values.exact import Names, exact

Numbers: TypeAlias = "list[list[int]]"
"""A number for every entry of a matrix."""

Lookup = Callable[[str], Numbers]

LARGEST_PRODUCT = 200_000
"""Multiplications of a product of matrices that are looked at one by one."""


class Kinds:
    """How entries are made, and the number that each way of making one has."""

    def __init__(self, rational: Callable[[Basic], Sequence[Any] | None] = lambda _: None) -> None:
        self._known: dict[Any, int] = {}
        self.rational = rational
        """The entries of a formula, if they are rational: two sums may be equal that are made of different numbers."""

    def __call__(self, *made: Any) -> int:
        """The number of what is made so: the same for the same."""
        return self._known.setdefault(made, len(self._known))

    def of_values(self, rows: Sequence[Sequence[Any]]) -> Numbers:
        """The numbers of entries that are known."""
        return [[self("value", x) for x in row] for row in rows]

    def own(self, what: Any, rows: int, columns: int) -> Numbers:
        """Numbers of which no two are the same."""
        return [[self("own", what, i, j) for j in range(columns)] for i in range(rows)]


@singledispatch
def alike(node: Basic, lookup: Lookup, kinds: Kinds) -> Numbers:
    """The numbers of the entries of a formula; ``lookup`` has those of its names."""
    rows, columns = (int(length) for length in node.shape)
    if not any(getattr(arg, "is_Matrix", False) for arg in node.args):  # a mask, positions, ones
        values = list(exact(node, cast(Names, None)))
        return kinds.of_values([values[i * columns : (i + 1) * columns] for i in range(rows)])
    return kinds.own(node, rows, columns)


@alike.register
def _(node: MatrixSymbol, lookup: Lookup, kinds: Kinds) -> Numbers:
    return lookup(node.name)


# -- sums and products -------------------------------------------------------------------------------------------------


def _product(kinds: Kinds, a: Numbers, b: Numbers) -> Numbers:
    columns = list(zip(*b, strict=True))
    if len(a) * len(b) * len(columns) > LARGEST_PRODUCT:
        # Whole rows and columns have numbers, and the order of factors is not looked at.
        rows, turned = [kinds("row", *row) for row in a], [kinds("row", *column) for column in columns]
        return [[kinds("product", row, column) for column in turned] for row in rows]
    return [[_sum_of_products(kinds, row, column) for column in columns] for row in a]


def _sum_of_products(kinds: Kinds, a: Sequence[int], b: Sequence[int]) -> int:
    """Neither the order of terms nor that of factors matters."""
    return kinds("products", tuple(sorted((x, y) if x < y else (y, x) for x, y in zip(a, b, strict=True))))


@alike.register
def _(node: MatMul, lookup: Lookup, kinds: Kinds) -> Numbers:
    values = kinds.rational(node)
    if values is not None:
        columns = int(node.shape[1])
        return kinds.of_values([values[start : start + columns] for start in range(0, len(values), columns)])
    product = reduce(lambda a, b: _product(kinds, a, b), (alike(x, lookup, kinds) for x in node.args if x.is_Matrix))
    scalars = tuple(x for x in node.args if not x.is_Matrix)
    return _each(kinds, ("times", scalars), product) if scalars else product


@alike.register
def _(node: MatPow, lookup: Lookup, kinds: Kinds) -> Numbers:
    base = alike(node.base, lookup, kinds)
    return reduce(lambda a, b: _product(kinds, a, b), [base] * int(node.exp))


@alike.register(ops.Dot)
@alike.register(ops.Cosine)
@alike.register(ops.Angle)
def _(node: ops.Dot, lookup: Lookup, kinds: Kinds) -> Numbers:
    left, right = (alike(arg, lookup, kinds) for arg in node.args)
    return [[_of_two_rows(kinds, type(node), a, b) for b in right] for a in left]


def _of_two_rows(kinds: Kinds, made: Any, a: Sequence[int], b: Sequence[int]) -> int:
    if made is ops.Dot:
        return _sum_of_products(kinds, a, b)
    # The lengths of both rows matter too: the pairs may change places, and all their sides together.
    return kinds(made, min(tuple(sorted(zip(x, y, strict=True))) for x, y in ((a, b), (b, a))))


@alike.register
def _(node: ops.AdditiveScores, lookup: Lookup, kinds: Kinds) -> Numbers:
    queries, keys, (vector,) = (alike(arg, lookup, kinds) for arg in node.args)
    return [
        [
            kinds("additive", tuple(sorted((v, *sorted(pair)) for v, *pair in zip(vector, q, k, strict=True))))
            for k in keys
        ]
        for q in queries
    ]


@alike.register(MatAdd)
@alike.register(ops.Hadamard)
def _(node: MatAdd, lookup: Lookup, kinds: Kinds) -> Numbers:
    parts = [alike(arg, lookup, kinds) for arg in node.args]
    return [
        [kinds(type(node), tuple(sorted(entries))) for entries in zip(*rows, strict=True)]
        for rows in zip(*parts, strict=True)
    ]


# -- entry by entry, row by row ----------------------------------------------------------------------------------------


def _each(kinds: Kinds, made: tuple[Any, ...], entries: Numbers) -> Numbers:
    return [[kinds(*made, x) for x in row] for row in entries]


@alike.register(ops.ReLU)
@alike.register(ops.ELU)
@alike.register(ops.Exp)
@alike.register(ops.Log)
@alike.register(ops.Tanh)
@alike.register(ops.GELU)
@alike.register(ops.GELUTanh)
@alike.register(ops.SiLU)
def _(node: ops.ReLU, lookup: Lookup, kinds: Kinds) -> Numbers:
    return _each(kinds, (type(node),), alike(node.argument, lookup, kinds))


@alike.register
def _(node: ops.Quotient, lookup: Lookup, kinds: Kinds) -> Numbers:
    return _each(kinds, (ops.Quotient, node.divisor), alike(node.argument, lookup, kinds))


@alike.register
def _(node: ops.ClipNorm, lookup: Lookup, kinds: Kinds) -> Numbers:
    # All entries of one matrix are shortened by the same factor.
    return _each(kinds, (node,), alike(node.argument, lookup, kinds))


@alike.register(ops.EntryQuotient)
@alike.register(ops.Keep)
def _(node: ops.EntryQuotient, lookup: Lookup, kinds: Kinds) -> Numbers:
    first, second = (alike(arg, lookup, kinds) for arg in node.args)
    return [[kinds(type(node), *pair) for pair in zip(a, b, strict=True)] for a, b in zip(first, second, strict=True)]


@alike.register(ops.Softmax)
@alike.register(ops.Proportions)
@alike.register(ops.UnitRows)
def _(node: ops.Softmax, lookup: Lookup, kinds: Kinds) -> Numbers:
    return _by_rows(kinds, (type(node),), alike(node.argument, lookup, kinds))


def _by_rows(kinds: Kinds, made: tuple[Any, ...], entries: Numbers) -> Numbers:
    return [[kinds(*made, x, together) for x in row] for row in entries for together in [tuple(sorted(row))]]


@alike.register(ops.LayerNorm)
@alike.register(ops.RMSNorm)
def _(node: ops.LayerNorm, lookup: Lookup, kinds: Kinds) -> Numbers:
    normed = _by_rows(kinds, (type(node), node.epsilon), alike(node.argument, lookup, kinds))
    for part in node.args[2:]:
        (row,) = alike(part, lookup, kinds)
        normed = [[kinds("affine", x, y) for x, y in zip(entries, row, strict=True)] for entries in normed]
    return normed


@alike.register(ops.RowNorm)
@alike.register(ops.RowMax)
@alike.register(ops.Entropy)
def _(node: ops.RowNorm, lookup: Lookup, kinds: Kinds) -> Numbers:
    return [[kinds(type(node), tuple(sorted(row)))] for row in alike(node.argument, lookup, kinds)]


# -- what only arranges ------------------------------------------------------------------------------------------------


@alike.register
def _(node: Transpose, lookup: Lookup, kinds: Kinds) -> Numbers:
    return [list(column) for column in zip(*alike(node.arg, lookup, kinds), strict=True)]


@alike.register
def _(node: ops.Broadcast, lookup: Lookup, kinds: Kinds) -> Numbers:
    return alike(node.argument, lookup, kinds) * int(node.shape[0])


@alike.register
def _(node: ops.Row, lookup: Lookup, kinds: Kinds) -> Numbers:
    return [alike(node.argument, lookup, kinds)[node.number - 1]]


@alike.register
def _(node: ops.Rows, lookup: Lookup, kinds: Kinds) -> Numbers:
    return alike(node.argument, lookup, kinds)[node.first - 1 : node.last]


@alike.register
def _(node: ops.Head, lookup: Lookup, kinds: Kinds) -> Numbers:
    width = int(node.shape[1])
    start = (node.number - 1) * width
    return [row[start : start + width] for row in alike(node.argument, lookup, kinds)]


@alike.register
def _(node: ops.Concat, lookup: Lookup, kinds: Kinds) -> Numbers:
    parts = [alike(part, lookup, kinds) for part in node.args]
    return [[x for row in rows for x in row] for rows in zip(*parts, strict=True)]


@alike.register
def _(node: ops.Stack, lookup: Lookup, kinds: Kinds) -> Numbers:
    return [row for part in node.args for row in alike(part, lookup, kinds)]
