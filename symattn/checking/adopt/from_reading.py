"""Quantities straight from what was read, where a document writes its formulas: nothing is searched for.

A chain ``Q = XW_Q = [[…]]`` is a step with the figures that the document prints; a name with figures alone is a given;
a formula without a name, ``QK^T = [[…]]``, gets one. What has figures and is none of these is left over.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from symattn.checking.adopt.formula_text import formula_piece, number_text
from symattn.checking.adopt.model import Adopted, LeftOver
from symattn.checking.adopt.naming import (
    another_name,
    legal_name,
    name_key,
    notation_of,
    plain_name,
    square_key,
    square_name,
)
from symattn.checking.adopt.pieces import FormulaPiece
from symattn.checking.reading.tree import (
    Applied,
    FigureRead,
    GridRead,
    NameRead,
    Reading,
    Said,
    Side,
    Statement,
    Written,
)
from symattn.checking.source import Document
from symattn.errors import FormulaError, SymattnError, cut
from symattn.formula import FUNCTIONS, is_name, read_formula
from symattn.plan import Plan
from symattn.scenario.notation import parse_notation
from symattn.shapes import Axis

_SIZE = re.compile(r"(d(_\w+)?|[nhmNTLH](_\w+)?|seq_len|head_dim)\Z")
_LONELY = "a number that nothing follows from"
_COUNT = re.compile(r"\d{1,3}\Z")
"""A number in words, such as that of a row."""

_LETTER = re.compile(r"(?<![A-Za-z_])(?!(?:exp|sqrt|softmax|oo|dot|gelu|relu|log)\b)[A-Za-z_]\w*")
_DIGIT = re.compile(r"\d")

PrintedRows = tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class ReadQuantities:
    """What a document has of quantities, and what was left."""

    quantities: tuple[Adopted, ...]
    left_over: tuple[LeftOver, ...]
    title: str = ""
    tokens: tuple[str, ...] = ()


def quantities_of(reading: Reading, document: Document) -> ReadQuantities:
    """The quantities of a document in reading order."""
    gatherer = _Gatherer(document)
    for told in reading.told:
        if isinstance(told, Said):
            gatherer.hear(told)
        elif isinstance(told, Statement):
            gatherer.take(told)
    for unread in reading.unread:
        gatherer.leave(unread.start, unread.end, unread.why)
    lonely = gatherer.lonely_numbers()
    kept = tuple(each for each in gatherer.quantities.values() if each not in lonely)
    left = [*gatherer.left, *(LeftOver(e.line, f"{e.name} = {e.figures[0][0]}", _LONELY, e.section) for e in lonely)]
    return ReadQuantities(kept, tuple(sorted(left, key=lambda each: each.line)), gatherer.title, gatherer.tokens)


def figures_of(written: Written) -> tuple[PrintedRows, int] | None:
    """The figures of a value and how many axes it has; ``None`` of what is more than figures."""
    if (number := _number(written)) is not None:
        return ((number,),), 0
    if not isinstance(written, GridRead) or not written.rows or not written.rows[0]:
        return None
    rows = tuple(tuple(_number(cell) for cell in row) for row in written.rows)
    if len({len(row) for row in rows}) > 1 or any(cell is None for row in rows for cell in row):
        return None
    return tuple(tuple(cell or "" for cell in row) for row in rows), written.axes


def _number(written: Written) -> str | None:
    if isinstance(written, FigureRead):
        return number_text(written)
    if isinstance(written, Applied) and written.op == "neg" and isinstance(written.args[0], FigureRead):
        text = number_text(written.args[0])
        return text[1:] if text.startswith("-") else f"-{text}"
    return None


@dataclass
class _Gatherer:
    """What has been gathered so far, in reading order."""

    document: Document
    quantities: dict[str, Adopted] = field(default_factory=dict)
    left: list[LeftOver] = field(default_factory=list)
    title: str = ""
    section: str = ""
    heading: int = 0
    """The line of the last heading."""
    tokens: tuple[str, ...] = ()
    names: dict[str, str] = field(default_factory=dict)
    """The names of the scenario by keys of the document's."""
    plan: Plan = field(default_factory=Plan)
    formulas: dict[str, str] = field(default_factory=dict)
    """The name of each formula."""

    def hear(self, said: Said) -> None:
        if not said.is_heading:
            return
        line = self.document.position(said.start)[0]
        text = " ".join(said.text.split()).strip(" :：,，.。")
        if line == self.heading or not text:  # words behind a formula in a heading
            return
        self.title, self.section, self.heading = self.title or text, text, line

    def leave(self, start: int, end: int, why: str) -> None:
        """What has figures and is not taken over stands as a comment."""
        text = " ".join(self.document.text[start:end].split())
        if _DIGIT.search(text) and not _COUNT.match(text):
            self.left.append(LeftOver(self.document.position(start)[0], text, why, self.section))

    def lonely_numbers(self) -> list[Adopted]:
        """Numbers by themselves, which are many in any text: index = 1."""
        used = {name for step in self.plan.steps for name in step.uses}
        return [e for e in self.quantities.values() if e.is_given and e.axes == 0 and e.name not in used]

    # -- statements ----------------------------------------------------------------------------------------------------

    def take(self, statement: Statement) -> None:
        """A chain: names, then formulas, then figures."""
        sides = [side.of for side in _chain(statement)]
        try:
            taken = self._took(sides, statement)
        except SymattnError as error:
            self.leave(statement.start, statement.end, str(error))
            return
        if not taken:
            self.leave(statement.start, statement.end, "no name that figures or a formula belong to")

    def _took(self, sides: Sequence[Written], statement: Statement) -> bool:
        targets, rest = _targets(_turned_side(sides, self.names), self.names)
        values = [value for side in rest if (value := figures_of(side)) is not None]
        printed = values[-1] if values else None
        formula, why = self._formula(rest, printed)
        if not targets and formula is not None:
            return self._unnamed(formula, printed, statement)
        for target in targets:
            self._define(target, formula, printed, statement, why)
        return bool(targets)

    def _formula(
        self, sides: Sequence[Written], printed: tuple[PrintedRows, int] | None
    ) -> tuple[FormulaPiece | None, str]:
        """The first side that is a formula over what is known; names that only it has are those of literal sides."""
        why = ""
        for side in sides:
            if figures_of(side) is not None or not _has_names(side):
                continue
            for other in sides:
                if other is not side:
                    self._fill(side, other)
            try:
                return self._piece(side, printed), ""
            except FormulaError as error:
                why = why or str(error)
        for side in sides:
            if figures_of(side) is None and not _has_names(side):
                try:
                    return self._piece(self._named(side), printed), ""
                except FormulaError as error:
                    why = why or str(error)
        return None, why

    def _piece(self, side: Written, printed: tuple[PrintedRows, int] | None) -> FormulaPiece:
        """The formula that a side is, which gives as many figures as are printed."""
        piece = formula_piece(side, self.names, self._shapes())
        shape = read_formula(piece.text, self.plan.scope).shape
        if printed is not None and shape.sizes not in _layouts(printed):
            raise FormulaError(f"{cut(piece.text)} is {shape}, and {_layouts(printed)[0]} figures are printed")
        axes = tuple(int(axis.size) for axis in shape.axes)
        return FormulaPiece(_with_names(piece.text, self.formulas), axes)

    def _shapes(self) -> dict[str, tuple[int, ...]]:
        shapes = {step.name: tuple(int(axis.size) for axis in step.shape.axes) for step in self.plan.steps}
        return shapes | dict.fromkeys(self.plan.sizes, ())

    def _fill(self, named: Written, literal: Written) -> None:
        """Names that are new are given by the figures that stand in their place, ``XW = [[…]][[…]]``."""
        waiting = [(named, literal)]
        while waiting:
            one, other = waiting.pop()
            if isinstance(one, NameRead) and name_key(one) not in self.names:
                value = figures_of(other)
                if value is not None and value[1] > 0:
                    self._define(one, None, value, Statement((), other.start, other.end), "")
            elif (
                isinstance(one, Applied)
                and isinstance(other, Applied)
                and _op(one) == _op(other)
                and len(one.args) == len(other.args)
            ):
                waiting += zip(one.args, other.args, strict=True)

    def _named(self, written: Written, depth: int = 0) -> Written:
        """A literal formula with names for the grids that a name has."""
        if depth > 60:
            raise FormulaError("nested too deep")
        if isinstance(written, GridRead) and (value := figures_of(written)) is not None:
            for name, quantity in reversed(self.quantities.items()):
                if quantity.figures == value[0] and not quantity.is_size:
                    key = next(key for key, called in self.names.items() if called == name)
                    return NameRead(key, (), (), (), written.start, written.end)
        if isinstance(written, Applied):
            return replace(written, args=tuple(self._named(arg, depth + 1) for arg in written.args))
        return written

    # -- what is defined -----------------------------------------------------------------------------------------------

    def _define(
        self,
        target: NameRead | Applied,
        formula: FormulaPiece | None,
        printed: tuple[PrintedRows, int] | None,
        statement: Statement,
        why: str,
    ) -> None:
        key, name, notation = _called(target)
        if key in self.names:
            self._again(self.names[key], formula, printed, statement)
            return
        if formula is None and printed is None:
            raise FormulaError(why or "neither figures nor a formula")
        name = another_name(name, {*FUNCTIONS, *self.quantities})
        self._add(key, name, notation, formula, printed, statement)

    def _again(
        self, name: str, formula: FormulaPiece | None, printed: tuple[PrintedRows, int] | None, statement: Statement
    ) -> None:
        """A name that is there already: figures that it has not yet are its own; other figures are left over."""
        before = self.quantities[name]
        if printed is None or before.figures in (printed[0], self._laid(name, printed[0])):
            return
        if before.is_step and not before.figures and self._fits(name, printed[0]):
            self.quantities[name] = replace(before, figures=self._laid(name, printed[0]))
            return
        raise FormulaError(f"{name} has other figures already")

    def _fits(self, name: str, figures: PrintedRows) -> bool:
        return self.plan[name].shape.sizes in _layouts((figures, 2))

    def _laid(self, name: str, figures: PrintedRows) -> PrintedRows:
        """The figures as the page has them, where the document has a column for a row."""
        if (
            not figures
            or name not in self.plan.by_name
            or self.plan[name].shape.sizes != (len(figures[0]), len(figures))
        ):
            return figures
        return tuple(zip(*figures, strict=True)) if 1 in (len(figures), len(figures[0])) else figures

    def _masked(self, figures: PrintedRows) -> FormulaPiece | None:
        """Figures of something earlier, and −∞ behind the diagonal."""
        size = len(figures)
        if len(figures[0]) != size or size == 1:
            return None
        if any((figures[i][j] == "-oo") != (j > i) for i in range(size) for j in range(size)):
            return None
        for name, before in reversed(self.quantities.items()):
            rows = before.figures
            if len(rows) == len(rows[0] if rows else ()) == size and all(
                rows[i][j] == figures[i][j] for i in range(size) for j in range(i + 1)
            ):
                return FormulaPiece(f"{name} + causal_mask({size})", (size, size))
        return None

    def _unnamed(self, formula: FormulaPiece, printed: tuple[PrintedRows, int] | None, statement: Statement) -> bool:
        """``QK^T = [[…]]``: a step that the scenario has to name."""
        if printed is None or formula.axes == () or not _LETTER.search(formula.text):
            raise FormulaError("worked out in passing")
        if formula.text in self.plan.by_name:
            self._again(formula.text, None, printed, statement)
            return True
        name = another_name(_name_of(formula.text), {*FUNCTIONS, *self.quantities})
        self._add(f"={formula.text}", name, _as_notation(formula.text), formula, printed, statement)
        return True

    def _add(
        self,
        key: str,
        name: str,
        notation: str,
        formula: FormulaPiece | None,
        printed: tuple[PrintedRows, int] | None,
        statement: Statement,
    ) -> None:
        figures, axes = printed if printed is not None else ((), 2)
        if formula is None and axes == 2:
            formula = self._masked(figures)
        if formula is None and name[0].islower() and axes == 2 and 1 in (len(figures), len(figures[0])):
            figures, axes = (tuple(cell for row in figures for cell in row),), 1  # a vector that stands or lies
        line = self.document.position(statement.start)[0]
        size = formula is None and axes == 0 and _SIZE.match(name) and figures[0][0].isdigit()
        adopted = Adopted(
            name,
            formula.text if formula is not None else "",
            figures,
            (0, 1, 2)[axes] if formula is None else 2,
            bool(size) and int(figures[0][0]) > 0,
            notation,
            self.section,
            line,
        )
        if adopted.is_size:
            self.plan = replace(self.plan, sizes={**self.plan.sizes, name: int(figures[0][0])})
        elif formula is not None:
            self.plan = self.plan.step(name, formula.text)
            adopted = replace(adopted, figures=self._laid(name, figures))
            if not is_name(formula.text) and self.plan[name].uses:
                self.formulas[formula.text] = name
        else:
            sizes = ((), (len(figures[0]),), (len(figures), len(figures[0])))[axes]
            self.plan = self.plan.given_along(name, tuple(map(Axis, sizes)))
        self.quantities[name] = adopted
        self.names[key] = name


def _chain(statement: Statement) -> list[Side]:
    """The sides up to where the chain goes over to something else."""
    sides: list[Side] = []
    for side in statement.sides:
        if side.relation in ("∈", "<", ">", "≠", "→"):
            break
        sides.append(side)
    return sides


def _layouts(printed: tuple[PrintedRows, int]) -> list[tuple[int, int]]:
    """The sizes that figures may be of: a vector may lie or stand."""
    rows, columns = len(printed[0]), len(printed[0][0])
    return [(rows, columns), (columns, rows)] if 1 in (rows, columns) else [(rows, columns)]


def _op(applied: Applied) -> str:
    return "*" if applied.op == "@" else applied.op


def _targets(sides: Sequence[Written], names: Mapping[str, str]) -> tuple[list[NameRead | Applied], Sequence[Written]]:
    """The names that a chain begins with, and the sides behind them; the last side is never a name that it defines."""
    targets: list[NameRead | Applied] = []
    *before, last = sides
    if before and isinstance(last, NameRead) and name_key(last) not in names and not isinstance(before[0], NameRead):
        return [last], before  # X + H = R
    for place, side in enumerate(sides):
        is_last = place == len(sides) - 1
        if not (isinstance(side, NameRead) or _is_definition(side)) or is_last:
            return targets, sides[place:]
        assert isinstance(side, NameRead | Applied)
        targets.append(side)
    return targets, ()


def _turned_side(sides: Sequence[Written], names: Mapping[str, str]) -> Sequence[Written]:
    """``A^T = [[…]]`` of an A that is new says what A is."""
    first = sides[0]
    if not (isinstance(first, Applied) and first.op == "T" and isinstance(first.args[0], NameRead)):
        return sides
    value = figures_of(sides[-1])
    grid = sides[-1]
    if name_key(first.args[0]) in names or value is None or not isinstance(grid, GridRead):
        return sides
    return [first.args[0], replace(grid, rows=tuple(zip(*grid.rows, strict=True)), labels=grid.labels[::-1])]


def _is_definition(side: Written) -> bool:
    """``σ²``, or ``FFN(x)``, which is a name with what it is of."""
    if not isinstance(side, Applied):
        return False
    if side.op == "^":
        base, exponent = side.args
        return isinstance(base, NameRead) and isinstance(exponent, FigureRead) and exponent.value == 2
    called = side.op.removeprefix("call:")
    return side.op.startswith("call:") and called not in FUNCTIONS and called.lower() not in FUNCTIONS


def _called(target: NameRead | Applied) -> tuple[str, str, str]:
    """The key, the name and the notation of what a chain defines."""
    if isinstance(target, NameRead):
        return name_key(target), plain_name(target), notation_of(target)
    base = target.args[0] if target.args else None
    if target.op == "^" and isinstance(base, NameRead):
        return square_key(base), square_name(base), ""
    called = target.op.removeprefix("call:")
    of = [name_key(arg) for arg in target.args if isinstance(arg, NameRead)]
    return f"{called}({','.join(of)})", legal_name(called), ""


def _has_names(written: Written) -> bool:
    return any(isinstance(each, NameRead) and each.base not in ("e", "π") for each in _walk(written))


def _walk(written: Written) -> Iterator[Written]:
    waiting = [written]
    while waiting:
        each = waiting.pop()
        yield each
        if isinstance(each, Applied):
            waiting.extend(each.args)
        elif isinstance(each, GridRead):
            waiting.extend(cell for row in each.rows for cell in row)


def _with_names(text: str, formulas: dict[str, str]) -> str:
    """A formula with the names of what it is made of: ``QK_T / sqrt(d_k)`` where ``QK_T`` is ``Q @ K.T``."""
    for formula, name in sorted(formulas.items(), key=lambda pair: -len(pair[0])):
        if text == formula:
            return name
        if "(" in formula or "/" not in formula:
            text = _replaced(text, formula, name)
    return text


def _replaced(text: str, formula: str, name: str) -> str:
    """With a name for a formula where it is an argument by itself, or the first factor."""
    if " " not in formula:
        return text
    pieces = re.compile(rf"(^|\(){re.escape(formula)}(?=$|\)| /)")
    return pieces.sub(lambda found: found[1] + name, text)


def _name_of(formula: str) -> str:
    """``QK_T`` of ``Q @ K.T``."""
    return legal_name(cut(formula.replace(" @ ", "").replace(".T", "_T").replace(" / ", "_by_"), 30))


def _as_notation(formula: str) -> str:
    try:
        parse_notation(formula)
    except SymattnError:
        return ""
    return formula
