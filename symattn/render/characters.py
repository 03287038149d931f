"""Mathematics as characters on one line, for what knows no formulas: the cells of a sheet.

Scripts are small characters where there are some for all of them, q₁₂ and Kᵀ; a longer one and a word stand behind _
or ^.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import singledispatch

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
    """How characters write: always inside a line."""

    inline = True
    quad, between, further, around = "  ", "    ", "  ", ("(", ")")

    def around_base(self, piece: Script) -> tuple[str, str]:
        return self.around

    def enclosed(self, text: str) -> str:
        return f"({text})"

    def apart(self, before: str, text: str) -> str:
        return text if before.endswith(" ") else f" {text}"

    def piece(self, piece: Math) -> str:
        return characters(piece)

    def sign(self, sign: str) -> str:
        return {"-": "−", ",": ", ", "T": "T", ":": ":"}.get(sign, sign)

    def numbered(self, sign: str, mark: int) -> str:
        return f"{sign}[{mark}]"

    def sigma(self, piece: Sum) -> str:
        first = f"{characters(piece.index)} = {characters(piece.lower)}"
        return f"Σ[{first}…{characters(piece.upper)}] "

    def scripts(self, piece: Script) -> str:
        below = "" if piece.sub is None else _script(characters(piece.sub), "_", _BELOW)
        return below + ("" if piece.sup is None else _script(characters(piece.sup), "^", _ABOVE))

    def glue(self, pieces: Iterable[str]) -> str:
        return "".join(pieces)


LINE = Characters()


class CharacterLine(PlainLine):
    """How characters write what a sentence is made of."""

    def formula(self, math: Math) -> str:
        return characters(math)


def _script(text: str, sign: str, small: dict[int, int]) -> str:
    if all(ord(char) in small for char in text) and (len(text) < 3 or not any(map(str.isalpha, text))):
        return text.translate(small)
    return f"{sign}{text}" if len(text) == 1 or text.isalnum() else f"{sign}({text})"


@singledispatch
def characters(piece: Math) -> str:
    """A piece of mathematics as characters.

    Raises :class:`~symattn.errors.RenderError` for others.

    >>> characters(Script(Letter("q"), sub=Seq((Number("1"), Number("2")))))
    'q₁₂'
    >>> characters(Chain(Letter("S"), (("=", Fraction(Seq((Letter("Q"), Letter("K"))), Root(Number("2")))),)))
    'S = QK/√2'
    """
    raise RenderError(f"no characters for {type(piece).__name__}: not a piece of mathematics")


@characters.register
def _(piece: Letter) -> str:
    return greek(piece.name) if piece.style == "italic" else escape.clean(piece.name)


@characters.register
def _(piece: Number) -> str:
    minus, infinity, top, bottom, mantissa, base, exponent = number_parts(piece.text, "characters")
    sign = "−" if minus else ""
    if infinity:
        return f"{sign}∞"
    if top:
        return f"{sign}{top}/{bottom}"
    power = _script(exponent.strip("()").replace("-", "−"), "^", _ABOVE) if exponent else ""
    return sign + (f"{mantissa}×{base}{power}" if base else mantissa + power)


@characters.register
def _(piece: Sign) -> str:
    return LINE.sign(piece.sign)


@characters.register
def _(piece: Seq) -> str:
    return "".join(parts(piece, LINE))


@characters.register
def _(piece: Script) -> str:
    base = characters(piece.base)
    loose = is_slashed(piece.base) or isinstance(piece.base, Seq | Chain | Shaped | Stacked)
    return (f"({base})" if loose else base) + LINE.scripts(piece)


@characters.register
def _(piece: Accented) -> str:
    base = characters(piece.base)
    return base[:1] + ACCENTS[piece.accent] + base[1:]


@characters.register
def _(piece: Fraction) -> str:
    return "/".join(over(piece, LINE))


@characters.register
def _(piece: Root) -> str:
    inner = characters(piece.radicand)
    return f"√{inner}" if isinstance(piece.radicand, Letter | Number | Script) and "/" not in inner else f"√({inner})"


@characters.register
def _(piece: Parens) -> str:
    return f"({characters(piece.inner)})"


@characters.register
def _(piece: Bars) -> str:
    left, right = ("⌊", "⌋") if piece.floor else ("‖", "‖") if piece.double else ("|", "|")
    return f"{left}{characters(piece.inner)}{right}"


@characters.register
def _(piece: Interval) -> str:
    return f"[{characters(piece.low)}, {characters(piece.high)}]"


@characters.register
def _(piece: Call) -> str:
    left, right = "[]" if piece.brackets == "square" else "()"
    below = "" if piece.sub is None else LINE.scripts(Script(piece, sub=piece.sub))
    return f"{escape.clean(piece.function)}{below}{left}{', '.join(map(characters, piece.arguments))}{right}"


@characters.register
def _(piece: Sum) -> str:
    body = characters(piece.body)
    return LINE.sigma(piece) + (f"({body})" if is_sum(piece.body) else body)


@characters.register
def _(piece: Shaped | Stacked) -> str:
    return f"{characters(piece.body)} ({'shape=' if piece.long else ''}{shape_of(*piece.sizes)})"


def shape_of(*sizes: Math) -> str:
    """Sizes with × between them.

    >>> shape_of(Number("3"), Letter("n"))
    '3×n'
    """
    return "×".join(f"({characters(size)})" if is_sum(size) else characters(size) for size in sizes)


@characters.register
def _(piece: Grid) -> str:
    return f"[{_rows(piece.rows)}]"


@characters.register
def _(piece: Squared) -> str:
    return f"[{_rows(squared(piece))}]"


def _rows(rows: tuple[tuple[Math, ...], ...]) -> str:
    return "; ".join("  ".join(map(characters, row)) for row in rows)


@characters.register
def _(piece: Highlighted) -> str:
    return characters(piece.inner)


@characters.register
def _(piece: Blank) -> str:
    return "_" * piece.figures


@characters.register
def _(piece: Cases) -> str:
    return f"{{{'; '.join(f'{characters(value)}: {characters(condition)}' for value, condition in piece.branches)}}}"


@characters.register
def _(piece: Chain) -> str:
    return characters(piece.left) + "".join(links(piece, LINE))
