"""The command that shows what the catalogue holds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import click

from symattn.cli.group import main
from symattn.cli.options import language_option

if TYPE_CHECKING:
    from symattn.catalogue.model import CatalogueEntry


@main.command()
@click.argument("name", required=False, metavar="[NAME]")
@language_option("Of the words; usually en.")
@click.option("--operations", is_flag=True, help="The functions that formulas call; one of them with its equations.")
@click.option("--backward", is_flag=True, help="With the gradients of an entry too, of the sum of its squared results.")
@click.option("--markdown", is_flag=True, help="All of it as one page, as docs/catalogue.md and docs/operations.md.")
def catalogue(name: str | None, language: str | None, operations: bool, backward: bool, markdown: bool) -> None:
    """List the ready-made derivations and operations, or show one.

    NAME may be another name that is in use, such as rope or gqa.
    """
    if markdown and name is not None:
        raise click.UsageError(f"--markdown writes all of it as one page: expected no name, came {name!r}")
    if backward and (operations or markdown or name is None):
        raise click.UsageError("--backward is of one entry: symattn catalogue attention --backward")
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
    from symattn.catalogue.entries import entry_called, entry_named
    from symattn.catalogue.page import book, overview, page

    words = language or "en"
    found = None if name is None else entry_called(name) or entry_named(name)
    if markdown:
        click.echo(book(), nl=False)
    else:
        click.echo(overview(words) if found is None else page(found, words))
    if backward and found is not None:
        click.echo(_backward(found, words))


def _backward(entry: CatalogueEntry, language: str) -> str:
    """The steps of the gradients of an entry, under a heading."""
    from symattn.catalogue.page import smallest_sizes
    from symattn.errors import FormulaError
    from symattn.words import text

    try:
        listed = _gradients(entry.name, smallest_sizes(entry))
    except FormulaError:  # what stands in places is counted in numbers
        listed = _gradients(entry.name, entry.sizes_for({}))
    width = max(len(step) for step, _ in listed)
    lead = text(language, "gradients", "catalogue", "lead")
    return "\n".join(["", lead, "", "```text", *(f"{step:<{width}}  {shape}" for step, shape in listed), "```"])


def _gradients(name: str, sizes: Mapping[str, int]) -> list[tuple[str, str]]:
    """The loss and the steps of its gradients by all that an entry starts from, with their shapes."""
    from symattn.catalogue.entries import plan
    from symattn.gradients.chain import backward
    from symattn.gradients.moving import starts

    made = plan(name, sizes=sizes)
    results = (step.name for step in reversed(made.steps) if not step.is_given)
    of, by = next((each, found) for each in results if (found := starts(made, each)))
    loss = next(each for each in ("L", "J") if each not in made.by_name)
    formula = f"sum({of} * {of}, axis=None)"
    passed = backward(made.step(loss, formula), loss, by)
    steps = [(f"{loss} = {formula}", loss), *((line.step, line.name) for line in passed.lines)]
    shapes = {each.name: each.shape for each in passed.plan.steps}
    return [(step, f"({shapes[each].rows.letter}, {shapes[each].columns.letter})") for step, each in steps]
