"""Compact matrix forms of gradients: those of ``forms.toml`` beside this module, and f′ of what works entry by entry.

A form is a formula over the parameters of an operation, ``grad`` = ∂L/∂(its result) and ``out`` = its result; the
letters of the record are sizes.

>>> compact("dot", "Y"), compact("relu", "X"), compact("relu", "X", whole=True), compact("row_max", "X")
('grad.T @ X', 'grad * relu_grad_X(X)', 'relu_grad_X(X)', None)
>>> compact("mse", "X")
'grad * (2 * (X - Y) / (m * n))'
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import Any

from symattn.equations.parts import ONE, ZERO
from symattn.equations.ranges import written
from symattn.equations.tree import Operation
from symattn.formula.calling import works_entry_by_entry
from symattn.formula.derived import gradient_of
from symattn.operations.ours import record_named
from symattn.parentheses import tight

WHOLE = "whole"
"""The table of the gradients of a number: those of the operation itself, which ``grad`` multiplies."""


@cache
def forms() -> Mapping[str, Mapping[str, Any]]:
    """All that ``forms.toml`` has: for each operation its parameters with their forms.

    >>> forms()["hadamard"]["X"]
    'grad * Y'
    """
    return MappingProxyType(tomllib.loads((files("symattn.gradients") / "forms.toml").read_text(encoding="utf-8")))


def compact(operation: str | Operation, parameter: str, whole: bool = False) -> str | None:
    """The compact form of ∂L/∂(a parameter) of one of ours, or of an operation of one's own by its record; ``None``
    where there is none. With ``whole`` it is the gradient of the result itself, of which L is the sum.
    """
    record = record_named(operation) if isinstance(operation, str) else operation
    name = operation if isinstance(operation, str) else operation.name
    said = forms().get(name, {})
    if WHOLE in said and parameter in said[WHOLE]:
        form = str(said[WHOLE][parameter])
        return form if whole else f"grad * {tight(form)}"
    if parameter in said and not whole:
        return str(said[parameter])
    return None if record is None else _entry_by_entry(record, parameter, whole)


def _entry_by_entry(record: Operation, parameter: str, whole: bool) -> str | None:
    """∂L/∂Y times f′(X), entry by entry; where nothing hangs on X, zeros."""
    if not works_entry_by_entry(record) or not any(p.name == parameter and p.is_matrix for p in record.parameters):
        return None
    gradient = gradient_of(record, parameter, whole=True)
    if gradient is None:
        return None
    if gradient.result.body in (ZERO, ONE):
        ones = f"ones({', '.join(map(written, record.shape))})"
        if gradient.result.body == ZERO:
            return f"0 * {ones}"
        return ones if whole else "grad"
    given = (p.name if p.default is None else f"{p.name}={p.name}" for p in gradient.parameters)
    derivative = f"{gradient.name}({', '.join(given)})"
    return derivative if whole else f"grad * {derivative}"
