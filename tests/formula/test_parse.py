"""Text to tree: every way to type a formula, what is refused with both readings, and what comes of any other text."""

from __future__ import annotations

import ast
import tomllib
from collections.abc import Callable
from itertools import combinations

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from symattn import derive
from symattn.base.errors import FormulaError, SymattnError
from symattn.base.shapes import Axis, Shape, shape
from symattn.operations.equations.read import read_operation
from symattn.operations.node import record_of
from symattn.operations.terms import Term
from symattn.read.formula import Scope, equations, read_formula
from symattn.read.formula.functions import TABLE as FUNCTIONS
from symattn.read.formula.parse import parse
from symattn.read.formula.tree import canonical, segment
from symattn.read.scenario.load import loads
from tests.conftest import ROOT
from tests.formula.numpy_road import certified, difference, read, shape_of
from tests.formula.random_formulas import VALUES as MATRICES

# -- text to tree ------------------------------------------------------------------------------------------------------


SCOPE = Scope(
    {
        **dict.fromkeys("QKVX", shape(3, 4)),
        **{"W": shape(4, 4), "W_Q": shape(4, 4), "W_1": shape(4, 4), "S": shape(3, 3), "A": shape(12, 12)},
        **dict.fromkeys(("x", "y", "x_hat", "y_hat", "b"), Shape(Axis(1), Axis(4), 1)),
        **{"mu": shape(1, 1), "var": shape(1, 1)},
    },
    {"n": 4, "d_k": 4, "m": "m"},
    frozenset({"a", "eps"}),
)
CASES = tomllib.loads((ROOT / "tests" / "formula" / "parse.toml").read_text(encoding="utf-8"))


def cases(table: str) -> pytest.MarkDecorator:
    return pytest.mark.parametrize(("text", "wanted"), CASES[table].items(), ids=map(repr, CASES[table]))


def refused(text: str, scope: Scope = SCOPE) -> str:
    with pytest.raises(FormulaError) as caught:
        parse(text, scope)
    return str(caught.value).removeprefix(f"formula {text!r}: ")


@cases("read")
def test_every_way_to_type_a_formula_is_read(text: str, wanted: str) -> None:
    """And what is written back is read as the same again, where it has names that are known."""
    assert canonical(parse(text, SCOPE)) == wanted
    assert canonical(parse(wanted, SCOPE)) == wanted


@cases("refused")
def test_what_cannot_be_read_or_has_two_readings_gets_its_sentence(text: str, wanted: str) -> None:
    assert refused(text) == wanted


@pytest.mark.parametrize(("text", "said", "wanted"), CASES["by_names"]["cases"])
def test_what_a_word_is_depends_on_the_names_there_are(text: str, said: str, wanted: str) -> None:
    names = said.split()
    matrices = {name: shape(3, 3) for name in names if name not in ("n", "e", "T")}
    matrices |= {"v": Shape(Axis(1), Axis(3), 1)} if "v" in names else {}
    scope = Scope(matrices, {name: 3 for name in names if name in ("n", "e", "T")})
    assert (refused(text, scope) if "two things" in wanted else canonical(parse(text, scope))) == wanted


@pytest.mark.parametrize(
    ("text", "turned"), [("Q @ K^T", "Q @ K.T"), ("Q K^{T}", "Q K.T"), ("K^T", "K.T"), ("T^T", "T.T")]
)
def test_a_matrix_called_t_is_no_exponent(text: str, turned: str) -> None:
    square, number = shape(3, 3), shape(1, 1)
    assert canonical(parse(text, Scope({"Q": square, "K": square, "T": square}))) == turned
    assert "two things" in refused(text, Scope({"Q": square, "K": square, "T": number}))


def test_every_piece_of_the_tree_says_where_it_stands_in_the_text() -> None:
    text = "  softmax（Ｑ·\\mathbf{K}ᵀ／√d_k） V"
    names = {node.id: segment(text, node) for node in ast.walk(parse(text, SCOPE)) if isinstance(node, ast.Name)}
    products = [segment(text, node) for node in ast.walk(parse(text, SCOPE)) if isinstance(node, ast.BinOp)]
    assert names == {"softmax": "softmax", "Q": "Ｑ", "K": "K", "sqrt": "√d_k", "d_k": "d_k", "V": "V"}
    assert products == ["softmax（Ｑ·\\mathbf{K}ᵀ／√d_k） V", "Ｑ·\\mathbf{K}ᵀ／√d_k", "Ｑ·\\mathbf{K}ᵀ"]


pythons = st.recursive(
    st.sampled_from("Q K W_Q S x n 2 0.5 1e-3 1_000 oo zz True".split()),
    lambda inner: st.one_of(
        st.builds("{}{}{}".format, inner, st.sampled_from(["+", " - ", "*", " / ", " @ ", "**", "-", " ** -"]), inner),
        st.builds("{}({})".format, st.sampled_from(["", "-", "softmax", "np.exp", "Q.sum", "zz"]), inner),
        st.builds("relu({}, {}, axis={})".format, inner, inner, inner),
        st.builds("(({}).T)[{}:, :{}, ::2]".format, inner, inner, inner),
        st.builds("[{}, ({}, {})]".format, inner, inner, inner),
    ),
    max_leaves=8,
)


@settings(max_examples=200)
@given(pythons)
def test_python_is_read_as_python_reads_it(text: str) -> None:
    def plain(node: object, digits: str = "") -> object:
        if isinstance(node, ast.Constant) and not isinstance(node.value, bool):
            return node.kind or segment(text, node).replace("_", "")
        if isinstance(node, ast.AST):
            return type(node).__name__, [plain(value) for name, value in ast.iter_fields(node) if name != "ctx"]
        return [plain(part) for part in node] if isinstance(node, list) else node

    assert plain(parse(text, SCOPE)) == plain(ast.parse(text, mode="eval").body)


PIECES = (
    "softmax exp ( ) Q K X S s x y a n d_k W W_Q T ^ ^T ^{ } { _ _{ _1 12 1 0.5 / * @ + - , . ' | || = QK np. axis= ** "
    "e^ None if \\ ~ \\, [ ] ; : \\frac \\sqrt \\left( \\right) \\left[ \\right] \\text{ \\mathrm{softmax} \\mathbf{W} "
    "\\hat{x} \\hat \\top \\sum_{k=1}^{n} \\sum_k x_k \\max_j x_j \\exp \\begin{bmatrix} \\end{bmatrix} \\\\ & \\over "
    "\\lVert \\{ $ $$ \\( ° ^\\circ ∞ \\pi ⌊ ⟨ ， （ １ x̂ 𝐐 ‖ √ Σ ∑ σ μ ε λ · × ⊙ ᵀ ² ⁻¹ ₁ ½ \u0302 \ud800 ^{(1)} /2x"
).split()


@pytest.mark.long
@settings(max_examples=400)
@given(text=st.lists(st.sampled_from([*PIECES, " "]), max_size=24).map("".join))
@example(text="(" * 999)
@example(text="X[" * 900)
@example(text="2^" * 900)
@example(text="QK" * 900)
@example(text="\\hat{" * 300)
@example(text="x_1" * 600)
@example(text="\\sum_j x_ x_{}")
def test_a_soup_of_signs_is_read_or_refused_and_soon(text: str, within: Callable) -> None:
    with within(1):
        try:
            tree = parse(text, SCOPE)
        except FormulaError:
            return
        written = canonical(tree)
    places = [(node.col_offset, node.end_col_offset) for node in ast.walk(tree) if isinstance(node, ast.expr)]
    assert all(0 <= start <= end <= len(text) for start, end in places)
    if all(node.id in SCOPE.names for node in ast.walk(tree) if isinstance(node, ast.Name)):
        assert canonical(parse(written, SCOPE)) == written


# -- a step as its author types it -------------------------------------------------------------------------------------


EQUATIONS = tomllib.loads((ROOT / "tests" / "formula" / "equations.toml").read_text(encoding="utf-8"))
HEAD = 'title = "t"\nlanguage = "en"\n[given]\nX = [["1", "2"]]\nA = [["1", "0"], ["2", "1"]]\n"B^{(1)}" = ["1", "3"]\n'


def scenario(*steps: str) -> str:
    listed = ", ".join(f"'''{step}'''" for step in steps)
    return f'{HEAD}[[section]]\ntitle = "All"\nsteps = [{listed}]\n'


@pytest.mark.parametrize("text", EQUATIONS["read"])
def test_a_step_defines(text: str) -> None:
    defined = [f"{name} = {formula.removeprefix(chr(92) + 'quad').strip()}" for name, formula in equations(text, "XAB")]
    assert defined == EQUATIONS["read"][text]


@pytest.mark.parametrize("text", EQUATIONS["refused"])
def test_a_step_is_refused_with_the_way(text: str) -> None:
    with pytest.raises(SymattnError) as caught:
        loads(scenario(text, "T = X"))
    assert EQUATIONS["refused"][text] in str(caught.value)


def test_steps_that_define_several_names_are_items_of_their_own() -> None:
    read = loads(scenario("Q = K = XA", "FFN(x) = Q + K", "x_2 = Q + FFN(x)", "v = B^{(1)}"))
    assert [step.name for step in read.derivation.steps][3:] == ["Q", "K", "FFN_x", "x_2", "v"]
    assert "FFN" in derive(read).render("markdown")


@pytest.mark.parametrize("text", EQUATIONS["entries"])
def test_what_is_said_of_every_entry_is_said_of_the_whole(text: str) -> None:
    name, whole = EQUATIONS["entries"][text]
    steps = loads(scenario("v = [1, 2]", "\\mu = 3", "W_i^Q = A", text, f"same = {whole}")).derivation.by_name
    assert steps[name].formula == steps["same"].formula


# -- Gradients that a formula calls by their names ---------------------------------------------------------------------


MM = read_operation("mm(A: m×k, B: k×n) -> m×n\n y[i,j] = sum(l, A[i,l] * B[l,j])")
SHAPES_OF_GRADIENTS = {"S": shape(3, 4), "G": shape(3, 4), "g": shape(1, 4), "A": shape(3, 2), "B": shape(2, 4)}
GRADIENTS = Scope(SHAPES_OF_GRADIENTS, operations={"mm": MM})


@pytest.mark.parametrize(("text", "called", "sizes"), [
    ("softmax_vjp_S(S, G)", "J^T_softmax", (3, 4)),
    ("layer_norm_vjp_X(S, G, gamma=g)", "J^T_LN,X", (3, 4)),
    ("layer_norm_vjp_gamma(S, G)", "J^T_LN,gamma", (1, 4)),
    ("rotary_vjp_X(G)", "RoPE^T", (3, 4)),
    ("broadcast_vjp_b(3, S)", "broadcast^T", (1, 4)),
    ("relu_grad_X(S)", "ReLU'", (3, 4)),
    ("abs_grad_X(S)", "abs'", (3, 4)),
    ("softcap_grad_c(S, 5)", "grad_softcap,c", (1, 1)),
    ("mm_vjp_A(B, G)", "mm^T", (3, 2)),
    ("mm_vjp_B(A, G)", "mm^T", (2, 4)),
    ("softmax_vjp_S_vjp_G(S, G)", "softmax_vjp_S^T", (3, 4)),
])  # fmt: skip
def test_a_gradient_is_an_operation_by_its_name(text: str, called: str, sizes: tuple[int, int]) -> None:
    term = read_formula(text, GRADIENTS)
    assert (record_of(term.expr).called, term.shape.sizes) == (called, sizes)


@pytest.mark.parametrize("name", ["softmax_vjp_Q", "foo_vjp_X", "rows_vjp_a", "relu_grad_", "concat_vjp_X1"])
def test_a_name_that_is_no_gradient_is_unknown(name: str) -> None:
    with pytest.raises(FormulaError, match=f"unknown function '{name}'"):
        read_formula(f"{name}(S)", GRADIENTS)


def test_gradients_of_gradients_end_and_no_list_of_functions_has_any() -> None:
    with pytest.raises(FormulaError, match="unknown function"):
        read_formula("softmax_vjp_S_vjp_S_vjp_S(S, G, G, G)", GRADIENTS)
    assert not any("_vjp_" in name or "_grad_" in name for name in FUNCTIONS)


# -- No text that can mean two things is guessed at: it is refused, and what is said names both ------------------------


DRAWN = np.random.default_rng(15)
VALUES = {
    **MATRICES,
    "r": np.array([[1.0, 2.0, -1.0]]),
    "b": np.array([[1.0, 0.5, 0.25, 2.0]]),
    "g": np.array([[3.0, 1.0, 2.0]]),
    **{name: np.round(DRAWN.random((3, 3)), 2) for name in ("P", "L", "A", "Q", "K", "QK")},
    "B": np.round(DRAWN.random((11, 11)), 2),
    **{name: np.round(DRAWN.random(3), 2) for name in ("a", "e", "x")},
    "A_12": np.float64(0.5),
    "a_1": np.float64(0.25),
}
SIZES = {"n": 3, "d": 3, "T": 2}
SHAPES = {
    **{name: shape_of(value) for name, value in VALUES.items()},
    "L": Shape(Axis(3, "n"), Axis(3, "d")),
    "g": Shape(Axis(1), Axis(3, "n")),
}
TABLES = tomllib.loads((ROOT / "tests" / "formula" / "two_readings.toml").read_text(encoding="utf-8"))
READINGS = {text: readings for table in TABLES.values() for text, readings in table.items()}


def plain(text: str) -> str:
    return text.replace(" ", "")


def wrong(text: str) -> str:
    """What is wrong with what is said of a text that has two readings."""
    said = read(text, SHAPES, SIZES)
    if isinstance(said, Term):
        return f"{text} is read as {said.expr}"
    missing = [reading for reading in READINGS[text] if plain(reading) not in plain(str(said))]
    if missing:
        return f"{missing} is not in: {said}"
    values = []
    for reading in READINGS[text]:
        term = read(reading, SHAPES, SIZES)
        if not isinstance(term, Term):
            return f"{reading} cannot be typed: {term}"
        values.append(certified(term, VALUES, SHAPES, SIZES))
    same = [f"{one}" for one, other in combinations(values, 2) if not difference(one, other)]
    return f"two readings have the same value: {same}" if same else ""


@pytest.mark.parametrize("text", READINGS, ids=repr)
def test_what_can_mean_two_things_is_refused_with_both_and_both_can_be_typed(text: str) -> None:
    assert not wrong(text), wrong(text)
