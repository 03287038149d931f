"""Pieces of a line in figures, put together in reading order: signs, fractions, powers, functions, with parentheses
where something would be read otherwise."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

from symattn.document import terms
from symattn.document.math import Call, Letter, Math, Parens, Script, Sign, seq
from symattn.document.working import LONGEST, Logarithm, Written, behind, guarded, plain, summed, to_power
from symattn.values.rounding import Figure

Kind = Literal["whole", "product", "negative", "sum", "open"]
"""How loosely a piece holds together; an ``open`` one takes in what comes after it, as a logarithm does."""


@dataclass(frozen=True)
class Piece:
    """Something that is written, and how it holds together."""

    math: Math
    kind: Kind = "whole"
    figure: Figure | None = None
    """The figure that it is, where it is nothing more."""


def of_figure(figure: Figure) -> Piece:
    """A figure by itself."""
    return Piece(plain(figure), figure=figure)


def term(piece: Piece) -> Math:
    """A piece behind a plus."""
    if piece.figure is not None:
        return behind(piece.figure)
    return Parens(piece.math) if piece.kind == "negative" else piece.math


def subtracted(piece: Piece) -> Math:
    """A piece behind a minus."""
    if piece.figure is not None:
        return guarded(piece.figure)
    return Parens(piece.math) if piece.kind in ("negative", "sum") else piece.math


def _factor(piece: Piece) -> Math:
    """A piece with another factor behind it."""
    if piece.figure is not None:
        return guarded(piece.figure)
    return Parens(piece.math) if piece.kind in ("negative", "sum", "open") else piece.math


def times(a: Piece, b: Piece) -> Piece:
    """a·b, and a (b + c)."""
    if b.figure is None and b.kind in ("sum", "negative"):
        return Piece(seq(_factor(a), Parens(b.math)), "product")
    right = behind(b.figure) if b.figure is not None else b.math
    is_open = b.kind == "open" or isinstance(b.figure, Logarithm)
    return Piece(seq(_factor(a), Sign("·"), right), "open" if is_open else "product")


def total(terms: Sequence[Piece]) -> Piece:
    """All terms with plus signs, the middle of a long sum left out."""
    return Piece(summed([term(each) for each in terms]), "sum") if terms else of_figure(Figure("0", True))


def opposite(piece: Piece) -> Piece:
    """−a; of a figure the one with the other sign."""
    figure = piece.figure
    if figure is None or isinstance(figure, Written):
        return Piece(seq(Sign("-"), subtracted(piece) if figure is None else behind(figure)), "negative")
    text = figure.short or figure.text
    turned = text.removeprefix("-") if text.startswith("-") or not text.strip("0.") else f"-{text}"
    return of_figure(Figure(turned, figure.exact))


def power(base: Piece, exponent: Piece) -> Piece:
    """a^b"""
    if base.figure is not None:
        squared = to_power(base.figure, 2)
        assert isinstance(squared, Script)
        return Piece(Script(squared.base, sup=exponent.math))
    return Piece(Script(Parens(base.math), sup=exponent.math))


def _closed(rule: Callable[..., Math], kind: Kind = "whole") -> Callable[..., Piece]:
    """A function that is written as in letters, whatever it is of."""
    return lambda *pieces: Piece(rule(*(piece.math for piece in pieces)), kind)


def _times_its_logarithm(x: Piece) -> Piece:
    shown = x.math if x.figure is not None else Parens(x.math)
    return Piece(seq(shown, Letter("ln", "upright"), shown), "open")


def largest_of(pieces: Sequence[Piece]) -> Piece:
    """max(a, b, c), the middle of many left out."""
    shown = [each.math for each in pieces]
    return Piece(Call("max", tuple(shown if len(shown) <= LONGEST else [*shown[:3], Sign("⋯"), shown[-1]])))


FUNCTIONS: Mapping[str, Callable[..., Piece]] = MappingProxyType(
    {
        **{name: _closed(rule) for name, rule in terms.FUNCTIONS.items()},
        "add": lambda a, b: Piece(seq(a.math, Sign("+"), term(b)), "sum"),
        "sub": lambda a, b: Piece(seq(a.math, Sign("-"), subtracted(b)), "sum"),
        "mul": times,
        "mod": _closed(terms.remainder, "sum"),
        "neg": opposite,
        "pow": power,
        "xlogx": _times_its_logarithm,
    }
)
"""How each elementary function is written."""
