"""What the less usual signs in the formulas of a sheet mean: a mask, a repeated row, the columns of a head."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Any

from sympy import Basic, MatrixExpr, MatrixSymbol, OneMatrix, ZeroMatrix, preorder_traversal

from symattn import operations as ops
from symattn.document.blocks import Argument, Phrase
from symattn.document.entries.step_entry import definition
from symattn.document.math import Letter, Number, Sign
from symattn.document.notation.formulas import ENTRY_BY_ENTRY, Names, formula, name_of, number
from symattn.operations.node import Applied, apply, parameters_of

Told = tuple[tuple[str, Argument], ...]

ZERO, ONE = Number("0"), Number("1")


def signs(formulas: Iterable[MatrixExpr | None], names: Names) -> Iterator[Phrase]:
    """A sentence for the first sign of every kind, in the order in which the formulas have them.

    >>> from sympy import MatrixSymbol, oo
    >>> masked = ops.MatAdd(MatrixSymbol("S", 2, 2), ops.CausalMask(2, -oo), evaluate=False)
    >>> [phrase.key for phrase in signs([masked], Names())]
    ['sign_mask']
    """
    found: dict[object, Phrase] = {}
    for written in formulas:
        for node in () if written is None else preorder_traversal(written):
            if isinstance(node, Applied):
                alone = _alone(node)
                lines = (("sign", formula(alone, names)), ("lines", definition(alone, names)))
                numbers = tuple(arg for arg in node.args if not arg.is_Matrix)
                found.setdefault(numbers, Phrase("sign_operation", lines))
            elif (entry := KINDS.get(type(node))) is not None:
                key, told = entry
                # exp and ln are one sentence each, of the same kind.
                which = type(node).__name__ if key == "sign_each" else key
                found.setdefault(which, Phrase(key, (("sign", _sign(node, names)), *told(node, names))))
    yield from found.values()


def _alone(node: Applied) -> Applied:
    """The operation of matrices that are called as its parameters are: its operands may be shown nowhere on a sheet."""
    given = parameters_of(node)
    if any(parameter.many for parameter, _ in given):
        return node
    usual = (OneMatrix, ZeroMatrix)
    named = (MatrixSymbol(p.name, *x.shape) if x.is_Matrix and not isinstance(x, usual) else x for p, x in given)
    return apply(node.operation, *named)


def _sign(node: Basic, names: Names) -> Argument:
    """The sign by itself where it stands between or before all kinds of things, else with what it is about."""
    if (between := ENTRY_BY_ENTRY.get(type(node))) is not None:
        return Sign(between)
    if isinstance(node, ops.Exp | ops.Log | ops.RowMax):
        return Letter(name_of(node), "upright")
    return formula(node, names)


def _mask(node: Any, names: Names) -> Told:
    return ("zero", ZERO), ("hidden", number(node.value))


def _padding(node: Any, names: Names) -> Told:
    rows, columns = node.shape
    return (
        ("rows", number(rows)),
        ("columns", number(columns)),
        ("real", number(node.length)),
        *_mask(node, names),
    )


def _broadcast(node: Any, names: Names) -> Told:
    return ("row", formula(node.argument, names)), ("rows", number(node.shape[0]))


def _head(node: Any, names: Names) -> Told:
    return ("matrix", formula(node.argument, names)), ("head", node.number), ("heads", node.count)


def _row(node: Any, names: Names) -> Told:
    return ("matrix", formula(node.argument, names)), ("row", node.number)


def _one_hot(node: Any, names: Names) -> Told:
    return ("zero", ZERO), ("one", ONE)


def _ones(node: Any, names: Names) -> Told:
    return (("one", ONE),)


def _from_zero(node: Any, names: Names) -> Told:
    return (("zero", ZERO),)


def _nothing(node: Any, names: Names) -> Told:
    return ()


KINDS: Mapping[type, tuple[str, Callable[[Any, Names], Told]]] = MappingProxyType(
    {
        ops.CausalMask: ("sign_mask", _mask),
        ops.PaddingMask: ("sign_padding", _padding),
        ops.Broadcast: ("sign_broadcast", _broadcast),
        ops.Head: ("sign_head", _head),
        ops.Row: ("sign_row", _row),
        ops.Concat: ("sign_concat", _nothing),
        ops.OneHot: ("sign_onehot", _one_hot),
        ops.RowMax: ("sign_rowmax", _nothing),
        ops.ArgMax: ("sign_argmax", _from_zero),
        ops.Hadamard: ("sign_times", _nothing),
        ops.EntryQuotient: ("sign_divide", _nothing),
        ops.Exp: ("sign_each", _nothing),
        ops.Log: ("sign_each", _nothing),
        OneMatrix: ("sign_ones", _ones),
    }
)
"""Which nodes have a sentence, its name, and what it is told besides the sign. No sentence says how to work it out."""
