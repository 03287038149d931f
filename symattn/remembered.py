"""A property that is worked out once, when it is first asked for.

>>> class Answer:
...     @cached_property
...     def value(self) -> int:
...         return print("worked out") or 42
>>> answer = Answer()
>>> answer.value + answer.value
worked out
84
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any, TypeVar

T = TypeVar("T")

if sys.version_info >= (3, 12):
    cached_property = functools.cached_property
else:

    class cached_property(functools.cached_property[T]):  # noqa: N801
        """Python 3.11 works one property out in one thread at a time, for all objects that have it. A thread that does
        and waits for FLINT (:func:`symattn.values.number.at_precision`) would wait for ever for one that has FLINT and
        waits for the property.
        """

        def __init__(self, func: Callable[[Any], T]) -> None:
            super().__init__(func)
            self.lock = nullcontext()
