"""Calls by name, and what stands around an operand instead of a name: softmax(S), top_2(P), √X."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from types import MappingProxyType

from sympy import Basic, Expr, OneMatrix, ZeroMatrix

from symattn.document.math import Accented, Bars, Call, Letter, Math, Number, Parens, Root, Script, Sign, joined, seq
from symattn.document.notation.names import atom
from symattn.document.notation.numerals import number
from symattn.equations.tree import Parameter
from symattn.operations.entry import number as value_of
from symattn.operations.node import beside, record_of
from symattn.operations.stored import PRIME, GradientName, marked

AROUND: Mapping[str, Callable[[Math], Math]] = MappingProxyType(
    {"|·|": Bars, "⌊·⌋": partial(Bars, floor=True), "√·": Root}
)
"""What a record may be called instead of a name: what stands around its operand, entry by entry."""

Inner = Callable[[Basic], Math]
"""How an operand is written: its formula, or that with its shape beside it."""


def name_of(node: Basic) -> str:
    """What a node is called in a formula."""
    record = record_of(node)
    return str(node.called) if record is None else record.called


def call_of(node: Basic, inner: Inner, sub: Math | None = None) -> Math:
    """softmax(S), clip(G, 2): the name with the operands, and the numbers that are not the usual ones; of a gradient
    ReLU′(X), RoPEᵀ(G), with the name of the operation under a J that is turned.
    """
    unsaid = getattr(node, "unsaid", ())
    given = [(p, arg) for p, arg in beside(node) if p.is_matrix or not (p.name in unsaid or _is_usual(p, arg))]
    operands, name = tuple(_filled(p, arg, inner) for p, arg in given), name_of(node)
    if (gradient := marked(name)) is None:
        return Call(name, operands, sub=sub)
    return seq(_marked(gradient), Parens(joined(operands, ",")))


def _marked(gradient: GradientName) -> Math:
    """The name of a gradient with its marks."""
    name: Math = Letter(gradient.name, "italic" if len(gradient.name) == 1 else "upright")
    if gradient.above == PRIME:
        return Accented("prime", name)
    below: list[Math] = [Letter(each, "italic" if place else "upright") for place, each in enumerate(gradient.below)]
    turned = Sign("T") if gradient.above else None
    return Script(name, sub=joined(below, ",") if below else None, sup=turned)


def _is_usual(parameter: Parameter, given: Basic) -> bool:
    return parameter.default is not None and value_of(parameter.default, {}) == given


def _filled(parameter: Parameter, given: Basic, inner: Inner) -> Math:
    """An operand or a number; a plain 1 or 0 where a row that could be left out is nothing else."""
    if not parameter.is_matrix:
        return number(given)
    plain = parameter.default is not None and isinstance(given, OneMatrix | ZeroMatrix)
    return Number("1" if isinstance(given, OneMatrix) else "0") if plain else inner(given)


def ones_of(length: Expr) -> Script:
    """1_n, a column of ones."""
    return Script(Accented("bold", Number("1")), sub=atom(number(length)))
