"""Every entry there is, in the order of the catalogue."""

from __future__ import annotations

from symattn.catalogue import attention, efficiency, heads, layers, output, positions
from symattn.catalogue.model import CatalogueEntry
from symattn.catalogue.text import said
from symattn.errors import UnknownNameError, letters, unknown
from symattn.formula.functions import TABLE
from symattn.words import DEFAULT


def entries() -> tuple[CatalogueEntry, ...]:
    """All entries, family by family."""
    modules = (attention, heads, positions, layers, output, efficiency)
    return tuple(entry for module in modules for entry in module.ENTRIES)


def entry_named(name: str) -> CatalogueEntry:
    """The entry of that name.

    >>> entry_named("rope")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    symattn.errors.UnknownNameError: unknown catalogue entry 'rope': did you mean 'rotary'? symattn catalogue lists ...
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
    """The entry whose name, other name or title that is, however it is spelled, or whose title holds it.

    >>> [entry.name for entry in map(entry_called, ("rope", "GQA", "kv-cache")) if entry]
    ['rotary', 'grouped_query', 'decoding_step']
    """
    plain = letters(name)
    for entry in entries():
        if plain in map(letters, (entry.name, *entry.aliases)):
            return entry
    titled = (entry for entry in entries() if plain in letters(said(DEFAULT, entry, "title")))
    return next(titled, None) if len(plain) > 2 else None
