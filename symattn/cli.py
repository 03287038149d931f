"""The command line: every command calls one library function. Heavy imports wait until they are needed."""

from __future__ import annotations

import gc
import os
import sys
from pathlib import Path
from typing import Any, NoReturn

import click

from symattn import __version__
from symattn.errors import SymattnError

LANGUAGES = ("zh-Hant", "zh-Hans", "en")
FORMATS = {"markdown": "md", "latex": "tex"}


class _Group(click.Group):
    """Turns the project's own errors into one line and exit code 2."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except SymattnError as error:
            _fail(str(error))
        except BrokenPipeError:
            # The reader (head, less) has gone; there is nobody left to tell.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            sys.exit(1)


def _fail(message: str) -> NoReturn:
    click.echo(f"symattn: {message}", err=True)
    sys.exit(2)


def _complete_scenario(ctx: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
    folder = Path(__file__).parent / "scenario" / "data"
    return sorted(file.stem for file in folder.glob("*.toml") if file.stem.startswith(incomplete))


EXAMPLES = """
\b
Examples:
  symattn derive --scenario weather > solution.md
  symattn derive --scenario refund --language en --detail entries
  symattn derive --scenario good --format latex -o good.tex
  symattn derive lesson.toml --digits 10 --carry rounded
  symattn derive lesson.toml --code numpy,r
"""


@click.group(cls=_Group, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, "--version", message="symattn %(version)s")
def main() -> None:
    """Worked solutions of attention: symbols, shapes, and figures in which every digit is certified.

    \b
    Examples:
      symattn derive --scenario weather > solution.md
      symattn derive --scenario good --format latex --language en -o good.tex
      symattn scenarios

    \b
    Shell completion:
      eval "$(_SYMATTN_COMPLETE=bash_source symattn)"
    """
    # The console may be set to an encoding that cannot hold what a solution is made of.
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", newline="\n" if stream is sys.stdout else None)


@main.command(epilog=EXAMPLES)
@click.argument("file", required=False, metavar="[NAME|FILE.toml]")
@click.option("--scenario", "-s", metavar="NAME|FILE.toml", shell_complete=_complete_scenario, help="What to derive.")
@click.option("--format", "-f", type=click.Choice(list(FORMATS)), default="markdown", show_default=True)
@click.option("--language", "-l", type=click.Choice(LANGUAGES), help="Default: the scenario's own.")
@click.option(
    "--detail",
    type=click.Choice(["result", "steps", "entries"]),
    default="steps",
    show_default=True,
    help="result: formulas, shapes, matrices, readings; steps: also one entry of each worked; entries: all of them.",
)
@click.option("--digits", "-d", type=click.IntRange(1, 50), help="Decimals where fewer are not exact.")
@click.option(
    "--carry",
    type=click.Choice(["exact", "rounded"]),
    help="Whether a step starts from exact values or from the printed figures. Default: the scenario's own.",
)
@click.option(
    "--math",
    type=click.Choice(["brackets", "dollar"]),
    default="brackets",
    show_default=True,
    help="Markdown only: \\[ \\] and \\( \\), or $$ and $ as GitHub and notebooks want.",
)
@click.option(
    "--code",
    metavar="LANGUAGE,…",
    help="Programs at the end, and what they print: numpy, torch, r, julia, or several. Default: the scenario's own.",
)
@click.option("--fragment", is_flag=True, help="LaTeX only: the body alone, for \\input.")
@click.option("--output", "-o", type=click.Path(path_type=Path), metavar="FILE", help="Default: standard output.")
def derive(
    file: str | None,
    scenario: str | None,
    format: str,
    language: str | None,
    detail: Any,
    digits: int | None,
    carry: Any,
    math: str,
    code: str | None,
    fragment: bool,
    output: Path | None,
) -> None:
    """Write the worked solution of a scenario."""
    if (file is None) == (scenario is None):
        raise click.UsageError("give one scenario: symattn derive --scenario weather, or symattn derive lesson.toml")
    from symattn.api import derive as derive_solution

    solution = derive_solution(file or scenario or "", digits=digits, carry=carry)
    languages = None if code is None else [name.strip() for name in code.split(",")]
    text = solution.render(format, language=language, detail=detail, math=math, fragment=fragment, code=languages)
    if output is None:
        sys.stdout.write(text)
    else:
        from symattn.files import write_whole

        write_whole(output, text)


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
    """Render every built-in scenario, in every language and format, into a folder."""
    from symattn.api import derive as derive_solution
    from symattn.errors import OutputError
    from symattn.files import write_whole
    from symattn.scenario.load import builtin_names

    try:
        output.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"{output}: cannot be made: {error.strerror}") from None
    work = [(name, language, format) for name in builtin_names() for language in LANGUAGES for format in FORMATS]
    solutions = {name: derive_solution(name) for name in builtin_names()}
    with click.progressbar(work, label="Rendering", file=sys.stderr, item_show_func=_shown) as bar:
        for name, language, format in bar:
            text = solutions[name].render(format, language=language)
            write_whole(output / f"{name}.{language}.{FORMATS[format]}", text)


def run() -> NoReturn:
    """The command as a process: :func:`main`, without what only a long-lived process needs.

    A run makes a few hundred thousand small objects that live to its end, so collecting garbage and taking them apart
    one by one at the exit is a quarter of its time and frees nothing that the end of the process does not.
    """
    gc.set_threshold(100_000, 50, 50)
    try:
        main(standalone_mode=True)
    except SystemExit as leave:
        code = leave.code if isinstance(leave.code, int) else int(bool(leave.code))
    else:
        code = 0
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except BrokenPipeError:
        code = 1
    os._exit(code)


def _shown(item: tuple[str, str, str] | None) -> str:
    return " ".join(item) if item else ""


if __name__ == "__main__":
    run()
