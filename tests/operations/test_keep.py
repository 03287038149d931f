"""keep(A, M): what may stand in it, and what its entries are."""

from __future__ import annotations

import pytest
from sympy import ImmutableDenseMatrix, MatrixSymbol, oo

from symattn.errors import FormulaError, ShapeError
from symattn.formula import Scope, read_formula
from symattn.operations import CausalMask, Keep
from symattn.shapes import Axis, Shape, shape

SCOPE = Scope(
    {"A": Shape(Axis(3), Axis(3, "n")), "M": Shape(Axis(3, "n"), Axis(3)), "B": shape(3, 2), "S": shape(3, 3)}, {"n": 3}
)
A = MatrixSymbol("A", 3, 3)


@pytest.mark.parametrize("mask", ["causal_mask(3)", "window_mask(n, 2)", "causal_mask(n, -9) + window_mask(n, 1)", "M"])
def test_a_mask_is_made_of_masks_or_a_name(mask: str) -> None:
    term = read_formula(f"keep(A, {mask})", SCOPE)
    assert isinstance(term.expr, Keep)
    assert term.text.startswith("keep(A, ")


def test_axes_are_named_by_either_side() -> None:
    assert str(read_formula("keep(A, M)", SCOPE).shape) == "(n=3, n=3)"


@pytest.mark.parametrize("mask", ["softmax(S)", "M @ S", "causal_mask(3) + S @ S", "2 * M", "M.T"])
def test_what_is_no_mask_is_refused_by_what_it_is(mask: str) -> None:
    with pytest.raises(FormulaError, match="is not a mask: expected causal_mask"):
        read_formula(f"keep(A, {mask})", SCOPE)


def test_shapes_must_be_alike() -> None:
    with pytest.raises(ShapeError, match=r"keep\(B, M\): B is \(3, 2\), M is \(n=3, 3\): expected the same shape"):
        read_formula("keep(B, M)", SCOPE)


def test_both_sides_are_required() -> None:
    with pytest.raises(FormulaError, match=r"keep also needs M: keep\(A, M\)"):
        read_formula("keep(A)", SCOPE)


def test_hidden_entries_are_zero_and_not_a_product_with_zero() -> None:
    weights = ImmutableDenseMatrix(3, 3, range(1, 10))
    kept = Keep(weights, CausalMask(3, -oo)).as_explicit()
    assert kept == ImmutableDenseMatrix([[1, 0, 0], [4, 5, 0], [7, 8, 9]])
    assert Keep(A, A.func("M", 3, 3)).xreplace({A: weights}).argument == weights
