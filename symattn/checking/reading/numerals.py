"""Numbers as people write them: decimal points and commas, and what divides thousands."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from symattn.base.limits import NUMBER_LENGTH
from symattn.checking.reading.tree import FigureRead

_POINTS: Final = re.compile(r"(?<![\d.,])\d+\.\d+(?![.,]?\d)")
_COMMAS: Final = re.compile(r"(?<![\d.,\[(_{-])-?\d+,\d+(?!,?\d)(?!\s*,\s*-?\d+\s*[,\])])")
_FIGURE_PARTS: Final = re.compile(r"(\d*)(?:\.(\d*))?(?:[eE]([-+]?\d+))?(%?)")

_THOUSANDS: Final = re.compile(r"\d{1,3}(?:,\d{3})+(?!,?\d)(?:\.\d+)?")
_POINTED: Final = re.compile(r"\d{1,3}(?:\.\d{3})+(?![\d.])(?:,\d+)?")
_SPACED: Final = re.compile(
    r"\d{1,3}(?P<gap>[ \u00a0\u202f\u2009]|\\[,;:]|~|'(?=\d{3}))\d{3}(?:(?P=gap)\d{3})*(?!\d)(?:[.,]\d+)?"
)
_MONEY: Final = re.compile(r"[€£¥₩₽₺₹₫]|\b(?:EUR|USD|Rp|CHF|Kč|kr|zł|руб|TL|Ft)\b")
_GROUPED_ONLY: Final = re.compile(r"-?[1-9]\d{0,2},\d{3}")
_TIME: Final = re.compile(r"(?:[01]?\d|2[0-3])\.[0-5]\d")
_DOTTED: Final = re.compile(r"(?<![\d.,])\d+(?:\.\d+)+(?![\d.]*\d)")

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
    found = [one[0] for one in _COMMAS.finditer(text)]
    commas = 0 if all(map(_GROUPED_ONLY.fullmatch, found)) else len(found)  # 24,300 may be twenty-four thousand
    points = [one[0] for one in _POINTS.finditer(text)]
    divides = [_POINTED.fullmatch(each) is not None for each in points]
    if any(divides) and all(is_group or _TIME.fullmatch(each) for is_group, each in zip(divides, points, strict=True)):
        points = []  # they divide thousands, and hours from minutes
    return commas >= 3 and commas > 4 * len(points)


_BRACED: Final = re.compile(r"\d\{,\}(?!\d{3}(?!\d))\d|(?<!\d)0\{,\}\d")


def has_braced_decimals(text: str) -> bool:
    """Whether ``0{,}35`` is 0.35 in a document, and not only ``1{,}024`` a thousand and more.

    >>> has_braced_decimals("$0{,}35$"), has_braced_decimals("$1{,}024$")
    (True, False)
    """
    return _BRACED.search(text) is not None


def has_pointed_thousands(text: str) -> bool:
    """Return True for a document in which ``18.600`` is eighteen thousand: every point divides thousands, and decimal
    commas or sums of money stand there.

    >>> has_pointed_thousands("(18.600 - 600) / 6 = 3.000 EUR"), has_pointed_thousands("1.234 + 0.500 = 1.734 EUR")
    (True, False)
    """
    dotted = [found[0] for found in _DOTTED.finditer(text)]
    if not dotted or any(_POINTED.fullmatch(each) is None or each[0] == "0" for each in dotted):
        return False
    return _MONEY.search(text) is not None or has_decimal_commas(text)


def in_thousands(text: str, start: int, *, is_free: bool) -> re.Match[str] | None:
    """``1,048,576``: where it is not free, in a bracket or below a name, only if it can be no list.

    >>> in_thousands("(1,048)", 1, is_free=False)[0], in_thousands("(1,128)", 1, is_free=False)
    ('1,048', None)
    """
    found = _THOUSANDS.match(text, start)
    return found if found is None or is_free or _PADDED.search(found[0]) else None


POINT: Final = "\u02d9"
"""A point that divides thousands, in the text of a sign."""

_DIVIDES: Final = re.compile(rf"\\[,;:]|[\s~'\\_{POINT}]")


def figure(text: str, start: int, end: int, *, sign: str = "", comma: bool = False) -> FigureRead | None:
    """The number that stands there, ``None`` where it is longer than any number that is worked with.

    ``text`` is without its sign; with ``comma`` a comma is the decimal point, else it divides thousands.

    >>> figure(".80444", 0, 6).value, figure("31.6%", 0, 5).unit, figure("1,024", 0, 5, sign="-").value
    (Fraction(20111, 25000), Fraction(1, 1000), Fraction(-1024, 1))
    """
    printed = sign + text
    if text == "∞":
        return FigureRead(printed, None, Fraction(1), start, end, -1 if sign == "-" else 1)
    plain = _DIVIDES.sub("", text.replace("{.}", ".").replace("{,}", ","))
    plain = plain.replace(",", ".") if comma and plain.count(",") == 1 and "." not in plain else plain.replace(",", "")
    found = _FIGURE_PARTS.fullmatch(plain)
    if found is None or len(plain) > NUMBER_LENGTH or not (found[1] or found[2]):
        return None
    whole, part, power = found[1] or "0", found[2] or "", int((found[3] or "0")[:9])
    if abs(power) > MOST_EXPONENT:
        return None
    scale = Fraction(10) ** (power - len(part) - (2 if found[4] else 0))
    value = int(whole + part) * scale
    return FigureRead(
        printed.replace("{,}", ",").replace("{.}", ",").replace(POINT, "."),
        -value if sign == "-" else value,
        scale,
        start,
        end,
    )


@dataclass(frozen=True, slots=True)
class Numerals:
    """How a document writes its numbers.

    >>> of_document("12 000 × 0,004 = 48,00, 0,35 et 1,25").grouped("12 000 × 0,004", 0, is_listed=False, is_term=True)
    ('12 000', 6)
    """

    has_commas: bool = False
    """Whether 0,35 is 0.35."""
    has_braces: bool = False
    """Whether 0{,}35 is."""
    has_points: bool = False
    """Whether 18.600 is eighteen thousand and six hundred."""

    def grouped(self, text: str, start: int, *, is_listed: bool, is_term: bool) -> tuple[str, int] | None:
        """Return a figure whose thousands blanks or points divide, and where it ends.

        In a list, and where nothing tells that one figure is to come, a common blank divides figures.
        """
        found = _SPACED.match(text, start)
        if (found is not None and found["gap"] in " ~") or (found is not None and is_listed):
            is_joined = _joins(text[found.end() : found.end() + 3]) or _joins(text[:start][-3:][::-1])
            is_one = not is_listed and is_term and (self.has_commas or is_joined)
            found = found if is_one or (is_joined and self.has_commas) else None
        if found is not None:
            return _with_point(found[0]), found.end()
        pointed = _POINTED.match(text, start) if self.has_points else None
        return None if pointed is None else (_with_point(pointed[0].replace(".", POINT)), pointed.end())


PLAIN: Final = Numerals()


def of_document(text: str) -> Numerals:
    """Return how a document writes its numbers."""
    return Numerals(has_decimal_commas(text), has_braced_decimals(text), has_pointed_thousands(text))


def _with_point(text: str) -> str:
    """Return a figure with its comma in braces, where it is no blank of LaTeX."""
    return re.sub(r"(?<!\\),", "{.}", text)


def _joins(beside: str) -> bool:
    """Return True if a sign of arithmetic or a relation comes first."""
    return beside.lstrip(" ")[:1] in tuple("+-−*/×·÷=≈")
