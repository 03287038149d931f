"""Mathematics in a row, whatever the format: which pieces are high, which stand apart, and where a line may break.

A :class:`InRows` knows how one format writes pieces and signs; the rules here know the pieces and no format.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Protocol

from symattn.document.math import (
    GREEK,
    PARTIAL,
    Accented,
    Bars,
    Call,
    Cases,
    Chain,
    Fraction,
    Grid,
    Highlighted,
    Interval,
    Letter,
    Math,
    Number,
    Parens,
    Root,
    Script,
    Seq,
    Shaped,
    Sign,
    Squared,
    Stacked,
    Sum,
    is_derivative,
)
from symattn.errors import RenderError, shown

WRITTEN = 20
"""Steps that a piece takes to write, in any format."""

NAMED = GREEK | {PARTIAL.name}
"""Letters that are written by their name."""
NUMBER = re.compile(
    r"(?P<minus>-?)(?:(?P<infinity>oo)|(?P<top>\d+)/(?P<bottom>\d+)"
    r"|(?P<mantissa>\d+(?:\.\d+)?)(?:\*(?P<base>\d+))?(?:\^(?P<exponent>-?\d+|\(-?\d+\)))?)\Z",
    re.ASCII,
)
"""What the text of a number may be."""


def number_parts(text: str, what: str) -> tuple[str, ...]:
    """Minus, infinity, numerator, denominator, mantissa, base and exponent of a number, empty where it has none.

    Raises :class:`~symattn.errors.RenderError` for others, which have no ``what``.

    >>> number_parts("-1.5*10^9", "TeX")
    ('-', '', '', '', '1.5', '10', '9')
    """
    match = NUMBER.match(text)
    if match is None:
        raise RenderError(f"no {what} for the number {shown(text)}: expected such as 0.21, -3/4, 1.5*10^9, -oo")
    return match.groups("")


@dataclass(frozen=True)
class Mark:
    """How a marked piece differs from those beside it: its colour (six hexadecimal digits), bold, with a line below."""

    colour: str
    is_bold: bool
    has_line: bool


MARKS: Mapping[str, Mark] = MappingProxyType(
    {"row": Mark("1B5E9E", True, False), "column": Mark("A33A00", False, True), "result": Mark("1E6B2E", True, True)}
)
"""Where a bold row meets a column with lines, the entry has both: it is seen in black and white too."""


def squared(piece: Squared) -> tuple[tuple[Math, ...], ...]:
    """The cells of a product on squared paper, with an empty column between its halves.

    >>> one, two = Grid(((Number("1"),),)), Grid(((Number("2"),),))
    >>> [[getattr(cell, "text", "") for cell in row] for row in squared(Squared(one, two, two))]
    [['', '', '2'], ['1', '', '2']]
    """
    empty: Math = Seq(())
    before = (empty,) * (len(piece.left.rows[0]) + 1)
    below = ((*row, empty, *product) for row, product in zip(piece.left.rows, piece.product.rows, strict=True))
    return (*((*before, *row) for row in piece.above.rows), *below)


class InRows(Protocol):
    """How one format writes mathematics in rows that may be broken."""

    @property
    def inline(self) -> bool:
        """Whether it stands inside a line of text: then a fraction is a/b."""

    @property
    def quad(self) -> str:
        """A space as wide as a letter is high, before another piece or a line."""

    @property
    def further(self) -> str:
        """What a line begins with that goes on with the one before it."""

    @property
    def around(self) -> tuple[str, str]:
        """Parentheses that a line may end between."""

    def around_base(self, piece: Script) -> tuple[str, str]:
        """The same, where scripts stand behind them."""

    def enclosed(self, text: str) -> str:
        """What is written, in parentheses."""

    def apart(self, before: str, text: str) -> str:
        """``text`` with a thin space, unless it or what stands before it has room of its own."""

    def piece(self, piece: Math) -> str:
        """A piece, without delimiters."""

    def sign(self, sign: str) -> str:
        """An operator or a relation."""

    def numbered(self, sign: str, mark: int) -> str:
        """A relation with its number above it."""

    def sigma(self, piece: Sum) -> str:
        """The sign of a sum with what it runs over, without what is summed."""

    def scripts(self, piece: Script) -> str:
        """What stands below and above a piece, without the piece."""

    def glue(self, pieces: Iterable[str]) -> str:
        """What is written in a row, with a space only where it would be read as something else."""


class Typesetting(InRows, Protocol):
    """How one format writes displays of several statements too."""

    @property
    def between(self) -> str:
        """The space between two statements on one line."""

    def aligned(self, lines: list[tuple[str, str]]) -> str:
        """Lines under each other, each with what stands before and after the place where they are aligned."""


def links(chain: Chain, setting: InRows) -> list[str]:
    """Each relation with its right side.

    >>> from symattn.render.tex import DISPLAY
    >>> links(Chain(Letter("q"), (("=", Letter("x")), ("≈", Number("0.145")))), DISPLAY)
    [' = x', ' \\\\approx 0.145']
    """
    signs = relations(chain, setting)
    sides = (setting.piece(side) for _, side in chain.links)
    return [setting.glue((f" {sign} ", side)) for sign, side in zip(signs, sides, strict=True)]


def relations(chain: Chain, setting: InRows) -> list[str]:
    """The sign of each relation, with its number above it where the chain has numbers.

    >>> from symattn.render.tex import DISPLAY
    >>> relations(Chain(Letter("a"), (("=", Letter("b")),), (1,)), DISPLAY)
    ['\\\\overset{(1)}{=}']
    """
    signs = [setting.sign(sign) for sign, _ in chain.links]
    if not chain.marks:
        return signs
    return [setting.numbered(sign, mark) for mark, sign in zip(chain.marks, signs, strict=True)]


def parts(piece: Seq, setting: InRows) -> list[str]:
    """What each part of a row is written as, with the space that belongs before it.

    >>> from symattn.render.tex import DISPLAY
    >>> parts(Seq((Letter("a"), Sign("-"), Letter("LN", "upright"), Letter("b"))), DISPLAY)
    ['a', ' - ', '\\\\mathrm{LN}', '\\\\,b']
    """
    written: list[str] = []
    before: Math | None = None
    for position, part in enumerate(piece.parts):
        text = setting.piece(part)
        after = piece.parts[position + 1] if position + 1 < len(piece.parts) else None
        if isinstance(part, Sign):
            text = f" {text} " if can_break(before, part) else text
        elif setting.inline and is_slashed(part) and not _stands_apart(before, after):
            text = setting.enclosed(text)
        if _needs_space(before, part):
            text = setting.apart(written[-1], text)
        written.append(text)
        before = part
    return written


def over(piece: Fraction, setting: InRows) -> tuple[str, str]:
    """What stands above and below the line of a fraction, or before and after the stroke of a/b, in parentheses where
    it would fall apart."""
    top, bottom = setting.piece(piece.numerator), setting.piece(piece.denominator)
    if not setting.inline:
        return top, bottom
    if is_sum(piece.numerator) or is_slashed(piece.numerator):
        top = setting.enclosed(top)
    loose = isinstance(piece.denominator, Seq | Sum | Chain) and not is_derivative(piece)
    if loose or is_slashed(piece.denominator):
        bottom = setting.enclosed(bottom)
    return top, bottom


def is_tall(piece: Math, setting: InRows) -> bool:
    """Whether a piece is higher than a line: fractions (not inside text), sums, matrices, and what holds one.

    >>> from symattn.render.tex import DISPLAY
    >>> is_tall(Fraction(Letter("a"), Letter("b")), DISPLAY), is_tall(Root(Letter("a")), DISPLAY)
    (True, False)
    """
    match piece:
        case Fraction() | Sum():
            return not setting.inline
        case Grid() | Cases() | Squared():
            return True
        case Number(text):
            return "/" in text and not setting.inline
        case Seq(inside) | Call(_, inside):
            return any(is_tall(part, setting) for part in inside)
        case Interval(low, high):
            return is_tall(low, setting) or is_tall(high, setting)
        case Chain(left, rights):
            return is_tall(left, setting) or any(is_tall(side, setting) for _, side in rights)
        case Script(inner) | Accented(_, inner) | Root(inner) | Parens(inner) | Bars(inner):
            return is_tall(inner, setting)
        case Shaped(inner) | Stacked(inner) | Highlighted(inner):
            return is_tall(inner, setting)
        case _:
            return False


def can_break(before: Math | None, part: Math) -> bool:
    """Whether a line may break before this part of a row: before a plus or minus between two terms.

    >>> can_break(Letter("a"), Sign("-")), can_break(Sign("·"), Sign("-")), can_break(None, Sign("-"))
    (True, False, False)
    """
    return isinstance(part, Sign) and part.sign in ("+", "-") and not (before is None or _is_binary(before))


def is_sum(piece: Math) -> bool:
    """Whether a piece falls apart beside a stroke: 1 + x and X ⊘ Y, but not k·x."""
    return isinstance(piece, Chain | Sum) or (
        isinstance(piece, Seq) and any(isinstance(p, Sign) and p.sign in ("+", "-", "⊙", "⊘") for p in piece.parts)
    )


def is_slashed(piece: Math) -> bool:
    """Whether a piece is a/b inside a line, or a number that is a product."""
    return isinstance(piece, Fraction) or (isinstance(piece, Number) and ("/" in piece.text or "*" in piece.text))


def is_latin(piece: Math) -> bool:
    """Whether a piece in bold is upright: a number or one Latin letter."""
    letter = isinstance(piece, Letter) and len(piece.name) == 1 and piece.style == "italic"
    return letter or isinstance(piece, Number)


def _is_binary(piece: Math) -> bool:
    return isinstance(piece, Sign) and piece.sign in ("+", "-", "·", "×", "⊙", "⊘", ",", "≤", ">")


def _stands_apart(before: Math | None, after: Math | None) -> bool:
    """Whether a/b needs no parentheses here: (a/b) x and (a/b)·x do."""
    follows = after is None or (isinstance(after, Sign) and after.sign not in ("·", "×", "⊙", "⊘"))
    return follows and (before is None or isinstance(before, Sign))


def _needs_space(before: Math | None, part: Math) -> bool:
    """Whether words would run into their neighbours: Q softmax(S), LN₁ W."""
    if before is None or before == PARTIAL or isinstance(before, Sign) or isinstance(part, Sign | Parens):
        return False
    return _is_word(before) or _is_word(part) or isinstance(part.base if isinstance(part, Script) else part, Call)


def _is_word(piece: Math) -> bool:
    match piece:
        case Letter(name, "italic") if name in NAMED:
            return False
        case Letter(name):
            return len(name) > 1
        case Script(base) | Accented(_, base):
            return _is_word(base)
        case _:
            return False
