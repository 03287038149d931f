"""What a check found, as JSON under the published form (:mod:`symattn.checking.report.form`)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import symattn
from symattn.checking.model import CheckedDocument
from symattn.checking.report.causes import in_order
from symattn.checking.report.form import (
    CHECK_VERSION,
    CoverageForm,
    ExplainedForm,
    FindingForm,
    RemarkForm,
    UnfollowedForm,
)
from symattn.errors import STEERING
from symattn.exercise.export.form import JsonObject


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
