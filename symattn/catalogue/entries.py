"""Every entry there is, in the order of the catalogue."""

from __future__ import annotations

from symattn.catalogue import attention, efficiency, heads, layers, output, positions
from symattn.catalogue.model import CatalogueEntry
from symattn.catalogue.text import said
from symattn.errors import UnknownNameError, unknown
from symattn.formula.functions import TABLE
from symattn.words import DEFAULT


def entries() -> tuple[CatalogueEntry, ...]:
    """All entries, family by family."""
    modules = (attention, heads, positions, layers, output, efficiency)
    return tuple(entry for module in modules for entry in module.ENTRIES)


def entry_named(name: str) -> CatalogueEntry:
    """The entry of that name.

    >>> entry_named("atention")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    symattn.errors.UnknownNameError: unknown catalogue entry 'atention': did you mean 'attention'? known: ...
    >>> entry_named("rope")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    symattn.errors.UnknownNameError: unknown catalogue entry 'rope': did you mean 'rotary'? known: ...
    """
    known = {entry.name: entry for entry in entries()}
    if name in known:
        return known[name]
    meant = ""
    titled = [each for each, entry in known.items() if _letters(name) in _letters(said(DEFAULT, entry, "title"))]
    if name in TABLE:
        meant = f'{name} is a function of formulas, "Y = {name}(X)"'
    elif titled and len(_letters(name)) > 2:
        meant = f"did you mean '{titled[0]}'?"
    raise UnknownNameError(unknown("catalogue entry", name, known, "symattn catalogue", meant))


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text.casefold()))
