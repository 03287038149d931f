"""Entry (i, j) of an operation in SymPy, from its equations: the entries of nodes, and the starting point of proofs."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import chain, count
from types import MappingProxyType
from typing import Any

import sympy
from sympy import Add, Basic, Expr, Integer, MatrixBase, Max, Piecewise, Rational, S, Sum, Symbol
from sympy.logic.boolalg import And

from symattn.base import limits
from symattn.base.errors import DomainError, cut
from symattn.base.remembered import cached_property
from symattn.operations.equations.tree import (
    All,
    Apply,
    Branch,
    Compare,
    Constant,
    Entry,
    Index,
    Length,
    NamedEquation,
    Operation,
    Over,
    Tree,
)

LETTERS = ("k", "l", "r", "p", "q", "t", "u", "v")
"""The letters for bound indices, in order; after them k_1, k_2, …"""


def fresh_letter(taken: Iterable[str], letters: Iterable[str] = LETTERS) -> str:
    """Return the first letter that is not taken; equal arguments always give the same answer.

    >>> fresh_letter(["k", "q"])
    'l'
    """
    used = set(taken)
    endless = chain(letters, (f"k_{i}" for i in count(1)))
    return next(letter for letter in endless if letter not in used)


def fresh_index(*expressions: Basic) -> Symbol:
    """Return a bound index that occurs, free or bound, in none of the expressions.

    A ``Dummy`` would do for mathematics, but two of them are never equal, so ``S[0, 0] == S[0, 0]`` would be false.
    """
    taken = chain.from_iterable(expression.atoms(Symbol) for expression in expressions)
    return Symbol(fresh_letter(symbol.name for symbol in taken), integer=True)


def _power(base: Expr | int | Fraction, exponent: Expr | int | Fraction) -> Expr:
    """Return a power. Raises :class:`~symattn.base.errors.DomainError` for a number too long to write down."""
    base, exponent = (each if isinstance(each, Expr) else Rational(each) for each in (base, exponent))
    if base.is_Rational and exponent.is_Rational:
        digits = len(str(max(abs(base.p), base.q))) if base not in (0, 1, -1) else 0
        if digits * min(abs(int(exponent)), 10**9) > limits.POWER_DIGITS:
            raise DomainError(f"{cut(f'{base}^{exponent}')} has more than POWER_DIGITS = {limits.POWER_DIGITS} digits")
    return base**exponent


_SAME = ("exp", "log", "sqrt", "tanh", "erf", "sin", "cos", "acos", "floor")
"""Functions with the same name in SymPy."""

FUNCTIONS: Mapping[str, Callable[..., Any]] = MappingProxyType(
    {
        **{name: getattr(sympy, name) for name in _SAME},
        "add": operator.add,
        "sub": operator.sub,
        "mul": operator.mul,
        "div": operator.truediv,
        "neg": operator.neg,
        "pow": _power,
        "mod": sympy.Mod,
        "abs": sympy.Abs,
        "min": sympy.Min,
        "max": Max,
        "xlogx": lambda x: x * sympy.log(x) if x != 0 else S.Zero,
        "pi": lambda: sympy.pi,
        "oo": lambda: sympy.oo,
        "sum": lambda *parts: sum(parts, S.Zero),
    }
)
"""The elementary functions of equations, in SymPy."""

COMPARED: Mapping[str, Callable[[Any, Any], Any]] = MappingProxyType(
    {"<": sympy.Lt, "<=": sympy.Le, "==": sympy.Eq, "!=": sympy.Ne, ">": sympy.Gt, ">=": sympy.Ge}
)
"""The comparison operators, in SymPy."""


class NoFormError(Exception):
    """SymPy has no form for an expression: the maximum over a number of entries that is a letter."""


def value_of(piece: Tree, given: Mapping[str, Basic]) -> Expr:
    """Return a length or a default value as a number; ``given`` has the values of sizes and whole numbers.

    >>> from fractions import Fraction
    >>> value_of(Apply("div", (Length("d"), Constant(Fraction(2)))), {"d": Integer(8)})
    4
    """
    return SympyEntries(None, given)(piece, {})


@dataclass(frozen=True, eq=False)
class SympyEntries:
    """The entries of an operation; ``given`` has the values of parameters and sizes."""

    operation: Operation | None
    given: Mapping[str, Basic]
    known: dict[tuple[str, tuple[Expr, ...]], Any] = field(default_factory=dict, repr=False)
    """Cached values of named numbers, where sums are expanded: those of a row occur in many entries."""

    def entry(self, i: Expr, j: Expr) -> Expr:
        """Return entry (i, j), counted from 0. Raises :class:`NoFormError` where SymPy has no form for it."""
        assert self.operation is not None
        result = self.operation.result
        one_row = self.operation.shape[0] == Constant(Fraction(1))
        places = (i, j) if len(result.index) == 2 else (j,) if one_row else (i,)
        return self(result.body, dict(zip(result.index, places, strict=False)))

    @cached_property
    def equations(self) -> Mapping[str, NamedEquation]:
        return {each.name: each for each in self.operation.equations} if self.operation is not None else {}

    @cached_property
    def is_explicit(self) -> bool:
        """Whether every matrix has entries: then sums are expanded."""
        return all(isinstance(each, MatrixBase) for each in self.given.values() if each.is_Matrix)

    def __call__(self, piece: Tree, at: Mapping[str, Expr]) -> Any:
        """Convert a piece; ``at`` has the places of indices, counted from 0."""
        match piece:
            case Constant(value):
                return Rational(value.numerator, value.denominator)
            case Index(name):
                return at[name] + 1
            case Length(name):
                return self.given[name]
            case Entry(name, ()) if name in self.given:
                return self.given[name]
            case Entry(name, places):
                return self._entry(name, [self(place, at) - 1 for place in places])
            case Apply(function, arguments):
                return FUNCTIONS[function](*(self(each, at) for each in arguments))
            case Over():
                return self._over(piece, at)
            case Branch():
                return self._cases(piece, at)
        raise TypeError(f"no entry of {type(piece).__name__}")

    def _entry(self, name: str, places: list[Expr]) -> Any:
        if name in self.equations:
            equation, key = self.equations[name], (name, tuple(places))
            if key in self.known:
                return self.known[key]
            value = self(equation.body, dict(zip(equation.index, places, strict=True)))
            if self.is_explicit:
                self.known[key] = value
            return value
        matrix: Any = self.given[name]
        i, j = places if len(places) == 2 else (Integer(0), *places)
        return matrix[i, j]

    def _over(self, piece: Over, at: Mapping[str, Expr]) -> Any:
        assert self.operation is not None
        length = self(self.operation.range_of[piece.index], {})
        if length.is_Integer and (piece.kind == "max" or self.is_explicit):
            terms = [self(piece.body, {**at, piece.index: Integer(k)}) for k in range(int(length))]
            return Max(*terms) if piece.kind == "max" else Add(*terms)
        if piece.kind == "max":
            raise NoFormError
        probe = self(piece.body, {**at, piece.index: Integer(0)})
        index = fresh_index(probe, *at.values())
        return Sum(self(piece.body, {**at, piece.index: index}), (index, 0, length - 1))

    def _cases(self, piece: Branch, at: Mapping[str, Expr]) -> Any:
        branches = []
        rest: Tree = piece
        while isinstance(rest, Branch):
            holds = self.holds(rest.condition, at)
            if holds is S.true:
                break
            if holds is not S.false:
                branches.append((self(rest.then, at), holds))
            rest = rest.otherwise
        last = self(rest.then if isinstance(rest, Branch) else rest, at)
        return Piecewise(*branches, (last, True)) if branches else last

    def holds(self, condition: Compare | All, at: Mapping[str, Expr]) -> Any:
        if isinstance(condition, All):
            return And(*(self.holds(part, at) for part in condition.parts))
        return COMPARED[condition.sign](self(condition.left, at), self(condition.right, at))
