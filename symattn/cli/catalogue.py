"""The command that shows what the catalogue holds."""

from __future__ import annotations

import click

from symattn.cli.group import main
from symattn.cli.options import language_option


@main.command()
@click.argument("name", required=False, metavar="[NAME]")
@language_option("Of the words; usually en.")
@click.option("--operations", is_flag=True, help="The functions that formulas call; one of them with its equations.")
@click.option("--markdown", is_flag=True, help="All of it as one page, as docs/catalogue.md and docs/operations.md.")
def catalogue(name: str | None, language: str | None, operations: bool, markdown: bool) -> None:
    """List the ready-made derivations with their options, or show one of them; the same for operations."""
    if markdown and name is not None:
        raise click.UsageError(f"--markdown writes all of it as one page: expected no name, came {name!r}")
    if language is not None and (operations or markdown):
        alone = "--operations" if operations else "--markdown"
        raise click.UsageError(f"--language is of the words of the catalogue, of which {alone} makes no choice")
    if operations:
        from symattn.catalogue import operations as ours

        if markdown:
            click.echo(ours.book(), nl=False)
        else:
            click.echo(ours.listed() if name is None else ours.shown_alone(name))
        return
    from symattn.catalogue.entries import entry_named
    from symattn.catalogue.page import book, overview, page

    words = language or "en"
    if markdown:
        click.echo(book(), nl=False)
    else:
        click.echo(overview(words) if name is None else page(entry_named(name), words))
