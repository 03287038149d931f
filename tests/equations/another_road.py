"""What equations are by a road of its own: fractions while they last, else 120 digits of mpmath.

Nothing of the project helps with it: the text is read by Python's parser and worked out piece by piece.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from mpmath import mp, mpf

DIGITS = 120
TINY = 80
"""Numbers that agree to so many decimals are equal: nothing here is that near and differs."""
AXES = {"i": "m", "l": "m", "j": "d", "k": "d", "q": "p"}
"""The axis that a letter goes over."""


class UndefinedError(Exception):
    """Divided by 0, a root of what is negative, and the like."""


def real(x: Any) -> Any:
    return mpf(x.numerator) / x.denominator if isinstance(x, Fraction) else x


def is_zero(x: Any) -> bool:
    return x == 0 if isinstance(x, Fraction) else abs(x) < mpf(10) ** -TINY


def sign_of(x: Any) -> int:
    return 0 if is_zero(x) else 1 if x > 0 else -1


def both(rule: Callable[[Any, Any], Any], x: Any, y: Any) -> Any:
    return rule(x, y) if isinstance(x, Fraction) and isinstance(y, Fraction) else rule(real(x), real(y))


def order(x: Any, y: Any) -> int:
    return sign_of(both(operator.sub, x, y))


def divided(x: Any, y: Any) -> Any:
    return _needs(not is_zero(y), lambda: both(operator.truediv, x, y))


def power(x: Any, n: Any) -> Any:
    return x ** int(n) if n > 0 else divided(Fraction(1), x ** int(-n))


def _floor(x: Any) -> Any:
    near = mp.nint(real(x))
    return Fraction(int(near)) if is_zero(real(x) - near) else Fraction(int(mp.floor(real(x))))


def modulo(x: Any, y: Any) -> Any:
    return both(operator.sub, x, both(operator.mul, y, _floor(divided(x, y))))


def _needs(condition: bool, value: Callable[[], Any]) -> Any:
    if not condition:
        raise UndefinedError
    return value()


FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    "exp": lambda x: Fraction(1) if is_zero(x) else mp.exp(real(x)),
    "erf": lambda x: mp.erf(real(x)),
    "sin": lambda x: mp.sin(real(x)),
    "cos": lambda x: mp.cos(real(x)),
    "tanh": lambda x: Fraction(0) if is_zero(x) else mp.tanh(real(x)),
    "abs": abs,
    "floor": _floor,
    "sqrt": lambda x: _needs(sign_of(x) >= 0, lambda: mp.sqrt(abs(real(x)))),
    "log": lambda x: _needs(sign_of(x) > 0, lambda: mp.log(real(x))),
    "xlogx": lambda x: _needs(sign_of(x) >= 0, lambda: Fraction(0) if is_zero(x) else real(x) * mp.log(real(x))),
    "acos": lambda x: _needs(sign_of(abs(x) - 1) <= 0, lambda: mp.acos(min(max(real(x), mpf(-1)), mpf(1)))),
    "max": lambda x, y: x if order(x, y) >= 0 else y,
    "min": lambda x, y: x if order(x, y) <= 0 else y,
}
OPERATORS: Mapping[type, Callable[[Any, Any], Any]] = {
    **{ast.Add: lambda x, y: both(operator.add, x, y), ast.Sub: lambda x, y: both(operator.sub, x, y)},
    **{ast.Mult: lambda x, y: both(operator.mul, x, y), ast.Div: divided, ast.Mod: modulo, ast.Pow: power},
}
COMPARED: Mapping[str, type] = {"<": ast.Lt, "<=": ast.LtE, "==": ast.Eq, "!=": ast.NotEq, ">": ast.Gt, ">=": ast.GtE}
HOLDS: Mapping[type, Callable[[int, int], bool]] = {
    COMPARED[sign]: getattr(operator, name)
    for sign, name in zip(COMPARED, ("lt", "le", "eq", "ne", "gt", "ge"), strict=True)
}


@dataclass
class World:
    """The numbers of everything that has a name; those of equations are worked out once."""

    matrices: Mapping[str, list[list[Any]]]
    numbers: Mapping[str, Any]
    sizes: Mapping[str, int]
    equations: Mapping[str, tuple[tuple[str, ...], str]]
    """The index of each, and its right side."""
    known: dict[tuple[Any, ...], Any] = field(default_factory=dict)

    def named(self, name: str, places: tuple[int, ...]) -> Any:
        key = (name, *places)
        if key not in self.known:
            index, text = self.equations[name]
            body = ast.parse(text.replace("^", "**"), mode="eval").body
            self.known[key] = self.value(body, dict(zip(index, places, strict=True)))
        return self.known[key]

    def every(self, name: str) -> list[list[Any]]:
        """All values of an equation, row by row."""
        index, _ = self.equations[name]
        lengths = [self.sizes[AXES[letter]] for letter in index]
        rows = lengths[0] if lengths else 1
        if len(index) == 2:
            return [[self.named(name, (i + 1, j + 1)) for j in range(lengths[1])] for i in range(rows)]
        found = [self.named(name, (i + 1,) if index else ()) for i in range(rows)]
        return [found] if index == ("j",) else [[each] for each in found]

    def value(self, node: ast.expr, at: Mapping[str, int]) -> Any:
        match node:
            case ast.Constant(number):
                return Fraction(str(number))
            case ast.Name("pi"):
                return +mp.pi
            case ast.Name(name):
                places = {**self.sizes, **at}
                return Fraction(places[name]) if name in places else self.entry(name, ())
            case ast.Subscript(ast.Name(name), inside):
                inner = inside.elts if isinstance(inside, ast.Tuple) else [inside]
                return self.entry(name, tuple(int(self.value(each, at)) for each in inner))
            case ast.UnaryOp(ast.USub(), of):
                return -self.value(of, at)
            case ast.BinOp(left, sign, right):
                return OPERATORS[type(sign)](self.value(left, at), self.value(right, at))
            case ast.IfExp(test, then, otherwise):
                return self.value(then if self.value(test, at) else otherwise, at)
            case ast.BoolOp(ast.And(), parts):
                return {self.value(part, at) for part in parts} == {True}  # each is asked, as the project does
            case ast.Compare(left, [sign], [right]):
                return HOLDS[type(sign)](order(self.value(left, at), self.value(right, at)), 0)
            case ast.Call(ast.Name("sum" | "max" as kind), [ast.Name(letter), body]) if letter in AXES:
                return self.over(kind, letter, body, at)
            case ast.Call(ast.Name(function), given):
                return FUNCTIONS[function](*(self.value(each, at) for each in given))
        raise TypeError(ast.unparse(node))

    def over(self, kind: str, letter: str, body: ast.expr, at: Mapping[str, int]) -> Any:
        found, *values = (self.value(body, {**at, letter: k + 1}) for k in range(self.sizes[AXES[letter]]))
        for value in values:
            found = both(operator.add, found, value) if kind == "sum" else value if order(value, found) > 0 else found
        return found

    def entry(self, name: str, places: tuple[int, ...]) -> Any:
        if name not in self.matrices:
            return self.numbers[name] if name in self.numbers else self.named(name, places)
        return self.matrices[name][places[0] - 1 if len(places) == 2 else 0][places[-1] - 1]
