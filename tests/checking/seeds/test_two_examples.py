"""Two examples one after the other, with the same names."""

from __future__ import annotations

from symattn.checking.check import check
from tests.checking.found import changed


def example(x: str, q: str, o: str) -> str:
    return rf"""The embeddings

$$X = \begin{{bmatrix}} {x} \end{{bmatrix}}$$

with $W$ as above give $Q = X W$:

$$Q = \begin{{bmatrix}} {q} \end{{bmatrix}}$$

Each row divided by its sum:

$$O = \begin{{bmatrix}} {o} \end{{bmatrix}}$$

"""


FIRST = example(r"1 & 3 \\ 2 & 0", r"5.5 & 2 \\ 2 & 4", r"0.7333 & 0.2667 \\ 0.3333 & 0.6667")
SECOND = example(r"4 & 1 \\ 0 & 5", r"5.5 & 8 \\ 7.5 & 0", r"0.4074 & 0.5926 \\ 1.0000 & 0.0000")
WEIGHTS = r"$$W = \begin{bmatrix} 1 & 2 \\ 1.5 & 0 \end{bmatrix}$$" + "\n\n"


def test_what_follows_from_a_given_that_is_given_anew_is_another_one():
    found = check(WEIGHTS + FIRST + SECOND)
    assert found.is_right
    assert found.coverage.verified == found.coverage.figures == 16


def test_the_second_example_is_checked_too():
    assert changed(WEIGHTS + FIRST + SECOND.replace("7.5", "7.7")) == [("7.7", "7.5")]
