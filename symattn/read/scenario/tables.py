"""The tables of a scenario file, each with its keys, and the items in the steps of a section: a table for each kind.

>>> ItemEntry.__metadata__[0].discriminator({"step": "S = Q @ K.T"})
'step item'
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Discriminator,
    Field,
    GetJsonSchemaHandler,
    ModelWrapValidatorHandler,
    PlainValidator,
    PrivateAttr,
    Tag,
    ValidationError,
    model_validator,
)
from pydantic_core import InitErrorDetails, PydanticKnownError
from pydantic_core.core_schema import CoreSchema
from sympy import Expr

from symattn.base import limits
from symattn.base.errors import nearest, unknown
from symattn.base.words import ABOUT, is_language, language_named, languages, other_names, text
from symattn.read.gradients.rules import HyperName, RuleName
from symattn.read.plan import BuiltLine
from symattn.read.quantities import LARGEST_SIZE
from symattn.read.scenario.fields import checked_entry, described, ending, fraction, names, setting, texts, where_shown
from symattn.read.scenario.model import DisplayForm
from symattn.read.scenario.problem import Problem

# Annotations are not strings in this module (no `from __future__`): pydantic would have to evaluate each of them.


def key(said: str, default: Any = ..., /) -> Any:
    """Declare a key of a table: its description, which an editor shows, and its default if it is optional."""
    return Field(default, description=said)


class KeyedTable(BaseModel):
    """A TOML table: exactly the keys that are declared, of exactly the declared types."""

    # Only the whole file is read: the validator of a single table is built on demand.
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, defer_build=True)

    _elsewhere: ClassVar[tuple[str, ...]] = ()
    """Keys of another form of the table."""
    _strange: ClassVar[str] = ""
    """An additional hint for unknown keys."""

    @model_validator(mode="wrap")
    @classmethod
    def _known_keys(cls, value: Any, handler: ModelWrapValidatorHandler[Self]) -> Self:
        """Report unknown keys together with the problems of the others."""
        if not isinstance(value, dict):
            return handler(value)
        known = [field.alias or name for name, field in cls.model_fields.items()]
        strange = [key for key in value if key not in known]
        if not strange:
            return handler(value)
        del strange[limits.PROBLEMS + 1 :]  # no more are reported, and each takes a search for similar keys
        every = [*known, *cls._elsewhere]
        told = {key: unknown("key", key, every, "symattn schema") + cls._strange.format(key=key) for key in strange}
        told |= {key: f"{key} goes with {cls._elsewhere[0]} = …" for key in strange if key in cls._elsewhere}
        problems = [
            InitErrorDetails(type="value_error", loc=(), input=value, ctx={"error": Problem((key,), sentence)})
            for key, sentence in told.items()
        ]
        meant = {name for key in strange for name in nearest(key, every)}
        if meant.intersection(cls._elsewhere):  # the other form requires none of these keys
            meant.update(known)
        try:
            handler({key: part for key, part in value.items() if key in known})
        except ValidationError as error:
            # A key that is missing under its name and present under another is one mistake.
            problems += [
                InitErrorDetails(type=line["type"], loc=line["loc"], input=line["input"], ctx=line.get("ctx", {}))
                for line in error.errors(include_url=False)
                if not (line["type"] == "missing" and len(line["loc"]) == 1 and line["loc"][0] in meant)
            ]
        raise ValidationError.from_exception_data(cls.__name__, problems)


NUMBER = r"^\s*[0-9A-Za-z_.()+*/^-][0-9A-Za-z_. ()+*/^-]*$"
"""An exact number: digits, fractions, roots, powers, logarithms, ``-oo``."""

PRINTED = r"^\s*[+\u2212-]?([0-9.\u221e]|oo|[Ii][Nn][Ff])[0-9.*^+oeEIiNnFf\u00d7\u00b7\u2212\u221e -]*$"
"""A figure as a source prints it, or two separated by a space."""

NAME = r"^[A-Za-z][A-Za-z0-9_]{0,39}$"
"""A valid name of a matrix, a size or a quantity."""


@dataclass(frozen=True)
class Described:
    """The JSON schema of a value, made on demand, because it depends on the installed languages."""

    schema: Callable[[], dict[str, Any]]

    def __get_pydantic_json_schema__(self, core: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        return self.schema()


def words_schema() -> dict[str, Any]:
    """Return the schema of one text, or one for each language."""
    spoken = {name: text(name, ABOUT, "name") for name in languages()}
    each = {name: {"type": "string", "description": f"The words in {said}."} for name, said in spoken.items()}
    return {"anyOf": [{"type": "string"}, _spoken(each, {"type": "string"})]}


def labels_schema() -> dict[str, Any]:
    """Return the schema of one list of labels, or one for each language."""
    listed = {"items": {"type": "string"}, "maxItems": limits.LABELS, "minItems": 1, "type": "array"}
    each = dict.fromkeys(languages(), listed)
    return {"anyOf": [listed, _spoken(each, listed)]}


def _spoken(each: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of a table with a key for each language, which may also have another of its names."""
    also = {f"^({'|'.join(other_names())})$": other} if other_names() else {}
    table = {"type": "object", "properties": each, "additionalProperties": False, "minProperties": 1}
    return {**table, "patternProperties": also}


def _language(value: object) -> str:
    if isinstance(value, str) and is_language(value):
        return language_named(value)
    *others, last = map(repr, languages())
    raise PydanticKnownError("literal_error", {"expected": f"{', '.join(others)} or {last}"})


LanguageName = Annotated[
    str, PlainValidator(_language), Described(lambda: {"enum": [*languages(), *other_names()], "type": "string"})
]
"""The name of a language."""


# Annotations are not strings in this module (no `from __future__`): pydantic would have to evaluate each of them.


NumberField = Annotated[str, Field(pattern=NUMBER, max_length=limits.NUMBER_LENGTH)] | int
TextsField = Annotated[dict[str, str], PlainValidator(texts), Described(words_schema)]
FractionField = Annotated[Expr, PlainValidator(fraction, json_schema_input_type=NumberField)]
_AnySetting = str | int | bool | list[str]
SettingField = Annotated[
    str | int | bool | tuple[str, ...], PlainValidator(setting, json_schema_input_type=_AnySetting)
]
NamesField = Annotated[tuple[str, ...] | str, PlainValidator(names, json_schema_input_type=str | list[str])]
CheckField = Annotated[str | Literal[False], PlainValidator(checked_entry, json_schema_input_type=str | bool)]
ShownField = Annotated[
    bool | Literal["steps"], PlainValidator(where_shown, json_schema_input_type=bool | Literal["steps"])
]
PairField = Annotated[list[str], Field(min_length=2, max_length=2)]
DecimalsField = Annotated[int, Field(ge=1, le=limits.DIGITS)]
SizesField = Annotated[dict[str, Annotated[int, Field(ge=1, le=LARGEST_SIZE)]], Field(min_length=1)]


# Annotations are not strings in this module (no `from __future__`): pydantic would have to evaluate each of them.


class ExtendsTable(KeyedTable):
    """Another scenario whose givens and steps come before those of this one."""

    scenario: str = key("The name of a built-in scenario, or a file in the same folder, which ends in .toml.")
    shown: bool = key(
        "Whether its sections stand on the page; without them its steps are worked out all the same.", True
    )


def _extends(value: Any) -> Any:
    if isinstance(value, str):
        return {"scenario": value}
    if not isinstance(value, dict):
        raise Problem((), f'expected the name of a scenario, such as "weather", came {described(value)}')
    return value


ExtendsEntry = Annotated[ExtendsTable, BeforeValidator(_extends, json_schema_input_type=str | ExtendsTable)]


# Annotations are not strings in this module (no `from __future__`): pydantic would have to evaluate each of them.


class BackwardTable(KeyedTable):
    """The gradients of a loss, worked out from the last step to the first."""

    of: str | None = key("The name of a single number; without it, that of the loss.", None)
    wrt: NamesField | None = key(
        "The name, or the names, of the matrices and symbols whose gradients are worked out; without it, all givens "
        "that it depends on.",
        None,
    )
    title: TextsField | None = key("The heading; without it, what every backward pass is called.", None)
    check: CheckField | None = key(
        'The entry of a given, such as "W_Q[2,1]", that is moved by 0.001 to check its gradient, or false for no '
        "check; without it, one with a large gradient is chosen.",
        None,
    )


class TrainTable(KeyedTable):
    """Some steps of training: the gradients, the new weights by a rule, and the loss before and after."""

    rule: RuleName = key("How new weights come from gradients: sgd, momentum, adam or adamw, as PyTorch has them.")
    of: str = key("The name of the loss, a single number.", "L")
    weights: NamesField = key("The name, or the names, of the givens that are trained.")
    rate: FractionField | None = key('The learning rate, such as "1/10"; without it 1/1000.', None)
    momentum: FractionField | None = key("Of momentum, how much of the last velocity is kept; without it 9/10.", None)
    beta1: FractionField | None = key("Of adam and adamw, how much of the mean is kept; without it 9/10.", None)
    beta2: FractionField | None = key(
        "Of adam and adamw, how much of the mean square is kept; without it 999/1000.", None
    )
    epsilon: FractionField | None = key("Of adam and adamw, what is added to the root; without it 1/100000000.", None)
    decay: FractionField | None = key(
        "The weight decay: added to the gradient, in adamw taken from the weight; without it 0, in adamw 1/100.", None
    )
    steps: Annotated[int, Field(ge=1, le=limits.TRAINING_STEPS)] = key("How many steps of the rule are made.", 1)
    watch: NamesField = key('Entries such as "P[2,3]" that are compared before and after, beside the loss.', ())
    title: TextsField | None = key("The heading; without it, what every training is called.", None)

    @property
    def numbers(self) -> dict[str, Expr]:
        """The hyper-parameters that the file sets."""
        said: dict[HyperName, Expr | None] = {
            "rate": self.rate,
            "momentum": self.momentum,
            "beta1": self.beta1,
            "beta2": self.beta2,
            "epsilon": self.epsilon,
            "decay": self.decay,
        }
        return {name: value for name, value in said.items() if value is not None}


# Annotations are not strings in this module (no `from __future__`): pydantic would have to evaluate each of them.


class StepTable(KeyedTable):
    """A step with options."""

    step: str = key("name = formula.")
    decimals: DecimalsField | None = key("How many decimals this step is printed with.", None)
    note: TextsField | None = key("A remark printed under the step.", None)
    works: Annotated[list[int], Field(min_length=2, max_length=2)] | None = key(
        "Which entry is worked out: row and column, counted from 1.", None
    )
    need: TextsField | None = key("What goes wrong without the step, printed before it.", None)
    check: CheckField | None = key(
        'Of a gradient, dW = grad(L, W): the entry of W, such as "W[2,1]", that is moved by 0.001 to check it, or '
        "false for no check.",
        None,
    )
    shown: ShownField = key(
        'Whether the page shows the step; with "steps" only pages with more detail than a lesson do. One that is not '
        "shown is worked out and certified too.",
        True,
    )


class BuiltStep(StepTable):
    """A step whose formula the program has built: it is not read."""

    _line: BuiltLine = PrivateAttr()

    @classmethod
    def of(cls, line: BuiltLine, **options: Any) -> Self:
        """Return the step of a line, with options that need no check."""
        made = cls.model_construct(step=line.step, **options)
        made._line = line
        return made

    @property
    def line(self) -> BuiltLine:
        """The name and the formula."""
        return self._line


class ShowTable(KeyedTable):
    """A name again, in another form."""

    show: str = key("The name.")
    form: DisplayForm = key("Which form.", "values")
    decimals: DecimalsField | None = key("How many decimals it is printed with here.", None)


class UnfoldTable(KeyedTable):
    """Definitions put into each other."""

    unfold: str = key("The step whose definition is unfolded.")
    to: Annotated[list[str], Field(min_length=1)] | None = key(
        "The names at which unfolding stops; without it, at the givens.", None
    )
    called: str | None = key("What the whole is called: Attention(Q, K, V) = ….", None)


class QuantityTable(KeyedTable):
    """A number over sizes."""

    quantity: str = key('name = formula over sizes, such as "N = m^2".')
    at: Annotated[list[SizesField], Field(min_length=1, max_length=20)] | None = key(
        "Other sizes that it is worked out for once more.", None
    )
    note: TextsField | None = key("A remark printed under it.", None)


class TensorTable(KeyedTable):
    """Matrices of one shape, stacked along leading axes."""

    tensor: str = key("The name of the tensor.")
    of: Annotated[list[str], Field(min_length=1, max_length=limits.SCENARIO_STEPS)] = key(
        "The matrices, the last of the leading axes running fastest."
    )
    axes: Annotated[list[str], Field(min_length=1, max_length=8)] = key("The names of the leading axes.")
    note: TextsField | None = key("A remark printed under it.", None)


class NoteTable(KeyedTable):
    """A paragraph between the steps."""

    note: TextsField = key("The paragraph.")
    about: Literal["source"] | None = key('"source" for a remark on the source: a lesson has those at its end.', None)


class AskTable(KeyedTable):
    """A question to the reader."""

    ask: TextsField = key("The question.")
    answer: TextsField = key("Its answer, which the page hides: folded away, or at the end.")


class WhatIfTable(KeyedTable):
    """A result once more, after a change in one step."""

    what_if: str = key('name = formula: the step as it would be instead, such as "S = Q @ K.T" without scaling.')
    of: str = key("The result that both are shown of.")
    ask: TextsField | None = key('The change in words: "What if every score were 0?" Default: the two formulas.', None)
    note: TextsField | None = key("A remark printed under it.", None)


class ProveTable(KeyedTable):
    """Two formulas that are equal for all sizes, with the proof."""

    prove: PairField = key("The left and the right side.")
    note: TextsField | None = key("A remark printed under the proof.", None)


class VarianceTable(KeyedTable):
    """Mean and variance of an entry, derived for all sizes."""

    variance: str = key('The formula, such as "dot(q, k) / sqrt(d)".')
    note: TextsField | None = key("A remark printed under it.", None)


class ListingTable(KeyedTable):
    """A program that computes something from the givens, and what it prints."""

    listing: str = key("The language: numpy, torch, r, julia or javascript.")
    of: NamesField = key("The name, or the names, that it computes.")


class FigureTable(KeyedTable):
    """A picture."""

    figure: str = key("The kind: heatmap, bars, arcs, vectors, move, waves or flow.")
    of: NamesField | None = key("The name, or the names, that it shows; flow shows all without it.", None)
    row: Annotated[int, Field(ge=1)] | None = key("The one row that it is about, counted from 1.", None)
    caption: TextsField | None = key(
        "What stands under it, in place of what stands under every picture of its kind.", None
    )


class UseTable(KeyedTable):
    """A ready-made derivation from the catalogue, which stands for all its steps."""

    _strange: ClassVar[str] = "; an option of the entry goes into with = {{ {key} = … }}"

    use: str = key("The entry, such as attention; symattn catalogue lists them.")
    settings: Annotated[dict[str, SettingField], Field(alias="with", max_length=40)] = key(
        'Options of the entry, such as { mask = ["causal", "window"] }.', {}
    )
    names: Annotated[dict[str, str], Field(max_length=200)] = key(
        'What matrices of the entry are called here, such as { X = "H" }.', {}
    )
    suffix: Annotated[str, AfterValidator(ending)] = key(
        'What is put behind every name that the entry defines, such as "_1".', ""
    )


class UsedTable(UseTable):
    """A use and the items it stands for, which are read in its place."""

    items: tuple[Any, ...] = ()


class UnrolledTable(KeyedTable):
    """A step ``dW = grad(L, W)`` and the items it stands for, which are read in its place."""

    items: tuple[Any, ...] = ()


_ITEM_KEYS = (
    "use",
    "step",
    "show",
    "unfold",
    "quantity",
    "tensor",
    "listing",
    "prove",
    "variance",
    "figure",
    "what_if",
    "ask",
    "note",
)


def _kind_of_item(value: Any) -> str:
    """Return the kind of an item, by its first known key; :func:`_is_item` has checked that there is one."""
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
    | Annotated[FigureTable, Tag("figure item")]
    | Annotated[WhatIfTable, Tag("what_if item")]
    | Annotated[AskTable, Tag("ask item")]
    | Annotated[NoteTable, Tag("note item")]
    | Annotated[UseTable, Tag("use item")],
    Discriminator(_kind_of_item),
    BeforeValidator(_is_item),
]
