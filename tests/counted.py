"""How much a task does, as the number of calls it makes: the same on every machine, however busy that is."""

from __future__ import annotations

import sys
from collections.abc import Callable


class TooMuchError(AssertionError):
    """A task that makes more calls than it may."""


def calls(task: Callable[[], object], most: int = sys.maxsize) -> int:
    """The calls that a task makes, of functions in Python and in C.

    Raises :class:`TooMuchError` at the first that is more than ``most``.
    """
    made, before = 0, sys.getprofile()

    def count(frame: object, event: str, argument: object) -> None:
        nonlocal made
        if event in ("call", "c_call"):
            made += 1
            if made > most:
                sys.setprofile(before)
                raise TooMuchError(f"more than {most} calls")

    sys.setprofile(count)
    try:
        task()
    finally:
        sys.setprofile(before)
    return made
