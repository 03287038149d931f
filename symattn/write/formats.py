"""The formats a document can be written in.

>>> from symattn.show.blocks import Document, Heading, Prose
>>> from symattn.show.math import Letter
>>> page = Document(("Weights",), "en", (Heading(1, "1", ("The scores",)), Prose(("As ", Letter("Q"), " asks."))))
>>> print(render(page, "markdown"), end="")
# Weights
<BLANKLINE>
## 1 The scores
<BLANKLINE>
As $Q$ asks.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from types import MappingProxyType

from symattn.base.errors import RenderError, UnknownNameError, unknown
from symattn.show.blocks import Document, with_answers_at_end
from symattn.write import environment
from symattn.write.endings import FILE_FORMATS
from symattn.write.environment import Macros
from symattn.write.markdown import markdown
from symattn.write.page import matrix_tex

__all__ = ["FORMATS", "matrix_tex", "render", "rendered"]


FormatWriter = Callable[[Document, Macros, str | None, bool], str | bytes]
"""Writes a document; its other arguments are the language's phrases, the delimiters, and whether it is a fragment."""


def _later(format: str) -> FormatWriter:
    """Return a function that imports the format's module on first use and calls the function of the same name."""

    def write(document: Document, words: Macros, math: str | None, fragment: bool) -> str | bytes:
        written: FormatWriter = getattr(import_module(f"symattn.write.{format}"), format)
        return written(document, words, math, fragment)

    return write


FORMATS: Mapping[str, FormatWriter] = MappingProxyType(
    {"markdown": markdown, **{name: _later(name) for name in ("latex", "typst", "html", "beamer", "docx", "rst")}}
)
"""The function that writes each format."""

FOLDS = ("markdown", "html")
"""The formats in which the answer of a question is folded away below it."""


def render(document: Document, format: str, *, math: str | None = None, fragment: bool = False) -> str:
    """Write ``document`` in a text format, such as Markdown; it ends with one newline.

    ``math`` chooses the delimiters of Markdown, ``dollar`` (the default) or ``brackets``; ``fragment`` leaves out what
    LaTeX or Typst need around the body of a page.

    Raises :class:`~symattn.base.errors.UnknownNameError` for an unknown format or delimiters, and
    :class:`~symattn.base.errors.RenderError` where the format has no such choice or is not text.
    """
    if format in FORMATS and not FILE_FORMATS[format].is_text:
        raise RenderError(f"format {format} is no text: it goes into a file")
    text = rendered(document, format, math=math, fragment=fragment)
    assert isinstance(text, str)
    return text


def rendered(document: Document, format: str, *, math: str | None = None, fragment: bool = False) -> str | bytes:
    """Write ``document`` like :func:`render`, but also in formats that are not text.

    Raises :class:`~symattn.base.errors.UnknownNameError` for an unknown format, and
    :class:`~symattn.base.errors.RenderError` for delimiters of a format that has its own.
    """
    if format not in FORMATS:
        raise UnknownNameError(unknown("format", format, FORMATS))
    if math is not None and format != "markdown":
        raise RenderError(f"format {format} knows no math={math!r}: that chooses the delimiters of Markdown")
    document = document if format in FOLDS else with_answers_at_end(document)
    return FORMATS[format](document, environment.phrases(document.language), math, fragment)
