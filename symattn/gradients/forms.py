"""The compact matrix forms of gradients, from ``forms.toml`` beside this module."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files


@cache
def forms() -> Mapping[str, Mapping[str, str]]:
    """The form for each parameter of each operation that has one.

    >>> forms()["hadamard"]["X"]
    'grad * Y'
    """
    return tomllib.loads((files("symattn.gradients") / "forms.toml").read_text(encoding="utf-8"))


def compact(operation: str, parameter: str) -> str | None:
    """The compact form of ∂L/∂(one parameter) of an operation; ``None`` where there is none.

    >>> compact("dot", "Y")
    'grad.T @ X'
    """
    return forms().get(operation, {}).get(parameter)
