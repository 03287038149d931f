"""Entries as SymPy trees that stay as they were written: built without evaluation, changed by named rules only.

SymPy would cancel, sort and combine while it builds a tree, and the reader would never see the step. The functions here
build sums, products and powers in reading order and remove only redundancies: nested products, a factor of 1, a sum of
one term.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from functools import partial
from itertools import count
from types import MappingProxyType
from typing import Any

from sympy import Add, Basic, Expr, Integer, Mul, Pow, Rational, S, Sum, Symbol, cos, exp, sin
from sympy.matrices.expressions.matexpr import MatrixElement

from symattn.base.errors import SymattnError


class ProofError(SymattnError):
    """An equality that is false, or that the rules do not prove; the message names both formulas."""


INDICES = 300
"""The most sums of an entry before any rule is applied."""

ENTRIES = 6000
"""The most entries of formulas and names that may be substituted into it."""

Bound = tuple[Symbol, Expr]
"""A bound index and the number of its values: 0, 1, …, N − 1."""


class Largest(Expr):  # type: ignore[misc]
    """max_k f(k), the largest of N values: Largest(f(k), k, N). No rule looks inside."""

    @property
    def bound(self) -> Bound:
        return self.args[1], self.args[2]


class Truth(Expr):  # type: ignore[misc]
    """1 where a relation of two numbers holds, and 0 elsewhere."""

    is_commutative = True
    is_nonnegative = True


class Smaller(Truth):
    """1 where x < y, else 0."""


class Same(Truth):
    """1 where x = y, else 0."""


class PairFrequency(Expr):  # type: ignore[misc]
    """θ_t = base^{−2t/d}, the angle of pair t of columns from one position to the next; t counts from 0."""

    is_commutative = True

    @property
    def base(self) -> Expr:
        return self.args[0]

    @property
    def pair(self) -> Expr:
        return self.args[1]

    @property
    def width(self) -> Expr:
        return self.args[2]


NameOf = Callable[[Basic, Any, str, list[Expr]], Expr | None]
"""Names an intermediate number of a node's operation at some places, or declines, so that its equation is used."""


class Indices:
    """Supplies bound indices that are all different, and none of them already taken."""

    def __init__(self, taken: Collection[Symbol] = (), named: NameOf | None = None) -> None:
        self._number = self._entries = 0
        self._taken = frozenset(taken)
        self.named = named
        """Names the intermediate numbers that keep their names; without it none does."""

    def new(self) -> Symbol:
        """Return the next one. Raises :class:`~symattn.compute.proof.tree.ProofError` beyond :data:`INDICES`."""
        self._number += 1
        if self._number > INDICES:
            raise ProofError(f"an entry holds more than INDICES = {INDICES} sums")
        index = Symbol(f"index_{self._number}", integer=True)
        return self.new() if index in self._taken else index

    def entered(self) -> None:
        """Count a substituted entry. Raises :class:`~symattn.compute.proof.tree.ProofError` beyond :data:`ENTRIES`."""
        self._entries += 1
        if self._entries > ENTRIES:
            raise ProofError(f"an entry is made of more than ENTRIES = {ENTRIES} entries of formulas inside")


def factors(node: Expr) -> tuple[Expr, ...]:
    """Return the factors of a product; anything else is its own only factor."""
    return node.args if isinstance(node, Mul) else (node,)


def terms_of(node: Expr) -> tuple[Expr, ...]:
    """Return the terms of a sum; anything else is its own only term."""
    return node.args if isinstance(node, Add) else (node,)


def mul(*parts: Expr) -> Expr:
    """Return a product in that order.

    >>> from sympy.abc import x, y
    >>> mul(y, mul(x, y), Integer(1)).args
    (y, x, y)
    """
    flat = [factor for part in parts for factor in factors(part) if factor != 1]
    if any(factor.is_Rational and factor == 0 for factor in flat):
        return S.Zero
    if not flat:
        return S.One
    return flat[0] if len(flat) == 1 else Mul(*flat, evaluate=False)


def add(*parts: Expr) -> Expr:
    """Return a sum in that order."""
    flat = [term for part in parts for term in terms_of(part) if not (term.is_Rational and term == 0)]
    if not flat:
        return S.Zero
    return flat[0] if len(flat) == 1 else Add(*flat, evaluate=False)


def power_of(base: Expr, exponent: Expr) -> Expr:
    """Return base^exponent; a whole power of a product applies to each factor, so that 1/(xy) and (1/x)(1/y) are equal.

    >>> from sympy.abc import x, y
    >>> power_of(mul(x, y), Integer(-1)).args
    (1/x, 1/y)
    """
    if exponent == 1 or base == 1:
        return base
    if exponent == 0:
        return S.One
    if isinstance(base, Pow) and (exponent.is_Integer or is_nonnegative(base.base)):
        return power_of(base.base, base.exp * exponent)
    if isinstance(base, Mul) and exponent.is_Integer:
        return mul(*(power_of(factor, exponent) for factor in base.args))
    if base.is_Rational and exponent.is_Integer:
        return base**exponent
    return Pow(base, exponent, evaluate=False)


def cosine(angle: Expr) -> Expr:
    """cos(angle)."""
    return S.One if angle == 0 else cos(angle, evaluate=False)


def sine(angle: Expr) -> Expr:
    """sin(angle)."""
    return S.Zero if angle == 0 else sin(angle, evaluate=False)


def exponential(exponent: Expr) -> Expr:
    """e^exponent."""
    return S.One if exponent == 0 else exp(exponent, evaluate=False)


def finite_sum(body: Expr, index: Symbol, length: Expr) -> Expr:
    """Σ_k body for k = 0, …, N − 1; a sum of one term is that term."""
    if body.is_Rational and body == 0:
        return S.Zero
    if length == 1:
        return replaced(body, {index: Integer(0)})
    return Sum(body, (index, 0, length - 1))


def totals(bounds: tuple[Bound, ...], body: Expr) -> Expr:
    """Wrap a body in several sums, the first one outermost."""
    for index, length in reversed(bounds):
        body = finite_sum(body, index, length)
    return body


def nested_sums(node: Expr) -> tuple[tuple[Bound, ...], Expr]:
    """Return the sums nested directly inside each other, outermost first, and their body."""
    bounds: list[Bound] = []
    while isinstance(node, Sum):
        for index, lower, upper in reversed(node.limits):
            assert lower == 0
            bounds.append((index, upper + 1))
        node = node.function
    return tuple(bounds), node


def is_nonnegative(node: Expr) -> bool:
    """Return whether the form of a real value shows that it is never negative."""
    if isinstance(node, Sum):
        return is_nonnegative(nested_sums(node)[1])
    if isinstance(node, Add | Mul):
        return all(map(is_nonnegative, node.args))
    if isinstance(node, Pow):
        even = node.exp.is_Integer and node.exp.is_even
        return even or (node.exp.is_Rational and not node.exp.is_Integer) or is_nonnegative(node.base)
    return isinstance(node, exp | Truth) or bool(node.is_nonnegative and (node.is_number or node.is_Symbol))


def free(node: Basic) -> frozenset[Symbol]:
    """Return the symbols of a tree that are not bound in it."""
    if isinstance(node, Symbol):
        return frozenset({node})
    if isinstance(node, Sum):
        bounds, body = nested_sums(node)
        inside = free(body).union(*(free(length) for _, length in bounds))
        return inside - {index for index, _ in bounds}
    if isinstance(node, Largest):
        index, length = node.bound
        return free(node.args[0]) - {index} | free(length)
    if isinstance(node, MatrixElement):
        return free(node.i) | free(node.j)
    return frozenset().union(*map(free, node.args)) if node.args else frozenset()


def rebuilt(node: Basic, args: tuple[Basic, ...]) -> Basic:
    """Return the same kind of node with other arguments, without evaluation."""
    if args == node.args:
        return node
    return _WRITTEN.get(node.func, node.func)(*args)


_WRITTEN: Mapping[Any, Callable[..., Expr]] = MappingProxyType(
    {
        Mul: mul,
        Add: add,
        Pow: power_of,
        exp: exponential,
        cos: partial(cos, evaluate=False),
        sin: partial(sin, evaluate=False),
    }
)


def mapped(change: Callable[[Expr], Expr], node: Expr) -> Expr:
    """Apply ``change`` to the children of a node. Sums directly inside each other are one; entries stay."""
    if isinstance(node, Sum):
        bounds, body = nested_sums(node)
        changed = change(body)
        return node if changed is body else totals(bounds, changed)
    if isinstance(node, Largest):
        return Largest(change(node.args[0]), *node.args[1:])
    if isinstance(node, MatrixElement | Symbol):
        return node
    return rebuilt(node, tuple(change(arg) if isinstance(arg, Expr) else arg for arg in node.args))


def replaced(node: Basic, changes: Mapping[Symbol, Expr]) -> Basic:
    """Replace indices in a tree; a bound index never captures a substituted one."""
    if not changes:
        return node
    if isinstance(node, Symbol):
        return changes.get(node, node)
    if isinstance(node, Sum):
        bounds, body = nested_sums(node)
        index, length = bounds[0]
        inner = totals(bounds[1:], body)
        index, inner, left = _uncaptured(index, inner, changes)
        return finite_sum(replaced(inner, left), index, replaced(length, changes))
    if isinstance(node, Largest):
        index, length = node.bound
        index, inner, left = _uncaptured(index, node.args[0], changes)
        return Largest(replaced(inner, left), index, replaced(length, changes))
    if isinstance(node, MatrixElement):
        return MatrixElement(node.parent, replaced(node.i, changes), replaced(node.j, changes))
    return rebuilt(node, tuple(replaced(arg, changes) for arg in node.args))


def _uncaptured(
    index: Symbol, inner: Expr, changes: Mapping[Symbol, Expr]
) -> tuple[Symbol, Expr, Mapping[Symbol, Expr]]:
    left = {old: new for old, new in changes.items() if old != index}
    taken = frozenset().union(*map(free, left.values())) if left else frozenset()
    if index not in taken:
        return index, inner, left
    fresh = fresh_beside(index, taken | inner.atoms(Symbol))
    return fresh, replaced(inner, {index: fresh}), left


def fresh_beside(index: Symbol, taken: frozenset[Symbol] | set[Symbol]) -> Symbol:
    """Return an index like this one that is not taken."""
    names = (Symbol(f"{index.name}_{number}", integer=True) for number in count(1))
    return next(name for name in names if name not in taken)


def renamed(node: Basic, names: Mapping[Symbol, Symbol]) -> Basic:
    """Rename indices wherever they occur, bound or free. The caller must make sure that none is captured."""
    if isinstance(node, Symbol):
        return names.get(node, node)
    if isinstance(node, Sum):
        bounds, body = nested_sums(node)
        return totals(tuple((names.get(index, index), length) for index, length in bounds), renamed(body, names))
    if isinstance(node, MatrixElement):
        return MatrixElement(node.parent, renamed(node.i, names), renamed(node.j, names))
    return rebuilt(node, tuple(renamed(arg, names) for arg in node.args))


def everywhere(rule: Callable[[Expr], Expr | None], node: Expr, known: dict[Expr, Expr] | None = None) -> Expr:
    """Apply a rule at every place of a tree, from the inside out, as long as it applies.

    Sums directly inside each other are one place: a rule sees all of their indices at once. So is a sine or cosine with
    its angle, which has rules of its own. ``known`` caches results for other trees: most of one line of a proof recurs
    in the next one.
    """
    known = {} if known is None else known
    if node not in known:
        inside = node if isinstance(node, cos | sin) else mapped(lambda part: everywhere(rule, part, known), node)
        changed = rule(inside)
        known[node] = inside if changed is None else everywhere(rule, changed, known)
    return known[node]


def walk(node: Basic) -> Iterator[Basic]:
    """Yield every node of a tree, the root first."""
    yield node
    if not isinstance(node, MatrixElement):
        for arg in node.args:
            yield from walk(arg)


def coefficient(node: Expr) -> tuple[Rational, Expr]:
    """Split off a rational coefficient.

    >>> from sympy.abc import x
    >>> coefficient(mul(Integer(2), x, Integer(3)))
    (6, x)
    """
    number = S.One
    rest: list[Expr] = []
    for factor in factors(node):
        if factor.is_Rational:
            number *= factor
        else:
            rest.append(factor)
    return number, mul(*rest)
