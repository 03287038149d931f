"""What writes a solution in each format. A format that any document has is in :mod:`symattn.write.formats`."""

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
"""Formats of solutions, each with the function that writes one: ``module:function``, imported when it is asked for."""


def published(edition: Edition, format: str) -> str | bytes:
    """A solution in a format, with all that was chosen.

    Raises :class:`~symattn.base.errors.UnknownNameError` for a format that there is not, and
    :class:`~symattn.base.errors.RenderError` for a choice that the format has not.
    """
    if format not in FILE_FORMATS:
        raise UnknownNameError(unknown("format", format, FILE_FORMATS))
    edition.must_have(format)
    with (
        working(edition.store.budget),
        doing(f"the {format} file"),
    ):  # one question, however many documents, data and exercises a format has
        if format in PUBLISHERS:
            return _publisher(format)(edition)
        if edition.options.get("frontmatter"):
            return _publisher("frontmatter")(edition)
        return rendered(edition.document(format), format, math=edition.math, fragment=edition.fragment)


def _publisher(format: str) -> Callable[[Edition], str | bytes]:
    module, _, name = PUBLISHERS[format].partition(":")
    found: Callable[[Edition], str | bytes] = getattr(import_module(f"symattn.api.publish.{module}"), name)
    return found
