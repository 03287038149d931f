"""Small files that ask for much, the same every time; the long run is ``python -m tests.fuzz.heavy COUNT SEED``."""

from __future__ import annotations

import time

import pytest

from symattn.errors import BudgetError
from tests.fuzz.heavy import BYTES, MEGABYTES, OWN, alone, heavy, worked

FIRST = 7_000
FOUND = (20_373, 20_531, OWN + 324)
"""Where SymPy looked for the signs of functions of functions, and did not end; where an entry grew without an end."""


@pytest.mark.parametrize("number", [*range(FIRST, FIRST + 6), *range(OWN + 26, OWN + 28), *FOUND])
def test_a_small_file_has_a_page_or_a_sentence_soon(number: int) -> None:
    text, detail, format = heavy(number)

    assert len(text) < BYTES
    assert alone(lambda: worked(text, detail, format)) == ""


def test_what_does_not_end_is_found() -> None:
    def endless() -> None:
        while True:
            time.process_time()

    assert alone(endless, seconds=-1).endswith(" s")


def test_what_takes_much_room_is_found() -> None:
    assert alone(lambda: b"x" * ((MEGABYTES + 100) * 2**20)).endswith(" MB")


def test_an_error_of_another_kind_is_found_and_one_of_the_projects_own_is_not() -> None:
    def refused() -> None:
        raise BudgetError("too much")

    assert "KeyError" in alone(lambda: {}["x"])
    assert alone(refused) == ""
