"""Programs in PyTorch whose gradients come from ``loss.backward()`` print what those do that have them written out."""

from __future__ import annotations

import io
from contextlib import redirect_stdout

import pytest

import symattn
from symattn.compute.codegen import LANGUAGES, Program, programs, single
from symattn.read.scenario.load import loads
from symattn.read.scenario.model import Differentiated, differentiated
from tests.cases import solved

GIVEN = """
title = "Lesson"
[given]
X = [["1", "2", "0"], ["0", "1", "-1"]]
W = [["1/2", "1/3"], ["-1/4", "1"], ["1/5", "1/7"]]
T = [["1/3", "0"], ["1", "1/5"]]
"""
LAYER = """
[[section]]
title = "Forward"
steps = ["Y = X @ W", "H = gelu(Y)"]
[[section]]
title = "Loss"
steps = ["L = mse(H, T)"]
[[section]]
title = "Backward"
steps = ["dW = grad(L, W)", "dY = grad(L, Y)"]
"""
RULES = {
    "sgd": 'rate = "1/2"',
    "momentum": 'rate = "1/10"\nmomentum = "4/5"',
    "adam": 'rate = "1/10"\nbeta1 = "4/5"\nbeta2 = "99/100"\ndecay = "1/10"',
    "adamw": 'rate = "1/10"\ndecay = "1/5"',
}


def printed(program: Program) -> str:
    pytest.importorskip("torch")
    told = io.StringIO()
    with redirect_stdout(told):
        exec(compile(program.code, "program.py", "exec"), {})  # noqa: S102 - made here
    return told.getvalue().rstrip("\n")


def written(lesson: str, *names: str, known: Differentiated | None = None) -> Program:
    solution = symattn.derive(loads(lesson))
    return programs(solution.store, ["torch"], names, known or differentiated(solution.scenario))[0]


@pytest.mark.long
@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    ("scenario", "names"),
    [
        ("backward", ("dU", "dA", "dS", "dX", "dW_Q", "dW_K", "dW_V", "dW_out", "W_Q_t1", "W_out_t2", "p_t1", "L_t2")),
        ("backward", ("dW_Q_t1", "dA_t1", "L_t1", "L")),
        ("training", ("dE", "dR_1", "dW_1", "dW_2", "dW_O", "dQK_T", "dF_1", "E_t1", "J_t1")),
    ],
)
def test_what_the_tape_has_is_what_the_page_prints(scenario: str, names: tuple[str, ...]) -> None:
    solution = solved(scenario)
    known = differentiated(solution.scenario)
    taped, by_hand = (programs(solution.store, ["torch"], names, each)[0] for each in (known, None))

    assert ".backward()" in taped.code
    assert ".backward()" not in by_hand.code
    assert taped.output == by_hand.output
    assert printed(taped) == printed(by_hand) == taped.output


@pytest.mark.parametrize("rule", RULES)
def test_every_rule_is_an_optimizer(rule: str) -> None:
    train = f'[train]\nrule = "{rule}"\nweights = ["W"]\nsteps = 3\n{RULES[rule]}\n'
    program = written(GIVEN + LAYER + train, "dW", "W_t1", "W_t3", "L_t3")

    assert program.code.count("optimizer.step()") == 3
    assert printed(program) == program.output


def test_a_step_of_training_goes_back_though_nobody_asks_for_gradients() -> None:
    program = written(GIVEN + LAYER + '[train]\nrule = "sgd"\nweights = ["W"]\nrate = "1"', "L_t1")

    assert "L.backward()\noptimizer.step()" in program.code
    assert printed(program) == program.output


@pytest.mark.parametrize(
    ("steps", "names"),
    [
        # what is no gradient of a number
        ('["Y = X @ W", "G = T", "dX = vjp(Y, G, X)"]', ("dX",)),
        # gradients of two numbers without an optimizer between them
        ('["L = mse(X @ W, T)", "J = sum(X @ W, axis=None)", "a = grad(L, W)", "b = grad(J, W)"]', ("a", "b")),
    ],
)
def test_what_a_tape_does_not_have_is_written_out(steps: str, names: tuple[str, ...]) -> None:
    program = written(f'{GIVEN}[[section]]\ntitle = "s"\nsteps = {steps}\n', *names)

    assert ".backward()" not in program.code
    assert printed(program) == program.output


def test_what_comes_on_one_of_several_ways_is_made_of_what_the_tape_has() -> None:
    steps = '["Q = X @ W", "K = X @ W", "L = sum(Q * K * K, axis=None)", "dW = grad(L, W)"]'
    program = written(f'{GIVEN}[[section]]\ntitle = "s"\nsteps = {steps}\n', "dW_Q", "dW")

    assert "dW_Q = X.T @ dQ" in program.code
    assert printed(program) == program.output


def test_names_that_mean_something_else_in_the_program() -> None:
    lesson = (GIVEN + LAYER).replace("Y", "torch").replace("W =", "F =").replace("@ W", "@ F").replace(", W)", ", F)")
    program = written(lesson, "dF", "dtorch")

    assert ".backward()" in program.code
    assert printed(program) == program.output


def test_only_a_language_with_a_tape_leaves_gradients_to_itself() -> None:
    solution = solved("backward")
    known = differentiated(solution.scenario)

    for key in LANGUAGES:
        assert ("L.backward()" in programs(solution.store, [key], ["dW_Q"], known)[0].code) == (key == "torch")
    assert "L.backward()" in single(solution.store, "torch", "dW_Q", known).code


def test_the_page_of_backward_has_the_program() -> None:
    page = solved("backward").render(language="en")

    assert "\nL.backward()\n" in page
    assert "optimizer = torch.optim.SGD([W_Q, W_K, W_V, W_out], lr=1)" in page
