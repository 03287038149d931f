"""A name that is defined again, as in a notebook whose cell is run once more: it takes the place that it had.

>>> from symattn.authoring import Derivation
>>> d = Derivation(title="Again", anew=True)
>>> X = d.given("X", [[1, 2]])
>>> S = d.step("S", "X X^T")
>>> X = d.given("X", [[3, 4]])
>>> d.solve()["S"].exact
Matrix([[25]])
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import replace
from functools import wraps
from typing import Any, Protocol, TypeVar, cast

from symattn.authoring.draft import Manuscript
from symattn.authoring.sections import OpenSection, Sections, untitled
from symattn.errors import SymattnError

Define = TypeVar("Define", bound=Callable[..., Any])


class Definer(Protocol):
    """A derivation, as far as what is defined in it may be defined again."""

    _anew: bool
    _draft: Manuscript
    _sections: Sections


def may_come_again(define: Define) -> Define:
    """A method that defines a name, which may do so again where the derivation was made for it."""

    @wraps(define)
    def defined(self: Definer, name: object, *values: object, **options: object) -> object:
        if not self._anew or not isinstance(name, str) or name not in self._draft.calls:
            return define(self, name, *values, **options)
        with replacing(self._draft, self._sections, name):
            return define(self, name, *values, **options)

    return cast("Define", defined)


@contextmanager
def replacing(draft: Manuscript, sections: Sections, name: str) -> Iterator[None]:
    """What is defined inside stands in the place of ``name``; everything else is looked at once more.

    Where something does not fit any more, all is as it was before.
    """
    before = deepcopy({key: value for key, value in vars(draft).items() if key != "plan"}) | {"plan": draft.plan}
    was, open_before = draft.calls[name], sections.open
    place = next((each for each, call in draft.items.items() if call == was), None)
    order = {table: list(draft.data.get(table, ())) for table in ("given", "general")}
    try:
        _forget(draft, name)
        sections.tables.append({"title": untitled(), "steps": []})
        sections.open = [OpenSection(len(sections.tables) - 1)]
        yield
        for table, names in order.items():
            now = draft.data.get(table, {})
            draft.data[table] = {each: now[each] for each in dict.fromkeys([*names, *now]) if each in now}
        _place(draft, place, f"{draft.calls[name]}: {name} is there by {was}: define it in the same way again")
        for step in (scenario := draft.scenario()).derivation.steps:
            draft.calls.setdefault(step.name, draft.calls[name])
        draft.take(scenario.derivation)
    except BaseException:
        vars(draft).update(before)
        raise
    finally:
        sections.open = open_before


def _forget(draft: Manuscript, name: str) -> None:
    """The name is new, as far as the draft knows."""
    plan = draft.plan
    parts = {name, *(plan.batches[name].names if name in plan.batches else ())}
    steps = tuple(step for step in plan.steps if step.name not in parts)
    draft.plan = replace(plan, steps=steps, batches={each: of for each, of in plan.batches.items() if each != name})
    draft.calls = {each: call for each, call in draft.calls.items() if each not in parts}
    draft.quantities.discard(name)
    for table in ("given", "general", "notation"):
        draft.table(table).pop(name, None)


def _place(draft: Manuscript, place: tuple[int, int] | None, otherwise: str) -> None:
    """The one item of the last section, if there is one, takes the place of an item; there are both or none."""
    tables = draft.data["section"]
    added = tables.pop()["steps"]
    if bool(added) != (place is not None):
        raise SymattnError(otherwise)
    if place is not None:
        tables[place[0]]["steps"][place[1]] = added[0]
        draft.items[place] = draft.items.pop((len(tables), 0))
