"""Programs line by line: nothing is run, each line is read as the statement it makes."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from symattn.checking.reading.lexer import Lexeme
from symattn.checking.source import Stretch

_SPOKEN: Final = frozenset("python py python3 ipython ipython3 pycon julia jl matlab octave r numpy pytorch".split())
_PRINTED: Final = frozenset(
    ["", *"text txt plaintext plain output console none log ascii out math pseudo pseudocode markdown md".split()]
)
_SIGNS_OF_PROGRAMS: Final = re.compile(
    r"^\s*(?:import\s+\w|from\s+[\w.]+\s+import|def\s+\w+\s*\(|class\s+\w+|print\s*\(|>>> )"
    r"|\b(?:np|torch|F|nn|jnp|tf)\.(?!Size|float|int|bool|str_)\w+\(",
    re.M,
)
_KEYWORDS: Final = re.compile(
    r"(?:import|from|def|class|for|while|if|elif|else|return|with|assert|try|except|finally|pass|raise|del|global|async|lambda|yield|break"
    r"|continue|lambda|function|end|using|library|plt|fig|ax)\b|[@%!]"
)
_PART: Final = re.compile(
    r"""(?P<string>[rbuf]{0,2}(?:\"\"\".*?(?:\"\"\"|\Z)|'''.*?(?:'''|\Z)|"(?:[^"\\\n]|\\.){0,2000}+"|'(?:[^'\\\n]|\\.){0,2000}+'))
    |(?P<comment>\#[^\n]*)|(?P<open>[\[({])|(?P<close>[\])}])|(?P<line>\n)|(?P<joined>\\\n)
    |(?P<prompt>^(?:>>>|\.\.\.)[ ])|(?P<semicolon>;)|(?P<rest>[^\[\](){}\n\#"'\\;>.a-z]+|.)""",
    re.S | re.X | re.M,
)


@dataclass(frozen=True, slots=True)
class CodeLine:
    """A logical line of a program, or a comment."""

    kind: str
    """``formula``, ``comment``; ``other``: a loop, an import."""
    start: int
    end: int


def is_program(piece: Stretch) -> bool:
    """Whether a piece is a program of several lines, or a line of a language whose formulas are read."""
    language = piece.language.lower()
    if piece.kind == "code":
        return language in _SPOKEN or (language in _PRINTED and bool(_SIGNS_OF_PROGRAMS.search(piece.text)))
    return piece.kind == "output" and bool(_SIGNS_OF_PROGRAMS.search(piece.text))


def is_naked_program(piece: Stretch) -> bool:
    """Whether a paragraph is a program that nobody fenced.

    >>> is_naked_program(Stretch("prose", "x = torch.softmax(s, dim=-1)", range(29)))
    True
    """
    return piece.kind == "prose" and not piece.table and bool(_NAKED.search(piece.text))


_NAKED: Final = re.compile(
    r"^\s*(?:import\s+\w+\s*(?:$|as\b)|from\s+[\w.]+\s+import\b"
    r"|\w+(?:, *\w+)* = [^\n]*\b(?:np|torch|F|nn|jnp|math|numpy)\.\w+\(|\w+ = \w+ @ [\w.]+\s*$"
    r"|print\([\w.]+\)\s*$)",
    re.M,
)


def is_other(piece: Stretch) -> bool:
    """Whether a piece is in a language without formulas: a shell, a diagram, a page."""
    language = piece.language.lower()
    return piece.kind == "code" and language not in _SPOKEN and language not in _PRINTED


def comments_of(piece: Stretch) -> Stretch | None:
    """The comments of a program in another language, where they show numbers, with blanks for the rest.

    >>> comments_of(Stretch("code", "f(q); // p = [0.7, 0.3]", range(24))).text
    '         p = [0.7, 0.3]'
    """
    kept, end = [], 0
    for found in _COMMENT.finditer(piece.text):
        kept += [_NOT_BLANK.sub(" ", piece.text[end : found.start(1)]), found[1]]
        end = found.end()
    text = "".join(kept) + _NOT_BLANK.sub(" ", piece.text[end:])
    return replace(piece, kind="output", text=text, language="") if _SHOWS.search(text) else None


_SHOWS: Final = re.compile(r"[=:≈]\s*\[?\s*-?\d*\.\d")
_COMMENT: Final = re.compile(r"(?:^[ \t]*(?:#|--|;|%|\*)|//)[/!]*[ \t]?([^\n]*)", re.M)
_NOT_BLANK: Final = re.compile(r"[^\n]")


def code_lines(text: str) -> Iterator[CodeLine]:
    """The logical lines of a program and its comments, in order.

    >>> [(line.kind, line.start) for line in code_lines("import numpy\\nx = [1,\\n2]  # two\\n")]
    [('other', 0), ('formula', 13), ('comment', 25)]
    """
    depth, start, place = 0, 0, 0
    waiting: list[CodeLine] = []
    while place < len(text):
        found = _PART.match(text, place)
        end = found.end() if found is not None else place + 1
        kind = found.lastgroup if found is not None else "rest"
        if kind == "open":
            depth += 1
        elif kind == "close":
            depth = max(0, depth - 1)
        elif kind == "prompt":
            start = end
        elif kind == "comment":
            waiting.append(CodeLine("comment", place, end))
            if depth == 0:
                yield from _line(text, start, place)
                start = end
        elif kind in ("line", "semicolon") and (depth == 0 or _begins(text, end)):
            depth = 0
            yield from _line(text, start, place)
            yield from waiting
            waiting, start = [], end
        place = end
    yield from _line(text, start, len(text))
    yield from waiting


def with_long_comments(lines: Sequence[CodeLine], text: str) -> Iterator[CodeLine]:
    """The same lines, where comments under each other are one as long as a bracket in them is open.

    >>> text = "# [[1 2]\\n#  [3 4]]\\n# done"
    >>> [(line.start, line.end) for line in with_long_comments(list(code_lines(text)), text)]
    [(0, 18), (19, 25)]
    """
    last: CodeLine | None = None
    for line in lines:
        if last is not None and line.kind == "comment" and not text[last.end : line.start].strip():
            last = CodeLine("comment", last.start, line.end)
        else:
            if last is not None:
                yield last
            last = line
        inner = text[last.start : last.end]
        if last.kind != "comment" or sum(map(inner.count, "[(")) <= sum(map(inner.count, "])")):
            yield last
            last = None
    if last is not None:
        yield last


def without_signs(comment: str) -> str:
    """A comment with a blank for each sign that makes it one."""
    return _SIGN_OF_COMMENT.sub(lambda found: found[0][:-1] + " ", comment)


_SIGN_OF_COMMENT: Final = re.compile(r"^\s*#", re.M)


def without_comments_inside(text: str, line: CodeLine, lines: Sequence[CodeLine]) -> str:
    """The text of a logical line, with blanks where comments stand in it; ``lines`` are all comments."""
    inner = text[line.start : line.end]
    first = bisect_left(lines, line.start, key=lambda one: one.start)
    for other in lines[first : first + text.count("#", line.start, line.end) + 1]:
        if other != line and line.start <= other.start and other.end <= line.end:
            start, end = other.start - line.start, other.end - line.start
            inner = inner[:start] + " " * (end - start) + inner[end:]
    return inner


def unpacked(lexemes: Sequence[Lexeme]) -> list[list[Lexeme]]:
    """``a, b = c, d`` as two assignments; anything else as it is."""
    sides: list[list[list[Lexeme]]] = [[[]]]
    depth = 0
    for sign in lexemes:
        depth += {"open": 1, "close": -1}.get(sign.kind, 0)
        if depth == 0 and sign.kind == "relation" and len(sides) == 1:
            relation = sign
            sides.append([[]])
        elif depth == 0 and sign.kind == "comma":
            sides[-1].append([])
        else:
            sides[-1][-1].append(sign)
    if len(sides) != 2 or len(sides[0]) < 2 or len(sides[0]) != len(sides[1]) or not all(map(len, sides[0] + sides[1])):
        return [list(lexemes)]
    return [[*name, relation, *value] for name, value in zip(*sides, strict=True)]


def _begins(text: str, place: int) -> bool:
    """Whether a line begins a statement although a bracket is still open: nobody closed it."""
    return re.match(r"[A-Za-z_]\w* *= *[^=,)\]]|(?:import|from|def|print)\b", text[place : place + 60]) is not None


def _line(text: str, start: int, end: int) -> Iterator[CodeLine]:
    inner = text[start:end]
    begins = start + len(inner) - len(inner.lstrip())
    ends = begins + len(inner.strip())
    if ends > begins:
        words = (
            _KEYWORDS.match(text, begins) is not None or _OTHER.search(_QUOTED.sub("", text[begins:ends])) is not None
        )
        yield CodeLine("other" if words else "formula", begins, ends)


_QUOTED: Final = re.compile(r"\"[^\"\n]*\"|'[^'\n]*'")
_OTHER: Final = re.compile(r"\blambda\b|[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|[a-z]{2,} [a-z]{2,} [a-z]{2,}")
