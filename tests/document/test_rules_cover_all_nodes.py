"""Sums keep their order, and letters never collide."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import pytest
from sympy import MatAdd, MatMul, MatrixExpr, MatrixSymbol, Transpose

from symattn.base.shapes import Axis, Shape, shape
from symattn.operations import NODES, Softmax
from symattn.operations.node import apply, record_of, record_of_kind
from symattn.show.entries.letters import IN_THEIR_OWN_WAY, Letters
from symattn.show.entries.step_entry import general_entry
from symattn.show.forms.shape_line import shape_line
from symattn.show.math import Letter, Math, Script, Sum
from symattn.show.notation.formulas import Names, formula
from symattn.write.tex_math import tex
from tests import examples
from tests.examples import OVERRIDES

X, Y, b = MatrixSymbol("X", 3, 3), MatrixSymbol("Y", 3, 3), MatrixSymbol("b", 1, 3)
W = MatrixSymbol("W", 3, 4)
SHAPES = {"X": shape(3, 3), "Y": shape(3, 3), "b": shape(1, 3), "Z": shape(3, 3), "W": shape(3, 4)}


def test_a_sum_is_written_in_the_order_it_was_given() -> None:
    first, _, last = formula(MatAdd(Y, X, evaluate=False), Names()).parts  # type: ignore[union-attr]
    assert (first, last) == (Letter("Y"), Letter("X"))


def test_a_bound_index_is_never_the_letter_of_a_matrix() -> None:
    k, i = MatrixSymbol("K", 3, 3), MatrixSymbol("Q", 3, 3)
    names = Names()
    letters = Letters.choose(names, ["S", "Q", "K"], {name: shape(3, 3) for name in "SQK"})
    (chain,) = general_entry("S", MatMul(i, Transpose(k), evaluate=False), letters, shape(3, 3))
    total = chain.links[0][1]
    assert isinstance(total, Sum)
    assert total.index == Letter("l")


def test_nested_sums_have_different_indices() -> None:
    node = Softmax(MatMul(X, MatMul(Y, X, evaluate=False), evaluate=False))
    letters = Letters.choose(Names(), ["Z", "X", "Y"], SHAPES)
    (chain,) = general_entry("Z", node, letters, SHAPES["Z"])
    found: list[list[str]] = []
    _paths(chain.links[0][1], [], found)
    assert found
    assert all(len(path) == len(set(path)) for path in found)


def _paths(math: Math, bound: list[str], found: list[list[str]]) -> None:
    """The bound indices on the way to every innermost piece."""
    if isinstance(math, Sum) and isinstance(math.index, Letter):
        bound = [*bound, math.index.name]
        found.append(bound)
    for value in vars(math).values():
        for part in value if isinstance(value, tuple) else (value,):
            if hasattr(part, "__dataclass_fields__"):
                _paths(part, bound, found)


def test_names_that_differ_only_in_their_subscript_keep_it() -> None:
    names = Names()
    letters = Letters.choose(names, ["B_Q", "b_Q"], {"B_Q": shape(3, 2), "b_Q": shape(1, 2)})
    assert letters.base("B_Q") != letters.base("b_Q")


def test_a_matrix_of_one_row_has_one_index() -> None:
    letters = Letters.choose(Names(), ["b"], {"b": shape(1, 2)})
    assert letters.entry("b", Letter("i"), Letter("j")) == Script(Letter("b"), sub=Letter("j"))


@pytest.mark.parametrize("node", [node for node in NODES if record_of_kind(node) is not None])
def test_an_operation_is_written_alike_under_another_name(node: type) -> None:
    """What has no rule of its own is written by its equations alone, whoever wrote them."""
    example, names = examples.EXAMPLES[node][0].node, Names()
    record = record_of(example)
    assert record is not None
    copy = apply(replace(record, name="mine", called=record.called), *example.args)
    of_step = Shape(*(Axis(int(length)) for length in example.shape))
    letters = Letters.choose(names, ["Z", *examples.SHAPES], {"Z": of_step, **examples.SHAPES})
    if node.__name__ not in OVERRIDES["entry"] and not isinstance(example, IN_THEIR_OWN_WAY):
        assert _lines(copy, letters, of_step) == _lines(example, letters, of_step)
    if getattr(node, "unsaid", ()):
        return  # who wrote the copy has not said which of its numbers nobody writes
    if node.__name__ not in OVERRIDES["notation"]:
        assert formula(copy, names) == formula(example, names)
    if node.__name__ not in {**OVERRIDES["notation"], **OVERRIDES["shape line"]}:
        operand = partial(formula, names=names)
        assert shape_line(copy, names, operand) == shape_line(example, names, operand)


def _lines(node: MatrixExpr, letters: Letters, of_step: Shape) -> list[str]:
    return [tex(chain) for chain in general_entry("Z", node, letters.beside(node), of_step)]
