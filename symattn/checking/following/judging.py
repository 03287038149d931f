"""Whether a printed figure is right, and if not, what it is: every comparison is one of enclosures."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from flint import arb, fmpq

from symattn.checking.following.rows import ball
from symattn.checking.following.worlds import Worlds
from symattn.checking.model import FindingKind
from symattn.checking.reading.signs import SUPERSCRIPTS
from symattn.checking.reading.tree import FigureRead
from symattn.claims.judge import agrees

HALF = Fraction(1, 2)

MASKED = -9_000
MASKED_SHARE = 1e-3
"""A figure as low as this stands for −∞ behind a mask; nobody prints the score that is lost in it."""

HUGE = arb(10) ** 40
"""What is larger is no figure of anybody."""


@dataclass(frozen=True)
class Judged:
    """A printed figure, and what was found."""

    figure: FigureRead
    kind: FindingKind | None
    """``None`` where it is right."""
    expected: str
    row: int
    column: int
    units: float = 0.0
    """How far it is from what is right, in units of its last place."""
    value: str = ""
    """What may be printed there, with two more digits."""


EXACTLY = 1e-9
"""How far a number is from one that needs no rounding, in units: whoever prints another one did not round it."""

OF_DOUBLES = Fraction(1, 2**49)
"""How far a few operations on doubles lead from what is exact, as a share of it."""


def prints(figure: FigureRead, value: arb, unit: Fraction) -> bool:
    """Whether a value may be printed so: its enclosure meets what rounds to the figure, ties either way."""
    if figure.value is None:
        return bool(value < -1e8 if figure.sign < 0 else value > 1e8) or value.is_nan()
    if not value.is_finite():
        # A mask of -10⁹ is −∞ to whoever prints it.
        return bool(figure.value < MASKED) and bool(value < 0)
    if figure.value <= MASKED and abs(value / ball(figure.value) - 1) < MASKED_SHARE:
        return True
    if unit > 1:  # tens, hundreds, … behind a sign of about
        return not abs(value - ball(figure.value)) > ball(unit / 2)
    # Nothing that a computer prints is more exact than its doubles.
    size = max(abs(figure.value), Fraction(1)) if unit < OF_DOUBLES else abs(figure.value)
    unit = max(unit, 2 * OF_DOUBLES * size)
    return agrees(value, ball(figure.value), fmpq(unit.denominator, unit.numerator))


def units_off(figure: FigureRead, value: arb, unit: Fraction) -> float:
    """How far a figure is from a value, in units of its last place."""
    if figure.value is None or not value.is_finite():
        return float("inf")
    return abs(double((ball(figure.value) - value) / ball(unit)))


def units_among(among: Sequence[FigureRead]) -> Callable[[FigureRead], Fraction]:
    """What one unit of the last place of each is worth: a whole number among decimals is one of them without its
    zeros."""
    decimals = [each.unit for each in among if each.unit < 1]
    zeros = sum(each.value in (0, None) or each.unit >= 1 for each in among)
    usual = max(decimals) if decimals and 2 * len(decimals) >= len(among) - zeros else None
    return lambda figure: figure.unit if usual is None or figure.unit < 1 or figure.value is None else usual


def judged(figure: FigureRead, value: Worlds, row: int, column: int, unit: Fraction) -> Judged:
    """What a figure is beside the value that it should print."""
    true = value.true[row][column]
    near = written_like(figure, true, unit / 100)
    if prints(figure, true, unit):
        return Judged(figure, None, figure.text, row, column, value=near)
    off = units_off(figure, rounded(true, unit), unit)
    kind = _kind(figure, value, row, column, unit, off)
    return Judged(figure, kind, written_like(figure, true, unit), row, column, off, near)


def _kind(figure: FigureRead, value: Worlds, row: int, column: int, unit: Fraction, off: float) -> FindingKind:
    if prints(figure, value.carried[row][column], unit):
        return "rounding_chain" if prints(figure, value.mended[row][column], unit) else "propagated"
    true = value.true[row][column]
    is_rounded = abs(double((true - rounded(true, unit)) / ball(unit))) > EXACTLY or double(true.rad()) > 0.01 * unit
    return "last_digit" if off < 1.0 + 1e-9 and unit < 1 and is_rounded else "wrong"


def written_like(figure: FigureRead, value: arb, unit: Fraction | None = None) -> str:
    """A value with as many decimals as a figure has, in its manner."""
    if not value.is_finite() or not abs(value) < HUGE:
        return "-∞" if value < 0 else "∞" if value > 0 else "?"
    unit = figure.unit if unit is None else unit
    text = figure.text
    if "/" in text and value.overlaps(ball(share := _rational(value).limit_denominator(10**6))):
        return str(share)
    if text.endswith("%"):
        return f"{_decimals(_rational(value) * 100, unit * 100)}%"
    if (power := _POWER.search(text)) is not None and (times := _UNIT.search(text)) is not None:
        exponent = "".join(SUPERSCRIPTS.get(sign, sign) for sign in power[1]).replace("−", "-")
        scale = Fraction(10) ** int(exponent)
        return f"{_decimals(_rational(value) / scale, unit / scale)}{text[times.start() :]}"
    if "e" in text.lower() and figure.unit != 0:
        return f"{double(value):.{len(text.lower().partition('e')[0].partition('.')[2])}e}"
    shown = _decimals(_rational(value), unit)
    if text.lstrip("+-").startswith(".") and shown.lstrip("-").startswith("0."):
        shown = shown.replace("0.", ".", 1)
    if text[0] == "+" and shown[0] != "-":
        shown = f"+{shown}"
    if figure.value is not None and abs(figure.value) >= 1000 and (grouped := _GROUPED.match(text)) is not None:
        whole, point, part = shown.partition(".")
        mark = "," if grouped[1] == "." or "," in text[grouped.end() :] else "."
        return f"{int(whole):,}".replace(",", grouped[1]) + (mark if point else "") + part
    return shown.replace(".", ",") if "," in text and "." not in text else shown


_GROUPED = re.compile(r"[-+−]?\d{1,3}([,.'~\s]|\\[,;:])\d{3}(?:\1\d{3})*(?!\d)")


_UP = re.escape("".join(SUPERSCRIPTS))
_POWER = re.compile(rf"10\s*(?:\^\s*\{{?\s*)?([-−+]?\d{{1,3}}(?=\s*\}}?\s*\Z)|[{_UP}]{{1,4}})\s*\}}?\s*\Z")


def without_unit(text: str) -> str:
    """The figure of a percentage, or that before a power of ten."""
    return _UNIT.sub("", text)


_UNIT = re.compile(rf"\s*(?:\\?[%％‰]|(?:\\times|\\cdot|[×·*])\s*10\s*[{_UP}^].*)\Z", re.S)


def root_of(figure: FigureRead) -> str:
    """The square root that a figure of many digits is: ``√2/2`` of 0.707107, nothing of others."""
    if figure.value is None or figure.unit > Fraction(1, 10_000) or figure.value.denominator < 1_000:
        return ""
    for below in (1, 2, 3, 4):
        under = round(double(figure.value * below) ** 2) if abs(figure.value) < 100 else 0
        if not 2 <= under <= 99 or float(under) ** 0.5 == int(float(under) ** 0.5):
            continue
        if prints(figure, (arb(under).sqrt() / below) * (1 if figure.value > 0 else -1), figure.unit):
            return f"{'-' if figure.value < 0 else ''}√{under}{f'/{below}' if below > 1 else ''}"
    return ""


def rounded(value: arb, unit: Fraction) -> arb:
    """A value rounded to a unit; what is infinite stays so."""
    return ball(unit * round(_rational(value) / unit)) if value.is_finite() else value


def double(value: Fraction | arb) -> float:
    """A number as a double, infinite where it is too large for one."""
    try:
        return float(value) if isinstance(value, Fraction) else float(value.mid())
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")


def _rational(value: arb) -> Fraction:
    size = abs(value.mid())
    if not 1 / HUGE < size < HUGE:
        return Fraction(0)  # FLINT ends the process where a power of two is too large for a fraction
    middle = value.mid().fmpq()
    return Fraction(int(middle.p), int(middle.q))


def decimals(value: arb, unit: Fraction) -> str:
    """A number as a decimal, rounded to a unit.

    >>> decimals(arb(2) / 3, Fraction(1, 1000))
    '0.667'
    """
    return _decimals(_rational(value), unit)


def _decimals(value: Fraction, unit: Fraction) -> str:
    """Rounded to a unit that is a power of ten, halves away from zero."""
    count = 0
    while count < 40 and unit * 10**count < 1:
        count += 1
    scaled = abs(value) * 10**count
    whole = int(scaled + HALF)
    digits = str(whole).rjust(count + 1, "0")
    text = f"{digits[:-count]}.{digits[-count:]}" if count else digits
    return f"-{text}" if value < 0 and whole else text
