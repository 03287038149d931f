"""The form of a check as data: what a JSON object of each kind holds, key by key; its schema is published.

>>> described = json_schema()
>>> described["$id"], sorted(described["$defs"]["CheckForm"]["required"])[:3]
('urn:symattn-check:1', ['coverage', 'findings', 'name'])
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Annotated, Any, Literal

from pydantic import Field
from pydantic.json_schema import models_json_schema

import symattn
from symattn.base.errors import STEERING
from symattn.base.json_form import JsonObject, without_titles
from symattn.checking.model import CheckedDocument, FindingKind, RelationSource
from symattn.checking.report.causes import in_order

CheckVersion = Literal["symattn-check/1"]
CHECK_VERSION: CheckVersion = "symattn-check/1"
"""What the form is called; a change that readers of the old one would not understand gets another number."""

CHECK_ID = f"urn:{CHECK_VERSION.replace('/', ':')}"
"""What the schema is called. It is no place on the web."""

PlaceNumber = Annotated[int, Field(ge=1)]
FigureCount = Annotated[int, Field(ge=0)]


class ExplainedForm(JsonObject):
    """What may have happened: a mistake of the bank or a slip, by its name and in a sentence."""

    name: str
    said: str


class FindingForm(JsonObject):
    """A place that is not right. ``cause`` is the number of what it comes from, one for all that has one origin."""

    line: Annotated[PlaceNumber, Field(description="In the file, from 1")]
    column: Annotated[PlaceNumber, Field(description="In characters, from 1")]
    printed: Annotated[str, Field(description="The figure as it stands there")]
    expected: Annotated[str, Field(description="What should stand there; of a shape, what would fit")]
    kind: FindingKind
    because: str
    cause: int
    of: Annotated[str, Field(description="The quantity whose figure it is, as the document writes it, or nothing")]
    worked: Annotated[str, Field(description="The line that shows the right value, or nothing")]
    explained: tuple[ExplainedForm, ...]
    relation: Annotated[RelationSource, Field(description="How the document says what the figure should be")]


class CoverageForm(JsonObject):
    """How much was followed, in figures that claim something: ``figures`` is ``verified`` and ``not_verified``, and
    ``wrong`` are those of ``verified`` that are not right. ``given`` are the figures that the document starts from."""

    figures: FigureCount
    verified: FigureCount
    wrong: FigureCount
    not_verified: FigureCount
    given: FigureCount


class UnfollowedForm(JsonObject):
    """Something with figures that was not verified, and why."""

    line: PlaceNumber
    column: PlaceNumber
    text: str
    why: str
    figures: FigureCount


class RemarkForm(JsonObject):
    """Something that is not wrong, and that a document does not say."""

    line: PlaceNumber
    column: PlaceNumber
    said: str


class CheckForm(JsonObject):
    """One document. ``version`` is that of symattn, ``schema`` that of this form."""

    findings: tuple[FindingForm, ...]
    coverage: CoverageForm
    unfollowed: tuple[UnfollowedForm, ...]
    remarks: tuple[RemarkForm, ...]
    name: str
    version: str
    schema_: Annotated[CheckVersion, Field(alias="schema")]


class UnreadForm(JsonObject):
    """A document that could not be read, and why."""

    name: str
    because: str


class ChecksForm(JsonObject):
    """Several documents."""

    documents: tuple[CheckForm, ...]
    unread: tuple[UnreadForm, ...]
    version: str
    schema_: Annotated[CheckVersion, Field(alias="schema")]


def json_schema() -> dict[str, Any]:
    """The schema in the 2020-12 draft: one document, or several."""
    _, described = models_json_schema([(CheckForm, "validation"), (ChecksForm, "validation")], by_alias=True)
    head = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": CHECK_ID,
        "title": "symattn check",
        "description": "What symattn check --format json says of one document, or of several.",
        "anyOf": [{"$ref": "#/$defs/CheckForm"}, {"$ref": "#/$defs/ChecksForm"}],
    }
    tables = _on_one_line(without_titles(described))["$defs"]
    return {**head, "$defs": dict(sorted(tables.items()))}


def schema_text() -> str:
    """The schema as a file."""
    return json.dumps(json_schema(), ensure_ascii=False, indent=2) + "\n"


def _on_one_line(schema: Any) -> Any:
    """A schema whose descriptions have no line breaks."""
    if isinstance(schema, list):
        return [_on_one_line(part) for part in schema]
    if isinstance(schema, dict):
        return {key: _on_one_line(part) for key, part in schema.items()}
    return " ".join(schema.split()) if isinstance(schema, str) else schema


def as_json(documents: Sequence[CheckedDocument], unread: Sequence[tuple[str, str]] = (), several: bool = False) -> str:
    """One document as an object, or ``several`` in a list, with the names of those that could not be read and why."""
    if several or len(documents) != 1:
        return encoded(
            {
                "documents": [document_data(document) for document in documents],
                "unread": [{"name": name, "because": because} for name, because in unread],
                **_head(),
            }
        )
    return encoded(document_data(documents[0]))


def document_data(document: CheckedDocument) -> dict[str, Any]:
    """One document as the object of its form."""
    return {
        "findings": [
            _by(FindingForm, each) | {"explained": [_by(ExplainedForm, one) for one in each.explained]}
            for each in in_order(document)
        ],
        "coverage": _by(CoverageForm, document.coverage),
        "unfollowed": [_by(UnfollowedForm, each) for each in document.unfollowed],
        "remarks": [_by(RemarkForm, each) for each in document.remarks],
        "name": document.name,
        **_head(),
    }


def _by(form: type[JsonObject], one: object) -> dict[str, Any]:
    """What a form asks for, of something that has all of it."""
    return {key: getattr(one, key) for key in form.model_fields}


def _head() -> dict[str, str]:
    return {"version": symattn.__version__, "schema": CHECK_VERSION}


def encoded(data: Any) -> str:
    """JSON in which what steers a terminal is written by its numbers; it ends with one newline.

    >>> print(encoded({"name": "a\\x1b[2J"}), end="")
    {
      "name": "a\\u001b[2J"
    }
    """
    text = json.dumps(data, ensure_ascii=False, indent=2)
    # Ends of lines are JSON's own: inside a text they are escaped already.
    lines = (STEERING.sub(lambda found: json.dumps(found[0])[1:-1], line) for line in text.split("\n"))
    return "\n".join(lines) + "\n"
