"""Givens that are printed figures: each means every number that rounds to it.

>>> half_unit("0.3028"), half_unit("3")
(1/20000, 1/2)
"""

from __future__ import annotations

import re

from sympy import Expr, Rational

from symattn.base.errors import FormulaError, shown
from symattn.base.printed import decimal_text
from symattn.read.given import Given
from symattn.read.scenario.problem import Problem

_PRINTED = 'with rounded = true expected digits as they are printed, such as "0.3028"'
_PLAIN = re.compile(r"-?\d+(?:\.(\d+))?\Z", re.ASCII)


def places_of(text: str) -> int | None:
    """Return the decimals that a plain decimal shows, or ``None`` for a fraction, a root, a power.

    >>> places_of("1.0000"), places_of("3"), places_of("1/3")
    (4, 0, None)
    """
    match = _PLAIN.match(text.strip())
    return None if match is None else len(match[1] or "")


def half_unit(text: str) -> Expr:
    """Return how far a number may be from the plain decimal it rounds to: half a unit of the last decimal.

    Raises :class:`~symattn.base.errors.FormulaError` for any other text.
    """
    places = places_of(text)
    if places is None:
        raise FormulaError(f"{shown(text)} is not a plain decimal: {_PRINTED}")
    return Rational(1, 2 * 10**places)


def bounds(given: Given) -> tuple[tuple[tuple[Expr, Expr], ...], ...]:
    """Return the smallest and the largest number that round to each figure, both included.

    >>> bounds(Given.read([["0.5", "1"]]))
    (((9/20, 11/20), (1/2, 3/2)),)
    """
    return tuple(
        tuple((value - half_unit(text), value + half_unit(text)) for value, text in zip(values, texts, strict=True))
        for values, texts in zip(given.values, given.texts, strict=True)
    )


def row_sum(given: Given, row: int) -> tuple[str, str]:
    """Return the sum of the figures of a row (counted from 0), and the largest error that rounding can explain.

    >>> row_sum(Given.read([["0.3417", "0.2756", "0.3828"]]), 0)
    ('1.0001', '0.00015')
    """
    total, slack = _total(given, row)
    return _decimal(total), _decimal(slack)


def check_rounded(given: Given, total: Expr | None) -> None:
    """Check that every figure is a plain decimal, and that every row can sum to ``total``.

    >>> check_rounded(Given.read([["1", "1/2"]]), None)
    Traceback (most recent call last):
        ...
    symattn.read.scenario.problem.Problem: '1/2' is not a plain decimal: with rounded = true expected digits as they \
are \
printed, such as "0.3028"
    """
    wrong = [
        Problem(("value", i, j), f"{shown(text)} is not a plain decimal: {_PRINTED}")
        for i, row in enumerate(given.texts)
        for j, text in enumerate(row)
        if places_of(text) is None
    ]
    if wrong:
        raise Problem.several(wrong)
    for i in range(len(given.texts) if total is not None else 0):
        found, slack = _total(given, i)
        if abs(found - total) > slack:
            raise Problem(
                ("value", i),
                f"row {i + 1} cannot sum to {total}: its figures add up to {_decimal(found)}, and rounding explains at "
                f"most {_decimal(slack)} more or less; row_sums says that every row sums to {total}",
            )


def _total(given: Given, row: int) -> tuple[Expr, Expr]:
    figures, texts = given.values[row], given.texts[row]
    return sum(figures, Rational(0)), sum(map(half_unit, texts), Rational(0))


def _decimal(number: Expr) -> str:
    """Return a sum of plain decimals and their half units, which is a finite decimal, without trailing zeros."""
    places = 0
    while 10**places % int(number.q):
        places += 1
    return decimal_text(int(number * 10**places), places)
