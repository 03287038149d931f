"""The derivative of the right side of an equation by every entry that stands in it.

>>> from symattn.equations.read import read_operation
>>> from symattn.equations.ranges import written
>>> twice = read_operation("f(X)\\n y[i,j] = X[i,j] * exp(X[i,j])")
>>> [written(each.weight) for each in partials(twice.result.body, ONE, frozenset({"X"}))]
['exp(X[i,j])', 'X[i,j]*exp(X[i,j])']
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

from symattn.equations.parts import ONE, ZERO
from symattn.equations.short import less, negative, number, opposite, plus, power, product, quotient
from symattn.equations.tree import All, Apply, Branch, Compare, Entry, Over, Piece, Tree, walk


@dataclass(frozen=True)
class Partial:
    """∂/∂(one entry that stands in an equation), times what the equation itself counts: ``weight``, for every value of
    the indices of the sums that it stands in, where the conditions hold that it stands under."""

    entry: Entry
    weight: Tree
    over: tuple[str, ...] = ()
    under: tuple[Compare, ...] = ()


def partials(body: Tree, weight: Tree, active: frozenset[str], itself: Tree | None = None) -> Iterator[Partial]:
    """What every entry of ``active`` names in a body gets of ``weight``; ``itself`` is a name for the whole body.

    A maximum is shared among those that tie, and by a number nobody gives is not shared at all: at 0, max(0, x) has the
    derivative 0. A condition is taken as it falls.
    """
    yield from _Walk(active).of(body, Partial(Entry(""), weight), body if itself is None else itself)


def depends(piece: Piece, names: frozenset[str]) -> bool:
    """Whether an entry or a number of these names stands in a piece."""
    return any(isinstance(each, Entry) and each.name in names for each in walk(piece))


def negated(condition: Compare | All) -> Iterator[tuple[Compare, ...]]:
    """The ways in which a condition does not hold, no two of which hold together."""
    for place, part in enumerate(condition.parts):
        yield (*condition.parts[:place], opposite(part))


@dataclass(frozen=True)
class _Walk:
    """Goes from the whole into its parts, and takes along what each of them counts."""

    active: frozenset[str]

    def of(self, piece: Tree, at: Partial, itself: Tree | None = None) -> Iterator[Partial]:
        """``itself`` is how the value of the piece is written."""
        if at.weight == ZERO or not depends(piece, self.active):
            return
        match piece:
            case Entry():
                if piece.name in self.active:
                    yield replace(at, entry=piece)
            case Over("sum", index, body):
                yield from self.of(body, replace(at, over=(*at.over, index)))
            case Over("max", index, body):
                here = Compare("==", body, piece if itself is None else itself)
                ties = Over("sum", index, Branch(here, ONE, ZERO))
                weight = quotient(at.weight, ties)
                yield from self.of(body, replace(at, weight=weight, over=(*at.over, index), under=(*at.under, here)))
            case Branch(condition, then, otherwise):
                yield from self.of(then, replace(at, under=(*at.under, *condition.parts)))
                for way in negated(condition):
                    yield from self.of(otherwise, replace(at, under=(*at.under, *way)))
            case Apply("max" | "min", (left, right)):
                yield from self._larger(piece.function == "max", left, right, at)
            case Apply("abs", (x,)):
                yield from self.of(x, replace(at, under=(*at.under, Compare(">", x, ZERO))))
                below = replace(at, weight=negative(at.weight), under=(*at.under, Compare("<", x, ZERO)))
                yield from self.of(x, below)
            case Apply(function, arguments):
                value = piece if itself is None else itself
                for argument, factor in zip(arguments, RULES[function](*arguments, value), strict=True):
                    yield from self.of(argument, replace(at, weight=_times(at.weight, factor)))

    def _larger(self, is_max: bool, left: Tree, right: Tree, at: Partial) -> Iterator[Partial]:
        for one, other in ((left, right), (right, left)):
            sign = Compare(">" if is_max else "<", one, other)
            yield from self.of(one, replace(at, under=(*at.under, sign)))
            if any(isinstance(each, Entry) and each.places for each in walk(other)):
                tie = replace(at, weight=quotient(at.weight, number(2)), under=(*at.under, Compare("==", one, other)))
                yield from self.of(one, tie)


def _times(weight: Tree, factor: Callable[[Tree], Tree] | Tree) -> Tree:
    return factor(weight) if callable(factor) else product(weight, factor)


def _none(*_: Tree) -> tuple[Tree, ...]:
    return (ZERO,)


RULES: Mapping[str, Callable[..., tuple[Callable[[Tree], Tree] | Tree, ...]]] = {
    "add": lambda x, y, value: (ONE, ONE),
    "sub": lambda x, y, value: (ONE, number(-1)),
    "neg": lambda x, value: (number(-1),),
    "mul": lambda x, y, value: (y, x),
    "div": lambda x, y, value: (
        lambda w: quotient(w, y),
        lambda w: negative(quotient(product(w, x), power(y, number(2)))),
    ),
    "mod": lambda x, y, value: (ONE, negative(Apply("floor", (Apply("div", (x, y)),)))),
    "pow": lambda x, n, value: (product(n, power(x, less(n, ONE))), product(value, Apply("log", (x,)))),
    "exp": lambda x, value: (value,),
    "log": lambda x, value: (lambda w: quotient(w, x),),
    "xlogx": lambda x, value: (plus(Apply("log", (x,)), ONE),),
    "sqrt": lambda x, value: (lambda w: quotient(w, product(number(2), value)),),
    "tanh": lambda x, value: (less(ONE, power(value, number(2))),),
    "erf": lambda x, value: (_bell(x),),
    "sin": lambda x, value: (Apply("cos", (x,)),),
    "cos": lambda x, value: (negative(Apply("sin", (x,))),),
    "acos": lambda x, value: (lambda w: negative(quotient(w, Apply("sqrt", (less(ONE, power(x, number(2))),)))),),
    "floor": _none,
    "pi": lambda value: (),
    "oo": lambda value: (),
}
"""For every function its derivative by each of its arguments: a factor, or what becomes of what it is multiplied with.
Arguments are followed by the value of the function itself."""


def _bell(x: Tree) -> Tree:
    """2 e^(−x²) / √π"""
    above = product(number(2), Apply("exp", (negative(power(x, number(2))),)))
    return quotient(above, Apply("sqrt", (Apply("pi"),)))
