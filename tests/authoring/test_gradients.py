"""Gradients in Python are the steps that a file could have held, and what is wrong with one is told of the call."""

from __future__ import annotations

import re
from typing import Any

import pytest

from symattn import Derivation, derive
from symattn.api.authoring import softmax, sqrt
from symattn.api.authoring.expression import Expression
from symattn.base.errors import SymattnError
from symattn.read.scenario.load import loads


def head(symbols: tuple[str, ...] = ()) -> Derivation:
    d = Derivation(title="One head", symbols=symbols)
    X = d.given("X", [["1", "0"], ["0", "2"], ["1", "1"]])
    W_Q, W_K = d.given("W_Q", [["1", "1/2"], ["0", "1"]]), d.given("W_K", [["1", "0"], ["1", "1"]])
    d.section("Forward")
    Q, K = d.step("Q", X @ W_Q), d.step("K", X @ W_K)
    A = d.step("A", softmax(Q @ K.T / sqrt(2)))
    Y = d.step("Y", A @ X)
    d.step("L", "sum(Y * Y, axis=None)")
    assert Y.text in d
    return d


def test_what_comes_back_are_names_for_later_steps_and_a_file_holds_them() -> None:
    d = head()
    d.section("Backward")
    dW_Q, dW_K = d.gradient(d["L"], [d["W_Q"], d["W_K"]])
    assert isinstance(dW_Q, Expression)
    assert (dW_Q.text, dW_K.text) == ("dW_Q", "dW_K")
    new = d.step("W_new", d["W_Q"] - dW_Q / 10)
    text = d.toml()
    assert '"dW_Q = grad(L, W_Q)"' in text
    assert '"dW_K = grad(L, W_K)"' in text
    again, solution = derive(loads(text)), d.solve()
    assert again.render(language="en") == solution.render(language="en")
    assert again[new.text].decimals(12) == solution[new.text].decimals(12)
    assert loads(text).derivation == d.scenario.derivation


def test_a_gradient_that_is_there_is_not_worked_out_again() -> None:
    d = head()
    dW = d.gradient("L", "W_Q")
    dA = d.gradient("L", d["A"])
    assert (dW.text, dA.text) == ("dW_Q", "dA")
    assert d.toml().count("grad(L, ") == 1
    assert d.gradient("L", ["W_Q"])[0].text == "dW_Q"


def test_a_vector_jacobian_product() -> None:
    d = head()
    G = d.given("G", [[1, 0], [0, 1], [1, 1]])
    back = d.vjp(d["Y"], G, d["W_Q"], name="back")
    assert back.text == "back"
    assert '"back = vjp(Y, G, W_Q)"' in d.toml()
    d.step("M", "sum(Y * G, axis=None)")
    same = d.gradient("M", "W_Q")
    solution = d.solve()
    assert solution["back"].decimals(12) == solution[same.text].decimals(12)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda d: d.gradient(d["Y"], d["X"]), "<Python>, gradient(Y): Y is (3, 2): expected a single number to take"),
        (lambda d: d.gradient("M", "X"), "gradient(\"M\"): unknown name 'M'"),
        (lambda d: d.gradient(d["L"], "Z"), "gradient(L): unknown name 'Z'"),
        (lambda d: d.gradient(d["L"], d["X"] @ d["W_Q"]), "gradient(L): X @ W_Q has no name: d.step(…) gives it one"),
        (lambda d: d.gradient(d["X"] + d["X"], d["X"]), "gradient(X + X): X + X has no name: d.step(…) gives it one"),
        (lambda d: d.gradient(d["L"], []), "gradient(L): expected a name or a list of names, came a list"),
        (lambda d: d.gradient(d["L"], 3), "gradient(L): expected a name or a list of names, came the number 3"),
        (lambda d: d.gradient(3, d["X"]), 'gradient("3"): expected a name, came the number 3'),
        (lambda d: d.gradient(d["L"], ["X", d["X"]]), "gradient(L): the gradient by X is asked for twice"),
        (lambda d: d.vjp(d["Y"], d["W_K"], d["X"]), "<Python>, vjp(Y): W_K is (2, 2), Y is (3, 2): expected one shape"),
        (lambda d: d.vjp(d["Y"], d["Y"], d["X"], name="A"), 'vjp(Y): A is already defined by step("A"): give this one'),
        (lambda d: d.gradient(head()["L"], d["X"]), 'gradient(L): L belongs to another derivation, "One head"'),
    ],
)
def test_what_is_no_gradient_is_told_of_the_call(call: object, said: str) -> None:
    d = head()
    before = d.toml()
    with pytest.raises(SymattnError) as error:
        call(d)  # type: ignore[operator]
    assert str(error.value).startswith(said)
    assert d.toml() == before


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"rule": "sdg"}, "train(rule=…): unknown value 'sdg': known: adam, adamw, momentum, sgd"),
        ({"rule": "sgd", "rate": -1}, "train(rate=…): rate is -1: expected a number above 0"),
        ({"rule": "sgd", "speed": 1}, "unknown key 'speed'"),
    ],
)
def test_a_step_of_training_that_cannot_be_made_is_told_and_leaves_nothing(settings: dict[str, Any], said: str) -> None:
    d = Derivation(title="One step")
    x, w = d.given("x", [[1, 2]]), d.given("W", [[1], ["1/2"]])
    y = d.step("y", x @ w)
    loss = d.step("L", y @ y.T)
    with pytest.raises(SymattnError, match=re.escape(said)):
        d.train(loss, [w], **settings)
    d.train(loss, [w], rule="adam", rate="1/10", steps=2)
    assert "steps = 2" in d.toml()
    with pytest.raises(SymattnError, match="trains already"):
        d.train(loss, [w], rule="sgd")
