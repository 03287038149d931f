"""An entry by itself: its lines, and its derivation in letters."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from symattn.catalogue.entries import entry_named
from symattn.catalogue.model import AnyNumber, CatalogueEntry, Chosen, EntryLine, Input, Setting, StepLine
from symattn.errors import FormulaError, nearest, unknown
from symattn.plan import Plan
from symattn.shapes import Axis, Shape, addends, with_letters


def lines(entry: CatalogueEntry, settings: Mapping[str, Setting], sizes: Mapping[str, int]) -> tuple[EntryLine, ...]:
    """All lines of an entry for axes of these sizes; a letter without a size stays a letter."""
    chosen = entry.choose(settings)
    return tuple(_walk(entry, chosen, sizes))


def _walk(entry: CatalogueEntry, chosen: Chosen, sizes: Mapping[str, int]) -> Iterator[EntryLine]:
    for line in entry.lines(chosen):
        if isinstance(line, Input):
            _must_be_meant(entry, line)
            # The entry may ask for the sizes of what it has named so far.
            chosen.sizes.update({letter: with_letters(letter, sizes) for letter in (line.rows, line.columns)})
        yield line


def _must_be_meant(entry: CatalogueEntry, given: Input) -> None:
    """Where no scenario says what there is, a name that is nearly a word of its option is taken for a slip."""
    words = next((option.choices for option in entry.options if option.name == given.option), ())
    if given.option and nearest(given.name, words):
        raise FormulaError(f"{given.option}: {unknown('value', given.name, words)}, and names of matrices")


def example_lines(entry: CatalogueEntry, settings: Mapping[str, Setting] | None = None) -> tuple[EntryLine, ...]:
    """All lines of an entry at the sizes of its example."""
    return lines(entry, settings or {}, entry.sizes_for(settings or {}))


def written(name: str, **settings: Setting) -> str:
    """The steps of an entry, one to a line, in the formula language."""
    found = example_lines(entry_named(name), settings)
    return "\n".join(f"{line.name} = {line.formula}" for line in found if isinstance(line, StepLine))


def plan(name: str, settings: Mapping[str, Setting] | None = None, sizes: Mapping[str, int] | None = None) -> Plan:
    """The derivation of an entry: in letters, or with whole numbers for the letters in ``sizes``.

    >>> general = plan("attention", {"mask": "causal"})
    >>> str(general["O"].shape), general["O"].general
    ('(n, d_v)', True)
    """
    entry, known = entry_named(name), dict(sizes or {})
    found = lines(entry, settings or {}, known)
    axes = {letter for line in found if isinstance(line, Input) for letter in (line.rows, line.columns)}
    letters = {part for axis in axes for part in addends(axis) if isinstance(part, str)}
    derivation = Plan(sizes={letter: known.get(letter, letter) for letter in sorted(letters)})
    symbols = tuple(line.name for line in found if isinstance(line, AnyNumber))
    derivation = replace(derivation, symbols=symbols)
    for line in found:
        if isinstance(line, Input) and line.name not in derivation.by_name:
            rows, columns = (
                Axis(with_letters(each, known), each if each in letters else "") for each in (line.rows, line.columns)
            )
            general = isinstance(rows.size, str) or isinstance(columns.size, str)
            derivation = derivation.given(line.name, Shape(rows, columns), general=general)
        elif isinstance(line, StepLine):
            derivation = derivation.step(line.name, line.formula)
    return derivation
