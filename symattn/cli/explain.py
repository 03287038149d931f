"""The command that says how a formula was read."""

from __future__ import annotations

import json

import click

from symattn.cli.group import main
from symattn.cli.options import language_option, scenario_option

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
    from symattn.explanation import explain as explained

    scope = None
    if scenario is not None:
        from symattn.scenario.load import load

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
    """What an option that may be repeated says of names."""
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
