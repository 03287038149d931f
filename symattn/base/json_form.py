"""JSON objects with exactly the declared keys and types, and their schema without titles."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict


class JsonObject(BaseModel):
    """A JSON object: exactly the keys that are declared, of exactly the declared types."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


def without_titles(schema: Any) -> Any:
    """Return a schema without the titles that pydantic adds for programs."""
    if isinstance(schema, list):
        return [without_titles(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        key: {name: without_titles(part) for name, part in value.items()}
        if key == "properties"
        else without_titles(value)
        for key, value in schema.items()
        if not (key == "title" and isinstance(value, str))
    }
