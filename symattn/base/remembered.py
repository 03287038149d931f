"""Lazy values: cached properties, and mappings that make their items on first access.

>>> class Answer:
...     @cached_property
...     def value(self) -> int:
...         return print("worked out") or 42
>>> answer = Answer()
>>> answer.value + answer.value
worked out
84
>>> squares = Named(("one", "two"), {"one": 1, "two": 4}.__getitem__)
>>> squares["two"], "three" in squares, len(squares)
(4, False, 2)
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import nullcontext
from typing import Any, TypeVar

T = TypeVar("T")


def reached(start: Iterable[T], after: Callable[[T], Iterable[T]]) -> Iterator[T]:
    """Yield everything that can be reached from ``start``, in reading order, each once, without recursion.

    >>> list(reached([30], lambda n: (n - 1, n - 2) if n > 27 else ()))
    [30, 29, 28, 27, 26]
    """
    waiting, seen = [*start][::-1], set[T]()
    while waiting:
        if (each := waiting.pop()) not in seen:
            seen.add(each)
            yield each
            waiting += [*after(each)][::-1]


if sys.version_info >= (3, 12):
    cached_property = functools.cached_property
else:

    class cached_property(functools.cached_property[T]):  # noqa: N801
        """A property with a lock for each object, where Python 3.11 has one for all objects.

        A thread that computes the property while it waits for FLINT (:func:`symattn.compute.values.balls.at_precision`)
        would otherwise wait forever for a thread that holds FLINT and waits for the property.
        """

        def __init__(self, func: Callable[[Any], T]) -> None:
            super().__init__(func)
            self.lock = nullcontext()


class Named(Mapping[str, T]):
    """A mapping whose items are made on first access."""

    def __init__(self, names: Collection[str], make: Callable[[str], T]) -> None:
        self.names, self.make = names, functools.lru_cache(maxsize=1000)(make)

    def __getitem__(self, name: str) -> T:
        if name not in self.names:
            raise KeyError(name)
        return self.make(name)

    def __contains__(self, name: object) -> bool:
        return name in self.names

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)
