"""What is wrong with a scenario, and where: raised while a scenario is read, shown as one sentence each.

A function that checks several things goes on after the first that is wrong, so that all can be told in one run. What
rests on a name that is wrong itself is passed over: one mistake is told once.

>>> found = Problems()
>>> for name in ("X", "Y"):
...     with found.caught():
...         raise Problem(("given", name), "is no matrix")
>>> [problem.key for problem in found.all]
[('given', 'X'), ('given', 'Y')]
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TypeVar

from symattn import limits
from symattn.errors import BudgetError, FormulaError, ScenarioError, ShapeError, SymattnError, readable, unknown
from symattn.scenario.lines import Key, key_text, line_of


class Problem(ValueError):
    """One thing that is wrong, and the key it is wrong at (seen from whatever is being checked).

    A ``ValueError``, because that is what pydantic collects; :mod:`symattn.scenario.load` turns it into an error.
    """

    def __init__(
        self,
        key: Key,
        message: str,
        kind: type[SymattnError] = ScenarioError,
        more: Iterable[Problem] = (),
        line: int | None = None,
    ) -> None:
        super().__init__(message)
        self.key, self.message, self.kind = key, message, kind
        self.line = line
        """The line, where there is no key that leads to it: the text is no TOML."""
        self.more = tuple(more)
        """What else is wrong with the same value, seen from the same place."""

    @classmethod
    def of(cls, error: SymattnError, key: Key, more: str = "") -> Problem:
        """``error`` at ``key``: of formulas, shapes and the budget it stays one, else it becomes a scenario error."""
        kind = type(error) if isinstance(error, BudgetError | FormulaError | ShapeError) else ScenarioError
        return cls(key, f"{error}{more}", kind)

    @classmethod
    def several(cls, problems: Iterable[Problem]) -> Problem:
        """All of ``problems`` as one, of which there is at least one."""
        first, *rest = problems
        return cls(first.key, first.message, first.kind, (*first.more, *rest), first.line)

    @property
    def each(self) -> tuple[Problem, ...]:
        """This problem and what else is wrong with the same value, each for itself."""
        own = Problem(self.key, self.message, self.kind, line=self.line)
        return (own, *(one for other in self.more for one in other.each))

    def under(self, key: Key) -> Problem:
        """This problem, seen from further outside."""
        return Problem((*key, *self.key), self.message, self.kind, (other.under(key) for other in self.more))

    def located(self, path: str, text: str, more: int = 0) -> SymattnError:
        """The error that the caller sees: file, line and key, the sentence, and how many problems there are besides."""
        rest = f"; and {more} more problem{'s' * (more > 1)}: symattn validate lists them" if more else ""
        return self.kind(f"{self.finding(path, text)}{rest}")

    def finding(self, path: str, text: str) -> Finding:
        """The problem with its line, for a list."""
        line = line_of(text, self.key) if self.line is None else self.line
        return Finding(path, line, key_text(self.key), self.message)


@contextmanager
def located(key: Key) -> Iterator[None]:
    """An error of formulas, shapes or words inside is a problem at ``key``."""
    try:
        yield
    except SymattnError as error:
        raise Problem.of(error, key) from None


def must_be_known(name: str, known: Iterable[str], key: Key, kind: str = "name", more: str = "") -> None:
    """Refuse a name that is none of ``known``; ``more`` is what else the sentence says."""
    if name not in known:
        raise Problem(key, unknown(kind, name, known) + more)


@dataclass(frozen=True)
class Finding:
    """One thing that is wrong with a file; ``line`` counts from 1, ``key`` is written as in the file.

    >>> str(Finding("lesson.toml", 3, "given.X", "a row is missing"))
    'lesson.toml, line 3, given.X: a row is missing'
    """

    path: str
    line: int | None
    key: str
    message: str

    @property
    def place(self) -> str:
        """File, line and key."""
        where = (self.path, f"line {self.line}" if self.line else "", self.key)
        return ", ".join(part for part in where if part)

    def __str__(self) -> str:
        return readable(f"{self.place}: {self.message}")


_UNKNOWN = re.compile(r"unknown (?P<kind>[\w ]+) '(?P<name>\w+)'|there is no (?P<needed>\w+) before it")

T = TypeVar("T")


class Problems:
    """Problems as they are met. Without ``go_on`` the first is raised at once."""

    def __init__(self, go_on: bool = True) -> None:
        self.go_on = go_on
        self.all: list[Problem] = []
        self.broken: set[str] = set()
        """Names that were meant to be defined and are not: that they are unknown is not a problem of its own."""
        self.nothing_is_sure = False
        """Whether there may be more of these names than are known."""

    @contextmanager
    def caught(self, breaks: str = "") -> Iterator[None]:
        """What is wrong inside is kept; ``breaks`` is the name that is then not defined."""
        try:
            yield
        except Problem as problem:
            if not self.go_on:
                raise
            self.add(problem)
            if breaks:
                self.broken.add(breaks)

    def add(self, problem: Problem) -> None:
        """Keep a problem and what else it tells of; a name that nobody knows is told of once."""
        for one in problem.each:
            told = any((one.key, one.message) == (other.key, other.message) for other in self.all)
            if self.are_many or told or self.is_echo(one):
                continue
            self.all.append(one)
            if (found := _UNKNOWN.search(one.message)) and found["kind"] == "name":
                self.broken.add(found["name"])

    def is_echo(self, problem: Problem) -> bool:
        """Whether a problem is nothing but that a broken name is missing."""
        found = _UNKNOWN.search(problem.message)
        return found is not None and (self.nothing_is_sure or (found["name"] or found["needed"]) in self.broken)

    @property
    def are_many(self) -> bool:
        """Whether there are more than anybody wants to read."""
        return len(self.all) >= limits.PROBLEMS

    def until_many(self, things: Iterable[T]) -> Iterator[T]:
        """``things`` one by one, until there are more problems than anybody wants to read."""
        for thing in things:
            if self.are_many:
                self.nothing_is_sure = True
                return
            yield thing

    def settle(self) -> None:
        """Raise what was kept, if anything was."""
        if self.all:
            raise Problem.several(self.all)


AT_ONCE = Problems(go_on=False)
"""For whoever wants the first problem only: keeps nothing."""


def place(path: str, text: str, key: Key) -> str:
    """File, line and key of a value.

    >>> place("lesson.toml", '[given]\\nE = [["1"]]', ("given", "E"))
    'lesson.toml, line 2, given.E'
    """
    return Problem(key, "").finding(path, text).place
