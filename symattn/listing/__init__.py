"""Programs that compute a name of a solution in another language, and what they print.

A listing is two texts: the program, made of the same formulas and givens as the page, and its output, made of certified
digits and never by running anything.

>>> sorted(PROGRAMS)
['r']
>>> listing("s")
Traceback (most recent call last):
    ...
symattn.errors.UnknownNameError: unknown language of a listing 's': known: r
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from symattn.errors import UnknownNameError, unknown
from symattn.listing import r, r_print
from symattn.solution.core import Solution


class Program(NamedTuple):
    """How one language is written: both take a solution and the name whose value is wanted."""

    program: Callable[[Solution, str], str]
    """The complete program, ready to be run, without a newline at its end."""

    printed: Callable[[Solution, str], str]
    """What the program prints, without the newline at its end."""


PROGRAMS: dict[str, Program] = {
    "r": Program(r.program, r_print.printed),
}
"""The languages a listing may be in."""


def listing(language: str) -> Program:
    """The two writers of a language.

    Raises :class:`~symattn.errors.UnknownNameError`, which lists the known languages.
    """
    try:
        return PROGRAMS[language]
    except KeyError:
        raise UnknownNameError(unknown("language of a listing", language, PROGRAMS)) from None
