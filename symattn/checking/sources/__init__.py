"""A module for each format a document may have: from a file to pieces that know their places."""

from __future__ import annotations

from symattn.checking.source import Document
from symattn.checking.sources.markdown import read_markdown


def read_document(text: str, name: str = "") -> Document:
    """A document as pieces; its format is known by the ending of its name."""
    return read_markdown(text, name)
