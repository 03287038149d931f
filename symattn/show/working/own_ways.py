"""Work operations that people compute in a way of their own: cosines and angles, clipping to a length, sines and
rotations of positions, the largest entry of a row, and the k largest."""

from __future__ import annotations

from math import inf

from flint import arb
from sympy import Expr, Rational

from symattn import operations as ops
from symattn.base.printed import Figure
from symattn.base.shapes import whole_sizes
from symattn.compute.solution import proofs
from symattn.compute.solution.on_the_way import numbers
from symattn.compute.values.balls import number_ball
from symattn.compute.values.rational import digits_of, to_fmpq
from symattn.operations.node import named
from symattn.show.entries.nodes import entry
from symattn.show.entries.positions import frequencies_in, frequency_of, frequency_power
from symattn.show.math import PI, Call, Chain, Fraction, Math, Number, Parens, Sign, counted, seq
from symattn.show.notation.figures import (
    LONGEST,
    FigureOrMath,
    figure_in_a_line,
    figure_product,
    is_faint,
    relation,
    shortened,
)
from symattn.show.notation.formulas import number
from symattn.show.working.equations import entry_work, row_work
from symattn.show.working.lines import Needed, Work, clear, divisor_figure, lines, worked_line


@row_work.register
def _(node: ops.Cosine | ops.Angle, work: Work, i: int) -> tuple[Chain, ...]:
    return ()


@entry_work.register
def _(node: ops.Cosine, work: Work, i: int, j: int) -> Chain | None:
    product, result = work.cells(ops.Dot(node.left, node.right))[i][j], work.result(i, j)
    lengths = (work.cells(ops.RowNorm(node.left))[i][0], work.cells(ops.RowNorm(node.right))[j][0])
    if any(map(is_faint, lengths)):
        product = clear(work, ops.Dot(node.left, node.right), i, j)
        lengths = (clear(work, ops.RowNorm(node.left), i, 0), clear(work, ops.RowNorm(node.right), j, 0))
    below = seq(figure_in_a_line(lengths[0]), Sign("·"), figure_in_a_line(lengths[1]))
    return worked_line(work.left(i, j), result, (Fraction(figure_in_a_line(product), below), (product, *lengths)))


@entry_work.register
def _(node: ops.Angle, work: Work, i: int, j: int) -> Chain | None:
    cosine = work.cells(ops.Cosine(node.left, node.right))[i][j]
    right = seq(Fraction(Number("180"), PI), Call("arccos", (figure_in_a_line(cosine),)))
    return worked_line(work.left(i, j), work.result(i, j), (right, (cosine,)))


def length_of_all(work: Work, node: ops.ClipNorm) -> Figure:
    """Return ‖G‖, the length of all entries together."""
    work.note(Needed(node, (), "r"))
    return work.unnoted.cells(named(node, "r"))[0][0]


@entry_work.register
def _(node: ops.ClipNorm, work: Work, i: int, j: int) -> Chain | None:
    operand, size = work.cells(node.argument)[i][j], length_of_all(work, node)
    if not size.text.strip("0."):
        # Nobody divides by a length that prints as 0: every entry is then as short.
        return worked_line(work.left(i, j), work.result(i, j), matter=[operand])
    threshold = divisor_figure(work.solution, node.threshold)
    smaller = Call("min", (Number("1"), Fraction(figure_in_a_line(threshold), figure_in_a_line(size))))
    return worked_line(
        work.left(i, j), work.result(i, j), (figure_product(operand, smaller), (operand, size, threshold))
    )


@row_work.register
def _(node: ops.Sinusoidal | ops.Rotary, work: Work, i: int) -> tuple[Chain, ...]:
    """Write the angles of row i: 2·θ_2 = 2·10000^{−2/4} = 0.02; at position 0 there are none."""
    place = _position(node, i)
    if place == 0:
        return ()
    before = (_factor(place), Sign("·"))
    names = work.letters.names
    # A built-in operation under another name is not in the formula itself.
    known = {**frequencies_in(node, names), **frequencies_in(work.whole or node, names)}
    letter = known[node.base, node.shape[1]]

    def line(pair: int) -> list[Chain]:
        power = seq(*before, frequency_power(node, counted(pair)))
        left, angle = seq(*before, frequency_of(counted(pair), letter)), _angle(work, node, i, 2 * pair)
        return [worked_line(left, angle, (power, ()))]

    return tuple(lines(whole_sizes(node)[1] // 2, line))


def _position(node: ops.Sinusoidal | ops.Rotary, i: int) -> Expr:
    return Rational(i) if isinstance(node, ops.Sinusoidal) else (node.start + i).doit()


def _factor(value: Expr) -> Math:
    return Parens(number(value)) if value.is_negative or value.is_Add else number(value)


def _angle(work: Work, node: ops.Sinusoidal | ops.Rotary, i: int, j: int) -> Figure:
    """Return the angle by which row i turns column j, in radians; exact if it is a short decimal."""
    angle = node.angle(Rational(i), Rational(j)).doit()
    exact = to_fmpq(angle)
    places = None if exact is None else digits_of(exact, work.solution.style.decimals)
    if exact is None or places is None:
        return divisor_figure(work.solution, angle)
    return Figure.of(int(exact * 10**places), places, True)


@entry_work.register
def _(node: ops.Sinusoidal, work: Work, i: int, j: int) -> Chain | None:
    angle = _angle(work, node, i, j)
    side = Call("cos" if j % 2 else "sin", (figure_in_a_line(angle),))
    return worked_line(work.left(i, j), work.result(i, j), (side, (angle,)))


@entry_work.register
def _(node: ops.Rotary, work: Work, i: int, j: int) -> Chain | None:
    row, angle = work.cells(node.argument)[i], _angle(work, node, i, j)
    a, b = row[j - j % 2], row[j - j % 2 + 1]
    exact = node.angle(Rational(i), Rational(j)).doit()

    def enclosures(_: int) -> list[arb]:
        return [number_ball(exact).cos(), number_ball(exact).sin()]

    names = [f"{work.name}[{i + 1},{j + 1}]: the {what}" for what in ("cosine", "sine")]
    cosine, sine = numbers(work.solution, enclosures, names)

    def side(cos: FigureOrMath, sin: FigureOrMath) -> Math:
        first, second = (cos, sin) if j % 2 == 0 else (sin, cos)
        return seq(figure_product(a, first), Sign("-" if j % 2 == 0 else "+"), figure_product(b, second))

    return worked_line(
        work.left(i, j),
        work.result(i, j),
        (side(Call("cos", (figure_in_a_line(angle),)), Call("sin", (figure_in_a_line(angle),))), (a, b, angle)),
        (side(cosine, sine), (cosine, sine)),
    )


@entry_work.register
def _(node: ops.ArgMax, work: Work, i: int, j: int) -> Chain | None:
    word, of, best = ("argmax", node.argument, max) if node.of_smallest is None else ("argmin", node.of_smallest, min)
    row, chosen = work.cells(of)[i], int(work.result(i, j).text)
    printed = [_printed(figure) for figure in row]
    if printed.index(best(printed)) != chosen:
        return None  # rounding has made a tie or changed the order
    one = (Sign("-"), Number("1"))
    return Chain(
        work.left(i, j),
        (
            (relation(row), seq(Call(word, shortened([figure_in_a_line(x) for x in row])), *one)),
            ("=", seq(counted(chosen), *one)),
            ("=", Number(str(chosen))),
        ),
    )


def _printed(figure: Figure) -> float:
    """Return the number that a figure prints, for comparison with others in its row."""
    if figure.number is None:
        return -inf if figure.text.startswith("-") else inf
    return float(figure.number)


@row_work.register
def _(node: ops.TopK, work: Work, i: int) -> tuple[Chain, ...]:
    """Write the entries of a row in order: p_{13} > p_{11} = p_{12} > …; no line if the order is not known."""
    signs: list[str] = []
    columns: list[int] = []
    groups = proofs.groups(work.solution, work.solution.part(node.argument), i)
    for group in groups:
        signs += [">", *["="] * (len(group.columns) - 1)]
        columns += group.columns
    for each in work.cells(node.argument)[i]:
        del each  # the line compares all of them, so it uses each
    sides: list[Math] = [entry(node.argument, work.letters, counted(i), counted(j), ()) for j in columns]
    if len(sides) > LONGEST:
        sides, signs = [*sides[: LONGEST - 1], Sign("⋯")], [*signs[: LONGEST - 1], ">"]
    if len(sides) == 1 or any(group.open for group in groups):
        return ()
    return (Chain(sides[0], tuple(zip(signs[1:], sides[1:], strict=True))),)  # type: ignore[arg-type]


@entry_work.register
def _(node: ops.TopK, work: Work, i: int, j: int) -> Chain | None:
    return Chain(work.left(i, j), (("=", figure_in_a_line(work.result(i, j))),))
