"""Every error symattn raises on purpose, under one base class.

A message is one sentence for a person: where (file, line, key), what was expected, what came, what to try.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from operator import index
from unicodedata import category

_ENDLESS = re.compile(r"\d{80,}")
"""A number too long to read in a message."""


LONGEST_MESSAGE = 1_500
"""Characters of a message; of a longer one the start and the end are kept."""

STEERING = re.compile(
    "[\x00-\x1f\x7f-\x9f\u2028\u2029"  # controls, and ends of lines
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # turns of the direction of a line
    "\ud800-\udfff\ufdd0-\ufdef\ufff9-\ufffb\ufffe\uffff\U000e0000-\U000e0fff]"  # no characters
)
"""Characters that move the cursor of a terminal, change how others are shown, or cannot be written at all."""


def printable(text: str) -> str:
    """Return ``text`` on one line, with characters that steer a terminal replaced by their numbers.

    >>> print(printable("lesson\\x1b[2J\\u202e\\udcff.toml"))
    lesson\\x1b[2J\\u202e\\udcff.toml
    """
    return STEERING.sub(lambda found: ascii(found[0])[1:-1], text)


def visible(text: str) -> str:
    """Like :func:`printable`, but also replace invisible characters, those of category Cf.

    >>> print(visible("Q\\u200b @ K\\u2060.T\\u202e, 𝒳 → é"))
    Q\\u200b @ K\\u2060.T\\u202e, 𝒳 → é
    """
    if text.isprintable():
        return text
    return "".join(ascii(each)[1:-1] if category(each) == "Cf" else each for each in printable(text))


def readable(message: str) -> str:
    """Return a message on one line in visible characters, with very long numbers and very long texts cut.

    >>> len(readable("X + " * 10_000 + "X: rows differ")), readable("X + " * 10_000 + "X: rows differ")[-16:]
    (1503, '+ X: rows differ')
    """
    message = _ENDLESS.sub(lambda digits: digits[0][:30] + "…", visible(message))
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


class UnknownNameError(SymattnError, KeyError):
    """An unknown name; the message lists the nearest and the known ones. It is a KeyError too."""


class ArrayError(SymattnError):
    """An array or a file of arrays that cannot be read; the message names the file, the tensor and the entry."""


class UndecidedError(SymattnError):
    """A digit, a sign or an order that could not be proved; the message names the entry."""


class BudgetError(SymattnError):
    """More work than one question may cost; the message names the task and says what to try."""


class DomainError(SymattnError):
    """A value that an operation is not defined for: a zero vector in a cosine, an id outside the vocabulary."""


class NoValueError(SymattnError):
    """A number was asked for, but a general symbol has a shape and no value."""


OF_VALUES = (BudgetError, DomainError, NoValueError, UndecidedError)
"""Errors that only the numbers of a lesson can raise."""


class RenderError(SymattnError):
    """A document that cannot be written in the format asked for."""


class DocumentError(SymattnError):
    """A document that cannot be read, and so not checked."""


class AnswersError(SymattnError):
    """A file of students' answers that cannot be read; ``problems`` lists everything that is wrong with it."""

    def __init__(self, *lines: str, problems: tuple[str, ...] = ()) -> None:
        super().__init__(*lines)
        self.problems = problems or lines


class ExercisesError(SymattnError):
    """A file of exercises that cannot be read: the message names the exercise and the key."""


class SecretError(SymattnError):
    """A secret that cannot be read or is not valid; the message never quotes it."""


class OutputError(SymattnError):
    """A file that cannot be written; an existing file is left untouched."""


def whole(what: str, value: object, least: int, most: int, kind: type[SymattnError] = SymattnError) -> int:
    """Return a whole number in a range. Raises ``kind`` for a number outside it and for anything else.

    >>> whole("digits", 6, 0, 50)
    6
    >>> whole("digits", "6", 0, 50)
    Traceback (most recent call last):
        ...
    symattn.base.errors.SymattnError: digits is '6': expected a whole number, 0 to 50
    """
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise kind(f"{what} is {cut(repr(value))}: expected a whole number, {least} to {most}")
    number = index(value)
    if not least <= number <= most:
        told = number if abs(number) < 10**20 else "a number of more than 20 digits"
        raise kind(f"{what} is {told}: expected {least} to {most}")
    return number


LISTED = 12
"""The number of known names that are listed."""


def unknown(kind: str, name: object, known: Iterable[str], where: str = "", meant: str = "") -> str:
    """Return the sentence for an unknown name; ``where`` lists all names, ``meant`` is a better suggestion.

    A similar name is suggested, or ``meant``. Without ``where``, at most :data:`LISTED` known names are listed.

    >>> unknown("scenario", "wether", ["good", "refund", "weather"])
    "unknown scenario 'wether': did you mean 'weather'? known: good, refund, weather"
    >>> unknown("letter", "ab", "abcdefghijklmnop", "the alphabet")
    "unknown letter 'ab': the alphabet lists all 16"
    >>> unknown("letter", "Alpha", "abcdefghijklmnop", "the alphabet", "that is a")
    "unknown letter 'Alpha': that is a; the alphabet lists all 16"
    """
    names = sorted(known)
    start = f"unknown {kind} {shown(name) if isinstance(name, str) else cut(repr(name))}: "
    if meant:
        start += f"{meant} " if meant.endswith("?") else f"{meant}; "
    elif isinstance(name, str) and (close := nearest(name, names)):
        start += f"did you mean {' or '.join(map(repr, close))}? "
    if len(names) <= LISTED:
        return f"{start}known: {', '.join(names) or 'none'}"
    if where:
        return f"{start}{where} lists all {len(names)}"
    if meant and not meant.endswith("?"):
        return start.removesuffix("; ")
    return f"{start}known: {', '.join(names[:LISTED])} and {len(names) - LISTED} more"


def nearest(name: str, known: Iterable[str]) -> list[str]:
    """Return up to three known names that may be meant: other capitals, a misspelling, or words in common.

    Names that are similar only by chance are left out.

    >>> nearest("titel", ["title", "tokens"]), nearest("x", ["title"]), nearest("LayerNorm", ["layer_norm", "norm"])
    (['title'], [], ['layer_norm'])
    >>> nearest("vcat", ["concat"]), nearest("sin", ["cosine"]), nearest("mask", ["causal_mask", "keep"])
    ([], [], ['causal_mask'])
    """
    from difflib import get_close_matches

    names = list(known)
    plain = letters(name)
    if same := [other for other in names if letters(other) == plain]:
        return same[:1]
    edits = {other: _edits(plain, letters(other)) for other in get_close_matches(name, names, n=10)}
    slips = [other for other, count in edits.items() if count <= max(len(plain), len(letters(other))) // 4]
    if slips:
        least = min(edits[other] for other in slips)
        return [other for other in slips if edits[other] == least][:3]
    words = _words(name)
    related = [other for other in names if (others := _words(other)) and (words < others or others < words)]
    return sorted(related, key=lambda other: abs(len(other) - len(name)))[:3] if words else []


def letters(name: str) -> str:
    """Return a name without case, underscores and punctuation.

    >>> letters("LayerNorm") == letters("layer_norm")
    True
    """
    return re.sub(r"[\W_]", "", name).casefold()


def _words(name: str) -> set[str]:
    """Return the words of a name; shorter ones than three letters are too common to count."""
    return {word for word in re.split(r"[\W_]+", name.casefold()) if len(word) > 2}


def _edits(one: str, other: str) -> int:
    """Count the letters that are wrong, missing, extra or swapped with their neighbour."""
    rows = [list(range(len(other) + 1))]
    for i, a in enumerate(one, 1):
        row = [i]
        for j, b in enumerate(other, 1):
            row.append(min(rows[-1][j] + 1, row[-1] + 1, rows[-1][j - 1] + (a != b)))
            if i > 1 < j and (a, b) == (other[j - 2], one[i - 2]):
                row[-1] = min(row[-1], rows[-2][j - 2] + 1)
        rows.append(row)
    return rows[-1][-1]


def shown(text: str, limit: int = 60) -> str:
    """Return ``text`` in quotes, on one line and cut to ``limit`` characters, for use inside a message.

    >>> shown("a" * 70, limit=8)
    "'aaaaaaaa…'"
    """
    return repr(cut(text, limit))


def cut(text: str, limit: int = 60) -> str:
    """Return ``text``, or its beginning and an ellipsis.

    >>> cut("a" * 70, limit=8)
    'aaaaaaaa…'
    """
    return text if len(text) <= limit else text[:limit] + "…"
