"""Workbooks: every number is the certified one, every formula computes it, answers are marked, nothing is run."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from decimal import ROUND_HALF_UP, Decimal
from itertools import cycle, product
from math import isfinite
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from symattn import derive
from symattn.api.publish.sheets.arithmetic import Workings
from symattn.api.publish.sheets.live import given_pieces, held, live, live_rows
from symattn.api.publish.sheets.pieces import SheetCell, SheetRange, SheetRows, cell_formula, worth
from symattn.api.worked import WorkedSolution
from symattn.base.errors import OutputError, RenderError, SymattnError
from symattn.base.shapes import whole_sizes
from symattn.base.words import languages
from symattn.compute.solution import Solution
from symattn.compute.values.float64 import float64
from symattn.read.catalogue import entries
from symattn.read.given import Given
from symattn.read.scenario.load import builtin_names, loads
from symattn.read.scenario.model import StepItem
from symattn.show.build import scenario_names
from symattn.write.plain_math import characters
from tests.cases import solved
from tests.examples import BY_OPERATION, SHAPES, TABLES, VALUES, Names
from tests.readers.files import recalculated, workbook

NEAR = 1e-9
ENDLESS = 1e200


def made(solution: WorkedSolution, **choices: Any) -> Any:
    (data,) = solution.files("lesson.xlsx", **choices).values()
    assert isinstance(data, bytes)
    return data


@dataclass(frozen=True)
class Block:
    """A matrix on a sheet: its sheet, and the row and column of its upper left cell, counted from 1."""

    sheet: str
    row: int
    column: int

    def cell(self, book: Any, i: int, j: int) -> Any:
        return book[self.sheet].cell(self.row + i, self.column + j)


def blocks(book: Any, solution: WorkedSolution, language: str) -> dict[str, Block]:
    """The matrices of a workbook by their names, found by what stands in bold above them: ``A (3×3)``."""
    store, names = solution.store, scenario_names(solution.scenario.told_in(language))
    found: dict[str, Block] = {}
    for name in (each for each in store if not store.step(each).general):
        called, shape = characters(names(name)), f"({store.rows(name)}×{store.columns(name)})"
        for sheet in book.worksheets:
            for cell in sheet["A"]:
                text = cell.value if isinstance(cell.value, str) and cell.font.bold else ""
                if text == f"{called} {shape}" or (text.startswith(f"{called} = ") and text.endswith(f" {shape}"[-6:])):
                    found.setdefault(name, Block(sheet.title, cell.row + 2, 2))
    return found


def value_of(solution: Solution, name: str, i: int, j: int) -> float:
    """The certified value as a sheet holds it: −10^300 for −∞."""
    found = float(solution.store.enclosure(name, 96)[i, j].mid())
    return found if isfinite(found) else -1e300


def is_near(found: object, value: float) -> bool:
    if not isinstance(found, int | float):
        return False
    return found <= -ENDLESS if value <= -ENDLESS else abs(found - value) <= NEAR * max(1.0, abs(value))


def wrong_cells(solution: Solution, places: Mapping[str, Block], book: Any) -> list[tuple[object, ...]]:
    """The cells of all matrices that do not hold the certified value."""
    found: list[tuple[object, ...]] = []
    for name, block in places.items():
        for i, j in product(range(solution.store.rows(name)), range(solution.store.columns(name))):
            cell = block.cell(book, i, j)
            if not is_near(cell.value, value_of(solution, name, i, j)):
                found.append((name, i, j, cell.value, value_of(solution, name, i, j)))
    return found


def printed(value: float, decimals: int) -> Decimal:
    """A double as a spreadsheet prints it: rounded from its 15 digits."""
    return Decimal(f"{value:.15g}").quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP)


def expected_names(solution: WorkedSolution) -> set[str]:
    """The names that have numbers, none of them and of what they rest on beyond what a double holds; no given that
    nobody uses."""
    store = solution.store
    items = [item for section in solution.scenario.sections for item in section.items]
    hidden = {item.name for item in items if isinstance(item, StepItem) and not item.shown}
    made = [name for name in store if name not in {*hidden, *solution.givens}]
    used = {each for name in made for each in store.derivation.behind([name])}

    def is_held(name: str) -> bool:
        if store.step(name).general or store.shown(name).name != "FIGURES":
            return False
        return all(not x.is_finite() or abs(x) < 1e200 for x in store.enclosure(name, 96).entries())

    found = {name for name in store if name in used and is_held(name) and all(map(is_held, store.needed(name)))}
    return found - hidden


# -- what is written ---------------------------------------------------------------------------------------------


@pytest.mark.long
@pytest.mark.parametrize(("name", "language"), [("weather", "en"), ("refund", "zh-Hans")])
def test_every_number_is_the_certified_one(name: str, language: str) -> None:
    solution = solved(name)
    data = made(solution, language=language)
    values, formulas = workbook(data), workbook(data, values=False)
    places = blocks(values, solution, language)
    assert places.keys() >= expected_names(solution)
    assert wrong_cells(solution, {each: places[each] for each in expected_names(solution)}, values) == []
    for each in expected_names(solution):
        for i, row in enumerate(solution.store.figures(each)):
            for j, figure in enumerate(row):
                cell = places[each].cell(formulas, i, j)
                if "." in figure.text:
                    decimals = len(figure.text.partition(".")[2])
                    assert printed(places[each].cell(values, i, j).value, decimals) == Decimal(figure.text)
                    assert f"0.{'0' * decimals}" in cell.number_format


OUTSIDE = ("=cmd()", "+1", "@x", "-x", "</script><script>", "*_$", "\\input{x}", "{{7*7}}", "'", "1e5")


def test_words_from_outside_are_texts() -> None:
    rows = json.dumps([["1"]] * len(OUTSIDE))
    text = (
        f"title = '=1+1'\ntokens = {json.dumps(OUTSIDE)}\n[given.X]\nvalue = {rows}\naxes = ['n', '1']\n[[section]]\n"
    )
    text += "title = \"[a]:*?/\\\\ 'b' &P\"\nsteps = [{ show = 'X' }, 'Y = X @ X.T', 'A = softmax(Y)']\n"
    book = workbook(made(derive(loads(text)), language="en"), values=False)
    texts = {cell.value: cell.data_type for sheet in book.worksheets for row in sheet.iter_rows() for cell in row}
    assert all(texts[word] == "s" for word in (*OUTSIDE, "=1+1"))
    formulas = {value for value, kind in texts.items() if kind == "f"}
    assert formulas
    assert not any("cmd" in value or "1+1" in value for value in formulas)
    assert all(len(sheet.title) <= 31 and not set(sheet.title) & set("[]:*?/\\") for sheet in book.worksheets)


def test_the_same_solution_is_the_same_file() -> None:
    solution = solved("refund")
    assert made(solution) == made(solution)
    assert made(solution, blank=True) == made(solution, blank=True)


def test_what_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    solution = solved("refund")
    with pytest.raises(RenderError, match="format markdown has no blank: expected xlsx"):
        solution.render(blank=True)
    with pytest.raises(RenderError, match="format xlsx has no fragment"):
        made(solution, fragment=True)
    monkeypatch.setitem(sys.modules, "xlsxwriter", None)
    with pytest.raises(OutputError, match=r"pip install 'symattn\[xlsx\]'"):
        made(solution)


def test_what_is_no_number_is_said() -> None:
    sentence = "These entries are no certified numbers, so no formula computes them here"
    free = loads(
        "title = 'Free'\nsymbols = ['t']\n[given]\nX = [['1', 't']]\n[[section]]\ntitle = 'S'\nsteps = ['Y = X * 2']\n"
    )
    book = workbook(made(derive(free), language="en"), values=False)
    texts = [str(cell.value) for sheet in book.worksheets for row in sheet.iter_rows() for cell in row if cell.value]
    assert any(text.startswith(sentence) for text in texts)
    assert "Y (1×2)" in texts
    assert "2 t" in texts


def test_nothing_of_a_blank_workbook_tells_an_answer() -> None:
    solution = solved("weather")
    book = workbook(made(solution, blank=True, language="en"), values=False)
    assert book["symattn"].sheet_state == "veryHidden"
    given = {figure.text for name in solution.givens for row in solution.store.figures(name) for figure in row}
    answers = {
        figure.text for name in solution if name not in solution.givens for row in solution.store.figures(name)
        for figure in row if len(figure.text) > 5
    }  # fmt: skip
    cells = (cell for sheet in book.worksheets if sheet.title != "symattn" for row in sheet.iter_rows() for cell in row)
    shown = [str(cell.value) for cell in cells if cell.data_type == "s"]
    assert not [(text, answer) for text in shown for answer in answers - given if answer in text]


# -- what LibreOffice makes of it --------------------------------------------------------------------------------


def every_operation(values: str) -> WorkedSolution:
    """A lesson with an example of every operation as a step, somebody's own among them, for the values of the names."""
    text = [f"title = {json.dumps(values)}", "[given]"]
    text += [f"{name} = {json.dumps(rows)}" for name, rows in VALUES[values].items()]
    for name, table in TABLES.items():
        text += [f"[operation.{name}]"]
        text += [f"{key} = {json.dumps(value)}" for key, value in table.items() if key != "page"]
        text += [f"[operation.{name}.page]", *(f"{key} = {json.dumps(x)}" for key, x in table["page"].items())]
    steps, known = [], "\n".join(text)
    for place, example in enumerate(each.text for examples in BY_OPERATION.values() for each in examples):
        step = f"r_{place} = {example}"
        try:
            solution = derive(loads(f"{known}\n[[section]]\ntitle = 'S'\nsteps = {json.dumps([step])}\n"))
            solution.decimals(f"r_{place}", 6)
        except SymattnError:
            continue  # it is not defined for these values
        steps.append(step)
    assert len(steps) > 100
    return derive(loads(f"{known}\n[[section]]\ntitle = 'S'\nsteps = {json.dumps(steps)}\n"))


def lessons(lesson: Callable[..., str]) -> dict[str, WorkedSolution]:
    """All scenarios, a lesson of every entry of the catalogue, and every operation."""
    found = {name: solved(name) for name in builtin_names()}
    found |= {f"catalogue-{entry.name}": derive(loads(lesson(entry.name))) for entry in entries()}
    return found | {f"operations-{values}": every_operation(values) for values in ("rational", "twins")}


@pytest.mark.slow
def test_libreoffice_computes_every_cell(lesson: Callable[..., str], tmp_path: Path) -> None:
    solutions = lessons(lesson)
    spoken = dict(zip(solutions, cycle(languages()), strict=False))
    for name, solution in solutions.items():
        (tmp_path / f"{name}.xlsx").write_bytes(made(solution, language=spoken[name]))
    books = recalculated(sorted(tmp_path.glob("*.xlsx")), tmp_path / "office")
    wrong: dict[str, list[tuple[object, ...]]] = {}
    for name, solution in solutions.items():
        places = blocks(workbook((tmp_path / f"{name}.xlsx").read_bytes(), values=False), solution, spoken[name])
        names = expected_names(solution)
        assert places.keys() >= names, name
        wrong[name] = wrong_cells(solution, {each: places[each] for each in names}, books[name])
    assert {name: cells for name, cells in wrong.items() if cells} == {}


CHANGED = {"weather": 12, "journey": 6, "refund": 6, "good": 6, "ironman": 6, "bank": 6}
"""How many workbooks of each are changed, each in six places."""
AT_ONCE = 6


def changed(solution: WorkedSolution, draw: Random) -> tuple[Solution, list[tuple[str, int, int, float]]]:
    """A solution in which some given decimals are others, and which."""
    rows = {
        name: [[str(x) for x in row] for row in given.values]
        for name, given in solution.givens.items()
        if name in solution and name in expected_names(solution)
    }
    free = [
        (name, i, j)
        for name, given in solution.givens.items()
        if name in rows
        for i, row in enumerate(given.texts)
        for j, text in enumerate(row)
        if "." in text
    ] or [(name, i, j) for name in rows for i, row in enumerate(rows[name]) for j in range(len(row))]
    changes = []
    for name, i, j in draw.sample(free, min(AT_ONCE, len(free))):
        number = draw.randrange(-2000, 2000)
        rows[name][i][j] = f"{number}/1000"
        changes.append((name, i, j, number / 1000))
    names = {name for name, *_ in changes}
    givens = {name: Given.read(rows[name]) if name in names else given for name, given in solution.givens.items()}
    return Solution(solution.derivation, givens, replace(solution.style)), changes


@pytest.mark.slow
def test_changes_of_givens_lead_to_symattns_own_solution(tmp_path: Path) -> None:
    draw, others, count = Random(16), {}, 0
    for name, times in CHANGED.items():
        solution = solved(name)
        data = made(solution, language="en")
        places = blocks(workbook(data, values=False), solution, "en")
        for time in range(times):
            other, changes = changed(solution, draw)
            book = workbook(data, values=False)
            for given, i, j, value in changes:
                places[given].cell(book, i, j).value = value
            book.save(tmp_path / f"{name}-{time}.xlsx")
            names = expected_names(solution) & {each for each in other if each not in others}
            others[f"{name}-{time}"] = (other, {each: places[each] for each in names})
            count += len(changes)
    assert count >= 200
    books = recalculated(sorted(tmp_path.glob("*.xlsx")), tmp_path / "office")
    wrong = {name: wrong_cells(other, places, books[name]) for name, (other, places) in others.items()}
    assert {name: cells[:5] for name, cells in wrong.items() if cells} == {}


@pytest.mark.slow
@pytest.mark.parametrize("name", builtin_names())
def test_answers_are_marked(name: str, tmp_path: Path) -> None:
    solution = solved(name)
    data = made(solution, blank=True, language="en")
    book, draw = workbook(data, values=False), Random(name)
    places = {each: place for each, place in blocks(book, solution, "en").items() if each in expected_names(solution)}
    steps = [each for each in places if each not in solution.givens]
    right = 0
    for each in steps:
        for i, row in enumerate(solution.store.figures(each)):
            for j, figure in enumerate(row):
                cell = places[each].cell(book, i, j)
                assert cell.value is None
                kind = draw.choice(("right", "wrong", "nothing"))
                value = value_of(solution, each, i, j)
                decimals = len(figure.text.partition(".")[2])
                if kind == "right":
                    cell.value = "-oo" if value <= -ENDLESS else round(value, decimals)
                elif kind == "wrong":
                    cell.value = 7 if value <= -ENDLESS else value + 400 * 10.0**-decimals
                right += kind == "right"
    book.save(tmp_path / "filled.xlsx")
    done = recalculated([tmp_path / "filled.xlsx"], tmp_path / "office")["filled"]
    assert done.worksheets[0]["D2"].value == right
    scored = [sheet for sheet in done.worksheets[1:] if str(sheet["C2"].value).startswith("Right answers")]
    assert sum(sheet["G2"].value for sheet in scored) == right
    assert wrong_cells(solution, {each: places[each] for each in places if each in solution.givens}, done) == []


# -- formulas of spreadsheets say what equations say, against NumPy ----------------------------------------------------


_FUNCTIONS = (
    "SUM SUMPRODUCT SUMSQ MAX MIN RANK COUNTIF MATCH AND IF EXP LN SQRT TANH ERF SIN COS ACOS ATAN2 ABS INT MOD PI"
)
KNOWN_TO_ALL = frozenset(_FUNCTIONS.split())
"""Functions that Excel 2010, LibreOffice, Google Sheets, Numbers and Gnumeric have; none makes a formula of arrays."""

NAMES = {values: Names(values) for values in VALUES}
OPERATIONS = [(name, example.text) for name, examples in BY_OPERATION.items() for example in examples]


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
    formulas = [cell_formula(piece, called) for block in work.closed() for piece in block.cells]
    expected = float64(node, names.float64)
    assert (len(rows), len(rows[0])) == whole_sizes(node) == expected.shape
    if not np.isfinite(expected).all():
        return
    for block in work.closed():
        for i, row in enumerate(block.rows):
            for j, piece in enumerate(row):
                known[SheetCell(block.key, i, j)] = worth(piece, known.__getitem__)
    found = [[worth(piece, known.__getitem__) for piece in row] for row in rows]
    yield np.array(found), expected, [*formulas, *(cell_formula(piece, called) for row in rows for piece in row)]


@pytest.mark.sampled(50)
@pytest.mark.parametrize(("operation", "text"), OPERATIONS, ids=[text for _, text in OPERATIONS])
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
