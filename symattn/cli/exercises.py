"""Commands for people who teach: exercise writes sheets with their keys, mark reads the answers."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from symattn.cli.group import main
from symattn.cli.solutions import LANGUAGES

if TYPE_CHECKING:
    from symattn.exercise.answers import Origin
    from symattn.exercise.generate import Batch

PAGES: Mapping[str, str] = {".md": "markdown", ".tex": "latex"}
DATA: Mapping[str, str] = {".json": "json", ".jsonl": "jsonl"}
MARKS: Mapping[str, str] = {".json": "json", ".csv": "csv", **PAGES}
"""Formats, by the ends of names of files."""

KEY = "-key"
"""What stands at the end of the name of a key."""

EXERCISE_EXAMPLES = """
\b
Examples:
  symattn exercise --list
  symattn exercise attention-row --count 30 --seed 7 --difficulty 2 -o exam.tex
  symattn exercise softmax-row --per-student names.csv --language zh-Hant -o exam.md
  symattn exercise softmax-row --count 200 --jobs 2 -o exam.json
  symattn exercise fading --of attention-row --count 4
  symattn exercise --scenario lesson.toml --ask A,O -o exam.tex
"""

MARK_EXAMPLES = """
\b
Examples:
  symattn mark answers.json
  symattn mark answers.csv --exercise exam.json --report report.md
  symattn mark answers.csv --topic attention-row --difficulty 2 --seed 7 -o marks.csv
"""


@main.command(epilog=EXERCISE_EXAMPLES)
@click.argument("topic", required=False)
@click.option("--of", metavar="TOPIC", help="What a form asks about, such as fading: another topic.")
@click.option("--scenario", "-s", metavar="NAME|FILE.toml", help="Ask about a scenario, instead of about a topic.")
@click.option("--ask", metavar="NAME,…", help="Which of its steps are asked. Default: the last one.")
@click.option("--fresh", is_flag=True, help="Other numbers than the scenario's own; of several versions always.")
@click.option("--count", "-n", type=click.IntRange(1, 10_000), help="How many versions.  [default: 1]")
@click.option("--seed", type=int, default=1, show_default=True, help="The same seed gives the same sheets everywhere.")
@click.option("--difficulty", "-d", type=click.IntRange(1, 5), default=2, show_default=True)
@click.option("--language", "-l", type=click.Choice(LANGUAGES), help="Default: en, or the scenario's own.")
@click.option(
    "--format",
    "-f",
    type=click.Choice([*PAGES.values(), *DATA.values()]),
    help="Default: what the name of FILE says (.md, .tex, .json, .jsonl), else markdown.",
)
@click.option(
    "--math",
    type=click.Choice(["brackets", "dollar"]),
    default="brackets",
    show_default=True,
    help="Markdown only: \\[ \\] and \\( \\), or $$ and $ as GitHub and notebooks want.",
)
@click.option(
    "--output",
    "-o",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Sheets in FILE and keys beside it, in FILE-key. Default: sheets on standard output.",
)
@click.option("--key", is_flag=True, help="The keys on standard output, instead of the sheets.")
@click.option(
    "--per-student",
    type=click.Path(path_type=Path),
    metavar="NAMES.csv",
    help="A version for each student, with the name on it.",
)
@click.option("--jobs", "-j", type=int, help="How many processes share the work; -1: one on every core.")
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
    math: str,
    output: Path | None,
    key: bool,
    per_student: Path | None,
    jobs: int | None,
    rejected: bool,
    listed: bool,
    verbose: bool,
    schema: bool,
    markdown: bool,
) -> None:
    """Write exercise sheets with their keys: every version with numbers of its own, all of them good ones."""
    if listed or verbose or markdown:
        _list(language or "en", listed, verbose, markdown, topic is not None or scenario is not None)
        return
    if schema:
        from symattn.exercise.export import schema_text

        _put(output, schema_text())
        return
    if topic is None and scenario is None:
        raise click.UsageError("give a topic: symattn exercise softmax-row; symattn exercise --list tells them all")
    if scenario is None and (ask is not None or fresh):
        raise click.UsageError("--ask and --fresh belong to --scenario FILE.toml")
    written = format or _format_of(output, {**PAGES, **DATA}, "exercises") or "markdown"
    if key and (output is not None or written in DATA.values()):
        raise click.UsageError("--key is for pages on standard output: -o writes both, and JSON holds both")
    students = None if per_student is None else _students(per_student, count, written)
    number = len(students) if students is not None else count or 1
    told = _about(topic, of, scenario, ask, fresh) | {"difficulty": difficulty, "seed": seed}
    batch = _generated(number, jobs, language, told)
    if rejected:
        click.echo(_rejected(batch), err=True, nl=False)
    _write(batch, written, math, output, key, students)


def _about(topic: str | None, of: str | None, scenario: str | None, ask: str | None, fresh: bool) -> dict[str, Any]:
    """What the exercises are about, as far as it is said."""
    told = {"topic": topic, "of": of, "scenario": scenario, "fresh": fresh or None}
    names = [] if ask is None else [name.strip() for name in ask.split(",") if name.strip()]
    return {name: value for name, value in told.items() if value is not None} | ({"ask": names} if names else {})


def _generated(number: int, jobs: int | None, language: str | None, told: dict[str, Any]) -> Batch:
    from symattn.exercise.generate import generate
    from symattn.exercise.jobs import finish

    if language is None and "scenario" in told:
        from symattn.scenario.load import load

        language = load(told["scenario"]).language
    try:
        with progress(number, "Generating") as done:
            return generate(count=number, jobs=jobs, done=done, language=language or "en", **told)
    finally:
        finish()


def _write(
    batch: Batch, written: str, math: str, output: Path | None, key: bool, students: Mapping[str, int] | None
) -> None:
    if written in DATA.values():
        from symattn.exercise.export import exported

        _put(output, exported(batch, written))
        return
    from symattn.exercise.sheet.batch import batch as sheets
    from symattn.files import write_together
    from symattn.render.formats import render

    def page(which: Any) -> str:
        return render(sheets(batch, which, None, students), written, math=math)

    if output is None:
        sys.stdout.write(page("answer" if key else "question"))
        return
    keys = output.with_name(f"{output.stem}{KEY}{output.suffix}")
    write_together({output: page("question"), keys: page("answer")})
    click.echo(f"{output} and {keys} are written.")


def _put(output: Path | None, text: str) -> None:
    from symattn.files import write_whole

    if output is None:
        sys.stdout.write(text)
    else:
        write_whole(output, text)


def _students(path: Path, count: int | None, written: str) -> Mapping[str, int]:
    from symattn.exercise.students import names_in, versions_of

    if count is not None:
        raise click.UsageError("--per-student makes as many versions as there are names: leave out --count")
    if written in DATA.values():
        raise click.UsageError("--per-student is for sheets: Markdown (.md) or LaTeX (.tex)")
    return versions_of(names_in(path))


def _rejected(batch: Batch) -> str:
    """How many draws were rejected for each reason, the most frequent first."""
    rows = sorted(batch.rejected.items(), key=lambda row: (-row[1], row[0]))
    total = f"draws rejected: {sum(batch.rejected.values())}, kept: {len(batch)}"
    return "".join(f"{line}\n" for line in (total, *(f"{number:>6}  {reason}" for reason, number in rows)))


def _list(language: str, listed: bool, verbose: bool, markdown: bool, has_topic: bool) -> None:
    if not listed or has_topic:
        raise click.UsageError("-v and --markdown belong to --list, which takes no topic")
    from symattn.exercise.overview import tables, topics_text

    click.echo(tables(language) if markdown else topics_text(language, verbose), nl=False)


@contextmanager
def progress(count: int, label: str) -> Iterator[Callable[[int], None]]:
    """Something to be told how many are done: a bar, where somebody looks at standard error."""
    if not sys.stderr.isatty():
        yield lambda number: None
        return
    with click.progressbar(length=count, label=label, file=sys.stderr) as bar:
        yield lambda number: bar.update(number - bar.pos)


def _format_of(output: Path | None, known: Mapping[str, str], what: str) -> str | None:
    """The format that the name of a file asks for, where nothing else does."""
    ending = "" if output is None else output.suffix.lower()
    if ending in (".pdf", ".html", ".htm", ".docx", ".ipynb"):
        raise click.UsageError(
            f"-o {output}: {what} are written as {', '.join(known)}; other programs, such as xelatex or pandoc, make "
            f"{ending} from these"
        )
    return known.get(ending)


@main.command(epilog=MARK_EXAMPLES)
@click.argument("answers", type=click.Path(path_type=Path), metavar="ANSWERS.json|.csv")
@click.option(
    "--exercise", "-e", type=click.Path(path_type=Path), metavar="EXAM.json", help="The exercises that were answered."
)
@click.option("--topic", help="Or what they were generated from: the topic …")
@click.option("--difficulty", "-d", type=click.IntRange(1, 5), help="… its difficulty …")
@click.option("--seed", type=int, help="… and the seed.")
@click.option("--language", "-l", type=click.Choice(LANGUAGES), help="Default: that of the exercises.")
@click.option(
    "--format",
    "-f",
    type=click.Choice(["text", "json", "csv", "markdown", "latex"]),
    help="markdown and latex: the page about the class. Default: what the name of FILE says, else text.",
)
@click.option("--output", "-o", type=click.Path(path_type=Path), metavar="FILE", help="Default: standard output.")
@click.option(
    "--report",
    "report_file",
    type=click.Path(path_type=Path),
    metavar="FILE.md|.tex",
    help="Also a page about the most frequent mistakes of the class.",
)
@click.option("--jobs", "-j", type=int, help="How many processes share the work; -1: one on every core.")
def mark(
    answers: Path,
    exercise: Path | None,
    topic: str | None,
    difficulty: int | None,
    seed: int | None,
    language: str | None,
    format: str | None,
    output: Path | None,
    report_file: Path | None,
    jobs: int | None,
) -> None:
    """Mark the answers of a student or of a class, and say for each what went wrong first."""
    written = format or _format_of(output, MARKS, "marks") or "text"
    told = _origin(exercise, topic, difficulty, seed)
    page_format = None if report_file is None else _format_of(report_file, PAGES, "pages about a class") or "markdown"
    from symattn.exercise.answers import read_answers
    from symattn.exercise.jobs import finish
    from symattn.exercise.marking import mark_all
    from symattn.exercise.sources import exercises_of, last_version
    from symattn.files import write_together

    file = read_answers(answers)
    try:
        with progress(last_version(file.answers), "Generating") as done:
            exercises = exercises_of(file, answers, told, jobs, done)
    finally:
        finish()
    report = mark_all(exercises, file.answers)
    spoken = language or exercises[0].language
    texts: dict[Path, str] = {}
    text = _marks(report, written, spoken)
    if output is not None:
        texts[output] = text
    if report_file is not None and page_format is not None:
        texts[report_file] = _marks(report, page_format, spoken)
    write_together(texts)
    if output is None:
        sys.stdout.write(text)


def _marks(report: Any, written: str, language: str) -> str:
    from symattn.exercise.marking import as_json, as_table, as_text, class_page
    from symattn.render.formats import render

    match written:
        case "json":
            return as_json(report)
        case "csv":
            return as_table(report)
        case "text":
            return as_text(report, language)
    return render(class_page(report, language), written)


def _origin(exercise: Path | None, topic: str | None, difficulty: int | None, seed: int | None) -> Origin | None:
    """Where the exercises come from, if that is said here."""
    generated: Sequence[object] = (topic, difficulty, seed)
    if exercise is not None:
        if any(value is not None for value in generated):
            raise click.UsageError("--exercise names a file: leave out --topic, --difficulty and --seed")
        from symattn.exercise.answers import Origin

        return Origin(file=str(exercise))
    if all(value is None for value in generated):
        return None
    if topic is None or difficulty is None or seed is None:
        raise click.UsageError("--topic, --difficulty and --seed belong together: the sheets have all three on them")
    from symattn.exercise.answers import Origin

    return Origin(topic, difficulty, seed)
