"""Convert NumPy arrays to exact numbers; reject what is not a number."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from flint import fmpq

from symattn.base import limits
from symattn.base.errors import ArrayError, FormulaError
from symattn.read.given import Array, Given, Origin

KINDS = {
    "b": "true and false",
    "c": "complex numbers",
    "O": "Python objects",
    "U": "text",
    "S": "bytes",
    "M": "dates",
    "m": "times",
    "V": "records",
}
"""Kinds of entries that are not real numbers, by NumPy's letter for them."""

FLOATS = ("float16", "float32", "float64", "bfloat16")


def check_decimals(decimals: int | None, where: str) -> None:
    """Raise :class:`~symattn.base.errors.ArrayError` for a number of decimals that cannot be asked for."""
    if decimals is None:
        return
    if type(decimals) is not int or not 0 <= decimals <= limits.DIGITS:
        raise ArrayError(
            f"{where}: decimals is {decimals!r}: expected a whole number from 0 to DIGITS = {limits.DIGITS}"
        )


def must_be_matrix(shape: tuple[int, ...], where: str) -> tuple[int, int]:
    """Return rows and columns; a vector is one row, a number one entry.

    Raises :class:`~symattn.base.errors.ArrayError` for other shapes.

    >>> must_be_matrix((3,), "x.npy")
    (1, 3)
    """
    if len(shape) > 2:
        axes = f"{len(shape)} axes, {' × '.join(map(str, shape))}"
        hint = "take a part of it, such as array[0]"
        raise ArrayError(f"{where}: has {axes}: expected at most 3, which several matrices have; {hint}")
    rows, columns = (1, 1, *shape)[-2:]
    if not rows or not columns:
        raise ArrayError(f"{where}: is empty, {rows} × {columns}: a matrix needs at least one number")
    if rows * columns > limits.MATRIX_ENTRIES:
        raise ArrayError(
            f"{where}: {rows} × {columns} is more than MATRIX_ENTRIES = {limits.MATRIX_ENTRIES} numbers: "
            "take a part of it, such as one head"
        )
    return rows, columns


def exact_array(array: Any, origin: Origin, where: str) -> Array:
    """Return the exact numbers of a NumPy array; errors call it ``where``.

    Raises :class:`~symattn.base.errors.ArrayError` if it is not a matrix of real numbers.

    >>> exact_array(np.array([0.1]), Origin("decimals", decimals=2), "x").entries
    (1/10,)
    """
    shape = must_be_matrix(array.shape, where)
    kind = array.dtype.kind
    if kind in "iu":
        entries = tuple(map(fmpq, array.ravel().tolist()))
        taken = Origin("written", origin.dtype, None, origin.file, origin.tensor)
        return Array(shape, entries, taken, ndim=array.ndim)
    if kind != "f" or array.dtype.name not in FLOATS:
        held = KINDS.get(kind, f"numbers of the kind {array.dtype.name}")
        raise ArrayError(f"{where}: holds {held}: expected real numbers; convert it first, such as array.astype(float)")
    numbers = array.astype(np.float64).ravel()
    _must_be_numbers(numbers, shape[1], where)
    listed = numbers.tolist()
    if origin.taken == "decimals":
        return Array(shape, _decimals(listed, origin.decimals or 0), origin, ndim=array.ndim)
    binary = tuple(None if x == -np.inf else fmpq(*x.as_integer_ratio()) for x in listed)
    return Array(shape, binary, origin, ndim=array.ndim)


def given_of(array: Any, origin: Origin, where: str) -> Given:
    """Convert an array of at most three axes: a number, a vector, a matrix, or several of one shape.

    Raises :class:`~symattn.base.errors.ArrayError` if it is not an array of real numbers.
    """
    if array.ndim != 3 or not len(array):
        return Given.of(exact_array(array, origin, where))
    if len(array) > limits.LIST_ENTRIES:
        raise ArrayError(f"{where}: more than LIST_ENTRIES = {limits.LIST_ENTRIES} matrices at once")
    return Given.stacked(
        [Given.of(exact_array(part, origin, f"{where}, matrix {k}")) for k, part in enumerate(array, 1)]
    )


def _must_be_numbers(numbers: Any, columns: int, where: str) -> None:
    wrong = np.flatnonzero(np.isnan(numbers) | (numbers == np.inf))
    if len(wrong):
        index = int(wrong[0])
        what = "is not a number (NaN)" if np.isnan(numbers[index]) else "is +∞; only −∞, as in a mask, can be used"
        raise ArrayError(f"{where}, row {index // columns + 1}, column {index % columns + 1}: {what}")


def _decimals(numbers: list[float], places: int) -> tuple[fmpq | None, ...]:
    """Return each number as the decimal that it prints: Python rounds a float's exact value, and ties to even."""
    scale, infinite = 10**places, float("-inf")
    texts = (None if x == infinite else f"{x:.{places}f}".replace(".", "") for x in numbers)
    return tuple(None if text is None else fmpq(int(text), scale) for text in texts)


def exact_rows(rows: Sequence[Sequence[Any]], where: str, place: Callable[[int, int], str]) -> Given:
    """Read rows of text, whole numbers, fractions or SymPy numbers as they are written.

    Raises :class:`~symattn.base.errors.ArrayError` with its ``place`` for a cell that is not a number.
    """
    try:
        return Given.read(rows)
    except FormulaError as error:
        cells = ((i, j, cell) for i, row in enumerate(rows) for j, cell in enumerate(row))
        raise ArrayError(f"{next((place(i, j) for i, j, x in cells if _is_wrong(x)), where)}: {error}") from None


def _is_wrong(cell: Any) -> bool:
    try:
        Given.read([[cell]])
    except FormulaError:
        return True
    return False
