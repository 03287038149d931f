"""Evaluate formulas as a person does by hand: every number written down on the way passes through a carry.

The rules are those of :mod:`symattn.compute.values.ball`, cut where a person stops to write a number down: the value of
every inner formula, the exponentials and the sum of a softmax, mean, deviations, variance and root of a norm, the
lengths and the product of a cosine, an irrational divisor, the cosine and the sine of a position. A sum of products is
one number there: its products are not rounded. Operations that only move numbers (a transpose, a row, a head, a ReLU)
write nothing down. Where there are several usual ways, a carry that allows any of them gets an enclosure of all their
results: the largest score subtracted before a softmax, 1 / √3 as a factor, vectors normalised before their cosine.

>>> from sympy import MatrixSymbol
>>> from symattn.operations import Softmax
>>> scores = arb_mat([[0, 1]])
>>> node = Softmax(MatrixSymbol("S", 1, 2))
>>> [x.str(4) for x in hand(node, lambda name: scores, rounded(1)).entries()]
['[0.2703 +/- 2.98e-5]', '[0.7297 +/- 2.98e-5]']
>>> hand(node, lambda name: scores, widened(1))[0, 1].contains(hand(node, lambda name: scores, rounded(1))[0, 1])
True
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Protocol

from flint import arb, arb_mat, fmpz
from sympy import Basic, Expr, Integer, MatAdd, MatMul, MatPow, MatrixSymbol

from symattn import operations as ops
from symattn.base.errors import UndecidedError
from symattn.base.shapes import whole_sizes
from symattn.compute.values.applied import applied_entries, frame, picks
from symattn.compute.values.ball import BallLookup, of_operands, scaled
from symattn.compute.values.balls import Balls, arccos, ball_root, number_ball, x_log_x
from symattn.compute.values.rounding import only_integer
from symattn.operations.equations.tree import NamedEquation
from symattn.operations.node import record_of
from symattn.operations.stages import Stage

_HALF = arb("0.5")

TINY = arb("1e-20")
"""An enclosure of a decimal that is narrower than this counts as the decimal."""


class Carry(Protocol):
    """Turns a number into the number that is written down and carried on.

    ``any_way``: any of the usual ways of computing is accepted.
    """

    @property
    def any_way(self) -> bool: ...

    def __call__(self, x: arb) -> arb:
        """Return an enclosure of every number that may be written down for a number in ``x``."""
        ...

    def added(self, x: arb) -> arb:
        """Return the error that writing down may add to any number in ``x``."""
        ...


@dataclass(frozen=True)
class _Exactly:
    any_way = False

    def __call__(self, x: arb) -> arb:
        return x

    def added(self, x: arb) -> arb:
        return arb()


exactly: Carry = _Exactly()
"""Nothing is rounded: :func:`hand` encloses what ``ball`` encloses."""


@dataclass(frozen=True)
class _Widened:
    decimals: int
    scale: fmpz = field(compare=False)
    half: arb = field(compare=False)
    """The interval from minus to plus half a unit of the last decimal."""
    any_way = True

    def __call__(self, x: arb) -> arb:
        return x + self.added(x)

    def added(self, x: arb) -> arb:
        if not x.is_finite() or (x.rad() < TINY and (x * self.scale).contains_integer()):
            return arb()
        return self.half


def widened(decimals: int) -> Carry:
    """Round to so many decimals, or more, or not at all: the number ± half a unit of the last one.

    A number that has no more decimals than that is left alone.

    >>> (widened(2)(arb("0.123")) - arb("0.123")).contains(arb("0.005")), widened(2)(arb(3) / 4)
    (True, 0.750000000000000)
    """
    scale = fmpz(10) ** decimals
    half = _HALF / scale
    return _Widened(decimals, scale, (-half).union(half))


@dataclass(frozen=True)
class _Rounded:
    decimals: int
    scale: fmpz = field(compare=False)
    any_way = False

    def __call__(self, x: arb) -> arb:
        if not x.is_finite():
            return x
        shifted = abs(x * self.scale) + _HALF
        # A narrow enclosure that is still open is a tie, which goes up, away from zero.
        only = only_integer(shifted) if x.rad() < TINY else None
        whole = only if only is not None else only_integer(shifted.floor())
        if whole is None:
            raise UndecidedError(
                f"a number on the way is between {_short(x.lower())} and {_short(x.upper())}, which leaves open how it "
                f"is rounded to {self.decimals} decimals: expected a narrower enclosure, that is, more bits"
            )
        return arb(-whole if x < 0 else whole) / self.scale

    def added(self, x: arb) -> arb:
        return self(x) - x


def rounded(decimals: int) -> Carry:
    """Round to so many decimals, ties away from zero; :class:`UndecidedError` where an enclosure leaves it open.

    Below some 100 bits a tie that was not worked out exactly counts as open.

    >>> rounded(1)(arb("2.25")).str(5, radius=False), rounded(0)(-arb("0.5"))
    ('2.3000', -1.00000000000000)
    """
    return _Rounded(decimals, fmpz(10) ** decimals)


def _short(x: arb) -> str:
    return x.str(8, radius=False)


__all__ = ["Carry", "exactly", "hand", "rounded", "widened"]


def hand(node: Basic, lookup: BallLookup, carry: Carry) -> arb_mat:
    """Evaluate a formula as by hand; the caller rounds the result itself.

    ``lookup`` returns the written value of a name. Undefined results (a row whose numbers were all rounded to zero,
    divided by their sum) are NaN.
    """
    if isinstance(node, MatrixSymbol):
        return lookup(node.name)
    if _moves(node):
        return of_operands(node, [hand(arg, lookup, carry) for arg in node.args if arg.is_Matrix])
    return by_hand(node, [_written(arg, lookup, carry) for arg in node.args if arg.is_Matrix], carry)


def _written(node: Basic, lookup: BallLookup, carry: Carry) -> arb_mat:
    """Return the written value of an inner formula: a name as it is, a result after the carry."""
    if isinstance(node, MatrixSymbol):
        return lookup(node.name)
    if _moves(node):
        return of_operands(node, [_written(arg, lookup, carry) for arg in node.args if arg.is_Matrix])
    return _each(carry, hand(node, lookup, carry))


def _moves(node: Basic) -> bool:
    """Return whether a node writes nothing new down: −X, and operations that only pick entries."""
    if isinstance(node, MatMul):
        return len(node.args) == 2 and node.args[0] == -1
    if isinstance(node, ops.Hadamard):
        return any(isinstance(arg, ops.OneHot) for arg in node.args)
    return record_of(node) is not None and picks(frame(node).operation)


@Stage
def by_hand(node: Basic, values: list[arb_mat], carry: Carry) -> arb_mat:
    """Evaluate a node from the written values of its matrices; values named in its equations are written down too."""
    rows = [value.tolist() for value in values]
    return arb_mat(applied_entries(node, rows, lambda number: _number(number, carry), _Paper(carry)))


@by_hand.register(MatAdd)
@by_hand.register(ops.ArgMax)
@by_hand.register(ops.TopK)
def _(node: Basic, values: list[arb_mat], carry: Carry) -> arb_mat:
    """Evaluate a node without intermediate numbers."""
    return of_operands(node, values)


@dataclass(frozen=True)
class _Paper(Balls):
    """Balls, with every named intermediate number written down."""

    carry: Carry

    def noted(self, equation: NamedEquation, value: arb) -> arb:
        return self.carry(value)


def _each(function: Callable[[arb], arb], x: arb_mat) -> arb_mat:
    return arb_mat(x.nrows(), x.ncols(), list(map(function, x.entries())))


def _either(x: arb_mat, y: arb_mat) -> arb_mat:
    """Return the union of both values of every entry; the first where the second is not finite."""
    pairs = zip(x.entries(), y.entries(), strict=True)
    return arb_mat(x.nrows(), x.ncols(), [a.union(b) if a.is_finite() and b.is_finite() else a for a, b in pairs])


def _number(number: Expr, carry: Carry) -> arb:
    """Return a number of a formula. A finite decimal is used as it is; √3 and 1/3 have to be written down."""
    number = number.doit()
    written = number_ball(number)
    if number.is_Integer or (number.is_Rational and _is_decimal(int(number.q))):
        return written
    return carry(written)


def _is_decimal(denominator: int) -> bool:
    """Return whether a fraction with that denominator is a finite decimal.

    >>> _is_decimal(40), _is_decimal(12)
    (True, False)
    """
    return pow(10, denominator.bit_length(), denominator) == 0


@by_hand.register
def _(node: MatMul, values: list[arb_mat], carry: Carry) -> arb_mat:
    product, *others = values
    for place, other in enumerate(others):
        product = (_each(carry, product) if place else product) * other
    factors = [_number(arg, carry) for arg in node.args if not arg.is_Matrix]
    for place, factor in enumerate(factors):
        product = scaled(_each(carry, product) if others or place else product, factor)
    return product


@by_hand.register
def _(node: MatPow, values: list[arb_mat], carry: Carry) -> arb_mat:
    power = values[0]
    for place in range(int(node.exp) - 1):
        power = (_each(carry, power) if place else power) * values[0]
    return power


@by_hand.register
def _(node: ops.Quotient, values: list[arb_mat], carry: Carry) -> arb_mat:
    divisor = node.divisor.doit()
    quotient = scaled(values[0], 1 / _number(divisor, carry))
    if not carry.any_way or divisor.is_rational is not False:
        return quotient
    # Many multiply by 1 / √3, which has to be written down like √3.
    return _either(quotient, scaled(values[0], carry(1 / number_ball(divisor))))


# -- shares of a sum ---------------------------------------------------------------------------------------------------


@by_hand.register
def _(node: ops.Softmax, values: list[arb_mat], carry: Carry) -> arb_mat:
    return arb_mat([_softmax(row, carry) for row in values[0].tolist()])


def _softmax(row: list[arb], carry: Carry) -> list[arb]:
    """Divide rounded exponentials by their sum; many people first subtract the largest number."""
    if all(not x.is_finite() and x < 0 for x in row):
        return [arb()] * len(row)
    usual = _shares(_exponentials(row, carry), carry)
    largest = max((x.mid() for x in row), default=arb())
    if not carry.any_way or not largest.is_finite():
        return usual
    other = _shares(_exponentials([x - largest for x in row], carry), carry)
    return _either(arb_mat([usual]), arb_mat([other])).entries()


def _exponentials(row: list[arb], carry: Carry) -> list[arb]:
    # A number that is never negative is not rounded to a negative one.
    return [_not_negative(carry(x.exp())) for x in row]


def _not_negative(x: arb) -> arb:
    return x if x > 0 or x.is_zero() else x.nonnegative_part()


@by_hand.register
def _(node: ops.Proportions, values: list[arb_mat], carry: Carry) -> arb_mat:
    return arb_mat([_shares(row, carry) for row in values[0].tolist()])


def _shares(row: list[arb], carry: Carry) -> list[arb]:
    """x / Σ x of each entry of a row."""
    added = carry.added(sum(row, arb()))
    return [_share(x, added + others) for x, others in zip(row, _sums_of_others(row), strict=True)]


def _sums_of_others(row: list[arb]) -> list[arb]:
    """Return the sum of the others for every entry: the total minus the entry would count its uncertainty twice."""
    before = accumulate(row[:-1], initial=arb())
    after = reversed(list(accumulate(reversed(row[1:]), initial=arb())))
    return [x + y for x, y in zip(before, after, strict=True)]


def _share(part: arb, rest: arb) -> arb:
    """part / (part + rest), with the uncertainty of the part counted once."""
    if part.is_exact() and rest.is_exact():
        return part / (part + rest)
    if part > 0 or part < 0:
        return 1 / (1 + rest / part)
    low, high = part.lower(), part.upper()
    if rest > 0 and low + rest > 0:
        # It grows with the part.
        return (low / (low + rest)).union(high / (high + rest))
    return part / (part + rest)


# -- divided by a root of a sum of squares -----------------------------------------------------------------------------


@dataclass(frozen=True)
class _Root:
    """√((Σ x² + more) / count) + added, of a row: the length or the deviation to divide by."""

    squares: list[arb]
    others: list[arb]
    count: int
    more: arb
    added: arb

    def divides(self, x: arb, j: int) -> arb:
        """Entry j over the root, with the uncertainty of the entry counted once."""
        rest = self.others[j] + self.more
        if x > 0 or x < 0:
            size = abs(x)
            share = 1 / (ball_root((1 + rest / (size * size)) / self.count) + self.added / size)
            return share if x > 0 else -share
        return x / (ball_root((self.squares[j] + rest) / self.count) + self.added)


def _root_of(row: list[arb], carry: Carry, count: int = 1, epsilon: arb | None = None) -> _Root:
    """√(Σ x² / count + ε), with the sum (or mean) of squares, the sum with ε, and the root itself written down."""
    squares = [x * x for x in row]
    mean = sum(squares, arb()) / count
    added = carry.added(mean)
    if epsilon is not None and not epsilon.is_zero():
        added += epsilon
        added += carry.added(mean + added)
    return _Root(squares, _sums_of_others(squares), count, added * count, carry.added(ball_root(mean + added)))


def _length(row: list[arb], carry: Carry) -> arb:
    """√(Σ x²), with Σ x² and the root written down."""
    return carry(ball_root(carry(sum((x * x for x in row), arb()))))


@by_hand.register
def _(node: ops.RowNorm, values: list[arb_mat], carry: Carry) -> arb_mat:
    return arb_mat([[ball_root(carry(sum((x * x for x in row), arb())))] for row in values[0].tolist()])


@by_hand.register
def _(node: ops.UnitRows, values: list[arb_mat], carry: Carry) -> arb_mat:
    rows = [(row, _root_of(row, carry)) for row in values[0].tolist()]
    return arb_mat([[length.divides(x, j) for j, x in enumerate(row)] for row, length in rows])


@by_hand.register
def _(node: ops.LayerNorm, values: list[arb_mat], carry: Carry) -> arb_mat:
    epsilon = number_ball(node.epsilon.doit())
    rows = [_normal(row, epsilon, carry) for row in values[0].tolist()]
    if node.gamma is None or node.beta is None:
        return arb_mat(rows)
    gains, shifts = values[1].entries(), values[2].entries()
    return arb_mat([[_moved(x, g, b, carry) for x, g, b in zip(row, gains, shifts, strict=True)] for row in rows])


def _normal(row: list[arb], epsilon: arb, carry: Carry) -> list[arb]:
    """(x − μ) / √(σ² + ε), with the mean and the deviations from it written down."""
    mean = carry(sum(row, arb()) / len(row))
    centred = [carry(x - mean) for x in row]
    deviation = _root_of(centred, carry, len(row), epsilon)
    return [deviation.divides(x, j) for j, x in enumerate(centred)]


def _moved(x: arb, gain: arb, shift: arb, carry: Carry) -> arb:
    """x γ + β; a factor of 1 and a term of 0 add no step."""
    product = _times(x, gain, carry)
    return product if shift.is_zero() else carry(product) + shift


def _times(x: arb, gain: arb, carry: Carry) -> arb:
    return x if gain == 1 else carry(x) * gain


@by_hand.register
def _(node: ops.RMSNorm, values: list[arb_mat], carry: Carry) -> arb_mat:
    epsilon, width = number_ball(node.epsilon.doit()), whole_sizes(node)[1]
    gains = values[1].entries() if len(values) > 1 else [arb(1)] * width
    found = []
    for row in values[0].tolist():
        size = _root_of(row, carry, width, epsilon)
        found.append(
            [_times(size.divides(x, j), gain, carry) for j, (x, gain) in enumerate(zip(row, gains, strict=True))]
        )
    return arb_mat(found)


@by_hand.register
def _(node: ops.ClipNorm, values: list[arb_mat], carry: Carry) -> arb_mat:
    threshold, length = number_ball(node.threshold.doit()), _length(values[0].entries(), carry)
    if length <= threshold:
        return values[0]
    factor = carry(threshold / length)
    return scaled(values[0], factor if length > threshold else factor.union(arb(1)))


# -- pairs of rows -----------------------------------------------------------------------------------------------------


@by_hand.register
def _(node: ops.Cosine, values: list[arb_mat], carry: Carry) -> arb_mat:
    return _cosines(values, carry)


@by_hand.register
def _(node: ops.Angle, values: list[arb_mat], carry: Carry) -> arb_mat:
    # Calculators have degrees: the angle in radians is not written down.
    degrees = 180 / arb.pi()
    return _each(lambda x: arccos(carry(x)) * degrees, _cosines(values, carry))


def _cosines(values: list[arb_mat], carry: Carry) -> arb_mat:
    left, right = values
    products = _each(carry, left * right.transpose()).tolist()
    sizes, others = ([_length(row, carry) for row in side.tolist()] for side in (left, right))
    usual = arb_mat(
        [[x / carry(a * b) for x, b in zip(row, others, strict=True)] for row, a in zip(products, sizes, strict=True)]
    )
    if not carry.any_way:
        return usual
    # Many divide by one length after the other, or make both vectors as long as 1 first.
    in_turn = arb_mat(
        [[carry(x / a) / b for x, b in zip(row, others, strict=True)] for row, a in zip(products, sizes, strict=True)]
    )
    units = [
        arb_mat([[carry(x / size) for x in row] for row, size in zip(side.tolist(), lengths, strict=True)])
        for side, lengths in ((left, sizes), (right, others))
    ]
    return _either(_either(usual, in_turn), units[0] * units[1].transpose())


@by_hand.register
def _(node: ops.AdditiveScores, values: list[arb_mat], carry: Carry) -> arb_mat:
    queries, keys, (vector,) = (value.tolist() for value in values)

    def score(query: list[arb], key: list[arb]) -> arb:
        return sum((v * carry(carry(q + k).tanh()) for v, q, k in zip(vector, query, key, strict=True)), arb())

    return arb_mat([[score(query, key) for key in keys] for query in queries])


# -- functions of each entry -------------------------------------------------------------------------------------------


@by_hand.register
def _(node: ops.ELU, values: list[arb_mat], carry: Carry) -> arb_mat:
    def elu(x: arb) -> arb:
        if x >= 0:
            return x
        below = carry(x.exp()) - 1
        return below if x < 0 else x.union(below)

    return _each(elu, values[0])


@by_hand.register
def _(node: ops.SiLU, values: list[arb_mat], carry: Carry) -> arb_mat:
    def silu(x: arb) -> arb:
        below = carry(1 + _not_negative(carry((-x).exp())))
        share = 1 / below
        # Beyond every number there is nothing to round on the way, and the share is as small as it gets.
        return x * carry(share if share.is_finite() else x.exp())

    return _each(silu, values[0])


@by_hand.register
def _(node: ops.GELUTanh, values: list[arb_mat], carry: Carry) -> arb_mat:
    scale, cubic = (2 / arb.pi()).sqrt(), number_ball(node.CUBIC)

    def gelu(x: arb) -> arb:
        inner = carry(scale * (x + cubic * x * x * x))
        return x * carry((1 + carry(inner.tanh())) / 2)

    return _each(gelu, values[0])


@by_hand.register
def _(node: ops.Entropy, values: list[arb_mat], carry: Carry) -> arb_mat:
    def term(x: arb) -> arb:
        if x > 0:
            return carry(x * carry(x.log()))
        return carry(x_log_x(_not_negative(x)))

    return arb_mat([[-sum(map(term, row), arb())] for row in values[0].tolist()])


# -- positions ---------------------------------------------------------------------------------------------------------


@by_hand.register
def _(node: ops.Rotary, values: list[arb_mat], carry: Carry) -> arb_mat:
    rows: list[list[arb]] = []
    for i, row in enumerate(values[0].tolist()):
        turned: list[arb] = []
        for j in range(0, len(row), 2):
            sine, cosine = map(carry, _sine_cosine(node, i, j, carry))
            turned += [row[j] * cosine - row[j + 1] * sine, row[j] * sine + row[j + 1] * cosine]
        rows.append(turned)
    return arb_mat(rows)


@by_hand.register
def _(node: ops.Sinusoidal, values: list[arb_mat], carry: Carry) -> arb_mat:
    rows, columns = whole_sizes(node)
    return arb_mat([[x for j in range(0, columns, 2) for x in _sine_cosine(node, i, j, carry)] for i in range(rows)])


def _sine_cosine(node: ops.Sinusoidal | ops.Rotary, i: int, j: int, carry: Carry) -> tuple[arb, arb]:
    """Return the sine and cosine of an angle that was written down."""
    angle = _number(node.angle(Integer(i), Integer(j)), carry)
    return angle.sin(), angle.cos()
