"""The cases of the measures are what they say: what is right in them is right, by NumPy and by Python, and no more."""

from __future__ import annotations

import math
import re
from fractions import Fraction
from random import Random
from typing import Any

import numpy as np
import pytest

from tests.checking import said
from tests.checking.lines.drawing import other_figure, worth
from tests.checking.lines.expressions import AwkwardError, figure
from tests.checking.lines.programs import PROGRAMS, program_cases
from tests.checking.lines.written import LINES, line_cases
from tests.checking.plantings.errors import CLASSES, NoPlaceError, plant, planted, written
from tests.checking.plantings.page import figure as page_figure
from tests.checking.plantings.page import is_right
from tests.checking.plantings.rendered import rendered
from tests.checking.plantings.steps import softmax
from tests.checking.plantings.tutorials import NOTATIONS, Writer
from tests.checking.scoring import Case


def put_right(case: Case) -> str:
    """Return the text of a case with the first right figure in the place of every wrong one."""
    text = case.text
    for error in sorted(case.errors, key=lambda error: error.spans, reverse=True):
        ((start, end),) = error.spans
        assert text[start:end] == error.printed != error.rights[0]
        text = text[:start] + error.rights[0] + text[end:]
    return text


# -- what is said ------------------------------------------------------------------------------------------------------


def test_what_is_said_is_right_where_its_errors_are_put_right() -> None:
    texts = set()
    for case in said.cases(is_quick=True):
        assert put_right(case) == case.right_text
        assert case.labels[3] in (f"{len(case.errors)} wrong", "whole matrix")
        texts.add(case.text)
    assert len(texts) == len([*said.cases(is_quick=True)])


def test_every_relation_is_said_in_three_wordings_and_in_both_kinds_of_chinese() -> None:
    for relation in said.MISTAKES:
        for way in said.WAYS:
            wordings = {said.wording(relation, way, seed) for seed in said.SEEDS}
            assert len(wordings) >= (3 if way == "beside" else 5), (relation, way)


def test_softmax_is_that_of_long_hand() -> None:
    shares = [[0.73105858, 0.26894142], [0.5, 0.5]]
    assert np.allclose(said.softmax(np.array([[1.0, 0.0], [2.0, 2.0]])), shares)
    assert np.allclose(said.softmax(np.array([[1.0, 2.0], [0.0, 2.0]]), axis=0).T, shares)
    assert np.allclose(softmax(np.array([[0.5, -np.inf], [0.5, 0.0]])), [[1, 0], [0.62245933, 0.37754067]])


# -- lines and programs ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [*LINES, *PROGRAMS])
def test_a_page_is_the_same_each_time_and_one_figure_of_the_other_is_wrong(kind: str) -> None:
    for write in [each for each, kinds in ((line_cases, LINES), (program_cases, PROGRAMS)) if kind in kinds]:
        for seed in range(6):
            right, wrong = write(kind, seed)
            assert (right, wrong) == write(kind, seed)
            assert put_right(wrong) == right.text
            programs = ["".join(case.text[start:end] for start, end in case.untouched) for case in (right, wrong)]
            assert programs[0] == programs[1]


NAMES = {
    "np": np,
    "math": math,
    "sqrt": math.sqrt,
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "softmax": lambda x: np.exp(x) / np.exp(x).sum(),
    "relu": lambda x: np.maximum(0, x),
    "maxpool": lambda x: x.reshape(len(x) // 2, 2, -1, 2).max(axis=(1, 3)),
}
LIST = re.compile(r"(?<![\w\])])\[(?:[^\[\]]|\[[^\[\]]*\])*\]")
NO_CODE = ("plus-minus", "percentages", "decimal commas", "sentences", "sentences with softmax", "table columns")


@pytest.mark.parametrize("kind", [kind for kind in LINES if kind not in (*NO_CODE, "table totals")])
def test_python_finds_the_sides_of_every_code_span_equal(kind: str) -> None:
    """The code of a line is evaluated, which is a second way to its figures."""
    for seed in range(3, 83, 4):
        names: dict[str, Any] = dict(NAMES)
        for span in re.findall("`([^`]*)`", line_cases(kind, seed)[0].text):
            first, *others = re.split(" [=≈] ", span)
            if not first.isidentifier():
                others = [first, *others]
            values = [eval(LIST.sub(r"np.array(\g<0>)", each), names) for each in others]  # noqa: S307 - a line of ours
            tolerance = 0.51 * 10.0 ** -max(len(each.partition(".")[2]) for each in re.findall(r"[\d.]+", others[-1]))
            for value in values[:-1]:
                assert np.allclose(np.array(value, float), np.array(values[-1], float), rtol=0, atol=tolerance), span
            names[first] = values[0]


def test_a_figure_that_may_be_rounded_two_ways_is_refused() -> None:
    assert figure(Fraction(1, 8), 1) == "0.1"
    with pytest.raises(AwkwardError):
        figure(Fraction(1, 8), 2)


@pytest.mark.parametrize("text", ["0.123", "+0.7", "−0,75", "\\frac{5}{6}", "37.5\\%", "8", "-12."])
def test_another_figure_is_far_enough(text: str) -> None:
    for seed in range(30):
        wrong = other_figure(Random(seed), text, ["9"])
        assert worth(wrong) not in (worth(text), "9")
        assert text != "0.123" or abs(float(wrong) - 0.123) > 0.009


# -- pages with planted errors -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(40))
def test_a_page_without_an_error_says_what_numpy_works_out(seed: int) -> None:
    sheet, style = written(Random(seed))
    page = Writer(sheet, style).write()
    true = sheet.worked.values()
    text, spots, _ = page.read()
    for spot in spots:
        slot = spot.slot
        assert text[spot.start : spot.end] == spot.printed
        assert slot.is_right, (slot, style)
        if slot.of in true and slot.role in ("given", "result"):
            assert is_right(slot.text, float(true[slot.of][slot.row, slot.column]))


def test_figures_are_rounded_as_by_hand() -> None:
    assert [page_figure(-0.0004, 3), page_figure(-1.25, 1), page_figure(2, 0)] == ["0.000", "-1.3", "2"]
    assert is_right("0.12", 0.125)
    assert is_right("0.13", 0.125)
    assert not is_right("0.12", 0.1251)


def test_every_notation_is_written() -> None:
    assert {planted(Random(seed), "clean").labels[1] for seed in range(150)} == set(NOTATIONS)


@pytest.mark.sampled(6)
@pytest.mark.parametrize("error", CLASSES)
@pytest.mark.parametrize("write", [planted, rendered])
def test_an_error_of_each_class_makes_figures_wrong(error: str, write: Any) -> None:
    page = write(Random(f"{error} 2"), error)
    assert bool(page.errors) == (error != "clean")
    for each in page.errors:
        assert error in ("separator", "transposed") or {page.text[start:end] for start, end in each.spans} == {
            each.printed
        }


LISTED = [error for error in CLASSES if error not in ("clean", "separator", "chain")]
"""The classes whose errors are all the figures that differ; of a tie, a chain may have either rounding."""


@pytest.mark.parametrize("error", LISTED)
def test_a_page_on_which_all_places_are_put_right_is_the_one_before(error: str) -> None:
    compared = 0
    for seed in range(40):
        random = Random(f"rights {error} {seed}")
        sheet, style = written(random)
        try:
            page = plant(random, sheet, style, error)
        except NoPlaceError:
            continue
        if not page.allowed and not any(each.expected for each in page.errors):
            assert put_right(page) == Writer(sheet, style).write().text
            compared += 1
    assert compared > 1


def test_the_grid_that_lost_its_separators_is_right_with_them() -> None:
    for seed in range(12):
        (error,) = planted(Random(f"grid {seed}"), "separator").errors
        (grid,) = error.rights
        rows = grid.split("\\\\")
        assert len(rows) > 1
        assert len({row.count("&") for row in rows}) == 1
        assert error.expected == ("\\\\",)
