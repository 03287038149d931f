"""Quantities gathered in reading order: a plan whose shapes fit, names, printed figures, and what is left."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from symattn.base.errors import FormulaError, SymattnError, cut
from symattn.base.parentheses import Precedence, precedence
from symattn.base.shapes import Axis
from symattn.checking.adopt.formula_text import number_text
from symattn.checking.adopt.model import Adopted, AxesCount, LeftOver
from symattn.checking.adopt.naming import another_name, legal_name
from symattn.checking.reading.tree import Combined, Expressed, FigureRead, GridRead
from symattn.checking.source import Readable
from symattn.read.formula import FUNCTIONS, is_name, read_formula
from symattn.read.plan import Plan
from symattn.read.scenario.notation import parse_notation

TextRows = tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class PrintedValue:
    """Rows of figures, each as an exact number, and how many axes they have."""

    rows: TextRows
    axes: AxesCount

    @property
    def sizes(self) -> tuple[int, int]:
        """Rows and columns."""
        return len(self.rows), len(self.rows[0])

    @property
    def is_line(self) -> bool:
        """Whether it is one row or one column."""
        return 1 in self.sizes

    def fits(self, sizes: tuple[object, object]) -> bool:
        """Whether it may be what something of that shape prints; a vector lies or stands."""
        return sizes == self.sizes or (self.is_line and sizes == self.sizes[::-1])

    def laid(self, sizes: tuple[object, object]) -> TextRows:
        """The rows as something of that shape has them, where the document has a column for a row."""
        return tuple(zip(*self.rows, strict=True)) if sizes != self.sizes and self.is_line else self.rows

    def as_given(self, is_vector: bool) -> PrintedValue:
        """The value as it is given: a vector is a list, however it stands."""
        if is_vector and self.axes == 2 and self.is_line:
            return PrintedValue((tuple(cell for row in self.rows for cell in row),), 1)
        return self

    @property
    def given_axes(self) -> tuple[int, ...]:
        """The sizes of its axes."""
        return ((), (self.sizes[1],), self.sizes)[self.axes]


def figures_of(written: Expressed) -> PrintedValue | None:
    """The figures of a value; ``None`` of what is more than figures."""
    if (number := _number(written)) is not None:
        return PrintedValue(((number,),), 0)
    while isinstance(written, GridRead) and len(written.rows) == len(written.rows[0] if written.rows else ()) == 1:
        inside = written.rows[0][0]  # a batch of one
        if not isinstance(inside, GridRead):
            break
        written = inside
    if not isinstance(written, GridRead) or not written.rows or not written.rows[0]:
        return None
    rows = tuple(tuple(_number(cell) for cell in row) for row in written.rows)
    if len({len(row) for row in rows}) > 1 or any(cell is None for row in rows for cell in row):
        return None
    return PrintedValue(tuple(tuple(cell or "" for cell in row) for row in rows), 1 if written.axes == 1 else 2)


def _number(written: Expressed) -> str | None:
    """A figure, or a power of ten with its sign, as masks have it."""
    match written:
        case FigureRead():
            return number_text(written)
        case Combined(op="neg", args=(inside,)) if not isinstance(inside, Combined) or inside.op == "^":
            text = _number(inside)
            return None if text is None else text[1:] if text.startswith("-") else f"-{text}"
        case Combined(op="^", args=(FigureRead() as base, FigureRead() as power)) if _is_ten(base, power):
            return f"{number_text(base)}^{number_text(power)}"
    return None


def _is_ten(base: FigureRead, power: FigureRead) -> bool:
    return abs(base.value or 0) == 10 and power.value is not None and power.value.denominator == 1


_SIZE = re.compile(r"(d(_\w+)?|[nhmNTLH](_\w+)?|seq_len|head_dim)\Z")
_COUNT = re.compile(r"\d{1,4}(\s*(\\times|×|x)\s*\d{1,4})*\Z")
"""A number in words, such as that of a row, or a shape."""

_SHORT = 10
"""Characters of a name that is made of a formula."""

_AGAIN = re.compile(r"\(?\w+\)?\[\d+(, \d+)?\]")
_WITHIN = 4
"""How often names are put in names."""

_HIDDEN = re.compile(r"-(oo|10\^\d+|\d{4,}(\.0+)?)\Z")
_ZERO = re.compile(r"-?0(\.0*)?\Z")
_DIGIT = re.compile(r"\d")
_SIGNS = {" @ ": "", ".T": "_T", " / ": "_by_", " + ": "_plus_", " - ": "_minus_"}
_LONELY = "a number that nothing follows from"
PASSING = "worked out in passing"


@dataclass
class Gathered:
    """What has been gathered so far."""

    document: Readable
    quantities: dict[str, Adopted] = field(default_factory=dict)
    left: list[LeftOver] = field(default_factory=list)
    names: dict[str, str] = field(default_factory=dict)
    """The names of the scenario by keys of the document's."""
    plan: Plan = field(default_factory=Plan)
    formulas: dict[str, str] = field(default_factory=dict)
    """The name of each formula."""
    section: str = ""
    """The heading that is read."""

    def leave(self, start: int, end: int, why: str) -> None:
        """What has figures and is not taken over stands as a comment."""
        text = " ".join(self.document.text[start:end].split())
        if _DIGIT.search(text) and not _COUNT.match(text):
            self.left.append(LeftOver(self.document.position(start)[0], text, why, self.section))

    def lonely_numbers(self) -> list[Adopted]:
        """Numbers by themselves, which are many in any text: index = 1."""
        used = {name for step in self.plan.steps for name in step.uses}
        return [e for e in self.quantities.values() if e.is_given and e.axes == 0 and e.name not in used]

    def result(self) -> tuple[tuple[Adopted, ...], tuple[LeftOver, ...]]:
        """The quantities, and what is left."""
        lonely = self.lonely_numbers()
        kept = tuple(each for each in self.quantities.values() if each not in lonely)
        alone = [LeftOver(e.line, f"{e.name} = {e.figures[0][0]}", _LONELY, e.section) for e in lonely]
        return kept, tuple(sorted([*self.left, *alone], key=lambda each: each.line))

    def formula(self, text: str, printed: PrintedValue | None) -> str:
        """A formula over what is known, with names for what has one.

        Raises :class:`~symattn.base.errors.FormulaError` where it does not read, or gives other than is printed;
        :class:`~symattn.base.errors.ShapeError` where shapes do not fit.
        """
        shape = read_formula(text, self.plan.scope).shape
        if printed is not None and not printed.fits(shape.sizes):
            rows, columns = printed.sizes
            raise FormulaError(f"{cut(text)} is {shape}, and {rows} × {columns} figures are printed")
        return _with_names(text, self.formulas)

    # -- what is defined -----------------------------------------------------------------------------------------------

    def define(self, key: str, name: str, notation: str, formula: str, printed: PrintedValue | None, start: int) -> str:
        """A name with a formula, with figures, or with both; the name that the scenario has for it.

        Raises :class:`~symattn.base.errors.FormulaError` where it has neither, or has other figures already.
        """
        if key in self.names:
            self.again(self.names[key], printed)
            return self.names[key]
        name = another_name(name, {*FUNCTIONS, *self.quantities})
        figures, axes, is_size = self._step(name, formula, printed) if formula else self._given(name, printed)
        line = self.document.position(start)[0]
        self.quantities[name] = Adopted(name, formula, figures, axes, is_size, notation, self.section, line)
        self.names[key] = name
        return name

    def unnamed(self, formula: str, printed: PrintedValue | None, start: int) -> str:
        """``QK^T = [[…]]``: a step that the scenario has to name; the name.

        Raises :class:`~symattn.base.errors.FormulaError` for numbers on the way and for figures alone.
        """
        if printed is None:
            raise FormulaError(PASSING)
        if formula in self.plan.by_name:
            self.again(formula, printed)
            return formula
        if _AGAIN.fullmatch(formula):
            raise FormulaError(f"{formula} again")
        step = self.plan.step("worked", formula)["worked"] if "worked" not in self.plan.by_name else None
        if step is None or step.shape.ndim == 0 or not step.uses:
            raise FormulaError(PASSING)
        return self.define(f"={formula}", _name_of(formula), _as_notation(formula), formula, printed, start)

    def nameless(self, printed: PrintedValue, start: int) -> str:
        """A matrix of figures that has no name and follows from nothing; the name that it gets.

        Raises :class:`~symattn.base.errors.FormulaError` where it stands there again.
        """
        turned = tuple(zip(*printed.rows, strict=True))
        for name, each in self.quantities.items():
            if each.figures in (printed.rows, turned):
                raise FormulaError(f"{name} again")
        return self.define(f"[{len(self.quantities)}]", "M", "", "", printed, start)

    def again(self, name: str, printed: PrintedValue | None) -> None:
        """A name that is there already: figures that it has not yet are its own.

        Raises :class:`~symattn.base.errors.FormulaError` for other figures than it has.
        """
        before = self.quantities[name]
        sizes = self.plan[name].shape.sizes if name in self.plan.by_name else None
        if printed is None or before.figures == printed.rows:
            return
        if sizes is not None and printed.fits(sizes):
            figures = printed.laid(sizes)
            if before.figures in (figures, printed.as_given(True).rows):
                return
            if before.is_step and not before.figures:
                self.quantities[name] = replace(before, figures=figures)
                return
        raise FormulaError(f"{name} has other figures already")

    def masked(self, printed: PrintedValue) -> str:
        """A mask, or figures of something earlier with a mask: −∞ behind the diagonal, or −10^9."""
        rows, size = printed.rows, printed.sizes[0]
        if printed.sizes[1] != size or size == 1:
            return ""
        hidden = {rows[i][j] for i in range(size) for j in range(i + 1, size)}
        seen = {rows[i][j] for i in range(size) for j in range(i + 1)}
        value = hidden.pop()
        if hidden or value in seen or not _HIDDEN.match(value):
            return ""
        mask = f"causal_mask({size})" if value == "-oo" else f"causal_mask({size}, {value})"
        if all(_ZERO.match(each) for each in seen):
            return mask
        for name, before in reversed(self.quantities.items()):
            figures = before.figures
            if len(figures) == len(figures[0] if figures else ()) == size and all(
                figures[i][: i + 1] == rows[i][: i + 1] for i in range(size)
            ):
                return f"{name} + {mask}"
        return ""

    def _step(self, name: str, formula: str, printed: PrintedValue | None) -> tuple[TextRows, AxesCount, bool]:
        self.plan = self.plan.step(name, formula)
        step = self.plan[name]
        if not is_name(formula) and step.uses:
            self.formulas[formula] = name
        return () if printed is None else printed.laid(step.shape.sizes), 2, False

    def _given(self, name: str, printed: PrintedValue | None) -> tuple[TextRows, AxesCount, bool]:
        if printed is None:
            raise FormulaError("neither figures nor a formula")
        given = printed.as_given(name[0].islower())
        number = given.rows[0][0]
        is_size = given.axes == 0 and bool(_SIZE.match(name)) and number.isdigit() and int(number) > 0
        if is_size:
            self.plan = replace(self.plan, sizes={**self.plan.sizes, name: int(number)})
        else:
            self.plan = self.plan.given_along(name, tuple(map(Axis, given.given_axes)))
        return given.rows, given.axes, is_size


def _with_names(text: str, formulas: Mapping[str, str]) -> str:
    """A formula with the names of what it is made of: ``QK_T / sqrt(d_k)`` where ``QK_T`` is ``Q @ K.T``.

    >>> _with_names("softmax(Q @ K.T / sqrt(2)) @ V", {"Q @ K.T": "S", "softmax(S / sqrt(2))": "A"})
    'A @ V'
    """
    known = sorted(formulas.items(), key=lambda pair: -len(pair[0]))
    for _ in range(_WITHIN):
        before = text
        for formula, name in known:
            if text == formula:
                return name
            if " " in formula or "(" in formula:
                text = _replaced(text, formula, name)
        if text == before:
            break
    return text


def _replaced(text: str, formula: str, name: str) -> str:
    """With a name for a formula where it is an argument by itself, or the first factor."""
    behind = r"$|[),]" if precedence(formula) < Precedence.PRODUCT else r"$|[),]| [-+*/@] "
    pieces = re.compile(rf"(^|\(|, ){re.escape(formula)}(?={behind})")
    return pieces.sub(lambda found: f"{found[1]}{name}", text)


def _name_of(formula: str) -> str:
    """``QK_T`` of ``Q @ K.T``; of what is long a letter that pages have for such.

    >>> _name_of("Q @ K.T"), _name_of("softmax(QK_T / sqrt(d_k))"), _name_of("softmax(QK_T / sqrt(d_k)) @ V")
    ('QK_T', 'A', 'Z')
    """
    short = formula
    for sign, word in _SIGNS.items():
        short = short.replace(sign, word)
    if len(short) <= _SHORT and re.fullmatch(r"\w+", short):
        return legal_name(short)
    outer = re.sub(r"\(.*\)", "", formula)
    if re.match(r"(softmax|proportions)\b", outer):
        return "Z" if "@" in outer else "A"
    return "S" if "/ sqrt" in outer else "Z"


def _as_notation(formula: str) -> str:
    try:
        parse_notation(formula)
    except SymattnError:
        return ""
    return formula
