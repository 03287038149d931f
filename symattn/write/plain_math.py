"""Mathematics as characters on one line, Q Kᵀ / √dₖ: for terminals, data, cells of sheets, texts for pictures.

One spelling, made to be read aloud: there is space between factors and around operators. Scripts are small characters
if these exist for all of them, the lower before the upper, s₁₁⁽¹⁾; longer ones and words follow _ or ^.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from symattn.show.math import (
    PARTIAL,
    Accent,
    Blank,
    Call,
    Cases,
    Chain,
    Fraction,
    Grid,
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
    every,
    is_derivative,
)
from symattn.write import escape
from symattn.write.math_writer import MathWriter, greek, is_slashed, is_sum, over, squared

ACCENTS: Mapping[Accent, str] = MappingProxyType(
    {"tilde": "\u0303", "hat": "\u0302", "bar": "\u0304", "prime": "\u2032", "bold": ""}
)
"""Plain characters for accents, written after the letter."""
_BELOW = str.maketrans("0123456789+−=()aehijklmnoprstuvx", "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ")
_ABOVE = str.maketrans("0123456789+−=()injkT", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁱⁿʲᵏᵀ")
_TIGHT = frozenset("T,:")


@dataclass(frozen=True)
class PlainMath(MathWriter):
    """Writes mathematics as characters, always inside a line."""

    inline: bool = True

    format = "characters"
    operators = MappingProxyType({**{sign: sign for sign in "+·×⊙⊘,:⋯⋮⋱T=≈≠<>≤≥∨"}, "-": "−"})
    minus = "−"

    def letter(self, piece: Letter) -> str:
        return greek(piece.name) if piece.style == "italic" else escape.clean(piece.name)

    def seq(self, piece: Seq) -> str:
        """Write pieces beside each other, with spaces around binary signs and between factors."""
        text = ""
        for before, part, after in zip((None, *piece.parts), piece.parts, (*piece.parts[1:], None), strict=False):
            loose = isinstance(part, Fraction) and (_multiplies(before) or _multiplies(after))
            written = self.enclosed(self.write(part)) if loose else self.write(part)
            is_close = before in (None, PARTIAL, Sign(":")) or (isinstance(part, Sign) and part.sign in _TIGHT)
            text += written if is_close or text == "−" else f" {written}"
        return text

    def script(self, piece: Script) -> str:
        """Write a base with its scripts: in parentheses where they could be read as those of its last part."""
        base = piece.base
        loose = is_slashed(base) or isinstance(base, Seq | Sum | Chain | Shaped | Stacked | Call | Root)
        twice = isinstance(base, Script) and (base.sup is not None or piece.sub is not None)
        written = self.write(base)
        return (self.enclosed(written) if loose or twice else written) + self.scripts(piece)

    def prime(self, base: Math) -> str:
        return self.write(base) + ACCENTS["prime"]

    def bold(self, base: Math) -> str:
        return self.write(base)

    def accent(self, accent: Accent, base: Math) -> str:
        """Write a name with an accent above its first letter."""
        written = self.write(base)
        return written[:1] + ACCENTS[accent] + written[1:]

    def fraction(self, piece: Fraction) -> str:
        return ("/" if is_derivative(piece) else " / ").join(over(piece, self))

    def root(self, piece: Root) -> str:
        inner = piece.radicand
        alone = isinstance(inner, Letter | Number) or (isinstance(inner, Script) and inner.sup is None)
        written = self.write(inner)
        return f"√{written}" if alone and not is_slashed(inner) else f"√({written})"

    def grid(self, piece: Grid) -> str:
        return f"[{self.rows(piece.rows)}]"

    def squared(self, piece: Squared) -> str:
        return f"[{self.rows(squared(piece))}]"

    def blank(self, piece: Blank) -> str:
        return "_" * piece.figures

    def cases(self, piece: Cases) -> str:
        told = (f"{self.write(value)}: {self.write(condition)}" for value, condition in piece.branches)
        return "; ".join(told).join(("{ ", " }"))

    def apart(self, before: str, text: str) -> str:
        return text if before.endswith(" ") else f" {text}"

    def power(self, exponent: str) -> str:
        return exponent.replace("-", "−").translate(_ABOVE)

    def called(self, piece: Call) -> str:
        below = "" if piece.sub is None else self.scripts(Script(piece, sub=piece.sub))
        return escape.clean(piece.function) + below

    def summed(self, body: Math) -> str:
        return self.write(Parens(body) if is_sum(body) else body)

    def numbered(self, sign: str, mark: int) -> str:
        return f"{sign}[{mark}]"

    def sigma(self, piece: Sum) -> str:
        return f"Σ_({self.write(piece.index)}={self.write(piece.lower)}…{self.write(piece.upper)}) "

    def scripts(self, piece: Script) -> str:
        return self.small_characters(piece.sub, "_", _BELOW) + self.small_characters(piece.sup, "^", _ABOVE)

    def small_characters(self, piece: Math | None, mark: str, small: dict[int, int]) -> str:
        """Write a script in small characters, but never a word letter by letter."""
        if piece is None:
            return ""
        text, within = self.write(piece), tuple(every(Letter, piece))
        tight = text.replace(" ", "")
        if all(map(_is_one, within)) and all(ord(char) in small for char in tight):
            return tight.translate(small)
        if isinstance(piece, Seq) and all(map(_is_one, piece.parts)):
            return mark + tight
        alone = isinstance(piece, Letter | Parens) or tight.isdecimal()
        return f"{mark}{text}" if alone else f"{mark}({text})"

    def rows(self, rows: tuple[tuple[Math, ...], ...]) -> str:
        """Write the entries of a matrix."""
        return "; ".join(map(self.listed, rows))


LINE = PlainMath()


def _is_one(piece: Math) -> bool:
    """Return whether a letter, also one with a name, is one character, or a figure has one digit."""
    match piece:
        case Letter(name, style):
            return len(greek(name) if style == "italic" else name) == 1
        case _:
            return isinstance(piece, Number) and len(piece.text) == 1


def _multiplies(beside: Math | None) -> bool:
    """Return whether a neighbour of a piece multiplies it."""
    return beside is not None and (not isinstance(beside, Sign) or beside.sign in "·×⊙⊘")


def characters(piece: Math) -> str:
    """Write a piece of mathematics as characters.

    Raise :class:`~symattn.base.errors.RenderError` for anything else.

    >>> characters(Script(Letter("q"), sub=Seq((Number("1"), Number("2")))))
    'q₁₂'
    >>> characters(Chain(Letter("S"), (("=", Fraction(Seq((Letter("Q"), Letter("K"))), Root(Number("2")))),)))
    'S = Q K / √2'
    """
    return LINE.write(piece)


def shape_of(*sizes: Math) -> str:
    """Write sizes with × between them.

    >>> shape_of(Number("3"), Letter("n"))
    '3×n'
    """
    return LINE.sizes(sizes)
