"""Canonical keys: equal for entries that differ only in the order of factors, terms and sums, or in bound names.

A tree becomes a text without these differences: bound indices are numbered by depth, products and sums are sorted, and
nested sums take the order that gives the smallest text.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import permutations
from operator import itemgetter

from sympy import (
    Add,
    Basic,
    Expr,
    Integer,
    KroneckerDelta,
    MatrixSymbol,
    Max,
    Min,
    Mul,
    Pow,
    Rational,
    Sum,
    Symbol,
    exp,
)
from sympy.matrices.expressions.matexpr import MatrixElement

from symattn.base.budget import priced
from symattn.compute.proof.tree import Bound, Largest, ProofError, Same, coefficient, factors, mul, nested_sums

KEYED = 60
"""Steps for turning a piece into text."""

SUMS = 6
"""The most sums that may be nested directly inside each other."""


@dataclass(frozen=True)
class Likeness:
    """The differences to ignore: the order of factors and terms (``commute``), the order of sums (``exchange``)."""

    commute: bool = True
    exchange: bool = True


ALL = Likeness()


def key(node: Expr, likeness: Likeness = ALL) -> str:
    """Return the text that two trees share exactly if they differ only in what ``likeness`` ignores.

    >>> from sympy import MatrixSymbol, symbols
    >>> from symattn.compute.proof.tree import finite_sum
    >>> k, l = symbols("k l", integer=True)
    >>> S = MatrixSymbol("S", 3, 3)
    >>> key(finite_sum(S[0, k], k, 3)) == key(finite_sum(S[0, l], l, 3))
    True
    """
    return _key(node, {}, likeness)


@priced(KEYED)
def _key(node: Basic, env: Mapping[Symbol, str], likeness: Likeness) -> str:
    match node:
        case Symbol():
            # A size, an index, or a letter for any real number: none is another one of the same name.
            return env.get(node) or f"{node.name}{'' if node.is_positive else ':i' if node.is_integer else ':r'}"
        case Rational():
            return str(node.p) if node.q == 1 else f"{node.p}/{node.q}"
        case MatrixElement():
            parent = node.parent.name if isinstance(node.parent, MatrixSymbol) else node.parent  # SymPy writes slowly
            return f"{parent}[{_key(node.i, env, likeness)},{_key(node.j, env, likeness)}]"
        case Sum():
            return _sum_key(node, env, likeness)
        case Largest():
            index, length = node.bound
            inner = _key(node.args[0], {**env, index: _next(env)}, likeness)
            return f"largest({_key(length, env, likeness)};{inner})"
        case Pow() if isinstance(node.base, exp) and node.exp.is_Rational:
            return _exponential_key(mul(node.exp, node.base.exp), env, likeness)
        case exp():
            return _exponential_key(node.exp, env, likeness)
    parts = [_key(arg, env, likeness) for arg in node.args]
    if isinstance(node, Max | Min | KroneckerDelta | Same) or (likeness.commute and isinstance(node, Add | Mul)):
        parts.sort()
    return f"{node.func.__name__}({','.join(parts)})" if parts else str(node)


def bound_indices(node: Expr) -> list[Symbol]:
    """Return the bound indices in an order that is the same for trees with the same key, so that trees can be matched.

    >>> from sympy import MatrixSymbol, symbols
    >>> from symattn.compute.proof.tree import totals
    >>> k, l = symbols("k l", integer=True)
    >>> S = MatrixSymbol("S", 3, 4)
    >>> bound_indices(totals(((k, 3), (l, 4)), S[k, l])), bound_indices(totals(((k, 4), (l, 3)), S[l, k]))
    ([k, l], [l, k])
    """
    return list(_bound(node, {}))


def _bound(node: Basic, env: Mapping[Symbol, str]) -> Iterator[Symbol]:
    if isinstance(node, MatrixElement | Symbol):
        return
    if isinstance(node, Sum):
        bounds, body = nested_sums(node)
        _, order = min(_orders(bounds, body, env, ALL), key=itemgetter(0))
        for index in order:
            yield index
            env = {**env, index: _next(env)}
        yield from _bound(body, env)
    elif isinstance(node, Largest):
        index, _ = node.bound
        yield index
        yield from _bound(node.args[0], {**env, index: _next(env)})
    else:
        args = list(node.args)
        if isinstance(node, Add | Mul):
            args.sort(key=lambda arg: _key(arg, env, ALL))
        for arg in args:
            yield from _bound(arg, env)


def _exponential_key(exponent: Expr, env: Mapping[Symbol, str], likeness: Likeness) -> str:
    number, rest = coefficient(exponent)
    return f"exp({number},{_key(rest, env, likeness)})"


def _sum_key(node: Sum, env: Mapping[Symbol, str], likeness: Likeness) -> str:
    bounds, body = nested_sums(node)
    if len(bounds) > SUMS:
        raise ProofError(f"{len(bounds)} sums inside each other: expected at most {SUMS}")
    return min(text for text, _ in _orders(bounds, body, env, likeness))


def _orders(
    bounds: tuple[Bound, ...], body: Expr, env: Mapping[Symbol, str], likeness: Likeness
) -> Iterator[tuple[str, tuple[Symbol, ...]]]:
    """Yield the text for each order of the sums, with the indices in that order."""
    orders = permutations(bounds) if likeness.exchange and len(bounds) > 1 else (bounds,)
    for order in orders:
        inner = {**env}
        for index, _ in order:
            # Numbered by depth, so that a sum beside this one uses the same names and one inside it others.
            inner[index] = _next(inner)
        lengths = ",".join(_key(length, env, likeness) for _, length in order)
        yield f"sum({lengths};{_key(body, inner, likeness)})", tuple(index for index, _ in order)


def _next(env: Mapping[Symbol, str]) -> str:
    """Return a number that no enclosing index has, not even one whose name is reused further in."""
    return f"#{max((int(name[1:]) for name in env.values()), default=-1) + 1}"


def same_base(node: Expr) -> tuple[str, Expr, Expr]:
    """Split a factor into the key of its base, the base and the exponent. e^{cx} is (e^x)^c for a rational c.

    >>> from sympy.abc import x
    >>> same_base(exp(-2 * x))[1:]
    (exp(x), -2)
    """
    if isinstance(node, exp):
        number, rest = coefficient(node.exp)
        base = exp(rest, evaluate=False)
        return key(base), base, number
    if isinstance(node, Pow) and node.exp.is_Rational:
        if isinstance(node.base, exp):
            text, base, number = same_base(node.base)
            return text, base, number * node.exp
        return key(node.base), node.base, node.exp
    return key(node), node, Rational(1)


def bases(node: Expr) -> dict[str, tuple[Expr, Expr]]:
    """Return the factors of a product as bases with exponents, by the key of the base; numbers are left out."""
    found: dict[str, tuple[Expr, Expr]] = {}
    for factor in factors(node):
        if factor.is_Rational:
            continue
        text, base, exponent = same_base(factor)
        found[text] = (base, found[text][1] + exponent) if text in found else (base, exponent)
    return found


def collected(parts: Iterable[Expr]) -> list[tuple[Rational, Expr]]:
    """Return terms as numbers times an expression, with those of the same expression combined."""
    found: dict[str, tuple[Rational, Expr]] = {}
    for part in parts:
        number, rest = coefficient(part)
        before, first = found.setdefault(key(rest), (Integer(0), rest))
        found[key(rest)] = (before + number, first)
    return list(found.values())
