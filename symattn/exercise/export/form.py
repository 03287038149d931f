"""The form of exported exercises: what a JSON object of each kind holds, key by key.

``question``, ``steps`` and the words of ``mistakes`` are there for whoever shows exercises; what an exercise is when it
is read again stands in the other keys. Rows and columns are counted from 1, as everywhere in files.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from symattn import limits
from symattn.exercise.model import Form
from symattn.mistakes.model import Kind
from symattn.scenario.forms import Language

Version = Literal["symattn-exercises/1"]
VERSION: Version = "symattn-exercises/1"
"""What the form is called; a change that readers of the old one would not understand gets another number."""

Name = Annotated[str, Field(min_length=1, max_length=limits.EXERCISE_NAME)]
Names = Annotated[tuple[Name, ...], Field(max_length=limits.SCENARIO_STEPS)]
Text = Annotated[str, Field(max_length=limits.EXERCISE_TEXT)]
Figure = Annotated[str, Field(min_length=1, max_length=limits.NUMBER_LENGTH)]
FigureRow = Annotated[tuple[Figure, ...], Field(min_length=1, max_length=limits.EXERCISE_SIDE)]
FigureRows = Annotated[tuple[FigureRow, ...], Field(min_length=1, max_length=limits.EXERCISE_SIDE)]
Count = Annotated[int, Field(ge=1, le=limits.EXERCISE_NUMBER)]
Index = Annotated[int, Field(ge=1, le=limits.EXERCISE_SIDE)]


class Table(BaseModel):
    """A JSON object: exactly the keys that are declared, of exactly the declared types."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class GivenForm(Table):
    """A given matrix: its entries as they were written, such as ``sqrt(2)/2``."""

    name: Name
    tex: Text
    rows: Count
    columns: Count
    values: tuple[tuple[Text, ...], ...]


class FormulaForm(Table):
    """The line ``name = formula``, as text and as TeX."""

    name: Name
    formula: Text
    tex: Text


class ShownForm(Table):
    """Figures of a step that stand on the sheet before anything is asked; the wrong entry is among them."""

    name: Name
    values: tuple[tuple[Text, ...], ...]


class AskedForm(Table):
    """A grid to fill in: ``null`` where a cell is asked, else the figure that is printed there."""

    name: Name
    kind: Kind
    decimals: int
    printed: tuple[tuple[Text | None, ...], ...]


class QuestionForm(Table):
    """What a sheet asks. ``task`` holds Markdown with TeX between ``\\(`` and ``\\)``."""

    title: Text
    task: Text
    givens: tuple[GivenForm, ...]
    sizes: dict[Name, int]
    formulas: tuple[FormulaForm, ...]
    shown: tuple[ShownForm, ...]
    parts: tuple[AskedForm, ...]


class PartForm(Table):
    """The key of one part, with the cells that are asked, as row and column."""

    name: Name
    kind: Kind
    decimals: Annotated[int, Field(ge=0, le=limits.DIGITS)]
    key: FigureRows
    asked: Annotated[tuple[tuple[Index, Index], ...], Field(max_length=limits.EXERCISE_SIDE**2)]
    needs: Annotated[int, Field(ge=0, le=limits.EXERCISE_SIDE**2)]


class PlantedForm(Table):
    """The one wrong entry of a worked solution."""

    step: Name
    row: Index
    column: Index
    figure: Figure
    mistake: Name


class AnswerForm(Table):
    """The key, and the wrong entry where it is to be found. A full solution that only opens a series asks nothing."""

    parts: Annotated[tuple[PartForm, ...], Field(max_length=limits.EXERCISE_PARTS)]
    planted: PlantedForm | None


class StepForm(Table):
    """One step of the worked solution, with its figures; without them where it has none."""

    name: Name
    formula: Text
    tex: Text
    values: tuple[tuple[Text, ...], ...]


class MistakeForm(Table):
    """A mistake of the bank, made in one step: what comes out for every part, and what to say about it."""

    mistake: Name
    step: Name
    title: Text
    feedback: Text
    hint: Text
    figures: Annotated[dict[Name, FigureRows], Field(max_length=limits.EXERCISE_PARTS)]


class ExerciseForm(Table):
    """One exercise: question and answer together, and the file of its scenario, from which all of it follows.

    ``checksum`` is that of its numbers, ``symattn`` the version that wrote it. One that was made with a secret has a
    ``code`` and no seed, and a ``notice`` for whom it is.
    """

    topic: Name
    of: Annotated[str, Field(max_length=limits.EXERCISE_NAME)]
    difficulty: Annotated[int, Field(ge=0, le=5, description="0 for numbers of a scenario of one's own")]
    seed: Annotated[int, Field(ge=-limits.EXERCISE_NUMBER, le=limits.EXERCISE_NUMBER)]
    version: Count
    checksum: Name
    symattn: Name
    code: Annotated[str, Field(max_length=limits.EXERCISE_NAME)]
    notice: Text
    language: Language
    form: Form
    stage: Annotated[int, Field(ge=0, le=limits.SCENARIO_STEPS)]
    cost: Annotated[int, Field(ge=0, le=limits.EXERCISE_NUMBER)]
    shown: Names
    order: Names
    question: QuestionForm
    answer: AnswerForm
    steps: tuple[StepForm, ...]
    mistakes: Annotated[tuple[MistakeForm, ...], Field(max_length=limits.EXERCISE_MISTAKES)]
    source: Annotated[str, Field(max_length=limits.EXERCISE_SOURCE)]


class LineForm(ExerciseForm):
    """A line of JSONL: an exercise that says of itself what its form is."""

    schema_: Annotated[Version, Field(alias="schema")]


class FileForm(Table):
    """A file of JSON: all exercises of a batch."""

    schema_: Annotated[Version, Field(alias="schema")]
    exercises: Annotated[tuple[ExerciseForm, ...], Field(min_length=1, max_length=limits.EXERCISES)]
