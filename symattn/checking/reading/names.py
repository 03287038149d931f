"""Names: what stands in ``attention_output``, ``x1`` or ``A_{21}``, and which names are functions."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Final

from symattn.checking.reading import signs
from symattn.checking.reading.lexer import Lexeme
from symattn.checking.reading.tree import Expressed, FigureRead, NameRead

_PART: Final = re.compile(r"([^\W\d_]+)(\d{1,2})")


def _piece(text: str, start: int) -> tuple[Expressed, ...]:
    """``21`` is two pieces, ``k1`` a letter and a figure, anything else one."""
    if text.isdecimal() and text.isascii():
        return digits(text, start)
    found = re.fullmatch(r"([^\W\d_])(\d)", text)
    if found is not None:
        return (_name(found[1], start), number(found[2], start + 1))
    return (_name(text, start),)


def _name(text: str, start: int) -> NameRead:
    return NameRead(signs.LETTERS.get(text, text), (), (), (), start, start + len(text), text)


def number(text: str, start: int) -> FigureRead:
    """A whole number."""
    return FigureRead(text, Fraction(int(text[:400])), Fraction(1), start, start + len(text))


def digits(text: str, start: int) -> tuple[FigureRead, ...]:
    """``21`` below a name is 2 and 1; one or three digits are one number."""
    if len(text) == 2:
        return (number(text[0], start), number(text[1], start + 1))
    return (number(text, start),)


def identifier(lexeme: Lexeme) -> NameRead:
    """A name as it is written in plain text or in a program, taken apart at ``_`` and before its figures.

    >>> from symattn.checking.reading.lexer import Lexeme
    >>> name = identifier(Lexeme("word", "W_Q", 0, 3, False, 0, "prose"))
    >>> name.base, name.below[0].base
    ('W', 'Q')
    """
    parts = lexeme.text.split("_")
    if not parts[0] or not all(parts):
        return NameRead(lexeme.text, (), (), (), lexeme.start, lexeme.end, lexeme.text)
    base, place = parts[0], lexeme.start + len(parts[0])
    below: list[Expressed] = []
    primes = len(base) - len(base.rstrip("'’"))
    base = base.rstrip("'’")
    if (found := _PART.fullmatch(base)) is not None:
        below.extend(_piece(found[2], place - primes - len(found[2])))
        base = found[1]
    for part in parts[1:]:
        below.extend(_piece(part, place + 1))
        place += 1 + len(part)
    base = signs.LETTERS.get(base, base)
    return NameRead(base, ("'",) * primes, tuple(below), (), lexeme.start, lexeme.end, lexeme.text)


def function(name: NameRead) -> str | None:
    """What the tree calls the function that has this name, ``None`` of a name that is no known function."""
    whole = "_".join((name.base, *(one.base for one in name.below if isinstance(one, NameRead))))
    return signs.FUNCTIONS.get(whole) or signs.FUNCTIONS.get(name.base)


def is_word(name: NameRead) -> bool:
    """Whether a name has several letters, so that a bracket after it is a call."""
    return len(name.base) > 1 and not re.fullmatch(r"d[A-Z]|.?\W+", name.base) and "∂" not in name.base


def with_marks(name: NameRead, end: int, *marks: str) -> NameRead:
    """A name with more marks."""
    return replace(name, marks=(*name.marks, *marks), end=max(end, name.end))


def with_below(name: NameRead, below: Sequence[Expressed], end: int) -> NameRead:
    """A name with more below it."""
    return replace(name, below=(*name.below, *below), end=max(end, name.end))


def with_above(name: NameRead, above: Sequence[Expressed], end: int) -> NameRead:
    """A name with more above it."""
    return replace(name, above=(*name.above, *above), end=max(end, name.end))


def with_shape(name: NameRead, shape: Sequence[Expressed], end: int) -> NameRead:
    """A name whose shape is said."""
    return replace(name, shape=tuple(shape), end=max(end, name.end))
