"""The blocks of one step: first decide what the page shows of it, then write that in the order a reader wants."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from itertools import chain, groupby
from types import MappingProxyType
from typing import Literal

from sympy import MatAdd, MatrixSymbol

from symattn import operations as ops
from symattn.base.budget import doing
from symattn.compute.solution.store import Shown, Store
from symattn.operations import numbers_listed
from symattn.operations.stages import same_as_ours
from symattn.operations.stored import as_number
from symattn.read.plan import Step
from symattn.show.blocks import Block, Equation, Line, Matrices, Matrix, Phrase, Readings, ends_in
from symattn.show.lesson import PageMemory, Treated
from symattn.show.math import Chain, Letter, Math, Number
from symattn.show.notation.closed_form import teaches
from symattn.show.notation.formulas import Names, formula
from symattn.show.step_parts import StepParts, chains_of, in_closed_form
from symattn.show.window import Window

Detail = Literal["result", "lesson", "steps", "entries"]
AskedEntry = tuple[int, int] | None
"""Row and column, counted from 0, of the entry to work, or ``None``."""

ENTRY_BY_ENTRY = (MatAdd, ops.Quotient, ops.Hadamard, ops.EntryQuotient)
"""Operations on entries that look like their formula of matrices, so that a general entry would only repeat it."""


@dataclass(frozen=True)
class StepDisplay:
    """The parts of a step that a page shows, from top to bottom, decided before any is written; some may be empty.

    ``lines`` lead from the formula to the matrix: general entry, working, closed form. ``more`` does not fit in the
    matrix. With ``in_runs``, a general entry and its working are one display, and lines of one form are set beside one
    another. Whether the page already has a sentence is checked when it is written.
    """

    heading: tuple[Equation, ...] = ()
    beside: tuple[Phrase, ...] = ()
    lines: tuple[Line, ...] = ()
    in_runs: bool = False
    matrix: Matrix | Equation | None = None
    more: tuple[Line, ...] = ()
    readings: tuple[Phrase, ...] = ()


class StepBlocks:
    """The blocks of the steps of one page: this class decides which parts of each are shown, and writes them.

    ``treated`` is how a lesson treats its steps; other pages show each of them in full.
    """

    def __init__(
        self,
        solution: Store,
        names: Names,
        detail: Detail,
        window: Window | None = None,
        treated: Mapping[str, Treated] = MappingProxyType({}),
    ) -> None:
        self.parts = StepParts(solution, names, window)
        self.solution, self.names, self.detail, self.treated = solution, names, detail, treated
        self.memory = PageMemory(detail == "lesson")

    def step(self, name: str, decimals: int | None, works: tuple[int, int] | None) -> list[Block]:
        """Return all blocks of a step except its words: formula, shapes, entry, working, closed form, matrix, readings.

        ``works`` is the entry asked for, as the page counts. Raises :class:`~symattn.base.errors.NoValueError`,
        :class:`~symattn.base.errors.UndecidedError` or :class:`~symattn.base.errors.BudgetError` if there are no
        figures.
        """
        step, asked = self.solution.derivation[name], None if works is None else (works[0] - 1, works[1] - 1)
        assert step.formula is not None
        return [*self._write(name, self._decide(step, decimals, asked))]

    # -- decisions -----------------------------------------------------------------------------------------------

    def _decide(self, step: Step, decimals: int | None, asked: AskedEntry) -> StepDisplay:
        """Return the parts that are shown of a step, for the detail and the memory of the page."""
        parts, name, shown = self.parts, step.name, self.solution.shown(step.name)
        in_lesson, in_figures = self.detail == "lesson", not step.general and shown is Shown.FIGURES
        how = self.treated[name].how if in_lesson and in_figures else "full"
        if how == "moved" and asked is None:
            return StepDisplay(matrix=self._with_formula(step, decimals), readings=parts.readings(name))
        heading = self._heading(step, how == "full", in_figures)
        top = StepDisplay(heading, parts.head.beside(step))
        if step.general:
            return replace(top, lines=_unless_said(parts.entry(step), () if step.shape.ndim else heading))
        if shown.of_symbols and (too_long := self._too_long(name)):
            return replace(top, lines=(*parts.entry(step), *too_long), readings=parts.readings(name))
        # The value comes first, so that an error names the step and not a part of its formula.
        matrix = parts.matrix(name, decimals)
        if in_figures and as_number(step.formula) is not None:
            return StepDisplay((Equation((parts.head.number_line(step),), "formula"),), matrix=matrix)
        if in_figures and numbers_listed(step.formula) is not None:
            written = () if parts.is_as_written(name) else parts.head.formula(step)
            return StepDisplay((Equation(written, "formula"),) if written else (), matrix=matrix)
        is_number = in_figures and (matrix.number is not None or (in_lesson and _is_number(matrix)))
        lines: tuple[Line, ...] = ()
        if how == "likewise":
            lines = self.memory.new_lines(parts.working(step, asked)) if asked or is_number else ()
        elif self.detail != "result":
            with doing(f"the general entry of {name}"):
                entry: Sequence[Line] = parts.entry(step) if self._has_entry(step, in_figures) else ()
            working = parts.working(step, asked, self.detail == "entries", decimals)
            lines = (*entry, *working)
            if in_figures:
                closed = self._closed_form(step, asked, decimals)
                entry = _unless_said(entry, (*heading, *working) if is_number else working)
                lines = (*entry, *self.memory.new_lines(working), *_unless_said(closed, working))
        return replace(
            top,
            lines=lines,
            in_runs=in_lesson and in_figures,
            matrix=None if is_number and ends_in(lines, matrix.entries[0][0]) else matrix,
            more=tuple(parts.long_entries(step, decimals)),
            readings=parts.readings(name),
        )

    def _too_long(self, name: str) -> list[Phrase]:
        """Return the sentence that no closed form is short enough to be shown, if so."""
        from symattn.show.forms import closed_forms

        found = closed_forms.too_long(self.solution, name, self.names)
        return [] if found is None else [found]

    def _heading(self, step: Step, in_full: bool, in_figures: bool) -> tuple[Equation, ...]:
        """Return the formula and the shapes of its operands; in a lesson as one display, and the formula by itself only
        ``in_full``."""
        written, shapes = self._formula_and_shapes(step, in_full)
        if self.detail == "lesson" and (in_figures or (written and shapes)):
            displays = [Equation((*written, *shapes), "formula", beside=True)]
        else:
            displays = [Equation(written, "formula"), Equation(shapes, "shapes")]
        return tuple(each for each in displays if each.chains)

    def _formula_and_shapes(self, step: Step, in_full: bool) -> tuple[tuple[Chain, ...], tuple[Chain, ...]]:
        shapes = self.parts.head.shapes(step)
        return self.parts.head.formula(step) if in_full or not shapes else self.parts.head.divisors(
            step.formula
        ), shapes

    def _with_formula(self, step: Step, decimals: int | None) -> Matrix | Equation:
        """Return K_1 = K_{·,1:2} (shape=3×2) = …: formula, shape and matrix in one line; a number without a matrix."""
        matrix = self.parts.matrix(step.name, decimals)
        if as_number(step.formula) is not None:
            return Equation((self.parts.head.number_line(step),), "formula")
        if self.parts.is_as_written(step.name):
            return matrix
        written = formula(step.formula, self.names)
        symbol: Math = matrix.symbol if written == matrix.symbol else Chain(matrix.symbol, (("=", written),))
        return replace(matrix, symbol=symbol)

    def _has_entry(self, step: Step, in_figures: bool) -> bool:
        """Return whether the general entry is shown: in a lesson only if it teaches something."""
        node = same_as_ours(step.formula)
        named = all(isinstance(arg, MatrixSymbol) for arg in node.args if getattr(arg, "is_Matrix", False))
        return not (self.detail == "lesson" and in_figures and named and isinstance(node, ENTRY_BY_ENTRY))

    def _closed_form(self, step: Step, asked: AskedEntry, decimals: int | None) -> Sequence[Line]:
        """Return the closed form of an entry; in a lesson only if it teaches something."""
        found = self.parts.closed_form(step, asked, decimals)
        return in_closed_form(found if found is None or self.detail != "lesson" or teaches(found) else None)

    # -- writing -------------------------------------------------------------------------------------------------

    def _write(self, name: str, shown: StepDisplay) -> Iterator[Block]:
        yield from shown.heading
        if said := tuple(each for each in shown.beside if self.memory.is_new(name, each)):
            yield Phrase("sentences", (("said", said),))
        lines = self._new(name, shown.lines)
        yield from _in_runs(lines) if shown.in_runs else lines
        if shown.matrix is not None:
            yield shown.matrix
        yield from self._new(name, shown.more)
        yield from self._read(name, shown.readings)

    def _new(self, name: str, lines: Iterable[Line]) -> Iterator[Line]:
        return (line for line in lines if isinstance(line, Equation) or self.memory.is_new(name, line))

    def _read(self, name: str, items: Sequence[Phrase]) -> Iterator[Readings]:
        if new := self.memory.new_readings(name, items):
            yield Readings(new)

    # -- several at a time, in a lesson --------------------------------------------------------------------------

    def likewise(self, names: Sequence[str], like: str, decimals: Mapping[str, int | None]) -> list[Block]:
        """Return steps of a kind shown before: formulas with shapes, matrices, and their new lines and readings."""
        lines: dict[Chain, None] = {}
        shown: list[Block] = []
        copies: dict[object, list[Phrase]] = {}
        for name in names:
            step = self.solution.derivation[name]
            matrix = self.parts.matrix(name, decimals[name])
            worked = chains_of(self.parts.working(step, None)) if _is_number(matrix) else []
            written, shapes = self._formula_and_shapes(step, in_full=False)
            lines |= dict.fromkeys((*written, *shapes, *worked))
            said = self.memory.new_readings(name, self.parts.readings(name))
            for copied in (item for item in said if item.key == "equals_operand"):
                copies.setdefault(dict(copied.arguments)["operand"], []).append(copied)
            others = tuple(item for item in said if item.key != "equals_operand")
            shown += [*([] if worked else [matrix]), *([Readings(others)] if others else [])]
        lead = Phrase("likewise", (("like", self.names(like)),), "lead")
        ends = (Readings((_copies(alike),)) for alike in copies.values())
        return [lead, Equation(tuple(lines), "shapes", beside=True), *matrices_together(shown), *ends]

    def moved(self, names: Sequence[str], decimals: Mapping[str, int | None]) -> list[Block]:
        """Return consecutive steps that only move entries."""
        shown: list[Block] = []
        for name in names:
            shown.append(self._with_formula(self.solution.derivation[name], decimals[name]))
            shown += self._read(name, self.parts.readings(name))
        return matrices_together(shown)


def _unless_said(lines: Sequence[Line], worked: Iterable[Block]) -> tuple[Line, ...]:
    """Return a general entry or a closed form, unless a working begins with the same statement, such as a = e²."""
    others = [(line.left, line.links) for line in chains_of(worked)]
    said = ((line.left, line.links) for line in chains_of(lines))
    is_said = all(any(left == other and links[: len(way)] == way for other, links in others) for left, way in said)
    return () if is_said else tuple(lines)


def _is_number(matrix: Matrix) -> bool:
    return len(matrix.entries) == 1 and len(matrix.entries[0]) == 1


def _in_runs(lines: Iterable[Line]) -> list[Line]:
    """Merge a general entry with the working that follows it directly; set lines of one form, such as the exponentials
    of a row, beside one another."""
    displays: list[Line] = []
    for line in chain.from_iterable(map(_runs, lines)):
        match displays, line:
            case [*_, Equation(kind="entry") as entry], Equation(kind="working", beside=False):
                displays[-1] = Equation((*entry.chains, *line.chains), "working")
            case _:
                displays.append(line)
    return displays


def _runs(line: Line) -> Sequence[Line]:
    """Return a working in runs: lines of one form are an equation of their own if there are more than two."""
    if not isinstance(line, Equation) or line.kind != "working":
        return [line]
    runs = [tuple(chains) for _, chains in groupby(line.chains, lambda line: _form(line.left))]
    parts: list[Equation] = []
    for chains in runs:
        many = len(chains) > 2
        if parts and not many and not parts[-1].beside:
            parts[-1] = Equation((*parts[-1].chains, *chains), "working")
        else:
            parts.append(Equation(chains, "working", beside=many))
    return parts


def _form(piece: object) -> object:
    """Return a piece of mathematics without its letters and numbers."""
    if isinstance(piece, Letter | Number):
        return type(piece)
    if isinstance(piece, tuple):
        return tuple(map(_form, piece))
    return (
        (type(piece), *(_form(getattr(piece, each.name)) for each in fields(piece))) if is_dataclass(piece) else piece
    )


def _copies(alike: Sequence[Phrase]) -> Phrase:
    """Return one reading for all results that are equal to one operand."""
    told = [dict(reading.arguments) for reading in alike]
    results = tuple(each["result"] for each in told)
    return Phrase("equal_operand", (("results", results), ("operand", told[0]["operand"])), "reading")


def matrices_together(blocks: Iterable[Block]) -> list[Block]:
    """Merge consecutive matrices, side by side: a sentence between them would be about the one above it."""
    merged: list[Block] = []
    for block in blocks:
        last = merged[-1] if merged else None
        if isinstance(block, Matrix) and isinstance(last, Matrix | Matrices):
            merged[-1] = Matrices((*(last.items if isinstance(last, Matrices) else (last,)), block))
        elif isinstance(last, Matrices):
            *others, read = last.items
            merged[-1:] = [Matrices(tuple(others)) if len(others) > 1 else others[0], read, block]
        else:
            merged.append(block)
    return merged
