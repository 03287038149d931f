"""What equations are by a road of its own: fractions while they last, else 120 digits of mpmath.

Nothing of the project helps with it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from mpmath import mp, mpf

DIGITS = 120
TINY = 80
"""Numbers that agree to so many decimals are equal: nothing here is that near and differs."""

Places = Mapping[str, int]
Told = tuple[str, Callable[["World", Places], Any]]
"""A text, and what it is."""


class UndefinedError(Exception):
    """Divided by 0, a root of what is negative, and the like."""


def real(x: Any) -> Any:
    return mpf(x.numerator) / x.denominator if isinstance(x, Fraction) else x


def is_zero(x: Any) -> bool:
    return x == 0 if isinstance(x, Fraction) else abs(x) < mpf(10) ** -TINY


def sign_of(x: Any) -> int:
    return 0 if is_zero(x) else 1 if x > 0 else -1


def both(rule: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    def work(x: Any, y: Any) -> Any:
        if isinstance(x, Fraction) and isinstance(y, Fraction):
            return rule(x, y)
        return rule(real(x), real(y))

    return work


def minus(x: Any, y: Any) -> Any:
    return both(lambda a, b: a - b)(x, y)


def divided(x: Any, y: Any) -> Any:
    if is_zero(y):
        raise UndefinedError
    return both(lambda a, b: a / b)(x, y)


def _floor(x: Any) -> Any:
    near = mp.nint(real(x))
    return Fraction(int(near)) if is_zero(real(x) - near) else Fraction(int(mp.floor(real(x))))


def modulo(x: Any, y: Any) -> Any:
    return minus(x, both(lambda a, b: a * b)(y, _floor(divided(x, y))))


def _needs(condition: bool, value: Callable[[], Any]) -> Any:
    if not condition:
        raise UndefinedError
    return value()


def _of_real(rule: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda x: rule(real(x))


FUNCTIONS: Mapping[str, Callable[[Any], Any]] = {
    "exp": lambda x: Fraction(1) if is_zero(x) else mp.exp(real(x)),
    "tanh": _of_real(mp.tanh),
    "erf": _of_real(mp.erf),
    "sin": _of_real(mp.sin),
    "cos": _of_real(mp.cos),
    "abs": abs,
    "floor": _floor,
    "sqrt": lambda x: _needs(sign_of(x) >= 0, lambda: mp.sqrt(abs(real(x)))),
    "log": lambda x: _needs(sign_of(x) > 0, lambda: mp.log(real(x))),
    "xlogx": lambda x: _needs(sign_of(x) >= 0, lambda: Fraction(0) if is_zero(x) else real(x) * mp.log(real(x))),
    "acos": lambda x: _needs(sign_of(abs(x) - 1) <= 0, lambda: mp.acos(min(max(real(x), mpf(-1)), mpf(1)))),
}
SAFE = {"sqrt": "abs({})", "log": "(1 + abs({}))", "xlogx": "abs({})", "acos": "tanh({})", "exp": "tanh({})"}
"""What keeps a function inside its domain, most of the time."""
COMPARED: Mapping[str, Callable[[int], bool]] = {
    "<": lambda s: s < 0,
    "<=": lambda s: s <= 0,
    "==": lambda s: s == 0,
    "!=": lambda s: s != 0,
    ">": lambda s: s > 0,
    ">=": lambda s: s >= 0,
}
AXES = {"i": "m", "l": "m", "j": "d", "k": "d", "q": "p"}


@dataclass
class World:
    """The numbers of everything that has a name; those of equations are worked out once."""

    matrices: Mapping[str, list[list[Any]]]
    numbers: Mapping[str, Any]
    sizes: Mapping[str, int]
    equations: Mapping[str, tuple[tuple[str, ...], Callable[[World, Places], Any]]]
    known: dict[tuple[Any, ...], Any] = field(default_factory=dict)

    def named(self, name: str, places: tuple[int, ...]) -> Any:
        key = (name, *places)
        if key not in self.known:
            index, body = self.equations[name]
            self.known[key] = body(self, dict(zip(index, places, strict=True)))
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
