"""Matrices of whole numbers that follow from a shape alone: the identity, ones, zeros, distances."""

from __future__ import annotations

from functools import singledispatch

from sympy import Basic, Identity, OneMatrix, ZeroMatrix

from symattn.operations.positions import Distance


@singledispatch
def whole_entries(node: Basic) -> list[int]:
    """The entries, row by row. SymPy has them too, one by one, with every index checked: a hundred times slower.

    >>> whole_entries(Identity(2)), whole_entries(Distance(3))
    ([1, 0, 0, 1], [0, 1, 2, 1, 0, 1, 2, 1, 0])
    """
    raise TypeError(f"{type(node).__name__} is not made of whole numbers by its shape")


@whole_entries.register
def _(node: Identity) -> list[int]:
    n = int(node.shape[0])
    return ([1] + [0] * n) * (n - 1) + [1]


@whole_entries.register
def _(node: OneMatrix) -> list[int]:
    return [1] * (int(node.shape[0]) * int(node.shape[1]))


@whole_entries.register
def _(node: ZeroMatrix) -> list[int]:
    return [0] * (int(node.shape[0]) * int(node.shape[1]))


@whole_entries.register
def _(node: Distance) -> list[int]:
    n = int(node.shape[0])
    return [abs(i - j) for i in range(n) for j in range(n)]
