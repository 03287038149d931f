"""Choose the numbers of a new scenario so that they are instructive: a clear winner of the attention, and a close race.

Numbers are drawn once and then changed one at a time, as long as that brings them closer to the goal
(:func:`short_of`): in every softmax one row with a clear winner and one close race, no two equal weights, and some
entries that ReLU keeps. Givens, and queries, keys and values, are :func:`independent`: rows that are multiples of each
other would ask the same question, or be found by the same one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations, pairwise
from math import isqrt
from random import Random
from types import MappingProxyType

from sympy import Integer, MatMul

from symattn.api.worked import WorkedSolution
from symattn.base.errors import DomainError, UndecidedError
from symattn.base.printed import decimal_text
from symattn.operations import ReLU, Softmax
from symattn.read.catalogue.model import Role
from symattn.read.given import Given
from symattn.read.plan import Step
from symattn.read.scenario.model import Scenario

CHANGES = 400
"""The most changes of a number; if the goal is not reached by then, the closest numbers are used."""

DRAWS = 2000
"""The most draws of one matrix until its rows and columns are independent."""

WIDE = 6
"""The number of rows from which on weights are smaller: a score adds up more products."""

CLEAR, CLOSE, VISIBLE = 0.5, 0.05, 0.002
"""A winner has this share and twice that of the next; in a race two differ by less than that, but can be told apart."""

KEPT = 0.3
"""The least share of its entries that ReLU should keep: if it cuts off all of them, there is nothing to see."""

PLACES = 6
"""The decimals in which weights are compared; in the end it is proved that none are equal."""

_HALVES = tuple(Fraction(n, 2) for n in (-2, -1, 0, 1, 2))
_TENTHS = tuple(Fraction(n, 10) for n in range(-10, 11))
_QUARTERS = tuple(Fraction(n, 4) for n in (-2, -1, 0, 1, 2))
_AROUND_ONE = tuple(Fraction(n, 4) for n in (2, 3, 4, 5, 6))
VALUES: Mapping[Role, tuple[Fraction, ...]] = {
    "tokens": _TENTHS,
    "weight": _HALVES,
    "state": _TENTHS,
    "scores": tuple(Fraction(n, 10) for n in range(-20, 21)),
    "bias": _QUARTERS,
    "gain": _AROUND_ONE,
    "number": _AROUND_ONE,
    "ids": (),
}
"""The values of a given, by its role; ids are drawn from the existing rows."""

DrawnRows = tuple[tuple[Fraction, ...], ...]
Drawn = Mapping[str, DrawnRows]


@dataclass(frozen=True)
class DrawnMatrix:
    """A given of the new scenario: its name, its letters, its size, its role and its possible values."""

    name: str
    axes: tuple[str, str]
    size: tuple[int, int]
    role: Role
    about: str

    def choices(self, ids: int) -> tuple[Fraction, ...]:
        """Return the possible values of an entry."""
        rows = self.size[0]
        if self.role == "weight" and rows > WIDE:
            most = max(1, isqrt(600 // rows))
            return tuple(Fraction(n, 10) for n in range(-most, most + 1))
        if self.role == "weight" and min(self.size) < 3 and max(self.size) > 4:
            return _TENTHS  # halves do not point in enough directions
        return VALUES[self.role] or tuple(map(Fraction, range(ids)))

    def drawn(self, ids: int, random: Random) -> DrawnRows:
        """Draw the numbers, again and again until they are independent, as long as that is possible."""
        choices, (rows, columns) = self.choices(ids), self.size
        for _ in range(DRAWS):
            found = tuple(tuple(_pick(choices, random) for _ in range(columns)) for _ in range(rows))
            if self.suits(found, ids):
                break
        return found

    def suits(self, rows: DrawnRows, ids: int) -> bool:
        """Return whether numbers are independent, as far as there are values enough."""
        if self.role == "ids" or (1 in self.size and max(self.size) > len(self.choices(ids))):
            return True
        return independent(rows)


def draw(matrices: Sequence[DrawnMatrix], ids: int, random: Random) -> Drawn:
    """Draw numbers for every matrix; ``ids`` is the number of ids."""
    return {matrix.name: matrix.drawn(ids, random) for matrix in matrices}


def independent(rows: Sequence[Sequence[Fraction]], inner: int = 0) -> bool:
    """Return whether a matrix has full rank and no two proportional lines; a single line, no two equal numbers.

    A product cannot have a rank above ``inner``, the number of columns of its left factor.

    >>> one, two = Fraction(1), Fraction(2)
    >>> independent([[one, two], [two, one]]), independent([[one, two], [two, 2 * two]]), independent([[one, one]])
    (True, False, False)
    """
    columns = list(zip(*rows, strict=True))
    if 1 in (len(rows), len(columns), inner):
        line = rows[0] if len(rows) == 1 else columns[0]
        return len(set(line)) == len(line) or inner == 1
    if any(_proportional(one, other) for lines in (rows, columns) for one, other in combinations(lines, 2)):
        return False
    return _rank(rows) == min(len(rows), len(columns), inner or len(rows))


def _proportional(one: Sequence[Fraction], other: Sequence[Fraction]) -> bool:
    pairs = list(zip(one, other, strict=True))
    return all(a * d == b * c for (a, b), (c, d) in combinations(pairs, 2))


def _rank(rows: Sequence[Sequence[Fraction]]) -> int:
    left, found = [list(row) for row in rows], 0
    for column in range(len(left[0])):
        pivot = next((row for row in left if row[column]), None)
        if pivot is not None:
            left.remove(pivot)
            found += 1
            left = [[x - row[column] / pivot[column] * y for x, y in zip(row, pivot, strict=True)] for row in left]
    return found


def telling(scenario: Scenario, matrices: Sequence[DrawnMatrix], drawn: Drawn, ids: int, random: Random) -> Drawn:
    """Return numbers for the givens of ``scenario`` that reach the goal, or the closest that were found.

    Raises the error of the scenario if it cannot be solved with any of the numbers that were tried.
    """
    scenario, found = _filled(scenario, drawn), drawn
    best = _Judged.of(scenario)
    for _ in range(CHANGES):
        if best.is_done:
            break
        matrix = matrices[int(random.random() * len(matrices))]
        changed = _with_another(found, matrix, ids, random)
        tried = _filled(scenario, {matrix.name: changed[matrix.name]})
        judged = _Judged.of(tried)
        if judged.short <= best.short:
            best, found, scenario = judged, changed, tried
    if best.error is not None:
        raise best.error
    return found


def _filled(scenario: Scenario, drawn: Drawn) -> Scenario:
    """Return the scenario with other numbers in some of its givens."""
    givens = dict(scenario.givens)
    for name, rows in drawn.items():
        givens[name] = replace(givens[name], given=_like(givens[name].given, rows))
    return replace(scenario, givens=MappingProxyType(givens))


def _like(given: Given, rows: Sequence[Sequence[Fraction]]) -> Given:
    return replace(Given.read([[short_decimal(x) for x in row] for row in rows]), ndim=given.ndim)


def short_decimal(number: Fraction) -> str:
    """Write a half, a quarter or a tenth as a decimal."""
    places = {1: 0, 2: 1, 4: 2, 5: 1, 10: 1}[number.denominator]
    return decimal_text(int(number * 10**places), places)


@dataclass(frozen=True)
class _Judged:
    """How far some numbers are from the goal."""

    short: float
    is_done: bool = False
    error: Exception | None = None

    @classmethod
    def of(cls, scenario: Scenario) -> _Judged:
        # With its own number of decimals, so that masks and figures are computed with the same precision.
        solution = WorkedSolution(scenario, digits=PLACES)
        try:
            short = short_of(solution)
            is_told = short == 0 and not any(_ties(solution, name) for name in _softmaxes(solution))
            return cls(short, is_done=is_told and _is_printed(scenario))
        except (DomainError, UndecidedError) as error:
            return cls(float("inf"), error=error)


def _is_printed(scenario: Scenario) -> bool:
    """Return whether every figure of the lesson can be rounded: a zero of a ReLU in front of it may hide a tie."""
    solution = WorkedSolution(scenario)
    with suppress(UndecidedError):
        return all(solution.figures(step.name) for step in solution.derivation.steps)
    return False


def short_of(solution: WorkedSolution) -> float:
    """Return how far a solution is from the goal, as far as its first decimals tell; 0 is all of it."""
    steps = solution.derivation.steps
    products = [step for step in steps if isinstance(step.formula, MatMul)]
    zeros = sum(not any(map(float, row)) for step in products for row in solution.decimals(step.name, PLACES))
    alike = sum(_is_dependent(solution, step) for step in products)
    cut = sum(_cut(solution, step.name) for step in steps if isinstance(step.formula, ReLU))
    return zeros + alike + cut + sum(_dull(list(_shares(solution, name))) for name in _softmaxes(solution))


def _is_dependent(solution: WorkedSolution, step: Step) -> bool:
    """Return whether a product of two givens has rows or columns that are multiples of each other."""
    factors = tuple(step.formula.args) if step.formula is not None else ()
    if len(factors) != 2 or not all(str(factor) in solution.givens for factor in factors):
        return False
    rows = [[Fraction(entry) for entry in row] for row in solution.decimals(step.name, PLACES)]
    return not independent(rows, int(factors[0].shape[1]))


def _cut(solution: WorkedSolution, name: str) -> float:
    """Return the share of entries missing from the part that a ReLU should keep."""
    entries = [entry for row in solution.decimals(name, PLACES) for entry in map(float, row)]
    return max(0.0, KEPT - sum(entry > 0 for entry in entries) / len(entries))


def _softmaxes(solution: WorkedSolution) -> list[str]:
    return [step.name for step in solution.derivation.steps if isinstance(step.formula, Softmax)]


def _shares(solution: WorkedSolution, name: str) -> Iterator[list[float]]:
    """Yield the weights of each row with several to compare, from the largest down."""
    for row in solution.decimals(name, PLACES):
        shares = sorted((share for share in map(float, row) if share > 0), reverse=True)
        if len(shares) > 1:
            yield shares


def _dull(rows: list[list[float]]) -> float:
    """Return how far weights are from having a clear winner, a close race and no two that are equal."""
    if not rows:
        return 0.0
    equal = sum(a == b for shares in rows for a, b in pairwise(shares))
    winners = [max(0.0, CLEAR - a) + max(0.0, 2 * b - a) for a, b, *_ in rows]
    if len(rows) == 1:
        # In a single row the others race behind the winner.
        return equal + winners[0] + (_apart(rows[0][1:]) if len(rows[0]) > 2 else 0.0)
    races = [_apart(shares) for shares in rows]
    pairs = ((i, j) for i in range(len(rows)) for j in range(len(rows)) if i != j)
    return equal + min(winners[i] + races[j] for i, j in pairs)


def _apart(shares: list[float]) -> float:
    """Return by how much the first two are too far apart, or too close to be told apart."""
    gap = shares[0] - shares[1]
    return max(0.0, gap - CLOSE) + max(0.0, VISIBLE - gap)


def _ties(solution: WorkedSolution, name: str) -> bool:
    """Return whether two weights of a row are equal, apart from those that are 0."""
    rows, columns = solution.store.rows(name), solution.store.columns(name)
    return any(
        len(group) > 1 and solution.compare(name, row * columns + group[0], Integer(0)) != 0
        for row in range(rows)
        for group in solution.ranking(name, row)
    )


def _with_another(drawn: Drawn, matrix: DrawnMatrix, ids: int, random: Random) -> Drawn:
    """Return the numbers with a different one in one place of a matrix."""
    rows, columns = matrix.size
    before = drawn[matrix.name]
    i, j = int(random.random() * rows), int(random.random() * columns)
    new = _pick(matrix.choices(ids), random)
    row = tuple(new if k == j else x for k, x in enumerate(before[i]))
    after = tuple(row if k == i else each for k, each in enumerate(before))
    return {**drawn, matrix.name: after if matrix.suits(after, ids) or not matrix.suits(before, ids) else before}


def _pick(choices: Sequence[Fraction], random: Random) -> Fraction:
    return choices[int(random.random() * len(choices))]
