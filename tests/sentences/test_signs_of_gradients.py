"""What a page says of the ones in its formulas: how many there are, in a column or everywhere."""

from __future__ import annotations

import json

import pytest

from symattn.api.worked import derive
from symattn.read.scenario.load import loads
from tests.sentences.kinds import KINDS
from tests.sentences.page import Verdict, read

LESSON = """
title = "Ones"
language = "en"
[given]
X = [["1", "2", "5"], ["0", "1", "3"]]
[[section]]
title = "Steps"
steps = ["{step}"]
"""

STEPS = {
    "sign_ones_column": "Z = X - X @ ones(3, 1) @ ones(1, 3)",
    "sign_ones_everywhere": "Z = X + 2 * ones(2, 3)",
}


def verdicts(kind: str, change: tuple[str, str] = ("", "")) -> list[Verdict]:
    """The sentences about ones, one of their words changed."""
    data = json.loads(derive(loads(LESSON.format(step=STEPS[kind]))).render("json", language="en"))
    for passage in data["document"]["passages"]:
        for block in passage["blocks"]:
            for run in block["runs"] if block["block"] == "paragraph" else ():
                run |= {key: value.replace(*change) for key, value in run.items() if isinstance(value, str)}
    return [each for each in read(data, KINDS) if kind in each.kinds]


@pytest.mark.parametrize("kind", STEPS)
def test_what_is_said_of_ones_is_true(kind: str) -> None:
    assert [each.wrong for each in verdicts(kind)] == [""]


@pytest.mark.parametrize("kind", STEPS)
def test_another_number_of_ones_is_found_out(kind: str) -> None:
    assert [bool(each.wrong) for each in verdicts(kind, ("3", "4"))] == [True]


def test_the_proof_of_a_gradient_says_what_its_signs_are() -> None:
    page = derive("backward").render("markdown", language="en")
    assert "applies the transpose of the Jacobian of softmax at" in page
    assert page.count(r"$\mathbf 1_3$ is a column of $3$ ones") == page.count("is a column of") == 1  # that of the step
