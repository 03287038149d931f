"""The data inside an interactive page, as JSON: how every entry is computed, and the words of all languages.

All mathematics is written here, so that the page only inserts it. ``closed`` names the matrices that are too large to
be opened entry by entry, and the page says so.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from sympy import MatAdd, MatMul, MatrixExpr, MatrixSymbol, Transpose

from symattn.api.publish.edition import Edition
from symattn.base.budget import Budget, apart
from symattn.compute.values.certify import unless_open
from symattn.compute.values.reads import Region
from symattn.show.math import Chain, Math, Number
from symattn.show.openable import Openable, OpenEntry, OpenMatrix
from symattn.write import html as static
from symattn.write import mathml
from symattn.write.environment import Macros
from symattn.write.math_writer import NUMBER
from symattn.write.plain_math import characters

OPENED = 2048
"""The most entries of a matrix whose entries can be opened."""

OPENED_ALL = 6000
"""The most entries that one page opens: matrices early in the derivation have priority."""

OPENED_STEPS = 3_000_000
"""Steps of arithmetic that opening one matrix may cost, so that no matrix closes those behind it."""

WORDS = "touch_"
"""The prefix of the macros that a page takes from a language."""

Data = dict[str, Any]


def openable_names(edition: Edition, openable: Openable) -> tuple[list[Data], list[str]]:
    """Return the data of all names that can be opened, and the symbols of those that cannot, as text."""
    opened: list[Data] = []
    closed: list[str] = []
    room = OPENED_ALL
    for matrix in openable:
        if not matrix.has_entries:
            continue
        size = matrix.shape[0] * matrix.shape[1]
        if size > min(OPENED, room):
            closed.append(characters(matrix.symbol))
            continue
        with apart(Budget(OPENED_STEPS), charged=False):
            found = unless_open(partial(_name, matrix))
        if found is None:
            closed.append(characters(matrix.symbol))
            continue
        opened.append(found)
        room -= size
    return opened, closed


def _name(matrix: OpenMatrix) -> Data:
    rows, columns = matrix.shape
    entries = [matrix.entry(i, j) for i in range(rows) for j in range(columns)]
    step = matrix.step
    return {
        "name": matrix.name,
        "symbol": mathml.math(matrix.symbol),
        "text": characters(matrix.symbol),
        "given": matrix.is_given,
        "numbers": matrix.is_numbers,
        "rows": rows,
        "columns": columns,
        "axes": [str(step.shape.rows.name or ""), str(step.shape.columns.name or "")],
        "formula": _lines(matrix.formula),
        "says": characters(matrix.formula[0]) if matrix.formula else "",
        "shapes": _lines(matrix.shapes),
        "general": _lines(matrix.general),
        "shown": [[_cell(cell) for cell in row] for row in matrix.cells],
        "digits": {str(decimals): figures for decimals, figures in matrix.digits.items()},
        "entries": [_entry(entry) for entry in entries],
        "product": None if step.formula is None else factors(step.formula),
    }


def _entry(entry: OpenEntry) -> list[Any]:
    """Return the lines, the regions and the closed form of an entry, in a short form: there are thousands of them."""
    exact = 0 if entry.exact is None else mathml.math(entry.exact)
    return [_lines(entry.lines), [[name, *rows, *columns] for name, rows, columns in entry.made_of], exact]


def _lines(chains: Iterable[Chain]) -> list[str]:
    """Return statements as a row of formulas; on a narrow panel, lines break between them."""
    return [static.chain_row(chain) for chain in chains]


def _cell(cell: Math) -> str:
    """Return the content of a cell: a figure as its text, anything else as MathML."""
    return cell.text if isinstance(cell, Number) else mathml.DISPLAY.write(cell)


def figures_spelled_out(names: Iterable[Data]) -> dict[str, tuple[str, str]]:
    """Return figures that have more than digits and a point, such as 1.5·10⁹, as MathML and as text."""
    tables = (table for each in names for table in (each["shown"], *each["digits"].values()))
    texts = {text for table in tables for row in table for text in row}
    return {
        text: (mathml.DISPLAY.write(Number(text)), characters(Number(text)))
        for text in sorted(texts)
        if _is_written(text)
    }


def _is_written(text: str) -> bool:
    return NUMBER.match(text) is not None and not text.replace("-", "", 1).replace(".", "", 1).isdecimal()


def factors(formula: MatrixExpr) -> list[Any] | None:
    """Return the operands of a product of two names, or of a sum of names, for sentences about its entries.

    >>> Q, K = MatrixSymbol("Q", 2, 2), MatrixSymbol("K", 2, 2)
    >>> factors(Q * K.T), factors(MatAdd(Q, K, evaluate=False)), factors(K.T)
    (['times', ['Q', False], ['K', True]], ['plus', ['Q', False], ['K', False]], None)
    """
    sign = {MatMul: "times", MatAdd: "plus"}.get(type(formula))
    operands = [_factor(arg) for arg in formula.args]
    if sign is None or None in operands or (sign == "times" and len(operands) != 2):
        return None
    return [sign, *operands]


def _factor(operand: Any) -> list[Any] | None:
    if isinstance(operand, Transpose) and isinstance(operand.arg, MatrixSymbol):
        return [str(operand.arg.name), True]
    return [str(operand.name), False] if isinstance(operand, MatrixSymbol) else None


def ui(words: Macros) -> dict[str, str]:
    """Return the words of a page in one language, with blanks such as ``{name}`` for the page to fill."""
    found: dict[str, str] = {}
    for macro in sorted(words.known):
        if macro.startswith(WORDS):
            blanks = {name: f"{{{name}}}" for name in words.macro(macro).arguments}
            found[macro.removeprefix(WORDS)] = words.call(macro, blanks)
    return found


def axis_labels(edition: Edition, language: str) -> Mapping[str, Sequence[str]]:
    """Return the labels of each axis in a language; they are untrusted text."""
    return {axis: list(each) for axis, each in edition.scenario.told_in(language).labels.items() if each}


def entry_sentences(openable: Openable, words: Macros) -> dict[str, str]:
    """Return, for each step of at most ``OPENED`` entries, a sentence that says what its entry (i, j) is made of."""
    return {matrix.name: said for matrix in openable if matrix.has_entries and (said := _said(matrix, openable, words))}


def _said(matrix: OpenMatrix, openable: Openable, words: Macros) -> str:
    if matrix.is_given:
        return ""
    rows, columns = matrix.shape
    if rows * columns > OPENED:
        return ""
    made = {(i, j): matrix.made_of(i, j) for i in range(rows) for j in range(columns)}
    parts = list(_parts(made, openable, words))
    if not parts:
        return ""
    row, column = words.call("touch_row_at", {"at": "i"}), words.call("touch_column_at", {"at": "j"})
    place = words.call("touch_place", {"name": characters(matrix.symbol), "row": row, "column": column})
    form = factors(matrix.step.formula) if matrix.step.formula is not None else None
    if form is not None and form[0] == "times":
        left, right = form[1:]
        made_of = words.call(
            "touch_times",
            {"left": _line("row", "i", left, openable, words), "right": _line("column", "j", right, openable, words)},
        )
    else:
        made_of = words.call("list_of", {"items": parts})
    return words.call("touch_comes", {"place": place, "parts": made_of})


def _line(which: str, at: str, factor: Sequence[Any], openable: Openable, words: Macros) -> str:
    """Return the name of a row or column of a factor, which may be transposed."""
    name, is_turned = factor
    key = f"touch_turned_{which}" if is_turned else f"touch_{which}"
    return words.call(key, {"name": characters(openable[name].symbol), "at": at})


def _parts(made: Mapping[tuple[int, int], tuple[Region, ...]], openable: Openable, words: Macros) -> Iterator[str]:
    """Yield the parts that all entries have in common, described with the letters i and j."""
    names = {region.name for regions in made.values() for region in regions}
    for operand in (matrix for matrix in openable if matrix.name in names):
        name = operand.name
        shape, text = operand.shape, characters(operand.symbol)
        for key, told, where in _PATTERNS:
            if all(_only(regions, name) == where(i, j, *shape) for (i, j), regions in made.items()):
                yield words.call(f"touch_{key}", {"name": text, **told})
                break
        else:
            yield words.call("touch_some", {"name": text})


def _only(regions: Iterable[Region], name: str) -> tuple[tuple[int, int], tuple[int, int]] | None:
    found = [(region.rows, region.columns) for region in regions if region.name == name]
    return found[0] if len(found) == 1 else None


_PATTERNS: tuple[tuple[str, Mapping[str, str], Any], ...] = (
    ("whole", {}, lambda i, j, rows, columns: ((0, rows - 1), (0, columns - 1))),
    ("entry", {"row": "i", "column": "j"}, lambda i, j, rows, columns: ((i, i), (j, j))),
    ("row", {"at": "i"}, lambda i, j, rows, columns: ((i, i), (0, columns - 1))),
    ("column", {"at": "j"}, lambda i, j, rows, columns: ((0, rows - 1), (j, j))),
    ("row", {"at": "j"}, lambda i, j, rows, columns: ((j, j), (0, columns - 1))),
    ("column", {"at": "i"}, lambda i, j, rows, columns: ((0, rows - 1), (i, i))),
    ("entry", {"row": "j", "column": "i"}, lambda i, j, rows, columns: ((j, j), (i, i))),
)
"""Ways in which an entry is made of one matrix; the first that holds for all entries is used."""
