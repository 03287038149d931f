"""Gradients and training on pages: how they are derived, what is said of them, how they are written."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import cache
from random import Random
from typing import Any

import pytest

from symattn.api.worked import WorkedSolution, derive
from symattn.base import limits
from symattn.base.errors import FormulaError
from symattn.base.shapes import Axis, Shape
from symattn.base.words import languages
from symattn.compute.solution import evaluation
from symattn.read.scenario.load import loads
from symattn.read.scenario.model import StepItem
from symattn.read.scenario.notation import parse_notation
from symattn.show.build import scenario_names
from symattn.show.entries.letters import Letters
from symattn.show.math import Chain, Letter, Math, Number, added
from symattn.show.notation.formulas import Names, formula
from symattn.show.notation.names import row_of
from symattn.show.notation.terms import math_product, squared
from symattn.show.readings.gradients import KINDS, WHYS
from symattn.show.readings.step import readings
from symattn.write.layout import displays, width
from symattn.write.mathml import math
from symattn.write.plain_math import characters
from symattn.write.tex_math import DISPLAY, TexMath, tex
from symattn.write.typst_math import typst_math
from tests.document.lessons import lesson, plain
from tests.readback.page import read_solution

# -- which lines there are, and where there are none -------------------------------------------------------------------


@pytest.mark.long
@pytest.mark.parametrize("steps", [
    "Z = X @ W | A = softmax(Z / sqrt(2), axis=0) | L = sum(A * A, axis=None)",
    "e = exp(X) | i = proportions(e) | L = sum(i * i, axis=None)",
    "j = rms_norm(X) @ W | k = sigmoid(j) | L = sum(k * k, axis=None)",
    "r = W.T @ X.T | T = softmax(r) | L = sum(T * T, axis=None)",
])  # fmt: skip
def test_derived_lines_are_true_whatever_the_names(steps: str) -> None:
    given = "X = 1, 2, 0; -1, 1/2, 1 | W = 1, 0; 1/3, 1; 0, 2"
    report = read_solution(derive(loads(lesson(f"{steps} | D = grad(L, X)", given))))
    assert report.wrong == []
    assert report.compared > 60


# -- what is said of gradients, where it is proved ---------------------------------------------------------------------


SCORES = "S = 1, 0, 2; 0, 1, 1 | V = 1, 2; 0, 1; 1, 1"
SQUARES = "sum(Y * Y, axis=None)"
HEADS = "A = softmax(S) | Y = A @ V"
MASKED = "M = causal_mask(3) | A = softmax(S + M) | Y = A @ V"
SQUARE_SCORES = "S = 1, 0, 2; 0, 1, 1; 1, 1, 1 | V = 1, 2; 0, 1; 1, 1"
KINK = "X = 1, 0, -1; 2, 2, 0 | C = 1, 1, -1; 2, 3, 0"


def said(givens: str, steps: str, loss: str, wrt: str, name: str, head: str = "") -> Mapping[str, list[dict[str, Any]]]:
    """The readings of one gradient, by what they are called, with what they are told."""
    text = lesson(steps, givens, f'language = "en"\nloss = "{loss}"\n{head}')
    scenario = loads(f'{text}[[backward]]\nwrt = "{wrt}"\n')
    found: dict[str, list[dict[str, Any]]] = {}
    for phrase in readings(derive(scenario).store, name, scenario_names(scenario), (), ()):
        found.setdefault(phrase.key, []).append({key: plain(value) for key, value in phrase.arguments})
    return found


@pytest.mark.parametrize(("givens", "steps", "loss", "wrt", "name", "why"), [
    (SCORES, HEADS, SQUARES, "S", "dS", "softmax"),
    (SCORES, "T = S / 3 | " + HEADS.replace("S", "T"), SQUARES, "S", "dT", "softmax"),
    (SCORES, "T = S / 3 | " + HEADS.replace("S", "T"), SQUARES, "S", "dS", None),  # said of dT, and dS is a multiple
    (SCORES, HEADS, SQUARES, "V", "dV", None),
    (SCORES, HEADS, SQUARES, "S", "dA", None),
    (SCORES, "A = sigmoid(S) | Y = A @ V", SQUARES, "S", "dS", None),
    (SCORES, "A = proportions(exp(S)) | Y = A @ V", SQUARES, "S", "dS", None),
    ("X = 1, 2, 4; 0, 1, 5", "Y = layer_norm(X)", "sum(Y * exp(Y), axis=None)", "X", "dX", "norm"),
    ("X = 1, 2, 4; 0, 1, 5 | g = 1, 2, 3", "Y = layer_norm(X, gamma=g)", SQUARES, "X", "dX", "norm"),
    ("X = 1, 2, 4; 0, 1, 5", "Y = rms_norm(X)", "sum(Y * exp(Y), axis=None)", "X", "dX", None),
    ("Z = 1, 2, 4; 0, 1, 5 | t = 0, 2", "P = softmax(Z)", "cross_entropy(Z, t)", "Z", "dZ", "softmax"),
    ("X = 1, 2, 4; 0, 1, 5 | C = 1, 1, 1; 2, 2, 2", "Y = X - C", SQUARES, "X", "dX", None),
])  # fmt: skip
def test_rows_that_sum_to_zero(givens: str, steps: str, loss: str, wrt: str, name: str, why: str | None) -> None:
    found = said(givens, steps, loss, wrt, name).get("gradient_rows", [])
    wanted = [] if why is None else [WHYS.index(why)]
    assert [each["why"] for each in found] == wanted


def test_printed_figures_sum_to_nothing_that_is_proved() -> None:
    assert "gradient_rows" not in said(SCORES, HEADS, SQUARES, "S", "dS", 'figures.carry = "rounded"')


@pytest.mark.parametrize(("givens", "steps", "places"), [
    (SQUARE_SCORES, MASKED, [((1, 2), (1, 3), (2, 3))]),
    (SQUARE_SCORES, MASKED.replace("causal_mask(3)", "causal_mask(3, value=-1000)"), []),
    (SQUARE_SCORES, HEADS, []),
])  # fmt: skip
def test_the_gradient_of_masked_scores(givens: str, steps: str, places: list[Any]) -> None:
    found = said(givens, steps, SQUARES, "S", "dS").get("gradient_masked", [])
    assert [each["places"] for each in found] == places


@pytest.mark.parametrize(("steps", "loss", "is_said"), [
    ("P = softmax(Z)", "cross_entropy(Z, t)", True),
    ("T = one_hot(t, 3) | E = log_softmax(Z)", "-sum(T * E, axis=None) / 2", True),
    ("T = one_hot(t, 3) | E = log_softmax(Z)", "sum(T * E, axis=None)", False),
    ("T = one_hot(t, 3) | P = softmax(Z)", "sum((P - T) * (P - T), axis=None)", False),
])  # fmt: skip
def test_what_is_missing_from_right_answers(steps: str, loss: str, is_said: bool) -> None:
    found = said("Z = 1, 2, 4; 9, 1, 5 | t = 0, 2", steps, loss, "Z", "dZ")
    assert ("gradient_answers" in found) == is_said


def test_where_relu_is_off() -> None:
    found = said(KINK, "Y = relu(X)", SQUARES, "X", "dX")
    assert found["gradient_off"] == [{"count": 1, "total": 6, "places": ((1, 3),)}]
    assert "gradient_off" not in said("X = 1, 2", "Y = relu(X)", SQUARES, "X", "dX")
    assert "gradient_off" not in said(KINK, "Y = gelu(X)", SQUARES, "X", "dX")


@pytest.mark.parametrize(("steps", "taken", "places"), [
    ("Y = relu(X)", "relu", ((1, 2), (2, 3))),
    ("Y = relu(softmax(X) - 1/3)", None, ()),
    ("Y = relu(softmax(X - X) - 1/3)", "relu", ((1, 1), (1, 2), (1, 3), (2, 1), (2, 2), (2, 3))),
    ("Y = abs(X)", "abs", ((1, 2), (2, 3))),
    ("Y = leaky_relu(X)", "below", ((1, 2), (2, 3))),
    ("Y = row_max(X)", "largest", ((2, 1), (2, 2))),
    ("Y = row_min(X)", None, ()),
    ("Y = maximum(X, C)", "two", ((1, 1), (1, 3), (2, 1), (2, 3))),
    ("Y = gelu(X)", None, ()),
    ("Y = exp(X)", None, ()),
])  # fmt: skip
def test_what_is_taken_where_there_is_no_derivative(steps: str, taken: str | None, places: tuple[Any, ...]) -> None:
    inside = "dZ_Y" if "softmax" in steps else "dX"
    found = said(KINK, steps, SQUARES, "X", inside).get("gradient_kink", [])
    assert [(each["taken"], each["places"]) for each in found] == (
        [] if taken is None else [(KINDS.index(taken), places)]
    )


def test_rows_of_an_embedding_that_no_token_uses() -> None:
    table = "E = 1, 0; 0, 1; 1, 1; 2, 1 | ids = 1, 3, 1"
    found = said(table, "O = one_hot(ids, 4) | Y = O @ E", SQUARES, "E", "dE")
    assert [each["rows"] for each in found["gradient_unused"]] == [(1, 3)]
    every = table.replace("1, 3, 1", "1, 3, 0, 2")
    assert "gradient_unused" not in said(every, "O = one_hot(ids, 4) | Y = O @ E", SQUARES, "E", "dE")
    assert "gradient_unused" not in said("E = 1, 0; 0, 1 | O = 0, 1; 1, 0; 0, 2", "Y = O @ E", SQUARES, "E", "dE")


def test_a_step_that_is_written_by_hand_and_no_gradient_is_not_read() -> None:
    steps = "A = softmax(S) | B = A * (G - (A * G) @ ones(2, 1) @ ones(1, 2))"
    scenario = loads(lesson(steps, "S = 1, 0 | G = 1, 2"))
    found = readings(derive(scenario).store, "B", scenario_names(scenario), (), ())
    assert not [phrase for phrase in found if phrase.key.startswith("gradient")]


@pytest.mark.parametrize("language", languages())
def test_each_way_back_is_told_once_and_each_shape_is_said(language: str) -> None:
    text = lesson(
        "H = relu(X @ W) | Y = H @ U", "X = 1, 0; 2, 1 | W = 1, 2; 0, 1 | U = 1, 1; 0, 1", f'loss = "{SQUARES}"'
    )
    page = derive(loads(f'{text}[[backward]]\nwrt = ["W", "U"]\n')).render(language=language)
    told = {"en": "the right factor of", "zh-Hant": "的右因子", "zh-Hans": "的右因子"}[language]
    shape = {"en": "has the shape of", "zh-Hant": "相同。", "zh-Hans": "相同。"}[language]
    assert page.count(told) == 1
    assert shape in page


# -- gradients as fractions, with the indices of an entry at the letter below ------------------------------------------


PAGE = """
title = "Backward through one head"
language = "en"
[given]
S = [["1/2", "0", "1"], ["0", "1", "2"], ["1", "1", "0"]]
V = [["1", "0"], ["0", "1"], ["1", "2"]]
G = [["0.1", "0"], ["0", "0.2"], ["0.3", "-1"]]
W_Q = [["1", "0"], ["0", "1"], ["1", "1"]]
[notation]
G = "grad(L, Z)"
dA = "grad(L, A)"
dS = "grad(L, S)"
dV = "grad(L, V)"
dX_1 = "grad(L, X, Q)"
db = "grad(L, b)"
dW = "grad(L, W_Q)"
[[section]]
title = "All of them"
steps = [
  "A = softmax(S)", "dA = G @ V.T", "dV = A.T @ G", "dS = A * (dA - (A * dA) @ ones(3, 1) @ ones(1, 3))",
  "dX_1 = dS @ W_Q", "db = ones(1, 3) @ dS", "dW = dS.T @ dX_1", "R = dW * dW", "S_2 = S - 1/10 * dS",
  { note = "What {dS} and {dX_1} say." },
]
"""


@pytest.fixture(scope="module")
def solution() -> WorkedSolution:
    return derive(loads(PAGE))


@pytest.fixture(scope="module")
def names() -> Names:
    return scenario_names(loads(PAGE))


def entry(names: Names, name: str) -> Math:
    return Letters.choose(names, [name], {name: names.shapes[name]}).entry(name, Number("2"), Number("3"))


@pytest.mark.parametrize(("name", "whole", "one", "text"), [
    ("dS", r"\frac{\partial L}{\partial S}", r"\frac{\partial L}{\partial s_{23}}", "∂L/∂s₂₃"),
    ("dW", r"\frac{\partial L}{\partial W_Q}", r"\frac{\partial L}{\partial w_{23}^Q}", "∂L/∂w₂₃^Q"),
    ("db", r"\frac{\partial L}{\partial b}", r"\frac{\partial L}{\partial b_3}", "∂L/∂b₃"),
    (
        "dX_1",
        r"\left(\frac{\partial L}{\partial X}\right)_Q",
        r"\left(\frac{\partial L}{\partial x_{23}}\right)_Q",
        "(∂L/∂x₂₃)_Q",
    ),
])  # fmt: skip
def test_a_gradient_and_its_entries(names: Names, name: str, whole: str, one: str, text: str) -> None:
    assert tex(names(name)) == whole
    assert tex(entry(names, name)) == one
    assert characters(entry(names, name)) == text


def test_every_format_writes_the_same(names: Names) -> None:
    d_s = names("dS")
    assert characters(d_s) == "∂L/∂S"
    assert tex(d_s, TexMath(inline=True)) == r"\partial L/\partial S"
    assert math(d_s, display=True).count("<mi>∂</mi>") == 2
    assert typst_math(d_s) == "frac(∂ L, ∂ S)"
    assert tex(row_of(d_s, Number("2"))) == r"\frac{\partial L}{\partial S_{2,\cdot}}"


@pytest.mark.parametrize(("name", "written"), [
    ("dA", r"\frac{\partial L}{\partial Z}V^T"),
    ("dV", r"A^T\frac{\partial L}{\partial Z}"),
    (
        "dS",
        r"A\odot\left(\frac{\partial L}{\partial A} - \left(A\odot\frac{\partial L}{\partial A}\right)"
        r"\mathbf{1}_3\mathbf{1}_3^T\right)",
    ),
    ("dW", r"\left(\frac{\partial L}{\partial S}\right)^T\left(\frac{\partial L}{\partial X}\right)_Q"),
    ("S_2", r"S - \frac{1}{10}\frac{\partial L}{\partial S}"),
])  # fmt: skip
def test_gradients_in_formulas(solution: WorkedSolution, names: Names, name: str, written: str) -> None:
    assert tex(formula(solution.store.formula(name), names)) == written


def test_products_and_powers_of_entries(names: Names) -> None:
    one = entry(names, "dS")
    assert tex(squared(one)) == r"\left(\frac{\partial L}{\partial s_{23}}\right)^2" == tex(math_product(one, one))
    assert tex(math_product(one, Letter("x"))) == r"\frac{\partial L}{\partial s_{23}}x"
    assert characters(math_product(one, Letter("x"))) == "(∂L/∂s₂₃) x"
    assert tex(squared(entry(names, "dX_1"))) == r"\left(\frac{\partial L}{\partial x_{23}}\right)_Q^2"


def test_what_is_below_is_written_as_it_is_by_itself() -> None:
    shape = Shape(Axis(2), Axis(2))
    notation = {"S_m": "tilde(S)", "dS": "grad(L, S_m)", "QK": "Q @ K.T", "dP": "grad(L, QK)", "dd": "grad(dS, dd)"}
    trees = {name: parse_notation(text) for name, text in notation.items()}
    names = Names(trees, shapes=dict.fromkeys(("S_m", "dS", "QK", "dP", "dd"), shape))
    assert tex(names("dS")) == r"\frac{\partial L}{\partial\tilde{S}}"
    assert tex(names("dP")) == r"\frac{\partial L}{\partial(QK^T)}"
    assert tex(names("dd")) == r"\frac{\partial\mathrm{dS}}{\partial\mathrm{dd}}"
    assert tex(entry(names, "dS")) == r"\frac{\partial L}{\partial\tilde{s}_{23}}"
    assert tex(entry(names, "dP")) == r"\frac{\partial L}{\partial(QK^T)_{23}}"


def test_no_index_is_a_letter_of_a_gradient() -> None:
    shape = Shape(Axis(2), Axis(2))
    names = Names({"dA": parse_notation("grad(k, P)")}, shapes={"dA": shape})
    letters = Letters.choose(names, ["dA"], {"dA": shape})
    assert {"k", "p"} <= names.letters.meant
    assert letters.bound() == "l"


@pytest.mark.long
@pytest.mark.parametrize("form", ["latex", "markdown", "typst", "html", "json", "ipynb"])
def test_every_page_has_them(solution: WorkedSolution, form: str) -> None:
    page = solution.render(form)
    assert ("∂" if form in ("typst", "html") else "partial") in page


def test_a_line_never_breaks_inside_a_gradient(names: Names) -> None:
    long = added(*(math_product(entry(names, "dW"), entry(names, "dX_1")) for _ in range(8)))
    lines = displays((Chain(names("dW"), (("=", long),)),), DISPLAY, 20)[0].splitlines()[1:-1]
    assert len(lines) > 3
    assert all(
        each.count("{") == each.count("}") and each.count(r"\frac") % 2 == (place == 0)
        for place, each in enumerate(lines)
    )
    assert width(names("dW")) < width(Letter("ABCDE", "upright"))


def test_rows_of_gradients_in_pictures_and_tensors() -> None:
    page = PAGE.replace(
        "  { note =",
        '  { figure = "vectors", of = "dX_1" }, { tensor = "T", of = ["dA", "dS"], axes = ["two"] },\n  { note =',
    )
    page = page.replace("[given]", "[sizes]\ntwo = 2\n[given]").replace("[notation]", '[notation]\nT = "grad(L, P)"')
    text = derive(loads(page)).render("latex")
    assert r"\frac{\partial L}{\partial P_1} &= \frac{\partial L}{\partial A}" in text
    assert r"\partial X_" in text


@pytest.mark.sampled(0)
def test_a_number_of_an_operation_asks_for_no_exact_value_that_is_long(monkeypatch: pytest.MonkeyPatch) -> None:
    """The angles of RoPE's gradient have nothing of ∂L/∂Q in them, which would be worked out exactly all the same."""
    sizes: list[int] = []
    spend = evaluation.spend_exactly

    def noted(formula: Any, size: int, of_functions: bool) -> None:
        sizes.append(size)
        spend(formula, size, of_functions)

    monkeypatch.setattr(evaluation, "spend_exactly", noted)
    text = 'title = "t"\nloss = "sum(softmax(softmax(tanh(Q @ Q.T)) @ Q), axis=None)"\n[given]\n'
    text += 'X = [["1", "0", "2", "1/2"], ["0", "1", "1", "1"], ["1", "1", "0", "-1"]]\n'
    text += '[[section]]\ntitle = "s"\nsteps = ["Q = rotary(X)"]\n[[backward]]\n'
    assert "\\partial" in derive(loads(text)).render(language="en", detail="entries")
    assert max(sizes, default=0) <= 100


# -- one letter of a loss, in formulas, gradients, checks and data -----------------------------------------------------


LOSSES = ("cross_entropy(Y, [0, 1, 0])", "mse(A, X)", "sum(A * A, axis=None)", "mean(Y * X + A, axis=None)")
WRITTEN = {"L": "L", "J": "J", "E": "E", "c": "c", "loss": r"\mathrm{loss}", "ell": r"\mathrm{ell}"}
WRITTEN["L_CE"] = r"L_{\mathrm{CE}}"
NOTED = {"tilde(L)": r"\tilde{L}", "C": "C", "": ""}


def random_losses(seed: int) -> tuple[str, set[str]]:
    """A random lesson with one loss or two, and how each is to be written."""
    draw = Random(seed)
    names = draw.sample(sorted(WRITTEN), draw.choice((1, 1, 2)))
    steps, top, end = ["Y = X @ W", "A = softmax(Y)"], "", ""
    noted = draw.choice(sorted(NOTED))
    if noted:
        top = f'notation.{names[0]} = "{noted}"'
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
    return lesson(" | ".join(steps), "X = 1, 2; 3, 1; 0, 1 | W = 1, 0; 1, 1", top) + end, written


def losses_of(text: str) -> set[str]:
    """What stands above ∂X, ∂W and the entries of both, but for entries of steps, without the time of a training."""
    name = r"(?:\\(?:mathrm|tilde)\{\w+\}|[A-Za-z])(?:_\{?(?:\\mathrm\{\w+\}|\w+)\}?)?"
    found = re.findall(rf"\\partial ?({name})(?:\^\{{\(\d\)\}})?(?:\}}\{{|/)\\partial [XWxw]", text)
    return {each for each in found if not re.fullmatch(r"[ay]_\{\w\w\}", each)}


@pytest.mark.long
@pytest.mark.sampled(3)
@pytest.mark.parametrize("seed", range(12))
def test_a_loss_has_one_letter(seed: int) -> None:
    text, written = random_losses(seed)
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


# -- training: what stands there, what is left out, what is said of it -------------------------------------------------


TRAINING = 'loss = "cross_entropy(Z, ids)"\ntokens = ["the", "cat"]'
TWO_ROWS = lesson("Z = X @ W", "X = 1, 1/2; 0, 1 | W = 1, 0, -1; 1/2, 1, 0 | ids = 1, 2", TRAINING)


@cache
def trained(rule: str = "sgd") -> WorkedSolution:
    return derive(loads(f'{TWO_ROWS}[train]\nrule = "{rule}"\nweights = "W"\nrate = "1/10"\nsteps = 2\n'))


@pytest.mark.long
def test_passes_after_the_first_are_no_part_of_the_page_and_of_all_else() -> None:
    solution = trained()
    page = solution.render(language="en", code=["numpy"])
    body, _, programs = page.partition("## Programs")
    items = (item for section in solution.scenario.sections for item in section.items)
    hidden = [item.name for item in items if isinstance(item, StepItem) and not item.shown]
    assert hidden == ["Z_t1", "L_t1", "p_target_t1", "dZ_t1", "dW_t1", "Z_t2", "L_t2", "p_target_t2"]
    assert "Z^{(1)} =" not in body
    assert body.count("not shown again") == 3
    assert all(f"{name} = " in programs for name in hidden)
    data = json.loads(solution.render("json"))
    assert [each["name"] for each in data["steps"]] == [step.name for step in solution.derivation.steps if step.uses]
    assert "Z_t1" in solution.render("html")


def test_a_step_that_the_page_leaves_out_is_shown_where_it_is_asked_for() -> None:
    assert "Z^{(1)}\\ (shape=2\\times 3)" in trained().render(language="en", steps=["Z_t1"])


@pytest.mark.long
@pytest.mark.sampled(2)
@pytest.mark.parametrize("rule", ["sgd", "momentum", "adam", "adamw"])
def test_every_language_says_what_is_usual_and_what_has_come_out(rule: str) -> None:
    solution = trained(rule)
    for language in languages():
        page = solution.render(language=language)
        assert ("PyTorch" in page) == (rule != "sgd")
        for name in ("L", "L_t1", "L_t2", "p_target", "p_target_t2"):
            assert solution[name].figures[0][0].text in page
        assert "\\gt" in page
        assert "\\lt" in page


def test_more_steps_than_anybody_wants_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "TRAINED_STEPS", 12)
    with pytest.raises(FormulaError, match="train: training makes more than TRAINED_STEPS = 12 steps: expected fewer"):
        trained.__wrapped__()


def test_two_weights_may_have_moments_of_one_name() -> None:
    text = lesson("Y = W", "W = 1 | hat_W = 2", 'loss = "sum(W * hat_W, axis=None)"')
    solution = derive(loads(f'{text}[train]\nrule = "adam"\nweights = ["W", "hat_W"]\n'))
    assert [solution.decimals(name, 1) for name in ("m_hat_W_t1", "m_hat_W_t1_2")] == [(("2.0",),), (("0.1",),)]
