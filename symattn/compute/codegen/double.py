"""Enclose the results of a program in double precision: balls around every value that rounding can lead to.

A program's value is not the true one. A formula is evaluated in balls, and each result of an operation is widened by
the error of 32 roundings: a sum by those of all its terms, in whatever order they are taken. Where all of a ball prints
alike, the program prints that; where it does not, nothing is guessed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import reduce
from itertools import chain
from operator import mul
from types import MappingProxyType
from typing import Any

from flint import arb, arb_mat
from sympy import Basic, MatAdd, MatMul, MatPow, MatrixSymbol

from symattn import operations as ops
from symattn.base.errors import RenderError, UndecidedError
from symattn.compute.codegen.safe import SOFTMAX_OR_ZERO, in_doubles
from symattn.compute.solution.store import Store
from symattn.compute.values.applied import frame, given_to
from symattn.compute.values.balls import BALLS, FUNCTIONS, Balls, at_precision, norm, number_ball
from symattn.operations.equations import run as equations
from symattn.operations.equations.read import read_operation
from symattn.operations.node import parameters_of
from symattn.operations.stages import Stage
from symattn.read.given import Given

BITS = 53

ROUNDINGS = 32
"""Number of roundings allowed for an operation."""

LARGE, SMALL, NOTHING = arb(2) ** 440, arb(2) ** -440, arb(2) ** -1080
"""Larger numbers may overflow when squared; smaller ones may have become 0; the last are 0 in double precision."""

FINITE, INFINITE = arb(2) ** 1024 - arb(2) ** 1010, arb(2) ** 1024 + arb(2) ** 1010
"""Numbers below the first fit in double precision; those above the second do not."""

ENDLESS, SATURATED = 2**20, 40
"""Beyond the first, eˣ overflows; beyond the second, tanh(x) and erf(x) are −1 or 1 in double precision."""

TOO_LARGE = "a number on the way is larger than 10^132: a program in double precision may lose it"


@dataclass(frozen=True)
class Machine:
    """The inputs and the conventions of the program whose results are enclosed."""

    values: Mapping[str, arb_mat]
    givens: Mapping[str, Given] = field(default_factory=dict)
    """The givens: entries written alike are the same number, however a program rounds it."""
    lets_empty_rows_through: bool = False
    """Whether a softmax gives a row of only −∞ weights of 0; otherwise it divides 0 by 0."""


def computed(solution: Store, names: Iterable[str]) -> dict[str, arb_mat]:
    """Enclose the true entries of ``names``, and those that a program computes.

    Raises :class:`~symattn.base.errors.UndecidedError` where a choice hangs on rounding errors, and
    :class:`~symattn.base.errors.RenderError` where a number is too large.
    """
    values: dict[str, arb_mat] = {}
    wanted = tuple(names)
    with at_precision(BITS):
        for needed in (needed for name in wanted for needed in solution.needed(name)):
            if needed in values:
                continue
            if needed in solution.givens:
                given = solution.givens[needed]
                values[needed] = _each(arb_mat(*given.shape, list(map(number_ball, given.entries))), _in_range)
                continue
            machine = Machine(values, solution.givens, solution.style.on_empty == "zero")
            try:
                values[needed] = in_double(solution.formula(needed), machine)
            except UndecidedError as error:
                raise UndecidedError(f"{needed}: {error}") from None
    return {name: values[name] for name in wanted}


# -- numbers -----------------------------------------------------------------------------------------------------


def widened(x: arb, size: arb, count: int = 1) -> arb:
    """Widen ``x`` by that many roundings of numbers of that size, and by :data:`ROUNDINGS` at least."""
    return _in_double(x + arb(0, (size * max(count, ROUNDINGS)).upper() * arb(2) ** -BITS)) if x.is_finite() else x


def _in_double(x: arb) -> arb:
    """Turn overflow into infinity and underflow into 0, where that is certain."""
    if abs(x) < FINITE or not x.is_finite():
        return _vanishing(x)
    return arb.nan() if not abs(x) > INFINITE else arb.pos_inf() if x > 0 else arb.neg_inf()


def _vanishing(x: arb) -> arb:
    if abs(x) < NOTHING:
        return arb()
    return x.union(arb()) if abs(x) < SMALL else x


def _in_range(x: arb) -> arb:
    """Reject an entry that a library may lose when it squares it; one that is too small may be 0."""
    if x.is_finite() and not abs(x) < LARGE:
        if abs(x) >= LARGE:
            raise RenderError(TOO_LARGE)
        return arb.nan()
    return _vanishing(x)


def _rounded(x: arb) -> arb:
    """Widen the result of one operation; results that are exact here are exact in a program."""
    return _in_double(x) if x.is_exact() else widened(x, abs(x))


def add_up(terms: Sequence[arb], is_exact: bool = True) -> arb:
    """Add terms in any order; without ``is_exact`` they count as rounded, even if they look exact."""
    total, size = sum(terms, arb()), sum(map(abs, terms), arb())
    if is_exact and all(map(_is_short, (*terms, size))):
        return total
    return widened(total, size, len(terms))


def _is_short(x: arb) -> bool:
    """Return True for numbers whose sums are free of rounding, if the sum of their sizes is short too."""
    return bool(x.is_exact() and abs(x) < 2**36 and (x * 2**16).is_integer())


def _difference(x: arb, y: arb) -> arb:
    """Subtract; a number minus itself is 0, whatever has been rounded before."""
    return arb() if x is y and x.is_finite() else add_up((x, -y))


def _quotient(x: arb, y: arb) -> arb:
    """Divide; a number over an overflowed one may be 0, or small but nonzero in a library that computes differently."""
    return arb(0, abs(x).upper() * arb(2) ** -1000) if is_infinite(y) and x.is_finite() else _rounded(x / y)


def _widening(rule: Callable[..., arb]) -> Callable[..., arb]:
    return lambda *numbers: _rounded(rule(*numbers))


def _exponential(rule: Callable[[arb], arb]) -> Callable[[arb], arb]:
    return lambda x: arb.pos_inf() if x > ENDLESS else _rounded(rule(x))


def _saturating(rule: Callable[[arb], arb]) -> Callable[[arb], arb]:
    return lambda x: arb(1) if x > SATURATED else arb(-1) if x < -SATURATED else _rounded(rule(x))


_AS_THEY_ARE = ("neg", "abs", "min", "max", "floor", "oo")
_RULES: Mapping[str, Callable[..., arb]] = {**FUNCTIONS, "log1p": arb.log1p}
_FUNCTIONS: Mapping[str, Callable[..., arb]] = MappingProxyType(
    {name: _widening(rule) for name, rule in _RULES.items() if name not in ("shares", "powers")}
    | {name: _RULES[name] for name in _AS_THEY_ARE}
    | {
        "add": lambda x, y: add_up((x, y)),
        "sub": _difference,
        "div": _quotient,
        "exp": _exponential(arb.exp),
        "expm1": _exponential(arb.expm1),
        "tanh": _saturating(arb.tanh),
        "erf": _saturating(arb.erf),
        # Near a zero that is not at 0, libraries are as exact as beside a 1.
        "sin": lambda x: arb() if x.is_zero() else widened(x.sin(), abs(x).min(1)),
        "cos": lambda x: arb(1) if x.is_zero() else widened(x.cos(), arb(1)),
    }
)


class Doubles(Balls):
    """Arithmetic for equations in which every result is widened."""

    functions = _FUNCTIONS

    def sum(self, values: list[arb]) -> arb:
        """Add numbers in any order."""
        return add_up(values)

    def product(self, left: list[list[arb]], right: list[list[arb]]) -> list[list[arb]]:
        """Multiply matrices with every number rounded; FLINT's own product rounds once and so hides cancellation."""
        columns = list(zip(*right, strict=True))
        return [[add_up([a * b for a, b in zip(row, column, strict=True)]) for column in columns] for row in left]


class LooseDoubles(Doubles):
    """Arithmetic in which operands of a difference are rounded: PyTorch computes x / σ − μ / σ for (x − μ) / σ."""

    functions = MappingProxyType({**_FUNCTIONS, "sub": lambda x, y: add_up((x, -y), is_exact=False)})


# -- formulas ----------------------------------------------------------------------------------------------------


@Stage
def in_double(node: Basic, machine: Machine) -> arb_mat:
    """Return the value of a formula as a program in double precision may compute it: by its equations, one operation at
    a time. A helper function of a program computes the same equations."""
    frame(node)  # raises an error for a node without equations
    return _by_equations(node, machine, Doubles())


def _by_equations(node: Basic, machine: Machine, arithmetic: Doubles) -> arb_mat:
    values = [in_double(arg, machine).tolist() for parameter, arg in parameters_of(node) if parameter.is_matrix]
    given = given_to(node, values, _scalar)
    lets_through = machine.lets_empty_rows_through and isinstance(node, ops.Softmax)
    operation = read_operation(SOFTMAX_OR_ZERO) if lets_through else in_doubles(given.operation)
    found = equations.run(replace(given, operation=operation, reach=None), arithmetic)
    if any(map(is_infinite, chain(*found))):
        true = equations.run(given, BALLS)
        if any(is_infinite(x) and y.is_finite() for x, y in zip(chain(*found), chain(*true), strict=True)):
            raise RenderError(TOO_LARGE)
    return _each(arb_mat(found), _in_range)


def is_infinite(x: arb) -> bool:
    """Return True for an infinity whose sign is known."""
    return bool(not x.is_finite() and (x < 0 or x > 0))


def _scalar(value: Any) -> arb:
    return number_ball(value.doit())


def _each(value: arb_mat, rule: Callable[[arb], arb]) -> arb_mat:
    return arb_mat(value.nrows(), value.ncols(), list(map(rule, value.entries())))


@in_double.register
def _(node: MatrixSymbol, machine: Machine) -> arb_mat:
    return machine.values[node.name]


@in_double.register
def _(node: MatAdd, machine: Machine) -> arb_mat:
    terms = [in_double(arg, machine) for arg in node.args]
    sums = map(add_up, zip(*(term.entries() for term in terms), strict=True))
    return _each(arb_mat(terms[0].nrows(), terms[0].ncols(), list(sums)), _in_range)


@in_double.register
def _(node: MatMul, machine: Machine) -> arb_mat:
    first, *others = (in_double(arg, machine) for arg in node.args if arg.is_Matrix)
    factor = reduce(mul, (_scalar(arg) for arg in node.args if not arg.is_Matrix), arb(1))
    if not others:
        return _each(first, lambda x: _in_range(_rounded(x * factor)))
    # c A B is c (A B) in R, and (c A) B in Python and Julia: a sum of products of three.
    return reduce(_times, others[1:], _times(first, others[0], factor))


@in_double.register
def _(node: MatPow, machine: Machine) -> arb_mat:
    return reduce(_times, [in_double(node.base, machine)] * int(node.exp))


def _times(left: arb_mat, right: arb_mat, factor: arb | int = 1) -> arb_mat:
    scaled = [[factor * x for x in row] for row in left.tolist()]
    return _each(arb_mat(Doubles().product(scaled, right.tolist())), _in_range)


@in_double.register
def _(node: ops.LayerNorm, machine: Machine) -> arb_mat:
    return _by_equations(node, machine, LooseDoubles())


@in_double.register
def _(node: ops.Angle, machine: Machine) -> arb_mat:
    left, right = (in_double(ops.UnitRows(side), machine).tolist() for side in node.args)
    return arb_mat([[_angle(u, v) for v in right] for u in left])


def _angle(u: list[arb], v: list[arb]) -> arb:
    """2 arctan(|u − v| / |u + v|) in degrees, for vectors that are not both 0."""
    apart = norm([a - b for a, b in zip(u, v, strict=True)])
    together = norm([a + b for a, b in zip(u, v, strict=True)])
    return _rounded(arb.atan2(apart, together) * 360 / arb.pi())


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
        # Entries of a given count as they are written: the same text is the same number.
        texts = given.texts[place] if given else tuple(map(str, range(len(row))))
        try:
            found.append(_among(row, count, texts))
        except UndecidedError as error:
            function = "argmax" if isinstance(node, ops.ArgMax) else "top_k"
            raise UndecidedError(f"{function}, row {place + 1}: {error}") from None
    return found


def _among(row: list[arb], count: int, texts: Sequence[str]) -> list[bool]:
    """Return which entries are among the ``count`` largest, the first ones where they tie.

    Entries with the same text are the same number in a program, whatever their balls are.
    Raises :class:`~symattn.base.errors.UndecidedError` where that depends on rounding errors.
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


def exact_fraction(x: arb) -> Fraction:
    """Convert a ball without a radius to a fraction."""
    mantissa, exponent = x.man_exp()
    return Fraction(int(mantissa)) * Fraction(2) ** int(exponent)
