"""Names and figures as runs of characters, for SVG, which has no formulas."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from symattn.base.errors import RenderError
from symattn.show.drawings import PictureLabel, TokenLabel
from symattn.show.math import (
    Accent,
    Accented,
    Bars,
    Call,
    Fraction,
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
)
from symattn.write import escape
from symattn.write.math_writer import greek
from symattn.write.plain_math import ACCENTS

_ABOVE: Mapping[Accent, str] = MappingProxyType({"tilde": "\u02dc", "hat": "\u02c6", "bar": "\u00af"})
"""Accents above a letter, as separate characters: fonts put combining ones into capital letters."""
_BINARY = frozenset("+×⊙⊘")
_POWER = re.compile(r"(.*?)(?:\*(\d+))?\^\(?(-?\d+)\)?\Z")


@dataclass(frozen=True)
class CharacterRun:
    """Characters in the same style; ``level`` is 1 for a superscript, -1 for a subscript.

    For an accent, ``above`` is the letter that it is placed over.
    """

    text: str
    italic: bool = False
    bold: bool = False
    level: int = 0
    above: str = ""


def runs(what: PictureLabel) -> tuple[CharacterRun, ...]:
    """Split a label into runs. Raises :class:`~symattn.base.errors.RenderError` for any but a name or a figure.

    >>> [(run.text, run.level) for run in runs(Script(Letter("W"), sub=Letter("Q")))]
    [('W', 0), ('Q', -1)]
    >>> [(run.text, run.above) for run in runs(Accented("tilde", Letter("S")))]
    [('S', ''), ('˜', 'S')]
    """
    if isinstance(what, str | TokenLabel):
        return (CharacterRun(escape.clean(what if isinstance(what, str) else what.text)),)
    return tuple(run for run in _runs(what) if run.text)


def _runs(piece: Math) -> Iterator[CharacterRun]:
    match piece:
        case Letter(name, style):
            yield CharacterRun(greek(name) if style == "italic" else escape.clean(name), italic=style == "italic")
        case Number(text):
            yield from _figure(text)
        case Sign(sign):
            yield CharacterRun(
                f" {sign} " if sign in _BINARY else ", " if sign == "," else sign.replace("-", "−"), italic=sign == "T"
            )
        case Seq(parts):
            for part in parts:
                yield from _runs(part)
        case Script(base, sub, sup):
            yield from _runs(base)
            for script, level in ((sub, -1), (sup, 1)):
                if script is not None:
                    inside = (replace(run, level=level) for run in _runs(script))
                    yield from (replace(run, text=",") if run.text == ", " else run for run in inside)
        case Accented(accent, base):
            first, *rest = _runs(base)
            letter, behind = first.text[:1], first.text[1:]
            if accent in _ABOVE:
                yield replace(first, text=letter)
                yield CharacterRun(_ABOVE[accent], bold=first.bold, above=letter)
                yield from (replace(first, text=behind), *rest)
            elif accent == "bold":
                yield from (replace(run, bold=True) for run in (first, *rest))
            else:
                yield from (replace(first, text=letter + ACCENTS[accent] + behind), *rest)
        case Parens(inner):
            yield from _between("(", inner, ")")
        case Bars(inner, double, floor):
            yield from _between(
                "⌊" if floor else "‖" if double else "|", inner, "⌋" if floor else "‖" if double else "|"
            )
        case Root(inner):
            yield from _between("√(", inner, ")")
        case Fraction(top, bottom):
            yield from (*_runs(top), CharacterRun("/"), *_runs(bottom))
        case Interval(low, high):
            yield from (CharacterRun("["), *_runs(low), CharacterRun(", "), *_runs(high), CharacterRun("]"))
        case Shaped(body, rows, columns):
            yield from (*_runs(body), CharacterRun(" ("), *_runs(rows), CharacterRun(" × "), *_runs(columns))
            yield CharacterRun(")")
        case Call(function, arguments, brackets):
            yield CharacterRun(f"{escape.clean(function)}{'(' if brackets == 'round' else '['}")
            for place, argument in enumerate(arguments):
                yield from (CharacterRun(", " if place else ""), *_runs(argument))
            yield CharacterRun(")" if brackets == "round" else "]")
        case _:
            raise RenderError(f"no characters for {type(piece).__name__} in a picture: expected a name or a figure")


def _between(before: str, inner: Math, after: str) -> Iterator[CharacterRun]:
    yield from (CharacterRun(before), *_runs(inner), CharacterRun(after))


def _figure(text: str) -> Iterator[CharacterRun]:
    plain = text.replace("-", "−").replace("oo", "∞")
    match = _POWER.match(text)
    if match is None:
        yield CharacterRun(plain)
        return
    front, base, power = match.groups()
    yield CharacterRun(f"{front}×{base}".replace("-", "−") if base else front.replace("-", "−"))
    yield CharacterRun(power.replace("-", "−"), level=1)
