"""Short pages as people write them, and the figures of them that are wrong."""

from __future__ import annotations

import pytest

from symattn.checking.check import check

PAGES = {
    "an index is no result": ("dim 0 (2i = 0, i = 0): cos(0) = 1\n\ndim 4 (2i = 4, i = 2): cos(0.1) = 0.9950\n", []),
    "two indices behind a word": ("Here score[0][1]=3 says how much, and grade[1][0]=7 more.\n", []),
    "thousands in a formula": (
        "$d = 2$\n\n- $3 \\times d^2 = 3 \\times 640^2 = 1,228,800$\n- $6 \\times 1,024 = 6,145$\n",
        [(4, "6,145")],
    ),
    "givens that were rounded": (
        "$O = [0.412350, 0.500001]$\n\n- $(0.412350 - 0.5)^2 + (0.500001 - 0.5)^2 = 0.007682$\n",
        [],
    ),
}


@pytest.mark.parametrize("name", PAGES)
def test_what_is_wrong(name: str) -> None:
    text, wrong = PAGES[name]
    assert [(each.line, each.printed) for each in check(text, "page.md").findings] == wrong
