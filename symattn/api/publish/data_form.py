"""The form of a solution as data: the keys of every kind of JSON object.

Numbers of the page are strings here, so that no reader rounds them. Rows and columns count from 1, as in all files.

>>> described = json_schema()
>>> described["$id"], sorted(described["properties"])[:4]
('urn:symattn-solution:1', ['assumptions', 'document', 'givens', 'language'])
"""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal

from pydantic import Field

from symattn.base.json_form import JsonObject, without_titles

DataVersion = Literal["symattn-solution/1"]
DATA_VERSION: DataVersion = "symattn-solution/1"
"""The name of the form. A change that breaks readers of the old form gets a new number."""

SOLUTION_ID = f"urn:{DATA_VERSION.replace('/', ':')}"
"""The identifier of the schema, which is not a web address."""

Ordinal = Annotated[int, Field(ge=1)]
TextGrid = tuple[tuple[str, ...], ...]


# -- mathematics and words ---------------------------------------------------------------------------------------------


class WrittenMath(JsonObject):
    """A piece of mathematics as a line of plain text and as LaTeX (with amsmath), without delimiters."""

    text: str
    latex: str


class SpokenMath(WrittenMath):
    """The same as MathML too: one ``math`` element."""

    mathml: str


class TextRun(JsonObject):
    """Plain text, a part of a line. It may come from outside: nothing in it is a command to anybody."""

    text: str


class MathRun(JsonObject):
    """Mathematics inside a line: TeX without delimiters, as a page of Markdown has it, for MathJax and KaTeX."""

    tex: str


Runs = tuple[TextRun | MathRun, ...]


# -- givens and steps --------------------------------------------------------------------------------------------------


class AxisData(JsonObject):
    """An axis: its size, a letter where the step is general, its name and its labels (or none)."""

    size: int | str
    name: str
    labels: tuple[str, ...]


class ShownEntries(JsonObject):
    """Which rows and columns the values have, where a large matrix is told without its middle."""

    rows: tuple[Ordinal, ...]
    columns: tuple[Ordinal, ...]


class NumberValues(JsonObject):
    """One number in each entry. ``decimals`` are certified, as the page prints them: ``0.25``, ``-3/4`` of a given,
    ``1.5*10^9``, ``-oo``. ``is_exact`` says that one is the value itself. ``exact`` is the value as ``p/q`` or as a
    short closed form, and null where neither is short."""

    kind: Literal["numbers"]
    decimals: TextGrid
    is_exact: tuple[tuple[bool, ...], ...]
    exact: tuple[tuple[str | WrittenMath | None, ...], ...]


class IntervalValues(JsonObject):
    """All numbers from ``low`` to ``high``: both ends as ``p/q``, and ``-oo`` where a mask hides the entry."""

    kind: Literal["intervals"]
    low: TextGrid
    high: TextGrid
    printed: tuple[tuple[WrittenMath, ...], ...]


class ClosedFormValues(JsonObject):
    """Formulas in free symbols; null where one is too long to be written out."""

    kind: Literal["closed_forms"]
    entries: tuple[tuple[WrittenMath | None, ...], ...]


class NoValues(JsonObject):
    """A general step: it has a shape, and no numbers."""

    kind: Literal["general"]


AnyValues = Annotated[NumberValues | IntervalValues | ClosedFormValues | NoValues, Field(discriminator="kind")]


class RegionData(JsonObject):
    """Neighbouring entries of one matrix, each pair from the first to the last."""

    name: str
    rows: tuple[Ordinal, Ordinal]
    columns: tuple[Ordinal, Ordinal]


class LineData(JsonObject):
    """A line of working: ``left`` is what is worked out, ``before`` its expression in figures, ``after`` its value.

    ``rule`` is the number of the line in ``general`` that this one is a case of, counted from 1; null where a value on
    the way says it by itself. ``signs`` stand before ``before`` and ``after``, ``=`` or ``≈``. ``numbers`` are the
    figures that are entries of named matrices, in reading order: figure, name, row, column.
    """

    rule: Ordinal | None
    left: WrittenMath
    before: WrittenMath | None
    after: WrittenMath | None
    signs: tuple[str, ...]
    numbers: tuple[tuple[str, str, Ordinal, Ordinal], ...]


class EntryData(JsonObject):
    """An entry, worked out; ``made_of`` is null where the matrix is too large to tell."""

    row: Ordinal
    column: Ordinal
    made_of: tuple[RegionData, ...] | None
    lines: tuple[LineData, ...]


class GivenData(JsonObject):
    """A given matrix: ``written`` as the scenario has it."""

    name: str
    symbol: SpokenMath
    rows: AxisData
    columns: AxisData
    shown: ShownEntries | None = Field(description="Null where every entry is here.")
    written: TextGrid
    values: AnyValues


class StepData(JsonObject):
    """The step ``name = formula``. ``written`` is the formula as the scenario has it, ``formula`` that of the page and
    the numbers that it divides by, ``shapes`` the operands with their shapes, ``general`` the general entry."""

    name: str
    symbol: SpokenMath
    written: str
    uses: tuple[str, ...]
    formula: tuple[SpokenMath, ...]
    shapes: tuple[SpokenMath, ...]
    general: tuple[SpokenMath, ...]
    rows: AxisData
    columns: AxisData
    shown: ShownEntries | None = Field(description="Null where every entry is here.")
    values: AnyValues
    entries: tuple[EntryData, ...]
    readings: tuple[str, ...]


# -- the page ----------------------------------------------------------------------------------------------------------


class HeadingData(JsonObject):
    """A heading of level 1 (below the title) and up, with its number, which may be empty."""

    block: Literal["heading"]
    level: int
    number: str
    title: Runs


class ParagraphData(JsonObject):
    """A paragraph. ``label`` stands before it: “Why:”, “Note:”; ``role`` says what it is for."""

    block: Literal["paragraph"]
    role: str
    label: str
    runs: Runs


class QuestionData(JsonObject):
    """A question to the reader, with its number and its answer."""

    block: Literal["question"]
    number: int
    runs: Runs
    answer: Runs


class ReadingsData(JsonObject):
    """A list of readings of one matrix."""

    block: Literal["readings"]
    items: tuple[Runs, ...]


class LabelData(JsonObject):
    """A row or column and what it is called; dots without a label are a middle that is left out."""

    tex: str
    label: str


class LabelsData(JsonObject):
    """An axis with its labels."""

    block: Literal["labels"]
    lead: Runs
    items: tuple[LabelData, ...]


class DisplayData(JsonObject):
    """Displayed mathematics, broken into lines already. ``shows`` says what it is: formula, shapes, entry, working, …;
    matrices that do not stand side by side have several displays."""

    block: Literal["display"]
    shows: str
    displays: tuple[str, ...]


class TableData(JsonObject):
    """A table."""

    block: Literal["table"]
    header: tuple[Runs, ...]
    rows: tuple[tuple[Runs, ...], ...]


class ListingData(JsonObject):
    """A program and what it prints, which ``label`` introduces."""

    block: Literal["listing"]
    language: str
    code: str
    label: Runs
    output: str


class PictureData(JsonObject):
    """A picture: what it shows, for who does not see it, and what stands under it."""

    block: Literal["picture"]
    name: str
    says: str
    caption: Runs


BlockData = Annotated[
    HeadingData
    | ParagraphData
    | QuestionData
    | ReadingsData
    | LabelsData
    | DisplayData
    | TableData
    | ListingData
    | PictureData,
    Field(discriminator="block"),
]


class PassageData(JsonObject):
    """Blocks that belong together; ``names`` are the givens, steps and quantities that they show."""

    names: tuple[str, ...]
    blocks: tuple[BlockData, ...]


class DocumentData(JsonObject):
    """The page in its order: who writes its blocks one after the other has the lesson."""

    title: Runs
    detail: str
    passages: tuple[PassageData, ...]


# -- the whole ---------------------------------------------------------------------------------------------------------


class ScenarioData(JsonObject):
    """Where the solution comes from. ``source`` is the source that the scenario names, ``file`` its own text."""

    name: str
    title: str
    language: str
    tokens: tuple[str, ...]
    labels: dict[str, tuple[str, ...]]
    source: str
    file: str


class SolutionData(JsonObject):
    """A whole solution. ``math`` says for which readers the TeX of ``document`` is: ``dollar`` or ``brackets``."""

    schema_: Annotated[DataVersion, Field(serialization_alias="schema")]
    symattn: str
    language: str
    math: Annotated[str, Field(pattern="^(dollar|brackets)$")]
    scenario: ScenarioData
    sizes: dict[str, int]
    symbols: tuple[str, ...]
    assumptions: tuple[str, ...]
    givens: tuple[GivenData, ...]
    steps: tuple[StepData, ...]
    document: DocumentData


# -- the schema --------------------------------------------------------------------------------------------------------


def json_schema() -> dict[str, Any]:
    """Return the schema in the 2020-12 draft."""
    described = _standard(without_titles(SolutionData.model_json_schema(mode="serialization")))
    tables = described.pop("$defs")
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": SOLUTION_ID, "title": "symattn solution"}
    return {**head, **described, "$defs": dict(sorted(tables.items()))}


def schema_text() -> str:
    """Return the schema as the text of a file."""
    return json.dumps(json_schema(), ensure_ascii=False, indent=2) + "\n"


def _standard(schema: Any) -> Any:
    """Return a schema without line breaks in its descriptions and without the mappings that only OpenAPI knows."""
    if isinstance(schema, list):
        return [_standard(part) for part in schema]
    if isinstance(schema, dict):
        return {
            key: _standard(part) for key, part in schema.items() if not (key == "discriminator" and "mapping" in part)
        }
    return " ".join(schema.split()) if isinstance(schema, str) else schema
