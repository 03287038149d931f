"""The words of the entries: a file per family in ``catalogue/`` of each language, with a table per entry.

What several entries say in the same words is in ``shared.toml``, what stands around them in a list in ``page.toml``.
"""

from __future__ import annotations

from symattn.catalogue.model import CatalogueEntry
from symattn.errors import ScenarioError
from symattn.words import Texts, at, languages, table, text


def words(entry: CatalogueEntry, *path: str) -> Texts | None:
    """The words at a place such as ``("because", "S")`` of an entry, per language; ``None`` where there are none.

    Raises :class:`~symattn.errors.ScenarioError` where only some languages have them.
    """
    found = {language: said(language, entry, *path) for language in languages()}
    missing = [language for language, words in found.items() if not words]
    if missing and len(missing) < len(found):
        place = f"[{'.'.join((entry.name, *path[:-1]))}] has no {path[-1]}"
        raise ScenarioError(
            f"language/{missing[0]}/catalogue/{entry.family}.toml: {place}, and other languages have it"
        )
    return None if missing else found


def said(language: str, entry: CatalogueEntry, *path: str) -> str:
    """The words of an entry in one language, its own or those that it shares; empty where there are none."""
    own = at(table(language, f"catalogue/{entry.family}"), entry.name, *path)
    return str((at(table(language, "catalogue/shared"), *path) if own is None else own) or "")


def around(language: str, *path: str) -> str:
    """The words around entries where they are listed.

    >>> around("en", "families", "heads")
    'Heads'
    """
    return text(language, "catalogue/page", *path)
