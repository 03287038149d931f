"""Markdown as people write it for GitHub and for notebooks: with formulas, tags, tables and what programs print."""

from __future__ import annotations

import re

from symattn.checking.source import StretchKind
from symattn.checking.sources.blocklines import (
    DEFINITION,
    ELEMENT,
    FENCE,
    FOOTNOTE,
    HEADING,
    ITEM,
    RULE,
    TABLE_RULE,
    UNDERLINE,
    BlockLine,
    block_line,
    open_formula,
)
from symattn.checking.sources.gathering import Gathering
from symattn.checking.sources.html import gather_html
from symattn.checking.sources.inline import spans
from symattn.checking.sources.listing import PROGRAMS, is_program
from symattn.checking.sources.naked import formulas_in
from symattn.checking.sources.piped import cells_of
from symattn.checking.sources.traced import Traced, Tracer, lines_of

_CELLS = frozenset({"r", "julia", "ojs", "js", "bash"})
"""What Quarto and R Markdown run: ```{r}."""
_FORMULAS = frozenset({"math", "katex", "mathjax"})
_SOURCES = frozenset({"latex", "tex", "markdown", "md"})
_LOOKS_LIKE_WORDS = re.compile(r"\$|\\begin|\\\(|\\\[|^\s{0,200}(?:#{1,6} |```|[-*] \S)", re.MULTILINE)
_NAKED = re.compile(r"\\(?:begin|frac|sqrt)\{")
_TITLE = 150
"""Characters of a line that may be a title."""

_SENTENCE = re.compile(r"[A-Za-z]{2,}[ ][a-z]{2,}[ ][a-z]{2,}|[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]{4}")
_CLOSED_COMMENT = "-->"
_RETURN = re.compile("\r\n?")


def gather_markdown(traced: Traced, gathering: Gathering) -> None:
    """Put the pieces of a text in Markdown, which may be a part of a file, to the others. Every text is one.

    >>> gathering = Gathering()
    >>> gather_markdown(Traced.of("## Scores\\n\\n$S = QK^T$: 0.5"), gathering)
    >>> [(piece.kind, piece.text) for piece in gathering.document("", "").pieces]
    [('heading', 'Scores'), ('break', ''), ('math', 'S = QK^T'), ('prose', ': 0.5'), ('break', '')]
    """
    _Blocks(without_returns(traced), gathering).read()


def without_returns(traced: Traced) -> Traced:
    """With one character at the end of each line."""
    return traced.sub(_RETURN, lambda end: "\n")


class _Blocks:
    """Goes once through the lines of a page."""

    def __init__(self, traced: Traced, gathering: Gathering) -> None:
        self._traced, self._text, self._out = traced, traced.text, gathering
        self._bounds = lines_of(traced.text)
        self._number = 0
        self._list_indent = -1
        self._after_blank = True
        self._not_closed: dict[str, int] = {}

    def read(self) -> None:
        self._front_matter()
        while self._number < len(self._bounds):
            self._block(self._line(self._number))

    def _line(self, number: int, deepest: int = 9) -> BlockLine:
        return block_line(self._text, *self._bounds[number], deepest)

    def _front_matter(self) -> None:
        if not self._bounds or self._text[slice(*self._bounds[0])].rstrip() != "---":
            return
        for number, (start, end) in enumerate(self._bounds[1:200], 1):
            line = self._text[start:end].rstrip()
            if line in ("---", "..."):
                self._out.leave(self._traced[:end], "front matter")
                self._number = number + 1
                return
            if not line or not re.match(r"[\w-]+\s*:|\s|-|#", line):
                return

    def _block(self, line: BlockLine) -> None:
        if line.is_blank:
            self._after_blank = True
            self._number += 1
            return
        is_after_blank, self._after_blank = self._after_blank, False
        if (
            line.indent < 2
            and self._list_indent >= 0
            and is_after_blank
            and not ITEM.match(self._text, line.start, line.end)
        ):
            self._list_indent = -1
        if found := FENCE.match(self._text, line.start, line.end):
            self._fence(line, found)
        elif is_after_blank and line.indent >= 4 and self._list_indent < 0:
            self._indented()
        elif found := HEADING.match(self._text, line.start, line.end):
            self._heading(line, found)
        elif RULE.fullmatch(self._text[line.start : line.end].rstrip()):
            self._number += 1
        elif self._is_table(line):
            self._table(line)
        elif DEFINITION.match(self._text, line.start, line.end):
            self._out.leave(self._traced[line.start : line.end], "the address of a link")
            self._number += 1
        elif self._text.startswith("<!--", line.start):
            self._comment(line)
        elif (found := ELEMENT.match(self._text, line.start)) and (end := self._element_end(found)):
            gather_html(self._traced[line.start : end], self._out)
            self._go_on_at(end)
        else:
            self._paragraph(line)

    def _element_end(self, found: re.Match[str]) -> int:
        """Where a table or another element ends that is read as HTML, or 0 where it does not."""
        closing = f"</{found[1].lower()}"
        if closing in self._not_closed:
            return 0
        depth = 0
        for tag in re.compile(rf"<(/?){found[1]}\b[^<>]*>", re.IGNORECASE).finditer(self._text, found.start()):
            depth += -1 if tag[1] else 1
            if not depth:
                return tag.end()
        self._not_closed[closing] = 0
        return 0

    def _go_on_at(self, end: int) -> None:
        """Go on in the line in which a place is."""
        while self._number < len(self._bounds) and self._bounds[self._number][1] < end:
            self._number += 1
        if self._number < len(self._bounds):
            start, last = self._bounds[self._number]
            self._bounds[self._number] = (max(start, min(end, last)), last)

    def _comment(self, line: BlockLine) -> None:
        found = self._text.find(_CLOSED_COMMENT, line.start)
        end = len(self._text) if found < 0 else found + len(_CLOSED_COMMENT)
        self._out.leave(self._traced[line.start : end], "a comment")
        self._go_on_at(end)

    def _fence(self, line: BlockLine, found: re.Match[str]) -> None:
        sign, said = found[1], found[2].strip().lower()
        self._out.leave(self._traced[found.start(2) : line.end], "what a fence says")
        language = re.split(r"[\s,{}:;]+", said.strip("{}. "))[0].lstrip(".")
        self._number += 1
        first = self._number
        while self._number < len(self._bounds):
            inside = self._line(self._number, line.depth)
            if inside.depth < line.depth:
                break
            closing = self._text[inside.start : inside.end].rstrip()
            if closing and not closing.strip(sign[0]) and len(closing) >= len(sign):
                break
            self._number += 1
        traced = self._listing(first, self._number, line.depth, line.indent)
        if self._number < len(self._bounds) and self._line(self._number, line.depth).depth >= line.depth:
            self._number += 1
        is_directive = said.startswith("{") and not language.startswith("code") and language not in _CELLS | PROGRAMS
        if is_directive and language not in _FORMULAS and not is_program(traced.text, ""):
            _Blocks(traced, self._out).read()  # ```{note} of MyST holds what any page does
        else:
            self._fenced(traced, language)

    def _listing(self, first: int, last: int, depth: int, indent: int) -> Traced:
        """Some lines without the quotes and the blanks that the block is in."""
        writer = Tracer()
        for number in range(first, last):
            line = self._line(number, depth)
            begin = max(line.begin, line.start - max(line.indent - indent, 0))
            writer.add(self._traced, begin, min(self._bounds[number][1] + 1, len(self._text)))
        return writer.written()

    def _fenced(self, traced: Traced, language: str) -> None:
        if not traced.text.strip():
            return
        is_source = language in _SOURCES
        if is_source and ("$" in traced.text or "\\[" in traced.text or language in ("markdown", "md")):
            self._spans("prose", traced)
        elif is_source or language in _FORMULAS:
            self._out.add("display", traced, language=language if is_source else "")
            self._out.end(traced.places.end)
        else:
            self._out.listing(traced, language)

    def _indented(self) -> None:
        """Lines behind four blanks: a program, what it printed, or a page that is indented as a whole."""
        first, indent = self._number, 1000
        last = first
        while self._number < len(self._bounds):
            line = self._line(self._number, 0)
            if not line.is_blank:
                if line.indent < 4:
                    break
                indent, last = min(indent, line.indent), self._number + 1
            self._number += 1
        self._number = last
        traced = self._listing(first, last, 0, indent)
        is_words = _SENTENCE.search(traced.text) and not is_program(traced.text, "")
        if _LOOKS_LIKE_WORDS.search(traced.text) or is_words:
            _Blocks(traced, self._out).read()
            self._out.end(traced.places.end)
        else:
            self._out.listing(traced)

    def _heading(self, line: BlockLine, found: re.Match[str]) -> None:
        words = self._text[found.end() : line.end]
        end = found.end() + len(words.rstrip().rstrip("#").rstrip()) if words.rstrip().endswith("#") else line.end
        self._number += 1
        self._list_indent = -1
        self._after_blank = True
        self._spans("heading", self._traced[found.end() : end], len(found[1]))

    def _is_table(self, line: BlockLine) -> bool:
        if self._number + 1 >= len(self._bounds) or "|" not in self._text[line.start : line.end]:
            return False
        following = self._line(self._number + 1, line.depth)
        rule = self._text[following.start : following.end].rstrip()
        if "|" in rule and "-" in rule and TABLE_RULE.fullmatch(rule):
            return True
        return self._is_row(line) and self._is_row(following)

    def _is_row(self, line: BlockLine) -> bool:
        text = self._text[line.start : line.end].rstrip()
        return len(text) > 2 and text[0] == text[-1] == "|" and text.count("|") > 2

    def _table(self, line: BlockLine) -> None:
        self._out.tables += 1
        row, width = 0, 0
        while self._number < len(self._bounds):
            inside = self._line(self._number, line.depth)
            text = self._text[inside.start : inside.end].rstrip()
            if inside.is_blank or "|" not in text or inside.depth < line.depth:
                break
            if not ("-" in text and TABLE_RULE.fullmatch(text)):
                row += 1
                cells = cells_of(self._text, inside.start, inside.start + len(text), width)
                width = width or len(cells)
                for column, (start, end) in enumerate(cells, 1):
                    self._spans("cell", self._traced[start:end], cell=(self._out.tables, row, column), ends=False)
                self._out.end(self._traced.places[inside.end])
            self._number += 1

    def _paragraph(self, line: BlockLine) -> None:
        kind: StretchKind = "prose"
        begin = line.start
        if found := ITEM.match(self._text, line.start, line.end):
            kind, begin = "item", found.end()
            if any(map(str.isdigit, found[0])):
                self._out.leave(self._traced[line.start : begin], "the number of an item")
            self._list_indent = line.indent
        elif found := FOOTNOTE.match(self._text, line.start, line.end):
            begin = found.end()
            self._out.leave(self._traced[line.start : begin], "the mark of a footnote")
        writer = Tracer()
        self._take(writer, begin, line.end)
        opened = self._opened(writer, line.depth, open_formula(self._text, begin, line.end))
        level = 0
        while not opened and self._number < len(self._bounds):
            following = self._line(self._number)
            text = self._text[following.start : following.end].rstrip()
            if kind == "prose" and self._is_title(line, text):
                kind, level = "heading", 1 if text[0] == "=" else 2
                self._number += 1
                break
            if following.is_blank or following.depth > line.depth or self._interrupts(following, kind):
                break
            writer.add(self._traced, self._bounds[self._number - 1][1], self._bounds[self._number - 1][1] + 1)
            self._take(writer, following.start, following.end)
            opened = self._opened(writer, line.depth, open_formula(self._text, following.start, following.end))
        self._spans(kind, writer.written(), level)

    def _is_title(self, line: BlockLine, under: str) -> bool:
        """Whether a line is underlined; below several lines it is a rule that nobody gave room."""
        is_next = self._bounds[self._number - 1][1] == line.end
        return is_next and len(under) > 1 and bool(UNDERLINE.fullmatch(under)) and line.end - line.start <= _TITLE

    def _take(self, writer: Tracer, start: int, end: int) -> None:
        writer.add(self._traced, start, end)
        self._number += 1

    def _interrupts(self, line: BlockLine, kind: StretchKind) -> bool:
        """Whether something else than the paragraph goes on."""
        text, start, end = self._text, line.start, line.end
        if FENCE.match(text, start, end) or HEADING.match(text, start, end) or text.startswith("<!--", start):
            return True
        if found := ITEM.match(text, start, end):
            return (
                kind == "item" or self._list_indent >= 0 or not found[0][:1].isdigit() or found[0][:2] in ("1.", "1)")
            )
        words = text[start:end].rstrip()
        if RULE.fullmatch(words):
            return True
        return self._is_table(line) or bool(FOOTNOTE.match(text, start, end) or DEFINITION.match(text, start, end))

    def _opened(self, writer: Tracer, depth: int, closing: str) -> bool:
        """Take the lines of a formula that is open still up to where it is closed; whether it is open ever after."""
        while closing:
            last = self._closing_line(closing)
            if last is None:
                return False
            while self._number <= last:
                line = self._line(self._number, depth)
                writer.add(self._traced, self._bounds[self._number - 1][1], self._bounds[self._number - 1][1] + 1)
                if self._number == last:
                    closing = open_formula(self._text, line.start, line.end, closing)
                self._take(writer, line.start, line.end)
        return False

    def _closing_line(self, closing: str) -> int | None:
        """The line that closes a formula, which a heading or a fence does not stand before."""
        if self._not_closed.get(closing, -1) >= self._number:
            return None
        for number in range(self._number, len(self._bounds)):
            start, end = self._bounds[number]
            if self._text.find(closing, start, end) >= 0 and open_formula(self._text, start, end, closing) != closing:
                return number
            first = self._line(number).start
            if self._text.startswith("```", first) or (
                self._text[first : first + 1] == "#" and HEADING.match(self._text, first)
            ):
                self._not_closed[closing] = number
                return None
        self._not_closed[closing] = len(self._bounds)
        return None

    def _spans(
        self,
        kind: StretchKind,
        traced: Traced,
        level: int = 0,
        cell: tuple[int, int, int] = (0, 0, 0),
        ends: bool = True,
    ) -> None:
        """The runs of a paragraph, an item, a heading or a cell."""
        count = 0
        for span in spans(traced, self._out.leave):
            if span.kind == "break":
                self._out.end(span.traced.places.end)
                if kind in ("prose", "heading"):
                    kind, level = ("heading", span.level) if span.level else ("prose", 0)
                continue
            if span.kind == "text" and (not count or not ends) and not span.traced.text.strip():
                continue
            count += 1
            if span.kind == "text" and _NAKED.search(span.traced.text):
                for is_formula, part in formulas_in(span.traced, self._out.leave):
                    self._out.add("math" if is_formula else kind, part, level=level, cell=cell)
                continue
            self._out.add(kind if span.kind == "text" else span.kind, span.traced, level=level, cell=cell)
        if kind == "cell" and not count:
            self._out.add("cell", traced[:0], cell=cell)
        if ends:
            self._out.end(traced.places.end)
