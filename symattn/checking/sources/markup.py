"""Tags, text and comments of a page of HTML, one after the other."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from html import unescape
from typing import Literal

from symattn.checking.sources.tags import Tag
from symattn.checking.sources.traced import Traced

_TAG = re.compile(r"<(/?)([A-Za-z][^\s/>]{0,60}+)((?:[^\"'<>]|\"[^\"]{0,20000}+\"|'[^']{0,20000}+')*+)>")
_SIMPLE = re.compile(r"<(/?)([A-Za-z][^\s/<>]{0,60}+)([^<>]*+)>")
ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
_PATIENCE = 2_000_000
"""Characters that may be gone through again because quotes of attributes are not what they seem."""


@dataclass(frozen=True, slots=True)
class MarkupSign:
    """A tag, or what stands between two tags."""

    kind: Literal["tag", "text", "comment"]
    start: int
    end: int
    tag: Tag | None = None


def marks(text: str) -> Iterator[MarkupSign]:
    """What a page is made of; what looks like a tag and ends nowhere is text.

    >>> [(mark.kind, mark.start, mark.end) for mark in marks("a<b>1 < 2<!-- x --></b>")]
    [('text', 0, 1), ('tag', 1, 4), ('text', 4, 9), ('comment', 9, 19), ('tag', 19, 23)]
    """
    done, place, patience = 0, 0, _PATIENCE
    while (place := text.find("<", place)) >= 0:
        if text.startswith(("<!", "<?"), place):
            sign = "-->" if text.startswith("<!--", place) else ">"
            end = text.find(sign, place)
            mark = MarkupSign("comment", place, len(text) if end < 0 else end + len(sign))
        else:
            pattern = _TAG if patience > 0 else _SIMPLE
            if (found := pattern.match(text, place)) is None:
                patience -= 20 if text.find(">", place, place + 20) >= 0 else 2_000
                place += 1
                continue
            tag = Tag(found[2].lower(), bool(found[1]), found[3], place, found.end())
            mark = MarkupSign("tag", place, found.end(), tag)
        if done < place:
            yield MarkupSign("text", done, place)
        yield mark
        done = place = mark.end
    if done < len(text):
        yield MarkupSign("text", done, len(text))


def decoded(traced: Traced) -> Traced:
    """A text with the characters that entities stand for.

    >>> decoded(Traced.of("1 &lt; 2")).text
    '1 < 2'
    """
    return traced.sub(ENTITY, unescape)
