"""Mistakes in the shape of a result: only rows and columns matter, so any matrix of the wrong shape will do.

The right way: (m, k) times (k, n) is (m, n).
"""

from __future__ import annotations

from collections.abc import Iterator

from sympy import MatMul, MatrixExpr

from symattn.mistakes.building import factors, ones, size, transposed
from symattn.mistakes.model import Change, Mistake
from symattn.mistakes.subject import Subject
from symattn.operations import Dot


def _taken_for(shape: str, name: str, rank: int) -> Mistake:
    """A change for every step whose shape comes out otherwise; ``shape`` is a key of :func:`wrong_shapes`."""

    def rewrite(subject: Subject) -> Iterator[Change]:
        for step, formula in subject.steps:
            for key, made in wrong_shapes(formula):
                if key == shape and size(made) != size(formula):
                    yield Change(step.name, {step.name: made})

    return Mistake(name, rewrite, ("shape-of-product",), ("shape",), rank=rank)


def wrong_shapes(formula: MatrixExpr) -> Iterator[tuple[str, MatrixExpr]]:
    """What the shape of a formula may be taken for, with a matrix of that shape.

    >>> from symattn.operations import MatrixSymbol
    >>> [(name, size(made)) for name, made in wrong_shapes(MatrixSymbol("A", 2, 3) * MatrixSymbol("B", 3, 4))]
    [('turned', (4, 2)), ('first', (2, 3)), ('last', (3, 4)), ('inner', (3, 3))]
    """
    yield "turned", transposed(formula)
    parts = (formula.left, transposed(formula.right)) if isinstance(formula, Dot) else factors(formula)[1]
    if isinstance(formula, MatMul | Dot) and len(parts) > 1:
        yield "first", parts[0]
        yield "last", parts[-1]
        yield "inner", ones(size(parts[0])[1], size(parts[-1])[0])


MISTAKES = (
    _taken_for("turned", "rows-and-columns-swapped", 250),
    _taken_for("inner", "inner-sizes-kept", 260),
    _taken_for("first", "shape-of-the-first-factor", 270),
    _taken_for("last", "shape-of-the-last-factor", 280),
)
