"""--backward: gradients for a scenario that was written without."""

from __future__ import annotations

from pathlib import Path

import pytest

from symattn import derive, load
from symattn.base.errors import FormulaError, ScenarioError, UnknownNameError
from tests.commands import run

LESSON = """title = "Forward only"
loss = "cross_entropy(logits, target)"
[given]
E = [["1", "0"], ["0", "2"], ["1", "1"]]
ids = ["0", "2"]
W = [["1", "1/2"], ["0", "1"]]
U = [["1", "0", "1"], ["0", "1", "1/2"]]
target = ["1", "0"]
[[section]]
title = "Weights"
steps = ["X = one_hot(ids, 3) @ E", "A = softmax(X @ W @ X.T)", "Z = A @ X", "logits = Z @ U"]
"""


@pytest.fixture(autouse=True)
def _files(in_a_folder: None) -> None:
    Path("lesson.toml").write_text(LESSON, encoding="utf-8")


def test_all_givens_but_ids_get_a_gradient() -> None:
    solution = derive("lesson.toml", backward=True)
    assert {"dE", "dW", "dU"} <= set(solution.derivation.by_name)
    assert not {"dids", "dtarget"} & set(solution.derivation.by_name)
    assert solution["dU"].shape == solution["U"].shape
    assert solution.scenario.sections[-1].number == "3"  # the loss is 2


@pytest.mark.long
def test_the_same_as_a_file_that_asks_for_them() -> None:
    asked = LESSON + '[[backward]]\nwrt = ["W", "A"]\n'
    Path("asked.toml").write_text(asked, encoding="utf-8")
    one, other = derive("lesson.toml", backward="L", wrt=["W", "A"]), derive("asked.toml")
    assert one.render("markdown", language="en") == other.render("markdown", language="en")
    assert derive("asked.toml", backward=True, wrt=["W"]).scenario == load("asked.toml")


@pytest.mark.long
@pytest.mark.sampled(1)
@pytest.mark.parametrize("format", ["html", "latex", "json", "typst", "numpy"])
def test_every_format_has_them(format: str) -> None:
    if format == "numpy":
        result = run(*"derive lesson.toml --backward --wrt W --code numpy".split())
    else:
        result = run(*f"derive lesson.toml --backward --wrt W --format {format}".split())
    assert result.exit_code == 0, result.output
    assert "dW" in result.output or "partial" in result.output or "∂" in result.output


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (
            "lesson.toml --backward Z",
            "lesson.toml, line 11, section[1].steps[3]: Z is (2, 2): expected a single number",
        ),
        ("lesson.toml --backward --wrt ids", "L depends on ids through one_hot only: ids holds ids, which choose rows"),
        ("lesson.toml --backward --wrt V", "unknown name 'V'"),
        ("lesson.toml --backward --wrt W,W", "the gradient by W is asked for twice"),
        ("lesson.toml --wrt W", "--wrt belongs to --backward"),
        ("--backward lesson.toml", "expected the name of a loss; write symattn derive lesson.toml --backward"),
        ("weather --backward", 'loss = "…" at the top of the file is the formula of it, a single number'),
    ],
)
def test_what_has_no_gradient_is_one_sentence(options: str, said: str) -> None:
    result = run("derive", *options.split())
    assert result.exit_code == 2
    assert said in result.output


def test_wrong_names_in_python() -> None:
    with pytest.raises(UnknownNameError, match="unknown name 'M'"):
        derive("lesson.toml", backward="M")
    with pytest.raises(FormulaError, match="expected a single number"):
        derive("lesson.toml", backward="A")
    with pytest.raises(ScenarioError, match="wrt: expected names in a list, came the text"):
        derive("lesson.toml", backward=True, wrt="W")
    with pytest.raises(ScenarioError, match="wrt belongs to backward"):
        derive("lesson.toml", wrt=["W"])
