"""Pieces of a line in figures, put together in reading order: signs, fractions, powers, functions, with parentheses
where something would be read otherwise, as in letters: :mod:`symattn.document.notation.terms`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from symattn.document.math import Call, Letter, Math, Parens, Script, Seq, Sign, seq
from symattn.document.notation import terms
from symattn.document.notation.figures import Written, behind, guarded, plain, shortened, summed, to_power
from symattn.values.rounding import Figure


@dataclass(frozen=True)
class FiguredPiece:
    """Something that is written."""

    math: Math
    figure: Figure | None = None
    """The figure that it is, where it is nothing more."""


def of_figure(figure: Figure) -> FiguredPiece:
    """A figure by itself."""
    return FiguredPiece(plain(figure), figure=figure)


def term(piece: FiguredPiece) -> Math:
    """A piece behind a plus."""
    if piece.figure is not None:
        return behind(piece.figure)
    return Parens(piece.math) if isinstance(piece.math, Seq) and piece.math.parts[0] == Sign("-") else piece.math


def subtracted(piece: FiguredPiece) -> Math:
    """A piece behind a minus, or behind the dot of a product."""
    return guarded(piece.figure) if piece.figure is not None else terms.one_term(piece.math)


def times(a: FiguredPiece, b: FiguredPiece) -> FiguredPiece:
    """a·b, and a (b + c)."""
    before = guarded(a.figure) if a.figure is not None else terms.factor(a.math)
    if b.figure is not None:
        return FiguredPiece(seq(before, Sign("·"), behind(b.figure)))
    after = terms.one_term(b.math)
    is_sum = isinstance(b.math, Seq) and after != b.math
    return FiguredPiece(seq(before, after) if is_sum else seq(before, Sign("·"), after))


def total(terms: Sequence[FiguredPiece]) -> FiguredPiece:
    """All terms with plus signs, the middle of a long sum left out."""
    return FiguredPiece(summed([term(each) for each in terms])) if terms else of_figure(Figure.of(0, 0, True))


def opposite(piece: FiguredPiece) -> FiguredPiece:
    """−a; of a figure the one with the other sign."""
    figure = piece.figure
    if figure is None or isinstance(figure, Written):
        return FiguredPiece(seq(Sign("-"), subtracted(piece) if figure is None else behind(figure)))
    return of_figure(figure.opposite())


def power(base: FiguredPiece, exponent: FiguredPiece) -> FiguredPiece:
    """a^b"""
    if base.figure is not None:
        squared = to_power(base.figure, 2)
        assert isinstance(squared, Script)
        return FiguredPiece(Script(squared.base, sup=exponent.math))
    return FiguredPiece(Script(Parens(base.math), sup=exponent.math))


def _closed(rule: Callable[..., Math]) -> Callable[..., FiguredPiece]:
    """A function that is written as in letters, whatever it is of."""
    return lambda *pieces: FiguredPiece(rule(*(piece.math for piece in pieces)))


def _times_its_logarithm(x: FiguredPiece) -> FiguredPiece:
    shown = x.math if x.figure is not None else Parens(x.math)
    return FiguredPiece(seq(shown, Letter("ln", "upright"), shown))


def extreme_of(word: str, pieces: Sequence[FiguredPiece]) -> FiguredPiece:
    """max(a, b, c), the middle of many left out."""
    return FiguredPiece(Call(word, shortened([each.math for each in pieces])))


FUNCTIONS: Mapping[str, Callable[..., FiguredPiece]] = MappingProxyType(
    {
        **{name: _closed(rule) for name, rule in terms.FUNCTIONS.items()},
        "add": lambda a, b: FiguredPiece(seq(a.math, Sign("+"), term(b))),
        "sub": lambda a, b: FiguredPiece(seq(a.math, Sign("-"), subtracted(b))),
        "mul": times,
        "neg": opposite,
        "pow": power,
        "xlogx": _times_its_logarithm,
    }
)
"""How each elementary function is written."""
