"""Layouts of families of models: the names of a layer's tensors, how they are stored, and what the layer does.

Each family is a file in ``families/``, or in a package that an entry point of the group ``symattn.models`` names; such
a package is not imported. A tensor's name is the part after the prefix of the layer. ``torch.nn.Linear`` stores
(out, in) and multiplies by the transpose.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import entry_points
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BeforeValidator, ConfigDict, TypeAdapter, ValidationError

from symattn.base.errors import ArrayError, shown

FOLDER = Path(__file__).parent / "families"
GROUP = "symattn.models"
SHARED = "shared.toml"

Norm = Literal["pre", "post"]
Activation = Literal["relu", "gelu", "gelu_tanh", "silu", "tanh", "relu2", "quick_gelu"]
SettingName = Literal["family", "heads", "causal", "scaled", "layer_scaled", "norm", "activation", "epsilon"]
Fact = Literal["width", "inner", "cross"]

ACTIVATIONS: dict[Activation, str] = {
    "relu": "relu({x})",
    "gelu": "gelu({x})",
    "gelu_tanh": "gelu_tanh({x})",
    "silu": "silu({x})",
    "tanh": "tanh({x})",
    "relu2": "hadamard(relu({x}), relu({x}))",
    "quick_gelu": "silu(1.702 * {x}) / 1.702",
}
"""Functions between the two layers of a feed-forward network, as formulas. Source: Transformers, ``activations.py``."""

ALSO_CALLED: dict[str, Activation] = {
    "gelu_python": "gelu",
    "gelu_new": "gelu_tanh",
    "gelu_accurate": "gelu_tanh",
    "gelu_pytorch_tanh": "gelu_tanh",
    "gelu_python_tanh": "gelu_tanh",
    "swish": "silu",
}
"""Other names of the same functions. ``gelu_fast`` is not one of them: its √(2/π) is rounded to ten digits."""


class Checked:
    """A table of a file, in which unknown keys are refused."""

    __pydantic_config__: ClassVar[ConfigDict] = ConfigDict(extra="forbid")


@dataclass(frozen=True)
class Linear(Checked):
    """A matrix and its bias, or the gain and bias of a norm; part ``part`` of ``parts`` is meant."""

    weight: str
    bias: str
    part: int = 0
    parts: int = 1
    bias_parts: int | None = None
    """The number of parts of the bias, if it is split differently from the matrix."""
    older: tuple[str, str] | None = None
    """The former names of both."""


def _named(told: Any) -> Any:
    """Expand ``name`` to ``name.weight`` and ``name.bias``; older names then consist of the endings only."""
    table = {"name": told} if isinstance(told, str) else told
    if not isinstance(table, dict) or "name" not in table:
        return told
    name = table["name"]
    named = {"weight": f"{name}.weight", "bias": f"{name}.bias", **table}
    if "older" in table:
        named["older"] = [f"{name}.{ending}" for ending in table["older"]]
    return {key: value for key, value in named.items() if key != "name"}


LinearPart = Annotated[Linear, BeforeValidator(_named)]


@dataclass(frozen=True)
class Attention(Checked):
    """The projections of one attention, and the norm before or after it (without a norm, it is a module of its own)."""

    query: LinearPart
    key: LinearPart
    value: LinearPart
    output: LinearPart
    norm: LinearPart | None = None

    @property
    def projections(self) -> tuple[Linear, Linear, Linear]:
        """Query, key and value."""
        return self.query, self.key, self.value

    @property
    def parts(self) -> tuple[Linear, ...]:
        """All of its matrices."""
        return (*self.projections, self.output, *(() if self.norm is None else (self.norm,)))


@dataclass(frozen=True)
class FeedForward(Checked):
    """Both layers of a feed-forward network and the norm."""

    first: LinearPart
    second: LinearPart
    norm: LinearPart


def _words(told: Any) -> Any:
    return told.split() if isinstance(told, str) else told


def _json(told: Any) -> Any:
    """Read values as JSON, which has more kinds of them than TOML."""
    return {key: tuple(map(json.loads, values)) for key, values in told.items()}


@dataclass(frozen=True)
class Keys(Checked):
    """The keys of the configuration of one family. Keys not listed here are not understood."""

    model_types: tuple[str, ...] = ()
    """Values of ``model_type`` whose layers are of this family."""
    settings: Mapping[str, SettingName] = field(default_factory=dict)
    """The setting that each key gives."""
    facts: Mapping[str, Fact] = field(default_factory=dict)
    """Keys that repeat a fact about the tensors: both must agree."""
    only: Annotated[Mapping[str, tuple[Any, ...]], BeforeValidator(_json)] = field(default_factory=dict)
    """Keys that change the mathematics, and the values that symattn supports."""
    absent: Mapping[str, Any] = field(default_factory=dict)
    """The meaning of a missing key if ``model_type`` is given: such keys were added later, or are not written when they
    have this value."""
    harmless: Annotated[frozenset[str], BeforeValidator(_words)] = frozenset()
    """Keys that change nothing in a layer at inference."""

    def saying(self, setting: str) -> tuple[str, ...]:
        """Return the keys that may give a setting."""
        if setting == "family":
            return ("model_type",) if self.model_types else ()
        return tuple(key for key, said in self.settings.items() if said == setting)


@dataclass(frozen=True)
class Layout(Checked):
    """One family: the names of a layer's attentions, norms and feed-forward part, and its fixed settings."""

    called: str
    """Its name among the options."""
    family: str
    attention: Attention
    rank: int = 1000
    """The order in which families are tried."""
    cross: Attention | None = None
    """Attention to rows from outside the layer, if a layer has it."""
    feed_forward: FeedForward | None = None
    transposed: bool = True
    """Whether a matrix is stored as (out, in)."""
    always_biased: bool = False
    """Whether a file without biases is incomplete; otherwise all of them are there, or none."""
    always_cross: bool = False
    """Whether its cross-attention identifies it too."""
    fixed: Mapping[SettingName, Any] = field(default_factory=dict)
    """Settings that every layer of the family has."""
    unasked: Mapping[SettingName, Any] = field(default_factory=dict)
    """Default settings that belong to the call and not to the layer."""
    shared_with: str = ""
    """Models that use the same names of tensors for a different computation."""
    unused: Mapping[str, str] = field(default_factory=dict)
    """Tensors that change nothing, and why."""
    keys: Keys = field(default_factory=Keys)

    @property
    def telling(self) -> tuple[str, ...]:
        """The tensors that identify a layer of this family."""
        known = [*self.attention.projections]
        if self.always_cross and self.cross is not None:
            known += self.cross.projections
        return tuple(dict.fromkeys(linear.weight for linear in known))

    def parts(self) -> Iterator[Linear]:
        """Yield everything that a layer of the family may hold."""
        for attention in (self.attention, self.cross):
            yield from () if attention is None else attention.parts
        if self.feed_forward is not None:
            yield from (self.feed_forward.first, self.feed_forward.second, self.feed_forward.norm)


@cache
def layouts() -> tuple[Layout, ...]:
    """Return the supported families: the first one whose telling tensors all exist is used, and must explain the rest.

    >>> [layout.called for layout in layouts() if layout.keys.saying("heads") == ("n_head", "num_attention_heads")]
    ['gpt2']

    Raises :class:`~symattn.base.errors.ArrayError` for an invalid file or entry point of another package.
    """
    ours = [_read(path) for path in sorted(FOLDER.glob("*.toml")) if path.name != SHARED]
    names = {layout.called for layout in ours}
    found = []
    for point in entry_points(group=GROUP):
        for layout in map(_read, _files_of(point.name, point.value)):
            if layout.called in names:
                raise ArrayError(f"the models {shown(point.name)}: {shown(layout.called)} is there already")
            found.append(layout)
    return tuple(sorted((*ours, *found), key=lambda layout: layout.rank))


def _files_of(name: str, package: str) -> list[Path]:
    spec = None if "." in package or ":" in package else find_spec(package)
    folders = [Path(folder) for folder in (spec and spec.submodule_search_locations) or ()]
    files = [path for folder in folders for path in sorted(folder.glob("*.toml"))]
    if not files:
        raise ArrayError(
            f"the models {shown(name)} of the package {shown(package)}: is no folder with .toml files in it"
        )
    return files


def _read(path: Path) -> Layout:
    """Read the family in a file."""
    shared = tomllib.loads((FOLDER / SHARED).read_text(encoding="utf-8"))
    try:
        table = tomllib.loads(path.read_text(encoding="utf-8"))
        keys = table.setdefault("keys", {})
        known = shared[keys.pop("shared")] if "shared" in keys else {}
        keys["harmless"] = f"{known.get('harmless', '')} {keys.get('harmless', '')}"
        keys["only"] = {**known.get("only", {}), **keys.get("only", {})}
        return TypeAdapter(Layout).validate_python(table)
    except ValidationError as error:
        first = error.errors()[0]
        raise ArrayError(f"{path}: {'.'.join(map(str, first['loc']))}: {first['msg']}") from None
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise ArrayError(f"{path}: is no family of models: {error}") from None


KNOWN_STRANGERS: tuple[tuple[str, str], ...] = (
    ("lora_", "a change of a matrix by LoRA, which has to be merged into it first"),
    ("base_layer", "a matrix that LoRA changes"),
    ("rotary", "turns queries and keys by their position"),
    ("relative_position", "positions relative to each other, which are added to the scores"),
    ("relative_attention_bias", "positions relative to each other, which are added to the scores"),
    ("distance_embedding", "positions relative to each other, which are added to the scores"),
    ("bias_k", "an extra row of keys"),
    ("bias_v", "an extra row of values"),
    ("SCB", "the scale of whole numbers that stand for weights"),
    ("absmax", "the scale of whole numbers that stand for weights"),
    ("quant", "whole numbers that stand for weights"),
    ("qweight", "whole numbers that stand for weights"),
    ("qzeros", "whole numbers that stand for weights"),
)
"""Descriptions of tensors that no family here has, by a part of their name."""
