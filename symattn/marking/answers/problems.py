"""What is wrong with a file of answers: all of it, each with its place."""

from __future__ import annotations

from symattn import limits
from symattn.errors import AnswersError

LISTED = 20
"""Problems that an error names; the others are counted."""


class Faults:
    """Collects what is wrong with one file.

    >>> faults = Faults("answers.csv")
    >>> faults.add("line 2", "version is 'x': expected a whole number")
    >>> faults.settle()
    Traceback (most recent call last):
        ...
    symattn.errors.AnswersError: answers.csv, line 2: version is 'x': expected a whole number
    """

    def __init__(self, where: str) -> None:
        self.where = where
        self.found: list[str] = []
        self.cells = 0

    def add(self, place: str, what: str) -> None:
        """Note that something is wrong at a place of the file."""
        self.found.append(f"{self.where}, {place}: {what}" if place else f"{self.where}: {what}")

    def fail(self, place: str, what: str) -> AnswersError:
        """The error for something after which nothing else can be read."""
        self.add(place, what)
        return self._error()

    def count(self, cells: int) -> None:
        """Count cells. Raises where there are too many in all."""
        self.cells += cells
        if self.cells > limits.ANSWER_CELLS:
            raise self.fail("", f"has more than ANSWER_CELLS = {limits.ANSWER_CELLS} cells: mark it in several files")

    def must_hold(self, students: int) -> None:
        """Raise where there are too many students, or none."""
        if students > limits.STUDENTS:
            raise self.fail("", f"has {students} students, more than STUDENTS = {limits.STUDENTS}: split the file")
        if not students and not self.found:
            raise self.fail("", "holds no answers: expected those of one student at least")

    def settle(self) -> None:
        """Raise if anything is wrong."""
        if self.found:
            raise self._error()

    def _error(self) -> AnswersError:
        more = len(self.found) - LISTED
        lines = [*self.found[:LISTED], *([f"and {more} more"] if more > 0 else [])]
        return AnswersError(*lines, problems=tuple(self.found))
