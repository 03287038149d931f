"""Building formulas: nothing is evaluated, shapes come first, and each error names what was being built."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from sympy import Identity, Integer, MatAdd, MatMul, MatPow, MatrixSymbol, Rational, Symbol, Transpose, oo, sqrt

from symattn.errors import FormulaError, ShapeError
from symattn.operations import (
    ELU,
    Angle,
    Broadcast,
    CausalMask,
    ClipNorm,
    Concat,
    Cosine,
    Dot,
    Entropy,
    Exp,
    Head,
    LayerNorm,
    OneHot,
    OneMatrix,
    Proportions,
    Quotient,
    ReLU,
    Row,
    RowMax,
    RowNorm,
    Softmax,
    Stack,
    UnitRows,
    WindowMask,
    terms,
)
from symattn.operations.build import built
from symattn.operations.demands import must_fit
from symattn.operations.ours import node_named, record_named
from symattn.operations.terms import Term
from symattn.shapes import Axis, Shape, shape

HEAD = Shape(Axis(3, "n"), Axis(4, "d_k"))
q, k = terms.symbol("Q", HEAD), terms.symbol("K", HEAD)
s, b, g = terms.symbol("S", shape(3, 3)), terms.symbol("b", shape(1, 4)), terms.symbol("g", shape(1, 4))
general = terms.symbol("X", Shape(Axis("m", "m"), Axis("n", "n")))
LETTERS = terms.symbol("L", Shape(Axis("n", "n"), Axis("d", "d")))
Q, K, S = MatrixSymbol("Q", 3, 4), MatrixSymbol("K", 3, 4), MatrixSymbol("S", 3, 3)


def ours(name: str, *given: object, **options: object) -> Term:
    """One of our operations applied to terms, axes and numbers."""
    record = record_named(name)
    if record.parameters[0].many:
        return built(record, {record.parameters[0].name: given}, node_named(name))
    values = {**dict(zip((parameter.name for parameter in record.parameters), given, strict=False)), **options}
    must_fit(record, values)
    return built(record, values, node_named(name))


BUILT: list[tuple[Callable[[], Term], object, str, str]] = [
    (lambda: terms.product(q, terms.transpose(k)), MatMul(Q, Transpose(K), evaluate=False), "(n=3, n=3)", "Q @ K.T"),
    (lambda: terms.product(terms.product(s, s), q), MatMul(S, S, Q, evaluate=False), "(3, d_k=4)", "S @ S @ Q"),
    (lambda: terms.total(q, k), MatAdd(Q, K, evaluate=False), "(n=3, d_k=4)", "Q + K"),
    (
        lambda: terms.difference(q, k),
        MatAdd(Q, MatMul(Integer(-1), K, evaluate=False), evaluate=False),
        "(n=3, d_k=4)",
        "Q - K",
    ),
    (lambda: terms.multiple(Integer(3), q), MatMul(Integer(3), Q, evaluate=False), "(n=3, d_k=4)", "3 * Q"),
    (lambda: terms.quotient(q, sqrt(2)), Quotient(Q, sqrt(2)), "(n=3, d_k=4)", "Q / sqrt(2)"),
    (lambda: terms.power(s, 3), MatPow(S, 3), "(3, 3)", "S ** 3"),
    (lambda: terms.transpose(terms.total(q, k)), Transpose(MatAdd(Q, K, evaluate=False)), "(d_k=4, n=3)", "(Q + K).T"),
    (lambda: terms.transpose(terms.transpose(q)), Transpose(Transpose(Q)), "(n=3, d_k=4)", "Q.T.T"),
    (lambda: ours("softmax", q), Softmax(Q), "(n=3, d_k=4)", "softmax(Q)"),
    (lambda: ours("relu", q), ReLU(Q), "(n=3, d_k=4)", "relu(Q)"),
    (lambda: ours("layer_norm", q), LayerNorm(Q, Rational(1, 100_000)), "(n=3, d_k=4)", "layer_norm(Q)"),
    (lambda: ours("causal_mask", Axis(3, "n")), CausalMask(3, -oo), "(n=3, n=3)", "causal_mask(n)"),
    (lambda: ours("identity", Axis(3, "n")), Identity(3), "(n=3, n=3)", "identity(n)"),
    (lambda: ours("broadcast", b, Axis(3, "n")), Broadcast(b.expr, 3), "(n=3, 4)", "broadcast(b, n)"),
    (lambda: ours("row", q, 2), Row(Q, 2), "(1, d_k=4)", "row(Q, 2)"),
    (lambda: ours("dot", b, g), Dot(b.expr, g.expr), "(1, 1)", "dot(b, g)"),
    (lambda: ours("dot", q, k), Dot(Q, K), "(n=3, n=3)", "dot(Q, K)"),
    (lambda: ours("cosine", q, b), Cosine(Q, b.expr), "(n=3, 1)", "cosine(Q, b)"),
    (lambda: ours("angle", q, b), Angle(Q, b.expr), "(n=3, 1)", "angle(Q, b)"),
    (lambda: ours("exp", q), Exp(Q), "(n=3, d_k=4)", "exp(Q)"),
    (lambda: ours("elu", q), ELU(Q), "(n=3, d_k=4)", "elu(Q)"),
    (lambda: ours("norm", q), RowNorm(Q), "(n=3, 1)", "norm(Q)"),
    (lambda: ours("row_max", q), RowMax(Q), "(n=3, 1)", "row_max(Q)"),
    (lambda: ours("entropy", q), Entropy(Q), "(n=3, 1)", "entropy(Q)"),
    (lambda: ours("unit", q), UnitRows(Q), "(n=3, d_k=4)", "unit(Q)"),
    (lambda: ours("proportions", q), Proportions(Q), "(n=3, d_k=4)", "proportions(Q)"),
    (lambda: ours("clip_norm", q, Integer(5)), ClipNorm(Q, Integer(5)), "(n=3, d_k=4)", "clip_norm(Q, 5)"),
    (lambda: ours("head", q, 2, 2), Head(Q, 2, 2), "(n=3, 2)", "head(Q, 2, 2)"),
    (lambda: ours("concat", q, s, q), Concat(Q, S, Q), "(n=3, 11)", "concat(Q, S, Q)"),
    (lambda: ours("concat", LETTERS, LETTERS), Concat(LETTERS.expr, LETTERS.expr), "(n, d + d)", "concat(L, L)"),
    (lambda: ours("stack", LETTERS, LETTERS), Stack(LETTERS.expr, LETTERS.expr), "(n + n, d)", "stack(L, L)"),
    (lambda: ours("one_hot", b, Axis(5, "v")), OneHot(b.expr, 5), "(4, v=5)", "one_hot(b, v)"),
    (lambda: ours("window_mask", Axis(3, "n"), Axis(2)), WindowMask(3, 2, -oo), "(n=3, n=3)", "window_mask(n, 2)"),
    (lambda: ours("ones", Axis(1), Axis(3, "n")), OneMatrix(1, 3), "(1, n=3)", "ones(1, n)"),
]


@pytest.mark.parametrize(("build", "expr", "shape_text", "text"), BUILT, ids=[text for *_, text in BUILT])
def test_a_term_is_its_node_its_shape_and_its_text(
    build: Callable[[], Term], expr: object, shape_text: str, text: str
) -> None:
    term = build()

    assert term.expr == expr
    assert type(term.expr) is type(expr)
    assert (str(term.shape), term.text) == (shape_text, text)


def test_sympy_is_kept_from_evaluating() -> None:
    """Each of these would be another formula if SymPy had its way: Q Kᵀ/2, X Xᵀ as a power, Kᵀ Q, zero."""
    assert str(terms.quotient(s, Integer(2)).expr) == "Quotient(S, 2)"
    assert terms.product(s, s).expr.args == (S, S)
    assert terms.transpose(terms.product(q, terms.transpose(k))).expr.args == (MatMul(Q, Transpose(K), evaluate=False),)
    assert len(terms.difference(s, s).expr.args) == 2
    assert terms.total(s, s).expr.args == (S, S)
    assert isinstance(terms.multiple(Integer(0), s).expr, MatMul)
    assert isinstance(terms.power(s, 1).expr, MatPow)
    assert isinstance(terms.product(s, ours("identity", Axis(3))).expr, MatMul)


def test_general_shapes_have_letters_for_sizes() -> None:
    n, m = (Symbol(letter, integer=True, positive=True) for letter in "nm")

    assert general.expr.shape == (m, n)
    assert str(terms.product(general, terms.transpose(general)).shape) == "(m, m)"
    assert terms.product(general, terms.transpose(general)).expr.shape == (m, m)


def test_gain_without_bias_and_bias_without_gain_are_filled_up() -> None:
    gained, biased = ours("layer_norm", q, gamma=b).expr, ours("layer_norm", q, beta=b).expr

    assert (gained.gamma, gained.beta.as_explicit()[0, 0]) == (b.expr, 0)
    assert (biased.gamma.as_explicit()[0, 0], biased.beta) == (1, b.expr)
    assert ours("layer_norm", q).expr.gamma is None


ERRORS: list[tuple[Callable[[], Term], type, str]] = [
    (lambda: terms.product(q, terms.transpose(terms.symbol("W", Shape(Axis(3, "m"), Axis(2, "d_k"))))), ShapeError,
     "Q @ W.T: Q is (n=3, d_k=4), W.T is (d_k=2, m=3): d_k differs, 4 and 2; did you mean W.T @ Q?"),
    (lambda: terms.product(terms.product(q, terms.transpose(k)), b), ShapeError,
     "Q @ K.T @ b: Q @ K.T is (n=3, n=3), b is (1, 4): the columns of the first are n=3, the rows of the second 1"),
    (lambda: terms.total(q, b), ShapeError,
     "Q + b: Q is (n=3, d_k=4), b is (1, 4): rows differ, 3 and 1; broadcast(b, 3) has the rows"),
    (lambda: terms.difference(q, s), ShapeError, "Q - S: Q is (n=3, d_k=4), S is (3, 3): columns differ, 4 and 3"),
    (lambda: terms.quotient(q, Integer(0)), FormulaError, "Q / 0: division by zero"),
    (lambda: terms.power(q, 2), ShapeError, "Q ** 2: Q is (n=3, d_k=4): expected as many rows as columns"),
    (lambda: terms.power(s, 0), FormulaError, "S ** 0: a matrix power has a whole exponent from 1 to 64"),
    (lambda: terms.power(s, 65), FormulaError, "S ** 65: a matrix power has a whole exponent from 1 to 64"),
    (lambda: ours("layer_norm", q, Integer(-1)), FormulaError,
     "layer_norm(Q, epsilon=-1): epsilon is -1: expected a number that is not negative"),
    (lambda: ours("layer_norm", q, gamma=s), ShapeError,
     "layer_norm(Q, gamma=S), gamma: S is (3, 3): expected one row, (1, …)"),
    (lambda: ours("layer_norm", s, beta=b), ShapeError, "layer_norm(S, beta=b), beta: b is (1, 4): expected (1, 3)"),
    (lambda: ours("causal_mask", Axis(0)), FormulaError,
     "causal_mask(0): 0 is not a size: expected a whole number from 1 up"),
    (lambda: ours("causal_mask", Axis(1001)), FormulaError,
     "causal_mask(1001): more than MATRIX_ENTRIES = 1000000 entries"),
    (lambda: ours("identity", Axis(2000)), FormulaError, "identity(2000): more than MATRIX_ENTRIES = 1000000 entries"),
    (lambda: ours("broadcast", q, Axis(3)), ShapeError, "broadcast(Q, 3): Q is (n=3, d_k=4): expected one row, (1, …)"),
    (lambda: ours("broadcast", b, Axis(10**6)), FormulaError,
     "broadcast(b, 1000000): more than MATRIX_ENTRIES = 1000000 entries"),
    (lambda: ours("row", q, 4), ShapeError, "row(Q, 4): Q is (n=3, d_k=4): expected a row from 1 to 3"),
    (lambda: ours("row", general, 1), ShapeError,
     "row(X, 1): X is (m, n): expected a row from 1 to m, which has to be a whole number"),
    (lambda: ours("cosine", q, s), ShapeError,
     "cosine(Q, S): Q is (n=3, d_k=4), S is (3, 3): expected rows of the same length"),
    (lambda: ours("head", q, 1, 3), ShapeError,
     "head(Q, 1, 3): Q is (n=3, d_k=4): d/h is 4/3: expected a whole number from 1 up; h that fits: 1, 2, 4"),
    (lambda: ours("head", q, 3, 2), ShapeError,
     "head(Q, 3, 2): Q is (n=3, d_k=4): X[i,(t - 1)*d/h + j] asks for column 5: expected a column from 1 to 4; "
     "t that fits: 1, 2"),
    (lambda: ours("head", q, 1, 0), ShapeError,
     "head(Q, 1, 0): Q is (n=3, d_k=4): d/h: division by zero in a place, a length or a condition; "
     "h that fits: 1, 2, 4"),
    (lambda: ours("head", general, 1, 2), ShapeError,
     "head(X, 1, 2): X is (m, n): d/h needs sizes that are whole numbers"),
    (lambda: ours("concat", q, b), ShapeError,
     "concat(Q, b): Q is (n=3, d_k=4), b is (1, 4): expected the same number of rows"),
    (lambda: ours("one_hot", q, Axis(5)), ShapeError, "one_hot(Q, 5): Q is (n=3, d_k=4): expected one row, (1, …)"),
    (lambda: ours("window_mask", Axis(3, "n"), Axis(0, "w")), FormulaError,
     "window_mask(n, w): the window is 0: a position sees at least itself, so expected 1 or more"),
    (lambda: ours("window_mask", Axis(3, "n"), Axis(4)), FormulaError,
     "window_mask(n, 4): the window is 4, wider than the 3 positions there are"),
    (lambda: ours("ones", Axis(2000), Axis(2000)), FormulaError,
     "ones(2000, 2000): more than MATRIX_ENTRIES = 1000000 entries"),
    (lambda: ours("clip_norm", q, Integer(0)), FormulaError,
     "clip_norm(Q, 0): c is 0: expected a positive number"),
    (lambda: ours("dot", b, ours("row", s, 1)), ShapeError,
     "dot(b, row(S, 1)): b is (1, 4), row(S, 1) is (1, 3): expected rows of the same length"),
]  # fmt: skip


@pytest.mark.parametrize(("build", "kind", "sentence"), ERRORS, ids=[sentence.split(":")[0] for *_, sentence in ERRORS])
def test_what_cannot_be_built_is_one_sentence(build: Callable[[], Term], kind: type, sentence: str) -> None:
    with pytest.raises(kind) as caught:
        build()

    assert str(caught.value) == sentence


def test_a_product_larger_than_the_limit_is_refused_before_it_is_worked_out() -> None:
    tall = ours("broadcast", b, Axis(100_000))

    with pytest.raises(FormulaError, match="more than MATRIX_ENTRIES = 1000000 entries"):
        terms.product(tall, terms.transpose(tall))
