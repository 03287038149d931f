"""The definition of a programming language: a table of rules, texts for helper functions, the layout of givens.

Each has a folder in ``languages/``: ``language.toml`` is the table, ``helpers.*`` the functions written by hand. A text
of the table has placeholders for parts of a program; a key may be several names for one text, in which ``{f}`` is the
name. A language inherits missing entries from the one that it is ``like``. ``types`` matches lines of its functions
that are for type checkers only and are left out of programs.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from textwrap import TextWrapper
from typing import Any

FOLDER = Path(__file__).parent / "languages"

LINE = 80
"""The line width of a program, unless numbers are longer."""

LARGEST_WHOLE = 10**300
"""Whole numbers from here on are rejected: double precision ends soon after."""


@dataclass(frozen=True)
class Spelling:
    """Templates for helper functions. ``{0}``, ``{1}``, … are pieces; ``{m}``, ``{n}`` lengths.

    Whole arrays have two axes in NumPy, PyTorch and Julia: a value per row is a column. In R it is a vector
    (``vectors``), and a value per column is repeated for every row before it meets a matrix.
    """

    function: str
    """A function from its ``{name}``, ``{parameters}``, ``{comment}``, ``{body}`` and ``{result}``."""
    body: str
    """One line of its body."""
    assign: str
    arrays: Mapping[str, str]
    """The elementary functions of arrays, and of entries of them; ``max:number`` where one of the two is a number."""
    numbers: Mapping[str, str]
    """The same of plain numbers."""
    signs: Mapping[str, str]
    """Arithmetic and comparison operators that differ between languages."""
    case: str
    """The same for a condition on plain numbers."""
    long_case: str
    """The same on several lines, for the entry of a result."""
    both: tuple[str, str]
    """The operators that join conditions: of arrays, of plain numbers."""
    sizes: tuple[str, str]
    """The number of rows and of columns of a matrix."""
    first: int
    """The index of the first row."""
    entry: str
    """One entry of a matrix."""
    named: tuple[str, str]
    """An entry of an array made by a loop: with one index, with two."""
    loops: Mapping[str, str]
    """Loops over indices, entry by entry: ``sum``, ``max``, ``list``, ``rows``, and the result: ``matrix``, ``column``,
    ``row``, ``single``."""
    rounded: str
    """A whole number from a division, as an index."""
    entries_only: bool = False
    """Whether there are no whole arrays: functions loop over entries, and operators between matrices are calls."""
    product: str = ""
    transposed: str = ""
    choice: str = ""
    """An array with one value where a condition holds and another one elsewhere."""
    over: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    """A sum or a maximum along the columns, and along a row."""
    indices: tuple[str, str] = ("", "")
    """The places from 1 as an array, for the row and for the column."""
    full: str = ""
    """An array that is repeated along the axes it lacks."""
    filled: str = ""
    """The same for a plain number."""
    begin: str = ""
    """The text before a name in an assignment."""
    end: str = ""
    """The text at the end of every statement."""
    keeps_domains: bool = True
    """Whether equations keep rounding from moving the argument of an arccosine or a root out of its domain."""
    unknown: str = ""
    """A case, preceded by a test whether a compared number has no value; without it there is no test."""
    short_function: str = ""
    """The form of a function that consists of its result alone, where it differs."""
    dots: bool = False
    """Whether operators between arrays have a dot."""
    vectors: bool = False
    tensor: str = "{0}"
    """A plain number where an array is required."""
    overflow: str = ""
    """The text above a function in which an exponential may overflow although the result does not."""

    def assigned(self, name: str, value: str) -> str:
        """Return a line that assigns a value to a name."""
        return f"{self.begin}{name}{self.assign}{value}{self.end}"


@dataclass(frozen=True)
class MatrixLiteral:
    """The notation of a given matrix."""

    row: str
    """A single row that fits on a line."""
    rows: str
    line: str
    """One row of several, which begins with ``start`` and continues with ``indent`` beyond ``width`` characters."""
    start: str = ""
    indent: str = ""
    width: int = LINE
    separator: str = ", "
    between: str = "\n"
    column: str = ""
    """A single column, where it is written differently."""
    here: tuple[str, str, str] = ("[{}]", "[{}]", ", ")
    """A list within a formula, one row of it, and the separator between two."""

    def within(self, entries: list[list[str]]) -> str:
        """Return the entries as they are written in a formula."""
        whole, row, between = self.here
        if self.column and len(entries[0]) == 1:
            return self.column.format(cells=", ".join(row[0] for row in entries), m=len(entries))
        if self.separator == " ":
            entries = [["".join(cell.split()) for cell in row] for row in entries]
        return whole.format(between.join(row.format(self.separator.join(cells)) for cells in entries))

    def of(self, entries: list[list[str]], before: int = 0) -> str:
        """Return the matrix with these entries, after a text of ``before`` characters."""
        if self.separator == " ":
            entries = [["".join(cell.split()) for cell in row] for row in entries]
        if self.column and len(entries[0]) == 1:
            return self.column.format(cells=", ".join(row[0] for row in entries), m=len(entries))
        lines = [self.separator.join(row) for row in entries]
        if len(lines) == 1 and before + len(line := self.row.format(cells=lines[0])) <= LINE:
            return line
        lines = [self.line.format(cells=line) for line in lines]
        if self.indent:
            wrapper = TextWrapper(self.width, self.start, self.indent, break_long_words=False, break_on_hyphens=False)
            lines = list(map(wrapper.fill, lines))
        return self.rows.format(lines=self.between.join(lines), m=len(entries))


@dataclass(frozen=True)
class ProgramLanguage:
    """A language. Its texts are written by people; only names and numbers are filled in."""

    name: str
    """Its name in errors."""
    fence: str
    """Its name in Markdown."""
    comment: str
    """The comment that gives a shape after an assignment, or nothing."""
    infinity: str
    """Its notation in a program, and in the output."""
    suffix: str
    """Appended to a reserved name."""
    reserved: frozenset[str]
    """Names with a meaning in the language, or in the programs written here."""
    avoided: frozenset[str]
    """Names to avoid inside helper functions."""
    as_written: re.Pattern[str]
    """The numbers that the language reads as they are written; any other is rewritten from its value."""
    rules: Mapping[str, tuple[str, str]]
    """Built-in calls of the language, and their precedence: by the class of a node, or the name of a record without a
    class."""
    helpers: Mapping[str, str]
    """The functions that a program may need, by name; a program holds only those it calls."""
    spelling: Spelling
    """The notation of equations, for the functions derived from them."""
    given: MatrixLiteral
    head: tuple[tuple[str, Mapping[str, str]], ...]
    """The lines at the top of a program, with a pattern for the use of each name in them."""
    comments: str = "#.*"
    """A pattern for comments."""
    largest_whole: int = LARGEST_WHOLE
    """Whole numbers from here on get a decimal point, for a language that would count them as integers."""
    gap: str = "\n\n"
    """The text between helper functions and the rest."""
    has_tape: bool = False
    """Whether it has automatic differentiation, as PyTorch does."""

    def imports(self, program: str) -> str:
        """Return the import lines that a program needs."""
        code = re.sub(self.comments, "", program)
        lines = []
        for text, names in self.head:
            used = [name for name, pattern in names.items() if re.search(pattern, code)]
            if used or not names:
                lines.append(text.format(", ".join(used)))
        return "\n".join(lines)

    def print_matrix(self, decimals: int) -> str:
        """Return the function that prints a matrix under its name."""
        text = self.helpers["print_matrix"]
        return text.replace("DECIMALS", str(decimals)).replace("HALF", f"5e-{decimals + 1}")


@lru_cache
def read_language(key: str) -> ProgramLanguage:
    """Read the language whose folder has that name."""
    table = _table(FOLDER / key)
    words = frozenset(table.pop("words").split())
    types = table.pop("types", "")
    helpers = {
        name: re.sub(types, "", text, flags=re.MULTILINE) if types else text
        for each in (table.pop("like", None), key)
        if each
        for name, text in _helpers(FOLDER / each).items()
    }
    number = table.pop("number").replace("{whole}", table.pop("whole", ""))
    head = table.pop("head", {})
    return ProgramLanguage(
        reserved=words | frozenset(table.pop("reserved").split()),
        avoided=words | frozenset(table.pop("avoided", "").split()),
        as_written=re.compile(table.pop("as_written").replace("{number}", number), re.ASCII),
        rules={
            name: (rule, "ATOM") if isinstance(rule, str) else (rule[0], rule[1])
            for name, rule in table.pop("rules").items()
        },
        helpers=helpers,
        spelling=Spelling(**{name: _texts(value) for name, value in table.pop("spelling").items()}),
        given=MatrixLiteral(**table.pop("given")),
        head=tuple((line["text"], _texts(line.get("names", {}))) for line in head.pop("lines", ())),
        **head,
        **table,
    )


def _table(folder: Path) -> dict[str, Any]:
    own = tomllib.loads((folder / "language.toml").read_text(encoding="utf-8"))
    return _over(_table(FOLDER / own["like"]), own) if "like" in own else own


def _over(one: Mapping[str, Any], other: Mapping[str, Any]) -> dict[str, Any]:
    """Merge two tables; where both have an entry, the second one wins."""
    both = {key: _over(one[key], other[key]) for key in one if key in other and isinstance(one[key], Mapping)}
    return {**one, **other, **both}


def _texts(value: Any) -> Any:
    """Return a text for each name."""
    if not isinstance(value, Mapping):
        return value
    return {name: text.replace("{f}", name) if isinstance(text, str) else text
            for names, text in value.items() for name in names.split()}  # fmt: skip


_DEFINES = re.compile(r"^(?:def |function )?(\w+)(?: <- function)?\(", re.MULTILINE)


def _helpers(folder: Path) -> dict[str, str]:
    """Read the functions of a file, with the comments above them; the file is a program of its language."""
    text = next(folder.glob("helpers.*")).read_text(encoding="utf-8")
    blocks: Iterable[str] = re.split(r"\n\n+(?=\S)", text.strip())
    return {found[1]: block for block in blocks if (found := _DEFINES.search(block))}
