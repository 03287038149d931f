"""The step being worked, with its values and letters, and the lines of an entry: q_11 = 0.21·0.50 + … = 0.145."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from sympy import Basic, Expr, MatrixExpr, MatrixSymbol, Rational, Transpose

from symattn.base.printed import Figure
from symattn.base.shapes import whole_sizes
from symattn.compute.solution.figures import is_nearly_exact, settled
from symattn.compute.solution.on_the_way import numbers, significant
from symattn.compute.solution.proofs import entry_size
from symattn.compute.solution.store import Shown, Store
from symattn.compute.values.balls import number_ball
from symattn.read.given import LazyRows
from symattn.show.entries.letters import Letters
from symattn.show.math import Chain, Fraction, Math, Number, Relation, Sign
from symattn.show.notation import logarithms, symbols
from symattn.show.notation.figures import LONGEST, RowsOfFigures, Written, figure_in_a_line, is_faint, relation

LARGEST = 100
"""The most numbers in a closed form that is built to decide a digit."""


@dataclass(frozen=True)
class Needed:
    """A number that a line uses: an entry of a formula, or a named number of its equations."""

    node: MatrixExpr
    places: tuple[int, ...]
    name: str = ""
    lines: Callable[[Work], Sequence[Chain]] | None = field(default=None, compare=False)
    """Writes the lines of a named number, in place of its equation."""


@dataclass(frozen=True)
class Work:
    """The input of the rules: the values, the letters, and the step being worked."""

    solution: Store
    letters: Letters
    name: str
    shown: Math | None = None
    """The left side if the number being worked has no name: Σ_k q_{1k} k_{2k}."""
    whole: Basic | None = None
    """The formula of the step, if only a part of it may be worked."""
    step: str = ""
    """The step, if only a part of it is worked."""
    settles: bool = True
    """Whether it matters if a figure is exact among rounded ones."""
    memory: dict[tuple[object, ...], Any] = field(default_factory=dict, compare=False, repr=False)
    """A cache for results that several entries share."""
    beside: frozenset[tuple[int, int]] = frozenset()
    """The entries, counted from 0, whose line shows the row and the column that they are made of."""
    uses: list[Needed] | None = field(default=None, compare=False, repr=False)
    """Where to record what the lines use, if the caller needs it: numbers without a name need lines before these."""

    @property
    def places(self) -> int:
        """The decimals of intermediate numbers: those of the step, if it has more than the style."""
        style = self.solution.style
        return max(style.decimals, style.places(self.step or self.name))

    @property
    def unnoted(self) -> Work:
        """The same work without recording, for figures that no line shows."""
        return replace(self, uses=None)

    def note(self, use: Needed) -> None:
        """Record that a line uses something."""
        if self.uses is not None:
            self.uses.append(use)

    def cells(self, node: MatrixExpr) -> RowsOfFigures:
        """Return the figures of an operand, computed for it if it is not a name."""
        if isinstance(node, MatrixSymbol):
            return self.figures(str(node.name))
        if isinstance(node, Transpose):
            inner, (columns, rows) = self.cells(node.arg), whole_sizes(node.arg)
            return LazyRows((rows, columns), lambda index: inner[index % columns][index // columns])
        found = self.figures(self.solution.part(node))
        if self.uses is None:
            return found
        shape = whole_sizes(node)

        def noted(index: int) -> Figure:
            i, j = divmod(index, shape[1])
            self.note(Needed(node, (i, j)))
            return found[i][j]

        return LazyRows(shape, noted)

    def figures(self, name: str) -> RowsOfFigures:
        """Return the figures of a name; entries with symbols or logarithms are in closed form."""
        if self.solution.shown(name) is Shown.CLOSED_FORMS:
            return symbols.cells(self.solution, name)
        places = None if name in self.solution else self.places
        return logarithms.cells(self.solution, name) or self._settled(name, self.solution.figures(name, places))

    def _settled(self, name: str, figures: RowsOfFigures) -> RowsOfFigures:
        """Return the figures; whether one is exact is settled when it is read."""
        given = self.solution.givens.get(name)
        is_array = given is not None and given.array is not None
        if not self.settles or is_array or self.solution.rational_entries(name) is not None:
            return figures
        rows, columns = self.solution.rows(name), self.solution.columns(name)

        def cell(index: int) -> Figure:
            if (name, index) not in self.memory:
                figure = figures[index // columns][index % columns]
                self.memory[name, index] = settled(self.solution, name, index, figure)
            found: Figure = self.memory[name, index]
            return found

        return LazyRows((rows, columns), cell)

    def left(self, i: int, j: int) -> Math:
        if self.shown is not None:
            return self.shown
        return self.letters.entry(self.name, Number(str(i + 1)), Number(str(j + 1)))

    def result(self, i: int, j: int) -> Figure:
        return self.figures(self.name)[i][j]


def lines(count: int, line: Callable[[int], Sequence[Chain]]) -> list[Chain]:
    """Return the lines of so many numbers, with ⋮ for the middle of many."""
    if count <= LONGEST:
        return [chain for k in range(count) for chain in line(k)]
    return [*line(0), *line(1), *line(2), Chain(Sign("⋮")), *line(count - 1)]


def worked_line(
    left: Math, result: Figure, *sides: tuple[Math, Sequence[Figure]], matter: Sequence[Figure] | None = None
) -> Chain:
    """Write left = side = … = result: each side with the figures that are new in it. After the first ≈ every sign is ≈,
    except before a result that depends on no rounded figure: ``matter`` are the figures it depends on."""
    used: list[Figure] = []
    links: list[tuple[Relation, Math]] = []
    for side, figures in sides:
        used += figures
        links.append((relation(used), side))
    links.append((relation([*(used if matter is None else matter), result]), figure_in_a_line(result)))
    return Chain(left, tuple(link for link in links if link[1] != left))  # a listed number is its own figure


def clear(work: Work, node: MatrixExpr, i: int, j: int) -> Figure:
    """Return the figure of a dividend or divisor: its first significant digits if it is faint."""
    figure, solution = work.cells(node)[i][j], work.solution
    name = solution.part(node)
    if not is_faint(figure) or solution.style.carry == "rounded" or solution.shown(name) is Shown.CLOSED_FORMS:
        return figure
    return significant(solution, name, i * whole_sizes(node)[1] + j) or figure


def quotient_line(left: Math, above: Figure, below: Figure, result: Figure) -> Chain:
    """Write left = a/b = result. However a finite b was rounded, 0/b is 0, and b/b is 1."""
    whole = result.exact and ((above.exact and not above.text.strip("-0.")) or above.text == below.text)
    side = Fraction(figure_in_a_line(above), figure_in_a_line(below))
    return worked_line(left, result, (side, (above, below)), matter=() if whole else None)


def divisor_figure(solution: Store, divisor: Basic) -> Figure:
    """Return the figure of a number in a formula: √4 is 2, √2 is 1.414214."""
    exact = solution.number(divisor).doit()
    if exact.free_symbols:
        return Written("…", True, symbols.short(exact))
    (figure,) = numbers(solution, lambda bits: [number_ball(exact)], [f"the number {exact}"], lambda _: exact)
    return figure


def exact_row(work: Work, argument: MatrixExpr, i: int) -> list[Expr] | None:
    """Return a row of the exact value, if it is rational or its closed form is small enough to decide a digit."""
    solution, name = work.solution, work.solution.part(argument)
    known, width = solution.rational_entries(name), whole_sizes(argument)[1]
    if known is not None:
        return [Rational(int(x.p), int(x.q)) for x in known[i * width : (i + 1) * width]]
    # The exact values of all its operands are computed too, even if nothing of them is left in it.
    behind = (name, *(each.name for each in argument.atoms(MatrixSymbol)))
    if max(entry_size(solution, each) for each in behind) > LARGEST or is_nearly_exact(solution, name):
        return None
    return list(solution.exact_value(name).row(i))
