"""What may stand among the steps of a section: a table for each kind of item.

>>> ItemEntry.__metadata__[0].discriminator({"step": "S = Q @ K.T"})
'step item'
"""

# Annotations are no texts in this module (no `from __future__`): pydantic would have to read each of them.

from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import AfterValidator, BeforeValidator, Discriminator, Field, PrivateAttr, Tag

from symattn import limits
from symattn.errors import unknown
from symattn.plan import BuiltLine
from symattn.scenario.fields import described, ending
from symattn.scenario.keyed import KeyedTable, key
from symattn.scenario.model import DisplayForm
from symattn.scenario.problem import Problem
from symattn.scenario.value_fields import (
    CheckField,
    DecimalsField,
    NamesField,
    PairField,
    SettingField,
    SizesField,
    TextsField,
)


class StepTable(KeyedTable):
    """A step with options."""

    step: str = key("name = formula.")
    decimals: DecimalsField | None = key("How many decimals this step is printed with.", None)
    note: TextsField | None = key("A remark printed under the step.", None)
    works: Annotated[list[int], Field(min_length=2, max_length=2)] | None = key(
        "Which entry is worked out: row and column, counted from 1.", None
    )
    because: TextsField | None = key("Why the step is made, printed with it.", None)
    check: CheckField | None = key(
        'Of a gradient, dW = grad(L, W): the entry of W, such as "W[2,1]", that is moved by 0.001 to check it, or '
        "false for no check.",
        None,
    )
    shown: bool = key("Whether the page shows the step; one that it does not is worked out and certified too.", True)


class BuiltStep(StepTable):
    """A step whose formula the program has built: it is not read."""

    _line: BuiltLine = PrivateAttr()

    @classmethod
    def of(cls, line: BuiltLine, **options: Any) -> Self:
        """The step of a line, with options that need no check."""
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

    figure: str = key("The kind: heatmap, bars, arcs, vectors, waves or flow.")
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


_ITEM_KEYS = ("use", "step", "show", "unfold", "quantity", "tensor", "listing", "prove", "variance", "figure", "note")


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
    | Annotated[FigureTable, Tag("figure item")]
    | Annotated[NoteTable, Tag("note item")]
    | Annotated[UseTable, Tag("use item")],
    Discriminator(_kind_of_item),
    BeforeValidator(_is_item),
]
