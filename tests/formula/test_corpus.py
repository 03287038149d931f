"""Formulas as people write them: worked examples in the styles of published tutorials, read as they are typed.

Every document of tests/corpus is a file of givens and steps, ``name = "formula"`` or ``name = ["formula", "reading"]``.
The reading says in the plainest form of the language what is meant; where there is none, the formula is NumPy's own.
NumPy works the readings out. Where the list goes on with what else can be meant, the text has to be refused with all of
it. Steps that cannot be typed are listed under ``gaps`` with the reason, and no others.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import pytest

from symattn import derive
from symattn.base.errors import SymattnError
from symattn.base.shapes import Shape
from symattn.read.scenario.load import loads
from tests.conftest import ROOT
from tests.formula.numpy_road import Array, by_numpy, certified, difference, given, read, shape_of

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
            wrong, shape = looked_at(text, value, values, shapes, sizes)
            if not wrong and text != reading:  # what is meant can be typed too
                wrong, _ = looked_at(reading, value, values, shapes, sizes)
        lines.append(Line(key, text, reading, value, wrong, bool(others)))
        values[key], shapes[key] = value, shape
    return Document(name, table, tuple(lines))


def looked_at(
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


@pytest.mark.parametrize("name", NAMES)
def test_a_worked_example_is_read_as_its_author_types_it(name: str) -> None:
    found = document(name)
    listed = found.table.get("gaps", {})

    assert found.gaps.keys() - listed.keys() == set(), found.gaps
    assert listed.keys() - found.gaps.keys() == set(), "these can be typed by now: take them out of the list"


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

    assert (len(typed), len(whole)) >= FLOOR, share


FLOOR = (385, 47)
