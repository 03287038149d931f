"""The signs of a cell in ASCII: full-width and other digits, minus signs, raised digits, fractions in one sign.

>>> in_ascii("７×３"), in_ascii("−½"), in_ascii("2²"), in_ascii("٣٫١٤")
('7*3', '-(1/2)', '2^(2)', '3.14')
>>> try:
...     in_ascii("2①")
... except Trouble as trouble:
...     print(trouble)
sign
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from types import MappingProxyType

from symattn.marking.answers.tokens import Trouble

_MINUS, _TIMES, _OVER, _POINT = "‐‑‒–—−﹣", "×·⋅∙•∗✕✖・･·", "÷∕⁄", "。｡٫"
_SIGNS: Mapping[str, str] = MappingProxyType(
    {
        **{mark: sign for marks, sign in ((_MINUS, "-"), (_TIMES, "*"), (_OVER, "/")) for mark in marks},
        **dict.fromkeys(_POINT, "."),
        "∞": "oo",
        "ℯ": "e",
        "٪": "%",
    }
)
_RAISED = re.compile("[⁺⁻]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+")
_POINT_OR_TIMES = re.compile(r"\d\s*[·⋅∙•・･·]\d|\d[·⋅∙•・･·]\s*\d")
_PARTED = re.compile(r"\d['’‘`´ʼ٬\u00a0\u2007\u2009\u202f]\d{3}(?!\d)")
_LIKE_ASCII = ("<wide>", "<narrow>", "<font>", "<small>", "<noBreak>")
"""Other shapes of the same sign. A digit in a circle or a lowered one is no further digit of the number before it."""


def in_ascii(text: str) -> str:
    """``text`` with the signs of a formula. Raises :class:`Trouble` for signs that can be read in several ways."""
    if _POINT_OR_TIMES.search(text):
        raise Trouble("marks")
    if _PARTED.search(text):
        raise Trouble("thousands")
    # Before other signs become stars: two of those are no power.
    raised = _RAISED.sub(lambda digits: f"^({unicodedata.normalize('NFKC', digits[0])})", text.replace("**", "^"))
    return "".join(map(_plain, raised)).translate({ord("−"): "-"}).strip()


def has_fraction(text: str) -> bool:
    """Whether a fraction in one sign stands in ``text``.

    >>> has_fraction("1½"), has_fraction("1/2")
    (True, False)
    """
    return any(_kind(mark) == "<fraction>" for mark in text)


def _plain(mark: str) -> str:
    if mark in _SIGNS:
        return _SIGNS[mark]
    if mark.isspace():
        return " "
    kind = _kind(mark)
    if kind == "<fraction>":
        # What stands before it must not become a part of its numerator.
        return f"({unicodedata.normalize('NFKC', mark).replace('⁄', '/')})"
    if kind in _LIKE_ASCII:
        return "".join(map(_plain, unicodedata.normalize("NFKC", mark)))
    if kind:
        raise Trouble("sign")
    return str(unicodedata.decimal(mark, mark))


def _kind(mark: str) -> str:
    """How a sign is another form of others: ``<wide>``, ``<circle>``; nothing for one of its own."""
    first, _, _ = unicodedata.decomposition(mark).partition(" ")
    return first if first.startswith("<") else ""
