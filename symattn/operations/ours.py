"""Our operations by the names they are called by in formulas: classes of nodes, and records without one.

>>> record_named("softmax").parameters[0].name, record_named("sqrt")
('S', None)
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from sympy import Identity, OneMatrix

from symattn.equations.tree import Operation
from symattn.operations import NODES, Quotient
from symattn.operations.node import record_of_kind
from symattn.operations.records import RECORDS


def _name(kind: Any) -> str:
    """The name in front of a definition, without reading the rest of it."""
    text: str = getattr(kind, "definition", "")
    return text.partition("(")[0].strip()


_KINDS: Mapping[str, Any] = MappingProxyType(
    {
        **{_name(kind): kind for kind in NODES if _name(kind) and kind is not Quotient},
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
