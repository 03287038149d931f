"""Quantities straight from what was read, where a document writes its formulas: nothing is searched for.

A chain ``Q = XW_Q = [[…]]`` is a step with the figures that the document prints; a name with figures alone is a given;
a formula without a name, ``QK^T = [[…]]``, gets one. What has figures and is none of these is left over.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
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
from symattn.formula import FUNCTIONS
from symattn.plan import Plan
from symattn.scenario.notation import parse_notation
from symattn.shapes import Axis

_SIZE = re.compile(r"(d(_\w+)?|[nhmNTLH](_\w+)?|seq_len|head_dim)\Z")
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
    left = sorted(gatherer.left, key=lambda each: each.line)
    return ReadQuantities(tuple(gatherer.quantities.values()), tuple(left), gatherer.title, gatherer.tokens)


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
    tokens: tuple[str, ...] = ()
    names: dict[str, str] = field(default_factory=dict)
    """The names of the scenario by keys of the document's."""
    plan: Plan = field(default_factory=Plan)
    formulas: dict[str, str] = field(default_factory=dict)
    """The name of each formula."""

    def hear(self, said: Said) -> None:
        if not said.is_heading:
            return
        text = " ".join(said.text.split())
        self.title = self.title or text
        self.section = text

    def leave(self, start: int, end: int, why: str) -> None:
        """What has figures and is not taken over stands as a comment."""
        text = " ".join(self.document.text[start:end].split())
        if _DIGIT.search(text):
            self.left.append(LeftOver(self.document.position(start)[0], text, why, self.section))

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
        targets, rest = _targets(sides, self.names)
        values = [value for side in rest if (value := figures_of(side)) is not None]
        printed = values[-1] if values else None
        formula, why = self._formula(rest)
        if not targets and formula is not None:
            return self._unnamed(formula, printed, statement)
        for target in targets:
            self._define(target, formula, printed, statement, why)
        return bool(targets)

    def _formula(self, sides: Sequence[Written]) -> tuple[FormulaPiece | None, str]:
        """The first side that is a formula over what is known; names that only it has are those of literal sides."""
        why = ""
        for side in sides:
            if figures_of(side) is not None or not _has_names(side):
                continue
            for other in sides:
                if other is not side:
                    self._fill(side, other)
            try:
                return self._piece(side), ""
            except FormulaError as error:
                why = why or str(error)
        for side in sides:
            if figures_of(side) is None and not _has_names(side) and not isinstance(side, GridRead):
                try:
                    return self._piece(self._named(side)), ""
                except FormulaError as error:
                    why = why or str(error)
        return None, why

    def _piece(self, side: Written) -> FormulaPiece:
        piece = formula_piece(side, self.names, self._shapes())
        return replace(piece, text=_with_names(piece.text, self.formulas))

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
        if printed is None or before.figures == printed[0]:
            return
        if before.is_step and not before.figures and self._fits(name, printed[0]):
            self.quantities[name] = replace(before, figures=printed[0])
            return
        raise FormulaError(f"{name} has other figures already")

    def _fits(self, name: str, figures: PrintedRows) -> bool:
        return self.plan[name].shape.sizes == (len(figures), len(figures[0]))

    def _unnamed(self, formula: FormulaPiece, printed: tuple[PrintedRows, int] | None, statement: Statement) -> bool:
        """``QK^T = [[…]]``: a step that the scenario has to name."""
        if printed is None:
            return False
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


def _op(applied: Applied) -> str:
    return "*" if applied.op == "@" else applied.op


def _targets(sides: Sequence[Written], names: Iterable[str]) -> tuple[list[NameRead | Applied], Sequence[Written]]:
    """The names that a chain begins with, and the sides behind them; the last side is never a name that it defines."""
    targets: list[NameRead | Applied] = []
    for place, side in enumerate(sides):
        is_last = place == len(sides) - 1
        if not (isinstance(side, NameRead) or _is_definition(side)) or is_last:
            return targets, sides[place:]
        assert isinstance(side, NameRead | Applied)
        targets.append(side)
    return targets, ()


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
