"""Problems in a scenario: raised while a scenario is read, shown as one sentence each with its place.

A function that checks several things continues after the first problem, so that one run reports all of them. Anything
that depends on a wrong name is skipped: each mistake is reported once.

>>> found = Problems()
>>> for name in ("X", "Y"):
...     with found.caught():
...         raise Problem(("given", name), "is no matrix")
>>> [problem.key for problem in found.all]
[('given', 'X'), ('given', 'Y')]

The line of a value is only looked up once there is a problem with it. ``tomllib`` does not keep lines, so the scanner
reads the text a second time, knowing that it is well-formed TOML, and enters no table or list that does not lead to the
value.

>>> line_of('title = "x"\\n[given]\\nE = [\\n  ["1", "2"],\\n  ["3", "4"],\\n]', ("given", "E", 1, 0))
5
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TypeVar

from symattn.base import limits
from symattn.base.errors import (
    BudgetError,
    FormulaError,
    ScenarioError,
    ShapeError,
    SymattnError,
    readable,
    shown,
    unknown,
)

Key = tuple[str | int, ...]
"""The path to a value: names of keys, and places in lists counted from 0."""

_QUOTED = r'"(?:\\.|[^"\\\n])*+"|\'[^\'\n]*+\''
_STRING = rf'"""(?:\\.|[^\\])*?"""(?:"{{0,2}})|\'\'\'.*?\'\'\'(?:\'{{0,2}})|{_QUOTED}'
_BLANK = re.compile(r"(?:[ \t\r\n]++|#[^\n]*+)*+")
_SPACE = re.compile(r"[ \t]*+")
_PART = re.compile(rf"[A-Za-z0-9_-]++|{_QUOTED}")
_SCALAR = re.compile(rf"{_STRING}|[^,\[\]{{}}\"'#\n]++", re.DOTALL)
_CHUNK = re.compile(rf"{_STRING}|#[^\n]*+|[\[\]{{}}]|[^\"'#\[\]{{}}]++", re.DOTALL)
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+\Z")


class PythonCall(str):
    """A part of a key that is a call in Python, not a key of a file, and is shown unchanged.

    >>> key_text((PythonCall('step("A")'), "need", "en"))
    'step("A").need.en'
    """

    __slots__ = ()


def line_of(text: str, key: Key) -> int | None:
    """Return the line, counted from 1, where the value at ``key`` starts, or else the nearest table or list around it.

    >>> line_of('[[section]]\\n[[section]]\\nsteps = ["E",\\n"P"]', ("section", 1, "steps", 1))
    4
    >>> line_of('[[section]]\\n[[section]]\\nsteps = ["E"]', ("section", 1, "title"))
    2
    >>> line_of('title = "x"', ("tokens",)) is None
    True
    """
    scanner = _Scanner(text, key)
    with suppress(_Lost):
        scanner.document()
    return None if scanner.depth == 0 else text.count("\n", 0, scanner.place) + 1


def key_text(key: Key) -> str:
    """Return a key as messages write it: places are counted from 1, as everywhere in a scenario.

    >>> key_text(("given", "E", 1, 2)), key_text(("section", 0, "need", "zh-Hant")), key_text(("given", "a b"))
    ('given.E[2][3]', 'section[1].need.zh-Hant', "given.'a b'")
    """
    text = ""
    for part in key:
        if isinstance(part, int):
            text += f"[{part + 1}]"
        else:
            plain = isinstance(part, PythonCall) or (_BARE_KEY.match(part) and len(part) <= 60)
            text += ("." if text else "") + (part if plain else shown(part))
    return text


class _Lost(Exception):
    """The text is not TOML from here on, or there is nothing more to find."""


class _Scanner:
    """Walks through the text and keeps the place whose path shares the longest prefix with the key."""

    def __init__(self, text: str, target: Key) -> None:
        self.text, self.target = text, target
        self.at = 0
        self.depth, self.place = 0, 0

    def document(self) -> None:
        """Scan every statement: ``[table]``, ``[[array of tables]]``, ``key = value``."""
        table: Key = ()
        last: dict[Key, int] = {}
        while True:
            self._skip(_BLANK)
            if self.at >= len(self.text):
                return
            start = self.at
            if self.text[self.at] == "[":
                table = self._header(last)
                self._meet(table, start)
            else:
                self._pair(table)

    def _header(self, last: dict[Key, int]) -> Key:
        brackets = 2 if self.text.startswith("[[", self.at) else 1
        self.at += brackets
        parts = self._dotted()
        self._skip(_SPACE)
        self._take("]" * brackets)
        path: Key = ()
        for number, part in enumerate(parts):
            path += (part,)
            if number == len(parts) - 1 and brackets == 2:
                last[path] = last.get(path, -1) + 1
            if path in last:
                path += (last[path],)
        return path

    def _pair(self, table: Key) -> None:
        start = self.at
        path = table + self._dotted()
        self._meet(path, start)
        self._skip(_SPACE)
        self._take("=")
        self._skip(_SPACE)
        self._value(path)

    def _value(self, path: Key) -> None:
        self._meet(path, self.at)
        first = self.text[self.at : self.at + 1]
        if first not in ("[", "{"):
            self._skip(_SCALAR, needed=True)
        elif path != self.target[: len(path)]:
            self._pass_over()
        elif first == "[":
            self._list(path)
        else:
            self._inline_table(path)

    def _list(self, path: Key) -> None:
        self.at += 1
        for number in range(len(self.text)):
            self._skip(_BLANK)
            if self.text.startswith("]", self.at):
                break
            self._value((*path, number))
            self._skip(_BLANK)
            if not self.text.startswith(",", self.at):
                break
            self.at += 1
        self._take("]")

    def _inline_table(self, path: Key) -> None:
        self.at += 1
        while True:
            self._skip(_BLANK)
            if self.text.startswith("}", self.at):
                break
            self._pair(path)
            self._skip(_BLANK)
            if not self.text.startswith(",", self.at):
                break
            self.at += 1
        self._take("}")

    def _pass_over(self) -> None:
        """Skip a list or an inline table that does not lead to the value, however deep it is."""
        open_brackets = 0
        while True:
            start = self.at
            self._skip(_CHUNK, needed=True)
            open_brackets += {"[": 1, "{": 1, "]": -1, "}": -1}.get(self.text[start : self.at], 0)
            if open_brackets == 0:
                return

    def _dotted(self) -> Key:
        parts: Key = ()
        while True:
            self._skip(_SPACE)
            start = self.at
            self._skip(_PART, needed=True)
            parts += (_unquoted(self.text[start : self.at]),)
            self._skip(_SPACE)
            if not self.text.startswith(".", self.at):
                return parts
            self.at += 1

    def _meet(self, path: Key, place: int) -> None:
        """Keep the place if its path is closer to the value than any before; stop at the value itself."""
        shared = 0
        for ours, wanted in zip(path, self.target, strict=False):
            if ours != wanted:
                break
            shared += 1
        if shared > self.depth:
            self.depth, self.place = shared, place
            if shared == len(self.target):
                raise _Lost

    def _skip(self, pattern: re.Pattern[str], needed: bool = False) -> None:
        match = pattern.match(self.text, self.at)
        if match is not None:
            self.at = match.end()
        elif needed:
            raise _Lost

    def _take(self, mark: str) -> None:
        if not self.text.startswith(mark, self.at):
            raise _Lost
        self.at += len(mark)


def _unquoted(part: str) -> str:
    if part[0] not in "\"'":
        return part
    try:
        return str(tomllib.loads(f"key = {part}")["key"])
    except tomllib.TOMLDecodeError:
        raise _Lost from None


class Problem(ValueError):
    """One problem, and its key (relative to the value that is being checked).

    It is a ``ValueError``, because pydantic collects those; :mod:`symattn.read.scenario.load` turns it into an error.
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
        """The line, if no key leads to it because the text is not TOML."""
        self.more = tuple(more)
        """Other problems of the same value, relative to the same place."""

    @classmethod
    def of(cls, error: SymattnError, key: Key, more: str = "") -> Problem:
        """Return ``error`` at ``key``; all but errors of formulas, shapes and the budget become scenario errors."""
        kind = type(error) if isinstance(error, BudgetError | FormulaError | ShapeError) else ScenarioError
        return cls(key, f"{error}{more}", kind)

    @classmethod
    def several(cls, problems: Iterable[Problem]) -> Problem:
        """Join ``problems``, at least one, to one."""
        first, *rest = problems
        return cls(first.key, first.message, first.kind, (*first.more, *rest), first.line)

    @property
    def each(self) -> tuple[Problem, ...]:
        """This problem and the others of the same value, each on its own."""
        own = Problem(self.key, self.message, self.kind, line=self.line)
        return (own, *(one for other in self.more for one in other.each))

    def under(self, key: Key) -> Problem:
        """Return this problem relative to an outer value."""
        return Problem((*key, *self.key), self.message, self.kind, (other.under(key) for other in self.more))

    def located(self, path: str, text: str, more: int = 0) -> SymattnError:
        """Return the error for the caller: file, line and key, the sentence, and the number of further problems."""
        rest = f"; and {more} more problem{'s' * (more > 1)}: symattn validate lists them" if more else ""
        return self.kind(f"{self.finding(path, text)}{rest}")

    def finding(self, path: str, text: str) -> Finding:
        """Return the problem with its line, for a list."""
        line = line_of(text, self.key) if self.line is None else self.line
        return Finding(path, line, key_text(self.key), self.message)


@contextmanager
def located(key: Key) -> Iterator[None]:
    """Turn an error of formulas, shapes or words inside into a problem at ``key``."""
    try:
        yield
    except SymattnError as error:
        raise Problem.of(error, key) from None


def must_be_known(name: str, known: Iterable[str], key: Key, kind: str = "name", more: str = "") -> None:
    """Refuse a name that is not in ``known``; ``more`` is appended to the sentence."""
    if name not in known:
        raise Problem(key, unknown(kind, name, known) + more)


@dataclass(frozen=True)
class Finding:
    """One problem of a file; ``line`` counts from 1, ``key`` is written as in the file.

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
    """A collection of problems. Without ``go_on`` the first one is raised at once."""

    def __init__(self, go_on: bool = True) -> None:
        self.go_on = go_on
        self.all: list[Problem] = []
        self.broken: set[str] = set()
        """Names whose definitions have problems: that they are unknown is not another problem."""
        self.nothing_is_sure = False
        """Whether there may be more of these names."""

    @contextmanager
    def caught(self, breaks: str = "") -> Iterator[None]:
        """Collect the problems inside; ``breaks`` is the name that is then not defined."""
        try:
            yield
        except Problem as problem:
            if not self.go_on:
                raise
            self.add(problem)
            if breaks:
                self.broken.add(breaks)

    def add(self, problem: Problem) -> None:
        """Add a problem and the others of the same value; an unknown name is reported once."""
        for one in problem.each:
            told = any((one.key, one.message) == (other.key, other.message) for other in self.all)
            if self.are_many or told or self.is_echo(one):
                continue
            self.all.append(one)
            if (found := _UNKNOWN.search(one.message)) and found["kind"] == "name":
                self.broken.add(found["name"])

    def is_echo(self, problem: Problem) -> bool:
        """Return whether a problem only says that a broken name is missing."""
        found = _UNKNOWN.search(problem.message)
        return found is not None and (self.nothing_is_sure or (found["name"] or found["needed"]) in self.broken)

    @property
    def are_many(self) -> bool:
        """Whether there are too many to read."""
        return len(self.all) >= limits.PROBLEMS

    def until_many(self, things: Iterable[T]) -> Iterator[T]:
        """Yield ``things`` one by one, until there are too many problems to read."""
        for thing in things:
            if self.are_many:
                self.nothing_is_sure = True
                return
            yield thing

    def settle(self) -> None:
        """Raise the collected problems, if there are any."""
        if self.all:
            raise Problem.several(self.all)


AT_ONCE = Problems(go_on=False)
"""Raises the first problem and collects none."""


def place(path: str, text: str, key: Key) -> str:
    """Return file, line and key of a value.

    >>> place("lesson.toml", '[given]\\nE = [["1"]]', ("given", "E"))
    'lesson.toml, line 2, given.E'
    """
    return Problem(key, "").finding(path, text).place
