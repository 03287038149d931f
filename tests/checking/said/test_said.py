"""What a document says counts, however it is said: wrong figures are found and corrected, right ones raise no alarm.

All seeds, as a table: ``python -m tests.checking.said.run``.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from symattn.checking.check import check
from symattn.checking.model import CheckedDocument
from tests.checking.report.made import at, made
from tests.checking.said.cases import MISTAKES, SEEDS, SLIPS, SaidCase, case, cases, softmax
from tests.checking.said.measure import score
from tests.checking.said.wordings import WAYS, WORDINGS
from tests.checking.scoring import Score, is_same_figure

ERRORS = {relation: (*map(str, SLIPS), MISTAKES[relation]) for relation in WORDINGS}
CELLS = [(relation, way, error) for relation in WORDINGS for way in WAYS for error in ERRORS[relation]]


def perfect(each: SaidCase) -> Score:
    """The score of a check that says everything and nothing else."""
    return Score(1, len(each.wrong), len(each.wrong), 0, len(each.wrong), 1, 1)


def _holds(each: SaidCase) -> None:
    assert score(each, check) == perfect(each), each.text


@pytest.mark.parametrize(("relation", "way", "error"), CELLS)
def test_what_is_said_is_held_against_its_result(relation: str, way: str, error: str) -> None:
    _holds(case(relation, way, error, CELLS.index((relation, way, error)) * 5 % SEEDS))


@pytest.mark.slow
@pytest.mark.parametrize(("relation", "way", "error"), CELLS)
def test_what_is_said_is_held_against_its_result_for_every_seed(relation: str, way: str, error: str) -> None:
    for seed in range(SEEDS):
        _holds(case(relation, way, error, seed))


# -- the cases themselves ----------------------------------------------------------------------------------------------


def test_wrong_figures_are_where_a_case_says_and_putting_them_right_gives_the_right_text() -> None:
    for each in cases():
        text = each.text
        for wrong in reversed(each.wrong):
            assert text[wrong.start : wrong.end] == wrong.printed != wrong.right
            text = text[: wrong.start] + wrong.right + text[wrong.end :]
        assert text == each.right_text
        assert len(each.wrong) == int(each.error) if each.error.isdigit() else len(each.wrong) >= 6


def test_every_relation_is_said_in_three_wordings_and_in_both_kinds_of_chinese() -> None:
    for relation, wordings in WORDINGS.items():
        for way in WAYS:
            said = {wordings.sentence(way, seed) for seed in range(SEEDS)}
            assert len(said) >= (3 if way == "beside" else 5), (relation, way)
    assert len({each.text for each in cases()}) == sum(1 for _ in cases())


def test_softmax_is_that_of_long_hand() -> None:
    shares = [[0.73105858, 0.26894142], [0.5, 0.5]]
    assert np.allclose(softmax(np.array([[1.0, 0.0], [2.0, 2.0]])), shares)
    assert np.allclose(softmax(np.array([[1.0, 2.0], [0.0, 2.0]]), axis=0).T, shares)


# -- the score itself --------------------------------------------------------------------------------------------------

CASE = case("weights", "words", "3", 2)


def _knowing(text: str, name: str) -> CheckedDocument:
    """Check like somebody who knows the errors of the case."""
    lines = text[: CASE.wrong[0].start].count("\n") + 1
    begin = text.rindex("\n", 0, CASE.wrong[0].start) + 1
    findings = []
    for wrong in CASE.wrong:
        if text[wrong.start : wrong.end] == wrong.printed:
            nth = text.count(wrong.printed, begin, wrong.start) + 1
            findings.append(at(text, lines, wrong.printed, wrong.right, nth))
    return made(text, findings, name)


def test_a_check_that_knows_all_has_a_perfect_score() -> None:
    assert score(CASE, _knowing) == perfect(CASE)


def test_a_blind_check_finds_nothing() -> None:
    assert score(CASE, lambda text, name: made(text, (), name)) == Score(1, 3, quiet=1)


def test_a_wrong_correction_is_found_but_not_right_nor_mended() -> None:
    def misled(text: str, name: str) -> CheckedDocument:
        known = _knowing(text, name)
        first, *rest = known.findings or (None,)
        return made(text, [replace(first, expected="0.9876"), *rest] if first else (), name)

    assert score(CASE, misled) == Score(1, 3, 3, 0, 2, 0, 1)


def test_a_finding_at_a_right_figure_is_false_and_so_is_a_second_one_at_a_wrong_figure() -> None:
    def loud(text: str, name: str) -> CheckedDocument:
        known = _knowing(text, name).findings
        return made(text, [*known, *known[:1], at(text, 3, text.split("\n")[2].split()[3], "0.0")], name)

    counted = score(CASE, loud)
    assert (counted.found, counted.false, counted.quiet) == (3, 2, 0)


def test_figures_are_compared_with_their_decimals() -> None:
    assert is_same_figure("−0.5000", "-0.5000")
    assert not is_same_figure("0.5", "0.5000")
