"""All entries in the order of the catalogue: their words, lines, and derivations in letters.

The words are in a file per family in ``catalogue/`` of each language, with a table per entry. Words that entries share
are in ``shared.toml``, the words around them in a list in ``page.toml``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from symattn.base.errors import FormulaError, ScenarioError, UnknownNameError, letters, nearest, unknown
from symattn.base.shapes import Axis, Shape, addends, with_letters
from symattn.base.words import DEFAULT, Texts, at, languages, table, text
from symattn.read.catalogue import attention, efficiency, heads, layers, output, positions
from symattn.read.catalogue.model import AnyNumber, CatalogueEntry, Chosen, EntryLine, Input, Setting, StepLine
from symattn.read.formula.functions import TABLE
from symattn.read.plan import Plan


def entry_words(entry: CatalogueEntry, *path: str) -> Texts | None:
    """Return the words at a place such as ``("because", "S")`` of an entry, per language; ``None`` if there are none.

    Raises :class:`~symattn.base.errors.ScenarioError` if only some languages have them.
    """
    found = {language: entry_text(language, entry, *path) for language in languages()}
    missing = [language for language, words in found.items() if not words]
    if missing and len(missing) < len(found):
        place = f"[{'.'.join((entry.name, *path[:-1]))}] has no {path[-1]}"
        raise ScenarioError(
            f"language/{missing[0]}/catalogue/{entry.family}.toml: {place}, and other languages have it"
        )
    return None if missing else found


def entry_text(language: str, entry: CatalogueEntry, *path: str) -> str:
    """Return the words of an entry in one language, its own or shared ones; empty if there are none."""
    own = at(table(language, f"catalogue/{entry.family}"), entry.name, *path)
    return str((at(table(language, "catalogue/shared"), *path) if own is None else own) or "")


def entry_sentences(entry: CatalogueEntry, kind: str) -> dict[str, list[str]]:
    """Return the sentences of the opening or conclusion of an entry, in the languages that have them."""
    found = {each: at(table(each, f"catalogue/{entry.family}"), entry.name, kind) for each in languages()}
    return {language: texts for language, texts in found.items() if isinstance(texts, list)}


def around(language: str, *path: str) -> str:
    """Return the words around entries in a list.

    >>> around("en", "families", "heads")
    'Heads'
    """
    return text(language, "catalogue/page", *path)


def entries() -> tuple[CatalogueEntry, ...]:
    """Return all entries, family by family."""
    modules = (attention, heads, positions, layers, output, efficiency)
    return tuple(entry for module in modules for entry in module.ENTRIES)


def entry_named(name: str) -> CatalogueEntry:
    """Return the entry of that name.

    >>> entry_named("rope")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    symattn.base.errors.UnknownNameError: unknown catalogue entry 'rope': did you mean 'rotary'? symattn catalogue \
lists ...
    """
    known = {entry.name: entry for entry in entries()}
    if name in known:
        return known[name]
    meant, found = "", entry_called(name)
    if name in TABLE:
        meant = f'{name} is a function of formulas, "Y = {name}(X)"'
    elif found is not None:
        meant = f"did you mean '{found.name}'?"
    raise UnknownNameError(unknown("catalogue entry", name, known, "symattn catalogue", meant))


def entry_called(name: str) -> CatalogueEntry | None:
    """Return the entry with this name, alias or title, in any spelling, or with a title that contains it.

    >>> [entry.name for entry in map(entry_called, ("rope", "GQA", "kv-cache")) if entry]
    ['rotary', 'grouped_query', 'decoding_step']
    """
    plain = letters(name)
    for entry in entries():
        if plain in map(letters, (entry.name, *entry.aliases)):
            return entry
    titled = (entry for entry in entries() if plain in letters(entry_text(DEFAULT, entry, "title")))
    return next(titled, None) if len(plain) > 2 else None


def lines(entry: CatalogueEntry, settings: Mapping[str, Setting], sizes: Mapping[str, int]) -> tuple[EntryLine, ...]:
    """Return all lines of an entry for axes of these sizes; a letter without a size stays a letter."""
    chosen = entry.choose(settings)
    return tuple(_walk(entry, chosen, sizes))


def _walk(entry: CatalogueEntry, chosen: Chosen, sizes: Mapping[str, int]) -> Iterator[EntryLine]:
    for line in entry.lines(chosen):
        if isinstance(line, Input):
            _must_be_meant(entry, line)
            # The entry may ask for the sizes of the axes it has named so far.
            chosen.sizes.update({letter: with_letters(letter, sizes) for letter in (line.rows, line.columns)})
        yield line


def _must_be_meant(entry: CatalogueEntry, given: Input) -> None:
    """Refuse a name that is nearly a word of its option: without a scenario, it is probably a typing error."""
    words = next((option.choices for option in entry.options if option.name == given.option), ())
    if given.option and nearest(given.name, words):
        raise FormulaError(f"{given.option}: {unknown('value', given.name, words)}, and names of matrices")


def example_lines(entry: CatalogueEntry, settings: Mapping[str, Setting] | None = None) -> tuple[EntryLine, ...]:
    """Return all lines of an entry at the sizes of its example."""
    return lines(entry, settings or {}, entry.sizes_for(settings or {}))


def written(name: str, **settings: Setting) -> str:
    """Return the steps of an entry, one to a line, in the formula language."""
    found = example_lines(entry_named(name), settings)
    return "\n".join(f"{line.name} = {line.formula}" for line in found if isinstance(line, StepLine))


def plan(name: str, settings: Mapping[str, Setting] | None = None, sizes: Mapping[str, int] | None = None) -> Plan:
    """Return the derivation of an entry: in letters, or with whole numbers for the letters in ``sizes``.

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
