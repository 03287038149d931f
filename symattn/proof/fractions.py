"""Fractions of polynomials in entries, exponentials, roots and maxima: exact, and zero only where everything cancels.

A polynomial is a table from monomials to rational numbers. Its letters are *generators*: an entry, e to the power of a
monomial, the square root of something (its square is known), a function of something (nothing is known). Exponents of
all but roots may be negative.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from math import gcd, isqrt, lcm

from sympy import Expr, Float, Max, Min, Rational, acos, cos, erf, exp, factorint, floor, log, pi, sin, sqrt

from symattn.budget import spend
from symattn.equations.whole import COMPARED

Monomial = tuple[tuple[int, int], ...]
Polynomial = dict[Monomial, Fraction]

TURNS = 200
"""How many times an angle may be the one that is known."""

TERMS = 3000
"""How many terms a polynomial may have."""

RADICAND = 10**9
"""The largest number under a root whose factors are looked for."""

DIGITS = 50
"""Digits of a difference that is shown not to be zero at one place."""


class TooLargeError(Exception):
    """A polynomial has more than :data:`TERMS` terms: the caller tries smaller sizes."""


class FinerError(Exception):
    """An exponential needs a smaller unit than there is; the caller starts again with the one that is named."""

    def __init__(self, unit: int) -> None:
        super().__init__(unit)
        self.unit = unit


@dataclass(frozen=True)
class Value:
    """A fraction; the denominator is not zero."""

    top: Polynomial
    bottom: Polynomial


@dataclass(frozen=True)
class Generator:
    """A letter of the polynomials: its kind, and what it is a function of. Entries are told apart by their name."""

    kind: str
    arguments: tuple[Value, ...] = ()
    name: str = ""
    value: Expr | None = None
    """What a frequency is, for one place at which two polynomials are told apart."""


ONE: Monomial = ()


class Fractions:
    """Arithmetic over generators that are made when they are needed.

    The generator of an exponential is e^{argument/unit}, so that its powers are whole.
    """

    def __init__(self, unit: int = 1) -> None:
        self.generators: list[Generator] = []
        self.squares: dict[int, Polynomial] = {}
        self.unit = unit
        self._entries: dict[str, int] = {}

    # -- values --------------------------------------------------------------------------------------------------

    def number(self, value: Fraction | int) -> Value:
        return Value(_constant(Fraction(value)), _constant(Fraction(1)))

    def entry(self, name: str) -> Value:
        """The entry of that name, a letter of its own."""
        if name not in self._entries:
            self._entries[name] = self._new(Generator("entry", name=name))
        return self._letter(self._entries[name])

    def add(self, a: Value, b: Value) -> Value:
        if a.bottom == b.bottom:
            return self._divided(_plus(a.top, b.top), a.bottom)
        top = _plus(self._times(a.top, b.bottom), self._times(b.top, a.bottom))
        return Value(top, self._times(a.bottom, b.bottom))

    def multiply(self, a: Value, b: Value) -> Value:
        return self._divided(self._times(a.top, b.top), self._times(a.bottom, b.bottom))

    def inverse(self, a: Value) -> Value:
        """1/a. Raises ``ZeroDivisionError`` where a is zero."""
        if not a.top:
            raise ZeroDivisionError
        return self._divided(a.bottom, a.top)

    def equal(self, a: Value, b: Value) -> bool:
        return not self.difference(a, b)

    def difference(self, a: Value, b: Value) -> Polynomial:
        """The numerator of a − b; it has no terms exactly if everything cancels."""
        if a.bottom == b.bottom:
            return _plus(a.top, _scaled(b.top, Fraction(-1)))
        return _plus(self._times(a.top, b.bottom), _scaled(self._times(b.top, a.bottom), Fraction(-1)))

    def exponential(self, a: Value) -> Value:
        """e^a: the product over the terms of a of e^{number · monomial}."""
        result = self.number(1)
        for monomial, number in a.top.items():
            place = self._found("exp", (Value({monomial: Fraction(1)}, a.bottom),))
            if self.unit % number.denominator:
                raise FinerError(lcm(self.unit, number.denominator))
            power: Polynomial = {((place, int(number * self.unit)),): Fraction(1)}
            result = self.multiply(result, Value(power, _constant(Fraction(1))))
        return result

    def frequency(self, name: str, value: Expr) -> Value:
        """A positive number that is treated as a letter of its own; ``value`` is only looked at to tell two apart."""
        if name not in self._entries:
            self._entries[name] = self._new(Generator("frequency", name=name, value=value))
        return self._letter(self._entries[name])

    def cosine_and_sine(self, angle: Value) -> tuple[Value, Value]:
        """By the addition formulas: the terms of the angle one after the other, each a whole number of times a unit."""
        result = (self.number(1), self.number(0))
        for monomial, number in angle.top.items():
            if self.unit % number.denominator:
                raise FinerError(lcm(self.unit, number.denominator))
            count = int(number * self.unit)
            if abs(count) > TURNS:
                raise TooLargeError
            cosine, sine = self._circle(Value({monomial: Fraction(1)}, angle.bottom))
            once = (cosine, sine if count > 0 else self.multiply(self.number(-1), sine))
            for _ in range(abs(count)):
                result = self.product_of_complex(result, once)
        return result

    def product_of_complex(self, a: tuple[Value, Value], b: tuple[Value, Value]) -> tuple[Value, Value]:
        """(a + a′i)(b + b′i): lengths multiplied, angles added."""
        real = self.add(self.multiply(a[0], b[0]), self.multiply(self.number(-1), self.multiply(a[1], b[1])))
        return real, self.add(self.multiply(a[0], b[1]), self.multiply(a[1], b[0]))

    def _circle(self, angle: Value) -> tuple[Value, Value]:
        """Letters for the cosine and the sine of a unit of an angle; the square of the sine is 1 − cos²."""
        cosine, sine = self._found("cos", (angle,)), self._found("sin", (angle,))
        self.squares.setdefault(sine, {ONE: Fraction(1), ((cosine, 2),): Fraction(-1)})
        return self._letter(cosine), self._letter(sine)

    def root(self, a: Value) -> Value:
        """The square root of something that is not negative."""
        if not a.top:
            return a
        if len(a.bottom) == 1 and ONE in a.bottom:
            content = Fraction(
                gcd(*(number.numerator for number in a.top.values())),
                lcm(*(number.denominator for number in a.top.values())),
            )
            outside = self._number_root(content / a.bottom[ONE])
            outer, primitive = self._positive_part(_scaled(a.top, 1 / content))
            outside = self.multiply(outside, outer)
            if primitive == _constant(Fraction(1)):
                return outside
            return self.multiply(outside, self._letter(self._root_of(primitive)))
        return self._letter(self._found("sqrt", (a,)))

    def function(self, name: str, arguments: Iterable[Value]) -> Value:
        """A function of which nothing is known but its arguments; those of a maximum may come in any order."""
        return self._letter(self._found(name, tuple(arguments)))

    # -- polynomials ---------------------------------------------------------------------------------------------

    def _letter(self, place: int) -> Value:
        return Value({((place, 1),): Fraction(1)}, _constant(Fraction(1)))

    def _new(self, generator: Generator) -> int:
        self.generators.append(generator)
        return len(self.generators) - 1

    def _found(self, kind: str, arguments: tuple[Value, ...]) -> int:
        for place, other in enumerate(self.generators):
            if other.kind == kind and self._alike(kind, arguments, other.arguments):
                return place
        return self._new(Generator(kind, arguments))

    def _alike(self, kind: str, some: tuple[Value, ...], others: tuple[Value, ...]) -> bool:
        if kind in ("Max", "Min"):
            one = all(any(self.equal(a, b) for b in others) for a in some)
            return one and all(any(self.equal(a, b) for b in some) for a in others)
        return len(some) == len(others) and all(map(self.equal, some, others))

    def _root_of(self, radicand: Polynomial) -> int:
        place = self._found("sqrt", (Value(radicand, _constant(Fraction(1))),))
        self.squares[place] = radicand
        return place

    def _positive_part(self, a: Polynomial) -> tuple[Value, Polynomial]:
        """The root of the exponentials that are in every term, and what is left of the terms."""
        common: dict[int, int] = {}
        for place in {g for monomial in a for g, _ in monomial if self.generators[g].kind == "exp"}:
            exponents = [dict(monomial).get(place, 0) for monomial in a]
            lowest = min(exponents) if min(exponents) > 0 else max(exponents) if max(exponents) < 0 else 0
            if lowest % 2:
                raise FinerError(2 * self.unit)
            if lowest:
                common[place] = lowest
        outer = {tuple(sorted((place, e // 2) for place, e in common.items())): Fraction(1)}
        inverse = tuple(sorted((place, -e) for place, e in common.items()))
        return Value(outer, _constant(Fraction(1))), {_merged(m, inverse): number for m, number in a.items()}

    def _number_root(self, value: Fraction) -> Value:
        if value < 0:
            raise ZeroDivisionError
        whole = value.numerator * value.denominator
        exact = isqrt(whole)
        if exact * exact == whole:
            return self.number(Fraction(exact, value.denominator))
        if whole > RADICAND:
            raise TooLargeError
        result = self.number(Fraction(1, value.denominator))
        for prime, exponent in factorint(whole).items():
            result = self.multiply(result, self.number(prime ** (exponent // 2)))
            if exponent % 2:
                result = self.multiply(result, self._letter(self._root_of(_constant(Fraction(prime)))))
        return result

    def _times(self, a: Polynomial, b: Polynomial) -> Polynomial:
        if len(a) * len(b) > 50 * TERMS:
            raise TooLargeError
        spend(100 + 40 * len(a) * len(b))
        out: Polynomial = {}
        for left, x in a.items():
            for right, y in b.items():
                monomial = _merged(left, right) if left and right else left or right
                number = out.get(monomial, Fraction(0)) + x * y
                if number:
                    out[monomial] = number
                else:
                    out.pop(monomial, None)
        if len(out) > TERMS:
            raise TooLargeError
        return self._reduced(out)

    def _reduced(self, a: Polynomial) -> Polynomial:
        """The same with no root to a power beyond the first."""
        high = next(((m, p) for m in a for p, (g, e) in enumerate(m) if g in self.squares and e > 1), None)
        if high is None:
            return a
        monomial, position = high
        generator, exponent = monomial[position]
        left = (generator, exponent % 2)
        rest = (*monomial[:position], *((left,) if left[1] else ()), *monomial[position + 1 :])
        others = {other: number for other, number in a.items() if other != monomial}
        put_in: Polynomial = {rest: a[monomial]}
        for _ in range(exponent // 2):
            put_in = self._times(put_in, self.squares[generator])
        return self._reduced(_plus(others, put_in))

    def _divided(self, top: Polynomial, bottom: Polynomial) -> Value:
        """A fraction whose denominator is 1 where it is a monomial (roots of numbers in it at most), or cancels."""
        if len(bottom) > 1 and top.keys() == bottom.keys():
            ratios = {number / bottom[monomial] for monomial, number in top.items()}
            if len(ratios) == 1:
                return self.number(ratios.pop())
        if len(bottom) != 1 or not bottom:
            return Value(top, bottom)
        ((monomial, number),) = bottom.items()
        for generator, _ in monomial:
            if generator in self.squares:
                if set(self.squares[generator]) != {ONE}:
                    return Value(top, bottom)
                letter: Polynomial = {((generator, 1),): Fraction(1)}
                return self._divided(self._times(top, letter), self._times(bottom, letter))
        inverse: Polynomial = {tuple((g, -e) for g, e in monomial): 1 / number}
        return Value(self._times(top, inverse), _constant(Fraction(1)))

    # -- one place -----------------------------------------------------------------------------------------------

    def differs_somewhere(self, a: Value, b: Value) -> bool:
        """Whether the two have different values where every entry is a certain number: then they are not the same."""
        try:
            known: dict[int, Expr] = {}
            one, two = self._at(a, known), self._at(b, known)
        except (ZeroDivisionError, ValueError, TypeError):
            return False
        gap = abs(one - two)
        return bool(gap > Float(10, DIGITS) ** -(DIGITS // 2) * (1 + abs(one) + abs(two)))

    def _at(self, value: Value, known: dict[int, Expr]) -> Expr:
        bottom = self._polynomial_at(value.bottom, known)
        if abs(bottom) < Float(10, DIGITS) ** -(DIGITS // 2):
            raise ZeroDivisionError
        return self._polynomial_at(value.top, known) / bottom

    def _polynomial_at(self, a: Polynomial, known: dict[int, Expr]) -> Expr:
        out, largest = Float(0, DIGITS), Float(0, DIGITS)
        for monomial, number in a.items():
            term = Float(Rational(number.numerator, number.denominator), DIGITS)
            for generator, exponent in monomial:
                term *= self._generator_at(generator, known) ** exponent
            out += term
            largest = max(largest, abs(term))
        if abs(out) < largest * Float(10, DIGITS) ** -(DIGITS // 4):
            # So much has cancelled that what is left may be rounding.
            raise ZeroDivisionError
        return out

    def _generator_at(self, place: int, known: dict[int, Expr]) -> Expr:
        if place not in known:
            generator = self.generators[place]
            if generator.kind == "entry":
                # Numbers of both signs with no relation that anybody would write down.
                known[place] = Float(Rational((place * 37 + 11) % 29 - 14, 13 + place % 7) + Rational(1, 101), DIGITS)
            elif generator.value is not None:
                known[place] = generator.value.evalf(DIGITS)
            else:
                arguments = [self._at(argument, known) for argument in generator.arguments]
                if generator.kind in ("exp", "cos", "sin"):
                    arguments = [arguments[0] / self.unit]
                known[place] = _function(generator, arguments)
            if not known[place].is_real:
                raise ValueError(generator.kind)
        return known[place]


def _function(generator: Generator, arguments: list[Expr]) -> Expr:
    match generator.kind:
        case "exp":
            return exp(arguments[0])
        case "sqrt":
            return sqrt(arguments[0])
        case "Max":
            return Max(*arguments)
        case "Min":
            return Min(*arguments)
        case "log":
            return log(arguments[0])
        case "acos":
            return acos(arguments[0])
        case "erf":
            return erf(arguments[0])
        case "cos":
            return cos(arguments[0])
        case "sin":
            return sin(arguments[0])
        case "Abs":
            return abs(arguments[0])
        case "floor":
            return floor(arguments[0])
        case "pi":
            return pi.evalf(DIGITS)
    if generator.kind.startswith("cases "):
        left, right, then, otherwise = arguments
        return then if COMPARED[generator.kind.removeprefix("cases ")](left, right) else otherwise
    raise TypeError(f"no rule for the function {generator.kind}")


def _constant(value: Fraction) -> Polynomial:
    return {ONE: value} if value else {}


def _scaled(a: Polynomial, number: Fraction) -> Polynomial:
    return {monomial: value * number for monomial, value in a.items()}


def _plus(a: Polynomial, b: Polynomial) -> Polynomial:
    out = dict(a)
    for monomial, number in b.items():
        total = out.get(monomial, Fraction(0)) + number
        if total:
            out[monomial] = total
        else:
            del out[monomial]
    return out


def _merged(a: Monomial, b: Monomial) -> Monomial:
    found = dict(a)
    for generator, exponent in b:
        found[generator] = found.get(generator, 0) + exponent
    return tuple(sorted((g, e) for g, e in found.items() if e))


def as_fraction(value: Rational) -> Fraction:
    """A SymPy rational as a fraction."""
    return Fraction(int(value.p), int(value.q))
