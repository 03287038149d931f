"""Where in a TOML text a value stands: only asked once something is wrong with it.

``tomllib`` forgets lines. This reads the text a second time, knowing that it is well-formed TOML, and goes into no
table and no list that does not lead to the value.

>>> line_of('title = "x"\\n[given]\\nE = [\\n  ["1", "2"],\\n  ["3", "4"],\\n]', ("given", "E", 1, 0))
5
"""

from __future__ import annotations

import re
import tomllib
from contextlib import suppress

from symattn.errors import shown

Key = tuple[str | int, ...]
"""The way to a value: names of keys, and places in lists counted from 0."""

_QUOTED = r'"(?:\\.|[^"\\\n])*+"|\'[^\'\n]*+\''
_STRING = rf'"""(?:\\.|[^\\])*?"""(?:"{{0,2}})|\'\'\'.*?\'\'\'(?:\'{{0,2}})|{_QUOTED}'
_BLANK = re.compile(r"(?:[ \t\r\n]++|#[^\n]*+)*+")
_SPACE = re.compile(r"[ \t]*+")
_PART = re.compile(rf"[A-Za-z0-9_-]++|{_QUOTED}")
_SCALAR = re.compile(rf"{_STRING}|[^,\[\]{{}}\"'#\n]++", re.DOTALL)
_CHUNK = re.compile(rf"{_STRING}|#[^\n]*+|[\[\]{{}}]|[^\"'#\[\]{{}}]++", re.DOTALL)
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+\Z")


class PythonCall(str):
    """A part of a key that is no key of a file but a call in Python, and is written as it stands.

    >>> key_text((PythonCall('step("A")'), "because", "en"))
    'step("A").because.en'
    """

    __slots__ = ()


def line_of(text: str, key: Key) -> int | None:
    """The line, counted from 1, on which the value at ``key`` starts, or else the nearest table or list around it.

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
    """A key as a message writes it: places are counted from 1, as everywhere in a scenario.

    >>> key_text(("given", "E", 1, 2)), key_text(("section", 0, "why", "zh-Hant")), key_text(("given", "a b"))
    ('given.E[2][3]', 'section[1].why.zh-Hant', "given.'a b'")
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
    """Walks through the text and keeps the place that shares the longest beginning with the key."""

    def __init__(self, text: str, target: Key) -> None:
        self.text, self.target = text, target
        self.at = 0
        self.depth, self.place = 0, 0

    def document(self) -> None:
        """Every statement: ``[table]``, ``[[array of tables]]``, ``key = value``."""
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
        """Over a list or an inline table that does not lead to the value, however deep it is."""
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
        """Keep the place if it leads further towards the value than any before; stop once it is the value's own."""
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
