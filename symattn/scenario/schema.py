"""What a scenario file may hold, as pydantic models, and the sentence for everything that does not fit.

The models check the form of one file: keys, types, ranges, single numbers. What has to do with other parts of the file
(names, shapes, references) is checked by :mod:`symattn.scenario.build`.

>>> read({"titel": "My head"})
Traceback (most recent call last):
    ...
symattn.scenario.problem.Problem: unknown key 'titel': did you mean 'title'? known: claim, code, figures, general, \
given, intro, labels, language, notation, operation, printed, reasons, section, sizes, source, substitute, symbols, \
title, token_axis, tokens
"""

# Annotations are no texts in this module (no `from __future__`): pydantic would have to read each of them.

from dataclasses import replace
from typing import Annotated, Any, ClassVar, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Discriminator,
    Field,
    ModelWrapValidatorHandler,
    PlainValidator,
    Tag,
    ValidationError,
    ValidationInfo,
    model_validator,
)
from pydantic_core import InitErrorDetails
from sympy import Expr

from symattn import limits
from symattn.errors import closest, unknown
from symattn.quantities import LARGEST_SIZE
from symattn.scenario import rounded
from symattn.scenario.fields import described, ending, figures, finite, fraction, label, matrix, names, setting, texts
from symattn.scenario.forms import NUMBER, PRINTED, Described, Language, words
from symattn.scenario.given import Carry, Given, OnEmpty, ShapeLine
from symattn.scenario.given import Scope as FigureScope
from symattn.scenario.model import Form
from symattn.scenario.problem import Problem
from symattn.scenario.unfit import problem_of
from symattn.values.rounding import Ties

# What a value may be written as, for the JSON schema: validators check more closely, and say better what is wrong.
Number = Annotated[str, Field(pattern=NUMBER, max_length=limits.NUMBER_LENGTH)] | int
Numbers = Annotated[list[Annotated[list[Number], Field(min_length=1)]], Field(min_length=1)]
PrintedNumber = Annotated[str, Field(pattern=PRINTED)] | int
PrintedNumbers = Annotated[list[Annotated[list[PrintedNumber], Field(min_length=1)]], Field(min_length=1)]


def _matrix(value: Any, info: ValidationInfo) -> Given:
    if isinstance(value, Given):  # from a file beside the scenario, or from Python
        return value
    return matrix(value, (info.context or {}).get("symbols", ()))


Texts = Annotated[dict[str, str], PlainValidator(texts), Described(words)]
Matrix = Annotated[Given, PlainValidator(_matrix, json_schema_input_type=Numbers)]
Fraction = Annotated[Expr, PlainValidator(fraction, json_schema_input_type=Number)]
Finite = Annotated[str, PlainValidator(finite, json_schema_input_type=Number)]
Figures = Annotated[tuple[tuple[str, ...], ...], PlainValidator(figures, json_schema_input_type=PrintedNumbers)]
Setting = Annotated[str | int | bool, PlainValidator(setting, json_schema_input_type=str | int | bool)]
Names = Annotated[tuple[str, ...] | str, PlainValidator(names, json_schema_input_type=str | list[str])]
Label = Annotated[str, AfterValidator(label)]
Labels = Annotated[list[Label], Field(min_length=1, max_length=limits.LABELS)]
Pair = Annotated[list[str], Field(min_length=2, max_length=2)]
Decimals = Annotated[int, Field(ge=1, le=limits.DIGITS)]
Size = Annotated[int, Field(ge=1, le=limits.MATRIX_ENTRIES)]
OtherSizes = Annotated[dict[str, Annotated[int, Field(ge=1, le=LARGEST_SIZE)]], Field(min_length=1)]


class Table(BaseModel):
    """A TOML table: exactly the keys that are declared, of exactly the declared types."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    _elsewhere: ClassVar[tuple[str, ...]] = ()
    """Keys of another form of the table."""
    _strange: ClassVar[str] = ""
    """What else to say of a key that nobody knows."""

    @model_validator(mode="wrap")
    @classmethod
    def _known_keys(cls, value: Any, handler: ModelWrapValidatorHandler[Self]) -> Self:
        """The keys that nobody knows, and what is wrong with the others."""
        if not isinstance(value, dict):
            return handler(value)
        known = [field.alias or name for name, field in cls.model_fields.items()]
        strange = [key for key in value if key not in known]
        if not strange:
            return handler(value)
        del strange[limits.PROBLEMS + 1 :]  # nobody is told of more, and each takes a search for what was meant
        every = [*known, *cls._elsewhere]
        told = {key: unknown("key", key, every) + cls._strange.format(key=key) for key in strange}
        told |= {key: f"{key} goes with {cls._elsewhere[0]} = …" for key in strange if key in cls._elsewhere}
        problems = [_line_error(Problem((key,), sentence), value) for key, sentence in told.items()]
        meant = {nearest for key in strange if (nearest := closest(key, every))}
        if meant.intersection(cls._elsewhere):  # of the other form nothing here is required
            meant.update(known)
        try:
            handler({key: part for key, part in value.items() if key in known})
        except ValidationError as error:
            # A key that is missing under its name and there under another is one mistake.
            problems += [
                InitErrorDetails(type=line["type"], loc=line["loc"], input=line["input"], ctx=line.get("ctx", {}))
                for line in error.errors(include_url=False)
                if not (line["type"] == "missing" and len(line["loc"]) == 1 and line["loc"][0] in meant)
            ]
        raise ValidationError.from_exception_data(cls.__name__, problems)


def _line_error(problem: Problem, value: Any) -> InitErrorDetails:
    return InitErrorDetails(type="value_error", loc=(), input=value, ctx={"error": problem})


class StepTable(Table):
    """``{ step = "Z = W @ X", because.en = "…", decimals = 2, note.en = "…", works = [2, 1] }``"""

    step: str
    decimals: Decimals | None = None
    note: Texts | None = None
    works: Annotated[list[int], Field(min_length=2, max_length=2)] | None = None
    because: Texts | None = None


class ShowTable(Table):
    """``{ show = "X", form = "general" }``"""

    show: str
    form: Form = "values"
    decimals: Decimals | None = None


class UnfoldTable(Table):
    """``{ unfold = "O", to = ["Q", "K", "V"], called = "Attention" }``"""

    unfold: str
    to: Annotated[list[str], Field(min_length=1)] | None = None
    called: str | None = None


class QuantityTable(Table):
    """``{ quantity = "N = m^2", at = [{ m = 512 }], note.en = "…" }``"""

    quantity: str
    at: Annotated[list[OtherSizes], Field(min_length=1, max_length=20)] | None = None
    note: Texts | None = None


class TensorTable(Table):
    """``{ tensor = "A", of = ["A_1", "A_2"], axes = ["B", "h"] }``"""

    tensor: str
    of: Annotated[list[str], Field(min_length=1, max_length=limits.SCENARIO_STEPS)]
    axes: Annotated[list[str], Field(min_length=1, max_length=8)]
    note: Texts | None = None


class NoteTable(Table):
    """``{ note.en = "…" }``"""

    note: Texts


class ProveTable(Table):
    """``{ prove = ["(F @ G.T) @ V", "F @ (G.T @ V)"], note.en = "…" }``"""

    prove: Pair
    note: Texts | None = None


class VarianceTable(Table):
    """``{ variance = "dot(q, k) / sqrt(d)", note.en = "…" }``"""

    variance: str
    note: Texts | None = None


class ListingTable(Table):
    """``{ listing = "r", of = "Z" }``; ``of`` is a name or a list of names."""

    listing: str
    of: Names


class UseTable(Table):
    """``{ use = "attention", with = { mask = "causal" }, names = { X = "H" }, suffix = "_1" }``"""

    _strange: ClassVar[str] = "; an option of the entry goes into with = {{ {key} = … }}"

    use: str
    settings: Annotated[dict[str, Setting], Field(alias="with", max_length=40)] = {}
    names: Annotated[dict[str, str], Field(max_length=200)] = {}
    suffix: Annotated[str, AfterValidator(ending)] = ""


class UsedTable(UseTable):
    """A use and the items it stands for, which are read in its place."""

    items: tuple[Any, ...] = ()


_ITEM_KEYS = ("use", "step", "show", "unfold", "quantity", "tensor", "listing", "prove", "variance", "note")


def _kind_of_item(value: Any) -> str:
    """Which key makes a table the item it is; :func:`_is_item` has seen to it that there is one."""
    return "text item" if isinstance(value, str) else f"{next(key for key in _ITEM_KEYS if key in value)} item"


def _is_item(value: Any) -> Any:
    if isinstance(value, str):
        return value
    if not isinstance(value, dict) or not value:
        came = "an empty table" if value == {} else described(value)
        raise Problem((), f'expected a text such as "X = E + P" or a table with step, show, unfold, …, came {came}')
    if not any(key in value for key in _ITEM_KEYS):
        key = next(iter(value))
        raise Problem((key,), unknown("item", key, _ITEM_KEYS))
    return value


ItemEntry = Annotated[
    Annotated[str, Tag("text item")]
    | Annotated[StepTable, Tag("step item")]
    | Annotated[ShowTable, Tag("show item")]
    | Annotated[UnfoldTable, Tag("unfold item")]
    | Annotated[QuantityTable, Tag("quantity item")]
    | Annotated[TensorTable, Tag("tensor item")]
    | Annotated[ListingTable, Tag("listing item")]
    | Annotated[ProveTable, Tag("prove item")]
    | Annotated[VarianceTable, Tag("variance item")]
    | Annotated[NoteTable, Tag("note item")]
    | Annotated[UseTable, Tag("use item")],
    Discriminator(_kind_of_item),
    BeforeValidator(_is_item),
]


class GivenTable(Table):
    """A given in its long form; the short form is read as one with nothing but a value."""

    _elsewhere: ClassVar[tuple[str, ...]] = ("file", "tensor", "decimals")

    value: Matrix
    axes: Pair | None = None
    note: Texts | None = None
    rounded: bool = False
    row_sums: Fraction | None = None

    @model_validator(mode="after")
    def _can_be_rounded(self) -> Self:
        if self.row_sums is not None and not self.rounded:
            raise Problem(("row_sums",), "the key rounded = true is missing: only figures that are rounded need it")
        if self.rounded:
            rounded.check(self.value, self.row_sums)
        return self

    @property
    def given(self) -> Given:
        """The matrix with what is said of its figures."""
        return replace(self.value, rounded=self.rounded, row_sum=self.row_sums)


class FileTable(Table):
    """``{ file = "weights.npz", tensor = "W_Q", decimals = 4 }``: a given in a file beside the scenario.

    :mod:`symattn.scenario.nearby` has put the matrix in its place before any other is read.
    """

    file: str
    tensor: str | None = None
    decimals: Annotated[int, Field(ge=0, le=limits.DIGITS)] | None = None
    axes: Pair | None = None
    note: Texts | None = None


def _long_form(value: Any) -> Any:
    if isinstance(value, list | dict):
        return {"value": value} if isinstance(value, list) else value
    named = isinstance(value, str) and value.lower().endswith((".csv", ".npy", ".npz", ".safetensors"))
    hint = f'; a file is named with {{ file = "{value}" }}' if named else ""
    raise Problem((), f'expected a matrix: a list of rows such as [["0.21", "-3/4"]], came {described(value)}{hint}')


GivenEntry = Annotated[GivenTable, BeforeValidator(_long_form, json_schema_input_type=Numbers | GivenTable | FileTable)]


class FiguresTable(Table):
    """``[figures]``"""

    scope: FigureScope = "matrix"
    decimals: Decimals = 6
    ties: Ties = "half_up"
    carry: Carry = "exact"
    shape_line: ShapeLine = "short"
    on_empty: OnEmpty = "error"


class SectionTable(Table):
    """``[[section]]``"""

    title: Texts
    number: str | None = None
    intro: Texts | None = None
    why: Texts | None = None
    steps: list[ItemEntry] = []


class ClaimTable(Table):
    """``[[claim]]``"""

    says: Label
    about: Texts
    value: str | None = None
    at: OtherSizes | None = None
    order_of: str | None = None
    letter: Annotated[str | None, Field(alias="in")] = None
    reason: Texts | None = None


class OperationTable(Table):
    """``[operation.softcap]``"""

    parameters: Annotated[list[str], Field(min_length=1, max_length=limits.EQUATIONS)]
    equations: Annotated[list[str], Field(min_length=1, max_length=limits.EQUATIONS)]
    shape: str | None = None
    page: Texts | None = None
    source: str | None = None


def _array_of_tables(name: str) -> BeforeValidator:
    def check(value: Any) -> Any:
        if isinstance(value, dict):
            raise Problem((), f"expected [[{name}]] with two brackets on each side, came a single table")
        return value

    return BeforeValidator(check)


class CodeTable(Table):
    """``[code]``"""

    of: Names | None = None
    languages: list[str] = []


class File(Table):
    """A whole scenario file."""

    title: Texts
    language: Language = "en"
    tokens: Labels | None = None
    token_axis: str = "n"
    source: Texts | None = None
    intro: Texts | None = None
    sizes: dict[str, Size] = {}
    labels: dict[str, Labels] = {}
    symbols: Annotated[list[str], Field(max_length=limits.SYMBOLS)] = []
    substitute: dict[str, Finite] = {}
    operation: Annotated[dict[str, OperationTable], Field(max_length=limits.OPERATIONS)] = {}
    given: dict[str, GivenEntry] = {}
    general: dict[str, Pair] = {}
    notation: dict[str, str] = {}
    figures: FiguresTable = FiguresTable()
    section: Annotated[list[SectionTable], _array_of_tables("section")] = []
    claim: Annotated[list[ClaimTable], _array_of_tables("claim")] = []
    code: CodeTable | None = None
    printed: dict[str, Figures] = {}
    reasons: dict[str, Texts] = {}


def read(data: dict[str, Any]) -> File:
    """The checked file. Raises :class:`~symattn.scenario.problem.Problem` for everything that does not fit."""
    try:
        return File.model_validate(data, context={"symbols": _symbols(data.get("symbols"))})
    except ValidationError as error:
        lines = error.errors(include_url=False)
        problems = [problem_of(line["type"], line["loc"], line["input"], line.get("ctx", {}), data) for line in lines]
    raise Problem.several(problems) from None


def _symbols(listed: Any) -> frozenset[str]:
    """The symbols that entries may hold; what is wrong with the list is said elsewhere."""
    return frozenset(name for name in listed if isinstance(name, str)) if isinstance(listed, list) else frozenset()
