"""Settings of a layer that its tensors do not show: from its family, its configuration, or the caller.

Contradictory settings are refused, and missing ones are asked for.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from functools import partial
from pathlib import Path
from typing import Any, get_args

from symattn.base import limits
from symattn.base.errors import ArrayError, cut, shown, unknown
from symattn.read.arrays.opened import must_be_file, unique
from symattn.read.models.layouts import ACTIVATIONS, ALSO_CALLED, Activation, Keys, Norm, SettingName, layouts
from symattn.read.models.weights import Layer, stranger

NAME = "config.json"


@dataclass(frozen=True)
class Config:
    """The values of a configuration; the page calls it ``name``, errors call it ``where``."""

    name: str
    where: str
    values: Mapping[str, Any]
    ignored: tuple[str, ...] = ()
    """Keys that were left out on request, or the name of the whole file."""

    @classmethod
    def of(cls, source: str | Path | Mapping[str, Any] | None, model: Path, ignored: Collection[str]) -> Config:
        """Return the given configuration, or the ``config.json`` beside a model, if there is one.

        Raises :class:`~symattn.base.errors.ArrayError` if it is not a table of keys.
        """
        if not isinstance(source, str | Path | Mapping | None):
            raise ArrayError(f"config is a {type(source).__name__}: expected a table of keys or the path of a file")
        if isinstance(source, Mapping):
            if not all(isinstance(key, str) for key in source):
                raise ArrayError("config holds a key that is no text: expected keys such as 'hidden_act'")
            return cls("config", "config", source)._without(ignored)
        path = model.parent / NAME if source is None else Path(source)
        if source is None and not path.is_file():
            return cls(NAME, NAME, {})
        if source is None and NAME in ignored:
            return cls(NAME, NAME, {}, (NAME,))
        return cls(path.name, str(path), _table_of(path))._without(ignored)

    def _without(self, ignored: Collection[str]) -> Config:
        kept = {key: value for key, value in self.values.items() if key not in ignored}
        return Config(self.name, self.where, kept, tuple(key for key in ignored if key in self.values))

    def says(self, key: str) -> str:
        """Return a key and its value as they are written.

        >>> Config("config.json", "", {"n_head": 4}).says("n_head")
        'n_head = 4'
        """
        try:
            value = json.dumps(self.values[key], default=str)
        except RecursionError:
            value = "…"
        # JSON escapes the key, so that any key stays on one line.
        return f"{cut(json.dumps(key)[1:-1])} = {cut(value)}"

    def strange(self, keys: Keys, facts: Mapping[str, int | bool]) -> tuple[str, ...]:
        """Return the keys that are not understood, and those with a value that is not supported."""
        strange = [key for key in self.values if not self._is_understood(key, keys, facts)]
        # A configuration of another model has many strange keys; model_type is the one that explains them.
        return tuple(map(self.says, sorted(strange, key=lambda key: key != "model_type")))

    def _is_understood(self, key: str, keys: Keys, facts: Mapping[str, int | bool]) -> bool:
        value = self.values[key]
        if key == "model_type":
            return value in keys.model_types
        if key in keys.only:
            return any(_same(value, known) for known in keys.only[key])
        if key in keys.facts:
            fact = facts.get(keys.facts[key])
            return value is None or fact is None or _same(value, fact)
        return key in keys.settings or key in keys.harmless


def _same(value: Any, known: Any) -> bool:
    # True is no 1 here, and 1.0 no 1.
    return type(value) is type(known) and bool(value == known)


def _table_of(path: Path) -> dict[str, Any]:
    if must_be_file(path) > limits.FILE_BYTES:
        raise ArrayError(f"{path}: is larger than FILE_BYTES = {limits.FILE_BYTES} bytes")
    try:
        table = json.loads(path.read_text(encoding="utf-8"), object_pairs_hook=partial(unique, what="key"))
    except (OSError, ValueError, RecursionError) as error:
        raise ArrayError(f"{path}: cannot be read: {error}") from None
    if not isinstance(table, dict):
        raise ArrayError(f"{path}: holds no table of keys: expected {{…}} as a model's configuration has it")
    return table


ASKED: dict[SettingName, tuple[str, str]] = {
    "family": ("what model it is of", "family (--family {family})"),
    "heads": ("how many heads it has", "heads (--heads)"),
    "causal": ("whether a row sees later ones", "causal (--causal or --no-causal)"),
    "scaled": ("whether scores are divided by √d_k", "scaled (--scaled or --no-scaled)"),
    "layer_scaled": (
        "whether scores are divided by the number of the layer",
        "layer_scaled (--layer-scaled or --no-layer-scaled)",
    ),
    "norm": ("where layer norm stands", "norm (--norm pre or post)"),
    "activation": ("the function between its feed-forward layers", "activation (--activation)"),
    "epsilon": ("the ε of layer norm", "epsilon (--epsilon)"),
}
"""Every setting: the question, and the options that answer it."""


@dataclass(frozen=True)
class Said:
    """One statement of a setting by one source."""

    value: Any
    text: str
    """The statement in an error."""
    source: str
    """``told``, ``config``, ``absent`` (a key left out), ``family`` or ``unasked``."""
    written: str
    """The statement on the page."""


@dataclass(frozen=True)
class Settings:
    """How a layer works; settings that a single head does not need may be missing."""

    heads: int
    head: int | None
    causal: bool
    scaled: bool
    number: int | None
    """The number of the layer, counted from 1, if scores are divided by it too."""
    norm: Norm | None
    activation: Activation | None
    epsilon: str | None
    sources: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The settings taken from each source."""


def settle(
    layer: Layer, config: Config, told: Mapping[str, Any], ignored: Collection[str], head: int | None
) -> Settings:
    """Return the settings of a layer.

    Raises :class:`~symattn.base.errors.ArrayError` for settings that are not understood, contradictory or missing.
    """
    _must_be_understood(layer, config, ignored)
    layer.must_be_biased_throughout()
    for name in ASKED:
        if told.get(name) is not None:
            _READERS[name](told[name], name)
            if not _has(layer, name):
                raise ArrayError(f"{layer.where}: {name} is given, and attention alone has none: leave it out")
    said: dict[SettingName, Said | None] = {}
    for name in ASKED:
        if _shows(layer, name, head, said):
            said[name] = _agreed(layer, name, list(_statements(layer, config, told, name)))
    _must_be_said(layer, [name for name, statement in said.items() if statement is None])
    values = {name: statement.value for name, statement in said.items() if statement is not None}
    heads = values["heads"]
    if layer.width % heads:
        raise ArrayError(f"{layer.where}: {heads} heads cannot share {layer.width} columns: expected a divisor of them")
    if head is not None and (type(head) is not int or not 1 <= head <= heads):
        raise ArrayError(f"{layer.where}: head {head} is not there: expected 1 to {heads}")
    sources: dict[str, tuple[str, ...]] = {}
    for statement in said.values():
        if statement is not None:
            sources[statement.source] = (*sources.get(statement.source, ()), statement.written)
    return Settings(
        heads,
        head,
        values["causal"],
        values["scaled"],
        _number_of(layer) if values["layer_scaled"] else None,
        values.get("norm"),
        values.get("activation"),
        values.get("epsilon"),
        sources,
    )


def _must_be_understood(layer: Layer, config: Config, ignored: Collection[str]) -> None:
    tensors = [stranger(name) for name in layer.strange if name not in ignored]
    keys = config.strange(layer.layout.keys, dict(layer.facts()))
    parts = [f"the tensors {_some(tensors)}"] if tensors else []
    parts += [f"{config.where} says {_some(keys)}"] if keys else []
    if parts:
        models = layer.layout.keys.model_types
        known = f" (known for model_type: {', '.join(models)})" if models and "model_type" in config.values else ""
        raise ArrayError(
            f"{layer.where}: is not read, because not all of it is understood: {'; '.join(parts)}{known}. "
            "What surely changes nothing in the layer can be left out by its name, a whole configuration by "
            f"{NAME}: ignore (--ignore NAME)"
        )


def _some(names: Collection[str], most: int = 12) -> str:
    listed = list(names)
    return ", ".join(listed[:most]) + (f" and {len(listed) - most} more" if len(listed) > most else "")


def _statements(layer: Layer, config: Config, told: Mapping[str, Any], name: SettingName) -> Iterator[Said]:
    layout, read = layer.layout, _READERS[name]
    if told.get(name) is not None:
        text = f"{name} = {_written(told[name])}"
        yield Said(read(told[name], name), text, "told", text)
    for key in layout.keys.saying(name):
        if key in config.values:
            text = f"{config.where} says {config.says(key)}"
            yield Said(_from_key(read, config.values[key], text), text, "config", config.says(key))
        elif key in layout.keys.absent and key not in config.ignored and "model_type" in config.values:
            value = layout.keys.absent[key]
            text = f"{config.where} leaves {key} out, which means {_written(value)}"
            yield Said(value, text, "absent", f"{key} = {_written(value)}")
    if name in layout.fixed:
        value = layout.fixed[name]
        text = f"in {layout.family} it is always {_written(value)}"
        yield Said(_from_key(read, value, text), text, "family", f"{name} = {_written(value)}")
    elif name in layout.unasked and told.get(name) is None:
        value = layout.unasked[name]
        yield Said(read(value, layout.family), "", "unasked", f"{name} = {_written(value)}")
    elif name == "family" and not layout.shared_with and told.get(name) is None:
        yield Said(layout.called, "", "family", "")


def _agreed(layer: Layer, name: str, statements: list[Said]) -> Said | None:
    """Return the first of several statements, which must all agree."""
    if not statements:
        return None
    first = statements[0]
    known = (layer.layout.called, *layer.layout.keys.model_types)
    if name == "family" and first.value not in known:
        raise ArrayError(f"{layer.where}: {first.text}, and its tensors are named otherwise: expected {_or(known)}")
    for other in statements[1:]:
        # A caller's general "as BERT" does not contradict a configuration that names a kind of BERT.
        if other.value != first.value and not (name == "family" and first.value == layer.layout.called):
            raise ArrayError(
                f"{layer.where}: {first.text}, and {other.text}: they must agree; leave one of them out, or a key "
                "that is wrong with ignore (--ignore NAME)"
            )
    return first


def _has(layer: Layer, name: str) -> bool:
    return name not in ("norm", "activation", "epsilon") or layer.layout.attention.norm is not None


def _shows(layer: Layer, name: str, head: int | None, said: Mapping[SettingName, Said | None]) -> bool:
    """Return whether a setting affects the result; ``said`` holds the settings before it."""
    if not _has(layer, name):
        return False
    if name == "activation":
        return head is None
    if name == "epsilon":
        norm = said["norm"]
        return head is None or (norm is not None and norm.value == "pre")
    return True


def _must_be_said(layer: Layer, missing: list[SettingName]) -> None:
    if not missing:
        return
    layout = layer.layout
    shared = f" (tensors are named so by {layout.shared_with}, too)"
    questions = "; ".join(ASKED[name][0] + (shared if name == "family" else "") for name in missing)
    answers = ", ".join(ASKED[name][1].format(family=layout.called) for name in missing)
    raise ArrayError(
        f"{layer.where}: the file does not say {questions}: put the model's config.json beside it or give "
        f"it as config (--config FILE), or give {answers}"
    )


def _number_of(layer: Layer) -> int:
    found = re.search(r"(?:^|\.)(\d{1,6})\.$", layer.prefix, re.ASCII)
    if found is None:
        raise ArrayError(
            f"{layer.where}: its scores are divided by the number of the layer, and the prefix does not end with one: "
            "expected a layer such as h.3"
        )
    return int(found[1]) + 1


# Readers of settings: each turns a value into one form.


def _heads(value: Any, where: str) -> int:
    if type(value) is not int or not 1 <= value <= limits.MATRIX_ENTRIES:
        raise ArrayError(f"{where}: expected a whole number of heads, 1 or more, and not {shown(_plain(value))}")
    return value


def _yes_or_no(value: Any, where: str) -> bool:
    if not isinstance(value, bool):
        raise ArrayError(f"{where}: expected true or false, and not {shown(_plain(value))}")
    return value


def _norm(value: Any, where: str) -> Norm:
    known: dict[Any, Norm] = {"pre": "pre", "post": "post", True: "pre", False: "post"}  # norm_first
    if not isinstance(value, str | bool) or value not in known:
        raise ArrayError(unknown("norm", _plain(value), get_args(Norm)))
    return known[value]


def _activation(value: Any, where: str) -> Activation:
    known: dict[str, Activation] = {**{name: name for name in ACTIVATIONS}, **ALSO_CALLED}
    if not isinstance(value, str) or value not in known:
        raise ArrayError(unknown("activation", _plain(value), known))
    return known[value]


def _family(value: Any, where: str) -> str:
    known = [name for layout in layouts() for name in (layout.called, *layout.keys.model_types)]
    if value not in known:
        raise ArrayError(unknown("family", _plain(value), set(known)))
    return str(value)


def _epsilon(value: Any, where: str) -> str:
    """Read a decimal, which may be written ``1e-12``, and return it as a formula writes it.

    >>> _epsilon("1e-12", ""), _epsilon(0.00001, ""), _epsilon("2.5e-6", "")
    ('10^-12', '10^-5', '0.0000025')
    """
    try:
        number = Decimal(_plain(value).replace("10^", "1e"))
    except InvalidOperation:
        number = Decimal("NaN")
    if isinstance(value, bool) or not number.is_finite() or number < 0 or abs(number.adjusted()) > limits.DIGITS:
        raise ArrayError(f"epsilon is {shown(_plain(value))}: expected a small number such as 1e-5")
    _, digits, exponent = number.normalize().as_tuple()
    if digits == (1,) and isinstance(exponent, int) and exponent < 0:
        return f"10^{exponent}"
    return format(number, "f")


_READERS: dict[str, Callable[[Any, str], Any]] = {
    "family": _family,
    "heads": _heads,
    "causal": _yes_or_no,
    "scaled": _yes_or_no,
    "layer_scaled": _yes_or_no,
    "norm": _norm,
    "activation": _activation,
    "epsilon": _epsilon,
}


def _from_key(read: Callable[[Any, str], Any], value: Any, text: str) -> Any:
    try:
        return read(value, text)
    except ArrayError as error:
        raise ArrayError(str(error) if str(error).startswith(text) else f"{text}: {error}") from None


def _plain(value: Any) -> str:
    try:
        return str(value)
    except ValueError:  # Python writes no number of thousands of digits
        return type(value).__name__


def _written(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=str) if not isinstance(value, str) else value


def _or(names: Collection[str]) -> str:
    *most, last = names
    return f"{', '.join(most)} or {last}" if most else last
