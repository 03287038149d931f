"""Every entry there is, in the order of the catalogue."""

from __future__ import annotations

from symattn.catalogue import attention, efficiency, heads, layers, output, positions
from symattn.catalogue.model import Entry
from symattn.errors import UnknownNameError, unknown


def entries() -> tuple[Entry, ...]:
    """All entries, family by family."""
    modules = (attention, heads, positions, layers, output, efficiency)
    return tuple(entry for module in modules for entry in module.ENTRIES)


def entry_named(name: str) -> Entry:
    """The entry of that name.

    >>> entry_named("atention")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    symattn.errors.UnknownNameError: unknown catalogue entry 'atention': did you mean 'attention'? known: ...
    """
    known = {entry.name: entry for entry in entries()}
    if name not in known:
        raise UnknownNameError(unknown("catalogue entry", name, known))
    return known[name]
