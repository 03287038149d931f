"""Axes, definitions and the derivation: what fits, and where it does not."""

from __future__ import annotations

import tomllib

import pytest

from symattn.base import limits
from symattn.read.plan import Plan
from symattn.read.scenario import schema
from symattn.read.scenario.definitions import definitions, derive, read_axes
from symattn.read.scenario.fields import figures, matrix
from symattn.read.scenario.problem import Problem

TITLE = 'title = "t"\n'
X = 'given.X = [["1", "2"], ["3", "4"]]\n'


def plan(text: str) -> Plan:
    file = schema.read(tomllib.loads(TITLE + text))
    return derive(file, read_axes(file), definitions(file))


def test_only_axes_names_axes() -> None:
    text = """
    tokens = ["a", "b"]
    token_axis = "L"
    sizes.d = 2
    labels.v = ["x", "y", "z"]
    given.E = [["1", "2"], ["3", "4"]]
    given.P = {value = [["1", "2"], ["3", "4"]], axes = ["L", "d"]}
    given.b = {value = [["1", "2", "3"]], axes = ["1", "v"]}
    """
    derivation = plan(text)
    assert [str(step.shape) for step in derivation.steps] == ["(2, 2)", "(L=2, d=2)", "(1, v=3)"]
    assert derivation.sizes == {"L": 2, "d": 2, "v": 3}


def test_the_first_given_without_axes_that_has_a_row_for_each_token_has_them_as_rows() -> None:
    tokens = 'tokens = ["a", "b", "c"]\n'
    others = 'labels.v = ["x", "y"]\ngiven.E = {value = [["1", "2"]], axes = ["1", "v"]}\n'
    rows, square = '[["1", "2"], ["3", "4"], ["5", "6"]]', '[["1", "2"], ["3", "4"]]'
    text = f"{others}given.W = {square}\ngiven.P = {rows}\ngiven.R = {rows}"
    shapes = [str(step.shape) for step in plan(tokens + text).steps]
    assert shapes == ["(1, v=2)", "(2, 2)", "(n=3, 2)", "(3, 2)"]
    shapes = [str(step.shape) for step in plan(f"{tokens}given.H = [{rows}, {rows}]\ngiven.P = {rows}").steps]
    assert shapes == ["(n=3, 2)", "(n=3, 2)", "(3, 2)"]


def test_givens_come_first_then_general_names_then_steps() -> None:
    derivation = plan(
        f'general.x = ["1", "p"]\nsizes.d = 2\n{X}[[section]]\ntitle = "s"\n'
        "steps = ['Y = X.T', {step = ' Z=X @ Y '}, 's = dot(x, x)']"
    )
    assert [step.name for step in derivation.steps] == ["X", "x", "Y", "Z", "s"]
    assert [step.name for step in derivation.steps if step.general] == ["x", "s"]
    assert str(derivation["x"].shape) == "(1, p)"
    assert derivation.sizes == {"p": "p", "d": 2}


def test_a_product_has_the_limit_of_a_matrix(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "given.u = [['1', '2', '3']]\n[[section]]\ntitle = 's'\nsteps = ['Y = u.T @ u']"
    assert plan(text)["Y"].shape.sizes == (3, 3)
    monkeypatch.setattr(limits, "MATRIX_ENTRIES", 8)
    with pytest.raises(Problem, match="more than MATRIX_ENTRIES = 8 entries"):
        plan(text)


def test_a_matrix_has_a_limit_and_it_is_looked_at_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MATRIX_ENTRIES", 3)
    with pytest.raises(Problem, match="more than MATRIX_ENTRIES = 3 numbers"):
        matrix([["x", "x"], ["x"]])


def test_a_matrix_and_printed_figures_keep_how_they_were_written() -> None:
    assert matrix([["0.10", " 1/3 "], [-2, "-10^9"]]).texts == (("0.10", "1/3"), ("-2", "-10^9"))
    rows = [["0", "1.414214 0", 1], ["1.5*10^9", "-oo"]]
    assert figures(rows) == (("0", "1.414214 0", "1"), ("1.5*10^9", "-oo"))
