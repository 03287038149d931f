"""Which format the name of a file asks for: the one table of the endings of pages, and what makes a PDF."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from symattn.errors import OutputError

FORMATS: Mapping[str, str] = MappingProxyType({"markdown": "md", "latex": "tex", "typst": "typ"})
"""Formats of pages that are text, each with the end of the names of its files."""

TEXT = ".txt"
"""The ending under which every text goes."""

PAGES: Mapping[str, str] = MappingProxyType(
    {**{f".{end}": name for name, end in FORMATS.items()}, ".markdown": "markdown", TEXT: "markdown", ".pdf": "pdf"}
)
"""Formats of pages by the ends of names of files."""

ENGINES: Mapping[str, str] = MappingProxyType(
    {"typst": "typst", "xelatex": "latex", "lualatex": "latex", "pdflatex": "latex"}
)
"""What makes a PDF, and from which format."""

_CALLED: Mapping[str, str] = MappingProxyType(
    {
        **{"markdown": "Markdown", "latex": "LaTeX", "typst": "Typst", "pdf": "PDF"},
        **{"json": "JSON", "jsonl": "JSON lines", "csv": "CSV", "text": "text"},
    }
)
_MADE: Mapping[str, str] = MappingProxyType(
    {".html": "HTML", ".htm": "HTML", ".docx": "Word", ".pptx": "slides", ".ipynb": "a notebook"}
)
"""What people ask for and other programs make of a page."""


def format_of(output: Path | None, known: Mapping[str, str], what: str, said: str | None = None) -> str | None:
    """The format that is ``said``, else what the name of a file asks for; ``None`` where neither says anything.

    A name without an end says nothing, and neither does that of a device or a pipe.

    Raises :class:`~symattn.errors.OutputError` for an ending that is not ``known``, for nobody means Markdown by
    ``marks.xlsx``, and for one that asks for another format than the one that is said.

    >>> format_of(Path("a.tex"), PAGES, "pages"), format_of(Path("a.txt"), PAGES, "pages", "latex")
    ('latex', 'latex')
    """
    if output is None or not output.suffix:
        return said
    from symattn.files import is_stream

    if is_stream(output):
        return said
    ending = output.suffix.lower()
    if ending not in known:
        raise OutputError(f"{output}: {what} are written as {_listed(known)}{_rest(ending)}")
    if said is None or said == known[ending] or (ending == TEXT and said != "pdf"):
        return said or known[ending]
    raise OutputError(
        f"{output}: its name asks for {_CALLED[known[ending]]}, but the format that was asked for is {_CALLED[said]}: "
        "leave one of them out"
    )


def _listed(known: Mapping[str, str]) -> str:
    usual: dict[str, str] = {}
    for end, name in known.items():
        usual.setdefault(name, f"{_CALLED[name]} ({end})")
    *others, last = usual.values()
    return f"{', '.join(others)} or {last}" if others else last


def _rest(ending: str) -> str:
    return f"; other programs, such as pandoc, make {_MADE[ending]} from these" if ending in _MADE else ""
