"""Right lines and programs, and the same with one wrong figure each."""

from __future__ import annotations

from collections.abc import Iterator

from tests.checking.lines.programs import PROGRAMS, program_cases
from tests.checking.lines.written import LINES, line_cases
from tests.checking.scoring import Case


def cases(is_quick: bool = False) -> Iterator[Case]:
    """Write the right page and the wrong one of every class and of a number of seeds."""
    for kinds, write, count in ((LINES, line_cases, 30), (PROGRAMS, program_cases, 8)):
        for kind in kinds:
            for seed in range(2 if is_quick else count):
                yield from write(kind, seed)
