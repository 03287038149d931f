"""Every error symattn raises on purpose, under one base class.

A message is one sentence for a person: where (file, line, key), what was expected, what came, what to try.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from operator import index

_ENDLESS = re.compile(r"\d{80,}")
"""A number that nobody reads to its end, in a message that somebody should."""


LONGEST_MESSAGE = 1_500
"""Characters of a message: where it starts and where it ends are what somebody needs of a longer one."""

STEERING = re.compile(
    "[\x00-\x1f\x7f-\x9f\u2028\u2029"  # controls, and ends of lines
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # turns of the direction of a line
    "\ud800-\udfff\ufdd0-\ufdef\ufff9-\ufffb\ufffe\uffff\U000e0000-\U000e0fff]"  # no characters
)
"""What moves the cursor of a terminal, changes what is seen of other characters, or cannot be written at all."""


def printable(text: str) -> str:
    """``text`` on one line, with the numbers of characters that steer a terminal instead of these characters.

    >>> print(printable("lesson\\x1b[2J\\u202e\\udcff.toml"))
    lesson\\x1b[2J\\u202e\\udcff.toml
    """
    return STEERING.sub(lambda found: ascii(found[0])[1:-1], text)


def readable(message: str) -> str:
    """A message on one line, without numbers that nobody reads to their end, and without the middle of what is endless.

    >>> len(readable("X + " * 10_000 + "X: rows differ")), readable("X + " * 10_000 + "X: rows differ")[-16:]
    (1503, '+ X: rows differ')
    """
    message = _ENDLESS.sub(lambda digits: digits[0][:30] + "…", printable(message))
    if len(message) <= LONGEST_MESSAGE:
        return message
    return f"{message[: LONGEST_MESSAGE - 600]} … {message[-600:]}"


class SymattnError(Exception):
    """Base of all errors that symattn raises on purpose; the command line prints them and exits with 2.

    >>> str(SymattnError("a number of " + "9" * 1000 + " digits"))
    'a number of 999999999999999999999999999999… digits'
    """

    def __init__(self, *lines: str) -> None:
        super().__init__(*map(readable, lines))

    def __str__(self) -> str:
        return "\n".join(map(str, self.args))


class FormulaError(SymattnError):
    """A formula or a number that cannot be read: syntax, an unknown name or function, a limit."""


class ShapeError(SymattnError):
    """Operands whose shapes do not fit; the message names both sides."""


class ScenarioError(SymattnError):
    """A scenario that cannot be read: the message names file, line and key."""


class UnknownNameError(SymattnError):
    """A name that is not there; the message lists the nearest and the known ones."""


class ArrayError(SymattnError):
    """An array or a file of arrays that cannot be read; the message names the file, the tensor and the entry."""


class UndecidedError(SymattnError):
    """A digit, a sign or an order that could not be proved; the message names the entry."""


class BudgetError(SymattnError):
    """More work than one question may cost; the message names what was being worked out and what to try."""


class DomainError(SymattnError):
    """A value that an operation is not defined for: a zero vector in a cosine, an id outside the vocabulary."""


class NoValueError(SymattnError):
    """A number was asked of something that stands for itself: a general symbol has a shape and no value."""


class RenderError(SymattnError):
    """A document that cannot be written in the format asked for."""


class AnswersError(SymattnError):
    """A file of students' answers that cannot be read; ``problems`` lists everything that is wrong with it."""

    def __init__(self, *lines: str, problems: tuple[str, ...] = ()) -> None:
        super().__init__(*lines)
        self.problems = problems or lines


class ExercisesError(SymattnError):
    """A file of exercises that cannot be read: the message names the exercise and the key."""


class SecretError(SymattnError):
    """A secret that cannot be read or is none; what stands in it is never said."""


class OutputError(SymattnError):
    """A file that cannot be written; whatever stood there before is untouched."""


def whole(what: str, value: object, least: int, most: int, kind: type[SymattnError] = SymattnError) -> int:
    """A whole number in a range. Raises ``kind`` for another one, and for what is none.

    >>> whole("digits", 6, 0, 50)
    6
    >>> whole("digits", "6", 0, 50)
    Traceback (most recent call last):
        ...
    symattn.errors.SymattnError: digits is '6': expected a whole number, 0 to 50
    """
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise kind(f"{what} is {cut(repr(value))}: expected a whole number, {least} to {most}")
    number = index(value)
    if not least <= number <= most:
        told = number if abs(number) < 10**20 else "a number of more than 20 digits"
        raise kind(f"{what} is {told}: expected {least} to {most}")
    return number


def unknown(kind: str, name: object, known: Iterable[str]) -> str:
    """The sentence for a name that is not there.

    >>> unknown("scenario", "wether", ["good", "refund", "weather"])
    "unknown scenario 'wether': did you mean 'weather'? known: good, refund, weather"
    """
    names = sorted(known)
    close = closest(name, names) if isinstance(name, str) else None
    hint = f"did you mean '{close}'? " if close else ""
    listed = ", ".join(names) if names else "none"
    return f"unknown {kind} {shown(name) if isinstance(name, str) else cut(repr(name))}: {hint}known: {listed}"


def closest(name: str, known: Iterable[str]) -> str | None:
    """The known name that is most like ``name``, if one is like it at all.

    >>> closest("titel", ["title", "tokens"]), closest("x", ["title"]), closest("w_q", ["W_K", "W_Q"])
    ('title', None, 'W_Q')
    """
    from difflib import get_close_matches

    names = list(known)
    other_case = (other for other in names if other.casefold() == name.casefold())
    return next(other_case, None) or next(iter(get_close_matches(name, names, n=1)), None)


def shown(text: str, limit: int = 60) -> str:
    """``text`` in quotes, on one line and cut to ``limit`` characters, for use inside a message.

    >>> shown("a" * 70, limit=8)
    "'aaaaaaaa…'"
    """
    return repr(cut(text, limit))


def cut(text: str, limit: int = 60) -> str:
    """``text``, or its beginning and an ellipsis.

    >>> cut("a" * 70, limit=8)
    'aaaaaaaa…'
    """
    return text if len(text) <= limit else text[:limit] + "…"
