"""How one entry comes about, in figures and in reading order: q_11 = 0.21·0.50 + 0.12·0.00 + … = 0.145.

A line uses ``=`` only where every figure in it is the exact value; a rounded one makes it ``≈``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import singledispatch

from flint import arb
from sympy import Basic, Expr, MatAdd, MatMul, MatPow, MatrixExpr, MatrixSymbol, S, Transpose

from symattn.document.entries import Letters, entry, mean_of, variance_of
from symattn.document.math import (
    Chain,
    Fraction,
    Letter,
    Math,
    Number,
    Parens,
    Relation,
    Root,
    Script,
    Seq,
    Sign,
    Sum,
    joined,
    seq,
)
from symattn.document.notation import number
from symattn.operations import Broadcast, Dot, LayerNorm, Quotient, ReLU, Row, Softmax
from symattn.solution import Solution
from symattn.values.ball import normalised, number_ball
from symattn.values.rounding import Figure, read_figure

LONGEST = 8
"""A sum of more terms than this is written with ⋯ in the middle."""

LARGEST = 100
"""A closed form that holds more numbers than this is not built to decide a digit of a mean or variance."""

Cells = Sequence[Sequence[Figure]]


@dataclass(frozen=True)
class Work:
    """What the rules need: the values, the letters, and the step that is worked."""

    solution: Solution
    letters: Letters
    name: str

    def cells(self, node: MatrixExpr) -> Cells:
        """The figures of an operand; one that is not a name gets its own."""
        if isinstance(node, MatrixSymbol):
            return self.solution.figures(str(node.name))
        if isinstance(node, Transpose):
            inner = self.cells(node.arg)
            return [list(column) for column in zip(*inner, strict=True)]
        return self.solution.figures(self.solution.part(node))

    def left(self, i: int, j: int) -> Math:
        return self.letters.entry(self.name, Number(str(i + 1)), Number(str(j + 1)))

    def result(self, i: int, j: int) -> Figure:
        return self.solution.figures(self.name)[i][j]


def relation(figures: Sequence[Figure]) -> Relation:
    """``=`` if every figure is exact, else ``≈``."""
    return "=" if all(figure.exact for figure in figures) else "≈"


def plain(figure: Figure) -> Math:
    return Number(figure.text)


def guarded(figure: Figure) -> Math:
    """A figure inside a product or after a sign: negative ones in parentheses."""
    return Parens(Number(figure.text)) if figure.text.startswith("-") else Number(figure.text)


def summed(terms: Sequence[Math]) -> Math:
    """Terms with plus signs, the middle of a long sum left out."""
    if len(terms) > LONGEST:
        return joined([*terms[:3], Sign("⋯"), terms[-1]], "+")
    return joined(list(terms), "+")


def row_work(work: Work, node: Basic, i: int) -> tuple[Chain, ...]:
    """What all entries of row i share: the exponentials and their sum, the mean and the variance."""
    if isinstance(node, Softmax):
        return _softmax_row(work, node, i)
    if isinstance(node, LayerNorm):
        return _layer_norm_row(work, node, i)
    return ()


@singledispatch
def entry_work(node: Basic, work: Work, i: int, j: int) -> Chain | None:
    """Entry (i, j), counted from 0, worked in figures; ``None`` where there is nothing to work."""
    return None


@entry_work.register
def _(node: MatMul, work: Work, i: int, j: int) -> Chain | None:
    scalars = [arg for arg in node.args if not arg.is_Matrix]
    matrices = [arg for arg in node.args if arg.is_Matrix]
    result = work.result(i, j)
    front = [Sign("-") if c == -1 else number(c) for c in scalars]
    if len(matrices) == 1:
        operand = work.cells(matrices[0])[i][j]
        sides = seq(*front, *([Sign("·")] if front and scalars != [-1] else []), guarded(operand))
        return Chain(work.left(i, j), (("=", sides), (relation([operand, result]), plain(result))))
    # A longer chain is worked as (everything before) times (the last factor).
    before = matrices[0] if len(matrices) == 2 else MatMul(*matrices[:-1], evaluate=False)
    row, column = work.cells(before)[i], [cells[j] for cells in work.cells(matrices[-1])]
    terms = [seq(guarded(a), Sign("·"), guarded(b)) for a, b in zip(row, column, strict=True)]
    total = summed(terms)
    right = seq(*front, Parens(total)) if front else total
    return Chain(
        work.left(i, j), ((relation([*row, *column]), right), (relation([*row, *column, result]), plain(result)))
    )


@entry_work.register
def _(node: MatPow, work: Work, i: int, j: int) -> Chain | None:
    return entry_work(MatMul(*[node.base] * int(node.exp), evaluate=False), work, i, j)


@entry_work.register
def _(node: Dot, work: Work, i: int, j: int) -> Chain | None:
    left, right = work.cells(node.left)[0], work.cells(node.right)[0]
    terms = [seq(guarded(a), Sign("·"), guarded(b)) for a, b in zip(left, right, strict=True)]
    result = work.result(i, j)
    return Chain(
        work.letters.names(work.name),
        ((relation([*left, *right]), summed(terms)), (relation([*left, *right, result]), plain(result))),
    )


@entry_work.register
def _(node: MatAdd, work: Work, i: int, j: int) -> Chain | None:
    parts: list[Math] = []
    used: list[Figure] = []
    for arg in node.args:
        negative = isinstance(arg, MatMul) and arg.args[0] == -1
        inner = (
            MatMul(*arg.args[1:], evaluate=False)
            if negative and len(arg.args) > 2
            else arg.args[1]
            if negative
            else arg
        )
        figure = work.cells(inner)[i][j]
        used.append(figure)
        sign = [Sign("-")] if negative else [Sign("+")] if parts else []
        parts += [*sign, guarded(figure) if sign else plain(figure)]
    result = work.result(i, j)
    return Chain(work.left(i, j), ((relation(used), seq(*parts)), (relation([*used, result]), plain(result))))


@entry_work.register
def _(node: Quotient, work: Work, i: int, j: int) -> Chain | None:
    operand, result = work.cells(node.argument)[i][j], work.result(i, j)
    original = work.solution.step(work.name).formula
    divisor = original.divisor if isinstance(original, Quotient) else node.divisor
    value = divisor_figure(work.solution, divisor)
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
    (figure,) = solution.numbers(1, lambda bits: [number_ball(exact)], f"the number {exact}", lambda _: exact)
    return figure


@entry_work.register
def _(node: Transpose, work: Work, i: int, j: int) -> Chain | None:
    moved = entry(node, work.letters, Number(str(i + 1)), Number(str(j + 1)), ())
    return Chain(work.left(i, j), (("=", moved), (relation([work.result(i, j)]), plain(work.result(i, j)))))


@entry_work.register(Broadcast)
@entry_work.register(Row)
def _(node: Basic, work: Work, i: int, j: int) -> Chain | None:
    source = entry(node, work.letters, Number(str(i + 1)), Number(str(j + 1)), ())
    return Chain(work.left(i, j), (("=", source), (relation([work.result(i, j)]), plain(work.result(i, j)))))


@entry_work.register
def _(node: ReLU, work: Work, i: int, j: int) -> Chain | None:
    operand, result = work.cells(node.argument)[i][j], work.result(i, j)
    larger = seq(Letter("max", "upright"), Parens(seq(Number("0"), Sign(","), plain(operand))))
    # What is cut off is exactly 0, however the negative number before it was rounded; its sign is certified.
    last: Relation = "=" if operand.text.startswith("-") else relation([operand, result])
    return Chain(work.left(i, j), ((relation([operand]), larger), (last, plain(result))))


@entry_work.register
def _(node: Softmax, work: Work, i: int, j: int) -> Chain | None:
    exponentials, total = _exponentials(work, node, i)
    result = work.result(i, j)
    return Chain(
        work.left(i, j),
        (
            (relation([exponentials[j], total]), Fraction(plain(exponentials[j]), plain(total))),
            (relation([exponentials[j], total, result]), plain(result)),
        ),
    )


def _exponentials(work: Work, node: Softmax, i: int) -> tuple[tuple[Figure, ...], Figure]:
    """The exponentials of one row of scores, and their sum."""
    width = int(node.shape[1])
    shown = work.cells(node.argument)[i]

    def enclosures(bits: int) -> list[arb]:
        scores = work.solution.evaluate_ball(node.argument, bits)
        powers = [(_exact_ball(shown[k]) or scores[i, k]).exp() for k in range(width)]
        return [*powers, sum(powers, arb())]

    *exponentials, total = work.solution.numbers(width + 1, enclosures, f"softmax in {work.name}, row {i + 1}")
    return tuple(exponentials), total


def _exact_ball(figure: Figure) -> arb | None:
    """The value of a figure that is exact: e⁰ is 1, though the enclosure of a sum of roots around 0 has a radius."""
    read = read_figure(figure.text) if figure.exact else None
    return None if read is None else arb(read[0])


def _softmax_row(work: Work, node: Softmax, i: int) -> tuple[Chain, ...]:
    scores = work.cells(node.argument)[i]
    exponentials, total = _exponentials(work, node, i)
    shown = range(len(scores)) if len(scores) <= LONGEST else (*range(3), len(scores) - 1)
    lines = []
    for k in shown:
        power = Script(Letter("e"), sup=plain(scores[k]))
        symbol = Script(Letter("e"), sup=entry(node.argument, work.letters, Number(str(i + 1)), Number(str(k + 1)), ()))
        exact = relation([scores[k], exponentials[k]])
        lines.append(Chain(symbol, ((relation([scores[k]]), power), (exact, plain(exponentials[k])))))
    bound = work.letters.bound()
    k_letter = Letter(bound)
    body = Script(Letter("e"), sup=entry(node.argument, work.letters, Number(str(i + 1)), k_letter, (bound,)))
    left = Sum(k_letter, Number("1"), number(node.shape[1]), body)
    right = summed([guarded(x) for x in exponentials])
    lines.append(Chain(left, ((relation(exponentials), right), (relation([*exponentials, total]), plain(total)))))
    return tuple(lines)


def _moments(work: Work, node: LayerNorm, i: int) -> tuple[Figure, Figure]:
    def enclosures(bits: int) -> list[arb]:
        x = work.solution.evaluate_ball(node.argument, bits)
        mean, variance, _ = normalised([x[i, k] for k in range(x.ncols())], number_ball(node.epsilon.doit()))
        return [mean, variance]

    def exactly(index: int) -> Expr | None:
        source = work.solution.part(node.argument)
        if work.solution.closed_form_size(source) > LARGEST:
            return None
        row = list(work.solution.exact_value(source).row(i))
        average = sum(row, S.Zero) / len(row)
        return average if index == 0 else sum(((x - average) ** 2 for x in row), S.Zero) / len(row)

    mean, variance = work.solution.numbers(2, enclosures, f"layer norm in {work.name}, row {i + 1}", exactly)
    return mean, variance


def _layer_norm_row(work: Work, node: LayerNorm, i: int) -> tuple[Chain, ...]:
    row = work.cells(node.argument)[i]
    mean, variance = _moments(work, node, i)
    index, width = Number(str(i + 1)), number(node.shape[1])
    total = summed([guarded(x) for x in row])
    squares = summed([Script(Parens(_minus(x, mean)), sup=Number("2")) for x in row])
    return (
        Chain(
            mean_of(index),
            ((relation(row), Fraction(total, width)), (relation([*row, mean]), plain(mean))),
        ),
        Chain(
            variance_of(index),
            ((relation([*row, mean]), Fraction(squares, width)), (relation([*row, mean, variance]), plain(variance))),
        ),
    )


def _minus(x: Figure, mean: Figure) -> Seq:
    return Seq((plain(x), Sign("-"), guarded(mean)))


@entry_work.register
def _(node: LayerNorm, work: Work, i: int, j: int) -> Chain | None:
    x, result = work.cells(node.argument)[i][j], work.result(i, j)
    mean, variance = _moments(work, node, i)
    root = Root(seq(plain(variance), Sign("+"), number(node.epsilon)))
    right: Math = Fraction(_minus(x, mean), root)
    used = [x, mean, variance]
    if node.gamma is not None and node.beta is not None:
        gain, bias = work.cells(node.gamma)[0][j], work.cells(node.beta)[0][j]
        right = seq(right, Sign("·"), guarded(gain), Sign("+"), guarded(bias))
        used += [gain, bias]
    return Chain(work.left(i, j), ((relation(used), right), (relation([*used, result]), plain(result))))
