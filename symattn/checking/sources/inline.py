"""What stands in a paragraph of Markdown: words, formulas, spans of code, links, emphasis, tags."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from html import unescape
from typing import Literal

from symattn.checking.sources.tags import BLOCKS, ENTITY, HIDDEN, Tag, element_end, tag_at
from symattn.checking.sources.traced import SignSearch, Traced, Tracer

_OPENS = frozenset("([{")
_CLOSES = frozenset(")]}")


def _is_product(sign: str, before: str, after: str) -> bool:
    """Whether the sign stands between two things that it multiplies, or inside a name."""
    if (before.isspace() and after.isspace()) or (_is_latin(before) and _is_latin(after)):
        return True
    return sign == "*" and (before in _CLOSES or before.isdigit()) and (after in _OPENS or after.isdigit())


def _is_latin(character: str) -> bool:
    return character.isalnum() and character < "\u2e80"


MATH_ENVIRONMENTS = frozenset(
    "equation align aligned gather gathered multline alignat eqnarray displaymath math split cases flalign array "
    "matrix pmatrix bmatrix Bmatrix vmatrix Vmatrix smallmatrix subequations alignedat dcases".split()
)
"""Environments of LaTeX that hold a formula wherever they stand; each may have a star."""

_SAYS_MATH = re.compile(r"\\[A-Za-z,;:!{|\\]|[\^_=≈]|[A-Za-z0-9)\]] ?[-+*/<>×·] ?[A-Za-z0-9(\[\\]")
_WORDS = re.compile(r"(?<![\\A-Za-z_{])[a-z]{2,}[,.]? +[a-z]{2,}(?![A-Za-z{(])", re.IGNORECASE)
_SHORT = 12
_LOWER = re.compile(r"\s|[a-z]{2}")
_NOT_FIRST = frozenset(")]},.;:!?，。；：、！？）」』】”")
_WRITTEN = re.compile(r"[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]{2}|[，。；：、]")
_IN_WORDS = re.compile(r"\\(?:text|mathrm|textbf|mbox|operatorname|textit|mathbf)\s?\{[^{}]*\}")


def says_math(text: str) -> bool:
    """Whether something before or after a dollar looks like a formula, not like words or a price.

    >>> says_math(r"\\\\frac{1}{2}"), says_math("x_1"), says_math("5 and more"), says_math(" d ")
    (True, True, False, True)
    """
    if _SAYS_MATH.search(text):
        return True
    inside = text.strip()
    return len(inside) <= _SHORT and not inside[:1].isdigit() and not _LOWER.search(inside)


def is_formula(inside: str, after: str) -> bool:
    """Whether what stands between two dollars is a formula; ``after`` is the character behind the second one.

    >>> is_formula("5 and ", "7"), is_formula("x", "."), is_formula(" d_k ", " "), is_formula("0.5", ",")
    (False, True, True, True)
    """
    if not inside.strip() or inside.count("`") % 2 or inside.lstrip()[0] in _NOT_FIRST:
        return False
    if not _SAYS_MATH.search(inside) and _WRITTEN.search(_IN_WORDS.sub("", inside)):
        return False
    is_tight = not inside[0].isspace() and not inside[-1].isspace() and not after.isdigit()
    if is_tight:
        return not (inside[0].isdigit() and _WORDS.search(inside) and "\\" not in inside)
    return says_math(inside) and not after.isdigit()


def next_dollar(text: str, start: int) -> int:
    r"""Where the next dollar stands that no backslash is before, or the length of the text.

    >>> next_dollar(r"5 \$ + x$", 0)
    8
    """
    while (found := text.find("$", start)) >= 0:
        slashes = found
        while slashes > start and text[slashes - 1] == "\\":
            slashes -= 1
        if (found - slashes) % 2 == 0:
            return found
        start = found + 1
    return len(text)


def next_double(text: str, start: int) -> int:
    """Where the next two dollars stand side by side, or -1."""
    while (found := next_dollar(text, start)) < len(text):
        if text.startswith("$$", found):
            return found
        start = found + 1
    return -1


_SPECIAL = re.compile(r"[\\$`<\[\]!*_~&]|https?://")
_DELIMITER = re.compile(r"[\\$]")
_ESCAPED = frozenset("!\"#%&'()*+,-./:;<=>?@[]^_`{|}~$")
_IN_FORMULA = re.compile(r"&(?:lt|gt|amp|nbsp|quot|#\d{1,7});")
"""Signs as pages write them in formulas, where an ``&`` is one too."""
_TARGET = re.compile(
    r"\]\(\s{0,9}(<[^<>\n]{0,2000}>|[^()\s]{0,4000}+(?:\([^()\s]{0,500}+\)[^()\s]{0,500}+){0,40}+)(?:\s{1,9}[\"'(][^\"\n]{0,300}[\"')])?\s{0,9}\)"
)
_NO_TARGET = re.compile(r"[\d\s.,+\-*/−×=]*\d[\d\s.,+\-*/−×=]*|[A-Za-z]")
_ADDRESS = re.compile(r"https?://[^\s<>)\]}\"'`|，。；、）」】]*")
_AUTOLINK = re.compile(r"<(?:https?|ftp|mailto):[^<>\s]*>")
_FOOTNOTE = re.compile(r"\[\^[^\]\s]{1,60}\]")
_BEGIN = re.compile(r"\\begin\{([a-zA-Z]{1,30})\*?\}")
_RUN = re.compile(r"`+|\*+|_+|~+|\$+")
_ESCAPED_LIST = re.compile(r"[^\\=^_\s](?:[^\\=^_]*[^\\=^_\s])?")

OUTERMOST = frozenset("equation align gather multline alignat eqnarray displaymath math flalign subequations".split())
"""Environments that are a formula by themselves, without dollars."""

SpanKind = Literal["text", "math", "display", "break"]


@dataclass(frozen=True, slots=True)
class Span:
    """A run of a paragraph; ``level`` is that of the heading which begins at a break, if one does."""

    kind: SpanKind
    traced: Traced
    level: int = 0


@dataclass(frozen=True, slots=True)
class _Edit:
    """What is not text as it stands: a formula from ``first`` to ``last``, something else instead, or nothing."""

    start: int
    end: int
    kind: SpanKind = "text"
    instead: str = ""
    first: int = 0
    last: int = 0
    level: int = 0
    why: str = ""


def spans(traced: Traced, leave: Callable[[Traced, str], None], is_markdown: bool = True) -> Iterator[Span]:
    """The runs of a paragraph in their order; ``leave`` hears of what is in none of them, and why.

    Where it is no Markdown, only formulas are looked for.

    >>> left = lambda traced, why: None
    >>> [(span.kind, span.traced.text) for span in spans(Traced.of("**Mean** $\\\\mu = 2$, `x*y`"), left)]
    [('text', 'Mean '), ('math', '\\\\mu = 2'), ('text', ', x*y')]
    """
    writer, done = Tracer(), 0
    for edit in _Scanner(traced.text, is_markdown).edits():
        if edit.start < done:
            continue
        writer.add(traced, done, edit.start)
        done = edit.end
        if edit.why:
            leave(traced[edit.start : edit.end], edit.why)
        if edit.kind == "text":
            writer.put(edit.instead, traced.places[edit.start], traced.places[edit.end])
            continue
        if writer.size:
            yield Span("text", writer.written())
            writer = Tracer()
        inside = traced[edit.first : edit.last]
        yield Span(edit.kind, inside.sub(_IN_FORMULA, unescape), edit.level)
    writer.add(traced, done)
    if writer.size:
        yield Span("text", writer.written())


class _Scanner:
    """Goes once through a paragraph and notes what is not text as it stands."""

    def __init__(self, text: str, is_markdown: bool) -> None:
        self._text = text
        self._special = _SPECIAL if is_markdown else _DELIMITER
        self._edits: list[_Edit] = []
        self._opened: dict[str, int] = {}
        self._brackets: list[tuple[int, int, bool]] = []
        finder = SignSearch(text)
        self._find, self._missing = finder.find, finder.missing
        self._ticks: dict[int, list[int]] | None = None
        steps = (self._backslash, self._dollar, self._tick, self._angle, self._open, self._close)
        more = (self._exclamation, self._entity, self._address)
        self._steps: dict[str, Callable[[int], int]] = dict(zip("\\$`<[]!&h", (*steps, *more), strict=True))

    def edits(self) -> list[_Edit]:
        """All of them, in order and apart from one another."""
        place = 0
        while found := self._special.search(self._text, place):
            place = self._steps.get(found[0][0], self._emphasis)(found.start())
        return sorted(self._edits, key=lambda edit: edit.start)

    def _note(self, edit: _Edit) -> int:
        self._edits.append(edit)
        return edit.end

    def _backslash(self, place: int) -> int:
        text, following = self._text, self._text[place + 1 : place + 2]
        if following == "\\":
            if text[place + 2 : place + 3] in ("[", "(") and (end := self._bracketed(place, 3)):
                return end
            is_last = text[place + 2 : place + 3] in ("", "\n")
            return self._note(_Edit(place, place + 2)) if is_last else place + 2
        if following in ("[", "(") and following and (end := self._bracketed(place, 2)):
            return end
        if following == "b" and (found := _BEGIN.match(text, place)) and found[1] in OUTERMOST:
            return self._environment(place, found)
        if following == "$" or (self._special is _SPECIAL and (following in _ESCAPED or following == "\n")):
            return self._note(_Edit(place, place + 1)) + 1
        return place + 2

    def _bracketed(self, place: int, size: int) -> int:
        r"""The end of a formula in ``\[ \]`` or ``\( \)``, or 0 where it is none."""
        opening = self._text[place : place + size]
        last = self._find(opening.replace("[", "]").replace("(", ")"), place + size)
        kind: SpanKind = "display" if opening[-1] == "[" else "math"
        if last < 0:
            return 0
        if opening == "\\[" and self._special is _SPECIAL and _ESCAPED_LIST.fullmatch(self._text, place + size, last):
            return 0
        return self._formula(kind, place, place + size, last, last + size)

    def _formula(self, kind: SpanKind, start: int, first: int, last: int, end: int) -> int:
        return self._note(_Edit(start, end, kind, first=first, last=last))

    def _environment(self, place: int, found: re.Match[str]) -> int:
        closing = found[0].replace("begin", "end", 1)
        last = self._find(closing, found.end())
        end = len(self._text) if last < 0 else last + len(closing)
        return self._formula("display", place, place, end, end)

    def _dollar(self, place: int) -> int:
        text = self._text
        if text.startswith("$$", place):
            return self._double(place)
        if text.startswith("$`", place) and (last := self._find("`$", place + 2)) >= 0:
            return self._formula("math", place, place + 2, last, last + 2)
        last = next_dollar(text, place + 1)
        if last == len(text):
            return self._never_closed(place, 1)
        if is_formula(text[place + 1 : last], text[last + 1 : last + 2]):
            return self._formula("math", place, place + 1, last, last + 1)
        return place + 1

    def _double(self, place: int) -> int:
        text = self._text
        if (last := next_double(text, place + 2)) >= 0:
            if last == place + 2:
                return last + 2
            return self._formula("display", place, place + 2, last, last + 2)
        last = next_dollar(text, place + 2)
        if last < len(text):
            return self._formula("display", place, place + 2, last, last + 1)
        return self._never_closed(place, 2)

    def _never_closed(self, place: int, size: int) -> int:
        """A formula that nobody ended goes on to the end of its paragraph; a price does not."""
        rest = self._text[place + size :]
        if ("\\" in rest and says_math(rest)) or (size == 2 and rest.strip()):
            kind: SpanKind = "display" if size == 2 else "math"
            return self._formula(kind, place, place + size, len(self._text), len(self._text))
        return place + size

    def _tick(self, place: int) -> int:
        if self._ticks is None:
            self._ticks = defaultdict(list)
            for found in re.finditer("`+", self._text):
                self._ticks[len(found[0])].append(found.start())
            for places in self._ticks.values():
                places.reverse()
        size = len(self._run(place))
        places = self._ticks[size]
        while places and places[-1] <= place:
            places.pop()
        if not places:
            return place + size
        return self._code(place, place + size, places[-1], places[-1] + size)

    def _code(self, start: int, first: int, last: int, end: int) -> int:
        inside = self._text[first:last].strip()
        if len(inside) > 2 and inside[0] == inside[-1] == "$" and says_math(inside):
            size = 2 if inside.startswith("$$") and inside.endswith("$$") and len(inside) > 4 else 1
            begin = self._text.index("$", first)
            return self._formula("math", start, begin + size, begin + len(inside) - size, end)
        self._note(_Edit(start, first))
        return self._note(_Edit(last, end))

    def _run(self, place: int) -> str:
        found = _RUN.match(self._text, place)
        return found[0] if found else ""

    def _angle(self, place: int) -> int:
        if self._text.startswith("<!--", place):
            last = self._find("-->", place + 4)
            return self._note(_Edit(place, len(self._text) if last < 0 else last + 3, why="a comment"))
        if found := _AUTOLINK.match(self._text, place):
            return self._note(_Edit(place, found.end(), why="the address of a link"))
        if tag := tag_at(self._text, place):
            return self._tag(tag)
        return place + 1

    def _tag(self, tag: Tag) -> int:
        is_hidden = tag.name in HIDDEN and not tag.is_end and not tag.is_alone
        if is_hidden and f"</{tag.name}" not in self._missing:
            last, end = element_end(self._text, tag.name, tag.end)
            if last < end:
                return self._note(_Edit(tag.start, end, why=f"in a <{tag.name}>"))
            self._missing.add(f"</{tag.name}")
        if tag.name in BLOCKS:
            level = 0 if tag.is_end else tag.level
            return self._note(_Edit(tag.start, tag.end, "break", level=level, why="a tag"))
        signs = {"br": "\n", "sub": "}" if tag.is_end else "_{", "sup": "}" if tag.is_end else "^{"}
        return self._note(_Edit(tag.start, tag.end, instead=signs.get(tag.name, ""), why="a tag"))

    def _open(self, place: int, is_picture: bool = False) -> int:
        if not is_picture and (found := _FOOTNOTE.match(self._text, place)):
            return self._note(_Edit(place, found.end(), why="the mark of a footnote"))
        self._brackets.append((place, len(self._edits), is_picture))
        return place + 1

    def _exclamation(self, place: int) -> int:
        if self._text.startswith("![", place):
            return self._open(place, is_picture=True) + 1
        return place + 1

    def _close(self, place: int) -> int:
        if not self._brackets:
            return place + 1
        start, edits, is_picture = self._brackets.pop()
        found = _TARGET.match(self._text, place)
        if found is None or _NO_TARGET.fullmatch(found[1]):
            return place + 1
        words = self._text[start:place]
        if is_picture and "$" not in words and "\\" not in words and "=" not in words:
            del self._edits[edits:]
            return self._note(_Edit(start, found.end(), why="a picture"))
        self._note(_Edit(start, start + 1 + is_picture))
        return self._note(_Edit(place, found.end(), why="the address of a link"))

    def _entity(self, place: int) -> int:
        if found := ENTITY.match(self._text, place):
            return self._note(_Edit(place, found.end(), instead=unescape(found[0])))
        return place + 1

    def _address(self, place: int) -> int:
        found = _ADDRESS.match(self._text, place)
        end = found.end() if found else place + 4
        return self._note(_Edit(place, end, why="the address of a link"))

    def _emphasis(self, place: int) -> int:
        """Two runs of one sign around words are no text; others multiply, or belong to a name."""
        run = self._run(place)
        end = place + len(run)
        before, after = self._text[place - 1 : place] or " ", self._text[end : end + 1] or " "
        if (run[0] == "~" and len(run) != 2) or _is_product(run[0], before, after):
            return end
        if run in self._opened and not before.isspace():
            first = self._opened.pop(run)
            self._note(_Edit(first, first + len(run)))
            return self._note(_Edit(place, end))
        if not after.isspace() and not _is_latin(before):
            self._opened[run] = place
        return end
