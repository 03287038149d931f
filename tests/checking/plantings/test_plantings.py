"""Pages with an error of each class are what they should be, and a check finds the errors and nothing else.

The long run is ``python -m tests.checking.plantings.run 20000 1``; its table stands in docs/check.md.
"""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from symattn.checking.model import CheckedDocument
from tests.checking.plantings.errors import CLASSES, NoPlaceError, plant, planted, written
from tests.checking.plantings.page import figure, is_right
from tests.checking.plantings.rendered import rendered
from tests.checking.plantings.run import PlantingOptions, Tally, measured, run, together
from tests.checking.plantings.steps import softmax
from tests.checking.plantings.tutorials import NOTATIONS, Writer
from tests.checking.report.made import at, made

RECALL, PRECISION = 0.9, 0.9
"""What a run must reach; the aim is 0.98 and 0.99."""
CORRECTED = 0.9
"""The part of the corrections that must be right; the aim is 0.99."""


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


def _holds(count: int, seed: int, is_patched: bool = False) -> Tally:
    whole = together(run(count, PlantingOptions(seed, is_patched=is_patched))[0])
    told = whole.failures.most_common(12)
    assert whole.broken == 0, told
    assert whole.recall >= RECALL, told
    assert whole.precision >= PRECISION, told
    assert whole.corrected >= CORRECTED * whole.found, told
    return whole


@pytest.mark.sampled(0)
def test_a_check_finds_what_was_planted() -> None:
    whole = _holds(26, 1, is_patched=True)
    assert whole.patched >= CORRECTED * whole.mendable


@pytest.mark.slow
@pytest.mark.parametrize("block", range(40))
def test_a_check_finds_what_was_planted_in_twenty_thousand_pages(block: int) -> None:
    _holds(500, 100 + block)


# -- what is right in the place of an error ----------------------------------------------------------------------------


LISTED = [error for error in CLASSES if error not in ("clean", "separator", "chain")]
"""The classes whose places are all the figures that differ; of a tie, a chain may have either rounding."""


@pytest.mark.parametrize("error", LISTED)
def test_a_page_on_which_all_places_are_put_right_is_the_one_before(error: str) -> None:
    compared = 0
    for seed in range(40):
        random = Random(f"rights {error} {seed}")
        sheet, style = written(random)
        before = Writer(sheet, style).write()
        try:
            page = plant(random, sheet, style, error)
        except NoPlaceError:
            continue
        if page.allowed or any(place.shape for place in page.places):
            continue  # the wrong figures are printed more often than they are listed
        text = page.text
        for place in sorted(page.places, key=lambda place: place.spans, reverse=True):
            ((start, end),) = place.spans
            text = text[:start] + place.rights[0] + text[end:]
        assert text == before.text
        compared += 1
    assert compared > 1


def test_the_grid_that_lost_its_separators_is_right_with_them() -> None:
    for seed in range(12):
        (place,) = planted(Random(f"grid {seed}"), "separator").places
        assert place.shape.count("×") == 1
        rows, _, columns = place.shape.partition("×")
        assert place.rights[0].count("\\\\") == int(rows) - 1
        assert place.rights[0].count("&") == int(rows) * (int(columns) - 1)


def test_a_patch_that_writes_what_stood_there_is_counted_and_nothing_else() -> None:
    page = planted(Random("digit 7"), "digit")
    (place,) = page.places
    ((start, end),) = place.spans

    def told(expected: str) -> tuple[int, ...]:
        def known(text: str, name: str) -> CheckedDocument:
            line = text[:start].count("\n") + 1
            nth = text.count(place.printed, text.rfind("\n", 0, start) + 1, start) + 1
            return made(text, [at(text, line, place.printed, expected, nth)] if text == page.text else (), name)

        tally = measured(page, known).tally
        return tally.found, tally.corrected, tally.mendable, tally.patched, tally.news

    assert page.text[start:end] == place.printed
    assert told(place.rights[0]) == (1, 1, 1, 1, 0)
    assert told("9876.5") == (1, 0, 1, 0, 0)
