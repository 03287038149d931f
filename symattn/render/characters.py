"""Mathematics as characters on one line, Q Kᵀ / √dₖ: for terminals, data, cells of sheets, texts for pictures.

One spelling, made to be read aloud: factors stand apart, and so do the signs between them. Scripts are small
characters where there are some for all of them, the lower before the upper, s₁₁⁽¹⁾; longer ones and words stand
behind _ or ^.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from symattn.budget import priced
from symattn.document.math import (
    PARTIAL,
    Accented,
    Bars,
    Blank,
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
    every,
    is_derivative,
)
from symattn.errors import RenderError
from symattn.render import escape
from symattn.render.letters import ACCENTS, greek
from symattn.render.typesetting import WRITTEN, is_slashed, is_sum, links, number_parts, over, squared

_BELOW = str.maketrans("0123456789+−=()aehijklmnoprstuvx", "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ")
_ABOVE = str.maketrans("0123456789+−=()injkT", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁱⁿʲᵏᵀ")
_TIGHT = frozenset("T,:")


@dataclass(frozen=True)
class Characters:
    """How characters write: always inside a line."""

    inline = True
    quad, further, around = "  ", "  ", ("(", ")")

    @priced(WRITTEN)
    def piece(self, piece: Math) -> str:
        """A piece of mathematics. Raises :class:`~symattn.errors.RenderError` for others."""
        match piece:
            case Letter(name, style):
                return greek(name) if style == "italic" else escape.clean(name)
            case Number(text):
                return self.number(text)
            case Sign(sign):
                return self.sign(sign)
            case Seq():
                return self.row(piece)
            case Script():
                return self.base(piece) + self.scripts(piece)
            case Accented(accent, inner):
                return self.accented(self.piece(inner), ACCENTS[accent])
            case Fraction():
                return self.fraction(piece)
            case Root(inner):
                alone = isinstance(inner, Letter | Number) or (isinstance(inner, Script) and inner.sup is None)
                return f"√{self.piece(inner)}" if alone and not is_slashed(inner) else f"√({self.piece(inner)})"
            case Parens(inner):
                return f"({self.piece(inner)})"
            case Bars(inner, double, floor):
                left, right = "⌊⌋" if floor else "‖‖" if double else "||"
                return f"{left}{self.piece(inner)}{right}"
            case Interval(low, high):
                return f"[{self.piece(low)}, {self.piece(high)}]"
            case Call(function, arguments, brackets, sub):
                left, right = "[]" if brackets == "square" else "()"
                below = "" if sub is None else self.scripts(Script(piece, sub=sub))
                return f"{escape.clean(function)}{below}{left}{', '.join(map(self.piece, arguments))}{right}"
            case Sum(_, _, _, inner):
                return self.sigma(piece) + self.summed(inner)
            case Shaped(inner) | Stacked(inner):
                return f"{self.piece(inner)} ({self.sizes(piece.sizes)})"
            case Grid(rows):
                return f"[{self.rows(rows)}]"
            case Squared():
                return f"[{self.rows(squared(piece))}]"
            case Highlighted(inner):
                return self.piece(inner)
            case Blank(figures):
                return "_" * figures
            case Cases(branches):
                told = (f"{self.piece(value)}: {self.piece(condition)}" for value, condition in branches)
                return "; ".join(told).join(("{ ", " }"))
            case Chain(inner):
                return self.piece(inner) + "".join(links(piece, self))
        raise RenderError(f"no characters for {type(piece).__name__}: not a piece of mathematics")

    def around_base(self, piece: Script) -> tuple[str, str]:
        return self.around

    def enclosed(self, text: str) -> str:
        return f"({text})"

    def apart(self, before: str, text: str) -> str:
        return text if before.endswith(" ") else f" {text}"

    def sign(self, sign: str) -> str:
        return sign.replace("-", "−")

    def numbered(self, sign: str, mark: int) -> str:
        return f"{sign}[{mark}]"

    def sigma(self, piece: Sum) -> str:
        return f"Σ_({self.piece(piece.index)}={self.piece(piece.lower)}…{self.piece(piece.upper)}) "

    def scripts(self, piece: Script) -> str:
        return self.script(piece.sub, "_", _BELOW) + self.script(piece.sup, "^", _ABOVE)

    def script(self, piece: Math | None, mark: str, small: dict[int, int]) -> str:
        """What stands below or above: small characters, but never letter by letter for a word."""
        if piece is None:
            return ""
        text, within = self.piece(piece), tuple(every(Letter, piece))
        tight = text.replace(" ", "")
        if all(map(_is_one, within)) and all(ord(char) in small for char in tight):
            return tight.translate(small)
        if isinstance(piece, Seq) and all(map(_is_one, piece.parts)):
            return mark + tight
        alone = isinstance(piece, Letter | Parens) or tight.isdecimal()
        return f"{mark}{text}" if alone else f"{mark}({text})"

    def glue(self, pieces: Iterable[str]) -> str:
        return "".join(pieces)

    def number(self, text: str) -> str:
        """A figure."""
        minus, infinity, top, bottom, mantissa, base, exponent = number_parts(text, "characters")
        sign = "−" if minus else ""
        if infinity:
            return f"{sign}∞"
        if top:
            return f"{sign}{top}/{bottom}"
        power = exponent.strip("()").replace("-", "−").translate(_ABOVE)
        return sign + (f"{mantissa}×{base}{power}" if base else mantissa + power)

    def row(self, piece: Seq) -> str:
        """Pieces beside each other: a space around signs that stand between two, and between factors."""
        text = ""
        for before, part, after in zip((None, *piece.parts), piece.parts, (*piece.parts[1:], None), strict=False):
            loose = isinstance(part, Fraction) and (_multiplies(before) or _multiplies(after))
            written = self.enclosed(self.piece(part)) if loose else self.piece(part)
            is_close = before in (None, PARTIAL, Sign(":")) or (isinstance(part, Sign) and part.sign in _TIGHT)
            text += written if is_close or text == "−" else f" {written}"
        return text

    def base(self, piece: Script) -> str:
        """What scripts stand at: in parentheses where they could be those of its last part."""
        base = piece.base
        loose = is_slashed(base) or isinstance(base, Seq | Sum | Chain | Shaped | Stacked | Call | Root)
        twice = isinstance(base, Script) and (base.sup is not None or piece.sub is not None)
        return f"({self.piece(base)})" if loose or twice else self.piece(base)

    def accented(self, base: str, accent: str) -> str:
        """A name with its accent: a prime behind it, others above its first letter."""
        return base + accent if accent == ACCENTS["prime"] else base[:1] + accent + base[1:]

    def fraction(self, piece: Fraction) -> str:
        """A fraction with its stroke."""
        return ("/" if is_derivative(piece) else " / ").join(over(piece, self))

    def summed(self, body: Math) -> str:
        """What stands behind the sign of a sum."""
        return f"({self.piece(body)})" if is_sum(body) else self.piece(body)

    def sizes(self, sizes: Iterable[Math]) -> str:
        """Sizes with × between them."""
        return "×".join(f"({self.piece(size)})" if is_sum(size) else self.piece(size) for size in sizes)

    def rows(self, rows: tuple[tuple[Math, ...], ...]) -> str:
        """The entries of a matrix."""
        return "; ".join(", ".join(map(self.piece, row)) for row in rows)


LINE = Characters()


def _is_one(piece: Math) -> bool:
    """Whether a letter is one, also by its name, or a figure has one digit."""
    match piece:
        case Letter(name, style):
            return len(greek(name) if style == "italic" else name) == 1
        case _:
            return isinstance(piece, Number) and len(piece.text) == 1


def _multiplies(beside: Math | None) -> bool:
    """Whether what stands beside a piece multiplies it."""
    return beside is not None and (not isinstance(beside, Sign) or beside.sign in "·×⊙⊘")


def characters(piece: Math) -> str:
    """A piece of mathematics as characters.

    Raises :class:`~symattn.errors.RenderError` for others.

    >>> characters(Script(Letter("q"), sub=Seq((Number("1"), Number("2")))))
    'q₁₂'
    >>> characters(Chain(Letter("S"), (("=", Fraction(Seq((Letter("Q"), Letter("K"))), Root(Number("2")))),)))
    'S = Q K / √2'
    """
    return LINE.piece(piece)


def shape_of(*sizes: Math) -> str:
    """Sizes with × between them.

    >>> shape_of(Number("3"), Letter("n"))
    '3×n'
    """
    return LINE.sizes(sizes)
