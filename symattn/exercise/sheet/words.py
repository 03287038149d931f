"""The plain words of mistakes on a page: the symbols in them as mathematics."""

from __future__ import annotations

import re
from collections.abc import Iterator

from symattn.document.blocks import Inline
from symattn.document.math import Letter, Math, Root, Script, seq
from symattn.document.notation.names import T, by_rule

_SYMBOLS = re.compile(r"√?\b[a-zA-Z]_[a-zA-Z]+|(?:[A-Z] )?[A-Z]ᵀ|\b[A-Z] [A-Z]\b", re.ASCII)


def worded(text: str) -> tuple[Inline, ...]:
    """Words with √d_k, W_O, Q Kᵀ and A V in them as mathematics.

    >>> [piece for piece in worded("between Q Kᵀ and the softmax") if isinstance(piece, str)]
    ['between ', ' and the softmax']
    >>> worded("Heads added")
    ('Heads added',)
    """
    return tuple(_pieces(text))


def _pieces(text: str) -> Iterator[Inline]:
    end = 0
    for found in _SYMBOLS.finditer(text):
        if found.start() > end:
            yield text[end : found.start()]
        yield _symbol(found.group())
        end = found.end()
    if end < len(text):
        yield text[end:]


def _symbol(text: str) -> Math:
    if text.startswith("√"):
        return Root(by_rule(text[1:]))
    if "_" in text:
        return by_rule(text)
    parts = (Script(Letter(part[0]), sup=T) if part.endswith("ᵀ") else Letter(part) for part in text.split(" "))
    return seq(*parts)
