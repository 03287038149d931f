"""Read a student's cell as an exact number.

Students write as they were taught and as their keyboards allow: ``0,5``, ``−1/3``, ``√2/2``, ``ln 2``, ``e^(1/2)``,
``50%``, ``０．５``. All of it becomes text for :func:`symattn.read.formula.read_number`, in which symbols stand for
powers of e and logarithms, which that reader does not know; they are substituted afterwards.

>>> read_cell("0,50"), read_cell("−1/3").value, read_cell("√2/2").value, read_cell("2 ln 3").value
(AnswerCell(text='0,50', value=1/2, decimals=2, trouble=''), -1/3, sqrt(2)/2, 2*log(3))
>>> read_cell("1 1/2").trouble, read_cell("about a half").trouble, read_cell(" ").is_empty
('mixed', 'number', True)

Full-width and other digits, minus signs, superscripts and single-character fractions become ASCII.

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
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType

from flint import arb, fmpq
from sympy import Expr, S, exp, log

from symattn.base import limits
from symattn.base.errors import FormulaError
from symattn.base.printed import scale_of
from symattn.claims.judge import agrees
from symattn.compute.values.balls import at_precision, number_ball
from symattn.course.marking.answers.tokens import Atom, Trouble, number_text
from symattn.read.formula import read_number

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
"""Other shapes of the same character. A circled digit or a subscript does not continue the number before it."""


def in_ascii(text: str) -> str:
    """Return ``text`` in the characters of a formula. Raises :class:`Trouble` for ambiguous characters."""
    if _POINT_OR_TIMES.search(text):
        raise Trouble("marks")
    if _PARTED.search(text):
        raise Trouble("thousands")
    # Before other signs become stars: two of those do not make a power.
    raised = _RAISED.sub(lambda digits: f"^({unicodedata.normalize('NFKC', digits[0])})", text.replace("**", "^"))
    return "".join(map(_plain_sign, raised)).translate({ord("−"): "-"}).strip()


def has_fraction(text: str) -> bool:
    """Return whether ``text`` contains a single-character fraction.

    >>> has_fraction("1½"), has_fraction("1/2")
    (True, False)
    """
    return any(_kind(mark) == "<fraction>" for mark in text)


def _plain_sign(mark: str) -> str:
    if mark in _SIGNS:
        return _SIGNS[mark]
    if mark.isspace():
        return " "
    kind = _kind(mark)
    if kind == "<fraction>":
        # A number before it must not become a part of its numerator.
        return f"({unicodedata.normalize('NFKC', mark).replace('⁄', '/')})"
    if kind in _LIKE_ASCII:
        return "".join(map(_plain_sign, unicodedata.normalize("NFKC", mark)))
    if kind:
        raise Trouble("sign")
    return str(unicodedata.decimal(mark, mark))


def _kind(mark: str) -> str:
    """Return the kind of compatibility character: ``<wide>``, ``<circle>``; "" for any other character."""
    first, _, _ = unicodedata.decomposition(mark).partition(" ")
    return first if first.startswith("<") else ""


TROUBLES = (
    *("long", "mixed", "marks", "thousands", "date", "error", "sign"),
    *("zero", "brackets", "large", "real", "number"),
)
"""The reasons why a cell cannot be read: too long; numbers side by side; several decimal marks in a number; a mark that
may separate thousands; a date or an error of a spreadsheet; a character that is not a plain digit; a division by zero;
missing brackets where several readings are possible; too large; not a real number; not a number at all."""

_BITS = 128

_LEADING = re.compile(r"\A\s*[=≈≒~≃]\s*")
_ERROR = re.compile(
    r"#[A-Z0-9/!?#]*|Err:\d+|TRUE|FALSE|WAHR|FALSCH|VRAI|FAUX|VERDADERO|FALSO", re.IGNORECASE | re.ASCII
)
_MONTHS = "jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec"
_DATE = re.compile(
    rf"\d{{1,4}}([/.-])\d{{1,2}}\1\d{{1,4}}\Z|[+-]?(?:0\d[/-]\d{{1,2}}|\d{{1,2}}[/-]0\d)\Z"
    rf"|.*\d\s*[:年月日]|.*\d\W*(?:{_MONTHS})|(?:{_MONTHS})[a-z]*\W*\d",
    re.IGNORECASE | re.ASCII,
)
_GROUPS = re.compile(r"(?<![\d.,])[1-9]\d{0,2}([.,])\d{3}(?:\1\d{3})+(?![\d.,]|\s*[eE])")
_MAY_BE_THOUSANDS = re.compile(r"(?<![\d.,])[1-9]\d{0,2}[.,]\d{3}(?![\d.,]|\s*[eE]\s*[+-]?\s*\d)")
_COMMA = re.compile(r"(?<![\d.,])(\d*),(\d+)(?![\d.,])")
_SEVERAL_MARKS = re.compile(r"\d*[.,]\d*[.,]|[.,]{2}")
_MIXED = re.compile(r"[\d.,]\s+[\d.,]")
_BESIDE_FRACTION = re.compile(r"[\d.)]\s*\(\d+/\d+\)|\(\d+/\d+\)\s*[\d.,]")
_OF_A_FRACTION = re.compile(r"(?:\^|ln|log)\s*[+-]?\s*\(\d+/\d+\)\s*[^-+)\s]", re.IGNORECASE)
"""An operand right after ``ln ½`` or ``e^½``, without brackets."""

_POWER_OF_TEN = re.compile(r"(?<=[\d.])\s*E\s*([+-]?)\s*(?=\d)")
_BARE = r"(?:[\d.]+|e|√\s*(?:[\d.]+|\([^()]*\)))"
_TWO_WAYS = re.compile(rf"[\d.]\s+\(|\)\s+[\d(.]|[+-]\s*[+-]|\^\s*[+-]?\s*{_BARE}\s*/\s*[\d.]")
"""Numbers and brackets with a space between, two signs, a power with a fraction that has no brackets."""

_TOWER = re.compile(r"\^\s*[+-]?(?:[\d.]+|\([^()]*\))\s*\^")
_DECIMAL = re.compile(r"([+-]?)\s*(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,3})|\s*(%))?\Z", re.ASCII)
_FRACTION = re.compile(r"([+-]?)\s*(\d+)\s*/\s*(\d+)\Z", re.ASCII)
_PERCENT = re.compile(r"[+-]?\([^()]*\)\s*%\Z")
_INFINITE = re.compile(r"([+-]?)\s*(?:oo|inf|infinity|infty)\Z", re.IGNORECASE | re.ASCII)


@dataclass(frozen=True)
class AnswerCell:
    """A cell: its text, the exact number it represents, and how many decimals were written.

    ``value`` is a FLINT rational, a SymPy number if it is irrational or infinite, or ``None``; ``decimals`` is ``None``
    unless the number is a decimal; ``trouble`` is one of :data:`TROUBLES` if the text cannot be read.
    """

    text: str
    value: fmpq | Expr | None = None
    decimals: int | None = None
    trouble: str = ""

    @property
    def is_empty(self) -> bool:
        return self.value is None and not self.trouble

    @property
    def number(self) -> fmpq | arb:
        """The value, enclosed to the current precision unless it is rational."""
        return self.value if isinstance(self.value, fmpq) else number_ball(self.value)

    def is_right(self, value: arb | fmpq, decimals: int) -> bool:
        """Return whether the cell holds a number that is right for a value to so many decimals."""
        return self.value is not None and agrees(value, self.number, scale_of(decimals))

    @property
    def whole(self) -> int | None:
        """The value, if it is a whole number."""
        return int(self.value.p) if isinstance(self.value, fmpq) and self.value.q == 1 else None


@lru_cache(maxsize=4096)
def read_cell(text: str, thousands: bool = False) -> AnswerCell:
    """Read a cell. It never raises: an unreadable text gives a cell with a trouble.

    A comma is a decimal mark, even in ``1,234``, which is a little more than one; in ``1,234,567`` commas can only
    separate thousands. With ``thousands``, for whole or large numbers, ``1,234`` and ``1.234`` are ambiguous and cannot
    be read.

    >>> read_cell("1,234").value, read_cell("1,234", thousands=True).trouble, read_cell("1,234,567").value
    (617/500, 'thousands', 1234567)
    """
    if len(text) > limits.ANSWER_CHARACTERS:
        return AnswerCell(text, trouble="long" if text.strip() else "")
    try:
        plain = _plain(text, thousands)
        return AnswerCell(text) if not plain else _read(text, plain)
    except Trouble as trouble:
        return AnswerCell(text, trouble=str(trouble))


def _plain(text: str, thousands: bool) -> str:
    """Return the text in ASCII, with the signs of a formula, and a point in every decimal."""
    plain = _LEADING.sub("", in_ascii(text)).strip()
    for pattern, trouble in ((_ERROR, "error"), (_DATE, "date")):
        if pattern.match(plain):
            raise Trouble(trouble)
    if _MIXED.search(plain) or (has_fraction(text) and _BESIDE_FRACTION.search(plain)):
        raise Trouble("mixed")
    if thousands and _MAY_BE_THOUSANDS.search(plain):
        raise Trouble("thousands")
    plain = _GROUPS.sub(lambda number: number[0].replace(number[1], ""), plain)
    plain = _COMMA.sub(r"\1.\2", plain)
    if "," in plain or _SEVERAL_MARKS.search(plain):
        raise Trouble("marks" if re.search(r"\d", plain) else "number")
    if _TWO_WAYS.search(plain) or (has_fraction(text) and _OF_A_FRACTION.search(plain)):
        raise Trouble("brackets")
    return _POWER_OF_TEN.sub(r"e\1", plain)


def _read(text: str, plain: str) -> AnswerCell:
    if match := _DECIMAL.match(plain):
        return _decimal(text, match)
    if match := _FRACTION.match(plain):
        if not int(match[3]):
            raise Trouble("zero")
        return AnswerCell(text, fmpq(int(match[1] + match[2]), int(match[3])))
    if match := _INFINITE.match(plain):
        return AnswerCell(text, S.NegativeInfinity if match[1] == "-" else S.Infinity)
    if plain.endswith("%") and not _PERCENT.match(plain):
        raise Trouble("brackets")
    value = _number(plain.removesuffix("%"), 0)
    if _TOWER.search(plain):
        raise Trouble("brackets")
    if plain.endswith("%"):
        value = value / 100
    return AnswerCell(text, fmpq(int(value.p), int(value.q)) if value.is_Rational else _checked(value))


def _decimal(text: str, match: re.Match[str]) -> AnswerCell:
    sign, whole, fraction, power, percent = match.groups()
    fraction = fraction or ""
    if not whole and not fraction:
        raise Trouble("number")
    exponent = int(power or 0) - (2 if percent else 0) - len(fraction)
    digits = int(sign + (whole or "") + fraction)
    value = fmpq(digits * 10**exponent) if exponent >= 0 else fmpq(digits, 10**-exponent)
    return AnswerCell(text, value, max(0, -exponent))


def _number(plain: str, depth: int) -> Expr:
    """Read a number; roots, powers of e and logarithms inside it are read recursively."""
    if depth > limits.FORMULA_DEPTH:
        raise Trouble("number")
    line, atoms = number_text(plain)
    symbols = {f"x{index}": atom for index, atom in enumerate(atoms)}
    try:
        value = read_number(line, tuple(symbols))
    except FormulaError as error:
        raise Trouble(_why(str(error))) from None
    known = {name: _atom(atom, depth) for name, atom in symbols.items()}
    value = value.xreplace({symbol: known[symbol.name] for symbol in value.free_symbols})
    if value.has(S.NaN, S.ComplexInfinity, S.Infinity, S.NegativeInfinity):
        raise Trouble("zero")
    return value


def _why(message: str) -> str:
    reasons = (("division by zero", "zero"), ("real number", "real"), ("digits", "large"))
    return next((trouble for piece, trouble in reasons if piece in message), "number")


def _atom(atom: Atom, depth: int) -> Expr:
    """Return a power of e, or a natural logarithm."""
    inner = _number(atom.inside, depth + 1)
    if atom.function == "log":
        if not _enclosed(inner) > 0:
            raise Trouble("real")
        return log(inner)
    if not abs(_enclosed(inner)) < limits.ANSWER_EXPONENT:
        raise Trouble("large")
    return exp(inner)


def _checked(value: Expr) -> Expr:
    """Return the value if it is a real number with an enclosure; raise otherwise."""
    if not _enclosed(value).is_finite():
        raise Trouble("real")
    return value


def _enclosed(value: Expr) -> arb:
    try:
        with at_precision(_BITS):
            return number_ball(value)
    except (TypeError, ValueError, ArithmeticError):
        raise Trouble("real") from None
