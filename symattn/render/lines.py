"""Mathematics as one line of plain text, for a terminal: Q Kᵀ / √dₖ.

>>> from symattn.document.math import Letter, Root, Script, Sign, Fraction, seq
>>> d_k = Script(Letter("d"), sub=Letter("k"))
>>> line(Fraction(seq(Letter("Q"), Script(Letter("K"), sup=Sign("T"))), Root(d_k)))
'Q Kᵀ / √dₖ'
"""

from __future__ import annotations

import re

from symattn.document.blocks import Document, Equation, Heading, Phrase
from symattn.document.math import (
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
    Sum,
)
from symattn.errors import RenderError
from symattn.render import escape
from symattn.render.environment import Macros
from symattn.render.letters import ACCENTS, greek
from symattn.render.page import inlines, phrase
from symattn.render.plain import PlainLine
from symattn.render.typesetting import is_slashed, is_sum

_BELOW = str.maketrans("0123456789+-=()aehijklmnoprstuvx", "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ")
_ABOVE = str.maketrans("0123456789+-()Tijk", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁽⁾ᵀⁱʲᵏ")
_TIGHT = frozenset("T,:")
_POWER = re.compile(r"\*?10\^\(?(-?\d+)\)?\Z")


def line(piece: Math) -> str:
    """A piece of mathematics as one line of text.

    Raises :class:`~symattn.errors.RenderError` for what one line has no room for.
    """
    match piece:
        case Letter(name, style):
            return greek(name) if style == "italic" else escape.clean(name)
        case Number(text):
            return _figure(text)
        case Sign(sign):
            return sign.replace("-", "−")
        case Seq(parts):
            return _row(parts)
        case Script(base, sub, sup):
            above, below = ("" if each is None else line(each) for each in (sup, sub))
            stands = f"({line(base)})" if isinstance(base, Seq | Fraction | Call) else line(base)
            return stands + _small(above, "^", _ABOVE) + _small(below, "_", _BELOW)
        case Accented(accent, base):
            return line(base) + ACCENTS[accent]
        case Fraction(top, bottom):
            above = f"({line(top)})" if is_sum(top) or is_slashed(top) else line(top)
            below = f"({line(bottom)})" if isinstance(bottom, Seq | Sum | Chain) or is_slashed(bottom) else line(bottom)
            return f"{above} / {below}"
        case Root(inner):
            return f"√{line(inner)}" if isinstance(inner, Letter | Number | Script) else f"√({line(inner)})"
        case Parens(inner):
            return f"({line(inner)})"
        case Bars(inner, double, floor):
            left, right = "⌊⌋" if floor else "‖‖" if double else "||"
            return f"{left}{line(inner)}{right}"
        case Interval(low, high):
            return f"[{line(low)}, {line(high)}]"
        case Call(function, arguments, brackets, sub):
            left, right = "()" if brackets == "round" else "[]"
            below = "" if sub is None else _small(line(sub), "_", _BELOW)
            return f"{escape.clean(function)}{below}{left}{', '.join(map(line, arguments))}{right}"
        case Sum(index, lower, upper, body):
            return f"Σ_({line(index)}={line(lower)}…{line(upper)}) {line(body)}"
        case Shaped(body, rows, columns):
            return f"{line(body)} ({line(rows)}×{line(columns)})"
        case Grid(rows):
            return f"[{'; '.join(' '.join(map(line, row)) for row in rows)}]"
        case Cases(branches):
            return "{ " + "; ".join(f"{line(value)}: {line(condition)}" for value, condition in branches) + " }"
        case Highlighted(inner):
            return line(inner)
        case Chain(left, links):
            return line(left) + "".join(f" {sign} {line(side)}" for sign, side in links)
    raise RenderError(f"no line of text for {type(piece).__name__}: expected a formula")


def _row(parts: tuple[Math, ...]) -> str:
    """Pieces beside each other: a space around signs that stand between two, and between factors."""
    text = ""
    for before, part in zip((None, *parts), parts, strict=False):
        written = f"({line(part)})" if isinstance(part, Fraction) and _is_factor(part, parts) else line(part)
        is_close = isinstance(part, Sign) and part.sign in _TIGHT
        text += written if before is None or is_close or text == "−" else f" {written}"
    return text


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
