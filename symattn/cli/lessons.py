"""Commands for people who write scenarios and courses: init, schema, validate, latex-style."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from symattn.base.errors import STEERING, cut, printable, shown
from symattn.cli.group import main
from symattn.cli.options import SCHEMAS, STYLES, format_of, language_option, output_option

if TYPE_CHECKING:
    from symattn.api.validation import Report
    from symattn.read.scenario.problem import Finding

INIT_EXAMPLES = """
\b
Examples:
  symattn init lesson.toml --tokens "the cat sat" --use attention --d-model 4
  symattn init lesson.toml --use attention --with mask=causal --seed 3
  symattn init lesson.toml --language zh-Hant --tokens "今天 天氣 很" --named
"""

VALIDATE_EXAMPLES = """
\b
Examples:
  symattn validate lesson.toml
  symattn validate lessons/ --no-solve
  symattn validate lessons/ --format json > problems.json
"""


@main.command(epilog=INIT_EXAMPLES)
@click.argument("file", type=click.Path(path_type=Path), metavar="FILE.toml")
@click.option("--tokens", "-t", default="the cat sat", show_default=True, help="With spaces between them.")
@click.option("--use", "-u", multiple=True, metavar="ENTRY", help="Of the catalogue; may be given several times.")
@click.option("--d-model", type=int, help="The length of a token vector, or of a row of what else is started from.")
@click.option("--heads", type=int, help="How many heads, for entries with heads.")
@click.option("--size", multiple=True, metavar="NAME=N", help="Any other size by its name, such as d_k=3.")
@click.option("--with", "settings", multiple=True, metavar="OPTION=VALUE", help="An option of an entry.")
@click.option(
    "--seed",
    type=int,
    default=7,
    show_default=True,
    help="Other numbers; the same for the same tokens on every machine.",
)
@language_option(default="en", show_default=True)
@click.option("--title", metavar="TEXT", help="Default: what is derived, and the tokens.")
@click.option(
    "--written/--named", default=True, help="Write the equations out (usual), or name the entry that has them."
)
@click.option("--no-schema", is_flag=True, help="Do not write the JSON schema beside FILE, and do not name it there.")
@click.option("--force", is_flag=True, help="Write over a file that is there.")
def init(
    file: Path,
    tokens: str,
    use: tuple[str, ...],
    d_model: int | None,
    heads: int | None,
    size: tuple[str, ...],
    settings: tuple[str, ...],
    seed: int,
    language: str,
    title: str | None,
    written: bool,
    no_schema: bool,
    force: bool,
) -> None:
    """Write a scenario of your own to start from.

    It has small exact numbers and a comment for every key, and is ready to derive.
    """
    from random import Random

    from symattn.api.starter import SCHEMA, create, start

    sizes = {name: _whole(name, value) for name, value in map(_pair, size)}
    text = start(
        _tokens(tokens),
        random=Random(seed),
        use=use or ("attention",),
        settings=dict(map(_setting, settings)) | ({} if heads is None else {"heads": heads}),
        sizes=sizes | ({} if d_model is None else {"d_model": d_model}),
        language=language,
        title=title,
        written=written,
        schema=None if no_schema else SCHEMA,
        file=printable(file.name),
    )
    create(file, text, with_schema=not no_schema, force=force)
    told = f"{file} is written. Next: symattn derive {file} -o {file.with_suffix('.md')} --watch"
    click.echo(printable(told))


def _tokens(text: str) -> list[str]:
    """Split tokens at their spaces; ask for some in Chinese or Japanese, which is written without."""
    tokens = text.split()
    if len(tokens) == 1 and len(characters := re.findall("[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]", text)) > 1:
        raise click.UsageError(
            f"--tokens {shown(text)}: no spaces, so this would be a single token; separate the tokens with spaces, "
            f'word by word as in "今天 天氣 很 好", or character by character, "{cut(" ".join(characters))}"'
        )
    return tokens


def _pair(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals:
        raise click.UsageError(f"{text}: expected NAME=VALUE")
    return name.strip(), value.strip()


def _whole(name: str, value: str) -> int:
    if not value.isascii() or not value.isdigit() or len(value) > 9:
        raise click.UsageError(f"--size {name}={value}: expected a whole number")
    return int(value)


def _setting(text: str) -> tuple[str, str | int | bool | tuple[str, ...]]:
    """Read an option as TOML would: a switch, a whole number, a word, or several separated by commas."""
    name, value = _pair(text)
    if value in ("true", "false"):
        return name, value == "true"
    if "," in value:
        return name, tuple(each.strip() for each in value.split(","))
    return name, int(value) if value.isascii() and value.isdigit() and len(value) <= 9 else value


@main.command(epilog=VALIDATE_EXAMPLES)
@click.argument("files", nargs=-1, required=True, metavar="FILE…")
@click.option("--no-solve", is_flag=True, help="Look at form, names and shapes only, and work nothing out.")
@click.option(
    "--format",
    "-f",
    type=click.Choice(["text", "json", "github"]),
    default="text",
    show_default=True,
    help="github: as a workflow of GitHub shows them, each at its line.",
)
def validate(files: tuple[str, ...], no_solve: bool, format: str) -> None:
    """List everything that is wrong with scenario files.

    A folder stands for every .toml file in it and in the folders in it. The exit code is 0 where nothing is wrong, 1
    where only figures under [printed] are not derived, else 2.
    """
    from symattn.api.validation import reports

    found: list[Report] = []
    for report in reports(files, solve=not no_solve):
        found.append(report)
        if format != "json":
            told = map(str if format == "text" else _annotation, report.findings)
            click.echo("\n".join([*told, _summary(report)]))
    if format == "json":
        click.echo(_as_json(found))
    elif len(found) != 1:
        bad = sum(not report.is_good for report in found)
        problems = sum(len(report.findings) for report in found)
        click.echo(f"{_count(len(found), 'file')}, {bad} with problems, {_count(problems, 'problem')} in all")
    if not found:
        raise click.UsageError("there is no .toml file in " + ", ".join(files))
    broken = any(len(report.findings) > report.misprints for report in found)
    sys.exit(2 if broken else 0 if all(report.is_good for report in found) else 1)


@main.command()
@click.option("--solution", is_flag=True, help="That of a solution as data: derive -o lesson.json.")
@output_option()
def schema(solution: bool, output: Path | None) -> None:
    """Print the JSON schema of scenario files, for editors.

    A scenario names the file in its first line: #:schema ./scenario.schema.json
    """
    if solution:
        from symattn.api.publish.data_form import schema_text
    else:
        from symattn.read.scenario.schema import schema_text

    format_of(output, SCHEMAS, "schemas")
    _write(schema_text(), output)


@main.command("latex-style")
@output_option()
def latex_style(output: Path | None) -> None:
    """Print symattn.sty, which sets the look of LaTeX pages.

    Fragments need it, and courses may change it. A page takes the symattn.sty that stands beside it; without one it has
    a copy of its own.
    """
    from symattn.write.latex import style

    format_of(output, STYLES, "styles")
    _write(style(), output)


def _write(text: str, output: Path | None) -> None:
    from symattn.base.files import write_whole

    if output is None:
        click.echo(text, nl=False)
    else:
        write_whole(output, text)


def _annotation(finding: Finding) -> str:
    """Return a finding as a command of GitHub's workflows."""
    from symattn.checking.report.sarif import command

    line = {"line": finding.line} if finding.line else {}
    what = f"{finding.key}: {finding.message}" if finding.key else finding.message
    return command("error", printable(what), file=finding.path, **line)


def _summary(report: Report) -> str:
    path = printable(report.path)
    if report.is_full:
        return f"{path}: PROBLEMS = {len(report.findings)} problems or more, of which these are listed"
    if not report.is_good:
        return f"{path}: {_count(len(report.findings), 'problem')}"
    parts = (("given", report.givens), ("step", report.steps), ("section", report.sections))
    return f"{path}: good: {', '.join(_count(number, what) for what, number in parts)}"


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def _as_json(reports: list[Report]) -> str:
    import json
    from dataclasses import asdict

    files = [
        {
            "path": report.path,
            "good": report.is_good,
            "givens": report.givens,
            "steps": report.steps,
            "sections": report.sections,
            "problems": [asdict(finding) for finding in report.findings],
        }
        for report in reports
    ]
    good = all(report.is_good for report in reports)
    text = json.dumps({"good": good, "files": files}, ensure_ascii=False, indent=2)
    # Characters that steer a terminal are escaped as in JSON; the line ends are those of the report.
    return "\n".join(STEERING.sub(lambda found: json.dumps(found[0])[1:-1], line) for line in text.split("\n"))
