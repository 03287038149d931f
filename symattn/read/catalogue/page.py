"""Write out the catalogue: a list for the command line, a page per entry, the whole of docs/catalogue.md."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path

from symattn.base.errors import FormulaError
from symattn.read.catalogue.entries import around, entries, entry_text, lines, plan
from symattn.read.catalogue.model import CatalogueEntry, Input, Option, Prove, Setting, Source, StepLine

FAMILIES = ("attention", "heads", "positions", "layers", "output", "efficiency")
"""The families in order."""


def overview(language: str = "en") -> str:
    """Return one line per entry with its title, and one per option, family by family.

    >>> print(overview().splitlines()[1].split("  ")[1])
    attention
    """
    found: list[str] = []
    for family in FAMILIES:
        found.append(around(language, "families", family))
        for entry in (entry for entry in entries() if entry.family == family):
            found.append(f"  {entry.name:<24} {entry_text(language, entry, 'title')}")
            found += [f"      {option.name} = {allowed(option, language)}" for option in entry.options]
        found.append("")
    return "\n".join(found[:-1])


def allowed(option: Option, language: str) -> str:
    """Return the values that an option may have, the default first."""
    said_here = partial(around, language, "page")
    if option.kind == "switch":
        first, second = ("true", "false") if option.default else ("false", "true")
        return said_here("or").format(first=first, second=second)
    first = ", ".join(option.default) if isinstance(option.default, tuple) else str(option.default)
    others = [choice for choice in option.choices if choice != first]
    listed = ", ".join([first, *others] if first else others)
    if option.kind == "word":
        return listed
    kind = said_here(option.kind).format(least=option.least)
    return f"{listed} ({kind})"


def smallest_sizes(entry: CatalogueEntry, settings: Mapping[str, Setting] | None = None) -> dict[str, int]:
    """Return the sizes that an entry cannot leave as letters, from its example."""
    known = entry.sizes_for(settings or {})
    for letter in tuple(known):
        fewer = {name: size for name, size in known.items() if name != letter}
        with suppress(FormulaError):
            plan(entry.name, settings, fewer)
            known = fewer
    return known


def steps(entry: CatalogueEntry, settings: Mapping[str, Setting] | None = None) -> Iterator[tuple[str, str]]:
    """Yield every step of an entry in the formula language, with its shape in letters."""
    sizes = smallest_sizes(entry, settings)
    derivation = plan(entry.name, settings, sizes)
    for line in lines(entry, settings or {}, sizes):
        if isinstance(line, StepLine):
            pair = derivation[line.name].shape
            yield f"{line.name} = {line.formula}", f"({pair.rows.letter}, {pair.columns.letter})"


def entry_page(entry: CatalogueEntry, language: str = "en") -> str:
    """Return one entry in Markdown: a description, its inputs, its steps with shapes, its options, its source."""
    sizes = smallest_sizes(entry)
    found = lines(entry, {}, sizes)
    said_here = partial(around, language, "page")
    parts = [f"### `{entry.name}`: {entry_text(language, entry, 'title')}", entry_text(language, entry, "about")]
    head = (said_here("input"), said_here("shape"), said_here("is"))
    parts.append(_table(head, [(f"`{name}`", *more) for name, *more in inputs(entry, found, language)]))
    lead = said_here("steps_at" if sizes else "steps")
    named = ", ".join(f"{letter} = {size}" for letter, size in sizes.items())
    parts.append(f"{lead.format(sizes=named)}\n\n```text\n{listed_steps(entry)}\n```")
    proved = [f"- `{line.left}` = `{line.right}`" for line in found if isinstance(line, Prove)]
    if proved:
        parts.append(said_here("proved") + "\n\n" + "\n".join(proved))
    if entry.options:
        rows = [
            (f"`{option.name}`", allowed(option, language), entry_text(language, entry, "options", option.name))
            for option in entry.options
        ]
        parts.append(_table((said_here("option"), said_here("values"), said_here("chooses")), rows))
    parts.append(said_here("source").format(source=cited(entry.source)))
    if others := entry.sources_of_options:
        listed = "\n".join(f"- `{name}`: {cited(source)}" for name, source in others.items())
        parts.append(f"{said_here('options')}\n\n{listed}")
    return "\n\n".join(part for part in parts if part)


def cited(source: Source) -> str:
    """Return a source with its link."""
    return f"{source}, <{source.link}>"


def listed_steps(entry: CatalogueEntry) -> str:
    """Return the steps, one to a line, with their shapes behind."""
    written = list(steps(entry))
    width = max(len(step) for step, _ in written)
    return "\n".join(f"{step:<{width}}  {shape}" for step, shape in written)


def inputs(entry: CatalogueEntry, found: tuple[object, ...], language: str) -> Iterator[tuple[str, str, str]]:
    """Yield the inputs of an entry: the name, the shape in letters, the description."""
    for line in found:
        if isinstance(line, Input):
            yield line.name, f"({line.rows}, {line.columns})", entry_text(language, entry, "inputs", line.told)


def _table(head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    lined = [head, tuple("---" for _ in head), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lined)


def book() -> str:
    """Return the whole of docs/catalogue.md."""
    parts = [
        "# The catalogue",
        "Ready-made derivations for scenarios and for Python. This page is generated (`symattn catalogue --markdown`).",
        Path(__file__).with_name("use.md").read_text(encoding="utf-8").rstrip(),
    ]
    for family in FAMILIES:
        parts.append(f"## {around('en', 'families', family)}")
        parts += [entry_page(entry) for entry in entries() if entry.family == family]
    return "\n\n".join(parts) + "\n"
