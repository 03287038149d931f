"""What a check found, as JSON under the published form (:mod:`symattn.checking.report.form`)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import symattn
from symattn.checking.model import CheckedDocument, DocumentFinding
from symattn.checking.report.causes import in_order
from symattn.checking.report.form import CHECK_VERSION
from symattn.errors import STEERING


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
    coverage = document.coverage
    return {
        "findings": [_finding(finding) for finding in in_order(document)],
        "coverage": {
            "figures": coverage.figures,
            "verified": coverage.verified,
            "wrong": coverage.wrong,
            "not_verified": coverage.not_verified,
            "given": coverage.given,
        },
        "unfollowed": [
            {"line": each.line, "column": each.column, "text": each.text, "why": each.why, "figures": each.figures}
            for each in document.unfollowed
        ],
        "remarks": [{"line": each.line, "column": each.column, "said": each.said} for each in document.remarks],
        "name": document.name,
        **_head(),
    }


def _head() -> dict[str, str]:
    return {"version": symattn.__version__, "schema": CHECK_VERSION}


def _finding(finding: DocumentFinding) -> dict[str, Any]:
    return {
        "line": finding.line,
        "column": finding.column,
        "printed": finding.printed,
        "expected": finding.expected,
        "kind": finding.kind,
        "because": finding.because,
        "cause": finding.cause,
        "of": finding.of,
        "worked": finding.worked,
        "explained": [{"name": each.name, "said": each.said} for each in finding.explained],
    }


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
