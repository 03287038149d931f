"""Mistakes in the shape of a result: only rows and columns matter, so any matrix of the wrong shape will do.

The right way: (m, k) times (k, n) is (m, n).
"""

from __future__ import annotations

from collections.abc import Iterator

from sympy import MatMul, MatrixExpr

from symattn.mistakes.model import Change, Rewrite, Subject
from symattn.mistakes.places import View, factors, ones, size, transposed, view_of
from symattn.operations import Dot


def _of_steps(*names: str) -> Rewrite:
    """A change for every step whose shape comes out otherwise; ``names`` are keys of :func:`wrong_shapes`."""

    def rewrite(subject: Subject) -> Iterator[Change]:
        view = view_of(subject)
        for step, formula in view.steps:
            for name, made in wrong_shapes(view, formula):
                if name in names and size(made) != size(formula):
                    yield Change(step.name, {step.name: made})

    return rewrite


def wrong_shapes(view: View, formula: MatrixExpr) -> Iterator[tuple[str, MatrixExpr]]:
    """What the shape of a formula may be taken for, with a matrix of that shape.

    >>> from symattn.derivation import Plan
    >>> from symattn.shapes import shape
    >>> plan = Plan().given("A", shape(2, 3)).given("B", shape(3, 4)).step("C", "A @ B")
    >>> [(name, size(made)) for name, made in wrong_shapes(View(plan), plan["C"].formula)]
    [('turned', (4, 2)), ('first', (2, 3)), ('last', (3, 4)), ('inner', (3, 3))]
    """
    yield "turned", transposed(formula)
    parts = (formula.left, transposed(formula.right)) if isinstance(formula, Dot) else factors(formula)[1]
    if isinstance(formula, MatMul | Dot) and len(parts) > 1:
        yield "first", parts[0]
        yield "last", parts[-1]
        yield "inner", ones(size(parts[0])[1], size(parts[-1])[0])


rows_and_columns_swapped = _of_steps("turned")
shape_of_the_first_factor = _of_steps("first")
shape_of_the_last_factor = _of_steps("last")
inner_sizes_kept = _of_steps("inner")
