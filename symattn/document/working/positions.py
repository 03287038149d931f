"""Sines and rotations of positions worked in figures, with the angles of their rows."""

from __future__ import annotations

from flint import arb
from sympy import Expr, Rational

from symattn import operations as ops
from symattn.document.entries.positions import frequencies_in, frequency_of, frequency_power
from symattn.document.math import Call, Chain, Math, Parens, Sign, counted, seq
from symattn.document.notation.figures import guarded, plain
from symattn.document.notation.formulas import number
from symattn.document.working.equations import entry_work, row_work
from symattn.document.working.lines import Work, divisor_figure, lines, worked_line
from symattn.shapes import whole_sizes
from symattn.solution.on_the_way import numbers
from symattn.values.number import number_ball
from symattn.values.rational import digits_of, to_fmpq
from symattn.values.rounding import Figure


@row_work.register
def _(node: ops.Sinusoidal | ops.Rotary, work: Work, i: int) -> tuple[Chain, ...]:
    """The angles of row i: 2·θ_2 = 2·10000^{−2/4} = 0.02; at position 0 there are none."""
    place = _position(node, i)
    if place == 0:
        return ()
    before = (_factor(place), Sign("·"))
    names = work.letters.names
    # Ours under another name is nowhere in the formula itself.
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
    """By how much row i turns column j, in radians; exact where it is a short decimal."""
    angle = node.angle(Rational(i), Rational(j)).doit()
    exact = to_fmpq(angle)
    places = None if exact is None else digits_of(exact, work.solution.style.decimals)
    if exact is None or places is None:
        return divisor_figure(work.solution, angle)
    return Figure.of(int(exact * 10**places), places, True)


@entry_work.register
def _(node: ops.Sinusoidal, work: Work, i: int, j: int) -> Chain | None:
    angle = _angle(work, node, i, j)
    side = Call("cos" if j % 2 else "sin", (plain(angle),))
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

    def side(cos: Math, sin: Math) -> Math:
        first, second = (cos, sin) if j % 2 == 0 else (sin, cos)
        sign = Sign("-" if j % 2 == 0 else "+")
        return seq(guarded(a), Sign("·"), first, sign, guarded(b), Sign("·"), second)

    return worked_line(
        work.left(i, j),
        work.result(i, j),
        (side(Call("cos", (plain(angle),)), Call("sin", (plain(angle),))), (a, b, angle)),
        (side(guarded(cosine), guarded(sine)), (cosine, sine)),
    )
