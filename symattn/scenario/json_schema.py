"""The JSON schema of scenario files, for editors: keys, types, choices and what each key is for.

It says less than the reader checks (names, shapes and references are not its business), and never more: what loads is
valid.

>>> described = json_schema()
>>> described["required"], described["properties"]["language"]["enum"][:3]
(['title'], ['zh-Hant', 'zh-Hans', 'en'])
>>> described["$defs"]["StepTable"]["properties"]["works"]["description"]
'Which entry is worked out: row and column, counted from 1.'
"""

from __future__ import annotations

import json
from typing import Any

from symattn.scenario.forms import NAME
from symattn.scenario.schema import File

ID = "urn:symattn:scenario"
"""What the schema is called. It is no place on the web: a file names the copy that lies beside it."""

_NAMED = ("sizes", "labels", "operation", "given", "general", "substitute")


def json_schema() -> dict[str, Any]:
    """The schema, in the 2020-12 draft; nothing in it means anything else in an older one."""
    described = _plain(File.model_json_schema())
    for table in (described, *described["$defs"].values()):
        for named in table["properties"].values():
            # After what it is of, as people read it; pydantic leaves out what the table it refers to says of itself.
            other = described["$defs"].get(named.get("$ref", "").rpartition("/")[2], {})
            named["description"] = named.pop("description", other.get("description"))
    for name in _NAMED:
        described["properties"][name]["propertyNames"] = {"pattern": NAME}
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": ID, "title": "symattn scenario"}
    return {**head, **{key: value for key, value in described.items() if key != "$defs"}, "$defs": described["$defs"]}


def schema_text() -> str:
    """The schema as a file."""
    return json.dumps(json_schema(), ensure_ascii=False, indent=2) + "\n"


def _plain(schema: Any) -> Any:
    """A schema without what means nothing in TOML (null) and what pydantic adds for programs (titles)."""
    if not isinstance(schema, dict):
        return schema
    kept = {key: value for key, value in schema.items() if key != "title"}
    if kept.get("default", "") is None or isinstance(kept.get("default"), dict | list):
        del kept["default"]
    for key, value in kept.items():
        if key in ("properties", "$defs"):
            kept[key] = {name: _plain(part) for name, part in value.items()}
        elif isinstance(value, list) and key in ("anyOf", "oneOf"):
            kept[key] = [_plain(part) for part in value if part != {"type": "null"}]
        else:
            kept[key] = _plain(value)
    if len(kept.get("anyOf", ())) == 1:
        (only,) = kept.pop("anyOf")
        kept = {**only, **kept}
    return kept
