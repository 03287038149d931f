"""The entry formula of a whole step: one line, the cases of a mask, or the lines that lead up to it."""

from __future__ import annotations

from functools import singledispatch

from sympy import Basic, Expr, Integer

from symattn import operations as ops
from symattn.document.entries import entry, one_term, squared
from symattn.document.layer_entries import definitions, elu_cases, lines_of, rank_of, shifted
from symattn.document.letters import Letters
from symattn.document.math import (
    Bars,
    Cases,
    Chain,
    Letter,
    Math,
    Number,
    Root,
    Sign,
    Sum,
    equation,
    seq,
)
from symattn.document.notation import formula, number
from symattn.shapes import Shape


def general_entry(name: str, node: Basic, letters: Letters, shape: Shape) -> tuple[Chain, ...]:
    """The entry formula of a step; a layer norm needs three lines (mean, variance, entry), a clipped gradient two."""
    i, j = places_of(shape, letters)
    left = letters.entry(name, i, j)
    if isinstance(node, _BY_CASES):
        return (equation(left, cases(node, letters, i, j)), *definitions(node, letters))
    if isinstance(node, ops.ClipNorm):
        line = equation(left, entry(node, letters, i, j, ()))
        return (_length_of_all(node, letters), line, *definitions(node, letters))
    lines = lines_of(name, node, letters)
    if lines is not None:
        return lines
    line = equation(left, entry(node, letters, i, j, ()))
    if isinstance(node, ops.LayerNorm | ops.RMSNorm):
        return (*definitions(node, letters), line)
    return (line, *definitions(node, letters))


def places_of(shape: Shape, letters: Letters) -> tuple[Math, Math]:
    """The row and the column index of an entry; where there is only one row or column, it is the first."""
    i, j = (Number("1") if size == 1 else index for size, index in zip(shape.sizes, letters.indices, strict=True))
    return i, j


_BY_CASES: tuple[type, ...] = (
    ops.CausalMask,
    ops.WindowMask,
    ops.PaddingMask,
    ops.ELU,
    ops.Concat,
    ops.Stack,
    ops.OneHot,
    ops.Keep,
    ops.TopK,
)
"""Nodes whose entry is one thing here and another there."""


def _length_of_all(node: ops.ClipNorm, letters: Letters) -> Chain:
    """‖G‖ = √(Σ_k Σ_l g_{kl}²)"""
    first = letters.bound()
    second = letters.bound(first)
    rows, columns = node.shape
    i, j = (Number("1") if size == 1 else Letter(name) for size, name in ((rows, first), (columns, second)))
    whole = squared(entry(node.argument, letters, i, j, (first, second)))
    for place, size in ((j, columns), (i, rows)):
        # A sum of one term is that term.
        whole = Sum(place, Number("1"), number(size), whole) if isinstance(place, Letter) else whole
    return equation(Bars(formula(node.argument, letters.names), double=True), Root(whole))


@singledispatch
def cases(node: Basic, letters: Letters, i: Math, j: Math) -> Cases:
    """Entry (i, j) of a node that is defined by cases."""
    raise TypeError(f"no cases for {type(node).__name__}")


@cases.register
def _(node: ops.CausalMask, letters: Letters, i: Math, j: Math) -> Cases:
    return Cases(((Number("0"), seq(j, Sign("≤"), i)), (number(node.value), seq(j, Sign(">"), i))))


@cases.register
def _(node: ops.WindowMask, letters: Letters, i: Math, j: Math) -> Cases:
    distance, width = Bars(seq(i, Sign("-"), j)), number(node.width)
    return Cases(
        ((Number("0"), Chain(distance, (("<", width),))), (number(node.value), Chain(distance, (("≥", width),))))
    )


@cases.register
def _(node: ops.PaddingMask, letters: Letters, i: Math, j: Math) -> Cases:
    length = number(node.length)
    return Cases(((Number("0"), seq(j, Sign("≤"), length)), (number(node.value), seq(j, Sign(">"), length))))


@cases.register
def _(node: ops.TopK, letters: Letters, i: Math, j: Math) -> Cases:
    place, count = rank_of(node, i, j), number(node.args[1])
    return Cases(((Number("1"), seq(place, Sign("≤"), count)), (Number("0"), seq(place, Sign(">"), count))))


@cases.register
def _(node: ops.ELU, letters: Letters, i: Math, j: Math) -> Cases:
    return elu_cases(entry(node.argument, letters, i, j, ()))


@cases.register(ops.Concat)
@cases.register(ops.Stack)
def _(node: ops.Concat | ops.Stack, letters: Letters, i: Math, j: Math) -> Cases:
    across = isinstance(node, ops.Concat)
    index = j if across else i
    branches: list[tuple[Math, Math]] = []
    start: Expr = Integer(0)
    for part in node.args:
        end = start + part.shape[1 if across else 0]
        before = () if start == 0 else (("<", index),)
        place = shifted(index, -int(start)) if start.is_Integer else seq(index, Sign("-"), one_term(number(start)))
        between = Chain(number(start) if before else index, (*before, ("≤", number(end))))
        branches.append((entry(part, letters, *((i, place) if across else (place, j)), ()), between))
        start = end
    return Cases(tuple(branches))


@cases.register
def _(node: ops.OneHot, letters: Letters, i: Math, j: Math) -> Cases:
    # Ids count from 0, columns from 1.
    place = seq(entry(node.ids, letters, Number("1"), i, ()), Sign("+"), Number("1"))
    return Cases(((Number("1"), equation(j, place)), (Number("0"), Chain(j, (("≠", place),)))))


@cases.register
def _(node: ops.Keep, letters: Letters, i: Math, j: Math) -> Cases:
    a, zero = entry(node.argument, letters, i, j, ()), Number("0")
    if isinstance(node.mask, ops.CausalMask):
        return Cases(((a, seq(j, Sign("≤"), i)), (zero, seq(j, Sign(">"), i))))
    mask = entry(node.mask, letters, i, j, ())
    return Cases(((a, Chain(mask, (("=", zero),))), (zero, Chain(mask, (("≠", zero),)))))
