"""Free symbols: letters such as a, b and t that are arbitrary real numbers, in givens and in formulas.

>>> a, b = entry_symbol("a"), entry_symbol("b")
>>> tidy((a + b) ** 2 - a**2 - 2 * a * b - b**2), tidy((a**2 - b**2) / (a - b))
(0, a + b)
>>> [str(need) for need in needs_of(a / (2 * b))]
['b ≠ 0']
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import comb, prod

from sympy import (
    Abs,
    Add,
    Basic,
    Expr,
    Max,
    Min,
    Mul,
    Pow,
    Rational,
    S,
    Symbol,
    cancel,
    exp,
    expand,
    factor_terms,
    log,
    together,
)

from symattn.base import limits
from symattn.operations.equations.defined import Demanded

POSITIVE, NOT_NEGATIVE, OPEN = 2, 1, 0
"""Known signs of a value for all values of its symbols: more than 0, at least 0, unknown."""


SHORT = 60
"""Size up to which a polynomial, in pieces, is expanded even where that makes it longer."""


CANCELLED_TERMS = 120
"""Terms of a fraction beyond which common factors are not searched for."""

CANCELLED_LETTERS = 8
"""Letters in a fraction beyond which common factors are not searched for."""


@dataclass(frozen=True)
class Need:
    """An assumption about symbols, for a formula to have a value: ``value`` is not 0, not negative, or positive."""

    value: Expr
    relation: Demanded

    def __str__(self) -> str:
        return f"{self.value} {self.relation} 0"


def entry_symbol(name: str) -> Symbol:
    """Return the symbol for a letter in entries and formulas: any real number."""
    return Symbol(name, real=True)


def entry_symbols(node: Basic) -> tuple[Symbol, ...]:
    """Return the free symbols of a formula or a number in alphabetical order, without the names of matrices and sizes.

    >>> from symattn.operations.terms import size_symbol
    >>> entry_symbols(entry_symbol("t") / size_symbol("n") + entry_symbol("a"))
    (a, t)
    """
    found = (symbol for symbol in node.free_symbols if isinstance(symbol, Symbol))
    return tuple(sorted((s for s in found if s == entry_symbol(s.name)), key=lambda symbol: str(symbol.name)))


def pieces(value: Basic, most: int) -> int:
    """Count the pieces of an expression; stops a little beyond ``most``."""
    waiting, seen = [value], 0
    while waiting and seen <= most:
        waiting.extend(waiting.pop().args)
        seen += 1
    return seen


# -- one way to write a value ------------------------------------------------------------------------------------


def tidy(value: Expr, memory: dict[Expr, Expr] | None = None) -> Expr:
    """Expand a value in symbols, or write it as one fraction in lowest terms; unchanged where that would be too long.

    Values that look different but are equal for all values of the symbols then mostly look the same: a known entry has
    no symbols left, and a difference of equal entries is 0. Exponentials, roots and other functions are treated as
    letters, and their arguments are tidied separately. ``memory`` keeps them for other values.
    """
    memory = {} if memory is None else memory
    if not value.free_symbols or value.is_Symbol:
        return value
    letters: dict[Expr, Symbol] = {}
    rational = _in_letters(value, letters, memory)
    return _lowest(rational).xreplace({letter: part for part, letter in letters.items()})


def _in_letters(value: Expr, letters: dict[Expr, Symbol], memory: dict[Expr, Expr]) -> Expr:
    """Return a value as a fraction of polynomials in symbols and letters."""
    if value.is_Symbol or value.is_Rational:
        return value
    if isinstance(value, Add | Mul):
        return value.func(*(_in_letters(arg, letters, memory) for arg in value.args))
    if isinstance(value, Pow) and value.exp.is_Integer:
        return Pow(_in_letters(value.base, letters, memory), value.exp)
    if isinstance(value, Pow) and value.exp.is_Rational and value.exp.p != 1:
        return Pow(_in_letters(Pow(value.base, Rational(1, value.exp.q)), letters, memory), value.exp.p)
    if value not in memory:
        memory[value] = _with_tidy_inside(value, memory)
        memory[memory[value]] = memory[value]
    part = memory[value]
    if part.is_Symbol or part.is_Rational or isinstance(part, Add | Mul):
        # After tidying the contents it may no longer be a function: the root of 4a² is 2|a|.
        return part if not isinstance(part, Add | Mul) else _in_letters(part, letters, memory)
    return letters.setdefault(part, Symbol(f"_{len(letters)}"))


def _with_tidy_inside(value: Expr, memory: dict[Expr, Expr]) -> Expr:
    if not value.free_symbols:
        return value
    if isinstance(value, Pow):
        return Pow(tidy(value.base, memory), value.exp)
    inside = [tidy(arg, memory) for arg in value.args]
    return value.func(*inside, evaluate=False) if isinstance(value, Max | Min) else value.func(*inside)


def _lowest(value: Expr) -> Expr:
    """Return a fraction of polynomials expanded or in lowest terms."""
    size = _Size.of(value)
    if size.whole > limits.POLYNOMIAL_TERMS or pieces(value, limits.TIDIED_PIECES) > limits.TIDIED_PIECES:
        return value
    if not size.denominators:
        expanded = expand(value)
        short = max(SHORT, pieces(value, limits.TIDIED_PIECES))
        return expanded if pieces(expanded, short) <= short else value
    whole = together(value)
    if not whole.free_symbols:
        return whole
    if size.whole <= CANCELLED_TERMS and len(whole.free_symbols) <= CANCELLED_LETTERS:
        lowest = cancel(whole)
        # The common denominator is left in factors unless something cancels.
        whole = lowest if pieces(lowest, 2**20) < pieces(whole, 2**20) else whole
    return factor_terms(whole)


def terms_of(value: Expr) -> int:
    """Return an upper bound on the terms of an expanded value; the denominator's count for each of the numerator's.

    >>> terms_of((entry_symbol("a") + 1) ** 3)
    4
    """
    return _Size.of(value).whole


@dataclass(frozen=True)
class _Size:
    """The size of a value as one expanded fraction: terms of the numerator, and factors of the denominator."""

    terms: int
    denominators: tuple[tuple[Expr, int, int], ...] = ()
    """Factors of the denominator: each with its power and the number of its terms."""

    @property
    def whole(self) -> int:
        return self.terms * self.denominator_terms

    @property
    def denominator_terms(self) -> int:
        return prod(_power_terms(terms, power) for _, power, terms in self.denominators)

    @classmethod
    def of(cls, value: Expr) -> _Size:
        """Return the size of a value, without expanding anything."""
        if isinstance(value, Add):
            return cls._sum([cls.of(term) for term in value.args])
        if isinstance(value, Mul):
            parts = [cls.of(factor) for factor in value.args]
            return cls(prod(part.terms for part in parts), cls._merged(parts, add=True))
        if isinstance(value, Pow) and value.exp.is_Integer:
            inner, power = cls.of(value.base), abs(int(value.exp))
            if value.exp.is_positive:
                below = tuple((base, count * power, terms) for base, count, terms in inner.denominators)
                return cls(_power_terms(inner.terms, power), below)
            above = prod(_power_terms(terms, count * power) for _, count, terms in inner.denominators)
            return cls(above, ((value.base, power, inner.terms),) if value.base.free_symbols else ())
        if isinstance(value, Pow) and value.exp.is_Rational and value.exp.is_negative:
            return cls(1, ((value.base, 1, 1),) if value.base.free_symbols else ())
        return cls(1)

    @classmethod
    def _sum(cls, parts: list[_Size]) -> _Size:
        below = cls._merged(parts, add=False)
        whole = cls(1, below).denominator_terms
        return cls(sum(part.terms * max(1, whole // part.denominator_terms) for part in parts), below)

    @staticmethod
    def _merged(parts: Iterable[_Size], add: bool) -> tuple[tuple[Expr, int, int], ...]:
        found: dict[Expr, tuple[int, int]] = {}
        for part in parts:
            for base, power, terms in part.denominators:
                before = found.get(base, (0, 0))[0]
                found[base] = (before + power if add else max(before, power), terms)
        return tuple((base, power, terms) for base, (power, terms) in found.items())


def _power_terms(terms: int, power: int) -> int:
    """Return the number of terms of an expanded power of a sum.

    >>> _power_terms(2, 3), _power_terms(1, 9)
    (4, 1)
    """
    return comb(power + terms - 1, terms - 1)


# -- what has to be assumed --------------------------------------------------------------------------------------


def sign_of(value: Expr) -> int:
    """Return the sign of a value, whatever its symbols are: ``POSITIVE``, ``NOT_NEGATIVE`` or ``OPEN``.

    SymPy's own answer looks for the roots of polynomials, without end for a high power; this one looks at the parts.

    >>> a = entry_symbol("a")
    >>> sign_of(1 + a**2), sign_of(a**2), sign_of(exp(a) + 1), sign_of(a)
    (2, 1, 2, 0)
    """
    if not value.free_symbols:
        return POSITIVE if value.is_positive else NOT_NEGATIVE if value.is_nonnegative else OPEN
    if isinstance(value, exp):
        return POSITIVE
    if isinstance(value, Abs):
        return max(NOT_NEGATIVE, sign_of(value.args[0]))
    if isinstance(value, Pow) and value.exp.is_Rational:
        inner = sign_of(value.base)
        even = value.exp.is_Integer and value.exp % 2 == 0
        root = not value.exp.is_Integer
        return inner if inner == POSITIVE or not (even or root) else NOT_NEGATIVE
    if isinstance(value, Max):
        return max(map(sign_of, value.args))
    if isinstance(value, Mul | Min):
        return min(map(sign_of, value.args))
    if isinstance(value, Add):
        parts = [sign_of(term) for term in value.args]
        return OPEN if OPEN in parts else max(parts)
    return OPEN


def needs_of(value: Expr) -> Iterator[Need]:
    """Yield the conditions for a value, as written, to be a real number: on divisors, roots and logarithms."""
    waiting: list[Expr] = [value]
    while waiting:
        part = waiting.pop()
        waiting.extend(reversed(part.args))
        if isinstance(part, Pow) and part.exp.is_Rational:
            if not part.exp.is_Integer:
                yield from need(part.base, ">" if part.exp.is_negative else "≥")
            elif part.exp.is_negative:
                yield from need(part.base, "≠")
        elif isinstance(part, log):
            yield from need(part.args[0], ">")


def need(value: Expr, relation: Demanded) -> Iterator[Need]:
    """Yield the simplest conditions for a value to be not 0, not negative or positive; none where that always holds.

    >>> a, b = entry_symbol("a"), entry_symbol("b")
    >>> [str(need) for need in need(-2 * a**2 * (a - b), "≠")], list(need(1 + a**2, ">"))
    (['a ≠ 0', 'a - b ≠ 0'], [])
    """
    known = sign_of(value)
    if not value.free_symbols or known == POSITIVE or (known == NOT_NEGATIVE and relation == "≥"):
        return
    if known == NOT_NEGATIVE:
        relation = "≠"
    if relation != "≠" and isinstance(value, Pow) and value.exp.is_negative:
        value, relation = value.base, ">"  # of an odd power, for an even one is not negative
    above = together(value).as_numer_denom()[0] if isinstance(value, Mul | Pow) else value
    if relation == "≠":
        for part in Mul.make_args(factor_terms(above)):
            base = part.base if isinstance(part, Pow) and part.exp.is_Rational else part
            base = base.args[0] if isinstance(base, Abs) else base
            if base is not part:
                yield from need(base, "≠")
            elif base.free_symbols and sign_of(base) != POSITIVE:
                yield Need(base, "≠")
        return
    coefficient, rest = value.as_coeff_Mul()
    yield Need(rest if coefficient.is_positive else -rest if coefficient is not S.Zero else value, relation)


def together_needed(needs: Iterable[Need]) -> tuple[Need, ...]:
    """Merge assumptions, in order of occurrence: a value that is neither 0 nor negative is positive.

    >>> t = entry_symbol("t")
    >>> [str(need) for need in together_needed([Need(t, "≥"), Need(t, "≠"), Need(t, "≠")])]
    ['t > 0']
    """
    found: dict[Expr, Demanded] = {}
    for each in needs:
        before = found.get(each.value, each.relation)
        found[each.value] = before if before == each.relation else ">"
    return tuple(Need(value, relation) for value, relation in found.items())
