"""Rounded givens on the page: intervals, how their ends come about, what is said, the comparison with the source."""

from __future__ import annotations

import re

import pytest

from symattn.api.worked import WorkedSolution, derive
from symattn.base.errors import NoValueError
from symattn.claims.source import Difference, PrintedMatrix, compare
from symattn.read.scenario.load import loads
from symattn.show.blocks import Document, Equation, Matrix, Phrase, Readings
from symattn.show.build import build
from symattn.show.math import Chain, Fraction, Interval, Number, joined

SCENARIO = """
title = "Masking"
[given]
B = [["1", "1/3", "0"], ["0", "2", "1"], ["0", "0", "1"]]
[given.A]
value = [["0.3417", "0.2756", "0.3828"], ["0.3028", "0.3760", "0.3212"], ["0.2962", "0.3034", "0.4003"]]
rounded = true
row_sums = "1"
[[section]]
title = "Masked"
intro = "From {A[2,1]} comes {W[2,1]}."
steps = ["A", "K = keep(A, causal_mask(3))", "W = proportions(K)", "C = B @ B"]
"""
PRINTED = """
[printed]
W = [["1.0000", "0.0000", "0.0000"], ["0.4460", "0.5540", "0.0000"], ["0.2962", "0.3034", "0.4003"]]
"""


def solved(text: str = SCENARIO, **options: object) -> WorkedSolution:
    return derive(loads(text, path="lesson.toml"), **options)


def document(solution: WorkedSolution, **options: object) -> Document:
    return build(solution.scenario, solution.store, **options)


def matrix(found: Document, name: str) -> Matrix:
    return next(block for block in found.blocks if isinstance(block, Matrix) and name in repr(block.symbol))


def keys(found: Document) -> list[str]:
    phrases = [phrase for block in found.blocks if isinstance(block, Readings) for phrase in block.items]
    return [phrase.key for phrase in (*found.blocks, *phrases) if isinstance(phrase, Phrase)]


def interval(low: str, high: str) -> Interval:
    return Interval(Number(low), Number(high))


def worked(found: Document) -> list[Chain]:
    return [
        chain
        for block in found.blocks
        if isinstance(block, Equation) and block.kind == "working"
        for chain in block.chains
        if chain.links[0][0] in ("≥", "≤")
    ]


# Blocks


def test_a_rounded_given_shows_its_figures_and_what_rests_on_it_shows_intervals() -> None:
    found = document(solved())
    assert matrix(found, "'A'").entries[1] == (Number("0.3028"), Number("0.3760"), Number("0.3212"))
    entries = matrix(found, "'W'").entries
    assert entries[0] == (Number("1"), Number("0"), Number("0"))
    assert entries[1] == (interval("0.44600", "0.44616"), interval("0.55384", "0.55400"), Number("0"))
    assert matrix(found, "'C'").entries[0][0] == Number("1.000000")


def test_both_ends_of_a_share_are_worked() -> None:
    found = document(solved())
    low, high = worked(found)
    assert low.links == (
        ("≥", Fraction(Number("0.30275"), joined([Number("0.30275"), Number("0.37605")], "+"))),
        ("≥", Number("0.44600")),
    )
    assert high.links == (
        ("≤", Fraction(Number("0.30285"), joined([Number("0.30285"), Number("0.37595")], "+"))),
        ("≤", Number("0.44616")),
    )


def test_every_entry_is_worked_where_all_are_asked_for_and_none_for_the_result() -> None:
    assert len(worked(document(solved(), detail="entries"))) == 2 * 5
    assert worked(document(solved(), detail="result")) == []


def test_every_entry_of_shares_is_worked_where_a_form_asks_for_it() -> None:
    text = SCENARIO.replace('"C = B @ B"]', '{ show = "W", form = "entries" }]')
    assert len(worked(document(solved(text), detail="result"))) == 2 * 5


def test_the_entry_asked_for_is_worked() -> None:
    text = SCENARIO.replace('"W = proportions(K)"', '{ step = "W = proportions(K)", works = [3, 2] }')
    low, _ = worked(document(solved(text)))
    assert low.links[0][1].numerator == Number("0.30335")  # type: ignore[union-attr]
    assert "31" not in repr(low.left)


def test_nothing_is_worked_where_entries_may_be_negative() -> None:
    text = SCENARIO.replace("keep(A, causal_mask(3))", "A - B / 100").replace('row_sums = "1"', "")
    found = document(solved(text.replace('"0.2962"', '"0.0000"')), detail="entries")
    rows = [chain.left.sub.parts[0] for chain in worked(found)]  # type: ignore[union-attr]
    assert Number("3") not in rows
    assert Number("1") in rows


def test_readings_claim_no_order() -> None:
    found = keys(document(solved()))
    assert "attends" not in found
    assert {"rounded_figures", "rows_can_sum", "kept", "rows_sum_to_one", "intervals_shown"} <= set(found)


def test_what_the_figures_stand_for_is_said() -> None:
    text = solved(SCENARIO + PRINTED).render("latex", language="zh-Hans")
    for shown in ("{}[0.44600, 0.44616]", "0.00005", "0.00015", "1.0001", "0.9999"):
        assert shown in text
    # A bracket at the start of a row would be an option of the line break before it.
    assert not re.search(r"\\\\\s*\[0", text)


# What else asks for decimals


def test_digits_that_are_asked_for_are_the_digits_of_the_ends() -> None:
    found = document(solved(digits=3), digits=3)
    assert matrix(found, "'W'").entries[1][0] == interval("0.446", "0.447")
    assert matrix(document(solved(digits=8), digits=8), "'W'").entries[1][0] == interval("0.44600766", "0.44615498")


def test_decimals_of_an_interval_are_refused_by_the_api_with_what_to_ask_for() -> None:
    with pytest.raises(NoValueError) as found:
        solved()["W"].decimals(4)
    assert str(found.value) == (
        "W has no certified decimals: it rests on the rounded figures of A; ask for its intervals"
    )
    low, high = solved()["W"].intervals[1][0]
    assert low < high


def test_a_mask_of_infinities_is_shown_as_one() -> None:
    text = SCENARIO.replace("keep(A, causal_mask(3))", "A + causal_mask(3)").replace("proportions(K)", "softmax(K)")
    found = document(solved(text))
    assert matrix(found, "'K'").entries[0][1:] == (Number("-oo"), Number("-oo"))
    assert matrix(found, "'W'").entries[0] == (Number("1"), Number("0"), Number("0"))


def test_what_cannot_be_divided_is_told_with_file_line_and_key() -> None:
    text = SCENARIO.replace('"0.3417", "0.2756", "0.3828"', '"0.0000", "1.0000", "0.0000"')
    with pytest.raises(NoValueError, match=r"lesson\.toml, line 12, .*: step W: row 1 may sum to 0"):
        document(solved(text.replace("{W[2,1]}", "W")))


# The exact side of keep


# The comparison with the source


def test_a_figure_that_no_number_in_the_interval_rounds_to_differs() -> None:
    solution = solved(SCENARIO + PRINTED.replace("0.4460", "0.4459"))
    expected = Difference("W", 2, 1, "0.4459", "0.44600", "0.44616")
    assert compare(solution.scenario, solution.store, "W") == PrintedMatrix(9, (expected,), intervals=True)
    assert r"\lbrack 0.44600, 0.44616\rbrack" in solution.render(language="zh-Hant").split("0.4459")[1]


def test_a_narrow_miss_is_shown_with_the_decimals_that_show_it() -> None:
    """The interval starts at 0.44600766057…: just above all that rounds to 0.446007660, and not to one decimal more."""

    def differences(figure: str) -> tuple[Difference, ...]:
        row = f'[["1", "0", "0"], ["{figure}", "0.554", "0"], ["0.3", "0.3", "0.4"]]'
        solution = solved(SCENARIO + f"[printed]\nW = {row}")
        return compare(solution.scenario, solution.store, "W").differences

    assert differences("0.446007661") == ()
    (found,) = differences("0.446007660")
    assert found.derived == "0.44600766057"


def test_both_kinds_are_reported_side_by_side() -> None:
    exact = 'C = [["1.00", "1.00", "0.33"], ["0", "4", "3"], ["0", "0", "1"]]\n'
    solution = solved(SCENARIO + PRINTED + exact)
    assert [compare(solution.scenario, solution.store, name).intervals for name in "WC"] == [True, False]
    found = keys(document(solution))
    assert found.index("all_reproduced") + 1 == found.index("intervals_agree")
    wrong = solved(SCENARIO + PRINTED + exact.replace("0.33", "0.34"))
    assert {"differences_intro", "intervals_agree"} <= set(keys(document(wrong)))
    assert "Where the source differs" in wrong.render(language="en")


def test_a_layout_that_differs_is_told() -> None:
    text = SCENARIO + '[printed]\nW = [["1.0000", "0", "0", "0.4460", "0.5540", "0", "0.2962", "0.3034", "0.4003"]]'
    assert "1×9" in solved(text).render()
    (found,) = compare(solved(text).scenario, solved(text).store, "W").differences
    assert (found.printed, found.derived) == ("1×9", "3×3")


def test_the_source_does_not_follow_from_other_weights() -> None:
    """The agreement says something: swapping two neighbours in one row of the given breaks it."""
    text = SCENARIO.replace('"0.3028", "0.3760"', '"0.3760", "0.3028"') + PRINTED
    assert len(compare(solved(text).scenario, solved(text).store, "W").differences) == 2
