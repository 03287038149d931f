"""Forward-mode derivatives in balls: numbers with their rate of change, as power series cut after the first power.

A formula evaluated in the arithmetic :data:`MOVING` has its derivative in one direction beside it. The slopes of the
elementary functions are those of FLINT's power series, so that this module shares no rule for derivatives with the
gradients (:mod:`symattn.operations.equations.differential`).

>>> x = Moved(arb(2), arb(1))
>>> (x * x * x).speed
12.0000000000000

Source: Baydin et al. 2018, *Automatic Differentiation in Machine Learning: a Survey*, section 3.1.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from operator import add, mul, neg, sub, truediv
from types import MappingProxyType
from typing import Any, Union

from flint import arb, arb_mat, arb_series

from symattn.compute.values.balls import BALLS, FUNCTIONS

MovedNumber = Union["Moved", arb]
"""A number, or a ball alone for a constant of an equation: it never moves and takes no share of a maximum."""


@dataclass(frozen=True, slots=True, eq=False)
class Moved:
    """A number with its speed: f(x + εv) to the first power of ε."""

    value: arb
    speed: arb

    def __add__(self, other: MovedNumber) -> Moved:
        x, v = _parts(other)
        return Moved(self.value + x, self.speed + v)

    def __sub__(self, other: MovedNumber) -> Moved:
        x, v = _parts(other)
        return Moved(self.value - x, self.speed - v)

    def __mul__(self, other: MovedNumber) -> Moved:
        if isinstance(other, arb):
            return Moved(self.value * other, self.speed * other)
        return Moved(self.value * other.value, self.speed * other.value + self.value * other.speed)

    def __truediv__(self, other: MovedNumber) -> Moved:
        x, v = _parts(other)
        share = self.value / x
        return Moved(share, (self.speed - share * v) / x)

    def __neg__(self) -> Moved:
        return Moved(-self.value, -self.speed)


def _parts(number: MovedNumber) -> tuple[arb, arb]:
    return (number.value, number.speed) if isinstance(number, Moved) else (number, arb())


def _value(number: MovedNumber) -> arb:
    return number.value if isinstance(number, Moved) else number


def _lifted(rule: Callable[[Any, Any], Any]) -> Callable[[MovedNumber, MovedNumber], MovedNumber]:
    """Return a binary operation for two numbers, of which each may move or be a ball."""

    def between(x: MovedNumber, y: MovedNumber) -> MovedNumber:
        if isinstance(x, arb) and isinstance(y, Moved):
            x = Moved(x, arb())
        return rule(x, y)  # type: ignore[no-any-return]

    return between


def _through(name: str, series: Callable[[arb_series], arb_series]) -> Callable[[MovedNumber], MovedNumber]:
    """Return an elementary function, whose slope is the second coefficient of its power series."""

    def of(x: MovedNumber) -> MovedNumber:
        found = FUNCTIONS[name](_value(x))
        if isinstance(x, arb):
            return found  # type: ignore[no-any-return]
        if not x.value.is_finite() or x.speed.is_zero():  # of −∞ every function here is as good as constant
            return Moved(found, arb())
        return Moved(found, series(arb_series([x.value, 1], 2))[1] * x.speed)

    return of


def _tanh(x: arb_series) -> arb_series:
    is_above = bool(x[0] > 0)
    small = (-2 * x if is_above else 2 * x).exp()  # at most 1: of a large x the other one is no number
    share = (1 - small) / (1 + small)
    return share if is_above else -share


def _absolute(x: MovedNumber) -> MovedNumber:
    """|x|, at 0 with the slope 0."""
    if isinstance(x, arb):
        return abs(x)
    if x.value > 0 or x.value < 0:
        return x if x.value > 0 else -x
    speed = arb() if x.value.is_zero() else x.speed.union(-x.speed).union(arb())
    return Moved(abs(x.value), speed)


def _floor(x: MovedNumber) -> MovedNumber:
    return x.floor() if isinstance(x, arb) else Moved(x.value.floor(), arb())


def _remainder(x: MovedNumber, y: MovedNumber) -> MovedNumber:
    return _lifted(sub)(x, _lifted(mul)(y, _floor(_lifted(truediv)(x, y))))


def _power(x: MovedNumber, exponent: Any) -> MovedNumber:
    """Raise x to a power, which is a rational constant of the equation or a number from the formula."""
    if isinstance(x, arb) and not isinstance(exponent, Moved):
        return FUNCTIONS["pow"](x, exponent)  # type: ignore[no-any-return]
    n, speed_of_n = _parts(exponent) if isinstance(exponent, arb | Moved) else (exponent, arb())
    base, speed = _parts(x)
    whole = _whole(n)
    if whole is not None and speed_of_n.is_zero():
        if whole == 0:
            return Moved(arb(1), arb())
        found = reduce(mul, [Moved(base, speed)] * abs(whole))
        return found if whole > 0 else Moved(arb(1), arb()) / found
    value = FUNCTIONS["pow"](base, n)
    by_base = arb() if speed.is_zero() else speed * value * _ball(n) / base
    return Moved(value, by_base if speed_of_n.is_zero() else by_base + speed_of_n * value * base.log())


def _whole(n: Any) -> int | None:
    if isinstance(n, arb):
        found = n.unique_fmpz()
        return int(found) if found is not None and n.is_exact() else None
    return int(n) if n == int(n) else None


def _ball(n: Any) -> arb:
    return n if isinstance(n, arb) else BALLS.number(n)


def _x_log_x(x: MovedNumber) -> MovedNumber:
    value = FUNCTIONS["xlogx"](_value(x))
    if isinstance(x, arb):
        return value  # type: ignore[no-any-return]
    return Moved(value, arb() if x.speed.is_zero() else x.speed * (x.value.log() + 1))


def _larger(x: MovedNumber, y: MovedNumber) -> MovedNumber:
    """Return the larger of two numbers. Equal numbers share the slope; a constant of the equation takes no share."""
    if isinstance(x, arb) and isinstance(y, arb):
        return BALLS.max([x, y])
    (a, v), (b, w) = _parts(x), _parts(y)
    if a is not b and (a > b or a < b):
        return Moved(a, v) if a > b else Moved(b, w)
    tie = (v + w) / 2 if isinstance(x, Moved) and isinstance(y, Moved) else arb()
    largest = BALLS.max([a, b])
    return Moved(largest, tie if _are_equal(a, b) else v.union(w).union(tie))


def _smaller(x: MovedNumber, y: MovedNumber) -> MovedNumber:
    return -_larger(-x, -y)


def _are_equal(a: arb, b: arb) -> bool:
    return a is b or bool(a == b)


def _shares(values: list[MovedNumber], divisor: MovedNumber) -> list[MovedNumber]:
    """Divide all values by one number; where all of them and the divisor are 0, they are unchanged."""
    by = _value(divisor)
    return [x if by.is_zero() and _value(x).is_zero() else _lifted(truediv)(x, divisor) for x in values]


class Moving:
    """The arithmetic of moving numbers, for equations."""

    functions: Mapping[str, Callable[..., Any]] = MappingProxyType(
        {
            **{name: _lifted(rule) for name, rule in (("add", add), ("sub", sub), ("mul", mul), ("div", truediv))},
            **{name: _through(name, getattr(arb_series, name)) for name in ("exp", "log", "sqrt", "erf", "sin", "cos")},
            "tanh": _through("tanh", _tanh),
            "acos": _through("acos", arb_series.acos),
            "neg": neg,
            "shares": _shares,
            "pow": _power,
            "mod": _remainder,
            "abs": _absolute,
            "floor": _floor,
            "min": _smaller,
            "max": _larger,
            "xlogx": _x_log_x,
            "pi": arb.pi,
            "oo": arb.pos_inf,
        }
    )

    def number(self, value: int | Fraction) -> arb:
        """Return a constant of an equation."""
        return BALLS.number(value)

    def sum(self, values: Sequence[MovedNumber]) -> MovedNumber:
        """Return the sum of several numbers."""
        return reduce(_lifted(add), values)

    def max(self, values: Sequence[MovedNumber]) -> MovedNumber:
        """Return the largest of several numbers; ties have equal shares."""
        first = [x for k, x in enumerate(values) if not any(_value(y) > _value(x) for y in values)]
        largest = BALLS.max([_value(x) for x in first])
        speeds = [_parts(x)[1] for x in first]
        if all(_are_equal(_value(first[0]), _value(x)) for x in first):
            return Moved(largest, sum(speeds, arb()) / len(speeds))
        return Moved(largest, reduce(arb.union, speeds))

    def compare(self, sign: str, left: MovedNumber, right: MovedNumber) -> bool | None:
        """Return whether a comparison of the values holds."""
        return BALLS.compare(sign, _value(left), _value(right))

    def either(self, then: MovedNumber, otherwise: MovedNumber, condition: object) -> MovedNumber:
        """Return the union of both cases, where it is undecided which holds."""
        (x, v), (y, w) = _parts(then), _parts(otherwise)
        return Moved(x.union(y), v.union(w))

    def product(self, left: list[list[MovedNumber]], right: list[list[MovedNumber]]) -> list[list[MovedNumber]]:
        """Return the product of two matrices."""
        (a, v), (b, w) = matrices(left), matrices(right)
        return rows(a * b, v * b + a * w)


MOVING = Moving()


def matrices(rows_of: Sequence[Sequence[MovedNumber]]) -> tuple[arb_mat, arb_mat]:
    """Return the values of numbers, and their speeds."""
    pairs = [[_parts(x) for x in row] for row in rows_of]
    return arb_mat([[x for x, _ in row] for row in pairs]), arb_mat([[v for _, v in row] for row in pairs])


def rows(values: arb_mat, speeds: arb_mat) -> list[list[MovedNumber]]:
    """Return moving numbers from their values and their speeds."""
    return [
        [Moved(*pair) for pair in zip(*both, strict=True)]
        for both in zip(values.tolist(), speeds.tolist(), strict=True)
    ]
