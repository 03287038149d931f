"""Shapes: which operands fit, what comes out, and the whole sentence where they do not."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symattn.errors import ShapeError
from symattn.shapes import Axis, Operand, Shape, product, row_vector, same, shape, square

Q = Operand("Q", Shape(Axis(3, "n"), Axis(4, "d_k")))
K_T = Operand("K.T", Shape(Axis(4, "d_k"), Axis(3, "n")))
ROW = Operand("b", shape(1, 4))


def operand(text: str, rows: Axis, columns: Axis) -> Operand:
    return Operand(text, Shape(rows, columns))


@pytest.mark.parametrize(
    ("axis", "text", "letter"),
    [
        (Axis(4, "d_k"), "d_k=4", "d_k"),
        (Axis(4), "4", "4"),
        (Axis("n", "n"), "n", "n"),
        (Axis("n"), "n", "n"),
        (Axis("n", "m"), "m=n", "m"),
    ],
)
def test_an_axis_is_written_with_its_name_and_size(axis: Axis, text: str, letter: str) -> None:
    assert (str(axis), axis.letter) == (text, letter)


def test_a_shape_is_rows_then_columns() -> None:
    assert str(Q.shape) == "(n=3, d_k=4)"
    assert Q.shape.sizes == (3, 4)
    assert str(Q.shape.transposed) == "(d_k=4, n=3)"
    assert str(Q) == "Q is (n=3, d_k=4)"
    assert not Q.shape.is_general
    assert Shape(Axis("m"), Axis(4)).is_general
    assert Shape(Axis(4), Axis("m")).is_general


def test_what_fits_keeps_the_names_of_its_axes() -> None:
    assert str(product(Q, K_T)) == "(n=3, n=3)"
    assert str(product(Q, operand("W", Axis(4), Axis(2, "v")))) == "(n=3, v=2)"
    assert str(same(Q, Operand("X", shape(3, 4)))) == "(n=3, d_k=4)"
    assert str(same(Operand("X", shape(3, 4)), Q)) == "(n=3, d_k=4)"
    assert str(row_vector(ROW, "gamma")) == "(1, 4)"
    assert str(square(Operand("S", shape(3, 3)), "power")) == "(3, 3)"


def test_letters_fit_letters() -> None:
    general = operand("X", Axis("m", "m"), Axis("n", "n"))
    transposed = Operand("X.T", general.shape.transposed)

    assert str(product(general, transposed)) == "(m, m)"
    assert str(same(general, general)) == "(m, n)"


# Each line of the table: what is tried, and the sentence that comes of it.

MISFITS: list[tuple[Callable[[], Shape], str]] = [
    (
        lambda: product(Q, operand("K.T", Axis(2, "d_k"), Axis(3, "m"))),
        "Q @ K.T: Q is (n=3, d_k=4), K.T is (d_k=2, m=3): d_k differs, 4 and 2; did you mean K.T @ Q?",
    ),
    (
        lambda: product(Q, Operand("W", shape(3, 2))),
        "Q @ W: Q is (n=3, d_k=4), W is (3, 2): the columns of the first are d_k=4, the rows of the second 3; "
        "did you mean Q.T @ W?",
    ),
    (
        lambda: product(Q, Q),
        "Q @ Q: Q is (n=3, d_k=4), Q is (n=3, d_k=4): the columns of the first are d_k=4, the rows of the second n=3; "
        "did you mean Q @ Q.T?",
    ),
    (
        lambda: product(operand("X", Axis("m", "m"), Axis("n", "n")), operand("Y", Axis("m", "m"), Axis("n", "n"))),
        "X @ Y: X is (m, n), Y is (m, n): the columns of the first are n, the rows of the second m; "
        "did you mean X @ Y.T?",
    ),
    (
        lambda: same(Operand("X", shape(3, 4)), ROW),
        "X + b: X is (3, 4), b is (1, 4): rows differ, 3 and 1; broadcast(b, 3) has the rows",
    ),
    (lambda: same(Q, Operand("Y", shape(2, 4))), "Q + Y: Q is (n=3, d_k=4), Y is (2, 4): rows differ, 3 and 2"),
    (lambda: same(Q, Operand("Y", shape(3, 5)), "-"), "Q - Y: Q is (n=3, d_k=4), Y is (3, 5): columns differ, 4 and 5"),
    (
        lambda: same(Q, operand("Y", Axis(2, "n"), Axis(4, "d_k"))),
        "Q + Y: Q is (n=3, d_k=4), Y is (n=2, d_k=4): n differs, 3 and 2",
    ),
    (
        lambda: same(Q, operand("Y", Axis(3, "n"), Axis(2, "d_k"))),
        "Q + Y: Q is (n=3, d_k=4), Y is (n=3, d_k=2): d_k differs, 4 and 2",
    ),
    (lambda: row_vector(Q, "dot(Q, b)"), "dot(Q, b): Q is (n=3, d_k=4): expected one row, (1, …)"),
    (lambda: square(Q, "Q ** 2"), "Q ** 2: Q is (n=3, d_k=4): expected as many rows as columns"),
]


@pytest.mark.parametrize(("attempt", "sentence"), MISFITS, ids=[sentence.split(":")[0] for _, sentence in MISFITS])
def test_a_misfit_is_one_sentence_that_names_both_sides(attempt: Callable[[], Shape], sentence: str) -> None:
    with pytest.raises(ShapeError) as caught:
        attempt()

    assert str(caught.value) == sentence


sizes = st.integers(1, 4)


@given(sizes, sizes, sizes, sizes)
def test_only_equal_inner_sizes_multiply_and_only_equal_shapes_add(a: int, b: int, c: int, d: int) -> None:
    left, right = Operand("X", shape(a, b)), Operand("Y", shape(c, d))

    assert _fits(lambda: product(left, right)) == (shape(a, d) if b == c else None)
    assert _fits(lambda: same(left, right)) == (shape(a, b) if (a, b) == (c, d) else None)
    assert _fits(lambda: square(left, "X")) == (shape(a, b) if a == b else None)


def _fits(attempt: Callable[[], Shape]) -> Shape | None:
    try:
        return attempt()
    except ShapeError:
        return None


def test_shapes_and_axes_cannot_be_changed() -> None:
    with pytest.raises(AttributeError):
        Q.shape.rows = Axis(5)  # type: ignore[misc]
    with pytest.raises(AttributeError):
        Axis(3).size = 4  # type: ignore[misc]
