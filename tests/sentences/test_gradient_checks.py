"""What a page says of a moved entry is true at smooth places, on straight lines and at kinks, and changes are seen."""

from __future__ import annotations

import json

import pytest

from symattn.api.worked import derive
from symattn.read.scenario.load import loads
from tests.sentences.kinds import KINDS
from tests.sentences.page import Verdict, read

LESSON = """
title = "A loss"
language = "en"
[given]
X = {x}
W = [["1", "-2"], ["1/2", "1"]]
[[section]]
title = "Forward"
steps = {steps}
[[backward]]
of = "L"
wrt = ["X"]
{check}
"""

CASES = {
    "gradient_check_near": ('[["1", "2"]]', '["Y = X @ W", "L = Y @ Y.T"]', ""),
    "gradient_check_same": ('[["1", "2"]]', '["Y = X @ W", "L = sum(Y)"]', ""),
    "gradient_check_apart": ('[["0", "2"]]', '["R = relu(X)", "Y = R @ W", "L = sum(Y)"]', 'check = "X[1,1]"'),
}


def verdicts(kind: str, change: tuple[str, str] = ("", "")) -> list[Verdict]:
    """The sentences about a check on a page, one of its words changed."""
    x, steps, check = CASES[kind]
    text = derive(loads(LESSON.format(x=x, steps=steps, check=check))).render("json", language="en")
    data = json.loads(text)
    for passage in data["document"]["passages"]:
        for block in passage["blocks"]:
            for item in block["items"] if block["block"] == "readings" else ():
                for run in item:
                    run |= {key: value.replace(*change) for key, value in run.items() if isinstance(value, str)}
    return [each for each in read(data, KINDS) if "quotient" in each.said]


@pytest.mark.parametrize("kind", CASES)
def test_what_is_said_of_a_moved_entry_is_true(kind: str) -> None:
    assert [(each.kinds, each.wrong) for each in verdicts(kind)] == [((kind,), "")]


@pytest.mark.parametrize(
    ("kind", "change"),
    [
        ("gradient_check_near", ("0.005", "0.006")),
        ("gradient_check_near", ("0.0005", "0.0006")),
        ("gradient_check_near", ("x_1", "x_2")),
        ("gradient_check_same", ("x_2", "w_{11}")),
        ("gradient_check_same", ("x_2", "z_2")),
        ("gradient_check_apart", ("x_1", "x_2")),
    ],
)
def test_a_changed_claim_about_a_moved_entry_is_found_out(kind: str, change: tuple[str, str]) -> None:
    (found,) = verdicts(kind, change)
    assert found.wrong, found.said
