"""What a program in double precision may compute: balls around everything its rounding can lead to.

A program's value is not the true one. Every name is enclosed here by ball arithmetic that takes the same operations as
the program, one by one, with 48 bits instead of 53: each operation is allowed 32 times the error that a program makes
in it. Where all of a ball prints alike, that is what the program prints; where it does not, nothing is guessed.

Libraries add in an order of their own, and PyTorch's layer norm multiplies before it subtracts. :class:`Machine` says
whether that is allowed for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial, reduce, singledispatch

from flint import arb, arb_mat
from sympy import Basic, Expr, MatMul, MatPow, MatrixSymbol

from symattn import operations as ops
from symattn.errors import RenderError, UndecidedError
from symattn.given import Given
from symattn.listing import elementary
from symattn.solution.core import Solution
from symattn.values.ball import ball
from symattn.values.number import at_precision, norm, number_ball, x_log_x

BITS = 48
"""Precision of the enclosures: double precision has 53."""

LARGE, SMALL, NOTHING = arb(2) ** 440, arb(2) ** -440, arb(2) ** -1080
"""Larger numbers may overflow when squared; smaller ones may have become 0; the last are 0 in double precision."""


@dataclass(frozen=True)
class Machine:
    """What has been computed, and by what kind of machine."""

    values: Mapping[str, arb_mat]
    any_order: bool = True
    """Whether sums may be taken in any order; otherwise they go from left to right, as they are written."""
    givens: Mapping[str, Given] = field(default_factory=dict)
    """What is given: entries that are written alike are the same number, however a program rounds it."""
    lets_empty_rows_through: bool = False
    """Whether a softmax gives a row of nothing but −∞ weights of 0; otherwise it divides 0 by 0."""


def computed(solution: Solution, names: Iterable[str], *, any_order: bool = True) -> dict[str, arb_mat]:
    """Balls that hold the true entries of ``names``, and those that a program computes."""
    values: dict[str, arb_mat] = {}
    wanted = tuple(names)
    with at_precision(BITS):
        for needed in (needed for name in wanted for needed in solution.needed(name)):
            if needed in values:
                continue
            if needed in solution.givens:
                given = solution.givens[needed]
                values[needed] = _in_range(arb_mat(*given.shape, [number_ball(value) for value in given.entries]))
            else:
                zero = solution.style.on_empty == "zero"
                values[needed] = _step(solution, needed, Machine(values, any_order, solution.givens, zero))
    return {name: values[name] for name in wanted}


def _step(solution: Solution, name: str, machine: Machine) -> arb_mat:
    try:
        return in_double(solution.formula(name), machine)
    except UndecidedError as error:
        raise UndecidedError(f"{name}: {error}") from None


@singledispatch
def in_double(node: Basic, machine: Machine) -> arb_mat:
    """The value of a formula as a program in double precision may see it, one operation at a time."""
    operands = {str(i): in_double(arg, machine) for i, arg in enumerate(node.args) if arg.is_Matrix}
    stand_ins = [MatrixSymbol(str(i), *arg.shape) if arg.is_Matrix else arg for i, arg in enumerate(node.args)]
    return _in_range(ball(node.func(*stand_ins), operands.__getitem__))


@in_double.register
def _(node: MatrixSymbol, machine: Machine) -> arb_mat:
    return machine.values[node.name]


@in_double.register
def _(node: MatMul, machine: Machine) -> arb_mat:
    first, *others = (in_double(arg, machine) for arg in node.args if arg.is_Matrix)
    numbers = [_scalar(arg) for arg in node.args if not arg.is_Matrix]
    value = _scaled(_chain([first, *others], machine), numbers)
    if machine.any_order and numbers and others:
        # c A B is c (A B) in R, and (c A) B in Python and Julia.
        pairs = zip(value.entries(), _chain([_scaled(first, numbers), *others], machine).entries(), strict=True)
        value = arb_mat(value.nrows(), value.ncols(), [x.union(y) for x, y in pairs])
    return value


@in_double.register
def _(node: MatPow, machine: Machine) -> arb_mat:
    return _chain([in_double(node.base, machine)] * int(node.exp), machine)


@in_double.register
def _(node: ops.Dot, machine: Machine) -> arb_mat:
    return _product(in_double(node.left, machine), in_double(node.right, machine).transpose(), machine)


@in_double.register
def _(node: ops.Softmax, machine: Machine) -> arb_mat:
    return _in_range(arb_mat([_softmax(row, machine) for row in in_double(node.argument, machine).tolist()]))


def _softmax(row: list[arb], machine: Machine) -> list[arb]:
    """One row as the program takes it: large scores lose digits when the maximum is subtracted, not before."""
    if machine.lets_empty_rows_through and all(x < 0 and not x.is_finite() for x in row):
        return [arb()] * len(row)
    top = max(range(len(row)), key=lambda i: row[i].mid())
    exponentials = [_entry_in_range((x - row[top]).exp()) for x in row]
    if row[top].is_finite() and all(x < row[top] for i, x in enumerate(row) if i != top):
        exponentials[top] = arb(1)  # a number minus itself
    total = sum(exponentials, arb())
    return [x / total for x in exponentials]


@in_double.register
def _(node: ops.LayerNorm, machine: Machine) -> arb_mat:
    epsilon = _scalar(node.epsilon)
    value = arb_mat([_normal(row, epsilon, machine) for row in in_double(node.argument, machine).tolist()])
    if node.gamma is None or node.beta is None:
        return _in_range(value)
    gamma, beta = (in_double(row, machine).entries() for row in (node.gamma, node.beta))
    return _in_range(arb_mat([[x * g + b for x, g, b in zip(row, gamma, beta, strict=True)] for row in value.tolist()]))


def _normal(row: list[arb], epsilon: arb, machine: Machine) -> list[arb]:
    mean = _sum(row, machine) / len(row)
    centred = [x - mean for x in row]
    if machine.any_order:
        # x / σ − μ / σ instead of (x − μ) / σ: what cancels has been rounded.
        centred = [_widened(c, abs(x) + abs(mean), 1) for c, x in zip(centred, row, strict=True)]
    variance = _sum([c * c for c in centred], machine) / len(row)
    scale = (variance + epsilon).rsqrt()
    return [c * scale for c in centred]


@in_double.register
def _(node: ops.ELU, machine: Machine) -> arb_mat:
    x = in_double(node.argument, machine)
    return arb_mat(x.nrows(), x.ncols(), [_elu(entry) for entry in x.entries()])


def _elu(x: arb) -> arb:
    # exp(x) − 1 and expm1(x) are both allowed for.
    if x >= 0:
        return x
    below = (x.exp() - 1).union(x.expm1())
    return below if x < 0 else x.union(below)


@in_double.register
def _(node: ops.Cosine, machine: Machine) -> arb_mat:
    left, right = (_unit(in_double(side, machine)) for side in node.args)
    return _product(left, right.transpose(), machine)


@in_double.register
def _(node: ops.Angle, machine: Machine) -> arb_mat:
    left, right = (_unit(in_double(side, machine)).tolist() for side in node.args)
    return arb_mat([[_angle(u, v) for v in right] for u in left])


def _unit(x: arb_mat) -> arb_mat:
    lengths = [(row, norm(row)) for row in x.tolist()]
    return _in_range(arb_mat([[entry / length for entry in row] for row, length in lengths]))


def _angle(u: list[arb], v: list[arb]) -> arb:
    """2 arctan(|u − v| / |u + v|) in degrees; one of the two is not 0."""
    apart = norm([a - b for a, b in zip(u, v, strict=True)])
    together = norm([a + b for a, b in zip(u, v, strict=True)])
    half = (apart / together).atan() if together > apart else arb.pi() / 2 - (together / apart).atan()
    return 2 * half * 180 / arb.pi()


@in_double.register
def _(node: ops.Proportions, machine: Machine) -> arb_mat:
    rows = [(row, _sum(row, machine)) for row in in_double(node.argument, machine).tolist()]
    return _in_range(arb_mat([[x / total for x in row] for row, total in rows]))


@in_double.register
def _(node: ops.Entropy, machine: Machine) -> arb_mat:
    rows = in_double(node.argument, machine).tolist()
    return _in_range(arb_mat([[-_sum([x_log_x(x) for x in row], machine)] for row in rows]))


@in_double.register
def _(node: ops.RMSNorm, machine: Machine) -> arb_mat:
    epsilon = _scalar(node.epsilon)
    rows = in_double(node.argument, machine).tolist()
    scales = [(_sum([x * x for x in row], machine) / len(row) + epsilon).rsqrt() for row in rows]
    gains = [arb(1)] * int(node.shape[1]) if node.gamma is None else in_double(node.gamma, machine).entries()
    scaled = [
        [x * scale * gain for x, gain in zip(row, gains, strict=True)] for row, scale in zip(rows, scales, strict=True)
    ]
    return _in_range(arb_mat(scaled))


# -- functions of each entry ---------------------------------------------------------------------------------------


@in_double.register
def _(node: ops.Tanh, machine: Machine) -> arb_mat:
    return _each(elementary.tanh, in_double(node.argument, machine))


@in_double.register
def _(node: ops.Log, machine: Machine) -> arb_mat:
    return _each(elementary.log, in_double(node.argument, machine))


@in_double.register
def _(node: ops.GELU, machine: Machine) -> arb_mat:
    # R alone has the normal distribution's share below x itself.
    return _each(partial(elementary.gelu, cancels=machine.any_order), in_double(node.argument, machine))


@in_double.register
def _(node: ops.GELUTanh, machine: Machine) -> arb_mat:
    return _each(lambda x: elementary.gelu_tanh(x, _entry_in_range(x**3)), in_double(node.argument, machine))


@in_double.register
def _(node: ops.SiLU, machine: Machine) -> arb_mat:
    return _each(elementary.silu, in_double(node.argument, machine))


def _each(function: Callable[[arb], arb], x: arb_mat) -> arb_mat:
    return _in_range(arb_mat(x.nrows(), x.ncols(), [function(entry) for entry in x.entries()]))


# -- pairs, positions, choices -------------------------------------------------------------------------------------


@in_double.register
def _(node: ops.AdditiveScores, machine: Machine) -> arb_mat:
    queries, keys, (vector,) = (in_double(arg, machine).tolist() for arg in node.args)

    def score(query: list[arb], key: list[arb]) -> arb:
        return _dot(vector, [elementary.tanh(q + k) for q, k in zip(query, key, strict=True)], machine)

    return _in_range(arb_mat([[score(query, key) for key in keys] for query in queries]))


@in_double.register
def _(node: ops.Sinusoidal, machine: Machine) -> arb_mat:
    turns = _turns(node, arb())
    return arb_mat([[x for sine_and_cosine in row for x in sine_and_cosine] for row in turns])


@in_double.register
def _(node: ops.Rotary, machine: Machine) -> arb_mat:
    rows = zip(in_double(node.argument, machine).tolist(), _turns(node, _scalar(node.start)), strict=True)
    return _in_range(arb_mat([_turned(row, turns, machine) for row, turns in rows]))


def _turns(node: ops.Sinusoidal | ops.Rotary, start: arb) -> list[list[tuple[arb, arb]]]:
    """Sine and cosine for every row and pair of columns."""
    rows, width = (int(size) for size in node.shape)
    base, pairs = _scalar(node.base), range(width // 2)
    angles = [[elementary.angle(start + i, pair, width, base) for pair in pairs] for i in range(rows)]
    return [[elementary.sine_and_cosine(_entry_in_range(angle)) for angle in row] for row in angles]


def _turned(row: list[arb], turns: list[tuple[arb, arb]], machine: Machine) -> list[arb]:
    turned: list[arb] = []
    for x, y, (sine, cosine) in zip(row[::2], row[1::2], turns, strict=True):
        turned += [_sum([x * cosine, -y * sine], machine), _sum([x * sine, y * cosine], machine)]
    return turned


@in_double.register
def _(node: ops.ArgMax, machine: Machine) -> arb_mat:
    return arb_mat([[row.index(True)] for row in _chosen(node, 1, machine)])


@in_double.register
def _(node: ops.TopK, machine: Machine) -> arb_mat:
    return arb_mat([[int(among) for among in row] for row in _chosen(node, node.count, machine)])


def _chosen(node: ops.ArgMax | ops.TopK, count: int, machine: Machine) -> list[list[bool]]:
    argument = node.argument
    given = machine.givens.get(argument.name) if isinstance(argument, MatrixSymbol) else None
    found = []
    for place, row in enumerate(in_double(argument, machine).tolist()):
        # What stands in a given is read as it is written: the same text is the same number.
        texts = given.texts[place] if given else tuple(map(str, range(len(row))))
        try:
            found.append(elementary.chosen(row, count, texts))
        except UndecidedError as error:
            function = "argmax" if isinstance(node, ops.ArgMax) else "top_k"
            raise UndecidedError(f"{function}, row {place + 1}: {error}") from None
    return found


# -- sums --------------------------------------------------------------------------------------------------------


def _chain(factors: list[arb_mat], machine: Machine) -> arb_mat:
    return reduce(lambda a, b: _product(a, b, machine), factors)


def _scaled(value: arb_mat, numbers: list[arb]) -> arb_mat:
    factor = reduce(lambda a, b: a * b, numbers, arb(1))
    return _in_range(arb_mat(value.nrows(), value.ncols(), [x * factor for x in value.entries()]))


def _product(a: arb_mat, b: arb_mat, machine: Machine) -> arb_mat:
    """a b with every product and every sum rounded; FLINT's own product rounds once and so hides what cancels."""
    columns = b.transpose().tolist()
    return _in_range(arb_mat([[_dot(row, column, machine) for column in columns] for row in a.tolist()]))


def _dot(x: list[arb], y: list[arb], machine: Machine) -> arb:
    return _sum([a * b for a, b in zip(x, y, strict=True)], machine)


def _sum(terms: list[arb], machine: Machine) -> arb:
    value = reduce(lambda a, b: a + b, terms, arb())
    if not machine.any_order or _is_exact(terms) or not value.is_finite():
        return value
    return _widened(value, sum((abs(x) for x in terms), arb()), len(terms))


def _is_exact(terms: list[arb]) -> bool:
    """Whether every sum of these numbers, in whatever order, is free of rounding in double precision."""
    if not all(x.is_exact() and x.is_finite() for x in terms):
        return False
    parts = [x.man_exp() for x in terms if not x.is_zero()]
    if not parts:
        return True
    lowest = min(int(exponent) for _, exponent in parts)
    if max(int(exponent) for _, exponent in parts) - lowest > BITS:
        return False
    size: int = sum(abs(int(mantissa)) << (int(exponent) - lowest) for mantissa, exponent in parts)
    return size.bit_length() <= BITS


def _widened(value: arb, size: arb, count: int) -> arb:
    """``value`` with the error of that many roundings of numbers of that size."""
    return value + arb(0, (size * max(count, 32)).upper() * arb(2) ** -53)


def _scalar(value: Expr) -> arb:
    return number_ball(value.doit())


def _in_range(value: arb_mat) -> arb_mat:
    return arb_mat(value.nrows(), value.ncols(), [_entry_in_range(x) for x in value.entries()])


def _entry_in_range(x: arb) -> arb:
    if x.is_finite() and not abs(x) < LARGE:
        if abs(x) >= LARGE:
            raise RenderError("a number on the way is larger than 10^132: a program in double precision may lose it")
        return arb.nan()
    if abs(x) < NOTHING:
        return arb()
    return x.union(arb()) if abs(x) < SMALL else x


# -- entries -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Ends:
    """All numbers between two ends, or an infinity: what an entry may be when a program has computed it."""

    low: Fraction = Fraction(0)
    high: Fraction = Fraction(0)
    infinite: int = 0
    """−1 or 1 for an infinity."""

    @classmethod
    def of(cls, place: str, x: arb) -> Ends:
        """The numbers that a ball holds; ``place`` is for the error."""
        if not x.is_finite():
            if not (x < 0 or x > 0):
                raise UndecidedError(
                    f"{place}: what a program prints cannot be decided: double precision loses every digit"
                )
            return cls(infinite=-1 if x < 0 else 1)
        middle, radius = _fraction(x.mid()), _fraction(x.rad())
        return cls(middle - radius, middle + radius)

    @property
    def may_be_a_remainder(self) -> bool:
        """Whether this is 0 to every digit that double precision has, but perhaps not exactly 0."""
        return self.low <= 0 <= self.high and self.low != self.high


def _fraction(x: arb) -> Fraction:
    mantissa, exponent = x.man_exp()
    return Fraction(int(mantissa)) * Fraction(2) ** int(exponent)
