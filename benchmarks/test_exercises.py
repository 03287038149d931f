"""Exercises: variants of every topic, a thousand of one on two cores, and the marks of a class."""

from __future__ import annotations

from itertools import count
from pathlib import Path

import pytest

from benchmarks import exercises
from benchmarks.conftest import SideBySide, here, peak, process
from benchmarks.test_process import IMPORT
from symattn.course.forms import every_topic

PROGRAM = Path(exercises.__file__)
VARIANTS, CLASS = 10, 200


@pytest.mark.parametrize("topic", [topic.name for topic in every_topic()])
def test_variants_of_a_topic(topic: str, side_by_side: SideBySide, rounds: int) -> None:
    exercises.generated(topic, 1, 0)
    seeds = count(1)  # other variants every round: what was worked out once is remembered
    side_by_side(
        f"{VARIANTS} variants of {topic}, difficulty 2, keys and bank, everything imported",
        {
            "symattn": lambda: here(lambda: exercises.generated(topic, VARIANTS, next(seeds))),
            "NumPy, keys of attention rows": lambda: here(lambda: exercises.with_numpy(VARIANTS)),
        },
        rounds,
        {},
    )


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_thousand_variants(jobs: str, side_by_side: SideBySide) -> None:
    sides = {
        "symattn": (str(PROGRAM), "generate", exercises.TOPIC, "1000", jobs),
        "`import sympy`": IMPORT,
        "NumPy, keys of attention rows": (str(PROGRAM), "numpy", "1000"),
    }
    side_by_side(
        f"1,000 variants of {exercises.TOPIC}, difficulty 2, keys and bank, {jobs} jobs, the process",
        {name: lambda arguments=arguments: process(*arguments) for name, arguments in sides.items()},
        1,
        {name: peak(*arguments) for name, arguments in sides.items() if name != "symattn"},
    )


def test_the_marks_of_a_class(side_by_side: SideBySide) -> None:
    ours = exercises.marked(CLASS)
    side_by_side(
        f"the marks of {CLASS} students, {exercises.TOPIC}, each with a mistake to be found",
        {
            "symattn": lambda: here(ours),
            "NumPy, keys of attention rows": lambda: here(lambda: exercises.with_numpy(CLASS)),
        },
        1,
        {},
    )
