"""Which file is written: in which format, by the end of its name, and over none that is read."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import click

FORMATS: Mapping[str, str] = {"markdown": "md", "latex": "tex"}
"""Formats of pages, each with the end of the names of its files."""

PAGES: Mapping[str, str] = {
    **{f".{end}": name for name, end in FORMATS.items()},
    ".markdown": "markdown",
    ".txt": "markdown",
}
DATA: Mapping[str, str] = {".json": "json", ".jsonl": "jsonl"}
ANSWERS: Mapping[str, str] = {".csv": "csv", ".json": "json"}
MARKS: Mapping[str, str] = {".json": "json", ".csv": "csv", **PAGES, ".txt": "text"}
SCHEMAS: Mapping[str, str] = {".json": "json"}
STYLES: Mapping[str, str] = {".sty": "latex"}
"""Formats of pages, exercises, files of answers, marks, schemas and styles, by the ends of names of files."""

_CALLED: Mapping[str, str] = {
    "markdown": "Markdown",
    "latex": "LaTeX",
    "json": "JSON",
    "jsonl": "JSON lines",
    "csv": "CSV",
    "text": "text",
}
_MADE: Mapping[str, str] = {".pdf": "PDF", ".html": "HTML", ".htm": "HTML", ".docx": "Word", ".ipynb": "a notebook"}
"""What people ask for and other programs make of a page."""


def format_of(output: Path | None, known: Mapping[str, str], what: str, option: str = "-o") -> str | None:
    """The format that the name of a file asks for; ``None`` where there is no file, or a name that says nothing.

    A name without an end says nothing, and neither does that of a device or a pipe. Any other that is not known is
    refused: nobody means Markdown by ``marks.xlsx``.
    """
    if output is None or not output.suffix:
        return None
    from symattn.files import is_stream

    if is_stream(output):
        return None
    ending = output.suffix.lower()
    if ending not in known:
        usual: dict[str, str] = {}
        for end, name in known.items():
            usual.setdefault(name, f"{_CALLED[name]} ({end})")
        *others, last = usual.values()
        formats = f"{', '.join(others)} or {last}" if others else last
        rest = (
            f"; other programs, such as xelatex or pandoc, make {_MADE[ending]} from these" if ending in _MADE else ""
        )
        raise click.UsageError(f"{option} {output}: {what} are written as {formats}{rest}")
    return known[ending]


def must_leave(written: Mapping[str, Path | None], *read: str | Path | None) -> None:
    """Raise where an option would write over a file that is read: a scenario, what a class handed in, a secret."""
    for option, path in written.items():
        for source in read:
            if path is not None and source is not None and _is_same(path, source):
                raise click.UsageError(f"{option} {path}: is the file {source} that is read: give another name")


def _is_same(output: Path, source: str | Path) -> bool:
    try:
        return output.samefile(source)
    except (OSError, ValueError):
        return False
