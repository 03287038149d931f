"""Notebooks: cells of Markdown, of programs and of what these printed, each character at its place in the file."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from symattn.base.errors import DocumentError
from symattn.checking.source import StretchKind
from symattn.checking.sources.gathering import Gathering
from symattn.checking.sources.inline import spans
from symattn.checking.sources.markdown import gather_markdown
from symattn.checking.sources.traced import Traced, Tracer

_TOKEN = re.compile(r'"([^"\\]*+(?:\\.[^"\\]*+)*+)"|[{}\[\]]|[^\s"{}\[\],:]+', re.DOTALL)
_ESCAPE = re.compile(r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|.)", re.DOTALL)
_COLOUR = re.compile("\x1b\\[[0-9;]{0,20}[A-Za-z]")

_SHOWN = ("text/latex", "text/markdown", "text/plain", "text/html")
"""Forms of one result, the one that is read first."""


@dataclass(frozen=True, slots=True)
class _Quoted:
    """A string of the file, from behind its first quote to before its last one."""

    start: int
    end: int


class _Object(dict[str, "_Kept"]):
    """An object of the file, and where it stands there."""

    start = end = 0


_Kept: TypeAlias = "_Object | list[_Kept] | _Quoted | str"


def gather_notebook(traced: Traced, gathering: Gathering, where: str = "notebook") -> None:
    """Put the pieces of a notebook to the others.

    Raises :class:`~symattn.base.errors.DocumentError` in one sentence where it is no JSON, or no notebook.
    """
    reader = _Cells(traced, gathering)
    for cell in cells_of(traced.text, where):
        reader.read(cell)
    reader.leave_the_rest()


def cells_of(text: str, where: str) -> list[_Object]:
    """The cells of a notebook.

    Raises :class:`~symattn.base.errors.DocumentError` as :func:`gather_notebook` does.
    """
    _must_be_json(text, where)
    whole = _kept(text)
    sheets = whole.get("worksheets") if isinstance(whole, dict) else None
    first = sheets[0] if isinstance(sheets, list) and sheets else whole
    cells = first.get("cells") if isinstance(first, dict) else None
    if not isinstance(cells, list):
        raise DocumentError(f"{where}: is no notebook: expected an object with a list of cells")
    return [cell for cell in cells if isinstance(cell, _Object)]


def _must_be_json(text: str, where: str) -> None:
    try:
        json.loads(text, parse_int=str, parse_float=str)
    except json.JSONDecodeError as error:
        raise DocumentError(f"{where}: line {error.lineno}, column {error.colno}: is not JSON: {error.msg}") from None
    except RecursionError:
        raise DocumentError(f"{where}: is nested too deep for a notebook") from None


def _kept(text: str) -> _Kept:
    """What stands in a file of JSON, which is known to be right, with the places of its strings."""
    stack: list[tuple[_Object | list[_Kept], str | None]] = [([], None)]
    for found in _TOKEN.finditer(text):
        sign = found[0]
        holder, key = stack[-1]
        if sign in ("}", "]"):
            if isinstance(holder, _Object):
                holder.end = found.end()
            stack.pop()
            continue
        if isinstance(holder, dict) and key is None:
            stack[-1] = (holder, json.loads(sign, strict=False))
            continue
        value: _Kept = _Object() if sign == "{" else [] if sign == "[" else sign
        if sign[0] == '"':
            value = _Quoted(found.start() + 1, found.end() - 1)
        if isinstance(holder, dict):
            holder[key or ""] = value
            stack[-1] = (holder, None)
        else:
            holder.append(value)
        if isinstance(value, _Object):
            value.start = found.start()
        if isinstance(value, dict | list):
            stack.append((value, None))
    root = stack[0][0]
    return root[0] if isinstance(root, list) and root else ""


class _Cells:
    """Reads cells one after the other."""

    def __init__(self, traced: Traced, gathering: Gathering) -> None:
        self._traced, self._out = traced, gathering
        self._read: list[_Quoted] = []

    def read(self, cell: Mapping[str, _Kept]) -> None:
        source = self._joined(cell.get("source", cell.get("input", "")))
        kind = self._word(cell.get("cell_type"))
        if kind == "markdown" or kind == "heading":
            gather_markdown(source, self._out)
        elif kind == "code":
            self._add("code", source, "python")
            outputs = cell.get("outputs")
            for output in outputs if isinstance(outputs, list) else ():
                if isinstance(output, dict):
                    self._output(output)
        else:
            self._add("output", source)

    def _output(self, output: Mapping[str, _Kept]) -> None:
        if "text" in output:
            self._add("output", self._joined(output["text"]))
        data = output.get("data", output)
        if not isinstance(data, dict):
            return
        forms = [form for form in _SHOWN if form in data]
        for form in forms[:1]:
            text = self._joined(data[form])
            if form == "text/latex":
                for span in spans(text, self._out.leave, is_markdown=False):
                    self._out.add("output" if span.kind == "text" else "display", span.traced)
                self._out.end(text.places.end)
            elif form == "text/markdown":
                gather_markdown(text, self._out)
            elif form == "text/plain":
                self._add("output", text)
            else:
                from symattn.checking.sources.html import gather_html

                gather_html(text, self._out)

    def _add(self, kind: StretchKind, traced: Traced, language: str = "") -> None:
        traced = traced.sub(_COLOUR, lambda colour: "")
        if traced.text.strip():
            self._out.add(kind, traced, language=language)
            self._out.end(traced.places.end)

    def _word(self, value: _Kept | None) -> str:
        return self._traced.text[value.start : value.end] if isinstance(value, _Quoted) else ""

    def _joined(self, value: _Kept) -> Traced:
        """A text, which notebooks keep as one string or as a list of lines."""
        strings: Sequence[_Kept] = value if isinstance(value, list) else [value]
        writer = Tracer()
        for string in strings:
            if isinstance(string, _Quoted):
                self._read.append(string)
                writer.add(self._traced[string.start : string.end].sub(_ESCAPE, _meant))
        return writer.written()

    def leave_the_rest(self) -> None:
        """What else is in the file was never text of the page."""
        for start, end in self._gaps():
            rest = self._traced[start:end]
            if any(map(str.isalnum, rest.text)):
                self._out.leave(rest, "of the notebook's file")

    def _gaps(self) -> Iterator[tuple[int, int]]:
        done = 0
        for string in sorted(self._read, key=lambda string: string.start):
            yield done, string.start
            done = string.end
        yield done, len(self._traced)


def _meant(escape: str) -> str:
    """The character that an escape of JSON stands for.

    >>> _meant("\\\\n") == chr(10), _meant("\\\\u00e9"), _meant("\\\\ud83d\\\\ude00")
    (True, 'é', '😀')
    """
    return str(json.loads(f'"{escape}"'))
