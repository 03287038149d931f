"""Mathematics as characters on one line, for what knows no formulas: the cells of a sheet.

Scripts are small characters where there are some for all of them, q₁₂ and Kᵀ; a longer one and a word stand behind _
or ^.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from symattn.document.math import (
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
)
from symattn.errors import RenderError
from symattn.render import escape
from symattn.render.letters import ACCENTS, greek
from symattn.render.plain import PlainLine
from symattn.render.typesetting import is_slashed, is_sum, links, number_parts, over, parts, squared

_BELOW = str.maketrans("0123456789+−=()aehijklmnoprstuvx", "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ")
_ABOVE = str.maketrans("0123456789+−=()inT", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁱⁿᵀ")


@dataclass(frozen=True)
class Characters:
    """How characters write: always inside a line. Who writes in another way says what is otherwise."""

    inline = True
    quad, between, further, around = "  ", "    ", "  ", ("(", ")")
    shape, columns, cases = "shape=", "  ", ("{", "}")

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
            case Script(base):
                return self.base(base) + self.scripts(piece)
            case Accented(accent, inner):
                return self.accented(self.piece(inner), ACCENTS[accent])
            case Fraction():
                return self.fraction(piece)
            case Root(inner):
                text = self.piece(inner)
                alone = isinstance(inner, Letter | Number | Script) and "/" not in text
                return f"√{text}" if alone else f"√({text})"
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
            case Shaped(inner, long=long) | Stacked(inner, long=long):
                return f"{self.piece(inner)} ({self.shape if long else ''}{self.sizes(piece.sizes)})"
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
                return "; ".join(told).join(self.cases)
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
        return {"-": "−", ",": ", ", "T": "T", ":": ":"}.get(sign, sign)

    def numbered(self, sign: str, mark: int) -> str:
        return f"{sign}[{mark}]"

    def sigma(self, piece: Sum) -> str:
        first = f"{self.piece(piece.index)} = {self.piece(piece.lower)}"
        return f"Σ[{first}…{self.piece(piece.upper)}] "

    def scripts(self, piece: Script) -> str:
        below = "" if piece.sub is None else _script(self.piece(piece.sub), "_", _BELOW)
        return below + ("" if piece.sup is None else _script(self.piece(piece.sup), "^", _ABOVE))

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
        power = _script(exponent.strip("()").replace("-", "−"), "^", _ABOVE) if exponent else ""
        return sign + (f"{mantissa}×{base}{power}" if base else mantissa + power)

    def row(self, piece: Seq) -> str:
        """Pieces beside each other."""
        return "".join(parts(piece, self))

    def base(self, base: Math) -> str:
        """What scripts stand at."""
        loose = is_slashed(base) or isinstance(base, Seq | Chain | Shaped | Stacked)
        return f"({self.piece(base)})" if loose else self.piece(base)

    def accented(self, base: str, accent: str) -> str:
        """A name with its accent behind the first letter."""
        return base[:1] + accent + base[1:]

    def fraction(self, piece: Fraction) -> str:
        """A fraction with its stroke."""
        return "/".join(over(piece, self))

    def summed(self, body: Math) -> str:
        """What stands behind the sign of a sum."""
        return f"({self.piece(body)})" if is_sum(body) else self.piece(body)

    def sizes(self, sizes: Iterable[Math]) -> str:
        """Sizes with × between them."""
        return "×".join(f"({self.piece(size)})" if is_sum(size) else self.piece(size) for size in sizes)

    def rows(self, rows: tuple[tuple[Math, ...], ...]) -> str:
        """The entries of a matrix."""
        return "; ".join(self.columns.join(map(self.piece, row)) for row in rows)


LINE = Characters()


class CharacterLine(PlainLine):
    """How characters write what a sentence is made of."""

    def formula(self, math: Math) -> str:
        return characters(math)


def _script(text: str, sign: str, small: dict[int, int]) -> str:
    if all(ord(char) in small for char in text) and (len(text) < 3 or not any(map(str.isalpha, text))):
        return text.translate(small)
    return f"{sign}{text}" if len(text) == 1 or text.isalnum() else f"{sign}({text})"


def characters(piece: Math) -> str:
    """A piece of mathematics as characters.

    Raises :class:`~symattn.errors.RenderError` for others.

    >>> characters(Script(Letter("q"), sub=Seq((Number("1"), Number("2")))))
    'q₁₂'
    >>> characters(Chain(Letter("S"), (("=", Fraction(Seq((Letter("Q"), Letter("K"))), Root(Number("2")))),)))
    'S = QK/√2'
    """
    return LINE.piece(piece)


def shape_of(*sizes: Math) -> str:
    """Sizes with × between them.

    >>> shape_of(Number("3"), Letter("n"))
    '3×n'
    """
    return LINE.sizes(sizes)
