"""Build matrices from any Python source: lists, NumPy arrays, tensors, paths of files."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import replace
from numbers import Integral, Number, Real
from pathlib import Path
from typing import Any

from flint import fmpq
from sympy import Expr

from symattn.base import limits
from symattn.base.errors import ArrayError
from symattn.read.arrays.exact import check_decimals, exact_array, exact_rows, given_of
from symattn.read.arrays.files import read_file
from symattn.read.given import Array, Given, Origin


def matrix(
    source: object, decimals: int | None = None, *, tensor: str | None = None, where: str = "matrix(…)"
) -> Given:
    """Return the matrix in ``source``, exactly.

    ``source`` is a list of rows, a list of numbers (a vector), a number, an array of NumPy, a tensor (an object with
    ``detach`` and ``numpy``, or ``__array__``), or the path of a file: ``.csv``, ``.npy``, ``.npz`` or
    ``.safetensors``, of which ``tensor`` names the tensor. A cell of a list may also be text, as in a scenario:
    ``"sqrt(2)/2"``.

    A binary float is taken as the exact rational it is; with ``decimals`` each number is the decimal that it prints
    with so many decimals, ties to even.

    >>> matrix([["1/3", 2], [3, "-oo"]]).shape
    (2, 2)
    >>> matrix([0.1], decimals=1).entries
    [1/10]
    >>> matrix([[1, 2], [3]])
    Traceback (most recent call last):
        ...
    symattn.base.errors.ArrayError: matrix(…): row 2 has length 1, row 1 has length 2: expected rows of one length

    Raises :class:`~symattn.base.errors.ArrayError` for what is no matrix of real numbers.
    """
    check_decimals(decimals, where)
    if isinstance(source, Given):
        return source
    if isinstance(source, str | Path):
        return read_file(Path(source), decimals, tensor)
    if tensor is not None:
        raise ArrayError(f"{where}: tensor = {tensor!r} is for a file that holds several: this is {_called(source)}")
    if hasattr(source, "detach") or hasattr(source, "__array__"):
        array, dtype = as_array(source, where)
        return given_of(array, _origin(dtype, decimals), where)
    if isinstance(source, Sequence) and not isinstance(source, bytes | bytearray | memoryview):
        if any(_is_row(row) and any(map(_is_row, row)) for row in source):
            parts = [matrix(part, decimals, where=f"{where}, matrix {k}") for k, part in enumerate(source, 1)]
            if len({part.sizes for part in parts}) > 1 or parts[0].ndim != 2:
                raise ArrayError(f"{where}: expected matrices of one shape in the list")
            return Given.stacked(parts)
        is_vector = len(source) > 0 and not any(_is_row(row) or hasattr(row, "tolist") for row in source)
        return replace(_from_rows(source, decimals, where), ndim=1 if is_vector else 2)
    if isinstance(source, Number | Expr):
        return replace(_from_rows([[source]], decimals, where), ndim=0)
    raise ArrayError(f"{where}: {_called(source)} is no matrix: expected rows of numbers, an array, a tensor or a file")


def as_array(source: Any, where: str) -> tuple[Any, str]:
    """Convert to a NumPy array with the same numbers, and return it with the original dtype.

    Raises :class:`~symattn.base.errors.ArrayError` if that is impossible.
    """
    import numpy as np

    try:
        if hasattr(source, "detach"):
            source = source.detach()
            source = source.cpu() if hasattr(source, "cpu") else source
            dtype = str(source.dtype).rpartition(".")[2]
            # NumPy has no bfloat16; single precision holds each of these numbers exactly.
            array = np.asarray(source.float().numpy() if "bfloat16" in dtype else source.numpy())
        else:
            array = np.asarray(source)
            dtype = array.dtype.name
            array = array.astype(np.float32) if dtype == "bfloat16" else array
    except (TypeError, ValueError, RuntimeError, AttributeError, MemoryError) as error:
        raise ArrayError(f"{where}: {_called(source)} cannot be read as an array: {error}") from None
    return array, dtype


def _origin(dtype: str, decimals: int | None) -> Origin:
    return Origin("binary" if decimals is None else "decimals", dtype, decimals)


def _called(source: object) -> str:
    name = type(source).__name__
    return f"{'an' if name[0] in 'aeiouAEIO' else 'a'} {name}"


def _from_rows(source: Sequence[Any], decimals: int | None, where: str) -> Given:
    rows = [row.tolist() if hasattr(row, "tolist") else row for row in source]
    if rows and not any(_is_row(row) for row in rows):
        rows = [rows]
    for i, row in enumerate(rows):
        if not _is_row(row):
            raise ArrayError(f"{where}: row {i + 1} is {_called(row)}: expected a list of numbers")
        if len(row) != len(rows[0]):
            first, came = len(rows[0]), len(row)
            raise ArrayError(
                f"{where}: row {i + 1} has length {came}, row 1 has length {first}: expected rows of one length"
            )
    cells = [cell for row in rows for cell in row]
    if not cells:
        raise ArrayError(f"{where}: is empty: a matrix needs at least one number")
    if len(cells) > limits.MATRIX_ENTRIES:
        raise ArrayError(f"{where}: has more than MATRIX_ENTRIES = {limits.MATRIX_ENTRIES} numbers")
    if any(_is_float(cell) for cell in cells):
        return Given.of(_of_floats(cells, len(rows), decimals, where))
    return exact_rows(rows, where, lambda i, j: f"{where}, row {i + 1}, column {j + 1}")


def _is_row(row: object) -> bool:
    return isinstance(row, Sequence) and not isinstance(row, str | bytes | bytearray)


def _is_float(cell: object) -> bool:
    return isinstance(cell, float) or (
        isinstance(cell, Real) and type(cell).__module__ == "numpy" and not isinstance(cell, Integral)
    )


def _of_floats(cells: list[Any], rows: int, decimals: int | None, where: str) -> Array:
    """Convert rows with a float in them; the other numbers are floats or whole numbers."""
    import numpy as np

    columns = len(cells) // rows
    for index, cell in enumerate(cells):
        if isinstance(cell, bool) or not isinstance(cell, int | float | np.integer | np.floating):
            place = f"row {index // columns + 1}, column {index % columns + 1}"
            raise ArrayError(
                f'{where}, {place}: {_called(cell)} among floats: write all entries as text such as "0.21", '
                "or all as numbers"
            )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            array = np.array(cells, dtype=np.float64).reshape(rows, columns)
        except (OverflowError, RuntimeWarning):
            raise ArrayError(f"{where}: holds a whole number too large for a float: write it as text") from None
    exact = exact_array(array, _origin("float64", decimals), where)
    if decimals is not None:
        return exact
    # A whole number beyond 2^53 stays exact and is not rounded to the nearest float.
    entries = tuple(
        fmpq(int(c)) if isinstance(c, int | np.integer) else x for c, x in zip(cells, exact.entries, strict=True)
    )
    return Array(exact.shape, entries, exact.origin)
