"""Pages with an error of each class are what they should be, and a check finds the errors and nothing else.

The long run is ``python -m tests.checking.plantings.run 20000 1``; its table stands in docs/check.md.
"""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from tests.checking.plantings.errors import CLASSES, planted, written
from tests.checking.plantings.page import figure, is_right
from tests.checking.plantings.rendered import rendered
from tests.checking.plantings.run import run, together
from tests.checking.plantings.steps import softmax
from tests.checking.plantings.tutorials import NOTATIONS, Writer

RECALL, PRECISION = 0.9, 0.9
"""What a run must reach; the aim is 0.98 and 0.99."""


@pytest.mark.parametrize("seed", range(40))
def test_a_page_without_an_error_says_what_numpy_works_out(seed: int) -> None:
    sheet, style = written(Random(seed))
    page = Writer(sheet, style).write()
    true = sheet.worked.values()
    for spot in page.spots():
        slot = spot.slot
        assert page.text[spot.start : spot.end] == spot.printed
        assert page.text.count("\n", 0, spot.start) + 1 == spot.line
        assert slot.is_right, (slot, style)
        if slot.of in true and slot.role in ("given", "result"):
            assert is_right(slot.text, float(true[slot.of][slot.row, slot.column]))


def test_softmax_and_its_rounding_are_those_of_long_hand() -> None:
    assert np.allclose(softmax(np.array([[0.5, -np.inf], [0.5, 0.0]])), [[1, 0], [0.62245933, 0.37754067]])
    assert [figure(-0.0004, 3), figure(-1.25, 1), figure(2, 0)] == ["0.000", "-1.3", "2"]
    assert is_right("0.12", 0.125)
    assert is_right("0.13", 0.125)
    assert not is_right("0.12", 0.1251)


def test_every_notation_is_written() -> None:
    kinds = {planted(Random(seed), "clean").about.split()[0] for seed in range(150)}
    assert kinds == set(NOTATIONS)


@pytest.mark.sampled(6)
@pytest.mark.parametrize("error", CLASSES)
@pytest.mark.parametrize("write", [planted, rendered])
def test_an_error_of_each_class_makes_figures_wrong(error: str, write: object) -> None:
    page = write(Random(f"{error} 2"), error)  # type: ignore[operator]
    assert bool(page.places) == (error != "clean")
    for place in page.places:
        for start, end in place.spans:
            assert page.text[start:end] == place.printed or error in ("separator", "transposed")


def _holds(count: int, seed: int) -> None:
    whole = together(run(count, seed)[0])
    assert whole.broken == 0, whole.failures.most_common(12)
    assert whole.recall >= RECALL, whole.failures.most_common(12)
    assert whole.precision >= PRECISION, whole.failures.most_common(12)


@pytest.mark.sampled(0)
def test_a_check_finds_what_was_planted() -> None:
    _holds(26, 1)


@pytest.mark.slow
@pytest.mark.parametrize("block", range(40))
def test_a_check_finds_what_was_planted_in_twenty_thousand_pages(block: int) -> None:
    _holds(500, 100 + block)
