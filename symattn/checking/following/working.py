"""The line that shows a value: ``1·1 + 1·0 = 1``, ``2 / 1.4142 = 1.4142``, ``e^0.5 / (e^0.5 + e^0) = 0.6225``."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from types import MappingProxyType

from flint import arb

from symattn.checking.following.judging import decimals, written_like
from symattn.checking.following.rows import BallMatrix
from symattn.checking.reading.tree import FigureRead

TERMS = 12
"""Longer lines show nobody anything."""

WrittenAs = Callable[[arb], str]


def line(operation: str, operands: Sequence[BallMatrix], place: tuple[int, int], figure: FigureRead, value: arb) -> str:
    """The last thing that was done for one entry, in figures, and what comes out; nothing where that shows nothing."""
    rule = _RULES.get(operation)
    if rule is None or not value.is_finite():
        return ""

    def shown(x: arb) -> str:
        if not x.is_finite():
            return "-∞" if x < 0 else "∞"
        text = decimals(x, min(figure.unit, Fraction(1, 100)) / 100)
        return text.rstrip("0").rstrip(".") if "." in text else text

    try:
        left = rule(operands, place, shown)
    except (IndexError, ValueError):
        return ""
    if not left:
        return ""
    exact, rounded = shown(value), written_like(figure, value)
    return f"{left} = {exact}" if exact == rounded else f"{left} = {exact}, rounded {rounded}"


def _at(rows: BallMatrix, place: tuple[int, int]) -> arb:
    return rows[place[0] % len(rows)][place[1] % len(rows[0])]


def _bracketed(text: str) -> str:
    return f"({text})" if text.startswith("-") else text


def _product(operands: Sequence[BallMatrix], place: tuple[int, int], shown: WrittenAs) -> str:
    left, right = operands
    row, column = left[place[0]], [each[place[1]] for each in right]
    if len(row) > TERMS or len(row) != len(column):
        return ""
    return " + ".join(f"{_bracketed(shown(a))}·{_bracketed(shown(b))}" for a, b in zip(row, column, strict=True))


def _product_t(operands: Sequence[BallMatrix], place: tuple[int, int], shown: WrittenAs) -> str:
    left, right = operands
    return _product((left, [list(each) for each in zip(*right, strict=True)]), place, shown)


def _softmax(operands: Sequence[BallMatrix], place: tuple[int, int], shown: WrittenAs) -> str:
    row = operands[0][place[0]]
    seen = [x for x in row if x.is_finite()]
    if len(seen) > TERMS or not row[place[1]].is_finite():
        return ""
    return f"e^{shown(row[place[1]])} / ({' + '.join(f'e^{shown(x)}' for x in seen)})"


def _shares(operands: Sequence[BallMatrix], place: tuple[int, int], shown: WrittenAs) -> str:
    row = operands[0][place[0]]
    return f"{shown(row[place[1]])} / ({' + '.join(map(shown, row))})" if len(row) <= TERMS else ""


def _sign(sign: str) -> Callable[[Sequence[BallMatrix], tuple[int, int], WrittenAs], str]:
    def written(operands: Sequence[BallMatrix], place: tuple[int, int], shown: WrittenAs) -> str:
        first, *rest = (shown(_at(rows, place)) for rows in operands)
        return f" {sign} ".join((first, *map(_bracketed, rest)))

    return written


_RULES: Mapping[str, Callable[[Sequence[BallMatrix], tuple[int, int], WrittenAs], str]] = MappingProxyType(
    {
        "product": _product,
        "product_t": _product_t,
        "softmax": _softmax,
        "proportions": _shares,
        "+": _sign("+"),
        "-": _sign("-"),
        "/": _sign("/"),
        "*": _sign("·"),
        "plus": _sign("+"),
        "minus": _sign("-"),
        "over": _sign("/"),
        "quotient": _sign("/"),
    }
)
