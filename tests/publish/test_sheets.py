"""Formulas of spreadsheets say what equations say: every operation, worked out as a spreadsheet does, against NumPy."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np
import pytest

from symattn import derive
from symattn.api.publish.sheets.arithmetic import Workings
from symattn.api.publish.sheets.live import given_pieces, held, live, live_rows
from symattn.api.publish.sheets.pieces import SheetCell, SheetRange, SheetRows, worth, written
from symattn.base.shapes import whole_sizes
from symattn.compute.values.float64 import float64
from symattn.read.scenario.load import loads
from tests.examples import BY_OPERATION, SHAPES, VALUES, Names

_FUNCTIONS = (
    "SUM SUMPRODUCT SUMSQ MAX MIN RANK COUNTIF MATCH AND IF EXP LN SQRT TANH ERF SIN COS ACOS ATAN2 ABS INT MOD PI"
)
KNOWN_TO_ALL = frozenset(_FUNCTIONS.split())
"""Functions that Excel 2010, LibreOffice, Google Sheets, Numbers and Gnumeric have; none makes a formula of arrays."""

NAMES = {values: Names(values) for values in VALUES}
CASES = [(name, example.text) for name, examples in BY_OPERATION.items() for example in examples]


def called(piece: SheetCell | SheetRange) -> str:
    if isinstance(piece, SheetRange):
        return f"{called(piece.first)}:{called(piece.last)}"
    return f"{piece.block}.{piece.row}.{piece.column}"


def lies(area: str) -> tuple[int, int]:
    """How far a range goes down and to the right."""
    (i, j), (m, n) = (map(int, corner.split(".")[1:]) for corner in area.split(":"))
    return m - i, n - j


def computed(text: str, values: str) -> Iterator[tuple[np.ndarray, np.ndarray, list[str]]]:
    """What a sheet gets for an example, what NumPy gets, and the text of all formulas."""
    node = next(each.node for examples in BY_OPERATION.values() for each in examples if each.text == text)
    names = NAMES[values]
    work = Workings("result", {name: tuple(shape.sizes) for name, shape in SHAPES.items()})
    rows = live_rows(node, work)
    known = {SheetCell(name, i, j): float(x) for name in SHAPES for (i, j), x in np.ndenumerate(names.float64(name))}
    formulas = [written(piece, called) for block in work.closed() for piece in block.cells]
    expected = float64(node, names.float64)
    assert (len(rows), len(rows[0])) == whole_sizes(node) == expected.shape
    if not np.isfinite(expected).all():
        return
    for block in work.closed():
        for i, row in enumerate(block.rows):
            for j, piece in enumerate(row):
                known[SheetCell(block.key, i, j)] = worth(piece, known.__getitem__)
    found = [[worth(piece, known.__getitem__) for piece in row] for row in rows]
    yield np.array(found), expected, [*formulas, *(written(piece, called) for row in rows for piece in row)]


@pytest.mark.sampled(50)
@pytest.mark.parametrize(("operation", "text"), CASES, ids=[text for _, text in CASES])
def test_every_operation_is_a_formula(operation: str, text: str) -> None:
    seen = 0
    for values in ("rational", "twins", "zeros"):
        for found, expected, formulas in computed(text, values):
            seen += 1
            np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)
            for formula in formulas:
                assert set(re.findall(r"([A-Z][A-Z0-9]*)\(", formula)) <= KNOWN_TO_ALL
                for one, other in re.findall(r"SUMPRODUCT\(([^,]*),([^)]*)\)", formula):
                    assert lies(one) == lies(other)
    assert seen


EMPTY_ROW = """
title = "A row that sees nothing"
[figures]
on_empty = "zero"
[given]
M = [["-oo", "-oo"], ["0", "-oo"]]
S = [["1", "2"], ["3", "800"]]
[[section]]
title = "S"
steps = ["A = softmax(S + M)", "E = sigmoid(1000 * S)", "L = log_softmax(S)", "k = argmax(A)"]
"""
SOLUTIONS = {
    "weather": lambda: derive("weather"),
    "carried": lambda: derive("refund", carry="rounded", digits=3),
    "empty row": lambda: derive(loads(EMPTY_ROW)),
}


@pytest.mark.parametrize("name", SOLUTIONS)
def test_formulas_lead_to_what_is_printed(name: str) -> None:
    """From the given numbers alone, through all steps: masks, rows that see nothing and carried figures too."""
    store = SOLUTIONS[name]().store
    known: dict[SheetCell, float] = {}

    def remember(key: str, rows: SheetRows) -> None:
        for i, row in enumerate(rows):
            for j, piece in enumerate(row):
                known[SheetCell(key, i, j)] = worth(piece, known.__getitem__)

    for each in store:
        if each in store.givens:
            remember(each, given_pieces(store, each))
        else:
            step = live(store, each)
            for block in step.helpers:
                remember(block.key, block.rows)
            remember(each, step.rows)
        found = [known[SheetCell(each, i, j)] for i in range(store.rows(each)) for j in range(store.columns(each))]
        np.testing.assert_allclose(np.clip(found, -1e200, 1e200), np.clip(held(store, each), -1e200, 1e200), atol=1e-9)
