"""Pages of HTML as they were saved: text, formulas in MathML or as KaTeX and MathJax keep them, tables, programs."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from symattn.checking.source import StretchKind
from symattn.checking.sources.gathering import Gathering, is_program
from symattn.checking.sources.inline import spans
from symattn.checking.sources.mathml import NOT_SEEN, latex_of
from symattn.checking.sources.tags import BLOCKS, HIDDEN, MarkupSign, Tag, decoded, marks
from symattn.checking.sources.traced import Traced, Tracer

_SEEN_TWICE = frozenset(
    "katex-html MathJax_Preview MathJax MathJax_Display MathJax_SVG MathJax_SVG_Display MathJax_CHTML mjx-chtml "
    "gutter linenos lineno linenodiv blob-num rouge-gutter line-numbers-rows".split()
)
"""Classes of what is a formula once more as glyphs, or the numbers of the lines of a program."""

_VOID = frozenset("area base br col embed hr img input link meta param source track wbr".split())
_LANGUAGE = re.compile(r"(?:language|lang|highlight-source|hl)-([\w+]{1,30})")


@dataclass(slots=True)
class _Grid:
    """A table that is being read."""

    number: int
    row: int = 0
    column: int = 0
    span: int = 1
    is_in_cell: bool = False


def gather_html(traced: Traced, gathering: Gathering) -> None:
    """Put the pieces of a page of HTML, or of a part of one, to the others."""
    _Page(traced, gathering).read()


class _Page:
    """Goes once through the marks of a page."""

    def __init__(self, traced: Traced, gathering: Gathering) -> None:
        self._traced, self._out = traced, gathering
        self._marks: Sequence[MarkupSign] = tuple(marks(traced.text))
        self._number = 0
        self._words = Tracer()
        self._grids: list[_Grid] = []
        self._lists = 0
        self._level = 0
        self._is_display = False
        self._formulas: list[tuple[StretchKind, Traced]] = []
        self._never_closed: set[str] = set()

    def read(self) -> None:
        """All of it."""
        while self._number < len(self._marks):
            mark = self._marks[self._number]
            self._number += 1
            if mark.kind == "text":
                text = decoded(self._traced[mark.start : mark.end])
                self._words.add(Traced(re.sub("[\n\r\t]", " ", text.text), text.places))
            elif mark.tag is None:
                self._out.leave(self._traced[mark.start : mark.end], "a comment")
            else:
                self._tag(mark.tag)
        self._end_block(len(self._traced))

    def _tag(self, tag: Tag) -> None:
        self._out.leave(self._traced[tag.start : tag.end], "a tag")
        if tag.is_end:
            self._end_tag(tag)
        elif tag.name == "script" and "math/tex" in tag.attributes_text:
            inside = self._content(tag)
            kind: StretchKind = "display" if "mode=display" in tag.attributes_text.replace(" ", "") else "math"
            self._formula(kind, inside)
        elif tag.name in HIDDEN and tag.name not in ("noscript", "object", "select") and not tag.is_alone:
            self._out.leave(self._content(tag), f"in a <{tag.name}>")
        elif tag.name == "math":
            self._mathml(tag)
        elif tag.name == "pre":
            self._listing(tag)
        elif "katex-display" in tag.attributes_text:
            self._is_display = True
        elif "class" in tag.attributes_text and not _SEEN_TWICE.isdisjoint(tag.attributes().get("class", "").split()):
            self._skip(tag)
        elif tag.name == "br":
            self._words.put("\n", self._place(tag.start), self._place(tag.end))
        elif tag.name in ("sub", "sup"):
            self._words.put("_{" if tag.name == "sub" else "^{", self._place(tag.start), self._place(tag.end))
        elif tag.name in BLOCKS:
            self._block(tag)

    def _place(self, offset: int) -> int:
        return self._traced.places[offset]

    def _end_tag(self, tag: Tag) -> None:
        if tag.name in ("sub", "sup"):
            self._words.put("}", self._place(tag.start), self._place(tag.end))
        elif tag.name in BLOCKS:
            self._end_block(tag.start, tag.name)
            if tag.level:
                self._level = 0
            elif tag.name in ("ul", "ol"):
                self._lists = max(0, self._lists - 1)
            elif tag.name in ("td", "th", "tr") and self._grids:
                self._grids[-1].is_in_cell = False
            elif tag.name == "table" and self._grids:
                self._grids.pop()

    def _block(self, tag: Tag) -> None:
        self._end_block(tag.start, tag.name)
        if tag.level:
            self._level = tag.level
        elif tag.name in ("ul", "ol"):
            self._lists += 1
        elif tag.name == "table":
            self._out.tables += 1
            self._grids.append(_Grid(self._out.tables))
        elif self._grids and tag.name == "tr":
            grid = self._grids[-1]
            grid.row, grid.column, grid.span, grid.is_in_cell = grid.row + 1, 0, 1, False
        elif self._grids and tag.name in ("td", "th"):
            grid = self._grids[-1]
            grid.column, grid.is_in_cell = grid.column + grid.span, True
            width = tag.attributes().get("colspan", "1") if "colspan" in tag.attributes_text else "1"
            grid.span = int(width) if width.isascii() and width.isdigit() and 0 < len(width) < 4 else 1

    def _cell(self) -> tuple[int, int, int]:
        grid = self._grids[-1] if self._grids else _Grid(0)
        return (grid.number, max(grid.row, 1), grid.column) if grid.is_in_cell else (0, 0, 0)

    def _kind(self) -> StretchKind:
        if self._level:
            return "heading"
        if self._cell()[0]:
            return "cell"
        return "item" if self._lists else "prose"

    def _add(self, kind: StretchKind, traced: Traced, language: str = "") -> None:
        self._out.add(kind, traced, level=self._level, language=language, cell=self._cell())

    def _flush(self) -> None:
        """Put the formulas and the words since the last tag of a block to the pieces."""
        self._put_formulas()
        written, self._words = self._words.written(), Tracer()
        if not written.text.strip():
            return
        for span in spans(written, self._out.leave, is_markdown=False):
            kind = self._kind() if span.kind == "text" else span.kind
            if span.kind != "text" or span.traced.text.strip():
                self._add(kind, span.traced)

    def _put_formulas(self) -> None:
        """Formulas between which nothing stands but blanks are one formula that was drawn in parts."""
        if not self._formulas:
            return
        writer = Tracer()
        for number, (_, formula) in enumerate(self._formulas):
            writer.put(" " if number else "", formula.places[0], formula.places[0])
            writer.add(formula)
        kinds = {kind for kind, _ in self._formulas}
        self._formulas = []
        self._add("display" if "display" in kinds else "math", writer.written())

    def _end_block(self, offset: int, name: str = "") -> None:
        """Nothing ends between the cells of a row, nor in one."""
        self._flush()
        if name in ("table", "tr") or (not self._cell()[0] and name not in ("td", "th")):
            self._out.end(self._place(offset))

    def _formula(self, kind: StretchKind, formula: Traced) -> None:
        if not self._words.is_blank:
            self._flush()
        self._words = Tracer()
        if formula.text.strip():
            self._formulas.append((kind, formula))

    def _content(self, tag: Tag) -> Traced:
        """What stands in an element in which tags are none, and go behind it."""
        first = self._number
        while self._number < len(self._marks) and tag.name not in self._never_closed:
            other = self._marks[self._number].tag
            self._number += 1
            if other is not None and other.is_end and other.name == tag.name:
                return self._traced[tag.end : other.start]
        if tag.name in ("script", "style"):
            return self._traced[tag.end : len(self._traced)]
        self._never_closed.add(tag.name)
        self._number = first  # it is never closed: what follows is seen
        return self._traced[tag.end : tag.end]

    def _inside(self, tag: Tag) -> tuple[Sequence[MarkupSign], int]:
        """What stands in an element, and where it ends; afterwards it goes on behind it."""
        first, depth = self._number, 1
        while self._number < len(self._marks) and depth:
            other = self._marks[self._number].tag
            if other is not None and other.name == tag.name and not other.is_alone:
                depth += -1 if other.is_end else 1
            self._number += 1
        last = self._number - (not depth)
        return self._marks[first:last], self._marks[last].start if not depth else len(self._traced)

    def _skip(self, tag: Tag) -> None:
        if tag.name in _VOID or tag.is_alone:
            return
        _, end = self._inside(tag)
        self._out.leave(self._traced[tag.end : end], "seen once more")

    def _mathml(self, tag: Tag) -> None:
        inside, end = self._inside(tag)
        formula = latex_of(self._traced, inside)
        around = ""
        for mark in inside:
            if mark.kind != "text":
                self._out.leave(self._traced[mark.start : mark.end], "a tag")
                around = mark.tag.name if mark.tag is not None and not mark.tag.is_end else ""
            elif around in NOT_SEEN:
                self._out.leave(self._traced[mark.start : mark.end], "seen once more")
        said = tag.attributes().get("display", "") if "display" in tag.attributes_text else ""
        is_display, self._is_display = self._is_display or said == "block", False
        is_display |= formula.text.startswith("{\\displaystyle")
        self._formula("display" if is_display else "math", formula)
        whole = self._traced[tag.end : end]
        if "annotation" in whole.text and formula.text:
            first, last = formula.places[0], formula.places.end
            begin = whole.places[0]
            is_plain = whole.places.end - begin == len(whole)  # else the page is in a string of a notebook
            for part in (whole[: first - begin], whole[last - begin :]) if is_plain else (whole,):
                self._out.leave(part, "seen once more")

    def _listing(self, tag: Tag) -> None:
        self._end_block(tag.start)
        inside, end = self._inside(tag)
        said = tag.attributes_text
        writer = Tracer()
        for mark in inside:
            if mark.kind != "text":
                self._out.leave(self._traced[mark.start : mark.end], "a tag")
            if mark.kind == "text":
                writer.add(decoded(self._traced[mark.start : mark.end]))
            elif mark.tag is not None and mark.tag.name == "br":
                writer.put("\n", self._place(mark.start), self._place(mark.end))
            elif mark.tag is not None and mark.tag.name == "code":
                said += mark.tag.attributes_text
        written = writer.written()
        found = _LANGUAGE.search(said)
        language = found[1].lower() if found else ""
        if written.text.strip():
            self._add("code" if is_program(written.text, language) else "output", written, language)
        self._out.end(self._place(end))
