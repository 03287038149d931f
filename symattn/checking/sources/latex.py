"""Documents in LaTeX: the words and formulas of their bodies, tables, programs and slides."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from symattn.checking.source import StretchKind
from symattn.checking.sources.gathering import Gathering
from symattn.checking.sources.inline import OUTERMOST, next_dollar, next_double
from symattn.checking.sources.markdown import without_returns
from symattn.checking.sources.traced import SignSearch, Traced, Tracer

_VERBATIM = r"\\begin\{(verbatim|Verbatim|lstlisting|minted|alltt|Highlighting|comment|filecontents)\*?\}"
_REMARK = re.compile(_VERBATIM + r"|\\.|%[^\n]*(?:\n[ \t]*)?", re.DOTALL)
_DEFINED = re.compile(
    r"\\(?:(?:re)?newcommand|providecommand|DeclareMathOperator)\*?[ ]?\{?\\([A-Za-z]{1,40})\}?"
    r"(?:\[(\d)\])?(\[[^\]\n]{0,100}\])?[ ]?\{"
    r"|\\def\\([A-Za-z]{1,40})((?:#\d){0,9})\{"
)
_USED = re.compile(r"\\([A-Za-z]+)[ \t]*")
_ROUNDS = 4
_LONGEST = 400_000
"""Characters that abbreviations may become; beyond that they stay as they are."""
_LONGEST_BODY, _LONGEST_ARGUMENT = 500, 2_000

Leave = Callable[[Traced, str], None]


@dataclass(frozen=True, slots=True)
class Abbreviation:
    """What a command that a document defines stands for, with ``#1`` for what follows it."""

    body: str
    arguments: int = 0


def groups_of(text: str) -> Mapping[int, int]:
    """Where each group in braces ends, by where it begins; what is never closed is none.

    >>> groups_of("{a{b}c}{")
    {2: 4, 0: 6}
    """
    found: dict[int, int] = {}
    opened: list[int] = []
    for sign in re.finditer(r"\\.|[{}]", text, re.DOTALL):
        if sign[0] == "{":
            opened.append(sign.start())
        elif sign[0] == "}" and opened:
            found[opened.pop()] = sign.start()
    return found


def without_remarks(traced: Traced, leave: Leave) -> Traced:
    """Without what stands behind signs of per cent, but in what is shown as it is.

    >>> without_remarks(Traced.of("a % b\\nc 5\\\\% d"), lambda traced, why: None).text
    'a c 5\\\\% d'
    """
    if "%" not in traced.text:
        return traced
    writer, done, place = Tracer(), 0, 0
    while found := _REMARK.search(traced.text, place):
        place = found.end()
        if found[1]:
            end = traced.text.find(f"\\end{{{found[1]}", place)
            place = len(traced) if end < 0 else end
        elif found[0][0] == "%":
            writer.add(traced, done, found.start())
            leave(traced[found.start() : found.end()], "a comment")
            done = found.end()
    writer.add(traced, done)
    return writer.written()


def abbreviations(traced: Traced, leave: Leave) -> tuple[Traced, Mapping[str, Abbreviation]]:
    """A text without the definitions that stand in it, and what they define.

    >>> rest, found = abbreviations(Traced.of(r"\\newcommand{\\R}{\\mathbb{R}}$x$"), lambda traced, why: None)
    >>> rest.text, found["R"].body
    ('$x$', '\\\\mathbb{R}')
    """
    known: dict[str, Abbreviation] = {}
    groups = groups_of(traced.text) if _DEFINED.search(traced.text) else {}
    writer, done, place = Tracer(), 0, 0
    while found := _DEFINED.search(traced.text, place):
        place = found.end()
        end = groups.get(place - 1, -1)
        if not place <= end <= place + _LONGEST_BODY:
            continue
        body = traced.text[place:end]
        if "Operator" in found[0]:
            body = f"\\operatorname{{{body}}}"
        if not found[3]:  # what has a value of its own for its first argument stays as it is
            known[found[1] or found[4]] = Abbreviation(body, int(found[2] or len(found[5] or "") // 2))
        writer.add(traced, done, found.start())
        leave(traced[found.start() : end + 1], "the definition of a command")
        done = place = end + 1
    writer.add(traced, done)
    return writer.written(), known


def written_out(traced: Traced, known: Mapping[str, Abbreviation]) -> Traced:
    """A text with what its abbreviations stand for, as far as that has bounds.

    >>> written_out(Traced.of(r"\\half{3}!"), {"half": Abbreviation(r"\\frac{#1}{2}", 1)}).text
    '\\\\frac{3}{2}!'
    """
    for _ in range(_ROUNDS if known else 0):
        again = _once(traced, known)
        if again is traced or len(again) > len(traced) + _LONGEST:
            break
        traced = again
    return traced


def _once(traced: Traced, known: Mapping[str, Abbreviation]) -> Traced:
    text, writer, done, place = traced.text, Tracer(), 0, 0
    groups = groups_of(text)
    while found := _USED.search(text, place):
        place = found.end()
        meant = known.get(found[1])
        if meant is None or writer.size > len(text) + _LONGEST:
            continue
        arguments = _arguments(groups, place, meant.arguments)
        if arguments is None:
            continue
        writer.add(traced, done, found.start())
        behind = found.start() + 1 + len(found[1])
        _put(writer, traced, meant, arguments, (found.start(), behind))
        place = done = arguments[-1][1] + 1 if arguments else behind
    if not done:
        return traced
    writer.add(traced, done)
    return writer.written()


def _arguments(groups: Mapping[int, int], place: int, count: int) -> list[tuple[int, int]] | None:
    """Where what follows a command in braces begins and ends."""
    found = []
    for _ in range(count):
        if not place < (end := groups.get(place, -1)) <= place + _LONGEST_ARGUMENT:
            return None
        found.append((place + 1, end))
        place = end + 1
    return found


def _put(
    writer: Tracer, traced: Traced, meant: Abbreviation, arguments: list[tuple[int, int]], span: tuple[int, int]
) -> None:
    start, end = traced.places[span[0]], traced.places[span[1] - 1] + 1
    for part in re.split(r"(#\d)", meant.body):
        if part[:1] == "#" and part[1:].isdigit() and 0 < int(part[1:]) <= len(arguments):
            writer.add(traced, *arguments[int(part[1:]) - 1])
        else:
            writer.put(part, start, end)


_OVERLAY = re.compile(r"<[-+\d,|.]{1,40}>")
"""Which slides of a frame something is on."""
_SPECIAL = re.compile(r"\\(?:([A-Za-z@]+)\*?|.|$)|\$|[{}~&]|\n[ \t]*\n\s*|--+", re.DOTALL)
_LEVELS: Mapping[str, int] = {
    "part": 1, "chapter": 1, "section": 1, "subsection": 2, "subsubsection": 3, "paragraph": 4, "subparagraph": 5,
    "frametitle": 2, "framesubtitle": 3, "title": 1,
}  # fmt: skip
_LISTINGS = frozenset("verbatim Verbatim lstlisting minted alltt".split())
_PROGRAMS = frozenset("Highlighting symattnprogram".split())
"""Programs that are set as text: with commands for colours, and signs that are escaped."""
_TABLES = frozenset("tabular tabularx tabulary longtable array tblr symattntable".split())
_DROPPED: Mapping[str, int] = {
    "label": 1, "ref": 1, "eqref": 1, "cite": 1, "citep": 1, "citet": 1, "pageref": 1, "autoref": 1, "cref": 1,
    "Cref": 1,
    "includegraphics": 1, "input": 1, "include": 1, "bibliography": 1, "bibliographystyle": 1, "usepackage": 1,
    "vspace": 1, "hspace": 1, "setlength": 2, "addtolength": 2, "setcounter": 2, "cline": 1, "cmidrule": 1, "url": 1,
    "documentclass": 1, "pagestyle": 1, "thispagestyle": 1, "rule": 2, "color": 1, "textcolor": 1, "href": 1,
    "colorbox": 1,
    "rowcolor": 1, "cellcolor": 1, "multirow": 2, "multicolumn": 2, "fontsize": 2, "usetheme": 1, "graphicspath": 1,
    "hypersetup": 1, "arraystretch": 0, "raisebox": 1, "resizebox": 2, "scalebox": 1, "definecolor": 3, "date": 1,
    "addlinespace": 0, "addvspace": 1, "vskip": 0, "hskip": 0, "renewcommand": 2, "newtheorem": 2, "specialrule": 3,
}  # fmt: skip
"""Commands whose first arguments are no text; what they act on is."""

_ENDS = frozenset(
    "par item newline maketitle tableofcontents bigskip medskip smallskip newpage clearpage caption".split()
)
_SIGNS: Mapping[str, str] = {
    "ldots": "…", "dots": "…", "textbackslash": "\\", "textasciitilde": "~", "textless": "<", "textgreater": ">",
    "textquotedbl": '"', "textquotesingle": "'",
    "times": "×", "quad": " ", "qquad": "  ", "textrightarrow": "→", "textasciicircum": "^", "textbar": "|", "S": "§",
}  # fmt: skip
_PICTURES = frozenset("tikzpicture pgfpicture picture axis comment filecontents thebibliography".split())
_LENGTH = re.compile(
    r"\s{0,9}=?\s{0,9}[-+]?(?:\d[\d.]{0,20}|\.\d{1,20})\s?(?:pt|em|ex|cm|mm|in|bp|sp|pc|mu)\b"
    r"(?:\s{1,9}(?:plus|minus)\s{1,9}[\d.]{1,20}\s?\w{1,5})*"
)
_NUMBER = re.compile(r"=-?\d{0,9}\.?\d{1,9}(?![\w.])")
_OPTION = re.compile(r"[ \t]*\[[^\[\]\n]{0,300}\]")
_WIDE = re.compile(r"\\multicolumn\{(\d{1,2})\}")
_VERB = re.compile(r"\\(?:verb|lstinline)\*?(?:\[[^\]\n]{0,100}\])?([^A-Za-z\s{*])(.{0,500}?)\1")
_OWN: Mapping[str, str] = {
    "symattntitle": "h", "symattnheading": "ddh", "symattndisplay": "wf", "symattnresult": "wf", "symattnfit": "f",
    "symattnground": "f", "symattnnumbered": "wwf", "symattnnumberedresult": "wwf", "symattninline": "m",
    "symattnchar": "c", "symattnpicture": "d", "symattnneed": "d", "symattnwrite": "d", "symattnroom": "d",
    "symattnblank": "d", "symattnline": "w", "symattnsheet": "w",
}  # fmt: skip
"""The commands of our own pages, and what follows each: a formula (on its own or in a line), a heading, words, the
number of a character, or something that is no text."""

_BODY = "\\begin{document}"


def gather_latex(traced: Traced, gathering: Gathering) -> None:
    r"""Put the pieces of a document in LaTeX to the others."""
    traced, known = abbreviations(without_remarks(without_returns(traced), gathering.leave), gathering.leave)
    body = traced.text.find(_BODY)
    if body >= 0:
        gathering.leave(traced[:body], "before the document")
        end = traced.text.find("\\end{document}", body)
        if end >= 0:
            gathering.leave(traced[end:], "behind the document")
            traced = traced[:end]
        traced = traced[body + len(_BODY) :]
    meant = {name: meant for name, meant in known.items() if name not in _OWN}
    _Body(written_out(traced, meant), gathering).read()


class _Body:
    """Goes once through the body of a document."""

    def __init__(self, traced: Traced, gathering: Gathering) -> None:
        self._traced, self._text, self._out = traced, traced.text, gathering
        self._words = Tracer()
        self._done = 0
        self._kind: StretchKind = "prose"
        self._level = 0
        self._heading_ends: int | None = None
        self._depth = 0
        self._cells: list[tuple[int, int, int]] = []
        self._width = 1
        self._has_formula = False
        self._find = SignSearch(traced.text).find
        self._no_doubles = False
        self._groups = groups_of(traced.text)
        self._formula_at: dict[int, StretchKind] = {}
        self._heading_at: dict[int, int] = {}
        self._row_ends_at: set[int] = set()

    def read(self) -> None:
        """All of it."""
        place = 0
        while found := _SPECIAL.search(self._text, place):
            place = max(self._special(found), found.end())
        self._end_block(len(self._text))

    def _skip(self, start: int, end: int, instead: str = "", why: str = "") -> int:
        """Go on behind something that is no text as it stands."""
        if end <= self._done:
            return end
        start = max(start, self._done)
        self._words.add(self._traced, self._done, start)
        self._done = end
        self._words.put(instead, self._traced.places[start], self._traced.places[end])
        if why:
            self._out.leave(self._traced[start:end], why)
        return end

    def _special(self, found: re.Match[str]) -> int:
        sign, start, end = found[0], found.start(), found.end()
        if found[1]:
            return self._command(found[1], start, end)
        if self._kind == "code" and sign[0] in "$&~\n":
            return end
        if sign == "$":
            return self._dollar(start)
        if sign in ("\\[", "\\("):
            return self._bracketed(start, sign)
        if sign == "{":
            return self._open_group(start, end)
        if sign == "}":
            return self._close_group(start, end)
        if sign == "&":
            return self._next_cell(start, end, 0, 1) if self._cells else end
        if sign == "\\\\":
            return self._next_cell(start, end, 1, 0) if self._cells else self._skip(start, end, "\n")
        if sign[0] == "\n":
            if not self._cells:
                self._skip(start, end)
                self._end_block(start)
                self._no_heading()
            return end
        if sign == "~":
            return self._skip(start, end, " ")
        if sign[0] == "\\":
            if sign[1:] in ("", "/", "-", "!") or sign[1:] in ",;: \n":
                return self._skip(start, end, " " if sign[1:].strip("/-!") else "")
            self._skip(start, start + 1)
        return end

    def _open_group(self, start: int, end: int) -> int:
        last = self._groups.get(start, -1)
        if last >= 0 and start in self._formula_at:
            return self._formula(self._formula_at[start], start, end, last, last + 1)
        if last >= 0 and start in self._heading_at:
            return self._heading_group(start, end, self._heading_at[start])
        self._depth += 1
        return self._skip(start, end)

    def _close_group(self, start: int, end: int) -> int:
        self._depth -= 1
        self._skip(start, end)
        if start in self._row_ends_at and self._cells:
            return self._next_cell(start, end, 1, 0)
        if self._depth == self._heading_ends:
            self._end_block(start)
            self._no_heading()
        return end

    def _no_heading(self) -> None:
        if self._heading_ends is not None:
            self._kind, self._level, self._heading_ends = "prose", 0, None

    def _command(self, name: str, start: int, end: int) -> int:
        if name in ("begin", "end"):
            return self._environment(name, start, end)
        if name in ("verb", "lstinline") and (found := _VERB.match(self._text, start)):
            self._skip(start, found.start(2))
            return self._skip(found.end(2), found.end())
        if name in _LEVELS:
            return self._heading(name, start, end)
        if name in _OWN:
            return self._own(_OWN[name], start, end)
        if name == "tabularnewline" and self._cells:
            return self._next_cell(start, end, 1, 0)
        if name == "item":
            return self._item(start, end)
        if found := _LENGTH.match(self._text, end) or _NUMBER.match(self._text, end):
            return self._skip(start, found.end(), why="of a command")
        if name in _DROPPED:
            return self._drop(start, end, _DROPPED[name])
        if name in _ENDS:
            self._end_block(start)
        if found := _OVERLAY.match(self._text, end):
            self._skip(start, end)
            return self._skip(end, found.end(), why="of a command")
        return self._skip(start, end + (self._text[end : end + 1] == " "), _SIGNS.get(name, ""))

    def _drop(self, start: int, end: int, count: int) -> int:
        while found := _OPTION.match(self._text, end):
            end = found.end()
        if self._cells and (wide := _WIDE.match(self._text, start)):
            self._width = int(wide[1])
        for _ in range(count):
            if (closing := self._groups.get(end, -1)) >= 0:
                end = closing + 1
            while found := _OPTION.match(self._text, end):
                end = found.end()
        return self._skip(start, end, why="of a command")

    def _heading(self, name: str, start: int, end: int) -> int:
        if found := _OPTION.match(self._text, end):
            end = found.end()
        if self._text[end : end + 1] != "{":
            return self._skip(start, end)
        self._skip(start, end)
        return self._heading_group(end, end + 1, _LEVELS[name])

    def _heading_group(self, start: int, end: int, level: int) -> int:
        self._end_block(start)
        self._kind, self._level, self._heading_ends = "heading", level, self._depth
        self._depth += 1
        return self._skip(start, end)

    def _own(self, roles: str, start: int, end: int) -> int:
        """What follows a command of our own pages; the groups of words and of formulas are read when they come."""
        self._skip(start, end)
        if roles != "m" and roles != "c" and self._kind != "code":
            self._end_block(start)
        place, level = end, 1
        for role in roles:
            closing = self._groups.get(place, -1)
            if closing < 0:
                break
            inside = self._text[place + 1 : closing]
            if role == "d":
                level = int(inside) if inside in ("1", "2", "3", "4") and place == end else level
                self._skip(place, closing + 1, why="of a command")
            elif role == "c":
                self._skip(place, closing + 1, _character(inside), "of a command")
            elif role == "h":
                self._heading_at[place] = level
            elif role in "fm":
                self._formula_at[place] = "display" if role == "f" else "math"
            place = closing + 1
        return max(end, self._done)

    def _item(self, start: int, end: int) -> int:
        self._end_block(start)
        self._kind = "item"
        end = self._skip(start, end + (self._text[end : end + 1] == " "))
        if self._text[end : end + 1] == "[" and (found := _OPTION.match(self._text, end)):
            self._skip(end, end + 1)
            self._skip(found.end() - 1, found.end(), " ")
        return end

    def _environment(self, word: str, start: int, end: int) -> int:
        closing = self._text.find("}", end, end + 40) if self._text[end : end + 1] == "{" else -1
        if closing < 0:
            return self._skip(start, end)
        name, end = self._text[end + 1 : closing].rstrip("*"), closing + 1
        if found := _OVERLAY.match(self._text, end):
            self._skip(start, end)
            end = self._skip(end, found.end(), why="of a command")
        if word == "begin" and name in OUTERMOST:
            last = self._find(f"\\end{{{name}", end)
            last = len(self._text) if last < 0 else self._text.find("}", last) + 1 or len(self._text)
            return self._formula("display", start, start, last, last)
        if word == "begin" and name in _PICTURES:
            last = self._find(f"\\end{{{name}", end)
            return self._skip(start, len(self._text) if last < 0 else last, why="a picture")
        if word == "begin" and name in _LISTINGS:
            return self._listing(name, start, end)
        if name in _PROGRAMS:
            self._end_block(start)
            self._kind = "code" if word == "begin" else "prose"
            return self._drop(start, end, 0)
        if word == "begin" and name in _TABLES:
            end = self._table(start, end)
            if name == "symattntable" and end in self._groups:
                self._row_ends_at.add(self._groups[end])
            return end
        self._end_block(start)
        if word == "end":
            if name in _TABLES and self._cells:
                self._cells.pop()
            if name in ("itemize", "enumerate", "description"):
                self._kind = "prose"
            return self._skip(start, end)
        if name == "frame":
            self._drop(start, end, 0)
            end = max(end, self._done)
            if self._text[end : end + 1] == "{":
                return self._heading("frametitle", end, end)
            return end
        return self._drop(
            start, end, 1 if name in ("minipage", "multicols", "column", "wrapfigure", "thebibliography") else 0
        )

    def _listing(self, name: str, start: int, end: int) -> int:
        self._end_block(start)
        last = self._find(f"\\end{{{name}", end)
        last = len(self._text) if last < 0 else last
        said = _OPTION.match(self._text, end)
        first = said.end() if said else end
        language = "python" if said and "ython" in said[0] else ""
        if name == "minted" and self._text[first : first + 1] == "{":
            closing = self._text.find("}", first, first + 40)
            language, first = self._text[first + 1 : closing].lower(), max(first, closing + 1)
        self._skip(start, last, why="")
        self._words = Tracer()
        inside = self._traced[first:last]
        if inside.text.strip():
            self._out.listing(inside, language)
        closing = self._text.find("}", last, last + 40)
        return self._skip(last, closing + 1 if closing >= 0 else last)

    def _table(self, start: int, end: int) -> int:
        self._end_block(start)
        self._out.tables += 1
        self._cells.append((self._out.tables, 1, 1))
        return self._drop(start, end, 1)

    def _next_cell(self, start: int, end: int, row: int, column: int) -> int:
        self._skip(start, end)
        self._flush(is_whole_cell=True)
        table, old_row, old_column = self._cells[-1]
        if row:
            self._out.end(self._traced.places[start])
            self._cells[-1], self._width = (table, old_row + 1, 1), 1
            if found := _OPTION.match(self._text, end):
                return self._skip(end, found.end(), why="of a command")
        else:
            self._cells[-1], self._width = (table, old_row, old_column + column * self._width), 1
        return end

    def _dollar(self, start: int) -> int:
        size = 2 if self._text.startswith("$$", start) else 1
        last = next_double(self._text, start + 2) if size == 2 and not self._no_doubles else -1
        if size == 1:
            last = next_dollar(self._text, start + 1)
            blank = self._text.find("\n\n", start, min(last, start + 5_000))
            if last == len(self._text) or blank >= 0 or not self._text[start + 1 : last].strip():
                return start + 1
        elif last < 0:
            self._no_doubles = True
            return start + 2
        return self._formula("display" if size == 2 else "math", start, start + size, last, last + size)

    def _bracketed(self, start: int, sign: str) -> int:
        last = self._find("\\]" if sign == "\\[" else "\\)", start + 2)
        if last < 0:
            return start + 2
        return self._formula("display" if sign == "\\[" else "math", start, start + 2, last, last + 2)

    def _formula(self, kind: StretchKind, start: int, first: int, last: int, end: int) -> int:
        self._skip(start, end)
        self._flush()
        if self._text[first:last].strip():
            self._has_formula = True
            self._out.add(kind, self._traced[first:last], level=self._level, cell=self._cell())
        return end

    def _cell(self) -> tuple[int, int, int]:
        return self._cells[-1] if self._cells else (0, 0, 0)

    def _flush(self, is_whole_cell: bool = False) -> None:
        written, self._words = self._words.written(), Tracer()
        if self._cells:
            written = written.stripped() if written.text.strip() else written[:0]
        elif not written.text.strip():
            return
        is_empty, self._has_formula = is_whole_cell and not self._has_formula, self._has_formula and not is_whole_cell
        if self._kind == "code":
            self._out.listing(written)
        elif written.text or is_empty:
            lead = len(written.text) - len(written.text.lstrip("\n \t")) if self._kind != "prose" else 0
            self._out.add("cell" if self._cells else self._kind, written[lead:], level=self._level, cell=self._cell())

    def _end_block(self, start: int) -> None:
        if self._done < start:
            self._skip(start, start)
            self._words.add(self._traced, self._done, start)
            self._done = max(self._done, start)
        self._flush()
        self._out.end(self._traced.places[start])


def _character(number: str) -> str:
    """The character of a number in sixteens.

    >>> _character("2212"), _character("x")
    ('−', 'x')
    """
    is_number = 0 < len(number) < 6 and not number.strip("0123456789ABCDEFabcdef")
    return chr(int(number, 16)) if is_number else number
