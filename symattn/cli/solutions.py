"""Commands that write solutions: derive, scenarios, build."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import click

from symattn.cli.endings import FORMATS, PAGES, engine_of, format_of, must_leave
from symattn.cli.group import main
from symattn.cli.models import model_options, model_scenario
from symattn.cli.options import (
    engine_option,
    format_option,
    language_option,
    math_option,
    output_option,
    scenario_option,
)


def _complete_scenario(ctx: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
    folder = Path(__file__).parent.parent / "scenario" / "data"
    return sorted(file.stem for file in folder.glob("*.toml") if file.stem.startswith(incomplete))


EXAMPLES = """
\b
Examples:
  symattn derive --scenario weather > solution.md
  symattn derive --scenario refund --language en --detail entries
  symattn derive --scenario good -o good.pdf
  symattn derive --scenario good -o good.tex
  symattn derive lesson.toml --digits 10 --carry rounded
  symattn derive lesson.toml --code numpy,r
  symattn derive --scenario weather --steps S,A --format latex --fragment -o slide.tex
  symattn derive lesson.toml -o lesson.md --watch
  symattn derive --model layer.safetensors --layer encoder.layer.0 --heads 12 --head 3 --input x.npy --decimals 4
"""


@main.command(epilog=EXAMPLES)
@click.argument("file", required=False, metavar="[NAME|FILE.toml]")
@scenario_option("What to derive.", shell_complete=_complete_scenario)
@format_option(list(FORMATS), "Default: what the name of FILE says (.md, .tex, .typ, .pdf), else markdown.")
@language_option("Default: the scenario's own.")
@click.option(
    "--detail",
    type=click.Choice(["result", "lesson", "steps", "entries"]),
    default="lesson",
    show_default=True,
    help="result: formulas, shapes, matrices, readings; lesson: each kind of step worked out once; steps: one entry of "
    "every step; entries: all of them.",
)
@click.option("--digits", "-d", type=click.IntRange(1, 50), help="Decimals where fewer are not exact.")
@click.option(
    "--carry",
    type=click.Choice(["exact", "rounded"]),
    help="Whether a step starts from exact values or from the printed figures. Default: the scenario's own.",
)
@math_option
@click.option(
    "--code",
    metavar="LANGUAGE,…",
    help="Programs at the end, and what they print: numpy, torch, r, julia, or several. Default: the scenario's own.",
)
@click.option("--steps", metavar="NAME,…", help="These steps alone, with what their letters stand for.")
@click.option("--section", metavar="NUMBER", help="This section alone, with those below it.")
@click.option("--max-rows", type=click.IntRange(2), default=8, show_default=True, help="More are cut short.")
@click.option("--max-columns", type=click.IntRange(2), default=8, show_default=True, help="More are cut short.")
@model_options
@click.option("--fragment", is_flag=True, help="LaTeX and Typst: the body alone, for \\input or #include.")
@output_option()
@engine_option
@click.option("--watch", is_flag=True, help="Write FILE again whenever the scenario is saved, until Ctrl-C.")
def derive(
    file: str | None,
    scenario: str | None,
    format: str | None,
    language: str | None,
    detail: Any,
    digits: int | None,
    carry: Any,
    math: str | None,
    code: str | None,
    steps: str | None,
    section: str | None,
    max_rows: int,
    max_columns: int,
    fragment: bool,
    output: Path | None,
    engine: str | None,
    watch: bool,
    **model: Any,
) -> None:
    """Write the worked solution of a scenario, or of a layer of a model."""
    layer = model_scenario(model, file is not None or scenario is not None)
    if layer is None and (file is None) == (scenario is None):
        raise click.UsageError("give one scenario: symattn derive --scenario weather, or symattn derive lesson.toml")
    source = file or scenario or ""
    must_leave({"-o": output}, source)
    written = format_of(output, PAGES, "solutions", said=format) or "markdown"
    engine = engine_of(engine, written)
    if fragment and written == "pdf":
        raise click.UsageError("--fragment is a part of a page, for .tex or .typ: a PDF is a whole one")
    languages = None if code is None else [name.strip() for name in code.split(",")]
    chosen = () if steps is None else [name.strip() for name in steps.split(",")]

    def write() -> None:
        from symattn.api import derive as derive_solution
        from symattn.render.pdf import page

        solution = derive_solution(layer or source, digits=digits, carry=carry)
        render = partial(
            solution.render,
            language=language,
            detail=detail,
            math=math,
            fragment=fragment,
            code=languages,
            max_rows=max_rows,
            max_columns=max_columns,
            steps=chosen,
            section=section,
        )
        if output is None:
            sys.stdout.write(render(written))
        else:
            from symattn.files import write_whole

            write_whole(output, page(written, engine, render))

    if watch and layer is not None:
        raise click.UsageError("--watch is for a scenario, not for a model")
    if watch and output is None:
        raise click.UsageError("--watch writes a file again and again: name it with -o FILE")
    if output is None or not watch:
        write()
    else:
        _write_on_change(source, write, output)


def _write_on_change(source: str, write: Callable[[], None], output: Path) -> None:
    from symattn.cli.watch import watch
    from symattn.scenario.load import files_behind, path_of

    path = path_of(source)
    if not Path(path).exists():
        write()  # which tells what is wrong
    watched = list(files_behind(path))

    def look_and_write() -> None:
        watched[:] = files_behind(path)
        write()

    watch(lambda: watched, look_and_write, output)


@main.command()
def scenarios() -> None:
    """List the built-in scenarios: name, language, tokens, title."""
    from symattn.scenario.load import builtin_names, load
    from symattn.scenario.words import plain_text

    for name in builtin_names():
        scenario = load(name)
        title = plain_text(scenario.title.pick(scenario.language, scenario.language))
        click.echo(f"{name:<10} {scenario.language:<8} {' '.join(scenario.tokens)}  —  {title}")


@main.command()
@click.option(
    "--output", "-o", type=click.Path(path_type=Path, file_okay=False), default=Path("output"), show_default=True
)
def build(output: Path) -> None:
    """Render every built-in scenario and a few exercises, in every language and format, into a folder."""
    from symattn.files import write_together

    _make(output)
    work = [*_solutions(), *_exercises()]
    with click.progressbar(work, label="Rendering", file=sys.stderr, item_show_func=_shown) as bar:
        write_together({output / name: page() for name, page in bar})


def _make(folder: Path) -> None:
    from symattn.errors import OutputError

    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"{folder}: cannot be made: {error.strerror}") from None


def _solutions() -> Iterator[tuple[str, Callable[[], str]]]:
    """The name of every page of a built-in scenario, and what makes its text."""
    from symattn.api import derive as derive_solution
    from symattn.scenario.load import builtin_names
    from symattn.words import languages

    for name in builtin_names():
        solution = derive_solution(name)
        for language in languages():
            for format, ending in FORMATS.items():
                yield f"{name}.{language}.{ending}", partial(solution.render, format, language=language)


def _exercises() -> Iterator[tuple[str, Callable[[], str]]]:
    """The name of every page of exercises, and what makes its text."""
    from symattn.exercise.examples import pages
    from symattn.render.formats import render
    from symattn.words import languages

    for language in languages():
        for name, document in pages(language):
            for format, ending in FORMATS.items():
                yield f"{name}.{language}.{ending}", partial(render, document, format)


def _shown(item: tuple[str, object] | None) -> str:
    return item[0] if item else ""
