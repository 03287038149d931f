"""Text to tree: every way to type a formula, what is refused with both readings, and what comes of any other text."""

from __future__ import annotations

import ast
import tomllib
from collections.abc import Callable

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from symattn.base.errors import FormulaError
from symattn.base.shapes import Axis, Shape, shape
from symattn.read.formula import Scope
from symattn.read.formula.parse import parse
from symattn.read.formula.tree import canonical, segment
from tests.conftest import ROOT

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


NAMED = [
    ("Q^T", ("Q", "T"), "Q^T can mean two things: write Q.T or Q ** T"),
    ("Q^\\top", ("Q", "T"), "Q.T"),
    ("Q^TV", ("Q", "V", "TV"), "^TV can mean two things: write .T @ V or ** TV"),
    ("QK @ V", ("Q", "K", "QK", "V"), "QK @ V"),
    ("QK @ V / √2", ("Q", "K", "QK", "V"), "QK @ V / sqrt(2)"),
    (
        "QK V",
        ("Q", "K", "QK", "V"),
        "QK can mean two things: write Q @ K or QK in a formula of Python's signs, with @ and .T",
    ),
    ("ABC", ("A", "AB", "BC", "C"), "ABC can mean two things: write A @ BC or AB @ C"),
    ("ABC", ("A", "AB", "B", "BC", "C"), "ABC can mean two things: write A @ BC or AB @ C"),
    ("e^x", ("e", "x"), "e^x can mean two things: write exp(x) or e ** x"),
    ("e**x", ("e", "x"), "e ** x"),
    ("\\alpha_{1,1} + q^1", ("alpha_11", "q1"), "alpha_11 + q1"),
    ("\\sum_{j=1}^{3} a_{1j} V_j", ("A", "V"), "A[0, :] @ V"),
    ("\\sum_j v_j B_{j2}", ("v", "B"), "sum(v * B[:, 1])"),
    ("sin t^2", ("t",), "sin t^2 can mean two things: write sin(t) ** 2 or sin(t ** 2)"),
    ("\\epsilon", ("epsilon", "eps"), "\\epsilon can mean two things: write epsilon or eps"),
    ("\\sigma(Q)", ("sigma", "Q"), "\\sigma(…) can mean two things: write sigmoid(…) or sigma @ (…)"),
    ("\\sigma^2", ("sigma",), "sigma^2"),
    ("\\sigma_B^2", ("sigma2_B",), "sigma2_B"),
    ("\\sigma^2", ("sigma", "var"), "\\sigma^2 can mean two things: write var or sigma ** 2"),
    ("x' + Q'_1 @ x", ("x", "x_prime", "Q_prime_1"), "x_prime + Q_prime_1 @ x"),
    ("s_{12}", ("s", "S"), "s_{12} can mean two things: write s_{1,2} or S_{1,2}"),
    ("s_{12}", ("s_12", "S"), "s_{12} can mean two things: write s_12 or S_{1,2}"),
    ("s_12", ("s_12", "S"), "s_12"),
    ("W_i^Q", ("W_i_Q",), "W_i_Q"),
    ("d_{model} + dk", ("d_model", "dk"), "d_model + dk"),
    ("x^n", ("x", "n", "x_n"), "x^n can mean two things: write x_n or x ** n"),
    ("softmax(Q)", ("softmax", "Q"), "softmax(Q)"),
    ("softmax Q", ("softmax", "Q"), "softmax Q"),
    ("xsoftmax(Q)", ("x", "Q"), "x softmax(Q)"),
    ("np.exp(n)", ("n", "p"), "np.exp(n)"),
    ("\\max x", ("m", "a", "x"), "max(x)"),
]


@pytest.mark.parametrize(("text", "names", "wanted"), NAMED)
def test_what_a_word_is_depends_on_the_names_there_are(text: str, names: tuple[str, ...], wanted: str) -> None:
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
