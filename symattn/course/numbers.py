"""Draw the numbers of an exercise within the budget of a difficulty, from a given random generator.

A difficulty is a budget: the share of entries that are negative, fractions or roots. Their numbers are fixed by the
difficulty, and only their places are drawn, so that two variants of a difficulty cost the same.

>>> from random import Random
>>> drawn = draw({"q": (1, 4)}, 3, Random(7))
>>> drawn, cost(drawn)
({'q': (('0', '-1/2', '-1', '0'),)}, 8)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from random import Random
from types import MappingProxyType
from typing import TypeVar

from symattn.base.errors import ScenarioError, cut
from symattn.base.printed import Printed

T = TypeVar("T")

LEVELS = (1, 2, 3, 4, 5)
"""Difficulties, from the easiest."""

COSTS: Mapping[str, int] = MappingProxyType({"entry": 1, "sign": 1, "fraction": 2, "root": 3})
"""The cost of an entry, and the additional costs of a minus, a fraction and a root in it."""


@dataclass(frozen=True)
class Shares:
    """The shares of all entries that may be negative, fractions, roots."""

    signs: Fraction
    fractions: Fraction
    roots: Fraction


BUDGETS: Mapping[int, Shares] = MappingProxyType(
    {
        1: Shares(Fraction(0), Fraction(0), Fraction(0)),
        2: Shares(Fraction(1, 4), Fraction(0), Fraction(0)),
        3: Shares(Fraction(1, 3), Fraction(1, 6), Fraction(0)),
        4: Shares(Fraction(2, 5), Fraction(1, 4), Fraction(0)),
        5: Shares(Fraction(2, 5), Fraction(1, 4), Fraction(1, 8)),
    }
)

FRACTIONS: Mapping[int, tuple[str, ...]] = MappingProxyType(
    {3: ("1/2", "3/2"), 4: ("1/2", "3/2", "1/4", "3/4"), 5: ("1/2", "3/2", "1/3", "2/3", "3/4")}
)
ROOTS = ("sqrt(2)", "sqrt(3)", "sqrt(2)/2")

LOGS = ("0", *(f"log({number})" for number in range(2, 11)))
"""Scores whose exponentials are whole numbers, so that the weights are fractions."""

SQUARES = ("0", "log(4)", "log(9)")
"""The same after division by √4 = 2."""

BITS = ("0", "1")


def level_of(difficulty: object) -> int:
    """Return the difficulty if it is valid.

    >>> level_of(6)
    Traceback (most recent call last):
        ...
    symattn.base.errors.ScenarioError: difficulty is 6: expected a whole number from 1 to 5
    """
    if isinstance(difficulty, bool) or not isinstance(difficulty, int) or difficulty not in LEVELS:
        raise ScenarioError(
            f"difficulty is {cut(repr(difficulty))}: expected a whole number from {LEVELS[0]} to {LEVELS[-1]}"
        )
    return difficulty


def pick(choices: Sequence[T], random: Random) -> T:
    """Return a random item; only ``random()`` of the generator is used, which is the same on every machine."""
    return choices[int(random.random() * len(choices))]


def random_whole(low: int, high: int, random: Random) -> int:
    """Return a random whole number from ``low`` to ``high``, both included."""
    return low + int(random.random() * (high - low + 1))


def shuffled(items: Sequence[T], random: Random) -> tuple[T, ...]:
    """Return the same items in a random order.

    >>> shuffled("abcd", Random(1))
    ('a', 'd', 'c', 'b')
    """
    left = list(items)
    return tuple(left.pop(int(random.random() * len(left))) for _ in range(len(left)))


def picked(choices: tuple[str, ...], shape: tuple[int, int], random: Random) -> Printed:
    """Return a matrix whose entries are picked one by one."""
    rows, columns = shape
    return tuple(tuple(pick(choices, random) for _ in range(columns)) for _ in range(rows))


def shapes_of(axes: Mapping[str, tuple[str, str]], sizes: Mapping[str, int]) -> dict[str, tuple[int, int]]:
    """Return the rows and columns of matrices whose axes have names, or are 1.

    >>> shapes_of({"b": ("1", "d")}, {"d": 3})
    {'b': (1, 3)}
    """
    known = {"1": 1, **sizes}
    return {name: (known[rows], known[columns]) for name, (rows, columns) in axes.items()}


def draw(
    shapes: Mapping[str, tuple[int, int]],
    level: int,
    random: Random,
    *,
    largest: int = 2,
    zeros: bool = True,
    distinct: bool = False,
    fractions: Sequence[str] = (),
) -> dict[str, Printed]:
    """Draw numbers for some matrices, which share the budget of ``level``.

    Plain entries are whole numbers up to ``largest``, including 0 unless ``zeros`` is off. With ``distinct``, the
    entries of a row differ as far as there are enough numbers. ``fractions`` are the choices for fractions, by default
    all of the level.
    """
    entries = [(name, i, j) for name, (rows, columns) in shapes.items() for i in range(rows) for j in range(columns)]
    budget = BUDGETS[level_of(level)]
    shares = (budget.roots, budget.fractions, budget.signs)
    roots, parts, signs = (ceil(share * len(entries)) for share in shares)
    special = shuffled(entries, random)
    rooted, broken = frozenset(special[:roots]), frozenset(special[roots : roots + parts])
    negative = frozenset(shuffled(entries, random)[:signs])
    texts: dict[tuple[str, int, int], str] = {}
    choices: tuple[str, ...]
    for entry in entries:
        if entry in rooted:
            choices = ROOTS
        elif entry in broken:
            choices = tuple(fractions) or FRACTIONS[level]
        else:
            choices = tuple(map(str, range(1 if entry in negative or not zeros else 0, largest + 1)))
        signed = tuple(f"-{text}" for text in choices) if entry in negative else choices
        taken = [texts.get((*entry[:2], j)) for j in range(entry[2])] if distinct else []
        texts[entry] = pick(tuple(text for text in signed if text not in taken) or signed, random)
    return {
        name: tuple(tuple(texts[name, i, j] for j in range(columns)) for i in range(rows))
        for name, (rows, columns) in shapes.items()
    }


def cost(givens: Mapping[str, Printed]) -> int:
    """Return the cost of the numbers of some matrices: size, signs, fractions and roots.

    >>> cost({"X": (("1", "-2"), ("3/2", "-sqrt(2)"))})
    11
    """
    return sum(_cost_of(text) for rows in givens.values() for row in rows for text in row)


def _cost_of(text: str) -> int:
    kind = "root" if "sqrt" in text else "fraction" if "/" in text or "." in text else ""
    return COSTS["entry"] + (COSTS["sign"] if text.startswith("-") else 0) + (COSTS[kind] if kind else 0)
