"""Every figure that a line is worked with has been seen before, on a page that shows every entry: in a matrix, as the
result of a line, as a number of the step's formula, or as what a piece of the same line is worth."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from mpmath import mp, mpf
from sympy import Rational

from symattn import operations as ops
from symattn.api.worked import WorkedSolution
from symattn.base.budget import working
from symattn.compute.solution.store import Shown
from symattn.operations.masks import Mask
from symattn.read.scenario.model import ShowItem, StepItem
from symattn.show.build import _builder
from symattn.show.notation.names import Names
from tests.readback.balls import Ball, near
from tests.readback.evaluate import Unbound, Unknown
from tests.readback.evaluate import as_table as table
from tests.readback.lines import Report
from tests.readback.page import DIGITS, SHOWN, _Step
from tests.readback.tex import Elided, Node, Statement

WITHOUT_VALUE = (Elided, Unknown, Unbound, IndexError, ZeroDivisionError, ValueError, TypeError)


class Seen:
    """The figures that stand on a page so far; a figure with a point is all numbers that are rounded to it."""

    def __init__(self) -> None:
        self.balls: dict[tuple[object, object], Ball] = {}

    def add(self, found: Iterable[Ball]) -> None:
        for ball in found:
            size = ball.magnitude()
            self.balls[size.middle, size.radius] = size

    def holds(self, ball: Ball) -> bool:
        size = ball.magnitude()
        if (size.middle, size.radius) in self.balls:
            return True
        return any(near(size.middle, other.middle, size.radius + other.radius) for other in self.balls.values())


class _Opens(_Step):
    """Asks of every line of a step where its figures come from."""

    def __init__(self, worked: WorkedSolution, written: Names, name: str, report: Report, seen: Seen) -> None:
        super().__init__(worked, written, name, report)
        self.seen, self.of_formula = seen, Seen()
        formula = self.solution.step(name).formula
        if formula is not None:
            inside = self.solution.formula(name)
            self.of_formula.add(Ball(mpf(number.p) / number.q) for number in inside.atoms(Rational))
            if inside.has(Mask, ops.TopK):
                self.of_formula.add(map(Ball, (mpf(0), mpf(1))))
            for waves in inside.atoms(ops.Sinusoidal, ops.Rotary):  # places are given
                places = range(self.solution.rows(name))
                self.of_formula.add(Ball(mpf(int(waves.start) + place)) for place in places)

    def _all_said(self, lines: Sequence[Statement], text: str) -> None:
        """What general entries say is asked elsewhere."""

    def _line(self, line: Statement, kind: str) -> None:
        if kind == "matrix":
            if line.sides[-1].kind == "bmatrix":
                self.seen.add(ball for row in line.sides[-1].parts for cell in row.parts for ball in self._worth(cell))
        elif kind == "working":
            self._introduce(line)
            self._ask(line)
        elif kind in ("formula", "entry"):
            numbers = (node for side in line.sides for node in side.walk())
            self.of_formula.add(ball for node in numbers for ball in self._worth(node))

    def _worth(self, node: Node) -> list[Ball]:
        """The value of a piece in figures, if it has one."""
        try:
            (ball,) = table(replace(self.scope, rounded=True).value(node)).rows[0]
        except WITHOUT_VALUE:
            return []
        return [ball]

    def _ask(self, line: Statement) -> None:
        of_line = Seen()
        for side in line.sides[1:]:
            # The last side of a line is what it works out, unless it is the only one.
            if side is not line.sides[-1] or len(line.sides) == 2:
                for node in self._unseen(side, (self.seen, self.of_formula, of_line)):
                    self.report.wrong.append(f"{self.name}: {node.text} comes from nowhere in {line.sides[0]}: {line}")
            self.report.compared += 1
            of_line.add(ball for node in side.walk() for ball in self._worth(node))
        self.seen.add(self._worth(line.sides[-1]))

    def _unseen(self, node: Node, places: Sequence[Seen]) -> list[Node]:
        """The figures in a piece that are in none of these places."""
        if node.kind == "number":
            return [] if any(place.holds(ball) for ball in self._worth(node) for place in places) else [node]
        parts = node.parts[:1] if node.kind == "at" else node.parts
        found = [each for part in parts for each in self._unseen(part, places)]
        if found and not any("." in each.text for each in node.walk()):
            # An entry may be written as 1/3, ln 2 or 10^9.
            exactly = self._worth(node)
            return [] if any(place.holds(ball) for ball in exactly for place in places) else found
        return found


def read_opened(solution: WorkedSolution) -> Report:
    """The page of a solution with every entry worked out, asked where its figures come from."""
    report, seen = Report(), Seen()
    builder = replace(_builder(solution.scenario, solution.store, "en"), detail="entries")
    with mp.workdps(DIGITS), working(solution.store.budget):
        for section in solution.scenario.sections:
            for item in section.items:
                shown = isinstance(item, StepItem) or (isinstance(item, ShowItem) and item.form in SHOWN)
                if shown and solution.store.shown(item.name) is Shown.FIGURES:
                    _Opens(solution, builder.names, item.name, report, seen).read(builder._blocks(item))
    return report
