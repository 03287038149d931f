"""Which format a file name asks for: the one table of file extensions and of the programs that make PDFs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Literal

from symattn.base.errors import OutputError


@dataclass(frozen=True)
class FileFormat:
    """A format of pages: the extension of its files, and its usual name.

    ``of`` is the kind of its source: any document, or a whole solution. ``options`` are choices that it alone has.
    """

    end: str
    called: str
    of: Literal["document", "solution"] = "document"
    is_text: bool = True
    options: tuple[str, ...] = ()


FILE_FORMATS: Mapping[str, FileFormat] = MappingProxyType(
    {
        "markdown": FileFormat("md", "Markdown", options=("frontmatter",)),
        "latex": FileFormat("tex", "LaTeX"),
        "typst": FileFormat("typ", "Typst"),
        "html": FileFormat("html", "HTML"),
        "json": FileFormat("json", "JSON", of="solution"),
        "ipynb": FileFormat("ipynb", "a notebook", "solution"),
        "xlsx": FileFormat("xlsx", "a spreadsheet", of="solution", is_text=False, options=("blank",)),
        "beamer": FileFormat("tex", "Beamer", "solution"),
        "docx": FileFormat("docx", "Word", is_text=False),
        "rst": FileFormat("rst", "reStructuredText"),
    }
)
"""Every format by its name. Where several have one extension, a file name alone means the first."""

FORMATS: Mapping[str, str] = MappingProxyType(
    {name: each.end for name, each in FILE_FORMATS.items() if each.of == "document"}
)
"""Formats that any page may be written in, including exercises, each with the extension of its files."""

BUILT = ("markdown", "latex", "typst")
"""The default formats for a folder of all pages."""

TEXT = ".txt"
"""The extension that is accepted for every text format."""


def _by_ending(names: Iterable[str]) -> Mapping[str, str]:
    found: dict[str, str] = {}
    for name in names:
        found.setdefault(f".{FILE_FORMATS[name].end}", name)
    return MappingProxyType({**found, ".markdown": "markdown", TEXT: "markdown", ".pdf": "pdf"})


PAGES = _by_ending(FORMATS)
"""Formats of pages by file extension."""

SOLUTIONS = _by_ending(FILE_FORMATS)
"""The same for solutions, which have more."""

_TEX = ("xelatex", "lualatex", "pdflatex")
PDFS: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {"pdf": {"typst": "typst", **dict.fromkeys(_TEX, "latex")}, "beamer pdf": dict.fromkeys(_TEX, "beamer")}
)
"""The engines that make a PDF, the default one first, each with the format it reads; slides use another format."""

ENGINES = tuple(PDFS["pdf"])
"""Every engine that makes PDFs."""

_CALLED: Mapping[str, str] = MappingProxyType(
    {
        **{name: each.called for name, each in FILE_FORMATS.items()},
        **{"pdf": "PDF", "json": "JSON", "jsonl": "JSON lines", "csv": "CSV", "text": "text"},
        **{"sarif": "SARIF", "annotated": "an annotated copy", "github": "commands of GitHub", "diff": "a diff"},
    }
)
_MADE: Mapping[str, str] = MappingProxyType({".pptx": "slides"})
"""Extensions that users ask for but other programs make of a page."""


def format_of(output: Path | None, known: Mapping[str, str], what: str, said: str | None = None) -> str | None:
    """Return the format ``said``, or else the one that a file name asks for; ``None`` if neither is given.

    A name without an extension asks for none, and neither does that of a device or a pipe.

    Raises :class:`~symattn.base.errors.OutputError` for an extension that is not ``known``, since ``marks.xlsx`` cannot
    mean Markdown, and for one of another format than the one that is said.

    >>> format_of(Path("a.tex"), PAGES, "pages"), format_of(Path("a.txt"), PAGES, "pages", "latex")
    ('latex', 'latex')
    >>> format_of(Path("a.pdf"), PAGES, "pages", "beamer")
    'beamer pdf'
    """
    if output is None or not output.suffix:
        return said
    from symattn.base.files import is_stream

    if is_stream(output):
        return said
    ending = output.suffix.lower()
    if ending not in known:
        raise OutputError(f"{output}: {what} are written as {_listed(known)}{_rest(ending)}")
    for compiled in (said, f"{said} pdf"):
        if known[ending] == "pdf" and compiled in PDFS:
            return compiled
    if said is None or said == known[ending] or (ending == TEXT and _is_text(said)) or _ends_so(said, ending):
        return said or known[ending]
    raise OutputError(
        f"{output}: its name asks for {_CALLED[known[ending]]}, but the format that was asked for is {_CALLED[said]}: "
        "leave one of them out"
    )


def _is_text(said: str) -> bool:
    return said != "pdf" and (said not in FILE_FORMATS or FILE_FORMATS[said].is_text)


def _ends_so(said: str, ending: str) -> bool:
    """Return whether a format's files have this extension, even if the extension alone means another format."""
    return said in FILE_FORMATS and ending == f".{FILE_FORMATS[said].end}"


def _listed(known: Mapping[str, str]) -> str:
    usual: dict[str, str] = {}
    for end, name in known.items():
        usual.setdefault(name, f"{_CALLED[name]} ({end})")
    *others, last = usual.values()
    return f"{', '.join(others)} or {last}" if others else last


def _rest(ending: str) -> str:
    return f"; other programs, such as pandoc, make {_MADE[ending]} from these" if ending in _MADE else ""
