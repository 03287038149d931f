"""Quantities of a document: from its formulas, and from what search found where it has none.

A chain ``Q = XW_Q = [[…]]`` is a step with the figures that the document prints; a name with figures alone is a given;
a formula without a name, ``QK^T = [[…]]``, gets one. What has figures and is none of these is left over.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace

from symattn.base.errors import FormulaError, SymattnError
from symattn.checking.adopt.formula_text import FormulaPiece, formula_piece
from symattn.checking.adopt.gathered import Gathered, PrintedValue, figures_of
from symattn.checking.adopt.model import Adopted, LeftOver
from symattn.checking.adopt.naming import legal_name, name_key, notation_of, plain_name, square_key
from symattn.checking.following.scope import Followed
from symattn.checking.following.written import called, walk
from symattn.checking.reading.tree import (
    Combined,
    Expressed,
    FigureRead,
    GridRead,
    NameRead,
    ProgramPiece,
    Reading,
    Statement,
    Talk,
)
from symattn.checking.source import Readable
from symattn.read.formula import FUNCTIONS


@dataclass(frozen=True)
class ReadQuantities:
    """What a document has of quantities, and what was left."""

    quantities: tuple[Adopted, ...]
    left_over: tuple[LeftOver, ...]
    title: str = ""
    tokens: tuple[str, ...] = ()


def quantities_of(reading: Reading, document: Readable, followed: Iterable[Followed] = ()) -> ReadQuantities:
    """The quantities of a document in reading order; ``followed`` are those that following it has found."""
    reader = _ChainReader(Gathered(document), document)
    for each in followed:
        reader.followed.setdefault(each.start, []).append(each)
    for told in reading.told:
        if isinstance(told, Talk):
            reader.hear(told)
        elif isinstance(told, Statement | ProgramPiece):
            for formula in told.formulas if isinstance(told, ProgramPiece) else (told,):
                reader.take(formula)
    for unread in reading.unread:
        reader.gathered.leave(unread.start, unread.end, unread.why)
    quantities, left = reader.gathered.result()
    return ReadQuantities(quantities, left, reader.title, reader.tokens)


@dataclass
class _ChainReader:
    """Reads chains one after the other."""

    gathered: Gathered
    document: Readable
    followed: dict[int, list[Followed]] = field(default_factory=dict)
    """What following found, by where statements begin."""
    pending: dict[str, list[Expressed]] = field(default_factory=dict)
    """Formulas of names, by their keys, that came before what is in them."""
    title: str = ""
    heading: int = 0
    """The line of the last heading."""
    tokens: tuple[str, ...] = ()

    def hear(self, said: Talk) -> None:
        """Headings are those of sections, and the first one that of the page."""
        if not said.is_heading:
            return
        line = self.document.position(said.start)[0]
        text = " ".join(said.text.split()).strip(" :：,，.。")
        if line == self.heading or not text:  # words behind a formula in a heading
            return
        self.title, self.heading, self.gathered.section = self.title or text, line, text

    def take(self, statement: Statement) -> None:
        """A chain: names, then formulas, then figures."""
        sides = _turned_side(list(_chain(statement)), self.gathered.names)
        try:
            self._took(sides, statement)
        except SymattnError as error:
            self.gathered.leave(statement.start, statement.end, str(error))

    def _took(self, sides: Sequence[Expressed], statement: Statement) -> None:
        if not sides:
            return
        targets, rest = _targets(sides, self.gathered.names)
        values = [value for side in rest if (value := figures_of(side)) is not None]
        printed = values[-1] if values else None
        announced = self._announced(targets, rest, printed)
        formula, why = self._formula([*rest, *announced], printed)
        if not formula and printed is not None:
            formula = self.gathered.masked(printed) or self._found(targets, printed, statement)
        if not targets and not formula and not why and printed is not None and not printed.is_line:
            self._heard(self.gathered.nameless(printed, statement.start), statement)
            return
        if not targets and not formula:
            raise FormulaError(why or "no name that figures or a formula belong to")
        if not targets:
            # What is worked out in passing stands as it is where something follows from it.
            self._heard(f"({formula})", statement)
            self._heard(self.gathered.unnamed(formula, printed, statement.start), statement)
        if targets and not formula and printed is None:
            raise FormulaError(why or "neither figures nor a formula")
        self._label(rest, printed)
        for target in targets:
            key, name, notation = _called(target)
            if self._is_part(target, formula, printed):
                raise FormulaError("an entry of what is there already")
            if statement.is_code and (name in self.gathered.quantities or formula in self.gathered.quantities):
                # A program says again what formulas have said.
                self.gathered.names.setdefault(key, formula if formula in self.gathered.quantities else name)
                continue
            made = self.gathered.define(key, name, notation, formula, printed, statement.start)
            self._heard(made, statement)

    def _announced(
        self, targets: Sequence[NameRead | Combined], sides: Sequence[Expressed], printed: PrintedValue | None
    ) -> Sequence[Expressed]:
        """The formulas that a name had before, ``dQ = dS K``, while its names were not known."""
        found: list[Expressed] = []
        for target in targets:
            key = _called(target)[0]
            found += self.pending.get(key, ())
            if printed is None:
                self.pending[key] = [side for side in sides if _has_names(side)]
        return found

    def _is_part(self, target: NameRead | Combined, formula: str, printed: PrintedValue | None) -> bool:
        """Whether a name is an entry or a row of something, ``x_{11}`` of X."""
        gathered = self.gathered
        if not isinstance(target, NameRead) or name_key(target) in gathered.names or not (target.below or target.above):
            return False
        try:
            axes = formula_piece(target, gathered.names, gathered.plan.scope).axes
        except FormulaError:
            return False
        if printed is not None:
            return axes == printed.as_given(True).given_axes
        return axes == FormulaPiece(formula, gathered.plan.scope).axes

    def _heard(self, name: str, statement: Statement) -> None:
        """What following calls the same."""
        for each in self.followed.get(statement.start, ()):
            if each.figures:
                self.gathered.names[f"#{each.number}"] = name

    def _label(self, sides: Sequence[Expressed], printed: PrintedValue | None) -> None:
        """Words beside the rows of the first matrix that has some are the tokens."""
        for side in sides:
            if isinstance(side, GridRead) and not self.tokens and all(side.labels[0]) and printed is not None:
                self.tokens = side.labels[0] if len(side.labels[0]) == len(printed.rows) else ()

    # -- formulas ------------------------------------------------------------------------------------------------------

    def _formula(self, sides: Sequence[Expressed], printed: PrintedValue | None) -> tuple[str, str]:
        """The first side that is a formula over what is known; else one of figures; else why there is none."""
        why = ""
        for side in sides:
            if figures_of(side) is not None or not _has_names(side):
                continue
            for other in sides:
                if other is not side:
                    self._fill(side, other)
            try:
                return self._text(side, printed), ""
            except SymattnError as error:
                why = why or str(error)
        for side in sides:
            if figures_of(side) is None and not _has_names(side):
                try:
                    return self._text(self._named(side), printed), ""
                except SymattnError as error:
                    why = why or str(error)
        return "", why

    def _text(self, side: Expressed, printed: PrintedValue | None) -> str:
        piece = formula_piece(side, self.gathered.names, self.gathered.plan.scope)
        return self.gathered.formula(piece.text, printed)

    def _found(self, targets: Sequence[Expressed], printed: PrintedValue, statement: Statement) -> str:
        """What search found for figures that stand there without a formula."""
        names = {str(called(target)) for target in targets if isinstance(target, NameRead)}
        for each in self.followed.get(statement.start, ()):
            if each.is_given or each.formula is None or len(each.figures) != len(printed.rows):
                continue
            if not names or str(each.name) in names:
                with suppress(SymattnError):
                    return self._text(each.formula, printed)
        return ""

    def _fill(self, named: Expressed, literal: Expressed) -> None:
        """Names that are new are given by the figures that stand in their place, ``XW = [[…]][[…]]``."""
        waiting = [(named, literal)]
        while waiting:
            one, other = waiting.pop()
            if isinstance(one, Combined) and one.op == "T" and isinstance(other, GridRead):
                one, other = one.args[0], _turned_grid(other)
            if isinstance(one, NameRead) and _is_definition(one) and name_key(one) not in self.gathered.names:
                value = figures_of(other)
                if value is not None and value.axes > 0 and not self._is_part(one, "", value):
                    key, name, notation = _called(one)
                    self.gathered.define(key, name, notation, "", value, other.start)
            elif (
                isinstance(one, Combined)
                and isinstance(other, Combined)
                and _op(one) == _op(other)
                and len(one.args) == len(other.args)
            ):
                waiting += zip(one.args, other.args, strict=True)

    def _named(self, written: Expressed) -> Expressed:
        """A formula in figures with names for the grids that a name has."""
        if isinstance(written, GridRead) and (value := figures_of(written)) is not None and value.axes:
            turned = tuple(zip(*value.rows, strict=True))
            for key, name in reversed(self.gathered.names.items()):
                if name not in self.gathered.quantities:
                    continue  # a name that stands for a formula
                figures = self.gathered.quantities[name].figures
                if figures in (value.rows, turned):
                    named = NameRead(key, (), (), (), written.start, written.end)
                    is_turned = figures != value.rows
                    return Combined("T", (named,), written.start, written.end) if is_turned else named
        if isinstance(written, Combined):
            return replace(written, args=tuple(map(self._named, written.args)))
        return written


def _chain(statement: Statement) -> Iterator[Expressed]:
    """The sides up to where a chain goes over to something else."""
    for side in statement.sides:
        if side.relation in ("∈", "<", ">", "≠", "→"):
            return
        yield side.of


def _op(applied: Combined) -> str:
    return "*" if applied.op == "@" else applied.op


def _targets(
    sides: Sequence[Expressed], names: Mapping[str, str]
) -> tuple[list[NameRead | Combined], Sequence[Expressed]]:
    """The names that a chain begins with, and the sides behind them; ``X + H = R`` says what its last name is."""
    *before, last = sides
    if before and isinstance(last, NameRead) and name_key(last) not in names and not isinstance(before[0], NameRead):
        return [last], before
    targets: list[NameRead | Combined] = []
    for place, side in enumerate(sides):
        is_last = place == len(sides) - 1
        if is_last or not isinstance(side, NameRead | Combined) or not _is_definition(side):
            return targets, sides[place:]
        targets.append(side)
    return targets, ()


def _turned_side(sides: Sequence[Expressed], names: Mapping[str, str]) -> Sequence[Expressed]:
    """``A^T = [[…]]`` of an A that is new says what A is."""
    first, last = (sides[0], sides[-1]) if sides else (None, None)
    if not (isinstance(first, Combined) and first.op == "T" and isinstance(name := first.args[0], NameRead)):
        return sides
    if name_key(name) in names or not isinstance(last, GridRead) or figures_of(last) is None:
        return sides
    return [name, _turned_grid(last)]


def _turned_grid(grid: GridRead) -> GridRead:
    """A grid of rows of one length with its columns as rows; another one as it is."""
    if len({len(row) for row in grid.rows}) > 1:
        return grid
    return replace(grid, rows=tuple(zip(*grid.rows, strict=True)), labels=grid.labels[::-1])


def _is_definition(side: NameRead | Combined) -> bool:
    """A name, ``σ²``, or ``FFN(x)``, which is a name with what it is of."""
    if isinstance(side, NameRead):
        is_identity = side.base == "I" and len(side.below) == 1 and isinstance(side.below[0], FigureRead)
        return not (is_identity or (side.base == "e" and side.above))
    if side.op == "^":
        base, exponent = side.args
        return isinstance(base, NameRead) and isinstance(exponent, FigureRead) and exponent.value == 2
    function = side.op.removeprefix("call:")
    return side.op.startswith("call:") and function not in FUNCTIONS and function.lower() not in FUNCTIONS


def _called(target: NameRead | Combined) -> tuple[str, str, str]:
    """The key, the name and the notation of what a chain defines."""
    if isinstance(target, NameRead):
        return name_key(target), plain_name(target), notation_of(target)
    base = target.args[0] if target.args else None
    if target.op == "^" and isinstance(base, NameRead):
        return square_key(base), legal_name(f"{plain_name(base)}_sq"), ""
    function = target.op.removeprefix("call:")
    of = [name_key(arg) for arg in target.args if isinstance(arg, NameRead)]
    return f"{function}({','.join(of)})", legal_name(function), ""


def _has_names(written: Expressed) -> bool:
    return any(isinstance(each, NameRead) and each.base not in ("e", "π") for each in walk(written))
