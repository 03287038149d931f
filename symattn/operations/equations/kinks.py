"""Kinks: find from its equations where an operation has no derivative.

At a kink both sides of a comparison are equal, and the two sides differ in value or slope: max(0, x) and |x| at 0, a
maximum that several share, a whole number that is rounded down. A root or a logarithm of 0 is not a kink: it has no
usual derivative either, and its gradient is refused.

>>> from symattn.operations.equations.read import declared
>>> from symattn.operations.equations.read import read_operation
>>> relu = read_operation("relu(X: m×n)\\n y[i,j] = max(0, X[i,j])")
>>> print(declared(kinks(relu, "X")))
relu_kinks_X(X: m×n) -> m×n
    z[i,j] = 1 if X[i,j] == 0 else 0
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import product

from symattn.base.remembered import cached_property
from symattn.operations.equations.adjoint import Backward, differentiable
from symattn.operations.equations.differential import Partial, depends, largest, negated, partials
from symattn.operations.equations.linear import tidied
from symattn.operations.equations.parts import ONE, ZERO, rewritten
from symattn.operations.equations.short import is_defined, negative, on_cases, plus, shortened
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
    Piece,
    Tree,
    walk,
)


@lru_cache(maxsize=1000)
def kinks(operation: Operation, wrt: str) -> Operation | None:
    """Return the operation that is 1 at every entry of a parameter that is at a kink, and 0 elsewhere; ``None`` where
    there is none. Its result has the shape of the parameter, and 1×1 for a number.

    An entry may be at a kink through a computed number: all of a row whose sum is 0, in |Σ x|.
    Raises :class:`~symattn.base.errors.FormulaError` for a parameter that has no gradient, as
    :func:`~symattn.operations.equations.adjoint.adjoint` does.

    >>> from symattn.operations.equations.read import read_operation
    >>> kinks(read_operation("twice(X: m×n)\\n y[i,j] = 2 * X[i,j]"), "X") is None
    True
    """
    found = _Kinks(operation, differentiable(operation, wrt)).operation()
    return None if found.result.body == ZERO else found


class _Used(Backward):
    """Backward pass whose weights tell whether the result depends on a number."""

    @property
    def bars(self) -> tuple[str, ...]:
        return ("used", "needed")

    def first(self) -> Tree:
        return ONE

    def partials(self, equation: NamedEquation, weight: Tree, active: frozenset[str]) -> Iterator[Partial]:
        yield from (_counting(each, weight) for each in partials(equation.body, ONE, active) if weight != ZERO)

    def counted(self, body: Tree) -> Tree:
        return _flag(body)


class _Kinks(_Used):
    """Backward pass whose weights count the kinks that an entry is at, among those that affect the result."""

    @property
    def kind(self) -> str:
        return "kinks"

    @property
    def bars(self) -> tuple[str, ...]:
        return ("kinks", "bends")

    @cached_property
    def _used(self) -> tuple[dict[str, Tree], list[NamedEquation]]:
        """The weights that tell whether each equation's left side is used, and the equations that define them."""
        used = _Used(self.said, self.parameter, fresh=self.fresh, ranges=self.ranges)
        *equations, _ = used.backward()
        return used.weights, equations

    def backward(self) -> list[NamedEquation]:
        return [*self._used[1], *super().backward()]

    def first(self) -> Tree:
        return ZERO

    def partials(self, equation: NamedEquation, weight: Tree, active: frozenset[str]) -> Iterator[Partial]:
        yield from super().partials(equation, weight, active)
        itself = Entry(equation.name, tuple(map(Index, equation.index)))
        at = Partial(Entry(""), self._used[0][equation.name])
        yield from _Sites(active).of(equation.body, at, itself) if at.weight != ZERO else ()


def _flag(count: Tree) -> Tree:
    """Return 1 where a count is more than 0."""
    match count:
        case Constant() | Branch(_, Constant(), Constant()):
            return count
        case Branch(condition, then, otherwise):
            return Branch(condition, _flag(then), _flag(otherwise))
    if all(isinstance(each, Constant | Length | Apply) for each in walk(count)):
        return ONE  # so many places
    return Branch(Compare(">", count, ZERO), ONE, ZERO)


def _counting(each: Partial, weight: Tree) -> Partial:
    """Give a partial the weight wherever its derivative is not 0."""
    return replace(each, weight=on_cases(lambda _: weight, each.weight))


@dataclass(frozen=True)
class _Sites:
    """Finds the entries that make a kink, with the conditions for it."""

    active: frozenset[str]
    jumps_only: bool = False
    """Whether a bend without a jump does not count: a condition holds on both sides of it, or on neither."""

    def of(self, piece: Tree, at: Partial, itself: Tree | None = None) -> Iterator[Partial]:
        """Yield the sites in a piece; ``itself`` is an expression for its value."""
        if not depends(piece, self.active):
            return
        match piece:
            case Entry():
                return
            case Over(kind, index, body):
                inside = replace(at, over=(*at.over, index))
                if kind == "max" and not self.jumps_only:
                    tied = tidied(largest(index, body, piece if itself is None else itself))
                    shared = Compare(">", Over("sum", index, Branch(tied, ONE, ZERO)), ONE)
                    yield from self._entries([body], inside, shared, tied)
                yield from self.of(body, inside)
            case Branch(condition, then, otherwise):
                for part in condition.parts:
                    yield from self._boundary(part, piece, at)
                    for side in (part.left, part.right):
                        yield from replace(self, jumps_only=True).of(side, at)
                yield from self.of(then, replace(at, under=(*at.under, *condition.parts)))
                for way in negated(condition):
                    yield from self.of(otherwise, replace(at, under=(*at.under, *way)))
            case Apply("neg", (x,)):
                yield from self.of(x, at, None if itself is None else negative(itself))
            case Apply(function, arguments):
                for sides in _tied(function, arguments) if function in _JUMPS or not self.jumps_only else ():
                    for way in _apart(*sides):
                        yield from self._entries(arguments, at, *way, Compare("==", *sides))
                for each in arguments:
                    yield from self.of(each, at)

    def _entries(self, pieces: Sequence[Tree], at: Partial, *conditions: Compare) -> Iterator[Partial]:
        """Yield the entries of some pieces, each where the conditions hold."""
        for piece in pieces:
            for each in partials(piece, ONE, self.active):
                under = (*at.under, *conditions, *each.under)
                yield replace(_counting(each, at.weight), over=(*at.over, *each.over), under=under)

    def _boundary(self, part: Compare, piece: Branch, at: Partial) -> Iterator[Partial]:
        """Yield the sites where a comparison of numbers flips, unless values and slopes agree on both sides."""
        if part.left == part.right or not depends(part, self.active):
            return
        others = [each for each in piece.condition.parts if each != part]
        equal = [*others, Compare("==", part.left, part.right)]
        for way, difference in product(_apart(part.left, part.right), self._differences(part, piece)):
            held = [*way, *equal] if difference is None else [*way, *equal, difference]
            yield from self._entries([part.left, part.right], at, *held)

    def _differences(self, part: Compare, piece: Branch) -> list[Compare | None]:
        """Return the conditions that values or slopes differ on both sides; ``None`` where that cannot be checked."""
        sides = piece.then, piece.otherwise
        slopes = [list(partials(side, ONE, self.active)) for side in sides]
        if any(each.over or each.under for side in slopes for each in side) or not all(map(_is_plain, sides)):
            return [None]
        found: dict[Entry, list[Tree]] = {each.entry: [ZERO, ZERO] for side in slopes for each in side}
        for place, side in enumerate(slopes):
            for each in side:
                found[each.entry][place] = plus(found[each.entry][place], each.weight)
        pairs = [[_there(part, each) for each in pair] for pair in (sides, *found.values())]
        if not all(is_defined(each) for pair in pairs for each in pair):
            return [None]
        return [Compare("!=", one, other) for one, other in pairs if one != other]


def _there(part: Compare, piece: Tree) -> Tree:
    """Evaluate a piece where both sides of a comparison are equal: replace an entry by a number."""
    match part.left, part.right:
        case (Entry() as entry, Constant() as value) | (Constant() as value, Entry() as entry):
            return rewritten(piece, lambda each: value if each == entry else _worked_out(each))  # type: ignore[return-value]
    return piece


def _worked_out(piece: Piece) -> Piece:
    return ONE if piece == Apply("exp", (ZERO,)) else shortened(piece)


def _is_plain(piece: Tree) -> bool:
    return not any(isinstance(each, Over | Branch) for each in walk(piece))


def _apart(one: Tree, other: Tree) -> list[tuple[Compare, ...]]:
    """Return the ways in which two sides are not the same entry, so that they are equal by chance."""
    match one, other:
        case Entry(name, places), Entry(same, others) if name == same:
            pairs = zip(places, others, strict=True)
            return list(negated(All(tuple(Compare("==", *pair) for pair in pairs if pair[0] != pair[1]))))
    return [()]


_JUMPS = ("floor", "mod")


def _tied(function: str, arguments: tuple[Tree, ...]) -> list[tuple[Tree, Tree]]:
    """Return the pairs that are equal at a kink of a function."""
    match function, arguments:
        case "max" | "min", (one, other) if one != other:
            return [(one, other)]
        case "abs", (x,):
            return [(x, ZERO)]
        case "floor", (x,):
            return [(Apply("floor", (x,)), x)]
        case "mod", _:
            return [(Apply("mod", arguments), ZERO)]
    return []
