"""The command that shows what the catalogue holds."""

from __future__ import annotations

import click

from symattn.cli.group import main
from symattn.cli.solutions import LANGUAGES


@main.command()
@click.argument("name", required=False, metavar="[ENTRY]")
@click.option("--language", "-l", type=click.Choice(LANGUAGES), default="en", show_default=True)
@click.option("--markdown", is_flag=True, help="The whole catalogue as one page, as docs/catalogue.md.")
def catalogue(name: str | None, language: str, markdown: bool) -> None:
    """List the ready-made derivations with their options, or show one of them."""
    from symattn.catalogue.entries import entry_named
    from symattn.catalogue.page import book, overview, page

    if markdown:
        click.echo(book(), nl=False)
    else:
        click.echo(overview(language) if name is None else page(entry_named(name), language))
