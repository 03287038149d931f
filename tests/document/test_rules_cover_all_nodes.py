"""Every node has a notation, an entry and a word for its kind; letters never collide."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import pytest
from sympy import Identity, Integer, MatAdd, MatMul, MatPow, MatrixExpr, MatrixSymbol, Rational, Transpose, oo, sqrt

from symattn.document.entries import Letters
from symattn.document.general_entry import general_entry
from symattn.document.kinds import reason
from symattn.document.math import Letter, Math, Script, Sum
from symattn.document.notation import Names, formula
from symattn.document.shape_line import shape_line
from symattn.operations import (
    ELU,
    GELU,
    NODES,
    AdditiveScores,
    Angle,
    ArgMax,
    Broadcast,
    CausalMask,
    ClipNorm,
    Concat,
    Cosine,
    Distance,
    Dot,
    Entropy,
    EntryQuotient,
    Exp,
    GELUTanh,
    Hadamard,
    Head,
    Keep,
    LayerNorm,
    Log,
    OneHot,
    OneMatrix,
    PaddingMask,
    Proportions,
    Quotient,
    ReLU,
    RMSNorm,
    Rotary,
    Row,
    RowMax,
    RowNorm,
    Rows,
    SiLU,
    Sinusoidal,
    Softmax,
    Stack,
    Tanh,
    TopK,
    UnitRows,
    WindowMask,
)
from symattn.operations.node import apply, record_of, record_of_kind
from symattn.operations.overrides import ENTRY, NOTATION, SHAPE_LINE
from symattn.render.environment import words
from symattn.render.tex import tex
from symattn.shapes import shape

X, Y, b = MatrixSymbol("X", 3, 3), MatrixSymbol("Y", 3, 3), MatrixSymbol("b", 1, 3)
W = MatrixSymbol("W", 3, 4)
EXAMPLES = {
    MatrixSymbol: X,
    MatMul: MatMul(X, Y, evaluate=False),
    MatAdd: MatAdd(Y, X, evaluate=False),
    MatPow: MatPow(X, 2),
    Transpose: Transpose(X),
    Identity: Identity(3),
    Softmax: Softmax(X),
    LayerNorm: LayerNorm(X, Rational(1, 100000), b, b),
    ReLU: ReLU(X),
    CausalMask: CausalMask(3, -oo),
    Broadcast: Broadcast(b, 3),
    Row: Row(X, 2),
    Quotient: Quotient(X, sqrt(2)),
    Dot: Dot(X, Y),
    OneMatrix: OneMatrix(3, 3),
    Exp: Exp(X),
    ELU: ELU(X),
    WindowMask: WindowMask(3, 2, -oo),
    Keep: Keep(X, CausalMask(3, -oo)),
    Head: Head(X, 2, 3),
    Concat: Concat(X, Y),
    OneHot: OneHot(b, 3),
    ClipNorm: ClipNorm(X, sqrt(2)),
    Cosine: Cosine(X, Y),
    Angle: Angle(X, Y),
    RowNorm: RowNorm(X),
    RowMax: RowMax(X),
    UnitRows: UnitRows(X),
    Proportions: Proportions(X),
    Entropy: Entropy(X),
    RMSNorm: RMSNorm(X, Rational(1, 100000), b),
    GELU: GELU(X),
    GELUTanh: GELUTanh(X),
    SiLU: SiLU(X),
    Log: Log(X),
    Tanh: Tanh(X),
    PaddingMask: PaddingMask(3, 3, 2, -oo),
    Distance: Distance(3),
    Sinusoidal: Sinusoidal(3, 4, Integer(10_000)),
    Rotary: Rotary(W, Integer(100), Integer(3)),
    Rows: Rows(X, 2, 3),
    Stack: Stack(X, b),
    Hadamard: Hadamard(X, Y),
    EntryQuotient: EntryQuotient(X, Y),
    AdditiveScores: AdditiveScores(X, Y, b),
    ArgMax: ArgMax(X),
    TopK: TopK(X, 2),
}
SHAPES = {"X": shape(3, 3), "Y": shape(3, 3), "b": shape(1, 3), "Z": shape(3, 3), "W": shape(3, 4)}


@pytest.mark.parametrize("node", NODES)
def test_every_node_has_a_notation_an_entry_and_a_kind(node: type) -> None:
    example = EXAMPLES[node]
    names = Names()
    assert formula(example, names) is not None
    letters = Letters.choose(names, ["Z", "X", "Y", "b", "W"], SHAPES)
    assert general_entry("Z", example, letters, SHAPES["Z"])
    for language in ("en", "zh-Hant", "zh-Hans"):
        assert words(language).call(reason(example, language).key, {})


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
    example, names = EXAMPLES[node], Names()
    record = record_of(example)
    assert record is not None
    copy = apply(replace(record, name="mine", called=record.called), *example.args)
    letters = Letters.choose(names, ["Z", "X", "Y", "b", "W"], SHAPES)
    if node.__name__ not in ENTRY:
        assert _lines(copy, letters) == _lines(example, letters)
    if node.__name__ not in NOTATION:
        assert formula(copy, names) == formula(example, names)
    if node.__name__ not in {**NOTATION, **SHAPE_LINE}:
        operand = partial(formula, names=names)
        assert shape_line(copy, names, operand) == shape_line(example, names, operand)


def _lines(node: MatrixExpr, letters: Letters) -> list[str]:
    return [tex(chain) for chain in general_entry("Z", node, letters.beside(node), SHAPES["Z"])]
