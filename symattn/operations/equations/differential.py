"""Differentiate the right side of an equation by every entry in it.

>>> from symattn.operations.equations.read import read_operation
>>> from symattn.operations.equations.ranges import piece_text
>>> twice = read_operation("f(X)\\n y[i,j] = X[i,j] * exp(X[i,j])")
>>> [piece_text(each.weight) for each in partials(twice.result.body, ONE, frozenset({"X"}))]
['exp(X[i,j])', 'X[i,j]*exp(X[i,j])']
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

from symattn.operations.equations.linear import tidied
from symattn.operations.equations.parts import ONE, ZERO, placed
from symattn.operations.equations.short import (
    less,
    negative,
    on_cases,
    opposite,
    plus,
    quotient,
    shortened,
    tree_number,
    tree_power,
    tree_product,
)
from symattn.operations.equations.tree import (
    All,
    Apply,
    Branch,
    Compare,
    Constant,
    Entry,
    Index,
    Length,
    Over,
    Piece,
    Tree,
    walk,
)


@dataclass(frozen=True)
class Partial:
    """The partial derivative by one entry in an equation, times the weight of the equation: ``weight``, for every value
    of the indices of the sums around it, where the conditions around it hold."""

    entry: Entry
    weight: Tree
    over: tuple[str, ...] = ()
    under: tuple[Compare, ...] = ()


def partials(body: Tree, weight: Tree, active: frozenset[str], itself: Tree | None = None) -> Iterator[Partial]:
    """Yield the share of ``weight`` of every entry in a body whose name is ``active``; ``itself`` names the whole body.

    A maximum is shared among ties, but a constant takes no share: at 0, max(0, x) has the derivative 0. The derivative
    of a condition is ignored.
    """
    yield from _Walk(active).of(body, Partial(Entry(""), weight), body if itself is None else itself)


def depends(piece: Piece, names: frozenset[str]) -> bool:
    """Return whether an entry or a number of these names occurs in a piece."""
    return any(isinstance(each, Entry) and each.name in names for each in walk(piece))


def negated(condition: Compare | All) -> Iterator[tuple[Compare, ...]]:
    """Yield the ways in which a condition can fail, of which no two hold together."""
    for place, part in enumerate(condition.parts):
        yield (*condition.parts[:place], opposite(part))


@dataclass(frozen=True)
class _Walk:
    """Descends from an expression into its parts, with the weight of each."""

    active: frozenset[str]

    def of(self, piece: Tree, at: Partial, itself: Tree | None = None) -> Iterator[Partial]:
        """Differentiate a piece; ``itself`` is an expression for its value."""
        if at.weight == ZERO or not depends(piece, self.active):
            return
        match piece:
            case Entry():
                if piece.name in self.active:
                    yield replace(at, entry=piece)
            case Over("sum", index, body):
                yield from self.of(body, replace(at, over=(*at.over, index)))
            case Over("max", index, body):
                here = largest(index, body, piece if itself is None else itself)
                ties = Over("sum", index, Branch(here, ONE, ZERO))
                weight = on_cases(lambda w: quotient(w, ties), at.weight)
                yield from self.of(body, replace(at, weight=weight, over=(*at.over, index), under=(*at.under, here)))
            case Branch(condition, then, otherwise):
                yield from self.of(then, replace(at, under=(*at.under, *condition.parts)))
                for way in negated(condition):
                    yield from self.of(otherwise, replace(at, under=(*at.under, *way)))
            case Apply("max" | "min", (left, right)):
                for one, other in ((left, right), (right, left)):
                    yield from self.of(one, replace(at, weight=_larger(piece.function == "max", one, other, at.weight)))
            case Apply("abs", (x,)):
                weight = on_cases(lambda w: _signed(x, w), at.weight)
                yield from self.of(x, replace(at, weight=weight))
            case Apply("neg", (x,)):
                value = None if itself is None else negative(itself)
                yield from self.of(x, replace(at, weight=on_cases(negative, at.weight)), value)
            case Apply("pow", (x, n)) if not isinstance(n, Constant):
                yield from self._power(x, n, piece if itself is None else itself, at)
            case Apply(function, arguments):
                value = piece if itself is None else itself
                for argument, factor in zip(arguments, RULES[function](*arguments, value), strict=True):
                    yield from self.of(argument, replace(at, weight=_times(at.weight, factor)))

    def _power(self, x: Tree, n: Tree, value: Tree, at: Partial) -> Iterator[Partial]:
        """x^n, where x⁰ is 1 at 0 too and the derivative of 0ⁿ by n is 0: no division by 0, no logarithm of 0."""
        by_x, by_n = RULES["pow"](x, n, value)
        yield from self.of(x, replace(at, weight=_times(at.weight, by_x), under=(*at.under, _not_zero(n))))
        yield from self.of(n, replace(at, weight=_times(at.weight, by_n), under=(*at.under, _not_zero(x))))


def _larger(is_max: bool, one: Tree, other: Tree, weight: Tree) -> Tree:
    """Return the share of a weight of the first of two, where the larger or the smaller of them is taken."""
    is_shared = any(isinstance(each, Entry) for each in walk(other))

    def cases(w: Tree) -> Tree:
        tie: Tree = Branch(Compare("==", one, other), quotient(w, tree_number(2)), ZERO) if is_shared else ZERO
        return Branch(Compare(">" if is_max else "<", one, other), w, tie)

    return on_cases(cases, weight)


def _signed(x: Tree, w: Tree) -> Tree:
    """w times the sign of x"""
    return Branch(Compare(">", x, ZERO), w, Branch(Compare("<", x, ZERO), negative(w), ZERO))


def _not_zero(x: Tree) -> Compare:
    """Return the condition that x is not 0, without factors that cannot be 0."""
    match shortened(x):
        case Apply("neg", (inside,)) | Apply("div", (inside, Constant() | Length())):
            return _not_zero(inside)
        case Apply("mul", (Constant(value), inside)) | Apply("mul", (inside, Constant(value))) if value:
            return _not_zero(inside)
    return Compare("!=", x, ZERO)


def largest(index: str, body: Tree, value: Tree) -> Compare:
    """Return the condition that a number is the maximum: an entry equals it; no other value exceeds an expression.

    A recomputed expression is not known to be equal to its first value.
    """
    if isinstance(body, Entry):
        return Compare("==", body, value)
    other = f"{index}#"
    here, there = Index(index), Index(other)
    larger = tidied(Compare(">", placed(body, {index: there}), body))
    count = Over("sum", other, Branch(All((Compare("!=", there, here), larger)), ONE, ZERO))
    return Compare("==", count, ZERO)


def _times(weight: Tree, factor: Callable[[Tree], Tree] | Tree) -> Tree:
    return on_cases(factor if callable(factor) else lambda w: tree_product(w, factor), weight)


def _none(*_: Tree) -> tuple[Tree, ...]:
    return (ZERO,)


RULES: Mapping[str, Callable[..., tuple[Callable[[Tree], Tree] | Tree, ...]]] = {
    "add": lambda x, y, value: (ONE, ONE),
    "sub": lambda x, y, value: (ONE, tree_number(-1)),
    "mul": lambda x, y, value: (y, x),
    "div": lambda x, y, value: (
        lambda w: quotient(w, y),
        lambda w: negative(quotient(tree_product(w, x), tree_power(y, tree_number(2)))),
    ),
    "mod": lambda x, y, value: (ONE, negative(Apply("floor", (Apply("div", (x, y)),)))),
    "pow": lambda x, n, value: (tree_product(n, tree_power(x, less(n, ONE))), tree_product(value, Apply("log", (x,)))),
    "exp": lambda x, value: (value,),
    "log": lambda x, value: (lambda w: quotient(w, x),),
    "xlogx": lambda x, value: (plus(Apply("log", (x,)), ONE),),
    "sqrt": lambda x, value: (lambda w: quotient(w, tree_product(tree_number(2), value)),),
    "tanh": lambda x, value: (less(ONE, tree_power(value, tree_number(2))),),
    "erf": lambda x, value: (_bell(x),),
    "sin": lambda x, value: (Apply("cos", (x,)),),
    "cos": lambda x, value: (negative(Apply("sin", (x,))),),
    "acos": lambda x, value: (
        lambda w: negative(quotient(w, Apply("sqrt", (less(ONE, tree_power(x, tree_number(2))),)))),
    ),
    "floor": _none,
    "pi": lambda value: (),
    "oo": lambda value: (),
}
"""The derivative of every function by each of its arguments: a factor, or a function of the weight. Arguments are
followed by the value of the function itself."""


def _bell(x: Tree) -> Tree:
    """2 e^(−x²) / √π"""
    above = tree_product(tree_number(2), Apply("exp", (negative(tree_power(x, tree_number(2))),)))
    return quotient(above, Apply("sqrt", (Apply("pi"),)))
