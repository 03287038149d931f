"""How one entry comes about, in figures and in reading order: q_11 = 0.21·0.50 + 0.12·0 + … = 0.145.

A line uses ``=`` only where every figure in it is the exact value; a rounded one makes it ``≈``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from sympy import Basic, MatrixExpr, MatrixSymbol, Transpose

from symattn.document.entries.nodes import Letters
from symattn.document.math import Chain, Fraction, Math, Number, Parens, Relation, Script, Sign, joined, seq
from symattn.document.notation.terms import one_term
from symattn.given import Rows
from symattn.shapes import whole_sizes
from symattn.solution import Solution
from symattn.solution.figures import settled
from symattn.solution.on_the_way import significant
from symattn.solution.shown import Shown
from symattn.values.number import number_ball
from symattn.values.rounding import Figure

LONGEST = 8
"""A sum of more terms than this is written with ⋯ in the middle."""

LARGEST = 100
"""A closed form that holds more numbers than this is not built to decide a digit of a mean or variance."""

Cells = Sequence[Sequence[Figure]]


@dataclass(frozen=True)
class Written(Figure):
    """An entry with free symbols in closed form, or without one where that is too long."""

    math: Math | None = None


@dataclass(frozen=True)
class Logarithm(Written):
    """An entry that is a logarithm, and written as one; its text is its decimals, which are not exact."""


@dataclass(frozen=True)
class Work:
    """What the rules need: the values, the letters, and the step that is worked."""

    solution: Solution
    letters: Letters
    name: str
    shown: Math | None = None
    """What stands on the left where what is worked has no name: Σ_k q_{1k} k_{2k}."""
    every: bool = False
    """Whether every entry is worked, so that what the whole matrix shares is said with the first row."""
    settles: bool = True
    """Whether it matters if a figure among rounded ones is exact."""
    memory: dict[tuple[object, ...], Any] = field(default_factory=dict, compare=False, repr=False)
    """What several entries share, once it is worked out."""

    def cells(self, node: MatrixExpr) -> Cells:
        """The figures of an operand; one that is not a name gets its own."""
        if isinstance(node, MatrixSymbol):
            return self.figures(str(node.name))
        if isinstance(node, Transpose):
            inner, (columns, rows) = self.cells(node.arg), whole_sizes(node.arg)
            return Rows((rows, columns), lambda index: inner[index % columns][index // columns])
        return self.figures(self.solution.part(node))

    def figures(self, name: str) -> Cells:
        """The figures of a name, and closed forms of entries that hold symbols or are logarithms."""
        if self.solution.shown(name) is not Shown.CLOSED_FORMS:
            from symattn.document.notation import logarithms

            return logarithms.cells(self.solution, name) or self._settled(name, self.solution.figures(name))
        from symattn.document.notation.symbols import cells

        return cells(self.solution, name)

    def _settled(self, name: str, figures: Cells) -> Cells:
        """The figures, each with its exactness asked for when the figure is."""
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

        return Rows((rows, columns), cell)

    def left(self, i: int, j: int) -> Math:
        if self.shown is not None:
            return self.shown
        return self.letters.entry(self.name, Number(str(i + 1)), Number(str(j + 1)))

    def result(self, i: int, j: int) -> Figure:
        return self.figures(self.name)[i][j]


def relation(figures: Sequence[Figure]) -> Relation:
    """``=`` if every figure is exact, else ``≈``."""
    return "=" if all(figure.exact for figure in figures) else "≈"


def plain(figure: Figure) -> Math:
    """A figure in a line: what is exact is written as short as it is, though its matrix shows zeros behind it."""
    return (
        figure.math if isinstance(figure, Written) and figure.math is not None else Number(figure.short or figure.text)
    )


def in_matrix(figure: Figure) -> Math:
    """A figure among the others of its matrix."""
    return plain(replace(figure, short=""))


def guarded(figure: Figure) -> Math:
    """A figure inside a product or after a sign: negative ones and sums in parentheses."""
    if isinstance(figure, Logarithm):
        return Parens(plain(figure))  # ln 2 · 3 would be ln 6
    if isinstance(figure, Written):
        return one_term(plain(figure))
    return Parens(plain(figure)) if figure.text.startswith("-") else plain(figure)


def to_power(figure: Figure, exponent: int) -> Math:
    """A figure under an exponent, which has to belong to all of it: (−2)², (1/3)², (1.5·10⁹)²."""
    loose = not isinstance(figure, Written) and any(sign in figure.text for sign in "/^")
    return Script(Parens(plain(figure)) if loose else guarded(figure), sup=Number(str(exponent)))


def behind(figure: Figure) -> Math:
    """A figure behind a sign, with nothing more behind it that its logarithm could take in: 1·ln 2, 1 + ln 2."""
    if isinstance(figure, Logarithm) and not figure.text.startswith("-"):
        return plain(figure)
    return guarded(figure)


def times(a: Figure, b: Figure) -> Math:
    """a·b"""
    return seq(guarded(a), Sign("·"), behind(b))


def shortened(pieces: Sequence[Math]) -> tuple[Math, ...]:
    """Pieces side by side, the middle of many left out."""
    return tuple(pieces) if len(pieces) <= LONGEST else (*pieces[:3], Sign("⋯"), pieces[-1])


def summed(terms: Sequence[Math]) -> Math:
    """Terms with plus signs, the middle of a long sum left out."""
    return joined(shortened(terms), "+")


def lines(count: int, line: Callable[[int], Sequence[Chain]]) -> list[Chain]:
    """The lines of so many numbers, with ⋮ for the middle of many."""
    if count <= LONGEST:
        return [chain for k in range(count) for chain in line(k)]
    return [*line(0), *line(1), *line(2), Chain(Sign("⋮")), *line(count - 1)]


def worked_line(left: Math, result: Figure, *sides: tuple[Math, Sequence[Figure]]) -> Chain:
    """left = side = … = result: each side with the figures that are new in it; after the first ≈ nothing is exact."""
    used: list[Figure] = []
    links = []
    for side, figures in (*sides, (plain(result), (result,))):
        used += figures
        links.append((relation(used), side))
    return Chain(left, tuple(links))


def is_faint(figure: Figure) -> bool:
    """Whether a rounded figure begins with two zeros behind its point: 0.000012 says little, 0.000000 nothing."""
    return not figure.exact and figure.text.lstrip("-").startswith("0.00")


def clear(work: Work, node: MatrixExpr, i: int, j: int) -> Figure:
    """The figure of an entry that something is divided by or that is divided: a faint one by its first digits."""
    figure, solution = work.cells(node)[i][j], work.solution
    name = solution.part(node)
    if not is_faint(figure) or solution.style.carry == "rounded" or solution.shown(name) is Shown.CLOSED_FORMS:
        return figure
    return significant(solution, name, i * whole_sizes(node)[1] + j) or figure


def quotient_line(left: Math, above: Figure, below: Figure, result: Figure) -> Chain:
    """left = a/b = result. However a finite b was rounded, 0/b is 0, and b/b is 1."""
    whole = result.exact and ((above.exact and not above.text.strip("-0.")) or above.text == below.text)
    last: Relation = "=" if whole else relation([above, below, result])
    return Chain(left, ((relation([above, below]), Fraction(plain(above), plain(below))), (last, plain(result))))


def divisor_figure(solution: Solution, divisor: Basic) -> Figure:
    """The figure of a number in a formula: √4 is 2, √2 is 1.414214."""
    exact = solution.number(divisor).doit()
    if exact.free_symbols:
        from symattn.document.notation.symbols import short

        return Written("…", True, short(exact))
    (figure,) = solution.numbers(lambda bits: [number_ball(exact)], [f"the number {exact}"], lambda _: exact)
    return figure
