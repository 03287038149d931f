"""Mark a class, and count its most frequent mistakes and wrong steps."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import chain

from symattn.base.errors import AnswersError, shown
from symattn.compute.jobs import each
from symattn.course.marking.answers.model import Answers
from symattn.course.marking.marks import mark
from symattn.course.marking.model import EARNS, Marked, Status
from symattn.course.model import Exercise

LISTED = 20
"""The most students without a version that an error names."""


@dataclass(frozen=True)
class Frequency:
    """How many students certainly made a mistake, and for how many others it is one of several explanations.

    Mistakes that no answer distinguishes are counted as one, the most common first.
    """

    mistakes: tuple[str, ...]
    sure: int
    perhaps: int

    @property
    def most(self) -> int:
        return self.sure + self.perhaps


@dataclass(frozen=True)
class StepCount:
    """A part, and the number of answers whose first error is in it."""

    part: str
    students: int


@dataclass(frozen=True)
class PartCount:
    """A part, and how many of its cells in a class have each status."""

    part: str
    cells: int
    counts: Mapping[Status, int]

    @property
    def points(self) -> int:
        """The number of cells that earn their marks."""
        return sum(self.counts.get(status, 0) for status in EARNS)


@dataclass(frozen=True)
class ClassReport:
    """The marks of all students, in the order of their answers."""

    topic: str
    marked: tuple[Marked, ...]

    @property
    def points(self) -> int:
        return sum(marked.points for marked in self.marked)

    @property
    def most(self) -> int:
        return sum(marked.most for marked in self.marked)

    @property
    def mistakes(self) -> tuple[Frequency, ...]:
        """The mistakes that explain first wrong steps, the most frequent first."""
        findings = [marked.first.mistakes for marked in self.marked if marked.first is not None]
        explains = {name: tuple(i for i, names in enumerate(findings) if name in names) for name in chain(*findings)}
        found = []
        for students in dict.fromkeys(explains.values()):
            alike = tuple(name for name, explained in explains.items() if explained == students)
            sure = sum(len(findings[i]) == len(alike) for i in students)
            found.append(Frequency(alike, sure, len(students) - sure))
        return tuple(sorted(found, key=lambda each: (-each.sure, -each.perhaps, sorted(each.mistakes))))

    @property
    def unexplained(self) -> int:
        """The number of answers whose first wrong step no known mistake explains."""
        firsts = (marked.first for marked in self.marked if marked.first is not None)
        return sum(not (first.causes or first.is_coarse) for first in firsts)

    @property
    def steps(self) -> tuple[StepCount, ...]:
        """The parts that were the first wrong one, the most frequent first."""
        firsts = Counter(marked.first.part for marked in self.marked if marked.first is not None)
        names = [name for name in self.parts if firsts[name]]
        return tuple(StepCount(name, firsts[name]) for name in sorted(names, key=lambda name: -firsts[name]))

    @property
    def parts(self) -> tuple[str, ...]:
        """The names of all parts, in the order of the sheets."""
        return tuple(dict.fromkeys(part.name for marked in self.marked for part in marked.parts))

    @property
    def by_part(self) -> tuple[PartCount, ...]:
        """How the cells of each part were answered."""
        cells: dict[str, Counter[Status]] = {name: Counter() for name in self.parts}
        for marked in self.marked:
            for part in marked.parts:
                cells[part.name].update(cell.status for cell in part.cells)
        return tuple(PartCount(name, sum(counts.values()), counts) for name, counts in cells.items())


def mark_all(
    exercises: Iterable[Exercise] | Mapping[int, Exercise], answers: Iterable[Answers], jobs: int | None = None
) -> ClassReport:
    """Mark a class. Every answer is marked against the exercise of its version, or against the only one. ``jobs`` is
    how many processes share the work, as in :func:`symattn.compute.jobs.each`.

    Raises :class:`~symattn.base.errors.AnswersError` that names everybody whose version is missing, or if two exercises
    have the same version, so that it is unclear which one was answered.
    """
    by_version = exercises if isinstance(exercises, Mapping) else _by_version(exercises)
    given = tuple(answers)
    lost = [one for one in given if _version(one, by_version) is None]
    if lost:
        raise AnswersError(_no_versions(lost, by_version))
    pairs = [(by_version[_version(one, by_version) or 0], one) for one in given]
    marked = tuple(each(_marked, pairs, jobs))
    return ClassReport(next((one.topic for one in by_version.values()), ""), marked)


def _marked(pair: tuple[Exercise, Answers]) -> Marked:
    return mark(*pair)


def _by_version(exercises: Iterable[Exercise]) -> dict[int, Exercise]:
    found: dict[int, Exercise] = {}
    for one in exercises:
        if found.setdefault(one.version, one) != one:
            raise AnswersError(f"version {one.version} stands for two exercises: mark the answers to each batch alone")
    return found


def _version(answers: Answers, exercises: Mapping[int, Exercise]) -> int | None:
    if answers.version is None:
        return next(iter(exercises)) if len(exercises) == 1 else None
    return answers.version if answers.version in exercises else None


def _no_versions(lost: list[Answers], exercises: Mapping[int, Exercise]) -> str:
    named = [f"{shown(one.student, 40)} (version {one.version or 'missing'})" for one in lost[:LISTED]]
    more = f" and {len(lost) - LISTED} more" if len(lost) > LISTED else ""
    known = f"{min(exercises)} to {max(exercises)}" if exercises else "none"
    return f"no exercise for {', '.join(named)}{more}: there are the versions {known}"
