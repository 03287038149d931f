"""The command that shows what the catalogue holds."""

from __future__ import annotations

import click

from symattn.cli.group import main
from symattn.cli.solutions import LANGUAGES


@main.command()
@click.argument("name", required=False, metavar="[NAME]")
@click.option("--language", "-l", type=click.Choice(LANGUAGES), default="en", show_default=True)
@click.option("--operations", is_flag=True, help="The operations that formulas call, with their equations.")
@click.option("--markdown", is_flag=True, help="All of it as one page, as docs/catalogue.md and docs/operations.md.")
def catalogue(name: str | None, language: str, operations: bool, markdown: bool) -> None:
    """List the ready-made derivations with their options, or show one of them; the same for operations."""
    if operations:
        from symattn.catalogue import operations as ours

        if markdown:
            click.echo(ours.book(), nl=False)
        else:
            click.echo(ours.listed() if name is None else ours.shown_alone(name))
        return
    from symattn.catalogue.entries import entry_named
    from symattn.catalogue.page import book, overview, page

    if markdown:
        click.echo(book(), nl=False)
    else:
        click.echo(overview(language) if name is None else page(entry_named(name), language))
