"""The numbers of a new scenario, which are to tell something: who clearly wins the attention, and who only just.

Numbers are drawn once and then changed one at a time, as long as that brings them closer to what is wanted
(:func:`short_of`): in every softmax one row with a clear winner and one close race, no two weights that tie, and no row
of zeros, neither in what is given nor in queries, keys and values; and some entries that ReLU keeps.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise
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
from symattn.read.scenario.model import Scenario

CHANGES = 400
"""How often a number is changed until all is as wanted; what comes closest is taken then."""

WIDE = 6
"""From so many rows on, weights are smaller: a score adds up more products."""

CLEAR, CLOSE, VISIBLE = 0.5, 0.05, 0.002
"""A winner has this share and twice that of the next; in a race two differ by less than that, but can be told apart."""

KEPT = 0.3
"""The part of its entries that ReLU keeps at least: of a network that cuts all of them off nothing is left to see."""

PLACES = 6
"""The decimals that weights are compared in; in the end it is proved that none are equal."""

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
"""What a given is drawn from, by its role; ids are drawn from the rows there are."""

DrawnRows = tuple[tuple[Fraction, ...], ...]
Drawn = Mapping[str, DrawnRows]


@dataclass(frozen=True)
class DrawnMatrix:
    """A given of the new scenario: what it is called, its letters, its size, what it is for and what it may hold."""

    name: str
    axes: tuple[str, str]
    size: tuple[int, int]
    role: Role
    about: str

    def choices(self, ids: int) -> tuple[Fraction, ...]:
        """The numbers that an entry may be."""
        rows = self.size[0]
        if self.role == "weight" and rows > WIDE:
            most = max(1, isqrt(600 // rows))
            return tuple(Fraction(n, 10) for n in range(-most, most + 1))
        return VALUES[self.role] or tuple(map(Fraction, range(ids)))


def draw(matrices: Sequence[DrawnMatrix], ids: int, random: Random) -> Drawn:
    """Numbers for every matrix; ``ids`` is how many there are."""
    return {
        matrix.name: tuple(
            tuple(_pick(matrix.choices(ids), random) for _ in range(matrix.size[1])) for _ in range(matrix.size[0])
        )
        for matrix in matrices
    }


def telling(scenario: Scenario, matrices: Sequence[DrawnMatrix], drawn: Drawn, ids: int, random: Random) -> Drawn:
    """Numbers for the givens of ``scenario`` that are as wanted, or come as close as was found.

    Raises what keeps the scenario from being worked out with any of the numbers that were tried.
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
    """The scenario with other numbers in some of its givens."""
    givens = dict(scenario.givens)
    for name, rows in drawn.items():
        givens[name] = replace(givens[name], given=_like(givens[name].given, rows))
    return replace(scenario, givens=MappingProxyType(givens))


def _like(given: Given, rows: Sequence[Sequence[Fraction]]) -> Given:
    return replace(Given.read([[text_of(x) for x in row] for row in rows]), ndim=given.ndim)


def text_of(number: Fraction) -> str:
    """A half, a quarter or a tenth as a decimal."""
    places = {1: 0, 2: 1, 4: 2, 5: 1, 10: 1}[number.denominator]
    return decimal_text(int(number * 10**places), places)


@dataclass(frozen=True)
class _Judged:
    """How far some numbers are from what is wanted."""

    short: float
    is_done: bool = False
    error: Exception | None = None

    @classmethod
    def of(cls, scenario: Scenario) -> _Judged:
        # With its own number of decimals, so that masks and figures are worked out with the same precision.
        solution = WorkedSolution(scenario, digits=PLACES)
        try:
            short = short_of(solution)
            return cls(short, is_done=short == 0 and not any(_ties(solution, name) for name in _softmaxes(solution)))
        except (DomainError, UndecidedError) as error:
            return cls(float("inf"), error=error)


def short_of(solution: WorkedSolution) -> float:
    """How far a solution is from what is wanted of new numbers, as far as their first decimals tell; 0 is all of it."""
    steps = solution.derivation.steps
    zeros = sum(not any(row) for given in solution.givens.values() for row in given.values)
    products = [step.name for step in steps if isinstance(step.formula, MatMul)]
    zeros += sum(not any(map(float, row)) for name in products for row in solution.decimals(name, PLACES))
    cut = sum(_cut(solution, step.name) for step in steps if isinstance(step.formula, ReLU))
    return zeros + cut + sum(_dull(list(_shares(solution, name))) for name in _softmaxes(solution))


def _cut(solution: WorkedSolution, name: str) -> float:
    """How many entries too few are left by a ReLU, as a part of all."""
    entries = [entry for row in solution.decimals(name, PLACES) for entry in map(float, row)]
    return max(0.0, KEPT - sum(entry > 0 for entry in entries) / len(entries))


def _softmaxes(solution: WorkedSolution) -> list[str]:
    return [step.name for step in solution.derivation.steps if isinstance(step.formula, Softmax)]


def _shares(solution: WorkedSolution, name: str) -> Iterator[list[float]]:
    """The weights of each row that has several to compare, from the largest down."""
    for row in solution.decimals(name, PLACES):
        shares = sorted((share for share in map(float, row) if share > 0), reverse=True)
        if len(shares) > 1:
            yield shares


def _dull(rows: list[list[float]]) -> float:
    """How far weights are from having a clear winner, a close race and no two that are equal."""
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
    """How much too far apart, or too close to be told apart, the first two are."""
    gap = shares[0] - shares[1]
    return max(0.0, gap - CLOSE) + max(0.0, VISIBLE - gap)


def _ties(solution: WorkedSolution, name: str) -> bool:
    """Whether two weights of a row are equal, apart from those that are 0."""
    rows, columns = solution.store.rows(name), solution.store.columns(name)
    return any(
        len(group) > 1 and solution.compare(name, row * columns + group[0], Integer(0)) != 0
        for row in range(rows)
        for group in solution.ranking(name, row)
    )


def _with_another(drawn: Drawn, matrix: DrawnMatrix, ids: int, random: Random) -> Drawn:
    """The numbers with another one in one place of a matrix."""
    rows, columns = matrix.size
    i, j = int(random.random() * rows), int(random.random() * columns)
    new = _pick(matrix.choices(ids), random)
    row = tuple(new if k == j else x for k, x in enumerate(drawn[matrix.name][i]))
    return {**drawn, matrix.name: tuple(row if k == i else each for k, each in enumerate(drawn[matrix.name]))}


def _pick(choices: Sequence[Fraction], random: Random) -> Fraction:
    return choices[int(random.random() * len(choices))]
