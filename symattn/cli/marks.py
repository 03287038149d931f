"""The command for people who mark: turn answers into marks with the mistakes behind them."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from symattn.cli.exercises import BYTE_ORDER_MARK, comma_names, progress, written_files
from symattn.cli.group import main
from symattn.cli.options import (
    FORMATS,
    MARKS,
    PAGES,
    engine_of,
    engine_option,
    format_of,
    format_option,
    jobs_option,
    language_option,
    must_be_text,
    must_leave,
    output_option,
    path_option,
    scenario_option,
)

if TYPE_CHECKING:
    from symattn.course.marking.answers import AnswerFile, BatchOrigin
    from symattn.course.model import Exercise

MARK_EXAMPLES = """
\b
Examples:
  symattn mark answers.json
  symattn mark answers.csv --exercise exam.json --report report.md
  symattn mark answers.csv --topic attention-row --difficulty 2 --seed 7 \\
      --count 30 -o marks.csv
  symattn mark answers.csv --topic fading --of attention-row \\
      --difficulty 2 --seed 7
  symattn mark answers.csv --scenario lesson.toml --ask A,O --seed 7 \\
      --count 30
"""


@main.command(epilog=MARK_EXAMPLES)
@click.argument("answers", type=click.Path(path_type=Path), metavar="ANSWERS.json|.csv")
@path_option("--exercise", "-e", metavar="EXAM.json", help="The exercises that were answered.")
@click.option("--topic", help="Or what they were generated from, as it stands on the sheets: the topic …")
@click.option("--of", metavar="TOPIC", help="… with what a form stands on, after the / on the sheets …")
@click.option("--difficulty", "-d", type=click.IntRange(1, 5), help="… its difficulty …")
@click.option("--seed", type=int, help="… the seed …")
@click.option("--count", "-n", type=click.IntRange(1, 10_000), help="… and how many versions, which finds wrong ones.")
@scenario_option("A scenario, with the seed, instead of a topic.")
@click.option("--ask", metavar="NAME,…", help="Which of its steps were asked, if it was not the last one.")
@click.option("--fresh", is_flag=True, help="The sheets had other numbers than its own; several versions always have.")
@path_option("--secret", help="The secret that the sheets were made with.")
@language_option("Default: that of the exercises.")
@format_option(
    ["text", "json", "csv", *FORMATS],
    "markdown, latex and typst: the page about the class. Default: what the name of FILE says, else text.",
)
@output_option()
@path_option(
    "--report",
    "report_file",
    metavar="FILE.md|.tex|.typ|.pdf",
    help="Also a page about the most frequent mistakes of the class.",
)
@engine_option
@jobs_option
def mark(
    answers: Path,
    exercise: Path | None,
    topic: str | None,
    of: str | None,
    difficulty: int | None,
    seed: int | None,
    count: int | None,
    scenario: str | None,
    ask: str | None,
    fresh: bool,
    secret: Path | None,
    language: str | None,
    format: str | None,
    output: Path | None,
    report_file: Path | None,
    engine: str | None,
    jobs: int | None,
) -> None:
    """Mark the answers of a student or of a class.

    For each the marks say what went wrong first.

    A file of answers may say itself which exercises were answered; one that symattn exercise --answers FILE.json
    wrote does. Else give the file of the exercises, or what they were generated from: topic, difficulty and seed stand
    on every sheet.
    """
    written = format_of(output, MARKS, "marks", said=format) or "text"
    generated = {"topic": topic, "of": of, "difficulty": difficulty, "seed": seed, "count": count}
    told = _origin(exercise, generated | {"scenario": scenario, "ask": ask, "fresh": fresh or None})
    page_format = format_of(report_file, PAGES, "pages about a class", "--report")
    page_format = page_format or "markdown"
    engine = engine_of(engine, written, page_format)
    must_leave({"-o": output, "--report": report_file}, answers, exercise, secret)
    if output is None:
        must_be_text(written)
    from symattn.base.files import is_stream, write_together
    from symattn.course.marking import mark_all
    from symattn.course.marking.fitting import remarks

    file, exercises = _answered(answers, told, jobs, secret)
    report = mark_all(exercises, file.answers, jobs)
    spoken = language or exercises[0].language
    texts: dict[Path, str | bytes] = {}
    text = _marks(report, written, spoken, engine)
    if output is not None:
        texts[output] = BYTE_ORDER_MARK + text if isinstance(text, str) and written == "csv" else text
    if report_file is not None:
        if report_file in texts:
            raise click.UsageError(f"--report {report_file}: the marks go there too: give another name")
        texts[report_file] = _marks(report, page_format, spoken, engine)
    write_together(texts)
    if isinstance(text, str) and output is None:
        sys.stdout.write(text)
    if texts:
        click.echo(written_files(texts), err=output is None or is_stream(output))
    for remark in remarks(file.answers, exercises, answers.name):
        click.echo(f"symattn: {remark}", err=True)
    is_checked = all(marked.is_checked for marked in report.marked)
    if len(report.marked) > 1 and not report.points and not is_checked:
        click.echo("symattn: nobody has anything right: were these the exercises? Compare topic and seed.", err=True)


def _answered(
    answers: Path, told: BatchOrigin | None, jobs: int | None, secret: Path | None
) -> tuple[AnswerFile, Sequence[Exercise]]:
    """Return the submitted answers, and the exercises they belong to."""
    from symattn.course.marking.answers import read_answers
    from symattn.course.marking.fitting import handed_in
    from symattn.course.marking.sources import exercises_of, last_version
    from symattn.course.secret import secret_of

    kept = secret_of(secret)
    file = read_answers(answers)
    file = replace(file, answers=handed_in(file.answers, answers.name))
    with progress(last_version(file.answers), "Generating") as done:
        return file, exercises_of(file, answers, told, jobs, done, kept)


def _marks(report: Any, written: str, language: str, engine: str | None) -> str | bytes:
    from symattn.course.marking import as_json, as_table, as_text, class_page
    from symattn.write.formats import rendered
    from symattn.write.pdf import pdf_page

    match written:
        case "json":
            return as_json(report)
        case "csv":
            return as_table(report)
        case "text":
            return as_text(report, language)
    return pdf_page(written, engine, partial(rendered, class_page(report, language)))


def _origin(exercise: Path | None, generated: Mapping[str, Any]) -> BatchOrigin | None:
    """Return the origin of the exercises, if the options give it."""
    told = {name: value for name, value in generated.items() if value is not None}
    if exercise is None and not told:
        return None
    from symattn.course.marking.answers import BatchOrigin, origin_of

    if exercise is not None:
        if told:
            raise click.UsageError(f"--exercise names a file: leave out {', '.join(f'--{name}' for name in told)}")
        return BatchOrigin(file=str(exercise))
    if "ask" in told:
        told["ask"] = comma_names(told["ask"])
    return origin_of(told, "--")
