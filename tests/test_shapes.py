"""Shapes: which operands fit, and what comes out. What is said where they do not stands in formulas.toml."""

from __future__ import annotations

from collections.abc import Callable

from hypothesis import given
from hypothesis import strategies as st

from symattn.base.errors import ShapeError
from symattn.base.shapes import Axis, Operand, Shape, product_shape, row_vector, same, shape, square

Q = Operand("Q", Shape(Axis(3, "n"), Axis(4, "d_k")))
K_T = Operand("K.T", Shape(Axis(4, "d_k"), Axis(3, "n")))
ROW = Operand("b", shape(1, 4))


def operand(text: str, rows: Axis, columns: Axis) -> Operand:
    return Operand(text, Shape(rows, columns))


def test_an_axis_is_written_with_its_name_and_size() -> None:
    axes = (Axis(4, "d_k"), Axis(4), Axis("n", "n"), Axis("n"), Axis("n", "m"))

    assert list(map(str, axes)) == ["d_k=4", "4", "n", "n", "m=n"]
    assert [axis.letter for axis in axes] == ["d_k", "4", "n", "n", "m"]


def test_a_shape_is_rows_then_columns() -> None:
    assert str(Q.shape) == "(n=3, d_k=4)"
    assert Q.shape.sizes == (3, 4)
    assert str(Q.shape.transposed) == "(d_k=4, n=3)"
    assert str(Q) == "Q is (n=3, d_k=4)"
    assert not Q.shape.is_general
    assert Shape(Axis("m"), Axis(4)).is_general
    assert Shape(Axis(4), Axis("m")).is_general


def test_what_fits_keeps_the_names_of_its_axes() -> None:
    assert str(product_shape(Q, K_T)) == "(n=3, n=3)"
    assert str(product_shape(Q, operand("W", Axis(4), Axis(2, "v")))) == "(n=3, v=2)"
    assert str(same(Q, Operand("X", shape(3, 4)))) == "(n=3, d_k=4)"
    assert str(same(Operand("X", shape(3, 4)), Q)) == "(n=3, d_k=4)"
    assert str(row_vector(ROW, "gamma")) == "(1, 4)"
    assert str(square(Operand("S", shape(3, 3)), "power")) == "(3, 3)"


sizes = st.integers(1, 4)


@given(sizes, sizes, sizes, sizes)
def test_only_equal_inner_sizes_multiply_and_only_equal_shapes_add(a: int, b: int, c: int, d: int) -> None:
    left, right = Operand("X", shape(a, b)), Operand("Y", shape(c, d))

    assert _fits(lambda: product_shape(left, right)) == (shape(a, d) if b == c else None)
    assert _fits(lambda: same(left, right)) == (shape(a, b) if (a, b) == (c, d) else None)
    assert _fits(lambda: square(left, "X")) == (shape(a, b) if a == b else None)


def _fits(attempt: Callable[[], Shape]) -> Shape | None:
    try:
        return attempt()
    except ShapeError:
        return None
