"""Readings say what the numbers are: weights of attention, or shares of something else."""

from __future__ import annotations

import pytest

from symattn import derive
from symattn.scenario.load import loads

LESSON = """
title = "t"
tokens = ["the", "cat"]
[labels]
vocabulary = ["cat", "sat", "mat"]
[sizes]
d = 2
[given.H]
value = [["1", "0"], ["3", "0"]]
axes = ["n", "d"]
[given.W]
value = [["1", "1", "-1"], ["0", "1", "1/2"]]
axes = ["d", "vocabulary"]
[given.V]
value = [["1"], ["0"], ["2"]]
axes = ["vocabulary", "1"]
[[section]]
title = "s"
steps = [{steps}]
"""


def page(*steps: str, language: str = "en") -> str:
    listed = ", ".join(f'"{step}"' for step in steps)
    return derive(loads(LESSON.replace("{steps}", listed))).render(language=language)


@pytest.mark.parametrize(
    ("language", "sentences"),
    [
        (
            "en",
            (
                "Row 1 (the) gives cat and sat the largest shares, which tie exactly, at \\(0.468311\\) each.",
                "Row 2 (cat) gives cat and sat the largest shares",
            ),
        ),
        ("zh-Hant", ("第 1 列（「the」）裡佔比最大的是「cat」和「sat」，完全相等，都是 \\(0.468311\\)。",)),
        ("zh-Hans", ("第 1 行（“the”）里占比最大的是“cat”和“sat”，完全相等，都是 \\(0.468311\\)。",)),
    ],
)
def test_probabilities_of_words_are_no_attention(language: str, sentences: tuple[str, ...]) -> None:
    """The word “cat” of a vocabulary is not the token “cat”, which would attend to itself."""
    text = page("Z = H @ W", "P = softmax(Z)", language=language)
    for sentence in sentences:
        assert sentence in text
    assert "attends" not in text


def test_one_share_may_be_more_than_half() -> None:
    text = page("Z = H @ W / 2 + H @ W / 2", "P = softmax(Z @ W.T @ W)")
    assert "Row 1 (the) gives sat the largest share (" in text
    assert ", more than half)." in text


def test_what_mixes_other_rows_is_attention_wherever_they_are_from() -> None:
    text = page("Z = H @ W", "A = softmax(Z)", "O = A @ V")
    assert "Row 1 (the) attends equally to cat and sat" in text
    assert "itself" not in page("A = softmax(H @ W)", "O = 2 * A @ V")


def test_tokens_attend_to_tokens() -> None:
    assert "Row 2 (cat) attends most to itself" in page("A = softmax(H @ H.T)")
    assert page("A = softmax(H @ H.T)", "a = row(A, 2)").count("Row 2 (cat) attends most to itself") == 2
