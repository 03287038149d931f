"""Write a scenario file from tables: the text is read back to the same scenario.

>>> print(toml_text({"title": "Own", "given": {"X": {"value": [["1/2", 1]]}}, "section": [{"title": "", "steps": []}]}))
title = "Own"
<BLANKLINE>
[given]
X = [["1/2", 1]]
<BLANKLINE>
[[section]]
title = ""
steps = []
<BLANKLINE>
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from itertools import takewhile
from typing import Any

from symattn.read.given import Given

_BARE = re.compile(r"[A-Za-z0-9_-]+\Z")
_LAST = ("section", "claim", "printed", "reasons", "code")
_LONG = 100
"""A list of rows longer than this takes a line for each row."""


def toml_text(data: Mapping[str, Any]) -> str:
    """Return the TOML text: single values first, then tables, then sections and claims."""
    head = [line for key, value in data.items() if not _is_table(key, value) for line in _pair(key, value)]
    blocks = ["\n".join(head)] if head else []
    last = [key for key in _LAST if key in data]
    for key, value in [*((key, data[key]) for key in data if key not in last), *((key, data[key]) for key in last)]:
        if _is_array(key, value):
            blocks += ["\n".join([f"[[{key}]]", *toml_lines(entry)]) for entry in value]
        elif _is_table(key, value):
            blocks += _table(key, value)
    return "\n\n".join(blocks) + "\n"


_WORDS = ("title", "source", "intro", "opening", "conclusion")


def _is_array(key: str, value: object) -> bool:
    return key in ("section", "claim") and isinstance(value, list)


def _is_table(key: str, value: object) -> bool:
    return _is_array(key, value) or (
        isinstance(value, Mapping) and key not in ("title", "source", "intro", "opening", "conclusion")
    )


def _table(key: str, table: Mapping[str, Any]) -> Iterator[str]:
    """Yield a table. Givens keep their order: from the first with more than a value on, each has a table of its own."""
    if key == "operation":
        yield from ("\n".join([f"[{key}.{_key(name)}]", *toml_lines(entry)]) for name, entry in table.items())
        return
    if key != "given":
        yield "\n".join([f"[{key}]", *toml_lines(table)])
        return
    short = dict(takewhile(lambda pair: set(pair[1]) == {"value"}, table.items()))
    if short:
        yield "\n".join([f"[{key}]", *toml_lines({name: entry["value"] for name, entry in short.items()})])
    for name, entry in table.items():
        if name not in short:
            yield "\n".join([f"[{key}.{_key(name)}]", *toml_lines(entry)])


def toml_lines(table: Mapping[str, Any]) -> list[str]:
    """Return a line for each pair; a long list of rows has a line for each row."""
    return [line for key, value in table.items() for line in _pair(key, value)]


def _pair(key: str, value: Any) -> Iterator[str]:
    if isinstance(value, Given):
        value = value.written
    if isinstance(value, Mapping):  # words, one key per language
        yield from (f"{_key(key)}.{_key(inner)} = {toml_value(part)}" for inner, part in value.items())
        return
    text = f"{_key(key)} = {toml_value(value)}"
    inner = isinstance(value, list) and value and (key == "steps" or (len(text) > _LONG and isinstance(value[0], list)))
    if inner:
        text = "\n".join([f"{_key(key)} = [", *(f"  {toml_value(part)}," for part in value), "]"])
    yield text


def _key(key: str) -> str:
    return key if _BARE.match(key) else _text(key)


def toml_value(value: Any) -> str:
    """Return a value on one line."""
    match value:
        case bool():
            return str(value).lower()
        case int():
            return str(value)
        case str():
            return _text(value)
        case Mapping():
            return "{ " + ", ".join(_inline(key, part) for key, part in value.items()) + " }"
        case list() | tuple():
            return "[" + ", ".join(map(toml_value, value)) + "]"
    raise TypeError(f"no TOML for {type(value).__name__}")


def _inline(key: str, value: Any) -> str:
    return f"{_key(key)} = {toml_value(value)}"


def _text(text: str) -> str:
    """Return a basic string. JSON and TOML escape the same characters, except DEL."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
