"""A page's lines, rendered as they are printed, read back from the TeX and held against the values."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache

from mpmath import inf, isinf, mp, mpf
from sympy import Basic, MatrixExpr, MatrixSymbol, oo, preorder_traversal

from symattn import operations as ops
from symattn.api.worked import WorkedSolution
from symattn.compute.solution.evaluation import Evaluation
from symattn.compute.solution.store import Shown
from symattn.compute.values.balls import at_precision
from symattn.read.given import Given
from symattn.read.gradients.nodes import replaced
from symattn.read.plan import BuiltLine, Plan, names_in
from symattn.read.scenario.model import ShowItem, StepItem
from symattn.show.blocks import Block, Equation, Matrix
from symattn.show.build import _builder
from symattn.show.math import Letter
from symattn.show.notation.names import Names
from symattn.show.steps import Detail
from symattn.write.layout import displays
from symattn.write.markdown import LINE
from symattn.write.page import matrix_text
from symattn.write.tex_math import tex
from tests.readback.balls import Ball, Table
from tests.readback.evaluate import Scope, Value, as_table
from tests.readback.functions import functions_of, ranks
from tests.readback.lines import PAGE, Lines, Report, spellings
from tests.readback.tex import characters

SHOWN = ("values", "entries", "rows", "vectors", "weighted")
BITS = 400
DIGITS = 75


def read_solution(
    solution: WorkedSolution,
    details: Sequence[Detail] = ("entries",),
    language: str = "en",
    known: Mapping[str, Table] | None = None,
) -> Report:
    """Every line of every step and every matrix of a page, read back and worked out.

    What each name is worth is asked of the solution's own enclosures, unless it is ``known`` from elsewhere.
    """
    report = Report()
    with mp.workdps(DIGITS):
        for detail in details:
            builder = replace(_builder(solution.scenario, solution.store, language), detail=detail)
            for section in solution.scenario.sections:
                for item in section.items:
                    # What a program in double precision makes of a formula is not its value.
                    if isinstance(item, StepItem) or (isinstance(item, ShowItem) and item.form in SHOWN):
                        blocks = builder.names.letters.told_apart(tuple(builder._blocks(item)))
                        _read(solution, builder.names, item.name, blocks, report, known)
    return report


def _read(
    solution: WorkedSolution,
    written: Names,
    name: str,
    blocks: Sequence[Block],
    report: Report,
    known: Mapping[str, Table] | None,
) -> None:
    if solution.store.shown(name) is not Shown.FIGURES:
        report.unread.append(f"{name}: general, free symbols or intervals")
        return
    _Step(solution, written, name, report, known).read(blocks)


def value_of(solution: Evaluation, name: str, operand: bool) -> Table:
    """The value of a name, to far more digits than a page shows."""
    with at_precision(BITS):
        balls = solution.operand_ball(name, BITS) if operand else solution.enclosure(name, BITS)
    rows, columns = balls.nrows(), balls.ncols()
    return Table.of([Ball(_number(balls[i, j])) for j in range(columns)] for i in range(rows))


def _number(ball: object) -> mpf:
    if not ball.is_finite():  # type: ignore[attr-defined]
        return -inf if ball < 0 else inf  # type: ignore[operator]
    return mpf(ball.mid().str(DIGITS + 15, radius=False))  # type: ignore[attr-defined]


def _labels(written: Names, names: Iterable[str]) -> Iterator[tuple[tuple[str, str], int]]:
    """The rows of names by their labels."""
    for name in names:
        for place, label in enumerate(written.row_labels(name), 1):
            yield (name, "".join(characters(tex(Letter(label, "text"), PAGE)))), place


def _exact(entry: Ball) -> object:
    if isinf(entry.middle):
        return oo if entry.middle > 0 else -oo
    sign, mantissa, exponent, _ = entry.middle._mpf_
    return Fraction((-1) ** sign * int(mantissa)) * Fraction(2) ** exponent


def _through(solution: Evaluation, written: Names, gradient: str) -> Iterator[tuple[str, MatrixExpr]]:
    """The steps that the matrix of a gradient stands in, with their formulas in terms of it."""
    by, plan = written.gradient_of(gradient), solution.derivation
    if by is None or by not in plan.by_name:
        return
    known = plan[by]
    for step in plan.steps:
        if step.formula is None or step.name == by or solution.shown(step.name) is not Shown.FIGURES:
            continue
        formula = step.formula
        if known.formula is not None and by not in names_in(formula):
            formula = replaced(formula, {known.formula: MatrixSymbol(by, *known.shape.sizes)})
        if by in names_in(formula) and formula != MatrixSymbol(by, *known.shape.sizes):
            yield step.name, formula


def _around(solution: Evaluation, written: Names, gradient: str) -> Iterator[str]:
    """The matrix of a gradient, what stands beside it in the steps that it acts through, and their gradients."""
    if (by := written.gradient_of(gradient)) is None or by not in solution.derivation.by_name:
        return
    yield by
    for name, formula in _through(solution, written, gradient):
        yield from names_in(formula)
        yield from (each for each in solution.derivation.by_name if written.gradient_of(each) == name)


class _Step(Lines):
    """Reads the blocks of one step."""

    def __init__(
        self,
        worked: WorkedSolution,
        written: Names,
        name: str,
        report: Report,
        known: Mapping[str, Table] | None = None,
    ) -> None:
        self.solution = solution = worked.store
        step = solution.derivation[name]
        sizes = {letter: size for letter, size in solution.derivation.sizes.items() if isinstance(size, int)}
        self.through = dict(_through(solution, written, name))
        uses = list(dict.fromkeys((*step.uses, *self.through, *_around(solution, written, name))))
        values: dict[str, Value]
        if known is None:
            values = {**{used: value_of(solution, used, True) for used in uses}, name: value_of(solution, name, False)}
        else:
            values = {each: known[each] for each in (*uses, name)}
        values |= {f"size {letter}": Ball(mpf(size)) for letter, size in sizes.items()}
        scope = Scope(
            values,
            functions_of([step.formula], lambda scalar: solution.number(scalar).doit()),
            labels=dict(_labels(written, [name, *uses])),
            significant=solution.style.places(name),
            moved=lru_cache(maxsize=None)(self._moved),
            row="".join(characters(tex(written.letters.row, PAGE))),
        )
        names = spellings(written, [name, *uses], sizes, written.shapes)
        super().__init__(name, names, scope, report)
        self._with_ranks(step.formula)

    def _moved(self, by: str, row: int, column: int, step: mpf) -> dict[str, Value]:
        """A matrix with one entry moved, and the steps that it stands in as they are then."""
        table = [list(line) for line in as_table(self.scope.names[by]).rows]
        table[row - 1][column - 1] += Ball(step)
        found: dict[str, Value] = {by: Table.of(table)}
        for name, formula in self.through.items():
            if by in names_in(formula):
                plan, givens = Plan(sizes=self.solution.derivation.sizes), {}
                for used in names_in(formula):
                    value = found[by] if used == by else value_of(self.solution, used, True)
                    plan = plan.given(used, self.solution.derivation[used].shape)
                    givens[used] = Given.read([[_exact(entry) for entry in line] for line in as_table(value).rows])
                plan = plan.built(BuiltLine(name, plan.term(formula)))
                found[name] = value_of(Evaluation(plan, givens), name, False)
        return found

    def _with_ranks(self, formula: Basic | None) -> None:
        if isinstance(formula, ops.TopK):
            balls = self.solution.evaluate_ball(self.solution.formula(self.name).argument, BITS)
            rows = ([Ball(_number(balls[i, j])) for j in range(balls.ncols())] for i in range(balls.nrows()))
            placed = Table.of(ranks(tuple(row)) for row in rows)
            self.scope = replace(self.scope, functions={**self.scope.functions, "rank": lambda *_: placed})

    def largest_scores(self) -> list[Table]:
        """Of the scores that a softmax, or shares of exponentials, are made of."""
        found: list[Table] = []
        for node in preorder_traversal(self.solution.formula(self.name)):
            inner = node.args[0] if isinstance(node, ops.Softmax | ops.Proportions) else None
            scores = inner.args[0] if isinstance(node, ops.Proportions) and isinstance(inner, ops.Exp) else inner
            if scores is not None:
                balls = self.solution.evaluate_ball(scores, BITS)
                rows = ([_number(balls[i, j]) for j in range(balls.ncols())] for i in range(balls.nrows()))
                found.append(Table.of([Ball(max(row))] for row in rows))
        return found

    def read(self, blocks: Iterable[Block]) -> None:
        for block in blocks:
            if isinstance(block, Equation):
                for text in displays(block.chains, PAGE, LINE):
                    self.display(text, block.kind)
            if isinstance(block, Matrix):
                self.display(matrix_text(block, PAGE), "matrix")
