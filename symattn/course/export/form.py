"""The form of exported exercises: what a JSON object of each kind holds, key by key.

``question``, ``steps`` and the words of ``mistakes`` are there for whoever shows exercises; what an exercise is when it
is read again stands in the other keys. Rows and columns are counted from 1, as everywhere in files.

>>> described = json_schema()
>>> described["title"], sorted(described["$defs"]["ExerciseForm"]["properties"])[:3]
('symattn exercises', ['answer', 'checksum', 'code'])
"""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal

from pydantic import Field
from pydantic.json_schema import models_json_schema

from symattn.base import limits
from symattn.base.json_form import JsonObject, without_titles
from symattn.claims.mistakes.model import PartKind
from symattn.course.model import FormName
from symattn.read.scenario.tables import LanguageName

FormVersion = Literal["symattn-exercises/1"]
VERSION: FormVersion = "symattn-exercises/1"
"""The name of the form; a change that readers of the old one would not understand gets another number."""

NameText = Annotated[str, Field(min_length=1, max_length=limits.EXERCISE_NAME)]
StepNames = Annotated[tuple[NameText, ...], Field(max_length=limits.SCENARIO_STEPS)]
LongText = Annotated[str, Field(max_length=limits.EXERCISE_TEXT)]
FigureText = Annotated[str, Field(min_length=1, max_length=limits.NUMBER_LENGTH)]
FigureRow = Annotated[tuple[FigureText, ...], Field(min_length=1, max_length=limits.EXERCISE_SIDE)]
FigureRows = Annotated[tuple[FigureRow, ...], Field(min_length=1, max_length=limits.EXERCISE_SIDE)]
PositiveCount = Annotated[int, Field(ge=1, le=limits.EXERCISE_NUMBER)]
GridIndex = Annotated[int, Field(ge=1, le=limits.EXERCISE_SIDE)]


class GivenForm(JsonObject):
    """A given matrix: its entries as they were written, such as ``sqrt(2)/2``."""

    name: NameText
    tex: LongText
    rows: PositiveCount
    columns: PositiveCount
    values: tuple[tuple[LongText, ...], ...]


class FormulaForm(JsonObject):
    """The line ``name = formula``, as text and as TeX."""

    name: NameText
    formula: LongText
    tex: LongText


class ShownForm(JsonObject):
    """Figures of a step that stand on the sheet before anything is asked; the wrong entry is among them."""

    name: NameText
    values: tuple[tuple[LongText, ...], ...]


class AskedForm(JsonObject):
    """A grid to fill in: ``null`` where a cell is asked, else the figure that is printed there."""

    name: NameText
    kind: PartKind
    decimals: int
    printed: tuple[tuple[LongText | None, ...], ...]


class QuestionForm(JsonObject):
    """What a sheet asks. ``task`` holds Markdown with TeX between ``\\(`` and ``\\)``."""

    title: LongText
    task: LongText
    givens: tuple[GivenForm, ...]
    sizes: dict[NameText, int]
    formulas: tuple[FormulaForm, ...]
    shown: tuple[ShownForm, ...]
    parts: tuple[AskedForm, ...]


class PartForm(JsonObject):
    """The key of one part, with the cells that are asked, as row and column."""

    name: NameText
    kind: PartKind
    decimals: Annotated[int, Field(ge=0, le=limits.DIGITS)]
    key: FigureRows
    asked: Annotated[tuple[tuple[GridIndex, GridIndex], ...], Field(max_length=limits.EXERCISE_SIDE**2)]
    needs: Annotated[int, Field(ge=0, le=limits.EXERCISE_SIDE**2)]


class PlantedForm(JsonObject):
    """The one wrong entry of a worked solution."""

    step: NameText
    row: GridIndex
    column: GridIndex
    figure: FigureText
    mistake: NameText


class AnswerForm(JsonObject):
    """The key, and the wrong entry where it is to be found. A full solution that only opens a series asks nothing."""

    parts: Annotated[tuple[PartForm, ...], Field(max_length=limits.EXERCISE_PARTS)]
    planted: PlantedForm | None


class StepForm(JsonObject):
    """One step of the worked solution, with its figures; without them where it has none."""

    name: NameText
    formula: LongText
    tex: LongText
    values: tuple[tuple[LongText, ...], ...]


class MistakeForm(JsonObject):
    """A mistake of the bank, made in one step: what comes out for every part, and what to say about it."""

    mistake: NameText
    step: NameText
    title: LongText
    feedback: LongText
    hint: LongText
    figures: Annotated[dict[NameText, FigureRows], Field(max_length=limits.EXERCISE_PARTS)]


class ExerciseForm(JsonObject):
    """One exercise: question and answer together, and the file of its scenario, from which all of it follows.

    ``checksum`` is that of its numbers, ``symattn`` the version that wrote it. One that was made with a secret has a
    ``code`` and no seed, and a ``notice`` for whom it is.
    """

    topic: NameText
    of: Annotated[str, Field(max_length=limits.EXERCISE_NAME)]
    difficulty: Annotated[int, Field(ge=0, le=5, description="0 for numbers of a scenario of one's own")]
    seed: Annotated[int, Field(ge=-limits.EXERCISE_NUMBER, le=limits.EXERCISE_NUMBER)]
    version: PositiveCount
    checksum: NameText
    symattn: NameText
    code: Annotated[str, Field(max_length=limits.EXERCISE_NAME)]
    notice: LongText
    language: LanguageName
    form: FormName
    stage: Annotated[int, Field(ge=0, le=limits.SCENARIO_STEPS)]
    cost: Annotated[int, Field(ge=0, le=limits.EXERCISE_NUMBER)]
    shown: StepNames
    order: StepNames
    question: QuestionForm
    answer: AnswerForm
    steps: tuple[StepForm, ...]
    mistakes: Annotated[tuple[MistakeForm, ...], Field(max_length=limits.EXERCISE_MISTAKES)]
    source: Annotated[str, Field(max_length=limits.EXERCISE_SOURCE)]


COPIED = (
    *("topic", "of", "difficulty", "seed", "version", "language", "form", "stage", "cost"),
    *("shown", "order", "code", "source"),
)
"""The attributes that an exercise and its form share under the same name."""


class LineForm(ExerciseForm):
    """A line of JSONL: an exercise that says of itself what its form is."""

    schema_: Annotated[FormVersion, Field(alias="schema")]


class FileForm(JsonObject):
    """A file of JSON: all exercises of a batch."""

    schema_: Annotated[FormVersion, Field(alias="schema")]
    exercises: Annotated[tuple[ExerciseForm, ...], Field(min_length=1, max_length=limits.EXERCISES)]


# -- the schema --------------------------------------------------------------------------------------------------------

ID = f"urn:{VERSION.replace('/', ':')}"
"""The identifier of the schema, which is not a web address."""


def json_schema() -> dict[str, Any]:
    """The schema in the 2020-12 draft: a file of JSON, or one line of JSONL."""
    _, described = models_json_schema([(FileForm, "validation"), (LineForm, "validation")], by_alias=True)
    head = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": ID,
        "title": "symattn exercises",
        "description": "A file of JSON with all exercises of a batch, or one line of JSONL.",
        "anyOf": [{"$ref": "#/$defs/FileForm"}, {"$ref": "#/$defs/LineForm"}],
    }
    return {**head, "$defs": {name: without_titles(table) for name, table in sorted(described["$defs"].items())}}


def schema_text() -> str:
    """The schema as a file."""
    return json.dumps(json_schema(), ensure_ascii=False, indent=2) + "\n"
