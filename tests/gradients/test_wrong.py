"""What is wrong with a gradient is one sentence, with file, line and key."""

from __future__ import annotations

import pytest

from symattn.api.worked import derive
from symattn.base.errors import SymattnError
from symattn.read.scenario.load import loads
from symattn.read.scenario.model import StepItem

HEAD = """title = "t"
symbols = ["t"]
{above}
[given]
X = [["1", "0"], ["0", "2"], ["1", "1"]]
W = [["1", "1/2"], ["0", "1"]]
G = [["1", "1"], ["1", "0"], ["0", "0"]]
ids = ["0", "2"]
lonely = [["1"]]
B = [[["1", "2"]], [["3", "4"]]]
[[section]]
title = "Steps"
steps = [
  "Y = X @ W", "T = one_hot(ids, 3) @ X", "s = sum(Y * Y, axis=None)", "u = sum(T, axis=None)",
  "big = ones(8, 8) @ ones(8, 8)", "a = sum(argmax(Y), axis=None)", "f = sum(floor(Y), axis=None)",
  "b = sum(B_1, axis=None)",
  {steps}
]
{below}
"""
STEP = "lesson.toml, line 17, section[1].steps[9]: "


def of(steps: str = "", above: str = "", below: str = "") -> str:
    return HEAD.format(steps=steps, above=above, below=below)


@pytest.mark.parametrize(
    ("step", "said"),
    [
        (
            "dW = grad(Y, W)",
            "Y is (3, 2): expected a single number to take gradients of, such as the sum of its entries",
        ),
        ("dW = vjp(Y, W, W)", "W is (2, 2), Y is (3, 2): expected one shape"),
        (
            "di = grad(u, ids)",
            "u depends on ids through one_hot only: ids holds ids, which choose rows, and a choice of",
        ),
        (
            "dX = grad(a, X)",
            "a depends on X through argmax only: a choice has no gradient, for it stays the same until",
        ),
        ("dX = grad(f, X)", "f depends on X through floor only: a choice has no gradient, for it stays the same until"),
        ("dX = grad(s, Z)", "unknown name 'Z'"),
        ("dX = grad(Z, X)", "unknown name 'Z'"),
        ("dX = grad(s)", "'grad(s)': expected names, grad(L, X): a formula gets a name by a step of its own"),
        ("dX = grad(s, X @ W)", "'grad(s, X @ W)': expected names, grad(L, X): a formula gets a name by a step"),
        (
            "dX = 2 * grad(s, X)",
            "step dX: formula '2 * grad(s, X)': unknown function 'grad': a gradient is a step of a",
        ),
        (
            "J = jacobian(Y)",
            "'jacobian(Y)': expected names, jacobian(y, x): a formula gets a name by a step of its own",
        ),
        ("J = jacobian(Y, Z)", "unknown name 'Z'"),
        (
            "J = jacobian(T, ids)",
            "T depends on ids through one_hot only: ids holds ids, which choose rows, and a choice",
        ),
        ("J = jacobian(b, B)", "B is several matrices: expected one of them, such as B_1"),
        (
            "J = jacobian(big, big)",
            "the Jacobian of big (8, 8) by big (8, 8) is (64, 64): more than JACOBIAN_ENTRIES = ",
        ),
        ("dB = grad(b, B)", "B is several matrices: expected one of them, such as B_1"),
    ],
)
def test_a_step_that_is_no_gradient(step: str, said: str) -> None:
    with pytest.raises(SymattnError) as error:
        loads(of(f'"{step}"'), path="lesson.toml")
    assert str(error.value).startswith(STEP + said)
    assert "more problem" not in str(error.value)


@pytest.mark.parametrize(
    ("above", "below", "said"),
    [
        (
            'loss = "sum(Y * Q, axis=None)"',
            '[[backward]]\nwrt = "X"',
            "line 3, loss.step: step L: formula 'sum(Y * Q, a",
        ),
        ('loss = "Y"', '[[backward]]\nwrt = "X"', "line 19, backward[1]: L is (3, 2): expected a single number"),
        (
            'loss = "sum(Y, axis=None)"',
            '[[backward]]\nwrt = ["X", "X"]',
            "line 19, backward[1]: the gradient by X is aske",
        ),
        ("", '[[backward]]\nof = "M"', "line 19, backward[1]: unknown name 'M'"),
        (
            "",
            "[[backward]]",
            "line 19, backward[1]: unknown name 'L': known: B_1, B_2, G, T, W, X, Y, a, b, big, f, ids and 3 more; "
            'loss = "…" at',
        ),
        ("", '[[backward]]\nof = "a"', "line 19, backward[1]: a depends on no given in a way that has a gradient"),
    ],
)
def test_a_table_that_asks_for_no_gradient(above: str, below: str, said: str) -> None:
    with pytest.raises(SymattnError) as error:
        loads(of("", above, below), path="lesson.toml")
    assert str(error.value).startswith("lesson.toml, " + said)
    assert "more problem" not in str(error.value)


def test_a_loss_whose_name_is_taken() -> None:
    with pytest.raises(SymattnError, match=r"line 3, loss.*: L is already defined at section\[1\].steps\[9\]"):
        loads(of('"L = X @ W"', 'loss = "sum(Y * Y, axis=None)"'), path="lesson.toml")


def test_what_a_loss_does_not_depend_on_has_the_gradient_0_which_is_said() -> None:
    solution = derive(loads(of('"dl = grad(s, lonely)"')))
    assert solution["dl"].exact.is_zero_matrix
    assert "does not depend on $\\mathrm{lonely}$" in solution.render(language="en")


def test_gradients_of_what_has_letters_for_sizes() -> None:
    text = 'title = "t"\nloss = "sum(Y * Y, axis=None)"\ngeneral = { X = ["m", "n"], W = ["n", "p"] }\n'
    text += '[[section]]\ntitle = "s"\nsteps = ["Y = softmax(X @ W)"]\n[[backward]]\n'
    page = derive(loads(text)).render(language="en")
    assert "\\frac{\\partial L}{\\partial W} = X^T\\frac{\\partial L}{\\partial S_Y}" in page


def test_a_jacobian_of_what_does_not_depend_is_0_which_is_said() -> None:
    solution = derive(loads(of('"J = jacobian(Y, lonely)"')))
    assert solution["J"].shape == (6, 1)
    assert solution["J"].exact.is_zero_matrix
    assert "No entry of $Y$ depends on $\\mathrm{lonely}$" in solution.render(language="en")


def test_a_jacobian_counts_its_entries() -> None:
    text = 'title = "t"\ngeneral = { X = ["1", "n"] }\n[[section]]\ntitle = "s"\n'
    with pytest.raises(
        SymattnError, match="X is \\(1, n\\): a Jacobian counts its entries: expected numbers for sizes"
    ):
        loads(text + 'steps = ["J = jacobian(X, X)"]')


@pytest.mark.parametrize(
    "steps",
    ['"Y2 = tanh(X @ W)", "M = sum(Y2 * Y2, axis=None)", "v = var(Y, axis=None)", "r = sqrt(v)", "L = v + r + M"'],
)
def test_a_number_that_reaches_the_loss_straight_and_on_another_way(steps: str) -> None:
    solution = derive(loads(of(steps + ', "dX = grad(L, X)"')))
    assert solution["dv_L"].exact[0, 0] == 1
    assert "\\frac{\\partial L}{\\partial v}" in solution.render(language="en")


@pytest.mark.parametrize("asked", ["grad(s, X)", "jacobian(s, X)", "vjp(Y, G, X)"])
def test_a_gradient_takes_the_options_of_its_table(asked: str) -> None:
    step = f'{{ step = "D = {asked}", need = "My own words of {{X}}.", decimals = 9, works = [1, 2] }}'
    item = [each for each in loads(of(step)).sections[-1].items if isinstance(each, StepItem)][-1]
    assert "My own words of" in str(item.need)
    assert (item.name, item.decimals, item.works) == ("D", 9, (1, 2))


@pytest.mark.parametrize("step", ["D = grad(s, X)  # a remark", "D := grad(s, X)", "D ← grad(s, X)"])
def test_a_gradient_is_written_as_other_steps_are(step: str) -> None:
    assert loads(of(f'"{step}"')).derivation["D"].shape.sizes == (3, 2)


@pytest.mark.parametrize(
    ("formula", "rows"),
    [
        ("clip(Y, 0, 1)", (("0.5", "1.0"), ("0.0", "0.0"), ("0.5", "0.0"))),
        ("maximum(Y, 1)", (("0.5", "0.0"), ("0.0", "1.0"), ("0.5", "1.0"))),
        ("minimum(3/2, Y)", (("1.0", "1.0"), ("1.0", "0.0"), ("1.0", "0.5"))),
        ("maximum(Y, X[:1])", (("0.5", "1.0"), ("0.0", "1.0"), ("0.5", "1.0"))),
    ],
)
def test_a_number_beside_a_matrix_has_gradients_too(formula: str, rows: object) -> None:
    solution = derive(loads(of(f'"L = sum({formula}, axis=None)", "dY = grad(L, Y)"')))
    assert solution.decimals("dY", 1) == rows


@pytest.mark.parametrize(
    ("table", "key"),
    [
        ('[[backward]]\nof = "s"\nwrt = "W"\ntitle = "of {nope}"', "line 22, backward[1].title"),
        ('[train]\nof = "s"\nrule = "sgd"\nweights = "W"\ntitle = "of {nope}"', "line 23, train.title"),
    ],
)
def test_a_heading_that_is_wrong_is_told_where_it_stands(table: str, key: str) -> None:
    with pytest.raises(SymattnError) as error:
        loads(of("", "", table), path="lesson.toml")
    assert str(error.value).startswith(f"lesson.toml, {key}: {{nope}}: unknown name 'nope'")
