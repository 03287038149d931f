"""Scores that are logarithms, in their notation: ln 2 and not 0.693147, so that e^{ln 2} = 2 is visible.

A matrix is written so if every entry is 0, −∞ or a short logarithm a ln b of a rational; other matrices keep their
decimals.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import gcd, lcm, prod

from flint import fmpq
from sympy import Expr, Rational, log

from symattn.base.printed import Figure
from symattn.compute.solution.figures import LARGE
from symattn.compute.solution.operands import logarithms
from symattn.compute.solution.store import Store
from symattn.compute.values.logarithm import HIDDEN, Logs, power_of_primes
from symattn.compute.values.rational import digits_of
from symattn.show.notation.figures import Logarithm, RowsOfFigures, Written
from symattn.show.notation.numerals import number

LONGEST = 10_000
"""The smallest whole number that is too long for a logarithm or a fraction."""


def short(powers: Mapping[int, fmpq]) -> Expr | None:
    """Return Σ_p m_p ln(p) as one short logarithm, or ``None`` if there is none.

    >>> short({2: fmpq(1), 3: fmpq(1)}), short({3: fmpq(-1, 2)}), short({2: fmpq(20)}), short({10007: fmpq(1)})
    (log(6), -log(3)/2, 20*log(2), None)
    """
    known = [m for m in powers.values() if m != 0]
    below = lcm(*(int(m.q) for m in known))
    shared = gcd(*(int(m.p) * (below // int(m.q)) for m in known))
    # ln 9 rather than 2 ln 3, as long as the number is short: its exponential is seen at once.
    for above in (1, shared):
        factor = fmpq(above, below)
        found = _rational({prime: m / factor for prime, m in powers.items()})
        if found is not None:
            return Rational(above, below) * log(found)
    return None


def _rational(powers: Mapping[int, fmpq]) -> Expr | None:
    """Return Π p^{m_p} for whole m_p, if it is short."""
    if sum(abs(m) * (prime.bit_length() - 1) for prime, m in powers.items()) > 2 * LONGEST.bit_length():
        return None
    value = prod((fmpq(prime) ** int(m.p) for prime, m in powers.items()), start=fmpq(1))
    return Rational(int(value.p), int(value.q)) if max(value.p, value.q) < LONGEST else None


def cells(solution: Store, name: str) -> RowsOfFigures | None:
    """Return the entries of a name as logarithms; ``None`` if they are anything else, or one is too long."""
    memory = solution.proved.written_logs
    if name not in memory:
        value = logarithms(solution, name)
        few = solution.rows(name) * solution.columns(name) <= LARGE
        memory[name] = _cells(solution, name, value) if few and value is not None and value.has_logarithms else None
    found: RowsOfFigures | None = memory[name]
    return found


def _cells(solution: Store, name: str, value: Logs) -> RowsOfFigures | None:
    rows: list[list[Figure]] = []
    for i, printed in enumerate(solution.figures(name)):
        row: list[Figure] = []
        for j, figure in enumerate(printed):
            written = _figure(value.entry(i, j), figure)
            if written is None:
                return None
            row.append(written)
        rows.append(row)
    return rows


def _figure(powers: Mapping[int, fmpq], printed: Figure) -> Figure | None:
    """Return 0, −∞ or a short logarithm, with its decimals."""
    if powers.get(HIDDEN, 0) != 0:
        return printed
    if all(m == 0 for m in powers.values()):
        return Figure.of(0, 0, True)
    logarithm = short(powers)
    if logarithm is None:
        return None
    return Logarithm(printed.text, True, number(logarithm), number=printed.number, places=printed.places)


def exponentials(solution: Store, name: str, i: int) -> tuple[Figure | None, ...] | None:
    """Return e to the power of every entry of a row of logarithms, and their sum; ``None`` for one that is too long."""
    value = logarithms(solution, name)
    if value is None or not value.has_logarithms:
        return None
    found = [power_of_primes(value.entry(i, j)) for j in range(value.shape[1])]
    known = [x for x in found if x is not None]
    total = sum(known, fmpq(0)) if len(known) == len(found) else None
    # Beside 1/3, write 3/4, not 0.75.
    places = solution.style.decimals if all(digits_of(x, solution.style.decimals) is not None for x in known) else 0
    return tuple(None if x is None else _exact_figure(x, places) for x in (*found, total))


def _exact_figure(value: fmpq, places: int) -> Figure | None:
    """Return a decimal of at most so many places, otherwise a short fraction."""
    if max(abs(value.p), value.q) >= LONGEST:
        return None
    decimals = digits_of(value, places)
    if decimals is not None:
        return Figure.of(int(value * 10**decimals), decimals, True)
    return Written("…", True, number(Rational(int(value.p), int(value.q))))
