"""Which file is written: in which format, by the end of its name, and over none that is read."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import click

from symattn.errors import OutputError
from symattn.render import endings
from symattn.render.endings import BUILT, FILE_FORMATS, FORMATS, PAGES, PDFS, SOLUTIONS, TEXT

__all__ = [
    "ANSWERS",
    "BUILT",
    "DATA",
    "FILE_FORMATS",
    "FORMATS",
    "MARKS",
    "PAGES",
    "PDFS",
    "SCHEMAS",
    "SOLUTIONS",
    "STYLES",
    "engine_of",
    "format_of",
    "must_be_text",
    "must_leave",
]

DATA: Mapping[str, str] = {".json": "json", ".jsonl": "jsonl"}
ANSWERS: Mapping[str, str] = {".csv": "csv", ".json": "json"}
MARKS: Mapping[str, str] = {".json": "json", ".csv": "csv", **PAGES, TEXT: "text"}
SCHEMAS: Mapping[str, str] = {".json": "json"}
STYLES: Mapping[str, str] = {".sty": "latex"}
"""Formats of exercises, files of answers, marks, schemas and styles, by the ends of names of files."""


def format_of(
    output: Path | None, known: Mapping[str, str], what: str, option: str = "-o", *, said: str | None = None
) -> str | None:
    """The format that is ``said``, else what the name of a file asks for; what cannot be is refused."""
    try:
        return endings.format_of(output, known, what, said)
    except OutputError as error:
        raise click.UsageError(f"{option} {error}") from None


def engine_of(engine: str | None, *written: str | None) -> str | None:
    """What makes PDFs. Raises where it is said and none is made."""
    if engine is not None and PDFS.keys().isdisjoint(written):
        raise click.UsageError(f"--engine {engine} makes PDFs: name a file that ends in .pdf")
    return engine


def must_be_text(written: str) -> None:
    """Raise for a format that standard output has no place for."""
    if written in FILE_FORMATS and not FILE_FORMATS[written].is_text:
        raise click.UsageError(f"{FILE_FORMATS[written].called} is no text for a terminal: name a file with -o FILE")


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
