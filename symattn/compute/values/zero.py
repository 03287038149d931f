"""Prove that a number is, or is not, exactly zero."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from math import comb, prod

from flint import fmpq
from sympy import (
    Abs,
    Basic,
    Expr,
    Function,
    Integer,
    Pow,
    Rational,
    S,
    acos,
    cos,
    erf,
    exp,
    log,
    postorder_traversal,
    preorder_traversal,
    sin,
    tanh,
)

from symattn.base.budget import spend
from symattn.compute.values.logarithm import primes_of

LARGEST_SUM = 4_000
"""Terms of a common denominator beyond which a sum is not expanded to see whether it is zero."""

LARGEST_UNDER_ROOT = 500
"""Terms beyond which the argument of a root or an absolute value is not expanded: SymPy would look for its sign."""

LARGEST_VALUE = 50_000
"""Pieces of a value that are counted before it is examined."""

_PIECE = 100
"""Steps for each of those pieces."""

_NESTED = 40
"""Factor for functions nested in functions: SymPy looks for the sign of each, digit by digit."""

LARGEST_NESTED = 250
"""Pieces beyond which a value with nested functions is not expanded."""

LARGEST_EXPONENT = 10**5
"""The largest number in an exponent inside a root or an absolute value, whose sign SymPy is asked for."""

LARGEST_DEGREE = 16
"""The largest degree of a number whose minimal polynomial SymPy may compute: at a hundred it takes minutes."""


def is_zero(value: Expr) -> bool | None:
    """Return ``True`` or ``False`` if a number is proved to be zero or not, ``None`` if no proof was found.

    Numerator and denominator are written as sums a₁e^{b₁} + a₂e^{b₂} + …; by the Lindemann–Weierstrass theorem
    exponentials of different algebraic numbers are linearly independent over the algebraic numbers, so such a sum is
    zero only if every aᵢ is, and SymPy's expansion collects equal bᵢ. (Baker 1975, *Transcendental Number Theory*,
    theorem 1.4.) Nested roots and exponentials of exponentials are outside this class. Logarithms of rationals are
    written by primes; those of different primes, and 1, are linearly independent over the algebraic numbers (Baker's
    theorem 2.1), so that an expression linear in them is zero only if every coefficient is.

    >>> from sympy import E, cos, exp, sin, sqrt
    >>> is_zero(E / (E + 1) + 1 / (E + 1) - 1), is_zero(exp(2) - exp(1)), is_zero(sqrt(8) - 2 * sqrt(2))
    (True, False, True)
    >>> is_zero(sin(1) ** 2 + cos(1) ** 2 - 1), is_zero(sin(1) - cos(1))
    (True, False)
    >>> is_zero(log(12) - log(3) - 2 * log(2)), is_zero(log(2) / 2 - log(3) + sqrt(2)), is_zero(log(2) ** 2 - log(3))
    (True, False, None)
    """
    if value.is_Rational:
        return bool(value == 0)
    pieces = sum(1 for _ in islice(preorder_traversal(value), LARGEST_VALUE))
    nested = _is_nested(value)
    if nested and (pieces > LARGEST_NESTED or _has_huge_powers(value)):
        return None
    spend((_NESTED if nested else 1) * _PIECE * pieces)
    if _common_denominator_terms(value) > LARGEST_SUM:
        return None
    if value.has(sin, cos, tanh):
        # Exponentials too, of numbers that may be imaginary: the theorem speaks of all algebraic numbers.
        value = value.rewrite(exp)
    if _has_signs_of_long_sums(value) or _has_signs_of_huge_powers(value) or _has_huge_powers_of_logarithms(value):
        return None
    if value.has(log):
        value = value.xreplace({x: _by_primes(x) for x in value.atoms(log)})
    # SymPy's together() looks for common factors, for many seconds; only that equal denominators stay one matters here.
    numerator = _expanded(value.as_numer_denom()[0])
    if numerator is None:
        return None
    if value.has(log, acos, erf):
        # Outside the class; SymPy would look for the sign of ln(1 + e^(10^7)) − 10^7 digit by digit, without end.
        return True if numerator == 0 else False if all(map(_is_logarithm_term, _terms(numerator))) else None
    if numerator == 0 or (_degree(numerator) <= LARGEST_DEGREE and numerator.is_zero):
        return True
    return False if all(map(_is_exponential_term, _terms(numerator))) else None


def _degree(value: Expr) -> int:
    """Return a bound on the degree of the minimal polynomial of a number, from the roots in it."""
    return prod(power.exp.q for power in value.atoms(Pow) if power.exp.is_Rational)


def _is_nested(value: Expr) -> bool:
    return any(arg.has(Function) for node in value.atoms(Function) for arg in node.args)


def _signed(value: Expr) -> list[Expr]:
    """Return the arguments of roots and absolute values, whose signs SymPy looks for when it expands."""
    return [x.args[0] for x in value.atoms(Pow, Abs) if isinstance(x, Abs) or not x.exp.is_Integer]


def _has_signs_of_long_sums(value: Expr) -> bool:
    """Return whether expanding makes SymPy look for the signs of sums of hundreds of terms, which takes minutes."""
    return any(_fraction_terms(base) > LARGEST_UNDER_ROOT for base in _signed(value))


def _has_signs_of_huge_powers(value: Expr) -> bool:
    """Return whether expanding makes SymPy look for the sign in |1 − tanh(10^27)| digit by digit, endlessly."""
    return any(map(_has_huge_powers, _signed(value)))


def _has_huge_powers(value: Expr) -> bool:
    powers = (power.args[0] for power in value.atoms(exp, tanh))
    return any(abs(number) > LARGEST_EXPONENT for power in powers for number in power.atoms(Rational))


def _has_huge_powers_of_logarithms(value: Expr) -> bool:
    """Return whether SymPy would compute the power in exp(10^27 ln 2)."""
    powers = (power.args[0] for power in value.atoms(exp) if power.has(log))
    return any(abs(number) > LARGEST_EXPONENT for power in powers for number in power.atoms(Rational))


def _by_primes(logarithm: Expr) -> Expr:
    """Return ln 12 as 2 ln 2 + ln 3, unless the number is too long to be factored; other logarithms are unchanged."""
    number = logarithm.args[0]
    if not (number.is_Rational and number > 0):
        return logarithm
    powers = primes_of(fmpq(int(number.p), int(number.q)))
    if powers is None:
        return logarithm
    return sum((int(power.p) * log(Integer(prime)) for prime, power in powers.items()), S.Zero)


def _is_logarithm_term(term: Expr) -> bool:
    """Return whether a term is an algebraic number, or one times the logarithm of a prime."""
    factors = term.args if term.is_Mul else (term,)
    others = [factor for factor in factors if not isinstance(factor, log)]
    logarithms = [factor for factor in factors if isinstance(factor, log)]
    return len(logarithms) <= 1 and all(map(_is_prime_logarithm, logarithms)) and all(map(_is_surd, others))


def _is_prime_logarithm(factor: Expr) -> bool:
    number = factor.args[0]
    return bool(number.is_Integer and primes_of(fmpq(int(number))) == {int(number): fmpq(1)})


def _expanded(value: Expr) -> Expr | None:
    """Return the value expanded, or ``None`` if a sum anywhere inside it would become too long."""
    terms = 0
    counts: dict[Basic, int] = {}
    for node in postorder_traversal(value):
        if node not in counts:
            counts[node] = _expanded_terms(node, counts)
            terms = max(terms, counts[node])
    if terms > LARGEST_SUM:
        return None
    spend(4_000 * terms)
    return value.expand()


def _expanded_terms(node: Basic, counts: Mapping[Basic, int]) -> int:
    """Return an upper bound on a node's terms when expanded; ``counts`` has those of its parts."""
    if node.is_Add:
        return sum(counts[arg] for arg in node.args)
    if node.is_Mul:
        return prod(counts[arg] for arg in node.args)
    if node.is_Pow and node.exp.is_Rational and abs(node.exp) > 1:
        # (a + b)^{5/2} is (a + b)² √(a + b).
        return _power_terms(counts[node.base], int(abs(node.exp)))
    return 1


def _power_terms(count: int, power: int) -> int:
    """Return an upper bound on the terms of an expanded power of a sum of ``count`` terms."""
    return count if count == 1 else comb(min(power, LARGEST_SUM) + count - 1, count - 1)


Below = Mapping[Basic, tuple[int, int]]
"""The sums in a fraction's denominator, each with its number of terms and its power."""


def _fraction_terms(value: Expr) -> int:
    """Return an upper bound on the terms of the numerator over the least common denominator."""
    found: dict[Basic, tuple[int, Below]] = {}
    for node in postorder_traversal(value):
        if node not in found:
            found[node] = _fraction(node, found)
    return found[value][0]


def _fraction(node: Basic, found: Mapping[Basic, tuple[int, Below]]) -> tuple[int, Below]:
    """Return the terms of a node's numerator and the sums in its denominator; ``found`` has those of its parts."""
    if node.is_Add or node.is_Mul:
        parts = [found[arg] for arg in node.args]
        join = max if node.is_Add else sum
        below: Below = {
            base: (terms, join(under[base][1] for _, under in parts if base in under))
            for _, lines in parts
            for base, (terms, _) in lines.items()
        }
        if node.is_Mul:
            return prod(count for count, _ in parts), below
        return sum(count * _missing(below, under) for count, under in parts), below
    if node.is_Pow and node.exp.is_Integer:
        count, below = found[node.base]
        power = min(abs(int(node.exp)), LARGEST_SUM)
        above = prod(_power_terms(terms, times * power) for terms, times in below.values())
        if node.exp < 0:
            return above, {node.base: (count, power)} if count > 1 else {}
        return _power_terms(count, power), {base: (terms, times * power) for base, (terms, times) in below.items()}
    return 1, {}


def _missing(below: Below, under: Below) -> int:
    """Return the terms of the factor that extends a fraction over ``under`` to one over ``below``."""
    return prod(_power_terms(terms, power - under.get(base, (1, 0))[1]) for base, (terms, power) in below.items())


def _common_denominator_terms(value: Expr) -> int:
    """Return an upper bound on the terms of the expanded common denominator of a value."""
    count = 1
    for power in value.atoms(Pow):
        if power.exp.is_Integer and power.exp < 0 and power.base.is_Add:
            count *= len(power.base.args) ** -int(power.exp)
    return count


def _terms(value: Expr) -> tuple[Expr, ...]:
    return value.args if value.is_Add else (value,)


def _is_exponential_term(term: Expr) -> bool:
    factors = term.args if term.is_Mul else (term,)
    return all(
        _is_surd(f) or (isinstance(f, exp) and all(map(_is_surd_term, _terms(f.exp)))) or f is S.Exp1 for f in factors
    )


def _is_surd_term(term: Expr) -> bool:
    return all(map(_is_surd, term.args if term.is_Mul else (term,)))


def _is_surd(factor: Expr) -> bool:
    """Return whether a factor is rational, the imaginary unit, or the square root of a rational as SymPy keeps it."""
    if factor.is_Rational or factor is S.ImaginaryUnit:
        return True
    if not (factor.is_Pow and factor.base.is_Rational and (factor.exp * 2).is_Integer):
        return False
    # SymPy looks for square factors by the primes up to 2^15: below their square it has found them all.
    return bool(max(abs(factor.base.p), factor.base.q) < 2**30)
