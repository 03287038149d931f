"""Compact matrix forms of gradients of our operations: those of ``forms.toml`` beside this module.

A form is a formula over the parameters of an operation, ``grad`` = ∂L/∂(its result) and ``out`` = its result; the
letters of the record are sizes.

>>> compact("dot", "Y"), compact("relu", "X"), compact("row_max", "X")
('grad.T @ X', None, None)
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


def compact(operation: str, parameter: str, whole: bool = False) -> str | None:
    """The compact form of ∂L/∂(a parameter) of one of ours; ``None`` where there is none.

    With ``whole`` it is the gradient of the result itself, of which L is the sum.
    """
    said = forms().get(operation, {})
    if parameter in said and not whole:
        return str(said[parameter])
    if WHOLE in said and parameter in said[WHOLE]:
        form = str(said[WHOLE][parameter])
        return form if whole else f"grad * {tight(form)}"
    return None
