"""The form of a scenario file as pydantic models, the sentences about deviations, and the JSON schema for editors.

The models check the form of one file: keys, types, ranges, single numbers. :mod:`symattn.read.scenario.build` checks
everything that depends on other parts of the file (names, shapes, references). The JSON schema, which editors show,
contains the docstrings of the models and the descriptions of the keys.

>>> read_tables({"titel": "My head"})
Traceback (most recent call last):
    ...
symattn.read.scenario.problem.Problem: unknown key 'titel': did you mean 'title'? symattn schema lists all 30

The schema checks less than the reader (no names, shapes and references), and never more: a file that loads is valid.

>>> described = json_schema()
>>> described["required"], described["properties"]["language"]["enum"][:3]
(['title'], ['zh-Hant', 'zh-Hans', 'en'])
>>> described["$defs"]["StepTable"]["properties"]["works"]["description"]
'Which entry is worked out: row and column, counted from 1.'
"""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Annotated, Any, ClassVar, Self

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    PlainValidator,
    PrivateAttr,
    ValidationError,
    ValidationInfo,
    WrapValidator,
    model_validator,
)

from symattn.base import limits
from symattn.base.errors import unknown
from symattn.base.printed import Ties
from symattn.read.given import Given
from symattn.read.quantities import LARGEST_SIZE
from symattn.read.scenario import fields, rounded, tables
from symattn.read.scenario.fields import described, figures, finite, label, matrix_field
from symattn.read.scenario.model import AskLevel, CarryMode, FigureScope, OnEmpty, ShapeLine, WordLevel
from symattn.read.scenario.problem import Key, Problem
from symattn.read.scenario.tables import (
    NAME,
    PRINTED,
    AskTable,
    BackwardTable,
    DecimalsField,
    Described,
    ExtendsEntry,
    FractionField,
    ItemEntry,
    KeyedTable,
    LanguageName,
    NamesField,
    NumberField,
    SizesField,
    TextsField,
    TrainTable,
    key,
)


def problem_of(kind: str, place: Key, came: object, context: dict[str, Any], data: Any) -> Problem:
    """Return the sentence for an error of pydantic at a place of a file."""
    inner = context.get("error")
    if isinstance(inner, Problem):
        return inner.under(_written(place, data))
    if kind == "missing":
        return Problem((*_written(place[:-1], data), place[-1]), "missing: this key is required")
    key = _written(place, data)
    if kind == "literal_error" and isinstance(came, str):
        known = re.findall(r"'([^']*)'", context["expected"])
        return Problem(key, unknown("value", came, known))
    named = {name: _LIMITS.get(limit, limit) for name, limit in context.items() if name in ("le", "max_length")}
    expected = EXPECTED.get(kind, "a value of another kind").format_map({**context, **named})
    if kind in ("too_short", "too_long"):
        return Problem(key, f"expected {expected}, came {context['actual_length']}")
    return Problem(key, f"expected {expected}, came {described(came)}{_WRITTEN.get(kind, '')}")


_WRITTEN = {
    "list_type": '; a list is written ["…", "…"]',
    "dict_type": "; a table is written { name = … }",
}
"""Hints about TOML for beginners."""

_TOLD_LIMITS = (
    "DIGITS",
    "EQUATIONS",
    "LABELS",
    "MATRIX_ENTRIES",
    "OPERATIONS",
    "SCENARIO_STEPS",
    "SYMBOLS",
    "TRAINING_STEPS",
)
_LIMITS = {
    LARGEST_SIZE: f"LARGEST_SIZE = {LARGEST_SIZE}",
    **{getattr(limits, name): f"{name} = {getattr(limits, name)}" for name in _TOLD_LIMITS},
}
"""The name in a message of a bound that is a limit of symattn."""

EXPECTED = {
    "string_type": "a text in quotes",
    "int_type": "a whole number",
    "bool_type": "true or false",
    "list_type": "a list",
    "dict_type": "a table",
    "model_type": "a table",
    "literal_error": "{expected}",
    "greater_than_equal": "a whole number from {ge} up",
    "less_than_equal": "a whole number up to {le}",
    "too_short": "at least {min_length} in the list",
    "too_long": "at most {max_length} in the list",
}
"""The expected value for every kind of pydantic error that these models can give (a test walks them)."""


def _written(place: Key, data: Any) -> Key:
    """Return pydantic's place without parts that the file lacks: kinds of items, ``value`` of a short given."""
    key: Key = ()
    for part in place:
        in_list = isinstance(data, list) and isinstance(part, int) and part < len(data)
        if in_list or (isinstance(data, dict) and part in data):
            data = data[part]
            key += (part,)
    return key


# Annotations are not strings in this module (no `from __future__`): pydantic would have to evaluate each of them.


_AXES = (
    "The names of the rows and of the columns (a vector has one, several matrices three): a size, a labelled axis, the "
    "token axis, or 1."
)
# The accepted forms of a value, for the JSON schema: validators check more closely, with better sentences.
_Numbers = Annotated[list[Annotated[list[NumberField], Field(min_length=1)]], Field(min_length=1)]
_Given = (
    Annotated[list[_Numbers], Field(min_length=1)]
    | _Numbers
    | Annotated[list[NumberField], Field(min_length=1)]
    | NumberField
)
_PrintedNumber = Annotated[str, Field(pattern=PRINTED)] | int
_PrintedNumbers = Annotated[list[Annotated[list[_PrintedNumber], Field(min_length=1)]], Field(min_length=1)]


def _matrix(value: Any, info: ValidationInfo) -> Given:
    return matrix_field(value, (info.context or {}).get("symbols", ()))


_Matrix = Annotated[Given, PlainValidator(_matrix, json_schema_input_type=_Given)]
_Finite = Annotated[str, PlainValidator(finite, json_schema_input_type=NumberField)]
_Figures = Annotated[tuple[tuple[str, ...], ...], PlainValidator(figures, json_schema_input_type=_PrintedNumbers)]
_Label = Annotated[str, AfterValidator(label)]
_LabelList = Annotated[list[_Label], Field(min_length=1, max_length=limits.LABELS)]
_Labels = Annotated[dict[str, _LabelList], WrapValidator(fields.labels_field), Described(tables.labels_schema)]
_AxisNames = Annotated[list[str], Field(min_length=1, max_length=3)]
_Size = Annotated[int, Field(ge=1, le=limits.MATRIX_ENTRIES)]


class GivenTable(KeyedTable):
    """A given in its long form; its value alone is the short form: rows, a vector, a number, or several matrices."""

    _elsewhere: ClassVar[tuple[str, ...]] = ("file", "tensor", "decimals")

    value: _Matrix = key(
        "The rows, or a vector, a number, or several matrices; each number as text: "
        '"0.21", "-3/4", "sqrt(2)/2", "log(2)", "-oo".'
    )
    axes: _AxisNames | None = key(_AXES, None)
    note: TextsField | None = key("A remark printed under the matrix.", None)
    rounded: bool = key("Whether each figure stands for all numbers that round to it.", False)
    row_sums: FractionField | None = key("What every row is known to sum to; needs rounded = true.", None)

    @model_validator(mode="after")
    def _can_be_rounded(self) -> Self:
        if self.row_sums is not None and not self.rounded:
            raise Problem(("row_sums",), "the key rounded = true is missing: only figures that are rounded need it")
        if self.rounded:
            for part in self.value.slices or (self.value,):
                rounded.check_rounded(part, self.row_sums)
        return self

    @property
    def given(self) -> Given:
        """The matrix with the properties of its figures."""
        return replace(self.value, rounded=self.rounded, row_sum=self.row_sums)


# Never read: :mod:`symattn.read.scenario.load` has replaced such tables by their matrices before.
class FileTable(KeyedTable):
    """A given in a file beside the scenario."""

    file: str = key('The file: "weights.npz", ".npy", ".csv" or ".safetensors", in the folder of the scenario.')
    tensor: str | None = key("Which array of the file, where it holds several.", None)
    decimals: Annotated[int, Field(ge=0, le=limits.DIGITS)] | None = key(
        "How many decimals binary floats are read with; without it each is the exact number that it is.", None
    )
    axes: _AxisNames | None = key(_AXES, None)
    note: TextsField | None = key("A remark printed under the matrix.", None)


def _long_form(value: Any) -> Any:
    if isinstance(value, dict):
        return value
    named = isinstance(value, str) and value.lower().endswith((".csv", ".npy", ".npz", ".safetensors"))
    if named or not isinstance(value, list | str | int | float):
        hint = f'; a file is named with {{ file = "{value}" }}' if named else ""
        raise Problem((), f"expected {fields.MATRIX}, came {described(value)}{hint}")
    return {"value": value}


GivenEntry = Annotated[GivenTable, BeforeValidator(_long_form, json_schema_input_type=_Given | GivenTable | FileTable)]


class FiguresTable(KeyedTable):
    """How figures are printed and carried."""

    scope: FigureScope = key("What shares one number of decimals.", "matrix")
    decimals: DecimalsField = key("How many decimals are shown where no fewer are exact.", 6)
    ties: Ties = key("How an exact tie is rounded.", "half_up")
    carry: CarryMode = key("Whether a step starts from exact values or from the printed figures.", "exact")
    shape_line: ShapeLine = key("X (3×4) or X (shape=3×4) in the line of shapes.", "short")
    on_empty: OnEmpty = key("What a softmax gives a row that is masked whole: an error, or weights of 0.", "error")


class SectionTable(KeyedTable):
    """A heading and what stands under it."""

    title: TextsField = key("The heading.")
    number: str | None = key('The number of the heading, such as "1-2"; its parts give the level.', None)
    intro: TextsField | None = key("A paragraph before the steps.", None)
    need: TextsField | None = key("A paragraph before the steps: what goes wrong without them.", None)
    steps: list[ItemEntry] = key(
        'What is shown, in order: "X = E + P" is a step, "E" shows a given, tables have options.', []
    )
    _before: int = PrivateAttr(default=0)

    @property
    def before(self) -> int:
        """The number of sections before it that are not in the file."""
        return self._before

    def after(self, count: int) -> Self:
        """Return the section with so many more sections before it that are not in the file."""
        moved = self.model_copy()
        moved._before = self._before + count
        return moved


class ClaimTable(KeyedTable):
    """A statement of the source, which gets a verdict."""

    says: _Label = key("The figure or order, digit for digit as the source prints it.")
    said: TextsField | None = key("What it says in each language, where that is words and no figure.", None)
    about: TextsField = key("What it is said of.")
    value: str | None = key('What decides: an entry such as "S[2,3]", or the name of a quantity.', None)
    at: SizesField | None = key("Other sizes for the quantity.", None)
    order_of: str | None = key("A formula over sizes whose growth decides.", None)
    letter: Annotated[str | None, Field(alias="in")] = key("The size it grows with.", None)
    reason: TextsField | None = key("Why they differ, or what there is to add.", None)


class OperationTable(KeyedTable):
    """An operation of one's own, by its equations in index notation."""

    parameters: Annotated[list[str], Field(min_length=1, max_length=limits.EQUATIONS)] = key(
        'What it is given, in order: "X", "X: m×n", "b: n", "c = 1/2", "n: size", "t: whole".'
    )
    equations: Annotated[list[str], Field(min_length=1, max_length=limits.EQUATIONS)] = key(
        'The numbers on the way, and last the entry: "y[i,j] = c * tanh(X[i,j] / c)".'
    )
    shape: str | None = key(
        'The shape of the result, such as "m×n", where it does not follow from the last equation.', None
    )
    page: TextsField | None = key("What it is called on the page, a few words.", None)
    source: str | None = key("Where it is from.", None)


def _array_of_tables(name: str) -> BeforeValidator:
    def check(value: Any) -> Any:
        if isinstance(value, dict):
            raise Problem((), f"expected [[{name}]] with two brackets on each side, came a single table")
        return value

    return BeforeValidator(check)


class CodeTable(KeyedTable):
    """Programs at the end of the solution."""

    of: NamesField | None = key("The steps that the programs compute and print.", None)
    languages: list[str] = key("The programs that are written without --code: numpy, torch, r, julia, javascript.", [])


class File(KeyedTable):
    """A scenario: what is given, the equations in the order they are taught, and the words around them."""

    title: TextsField = key("The heading of the solution.")
    language: LanguageName = key("The language used unless --language says otherwise.", "en")
    tokens: _Labels | None = key("The labels of the token axis, in one list or in a list per language.", None)
    token_axis: str = key("What the number of tokens is called in shapes and formulas.", "n")
    source: TextsField | None = key("Which document the figures come from.", None)
    intro: TextsField | None = key("A paragraph under the title.", None)
    opening: TextsField | None = key("What is to be seen, before the sections; without it, what formulas say.", None)
    puzzle: AskTable | None = key("A question before the sections, and its answer, which the page hides.", None)
    conclusion: TextsField | None = key("What has come out, after the sections; without it, what values say.", None)
    sizes: dict[str, _Size] = key(
        "Whole numbers by name, such as d_model = 4: they name axes and stand in formulas as numbers.", {}
    )
    labels: dict[str, _Labels] = key("Axes by name, each with its labels in one list, or in a list per language.", {})
    symbols: Annotated[list[str], Field(max_length=limits.SYMBOLS)] = key(
        "Letters that stand for any real number in the givens and in factors.", []
    )
    substitute: dict[str, _Finite] = key('Numbers in the place of some or all of the symbols: t = "1/2".', {})
    operation: Annotated[dict[str, OperationTable], Field(max_length=limits.OPERATIONS)] = key(
        "Operations of one's own, by name: formulas call them as they call ours.", {}
    )
    given: dict[str, GivenEntry] = key("The matrices of exact numbers that everything starts from, by name.", {})
    general: dict[str, _AxisNames] = key('Names that have a shape and no numbers, such as x = ["1", "n"].', {})
    notation: dict[str, str] = key('How a name is written, in the formula language: S_masked = "tilde(S)".', {})
    figures: FiguresTable = key("How figures are printed and carried.", FiguresTable())
    extends: ExtendsEntry | None = key(
        "Another scenario, by its name or its file, whose givens and steps come first.", None
    )
    section: Annotated[list[SectionTable], _array_of_tables("section")] = key("A heading and what stands under it.", [])
    loss: str | None = key(
        'The formula of the loss L, such as "cross_entropy(logits, target)", or "J = …" where it is called otherwise.',
        None,
    )
    backward: Annotated[list[BackwardTable], _array_of_tables("backward")] = key(
        "Gradients of a loss, worked out from the last step to the first.", []
    )
    train: TrainTable | None = key("Some steps of training, with the loss before and after.", None)
    claim: Annotated[list[ClaimTable], _array_of_tables("claim")] = key(
        "A statement of the source, which gets a verdict.", []
    )
    code: CodeTable | None = key("Programs at the end of the solution, with what they print.", None)
    words: WordLevel = key(
        "How much a page says by itself: all; few, without readings, needs and conclusions; none but your own words.",
        "all",
    )
    asks: AskLevel = key(
        "Which questions a page asks: all, one in each section without a question of yours; own, only yours; none.",
        "all",
    )
    pictures: bool = key("Whether weights, probabilities and the flow get pictures without being asked for.", True)
    printed: dict[str, _Figures] = key(
        "Figures as a source prints them, one list of rows for each name; each is compared.", {}
    )
    reasons: dict[str, TextsField] = key("Why a printed figure differs from the derived one, by name.", {})


def read_tables(data: dict[str, Any]) -> File:
    """Check and return the file. Raises :class:`~symattn.read.scenario.problem.Problem` for any deviation."""
    try:
        return File.model_validate(data, context={"symbols": _symbols(data.get("symbols"))})
    except ValidationError as error:
        lines = error.errors(include_url=False)
        problems = [problem_of(line["type"], line["loc"], line["input"], line.get("ctx", {}), data) for line in lines]
    raise Problem.several(problems) from None


def _symbols(listed: Any) -> frozenset[str]:
    """Return the symbols that entries may contain; problems of the list are reported elsewhere."""
    return frozenset(name for name in listed if isinstance(name, str)) if isinstance(listed, list) else frozenset()


ID = "urn:symattn:scenario"
"""The identifier of the schema. It is not a place on the web: a file names the copy beside it."""

_NAMED = ("sizes", "labels", "operation", "given", "general", "substitute")


def json_schema() -> dict[str, Any]:
    """Return the schema, in the 2020-12 draft; it has the same meaning in older drafts."""
    described = _plain(File.model_json_schema())
    for table in (described, *described["$defs"].values()):
        for named in table["properties"].values():
            # The description comes after the type, as people read it; pydantic omits that of the table it refers to.
            other = described["$defs"].get(named.get("$ref", "").rpartition("/")[2], {})
            named["description"] = named.pop("description", other.get("description"))
    for name in _NAMED:
        described["properties"][name]["propertyNames"] = {"pattern": NAME}
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": ID, "title": "symattn scenario"}
    return {**head, **{key: value for key, value in described.items() if key != "$defs"}, "$defs": described["$defs"]}


def schema_text() -> str:
    """Return the schema as a file."""
    return json.dumps(json_schema(), ensure_ascii=False, indent=2) + "\n"


def _plain(schema: Any) -> Any:
    """Return a schema without null, which TOML does not have, and without pydantic's titles for programs."""
    if not isinstance(schema, dict):
        return schema
    kept = {word: value for word, value in schema.items() if word != "title"}
    if kept.get("default", "") is None or isinstance(kept.get("default"), dict | list):
        del kept["default"]
    for word, value in kept.items():
        if word in ("properties", "$defs"):
            kept[word] = {name: _plain(part) for name, part in value.items()}
        elif isinstance(value, list) and word in ("anyOf", "oneOf"):
            kept[word] = [_plain(part) for part in value if part != {"type": "null"}]
        else:
            kept[word] = _plain(value)
    if len(kept.get("anyOf", ())) == 1:
        (only,) = kept.pop("anyOf")
        kept = {**only, **kept}
    return kept
