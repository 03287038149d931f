"""The functions of the formula language, to be imported by name; ``functions.pyi`` has their parameters.

>>> from symattn.api.authoring.functions import softmax, sqrt
>>> sqrt(2)
Scalar('sqrt(2)')
"""

from __future__ import annotations

import builtins
from typing import Any

from symattn.api.authoring.calls import FUNCTIONS

__all__ = [name for name in FUNCTIONS if not hasattr(builtins, name)]


def __getattr__(name: str) -> Any:
    if name in FUNCTIONS:
        return FUNCTIONS[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
