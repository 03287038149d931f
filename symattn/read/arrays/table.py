"""Read a matrix from a CSV file: numbers as they are written, separated by commas, semicolons or tabs."""

from __future__ import annotations

import csv
import re
from decimal import Decimal

from flint import fmpq

from symattn.base import limits
from symattn.base.errors import ArrayError, shown
from symattn.read.arrays.exact import exact_rows, must_be_matrix
from symattn.read.given import Array, Given, Origin

_PLAIN = re.compile(r"([+-]?)(\d{1,400})?(?:\.(\d{0,400}))?(?:[eE]([+-]?\d{1,3}))?\Z", re.ASCII)
_INFINITE = {"-oo": None, "-inf": None, "-infinity": None, "-∞": None}
_REFUSED = frozenset({"nan", "inf", "+inf", "infinity", "+infinity", "oo", "+oo"})
"""Texts that programs print for NaN or +∞. A line of them is not skipped as a heading: it is refused."""
_SEPARATORS = (",", ";", "\t")


def read_table(text: str, decimals: int | None, where: str, file: str) -> Given:
    """Read the matrix in the text of a CSV file; a first line without a number in it is a heading.

    Raises :class:`~symattn.base.errors.ArrayError` with line and column if it is not a matrix.

    >>> read_table("a;b\\n0.5;1\\n", None, "x.csv", "x.csv").entries
    [1/2, 1]
    """
    lines = _lines(text, where)
    if lines and not any(_could_be_number(cell) for cell in lines[0][1]):
        lines = lines[1:]
    if not lines:
        raise ArrayError(f"{where}: holds no numbers: expected a line of numbers for each row")
    width = len(lines[0][1])
    for number, cells in lines:
        if len(cells) != width:
            came = "1 number" if len(cells) == 1 else f"{len(cells)} numbers"
            first = f"line {lines[0][0]} has {width}"
            raise ArrayError(f"{where}, line {number}: has {came}, {first}: expected rows of one length")
    shape = must_be_matrix((len(lines), width), where)
    numbers = [_plain(cell) for _, cells in lines for cell in cells]
    if any(number is None for number in numbers):
        return _with_roots(lines, decimals, where)
    entries = tuple(_rounded(number, decimals) for number, _ in filter(None, numbers))
    if decimals is not None:
        return Given.of(Array(shape, entries, Origin("decimals", "", decimals, file)))
    texts = tuple(text for _, text in filter(None, numbers))
    return Given.of(Array(shape, entries, Origin("written", "", None, file), texts))


def _lines(text: str, where: str) -> list[tuple[int, list[str]]]:
    """Return the non-empty lines: their numbers, and their cells without surrounding spaces."""
    first = next((line for line in text.splitlines() if line.strip()), "")
    separator = max(_SEPARATORS, key=first.count)
    reader = csv.reader(text.splitlines(), delimiter=separator, skipinitialspace=True)
    found: list[tuple[int, list[str]]] = []
    count = 0
    try:
        for cells in reader:
            if any(cell.strip() for cell in cells):
                found.append((reader.line_num, [cell.strip() for cell in cells]))
                count += len(cells)
                if count > limits.MATRIX_ENTRIES:
                    raise ArrayError(f"{where}: has more than MATRIX_ENTRIES = {limits.MATRIX_ENTRIES} numbers")
    except csv.Error as error:
        raise ArrayError(f"{where}, line {reader.line_num}: is not CSV: {error}") from None
    return found


def _could_be_number(cell: str) -> bool:
    return any(character.isdigit() for character in cell) or cell.lower() in _INFINITE or cell.lower() in _REFUSED


def _plain(cell: str) -> tuple[fmpq | None, str] | None:
    """Read a decimal exactly, and as the page prints it; return ``None`` for anything else."""
    if cell.lower() in _INFINITE:
        return None, "-oo"
    match = _PLAIN.match(cell)
    if match is None or abs(int(match[4] or 0)) > limits.NUMBER_LENGTH:
        return None
    sign, whole, fraction, power = match.groups()
    fraction = fraction or ""
    if not (whole or fraction):
        return None
    if power is None:
        negative = "-" if sign == "-" else ""
        return fmpq(int(negative + (whole or "") + fraction), 10 ** len(fraction)), (
            f"{negative}{whole or '0'}{'.' + fraction if fraction else ''}"
        )
    value = Decimal(cell)
    return fmpq(*value.as_integer_ratio()), format(value, "f")


def _rounded(number: fmpq | None, decimals: int | None) -> fmpq | None:
    if number is None or decimals is None:
        return number
    scale = 10**decimals
    size = abs(number * scale)
    nearest = (size + fmpq(1, 2)).floor()
    if size + fmpq(1, 2) == nearest and nearest % 2:
        nearest -= 1
    return fmpq(nearest if number > 0 else -nearest, scale)


def _with_roots(lines: list[tuple[int, list[str]]], decimals: int | None, where: str) -> Given:
    """Read cells as a scenario writes them: fractions, roots, powers. They have no decimals to round to."""

    def place(i: int, j: int) -> str:
        return f"{where}, line {lines[i][0]}, column {j + 1}"

    rows = [cells for _, cells in lines]
    if decimals is None:
        return exact_rows(rows, where, place)
    i, j = next((i, j) for i, cells in enumerate(rows) for j, cell in enumerate(cells) if _plain(cell) is None)
    raise ArrayError(f"{place(i, j)}: {shown(rows[i][j])} is no decimal: with decimals, expected numbers such as 0.21")
