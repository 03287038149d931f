"""Simplify expressions: drop factors of 1, terms of 0 and double minus signs, put numbers first, cancel common factors
of fractions, and move constant factors out of sums.

>>> from symattn.operations.equations.ranges import piece_text
>>> from symattn.operations.equations.tree import Index
>>> X = Entry("X", (Index("i"),))
>>> piece_text(tree_product(negative(X), ONE)), piece_text(tree_sum_over("k", tree_product(X, Index("k")), ONE))
('-X[i]', 'X[i]*sum(k, k)')
>>> piece_text(quotient(tree_product(tree_number(2), X), tree_product(tree_number(2), Index("i"))))
'X[i]/i'
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from fractions import Fraction

from symattn.operations.equations.linear import tidied
from symattn.operations.equations.parts import ONE, ZERO
from symattn.operations.equations.tree import (
    All,
    Apply,
    Branch,
    Compare,
    Constant,
    Entry,
    Index,
    Length,
    Operation,
    Over,
    Piece,
    Tree,
    children,
    mapped,
    walk,
)
from symattn.operations.equations.whole import OPPOSITE, free, is_whole


def tree_number(value: int | Fraction) -> Constant:
    """Return a whole number or a fraction as a piece."""
    return Constant(Fraction(value))


def negative(x: Tree) -> Tree:
    """−x"""
    match x:
        case Constant(value):
            return Constant(-value)
        case Apply("neg", (inside,)):
            return inside
        case Apply("sub", (one, other)):
            return Apply("sub", (other, one))
    return Apply("neg", (x,))


def tree_product(x: Tree, y: Tree) -> Tree:
    """x · y"""
    above, below = zip(_fraction(x), _fraction(y), strict=True)
    return _written([*above[0], *above[1]], [*below[0], *below[1]])


def quotient(x: Tree, y: Tree) -> Tree:
    """x / y"""
    (above, below), (over, under) = _fraction(x), _fraction(y)
    if ZERO in over:
        return Apply("div", (x, y))
    return _written([*above, *under], [*below, *over])


def on_cases(rule: Callable[[Tree], Tree], x: Tree) -> Tree:
    """Apply a rule to each case of a case distinction; 0 stays 0."""
    match x:
        case Branch(condition, then, otherwise):
            one, other = on_cases(rule, then), on_cases(rule, otherwise)
            return one if one == other else Branch(condition, one, other)
    return ZERO if x == ZERO else rule(x)


_LARGEST_POWER = 4
"""The largest exponent of a power that is split into factors, so that they can be cancelled."""


def _fraction(x: Tree) -> tuple[list[Tree], list[Tree]]:
    """Return the factors of the numerator and of the denominator, repeated by multiplicity."""
    match x:
        case Apply("neg", (inside,)):
            above, below = _fraction(inside)
            return [tree_number(-1), *above], below
        case Apply("mul", (one, other)):
            (above, below), (over, under) = _fraction(one), _fraction(other)
            return [*above, *over], [*below, *under]
        case Apply("div", (one, other)) if ZERO not in (sides := _fraction(other))[0]:
            above, below = _fraction(one)
            return [*above, *sides[1]], [*below, *sides[0]]
        case Apply("pow", (base, Constant(value))) if value in range(2, _LARGEST_POWER + 1):
            above, below = _fraction(base)
            return above * int(value), below * int(value)
    return [x], []


def _written(above: list[Tree], below: list[Tree]) -> Tree:
    """Write a fraction of factors: one number in front, and common factors cancelled."""
    if any(each == ZERO for each in above):
        return ZERO
    above, below = _without_roots(above), _without_roots(below)
    value = Fraction(1)
    decimals = [each for each in above if isinstance(each, Constant) and each.value.denominator > _LONG]
    for each in above:
        value *= each.value if isinstance(each, Constant) and each not in decimals else 1
    for each in below:
        value /= each.value if isinstance(each, Constant) else 1
    kept: list[Tree] = [each for each in above if not isinstance(each, Constant)]
    under: list[Tree] = []
    for each in (each for each in below if not isinstance(each, Constant)):
        if each in kept:
            kept.remove(each)
        else:
            under.append(each)
    kept, under, size = _powers(kept), _powers(under), abs(value)
    alone = size.numerator > 1 or not (kept or decimals)
    over = _chained([*decimals, *([tree_number(size.numerator)] if alone else []), *kept])
    down = [*([tree_number(size.denominator)] if size.denominator > 1 else []), *under]
    found = Apply("div", (over, _chained(down))) if down else over
    return negative(found) if value < 0 else found


_LONG = 1000
"""Decimals with more than three places are well-known constants and are kept: 0.044715."""


def _without_roots(factors: list[Tree]) -> list[Tree]:
    """Simplify √x · √x to x, and √2 · √π to √(2π)."""
    found: list[Tree] = []
    for each in factors:
        other = next((root for root in found if _is_one_root(root, each)), None)
        if other is None:
            found.append(each)
            continue
        place = found.index(other)
        over, under = zip(*(_fraction(root.arguments[0]) for root in (other, each)), strict=True)  # type: ignore[union-attr]
        if other == each:
            found[place : place + 1] = [_written(over[0], under[0])] if under[0] else over[0]
        else:
            found[place] = Apply("sqrt", (_written([*over[1], *over[0]], [*under[1], *under[0]]),))
    return found


def _is_one_root(one: Tree, other: Tree) -> bool:
    """Return whether two factors are roots that combine into one root or none."""
    if not (isinstance(one, Apply) and isinstance(other, Apply) and one.function == other.function == "sqrt"):
        return False
    return one == other or not any(isinstance(each, Entry | Index) for root in (one, other) for each in walk(root))


def _powers(factors: list[Tree]) -> list[Tree]:
    """Combine repeated factors into powers."""
    counted = {each: factors.count(each) for each in factors}
    return [each if count == 1 else Apply("pow", (each, tree_number(count))) for each, count in counted.items()]


def _chained(factors: Sequence[Tree]) -> Tree:
    found = factors[0]
    for factor in factors[1:]:
        found = Apply("mul", (found, factor))
    return found


def tree_power(x: Tree, exponent: Tree) -> Tree:
    """x^n"""
    match x, exponent:
        case _, Constant(value) if value == 0:
            return ONE
        case _, Constant(value) if value == 1:
            return x
        case Constant(base), Constant(value) if base in (0, 1) and value > 0:
            return x
        case Apply("sqrt" | "neg" | "mul" | "div"), Constant(value) if value in range(2, _LARGEST_POWER + 1):
            above, below = _fraction(x)
            return _written(above * int(value), below * int(value))
    return Apply("pow", (x, exponent))


def less(x: Tree, y: Tree) -> Tree:
    """x − y"""
    match x, y:
        case _, Constant(value) if value == 0:
            return x
        case Constant(value), _ if value == 0:
            return negative(y)
        case Constant(one), Constant(other):
            return Constant(one - other)
        case _, Apply("neg", (inside,)):
            return Apply("add", (x, inside))
        case Apply("add", (one, Constant(left))), Constant(right):
            return plus(one, Constant(left - right))
        case Apply("sub", (one, Constant(left))), Constant(right) if left + right >= 0:
            return less(one, Constant(left + right))
        case Apply("sub", (Constant(left), other)), Constant(right):
            return less(Constant(left - right), other)
    return Apply("sub", (x, y))


def plus(x: Tree, y: Tree) -> Tree:
    """x + y"""
    match x, y:
        case (Constant(value), other) | (other, Constant(value)) if value == 0:
            return other
        case Constant(one), Constant(other):
            return Constant(one + other)
        case _, Constant(value) if value < 0:
            return Apply("sub", (x, Constant(-value)))
        case Apply("neg", (inside,)), other if not isinstance(other, Apply) or other.function != "neg":
            return less(other, inside)
        case _, Apply("neg", (inside,)):
            return less(x, inside)
    return Apply("add", (x, y))


def tree_sum(terms: Iterable[Tree]) -> Tree:
    """x + y + …, from the left; nothing is 0. Terms under opposite conditions become one case distinction."""
    found: Tree = ZERO
    for term in _collected(_joined(_joined(terms, _same), _opposite)):
        found = plus(found, term)
    return found


def _collected(terms: Iterable[Tree]) -> list[Tree]:
    """Return terms with a + a·b as a·(1 + b).

    >>> from symattn.operations.equations.ranges import piece_text
    >>> a, b = Entry("a"), Entry("b")
    >>> piece_text(tree_sum([a, Entry("c"), Apply("mul", (a, Apply("pow", (b, tree_number(2)))))]))
    'a*(1 + b^2) + c'
    """
    found: list[Tree] = []
    for term in terms:
        for place, other in enumerate(found):
            if _is_factor(other, term):
                found[place] = tree_product(other, plus(ONE, quotient(term, other)))
                break
        else:
            found.append(term)
    return found


def _is_factor(one: Tree, other: Tree) -> bool:
    """Return whether one term, not a number, divides another one, factor by factor."""
    if isinstance(one, Branch) or isinstance(other, Branch):
        return False
    for side, whole in zip(_fraction(one), _fraction(other), strict=True):
        left = list(whole)
        for each in (each for each in side if not isinstance(each, Constant)):
            if each not in left:
                return False
            left.remove(each)
    return not all(isinstance(each, Constant) for each in _fraction(one)[0])


def _joined(terms: Iterable[Tree], rule: Callable[[Branch, Branch], Tree | None]) -> list[Tree]:
    """Merge terms that are two cases of one distinction."""
    found: list[Tree] = []
    for term in terms:
        for place, other in enumerate(found):
            if not (isinstance(term, Branch) and isinstance(other, Branch)):
                continue
            both_cases = rule(other, term)
            if both_cases is not None:
                found[place] = both_cases
                break
        else:
            found.append(term)
    return found


def _same(one: Branch, other: Branch) -> Tree | None:
    if one.condition != other.condition:
        return None
    then, otherwise = plus(one.then, other.then), plus(one.otherwise, other.otherwise)
    return Branch(one.condition, then, otherwise)


def _opposite(one: Branch, other: Branch) -> Tree | None:
    match one.condition, other.condition:
        case Compare() as here, Compare() as there if there == opposite(here):
            then, otherwise = plus(one.then, other.otherwise), plus(one.otherwise, other.then)
            return then if then == otherwise else Branch(here, then, otherwise)
    return None


def opposite(condition: Compare) -> Compare:
    """Return the negation of a comparison."""
    return replace(condition, sign=OPPOSITE[condition.sign])


def tree_sum_over(index: str, body: Tree, reach: Tree) -> Tree:
    """Σ_index body, over as many places as ``reach`` says: factors without the index are moved out of the sum."""
    if index not in free(body):
        return tree_product(reach, body)
    if isinstance(body, Branch) and body.otherwise == ZERO:
        if index not in free(body.condition):
            return guarded(body.condition, tree_sum_over(index, body.then, reach))
        sides = zip(_fraction(body.then), (is_defined, _is_length), strict=True)
        (above, over), (below, under) = (_apart(index, side, may) for side, may in sides)
        return _written([*above, Over("sum", index, Branch(body.condition, _written(over, under), ZERO))], below)
    (above, over), (below, under) = (_apart(index, side, lambda each: True) for side in _fraction(body))
    if not (above or below):
        return Over("sum", index, body)
    return _written([*above, Over("sum", index, _written(over, under))], below)


def _is_length(piece: Tree) -> bool:
    return isinstance(piece, Constant | Length)


def _apart(index: str, factors: list[Tree], may: Callable[[Tree], bool]) -> tuple[list[Tree], list[Tree]]:
    """Split factors into those that may be moved out of a sum, and those inside."""
    outside = [index not in free(each) and may(each) for each in factors]
    pairs = list(zip(factors, outside, strict=True))
    return [each for each, is_outside in pairs if is_outside], [each for each, is_outside in pairs if not is_outside]


def guarded(condition: Compare | All, x: Tree) -> Tree:
    """x where a condition holds, and 0 elsewhere."""
    if x == ZERO:
        return ZERO
    if isinstance(x, Branch) and x.otherwise == ZERO and all(map(is_defined, x.condition.parts)):
        return Branch(both([*condition.parts, *x.condition.parts]), x.then, ZERO)
    return Branch(condition, x, ZERO)


def under(operation: Operation, conditions: Sequence[Compare], x: Tree) -> Tree:
    """Return x where several conditions hold, and 0 elsewhere; some may be defined only where earlier ones hold.

    Conditions that are always defined are checked together, and those on places before those on numbers.
    """
    places = [each for each in conditions if is_whole(operation, each)]
    levels: list[list[Compare]] = [places] if places else []
    for each in conditions:
        if each in places:
            continue
        if levels and is_defined(each):
            levels[-1].append(each)
        else:
            levels.append([each])
    for level in reversed(levels):
        x = Branch(both(level), x, ZERO) if x != ZERO else ZERO
    if len(levels) == 1 and isinstance(x, Branch):
        return guarded(x.condition, x.then)
    return x


def is_defined(piece: Piece) -> bool:
    """Return whether a piece has a value for all numbers in it, and all values of its indices.

    >>> is_defined(Entry("X", (Index("i"),))), is_defined(Entry("X", (Apply("add", (Index("i"), ONE)),)))
    (True, False)
    """
    match piece:
        case Entry(_, places):
            return all(isinstance(each, Index) or each == ONE for each in places)
        case Apply("div" | "mod", (x, Constant(value))) | Apply("pow", (x, Constant(value))) if value > 0:
            return is_defined(x) and value.denominator == 1
        case Apply("div" | "mod" | "pow", (_, Constant(value))) if value == 0:
            return False
        case Apply("div" | "mod" | "pow" | "log" | "sqrt" | "acos" | "xlogx"):
            return not any(isinstance(each, Entry | Index) for each in walk(piece))
    return all(map(is_defined, children(piece)))


def both(parts: Iterable[Compare]) -> Compare | All:
    """Join several comparisons, each once."""
    found = tuple(dict.fromkeys(parts))
    return found[0] if len(found) == 1 else All(found)


def shortened(piece: Piece) -> Piece:
    """Simplify everything in a piece except places."""
    if isinstance(piece, Entry):
        return piece
    inside = mapped(piece, shortened)
    match inside:
        case Apply("neg", (x,)):
            return negative(x)
        case Apply("mul" | "div" | "add" | "sub" | "pow" as sign, (x, y)):
            return _SIGNS[sign](x, y)
        case Compare():
            return tidied(inside)
    return inside


def as_read(piece: Piece) -> Piece:
    """Return a piece as it would be parsed from its text: a minus belongs to the first factor.

    >>> as_read(Apply("neg", (Apply("mul", (Index("i"), Index("j"))),)))
    Apply(function='mul', arguments=(Apply(function='neg', arguments=(Index(name='i'),)), Index(name='j')))
    """
    inside = mapped(piece, as_read)
    match inside:
        case Constant(value) if value < 0:
            return as_read(Apply("neg", (Constant(-value),)))
        case Constant(value) if 10**60 % value.denominator:
            return Apply("div", (tree_number(value.numerator), tree_number(value.denominator)))
        case Apply("neg", (Apply("mul" | "div" as sign, (one, other)),)):
            return Apply(sign, (as_read(Apply("neg", (one,))), other))  # type: ignore[arg-type]
        case Apply("max", (Length() as one, other)):  # max(d, …) would be read as a maximum over all d
            return Apply("max", (Apply("add", (other, ZERO)) if isinstance(other, Length) else other, one))
    return inside


_SIGNS = {"mul": tree_product, "div": quotient, "add": plus, "sub": less, "pow": tree_power}
