"""Discover extensions: what the modules of a folder define and what other packages add by entry points."""

from __future__ import annotations

from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from pkgutil import iter_modules
from typing import Protocol, TypeVar

from symattn.base.errors import ScenarioError, shown


class Offered(Protocol):
    """Something with a name and a rank, by which it is sorted, lowest first."""

    @property
    def name(self) -> str: ...
    @property
    def rank(self) -> int: ...


T = TypeVar("T", bound=Offered)


def offered(package: str, constant: str, kind: type[T], group: str) -> tuple[T, ...]:
    """Return the objects in tuples ``constant`` of the modules of ``package``, and those that ``group`` adds.

    Raises :class:`~symattn.base.errors.ScenarioError` for an entry point that names no tuple of that kind, and for a
    name that is there already.
    """
    modules = (info.name for info in iter_modules(import_module(package).__path__))
    found = {one.name: one for name in modules for one in getattr(import_module(f"{package}.{name}"), constant, ())}
    for entry in entry_points(group=group):
        for one in _added(entry, kind):
            if one.name in found:
                raise ScenarioError(f"{_told(entry)} adds {shown(one.name)}, which is there already: give another name")
            found[one.name] = one
    return tuple(sorted(found.values(), key=lambda one: one.rank))


def _added(entry: EntryPoint, kind: type[T]) -> tuple[T, ...]:
    try:
        things = entry.load()
    except (ImportError, AttributeError) as error:
        raise ScenarioError(f"{_told(entry)} cannot be loaded: {error}") from error
    if not isinstance(things, tuple) or not all(isinstance(one, kind) for one in things):
        raise ScenarioError(f"{_told(entry)} is no tuple of {kind.__name__}: expected one, as {entry.group} wants it")
    return things


def _told(entry: EntryPoint) -> str:
    """Describe an entry point: ``the entry point lessons = teacher:TOPICS of symattn.topics``."""
    return f"the entry point {entry.name} = {entry.value} of {entry.group}"
