"""A derivation written in Python is the scenario that a file with the same content holds; errors speak of Python."""

from __future__ import annotations

import pickle
import re
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sympy
from hypothesis import given, settings
from hypothesis import strategies as st
from sympy import MatrixSymbol, Rational

from symattn import Derivation, causal_mask, derive, identity, multiplications, operation, relu, softmax, sqrt, unit
from symattn.api.authoring.expression import Expression
from symattn.api.authoring.own import OwnOperation
from symattn.base.errors import DomainError, FormulaError, ScenarioError, SymattnError
from symattn.read.scenario.load import loads

FILE = """\
title = "My head"
tokens = ["the", "cat", "sat"]
[given]
X = [["1", "0"], ["0", "1"], ["1", "1"]]
W_Q = [["sqrt(2)/2", "1"], ["0", "1"]]
[[section]]
title.en = "Derivation"
title.zh-Hant = "推導"
title.zh-Hans = "推导"
steps = [{ step = "Q = X @ W_Q", need = "…" }, "A = softmax(Q @ X.T / sqrt(2))"]
"""


def head() -> Derivation:
    d = Derivation(title="My head", tokens=["the", "cat", "sat"])
    X = d.given("X", [["1", "0"], ["0", "1"], ["1", "1"]])
    W_Q = d.given("W_Q", [["sqrt(2)/2", "1"], ["0", "1"]])
    Q = d.step("Q", X @ W_Q, need="…")
    d.step("A", softmax(Q @ X.T / sqrt(2)))
    return d


@pytest.mark.long
@pytest.mark.parametrize(("language", "format"), [("en", "latex"), ("zh-Hant", "markdown")])
def test_python_and_a_file_with_the_same_content_give_the_same_page(language: str, format: str) -> None:
    from_file = derive(loads(FILE)).render(format, language=language, detail="entries", code=["numpy"])
    assert head().solve().render(format, language=language, detail="entries", code=["numpy"]) == from_file
    assert derive(loads(head().toml())).render(format, language=language, detail="entries", code=["numpy"]) == from_file


def test_the_rows_of_the_tokens_are_those_that_a_file_finds() -> None:
    d = Derivation(title="t", tokens=["a", "b", "c"], labels={"v": ["x", "y"]})
    d.given("E", [["1", "2"]], axes=("1", "v"))
    d.given("H", [[["1"], ["2"], ["3"]], [["4"], ["5"], ["6"]]])
    d.given("P", [["1"], ["2"], ["3"]])
    d.step("Y", d["H_2"] + d["P"])
    read = loads(d.toml()).derivation
    assert str(d.solve().derivation["H_2"].shape) == str(read["H_2"].shape) == "(n=3, 1)"
    assert str(read["P"].shape) == "(3, 1)"


def full() -> Derivation:
    """One of everything."""
    d = Derivation(
        title={"en": 'All "quoted"', "zh-Hant": "全部"},
        tokens=["a", "b"],
        token_axis="m",
        language="zh-Hant",
        source="A {{source}}",
        intro="With {A}",
        sizes={"d_k": 2},
        labels={"vocabulary": ["x", "y", "z"]},
        notation={"S": "Q @ K.T"},
        decimals=3,
        scope="entry",
        ties="half_even",
        carry="exact",
        shape_line="long",
        symbols=["t"],
    )
    n, d_k = d.size("m"), d.size("d_k")
    E = d.given("E", [["0.5", Fraction(1, 3)], [2, "t"]], axes=("m", "d_k"), note={"en": "a\nb"}, notation="bold(e)")
    P = d.given("P", np.array([[1, 2], [3, 4]]))
    R = d.given("R", [["0.25", "0.75"]], rounded=True, row_sums=1)
    x = d.given("x", shape=(1, "k"))
    with d.section("One", intro="before", need={"en": "after", "zh-Hans": "之后"}):
        S = d.step("S", E @ P.T / sqrt(d_k), need={"en": "scores of {E}"}, note="noted", decimals=2, works=(2, 1))
        A = d.step("A", softmax(P + causal_mask(n)))
        with d.section("Two"):
            d.show(A, "general")
            d.show("P", decimals=4)
            d.unfold(A, to=[P], called="Att")
            d.note("A paragraph.")
        d.section("Three", number="1-7")
        d.prove((P @ P.T) @ P, "P @ (P.T @ P)", note="associative")
        d.variance(x @ x.T)
    d.section("Four")
    N = d.quantity("N", n * d_k, at=[{"m": 5}], note="counted")
    d.quantity("M", multiplications(P @ P) + N)
    d.step("U", R @ P)
    d.tensor("T", of=[P, A], axes=["d_k"])
    d.listing("r", A)
    d.claim("4", "how many", value=N, at={"m": 2})
    d.claim("O(m)", "how it grows", order_of="N", in_="m", reason="so")
    d.printed(A, [["1.000", "0.000"], ["0.269", "0.731"]], reason="copied")
    d.programs(["numpy"], of=[A])
    assert S.shape == (2, 2)
    return d


def test_everything_that_a_derivation_holds_is_in_the_file_it_writes() -> None:
    from dataclasses import fields

    ours, read = full().scenario, loads(full().toml())
    for field in fields(ours):
        if field.name in ("name", "path", "text", "keys", "sections", "claims", "givens"):
            continue
        assert getattr(ours, field.name) == getattr(read, field.name), field.name
    assert [section.items for section in ours.sections] == [section.items for section in read.sections]
    assert {name: given.given.entries for name, given in ours.givens.items()} == {
        name: given.given.entries for name, given in read.givens.items()
    }


ENTRIES = st.one_of(
    st.integers(-9, 9),
    st.fractions(-3, 3, max_denominator=9),
    st.decimals(-2, 2, places=2),
    st.sampled_from(["sqrt(2)/2", "1/3", "-0.25", " 7 ", "3*sqrt(5)", "-oo", "10^3"]),
)
WORDS = st.text(st.characters(exclude_categories=("Cc", "Cs", "Cn"), exclude_characters="{}"), max_size=12).filter(
    str.strip
)


@pytest.mark.long
@settings(max_examples=20)
@given(
    st.integers(1, 3).flatmap(
        lambda width: st.lists(st.lists(ENTRIES, min_size=width, max_size=width), min_size=1, max_size=3)
    ),
    WORDS,
    st.lists(WORDS, min_size=3, max_size=3),
)
def test_what_is_written_reads_back_to_the_same(rows: list[list[object]], title: str, words: list[str]) -> None:
    d = Derivation(title=title)
    X = d.given("X", rows, note={"en": words[0]})
    d.section({"en": words[1], "zh-Hans": "x"})
    d.step("S", relu(X) - X * 2, need=words[2], note={"zh-Hant": words[0]})

    read = loads(d.toml())

    assert read.givens["X"].given.values == d.scenario.givens["X"].given.values
    assert read.sections == d.scenario.sections
    assert read.title == d.scenario.title
    assert read.derivation == d.scenario.derivation


def test_an_entry_that_no_file_can_hold_is_told_when_the_file_is_written() -> None:
    d = Derivation(title="t")
    d.given("X", [[sympy.exp(1)]])
    assert d.solve()["X"].exact[0, 0] == sympy.E
    with pytest.raises(SymattnError, match=r'toml\(\): given\("X"\).*cannot be written in a scenario file'):
        d.toml()


# Sections


def numbers(d: Derivation) -> list[str]:
    return [section.number for section in d.scenario.sections]


def test_sections_follow_each_other_and_stand_inside_each_other() -> None:
    d = Derivation(title="t")
    X = d.given("X", [[1]])
    d.section("One")
    d.step("A", X)
    with d.section("Two"):
        d.step("B", X)
        with d.section("Inner"):
            d.step("C", X)
        d.section("Other")
        d.step("D", X)
    d.section("Three")
    d.step("E", X)

    assert numbers(d) == ["1", "2", "2-1", "2-2", "3"]
    assert [section.items[-1].name for section in d.scenario.sections] == ["A", "B", "C", "D", "E"]  # type: ignore[union-attr]


def test_a_step_or_a_section_after_its_place_was_closed_is_refused() -> None:
    d = Derivation(title="t")
    X = d.given("X", [[1]])
    with d.section("One"):
        d.step("A", X)
        with d.section("Inner"):
            d.step("B", X)
        with pytest.raises(SymattnError, match='the section "One" has sections inside by now'):
            d.step("C", X)
    with pytest.raises(SymattnError, match='the section "One" is closed'):
        d.step("C", X)
    d.section("Two")
    d.step("C", X)
    assert numbers(d) == ["1", "1-1", "2"]
    d = Derivation(title="t")
    first = d.section("One")
    d.section("Two")
    with pytest.raises(SymattnError, match="this section is closed"), first:
        pass


# General


def general() -> Derivation:
    d = Derivation(title="In general")
    X, W = d.given("X", shape=("m", "n"), note="tokens"), d.given("W", shape=("n", "p"))
    Q = d.step("Q", X @ W, need="projected")
    d.step("A", softmax(Q @ Q.T / sqrt(d.size("p"))))
    return d


def test_a_general_derivation_shows_symbols_until_names_and_sizes_are_put_in() -> None:
    page = general().solve().render()
    assert "q_{ij} = \\sum_{k=1}^{n} x_{ik}w_{kj}" in page
    assert "bmatrix" not in page
    assert general()["A"].shape == ("m", "m")
    half = general().substitute(X=[[1, 2]])
    assert half["W"].shape == (2, "p")
    assert half.solve().render()
    assert half.substitute(W=[[1], [1]]).solve()["Q"].exact == sympy.Matrix([[3]])
    assert general().substitute(m=3, p=2)["A"].shape == (3, 3)
    assert "W\\ (n\\times 4) = Q\\ (m\\times 4)" in general().substitute(p=4).solve().render()


def test_substitute_answers_a_new_derivation_with_the_same_steps() -> None:
    d = general()
    before = d.toml()
    filled = d.substitute(X=[["1", "2"], ["3", "4"]], W=[["1/2"], ["1/4"]])

    assert filled.solve()["Q"].exact == sympy.Matrix([[1], [sympy.Rational(5, 2)]])
    assert dict(filled.scenario.sizes) == {"m": 2, "n": 2, "p": 1}
    assert "tokens" in filled.solve().render()
    assert d.toml() == before
    Z = filled.step("Z", filled["A"] @ filled["X"])
    assert Z.shape == (2, 2)
    assert numbers(filled) == ["1"]
    assert "Z" not in d


# Numbers for free symbols


def with_letters() -> Derivation:
    """A head with two symbols, one of them a temperature, and a general matrix."""
    d = Derivation(title="Letters", symbols=["a", "t"], tokens=["x", "y"])
    X, W = d.given("X", [["a", 1], [0, "2*t"]]), d.given("W", shape=(2, "p"))
    A = d.step("A", softmax(X @ X.T / d.symbol("t") + causal_mask(2)))
    d.step("V", d.symbol("t") * (A @ X @ W))
    d.note("With {math: t} in {A}.")
    return d


def test_symbols_filled_in_a_derivation_are_those_of_its_solution_and_of_its_file() -> None:
    d = with_letters().substitute(W=[[1, "a"], [2, 3]])
    filled = d.substitute(t="0.50")
    assert filled.solve().render() == d.solve().substitute(t="0.50").render()
    both = filled.substitute(a=Fraction(1, 3))
    assert both.solve()["V"].exact == d.solve().substitute(t="1/2", a="1/3")["V"].exact
    assert not both.solve().derivation.symbols
    assert d.solve().derivation.symbols == ("a", "t")
    d = with_letters().substitute(W=[[1], [2]], t=2)
    again = loads(d.toml())
    assert '[substitute]\nt = "2"' in d.toml()
    assert derive(again).render() == d.solve().render()
    assert again.put_in == {"t": "2"}


# Errors


def test_words_may_speak_of_later_names_and_are_checked_in_the_end() -> None:
    d = Derivation(title="t")
    X = d.given("X", [[1, 2]])
    d.step("S", X * 2, need="for {A[1,2]}")
    with pytest.raises(ScenarioError) as error:
        d.solve()
    assert str(error.value) == "<Python>, step(\"S\").need: {A[1,2]}: unknown name 'A': known: S, X"
    d.step("A", softmax(d["S"]))
    assert "for $0.880797$" in d.solve().render()


def test_what_has_no_value_is_told_with_the_step() -> None:
    d = Derivation(title="t")
    d.step("U", unit(d.given("X", [[0, 0]])))
    with pytest.raises(DomainError, match=r'^<Python>, step\("U"\): '):
        d.solve().render()
    d = Derivation(title="t")
    X = d.given("X", [[1, 0]], axes=("a", "b"))
    d.prove(X, X * 2)
    with pytest.raises(SymattnError, match=r"^<Python>, prove\(…\): .* is false"):
        d.solve().render()


def test_a_quantity_stands_in_no_step() -> None:
    d = Derivation(title="t", sizes={"n": 3})
    N = d.quantity("N", d.size("n") ** 2)
    X = d.given("X", [[1]])
    with pytest.raises(FormulaError, match="N is a quantity"):
        d.step("S", X * N)


def attention() -> Derivation:
    d = Derivation(title="t", tokens=["a", "b"])
    d.given("H", [[1, 2], [3, "1/2"]])
    for name in ("W_Q", "W_K", "W_V"):
        d.given(name, [[1, 0], ["1/2", 1]])
    return d


def test_a_catalogue_entry_is_used_and_its_names_are_there() -> None:
    d = attention()
    d.use("attention", mask="causal", names={"X": d["H"]}, suffix="_1")
    Z = d.step("Z", d["A_1"] @ d["H"])
    assert Z.shape == (2, 2)
    assert d.solve()["A_1"].decimals(1)[0] == ("1.0", "0.0")
    assert derive(loads(d.toml())).render() == d.solve().render()
    with pytest.raises(SymattnError, match=r'step."A_1".: A_1 is already defined by use."attention".'):
        d.step("A_1", Z)


def test_options_of_an_entry_are_lists_matrices_and_numbers_too() -> None:
    d = attention()
    M = d.given("M", [["0", "-oo"], ["0", "0"]])
    d.use("attention", mask=["causal", M], scale=1 / sqrt(2), names={"X": d["H"]}, suffix="_1")
    d.use("attention", mask=M, scale="1/sqrt(2)", names={"X": d["H"]}, suffix="_2")

    d.given("P", ["1", "-oo"])
    d.given("P_all", [["1", "-oo"], ["1", "-oo"]])
    for name in ("P", "P_all"):
        d.use("attention", score_bias=name, names={"X": d["H"]}, suffix=f"_{name}")

    assert d.solve()["A_1"].decimals(20) == d.solve()["A_2"].decimals(20)
    assert d.solve()["A_P"].decimals(20) == d.solve()["A_P_all"].decimals(20)
    assert 'with = { mask = ["causal", "M"], scale = "' in d.toml()
    assert derive(loads(d.toml())).render() == d.solve().render()


def test_letters_stand_for_any_number() -> None:
    a, t = sympy.symbols("a t")
    d = Derivation(title="t", symbols=["a", "t"])
    X = d.given("X", [[a / 2, 1], ["t", a * t]])
    d.step("Y", d.symbol("t") * X)
    d.step("Z", X * t)
    assert "\\dfrac{at}{2} & t" in d.solve().render()
    assert loads(d.toml()).derivation == d.scenario.derivation


def test_a_line_is_checked_against_the_plan_that_the_scenario_has_in_the_end() -> None:
    d = head()
    Y = d.given("Y", [["1"], ["2"], ["3"]])
    d.step("Z", d["A"] @ Y)
    assert d._draft.plan.steps[0].shape.rows.name == "n"
    assert {step.name: step.shape for step in d._draft.plan.steps} == {
        step.name: step.shape for step in d.scenario.derivation.steps
    }


def test_importing_symattn_and_looking_for_its_modules_is_light() -> None:
    program = "import sys, symattn\nfrom symattn.base import limits\nsys.exit('sympy' in sys.modules)"
    root = Path(__file__).parents[2]
    assert subprocess.run([sys.executable, "-c", program], check=False, cwd=root).returncode == 0


# -- gradients and training: what is wrong with one is told of the call ------------------------------------------------


def one_head(symbols: tuple[str, ...] = ()) -> Derivation:
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


@pytest.mark.long
def test_what_comes_back_are_names_for_later_steps_and_a_file_holds_them() -> None:
    d = one_head()
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
    d = one_head()
    dW = d.gradient("L", "W_Q")
    dA = d.gradient("L", d["A"])
    assert (dW.text, dA.text) == ("dW_Q", "dA")
    assert d.toml().count("grad(L, ") == 1
    assert d.gradient("L", ["W_Q"])[0].text == "dW_Q"


def test_a_vector_jacobian_product() -> None:
    d = one_head()
    G = d.given("G", [[1, 0], [0, 1], [1, 1]])
    back = d.vjp(d["Y"], G, d["W_Q"], name="back")
    assert back.text == "back"
    assert '"back = vjp(Y, G, W_Q)"' in d.toml()
    d.step("M", "sum(Y * G, axis=None)")
    same = d.gradient("M", "W_Q")
    solution = d.solve()
    assert solution["back"].decimals(12) == solution[same.text].decimals(12)


@pytest.mark.parametrize(("settings", "said"), [
    ({"rule": "sdg"}, "train(rule=…): unknown value 'sdg': known: adam, adamw, momentum, sgd"),
    ({"rule": "sgd", "rate": -1}, "train(rate=…): rate is -1: expected a number above 0"),
    ({"rule": "sgd", "speed": 1}, "unknown key 'speed'"),
])  # fmt: skip
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


# -- a name that is defined again takes its place ----------------------------------------------------------------------


def lesson() -> Derivation:
    """A derivation in which every kind of name is defined, with sections."""
    d = Derivation(title="t", tokens=["a", "b"], anew=True)
    X = d.given("X", [[1, 2], [3, 4]], note="first", notation="bold(X)")
    d.given("Y", [[1, 0], [0, 1]])
    d.given("G", shape=("p", "q"))
    d.section("One")
    S = d.step("S", X @ X.T, decimals=2)
    d.note("Between.")
    with d.section("Two"):
        d.step("A", softmax(S))
        n = d.size("n")
        d.quantity("N", n * n)
        d.step("Z", "A @ Y")
    return d


def test_it_takes_the_place_that_it_had() -> None:
    d, other = lesson(), lesson()
    text = d.toml()
    X = d.given("X", [["1/2", 2], [3, 4]], notation="bold(X)", note="first")
    d.step("S", "X @ X.T / 2", decimals=2)
    d.quantity("N", "n + 1")
    changed = text.replace('[["1", "2"]', '[["1/2", "2"]').replace("S = X @ X.T", "S = X @ X.T / 2")
    assert d.toml() == changed.replace("N = n * n", "N = n + 1")
    assert d.solve().render() == derive(loads(d.toml())).render()
    assert (X @ X.T).shape == (2, 2)
    again = lesson()
    for each in (again, other):
        each.given("X", [[1, 2], [3, 4]], note="first", notation="bold(X)")
    assert again.toml() == text


@pytest.mark.parametrize(("define", "said"), [
    (lambda d: d.given("Y", [[1], [2], [3]]), "A @ Y: A is"),
    (lambda d: d.given("X", [[1, 2]]), "n"),
    (lambda d: d.step("S", "A @ A"), "A"),
    (lambda d: d.step("S", "X @ Q"), "unknown name 'Q'"),
    (lambda d: d.step("X", "Y @ Y"), 'X is there by given\\("X"\\): define it in the same way again'),
    (lambda d: d.given("N", [[1]]), "N is there by quantity"),
    (lambda d: d.step("S", "X["), "S"),
])  # fmt: skip
def test_what_does_not_fit_changes_nothing(define: object, said: str) -> None:
    d = lesson()
    text = d.toml()
    with pytest.raises(SymattnError, match=said):
        define(d)  # type: ignore[operator]
    assert d.toml() == text
    d.section("Three")
    d.step("W", "Z @ Y")
    assert list(d.solve())[-1] == "W"


def test_without_it_a_name_has_one_meaning() -> None:
    d = Derivation(title="t")
    d.given("X", [[1]])
    with pytest.raises(SymattnError, match=r'given\("X"\): X is already defined by given\("X"\)'):
        d.given("X", [[2]])


# -- operations of one's own, called like ours -------------------------------------------------------------------------


def capped() -> OwnOperation:
    return operation("capped", ["X", "c = 30"], ["y[i,j] = c * tanh(X[i,j] / c)"], page={"en": "soft cap"}, source="S.")


def small_lesson() -> Derivation:
    d = Derivation(title="t")
    d.given("X", [[1, 2], [3, 4]])
    return d


def test_it_goes_into_the_derivation_as_if_written_in_a_file() -> None:
    d = small_lesson()
    d.step("Y", softmax(capped()(d["X"], c=5) + causal_mask(2)))
    d.step("Z", "capped(Y)")
    again = loads(d.toml())

    assert {step.name: step.formula for step in again.derivation.steps} == {
        step.name: step.formula for step in d.scenario.derivation.steps
    }
    assert again.derivation.operations == d.scenario.derivation.operations
    assert d.solve()["Y"].decimals(6) == d.substitute().solve()["Y"].decimals(6)


def test_it_is_there_for_texts_and_for_formulas_without_names() -> None:
    d = Derivation(title="t", operations=[capped()])
    d.given("X", [[1, 2]])
    assert d.step("Y", "capped(X, c=1/2)").shape == (1, 2)
    d = small_lesson()
    d.step("Y", d["X"] @ capped()(identity(2)))
    assert list(d.scenario.derivation.operations) == ["capped"]


def test_it_takes_matrices_of_sympy_and_is_a_function_like_any_other() -> None:
    own = capped()
    assert own(MatrixSymbol("S", 2, 2), c=Rational(5))[0, 0].args[0] == 5
    assert own.__name__ == "capped"
    assert own.__doc__ == "``capped(X, c=…)``: y[i,j] = c * tanh(X[i,j] / c): (m, n) → (m, n)."
    assert pickle.loads(pickle.dumps(own)) == own  # noqa: S301
