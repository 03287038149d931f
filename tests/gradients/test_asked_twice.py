"""What several tables ask for of one loss is worked out once."""

from __future__ import annotations

from symattn.scenario.load import loads

FILE = """title = "Twice"
loss = "sum(softmax(tanh(X @ W) @ V) * X, axis=None)"
[given]
X = [["1", "2"], ["0", "1"]]
W = [["1", "1/2"], ["-1", "1"]]
V = [["2", "0"], ["1", "1/3"]]
[[section]]
title = "Nothing"
steps = []
"""


def names(asked: str) -> list[str]:
    return [step.name for step in loads(FILE + asked).derivation.steps]


def test_a_second_table_goes_on_where_the_first_ends() -> None:
    at_once = names('[[backward]]\nwrt = ["V", "W"]\n')
    one_by_one = names('[[backward]]\nwrt = "V"\n[[backward]]\nwrt = "W"\n')
    assert len(one_by_one) == len(at_once)
    assert {"dL_in", "dV", "dW"} <= {*one_by_one} & {*at_once}
