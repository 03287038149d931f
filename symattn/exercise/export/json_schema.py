"""The JSON schema of exported exercises, for whoever reads them with another program.

>>> described = json_schema()
>>> described["title"], sorted(described["$defs"]["ExerciseForm"]["properties"])[:3]
('symattn exercises', ['answer', 'checksum', 'code'])
"""

from __future__ import annotations

import json
from typing import Any

from pydantic.json_schema import models_json_schema

from symattn.exercise.export.form import VERSION, FileForm, LineForm

ID = f"urn:{VERSION.replace('/', ':')}"
"""What the schema is called. It is no place on the web."""


def json_schema() -> dict[str, Any]:
    """The schema in the 2020-12 draft: a file of JSON, or one line of JSONL."""
    _, described = models_json_schema([(FileForm, "validation"), (LineForm, "validation")], by_alias=True)
    head = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": ID,
        "title": "symattn exercises",
        "description": "A file of JSON with all exercises of a batch, or one line of JSONL.",
        "anyOf": [{"$ref": "#/$defs/FileForm"}, {"$ref": "#/$defs/LineForm"}],
    }
    return {**head, "$defs": {name: _plain(table) for name, table in sorted(described["$defs"].items())}}


def schema_text() -> str:
    """The schema as a file."""
    return json.dumps(json_schema(), ensure_ascii=False, indent=2) + "\n"


def _plain(schema: Any) -> Any:
    """A schema without the titles that pydantic adds for programs."""
    if isinstance(schema, list):
        return [_plain(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        key: {name: _plain(part) for name, part in value.items()} if key == "properties" else _plain(value)
        for key, value in schema.items()
        if not (key == "title" and isinstance(value, str))
    }
