"""Evaluate a tree in balls, with numbers for the entries of matrices, without any rule of proofs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import reduce
from types import MappingProxyType
from typing import Any

from flint import arb
from sympy import Abs, Add, Expr, Integer, KroneckerDelta, Mul, Pow, S, Sum, Symbol, acos, cos, erf, exp, log, sin, tanh
from sympy.matrices.expressions.matexpr import MatrixElement

from symattn.base.budget import spend
from symattn.compute.proof.tree import ProofError, Same, Smaller, nested_sums
from symattn.compute.values.balls import number_ball

EntryValue = Callable[[MatrixElement, int, int], arb]
"""The ball of an entry of a matrix, at a row and a column that count from 0."""

_FUNCTIONS: Mapping[type, Callable[[Any], arb]] = MappingProxyType(
    {exp: arb.exp, log: arb.log, tanh: arb.tanh, sin: arb.sin, cos: arb.cos, erf: arb.erf, acos: arb.acos, Abs: abs}
)


def value_of(node: Expr, at: Mapping[Symbol, int], entry: EntryValue) -> arb:
    """Return the ball of a tree with its free indices at some places, which count from 0.

    Raises :class:`~symattn.compute.proof.tree.ProofError` for a function without a rule.

    >>> from sympy import MatrixSymbol
    >>> from symattn.compute.proof.tree import finite_sum
    >>> k = Symbol("k", integer=True)
    >>> value_of(finite_sum(MatrixSymbol("X", 1, 3)[0, k], k, 3), {}, lambda _, i, j: arb(10 * j))
    30.0000000000000
    """
    spend(20)

    def of(part: Expr) -> arb:
        return value_of(part, at, entry)

    match node:
        case MatrixElement():
            return entry(node, _place(node.i, at), _place(node.j, at))
        case Sum():
            bounds, body = nested_sums(node)
            return _summed(bounds, body, at, entry)
        case Add():
            return reduce(lambda a, b: a + b, map(of, node.args))
        case Mul():
            return reduce(lambda a, b: a * b, map(of, node.args))
        case Pow() if node.exp == S.Half:
            return of(node.base).sqrt()
        case Pow() if node.exp == -S.Half:
            return of(node.base).rsqrt()
        case Pow() if node.exp.is_Rational:
            base = of(node.base)
            return base ** int(node.exp) if node.exp.is_Integer else base.sqrt() ** int(2 * node.exp)
        case KroneckerDelta():
            one, other = (_place(part, at) for part in node.args)
            return arb(int(one == other))
        case Same() | Smaller():
            left, right = map(of, node.args)
            if left.overlaps(right) and not (left.is_exact() and right.is_exact()):
                return arb("nan")
            return arb(int(bool(left == right if isinstance(node, Same) else left < right)))
    if type(node) in _FUNCTIONS:
        return _FUNCTIONS[type(node)](of(node.args[0]))
    if isinstance(node, Symbol) and node in at:
        return arb(at[node])
    if node.is_number:
        return number_ball(node)
    raise ProofError(f"there is no rule for the value of {type(node).__name__}")


def _summed(bounds: tuple[Any, ...], body: Expr, at: Mapping[Symbol, int], entry: EntryValue) -> arb:
    if not bounds:
        return value_of(body, at, entry)
    (index, length), *inner = bounds
    terms = (_summed(tuple(inner), body, {**at, index: k}, entry) for k in range(int(length)))
    return reduce(lambda a, b: a + b, terms)


def _place(place: Expr, at: Mapping[Symbol, int]) -> int:
    """Substitute the indices into a place."""
    return int(place.xreplace({index: Integer(value) for index, value in at.items()}))
