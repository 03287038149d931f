"""Claims about a known example whose vectors are not printed, and claims of cost."""

from __future__ import annotations

import pytest

from symattn.checking.check import check
from symattn.checking.model import DocumentFinding
from tests.checking.found import changed

PAGE = """Six words, three numbers each: the words “journey” and “starts” lie close together.

Where the dot product of a query and a key reaches {dot}, far more than the 0.707 of another pair, “journey” and
“starts” belong together.

A weight of 0.2278 that is not yet normalised becomes {weight} after softmax.
"""


def page(dot: str = "1.475", weight: str = "0.238") -> str:
    return PAGE.format(dot=dot, weight=weight)


def test_figures_in_sentences_are_held_against_the_known_example():
    found = check(page())
    assert found.is_right
    assert found.coverage.verified == 4


def test_the_product_of_a_word_with_itself_is_not_that_of_two():
    (found,) = check(page(dot="1.495")).findings
    assert isinstance(found, DocumentFinding)
    assert (found.printed, found.expected, found.line) == ("1.495", "1.475", 3)
    assert "not printed here" in found.because
    assert "1.495 is that of journey and journey" in found.because


def test_a_weight_after_softmax_belongs_to_the_entry_before_it():
    assert changed(page(weight="0.315")) == [("0.315", "0.238")]


def test_a_page_that_prints_vectors_or_names_no_words_of_it_is_left_alone():
    assert changed(page(dot="1.495") + "\nIts vectors are [0.1, 0.2] and [0.3, 0.4].") == []
    assert changed(page(dot="1.495").replace("journey", "road").replace("starts", "ends")) == []


@pytest.mark.parametrize(
    "text",
    [
        "A loop over all pairs is O(n²); one matrix multiplication brings the time complexity to O(1).",
        "迴圈的時間複雜度是 O(n²)，矩陣乘法的時間複雜度是 O(1)。",
        'frame "matrix product" {\n  [one matrix product] as a\n  [time complexity O(1)] as b\n}',
    ],
)
def test_a_product_of_matrices_is_no_single_step(text: str):
    assert changed(text) == [("O(1)", "O(n²)")]


@pytest.mark.parametrize(
    "text",
    [
        "The maximum path length is O(1), the complexity of the matrix product O(n²).",
        "A matrix multiplication has a time complexity of O(n³), not O(1).",
        "A lookup in a dictionary has complexity O(1). A matrix multiplication has not.",
        "In theory the time complexity of one matrix multiplication falls to O(1).",
    ],
)
def test_what_may_be_o_of_one_is_left_alone(text: str):
    assert changed(text) == []


def test_what_is_said_to_hold_in_theory_is_remarked():
    (remark,) = check("In theory the time complexity of one matrix multiplication falls to O(1).").remarks
    assert remark.said.startswith("O(1) is said to hold in theory")
