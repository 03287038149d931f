"""Whatever a formula has in common with NumPy means the same there: its value, its shape, how many axes it has."""

from __future__ import annotations

import json
import re
import tomllib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import pytest

from symattn import derive
from symattn.base.errors import SymattnError
from symattn.base.shapes import Axis, Shape
from symattn.operations.terms import Term
from symattn.read.scenario.load import loads
from tests.conftest import ROOT
from tests.formula.numpy_road import Array, NotSettledError, by_numpy, certified, difference, given, read, shape_of
from tests.formula.random_formulas import NO_NUMBERS, REFUSALS, VALUES, formula, worth

SHAPES = {name: shape_of(value) for name, value in VALUES.items()}
LETTERS = {1: "", 2: "k", 3: "n", 4: "d"}
NAMED = {
    name: Shape(*(Axis(axis.size, LETTERS[int(axis.size)]) for axis in (shape.rows, shape.columns)), shape.ndim)
    for name, shape in SHAPES.items()
}
"""The same with names for the axes, by their lengths."""

ALLOWED: Mapping[str, tuple[str, str]] = {
    "a whole number has a power below 1 too": ("negative integer powers", ""),
    "a number is a matrix of one entry": ("[01]-dim|of dimension 0|enough dimensions|array is 0", ""),
    "a number has methods too": ("object has no attribute", ""),
    "a number beside a list is a product of the two": ("not subscriptable", r"\d\)*\["),
    "a vector that lies as a column goes with the rows": ("broadcast", r"[(\[@.]"),
}
"""What is read though NumPy refuses it: why, what NumPy says, and what such a text looks like."""


def looked_at(text: str, shapes: Mapping[str, Shape]) -> str:
    """``same``, ``refused``, ``neither``, ``no number``, ``more``: what NumPy and symattn make of a text; fails where
    the two differ."""
    term = read(text, shapes, {})
    try:
        wanted = by_numpy(text, VALUES)
    except NO_NUMBERS:
        return "no number"
    except REFUSALS as error:
        return _is_refused_by_numpy(text, term, str(error))
    if worth(text) is None:
        return "no number"
    if not isinstance(term, Term):
        return "refused"
    assert term.expr.shape == term.shape.sizes, f"{text} lies as {term.expr.shape} and is said to be {term.shape}"
    try:
        wrong = difference(certified(term, VALUES, shapes, {}), wanted)
    except NotSettledError:
        return "no number"
    assert not wrong, f"{text} {wrong}"
    return "same"


def _is_refused_by_numpy(text: str, term: Term | SymattnError, error: str) -> str:
    if not isinstance(term, Term):
        return "neither"
    is_known = any(re.search(said, error) and re.search(form, text) for said, form in ALLOWED.values())
    assert is_known, f"{text} is read, and NumPy says {error}"
    return "more"


def outcomes(numbers: range) -> tuple[Counter[str], list[str]]:
    """What comes of the formulas of these numbers, and what is wrong, the shortest first."""
    found: Counter[str] = Counter()
    wrong = []
    for number in numbers:
        try:
            found[looked_at(formula(number), NAMED if number % 2 else SHAPES)] += 1
        except AssertionError as error:
            wrong.append(str(error))
    return found, sorted(wrong, key=len)


@pytest.mark.long
@pytest.mark.parametrize("numbers", [
    range(2_000),
    *(pytest.param(range(part * 20_000, (part + 1) * 20_000), marks=pytest.mark.slow) for part in (1, 2, 3)),
])  # fmt: skip
def test_whatever_is_read_has_the_value_and_the_shape_that_numpy_gives_it(numbers: range) -> None:
    found, wrong = outcomes(numbers)
    assert not wrong, "\n".join(wrong[:5])
    assert found["same"] >= FLOOR * (found["same"] + found["refused"]), found


FLOOR = 0.8
"""The share of NumPy's formulas that has to be read."""


# -- documents: worked examples in the styles of published tutorials ---------------------------------------------------


TABLES = {
    path.stem: tomllib.loads(path.read_text(encoding="utf-8")) for path in (ROOT / "tests" / "corpus").glob("*.toml")
}
NAMES = sorted(TABLES)
WHOLE = [name for name in NAMES if "gaps" not in TABLES[name]]


@dataclass(frozen=True)
class Line:
    """A step as its author types it, what is meant, and what is wrong with what symattn makes of it."""

    name: str
    text: str
    reading: str
    value: Array
    wrong: str
    has_two_readings: bool = False


@dataclass(frozen=True)
class Document:
    """A worked example, each step of which was read by itself, over the values that NumPy has for the earlier ones."""

    name: str
    table: Mapping[str, Any]
    lines: tuple[Line, ...]

    @property
    def gaps(self) -> Mapping[str, str]:
        return {line.name: line.wrong for line in self.lines if line.wrong}

    @property
    def is_typed(self) -> bool:
        return not any(line.wrong or line.has_two_readings for line in self.lines)


@cache
def document(name: str) -> Document:
    table = TABLES[name]
    sizes = table.get("sizes", {})
    values: dict[str, Array] = {key: given(entries) for key, entries in table.get("given", {}).items()}
    shapes = {key: shape_of(value) for key, value in values.items()}
    lines = []
    for key, typed in table["steps"].items():
        text, reading, *others = (typed, typed) if isinstance(typed, str) else typed
        value = by_numpy(reading, {**sizes, **values})
        if others:
            wrong, shape = refused_with(text, (reading, *others), shapes, sizes), shape_of(value)
        else:
            wrong, shape = step_looked_at(text, value, values, shapes, sizes)
            if not wrong and text != reading:  # what is meant can be typed too
                wrong, _ = step_looked_at(reading, value, values, shapes, sizes)
        lines.append(Line(key, text, reading, value, wrong, bool(others)))
        values[key], shapes[key] = value, shape
    return Document(name, table, tuple(lines))


def step_looked_at(
    text: str, value: Array, values: Mapping[str, Array], shapes: Mapping[str, Shape], sizes: Mapping[str, int]
) -> tuple[str, Shape]:
    """What is wrong with how a text is read, and the shape that is to be gone on with."""
    term = read(text, shapes, sizes)
    if isinstance(term, SymattnError):
        return f"refused: {term}", shape_of(value)
    wrong = difference(certified(term, values, shapes, sizes), value)
    return (f"{text}: {wrong}", shape_of(value)) if wrong else ("", term.shape)


def refused_with(text: str, readings: tuple[str, ...], shapes: Mapping[str, Shape], sizes: Mapping[str, int]) -> str:
    """What is wrong with how a text with several readings is refused."""
    said = read(text, shapes, sizes)
    if not isinstance(said, SymattnError):
        return f"{text}: is read as {said.expr}"
    return "" if all(reading in str(said) for reading in readings) else f"refused without {readings}: {said}"


@pytest.mark.long
@pytest.mark.parametrize("name", NAMES)
def test_a_worked_example_is_read_as_its_author_types_it(name: str) -> None:
    found = document(name)
    listed = found.table.get("gaps", {})
    assert found.gaps.keys() - listed.keys() == set(), found.gaps
    assert listed.keys() - found.gaps.keys() == set(), "these can be typed by now: take them out of the list"


@pytest.mark.long
@pytest.mark.parametrize("name", WHOLE)
def test_a_whole_document_is_a_scenario_with_the_values_that_numpy_finds(name: str) -> None:
    found = document(name)
    solution = derive(loads(scenario_of(found)))
    for line in found.lines:
        certified_figures = [float(entry.mid()) for entry in solution.enclosure(line.name).entries()]
        assert np.allclose(certified_figures, line.value.reshape(-1), rtol=1e-9, atol=1e-9), line.text


@pytest.mark.slow
@pytest.mark.parametrize("name", WHOLE)
def test_a_whole_document_has_pages_in_every_language_and_format(name: str) -> None:
    solution = derive(loads(scenario_of(document(name))))
    for language in ("en", "zh-Hant", "zh-Hans"):
        for form in ("markdown", "latex", "typst"):
            page = solution.render(form, language=language, detail="entries" if form == "latex" else "steps")
            assert "nan" not in page


def scenario_of(found: Document) -> str:
    """The document as the file that its author would write."""
    texts = {line.name: line.reading if line.has_two_readings else line.text for line in found.lines}
    steps = ",\n".join(f"  {quoted(f'{name} = {text}')}" for name, text in texts.items())
    head = f'title = {quoted(found.table["title"])}\nlanguage = "en"\n'
    sizes = "\n".join(f"{name} = {size}" for name, size in found.table.get("sizes", {}).items())
    givens = "\n".join(f"{name} = {quoted(value)}" for name, value in found.table.get("given", {}).items())
    return f'{head}[sizes]\n{sizes}\n[given]\n{givens}\n[[section]]\ntitle = "All"\nsteps = [\n{steps},\n]\n'


def quoted(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def test_most_of_what_people_type_is_read_as_it_is() -> None:
    """A floor: it may rise and never falls."""
    lines = [line for name in NAMES for line in document(name).lines]
    typed = [line for line in lines if not line.wrong and not line.has_two_readings]
    whole = [name for name in NAMES if document(name).is_typed]
    share = f"{len(typed)} of {len(lines)} steps, {len(whole)} of {len(NAMES)} documents"
    assert (len(typed), len(whole)) >= TYPED, share


TYPED = (385, 47)
