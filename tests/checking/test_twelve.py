"""The twelve examples are not followed worse than they were: what is found of each page, one to one.

As a table: ``python -m tests.checking.twelve``.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from symattn.checking.check import check
from symattn.checking.model import CheckedDocument
from tests.checking.report.made import TEXT, at, made
from tests.checking.scoring import Score
from tests.checking.twelve import ListedError, ListedPage, failures, matched, pages

FLOORS = {
    "01.md": Score(1, 6, 6, 0, 6, quiet=1),
    "02.md": Score(1, 14, 14, 0, 14, quiet=0),
    "03.md": Score(1, 13, 9, 0, 9, quiet=0),
    "04.md": Score(1, 6, 6, 0, 6, quiet=1),
    "05.md": Score(1, 4, 4, 0, 4, quiet=1),
    "06.md": Score(1, 37, 37, 1, 37, quiet=0),
    "07.md": Score(1, 13, 13, 0, 13, quiet=0),
    "08.md": Score(1, 0, 0, 0, 0, quiet=1),
    "09.md": Score(1, 8, 8, 0, 8, quiet=1),
    "10.md": Score(1, 21, 21, 0, 21, quiet=1),
    "11.md": Score(1, 4, 0, 0, 0, quiet=1),
    "12.md": Score(1, 0, 0, 0, 0, quiet=1),
}
"""What each page had when it was measured last; raise a floor when more is found."""

PAGES = {page.name: page for page in pages()}


@pytest.mark.parametrize("name", FLOORS)
def test_an_example_is_followed_as_well_as_before(name: str) -> None:
    if name not in PAGES:
        pytest.skip("the examples are not at hand")
    found = matched(PAGES[name], check)
    floor = FLOORS[name]
    told = "\n".join(failures(found))
    assert (found.score.documents, found.score.wrong) == (floor.documents, floor.wrong)
    assert found.score.found >= floor.found, told
    assert found.score.corrected >= floor.corrected, told
    assert found.score.false <= floor.false, told
    assert found.score.quiet >= floor.quiet, told


def test_every_example_has_a_floor() -> None:
    assert not PAGES or PAGES.keys() == FLOORS.keys()


# -- the matching itself -----------------------------------------------------------------------------------------------

ERRORS = (ListedError(7, "0.37", "0.51", "wrong", (8,)), ListedError(7, "0.37", "0.31", "wrong", ()))
PAGE = ListedPage("page.md", TEXT.replace("0.5.", "0.37."), ERRORS)
FIRST, SECOND = (at(PAGE.text, 7, "0.37", "0.51", nth) for nth in (1, 2))
AGAIN = at(PAGE.text, 8, "0.37", "0.51")


def _score(*findings: object) -> Score:
    def told(text: str, name: str) -> CheckedDocument:
        return made(text, findings if text == PAGE.text else (), name)  # type: ignore[arg-type]

    return matched(PAGE, told).score


def test_a_finding_is_matched_with_one_error_and_an_error_with_one_finding() -> None:
    assert _score() == Score(1, 2, 0, 0, 0, quiet=1)
    assert _score(FIRST) == Score(1, 2, 1, 0, 1, quiet=1)
    assert _score(FIRST, replace(SECOND, expected="0.31")) == Score(1, 2, 2, 0, 2, quiet=1)
    assert _score(FIRST, SECOND) == Score(1, 2, 2, 0, 1, quiet=1)
    assert _score(FIRST, SECOND, FIRST) == Score(1, 2, 2, 1, 1, quiet=1)


def test_errors_go_to_the_findings_that_correct_them() -> None:
    assert _score(replace(FIRST, expected="0.31"), SECOND) == Score(1, 2, 2, 0, 2, quiet=1)


def test_a_repeated_figure_stands_for_an_error_that_is_not_found_where_it_is_listed() -> None:
    assert _score(AGAIN) == Score(1, 2, 1, 0, 1, quiet=1)
    assert _score(FIRST, replace(SECOND, expected="0.31"), AGAIN) == Score(1, 2, 2, 0, 2, quiet=1)


def test_a_finding_at_another_figure_is_false() -> None:
    assert _score(at(PAGE.text, 7, "0.26", "0.19")) == Score(1, 2, 0, 1, 0, quiet=1)
