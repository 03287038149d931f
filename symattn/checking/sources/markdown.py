"""Markdown as people write it for GitHub and for notebooks: with formulas, tags, tables and what programs print."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from symattn.checking.source import StretchKind
from symattn.checking.sources.gathering import PROGRAMS, Gathering, is_program
from symattn.checking.sources.html import gather_html
from symattn.checking.sources.inline import MATH_ENVIRONMENTS, spans
from symattn.checking.sources.traced import Traced, Tracer, lines_of

_SIGN = re.compile(r"\\.|`[^`]*`|\$[^$]*\$|\|")


def cells_of(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """Where the cells of a row begin and end; a stroke in a formula or in code ends no cell.

    >>> cells_of("| $|x|$ | 2 |", 0, 13)
    [(2, 7), (10, 11)]
    """
    bars = [found.start() for found in _SIGN.finditer(text, start, end) if found[0] == "|"]
    if bars and bars[0] == start:
        bars, start = bars[1:], start + 1
    if bars and bars[-1] == end - 1:
        bars, end = bars[:-1], end - 1
    edges = [start, *(edge for bar in bars for edge in (bar, bar + 1)), end]
    cells = []
    for first, last in zip(edges[::2], edges[1::2], strict=True):
        inside = text[first:last]
        lead = len(inside) - len(inside.lstrip())
        cells.append((first + lead, max(first + lead, first + len(inside.rstrip()))))
    return cells


_RUN = re.compile(r"[^\n\u3000-\u303f\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af\uff00-\uffef]+")
_COMMAND = re.compile(r"\\[A-Za-z]+")
_KEPT = re.compile(r"\\(?:begin|end)\{[A-Za-z*]+\}|\\[A-Za-z]+|\\.")
_PLAIN = re.compile(r"[^0-9A-Za-z]")
_WORDS = re.compile(r"(?<![\\A-Za-z{])[a-z]{2,} [a-z]{2,} [a-z]{2,}(?![A-Za-z}])", re.IGNORECASE)


def formulas_in(traced: Traced, leave: Callable[[Traced, str], None]) -> Iterator[tuple[bool, Traced]]:
    r"""The parts of a text in order, and whether each is a formula.

    A page that is copied often has each formula twice, once as its letters and right after that in LaTeX; the letters
    are left out.

    >>> text = Traced.of(r"有 x1=[1,3]\mathbf{x_1} = [1, 3]，于是")
    >>> [(is_formula, part.text) for is_formula, part in formulas_in(text, lambda traced, why: None)]
    [(False, '有 '), (True, '\\mathbf{x_1} = [1, 3]'), (False, '，于是')]
    """
    if not _COMMAND.search(traced.text):
        yield False, traced
        return
    done = 0
    for run in _RUN.finditer(traced.text):
        found = _COMMAND.search(run[0])
        if found is None or _WORDS.search(run[0]):
            continue
        start = run.start() + len(run[0]) - len(run[0].lstrip())
        begin = start + _said_before(traced.text[start : run.end()], found.start() - (start - run.start()))
        if done < start:
            yield False, traced[done:start]
        leave(traced[start:begin], "the letters of a formula that follows in LaTeX")
        yield True, traced[begin : run.end()]
        done = run.end()
    if done < len(traced):
        yield False, traced[done:]


def _said_before(run: str, first: int) -> int:
    """How many characters say what the rest says in LaTeX; ``first`` is where its first command stands."""
    letters = _PLAIN.sub("", run[:first])
    rest = _PLAIN.sub("", _KEPT.sub("", run[first:]))
    size = (len(letters) + len(rest)) // 2
    if (
        not size
        or (len(letters) + len(rest)) % 2
        or (letters + rest)[:size] != (letters + rest)[size:]
        or size > len(letters)
    ):
        return 0
    place = 0
    for _ in range(size):
        while not (run[place].isascii() and run[place].isalnum()):
            place += 1
        place += 1
    while place < first and not (run[place].isascii() and run[place].isalnum()) and run[place] not in "\\-":
        place += 1
    return place


QUOTE = re.compile(r"[ \t]{0,200}>[ ]?")
FENCE = re.compile(r"(`{3,}(?=[^`]*$)|~{3,})[ \t]*(.*)")
HEADING = re.compile(r"(#{1,6})(?:[ \t\u3000]+|(?<=##)(?=[^#\s])|$)")
ITEM = re.compile(r"(?:[-*+•‣▪–]|\(?\d{1,9}[.)])(?:[ \t\u3000]+|$)(?:\[[ xX]\][ \t])?")
RULE = re.compile(r"(?:[-*_][ \t]*){3,}")
UNDERLINE = re.compile(r"(=+|-+)[ \t]*")
TABLE_RULE = re.compile(r"\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*")
DEFINITION = re.compile(r"\[[^\]\^][^\]]{0,200}\]:[ \t]*\S")
FOOTNOTE = re.compile(r"\[\^[^\]\s]{1,60}\]:[ \t]*")
ELEMENT = re.compile(r"<(table|pre|math|script|style|svg)\b", re.IGNORECASE)
_OPENERS = re.compile(
    r"\\\\|\\\$|`[^`]*`|\$\$|\\\[|\\\]|\\(begin|end)\{("
    + "|".join(sorted(MATH_ENVIRONMENTS, key=len, reverse=True))
    + r")\*?\}"
)


@dataclass(frozen=True, slots=True)
class BlockLine:
    """A line without what stands before it for the quotes that it is in."""

    start: int
    """Where its first character that is no blank stands."""
    end: int
    begin: int
    """Where it begins behind the signs of quotes."""
    indent: int
    """The blanks before the first character, a tab as far as the next fourth column."""
    depth: int
    """In how many quotes it is."""

    @property
    def is_blank(self) -> bool:
        return self.start >= self.end


def block_line(text: str, start: int, end: int, deepest: int = 9) -> BlockLine:
    """The line from ``start`` to ``end``, with at most as many quotes taken away.

    >>> line = block_line("> > $x$", 0, 7)
    >>> line.depth, line.start, line.indent
    (2, 4, 0)
    """
    depth = 0
    while depth < deepest and (found := QUOTE.match(text, start, end)):
        start, depth = found.end(), depth + 1
    first, indent = start, 0
    while first < end and text[first] in " \t\u3000\xa0\r":
        indent += 4 - indent % 4 if text[first] == "\t" else 1
        first += 1
    return BlockLine(first, end, start, indent, depth)


def open_formula(text: str, start: int, end: int, opened: str = "") -> str:
    r"""What would close the formula that is open at the end of a part of a text; nothing where none is.

    >>> open_formula("$$X = 1$$ and $$", 0, 16), open_formula(r"\begin{align} x", 0, 15), open_formula("a]", 0, 2)
    ('$$', '\\end{align', '')
    """
    for found in _OPENERS.finditer(text, start, end):
        sign = found[0]
        if opened:
            if sign.startswith(opened):
                opened = ""
        elif sign == "$$":
            opened = "$$"
        elif sign == "\\[":
            opened = "\\]"
        elif found[1] == "begin":
            opened = "\\end{" + found[2]
    return opened


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
    """Put the pieces of a text in Markdown, which may be a part of a file, to the others. Every text is one."""
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
        row = 0
        while self._number < len(self._bounds):
            inside = self._line(self._number, line.depth)
            text = self._text[inside.start : inside.end].rstrip()
            if inside.is_blank or "|" not in text or inside.depth < line.depth:
                break
            if not ("-" in text and TABLE_RULE.fullmatch(text)):
                row += 1
                cells = cells_of(self._text, inside.start, inside.start + len(text))
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
