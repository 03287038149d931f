"""A text each character of which knows where it stands in the file, as cheap to cut as to keep."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import overload

_ZERO, _ONE = (0,), (1,)
"""The offsets and the steps of a text that stands in the file as it is."""


@dataclass(frozen=True, slots=True)
class PlaceRuns(Sequence[int]):
    """Where each of ``size`` characters begins in the file, and at the end where the last one ends.

    They are kept as runs: a run begins at ``offsets[i]``, its first character stands at ``begins[i]``, and each one
    after it one place further (``steps[i]`` is 1) or at the same place (0: what stands for a tag or an entity).

    >>> list(PlaceRuns((0, 3), (10, 20), (1, 0), 5, 27))
    [10, 11, 12, 20, 20, 27]
    """

    offsets: tuple[int, ...]
    begins: tuple[int, ...]
    steps: tuple[int, ...]
    size: int
    end: int

    @classmethod
    def straight(cls, start: int, end: int) -> PlaceRuns:
        """Of a text that stands in the file as it is.

        >>> list(PlaceRuns.straight(4, 6))
        [4, 5, 6]
        """
        return cls(_ZERO, (start,), _ONE, end - start, end)

    def __len__(self) -> int:
        return self.size + 1

    @overload
    def __getitem__(self, index: int) -> int: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[int]: ...
    def __getitem__(self, index: int | slice) -> int | Sequence[int]:
        if isinstance(index, slice):
            return [self[place] for place in range(*index.indices(len(self)))]
        if index < 0:
            index += self.size + 1
        if not 0 <= index <= self.size:
            raise IndexError(index)
        if index == self.size:
            return self.end
        run = bisect_right(self.offsets, index) - 1
        return self.begins[run] + self.steps[run] * (index - self.offsets[run])

    def __iter__(self) -> Iterator[int]:
        for run, offset in enumerate(self.offsets):
            following = self.offsets[run + 1] if run + 1 < len(self.offsets) else self.size
            begin, step = self.begins[run], self.steps[run]
            yield from (begin + step * further for further in range(following - offset))
        yield self.end

    def cut(self, start: int, end: int) -> PlaceRuns:
        """Those of the characters from ``start`` to ``end``.

        >>> list(PlaceRuns((0, 3), (10, 20), (1, 0), 5, 27).cut(2, 4))
        [12, 20, 21]
        """
        if end <= start:
            return PlaceRuns((), (), (), 0, self[start])
        if len(self.offsets) == 1 and self.steps[0]:  # so it is in most files
            return PlaceRuns.straight(self.begins[0] + start, self.end if end == self.size else self.begins[0] + end)
        first, last = bisect_right(self.offsets, start) - 1, bisect_right(self.offsets, end - 1)
        moved = start - self.offsets[first]
        offsets = (0, *(offset - start for offset in self.offsets[first + 1 : last]))
        begins = (self.begins[first] + self.steps[first] * moved, *self.begins[first + 1 : last])
        ends = self.end if end == self.size else self[end - 1] + 1
        return PlaceRuns(offsets, begins, self.steps[first:last], end - start, ends)


@dataclass(frozen=True, slots=True)
class Traced:
    """A text and the places of its characters.

    >>> part = Traced.of("softmax")[4:]
    >>> part.text, part.places[0]
    ('max', 4)
    """

    text: str
    places: PlaceRuns

    @classmethod
    def of(cls, text: str) -> Traced:
        """The text of a file."""
        return cls(text, PlaceRuns.straight(0, len(text)))

    def __len__(self) -> int:
        return len(self.text)

    def __getitem__(self, part: slice) -> Traced:
        start, end, _ = part.indices(len(self.text))
        return Traced(self.text[start:end], self.places.cut(start, max(start, end)))

    def stripped(self) -> Traced:
        """Without blanks around it.

        >>> Traced.of("  x ").stripped().text
        'x'
        """
        start = len(self.text) - len(self.text.lstrip())
        return self[start : max(start, len(self.text.rstrip()))]

    def replaced(self, spans: Sequence[tuple[int, int, str]]) -> Traced:
        """With other characters in some places, which are in order and apart from one another.

        >>> (decoded := Traced.of("1 &lt; 2").replaced([(2, 6, "<")])).text, list(decoded.places)
        ('1 < 2', [0, 1, 2, 6, 7, 8])
        """
        if not spans:
            return self
        writer, done = Tracer(), 0
        for start, end, text in spans:
            writer.add(self, done, start)
            writer.put(text, self.places[start], self.places[end] if end < len(self) else self.places.end)
            done = end
        writer.add(self, done, len(self))
        return writer.written()

    def sub(self, pattern: re.Pattern[str], meant: Callable[[str], str]) -> Traced:
        """With what is meant by each part that a pattern finds.

        >>> Traced.of("1 &lt; 2").sub(re.compile("&lt;"), lambda found: "<").text
        '1 < 2'
        """
        return self.replaced([(*found.span(), meant(found[0])) for found in pattern.finditer(self.text)])


class Tracer:
    """Puts a traced text together.

    >>> writer = Tracer()
    >>> writer.add(Traced.of("x<sub>2</sub>"), 0, 1)
    >>> writer.put("_", 1, 6)
    >>> writer.add(Traced.of("x<sub>2</sub>"), 6, 7)
    >>> (written := writer.written()).text, list(written.places)
    ('x_2', [0, 1, 6, 7])
    """

    def __init__(self) -> None:
        self._texts: list[str] = []
        self._offsets: list[int] = []
        self._begins: list[int] = []
        self._steps: list[int] = []
        self.size = 0
        self._end = 0

    def add(self, traced: Traced, start: int = 0, end: int | None = None) -> None:
        """A part of a text as it stands there."""
        end = len(traced) if end is None else end
        if end <= start:
            return
        places = traced.places.cut(start, end)
        for offset, begin, step in zip(places.offsets, places.begins, places.steps, strict=True):
            if offset or not (step and self._goes_on_at(begin)):
                self._run(self.size + offset, begin, step)
        self._texts.append(traced.text[start:end])
        self.size += end - start
        self._end = places.end

    def put(self, text: str, start: int, end: int) -> None:
        """What stands for a part of the file, from ``start`` to ``end``, and is written otherwise there."""
        if not text:
            return
        self._run(self.size, start, 0)
        self._texts.append(text)
        self.size += len(text)
        self._end = end

    @property
    def is_blank(self) -> bool:
        """Whether nothing but blanks was added."""
        return not any(map(str.strip, self._texts))

    @property
    def last(self) -> int:
        """Where what was added last ends in the file."""
        return self._end

    def written(self) -> Traced:
        """All of it."""
        places = PlaceRuns(tuple(self._offsets), tuple(self._begins), tuple(self._steps), self.size, self._end)
        return Traced("".join(self._texts), places)

    def _goes_on_at(self, place: int) -> bool:
        if not self._offsets or not self._steps[-1]:
            return False
        return self._begins[-1] + self.size - self._offsets[-1] == place

    def _run(self, offset: int, begin: int, step: int) -> None:
        self._offsets.append(offset)
        self._begins.append(begin)
        self._steps.append(step)


class SignSearch:
    """Looks for signs in a text; what is missing once is not looked for again."""

    def __init__(self, text: str) -> None:
        self._text = text
        self.missing: set[str] = set()

    def find(self, sign: str, start: int) -> int:
        """Where a sign stands next, or -1."""
        found = -1 if sign in self.missing else self._text.find(sign, start)
        if found < 0:
            self.missing.add(sign)
        return found


def lines_of(text: str) -> list[tuple[int, int]]:
    """Where each line begins and ends, without what ends it.

    >>> lines_of("one\\ntwo\\n")
    [(0, 3), (4, 7)]
    """
    found, start = [], 0
    while (end := text.find("\n", start)) >= 0:
        found.append((start, end))
        start = end + 1
    if start < len(text):
        found.append((start, len(text)))
    return found
