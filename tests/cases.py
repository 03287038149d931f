"""Scenarios that many tests look at; and files of cases, each with what is told of it.

Such a file is as much of a test as can be read without knowing how it is run.

A file has groups: after ``==== what it is about`` a frame, then ``----``, then the cases, each with its answers, which
are lines that start with ``! ``. An answer that ends with … goes on.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import zip_longest
from pathlib import Path

from symattn.api.worked import WorkedSolution, derive


@cache
def solved(name: str) -> WorkedSolution:
    """A built-in scenario, worked out once for every test that looks at it."""
    return derive(name)


@dataclass(frozen=True)
class Group:
    """Cases with one frame; each is a text and what is told of it."""

    frame: str
    cases: tuple[tuple[str, tuple[str, ...]], ...]


def groups(path: Path) -> dict[str, Group]:
    """The groups of a file by what they are about."""
    found: dict[str, Group] = {}
    for text in path.read_text(encoding="utf-8").split("==== ")[1:]:
        name, _, rest = text.partition("\n")
        frame, _, cases = rest.partition("----\n")
        found[name] = Group(frame, tuple(_cases(cases)))
    return found


def _cases(text: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    case: list[str] = []
    told: list[str] = []
    for line in text.split("\n"):
        if told and not line.startswith("! "):
            yield "\n".join(case), tuple(told)
            case, told = [], []
        (told if line.startswith("! ") else case).append(line.removeprefix("! "))


def is_told(found: list[str], wanted: tuple[str, ...]) -> bool:
    """Whether these are the answers."""
    pairs = zip_longest(found, wanted, fillvalue="")
    return all(one == other or (other.endswith("…") and one.startswith(other[:-1])) for one, other in pairs)
