"""What is found wrong in small documents in the manner of people, and that nothing else of them is."""

from __future__ import annotations

import pytest

from symattn.checking.check import check
from tests.checking.found import DOCUMENTS, documents, told


@pytest.mark.parametrize("title", DOCUMENTS)
def test_what_is_wrong_is_found_and_all_else_is_followed(title: str) -> None:
    document = DOCUMENTS[title]
    found = check(document.text, document.name)
    assert told(found) == document.wrong
    assert bool(found.unfollowed) == document.has_left, found.unfollowed
    assert found.coverage.verified == document.verified
    assert document.remarked in "".join(each.said for each in found.remarks)


def test_no_two_documents_have_one_title() -> None:
    assert len([*documents()]) == len(DOCUMENTS)
    assert not [title for title, document in DOCUMENTS.items() if set("«»") & set(document.text)]


def test_entries_that_are_listed_are_not_given() -> None:
    found = DOCUMENTS["entries that are listed are those of their matrix"].changed()
    assert [each.printed for each in found.figures if each.status == "given"] == ["1", "3", "2", "-1"]


def test_a_mask_and_what_it_hides_are_right() -> None:
    found = DOCUMENTS["a mask is given and takes in the score that it hides"].changed()
    right = {each.printed for each in found.figures if each.status == "right"}
    assert right == {"0.31", "-10^9", "-∞", "0.15", "0.44"}


def test_masked_weights_that_do_not_follow_are_not_called_right() -> None:
    weights = DOCUMENTS["masked weights follow from those without a mask"]
    found = weights.changed(("0.4460, 0.5540", "0.4640, 0.5360"))
    assert [each.status for each in found.figures if each.printed == "0.4640"] != ["right"]


def test_a_figure_of_the_known_example_is_told_of_which_words_it_is() -> None:
    (found,) = DOCUMENTS["the product of a word with itself is not that of two words"].changed().findings
    assert "not printed here" in found.because
    assert "1.495 is that of journey and journey" in found.because


def test_what_is_said_to_hold_in_theory_is_remarked() -> None:
    (remark,) = DOCUMENTS["what is said to hold in theory is remarked"].changed().remarks
    assert remark.said.startswith("O(1) is said to hold in theory")


LOWER = {
    "weights of float16 are no mistakes": ("0.54053", "0.56053"),
    "a chain of float16 with 4 digits is no mistake": ("0.0901", "0.9901"),
    "a chain of float16 with 6 digits is no mistake": ("0.090088", "0.990088"),
    "a chain of float32 with 8 digits is no mistake": ("0.09008715", "0.99008715"),
}


@pytest.mark.parametrize("title", LOWER)
def test_a_wrong_figure_among_those_of_lower_precision_is_found(title: str) -> None:
    assert LOWER[title][1] in [each.printed for each in DOCUMENTS[title].changed(LOWER[title]).findings]


# -- excuses: they take several distinct numbers -----------------------------------------------------------------------


def test_numbers_that_stand_often_are_no_more_evidence_of_lower_precision() -> None:
    """Nine times one wrong number is one."""
    ones = r" \\ ".join(["1 & 1 & 1"] * 3)
    thirds = r" \\ ".join(["0.33325 & 0.33325 & 0.33325"] * 3)
    text = rf"$$S = \begin{{bmatrix}} {ones} \end{{bmatrix}}$$"
    text += rf" $$A = \text{{softmax}}(S) = \begin{{bmatrix}} {thirds} \end{{bmatrix}}$$"
    assert len(check(text).findings) == 9


def test_an_unusual_epsilon_does_not_explain_a_last_digit() -> None:
    """Two figures that were cut off are no evidence of ε = 1/1000."""
    text = r"$$x = [1, 2, 3]$$ $$y = \text{LayerNorm}(x) = [-1.225, 0.000, 1.225]$$"
    assert check(text).findings == ()
    found = check(text.replace("1.225", "1.224")).findings
    assert [each.expected for each in found] == ["-1.225", "1.225"]
