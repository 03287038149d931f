"""The commands that check documents line by line, and make scenarios of them."""

from __future__ import annotations

import os
import sys
from collections.abc import Collection, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

from symattn.base.errors import SymattnError, printable
from symattn.checking.model import ROUNDING_KINDS, FindingKind
from symattn.cli.group import WRONG, main, unforeseen
from symattn.cli.options import (
    SCHEMAS,
    format_of,
    format_option,
    jobs_option,
    language_option,
    must_leave,
    output_option,
    path_option,
)

if TYPE_CHECKING:
    from symattn.checking.files import DocumentFile
    from symattn.checking.model import CheckedDocument

CHECKS: Mapping[str, str] = {
    ".txt": "text",
    ".json": "json",
    ".sarif": "sarif",
    ".md": "markdown",
    ".markdown": "markdown",
}
NOT_WHOLE = "was not read to the end: it takes more work than a check may take; what is told is what was read"

DIFFS: Mapping[str, str] = {".diff": "diff", ".patch": "diff", ".txt": "diff"}
"""Formats of reports and of patches by file endings."""

STANDARD_INPUT = "-"
UNNAMED = "document.md"
"""The default name of standard input."""

CHECK_EXAMPLES = """
\b
Examples:
  symattn check tutorial.md
  symattn check tutorial.md notes.tex notebook.ipynb --format json \\
      -o check.json
  symattn check tutorial.md --explain 21
  symattn check tutorial.md --patch fix.diff
  cat tutorial.tex | symattn check - --name tutorial.tex
"""


@main.command(epilog=CHECK_EXAMPLES)
@click.argument("files", nargs=-1, type=click.Path(path_type=Path, allow_dash=True), metavar="FILE…")
@format_option(
    ["text", "json", "sarif", "markdown", "annotated", "github"],
    "markdown: a comment for an issue; annotated: a copy of the document with remarks; github: at the lines of a pull "
    "request. Default: what the name of the output says, else text.",
)
@output_option()
@path_option("--patch", metavar="FIX.diff", help="Also a patch that git apply takes; documents are never changed.")
@click.option("--explain", type=click.IntRange(1), metavar="LINE", help="Tell everything that is known of one line.")
@click.option("--strict", is_flag=True, help="What is only rounded otherwise or could not be verified is wrong too.")
@click.option(
    "--fail-on",
    metavar="KIND",
    multiple=True,
    type=click.Choice(sorted(ROUNDING_KINDS)),
    help="Remarks that are wrong too: last_digit or rounding_chain.",
)
@click.option("--name", metavar="TUTORIAL.md", help="What standard input is: its ending says how it is read.")
@click.option("--schema", is_flag=True, help="The JSON schema of --format json.")
@jobs_option
def check(
    files: tuple[Path, ...],
    format: str | None,
    output: Path | None,
    patch: Path | None,
    explain: int | None,
    strict: bool,
    fail_on: tuple[FindingKind, ...],
    name: str | None,
    schema: bool,
    jobs: int | None,
) -> None:
    """Check the figures and formulas of documents, line by line.

    What a document works out is read and worked out again.

    FILE is Markdown, LaTeX, a notebook, HTML or plain text; - is standard input. The exit code is 0 where nothing is
    wrong but how figures are rounded, 1 where something is, 2 where a file could not be read.
    """
    if schema:
        from symattn.checking.report.form import schema_text

        if files:
            raise click.UsageError(f"--schema: it is the same for every document: leave out {files[0]}")
        format_of(output, SCHEMAS, "schemas")
        _write({output: schema_text()})
        return
    files = _each_once(files, name)
    written = _format(files, format, output, explain)
    _must_be_named(files, patch, name)
    format_of(patch, DIFFS, "patches", "--patch")
    must_leave({"-o": output, "--patch": patch}, *files)
    if output is not None and output == patch:
        raise click.UsageError(f"--patch {patch}: the report goes there too: give another name")
    checked, unread = _checked(files, name, jobs)
    texts: dict[Path | None, str | bytes] = {}
    if checked or (written in ("json", "sarif") and len(files) > 1):
        texts[output] = _report(checked, unread, written, len(files) > 1, strict, explain, output)
    if patch is not None:
        texts[patch], unpatched = _patch(checked, patch)
        unread += unpatched
    _write(texts)
    for _, because in unread:
        click.echo(f"symattn: {because}", err=True)
    documents = [document for _, document in checked]
    for document in documents:
        if not document.is_whole:
            click.echo(f"symattn: {printable(document.name)}: {NOT_WHOLE}", err=True)
    left = sum(document.coverage.not_verified for document in documents)
    if strict and left:
        click.echo(f"symattn: --strict: {left} figure{'s were' if left > 1 else ' was'} not verified", err=True)
    is_whole = all(document.is_whole for document in documents)
    sys.exit(
        WRONG if unread or not is_whole else int(any(_is_wrong(document, strict, fail_on) for document in documents))
    )


def _each_once(files: tuple[Path, ...], name: str | None) -> tuple[Path, ...]:
    if not files:
        raise click.UsageError("name a document: symattn check tutorial.md; - is standard input")
    if name is not None and Path(STANDARD_INPUT) not in files:
        raise click.UsageError("--name says what standard input is: give - as the document")
    return tuple(
        {os.path.realpath(file) if str(file) != STANDARD_INPUT else STANDARD_INPUT: file for file in files}.values()
    )


def _must_be_named(files: tuple[Path, ...], patch: Path | None, name: str | None) -> None:
    """Raise for a patch that has no file to go to, or that cannot name the file it changes."""
    if patch == Path(STANDARD_INPUT):
        raise click.UsageError("--patch -: the report is on standard output: name a file, as in --patch fix.diff")
    if patch is not None and name is None and Path(STANDARD_INPUT) in files:
        raise click.UsageError("--patch says which file is changed: give its name as --name tutorial.md")


def _format(files: tuple[Path, ...], said: str | None, output: Path | None, explain: int | None) -> str:
    """Return the format of the report, if it is available for these documents."""
    if explain is not None:
        if len(files) > 1 or said not in (None, "text"):
            raise click.UsageError("--explain tells of a line of one document, as text")
        return format_of(output, {".txt": "text"}, "explanations") or "text"
    known = dict(CHECKS)
    if said == "annotated":
        if len(files) > 1:
            raise click.UsageError("--format annotated copies one document: name one")
        known |= {ending: "annotated" for ending in (files[0].suffix.lower(),) if ending}
    if said == "sarif":
        known |= {".json": "sarif"}  # SARIF is JSON, and its files may end in .json too
    return format_of(output, known, "reports", said=said) or "text"


def _checked(
    files: Sequence[Path], name: str | None, jobs: int | None
) -> tuple[list[tuple[DocumentFile, CheckedDocument]], list[tuple[str, str]]]:
    """Check each document; return the results, and the documents that could not be read."""
    from symattn.compute.jobs import each

    found: list[tuple[DocumentFile, CheckedDocument]] = []
    unread: list[tuple[str, str]] = []
    # Only this process can read standard input.
    for one in each(partial(_check_one, name), files, 1 if Path(STANDARD_INPUT) in files else jobs):
        if isinstance(one, _Unread):
            unread.append((one.name, one.because))
        else:
            found.append(one)
    return found, unread


class _Unread(NamedTuple):
    """A document that could not be read."""

    name: str
    because: str


def _check_one(name: str | None, file: Path) -> tuple[DocumentFile, CheckedDocument] | _Unread:
    from symattn.checking.check import check as checked
    from symattn.checking.files import piped, read_document

    is_piped = str(file) == STANDARD_INPUT
    called = (name or UNNAMED) if is_piped else str(file)
    try:
        read = piped(getattr(sys.stdin, "buffer", None), called) if is_piped else read_document(file)
        return read, checked(read.text, read.name)
    except SymattnError as error:
        said = printable(called)
        return _Unread(called, str(error) if str(error).startswith(said) else f"{said}: {error}")
    except Exception as error:  # noqa: BLE001 - the other documents are told all the same
        unforeseen(error)
        return _Unread(called, f"{printable(called)}: could not be checked")


def _report(
    checked: Sequence[tuple[DocumentFile, CheckedDocument]],
    unread: Sequence[tuple[str, str]],
    written: str,
    several: bool,
    strict: bool,
    explain: int | None,
    output: Path | None,
) -> str | bytes:
    documents = [document for _, document in checked]
    if explain is not None:
        from symattn.checking.report.text import explained

        return explained(documents[0], explain)
    match written:
        case "json":
            from symattn.checking.report.form import as_json

            return as_json(documents, unread, several)
        case "sarif":
            from symattn.checking.report.sarif import as_sarif

            return as_sarif(documents, unread, strict)
        case "markdown":
            from symattn.checking.report.markdown import as_markdown

            return as_markdown(documents)
        case "annotated":
            from symattn.checking.report.annotated import annotated

            read, document = checked[0]
            return (read.mark + annotated(document)).encode(read.encoding, "surrogatepass")
        case "github":
            from symattn.checking.report.sarif import as_commands

            return as_commands(documents, strict)
    from symattn.checking.report.text import as_text

    return as_text(documents, colour=output is None and _is_coloured())


def _is_coloured() -> bool:
    """Return whether standard output is a terminal whose user has not asked for plain text (https://no-color.org)."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def _patch(checked: Sequence[tuple[DocumentFile, CheckedDocument]], patch: Path) -> tuple[bytes, list[tuple[str, str]]]:
    """Return one patch of all documents, and the documents that have none."""
    from symattn.checking.check import check
    from symattn.checking.report.patch import patch_of, verified

    pieces: list[bytes] = []
    unpatched: list[tuple[str, str]] = []
    left = 0
    for file, document in checked:
        try:
            pieces.append(patch_of(file, document, check))
            left += len(document.findings) - len(verified(document, check))
        except SymattnError as error:
            unpatched.append((file.name, str(error)))
    if not any(pieces):
        click.echo(
            f"symattn: {printable(str(patch))} is empty: there is nothing to be put right in its place", err=True
        )
    if left:
        told = f"{left} place{'s are' if left > 1 else ' is'} not in {printable(str(patch))}"
        click.echo(f"symattn: {told}: nothing states what should stand there, or it is not one figure", err=True)
    return b"".join(pieces), unpatched


def _is_wrong(document: CheckedDocument, strict: bool, fail_on: Collection[FindingKind]) -> bool:
    is_named = any(finding.kind in fail_on for finding in document.findings)
    is_strict = strict and bool(document.findings or document.coverage.not_verified)
    return not document.is_right or is_named or is_strict


def _write(texts: Mapping[Path | None, str | bytes]) -> None:
    """Write all files or none; text without a file goes to standard output."""
    from symattn.base.files import write_together
    from symattn.cli.exercises import written_files

    files = {path: text for path, text in texts.items() if path is not None}
    write_together(files)
    shown = texts.get(None)
    if isinstance(shown, bytes):
        sys.stdout.flush()
        sys.stdout.buffer.write(shown)
    elif shown is not None:
        sys.stdout.write(shown)
    if files:
        click.echo(written_files(files), err=True)


ADOPT_EXAMPLES = """
\b
Examples:
  symattn adopt tutorial.md -o lesson.toml
  symattn adopt notes.tex --language en | less
"""


@main.command(epilog=ADOPT_EXAMPLES)
@click.argument("file", type=click.Path(path_type=Path), metavar="FILE")
@output_option(help="The scenario, which ends in .toml. Default: standard output.")
@language_option(help="The language of the page. Default: that of the document, where it is one of ours.")
@click.option("--title", metavar="TEXT", help="Default: the first heading of the document.")
@click.option("--force", is_flag=True, help="Write over a file that is there.")
def adopt(file: Path, output: Path | None, language: str | None, title: str | None, force: bool) -> None:
    """Make a scenario of a document.

    What was read in it becomes givens, steps and figures to compare with.

    FILE is Markdown, LaTeX, a notebook, HTML or plain text. What could not be read stands in the scenario as comments
    with its lines. The exit code is 2 where nothing can be adopted.
    """
    from symattn.api.starter import create
    from symattn.checking.adopt.lesson import adopted_document
    from symattn.checking.files import read_document as read_file
    from symattn.checking.reading import read
    from symattn.checking.sources import read_document

    must_leave({"-o": output}, file)
    told = read_file(file)
    document = read_document(told.text, told.name)
    text = adopted_document(document, read(document), title=title or "", language=language or "")
    if output is None:
        click.echo(text, nl=False)
        return
    create(output, text, with_schema=False, force=force)
    click.echo(printable(f"{output} is written. Next: symattn derive {output} -o {output.with_suffix('.md')}"))
