"""How expressions, numbers and matrices show themselves in a notebook."""

from __future__ import annotations

from sympy import Expr, MatrixExpr

from symattn.document.math import Chain, Shaped
from symattn.document.notation.formulas import Names, formula, number
from symattn.document.notation.names import size
from symattn.operations.terms import Term
from symattn.render.tex_math import NOTEBOOK, tex


def matrix_tex(term: Term, names: Names | None, definition: MatrixExpr | None) -> str:
    """A formula as TeX with its shape beside it; a name with what it stands for, its ``definition``."""
    names = names or Names()
    shape = term.shape
    shaped = Shaped(formula(term.expr, names), size(shape.rows), size(shape.columns), long=True)
    if definition is None:
        return tex(shaped, NOTEBOOK)
    return tex(Chain(shaped, (("=", formula(definition, names)),)), NOTEBOOK)


def number_tex(value: Expr) -> str:
    """A number as TeX."""
    return tex(number(value), NOTEBOOK)
