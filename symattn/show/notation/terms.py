"""Sums, products, quotients and powers of written pieces, with no more parentheses than they need."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from types import MappingProxyType

from symattn.show.math import (
    EULER,
    PI,
    Bars,
    Call,
    Fraction,
    Letter,
    Math,
    Number,
    Parens,
    Root,
    Script,
    Seq,
    Sign,
    Sum,
    added,
    is_derivative,
    joined,
    multiplied,
    seq,
)

ZERO, ONE = Number("0"), Number("1")
_LOOSE = (Sign("+"), Sign("-"), Letter("mod", "upright"))


def one_term(x: Math) -> Math:
    """Return a sum of terms, or x mod y, in parentheses, so that Σ, max or a factor beside it applies to all of it."""
    loose = isinstance(x, Seq) and any(part in _LOOSE for part in x.parts)
    return Parens(x) if loose or _is_negative(x) else x


def _is_negative(x: Math) -> bool:
    return isinstance(x, Number) and x.text.startswith("-")


def factor(x: Math) -> Math:
    """Return a piece that another factor follows: in parentheses if it is a sum, or would include the next factor."""
    inside = x.parts if isinstance(x, Seq) else (x,)
    return Parens(x) if any(map(_takes_what_follows, inside)) else one_term(x)


def _takes_what_follows(part: Math) -> bool:
    """Return whether a piece has no end of its own: Σ, max over an index, ln without parentheses."""
    word = part.base if isinstance(part, Script) else part
    return isinstance(part, Sum) or (isinstance(word, Letter) and word.name in ("max", "ln"))


def closed(term: Math) -> Math:
    """Return a term that others follow, in parentheses if max_k would include them."""
    if not (isinstance(term, Seq) and _has_max(term)):
        return term
    minus = term.parts[0] == Sign("-")
    return seq(Sign("-"), Parens(seq(*term.parts[1:]))) if minus else Parens(term)


def is_product(x: Seq) -> bool:
    """Return whether a row is only factors side by side; max_k x is not, as it would include the next factor."""
    return not _has_max(x) and all(isinstance(part, Script | Letter | Parens | Fraction) for part in x.parts)


def _has_max(x: Math) -> bool:
    """Return whether max_k is in a row of pieces."""
    parts = x.parts if isinstance(x, Seq) else ()
    return any(isinstance(part, Script) and part.base == Letter("max", "upright") for part in parts)


def powered(x: Math, exponent: Math) -> Math:
    """Return x², with the exponent over the subscript of an entry."""
    if isinstance(x, Script) and x.sup is None:
        return Script(x.base, x.sub, exponent)
    return Script(x if isinstance(x, Letter | Number | Bars) and not _is_negative(x) else Parens(x), sup=exponent)


def squared(x: Math) -> Math:
    """Return x²."""
    return powered(x, Number("2"))


def math_power(x: Math, exponent: Math) -> Math:
    """Return x to a power; the power 1/2 is a root."""
    return Root(x) if exponent == Fraction(ONE, Number("2")) else powered(x, exponent)


def plus(left: Math, right: Math) -> Math:
    """Return x + y, or one of them if the other is 0."""
    if ZERO in (left, right):
        return left if right == ZERO else right
    return added(left, right)


def minus(left: Math, right: Math) -> Math:
    """Return x − y; x if y is 0, and −y if x is 0."""
    if right == ZERO:
        return left
    return negative(right) if left == ZERO else seq(left, Sign("-"), one_term(right))


def negative(x: Math) -> Math:
    """Return −x."""
    return seq(Sign("-"), one_term(x))


def math_product(left: Math, right: Math) -> Math:
    """Return x y; x² for x x; a dot between a fraction and a letter."""
    if ONE in (left, right):
        return left if right == ONE else right
    if left == right and (isinstance(left, Script) or is_derivative(left)):
        return squared(left)
    if isinstance(left, Number) and _is_negative(left):
        return seq(Sign("-"), math_product(Number(left.text[1:]), right))
    before, after = factor(left), one_term(right)
    last = before.parts[-1] if isinstance(before, Seq) else before
    first = after.parts[0] if isinstance(after, Seq) else after
    numbers = isinstance(last, Fraction) and isinstance(last.numerator, Number) and isinstance(last.denominator, Number)
    loose = isinstance(last, Fraction) and not (numbers or is_derivative(last))
    if loose and isinstance(first, Letter | Script | Fraction | Number):
        return seq(before, Sign("·"), after)
    return multiplied(before, after)


def chosen(word: str, left: Math, right: Math) -> Math:
    """Return min(x, y) or max(x, y)."""
    return seq(Letter(word, "upright"), Parens(seq(left, Sign(","), right)))


def weighted_logarithm(x: Math) -> Math:
    """Return x ln x."""
    return seq(factor(x), Letter("ln", "upright"), Parens(x) if isinstance(x, Seq | Sum) else x)


def remainder(left: Math, right: Math) -> Math:
    """Return x mod y."""
    return seq(one_term(left), Letter("mod", "upright"), one_term(right))


def function_call(name: str, x: Math) -> Math:
    """Return a function of one number by its name."""
    return Call(name, (x,))


FUNCTIONS: Mapping[str, Callable[..., Math]] = MappingProxyType(
    {
        "add": plus,
        "sub": minus,
        "mul": math_product,
        "div": Fraction,
        "pow": math_power,
        "mod": remainder,
        "neg": negative,
        "exp": lambda x: Script(EULER, sup=x),
        "log": partial(function_call, "ln"),
        "sqrt": Root,
        **{name: partial(function_call, name) for name in ("tanh", "erf", "sin", "cos")},
        "acos": partial(function_call, "arccos"),
        "abs": Bars,
        "floor": lambda x: Bars(x, floor=True),
        "min": partial(chosen, "min"),
        "max": partial(chosen, "max"),
        "xlogx": weighted_logarithm,
        "pi": lambda: PI,
        "oo": lambda: Number("oo"),
        "sum": lambda *parts: joined(parts, "+"),
    }
)
"""The notation of the elementary functions of equations."""
