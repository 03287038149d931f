"""On a page a loss has one letter, in formulas, gradients, pictures, checks, readings, tables and data."""

from __future__ import annotations

import json
import re
from random import Random

import pytest

from symattn.api.worked import derive
from symattn.read.scenario.load import loads

LESSON = """
title = "Loss"
language = "en"
{top}
[given]
X = [["1", "2"], ["3", "1"], ["0", "1"]]
W = [["1", "0"], ["1", "1"]]
[[section]]
title = "All"
steps = {steps}
{end}
"""

LOSSES = ("cross_entropy(Y, [0, 1, 0])", "mse(A, X)", "sum(A * A, axis=None)", "mean(Y * X + A, axis=None)")
WRITTEN = {
    "L": "L",
    "loss": r"\mathrm{loss}",
    "J": "J",
    "E": "E",
    "c": "c",
    "ell": r"\mathrm{ell}",
    "L_CE": r"L_{\mathrm{CE}}",
}
NOTED = {"tilde(L)": r"\tilde{L}", "C": "C", "": ""}


def lesson(seed: int) -> tuple[str, set[str]]:
    """A random lesson with one loss or two, and how each is to be written."""
    draw = Random(seed)
    names = draw.sample(sorted(WRITTEN), draw.choice((1, 1, 2)))
    steps, top, end = ["Y = X @ W", "A = softmax(Y)"], "", ""
    noted = draw.choice(sorted(NOTED))
    if noted:
        top += f'[notation]\n{names[0]} = "{noted}"'
    for name in names:
        formula = draw.choice(LOSSES)
        if draw.random() < 0.5:
            steps += [f"{name} = {formula}", f"g_{name} = grad({name}, X)", f"h_{name} = grad({name}, W)"]
        else:
            steps.append(f"{name} = {formula}")
            end += f'[[backward]]\nof = "{name}"\nwrt = ["X", "W"]\n'
    if draw.random() < 0.4:
        rule = draw.choice(("sgd", "momentum"))
        end += f'[train]\nof = "{names[-1]}"\nrule = "{rule}"\nrate = "1/10"\nweights = ["W"]\n'
    written = {WRITTEN[name] for name in names[bool(noted) :]} | ({NOTED[noted]} if noted else set())
    return LESSON.format(top=top, steps=json.dumps(steps), end=end), written


def losses_of(text: str) -> set[str]:
    """What stands above ∂X, ∂W and the entries of both, but for entries of steps, without the time of a training."""
    name = r"(?:\\(?:mathrm|tilde)\{\w+\}|[A-Za-z])(?:_\{?(?:\\mathrm\{\w+\}|\w+)\}?)?"
    found = re.findall(rf"\\partial ?({name})(?:\^\{{\(\d\)\}})?(?:\}}\{{|/)\\partial [XWxw]", text)
    return {each for each in found if not re.fullmatch(r"[ay]_\{\w\w\}", each)}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("seed", range(12))
def test_a_loss_has_one_letter(seed: int) -> None:
    text, written = lesson(seed)
    solution = derive(loads(text))
    page = solution.render(language="en")
    assert losses_of(page) == written
    checked = set(re.findall(r"and compute \$(.*?)\$ again", page))
    assert checked == written
    assert {each for said in re.findall(r"Backward: the gradients of \$(.*?)\$", page) for each in [said]} <= written
    data = json.loads(solution.render("json", language="en"))
    symbols = {step["symbol"]["latex"] for step in data["steps"]}
    assert written <= symbols
    assert losses_of(" ".join(symbols)) == written
