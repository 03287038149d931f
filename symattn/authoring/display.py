"""How expressions, numbers and matrices show themselves in a notebook."""

from __future__ import annotations

from typing import TYPE_CHECKING

from symattn.document.math import Chain, Shaped
from symattn.document.notation.formulas import Names, formula, number
from symattn.document.steps import size
from symattn.render.page import NOTEBOOK
from symattn.render.tex import tex

if TYPE_CHECKING:
    from symattn.authoring.expression import Expression, Scalar


def expression_tex(expression: Expression) -> str:
    """The formula as TeX with its shape beside it; a name with what it stands for."""
    names = Names() if expression.owner is None else expression.owner.names
    shape = expression.term.shape
    written = formula(expression.term.expr, names)
    shaped = Shaped(written, size(shape.rows), size(shape.columns), long=True)
    step = None if expression.owner is None else expression.owner.plan.by_name.get(expression.text)
    if step is None or step.formula is None:
        return tex(shaped, NOTEBOOK)
    return tex(Chain(shaped, (("=", formula(step.formula, names)),)), NOTEBOOK)


def scalar_tex(scalar: Scalar) -> str:
    """The number as TeX."""
    return tex(number(scalar.value), NOTEBOOK)
