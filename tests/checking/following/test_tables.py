"""Columns of tables: large ones are left alone, and where the budget ends nothing is taken for given."""

from __future__ import annotations

from typing import NoReturn

import pytest

from symattn.base.errors import BudgetError
from symattn.checking.check import check
from symattn.checking.following import columns

ROWS = [(f"{2.5 + k / 4:.2f}", f"{3.25 + k * k / 8:.2f}") for k in range(5)]
TABLE = "| a | b | c |\n|--|--|--|\n" + "".join(f"| {a} | {b} | {float(a) * float(b):.3f} |\n" for a, b in ROWS)


def test_a_table_in_which_the_budget_ends_is_not_read_to_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    def ends(steps: int) -> NoReturn:
        raise BudgetError(f"no {steps} steps are left")

    assert check(TABLE, "page.md").is_whole
    monkeypatch.setattr(columns, "spend", ends)
    found = check(TABLE, "page.md")
    assert not found.is_whole
    assert (found.coverage.given, found.coverage.not_verified) == (0, 15)


def test_a_table_with_more_rows_than_are_looked_at_is_given(monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = TABLE.replace("8.125", "8.215")
    assert [each.expected for each in check(wrong, "page.md").findings] == ["8.125"]
    monkeypatch.setattr(columns, "MOST_ROWS", 4)
    assert check(wrong, "page.md").findings == ()
