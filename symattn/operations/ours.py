"""Our operations by the names they are called by in formulas, and what each is in a sentence.

>>> record_named("softmax").parameters[0].name, record_named("argmax")
('S', None)
>>> sentence(record_named("relu"))
'ReLU(X)_{ij} = max(0, x_{ij}): (m, n) → (m, n).'
"""

from __future__ import annotations

from collections.abc import Mapping
from inspect import cleandoc
from types import MappingProxyType
from typing import Any

from sympy import Identity, OneMatrix

from symattn.equations.ranges import written
from symattn.equations.tree import Apply, Operation, Parameter, Tree
from symattn.operations import NODES, Quotient, Repeated
from symattn.operations.node import record_of_kind
from symattn.operations.records import RECORDS


def _name(kind: Any) -> str:
    """The name in front of a definition, without reading the rest of it."""
    text: str = getattr(kind, "definition", "")
    return text.partition("(")[0].strip()


BY_SIGNS = (Quotient, Repeated)
"""What signs make of their two sides, and nobody calls by a name."""

_KINDS: Mapping[str, Any] = MappingProxyType(
    {
        **{_name(kind): kind for kind in NODES if _name(kind) and not issubclass(kind, BY_SIGNS)},
        "identity": Identity,
        "ones": OneMatrix,
    }
)

OURS: Mapping[str, Any] = MappingProxyType({**_KINDS, **dict.fromkeys(RECORDS)})
"""Every operation that a formula calls by its name, with the class of its nodes if it has one of its own."""


def record_named(name: str) -> Operation | None:
    """The record of one of our operations; ``None`` for what is none."""
    kind = _KINDS.get(name)
    return RECORDS.get(name) if kind is None else record_of_kind(kind)


def node_named(name: str) -> Any:
    """The class of the nodes of an operation; ``None`` where it is applied by its record alone."""
    return _KINDS.get(name)


def sentence(record: Operation) -> str:
    """What one of our operations is, with its shapes."""
    kind = node_named(record.name)
    said = " ".join(cleandoc(kind.__doc__ or "").split("\n\n")[0].split()) if hasattr(kind, "definition") else ""
    if not said:
        said = "; ".join(" ".join(equation.text.split()) for equation in record.equations)
    return f"{said.removesuffix('.')}: {shapes(record)}."


def shapes(record: Operation) -> str:
    """The shapes of what it is given, and of what comes out."""
    given = ", ".join(_shape(parameter) for parameter in record.parameters if parameter.is_matrix)
    result = f"({', '.join(map(_length, record.shape))})"
    return f"{given} → {result}" if given else f"→ {result}"


def _shape(parameter: Parameter) -> str:
    axes = ", ".join(map(_length, parameter.axes))
    text = f"({axes})" if parameter.kind == "matrix" else f"(1, {axes})"
    return f"{text}, …" if parameter.many else f"{parameter.name} {text}" if parameter.default is not None else text


def _length(axis: Tree) -> str:
    match axis:
        case Apply("sum", (of,)):
            return f"{written(of)} + …"
    return written(axis)
