"""The table of all measures counts alarms on clean documents, and what is known to be wrong in the seeds.

The table itself: ``python -m tests.checking.measures``.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from symattn.base.errors import DocumentError
from symattn.checking.check import check
from symattn.checking.model import CheckedDocument
from tests.checking.measures import KNOWN, clean, own_pages, seeds
from tests.checking.report.made import at, made
from tests.checking.scoring import Score, check_named


def _alarmed(text: str, name: str) -> CheckedDocument:
    return made(text, [at(text, 1, "3", "4")], name)


def test_a_finding_in_a_clean_document_is_false(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("1 + 2 = 3", encoding="utf-8")
    (row,) = clean("pages", [page], _alarmed)
    assert row.score == Score(1, false=1)
    assert row.details == "page.md 1: 3 → 4 (wrong)"


def test_a_document_that_is_not_read_is_counted(tmp_path: Path) -> None:
    def refuse(text: str, name: str) -> CheckedDocument:
        raise DocumentError(name)

    page = tmp_path / "page.md"
    page.write_text("1 + 2 = 3", encoding="utf-8")
    (row,) = clean("pages", [page], refuse)
    assert row.score.broken == 1
    assert "not read" in str(row.cells[0])


def test_the_seeds_have_the_errors_that_are_known_and_no_other() -> None:
    if not seeds():
        pytest.skip("the source documents are not at hand")
    (row,) = clean("seeds", seeds(), check)
    assert row.score == Score(5, len(KNOWN), len(KNOWN), 0, len(KNOWN), mended=5, quiet=5)


def test_every_own_page_is_in_one_of_the_two_rows() -> None:
    both = [own_pages(False, True), own_pages(False, False)]
    assert not set(both[0]) & set(both[1])
    assert len(both[0]) + len(both[1]) > 20


def test_another_check_is_found_by_its_name() -> None:
    assert check_named() is check
    assert check_named("tests.checking.test_measures:_alarmed").__name__ == "_alarmed"
