"""What is wrong with an operation: of which equation or parameter, and what else is wrong with it.

>>> each(["a", "b"], len)
[1, 1]
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

from symattn.errors import FormulaError

T = TypeVar("T")
R = TypeVar("R")


class EquationError(FormulaError):
    """One thing that is wrong with an operation; ``text`` is the equation or the parameter, as it was written."""

    def __init__(self, message: str, text: str = "", more: Iterable[EquationError] = ()) -> None:
        super().__init__(message)
        self.text, self.more = text, tuple(more)

    @property
    def each(self) -> tuple[EquationError, ...]:
        """This and what else is wrong, each for itself."""
        return (self, *(one for other in self.more for one in other.each))


def each(things: Iterable[T], rule: Callable[[T], R]) -> list[R]:
    """What a rule makes of each thing. The rule goes on after what is wrong, so that all of it is told together.

    Raises the first :class:`EquationError`, with the others as ``more``.
    """
    made: list[R] = []
    wrong: list[EquationError] = []
    for thing in things:
        try:
            made.append(rule(thing))
        except EquationError as error:
            wrong += error.each
    if wrong:
        raise EquationError(str(wrong[0]), wrong[0].text, wrong[1:])
    return made
