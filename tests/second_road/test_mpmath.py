"""Ten thousand random entries rounded by symattn and, at 80 digits, by mpmath: not one digit differs.

The second road is its own few lines on mpmath and ``Fraction``; what the two have in common is the text of the inputs.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from fractions import Fraction

import pytest
from mpmath import MPContext, mpf

COUNT = 10_000
WORKING_DIGITS = 80
LONGEST = 30

# A random value does not come this near to the middle between two roundings unless it is the middle.
TIE = mpf(10) ** -40

mp = MPContext()
mp.dps = WORKING_DIGITS

Number = tuple[Fraction, int]
"""a·√n as (a, n)."""

Problem = tuple[dict[str, list[list[str]]], str, list[list[mpf]], list[list[Fraction]] | None, int]
"""The givens as text, the formula, its value at 80 digits, its exact value if rational, the decimals asked for."""


# Random inputs: the text that symattn reads, and the number it stands for


def draw(rng: random.Random, roots: bool) -> tuple[str, Number]:
    kind = rng.choice(["decimal", "fraction", "whole", "root"] if roots else ["decimal", "fraction", "whole"])
    sign = rng.choice(["", "-"])
    if kind == "decimal":
        places = rng.randint(1, 8)
        text = f"{sign}{rng.randint(0, 4)}.{rng.randrange(10**places):0{places}d}"
        return text, (Fraction(text), 1)
    if kind == "fraction":
        a, b = rng.randint(0, 40), rng.randint(1, 40)
        return f"{sign}{a}/{b}", (Fraction(int(f"{sign}{a}"), b), 1)
    if kind == "whole":
        text = f"{sign}{rng.randint(0, 3)}"
        return text, (Fraction(int(text)), 1)
    n, b = rng.randint(2, 20), rng.randint(1, 9)
    return f"{sign}sqrt({n})/{b}", (Fraction(int(f"{sign}1"), b), n)


def matrix(rng: random.Random, rows: int, columns: int, roots: bool) -> tuple[list[list[str]], list[list[Number]]]:
    cells = [[draw(rng, roots) for _ in range(columns)] for _ in range(rows)]
    return [[text for text, _ in row] for row in cells], [[number for _, number in row] for row in cells]


def at_80_digits(number: Number) -> mpf:
    factor, radicand = number
    return mp.mpf(factor.numerator) / factor.denominator * (mp.sqrt(radicand) if radicand != 1 else 1)


# The second road


def product(rng: random.Random, digits: int) -> Problem:
    rows, inner, columns = (rng.randint(1, 6) for _ in range(3))
    roots = rng.random() < 0.4
    x_text, x = matrix(rng, rows, inner, roots)
    y_text, y = matrix(rng, inner, columns, roots)
    near = [
        [mp.fsum(at_80_digits(x[i][k]) * at_80_digits(y[k][j]) for k in range(inner)) for j in range(columns)]
        for i in range(rows)
    ]
    known = None
    if all(number[1] == 1 for row in x + y for number in row):
        known = [[sum(x[i][k][0] * y[k][j][0] for k in range(inner)) for j in range(columns)] for i in range(rows)]
    return {"X": x_text, "Y": y_text}, "X @ Y", near, known, digits


def softmax(rng: random.Random, digits: int) -> Problem:
    rows, columns = rng.randint(1, 6), rng.randint(1, 6)
    x_text, x = matrix(rng, rows, columns, roots=rng.random() < 0.4)
    near = []
    for row in x:
        exponentials = [mp.exp(at_80_digits(number)) for number in row]
        total = mp.fsum(exponentials)
        near.append([value / total for value in exponentials])
    return {"X": x_text}, "softmax(X)", near, None, digits


def layer_norm(rng: random.Random, digits: int) -> Problem:
    rows, columns = rng.randint(1, 6), rng.randint(1, 6)
    x_text, x = matrix(rng, rows, columns, roots=rng.random() < 0.4)
    epsilon = rng.choice(["0.00001", "1/1000000", "0.1", "1/3"])
    near = []
    for row in x:
        numbers = [at_80_digits(number) for number in row]
        mean = mp.fsum(numbers) / columns
        spread = mp.fsum(value**2 for value in numbers) / columns - mean**2 + at_80_digits((Fraction(epsilon), 1))
        near.append([(value - mean) / mp.sqrt(spread) for value in numbers])
    return {"X": x_text}, f"layer_norm(X, epsilon={epsilon})", near, None, digits


def rounded(value: mpf, exact: Fraction | None, digits: int) -> str:
    """Half away from zero; a tie is decided by the exact value, or seen by being closer than chance allows."""
    if exact is not None:
        size, negative = int(abs(exact) * 10**digits + Fraction(1, 2)), exact < 0
    else:
        scaled = abs(value) * mp.mpf(10) ** digits + 0.5
        nearest = mp.nint(scaled)
        size = int(nearest if abs(scaled - nearest) < TIE else mp.floor(scaled))
        negative = value < 0
    text = str(size).rjust(digits + 1, "0")
    return ("-" if negative and size else "") + f"{text[:-digits]}.{text[-digits:]}"


# The test


def problems() -> list[Problem]:
    """Problems with ``COUNT`` entries or a few more, the three kinds in turn."""
    rng = random.Random(20_170_612)
    found, entries = [], 0
    while entries < COUNT:
        kind = (product, softmax, layer_norm)[len(found) % 3]
        found.append(kind(rng, rng.randint(1, LONGEST)))
        entries += sum(map(len, found[-1][2]))
    return found


def test_ten_thousand_entries_have_every_digit_right(solve: Callable) -> None:
    wrong: list[str] = []
    entries: dict[str, int] = {}
    digits_seen: set[int] = set()
    for givens, formula, near, exact, digits in problems():
        found = solve(givens, f"R = {formula}")["R"].decimals(digits)
        for i, row in enumerate(near):
            for j, value in enumerate(row):
                expected = rounded(value, None if exact is None else exact[i][j], digits)
                if found[i][j] != expected:
                    wrong.append(f"{givens}, {formula}, entry [{i + 1},{j + 1}]: {found[i][j]}, by mpmath {expected}")
        kind = formula.split("(")[0]
        entries[kind] = entries.get(kind, 0) + sum(map(len, near))
        digits_seen.add(digits)

    assert wrong == []
    assert sum(entries.values()) >= COUNT
    assert min(entries.values()) > COUNT // 5, entries
    assert digits_seen == set(range(1, LONGEST + 1))


@pytest.mark.parametrize(
    ("value", "digits", "expected"),
    [("0.25", 1, "0.3"), ("-0.25", 1, "-0.3"), ("-0.04", 1, "0.0"), ("1.005", 2, "1.01"), ("99.99", 1, "100.0")],
)
def test_the_second_road_rounds_half_away_from_zero(value: str, digits: int, expected: str) -> None:
    assert rounded(mp.mpf(value), None, digits) == expected
    assert rounded(mp.mpf(value), Fraction(value), digits) == expected
