"""What lessons of other courses have taught: each rule with a lesson that nobody polished for it."""

from __future__ import annotations

import re

import pytest

from symattn.api.worked import derive
from symattn.read.scenario.load import loads
from tests.document.lessons import lesson


def page(steps: str, given: str, head: str = "", **options: str) -> str:
    return derive(loads(lesson(steps, given, head))).render(language="en", asks="own", **options)  # type: ignore[arg-type]


def test_a_lesson_of_general_matrices_has_a_flow() -> None:
    steps = "H = relu(X @ W) | Y = H @ V | T = Y.T @ Y | P = softmax(T)"
    shown = page(steps, "", 'general = { X = ["n", "k"], W = ["k", "m"], V = ["m", "l"] }', figures="inline")
    assert "The flow of the data" in shown


def test_a_part_of_a_gradient_is_not_said_to_be_all_of_it() -> None:
    loss = 'loss = "sum(Y * T, axis=None)"\nbackward = [{ wrt = "X" }]'
    shown = page("v = var(X, axis=0) | Y = X / sqrt(v + 1)", "X = 1, 2; 3, 5 | T = 1, 0; 0, 1", loss)
    assert "along several paths" in shown
    assert "through $v$ only" not in shown


def test_an_entry_of_a_jacobian_is_no_derivative_by_an_entry() -> None:
    shown = page("f = tanh(p) | J = jacobian(f, p) | D = J[0, 0] * J[1, 1]", "p = 1, 2")
    assert r"\frac{\partial f}{\partial p_{1,1}}" not in shown
    assert r"\left\lbrack\frac{\partial f}{\partial p}\right\rbrack_{1,1}" in shown
    assert "how the loss reacts" not in shown


def test_a_moment_is_called_in_the_rule_as_in_its_steps() -> None:
    train = (
        'loss = "mse(Y, X)"\nbackward = [{ wrt = "W" }]\ntrain = { weights = ["W"], rule = "momentum", rate = "1/10" }'
    )
    shown = page("Y = X @ W", "X = 1, 2; 3, 5 | W = 1, 0; 1, 1", train)
    assert r"v_{\theta}^{(t)}" in shown
    assert "v_W^{(1)}" in shown
    assert "| new weights |" in shown


EXAMPLES = "Z = X @ W | P = softmax(Z)"
SEQUENCE = f"A = softmax(X @ X.T) | R = A @ X | {EXAMPLES.replace('X', 'R')}"


@pytest.mark.parametrize(("steps", "is_mixed"), [(EXAMPLES, False), (SEQUENCE, True)])
@pytest.mark.parametrize("tokens", ["", 'tokens = ["a", "b"]'])
def test_the_last_row_stands_out_only_where_tokens_are_mixed(tokens: str, steps: str, is_mixed: bool) -> None:
    head = tokens + '\nloss = "cross_entropy(Z, t)"'
    shown = page(steps, "X = 1, 2; 3, 4 | W = 1, 0, 1; 0, 1, 1 | t = 2, 0", head)
    assert ("the most probable candidate" in shown) == (is_mixed and bool(tokens))
    assert "| $t$ | numbers of the right answers |" in shown


def test_a_state_that_is_read_out_is_no_second_layer() -> None:
    given = "x = 1, 0 | s = 1, 1 | A = 1, 2; 0, 1 | B = 1, 0; 1, 1 | c = 1; 2"
    shown = page("q = tanh(x @ A + s @ B) | u = q @ c | p = q @ A", given)
    assert "layer" not in shown
    assert "small network" not in shown
    layers = page("q = tanh(x @ A) | u = q @ c | p = x @ B", given)
    assert "second layer" in layers
    assert layers.splitlines()[2] == "A small network works on every row by itself."


OWN = """operation.bent.parameters = ["H: m×n"]
operation.bent.equations = ["y[i,j] = H[i,j] / (1 + abs(H[i,j]))"]
operation.bent.page = "bend"
operation.bent.source = "A book."
"""


@pytest.mark.parametrize("call", ["bent(N)", "softplus(N)", "leaky_relu(N)", "power(N, 3)", "floor(N)"])
def test_a_reason_says_more_than_that_something_is_applied(call: str) -> None:
    shown = page(f"i = {call} | e = i @ N | k = e + N", "N = 1, -2; 3, 4", OWN)
    assert "applied" not in shown


@pytest.mark.parametrize("call", ["softmax(v)", "v / sum(v)", "proportions(v)"])
def test_shares_of_one_row_are_called_weights_only_where_they_weigh_something(call: str) -> None:
    shown = page(f"s = {call} | d = s - v | h = entropy(s)", "v = 1, 2, 3")
    assert "weight" not in shown


def test_no_token_is_said_to_leave_a_row_of_weights_unused() -> None:
    loss = 'loss = "sum(y * y, axis=None)"\nbackward = [{ wrt = "A" }]'
    given = "x_1 = 1, 0 | x_2 = 0, 1 | A = 1, -1; 2, 1"
    assert "No token" not in page("h = tanh(x_1 @ A) | y = x_2 @ A + h", given, loss)
    assert "No token" not in page("y = x_2 @ A", given, loss)


def test_labels_of_no_matrix_are_not_told() -> None:
    head = 'labels = { user = ["Ann", "Bob"], kind = ["x", "y"] }'
    given = 'given.X = { value = [["1"], ["2"]], axes = ["user", "1"] }'
    shown = page("Y = X + 1", "", f"{head}\n{given}")
    assert "Ann" in shown
    assert "“x”" not in shown


def test_a_new_value_leaves_the_old_its_letter() -> None:
    shown = page("h_new = 2 * h", "h = 1, 2")
    assert re.search(r"h_{\\mathrm{new}}\\rbrack_j (&)?= 2h_j", shown)


def test_the_smallest_is_not_told_by_the_largest() -> None:
    shown = page("a = argmin(D) | m = sum(min(D, axis=1))", "D = 3, 1, 2; 5, 4, 7")
    assert r"\mathrm{argmin}(3, 1, 2) - 1 = 2 - 1 = 1" in shown
    assert "Here argmin is the column of the smallest entry" in shown
    assert r"\mathrm{min}(5, 4, 7) = 4" in shown
    assert "max" not in shown


def test_a_number_of_several_signs_has_lines_and_what_ones_repeat_has_none() -> None:
    head = 'given.alpha = "0.85"'
    shown = page(
        "G = alpha * X + (1 - alpha) / 4 * ones(2, 2) | E = relu(l @ ones(1, 2) + X) | F = X - 2",
        "X = 1, 2; 5, 4 | l = 1; 2",
        head,
    )
    assert r"\frac{1 - \alpha}{4} &= \frac{0.15}{4} = 0.0375" in shown
    assert "l_1 &= 1\\\\" not in shown
    assert "f_{11} &= 1 - 2 = -1" in shown or "f_{11} = 1 - 2 = -1" in shown


@pytest.mark.parametrize(
    ("steps", "written"),
    [
        ("u = x / norm(x) | J = jacobian(u, x)", r"\frac{I_2 - u^Tu}{\lVert x\rVert}"),
        ("f = x ** 2 | J = jacobian(f, x)", r"\mathrm{diag}(2x)"),
        ("f = x * y | J = jacobian(f, x)", r"\mathrm{diag}(y)"),
    ],
)
def test_a_jacobian_is_written_as_courses_write_it(steps: str, written: str) -> None:
    shown = page(steps, "x = 1, 2 | y = 3, 5")
    assert rf"\frac{{\partial {steps[0]}}}{{\partial x}} = {written}" in shown
    assert "grad" not in shown


@pytest.mark.parametrize("labels", [["go", "stop", "go"], ["a", "a", "a"], ["u", "v", "w"]])
def test_a_row_is_called_by_its_label_where_no_other_row_has_it(labels: list[str]) -> None:
    head = f"tokens = {labels}".replace("'", '"')
    shown = page("i = N[2] + N[1] | k = N[0]", "N = 1, 2; 3, 4; 5, 6", head)
    for place, label in enumerate(labels, 1):
        assert (rf"N_{{(\text{{{label}}})}}" in shown) == (labels.count(label) == 1)
        assert (rf"N_{{{place},\cdot}}" in shown) == (labels.count(label) > 1)


@pytest.mark.parametrize(("x", "y"), [("u", "v"), ("i", "k"), ("e", "n")])
def test_a_vector_that_has_become_a_column_stays_one(x: str, y: str) -> None:
    head = f'given.{x} = ["1", "-1"]\ngiven.{y} = ["1/2", "2"]'
    steps = f"g = sigmoid(A @ {x}) | s = (1 - g) * {y} + g * {x} | r = A @ s + {y} | d = s - r"
    plan = derive(loads(lesson(steps, "A = 1, 2; 0, 1", head))).derivation
    assert {str(plan[name].shape) for name in "gsrd"} == {"(2, 1)"}
    rows = f"g = sigmoid({x} @ A) | s = (1 - g) * {y} + g * {x} | r = s @ A + {y} | d = s - r"
    plan = derive(loads(lesson(rows, "A = 1, 2; 0, 1", head))).derivation
    assert {str(plan[name].shape) for name in "gsrd"} == {"(1, 2)"}


@pytest.mark.parametrize("decimals", [6, 9])
def test_what_is_added_up_has_as_many_decimals_as_the_sum(decimals: int) -> None:
    steps = f'{{ step = "k = i / 3000 + e / 7000", decimals = {decimals} }}'
    shown = page(steps, "i = 1, 2 | e = 1, 5", detail="steps")
    added = re.search(r"k_1 &\\approx (\S+) \+ (\S+) \\approx (\S+)", shown)
    assert added is not None
    assert {len(figure.partition(".")[2]) for figure in added.groups()} == {decimals}


@pytest.mark.parametrize("mean", ["mean(d, axis=1)", "sum(d, axis=1) / 2", "mean(mean(d, axis=1))"])
def test_the_exponential_of_a_mean_surprise_is_a_perplexity(mean: str) -> None:
    given = "A = 1/2, 1/4; 1, 1/8"
    assert "perplexity" in page(f"d = -log(A) | i = {mean} | k = exp(i) | e = k + 1", given)
    for other in ("d = log(A)", "d = -sqrt(A)", "d = -log(A) + 1"):
        assert "perplexity" not in page(f"{other} | i = {mean} | k = exp(i) | e = k + 1", given)


@pytest.mark.parametrize("what", ["mean", "sum", "max"])
def test_of_columns_the_first_is_worked_out_as_of_rows(what: str) -> None:
    shown = page(f"e = {what}(N, axis=0) | i = {what}(N, axis=1)", "N = 1, 7; 3, 7; 5, 7", detail="steps")
    assert "e_1" in shown
    assert "e_2" not in shown


@pytest.mark.parametrize("formula", ["N @ N + N", "softmax(N)", "N * N", "2 * N"])
def test_a_formula_that_a_step_has_already_is_told(formula: str) -> None:
    assert "$k$ has the same entries as $e$." in page(f"e = {formula} | i = e + N | k = {formula}", "N = 1, 2; 3, 1")
    assert "$k$ has the same entries" not in page(f"e = {formula} | k = {formula} + e", "N = 1, 2; 3, 1")


@pytest.mark.parametrize(("after", "is_said"), [("k = softmax(-e)", False), ("k = e + e", True)])
def test_candidates_are_told_only_of_the_last_shares_of_them(after: str, is_said: bool) -> None:
    head = 'labels.c = ["up", "down"]\ngiven.e = { value = [["2", "1"]], axes = ["1", "c"] }'
    shown = page(f"i = softmax(e) | n = argmax(i) | {after} | t = 2 * k", "", head)
    assert ("the most probable candidate" in shown.casefold()) == is_said
