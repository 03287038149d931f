"""The entry formula of a whole step: one line, the cases of a mask, or the lines that lead up to it."""

from __future__ import annotations

from functools import singledispatch

from sympy import Basic, Expr, Integer

from symattn import operations as ops
from symattn.document.entries import Letters, entry, mean_of, one_term, squared, variance_of
from symattn.document.layer_entries import definitions, lines_of, rank_of, shifted
from symattn.document.math import (
    Bars,
    Call,
    Cases,
    Chain,
    Fraction,
    Letter,
    Math,
    Number,
    Parens,
    Root,
    Script,
    Sign,
    Sum,
    equation,
    seq,
)
from symattn.document.notation import CALLED, formula, number
from symattn.operations.indices import fresh_letter
from symattn.shapes import Shape


def general_entry(name: str, node: Basic, letters: Letters, shape: Shape) -> tuple[Chain, ...]:
    """The entry formula of a step; a layer norm needs three lines (mean, variance, entry), a clipped gradient two."""
    i, j = letters.indices
    left = letters.entry(name, i, j)
    if isinstance(node, _BY_CASES):
        return (equation(left, cases(node, letters, i, j)),)
    if isinstance(node, ops.LayerNorm):
        return (*_moments(node, letters, i), equation(left, entry(node, letters, i, j, ())))
    if isinstance(node, ops.ClipNorm):
        return (_length_of_all(node, letters), equation(left, entry(node, letters, i, j, ())))
    lines = lines_of(name, node, letters)
    if lines is not None:
        return lines
    lines = (equation(left, entry(node, letters, i, j, ())),)
    if isinstance(node, ops.RMSNorm):
        return (*definitions(node, letters), *lines)
    of_a_number = (_elu_of_a_number(letters),) if node.has(ops.ELU) else ()
    return (*lines, *of_a_number, *definitions(node, letters))


def _elu_of_a_number(letters: Letters) -> Chain:
    """ELU(x) by cases, for an entry that has it inside."""
    x = Letter(fresh_letter(letters.taken, ("x", "y", "z")))
    return equation(Call(CALLED[ops.ELU], (x,)), _elu_cases(x))


def _elu_cases(x: Math) -> Cases:
    falling = seq(Script(Letter("e"), sup=x), Sign("-"), Number("1"))
    return Cases(((x, Chain(x, ((">", Number("0")),))), (falling, Chain(x, (("≤", Number("0")),)))))


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


def _moments(node: ops.LayerNorm, letters: Letters, i: Math) -> tuple[Chain, Chain]:
    name = letters.bound()
    k, width = Letter(name), number(node.shape[1])
    x = entry(node.argument, letters, i, k, (name,))
    square = Script(Parens(seq(x, Sign("-"), mean_of(i))), sup=Number("2"))
    share = Fraction(Number("1"), width)
    return (
        equation(mean_of(i), seq(share, Sum(k, Number("1"), width, one_term(x)))),
        equation(variance_of(i), seq(share, Sum(k, Number("1"), width, square))),
    )


def _length_of_all(node: ops.ClipNorm, letters: Letters) -> Chain:
    """‖G‖ = √(Σ_k Σ_l g_{kl}²)"""
    first = letters.bound()
    second = letters.bound(first)
    rows, columns = (number(size) for size in node.shape)
    square = squared(entry(node.argument, letters, Letter(first), Letter(second), (first, second)))
    inner = Sum(Letter(second), Number("1"), columns, square)
    whole = inner if node.shape[0] == 1 else Sum(Letter(first), Number("1"), rows, inner)
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
    place, count = rank_of(i, j), number(node.args[1])
    return Cases(((Number("1"), seq(place, Sign("≤"), count)), (Number("0"), seq(place, Sign(">"), count))))


@cases.register
def _(node: ops.ELU, letters: Letters, i: Math, j: Math) -> Cases:
    return _elu_cases(entry(node.argument, letters, i, j, ()))


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
