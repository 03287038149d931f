"""Numbers in figures, and how a document writes them: with a point, or with a comma."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Final

from symattn.checking.reading.tree import FigureRead
from symattn.limits import NUMBER_LENGTH

_POINTS: Final = re.compile(r"(?<![\d.,])\d+\.\d+(?![.,]?\d)")
_COMMAS: Final = re.compile(r"(?<![\d.,\[(_{-])-?\d+,\d+(?!,?\d)(?!\s*,\s*-?\d+\s*[,\])])")
_FIGURE: Final = re.compile(r"(\d*)(?:\.(\d*))?(?:[eE]([-+]?\d+))?(%?)")

_THOUSANDS: Final = re.compile(r"\d{1,3}(?:,\d{3})+(?![\d,])(?:\.\d+)?")
_PADDED: Final = re.compile(r",0\d\d")
"""No list has figures such as 048."""

MOST_EXPONENT: Final = 4_000


def has_decimal_commas(text: str) -> bool:
    """Whether a document writes 0,35 for 0.35: where it does so often and hardly ever writes a point.

    >>> has_decimal_commas("a = 0,35 i b = 0,65, a więc c = 1,25"), has_decimal_commas("[0,1], 0.5 and 1,024")
    (True, False)
    >>> has_decimal_commas("0{,}35 & 0{,}65, so 0,35"), has_decimal_commas("0{,}35[1,0] & 0{,}65[0,1] & 1{,}250")
    (True, False)
    """
    if "{,}" in text and _COMMAS.search(text) is None:
        return False  # a comma that divides numbers stands there without braces
    text = text.replace("{,}", ",")
    commas = sum(1 for _ in _COMMAS.finditer(text))
    return commas >= 3 and commas > 4 * sum(1 for _ in _POINTS.finditer(text))


_BRACED: Final = re.compile(r"\d\{,\}(?!\d{3}(?!\d))\d|(?<!\d)0\{,\}\d")


def has_braced_decimals(text: str) -> bool:
    """Whether ``0{,}35`` is 0.35 in a document, and not only ``1{,}024`` a thousand and more.

    >>> has_braced_decimals("$0{,}35$"), has_braced_decimals("$1{,}024$")
    (True, False)
    """
    return _BRACED.search(text) is not None


def in_thousands(text: str, start: int, *, is_free: bool) -> re.Match[str] | None:
    """``1,048,576``: where it is not free, in a bracket or below a name, only if it can be no list.

    >>> in_thousands("(1,048)", 1, is_free=False)[0], in_thousands("(1,128)", 1, is_free=False)
    ('1,048', None)
    """
    found = _THOUSANDS.match(text, start)
    return found if found is None or is_free or _PADDED.search(found[0]) else None


def figure(text: str, start: int, end: int, *, sign: str = "", comma: bool = False) -> FigureRead | None:
    """The number that stands there, ``None`` where it is longer than any number that is worked with.

    ``text`` is without its sign; with ``comma`` a comma is the decimal point, else it divides thousands.

    >>> figure(".80444", 0, 6).value, figure("31.6%", 0, 5).unit, figure("1,024", 0, 5, sign="-").value
    (Fraction(20111, 25000), Fraction(1, 1000), Fraction(-1024, 1))
    """
    printed = sign + text
    if text == "∞":
        return FigureRead(printed, None, Fraction(1), start, end, -1 if sign == "-" else 1)
    plain = text.replace("{.}", ".").replace("{,}", ",").replace("\\", "").replace("_", "")
    plain = plain.replace(",", ".") if comma and plain.count(",") == 1 and "." not in plain else plain.replace(",", "")
    found = _FIGURE.fullmatch(plain)
    if found is None or len(plain) > NUMBER_LENGTH or not (found[1] or found[2]):
        return None
    whole, part, power = found[1] or "0", found[2] or "", int((found[3] or "0")[:9])
    if abs(power) > MOST_EXPONENT:
        return None
    scale = Fraction(10) ** (power - len(part) - (2 if found[4] else 0))
    value = int(whole + part) * scale
    return FigureRead(
        printed.replace("{,}", ",").replace("{.}", ","), -value if sign == "-" else value, scale, start, end
    )
