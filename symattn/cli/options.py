"""Options that several commands share, each defined once; help texts are the command's own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import click

from symattn.base.errors import OutputError
from symattn.write import endings
from symattn.write.endings import BUILT, ENGINES, FILE_FORMATS, FORMATS, PAGES, PDFS, SOLUTIONS, TEXT

Command = TypeVar("Command", bound=Callable[..., Any])

math_option = click.option(
    "--math",
    type=click.Choice(["dollar", "brackets"]),
    help="Markdown only: $$ and $ (the default), or \\[ \\] and \\( \\) for pages with MathJax.",
)
engine_option = click.option(
    "--engine",
    type=click.Choice(list(ENGINES)),
    help="PDF only: what makes it. Default: typst, which needs no TeX: pip install 'symattn[pdf]'; of slides xelatex.",
)
jobs_option = click.option("--jobs", "-j", type=int, help="How many processes share the work; -1: one on every core.")


class Language(click.Choice):  # type: ignore[type-arg]
    """The name of a language; built-in ones are recognised without loading other packages."""

    def __init__(self) -> None:
        self.case_sensitive = True

    @property
    def choices(self) -> tuple[str, ...]:  # type: ignore[override]
        """All languages, for help, completion and errors."""
        from symattn.base.words import languages

        return languages()

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return the name, if it is a language."""
        from symattn.base.words import is_language, language_named

        return language_named(value) if is_language(value) else str(super().convert(value, param, ctx))


def path_option(*names: str, help: str, metavar: str = "FILE", **more: Any) -> Callable[[Command], Command]:
    """Add an option for the name of a file."""
    return click.option(*names, type=click.Path(path_type=Path), metavar=metavar, help=help, **more)


def output_option(help: str = "Default: standard output.") -> Callable[[Command], Command]:
    """Add the option for the output; ``-`` is standard output."""
    return path_option("--output", "-o", help=help, callback=_unless_standard)


def _unless_standard(context: click.Context, option: click.Parameter, path: Path | None) -> Path | None:
    return None if path == Path("-") else path


def language_option(help: str | None = None, **more: Any) -> Callable[[Command], Command]:
    """Add the option for the language of words and sentences."""
    return click.option("--language", "-l", type=Language(), help=help, **more)


def format_option(formats: list[str], help: str) -> Callable[[Command], Command]:
    """Add the option for the format."""
    return click.option("--format", "-f", type=click.Choice(formats), help=help)


def scenario_option(help: str, **more: Any) -> Callable[[Command], Command]:
    """Add the option for a built-in scenario or a file."""
    return click.option("--scenario", "-s", metavar="NAME|FILE.toml", help=help, **more)


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
"""Formats of exercises, files of answers, marks, schemas and styles, by file endings."""


def format_of(
    output: Path | None, known: Mapping[str, str], what: str, option: str = "-o", *, said: str | None = None
) -> str | None:
    """Return the format that is ``said``, else the one for the name of a file; refuse impossible ones."""
    try:
        return endings.format_of(output, known, what, said)
    except OutputError as error:
        raise click.UsageError(f"{option} {error}") from None


def engine_of(engine: str | None, *written: str | None) -> str | None:
    """Return the program that makes PDFs. Raises if one is given and no PDF is written."""
    if engine is not None and PDFS.keys().isdisjoint(written):
        raise click.UsageError(f"--engine {engine} makes PDFs: name a file that ends in .pdf")
    return engine


def must_be_text(written: str) -> None:
    """Raise for a format that cannot go to standard output."""
    if written in FILE_FORMATS and not FILE_FORMATS[written].is_text:
        raise click.UsageError(f"{FILE_FORMATS[written].called} is no text for a terminal: name a file with -o FILE")


def must_leave(written: Mapping[str, Path | None], *read: str | Path | None) -> None:
    """Raise if an option would overwrite an input file: a scenario, the answers of a class, a secret."""
    for option, path in written.items():
        for source in read:
            if path is not None and source is not None and _is_same(path, source):
                raise click.UsageError(f"{option} {path}: is the file {source} that is read: give another name")


def _is_same(output: Path, source: str | Path) -> bool:
    try:
        return output.samefile(source)
    except (OSError, ValueError):
        return False
