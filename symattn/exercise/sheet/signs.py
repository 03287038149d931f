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
from symattn.document.notation.formulas import Names, formula, name_of, number
from symattn.operations.node import Applied, apply, parameters_of

Told = tuple[tuple[str, Argument], ...]
Teller = Callable[[Any, Names], Told]

ZERO, ONE = Number("0"), Number("1")

ROOT = "sqrt"
"""An operation whose definition, √x = √x, would tell nobody anything."""


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
            if isinstance(node, Applied) and node.operation.name == ROOT:
                found.setdefault(ROOT, Phrase("sign_each", (("sign", formula(_alone(node), names)),)))
            elif isinstance(node, Applied):
                alone = _alone(node)
                lines = (("sign", formula(alone, names)), ("lines", definition(alone, names)))
                numbers = tuple(arg for arg in node.args if not arg.is_Matrix)
                found.setdefault(numbers, Phrase("sign_operation", lines))
            elif (entry := KINDS.get(type(node))) is not None and not _is_beside_number(node):
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


def _is_beside_number(node: Basic) -> bool:
    """Whether a product or quotient of entries is written as any other, for one side is a number; or that number."""
    if isinstance(node, OneMatrix):
        return bool(node.shape == (1, 1))
    return isinstance(node, ops.Hadamard | ops.EntryQuotient) and node.with_number


def _sign(node: Basic, names: Names) -> Argument:
    """The sign by itself where it stands between or before all kinds of things, else with what it is about."""
    if isinstance(node, ops.Hadamard | ops.EntryQuotient):
        return Sign("⊙" if isinstance(node, ops.Hadamard) else "⊘")
    if isinstance(node, ops.Exp | ops.Log):
        return Letter(name_of(node), "upright")
    return formula(node, names)


def _matrix(node: Any, names: Names) -> Told:
    return (("matrix", formula(node.argument, names)),)


def _mask(node: Any, names: Names) -> Told:
    return ("zero", ZERO), ("hidden", number(node.value))


def _padding(node: Any, names: Names) -> Told:
    rows, columns = map(number, node.shape)
    return ("rows", rows), ("columns", columns), ("real", number(node.length)), *_mask(node, names)


def _keep(node: Any, names: Names) -> Told:
    return ("mask", formula(node.mask, names)), ("zero", ZERO), ("one", ONE)


def _broadcast(node: Any, names: Names) -> Told:
    return ("row", formula(node.argument, names)), ("rows", number(node.shape[0]))


def _always(*told: tuple[str, Argument]) -> Teller:
    return lambda node, names: told


KINDS: Mapping[type, tuple[str, Teller]] = MappingProxyType(
    {
        ops.CachedMask: ("sign_mask", _mask),
        ops.CausalMask: ("sign_mask", _mask),
        ops.PaddingMask: ("sign_padding", _padding),
        ops.Keep: ("sign_keep", _keep),
        ops.Broadcast: ("sign_broadcast", _broadcast),
        ops.Head: ("sign_head", lambda x, names: (*_matrix(x, names), ("head", x.number), ("heads", x.count))),
        ops.Row: ("sign_row", lambda x, names: (*_matrix(x, names), ("row", x.number))),
        ops.Concat: ("sign_concat", _always()),
        ops.OneHot: ("sign_onehot", _always(("zero", ZERO), ("one", ONE))),
        ops.RowMax: ("sign_rowmax", _always()),
        ops.ArgMax: ("sign_argmax", _always(("zero", ZERO))),
        ops.Hadamard: ("sign_times", _always()),
        ops.EntryQuotient: ("sign_divide", _always()),
        ops.Exp: ("sign_each", _always()),
        ops.Log: ("sign_each", _always()),
        OneMatrix: ("sign_ones", _always(("one", ONE))),
    }
)
"""Which nodes have a sentence, its name, and what it is told besides the sign. No sentence says how to work it out."""
