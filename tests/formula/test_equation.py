"""A step as its author types it: several names, other signs, remarks, and what is refused."""

from __future__ import annotations

import tomllib

import pytest

from symattn import derive
from symattn.base.errors import SymattnError
from symattn.read.formula import equations
from symattn.read.scenario.load import loads
from tests.conftest import ROOT

TABLE = tomllib.loads((ROOT / "tests" / "formula" / "equations.toml").read_text(encoding="utf-8"))
HEAD = 'title = "t"\nlanguage = "en"\n[given]\nX = [["1", "2"]]\nA = [["1", "0"], ["2", "1"]]\n"B^{(1)}" = ["1", "3"]\n'


def scenario(*steps: str) -> str:
    listed = ", ".join(f"'''{step}'''" for step in steps)
    return f'{HEAD}[[section]]\ntitle = "All"\nsteps = [{listed}]\n'


@pytest.mark.parametrize("text", TABLE["read"])
def test_a_step_defines(text: str) -> None:
    defined = [f"{name} = {formula.removeprefix(chr(92) + 'quad').strip()}" for name, formula in equations(text, "XAB")]

    assert defined == TABLE["read"][text]


@pytest.mark.parametrize("text", TABLE["refused"])
def test_a_step_is_refused_with_the_way(text: str) -> None:
    with pytest.raises(SymattnError) as caught:
        loads(scenario(text, "T = X"))

    assert TABLE["refused"][text] in str(caught.value)


def test_steps_that_define_several_names_are_items_of_their_own() -> None:
    read = loads(scenario("Q = K = XA", "FFN(x) = Q + K", "x_2 = Q + FFN(x)", "v = B^{(1)}"))

    assert [step.name for step in read.derivation.steps][3:] == ["Q", "K", "FFN_x", "x_2", "v"]
    assert "FFN" in derive(read).render("markdown")


@pytest.mark.parametrize("text", TABLE["entries"])
def test_what_is_said_of_every_entry_is_said_of_the_whole(text: str) -> None:
    name, whole = TABLE["entries"][text]

    steps = loads(scenario("v = [1, 2]", "\\mu = 3", "W_i^Q = A", text, f"same = {whole}")).derivation.by_name

    assert steps[name].formula == steps["same"].formula
