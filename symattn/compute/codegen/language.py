"""What a language is for a program: a table of rules, texts for helper functions, the layout of givens.

Each has a folder in ``languages/``: ``language.toml`` is the table, ``helpers.*`` the functions written by hand. A text
of the table has blanks, which parts of a program take the place of; a key may be several names for one text, in which
``{f}`` is the name. What a language does not say itself is said by the one that it is ``like``. ``types`` finds lines
of its functions that only a checker of types reads, and no program has.
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
"""Characters of one line of a program, where numbers allow it."""

LARGEST_WHOLE = 10**300
"""Whole numbers from here on are refused: double precision ends soon after."""


@dataclass(frozen=True)
class Spelling:
    """What a helper function is put together from. ``{0}``, ``{1}``, … are pieces; ``{m}``, ``{n}`` lengths.

    Whole arrays have two axes in NumPy, PyTorch and Julia: what depends on the row only is a column. In R it is a
    vector (``vectors``), and what depends on the column only is repeated for every row before it meets a matrix.
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
    """Signs of arithmetic and of comparison that are not the same in all languages."""
    case: str
    """The same for a condition on plain numbers."""
    long_case: str
    """The same on several lines, for the entry of a result."""
    both: tuple[str, str]
    """Between conditions that hold together: of arrays, of plain numbers."""
    sizes: tuple[str, str]
    """How many rows and columns a matrix has."""
    first: int
    """What the first row is counted as."""
    entry: str
    """One entry of a matrix."""
    named: tuple[str, str]
    """An entry of what a loop made: with one index, with two."""
    loops: Mapping[str, str]
    """What goes over indices entry by entry: ``sum``, ``max``, ``list``, ``rows``, and the result: ``matrix``,
    ``column``, ``row``, ``single``."""
    rounded: str
    """A whole number that a division has made, as a place."""
    entries_only: bool = False
    """Whether there are no whole arrays: functions go from entry to entry, and signs between matrices are calls."""
    product: str = ""
    transposed: str = ""
    choice: str = ""
    """One thing where a condition holds in an array, and another one elsewhere."""
    over: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    """A sum or the largest along the columns, and along a row."""
    indices: tuple[str, str] = ("", "")
    """The places from 1 as an array, for the row and for the column."""
    full: str = ""
    """An array that is repeated along the axes it lacks."""
    filled: str = ""
    """The same of a plain number."""
    begin: str = ""
    """Before a name that is given a value."""
    end: str = ""
    """Behind every statement."""
    keeps_domains: bool = True
    """Whether equations see to it that rounding leads no number out of the domain of an arccosine or a root."""
    unknown: str = ""
    """A case, behind what says of the numbers compared in it whether one has no value; else nobody asks."""
    short_function: str = ""
    """A function that is its result alone, where it is written otherwise."""
    dots: bool = False
    """Whether signs between arrays have a dot."""
    vectors: bool = False
    tensor: str = "{0}"
    """A plain number where an array has to be."""
    overflow: str = ""
    """What stands above a function in which an exponential may overflow on the way to a number that does not."""

    def assigned(self, name: str, value: str) -> str:
        """A line that gives a name its value."""
        return f"{self.begin}{name}{self.assign}{value}{self.end}"


@dataclass(frozen=True)
class MatrixLiteral:
    """How a given is written."""

    row: str
    """A single row that fits in a line."""
    rows: str
    line: str
    """One row of several, which begins with ``start`` and goes on with ``indent`` where it is longer than ``width``."""
    start: str = ""
    indent: str = ""
    width: int = LINE
    separator: str = ", "
    between: str = "\n"
    column: str = ""
    """A single column, where it is written otherwise."""
    here: tuple[str, str, str] = ("[{}]", "[{}]", ", ")
    """A list within a formula, one row of it, and what stands between two."""

    def within(self, entries: list[list[str]]) -> str:
        """The entries as they stand in a formula."""
        whole, row, between = self.here
        if self.column and len(entries[0]) == 1:
            return self.column.format(cells=", ".join(row[0] for row in entries), m=len(entries))
        if self.separator == " ":
            entries = [["".join(cell.split()) for cell in row] for row in entries]
        return whole.format(between.join(row.format(self.separator.join(cells)) for cells in entries))

    def of(self, entries: list[list[str]], before: int = 0) -> str:
        """The matrix with these entries, behind so many characters."""
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
    """One language. The texts it is made of are written by people; only names and numbers are put into them."""

    name: str
    """What it is called in errors."""
    fence: str
    """What Markdown calls it."""
    comment: str
    """How a shape is noted behind an assignment, or nothing."""
    infinity: str
    """As it is written in a program, and printed."""
    suffix: str
    """Behind a reserved name."""
    reserved: frozenset[str]
    """Names with a meaning in the language, or in the programs written here."""
    avoided: frozenset[str]
    """Names that nothing inside a helper function may have."""
    as_written: re.Pattern[str]
    """The numbers that the language reads as they are written; anything else is written anew from its value."""
    rules: Mapping[str, tuple[str, str]]
    """What the language has a call of its own for, and how tightly that binds: by the class of a node, or the name of a
    record without a class."""
    helpers: Mapping[str, str]
    """The functions that a program may need, by name; a program holds only those it calls."""
    spelling: Spelling
    """How equations are written, for the functions that are derived from them."""
    given: MatrixLiteral
    head: tuple[tuple[str, Mapping[str, str]], ...]
    """What stands above everything else: lines, and what the names in them are known by in the rest."""
    comments: str = "#.*"
    """What of a program is no code."""
    largest_whole: int = LARGEST_WHOLE
    """Whole numbers from here on get a decimal point, for a language that would count them as integers."""
    gap: str = "\n\n"
    """Between helper functions and what follows."""
    has_tape: bool = False
    """Whether it works out gradients by itself, as PyTorch does."""

    def imports(self, program: str) -> str:
        """What stands above a program."""
        code = re.sub(self.comments, "", program)
        lines = []
        for text, names in self.head:
            used = [name for name, pattern in names.items() if re.search(pattern, code)]
            if used or not names:
                lines.append(text.format(", ".join(used)))
        return "\n".join(lines)

    def print_matrix(self, decimals: int) -> str:
        """The function that prints a matrix under its name."""
        text = self.helpers["print_matrix"]
        return text.replace("DECIMALS", str(decimals)).replace("HALF", f"5e-{decimals + 1}")


@lru_cache
def read(key: str) -> ProgramLanguage:
    """The language whose folder has that name."""
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
    """Two tables as one; where both speak of something, the other is right."""
    both = {key: _over(one[key], other[key]) for key in one if key in other and isinstance(one[key], Mapping)}
    return {**one, **other, **both}


def _texts(value: Any) -> Any:
    """A text for each name."""
    if not isinstance(value, Mapping):
        return value
    return {name: text.replace("{f}", name) if isinstance(text, str) else text
            for names, text in value.items() for name in names.split()}  # fmt: skip


_DEFINES = re.compile(r"^(?:def |function )?(\w+)(?: <- function)?\(", re.MULTILINE)


def _helpers(folder: Path) -> dict[str, str]:
    """The functions of a file, with the comments above them; the file is a program of its language."""
    text = next(folder.glob("helpers.*")).read_text(encoding="utf-8")
    blocks: Iterable[str] = re.split(r"\n\n+(?=\S)", text.strip())
    return {found[1]: block for block in blocks if (found := _DEFINES.search(block))}
