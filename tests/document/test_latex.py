"""SymPy's ``latex`` writes a node of ours as the page does, and what no page has as SymPy does."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from sympy import Basic, HadamardProduct, Integer, Inverse, Matrix, MatrixSymbol, Symbol, Trace, latex, sqrt

from symattn import operations as ops
from symattn.operations.node import apply
from symattn.operations.stored import Stored
from symattn.show.notation.formulas import Names, formula
from symattn.write.tex_math import tex
from tests.examples import EVERY, OF_RECORDS, Example
from tests.operations.test_citizens import SOFTCAP

OWN = [Example(text) for texts in OF_RECORDS.values() for text in texts]
X, Y = (MatrixSymbol(name, 2, 2) for name in "XY")


def nodes(formula: Basic) -> Iterator[Stored]:
    if isinstance(formula, Stored):
        yield formula
    for arg in formula.args:
        yield from nodes(arg)


@pytest.mark.parametrize("example", [*EVERY, *OWN], ids=lambda example: example.text)
def test_every_node_is_written_as_on_the_page(example: Example) -> None:
    for node in nodes(example.node):
        assert latex(node) == tex(formula(node, Names()))


SOFTMAX, QUOTIENT = r"\mathrm{softmax}\left(", r"\mathrm{quotient}\left("
BY_HAND = {
    r"\mathrm{softmax}\left(\frac{XY^T}{\sqrt{d_k}}\right)": ops.Softmax(ops.Quotient(X * Y.T, sqrt(Symbol("d_k")))),
    r"\left(X\odot(X + Y)\right) Y": ops.Hadamard(X, Y + X) * Y,
    r"\left(X\odot Y\right)^{T}": ops.Hadamard(X, Y).T,
    r"\mathrm{softcap}(X, 5)": apply(SOFTCAP, X, Integer(5)),
    r"\left(X^{-1}\oslash Y\right)^{T}": ops.EntryQuotient(Inverse(X), Y).T,
    rf"{SOFTMAX}X \circ Y\right)": ops.Softmax(HadamardProduct(X, Y)),
    rf"{SOFTMAX}\left[\begin{{matrix}}1 & 2\\3 & 4\end{{matrix}}\right]\right)": ops.Softmax(Matrix([[1, 2], [3, 4]])),
    rf"{QUOTIENT}{{X}}_{{0,0}} X, 2\right)": ops.Quotient(X[0, 0] * X, 2),
    rf"{SOFTMAX}{QUOTIENT}\operatorname{{tr}}\left(X \right) Y, 3\right)\right)": ops.Softmax(
        ops.Quotient(Trace(X) * Y, 3)
    ),
}


@pytest.mark.parametrize("written", BY_HAND)
def test_latex_by_hand(written: str) -> None:
    """What SymPy alone can write stands in a call, with all that the node is given."""
    assert latex(BY_HAND[written]) == written
