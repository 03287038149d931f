"""Options that several commands have, each said once; what a command says of one is its own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from symattn.render.endings import ENGINES

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
    """The name of a language; one of ours is known without asking other packages for theirs."""

    def __init__(self) -> None:
        self.case_sensitive = True

    @property
    def choices(self) -> tuple[str, ...]:  # type: ignore[override]
        """All of them, for help, completion and errors."""
        from symattn.words import languages

        return languages()

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The name, if it is one."""
        from symattn.words import is_language, language_named

        return language_named(value) if is_language(value) else str(super().convert(value, param, ctx))


def path_option(*names: str, help: str, metavar: str = "FILE", **more: Any) -> Callable[[Command], Command]:
    """The name of a file."""
    return click.option(*names, type=click.Path(path_type=Path), metavar=metavar, help=help, **more)


def output_option(help: str = "Default: standard output.") -> Callable[[Command], Command]:
    """Where to write; ``-`` is standard output."""
    return path_option("--output", "-o", help=help, callback=_unless_standard)


def _unless_standard(context: click.Context, option: click.Parameter, path: Path | None) -> Path | None:
    return None if path == Path("-") else path


def language_option(help: str | None = None, **more: Any) -> Callable[[Command], Command]:
    """The language of words and sentences."""
    return click.option("--language", "-l", type=Language(), help=help, **more)


def format_option(formats: list[str], help: str) -> Callable[[Command], Command]:
    """The format that is written."""
    return click.option("--format", "-f", type=click.Choice(formats), help=help)


def scenario_option(help: str, **more: Any) -> Callable[[Command], Command]:
    """A built-in scenario or a file."""
    return click.option("--scenario", "-s", metavar="NAME|FILE.toml", help=help, **more)
