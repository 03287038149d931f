"""Decide comparisons of places, which are sums of indices, lengths and whole numbers, and the linearity of operations.

>>> j, d, two = Index("j"), Length("d"), Constant(Fraction(2))
>>> holds(Compare("<=", Apply("sub", (j, two)), d), {"j": d}), holds(Compare("<=", Apply("add", (j, two)), d), {"j": d})
(True, False)
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache

from symattn.operations.equations.tree import (
    Apply,
    Branch,
    Compare,
    CompareSign,
    Constant,
    Entry,
    Index,
    Length,
    Operation,
    Over,
    Piece,
    Tree,
    walk,
)

Terms = dict[Piece | None, Fraction]
"""A sum: the coefficient of each piece; ``None`` is the key of the constant."""


def holds(condition: Compare, ranges: Mapping[str, Tree]) -> bool:
    """Return whether a comparison is seen to hold for all places of its indices and all lengths of at least 1."""
    low, high = condition.left, condition.right
    match condition.sign:
        case "==":
            difference = _less(linear_terms(high), linear_terms(low))
            return not any(difference.values()) or all(
                _smallest(each, ranges) == 0 for each in (difference, _times(Fraction(-1), difference))
            )
        case ">" | ">=":
            low, high = high, low
        case "!=":
            return any(holds(replace(condition, sign=sign), ranges) for sign in ("<", ">"))
    left = _smallest(_less(linear_terms(high), linear_terms(low)), ranges)
    return left is not None and (left > 0 or (left == 0 and condition.sign in ("<=", ">=")))


def implies(one: Compare, other: Compare) -> bool:
    """Return whether "a multiple of a number" is seen to imply "larger than another one", for an index from 1 up.

    >>> j, two = Index("j"), Constant(Fraction(2))
    >>> even = Compare("==", Apply("mod", (j, two)), Constant(Fraction(0)))
    >>> implies(even, Compare(">", j, Constant(Fraction(1)))), implies(even, Compare(">", j, two))
    (True, False)
    """
    match one, other:
        case Compare("==", Apply("mod", (Index(name), Constant(count))), Constant(rest)), Compare(
            ">", Index(same), Constant(low)
        ):
            return name == same and rest == 0 and low < count
    return False


def linear_terms(piece: Tree) -> Terms:
    """Return the terms of a sum; anything else is one term."""
    match piece:
        case Constant(value):
            return {None: value}
        case Apply("add", (one, other)):
            return _plus(linear_terms(one), linear_terms(other))
        case Apply("sub", (one, other)):
            return _less(linear_terms(one), linear_terms(other))
        case Apply("neg", (x,)):
            return _times(Fraction(-1), linear_terms(x))
        case Apply("mul", (Constant(value), x)) | Apply("mul", (x, Constant(value))):
            return _times(value, linear_terms(x))
        case Apply("div", (x, Constant(value))) if value:
            return _times(1 / value, linear_terms(x))
    return {piece: Fraction(1)}


def within(value: Tree, letter: str, reach: Tree) -> tuple[Compare, Compare]:
    """Return the bounds on ``letter`` that keep a place within an axis, where it is added or subtracted once.

    >>> from symattn.operations.equations.ranges import piece_text
    >>> [piece_text(each) for each in within(Apply("sub", (Index("j"), Constant(Fraction(1)))), "j", Length("d"))]
    ['j > 1', 'j <= d + 1']
    >>> [piece_text(each) for each in within(Apply("sub", (Length("n"), Index("j"))), "j", Length("n"))]
    ['j >= 0', 'j < n']
    """
    one: Terms = {None: Fraction(1)}
    rest = linear_terms(value)
    if rest.pop(Index(letter)) > 0:
        lower, upper = _less(one, rest), _less(linear_terms(reach), rest)
    else:
        lower, upper = _less(rest, linear_terms(reach)), _less(rest, one)
    return _bound(">=", letter, lower), _bound("<=", letter, upper)


def _bound(sign: CompareSign, letter: str, value: Terms) -> Compare:
    """Compare a letter with a whole number: j > x instead of j >= x + 1."""
    beside, strict = value.get(None, Fraction(0)), Fraction(1 if sign == ">=" else -1)
    if beside and (beside == strict or len(value) == 1) and beside * strict > 0:
        return Compare(">" if sign == ">=" else "<", Index(letter), as_tree(_plus(value, {None: -strict})))
    return Compare(sign, Index(letter), as_tree(value))


_MIRRORED: Mapping[CompareSign, CompareSign] = {"<": ">", "<=": ">=", "==": "==", "!=": "!=", ">": "<", ">=": "<="}
"""The sign of a comparison with its sides exchanged."""


def tidied(condition: Compare) -> Compare:
    """Simplify a comparison with a remainder to one of the index alone: (j − 1) % 2 == 1 is j % 2 == 0.

    >>> from symattn.operations.equations.ranges import piece_text
    >>> before = Apply("sub", (Index("j"), Constant(Fraction(1))))
    >>> piece_text(tidied(Compare("==", Apply("mod", (before, Constant(Fraction(2)))), Constant(Fraction(1)))))
    'j % 2 == 0'
    """
    match condition.left, condition.right:
        case Apply("neg", (x,)), Apply("neg", (y,)):
            return tidied(Compare(_MIRRORED[condition.sign], x, y))
        case Constant() as x, y if not isinstance(y, Constant):
            return tidied(Compare(_MIRRORED[condition.sign], y, x))
        case Apply("sub", (Index() as letter, beside)), Constant(left) if left == 0:
            return Compare(condition.sign, letter, beside)
        case Apply("mod", (x, Constant(count))), Constant(left) if condition.sign in ("==", "!=") and count > 0:
            found = linear_terms(x)
            by = found.pop(None, Fraction(0))
            if by and found and 0 <= left < count:
                rest = Constant((left - by) % count)
                return Compare(condition.sign, Apply("mod", (as_tree(found), Constant(count))), rest)
    return condition


def as_tree(of: Terms) -> Tree:
    """Return a sum of terms as a tree, positive terms first.

    >>> from symattn.operations.equations.ranges import piece_text
    >>> piece_text(as_tree({None: Fraction(-1), Length("d"): Fraction(1), Index("j"): Fraction(-2)}))
    'd - 1 - 2*j'
    """
    pieces = [(piece, count) for piece, count in of.items() if count]
    found: Tree = Constant(Fraction(0))
    for piece, count in sorted(pieces, key=lambda each: each[1] < 0):
        size = Constant(abs(count))
        term: Tree = size
        if piece is not None:
            term = _counted(abs(count), piece)  # type: ignore[arg-type]
        if found == Constant(Fraction(0)):
            found = term if count > 0 else Apply("neg", (term,)) if piece is not None else Constant(count)
        else:
            found = Apply("add" if count > 0 else "sub", (found, term))
    return found


def _counted(count: Fraction, piece: Tree) -> Tree:
    if count == 1:
        return piece
    over = piece if count.numerator == 1 else Apply("mul", (Constant(Fraction(count.numerator)), piece))
    return over if count.denominator == 1 else Apply("div", (over, Constant(Fraction(count.denominator))))


def _times(number: Fraction, of: Terms) -> Terms:
    return {piece: number * value for piece, value in of.items()}


def _plus(one: Terms, other: Terms) -> Terms:
    return {piece: one.get(piece, Fraction(0)) + other.get(piece, Fraction(0)) for piece in {**one, **other}}


def _less(one: Terms, other: Terms) -> Terms:
    return _plus(one, _times(Fraction(-1), other))


def _smallest(of: Terms, ranges: Mapping[str, Tree]) -> Fraction | None:
    """Return the least value of a sum: every index at one end of its axis, every length 1."""
    found: Terms = {}
    for piece, value in of.items():
        at_end = isinstance(piece, Index) and value < 0
        found = _plus(found, _times(value, linear_terms(ranges[piece.name])) if at_end else {_first(piece): value})  # type: ignore[union-attr]
    least = found.pop(None, Fraction(0))
    for piece, value in found.items():
        if value and (value < 0 or not isinstance(piece, Length)):
            return None
        least += value
    return least


def _first(piece: Piece | None) -> Piece | None:
    return None if isinstance(piece, Index) else piece


# -- operations --------------------------------------------------------------------------------------------------


@lru_cache(maxsize=1000)
def is_linear(operation: Operation, *matrices: str) -> bool:
    """Return whether an operation is linear in some of its matrices together, whatever the others are."""
    named = set(matrices)
    for equation in operation.equations:
        if equation is not operation.result and _constant(equation.body, frozenset(named)):
            continue
        if not _linear(equation.body, operation, frozenset(named)):
            return False
        named.add(equation.name)
    return True


def _linear(piece: Piece, operation: Operation, named: frozenset[str]) -> bool:
    def linear(each: Piece) -> bool:
        return _linear(each, operation, named)

    match piece:
        case Entry(name, _):
            return name in named
        case Constant(value):
            return value == 0
        case Over("sum", _, body) | Apply("neg", (body,)):
            return linear(body)
        case Apply("add" | "sub", (one, other)):
            return linear(one) and linear(other)
        case Apply("mul", (one, other)):
            return (linear(one) and _constant(other, named)) or (linear(other) and _constant(one, named))
        case Apply("div", (one, other)):
            return linear(one) and _constant(other, named)
        case Branch(condition, then, otherwise):
            return _constant(condition, named) and linear(then) and linear(otherwise)
    return False


def _constant(piece: Piece, named: frozenset[str]) -> bool:
    return not any(isinstance(each, Entry) and each.name in named for each in walk(piece))
