"""The command that makes a scenario of a document."""

from __future__ import annotations

from pathlib import Path

import click

from symattn.cli.endings import must_leave
from symattn.cli.group import main
from symattn.cli.options import language_option, output_option
from symattn.errors import printable

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
    from symattn.checking.adopt.document import adopted_document
    from symattn.checking.files import read_document as read_file
    from symattn.checking.reading import read
    from symattn.checking.sources import read_document
    from symattn.starter import create

    must_leave({"-o": output}, file)
    told = read_file(file)
    document = read_document(told.text, told.name)
    text = adopted_document(document, read(document), title=title or "", language=language or "")
    if output is None:
        click.echo(text, nl=False)
        return
    create(output, text, with_schema=False, force=force)
    click.echo(printable(f"{output} is written. Next: symattn derive {output} -o {output.with_suffix('.md')}"))
