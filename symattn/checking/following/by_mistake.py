"""Whether a mistake in a formula makes the figures that stand for it: they are meant to be it, however far away."""

from __future__ import annotations

from symattn.checking.following import rows as on
from symattn.checking.following.causes import mistakes_of
from symattn.checking.following.evaluate import Appraiser
from symattn.checking.following.judging import prints
from symattn.checking.following.rows import BallMatrix, NoFit
from symattn.checking.following.scope import FigureGrid, Memory
from symattn.checking.reading.tree import Combined, Expressed, NameRead

LATEST = 6
"""How many matrices of the same shape are looked at, the last one first."""


def is_mistaken(scope: Memory, formula: Expressed | None, figures: FigureGrid) -> bool:
    """Whether a mistake of the bank makes all figures of a matrix, or softmax of what was not masked yet.

    >>> is_mistaken(Memory(), None, ())
    False
    """
    if formula is None or len(figures) < 2 or any(each is None for row in figures for each in row):
        return False
    return _is_unmasked(scope, formula, figures) or bool(
        mistakes_of(formula, Appraiser(scope, cites=True).value, figures)
    )


def _is_unmasked(scope: Memory, formula: Expressed, figures: FigureGrid) -> bool:
    match formula:
        case Combined("call:softmax", (NameRead() as name, *_)):
            masked = scope.named_or_none(name)
        case _:
            return False
    if masked is None or _is_finite(masked.true):
        return False
    others = [each.value for each in scope.latest() if each.value.shape == masked.shape]
    return any(_is_softmax(each.true, figures) for each in others[:LATEST] if _is_finite(each.true))


def _is_softmax(scores: BallMatrix, figures: FigureGrid) -> bool:
    try:
        made = on.called("softmax", scores)
    except NoFit:
        return False
    return len(made) == len(figures) and all(
        len(row) == len(line) and all(f is not None and prints(f, x, f.unit) for f, x in zip(line, row, strict=True))
        for row, line in zip(made, figures, strict=True)
    )


def _is_finite(rows: BallMatrix) -> bool:
    return all(x.is_finite() for row in rows for x in row)
