"""Every key is the exact value, in SymPy's closed form, rounded in decimal arithmetic."""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal, localcontext

import pytest
from sympy import Expr

from symattn.exercise.numbers import LEVELS
from symattn.exercise.topics.registry import topics
from symattn.exercise.worked import solution_of
from tests.exercise.batches import few

DIGITS = 50

NAMES = tuple(topic.name for topic in topics())


def _decimal(value: Expr) -> Decimal:
    """A number in decimals, by mpmath."""
    if value.is_infinite:
        return Decimal("-Infinity" if value.is_extended_negative else "Infinity")
    return Decimal(str(value.evalf(DIGITS)))


def _rounded(value: Expr, decimals: int) -> Decimal:
    number = _decimal(value)
    if not number.is_finite():
        return number
    with localcontext(prec=2 * DIGITS):
        # Fifty digits of a number on a tie may fall short of it in the last one.
        steady = number.quantize(Decimal(1).scaleb(5 - DIGITS), rounding=ROUND_HALF_UP)
        return steady.quantize(Decimal(1).scaleb(-decimals), rounding=ROUND_HALF_UP)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("topic", NAMES)
def test_keys_are_the_exact_values_rounded(topic: str, level: int) -> None:
    for exercise in few(topic, level)[:1]:
        solution = solution_of(exercise)
        for part in exercise.parts:
            if part.kind != "matrix":
                continue
            exact = solution.exact_value(part.name)
            assert exact.shape == part.shape
            for (i, j), value in [((i, j), exact[i, j]) for i in range(exact.rows) for j in range(exact.cols)]:
                key = Decimal(part.key[i][j].replace("oo", "Infinity"))
                assert key == _rounded(value, part.decimals), (exercise.source, part.name, i, j)
