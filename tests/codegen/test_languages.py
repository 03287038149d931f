"""NumPy, PyTorch and Julia: the text for every node, names, givens, and whole programs.

Julia is not run by any test: its programs are held by the texts here, which were checked by hand against the manual of
Julia 1.10 (matrix literals, broadcasting, ``repeat``, ``eachrow``, ``LinearAlgebra``, ``Printf``).
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from textwrap import dedent

import pytest
from sympy import Integer, S, Symbol, sqrt

from symattn.codegen import LANGUAGES, programs
from symattn.codegen.helper import helper
from symattn.codegen.language import Writer, derived, program, variables, with_empty_rows
from symattn.formula import is_name
from symattn.operations import NODES
from symattn.scenario.model import LISTINGS
from symattn.solution import Solution
from tests.examples import EVERY, EXAMPLES

Solve = Callable[..., Solution]

SIZES = {"n": 2, "d_k": 4}

GIVENS = {"X": [["1", "2"], ["3", "4"]], "Y": [["5", "6"], ["7", "8"]], "b": [["1", "-1"]], "ids": [["1", "0"]]}

WRITTEN = {
    "MatrixSymbol": ("X",) * 4,
    "MatMul": ("X @ Y", "X @ Y", "X %*% Y", "X * Y"),
    "MatAdd": ("X + Y",) * 4,
    "MatPow": (
        "np.linalg.matrix_power(X, 3)",
        "torch.linalg.matrix_power(X, 3)",
        "Reduce(`%*%`, rep(list(X), 3))",
        "X^3",
    ),
    "Transpose": ("X.T", "X.T", "t(X)", "X'"),
    "Identity": ("np.eye(2)", "torch.eye(2, dtype=torch.float64)", "diag(2)", "Matrix(1.0I, 2, 2)"),
    "OneMatrix": ("np.ones((2, 2))", "torch.ones(2, 2, dtype=torch.float64)", "matrix(1, 2, 2)", "ones(2, 2)"),
    "Softmax": ("softmax(X)", "torch.softmax(X, dim=-1)", "softmax(X)", "softmax(X)"),
    "LayerNorm": (
        "layer_norm(X, 1e-5)",
        "F.layer_norm(X, (2,), eps=1e-5)",
        "layer_norm(X, 1e-5)",
        "layer_norm(X, 1e-5)",
    ),
    "RMSNorm": ("rms_norm(X, 1e-5)", "F.rms_norm(X, (2,), eps=1e-5)", "rms_norm(X, 1e-5)", "rms_norm(X, 1e-5)"),
    "ReLU": ("np.maximum(X, 0)", "torch.relu(X)", "relu(X)", "max.(X, 0)"),
    "GELU": ("gelu(X)", "F.gelu(X)", "gelu(X)", "gelu(X)"),
    "GELUTanh": ("gelu_tanh(X)", 'F.gelu(X, approximate="tanh")', "gelu_tanh(X)", "gelu_tanh(X)"),
    "SiLU": ("silu(X)", "F.silu(X)", "silu(X)", "silu(X)"),
    "Exp": ("np.exp(X)", "torch.exp(X)", "exp(X)", "exp.(X)"),
    "Log": ("np.log(np.exp(X))", "torch.log(torch.exp(X))", "log(exp(X))", "log.(exp.(X))"),
    "Tanh": ("np.tanh(X)", "torch.tanh(X)", "tanh(X)", "tanh.(X)"),
    "ELU": ("elu(X)", "F.elu(X)", "elu(X)", "elu(X)"),
    "CausalMask": (
        "np.triu(np.full((2, 2), -10), k=1)",
        "torch.triu(torch.full((2, 2), -10, dtype=torch.float64), diagonal=1)",
        "causal_mask(2, -10)",
        "causal_mask(2, -10)",
    ),
    "WindowMask": ("window_mask(3, 2, -10)",) * 4,
    "PaddingMask": ("padding_mask(2, 3, 2, -10)",) * 4,
    "Keep": (
        "np.where(np.triu(np.full((2, 2), -10), k=1) == 0, X, 0)",
        "X.masked_fill(torch.triu(torch.full((2, 2), -10, dtype=torch.float64), diagonal=1) != 0, 0)",
        "keep(X, causal_mask(2, -10))",
        "ifelse.(causal_mask(2, -10) .== 0, X, 0.0)",
    ),
    "Distance": ("distance(3)",) * 4,
    "Sinusoidal": ("sinusoidal(2, 2, 10000)",) * 4,
    "Rotary": ("rotary(X, 10000, 0)",) * 4,
    "Broadcast": ("np.repeat(b, 2, axis=0)", "b.expand(2, -1)", "broadcast(b, 2)", "repeat(b, 2, 1)"),
    "Row": ("X[0:1]", "X[0:1]", "X[1, , drop = FALSE]", "X[1:1, :]"),
    "Rows": ("W[1:3]", "W[1:3]", "W[2:3, , drop = FALSE]", "W[2:3, :]"),
    "Head": ("X[:, 1:2]", "X[:, 1:2]", "X[, 2:2, drop = FALSE]", "X[:, 2:2]"),
    "Concat": ("np.hstack([X, c])", "torch.cat([X, c], dim=1)", "cbind(X, c)", "hcat(X, c)"),
    "Stack": ("np.vstack([b, X])", "torch.cat([b, X], dim=0)", "rbind(b, X)", "vcat(b, X)"),
    "OneHot": (
        "np.eye(2)[ids[0].astype(int)]",
        "F.one_hot(ids[0].long(), 2).double()",
        "one_hot(ids, 2)",
        "Float64.(vec(ids) .== (0:1)')",
    ),
    "Quotient": ("X / 3",) * 4,
    "Hadamard": ("X * Y", "X * Y", "X * Y", "X .* Y"),
    "EntryQuotient": ("X / np.exp(Y)", "X / torch.exp(Y)", "X / exp(Y)", "X ./ exp.(Y)"),
    "ClipNorm": ("clip_norm(X, 2)",) * 4,
    "Dot": ("X @ Y.T", "X @ Y.T", "X %*% t(Y)", "X * Y'"),
    "Cosine": ("cosine(X, W)",) * 4,
    "Angle": ("angle(X, Y)",) * 4,
    "AdditiveScores": ("additive_scores(X, W, b)",) * 4,
    "RowNorm": (
        "np.linalg.norm(X, axis=1, keepdims=True)",
        "torch.linalg.norm(X, dim=1, keepdim=True)",
        "matrix(sqrt(rowSums(X^2)))",
        "sqrt.(sum(abs2, X, dims = 2))",
    ),
    "RowMax": (
        "X.max(axis=1, keepdims=True)",
        "X.amax(dim=1, keepdim=True)",
        "matrix(apply(X, 1, max))",
        "maximum(X, dims = 2)",
    ),
    "UnitRows": ("unit(X)",) * 4,
    "Proportions": (
        "proportions(np.exp(X))",
        "proportions(torch.exp(X))",
        "proportions(exp(X))",
        "proportions(exp.(X))",
    ),
    "Entropy": (
        "entropy(softmax(X))",
        "torch.special.entr(torch.softmax(X, dim=-1)).sum(dim=1, keepdim=True)",
        "entropy(softmax(X))",
        "entropy(softmax(X))",
    ),
    "ArgMax": (
        "X.argmax(axis=1, keepdims=True).astype(float)",
        "X.argmax(dim=1, keepdim=True).double()",
        "matrix(apply(X, 1, which.max) - 1)",
        "[argmax(row .+ 0.0) - 1.0 for row in eachrow(X), _ in 1:1]",
    ),
    "TopK": ("top_k(X, 1)",) * 4,
}
"""The first example of every node, as NumPy, PyTorch, R and Julia write it."""

OTHERS = ("numpy", "torch", "julia")


@pytest.mark.parametrize("node", NODES, ids=lambda node: node.__name__)
def test_every_node_in_every_language(node: type) -> None:
    example = EXAMPLES[node][0].node
    assert tuple(Writer(language).text(example) for language in LANGUAGES.values()) == WRITTEN[node.__name__]


@pytest.mark.parametrize("key", LANGUAGES)
def test_an_unknown_node_is_refused(key: str) -> None:
    with pytest.raises(TypeError, match=f"no {LANGUAGES[key].name} rule for Symbol"):
        Writer(LANGUAGES[key]).code(Symbol("x"))


def test_the_scenario_format_knows_the_same_languages() -> None:
    assert tuple(LANGUAGES) == LISTINGS


@pytest.mark.parametrize(
    ("formula", "python", "julia"),
    [
        ("X @ (Y @ X)", "X @ (Y @ X)", "X * (Y * X)"),
        ("(X @ Y).T", "(X @ Y).T", "(X * Y)'"),
        ("X.T.T", "X.T.T", "X''"),
        ("(X ** 2).T", "np.linalg.matrix_power(X, 2).T", "(X^2)'"),
        ("X.T ** 2 @ Y", "np.linalg.matrix_power(X.T, 2) @ Y", "X'^2 * Y"),
        ("X / sqrt(d_k) @ Y", "(X / sqrt(d_k)) @ Y", "(X / sqrt(d_k)) * Y"),
        ("Y @ (X / 3)", "Y @ (X / 3)", "Y * (X / 3)"),
        ("X - (Y - X)", "X - (Y - X)", "X - (Y - X)"),
        ("-X + 2 * Y @ X", "-X + 2 * Y @ X", "-X + 2 * Y * X"),
        ("-(X + Y) / 3", "(-(X + Y)) / 3", "(-(X + Y)) / 3"),
        ("-1/3 * X", "-1/3 * X", "-1/3 * X"),
        ("X / (2 * sqrt(d_k))", "X / (2 * sqrt(d_k))", "X / (2 * sqrt(d_k))"),
        ("X / d_k^2", "X / d_k**2", "X / d_k^2"),
        ("row(X @ Y, 1)", "(X @ Y)[0:1]", "(X * Y)[1:1, :]"),
        ("rows(X + Y, 1, 2)", "(X + Y)[0:2]", "(X + Y)[1:2, :]"),
        ("head(X + Y, 2, 2)", "(X + Y)[:, 1:2]", "(X + Y)[:, 2:2]"),
        ("row_max(X + Y)", "(X + Y).max(axis=1, keepdims=True)", "maximum(X + Y, dims = 2)"),
        (
            "argmax(X + Y)",
            "(X + Y).argmax(axis=1, keepdims=True).astype(float)",
            "[argmax(row .+ 0.0) - 1.0 for row in eachrow(X + Y), _ in 1:1]",
        ),
        ("hadamard(X + Y, X @ Y)", "(X + Y) * (X @ Y)", "(X + Y) .* (X * Y)"),
        ("(X + Y) ** 3", "np.linalg.matrix_power(X + Y, 3)", "(X + Y)^3"),
        ("rotary(X + Y, 100, 1/2)", "rotary(X + Y, 100, 0.5)", "rotary(X + Y, 100, 0.5)"),
        ("causal_mask(n)", "np.triu(np.full((2, 2), -inf), k=1)", "causal_mask(2, -Inf)"),
        ("hadamard(X, Y) @ X", "(X * Y) @ X", "(X .* Y) * X"),
        ("divide(hadamard(X, Y.T), Y) / 3", "(X * Y.T) / Y / 3", "(X .* Y') ./ Y / 3"),
        ("X - hadamard(-X, Y)", "X - (-X) * Y", "X - (-X) .* Y"),
        ("rms_norm(X, 0, gamma=row(Y, 1))", "rms_norm(X, 0, Y[0:1])", "rms_norm(X, 0, Y[1:1, :])"),
        ("layer_norm(X, gamma=b)", "layer_norm(X, 1e-5, b, np.zeros((1, 2)))", "layer_norm(X, 1e-5, b, zeros(1, 2))"),
        (
            "keep(X, window_mask(n, 1) + window_mask(n, 2))",
            "np.where((window_mask(2, 1, -inf) + window_mask(2, 2, -inf)) == 0, X, 0)",
            "ifelse.((window_mask(2, 1, -Inf) + window_mask(2, 2, -Inf)) .== 0, X, 0.0)",
        ),
    ],
)
def test_parentheses_stand_where_they_are_needed(formula: str, python: str, julia: str, solve: Solve) -> None:
    expr = solve(GIVENS, f"R = {formula}", sizes=SIZES).derivation["R"].formula
    assert [Writer(LANGUAGES[key]).text(expr) for key in ("numpy", "julia")] == [python, julia]


def test_torch_has_no_row_axis_in_gain_and_bias(solve: Solve) -> None:
    expr = solve(GIVENS, "R = layer_norm(X, 0.5, gamma=row(X + Y, 1), beta=b)").derivation["R"].formula
    assert Writer(LANGUAGES["torch"]).text(expr) == "F.layer_norm(X, (2,), (X + Y)[0:1][0], b[0], eps=0.5)"
    expr = solve(GIVENS, "R = rms_norm(X, gamma=b)").derivation["R"].formula
    assert Writer(LANGUAGES["torch"]).text(expr) == "F.rms_norm(X, (2,), b[0], eps=1e-5)"


def test_numbers() -> None:
    values = (S.NegativeInfinity, Integer(10) ** 9, Integer(1234567890123456), Integer(10) ** 16 + 1, sqrt(2) / 3)
    written = {key: [Writer(LANGUAGES[key]).number(value).text for value in values] for key in LANGUAGES}
    assert written["numpy"] == written["torch"]
    assert written["numpy"] == ["-inf", "1e9", "1234567890123456.0", "10000000000000001.0", "sqrt(2) / 3"]
    assert written["julia"] == ["-Inf", "1e9", "1234567890123456.0", "10000000000000001.0", "sqrt(2) / 3"]
    assert written["r"] == ["-Inf", "1e9", "1234567890123456", "10000000000000001", "sqrt(2) / 3"]


# -- names -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("key", OTHERS)
def test_a_name_that_means_something_gets_one_that_nobody_has(key: str) -> None:
    language = LANGUAGES[key]
    assert variables(["for_", "X", "max"], language.reserved, language.suffix) == {"max": "max_"}
    assert variables(["max_", "max", "max__"], language.reserved, language.suffix) == {"max": "max___"}


@pytest.mark.parametrize("key", LANGUAGES)
def test_every_function_that_is_called_is_reserved(key: str) -> None:
    """No name of a scenario can hide a function that a program calls."""
    language = LANGUAGES[key]
    functions = derived(language, [example.node for example in EVERY])
    texts = [*language.helpers.values(), with_empty_rows(language).helpers["softmax"]]
    texts += [helper(each, name, language) for each, name in functions.items()]
    texts += [language.print_helper, *(Writer(language).text(each.node) for each in EVERY)]
    code = re.sub(r'""".*?"""|"[^"\n]*"|#.*', "", "\n".join(texts), flags=re.DOTALL)
    called = set(re.findall(r"(?<![\w.@])([A-Za-z]\w*)\.?\(", code)) | {
        name.split(".")[0] for name in re.findall(r"\w+\.\w+\.?\w*\(", code)
    }
    assert {name for name in called if len(name) > 1 and is_name(name)} - {
        "upper",
        "which",
        "ids",
        "row",
        "cell",
        "lpad",
    } <= language.reserved | set(functions.values())


@pytest.mark.parametrize("key", OTHERS)
def test_renamed_names_are_used_throughout(key: str, solve: Solve) -> None:
    solution = solve({"sum": [["1"]], "length": [["2"]]}, "print = sum @ length / sqrt(max)", sizes={"max": 4})
    code = programs(solution, [key], ["print"])[0].code
    assert code.endswith('print_matrix("print", print_)')
    assert "max_ = 4\n" in code
    assert "/ sqrt(max_)" in code
    assert "\nsum_ = " in code


# -- givens ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("0.50", "0.50"),
        ("-3/4", "-3/4"),
        ("2*sqrt(3)/7", "2*sqrt(3)/7"),
        ("10^9", "1e9"),
        ("007", "7"),
        ("00.50", "0.5"),
        ("1234567890123456", "1234567890123456.0"),
        ("1/3 + sqrt(8)", "1/3 + 2 * sqrt(2)"),
        ("1e-7", "1e-7"),
    ],
)
def test_givens_stand_as_written_or_are_written_anew(text: str, expected: str, solve: Solve) -> None:
    code = {key: program(solve({"X": [[text]]}), ["X"], LANGUAGES[key]) for key in OTHERS}
    assert f"X = np.array([[{expected}]], dtype=float)\n" in code["numpy"]
    assert f"X = torch.tensor([[{expected}]], dtype=torch.float64)\n" in code["torch"]
    assert f"X = reshape(Float64[{expected.replace(' ', '')}], 1, 1)\n" in code["julia"]


def test_matrices_in_julia_have_two_axes_and_no_blank_inside_a_number(solve: Solve) -> None:
    rows = {"X": [["1/3 + sqrt(8)", "-1"], ["2", "-oo"]], "b": [["1", "-2"]], "c": [["1"], ["-2"]]}
    code = program(solve(rows, "Z = X @ c @ b"), ["Z"], LANGUAGES["julia"])
    assert "X = Float64[\n    1/3+2*sqrt(2) -1\n    2 -Inf\n]\n" in code
    assert "b = Float64[1 -2]\n" in code
    assert "c = reshape(Float64[1, -2], 2, 1)\n" in code


def test_long_rows_of_python_are_wrapped_between_numbers(solve: Solve) -> None:
    code = program(solve({"X": [["-123456.789"] * 30] * 2}), ["X"], LANGUAGES["numpy"])
    assert max(map(len, code.splitlines())) <= 80
    assert code.count("-123456.789") == 60
    ast.parse(code)


# -- whole programs ----------------------------------------------------------------------------------------------


@pytest.fixture
def small(solve: Solve) -> Solution:
    return solve(
        {"X": [["0.50", "-10^9"], ["sqrt(2)/2", "3/4"]], "unused": [["7"]]},
        "S = X @ X.T / sqrt(d_k)",
        "A = softmax(S + causal_mask(n))",
        "other = relu(X)",
        "Z = layer_norm(A @ X)",
        sizes=SIZES,
        decimals=3,
    )


def test_a_whole_program_in_numpy(small: Solution) -> None:
    made = programs(small, ["numpy"], ["A", "Z"])[0]
    expected = '''
        from math import inf, sqrt

        import numpy as np


        def softmax(S):
            """Each row as weights that sum to 1; without its maximum, exp cannot overflow."""
            E = np.exp(S - S.max(axis=1, keepdims=True))
            return E / E.sum(axis=1, keepdims=True)


        def layer_norm(X, epsilon):
            """y[i,j] = (X[i,j] - mu[i])/sqrt(sigma2[i] + epsilon)"""
            d = X.shape[1]
            mu = X.sum(axis=1, keepdims=True) / d
            sigma2 = ((X - mu)**2).sum(axis=1, keepdims=True) / d
            return (X - mu) / np.sqrt(sigma2 + epsilon)


        def print_matrix(name, A):
            """The name, then one line for each row; adding 0 turns -0 into 0."""
            cells = [[f"{round(x, 3) + 0:.3f}" for x in row] for row in A.tolist()]
            width = max(len(cell) for row in cells for cell in row)
            print(name)
            for row in cells:
                print("  ".join(cell.rjust(width) for cell in row))


        X = np.array([
            [0.50, -1e9],
            [sqrt(2)/2, 3/4],
        ], dtype=float)

        d_k = 4
        S = X @ X.T / sqrt(d_k)  # (2, 2)
        A = softmax(S + np.triu(np.full((2, 2), -inf), k=1))  # (2, 2)
        Z = layer_norm(A @ X, 1e-5)  # (2, 2)

        print_matrix("A", A)
        print_matrix("Z", Z)
    '''
    assert made.code == dedent(expected).strip()
    assert made.output == "A\n1.000  0.000\n0.000  1.000\nZ\n 1.000  -1.000\n-0.989   0.989"


def test_a_whole_program_in_julia(small: Solution) -> None:
    expected = """
        using Printf

        # Each row becomes weights that sum to 1; without its maximum, exp cannot overflow.
        function softmax(S)
            E = exp.(S .- maximum(S, dims = 2))
            return E ./ sum(E, dims = 2)
        end

        # y[i,j] = 0 if j <= i else value
        function causal_mask(n, value)
            j = (1.0:n)'
            i = reshape(1.0:n, :, 1)
            return ifelse.(j .<= i, 0.0, float(value))
        end

        # The name, then one line for each row; what rounds to 0 has no sign.
        function print_matrix(name, A)
            cells = [@sprintf("%.3f", abs(x) < 5e-4 ? 0.0 : x) for x in A]
            width = maximum(length, cells)
            println(name)
            for row in eachrow(cells)
                println(join(lpad.(row, width), "  "))
            end
        end

        X = Float64[
            0.50 -1e9
            sqrt(2)/2 3/4
        ]

        d_k = 4
        S = X * X' / sqrt(d_k)  # (2, 2)
        A = softmax(S + causal_mask(2, -Inf))  # (2, 2)

        print_matrix("A", A)
    """
    assert programs(small, ["julia"], ["A"])[0].code == dedent(expected).strip()


def test_a_program_holds_only_what_it_uses(solve: Solve) -> None:
    solution = solve(GIVENS, "C = cosine(X, Y)", "N = layer_norm(X, gamma=b)", "I = identity(n)", sizes=SIZES)
    cosine = {key: programs(solution, [key], ["C"])[0].code for key in LANGUAGES}
    assert [code.count("cosine") > 1 and "entropy" not in code for code in cosine.values()] == [True] * 4
    assert "math" not in cosine["numpy"]
    assert "F" not in cosine["torch"].replace("Float", "")
    assert cosine["julia"].startswith("using Printf\n")
    assert programs(solution, ["julia"], ["I"])[0].code.startswith("using LinearAlgebra, Printf\n")
    norms = programs(solution, ["numpy", "torch", "julia"], ["N"])
    assert [program.code.count("layer_norm(X, epsilon, gamma, beta)") for program in norms] == [1, 0, 1]
    assert "import torch.nn.functional as F\n" in norms[1].code
