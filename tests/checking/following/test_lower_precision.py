"""Figures of float16 and float32 are no mistakes, and a given that is given otherwise is a contradiction."""

from __future__ import annotations

import numpy as np

from symattn.checking.check import check

SCORES = [[0.1, 0.7, 1.3], [0.2, 0.4, 2.0]]


def page(weights: str) -> str:
    rows = r" \\ ".join(" & ".join(map(str, row)) for row in SCORES)
    return f"$$S = \\begin{{bmatrix}} {rows} \\end{{bmatrix}}$$\n\n$$A = \\text{{softmax}}(S) = {weights}$$\n"


def printed(kind: type[np.floating], digits: int) -> str:
    scores = np.array(SCORES)
    exps = np.exp(scores)
    weights = (exps / exps.sum(axis=1, keepdims=True)).astype(kind)
    rows = r" \\ ".join(" & ".join(f"{float(each):.{digits}f}" for each in row) for row in weights)
    return f"\\begin{{bmatrix}} {rows} \\end{{bmatrix}}"


def test_float16_is_told_and_raises_no_alarm() -> None:
    found = check(page(printed(np.float16, 5)))
    assert found.is_right
    assert "float16" in found.remarks[0].said


def test_float32_is_told_and_raises_no_alarm() -> None:
    found = check(page(printed(np.float32, 9)))
    assert found.is_right
    assert "float32" in found.remarks[0].said


def test_a_wrong_figure_among_those_of_float16_is_wrong() -> None:
    right = printed(np.float16, 5)
    last = right.split(" & ")[2].partition(" ")[0]
    wrong = last.replace("0.54", "0.56")
    assert wrong != last
    assert wrong in [each.printed for each in check(page(right.replace(last, wrong))).findings]


def test_a_given_that_is_given_otherwise_is_a_contradiction() -> None:
    found = check("$X = [[1, 2, 3], [4, 5, 6]]$.\n\nAgain $X = [[1, 2, 3], [4, 5, 7]]$.\n")
    assert [(each.printed, each.expected, each.kind) for each in found.findings] == [("7", "6", "contradiction")]
