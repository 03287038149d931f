"""What single values look like, for the JSON schema: an editor sees a slip, the reader sees more."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import GetJsonSchemaHandler, PlainValidator
from pydantic_core import PydanticKnownError
from pydantic_core.core_schema import CoreSchema

from symattn import limits
from symattn.words import ABOUT, is_language, language_named, languages, other_names, text

NUMBER = r"^\s*[0-9A-Za-z_.()+*/^-][0-9A-Za-z_. ()+*/^-]*$"
"""An exact number: digits, fractions, roots, powers, logarithms, ``-oo``."""

PRINTED = r"^\s*[+\u2212-]?([0-9.\u221e]|oo|[Ii][Nn][Ff])[0-9.*^+oeEIiNnFf\u00d7\u00b7\u2212\u221e -]*$"
"""A figure as a source prints it, or two with a space between them."""

NAME = r"^[A-Za-z][A-Za-z0-9_]{0,39}$"
"""What can name a matrix, a size or a quantity."""


@dataclass(frozen=True)
class Described:
    """The JSON schema of a value, which is made when somebody asks for it: which languages there are is looked up."""

    schema: Callable[[], dict[str, Any]]

    def __get_pydantic_json_schema__(self, core: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        return self.schema()


def words() -> dict[str, Any]:
    """One text, or one for each language."""
    spoken = {name: text(name, ABOUT, "name") for name in languages()}
    each = {name: {"type": "string", "description": f"The words in {said}."} for name, said in spoken.items()}
    return {"anyOf": [{"type": "string"}, _spoken(each, {"type": "string"})]}


def labels() -> dict[str, Any]:
    """One list of labels, or one for each language."""
    listed = {"items": {"type": "string"}, "maxItems": limits.LABELS, "minItems": 1, "type": "array"}
    each = dict.fromkeys(languages(), listed)
    return {"anyOf": [listed, _spoken(each, listed)]}


def _spoken(each: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    """A table with a key for each language, which may also have another of its names."""
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
