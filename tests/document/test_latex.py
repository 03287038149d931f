"""SymPy's ``latex`` writes a node of ours as the page does: in all formulas of scenarios and in one of every node."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from sympy import Basic, MatrixSymbol, Symbol, latex

from symattn.document.notation.formulas import Names, formula
from symattn.operations.stored import Stored
from symattn.render.tex_math import tex
from symattn.scenario.load import builtin_names
from tests.cases import solved
from tests.examples import EVERY, OF_RECORDS, Example

OWN = [Example(text) for texts in OF_RECORDS.values() for text in texts]


def plain(text: str) -> str:
    """TeX without what nobody sees: space, growing of parentheses, braces around one thing."""
    text = re.sub(r"\\left|\\right|\\,|\s", "", text).replace(r"\cr", r"\\")
    text = text.replace(r"\frac{1}{100000}", "10^{-5}")
    # A column of ones by a row of ones is 1 1ᵀ on the page; SymPy writes each factor for itself.
    text = re.sub(r"(\\mathbf\{1\}_)\{(\w+)\\times1\}\1\{1\\times(\w+)\}", r"\1{\2}\1{\3}^T", text)
    text = re.sub(r"\{((?:\\?\w+|\\mathrm\{\w+\})_(?:\w|\{\\mathrm\{\w+\}\}))\}(?=[_^])", r"\1", text)
    return re.sub(r"(?<=[_^])\{(\w)\}", r"\1", text)


def nodes(formula: Basic) -> Iterator[Stored]:
    if isinstance(formula, Stored):
        yield formula
    for arg in formula.args:
        yield from nodes(arg)


def must_agree(node: Basic) -> None:
    names = {each: tex(Names()(each.name)) for each in node.atoms(MatrixSymbol, Symbol)}
    assert plain(latex(node, symbol_names=names)) == plain(tex(formula(node, Names())))


@pytest.mark.parametrize("example", [*EVERY, *OWN], ids=lambda example: example.text)
def test_every_node_is_written_as_on_the_page(example: Example) -> None:
    for node in nodes(example.node):
        must_agree(node)


@pytest.mark.parametrize("name", builtin_names())
def test_every_formula_of_a_scenario_is_written_as_on_the_page(name: str) -> None:
    found = {node for step in solved(name).derivation.steps if step.formula is not None for node in nodes(step.formula)}
    for node in found:
        must_agree(node)
    assert found
