"""What is left of a file once the values of the wrong form are taken out, so that the rest can be looked at too.

>>> found = Problems()
>>> data = {"title": "t", "given": {"X": [["1"]], "Y": [["1"], ["2", "3"]]}}
>>> list(rest_of(data, [Problem(("given", "Y", 1), "…")], found).given), found.broken
(['X'], {'Y'})
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from contextlib import suppress
from typing import Any

from symattn.scenario.lines import Key
from symattn.scenario.problem import Problem, Problems
from symattn.scenario.schema import File, read

_DEFINING = ("operation", "given", "general", "sizes", "labels")
_NAMED = (*_DEFINING, "notation", "printed", "reasons", "substitute")
_DEFINES_NOTHING = (
    "language",
    "source",
    "intro",
    "opening",
    "conclusion",
    "code",
    "figures",
    "pictures",
    "words",
    "claim",
    "notation",
    "reasons",
    "substitute",
)
_ITEMS_WITHOUT_NAMES = ("show", "unfold", "listing", "prove", "variance", "figure", "note")
_LINES = (*_NAMED, "section", "claim", "steps", "value")
_ROUNDS = 3
"""How often what is left is looked at again: a table without its misspelled key may lack the key that was meant."""
_MEANT = re.compile(r"\Aunknown key '\w+': did you mean '(\w+)'")
_KINDS = ("use", "step", "quantity", "tensor", *_ITEMS_WITHOUT_NAMES)
"""What makes a table an item; the first of these that it has is what it is, and ``note`` may be a remark."""
_NOTE = {"note": "…"}
_CLAIM = {"says": "0", "about": "…"}


def rest_of(data: dict[str, Any], problems: Iterable[Problem], found: Problems) -> File | None:
    """The file without the values that ``problems`` are about, or ``None`` where that is no file either.

    ``found`` is told which names are missing then.
    """
    rest, wrong = _copied(data), tuple(problems)
    for _ in range(_ROUNDS):
        for problem in wrong:
            # What a problem is about may be gone already, with an earlier one in the same table.
            with suppress(KeyError, IndexError, TypeError):
                if not _is_renamed(rest, problem):
                    _take_out(rest, problem.key, found)
        try:
            return read(rest)
        except Problem as problem:
            wrong = problem.each
    return None


def _copied(value: Any) -> Any:
    """Tables and lists anew, and what is in them as it is."""
    if isinstance(value, dict):
        return {key: _copied(part) for key, part in value.items()}
    return [_copied(part) for part in value] if isinstance(value, list) else value


def _is_renamed(rest: dict[str, Any], problem: Problem) -> bool:
    """Whether a misspelled key could be given its right name; not where lines are looked for under the key."""
    meant = _MEANT.match(problem.message)
    table: Any = rest
    for part in problem.key[:-1] if meant else ():
        table = table[part]
    if meant is None or not isinstance(table, dict) or meant[1] in (*table, *_LINES):
        return False
    table[meant[1]] = table.pop(problem.key[-1])
    return True


def _take_out(rest: dict[str, Any], key: Key, found: Problems) -> None:
    match key:
        case ("section", int(i), *inner):
            _take_out_of_section(rest["section"], i, tuple(inner), found)
        case ("claim", int(i), *_):
            rest["claim"][i] = dict(_CLAIM)
        case ("tokens", int(i)):
            rest["tokens"][i] = "?"
        case ("tokens", str(language), int(i)):
            rest["tokens"][language][i] = "?"
        case ("given", str(name), str(option), *_) if option != "value" and option in rest["given"].get(name, ()):
            del rest["given"][name][option]
        case (str(table), str(name), *_) if table in _NAMED:
            rest[table].pop(name, None)
            if table in _DEFINING:
                found.broken.add(name)
        case ("figures", str(name), *_):
            rest["figures"].pop(name, None)
        case ("title", *_):
            rest["title"] = ""
        case (str(table), *_):
            rest.pop(table, None)
            found.nothing_is_sure |= table not in _DEFINES_NOTHING


def _take_out_of_section(sections: list[Any], i: int, key: Key, found: Problems) -> None:
    match key:
        case ("steps", int(j), *inner):
            _take_out_of_item(sections[i]["steps"], j, tuple(inner), found)
        case ("title", *_):
            sections[i]["title"] = ""
        case (str(name), *_):
            sections[i].pop(name, None)
            found.nothing_is_sure |= name not in ("number", "intro", "why")
        case _:
            sections[i] = {"title": ""}
            found.nothing_is_sure = True


def _take_out_of_item(items: list[Any], j: int, key: Key, found: Problems) -> None:
    item = items[j]
    if not isinstance(item, dict):
        items[j] = dict(_NOTE)
    elif key and key[0] in item and key[0] != next((kind for kind in _KINDS if kind in item), ""):
        gone = item.pop(key[0])
        if isinstance(gone, str) and "=" in gone:  # a step under a misspelled key
            found.broken.add(gone.partition("=")[0].strip())
    else:
        items[j] = dict(_NOTE)
        if name := _defined_in(item):
            found.broken.add(name)
        else:
            found.nothing_is_sure |= not any(kind in item for kind in _ITEMS_WITHOUT_NAMES)


def _defined_in(item: dict[str, Any]) -> str:
    """The name that an item defines, as far as it can be told."""
    written = next((item[kind] for kind in ("step", "quantity", "tensor") if isinstance(item.get(kind), str)), "")
    return written.partition("=")[0].strip()
