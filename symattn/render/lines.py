"""Mathematics as one line of plain text, for a terminal: Q Kᵀ / √dₖ.

>>> from symattn.document.math import Letter, Root, Script, Sign, Fraction, seq
>>> d_k = Script(Letter("d"), sub=Letter("k"))
>>> line(Fraction(seq(Letter("Q"), Script(Letter("K"), sup=Sign("T"))), Root(d_k)))
'Q Kᵀ / √dₖ'
"""

from __future__ import annotations

import re

from symattn.document.blocks import Document, Equation, Heading, Phrase
from symattn.document.math import PARTIAL, Call, Fraction, Math, Script, Seq, Sign, Sum, is_derivative
from symattn.errors import RenderError
from symattn.render.characters import Characters
from symattn.render.environment import Macros
from symattn.render.page import inlines, phrase
from symattn.render.plain import PlainLine
from symattn.render.typesetting import over

_BELOW = str.maketrans("0123456789+-=()aehijklmnoprstuvx", "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ")
_ABOVE = str.maketrans("0123456789+-()Tijk", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁽⁾ᵀⁱʲᵏ")
_TIGHT = frozenset("T,:")
_POWER = re.compile(r"\*?10\^\(?(-?\d+)\)?\Z")


class Line(Characters):
    """How lines of text write what they write otherwise than characters: with more room."""

    shape, columns, cases = "", " ", ("{ ", " }")

    def sign(self, sign: str) -> str:
        return sign.replace("-", "−")

    def numbered(self, sign: str, mark: int) -> str:
        return sign

    def sigma(self, piece: Sum) -> str:
        return f"Σ_({self.piece(piece.index)}={self.piece(piece.lower)}…{self.piece(piece.upper)}) "

    def summed(self, body: Math) -> str:
        return self.piece(body)

    def scripts(self, piece: Script) -> str:
        above, below = ("" if each is None else self.piece(each) for each in (piece.sup, piece.sub))
        return _small(above, "^", _ABOVE) + _small(below, "_", _BELOW)

    def number(self, text: str) -> str:
        return _figure(text)

    def base(self, base: Math) -> str:
        return f"({self.piece(base)})" if isinstance(base, Seq | Fraction | Call) else self.piece(base)

    def accented(self, base: str, accent: str) -> str:
        return base + accent

    def fraction(self, piece: Fraction) -> str:
        return ("/" if is_derivative(piece) else " / ").join(over(piece, self))

    def row(self, piece: Seq) -> str:
        """Pieces beside each other: a space around signs that stand between two, and between factors."""
        text = ""
        for before, part in zip((None, *piece.parts), piece.parts, strict=False):
            loose = isinstance(part, Fraction) and _is_factor(part, piece.parts)
            written = self.enclosed(self.piece(part)) if loose else self.piece(part)
            is_close = before == PARTIAL or (isinstance(part, Sign) and part.sign in _TIGHT)
            text += written if before is None or is_close or text == "−" else f" {written}"
        return text


_LINE = Line()


def line(piece: Math) -> str:
    """A piece of mathematics as one line of text.

    Raises :class:`~symattn.errors.RenderError` for what is no mathematics.
    """
    return _LINE.piece(piece)


def _is_factor(part: Math, parts: tuple[Math, ...]) -> bool:
    """Whether what stands beside a piece multiplies it."""
    at = parts.index(part)
    beside = [parts[each] for each in (at - 1, at + 1) if 0 <= each < len(parts)]
    return any(not isinstance(each, Sign) or each.sign in "·×⊙⊘" for each in beside)


def _small(text: str, mark: str, letters: dict[int, int]) -> str:
    """What stands above or below a line: in small letters where there are some for all of it."""
    plain = text.replace("−", "-").replace(" ", "")
    if all(ord(each) in letters for each in plain):
        return plain.translate(letters)
    return f"{mark}{text}" if re.fullmatch(r"[A-Za-z0-9_]+|\([^()]*\)", text) else f"{mark}({text})"


def _figure(text: str) -> str:
    plain = text.replace("oo", "∞")
    power = _POWER.search(plain)
    if power is not None:
        front = plain[: power.start()]
        plain = f"{front}{'×' if front.strip('-') else ''}10{power[1].translate(_ABOVE)}"
    return plain.replace("-", "−")


class TextLines(PlainLine):
    """How plain text writes the pieces of a sentence."""

    def formula(self, math: Math) -> str:
        return line(math)


def lines(document: Document, words: Macros) -> str:
    """A document of sentences and formulas as plain text, a line for each; it ends with one newline.

    Raises :class:`~symattn.errors.RenderError` for blocks that plain text has no room for.
    """
    page = TextLines(words)
    found = [inlines(document.title, page)]
    for block in document.blocks:
        match block:
            case Heading(_, number, title):
                found += ["", f"{number}. {inlines(title, page)}"]
            case Equation(chains):
                found += [f"    {line(chain)}" for chain in chains]
            case Phrase():
                found.append(phrase(block, page))
            case _:
                raise RenderError(f"no lines of text for {type(block).__name__}: expected sentences and formulas")
    return "\n".join(map(str.rstrip, found)) + "\n"
