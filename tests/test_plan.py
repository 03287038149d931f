"""Derivations: steps in order over earlier names, shapes checked, not one number looked at."""

from __future__ import annotations

import pytest

from symattn.base.errors import FormulaError, SymattnError, UnknownNameError
from symattn.base.shapes import Axis, Shape, shape
from symattn.read.formula import read_formula
from symattn.read.plan import Plan, names_in

HEAD = Shape(Axis(3, "n"), Axis(4, "d_k"))


def start() -> Plan:
    plan = Plan(sizes={"n": 3, "d_k": 4})
    return plan.given("Q", HEAD).given("K", HEAD).given("V", Shape(Axis(3, "n"), Axis(2, "d_v")))


def test_attention_is_four_steps_with_their_shapes() -> None:
    plan = (
        start()
        .step("S", "Q @ K.T / sqrt(d_k)")
        .step("M", "causal_mask(n)")
        .step("A", "softmax(S + M)")
        .step("Z", "A @ V")
    )

    assert [(step.name, str(step.shape), step.uses) for step in plan.steps] == [
        ("Q", "(n=3, d_k=4)", ()),
        ("K", "(n=3, d_k=4)", ()),
        ("V", "(n=3, d_v=2)", ()),
        ("S", "(n=3, n=3)", ("Q", "K")),
        ("M", "(n=3, n=3)", ()),
        ("A", "(n=3, n=3)", ("S", "M")),
        ("Z", "(n=3, d_v=2)", ("A", "V")),
    ]
    assert [step.name for step in plan.steps if step.is_given] == ["Q", "K", "V"]
    assert str(plan["S"].formula) == "Quotient(Q*K.T, sqrt(d_k))"
    assert not any(step.general for step in plan.steps)


def test_adding_a_step_leaves_the_derivation_before_it_as_it_was() -> None:
    before = start()
    after = before.step("S", "Q @ K.T")

    assert len(before.steps) == 3
    assert "S" not in before.by_name
    assert after["S"].name == "S"
    assert after.steps[:3] == before.steps
    with pytest.raises(AttributeError):
        after.steps = ()  # type: ignore[misc]


def test_names_are_listed_once_in_reading_order() -> None:
    plan = start()
    formula = read_formula("softmax(V.T @ (Q - K) @ K.T / 2) @ V", plan.scope).expr

    assert names_in(formula) == ("V", "Q", "K")
    assert names_in(read_formula("identity(n)", plan.scope).expr) == ()


def test_a_formula_over_letters_is_general_and_so_is_what_stands_on_it() -> None:
    row = Shape(Axis(1), Axis("n", "n"))
    plan = Plan(sizes={"n": "n"}).given("x", row, general=True).given("y", row, general=True)
    plan = plan.step("s", "dot(x, y)").step("T", "2*s").given("X", shape(2, 2)).step("Y", "X @ X")

    assert {step.name: step.general for step in plan.steps} == {
        "x": True,
        "y": True,
        "s": True,
        "T": True,
        "X": False,
        "Y": False,
    }


NO_NAME = "cannot name a matrix: expected a letter, then letters, digits and underscores (at most 40)"

BAD_STEPS = [
    ("Z", "Z @ V", FormulaError, "step Z: formula 'Z @ V': unknown name 'Z': known: K, Q, V, d_k, n"),
    ("Q", "2*K", SymattnError, "Q is defined twice: give the second one another name"),
    ("n", "2*K", SymattnError, "n is already the name of a size: give the matrix another name"),
    *((name, "2*K", FormulaError, f"{name!r} {NO_NAME}") for name in ("2x", "", "a" * 41)),
    ("oo", "2*K", FormulaError, "'oo' cannot name a matrix: it is a number, infinity"),
]
"""What tests/formulas.toml has not: there are the sentences on formulas and shapes."""


@pytest.mark.parametrize(
    ("name", "formula", "kind", "sentence"), BAD_STEPS, ids=[f"{n[:9]} = {f}" for n, f, _, _ in BAD_STEPS]
)
def test_a_bad_step_says_which_step_it_is(name: str, formula: str, kind: type, sentence: str) -> None:
    with pytest.raises(kind) as caught:
        start().step(name, formula)

    assert str(caught.value) == sentence


def test_an_unknown_step_lists_the_known_ones() -> None:
    with pytest.raises(UnknownNameError) as caught:
        start().step("QK_T", "Q @ K.T")["QKT"]

    assert str(caught.value) == "unknown name 'QKT': did you mean 'QK_T'? known: K, Q, QK_T, V"


def test_a_name_that_python_keeps_for_itself_is_refused_because_no_formula_could_use_it() -> None:
    with pytest.raises(FormulaError, match="'for' cannot name a matrix"):
        start().given("for", HEAD)
