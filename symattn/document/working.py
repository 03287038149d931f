"""How one entry comes about, in figures and in reading order: q_11 = 0.21·0.50 + 0.12·0 + … = 0.145.

A line uses ``=`` only where every figure in it is the exact value; a rounded one makes it ``≈``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import singledispatch
from typing import Any

from sympy import Basic, MatAdd, MatMul, MatPow, MatrixExpr, MatrixSymbol, OneMatrix, Transpose

from symattn import operations as ops
from symattn.document.entries import Letters, entry
from symattn.document.math import (
    Chain,
    Fraction,
    Letter,
    Math,
    Number,
    Parens,
    Relation,
    Script,
    Sign,
    joined,
    seq,
)
from symattn.document.notation import factors_before, number
from symattn.document.terms import one_term
from symattn.given import Rows
from symattn.solution import Solution
from symattn.solution.figures import settled
from symattn.solution.on_the_way import significant
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
    settles: bool = True
    """Whether it matters if a figure among rounded ones is exact."""
    memory: dict[tuple[object, ...], Any] = field(default_factory=dict, compare=False, repr=False)
    """What several entries share, once it is worked out."""

    def cells(self, node: MatrixExpr) -> Cells:
        """The figures of an operand; one that is not a name gets its own."""
        if isinstance(node, MatrixSymbol):
            return self.figures(str(node.name))
        if isinstance(node, Transpose):
            inner, (columns, rows) = self.cells(node.arg), (int(size) for size in node.arg.shape)
            return Rows((rows, columns), lambda index: inner[index % columns][index // columns])
        return self.figures(self.solution.part(node))

    def figures(self, name: str) -> Cells:
        """The figures of a name, and closed forms of entries that hold symbols or are logarithms."""
        if not self.solution.is_symbolic(name):
            from symattn.document import logarithms

            return logarithms.cells(self.solution, name) or self._settled(name, self.solution.figures(name))
        from symattn.document.symbols import cells

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


def summed(terms: Sequence[Math]) -> Math:
    """Terms with plus signs, the middle of a long sum left out."""
    if len(terms) > LONGEST:
        return joined([*terms[:3], Sign("⋯"), terms[-1]], "+")
    return joined(list(terms), "+")


def is_faint(figure: Figure) -> bool:
    """Whether a rounded figure begins with two zeros behind its point: 0.000012 says little, 0.000000 nothing."""
    return not figure.exact and figure.text.lstrip("-").startswith("0.00")


def clear(work: Work, node: MatrixExpr, i: int, j: int) -> Figure:
    """The figure of an entry that something is divided by or that is divided: a faint one by its first digits."""
    figure, solution = work.cells(node)[i][j], work.solution
    name = solution.part(node)
    if not is_faint(figure) or solution.style.carry == "rounded" or solution.is_symbolic(name):
        return figure
    return significant(solution, name, i * int(node.shape[1]) + j) or figure


def quotient_line(left: Math, above: Figure, below: Figure, result: Figure) -> Chain:
    """left = a/b = result. However a finite b was rounded, 0/b is 0, and b/b is 1."""
    whole = result.exact and ((above.exact and not above.text.strip("-0.")) or above.text == below.text)
    last: Relation = "=" if whole else relation([above, below, result])
    return Chain(left, ((relation([above, below]), Fraction(plain(above), plain(below))), (last, plain(result))))


def operand_work(node: Basic, work: Work, i: int, j: int) -> tuple[Chain, ...]:
    """Entry (i, j) of what a sum or quotient works out on its way and has no name for, one line each."""
    lines: list[Chain] = []
    for operand in _on_the_way(node):
        shown = entry(operand, work.letters, Number(str(i + 1)), Number(str(j + 1)), ())
        inner = replace(work, name=work.solution.part(operand), shown=shown)
        line = entry_work(operand, inner, i, j)
        lines += [*operand_work(operand, work, i, j), *([line] if line is not None else [])]
    return tuple(lines)


def _on_the_way(node: Basic) -> list[Basic]:
    sides = [node.argument] if isinstance(node, ops.Quotient | _OF_A_NUMBER) else []
    if isinstance(node, ops.Hadamard | ops.EntryQuotient):
        sides = list(node.args)
    if isinstance(node, MatAdd):
        sides = [_sign_and_size(arg)[1] for arg in node.args]
    return [side for side in sides if isinstance(side, _WORKED_ON_THE_WAY) or _is_sum_of_products(side)]


_OF_A_NUMBER = ops.GELU | ops.GELUTanh | ops.SiLU | ops.Tanh | ops.Log
"""Functions of one entry whose input is worked before them."""

_WORKED_ON_THE_WAY = (
    ops.Dot
    | ops.ELU
    | ops.Exp
    | ops.Quotient
    | MatAdd
    | _OF_A_NUMBER
    | ops.Hadamard
    | ops.EntryQuotient
    | ops.AdditiveScores
)


def _sign_and_size(term: MatrixExpr) -> tuple[bool, MatrixExpr]:
    """Whether a term of a sum is subtracted, and what is added or subtracted."""
    if not (isinstance(term, MatMul) and term.args[0] == -1):
        return False, term
    rest = term.args[1:]
    return True, rest[0] if len(rest) == 1 else MatMul(*rest, evaluate=False)


def _is_sum_of_products(node: Basic) -> bool:
    """Whether a node is a product of matrices in which something is added up; a column times a row is not."""
    factors = [arg for arg in node.args if arg.is_Matrix] if isinstance(node, MatMul) else []
    return len(factors) == len(node.args) and any(factor.shape[1] != 1 for factor in factors[:-1])


@singledispatch
def entry_work(node: Basic, work: Work, i: int, j: int) -> Chain | None:
    """Entry (i, j), counted from 0, worked in figures; ``None`` where there is nothing to work."""
    return None


@entry_work.register
def _(node: MatMul, work: Work, i: int, j: int) -> Chain | None:
    scalars = [arg for arg in node.args if not arg.is_Matrix]
    matrices = [arg for arg in node.args if arg.is_Matrix]
    result = work.result(i, j)
    front = factors_before(scalars, number)
    if len(matrices) == 1:
        operand = work.cells(matrices[0])[i][j]
        sides = seq(*front, *([Sign("·")] if front and scalars != [-1] else []), behind(operand))
        return Chain(work.left(i, j), ((relation([operand]), sides), (relation([operand, result]), plain(result))))
    # A longer chain is worked as (everything before) times (the last factor).
    before = matrices[0] if len(matrices) == 2 else MatMul(*matrices[:-1], evaluate=False)
    if isinstance(matrices[-1], OneMatrix) and matrices[-1].shape[0] == 1 and not front:
        # A column that is written again and again has the same entries everywhere.
        return entry_work(before, replace(work, shown=work.left(i, j), name=work.solution.part(before)), i, 0)
    return _product_work(front, before, matrices[-1], work, i, j)


def _product_work(front: list[Math], before: Basic, last: Basic, work: Work, i: int, j: int) -> Chain:
    """Entry (i, j) of a product of two: row i of the first times column j of the second."""
    result = work.result(i, j)
    row, column = work.cells(before)[i], [cells[j] for cells in work.cells(last)]
    if isinstance(last, OneMatrix):
        column, terms = [], [plain(row[0]), *map(behind, row[1:])]
    elif isinstance(before, OneMatrix):
        row, terms = [], [plain(column[0]), *map(behind, column[1:])]
    else:
        terms = [times(a, b) for a, b in zip(row, column, strict=True)]
    total = summed(terms)
    right = seq(*front, Parens(total)) if front else total
    return Chain(
        work.left(i, j), ((relation([*row, *column]), right), (relation([*row, *column, result]), plain(result)))
    )


@entry_work.register
def _(node: MatPow, work: Work, i: int, j: int) -> Chain | None:
    exponent = int(node.exp)
    if exponent == 1:
        return entry_work(MatMul(node.base, evaluate=False), work, i, j)
    before = node.base if exponent == 2 else MatPow(node.base, exponent - 1)
    return _product_work([], before, node.base, work, i, j)


@entry_work.register
def _(node: ops.Dot, work: Work, i: int, j: int) -> Chain | None:
    left, right = work.cells(node.left)[i], work.cells(node.right)[j]
    terms = [times(a, b) for a, b in zip(left, right, strict=True)]
    result = work.result(i, j)
    return Chain(
        work.left(i, j),
        ((relation([*left, *right]), summed(terms)), (relation([*left, *right, result]), plain(result))),
    )


@entry_work.register
def _(node: MatAdd, work: Work, i: int, j: int) -> Chain | None:
    parts: list[Math] = []
    used: list[Figure] = []
    for arg in node.args:
        negative, inner = _sign_and_size(arg)
        figure = work.cells(inner)[i][j]
        used.append(figure)
        sign = [Sign("-")] if negative else [Sign("+")] if parts else []
        parts += [*sign, behind(figure) if sign else plain(figure)]
    result = work.result(i, j)
    # However a finite term was rounded, with −∞ the sum is −∞.
    last: Relation = "=" if result.text.endswith("oo") else relation([*used, result])
    return Chain(work.left(i, j), ((relation(used), seq(*parts)), (last, plain(result))))


@entry_work.register
def _(node: ops.Quotient, work: Work, i: int, j: int) -> Chain | None:
    operand, result = work.cells(node.argument)[i][j], work.result(i, j)
    original = work.solution.step(work.name).formula
    divisor = original.divisor if isinstance(original, ops.Quotient) else node.divisor
    value = divisor_figure(work.solution, divisor)
    if isinstance(operand, Written):
        # Beside letters nothing is rounded: √2 stays √2.
        value = Written("…", True, number(work.solution.number(divisor).doit()))
    return Chain(
        work.left(i, j),
        (
            (relation([operand, value]), Fraction(plain(operand), plain(value))),
            (relation([operand, value, result]), plain(result)),
        ),
    )


def divisor_figure(solution: Solution, divisor: Basic) -> Figure:
    """The figure of a number in a formula: √4 is 2, √2 is 1.414214."""
    exact = solution.number(divisor).doit()
    if exact.free_symbols:
        from symattn.document.symbols import short

        return Written("…", True, short(exact))
    (figure,) = solution.numbers(lambda bits: [number_ball(exact)], [f"the number {exact}"], lambda _: exact)
    return figure


@entry_work.register
def _(node: Transpose, work: Work, i: int, j: int) -> Chain | None:
    moved = entry(node, work.letters, Number(str(i + 1)), Number(str(j + 1)), ())
    return Chain(work.left(i, j), (("=", moved), (relation([work.result(i, j)]), plain(work.result(i, j)))))


@entry_work.register(ops.Broadcast)
@entry_work.register(ops.Row)
@entry_work.register(ops.Head)
@entry_work.register(ops.Concat)
def _(node: Basic, work: Work, i: int, j: int) -> Chain | None:
    part, column = node.place(j) if isinstance(node, ops.Concat) else (0, j)
    place = node.args[part] if isinstance(node, ops.Concat) else node
    source = entry(place, work.letters, Number(str(i + 1)), Number(str(column + 1)), ())
    return Chain(work.left(i, j), (("=", source), (relation([work.result(i, j)]), plain(work.result(i, j)))))


@entry_work.register
def _(node: ops.Exp, work: Work, i: int, j: int) -> Chain | None:
    operand, result = work.cells(node.argument)[i][j], work.result(i, j)
    power = Script(Letter("e"), sup=plain(operand))
    first = (relation([operand]), power)
    exact = _power_of_logarithm(work, node, i, j) if isinstance(operand, Logarithm) else None
    if exact is None:
        return Chain(work.left(i, j), (first, (relation([operand, result]), plain(result))))
    last = ((relation([result]), plain(result)),) if isinstance(exact, Written) else ()
    return Chain(work.left(i, j), (first, ("=", plain(exact)), *last))


def _power_of_logarithm(work: Work, node: ops.Exp, i: int, j: int) -> Figure | None:
    """e^{ln 2} is 2, whatever else is in the matrix."""
    from symattn.document import logarithms

    powers = logarithms.exponentials(work.solution, work.solution.part(node.argument), i)
    return None if powers is None else powers[j]


@entry_work.register
def _(node: ops.ELU, work: Work, i: int, j: int) -> Chain | None:
    operand, result = work.cells(node.argument)[i][j], work.result(i, j)
    if not operand.text.startswith("-"):
        return Chain(work.left(i, j), ((relation([operand, result]), plain(result)),))
    falling = seq(Script(Letter("e"), sup=plain(operand)), Sign("-"), Number("1"))
    return Chain(work.left(i, j), ((relation([operand]), falling), (relation([operand, result]), plain(result))))


@entry_work.register
def _(node: ops.ReLU, work: Work, i: int, j: int) -> Chain | None:
    operand, result = work.cells(node.argument)[i][j], work.result(i, j)
    larger = seq(Letter("max", "upright"), Parens(seq(Number("0"), Sign(","), plain(operand))))
    # What is cut off is exactly 0, however the negative number before it was rounded; its sign is certified.
    last: Relation = "=" if operand.text.startswith("-") else relation([operand, result])
    return Chain(work.left(i, j), ((relation([operand]), larger), (last, plain(result))))


@entry_work.register
def _(node: ops.Keep, work: Work, i: int, j: int) -> Chain | None:
    result = work.result(i, j)
    if work.solution.hides(node.mask)[i][j]:
        return Chain(work.left(i, j), (("=", Number("0")),))
    source = entry(node.argument, work.letters, Number(str(i + 1)), Number(str(j + 1)), ())
    return Chain(work.left(i, j), (("=", source), (relation([result]), plain(result))))
