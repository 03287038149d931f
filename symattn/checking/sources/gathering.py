"""Where a reader puts what it finds: pieces in reading order, and what it leaves out and why."""

from __future__ import annotations

import re

from symattn.base.budget import spend
from symattn.checking.source import Readable, Stretch, StretchKind
from symattn.checking.sources.drawn import DrawnTable, table_at
from symattn.checking.sources.traced import PlaceRuns, Traced, lines_of

PROGRAMS = frozenset({"python", "py", "python3", "ipython", "ipython3", "pycon", "py3", "numpy", "pytorch", "jupyter"})
"""What fences say of text that may be a program in Python, or what it printed."""

PRINTED = frozenset(
    {"", "text", "txt", "plain", "plaintext", "output", "out", "console", "log", "none", "result", "results", "stdout"}
)
"""What fences say of text that is no program, though some that hold one say it too."""

_STATEMENT = re.compile(
    r"^[ \t]{0,200}(?:>>>[ ]|import[ ]\w|from[ ][\w.]+[ ]import\b|(?:async[ ])?def[ ]\w+\(|class[ ]\w+.{0,200}:|"
    r"return\b|assert[ ]|(?:for[ ].{1,200}[ ]in[ ].{1,200}|(?:while|if|with|elif)[ ].{1,200}|else|try):[ \t]*(?:\#|$)|"
    r"@\w|print\(|[\w.\[\], ]{1,80}=[ ]*(?:np|torch|tf|jnp|F|nn|math|plt|jax|numpy|random|mx|scipy|pd|sp)\.\w|"
    r"[\w., ]{1,80}=[^=\n]{0,200}(?:[ ]@[ ]|\.T\b|\.dot\(|\.matmul\(|\.softmax\(|\.transpose\(|\.shape\b|\.reshape\())",
    re.MULTILINE,
)
"""How a line of a program begins that nothing else looks like."""

_CALL_OR_NAME = re.compile(r"[A-Za-z_]\w*[ \t]*(?:[(@]|=(?!=)|\.[A-Za-z_])")
_PRINTED_CALL = re.compile(
    r"\b(?:tensor|array|matrix|Size|torch|Tensor|dtype|device|grad_fn|shape|np|float\d*|int\d*|numpy|requires_grad)\b"
)


def is_program(text: str, language: str) -> bool:
    """Whether the text of a block is a program: by what its fence says, and where that leaves it open, by its looks.

    >>> is_program("import torch", ""), is_program("tensor([0.2, 0.3])", "python"), is_program("x = 0.5", "python")
    (True, False, True)
    >>> is_program("A = [[0.8, 0.2]], 1e-5", "")
    False
    """
    if language in PROGRAMS:
        bare = _PRINTED_CALL.sub("", text)
        return not any(map(str.isdigit, text)) or bool(_STATEMENT.search(text) or _CALL_OR_NAME.search(bare))
    if language in PRINTED:
        return bool(_STATEMENT.search(text))
    return True


_COMMENT = re.compile(r"[ \t]{0,200}#(?![#\d])[ \t]?\S")
_MAYBE = re.compile(
    r"[ \t]{0,200}(?:\w[\w.]{0,80}(?:\[[^\]]{0,80}\])?(?:,[ ]?\w[\w.]{0,80}){0,9}[ ]?"
    r"[-+*/@]?=[ ]?(?![=>])\S|[A-Za-z_][\w.]{0,80}\(|[)\]}]|\"\"\"|@|<-)"
)
_ASSIGNED = re.compile(
    r"[ \t]{0,200}[A-Za-z_][\w.]{0,80}(?:,[ ]?[A-Za-z_]\w{0,80}){0,9} ?= ?[\x21-\x7e][\x20-\x7e]*(?:#.*)?"
)
_NOT_LATIN = re.compile(r"[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]")
_QUOTED = re.compile(r"#.*|\"[^\"]*\"|'[^']*'")
_PRINTED_LINE = re.compile(
    r"[ \t]{0,200}(?:(?:tensor|array|matrix|Tensor)\(|\[{2,}[ ]*[-\d.]|"
    r"\[(?:[ ]*[-+]?[\d.][\d.eE+-]*[, ]*){2,}\]|\[\d*,\d*\])"
)
_FIGURES = re.compile(
    r"[ \t]*(?:[\[\](){},;|]*[-+−]?(?:\d+(?:\.\d*)?|\.\d+|inf|nan|∞)(?:[eE][-+]?\d+)?%?[\[\](){},;|]*(?:[ \t]+|$)){2,}"
)
_DRAWN = re.compile(r"[^|│⎡⎢⎣⎛⎜⎝\n]{0,30}[|│⎡⎢⎣⎛⎜⎝][ \t]*(?:[-+−]?%?(?:\d[\d.,]*|inf|∞)%?[,;]?[ \t]+)+[|│⎤⎥⎦⎞⎟⎠]")
"""A row of a matrix between bars, with a label or a name before it."""


def is_program_line(line: str) -> bool:
    """Whether a line of plain text is one of a program without doubt.

    >>> is_program_line("import torch"), is_program_line("for all rows:"), is_program_line("W <- softmax(X)")
    (True, False, True)
    """
    return bool(_STATEMENT.match(line)) or bool(re.match(r"[ \t]{0,200}\w[\w.]{0,80} <- \w", line))


def may_be_program_line(line: str) -> bool:
    """Whether a line goes on with a program that has begun.

    >>> may_be_program_line("    x"), may_be_program_line("# the scores"), may_be_program_line("The scores are:")
    (True, True, False)
    """
    if _COMMENT.match(line):
        return True
    if _NOT_LATIN.search(_QUOTED.sub("", line)):
        return False
    return line.startswith(("    ", "\t", "  ")) or bool(_MAYBE.match(line)) or is_program_line(line)


def is_assignment(line: str) -> bool:
    """Whether a line may be a remark of a program, or give a value to a name in one.

    >>> is_assignment("d_k = embed_dim"), is_assignment("# the scores"), is_assignment("1-2 softmax")
    (True, True, False)
    """
    return bool(_COMMENT.match(line)) or bool(_ASSIGNED.fullmatch(line))


def is_output_line(line: str) -> bool:
    """Whether a line of plain text is what a program printed, or a row of figures.

    >>> is_output_line(" tensor([[0.34, 0.27],"), is_output_line("S = | 0.5 -1 |"), is_output_line("0.5 is half")
    (True, True, False)
    """
    return bool(_PRINTED_LINE.match(line) or _FIGURES.fullmatch(line) or _DRAWN.match(line))


BY_PIECE, BY_SIGN = 60, 16
"""Steps that it takes to read a piece, and each of its characters."""

BY_LEFT = 20
"""Steps that it takes to leave something out."""


class Gathering:
    """The pieces of a document that is being read."""

    def __init__(self) -> None:
        self._pieces: list[Stretch] = []
        self._left_out: list[tuple[int, int, str]] = []
        self.tables = 0

    def add(
        self,
        kind: StretchKind,
        traced: Traced,
        *,
        level: int = 0,
        language: str = "",
        cell: tuple[int, int, int] = (0, 0, 0),
    ) -> None:
        """A piece; ``cell`` is its table, row and column."""
        spend(BY_PIECE + BY_SIGN * len(traced))
        table, row, column = cell
        self._pieces.append(Stretch(kind, traced.text, traced.places, row, column, table, level, language))

    def listing(self, traced: Traced, language: str = "") -> None:
        """A program, or what one printed: by its language, or its looks. Tables in it that lines divide are tables."""
        if is_program(traced.text, language):
            self.add("code", traced, language=language)
            return self.end(traced.places.end)
        bounds, begin, number = lines_of(traced.text), 0, 0
        while number < len(bounds):
            table = table_at(traced.text, bounds, number)
            if table is None:
                number += 1
                continue
            self.printed(traced[begin : bounds[number][0]], language)
            self.drawn(traced, table)
            number = table.end
            begin = bounds[number][0] if number < len(bounds) else len(traced)
        self.printed(traced[begin:], language)
        return None

    def printed(self, traced: Traced, language: str) -> None:
        """What a program printed, or may have."""
        if traced.text.strip():
            self.add("output", traced, language=language)
            self.end(traced.places.end)

    def drawn(self, traced: Traced, table: DrawnTable) -> None:
        """A table of a text."""
        self.tables += 1
        for number, row in enumerate(table.rows, 1):
            for column, cell in row.items():
                self.add("cell", traced[cell.start : cell.end], cell=(self.tables, number, column))
            self.end(traced.places[max(cell.end for cell in row.values())])

    def end(self, place: int) -> None:
        """A paragraph, an item or a row ends at a place of the file."""
        spend(BY_PIECE)
        if self._pieces and self._pieces[-1].kind != "break":
            self._pieces.append(Stretch("break", "", PlaceRuns((), (), (), 0, place)))

    def leave(self, traced: Traced, why: str) -> None:
        """Something is in no piece."""
        spend(BY_LEFT)
        if traced.text and not traced.text.isspace():
            self._left_out.append((traced.places[0], traced.places.end, why))

    def document(self, name: str, text: str, is_whole: bool = True) -> Readable:
        """All of it; where it is not whole, up to the end of the last paragraph that is."""
        while not is_whole and self._pieces and self._pieces[-1].kind != "break":
            self._pieces.pop()
        last = self._pieces[-1].places[-1] if self._pieces else 0
        end = None if is_whole else next((found.start() for found in _SIGN.finditer(text, last)), len(text))
        return Readable(name, text, tuple(self._pieces), tuple(sorted(self._left_out)), end)


_SIGN = re.compile(r"\S")
