"""Numbers whose scores have weights that are fractions: logarithms of small whole numbers against zeros and ones."""

from __future__ import annotations

from random import Random

from symattn.exercise.model import Rows
from symattn.exercise.numbers import pick

LOGS = ("0", *(f"log({number})" for number in range(2, 11)))
"""Scores whose exponentials are whole numbers, so that the weights are fractions."""

SQUARES = ("0", "log(4)", "log(9)")
"""The same once they are divided by √4 = 2."""

BITS = ("0", "1")


def picked(choices: tuple[str, ...], shape: tuple[int, int], random: Random) -> Rows:
    """A matrix whose entries are picked one by one."""
    rows, columns = shape
    return tuple(tuple(pick(choices, random) for _ in range(columns)) for _ in range(rows))
