"""Exercises as processes of their own: variants with keys and bank, spread over jobs, and a class to be marked.

    python benchmarks/exercises.py generate TOPIC COUNT JOBS
    python benchmarks/exercises.py numpy COUNT
    python benchmarks/exercises.py mark STUDENTS

``numpy`` draws as many attention rows as plain NumPy has them, with their key in float64: nothing certified, nothing
rejected, no wrong answers worked out.
"""

from __future__ import annotations

import sys
from collections.abc import Callable

TOPIC, LEVEL = "attention-row", 2


def generated(topic: str, count: int, seed: int, jobs: int | None = None) -> None:
    """Variants of a topic with their keys and the answers of all mistakes."""
    from symattn.course import generate

    generate(topic, difficulty=LEVEL, seed=seed, count=count, jobs=jobs)


def with_numpy(count: int, seed: int = 1) -> list[str]:
    """The keys of as many attention rows in float64."""
    import numpy

    random = numpy.random.default_rng(seed)
    keys: list[str] = []
    for _ in range(count):
        q, K, V = (random.integers(-2, 3, shape).astype(float) for shape in ((1, 4), (3, 4), (3, 2)))
        scores = q @ K.T / numpy.sqrt(4)
        weights = numpy.exp(scores - scores.max())
        weights /= weights.sum()
        keys.append(str([[f"{x:.3f}" for x in row] for part in (scores, weights, weights @ V) for row in part]))
    return keys


def marked(students: int) -> Callable[[], None]:
    """Marks a class in which every answer has a mistake of the bank, on as many versions."""
    from symattn.course import generate
    from symattn.course.marking import Answers, mark_all

    batch = generate(TOPIC, difficulty=LEVEL, seed=1, count=students)
    wrong = [one.wrong[number % len(one.wrong)] for number, one in enumerate(batch)]
    answers = [Answers.of(one.figures, f"student {i}", i) for i, one in enumerate(wrong, 1)]

    def work() -> None:
        mark_all(batch, answers)

    return work


def main(what: str, *arguments: str) -> None:
    if what == "numpy":
        with_numpy(int(arguments[0]))
    elif what == "mark":
        marked(int(arguments[0]))()
    else:
        topic, count, jobs = arguments
        generated(topic, int(count), 7, int(jobs))
        from symattn.compute.jobs import finish

        finish()


if __name__ == "__main__":
    main(*sys.argv[1:])
