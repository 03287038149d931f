"""How operations are written: formulas, shapes, general entries, letters that never collide; SymPy's latex too."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

import pytest
from sympy import (
    Basic,
    HadamardProduct,
    Integer,
    Inverse,
    MatAdd,
    MatMul,
    MatPow,
    Matrix,
    MatrixExpr,
    MatrixSymbol,
    OneMatrix,
    Rational,
    Symbol,
    Trace,
    Transpose,
    latex,
    sqrt,
)

from symattn import operations as ops
from symattn.api.worked import derive
from symattn.base.printed import Figure
from symattn.base.shapes import Axis, Shape, shape
from symattn.compute.solution.core import Solution
from symattn.operations import (
    GELU,
    NODES,
    CausalMask,
    Distance,
    EntryQuotient,
    GELUTanh,
    Hadamard,
    Keep,
    LayerNorm,
    Quotient,
    Rotary,
    Rows,
    SiLU,
    Sinusoidal,
    Softmax,
    Stack,
    TopK,
    WindowMask,
)
from symattn.operations.equations.read import read_operation
from symattn.operations.equations.tree import Operation
from symattn.operations.node import apply, record_of, record_of_kind
from symattn.operations.stored import Stored
from symattn.read.plan import Plan, Step
from symattn.read.scenario.load import loads
from symattn.show.entries.letters import IN_THEIR_OWN_WAY, Letters, page_names
from symattn.show.entries.step_entry import general_entry
from symattn.show.forms.shape_line import shape_line
from symattn.show.math import Letter, Math, Number, Script, Shaped, Sum
from symattn.show.notation.formulas import Names, formula, number
from symattn.show.working.lines import worked_line
from symattn.write.tex_math import MarkdownTex, tex
from tests import examples
from tests.document.lessons import lesson
from tests.examples import EVERY, OF_RECORDS, OVERRIDES, Example

# -- operations of equations -------------------------------------------------------------------------------------------


X, Y, W = MatrixSymbol("X", 3, 4), MatrixSymbol("Y", 3, 4), MatrixSymbol("W", 4, 3)
S, g = MatrixSymbol("S", 3, 3), MatrixSymbol("g", 1, 4)


def op(head: str, *lines: str) -> Operation:
    return read_operation("\n".join([head, *lines]))


SOFTCAP = op("softcap(X, c = 30)", "y[i,j] = c * tanh(X[i,j] / c)")
MISH = op("mish(X)", "s[i,j] = log(1 + exp(X[i,j]))", "y[i,j] = X[i,j] * tanh(s[i,j])")
HARD = op("hard(X)", "y[i,j] = 1 if X[i,j] > 1 else X[i,j] if X[i,j] > -1 else -1")
LOG_SOFTMAX = op("ls(S: m×n)", "e[i,j] = exp(S[i,j])", "t[i] = sum(k, e[i,k])", "y[i,j] = S[i,j] - log(t[i])")
SAFE = op(
    "safe(S: m×n)", "b[i] = max(k, S[i,k])", "t[i] = sum(k, exp(S[i,k] - b[i]))", "y[i,j] = exp(S[i,j] - b[i]) / t[i]"
)
GAINED = op("gained(X: m×d, gamma: d = 1)", "y[i,j] = 2 * X[i,j] * gamma[j]")
SCORE = op(
    "score(X: m×d, epsilon = 1/1000)",
    "mean[i] = sum(k, X[i,k]) / d",
    "var[i] = sum(k, (X[i,k] - mean[i])^2) / d",
    "y[i,j] = (X[i,j] - mean[i]) / sqrt(var[i] + epsilon)",
)
CENTRED = op("centred(X: m×n)", "mu[i] = sum(k, X[i,k]) / n", "y[i,j] = abs(X[i,j] - mu[i])^3 - min(X[i,j], -2)")
BAND = op("band(n, w) -> n×n", "y[i,j] = 1 if i - w <= j and j < i + w else 0")
UPPER = op("upper(X: m×n)", "y[i,j] = X[i,j] if j > i else 1 if j == i else -1")


def letters_of(node: object, name: str = "Z") -> Letters:
    symbols = sorted(node.atoms(MatrixSymbol), key=str)  # type: ignore[attr-defined]
    sizes = {str(each.name): shape(*map(int, each.shape)) for each in symbols}
    givens, of_node = [Step(*each) for each in sizes.items()], shape(*map(int, node.shape))  # type: ignore[attr-defined]
    names = page_names(Plan((*givens, Step(name, of_node, node))))  # type: ignore[arg-type]
    return Letters.choose(names, [name, *sizes], sizes | {name: of_node}).beside(node)  # type: ignore[arg-type]


def lines(node: object, name: str = "Z") -> list[str]:
    of_node = shape(*map(int, node.shape))  # type: ignore[attr-defined]
    return [tex(chain) for chain in general_entry(name, node, letters_of(node, name), of_node)]  # type: ignore[arg-type]


def test_a_name_is_said_and_one_letter_is_put_in() -> None:
    """What has a name of its own has a line; a letter that stands in one place, or for little, is only a help."""
    assert lines(apply(SCORE, X, Rational(1, 100))) == [
        r"\mathrm{mean}_i = \frac{1}{4}\sum_{k=1}^{4} x_{ik}",
        r"\mathrm{var}_i = \frac{1}{4}\sum_{k=1}^{4} (x_{ik} - \mathrm{mean}_i)^2",
        r"z_{ij} = \frac{x_{ij} - \mathrm{mean}_i}{\sqrt{\mathrm{var}_i + 0.01}}",
    ]
    assert lines(apply(LOG_SOFTMAX, S)) == [r"z_{ij} = s_{ij} - \mathrm{ln}\left(\sum_{k=1}^{3} e^{s_{ik}}\right)"]
    assert lines(apply(SAFE, S))[0] == r"b_i = \mathrm{max}_k\,s_{ik}"


def test_a_negative_number_is_subtracted() -> None:
    (line,) = lines(MatAdd(X, apply(SOFTCAP, X, -3)))
    assert line == r"z_{ij} = x_{ij} - 3\,\mathrm{tanh}\left(\frac{x_{ij}}{-3}\right)"


def test_a_letter_of_a_helper_is_no_letter_of_a_matrix() -> None:
    first, entry = lines(apply(SAFE, MatrixSymbol("B", 3, 3)))
    assert first == r"u_i = \mathrm{max}_k\,b_{ik}"
    assert "b_{ij} - u_i" in entry


def test_two_of_a_kind_have_numbers_of_their_own() -> None:
    two = lines(MatAdd(apply(CENTRED, X), LayerNorm(Y, Rational(1, 10))))
    assert two[1:3] == [
        r"\mu_{1,i} = \frac{1}{4}\sum_{k=1}^{4} x_{ik}",
        r"\mu_{2,i} = \frac{1}{4}\sum_{k=1}^{4} y_{ik}",
    ]


def test_cases_say_where_each_holds() -> None:
    (hard,) = lines(apply(HARD, S))
    assert hard.split("\n")[1:-1] == [r"1 & s_{ij} > 1\\", r"s_{ij} & -1 < s_{ij} \le 1\\", r"-1 & s_{ij} \le -1"]
    assert r"-1 & j < i" in lines(apply(UPPER, S))[0]
    (band,) = lines(apply(BAND, 4, 2))
    assert r"1 & i - 2 \le j < i + 2" in band
    assert r"0 & j < i - 2\lor j \ge i + 2" in band


def test_what_nobody_knows_by_its_name_is_defined_beside_a_longer_formula() -> None:
    assert lines(MatMul(apply(UPPER, S), X))[1].startswith(r"\mathrm{upper}(S)_{ij} = \begin{cases}")
    entry, mish = lines(apply(MISH, MatMul(X, W)))
    assert entry == r"z_{ij} = \mathrm{mish}\left(\sum_{k=1}^{4} x_{ik}w_{kj}\right)"
    assert mish == r"\mathrm{mish}(y) = y\,\mathrm{tanh}(\mathrm{ln}(1 + e^y))"


def test_what_is_kept_by_a_mask_is_told_by_where_the_mask_is_0() -> None:
    (window,) = lines(Keep(S, WindowMask(3, 2, Rational(-10))))
    assert r"s_{ij} & \lvert i - j\rvert < 2" in window
    (causal,) = lines(Keep(S, CausalMask(3, Rational(-10))))
    assert r"s_{ij} & j\le i" in causal


def shaped(node: object) -> str | None:
    def operand(inner: object) -> Math:
        rows, columns = map(number, inner.shape)  # type: ignore[attr-defined]
        return Shaped(formula(inner, Names()), rows, columns)  # type: ignore[arg-type]

    line = shape_line(node, Names(), operand)  # type: ignore[arg-type]
    return None if line is None else tex(line)


@pytest.mark.parametrize(("node", "written", "shapes"), [
    (apply(SOFTCAP, X, 5), r"\mathrm{softcap}(X, 5)", r"\mathrm{softcap}(X\ (3\times 4), 5)"),
    (apply(SOFTCAP, X, 30), r"\mathrm{softcap}(X)", r"\mathrm{softcap}(X\ (3\times 4))"),
    (apply(GAINED, X, OneMatrix(1, 4)), r"\mathrm{gained}(X, 1)", r"\mathrm{gained}(X\ (3\times 4), 1)"),
    (MatPow(apply(HARD, S), 2), r"\mathrm{hard}(S)^2", r"(\mathrm{hard}(S)\ (3\times 3))^2"),
    (MatMul(-1, apply(HARD, S)), r"-\mathrm{hard}(S)", r"-\mathrm{hard}(S)\ (3\times 3)"),
    (Transpose(apply(HARD, X)), r"\mathrm{hard}(X)^T", r"(\mathrm{hard}(X)\ (3\times 4))^T"),
    (apply(BAND, 4, 2), r"\mathrm{band}(4, 2)", None),  # made of no matrix
    (X, "X", None),
])  # fmt: skip
def test_a_formula_is_a_call_with_what_is_not_usual(node: object, written: str, shapes: str | None) -> None:
    assert tex(formula(node, Names())) == written  # type: ignore[arg-type]
    assert shaped(node) == shapes


def test_a_node_that_nobody_knows_is_refused() -> None:
    unknown = HadamardProduct(S, S)
    for stage in (shaped, lines, lambda node: formula(node, Names())):
        with pytest.raises(TypeError, match="HadamardProduct"):
            stage(unknown)


STEPS = "R = bent(X) | Y = R @ R | Z = Y + X"


def bent(words: str) -> Solution:
    """A lesson with an operation of its own, long enough for a table of letters."""
    head = (
        'operation.bent = { parameters = ["X: m×n"], '
        f"equations = ['y[i,j] = X[i,j] / (1 + abs(X[i,j]))'], page = {words} }}"
    )
    return derive(loads(lesson(STEPS, "X = 1, -2; 3, 4", head)))


@pytest.mark.parametrize(("language", "said"), [("en", "soft cap"), ("zh-Hant", "軟上限"), ("zh-Hans", "软上限")])
def test_a_step_is_called_by_the_words_of_its_record(language: str, said: str) -> None:
    solution = bent('{ en = "soft cap", zh-Hant = "軟上限", zh-Hans = "软上限" }')
    assert f"| $R$ | {said} |" in solution.render("markdown", language=language)


@pytest.mark.parametrize("format", ["markdown", "latex"])
def test_the_words_of_a_record_come_from_strangers(format: str) -> None:
    page = bent(r"""'\input{x} <b> $1$ [a](b)'""").render(format, language="en")
    for bad in (r"\input{x}", "$1$", *(["<b>", "[a](b)"] if format == "markdown" else [])):
        assert bad not in page


# -- every node, and letters -------------------------------------------------------------------------------------------


A, B, b = MatrixSymbol("X", 3, 3), MatrixSymbol("Y", 3, 3), MatrixSymbol("b", 1, 3)
A_WIDE = MatrixSymbol("W", 3, 4)
SQUARES = {"X": shape(3, 3), "Y": shape(3, 3), "b": shape(1, 3), "Z": shape(3, 3), "W": shape(3, 4)}


def test_a_sum_is_written_in_the_order_it_was_given() -> None:
    first, _, last = formula(MatAdd(B, A, evaluate=False), Names()).parts  # type: ignore[union-attr]
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
    node = Softmax(MatMul(A, MatMul(B, A, evaluate=False), evaluate=False))
    letters = Letters.choose(Names(), ["Z", "X", "Y"], SQUARES)
    (chain,) = general_entry("Z", node, letters, SQUARES["Z"])
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


def test_what_names_and_rows_leave_of_letters() -> None:
    names = Names()
    letters = Letters.choose(names, ["B_Q", "b_Q"], {"B_Q": shape(3, 2), "b_Q": shape(1, 2)})
    assert letters.base("B_Q") != letters.base("b_Q")
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


# -- nodes of layers: their signs, the entries they are defined by -----------------------------------------------------


P, R, V = (MatrixSymbol(name, 4, 4) for name in "XYW")
USUAL = Integer(10_000)


@pytest.mark.parametrize(("node", "written"), [
    (Hadamard(P, R), r"X\odot Y"),
    (EntryQuotient(MatMul(P, V, evaluate=False), R), r"(XW)\oslash Y"),
    (Hadamard(SiLU(P), MatAdd(P, R, evaluate=False)), r"\mathrm{SiLU}(X)\odot(X + Y)"),
    (Hadamard(P, Hadamard(R, V)), r"X\odot(Y\odot W)"),
    (Hadamard(P, TopK(R, 2)), r"X\odot\mathrm{top}_2(Y)"),
    (MatMul(Hadamard(P, R), V, evaluate=False), r"(X\odot Y)W"),
    (MatMul(Integer(-1), Hadamard(P, R), evaluate=False), r"-X\odot Y"),
    (MatMul(Integer(2), Hadamard(P, R), evaluate=False), r"2(X\odot Y)"),
    (MatMul(Integer(-1), Integer(2), Hadamard(P, R), evaluate=False), r"-2(X\odot Y)"),
    (MatMul(Integer(2), Integer(3), P, evaluate=False), r"2\cdot 3X"),
    (MatMul(Integer(2), Integer(-3), P, evaluate=False), r"2\cdot(-3)X"),
    (Transpose(Hadamard(P, R)), r"(X\odot Y)^T"),
    (Rows(P, 1, 2), r"X_{1:2,\cdot}"),
    (Rows(P, 2, 2), r"X_{2,\cdot}"),
    (Transpose(Rows(Transpose(P), 1, 2)), r"X_{\cdot,1:2}"),
    (GELUTanh(P), r"\mathrm{GELU}_{\mathrm{tanh}}(X)"),
    (Rotary(P, USUAL, Integer(0)), r"\mathrm{RoPE}(X)"),
    (Rotary(P, Integer(50), Integer(3)), r"\mathrm{RoPE}_{50}(X, 3)"),
    (Sinusoidal(4, 4, USUAL), r"\mathrm{PE}(4, 4)"),
    (Stack(P, R), "\\begin{bmatrix}\nX\\\\\nY\n\\end{bmatrix}"),
])  # fmt: skip
def test_a_formula_keeps_its_parentheses_and_no_more(node: object, written: str) -> None:
    assert tex(formula(node, Names())) == written  # type: ignore[arg-type]


def test_in_a_line_a_quotient_of_two_matrices_is_not_taken_for_a_fraction() -> None:
    whole = formula(Quotient(EntryQuotient(P, R), Integer(2)), Names())
    assert tex(whole, MarkdownTex(inline=True)) == r"(X\oslash Y)/2"


@pytest.mark.parametrize(("name", "node", "expected"), [
    ("F", Sinusoidal(4, 4, USUAL), [  # positions count from 0, pairs from 1
        r"f_{i,2t - 1} = \mathrm{sin}((i - 1)\theta_t)", r"f_{i,2t} = \mathrm{cos}((i - 1)\theta_t)",
        r"\theta_t = 10000^{-2(t - 1)/4}",
    ]),
    # a distance is taken of whole indices; a number before a sum takes all of it
    ("D", MatMul(Distance(4), V, evaluate=False), [r"d_{ij} = \sum_{k=1}^{4} \lvert i - k\rvert w_{kj}"]),
    ("S", MatMul(Integer(2), MatAdd(P, R, evaluate=False), evaluate=False), ["s_{ij} = 2(x_{ij} + y_{ij})"]),
])  # fmt: skip
def test_the_entry_of_a_layer(name: str, node: object, expected: list[str]) -> None:
    assert lines(node, name) == expected


def test_two_rotations_by_other_angles_have_other_letters() -> None:
    turned = MatMul(Rotary(P, USUAL, Integer(0)), Transpose(Rotary(R, Integer(50), Integer(0))), evaluate=False)
    assert lines(turned, "S")[-2:] == [r"\theta_t = 10000^{-2(t - 1)/4}", r"\phi_t = 50^{-2(t - 1)/4}"]


@pytest.mark.parametrize(("start", "turn"), [(0, "(i - 1)"), (1, "i"), (3, "(i + 2)")])
def test_a_rotation_starts_at_its_position(start: int, turn: str) -> None:
    first, second, _ = lines(Rotary(P, USUAL, Integer(start)), "Q")
    a, b = "x_{i,2t - 1}\\,", "x_{i,2t}\\,"
    sine, cosine = rf"\mathrm{{sin}}({turn}\theta_t)", rf"\mathrm{{cos}}({turn}\theta_t)"
    assert first == f"q_{{i,2t - 1}} = {a}{cosine} - {b}{sine}"
    assert second == f"q_{{i,2t}} = {a}{sine} + {b}{cosine}"


def test_the_letter_of_a_pair_is_not_that_of_a_matrix() -> None:
    first, *_ = lines(Rotary(MatrixSymbol("R", 4, 4), USUAL, Integer(0)), "T")
    assert first.startswith("t_{i,2u - 1} = r_{i,2u - 1}")


def test_a_function_of_a_formula_is_defined_in_a_line_of_its_own() -> None:
    entry, gelu, phi = lines(GELU(MatMul(P, V, evaluate=False)), "H")
    assert entry == r"h_{ij} = \mathrm{GELU}\left(\sum_{k=1}^{4} x_{ik}w_{kj}\right)"
    assert gelu == r"\mathrm{GELU}(y) = y\Phi(y)"
    assert phi.startswith(r"\Phi(y) = ")


def test_after_a_rounded_figure_nothing_on_a_line_is_exact() -> None:
    rounded, exact = Figure("0.333333", False), Figure("2", True)
    sides = ((Number("2"), [exact]), (Number("0.333333"), [rounded]), (Number("2"), [exact]))
    line = worked_line(Letter("x"), exact, *sides)
    assert [relation for relation, _ in line.links] == ["=", "≈", "≈", "≈"]


# -- SymPy's latex writes a node of ours as the page does, and what no page has as SymPy does --------------------------


OWN = [Example(text) for texts in OF_RECORDS.values() for text in texts]
M, N = (MatrixSymbol(name, 2, 2) for name in "XY")


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
    r"\mathrm{softmax}\left(\frac{XY^T}{\sqrt{d_k}}\right)": ops.Softmax(ops.Quotient(M * N.T, sqrt(Symbol("d_k")))),
    r"\left(X\odot(X + Y)\right) Y": ops.Hadamard(M, N + M) * N,
    r"\left(X\odot Y\right)^{T}": ops.Hadamard(M, N).T,
    r"\mathrm{softcap}(X, 5)": apply(SOFTCAP, M, Integer(5)),
    r"\left(X^{-1}\oslash Y\right)^{T}": ops.EntryQuotient(Inverse(M), N).T,
    rf"{SOFTMAX}X \circ Y\right)": ops.Softmax(HadamardProduct(M, N)),
    rf"{SOFTMAX}\left[\begin{{matrix}}1 & 2\\3 & 4\end{{matrix}}\right]\right)": ops.Softmax(Matrix([[1, 2], [3, 4]])),
    rf"{QUOTIENT}{{X}}_{{0,0}} X, 2\right)": ops.Quotient(M[0, 0] * M, 2),
    rf"{SOFTMAX}{QUOTIENT}\operatorname{{tr}}\left(X \right) Y, 3\right)\right)": ops.Softmax(
        ops.Quotient(Trace(M) * N, 3)
    ),
}


@pytest.mark.parametrize("written", BY_HAND)
def test_latex_by_hand(written: str) -> None:
    """What SymPy alone can write stands in a call, with all that the node is given."""
    assert latex(BY_HAND[written]) == written
