"""What a program in double precision may compute: balls around everything its rounding can lead to.

A program's value is not the true one. Every name is enclosed here by ball arithmetic that takes the same operations as
the program, one by one, with 48 bits instead of 53: each operation is allowed 32 times the error that a program makes
in it. Where all of a ball prints alike, that is what the program prints; where it does not, nothing is guessed.

Libraries add in an order of their own, and PyTorch's layer norm multiplies before it subtracts. :class:`Machine` says
whether that is allowed for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import reduce

from flint import arb, arb_mat
from sympy import Basic, Expr, MatAdd, MatMul, MatPow, MatrixSymbol

from symattn import operations as ops
from symattn.codegen.arithmetic import BITS, TOO_LARGE, Doubles, in_range
from symattn.codegen.safe import SOFTMAX_OR_ZERO, in_doubles
from symattn.equations import run as equations
from symattn.equations.read import read_operation
from symattn.errors import RenderError, UndecidedError
from symattn.given import Given
from symattn.operations.node import parameters_of
from symattn.operations.stages import Stage
from symattn.solution.store import Store
from symattn.values.applied import frame, given_to
from symattn.values.number import at_precision, norm, number_ball


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


def computed(solution: Store, names: Iterable[str], *, any_order: bool = True) -> dict[str, arb_mat]:
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


def _step(solution: Store, name: str, machine: Machine) -> arb_mat:
    try:
        return in_double(solution.formula(name), machine)
    except UndecidedError as error:
        raise UndecidedError(f"{name}: {error}") from None


@Stage
def in_double(node: Basic, machine: Machine) -> arb_mat:
    """The value of a formula as a program in double precision may see it: what its equations say, one operation at a
    time. A helper function of a program computes the same equations."""
    frame(node)  # which refuses what has no equations
    return _by_equations(node, machine, Doubles(machine.any_order))


def _by_equations(node: Basic, machine: Machine, arithmetic: Doubles) -> arb_mat:
    values = [in_double(arg, machine).tolist() for parameter, arg in parameters_of(node) if parameter.is_matrix]
    given = given_to(node, values, _scalar)
    lets_through = machine.lets_empty_rows_through and isinstance(node, ops.Softmax)
    operation = read_operation(SOFTMAX_OR_ZERO) if lets_through else in_doubles(given.operation)
    safe = replace(given, operation=operation, reach=None)
    return _in_range(arb_mat(_rows(safe, arithmetic)))


def _rows(given: equations.OperandValues, arithmetic: Doubles) -> list[list[arb]]:
    """What a program computes, which has to be the true value but for rounding."""
    found = equations.run(given, arithmetic)
    if not arithmetic.overflowed:
        return found
    true = equations.run(given, replace(arithmetic, endless=True))
    return [[_same(x, y) for x, y in zip(*rows, strict=True)] for rows in zip(true, found, strict=True)]


def _same(true: arb, found: arb) -> arb:
    if found.is_finite() != true.is_finite():
        raise RenderError(TOO_LARGE)
    return true.union(found) if true.is_finite() else found


@in_double.register
def _(node: MatrixSymbol, machine: Machine) -> arb_mat:
    return machine.values[node.name]


@in_double.register
def _(node: MatAdd, machine: Machine) -> arb_mat:
    return _in_range(reduce(lambda a, b: a + b, (in_double(arg, machine) for arg in node.args)))


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
def _(node: ops.LayerNorm, machine: Machine) -> arb_mat:
    return _by_equations(node, machine, Doubles(machine.any_order, loose=machine.any_order))


@in_double.register
def _(node: ops.Angle, machine: Machine) -> arb_mat:
    left, right = (in_double(ops.UnitRows(side), machine).tolist() for side in node.args)
    return arb_mat([[_angle(u, v) for v in right] for u in left])


def _angle(u: list[arb], v: list[arb]) -> arb:
    """2 arctan(|u − v| / |u + v|) in degrees; one of the two is not 0."""
    apart = norm([a - b for a, b in zip(u, v, strict=True)])
    together = norm([a + b for a, b in zip(u, v, strict=True)])
    return arb.atan2(apart, together) * 360 / arb.pi()


@in_double.register
def _(node: ops.GELU, machine: Machine) -> arb_mat:
    if machine.any_order:
        return _by_equations(node, machine, Doubles())
    # R has the normal distribution's share below x itself.
    return _each(in_double(node.argument, machine), lambda x: in_range(x * (-x / arb(2).sqrt()).erfc() / 2))


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
            found.append(_among(row, count, texts))
        except UndecidedError as error:
            function = "argmax" if isinstance(node, ops.ArgMax) else "top_k"
            raise UndecidedError(f"{function}, row {place + 1}: {error}") from None
    return found


def _among(row: list[arb], count: int, texts: Sequence[str]) -> list[bool]:
    """Which entries are among the ``count`` largest, the first ones where they tie.

    Entries with the same text are the same number in a program, whatever their balls are.
    Raises :class:`~symattn.errors.UndecidedError` where that hangs on rounding errors.
    """
    places = range(len(row))

    def before(i: int, j: int) -> bool:
        return bool(row[i] > row[j]) or (i < j and bool(row[i] == row[j] or texts[i] == texts[j]))

    found = []
    for i in places:
        above, below = sum(before(j, i) for j in places), sum(before(i, j) for j in places)
        if above < count and below < len(row) - count:
            other = next(j for j in places if j != i and not before(i, j) and not before(j, i))
            raise UndecidedError(
                f"which of the columns {min(i, other) + 1} and {max(i, other) + 1} holds the larger entry hangs on the "
                "rounding errors of a program: they are equal, or too close to each other for double precision"
            )
        found.append(above < count)
    return found


# -- sums --------------------------------------------------------------------------------------------------------


def _chain(factors: list[arb_mat], machine: Machine) -> arb_mat:
    product = Doubles(machine.any_order).product
    return reduce(lambda a, b: _in_range(arb_mat(product(a.tolist(), b.tolist()))), factors)


def _scaled(value: arb_mat, numbers: list[arb]) -> arb_mat:
    factor = reduce(lambda a, b: a * b, numbers, arb(1))
    return _each(value, lambda x: in_range(x * factor))


def _scalar(value: Expr) -> arb:
    return number_ball(value.doit())


def _in_range(value: arb_mat) -> arb_mat:
    return _each(value, in_range)


def _each(value: arb_mat, rule: Callable[[arb], arb]) -> arb_mat:
    return arb_mat(value.nrows(), value.ncols(), list(map(rule, value.entries())))


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
        """The numbers that a ball holds.

        Raises :class:`~symattn.errors.UndecidedError` with the place where they may be any.
        """
        if not x.is_finite():
            if not (x < 0 or x > 0):
                raise UndecidedError(
                    f"{place}: what a program prints cannot be decided: double precision loses every digit"
                )
            return cls(infinite=-1 if x < 0 else 1)
        middle, radius = exact_fraction(x.mid()), exact_fraction(x.rad())
        return cls(middle - radius, middle + radius)

    @property
    def may_be_a_remainder(self) -> bool:
        """Whether this is 0 to every digit that double precision has, but perhaps not exactly 0."""
        return self.low <= 0 <= self.high and self.low != self.high


def exact_fraction(x: arb) -> Fraction:
    """A ball without a radius as the fraction that it is."""
    mantissa, exponent = x.man_exp()
    return Fraction(int(mantissa)) * Fraction(2) ** int(exponent)
