"""Programs in Python, cut into pieces between the comments and texts that may show what they print.

Nothing is run here. A piece keeps its text for the interpreter; of its assignments it has the formulas.
"""

from __future__ import annotations

import ast
import re
import tokenize
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from io import StringIO
from typing import Final, Literal

from symattn.checking.reading.code import without_signs
from symattn.checking.reading.tree import PrintedText, ProgramPiece, Statement, Stop, Talk, ToldPart
from symattn.checking.source import Stretch

_OTHER_LANGUAGES: Final = frozenset("julia jl matlab octave r pseudo math markdown md".split())
_PROMPT: Final = re.compile(r"(?:>>>|\.\.\.)(?: |$)")
_MAGIC: Final = re.compile(r"^[ \t]*[%!][^\n]*", re.M)
_NAME: Final = re.compile(r"\s*([A-Za-z_]\w*)\s*=")
_SHOWS: Final = re.compile(r"[=:≈]\s*\[?\s*-?\d*\.\d")
"""A text in a program that shows what it prints."""
_CODE: Final = re.compile(r"[=!<>]=|//|\*\*=|[-+*/]=\s")
"""Signs of code in a comment, which claims nothing."""
_MOST_LOST: Final = 12
"""Lines that are no Python; with more of them, or with more than a third, a block is no program."""

ReadPart = Callable[[Stretch], list[ToldPart]]
"""Reads a part of a program: a formula, or words."""


@dataclass(frozen=True)
class PartReaders:
    """Ways to read what is not for the interpreter."""

    formula: ReadPart
    remark: ReadPart


def program_parts(piece: Stretch, reader: PartReaders) -> list[ToldPart] | None:
    """Return the parts of a program in Python, or ``None`` if the piece is none."""
    is_span = piece.kind == "code" and not piece.language and "\n" not in piece.text.strip()
    if is_span or piece.language.lower() in _OTHER_LANGUAGES:
        return None
    told: list[ToldPart] = []
    for kind, part in _sessions(piece):
        if kind == "output":
            told += [_printed(part, "output"), *reader.remark(replace(part, kind="output")), _stop(part)]
            continue
        found = _parts(part, reader)
        if found is None:
            return None
        told += found
    return told


def _sessions(piece: Stretch) -> Iterator[tuple[str, Stretch]]:
    """Take prompts away: yield what was typed, and what was printed below it."""
    lines = piece.text.splitlines(keepends=True)
    if not any(line.lstrip().startswith(">>> ") for line in lines) or _is_python(piece.text):
        yield "program", piece
        return
    place, kind, run = 0, "", list[tuple[int, int]]()
    for line in lines:
        bare = line.lstrip()
        prompt = _PROMPT.match(bare.rstrip("\n"))
        is_typed = prompt is not None and (bare.startswith(">>>") or kind == "program")
        if run and is_typed != (kind == "program"):
            yield kind, _of_runs(piece, run)
            run = []
        kind = "program" if is_typed else "output"
        skipped = len(line) - len(bare) + (prompt.end() if is_typed and prompt else 0)
        run.append((place + min(skipped, len(line)), place + len(line)))
        place += len(line)
    if run:
        yield kind, _of_runs(piece, run)


def _of_runs(piece: Stretch, runs: Sequence[tuple[int, int]]) -> Stretch:
    places = [piece.places[place] for start, end in runs for place in range(start, end)]
    text = "".join(piece.text[start:end] for start, end in runs)
    return replace(piece, text=text, places=[*places, piece.places[runs[-1][1]]])


def _cut(piece: Stretch, start: int, end: int, text: str | None = None) -> Stretch:
    return replace(piece, text=piece.text[start:end] if text is None else text, places=piece.places[start : end + 1])


def _stop(part: Stretch) -> Stop:
    return Stop("line", part.places[-1])


def _printed(part: Stretch, kind: Literal["output", "below", "beside"], line: int = 0) -> PrintedText:
    return PrintedText(part.text, part.places, *part.place(0, len(part.text)), kind, line)


def _is_python(text: str) -> bool:
    try:
        ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def _parsed(text: str) -> tuple[str, list[ast.stmt], list[int]] | None:
    """Return a program without its lines that are no Python, its statements, and the numbers of those lines."""
    text = _MAGIC.sub(lambda found: " " * len(found[0]), text.replace("\t", " ").replace("\f", " "))
    lines = text.split("\n")
    lost: list[int] = []
    while True:
        try:
            return "\n".join(lines), ast.parse("\n".join(lines)).body, sorted(lost)
        except SyntaxError as error:
            at = min(max(1, error.lineno or 1), len(lines)) - 1
        except (ValueError, RecursionError, MemoryError):
            return None
        while at in lost or not lines[at].strip():
            at -= 1
            if at < 0:
                return None
        lost.append(at)
        if len(lost) > _MOST_LOST or 3 * len(lost) > sum(1 for line in lines if line.strip()):
            return None
        bare = lines[at].lstrip()
        indent = lines[at][: len(lines[at]) - len(bare)]
        lines[at] = (indent + "0").ljust(len(lines[at]))


def _parts(piece: Stretch, reader: PartReaders) -> list[ToldPart] | None:
    parsed = _parsed(piece.text)
    if parsed is None:
        return None
    text, body, lost = parsed
    starts = [0]
    for line in text.split("\n"):
        starts.append(starts[-1] + len(line) + 1)
    starts[-1] = len(text)
    comments = _comments(text, starts)
    told: list[ToldPart] = []
    first, waiting = 0, list[ast.stmt]()

    def flush(until: int) -> None:
        nonlocal first
        if waiting:
            begins = starts[_first_line(waiting[0]) - 1]
            part = _cut(piece, begins, until, text[begins:until])
            formulas = [one for each in waiting for one in _formulas(piece, each, starts, text, reader)]
            told.append(ProgramPiece(part.text, part.places, *part.place(0, len(part.text)), tuple(formulas)))
            first = _first_line(waiting[0])
            waiting.clear()

    for statement in body:
        begins, ends = _first_line(statement), statement.end_lineno or statement.lineno
        while comments and comments[0].line < begins:
            flush(comments[0].start)
            told += comments.pop(0).parts(piece, reader, first)
        if begins - 1 in lost:
            flush(starts[begins - 1])
            part = _cut(piece, starts[begins - 1], starts[begins] - (begins < len(starts) - 1))
            told += [*reader.formula(part), _stop(part)]
        elif isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
            flush(starts[begins - 1])
            told += _string(_cut(piece, starts[begins - 1], starts[ends]), reader)
        else:
            waiting.append(statement)
        inside = [one for one in comments if one.line <= ends]
        if inside:
            del comments[: len(inside)]
            flush(starts[ends])
            for one in inside:
                told += one.parts(piece, reader, first)
    flush(len(text))
    for one in comments:
        told += one.parts(piece, reader, first)
    return told


def _decorators(statement: ast.stmt) -> list[ast.expr]:
    return statement.decorator_list if isinstance(statement, ast.FunctionDef | ast.ClassDef) else []


def _first_line(statement: ast.stmt) -> int:
    return min([statement.lineno, *(each.lineno for each in _decorators(statement))])


def _string(part: Stretch, reader: PartReaders) -> list[ToldPart]:
    """A text that stands alone: what is printed, if it shows that; else words."""
    bare = replace(part, kind="output", text=re.sub(r"\"{3}|'{3}", "   ", part.text))
    if _SHOWS.search(bare.text):
        return [_printed(bare, "output"), *reader.remark(bare), _stop(part)]
    return [Talk(bare.text.strip(" \n\"'"), *part.place(0, len(part.text))), _stop(part)]


def _formulas(
    piece: Stretch, statement: ast.stmt, starts: Sequence[int], text: str, reader: PartReaders
) -> Iterator[Statement]:
    """Yield what a line assigns, as formulas."""
    if not isinstance(statement, ast.Assign) or any(not isinstance(each, ast.Name) for each in statement.targets):
        return
    begins, ends = _first_line(statement), statement.end_lineno or statement.lineno
    start = starts[begins - 1]
    end = starts[ends - 1] + len(text.split("\n")[ends - 1].encode()[: statement.end_col_offset].decode())
    plain = "".join(_blanked(text, start, end))
    yield from (one for one in reader.formula(_cut(piece, start, end, plain)) if isinstance(one, Statement))


def _blanked(text: str, start: int, end: int) -> Iterator[str]:
    """Yield a part of a program with blanks for its comments."""
    inner, done = text[start:end], 0
    if "#" in inner and not re.search("[\"']", inner):
        for found in re.finditer(r"#[^\n]*", inner):
            yield inner[done : found.start()] + " " * (found.end() - found.start())
            done = found.end()
    yield inner[done:]


@dataclass(frozen=True)
class _Comment:
    """A comment behind code, or lines of comments under each other."""

    start: int
    end: int
    line: int
    is_alone: bool

    def parts(self, piece: Stretch, reader: PartReaders, first: int) -> list[ToldPart]:
        """Return the comment as what may be printed, then what it says."""
        part = _cut(piece, self.start, self.end)
        part = replace(part, kind="output", text=without_signs(part.text))
        told: list[ToldPart] = [_printed(part, "below" if self.is_alone else "beside", self.line - first + 1)]
        for line in _by_brackets(part.text):
            said = _cut(part, *line)
            is_code = _CODE.search(said.text) is not None
            told += [Talk(said.text.strip(), *said.place(0, len(said.text)))] if is_code else reader.remark(said)
            told.append(_stop(said))
        return told


def _by_brackets(text: str) -> Iterator[tuple[int, int]]:
    """Yield the lines of a comment; lines go on as long as a bracket is open."""
    start = place = depth = 0
    for line in text.splitlines(keepends=True):
        place += len(line)
        depth += sum(map(line.count, "[(")) - sum(map(line.count, "])"))
        if depth <= 0:
            yield start, place
            start, depth = place, 0
    if start < place:
        yield start, place


def _comments(text: str, starts: Sequence[int]) -> list[_Comment]:
    found: list[_Comment] = []
    try:
        for token in tokenize.generate_tokens(StringIO(text).readline):
            if token.type != tokenize.COMMENT:
                continue
            (line, column), (_, last) = token.start, token.end
            start, end = starts[line - 1] + column, starts[line - 1] + last
            is_alone = not text[starts[line - 1] : start].strip()
            before = found[-1] if found else None
            between = "" if before is None else text[before.end : start]
            if before is not None and is_alone and before.is_alone and between.split() == [] == between.split("\n")[2:]:
                found[-1] = _Comment(before.start, end, before.line, is_alone=True)
                continue
            found.append(_Comment(start, end, line, is_alone))
    except (tokenize.TokenError, SyntaxError):
        pass
    return found
