"""The command for people who set exercises: sheets with their keys, exercises as data, and empty files of answers."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from symattn.base.errors import printable
from symattn.cli.group import main
from symattn.cli.options import (
    ANSWERS,
    DATA,
    FORMATS,
    PAGES,
    SCHEMAS,
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
    from symattn.course.generate import Batch

KEY = "-key"
"""The ending of the name of a key."""

BYTE_ORDER_MARK = "\ufeff"
"""Tells spreadsheets that a table is UTF-8: without it they garble names that are not ASCII."""

EXERCISE_EXAMPLES = """
\b
Examples:
  symattn exercise --list
  symattn exercise attention-row --count 30 --seed 7 --difficulty 2 \\
      -o exam.pdf
  symattn exercise softmax-row --per-student names.csv \\
      --language zh-Hant -o exam.md
  symattn exercise softmax-row --count 200 --jobs 2 -o exam.json
  symattn exercise fading --of attention-row --count 4
  symattn exercise --scenario lesson.toml --ask A,O -o exam.tex
  symattn exercise attention-row --count 30 --seed 7 -o exam.tex \\
      --answers answers.csv
  symattn exercise --new-secret exam.secret
  symattn exercise attention-row --count 30 --secret exam.secret \\
      -o exam.tex --answers answers.csv
"""


@main.command(epilog=EXERCISE_EXAMPLES)
@click.argument("topic", required=False)
@click.option("--of", metavar="TOPIC", help="What a form asks about, such as fading: another topic.")
@scenario_option("Ask about a scenario, instead of about a topic.")
@click.option("--ask", metavar="NAME,…", help="Which of its steps are asked. Default: the last one.")
@click.option("--fresh", is_flag=True, help="Other numbers than the scenario's own; of several versions always.")
@click.option("--count", "-n", type=click.IntRange(1, 10_000), help="How many versions.  [default: 1]")
@click.option("--seed", type=int, default=1, show_default=True, help="The same seed gives the same sheets everywhere.")
@click.option("--difficulty", "-d", type=click.IntRange(1, 5), default=2, show_default=True)
@language_option("Default: en, or the scenario's own.")
@format_option(
    [*FORMATS, *DATA.values()],
    "Default: what the name of FILE says (.md, .tex, .typ, .html, .pdf, .json, .jsonl), else markdown.",
)
@math_option
@output_option("Sheets in FILE and keys beside it, in FILE-key. Default: sheets on standard output.")
@engine_option
@click.option("--key", is_flag=True, help="The keys on standard output, instead of the sheets.")
@path_option("--per-student", metavar="NAMES.csv", help="A version for each student, with the name on it.")
@path_option("--answers", metavar="FILE.csv|.json", help="Also an empty file of answers to fill in: for symattn mark.")
@path_option("--secret", help="Mix a secret into the numbers: nobody makes the key from the sheet who has not got it.")
@path_option("--new-secret", help="Write a new secret, and no sheets.")
@jobs_option
@click.option("--rejected", is_flag=True, help="Say how many draws were rejected, and why.")
@click.option("--list", "listed", is_flag=True, help="List the topics, and with -v the mistakes of each.")
@click.option("--verbose", "-v", is_flag=True, help="With --list: the mistakes of each topic.")
@click.option("--schema", is_flag=True, help="The JSON schema of --format json and jsonl.")
@click.option("--markdown", is_flag=True, help="With --list: topics and mistakes as tables, as in docs/exercises.md.")
def exercise(
    topic: str | None,
    of: str | None,
    scenario: str | None,
    ask: str | None,
    fresh: bool,
    count: int | None,
    seed: int,
    difficulty: int,
    language: str | None,
    format: str | None,
    math: str | None,
    output: Path | None,
    engine: str | None,
    key: bool,
    per_student: Path | None,
    answers: Path | None,
    secret: Path | None,
    new_secret: Path | None,
    jobs: int | None,
    rejected: bool,
    listed: bool,
    verbose: bool,
    schema: bool,
    markdown: bool,
) -> None:
    """Write exercise sheets with their keys.

    Every version has numbers of its own that are easy to work with.
    """
    if listed or verbose or markdown:
        _list(language or "en", listed, verbose, markdown, topic is not None or scenario is not None)
        return
    if schema:
        from symattn.course.export import schema_text

        format_of(output, SCHEMAS, "schemas")
        _put(output, schema_text())
        return
    if new_secret is not None:
        _new_secret(new_secret, topic is not None or scenario is not None or secret is not None)
        return
    _must_be_about_something(topic, scenario, ask, fresh)
    written = format_of(output, {**PAGES, **DATA}, "exercises", said=format) or "markdown"
    engine = engine_of(engine, written)
    if key and (output is not None or written in DATA.values()):
        raise click.UsageError("--key is for pages on standard output: -o writes both, and JSON holds both")
    students = None if per_student is None else _students(per_student, count, written)
    number = len(students) if students is not None else count or 1
    _must_be_free(answers)
    told = _about(topic, of, scenario, ask, fresh) | {"difficulty": difficulty, "seed": seed}
    told |= {} if secret is None else {"secret": secret}
    batch = _generated(number, jobs, language, told)
    if rejected:
        click.echo(_rejected(batch), err=True, nl=False)
    page = _pages(batch, written, math, students, engine)
    _write(batch, written, page, output, key, students, answers, told)


def _new_secret(path: Path, has_more: bool) -> None:
    if has_more:
        raise click.UsageError("--new-secret writes a secret and no sheets: leave out topic, scenario and --secret")
    from symattn.course.secret import new_secret

    new_secret(path)
    click.echo(
        f"{path} is written. Give it with --secret, to symattn exercise and to symattn mark; keep it, for without it "
        "neither keys nor marks can be made again, and show it to nobody who gets a sheet."
    )


def _must_be_about_something(topic: str | None, scenario: str | None, ask: str | None, fresh: bool) -> None:
    if topic is None and scenario is None:
        raise click.UsageError("give a topic: symattn exercise softmax-row; symattn exercise --list tells them all")
    if topic is not None and topic.lower().endswith(".toml"):
        raise click.UsageError(f"{topic} is a scenario: symattn exercise --scenario {topic}")
    if scenario is None and (ask is not None or fresh):
        raise click.UsageError("--ask and --fresh belong to --scenario FILE.toml")


def _must_be_free(answers: Path | None) -> None:
    """Refuse an existing file of answers: it may hold the work of a class."""
    if answers is None:
        return
    if answers.suffix.lower() not in ANSWERS:
        raise click.UsageError(f"--answers {answers}: expected a name that ends in {' or '.join(ANSWERS)}")
    if answers.exists():
        raise click.UsageError(f"--answers {answers}: is there already and may hold answers: give another name")


def _about(topic: str | None, of: str | None, scenario: str | None, ask: str | None, fresh: bool) -> dict[str, Any]:
    """Return the subject of the exercises, as far as it is given."""
    told = {"topic": topic, "of": of, "scenario": scenario, "fresh": fresh or None}
    names = () if ask is None else comma_names(ask)
    return {name: value for name, value in told.items() if value is not None} | ({"ask": names} if names else {})


def comma_names(ask: str) -> tuple[str, ...]:
    """Return the names in a comma-separated list."""
    return tuple(name.strip() for name in ask.split(",") if name.strip())


def _generated(number: int, jobs: int | None, language: str | None, told: dict[str, Any]) -> Batch:
    from symattn.course.generate import generate

    if language is None and "scenario" in told:
        from symattn.read.scenario.load import load

        language = load(told["scenario"]).language
    with progress(number, "Generating") as done:
        return generate(count=number, jobs=jobs, done=done, language=language or "en", **told)


def _write(
    batch: Batch,
    written: str,
    page: Callable[[Any], str | bytes],
    output: Path | None,
    key: bool,
    students: Mapping[str, int] | None,
    answers: Path | None,
    told: dict[str, Any],
) -> None:
    """Write all files, or none; text without a file goes to standard output."""
    from symattn.base.files import is_stream, write_together

    if output is None:
        must_be_text(written)
    is_open = output is None or is_stream(output)
    if output is not None and is_open and not output.suffix and written not in DATA.values():
        raise click.UsageError(f"-o {output}: the key has no place beside that: leave -o out, and use --key")
    beside = None if output is None else output.with_name(f"{output.stem}{KEY}{output.suffix}")
    must_leave({"-o": output, "the key": beside, "--answers": answers}, told.get("secret"), told.get("scenario"))
    texts: dict[Path, str | bytes] = {} if output is None else {output: page("question")}
    if beside is not None and written not in DATA.values():
        texts[beside] = page("answer")
    if answers is not None:
        if answers in texts:
            raise click.UsageError(f"--answers {answers}: sheets go there too: give another name")
        texts[answers] = _empty(batch, answers, students, told)
    if output is None and isinstance(text := page("answer" if key else "question"), str):
        sys.stdout.write(text)
    write_together(texts)
    if texts:
        click.echo(f"{written_files(texts)}{_how_to_mark(answers, told, len(batch))}", err=is_open)


def _pages(
    batch: Batch, written: str, math: str | None, students: Mapping[str, int] | None, engine: str | None
) -> Callable[[Any], str | bytes]:
    """Return a function that makes the sheets or the keys; data hold both."""
    if written in DATA.values():
        from symattn.course.export import exported

        return lambda which: exported(batch, written)
    from symattn.course.sheet.batch import batch as sheets
    from symattn.write.formats import rendered
    from symattn.write.pdf import pdf_page

    def pages(which: Any) -> str | bytes:
        return pdf_page(written, engine, partial(rendered, sheets(batch, which, None, students), math=math))

    return pages


def _empty(batch: Batch, answers: Path, students: Mapping[str, int] | None, told: dict[str, Any]) -> str:
    """Return the text of an empty file of answers."""
    from symattn.course.marking.answers import BatchOrigin
    from symattn.course.marking.answers.files import empty_json, empty_table

    if answers.suffix.lower() == ".csv":
        return BYTE_ORDER_MARK + empty_table(batch, students)
    bare = {"scenario": Path(told["scenario"]).name} if "scenario" in told else {}
    more = {"count": len(batch), "secret": "secret" in told}
    origin = BatchOrigin(**told | bare | more) if _says_itself(answers, told) else None
    return empty_json(batch, students, origin)


def _says_itself(answers: Path, told: dict[str, Any]) -> bool:
    """Return whether a file of answers can name its exercises: a table cannot, and no file names a scenario in another
    folder or with an unprintable name."""
    scenario = Path(told.get("scenario", ""))
    is_beside = scenario.suffix != ".toml" or scenario.resolve().parent == answers.resolve().parent
    is_text = printable(scenario.name) == scenario.name
    return answers.suffix.lower() == ".json" and is_beside and is_text


def _how_to_mark(answers: Path | None, told: dict[str, Any], count: int) -> str:
    """Return the command that marks a file of answers once it is filled in."""
    if answers is None:
        return ""
    options = told | {"count": count}
    if _says_itself(answers, told):
        options = {"secret": told["secret"]} if "secret" in told else {}
    words = ["symattn", "mark", str(answers), *(["--fresh"] if options.get("fresh") else [])]
    for name, value in options.items():
        if value is not True:
            words += [f"--{name}", ",".join(value) if name == "ask" else str(value)]
    return f" When {printable(str(answers))} is filled in:\n  {printable(shlex.join(words))}"


def written_files(paths: Iterable[Path]) -> str:
    """Return the sentence about files that are written.

    >>> written_files([Path("a.tex"), Path("a-key.tex"), Path("a.csv")])
    'a.tex, a-key.tex and a.csv are written.'
    """
    *others, last = (printable(str(path)) for path in paths)
    return f"{', '.join(others)} and {last} are written." if others else f"{last} is written."


def _put(output: Path | None, text: str) -> None:
    from symattn.base.files import write_whole

    if output is None:
        sys.stdout.write(text)
    else:
        write_whole(output, text)


def _students(path: Path, count: int | None, written: str) -> Mapping[str, int]:
    from symattn.course.marking.sources import names_in, versions_of

    if count is not None:
        raise click.UsageError("--per-student makes as many versions as there are names: leave out --count")
    if written in DATA.values():
        raise click.UsageError("--per-student is for sheets, such as Markdown (.md), LaTeX (.tex) or PDF (.pdf)")
    return versions_of(names_in(path))


def _rejected(batch: Batch) -> str:
    """Return how many draws were rejected for each reason, the most frequent first."""
    rows = sorted(batch.rejected.items(), key=lambda row: (-row[1], row[0]))
    total = f"draws rejected: {sum(batch.rejected.values())}, kept: {len(batch)}"
    return "".join(f"{line}\n" for line in (total, *(f"{number:>6}  {reason}" for reason, number in rows)))


def _list(language: str, listed: bool, verbose: bool, markdown: bool, has_topic: bool) -> None:
    if not listed or has_topic:
        raise click.UsageError("-v and --markdown belong to --list, which takes no topic")
    from symattn.course.overview import tables, topics_text

    click.echo(tables(language) if markdown else topics_text(language, verbose), nl=False)


@contextmanager
def progress(count: int, label: str) -> Iterator[Callable[[int], None]]:
    """Yield a function that is told how many are done: it moves a bar if standard error is a terminal."""
    if not sys.stderr.isatty():
        yield lambda number: None
        return
    with click.progressbar(length=count, label=label, file=sys.stderr) as bar:
        yield lambda number: bar.update(number - bar.pos)
