"""What a section asks by itself: questions whose answers would not be true are not asked."""

from __future__ import annotations

import pytest

from symattn.api.worked import derive
from symattn.claims.worked import by_ours
from symattn.read.scenario.load import loads
from symattn.show.build import scenario_names
from symattn.show.understanding import LOOKS, StepView
from tests.document.lessons import lesson


def asked(steps: str, givens: str, head: str = "") -> set[str]:
    """The kinds of questions that can be asked about the last step of a lesson."""
    scenario = loads(lesson(steps, givens, head))
    name = steps.split(" | ")[-1].partition(" = ")[0]
    view = StepView(derive(scenario).store, by_ours(scenario).subject, scenario_names(scenario), name)
    return {kind for kind, look in LOOKS.items() if any(True for _ in look(view))}


@pytest.mark.parametrize(
    ("steps", "givens", "kind", "is_asked"),
    [
        ("s = q @ k.T", "q = 1, 2 | k = 2, -3", "angle", True),
        ("s = q @ k.T", "q = 0, 0 | k = 2, -3", "angle", False),  # 0 has no direction
        ("s = -2 * (q @ k.T)", "q = 1, 2 | k = 2, -3", "angle", False),
        ("Y = rms_norm(X, epsilon=0)", "X = 1, 2; 3, 4", "rms_norm", True),
        ("Y = rms_norm(X, epsilon=1/2)", "X = 1, 2; 3, 4", "rms_norm", False),  # twice as large is far from the same
        ("Y = X @ W + broadcast(b, 2)", "X = 1, 2; 3, 4 | W = 1, 0; 2, 1 | b = 1, 3", "bias", True),
        ("X = broadcast(b, 2) @ W | Y = X @ W + broadcast(b, 2)", "W = 1, 0; 2, 1 | b = 1, 3", "bias", False),
        ("C = X @ X.T | S = C / sqrt(2)", "X = 1, 2; 3, 4", "scale", True),
        ("Y = X / sqrt(2)", "X = 1, 2; 3, 4", "scale", False),  # no scores
        ("A = softmax(S) | Y = A @ V", "S = 0, 1; 2, 3 | V = 1, 2; 3, 4", "mixture", True),
        ("A = softmax(S) | Y = A @ V", "S = 0, 1; 2, 2 | V = 1, 2; 3, 4", "mixture", False),  # a tie in the last row
        ("U = W - dW / 10", "W = 1, 2; 3, 4 | dW = 1, 2; 3, 4", "moved", True),
        ("U = W - dW / 10^9", "W = 1, 2; 3, 4 | dW = 1, 2; 3, 4", "moved", False),  # both print alike
        ("Y = relu(X)", "X = 1, -2; 3, 4", "relu", True),
        ("Y = relu(X)", "X = 1, -2; 0, 4", "relu", False),  # is a 0 cut, or not?
    ],
)
def test_a_question_is_asked_where_its_answer_is_true(steps: str, givens: str, kind: str, is_asked: bool) -> None:
    assert (kind in asked(steps, givens)) == is_asked


def test_a_letter_for_a_size_under_a_root_is_no_trouble() -> None:
    sizes = "sizes = { d = 2 }"
    assert asked("Y = X / sqrt(d)", "X = 1, 2; 3, 4", sizes) == set()
    assert "inner_size" in asked("S = X @ X.T / sqrt(d)", "X = 1, 2; 3, 4", sizes)
