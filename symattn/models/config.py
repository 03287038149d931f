"""The ``config.json`` of a model: read whole, and asked for what its keys say of a layer."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from symattn import limits
from symattn.arrays.opened import must_be_file, unique
from symattn.errors import ArrayError, cut
from symattn.models.layouts import Keys

NAME = "config.json"


@dataclass(frozen=True)
class Config:
    """What a configuration says; ``name`` is what it is called on the page, ``where`` in an error."""

    name: str
    where: str
    values: Mapping[str, Any]
    ignored: tuple[str, ...] = ()
    """Keys that were there, or the whole of it, and are left out because somebody said so."""

    @classmethod
    def of(cls, source: str | Path | Mapping[str, Any] | None, model: Path, ignored: Collection[str]) -> Config:
        """What is given, or else the ``config.json`` beside a model, if there is one.

        Raises :class:`~symattn.errors.ArrayError` for what is no table of keys.
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
        """A key and its value as they stand there.

        >>> Config("config.json", "", {"n_head": 4}).says("n_head")
        'n_head = 4'
        """
        try:
            value = json.dumps(self.values[key], default=str)
        except RecursionError:
            value = "…"
        # Whatever its letters are, they stay on one line.
        return f"{cut(json.dumps(key)[1:-1])} = {cut(value)}"

    def strange(self, keys: Keys, facts: Mapping[str, int | bool]) -> tuple[str, ...]:
        """The keys that are not understood, and those with a value that the layer is not read under."""
        strange = [key for key in self.values if not self._is_understood(key, keys, facts)]
        # Of another model many keys are strange, and this one says why.
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
