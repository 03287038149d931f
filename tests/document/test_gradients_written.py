"""How a page writes gradients: as fractions, with the indices of an entry at the letter below."""

from __future__ import annotations

from typing import Any

import pytest

from symattn.api.worked import WorkedSolution, derive
from symattn.base.shapes import Axis, Shape
from symattn.compute.solution import evaluation
from symattn.read.scenario.load import loads
from symattn.read.scenario.notation import parse_notation
from symattn.show.build import scenario_names
from symattn.show.entries.letters import Letters
from symattn.show.math import Chain, Letter, Math, Number, added
from symattn.show.notation.formulas import Names, formula
from symattn.show.notation.names import row
from symattn.show.notation.terms import squared, times
from symattn.write.layout import displays, width
from symattn.write.mathml import math
from symattn.write.plain_math import characters
from symattn.write.tex_math import DISPLAY, TexMath, tex
from symattn.write.typst_math import typst_math

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


@pytest.mark.parametrize(
    ("name", "whole", "one", "text"),
    [
        ("dS", r"\frac{\partial L}{\partial S}", r"\frac{\partial L}{\partial s_{23}}", "∂L/∂s₂₃"),
        ("dW", r"\frac{\partial L}{\partial W_Q}", r"\frac{\partial L}{\partial w_{23}^Q}", "∂L/∂w₂₃^Q"),
        ("db", r"\frac{\partial L}{\partial b}", r"\frac{\partial L}{\partial b_3}", "∂L/∂b₃"),
        (
            "dX_1",
            r"\left(\frac{\partial L}{\partial X}\right)_Q",
            r"\left(\frac{\partial L}{\partial x_{23}}\right)_Q",
            "(∂L/∂x₂₃)_Q",
        ),
    ],
)
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
    assert tex(row(d_s, Number("2"))) == r"\frac{\partial L}{\partial S_{2,\cdot}}"


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("dA", r"\frac{\partial L}{\partial Z}V^T"),
        ("dV", r"A^T\frac{\partial L}{\partial Z}"),
        (
            "dS",
            r"A\odot\left(\frac{\partial L}{\partial A} - \left(A\odot\frac{\partial L}{\partial A}\right)"
            r"\mathbf{1}_3\mathbf{1}_3^T\right)",
        ),
        ("dW", r"\left(\frac{\partial L}{\partial S}\right)^T\left(\frac{\partial L}{\partial X}\right)_Q"),
        ("S_2", r"S - \frac{1}{10}\frac{\partial L}{\partial S}"),
    ],
)
def test_gradients_in_formulas(solution: WorkedSolution, names: Names, name: str, written: str) -> None:
    assert tex(formula(solution.store.formula(name), names)) == written


def test_products_and_powers_of_entries(names: Names) -> None:
    one = entry(names, "dS")
    assert tex(squared(one)) == r"\left(\frac{\partial L}{\partial s_{23}}\right)^2" == tex(times(one, one))
    assert tex(times(one, Letter("x"))) == r"\frac{\partial L}{\partial s_{23}}x"
    assert characters(times(one, Letter("x"))) == "(∂L/∂s₂₃) x"
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


@pytest.mark.parametrize("form", ["latex", "markdown", "typst", "html", "json", "ipynb"])
def test_every_page_has_them(solution: WorkedSolution, form: str) -> None:
    page = solution.render(form)
    assert ("∂" if form in ("typst", "html") else "partial") in page


def test_a_line_never_breaks_inside_a_gradient(names: Names) -> None:
    long = added(*(times(entry(names, "dW"), entry(names, "dX_1")) for _ in range(8)))
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
