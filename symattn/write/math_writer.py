"""Write mathematics in any format: one visitor with a method per kind of piece, and the rules that all formats share.

A format is a subclass of :class:`MathWriter` that defines only its own notation; the rules here know the pieces and no
format: which of them are high, which are set apart, and where a line may break.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import ClassVar, Self, get_args
from unicodedata import lookup

from symattn.base.budget import priced
from symattn.base.errors import RenderError, shown, unknown
from symattn.show.math import (
    GREEK,
    PARTIAL,
    Accent,
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
from symattn.write.escape import clean

WRITTEN = 20
"""Steps for writing a piece, in any format."""

NAMED = GREEK | {PARTIAL.name}
"""Letters that are written by their name."""
WORD = re.compile(r"[A-Za-z0-9]+\Z")
"""Names that formats may use unchanged."""
NUMBER = re.compile(
    r"(?P<minus>-?)(?:(?P<infinity>oo)|(?P<top>\d+)/(?P<bottom>\d+)"
    r"|(?P<mantissa>\d+(?:\.\d+)?)(?:\*(?P<base>\d+))?(?:\^(?P<exponent>-?\d+|\(-?\d+\)))?)\Z",
    re.ASCII,
)
"""The pattern for the text of a number."""


def number_parts(text: str, what: str) -> tuple[str, ...]:
    """Return minus, infinity, numerator, denominator, mantissa, base and exponent of a number, empty where it has none.

    Raises :class:`~symattn.base.errors.RenderError` for others, which have no ``what``.

    >>> number_parts("-1.5*10^9", "TeX")
    ('-', '', '', '', '1.5', '10', '9')
    """
    match = NUMBER.match(text)
    if match is None:
        raise RenderError(f"no {what} for the number {shown(text)}: expected such as 0.21, -3/4, 1.5*10^9, -oo")
    return match.groups("")


@dataclass(frozen=True)
class Mark:
    """How a marked piece differs from its neighbours: its colour (six hexadecimal digits), bold, underlined."""

    colour: str
    is_bold: bool
    has_line: bool


MARKS: Mapping[str, Mark] = MappingProxyType(
    {"row": Mark("1B5E9E", True, False), "column": Mark("A33A00", False, True), "result": Mark("1E6B2E", True, True)}
)
"""A row is bold and a column underlined, and their common entry is both: it is visible in black and white too."""


def squared(piece: Squared) -> tuple[tuple[Math, ...], ...]:
    """Return the cells of a product on squared paper, with an empty column between its halves.

    >>> one, two = Grid(((Number("1"),),)), Grid(((Number("2"),),))
    >>> [[getattr(cell, "text", "") for cell in row] for row in squared(Squared(one, two, two))]
    [['', '', '2'], ['1', '', '2']]
    """
    empty: Math = Seq(())
    before = (empty,) * (len(piece.left.rows[0]) + 1)
    below = ((*row, empty, *product) for row, product in zip(piece.left.rows, piece.product.rows, strict=True))
    return (*((*before, *row) for row in piece.above.rows), *below)


_KINDS: Mapping[type, str] = MappingProxyType(
    {**{kind: kind.__name__.lower() for kind in get_args(Math)}, Stacked: "shaped"}
)
"""The method of :class:`MathWriter` for each kind of piece."""


@dataclass(frozen=True)
class MathWriter(ABC):
    """Writes mathematics in one format: a method per kind of piece, which has its name.

    ``inline`` writes inside a line of text or a script, where a fraction is a/b; ``cell`` in a cell of a matrix.
    """

    inline: bool = False
    cell: bool = False

    format: ClassVar[str] = "text"
    """The name of the format in errors."""
    operators: ClassVar[Mapping[str, str]] = MappingProxyType({})
    """The notation of operators and relations."""
    quad: ClassVar[str] = "  "
    """A space of one quad, before another piece or a line."""
    between: ClassVar[str] = "  "
    """The space between two statements on one line."""
    further: ClassVar[str] = "  "
    """The start of a line that continues the one before it."""
    around: ClassVar[tuple[str, str]] = ("(", ")")
    """Parentheses between which a line may end."""
    comma: ClassVar[str] = ", "
    minus: ClassVar[str] = "-"
    infinity: ClassVar[str] = "∞"
    stroke: ClassVar[str] = "/"
    times: ClassVar[str] = "×"
    """The sign between sizes."""
    tens: ClassVar[str] = "×"
    """The sign before a power of ten."""
    space: ClassVar[str] = " "
    """The space before a shape."""
    shape: ClassVar[str] = ""
    """The word before sizes in the long form of a shape."""

    @priced(WRITTEN)
    def write(self, piece: Math) -> str:
        """Write a piece, without delimiters. Raise :class:`~symattn.base.errors.RenderError` for anything else."""
        if type(piece) not in _KINDS:
            raise RenderError(f"no {self.format} for {type(piece).__name__}: not a piece of mathematics")
        text: str = getattr(self, _KINDS[type(piece)])(piece)
        return text

    @property
    def small(self) -> Self:
        """The same writer for scripts."""
        return self if self.inline else replace(self, inline=True)

    # Kinds that most formats write alike

    def number(self, piece: Number) -> str:
        minus, infinity, top, bottom, mantissa, base, exponent = number_parts(piece.text, self.format)
        minus = self.minus if minus else ""
        if infinity:
            return minus + self.infinity
        if top:
            return minus + self.divided(top, bottom)
        power = self.power(exponent.strip("()")) if exponent else ""
        return minus + (f"{mantissa}{self.tens}{base}{power}" if base else mantissa + power)

    def sign(self, piece: Sign) -> str:
        return self.operator(piece.sign)

    def seq(self, piece: Seq) -> str:
        return self.glue(parts(piece, self))

    def accented(self, piece: Accented) -> str:
        """Write a letter with an accent. Raise :class:`~symattn.base.errors.RenderError` for an unknown one."""
        if piece.accent == "prime":
            return self.prime(piece.base)
        if piece.accent not in get_args(Accent):
            raise RenderError(unknown("accent", piece.accent, get_args(Accent)))
        return self.bold(piece.base) if piece.accent == "bold" else self.accent(piece.accent, piece.base)

    def fraction(self, piece: Fraction) -> str:
        return self.divided(*over(piece, replace(self, cell=False) if self.cell else self))

    def parens(self, piece: Parens) -> str:
        return self.fenced("(", self.write(piece.inner), ")", is_tall(piece, self.inline))

    def bars(self, piece: Bars) -> str:
        left, right = "⌊⌋" if piece.floor else "‖‖" if piece.double else "||"
        return self.fenced(left, self.write(piece.inner), right, is_tall(piece, self.inline))

    def interval(self, piece: Interval) -> str:
        return self.fenced("[", self.listed((piece.low, piece.high)), "]", is_tall(piece, self.inline))

    def call(self, piece: Call) -> str:
        left, right = "[]" if piece.brackets == "square" else "()"
        return self.called(piece) + self.fenced(left, self.listed(piece.arguments), right, is_tall(piece, self.inline))

    def sum(self, piece: Sum) -> str:
        return self.glue((self.sigma(piece), self.summed(piece.body)))

    def shaped(self, piece: Shaped | Stacked) -> str:
        told = self.shape if piece.long else ""
        return f"{self.write(piece.body)}{self.space}({told}{self.sizes(piece.sizes)})"

    def highlighted(self, piece: Highlighted) -> str:
        return self.write(piece.inner)

    def chain(self, piece: Chain) -> str:
        return self.glue((self.write(piece.left), *links(piece, self)))

    # Their parts

    def operator(self, sign: str) -> str:
        """Write an operator or a relation. Raise :class:`~symattn.base.errors.RenderError` for any other sign."""
        if sign not in self.operators:
            raise RenderError(f"no {self.format} for the sign {shown(sign)}")
        return self.operators[sign]

    def glue(self, pieces: Iterable[str]) -> str:
        """Put pieces in a row, with a space only where they would otherwise be misread."""
        return "".join(pieces)

    def fenced(self, left: str, inner: str, right: str, tall: bool) -> str:
        """Put brackets or bars around a written piece; they grow around a tall one."""
        return left + inner + right

    def enclosed(self, text: str) -> str:
        """Put parentheses that do not grow around a written piece."""
        return f"({text})"

    def apart(self, before: str, text: str) -> str:
        """Put a thin space before ``text``, unless it or the text before it has space of its own."""
        return f" {text}"

    def divided(self, top: str, bottom: str) -> str:
        """Write a fraction: a/b inside a line."""
        return self.glue((top, self.stroke, bottom))

    def power(self, exponent: str) -> str:
        """Write the exponent of a number."""
        return f"^{self.argument(exponent)}"

    def argument(self, text: str) -> str:
        """Delimit the argument of _ or ^, so that the whole argument and nothing else is in the script."""
        return text if len(text) == 1 else self.enclosed(text)

    def listed(self, pieces: Iterable[Math]) -> str:
        """Write pieces with commas between them."""
        return self.comma.join(map(self.write, pieces))

    def sizes(self, sizes: Iterable[Math]) -> str:
        """Write sizes with the sign of a product between them."""
        written = [self.write(Parens(size) if is_sum(size) else size) for size in sizes]
        return self.glue(
            text for place, size in enumerate(written) for text in ((self.times, size) if place else (size,))
        )

    def called(self, piece: Call) -> str:
        """Write the name of a function, with its index."""
        name = Letter(piece.function, "upright")
        return self.write(name if piece.sub is None else Script(name, sub=piece.sub))

    def summed(self, body: Math) -> str:
        """Write the body of a sum."""
        return self.write(body)

    def scripts(self, piece: Script) -> str:
        """Write the subscript and the superscript, without the base."""
        written = ("" if part is None else self.small.write(part) for part in (piece.sub, piece.sup))
        return "".join(f"{mark}{self.argument(text)}" for mark, text in zip("_^", written, strict=True) if text)

    def around_base(self, piece: Script) -> tuple[str, str]:
        """Return the parentheses ``around``, with scripts after them."""
        return self.around

    def prime(self, base: Math) -> str:
        """Write a letter with a prime."""
        return f"{self.write(base)}'"

    @abstractmethod
    def bold(self, base: Math) -> str:
        """Write a letter in bold: upright where it is Latin."""

    @abstractmethod
    def accent(self, accent: Accent, base: Math) -> str:
        """Write a letter under a tilde, hat or bar."""

    @abstractmethod
    def numbered(self, sign: str, mark: int) -> str:
        """Write a relation with its number above it."""

    @abstractmethod
    def sigma(self, piece: Sum) -> str:
        """Write the sign of a sum with its bounds."""

    def aligned(self, lines: list[tuple[str, str]]) -> str:
        """Write lines below each other, each split where they are aligned."""
        return "\n".join(f"{left} {right}".strip() for left, right in lines)


def links(chain: Chain, writer: MathWriter) -> list[str]:
    """Return each relation with its right side.

    >>> from symattn.write.tex_math import DISPLAY
    >>> links(Chain(Letter("q"), (("=", Letter("x")), ("≈", Number("0.145")))), DISPLAY)
    [' = x', ' \\\\approx 0.145']
    """
    signs = relations(chain, writer)
    sides = (writer.write(side) for _, side in chain.links)
    return [writer.glue((f" {sign} ", side)) for sign, side in zip(signs, sides, strict=True)]


def relations(chain: Chain, writer: MathWriter) -> list[str]:
    """Return the sign of each relation, with its number above it where the chain has numbers.

    >>> from symattn.write.tex_math import DISPLAY
    >>> relations(Chain(Letter("a"), (("=", Letter("b")),), (1,)), DISPLAY)
    ['\\\\overset{(1)}{=}']
    """
    signs = [writer.operator(sign) for sign, _ in chain.links]
    if not chain.marks:
        return signs
    return [writer.numbered(sign, mark) for mark, sign in zip(chain.marks, signs, strict=True)]


def parts(piece: Seq, writer: MathWriter) -> list[str]:
    """Return the text of each part of a row, with the space that belongs before it.

    >>> from symattn.write.tex_math import DISPLAY
    >>> parts(Seq((Letter("a"), Sign("-"), Letter("LN", "upright"), Letter("b"))), DISPLAY)
    ['a', ' - ', '\\\\mathrm{LN}', '\\\\,b']
    """
    written: list[str] = []
    before: Math | None = None
    for position, part in enumerate(piece.parts):
        text = writer.write(part)
        after = piece.parts[position + 1] if position + 1 < len(piece.parts) else None
        if isinstance(part, Sign):
            text = f" {text} " if can_break(before, part) else text
        elif writer.inline and is_slashed(part) and not _stands_apart(before, after):
            text = writer.enclosed(text)
        if _needs_space(before, part):
            text = writer.apart(written[-1], text)
        written.append(text)
        before = part
    return written


def over(piece: Fraction, writer: MathWriter) -> tuple[str, str]:
    """Return the texts of numerator and denominator, for a stacked fraction or for a/b, there in parentheses where they
    are needed."""
    top, bottom = writer.write(piece.numerator), writer.write(piece.denominator)
    if not writer.inline:
        return top, bottom
    if is_sum(piece.numerator) or is_slashed(piece.numerator):
        top = writer.enclosed(top)
    loose = isinstance(piece.denominator, Seq | Sum | Chain) and not is_derivative(piece)
    if loose or is_slashed(piece.denominator):
        bottom = writer.enclosed(bottom)
    return top, bottom


def is_tall(piece: Math, inline: bool = False) -> bool:
    """Return whether a piece is or holds one higher than a line: fractions (not inside text), sums, matrices.

    >>> is_tall(Fraction(Letter("a"), Letter("b"))), is_tall(Root(Letter("a")))
    (True, False)
    """
    match piece:
        case Fraction() | Sum():
            return not inline
        case Grid() | Cases() | Squared():
            return True
        case Number(text):
            return "/" in text and not inline
        case Seq(inside) | Call(_, inside):
            return any(is_tall(part, inline) for part in inside)
        case Interval(low, high):
            return is_tall(low, inline) or is_tall(high, inline)
        case Chain(left, rights):
            return is_tall(left, inline) or any(is_tall(side, inline) for _, side in rights)
        case Script(inner) | Accented(_, inner) | Root(inner) | Parens(inner) | Bars(inner):
            return is_tall(inner, inline)
        case Shaped(inner) | Stacked(inner) | Highlighted(inner):
            return is_tall(inner, inline)
        case _:
            return False


def can_break(before: Math | None, part: Math) -> bool:
    """Return whether a line may break before this part of a row: before a plus or minus between two terms.

    >>> can_break(Letter("a"), Sign("-")), can_break(Sign("·"), Sign("-")), can_break(None, Sign("-"))
    (True, False, False)
    """
    return isinstance(part, Sign) and part.sign in ("+", "-") and not (before is None or _is_binary(before))


def is_sum(piece: Math) -> bool:
    """Return whether a piece needs parentheses beside a slash: 1 + x and X ⊘ Y, but not k·x."""
    return isinstance(piece, Chain | Sum) or (
        isinstance(piece, Seq) and any(isinstance(p, Sign) and p.sign in ("+", "-", "⊙", "⊘") for p in piece.parts)
    )


def is_slashed(piece: Math) -> bool:
    """Return whether a piece is a/b inside a line, or a number that is a product."""
    return isinstance(piece, Fraction) or (isinstance(piece, Number) and ("/" in piece.text or "*" in piece.text))


def is_latin(piece: Math) -> bool:
    """Return whether a piece is upright in bold: a number or one Latin letter."""
    letter = isinstance(piece, Letter) and len(piece.name) == 1 and piece.style == "italic"
    return letter or isinstance(piece, Number)


def _is_binary(piece: Math) -> bool:
    return isinstance(piece, Sign) and piece.sign in ("+", "-", "·", "×", "⊙", "⊘", ",", "≤", ">")


def _stands_apart(before: Math | None, after: Math | None) -> bool:
    """Return whether a/b needs no parentheses here: (a/b) x and (a/b)·x do."""
    follows = after is None or (isinstance(after, Sign) and after.sign not in ("·", "×", "⊙", "⊘"))
    return follows and (before is None or isinstance(before, Sign))


def _needs_space(before: Math | None, part: Math) -> bool:
    """Return whether words would touch their neighbours: Q softmax(S), LN₁ W."""
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


def greek(name: str) -> str:
    """Return the Greek letter of that name, or any other name unchanged.

    >>> greek("sigma"), greek("Delta"), greek("Q")
    ('σ', 'Δ', 'Q')
    """
    if name == PARTIAL.name:
        return "∂"
    if name not in GREEK:
        return clean(name)
    size = "CAPITAL" if name[0].isupper() else "SMALL"
    return lookup(f"GREEK {size} LETTER {name.upper().replace('LAMBDA', 'LAMDA')}")
