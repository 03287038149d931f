"""What the words call each kind of step, and what is said beside its general entry."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from sympy import Basic, MatAdd, MatMul, MatPow, MatrixSymbol, preorder_traversal

from symattn import operations as ops
from symattn.document.blocks import Phrase
from symattn.document.math import Letter
from symattn.document.notation.formulas import Names, formula
from symattn.operations.node import Applied, record_of
from symattn.operations.stages import same_as_ours

PRIMITIVE: Mapping[type, str] = MappingProxyType(
    {
        MatMul: "product",
        MatPow: "product",
        MatAdd: "sum",
        MatrixSymbol: "copy",
        ops.ArgMax: "argmax",
        ops.TopK: "top_k",
    }
)
"""What the words call steps of nodes that have no equations; all others have the name of their operation."""


def reason(node: Basic, language: str) -> Phrase:
    """What a step of this kind is good for; of an operation that is made of a record alone, what it is called.

    >>> reason(ops.Softmax(MatrixSymbol("S", 2, 2)), "en").key
    'why_softmax'
    """
    if isinstance(node, Applied):
        words = dict(node.operation.page).get(language, node.operation.called)
        return Phrase("why_operation", (("words", words),), "why")
    record = record_of(node)
    return Phrase(f"why_{PRIMITIVE[type(node)] if record is None else record.name}", (), "why")


SAID: Mapping[type, Callable[[Basic, Names], Phrase]] = MappingProxyType(
    {
        ops.ArgMax: lambda _, names: Phrase("said_argmax"),
        ops.TopK: lambda node, names: Phrase("said_top_k", (("matrix", formula(node.argument, names)),)),
        ops.GELU: lambda _, names: Phrase("said_gelu", (("share", Letter("Phi")),)),
    }
)
"""What the signs in an entry formula do not say by themselves."""


def said_of(node: Basic, names: Names) -> list[Phrase]:
    """The sentences that belong to the general entry of a formula."""
    inside = (same_as_ours(each) for each in preorder_traversal(node))
    return list(dict.fromkeys(SAID[type(each)](each, names) for each in inside if type(each) in SAID))
