"""Expressions as somebody would write them: nothing times 1, plus 0, or minus a minus; numbers in front, what stands
above and below a fraction left out; what is the same in every term of a sum stands before it.

>>> from symattn.equations.ranges import written
>>> from symattn.equations.tree import Index
>>> X = Entry("X", (Index("i"),))
>>> written(product(negative(X), ONE)), written(summed("k", product(X, Index("k")), ONE))
('-X[i]', 'X[i]*sum(k, k)')
>>> written(quotient(product(number(2), X), product(number(2), Index("i"))))
'X[i]/i'
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from fractions import Fraction

from symattn.equations.parts import ONE, ZERO
from symattn.equations.tree import All, Apply, Branch, Compare, Constant, Entry, Over, Piece, Tree, mapped
from symattn.equations.whole import OPPOSITE, free


def number(value: int | Fraction) -> Constant:
    """A whole number or a fraction as a piece."""
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


def product(x: Tree, y: Tree) -> Tree:
    """x · y"""
    above, below = zip(_fraction(x), _fraction(y), strict=True)
    return _written([*above[0], *above[1]], [*below[0], *below[1]])


def quotient(x: Tree, y: Tree) -> Tree:
    """x / y"""
    (above, below), (over, under) = _fraction(x), _fraction(y)
    if over == [ZERO]:
        return Apply("div", (x, y))
    return _written([*above, *under], [*below, *over])


def _fraction(x: Tree) -> tuple[list[Tree], list[Tree]]:
    """The factors above and below the line."""
    match x:
        case Apply("neg", (inside,)):
            above, below = _fraction(inside)
            return [number(-1), *above], below
        case Apply("mul", (one, other)):
            (above, below), (over, under) = _fraction(one), _fraction(other)
            return [*above, *over], [*below, *under]
        case Apply("div", (one, other)) if other != ZERO:
            (above, below), (over, under) = _fraction(one), _fraction(other)
            return [*above, *under], [*below, *over]
    return [x], []


def _written(above: list[Tree], below: list[Tree]) -> Tree:
    """A fraction of factors: one number in front, and no factor above and below."""
    value = Fraction(1)
    for each in above:
        value *= each.value if isinstance(each, Constant) else 1
    for each in below:
        value /= each.value if isinstance(each, Constant) else 1
    if not value:
        return ZERO
    kept = [each for each in above if not isinstance(each, Constant)]
    under: list[Tree] = []
    for each in (each for each in below if not isinstance(each, Constant)):
        if each in kept:
            kept.remove(each)
        else:
            under.append(each)
    size = abs(value)
    over = _chained([*([number(size.numerator)] if size.numerator > 1 or not kept else []), *kept])
    down = [*([number(size.denominator)] if size.denominator > 1 else []), *under]
    found = Apply("div", (over, _chained(down))) if down else over
    return negative(found) if value < 0 else found


def _chained(factors: Sequence[Tree]) -> Tree:
    found = factors[0]
    for factor in factors[1:]:
        found = Apply("mul", (found, factor))
    return found


def power(x: Tree, exponent: Tree) -> Tree:
    """x^n"""
    match x, exponent:
        case _, Constant(value) if value == 0:
            return ONE
        case _, Constant(value) if value == 1:
            return x
        case Apply("sqrt", (inside,)), Constant(value) if value == 2:
            return inside
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


def total(terms: Iterable[Tree]) -> Tree:
    """x + y + …, from the left; nothing is 0. What holds where another thing does not stands in one distinction."""
    found: Tree = ZERO
    for term in _joined(_joined(terms, _same), _opposite):
        found = plus(found, term)
    return found


def _joined(terms: Iterable[Tree], rule: Callable[[Branch, Branch], Tree | None]) -> list[Tree]:
    """Terms with two cases of one distinction as one term."""
    found: list[Tree] = []
    for term in terms:
        for place, other in enumerate(found):
            are_cases = (
                isinstance(term, Branch) and isinstance(other, Branch) and ZERO == term.otherwise == other.otherwise
            )
            if are_cases and (both_cases := rule(other, term)) is not None:  # type: ignore[arg-type]
                found[place] = both_cases
                break
        else:
            found.append(term)
    return found


def _same(one: Branch, other: Branch) -> Tree | None:
    return guarded(one.condition, plus(one.then, other.then)) if one.condition == other.condition else None


def _opposite(one: Branch, other: Branch) -> Tree | None:
    match one.condition, other.condition:
        case Compare() as here, Compare() as there if there == opposite(here):
            return one.then if one.then == other.then else Branch(here, one.then, other.then)
    return None


def opposite(condition: Compare) -> Compare:
    """What holds where a comparison does not."""
    return replace(condition, sign=OPPOSITE[condition.sign])


def summed(index: str, body: Tree, reach: Tree) -> Tree:
    """Σ_index body, over as many places as ``reach`` says: what does not depend on the index stands before the sum."""
    if index not in free(body):
        return product(reach, body)
    if isinstance(body, Branch) and index not in free(body.condition) and body.otherwise == ZERO:
        return guarded(body.condition, summed(index, body.then, reach))
    above, below = _fraction(body)
    outside = [[each for each in side if index not in free(each)] for side in (above, below)]
    inside = [[each for each in side if index in free(each)] for side in (above, below)]
    if not any(outside):
        return Over("sum", index, body)
    return _written([*outside[0], Over("sum", index, _written(*inside))], outside[1])


def guarded(condition: Compare | All, x: Tree) -> Tree:
    """x where a condition holds, and 0 elsewhere."""
    if x == ZERO:
        return ZERO
    if isinstance(x, Branch) and x.otherwise == ZERO:
        return Branch(both([*condition.parts, *x.condition.parts]), x.then, ZERO)
    return Branch(condition, x, ZERO)


def both(parts: Iterable[Compare]) -> Compare | All:
    """Several comparisons that hold together, each once."""
    found = tuple(dict.fromkeys(parts))
    return found[0] if len(found) == 1 else All(found)


def shortened(piece: Piece) -> Piece:
    """A piece with everything in it written short, save places."""
    if isinstance(piece, Entry):
        return piece
    inside = mapped(piece, shortened)
    match inside:
        case Apply("neg", (x,)):
            return negative(x)
        case Apply("mul" | "div" | "add" | "sub" | "pow" as sign, (x, y)):
            return _SIGNS[sign](x, y)
    return inside


_SIGNS = {"mul": product, "div": quotient, "add": plus, "sub": less, "pow": power}
