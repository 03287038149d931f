"""Figures of float16 and float32 are no mistakes, and a given that is given otherwise is a contradiction."""

from __future__ import annotations

import numpy as np
import pytest

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


@pytest.mark.parametrize(("kind", "digits"), [(np.float16, 4), (np.float16, 6), (np.float32, 8)])
def test_a_chain_in_lower_precision_is_told_and_raises_no_alarm(kind: type[np.floating], digits: int) -> None:
    """Each step works with numbers that were rounded on the way."""
    q, k, v = ((np.arange(12).reshape(3, 4) * step % 17 / kind(5) - kind(1.7)).astype(kind) for step in (5, 7, 11))
    s = (q @ k.T / kind(2)).astype(kind)
    exps = np.exp(s).astype(kind)
    a = (exps / exps.sum(axis=1, keepdims=True)).astype(kind)
    given = "".join(f"{name} = torch.tensor({listed(each, 1)})\n" for name, each in (("Q", q), ("K", k), ("V", v)))
    program = f"{given}S = Q @ K.T / 2\nA = torch.softmax(S, dim=-1)\nO = A @ V\nprint(S, A, O)\n"
    shown = "\n".join(f"tensor({listed(each, digits)})" for each in (s, a, a @ v))
    found = check(f"```python\nimport torch\n{program}```\n\n```\n{shown}\n```\n")
    assert found.findings == ()
    assert all(np.dtype(kind).name in each.said for each in found.remarks)
    last = listed(a, digits).rpartition(".")[2].rstrip("]")
    worse = check(f"```python\nimport torch\n{program}```\n\n```\n{shown.replace(last, '9' + last[1:])}\n```\n")
    assert not worse.is_right


def listed(rows: np.ndarray, digits: int) -> str:
    return "[" + ", ".join("[" + ", ".join(f"{float(each):.{digits}f}" for each in row) + "]" for row in rows) + "]"


def test_a_given_that_is_given_otherwise_is_a_contradiction() -> None:
    found = check("$X = [[1, 2, 3], [4, 5, 6]]$.\n\nAgain $X = [[1, 2, 3], [4, 5, 7]]$.\n")
    assert [(each.printed, each.expected, each.kind) for each in found.findings] == [("7", "6", "contradiction")]
