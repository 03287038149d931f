"""Matrices from Python objects: what a number is taken as, and what is refused in words a beginner understands."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from flint import fmpq
from sympy import Rational, S, sqrt

import symattn
from symattn.base import limits
from symattn.base.errors import ArrayError, FormulaError, SymattnError
from symattn.read.arrays import matrix
from symattn.read.given import Given

CONVERT = "expected real numbers; convert it first, such as array.astype(float)"
ALIKE = 'write all entries as text such as "0.21", or all as numbers'
AXES = "expected at most 3, which several matrices have"
OTHER = "expected rows of numbers, an array, a tensor or a file"


def test_a_binary_float_is_the_exact_rational_it_is() -> None:
    for dtype in (np.float16, np.float32, np.float64):
        given = matrix(np.array([[0.1, -2.5]], dtype=dtype))
        assert given.entries == [Rational(*float(dtype(0.1)).as_integer_ratio()), Rational(-5, 2)]
        assert given.array is not None
        assert (given.array.origin.taken, given.array.origin.dtype) == ("binary", np.dtype(dtype).name)


@pytest.mark.parametrize(("number", "decimals", "text"), [
    (0.125, 2, "0.12"), (0.375, 2, "0.38"), (2.675, 2, "2.67"), (0.5, 0, "0"), (1.5, 0, "2"), (-0.04, 1, "0.0"),
    (1e22, 1, "10000000000000000000000.0"), (5e-324, 3, "0.000"), (0.1, 20, "0.10000000000000000555"),
])  # fmt: skip
def test_with_decimals_a_float_is_the_decimal_it_prints_ties_to_even(number: float, decimals: int, text: str) -> None:
    given = matrix([[number]], decimals)

    assert given.texts[0][0] == text
    assert given.entries == [Rational(text)]
    assert abs(Decimal(text)) == abs(Decimal(f"{number:.{decimals}f}"))


def test_whole_numbers_text_and_roots_stay_what_they_are() -> None:
    assert matrix(np.array([[1, -2]], dtype=np.int8)).entries == [1, -2]
    assert matrix(np.array([2**64 - 1], dtype=np.uint64)).entries == [2**64 - 1]
    assert matrix([["sqrt(2)/2", "1/3"], [Fraction(1, 7), 4]]).entries == [sqrt(2) / 2, S(1) / 3, S(1) / 7, 4]
    assert matrix([[2**60 + 1, 0.5]]).entries == [2**60 + 1, Rational(1, 2)]


def test_one_axis_is_one_row_and_minus_infinity_a_mask() -> None:
    assert matrix([1, 2, 3]).shape == (1, 3)
    given = matrix(np.array([0.0, -np.inf]), decimals=2)
    assert given.entries == [0, S.NegativeInfinity]
    assert list(given.texts[0]) == ["0.00", "-oo"]


def test_a_given_is_itself_and_symattn_matrix_is_this_function() -> None:
    given = Given.read([["1"]])

    assert matrix(given) is given
    assert symattn.matrix is matrix


class Tensor:
    """Something like a tensor of PyTorch that NumPy cannot read at once."""

    def __init__(self, array: Any, dtype: str) -> None:
        self.array, self.dtype = array, dtype

    def detach(self) -> Tensor:
        return self

    def cpu(self) -> Tensor:
        return self

    def float(self) -> Tensor:
        return Tensor(self.array.astype(np.float32), "thing.float32")

    def numpy(self) -> Any:
        if "bfloat16" in self.dtype:
            raise TypeError("no such numbers in NumPy")
        return self.array


def test_tensors_are_known_by_what_they_can_do() -> None:
    given = matrix(Tensor(np.array([[0.5]]), "thing.bfloat16"))

    assert given.entries == [Rational(1, 2)]
    assert given.array is not None
    assert given.array.origin.dtype == "bfloat16"


def test_tensors_of_pytorch() -> None:
    torch = pytest.importorskip("torch")
    source = torch.tensor([[0.1, -3.0]], requires_grad=True)
    for kind in (torch.float64, torch.float32, torch.float16, torch.bfloat16):
        given = matrix(source.to(kind))
        assert given.entries == [Rational(*float(x).as_integer_ratio()) for x in source.detach().to(kind).double()[0]]
    assert matrix(torch.tensor([1, 2])).entries == [1, 2]
    with pytest.raises(ArrayError, match="a Tensor cannot be read as an array"):
        matrix(torch.eye(2).to_sparse())


@pytest.mark.parametrize(("source", "message"), [
    ([[1, 2], [3]], "matrix(…): row 2 has length 1, row 1 has length 2: expected rows of one length"),
    ([[0.5, 2], [3]], "matrix(…): row 2 has length 1, row 1 has length 2: expected rows of one length"),
    ([[1], 2], "matrix(…): row 2 is an int: expected a list of numbers"),
    ([], "matrix(…): is empty: a matrix needs at least one number"),
    ([[]], "matrix(…): is empty: a matrix needs at least one number"),
    ({"X": 1}, f"matrix(…): a dict is no matrix: {OTHER}"),
    (b"12", f"matrix(…): a bytes is no matrix: {OTHER}"),
    ([[0.5, "1/3"]], f'matrix(…), row 1, column 2: a str among floats: {ALIKE}'),
    ([[0.5, True]], f'matrix(…), row 1, column 2: a bool among floats: {ALIKE}'),
    ([[0.5, 10**400]], "matrix(…): holds a whole number too large for a float: write it as text"),
    ([["x"]], "matrix(…), row 1, column 1: number 'x': 'x' is not a number"),
    ([[1, float("nan")]], "matrix(…), row 1, column 2: is not a number (NaN)"),
    (np.array([[np.inf]]), "matrix(…), row 1, column 1: is +∞; only −∞, as in a mask, can be used"),
    (np.zeros((1, 1, 2, 3)), f"matrix(…): has 4 axes, 1 × 1 × 2 × 3: {AXES}; take a part of it, such as array[0]"),
    (np.zeros((0, 3)), "matrix(…): is empty, 0 × 3: a matrix needs at least one number"),
    (np.zeros((1, 2), complex), f"matrix(…): holds complex numbers: {CONVERT}"),
    (np.array([[None]]), f"matrix(…): holds Python objects: {CONVERT}"),
    (np.array([["1"]]), f"matrix(…): holds text: {CONVERT}"),
    (np.array([[True]]), f"matrix(…): holds true and false: {CONVERT}"),
    (np.zeros((1, 1), np.longdouble), f"matrix(…): holds numbers of the kind longdouble: {CONVERT}"),
])  # fmt: skip
def test_what_is_no_matrix_is_refused_in_words(source: Any, message: str) -> None:
    with pytest.raises(ArrayError) as caught:
        matrix(source)

    assert str(caught.value).replace("float128", "longdouble").startswith(message)


@pytest.mark.parametrize("decimals", [-1, 51, 1.5, True, "4"])
def test_decimals_are_a_whole_number_within_the_limit(decimals: Any) -> None:
    with pytest.raises(ArrayError, match=r"expected a whole number from 0 to DIGITS = 50"):
        matrix([[0.5]], decimals)


def test_large_arrays_meet_a_named_limit() -> None:
    with pytest.raises(ArrayError, match=rf"1001 × 1000 is more than MATRIX_ENTRIES = {limits.MATRIX_ENTRIES} numbers"):
        matrix(np.zeros((1001, 1000)))
    with pytest.raises(ArrayError, match="more than MATRIX_ENTRIES"):
        matrix([[0] * 1000] * 1001)


def test_an_object_whose_array_fails_is_an_error_of_ours() -> None:
    class Broken:
        def __array__(self, *_: object, **__: object) -> None:
            raise ValueError("no")

    with pytest.raises(ArrayError, match="a Broken cannot be read as an array: no"):
        matrix(Broken())


def test_numbers_of_an_array_are_made_when_they_are_asked_for() -> None:
    """150,000 entries: the given holds FLINT's rationals, and no SymPy number before a row is looked at."""
    given = matrix(np.full((384, 384), 0.1))

    assert given.array is not None
    assert isinstance(given.array.entries[0], fmpq)
    assert given.shape == (384, 384)
    assert given.values[383][383] == given.entry(384 * 384 - 1)
    assert len(given.values[-1][1:3]) == 2
    with pytest.raises(IndexError):
        given.values[384]


def test_errors_of_arrays_are_errors_of_the_project() -> None:
    assert issubclass(ArrayError, SymattnError)
    with pytest.raises(FormulaError, match="binary float"):
        Given.read([[0.5]])
