"""Printed figures: write a number as text with its decimals, and read the number from a text."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Literal

from flint import fmpq, fmpz

from symattn.base.shapes import EntryPlace

Printed = tuple[tuple[str, ...], ...]
"""Printed figures, row by row."""

Ties = Literal["half_up", "half_even"]
"""``half_up`` rounds a tie away from zero, as Python's ``decimal.ROUND_HALF_UP``."""


@dataclass(frozen=True)
class Figure:
    """One printed number: its text, and whether the text is known to be exact rather than rounded."""

    text: str
    exact: bool
    short: str = field(default="", compare=False, kw_only=True)
    """How an exact figure is written on its own, if the text has trailing zeros to match the rest of its matrix."""
    number: fmpq | None = field(default=None, compare=False, kw_only=True)
    """The number that the text writes; ``None`` if it is no decimal: an infinity, 1/3, a closed form."""
    places: int = field(default=0, compare=False, kw_only=True)
    """The decimals that the text shows, if there is a number."""
    entry: EntryPlace | None = field(default=None, compare=False, kw_only=True)
    """The entry of a named matrix that the figure belongs to."""

    @classmethod
    def of(cls, number: int, places: int, exact: bool, short: str = "") -> Figure:
        """Return the figure of n / 10^places, for places on either side of the point.

        >>> figure = Figure.of(-145, 2, True)
        >>> figure.text, figure.number, figure.places
        ('-1.45', -29/20, 2)
        """
        value = fmpq(number) / scale_of(places)
        return cls(rounded_text(number, places), exact, short=short, number=value, places=max(places, 0))

    @classmethod
    def written(cls, text: str, exact: bool, short: str = "") -> Figure:
        """Return the figure that a text of a file writes, with its number, which is read only here."""
        value, places = read_figure(text) or (None, 0)
        return cls(text, exact, short=short, number=value, places=places)

    def opposite(self) -> Figure:
        """Return the figure on its own with the opposite sign.

        >>> Figure.written("-0.50", True, short="-0.5").opposite().text, Figure.written("0.0", False).opposite().text
        ('0.5', '0.0')
        """
        text = self.short or self.text
        turned = text.removeprefix("-") if text.startswith("-") or not text.strip("0.") else f"-{text}"
        number = None if self.number is None else -self.number
        return Figure(turned, self.exact, number=number, places=self.places)

    def at(self, entry: EntryPlace) -> Figure:
        """Return the same figure with the entry that it belongs to."""
        # Spelled out, since a page calls it for each of its figures: dataclasses.replace takes five times as long.
        return Figure(self.text, self.exact, short=self.short, number=self.number, places=self.places, entry=entry)

    def __str__(self) -> str:
        return self.text


_FIGURE = re.compile(r"(-)?(?:(\d{1,1000})(?:\.(\d{1,1000}))?(?:\*10\^(\d{1,4}))?|10\^(\d{1,4}))\Z", re.ASCII)

_FROM_OUTSIDE = re.compile(
    r"(?P<sign>[-+\u2212]?)"
    r"(?:(?P<infinity>oo|\u221e|(?i:inf))|10\^(?P<bare>[-+\u2212]?\d{1,4})"
    r"|(?P<whole>\d{1,1000})?(?:\.(?P<fraction>\d{0,1000}))?"
    r"(?:(?:[eE]|[*\u00d7\u00b7]10\^)(?P<power>[-+\u2212]?\d{1,4}))?)\Z",
    re.ASCII,
)


def scale_of(places: int) -> fmpz | fmpq:
    """Return 10^places, exactly."""
    return fmpz(10) ** places if places >= 0 else fmpq(1, int(fmpz(10) ** -places))


def decimal_text(number: int, places: int) -> str:
    """Return the text of n / 10^places with that many decimals.

    >>> decimal_text(-145, 3), decimal_text(0, 2), decimal_text(7, 0)
    ('-0.145', '0.00', '7')
    """
    sign = "-" if number < 0 else ""
    digits = _digits(number).rjust(places + 1, "0")
    return sign + (f"{digits[:-places]}.{digits[-places:]}" if places else digits)


def shortest(text: str) -> str:
    """Return a decimal without its trailing zeros.

    >>> shortest("2.000000"), shortest("-0.250"), shortest("100"), shortest("-0.0")
    ('2', '-0.25', '100', '0')
    """
    short = text.rstrip("0").rstrip(".") if "." in text and "^" not in text else text
    return "0" if short == "-0" else short


def _digits(number: int) -> str:
    """Return the decimal digits; Python itself refuses numbers of more than 4,300 digits, and FLINT is faster."""
    return fmpz(abs(number)).str()


def power_text(number: int, exponent: int) -> str:
    """Return the text of n · 10^exponent as a short multiple of a power of ten.

    >>> power_text(-100000, 4), power_text(150000, 4), power_text(-1, 9)
    ('-10^9', '1.5*10^9', '-10^9')
    """
    sign, digits = ("-" if number < 0 else ""), _digits(number)
    exponent += len(digits) - 1
    mantissa = (digits[0] + "." + digits[1:]).rstrip("0").rstrip(".")
    power = f"10^{exponent}"
    return sign + (power if mantissa == "1" else f"{mantissa}*{power}")


@lru_cache(maxsize=4000)
def read_figure(text: str) -> tuple[fmpq, int] | None:
    """Read the number of a printed figure and the decimals it shows: ``-0.50`` is (−1/2, 2), ``-10^9`` (−10⁹, 0).

    >>> read_figure("-0.50"), read_figure("-10^9"), read_figure("n/a")
    ((-1/2, 2), (-1000000000, 0), None)
    """
    match = _FIGURE.match(text)
    if match is None:
        return None
    sign, digits, fraction, power, bare = match.groups()
    fraction = fraction or ""
    exponent = int(power or bare or 0)
    whole = fmpz(1) if digits is None else fmpz(int(digits + fraction))
    value = fmpq(-whole if sign else whole, fmpz(10) ** len(fraction)) * fmpz(10) ** exponent
    return value, max(0, len(fraction) - exponent)


def as_printed(text: str) -> str | None:
    """Return a figure of a source in our notation, or ``None`` if it is no figure.

    Programs print ``+1.5``, ``1.``, ``.5``, ``6.3e-02``, ``-inf``, and pages ``6.3*10^-2`` or a real minus sign.

    >>> [as_printed(text) for text in ("+1.5", "1.", ".5", "6.30e-02", "\u22126.3*10^-2", "-inf", "1.5E+09", "n/a")]
    ['1.5', '1', '0.5', '0.0630', '-0.063', '-oo', '1.5*10^9', None]
    """
    match = _FROM_OUTSIDE.match(text)
    if match is None or not (match["infinity"] or match["bare"] or match["whole"] or match["fraction"]):
        return None
    sign = "" if match["sign"] in ("", "+") else "-"
    if match["infinity"]:
        return f"{sign}oo"
    power = int((match["bare"] or match["power"] or "0").replace("\u2212", "-"))
    whole, fraction = match["whole"] or ("1" if match["bare"] else "0"), match["fraction"] or ""
    if match["bare"] and power > 0:
        shown = f"10^{power}"
    elif power < 0:
        shown = decimal_text(int(whole + fraction), len(fraction) - power)
    else:
        shown = whole + (f".{fraction}" if fraction else "") + (f"*10^{power}" if power else "")
    return sign + shown if read_figure(shown) else None


def is_infinite(text: str) -> bool:
    """Return whether a printed figure is an infinity.

    >>> is_infinite("-oo"), is_infinite("-10^9")
    (True, False)
    """
    return text in ("oo", "-oo")


def read_printed(text: str) -> tuple[fmpq, int] | None:
    """Read the number that a source prints and the place of its last digit, to which it is rounded.

    The place may be before the point: ``1.50*10^9`` is rounded to ten millions.

    >>> read_printed("0.063"), read_printed("1.50*10^9"), read_printed("-10^9")
    ((63/1000, 3), (1500000000, -7), (-1000000000, 0))
    """
    read = read_figure(text)
    mantissa, _, power = text.partition("*10^")
    if read is None or not power:
        return read
    return read[0], len(mantissa.partition(".")[2]) - int(power)


def rounded_text(number: int, places: int) -> str:
    """Return the text of n / 10^places, for places on either side of the point.

    >>> rounded_text(145, 3), rounded_text(150, -7), rounded_text(0, -7)
    ('0.145', '1.5*10^9', '0')
    """
    return decimal_text(number, places) if places >= 0 else power_text(number, -places) if number else "0"


# -- grids of figures --------------------------------------------------------------------------------------------------


def shape_of(rows: Printed) -> tuple[int, int]:
    """Return the rows and columns of a grid."""
    return len(rows), len(rows[0])


def number_of(text: str) -> fmpq | str:
    """Return the number that a figure prints; an infinity is returned as its text.

    >>> number_of("0.50"), number_of("-oo")
    (1/2, '-oo')
    """
    read = read_figure(text)
    return text if read is None else read[0]


def same(rows: Printed, other: Printed) -> bool:
    """Return whether two grids show the same numbers, however many decimals they have.

    >>> same((("0.50",),), (("0.5",),)), same((("1", "2"),), (("1",), ("2",)))
    (True, False)
    """
    return [list(map(number_of, row)) for row in rows] == [list(map(number_of, row)) for row in other]


def alike(rows: Printed, other: Printed, place: tuple[int, int]) -> bool:
    """Return whether two grids have the same number at one place."""
    i, j = place
    return number_of(rows[i][j]) == number_of(other[i][j])
