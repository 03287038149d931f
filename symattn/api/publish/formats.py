"""The writer of each format of a solution. Formats of any document are in :mod:`symattn.write.formats`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from types import MappingProxyType

from symattn.api.publish.edition import Edition
from symattn.base.budget import doing, working
from symattn.base.errors import UnknownNameError, unknown
from symattn.write.endings import FILE_FORMATS
from symattn.write.formats import rendered

PUBLISHERS: Mapping[str, str] = MappingProxyType(
    {
        "html": "html:interactive_page",
        "json": "data:published",
        "ipynb": "notebook:notebook",
        "xlsx": "workbook:xlsx",
        "frontmatter": "frontmatter:site_page",
    }
)
"""Formats of solutions, each with the function that writes it: ``module:function``, imported when it is needed."""


def published(edition: Edition, format: str) -> str | bytes:
    """Return a solution in a format, with all its options.

    Raises :class:`~symattn.base.errors.UnknownNameError` for an unknown format or option, and
    :class:`~symattn.base.errors.RenderError` for an option that the format does not have.
    """
    if format not in FILE_FORMATS:
        raise UnknownNameError(unknown("format", format, FILE_FORMATS))
    edition.must_have(format)
    with (
        working(edition.store.budget),
        doing(f"the {format} file"),
    ):  # one budget for all documents, data and exercises of a format
        if format in PUBLISHERS:
            return _publisher(format)(edition)
        if edition.options.get("frontmatter"):
            return _publisher("frontmatter")(edition)
        return rendered(edition.document(format), format, math=edition.math, fragment=edition.fragment)


def _publisher(format: str) -> Callable[[Edition], str | bytes]:
    module, _, name = PUBLISHERS[format].partition(":")
    found: Callable[[Edition], str | bytes] = getattr(import_module(f"symattn.api.publish.{module}"), name)
    return found
