"""Commands that write solutions: derive, scenarios, build."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from symattn.base.errors import SymattnError, printable
from symattn.cli.group import main, unforeseen
from symattn.cli.options import (
    BUILT,
    FILE_FORMATS,
    FORMATS,
    PDFS,
    SOLUTIONS,
    Command,
    engine_of,
    engine_option,
    format_of,
    format_option,
    jobs_option,
    language_option,
    math_option,
    must_be_text,
    must_leave,
    output_option,
    path_option,
    scenario_option,
)

if TYPE_CHECKING:
    from symattn.read.scenario.model import Scenario

_OPTIONS = (
    path_option("--model", help="Weights: .safetensors or .npz."),
    click.option("--layer", default="", metavar="PREFIX", help="What stands before the names of its tensors."),
    click.option("--tokens", metavar="TEXT", help='Labels of the rows of the input: "the cat sat".'),
    path_option("--input", "rows", help="The rows that come into the layer: .npy, .csv, .npz or .safetensors."),
    click.option("--input-tensor", metavar="NAME", help="Which tensor of the file of the input, if it holds several."),
    click.option("--head", type=click.IntRange(1), help="One head only, counted from 1. Default: the whole layer."),
    path_option("--memory", help="The rows that cross-attention goes to, such as the encoder's output."),
    click.option("--memory-tensor", metavar="NAME", help="Which tensor of the file of the memory."),
    click.option(
        "--decimals",
        type=click.IntRange(0, 50),
        help="Take each number as the decimal that it prints. Default: as the binary fraction it is.",
    ),
    path_option(
        "--config",
        help="How the layer works. Default: the config.json beside the weights. What it does not say is asked for:",
    ),
    click.option("--family", metavar="NAME", help="What model it is of, such as bert or gpt2."),
    click.option("--heads", type=click.IntRange(1), help="How many heads."),
    click.option("--causal/--no-causal", default=None, help="Whether what comes later is masked."),
    click.option("--scaled/--no-scaled", default=None, help="Whether scores are divided by the root of d_k."),
    click.option(
        "--layer-scaled/--no-layer-scaled", default=None, help="Whether scores are divided by the layer's number too."
    ),
    click.option("--norm", type=click.Choice(["pre", "post"]), help="Where layer norm stands."),
    click.option("--activation", metavar="NAME", help="Of the feed-forward network: relu, gelu, gelu_tanh, silu, …"),
    click.option("--epsilon", metavar="NUMBER", help="Of layer norm, such as 1e-5."),
    click.option(
        "--ignore",
        multiple=True,
        metavar="NAME",
        help="A tensor, or a key of the configuration, that you know to change nothing. May be repeated.",
    ),
)

NAMES = (
    "model layer tokens rows input_tensor head memory memory_tensor decimals config family heads causal scaled "
    "layer_scaled norm activation epsilon ignore"
).split()
"""The names of the options in Python."""

_TAKEN_APART = ("model", "layer", "rows", "input_tensor", "memory", "memory_tensor")


def model_options(command: Command) -> Command:
    """Add these options to a command."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def model_scenario(told: dict[str, Any], has_scenario: bool) -> Scenario | None:
    """Return the scenario of the layer, or ``None`` if no model is given."""
    if told["model"] is None:
        lonely = next((name for name in NAMES if told[name] not in (None, "", ())), None)
        if lonely is not None:
            raise click.UsageError(
                f"--{'input' if lonely == 'rows' else lonely.replace('_', '-')} belongs to --model FILE"
            )
        return None
    if has_scenario:
        raise click.UsageError("give a scenario or --model FILE, not both")
    if told["rows"] is None:
        raise click.UsageError("--model needs --input FILE: the rows that come into the layer")
    from symattn.read.arrays import matrix
    from symattn.read.models import attention_of

    if told["memory"] is None and told["memory_tensor"] is not None:
        raise click.UsageError("--memory-tensor belongs to --memory FILE")
    passed = {name: told[name] for name in NAMES if name not in _TAKEN_APART}
    rows = matrix(told["rows"], told["decimals"], tensor=told["input_tensor"])
    if told["memory"] is not None:
        passed["memory"] = matrix(told["memory"], told["decimals"], tensor=told["memory_tensor"])
    return attention_of(told["model"], told["layer"], input=rows, **passed)


PAUSE = 0.2
"""Seconds between two checks of the files."""

GONE = 10
"""Checks after which a missing file counts as deleted: editors save by replacing the old file with a new one."""

FileState = tuple[int, int, int] | None


def watch(files: Callable[[], Iterable[Path]], act: Callable[[], None], target: Path) -> None:
    """Call ``act`` now and after every change of ``files``, until Ctrl-C; print errors and continue."""
    try:
        before = stamps(files())
        once(act, target)
        click.echo(f"symattn: watching {', '.join(printable(str(file)) for file in files())}; Ctrl-C ends it", err=True)
        for _ in changes(files, before):
            once(act, target)
    except KeyboardInterrupt:
        click.echo("", err=True)


def once(act: Callable[[], None], target: Path) -> None:
    """Call ``act``, and report the result."""
    try:
        act()
    except SymattnError as error:
        click.echo(f"symattn: {error}", err=True)
    except Exception as error:  # noqa: BLE001 - the next version of the file may do
        unforeseen(error)
    else:
        click.echo(f"symattn: {printable(str(target))} is written", err=True)


def changes(
    files: Callable[[], Iterable[Path]],
    before: Mapping[Path, FileState],
    pause: float = PAUSE,
    sleep: Callable[[float], None] = time.sleep,
) -> Iterator[None]:
    """Yield once for every change since ``before``, as soon as two checks in a row agree: a file that is still being
    written is left alone.
    """
    seen = _with_new(before, files())
    last, alike = seen, 0
    while True:
        sleep(pause)
        now = stamps(files())
        alike = alike + 1 if now == last else 0
        last = now
        if now == seen or alike < (GONE if None in now.values() else 1):
            continue
        seen = now
        yield
        seen = _with_new(seen, files())


def _with_new(seen: Mapping[Path, FileState], paths: Iterable[Path]) -> dict[Path, FileState]:
    """Return the files to check now. A known state is kept, so that a change in the meantime is still noticed."""
    return {path: seen.get(path, stamp) for path, stamp in stamps(paths).items()}


def stamps(paths: Iterable[Path]) -> dict[Path, FileState]:
    """Return the state of each file, by which changes are recognised; ``None`` for a missing file."""
    return {path: _stamp(path) for path in paths}


def _stamp(path: Path) -> FileState:
    try:
        found = path.stat()
    except (OSError, ValueError):
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino


def _complete_scenario(ctx: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
    folder = Path(__file__).parent.parent / "read" / "scenario" / "data"
    return sorted(file.stem for file in folder.glob("*.toml") if file.stem.startswith(incomplete))


CHOICES = (
    *("language", "detail", "words", "asks", "math", "fragment", "max_rows", "max_columns", "section"),
    *("labels", "frontmatter", "blank"),
)
"""The options of ``derive`` that are page options under the same name, and are passed on unchanged."""

_ITS_LOSS = " "
"""The value of --backward without a name: it is not a valid name of a loss."""

EXAMPLES = """
\b
Examples:
  symattn derive --scenario weather > solution.md
  symattn derive --scenario refund --language en --detail entries
  symattn derive --scenario good -o good.pdf
  symattn derive --scenario good -o good.tex
  symattn derive lesson.toml --digits 10 --carry rounded
  symattn derive lesson.toml --code numpy,r
  symattn derive --scenario weather --steps S,A --format latex \\
      --fragment -o slide.tex
  symattn derive --scenario weather --format beamer -o slides.pdf \\
      --engine xelatex
  symattn derive lesson.toml --backward --wrt W_Q,W_K -o lesson.html
  symattn derive lesson.toml -o lesson.md --watch
  symattn derive --model layer.safetensors --layer encoder.layer.0 \\
      --heads 12 --head 3 --input x.npy --decimals 4
"""


@main.command(epilog=EXAMPLES)
@click.argument("file", required=False, metavar="[NAME|FILE.toml]")
@scenario_option("What to derive.", shell_complete=_complete_scenario)
@format_option(list(FILE_FORMATS), "Default: what the name of FILE says, else markdown.")
@language_option("Default: the scenario's own.")
@click.option(
    "--detail",
    type=click.Choice(["result", "lesson", "steps", "entries"]),
    default="lesson",
    show_default=True,
    help="result: formulas, shapes, matrices, readings; lesson: each kind of step worked out once; steps: one entry of "
    "every step; entries: all of them.",
)
@click.option(
    "--words",
    type=click.Choice(["all", "few", "none"]),
    help="How much the page says by itself. few: no readings, needs and conclusions; none: only the words of the "
    "scenario.  [default: the scenario's own]",
)
@click.option(
    "--asks",
    type=click.Choice(["all", "own", "none"]),
    help="Questions with hidden answers: one in each section, only those of the scenario, or none.  [default: the "
    "scenario's own]",
)
@click.option("--digits", "-d", type=click.IntRange(1, 50), help="Decimals where fewer are not exact.")
@click.option(
    "--carry",
    type=click.Choice(["exact", "rounded"]),
    help="Whether a step starts from exact values or from the printed figures. Default: the scenario's own.",
)
@click.option(
    "--backward",
    is_flag=False,
    flag_value=_ITS_LOSS,
    metavar="[LOSS]",
    help="Add the gradients of a loss, worked out from the last step to the first. Default: that of the scenario.",
)
@click.option("--wrt", metavar="NAME,…", help="With --backward: the names to take gradients by. Default: all givens.")
@math_option
@click.option(
    "--code",
    metavar="LANGUAGE,…",
    help="Programs at the end, and what they print: numpy, torch, r, julia, javascript, or several. Default: the "
    "scenario's own.",
)
@click.option("--steps", metavar="NAME,…", help="These steps alone, with what their letters stand for.")
@click.option("--section", metavar="NUMBER", help="This section alone, with those below it.")
@click.option("--labels", is_flag=True, help="LaTeX only: number the equation of each step, with a label such as eq:A.")
@click.option("--max-rows", type=click.IntRange(2), default=8, show_default=True, help="More are cut short.")
@click.option("--max-columns", type=click.IntRange(2), default=8, show_default=True, help="More are cut short.")
@model_options
@click.option("--fragment", is_flag=True, help="LaTeX, Beamer and Typst: the body alone, for \\input or #include.")
@click.option(
    "--frontmatter",
    multiple=True,
    metavar="SITE|KEY=VALUE",
    help="Markdown only: title and the like for a site made by astro, docusaurus, hugo, jekyll, mkdocs, myst, pandoc "
    "or quarto; given again, more keys of one's own.",
)
@click.option("--blank", is_flag=True, help="Spreadsheets only: leave the answers empty, and mark what is filled in.")
@output_option()
@click.option(
    "--figures",
    type=click.Choice(["files", "inline", "none"]),
    help="Pictures in files beside FILE, in the page, or none. Markdown: files with -o FILE, else none; other formats "
    "have them inside or not at all, spreadsheets never.",
)
@click.option("--no-figures", "figures", flag_value="none", help="The same as --figures none.")
@engine_option
@click.option("--watch", is_flag=True, help="Write FILE again whenever the scenario is saved, until Ctrl-C.")
def derive(
    file: str | None,
    scenario: str | None,
    format: str | None,
    digits: int | None,
    carry: Any,
    backward: str | None,
    wrt: str | None,
    code: str | None,
    steps: str | None,
    output: Path | None,
    figures: Any,
    engine: str | None,
    watch: bool,
    **told: Any,
) -> None:
    """Write the worked solution of a scenario, or of a layer."""
    choices = {name: told.pop(name) for name in CHOICES}
    if backward is not None and backward.lower().endswith(".toml"):
        raise click.UsageError(
            f"--backward {backward}: expected the name of a loss; write symattn derive {backward} --backward"
        )
    if wrt is not None and backward is None:
        raise click.UsageError("--wrt belongs to --backward: the names to take its gradients by")
    layer = model_scenario(told, file is not None or scenario is not None)
    if layer is None and (file is None) == (scenario is None):
        raise click.UsageError("give one scenario: symattn derive --scenario weather, or symattn derive lesson.toml")
    source = file or scenario or ""
    must_leave({"-o": output}, source)
    written = format_of(output, SOLUTIONS, "solutions", said=format) or "markdown"
    engine_of(engine, written)
    if choices["fragment"] and written in PDFS:
        raise click.UsageError("--fragment is a part of a page, for .tex or .typ: a PDF is a whole one")
    choices["code"] = None if code is None else [name.strip() for name in code.split(",")]
    choices["steps"] = () if steps is None else [name.strip() for name in steps.split(",")]
    gradients = () if wrt is None else [name.strip() for name in wrt.split(",")]

    def write() -> None:
        from symattn.api.worked import derive as derive_solution

        solution = derive_solution(
            layer or source,
            digits=digits,
            carry=carry,
            backward=True if backward == _ITS_LOSS else backward or False,
            wrt=gradients,
        )
        _write(output, figures, written, partial(solution.files, format=written, engine=engine, **choices))
        if solution.scenario.printed:
            from symattn.claims.source import unexplained

            if names := ", ".join(unexplained(solution.scenario, solution.store)):
                click.echo(
                    f"symattn: other figures follow than are printed for {names}: see symattn validate", err=True
                )

    if watch and layer is not None:
        raise click.UsageError("--watch is for a scenario, not for a model")
    if watch and output is None:
        raise click.UsageError("--watch writes a file again and again: name it with -o FILE")
    if output is None or not watch:
        write()
    else:
        _write_on_change(source, write, output)


def _write(
    output: Path | None, figures: str | None, written: str, files: Callable[..., dict[Path, str | bytes]]
) -> None:
    """Write a page and its pictures; without a file for pictures, say how to get them."""
    from symattn.write.pictures.svg import PicturePlaces

    if output is None:
        must_be_text(written)
    beside = output is not None and not _is_stream(output)
    if figures == "files" and not beside:
        raise click.UsageError("--figures files puts them beside the page: name its file with -o FILE")
    if beside and figures in (None, "files"):
        pages = files(output)
    else:
        places = PicturePlaces(figures or "missing")  # type: ignore[arg-type]
        pages = files(output or "-", figures=places)
        if places.left_out and figures is None:
            click.echo("symattn: pictures are left out: -o FILE puts them beside it, --figures inline inside", err=True)
    if output is None:
        (text,) = pages.values()
        assert isinstance(text, str)
        sys.stdout.write(text)
        return
    from symattn.base.files import write_beside

    write_beside(output, pages)


def _is_stream(path: Path) -> bool:
    from symattn.base.files import is_stream

    return is_stream(path)


def _write_on_change(source: str, write: Callable[[], None], output: Path) -> None:
    from symattn.read.scenario.load import files_behind, path_of

    path = path_of(source)
    if not Path(path).exists():
        write()  # which reports the problem
    watched = list(files_behind(path))

    def look_and_write() -> None:
        watched[:] = files_behind(path)
        write()

    watch(lambda: watched, look_and_write, output)


@main.command()
def scenarios() -> None:
    """List the built-in scenarios: name, language, tokens, title."""
    from symattn.read.scenario.load import builtin_names, load

    for name in builtin_names():
        scenario = load(name)
        click.echo(f"{name:<10} {scenario.language:<8} {' '.join(scenario.tokens)}  —  {scenario.title_in()}")


@main.command()
@format_option(list(FORMATS), "One format only; html makes a site, with an index.  [default: markdown, latex, typst]")
@click.option(
    "--output",
    "-o",
    type=click.Path(path_type=Path, file_okay=False),
    help="The folder.  [default: output; of a site: site]",
)
@jobs_option
def build(format: str | None, output: Path | None, jobs: int | None) -> None:
    """Render every built-in scenario and a few exercises.

    They are written into a folder, in every language and format. A site of pages in HTML has the catalogue too.
    """
    from symattn.base.files import make_folder, write_beside
    from symattn.compute.jobs import each

    folder = output or Path("site" if format == "html" else "output")
    make_folder(folder)
    formats = BUILT if format is None else (format,)
    groups = list(_site()) if format == "html" else [*_solutions(formats), *_exercises(formats)]
    rendered = each(partial(_rendered, folder), groups, jobs)
    with click.progressbar(rendered, label="Rendering", length=len(groups), file=sys.stderr) as bar:
        texts = {path: text for group in bar for path, text in group.items()}
    write_beside(folder / "page", texts)


_Pages = list[tuple[str, Callable[[Path], dict[Path, str | bytes]]]]
"""Names of pages that one process makes, each with the function for its text and its pictures."""


def _rendered(folder: Path, pages: _Pages) -> dict[Path, str | bytes]:
    return {path: text for name, page in pages for path, text in page(folder / name).items()}


def _site() -> Iterator[_Pages]:
    from symattn.sites.website import site

    for name, page in site():
        yield [(name, partial(_alone, page))]


def _solutions(formats: Sequence[str]) -> Iterator[_Pages]:
    """Yield the pages of each built-in scenario."""
    from symattn.api.worked import derive as derive_solution
    from symattn.base.words import languages
    from symattn.read.scenario.load import builtin_names

    for name in builtin_names():
        solution = derive_solution(name)
        yield [
            (f"{name}.{language}.{FORMATS[format]}", partial(solution.files, format=format, language=language))
            for language in languages()
            for format in formats
        ]


def _exercises(formats: Sequence[str]) -> Iterator[_Pages]:
    """Yield the pages of exercises in each language."""
    from symattn.base.words import languages
    from symattn.course.sheet.batch import pages
    from symattn.write.formats import render

    for language in languages():
        yield [
            (f"{name}.{language}.{FORMATS[format]}", partial(_alone, partial(render, document, format)))
            for name, document in pages(language)
            for format in formats
        ]


def _alone(page: Callable[[], str], path: Path) -> dict[Path, str | bytes]:
    """Return a page without other files."""
    return {path: page()}
