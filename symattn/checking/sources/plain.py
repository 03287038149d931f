"""Plain text, in which formulas stand between their signs, and programs and what they print stand among the words."""

from __future__ import annotations

import re

from symattn.checking.source import StretchKind
from symattn.checking.sources.drawn import table_at
from symattn.checking.sources.gathering import (
    Gathering,
    is_assignment,
    is_output_line,
    is_program_line,
    may_be_program_line,
)
from symattn.checking.sources.inline import spans
from symattn.checking.sources.markdown import formulas_in, open_formula, without_returns
from symattn.checking.sources.traced import SignSearch, Traced, Tracer, lines_of

_ITEM = re.compile(r"[ \t\u3000\xa0]{0,200}[-•*–‣▪][ \t\u3000\xa0]+")
_OPEN, _CLOSED = re.compile(r"[(\[{]"), re.compile(r"[)\]}]")


def gather_plain(traced: Traced, gathering: Gathering) -> None:
    r"""Put the pieces of a plain text to the others."""
    _Lines(without_returns(traced), gathering).read()


class _Lines:
    """Goes once through the lines of a text."""

    def __init__(self, traced: Traced, gathering: Gathering) -> None:
        self._traced, self._out = traced, gathering
        self._bounds = lines_of(traced.text)
        self._number = 0
        self._find = SignSearch(traced.text).find

    def read(self) -> None:
        while self._number < len(self._bounds):
            line = self._line(self._number).strip()
            if not line:
                self._number += 1
            elif self._begins_program(self._number):
                self._listing("code", self._program_end())
            elif (table := table_at(self._traced.text, self._bounds, self._number)) is not None:
                self._out.drawn(self._traced, table)
                self._number = table.end
            elif self._begins_output(self._number):
                self._listing("output", self._output_end())
            else:
                self._paragraph()

    def _line(self, number: int) -> str:
        return self._traced.text[slice(*self._bounds[number])] if number < len(self._bounds) else ""

    def _begins_program(self, number: int) -> bool:
        if is_program_line(self._line(number)):
            return True
        for following in range(number + 1, min(number + 5, len(self._bounds) + 1)):
            if not is_assignment(self._line(following - 1)):
                return False
            if is_program_line(self._line(following)):
                return True
        return False

    def _begins_output(self, number: int) -> bool:
        line = self._line(number)
        if is_output_line(line):
            return True
        return line.rstrip().endswith((":", "：")) and is_output_line(self._line(number + 1))

    def _listing(self, kind: StretchKind, end: int) -> None:
        start, last = self._bounds[self._number][0], self._bounds[end - 1][1]
        self._out.add(kind, self._traced[start:last])
        self._out.end(self._traced.places[last])
        self._number = end

    def _program_end(self) -> int:
        """The line behind a program: blank lines are in it where it goes on behind them."""
        number, end, depth = self._number, self._number + 1, 0
        while number < len(self._bounds):
            line = self._line(number)
            goes_on = may_be_program_line(line) and not (is_output_line(line) and depth <= 0)
            if line.strip() and not goes_on and depth <= 0:
                break
            depth = depth + self._depth(line) if line.strip() else 0
            number += 1
            end = number if line.strip() else end
        return end

    def _output_end(self) -> int:
        number, depth = self._number + 1, self._depth(self._line(self._number))
        while number < len(self._bounds):
            line = self._line(number)
            if not line.strip() or not (depth > 0 or is_output_line(line) or line.lstrip().startswith("[")):
                break
            depth += self._depth(line)
            number += 1
        return number

    def _depth(self, line: str) -> int:
        return len(_OPEN.findall(line)) - len(_CLOSED.findall(line))

    def _paragraph(self) -> None:
        start, end = self._bounds[self._number]
        kind: StretchKind = "prose"
        if found := _ITEM.match(self._traced.text, start, end):
            kind, start = "item", found.end()
        opened = open_formula(self._traced.text, start, end)
        self._number += 1
        while self._number < len(self._bounds):
            if opened and (last := self._closing(opened)) is not None:
                opened, self._number = open_formula(self._traced.text, *self._bounds[last], opened), last + 1
                continue
            line = self._line(self._number)
            begins = self._begins_program(self._number) or self._begins_output(self._number)
            begins = begins or table_at(self._traced.text, self._bounds, self._number) is not None
            if not line.strip() or _ITEM.match(line) or begins:
                break
            opened = open_formula(self._traced.text, *self._bounds[self._number])
            self._number += 1
        writer = Tracer()
        writer.add(self._traced, start, self._bounds[self._number - 1][1])
        self._spans(kind, writer.written())

    def _closing(self, closing: str) -> int | None:
        place = self._find(closing, self._bounds[self._number][0])
        if place < 0:
            return None
        number = self._number
        while self._bounds[number][1] < place:
            number += 1
        return number

    def _spans(self, kind: StretchKind, traced: Traced) -> None:
        for span in spans(traced, self._out.leave, is_markdown=False):
            if span.kind != "text":
                self._out.add(span.kind, span.traced)
            elif span.traced.text.strip():
                for is_formula, part in formulas_in(span.traced, self._out.leave):
                    if part.text.strip():
                        self._out.add("math" if is_formula else kind, part)
        self._out.end(traced.places.end)
