"""The commands that show the catalogue and explain formulas."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING

import click

from symattn.cli.group import main
from symattn.cli.options import language_option, scenario_option

if TYPE_CHECKING:
    from symattn.read.catalogue.model import CatalogueEntry


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
        from symattn.read.catalogue import operations as ours

        if markdown:
            click.echo(ours.book(), nl=False)
        else:
            click.echo(ours.function_list() if name is None else ours.shown_alone(name))
        return
    from symattn.read.catalogue.entries import entry_called, entry_named
    from symattn.read.catalogue.page import book, entry_page, overview

    words = language or "en"
    found = None if name is None else entry_called(name) or entry_named(name)
    if markdown:
        click.echo(book(), nl=False)
    else:
        click.echo(overview(words) if found is None else entry_page(found, words))
    if backward and found is not None:
        click.echo(_backward(found, words))


def _backward(entry: CatalogueEntry, language: str) -> str:
    """Return the steps of the gradients of an entry, under a heading."""
    from symattn.base.errors import FormulaError
    from symattn.base.words import text
    from symattn.read.catalogue.page import smallest_sizes

    try:
        listed = _gradients(entry.name, smallest_sizes(entry))
    except FormulaError:  # operations that count places need numbers
        listed = _gradients(entry.name, entry.sizes_for({}))
    width = max(len(step) for step, _ in listed)
    lead = text(language, "gradients", "catalogue", "lead")
    return "\n".join(["", lead, "", "```text", *(f"{step:<{width}}  {shape}" for step, shape in listed), "```"])


def _gradients(name: str, sizes: Mapping[str, int]) -> list[tuple[str, str]]:
    """Return the loss and the steps of its gradients by all inputs of an entry, with their shapes."""
    from symattn.read.catalogue.entries import plan
    from symattn.read.gradients.chain import backward
    from symattn.read.gradients.moving import starts

    made = plan(name, sizes=sizes)
    results = (step.name for step in reversed(made.steps) if not step.is_given)
    of, by = next((each, found) for each in results if (found := starts(made, each)))
    loss = next(each for each in ("L", "J") if each not in made.by_name)
    formula = f"sum({of} * {of}, axis=None)"
    passed = backward(made.step(loss, formula), loss, by)
    steps = [(f"{loss} = {formula}", loss), *((line.step, line.name) for line in passed.lines)]
    shapes = {each.name: each.shape for each in passed.plan.steps}
    return [(step, f"({shapes[each].rows.letter}, {shapes[each].columns.letter})") for step, each in steps]


EXAMPLES = """
\b
Examples:
  symattn explain "softmax(Q K^T / sqrt(d_k))"
  symattn explain "(X - μ) / sd" --shape X=3,4 --shape mu=3,1 --shape sd=3,1
  symattn explain "Q @ K.T" --size d_k=4 --format latex
  symattn explain "S + causal_mask(n)" --scenario weather --language zh-TW
"""


@main.command(epilog=EXAMPLES)
@click.argument("formula")
@click.option(
    "--shape",
    "shapes",
    multiple=True,
    metavar="NAME=ROWS,COLUMNS",
    help="The shape of a name, in numbers or letters; NAME=LENGTH is a vector. Default: as usual, K=m,d_k.",
)
@click.option("--size", "sizes", multiple=True, metavar="NAME=NUMBER", help="How long an axis is: d_k=4.")
@scenario_option("Take names, shapes and sizes from a scenario.")
@click.option(
    "--format",
    "-f",
    type=click.Choice(["text", "markdown", "latex", "typst", "json"]),
    default="text",
    show_default=True,
)
@language_option("Of the words. Default: the scenario's own, else en.")
def explain(
    formula: str,
    shapes: tuple[str, ...],
    sizes: tuple[str, ...],
    scenario: str | None,
    format: str,
    language: str | None,
) -> None:
    """Say how a formula is read, with its shapes and its pieces.

    It is typed as in NumPy, as on paper or in LaTeX. Before one that begins with a minus stands --.
    """
    from symattn.api.explanation import explain as explained

    scope = None
    if scenario is not None:
        from symattn.read.scenario.load import load

        loaded = load(scenario)
        scope, language = loaded.derivation.scope, language or loaded.language
    lengths = {name: _length(name, size) for name, size in _pairs("--size", sizes).items()}
    found = explained(formula, shapes=_pairs("--shape", shapes), sizes=lengths, scope=scope)
    words = language or "en"
    if format == "json":
        click.echo(json.dumps(found.data(), ensure_ascii=False, indent=2))
    else:
        click.echo(found.render(format, words), nl=False)


def _pairs(option: str, texts: tuple[str, ...]) -> dict[str, str]:
    """Return the values of a repeatable option, by name."""
    found: dict[str, str] = {}
    for text in texts:
        name, sign, said = (part.strip() for part in text.partition("="))
        if not (name and sign and said):
            raise click.UsageError(f"{option} {text}: expected a name, = and what is said of it")
        if name in found:
            raise click.UsageError(f"{option}: {name} is said twice")
        found[name] = said
    return found


def _length(name: str, size: str) -> int:
    if not (size.isascii() and size.isdigit() and len(size) < 8 and int(size) > 0):
        raise click.UsageError(f"--size {name}={size}: expected a whole number from 1 up, such as {name}=4")
    return int(size)
