"""The text of programs: nodes, parentheses, numbers, names, givens, and whole programs.

Julia is not run by any test: its programs are held by the texts here, which were checked by hand against the manual of
Julia 1.10 (matrix literals, broadcasting, ``repeat``, ``eachrow``, ``LinearAlgebra``, ``Printf``). The other languages
are run by ``test_running.py``.
"""

from __future__ import annotations

import ast
import builtins
import keyword
import re
from collections.abc import Callable
from textwrap import dedent

import pytest
from sympy import Basic, E, I, Integer, Rational, S, Symbol, acos, log, pi, sqrt

from symattn.codegen import LANGUAGES, programs
from symattn.codegen.helper import helper
from symattn.codegen.language import FOLDER
from symattn.codegen.program import Writer, derived, program, variables, with_empty_rows
from symattn.derivation import Plan
from symattn.errors import NoValueError, RenderError, UnknownNameError
from symattn.formula import is_name
from symattn.operations import NODES
from symattn.scenario.given import Given
from symattn.scenario.model import LISTINGS
from symattn.shapes import shape
from symattn.solution import Solution
from tests.examples import EVERY, EXAMPLES

Solve = Callable[..., Solution]

SIZES = {"n": 2, "d_k": 4}

GIVENS = {"X": [["1", "2"], ["3", "4"]], "Y": [["5", "6"], ["7", "8"]], "b": [["1", "-1"]], "ids": [["1", "0"]]}

JULIA = {
    "MatrixSymbol": "X",
    "MatMul": "X * Y",
    "MatAdd": "X + Y",
    "MatPow": "X^3",
    "Transpose": "X'",
    "Identity": "Matrix(1.0I, 2, 2)",
    "OneMatrix": "ones(2, 2)",
    "Softmax": "softmax(X)",
    "LayerNorm": "layer_norm(X, 1e-5)",
    "RMSNorm": "rms_norm(X, 1e-5)",
    "ReLU": "max.(X, 0)",
    "GELU": "gelu(X)",
    "GELUTanh": "gelu_tanh(X)",
    "SiLU": "silu(X)",
    "Exp": "exp.(X)",
    "Log": "log.(exp.(X))",
    "Tanh": "tanh.(X)",
    "ELU": "elu(X)",
    "CausalMask": "causal_mask(2, -10)",
    "WindowMask": "window_mask(3, 2, -10)",
    "PaddingMask": "padding_mask(2, 3, 2, -10)",
    "Keep": "ifelse.(causal_mask(2, -10) .== 0, X, 0.0)",
    "Distance": "distance(3)",
    "Sinusoidal": "sinusoidal(2, 2, 10000)",
    "Rotary": "rotary(X, 10000, 0)",
    "Broadcast": "repeat(b, 2, 1)",
    "Row": "X[1:1, :]",
    "Rows": "W[2:3, :]",
    "Head": "X[:, 2:2]",
    "Concat": "hcat(X, c)",
    "Stack": "vcat(b, X)",
    "OneHot": "Float64.(vec(ids) .== (0:1)')",
    "Quotient": "X / 3",
    "Hadamard": "X .* Y",
    "EntryQuotient": "X ./ exp.(Y)",
    "ClipNorm": "clip_norm(X, 2)",
    "Dot": "X * Y'",
    "Cosine": "cosine(X, W)",
    "Angle": "angle(X, Y)",
    "AdditiveScores": "additive_scores(X, W, b)",
    "RowNorm": "sqrt.(sum(abs2, X, dims = 2))",
    "RowMax": "maximum(X, dims = 2)",
    "UnitRows": "unit(X)",
    "Proportions": "proportions(exp.(X))",
    "Entropy": "entropy(softmax(X))",
    "ArgMax": "[argmax(row .+ 0.0) - 1.0 for row in eachrow(X), _ in 1:1]",
    "TopK": "top_k(X, 1)",
}
"""The first example of every node, as Julia writes it."""


@pytest.mark.parametrize("node", NODES, ids=lambda node: node.__name__)
def test_every_node_in_julia(node: type) -> None:
    assert Writer(LANGUAGES["julia"]).text(EXAMPLES[node][0].node) == JULIA[node.__name__]


def test_every_language_has_a_folder_and_refuses_what_it_does_not_know() -> None:
    assert {path.parent.name for path in FOLDER.glob("*/language.toml")} == {*LISTINGS, "python"}
    for language in LANGUAGES.values():
        with pytest.raises(TypeError, match=f"no {language.name} rule for Symbol"):
            Writer(language).code(Symbol("x"))
        with pytest.raises(TypeError, match="no rule for the number ImaginaryUnit"):
            Writer(language).number(I)


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


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        ("X @ (X + Y)", "X %*% (X + Y)"),
        ("X @ (Y @ X)", "X %*% (Y %*% X)"),
        ("(X @ Y).T", "t(X %*% Y)"),
        ("(X + Y) ** 2", "Reduce(`%*%`, rep(list(X + Y), 2))"),
        ("X / sqrt(d_k) @ Y", "(X / sqrt(d_k)) %*% Y"),
        ("Y @ (X / 3)", "Y %*% (X / 3)"),
        ("X - Y", "X - Y"),
        ("X - (Y - X)", "X - (Y - X)"),
        ("-X + Y", "-X + Y"),
        ("X - 2 * Y @ X", "X - 2 * Y %*% X"),
        ("X - 3 * (2 * Y @ X)", "X - 3 * (2 * Y %*% X)"),
        ("X - Y / 3", "X - Y / 3"),
        ("-(X + Y) / 3", "(-(X + Y)) / 3"),
        ("2 * (X + Y)", "2 * (X + Y)"),
        ("-1/3 * X", "-1/3 * X"),
        ("X / (2 * sqrt(d_k))", "X / (2 * sqrt(d_k))"),
        ("X / (1/3)", "X / (1/3)"),
        ("X / (d_k + 1)", "X / (d_k + 1)"),
        ("X / (d_k - 7)", "X / (d_k - 7)"),
        ("X / d_k^2", "X / d_k^2"),
        ("row(X + Y, 1)", "(X + Y)[1, , drop = FALSE]"),
        ("head(X + Y, 2, 2)", "(X + Y)[, 2:2, drop = FALSE]"),
        ("hadamard(X, Y) @ X", "(X * Y) %*% X"),
        ("divide(X, X + Y)", "X / (X + Y)"),
        ("row(X @ Y, 1)", "(X %*% Y)[1, , drop = FALSE]"),
        ("layer_norm(X, gamma=b)", "layer_norm(X, 1e-5, b, matrix(0, 1, 2))"),
        ("causal_mask(n)", "causal_mask(2, -Inf)"),
        ("softmax(X @ Y.T / sqrt(d_k) + causal_mask(n))", "softmax(X %*% t(Y) / sqrt(d_k) + causal_mask(2, -Inf))"),
    ],
)
def test_parentheses_stand_where_r_needs_them(formula: str, expected: str, solve: Solve) -> None:
    expr = solve(GIVENS, f"R = {formula}", sizes=SIZES).derivation["R"].formula
    assert Writer(LANGUAGES["r"]).text(expr) == expected


def test_torch_has_no_row_axis_in_gain_and_bias(solve: Solve) -> None:
    expr = solve(GIVENS, "R = layer_norm(X, 0.5, gamma=row(X + Y, 1), beta=b)").derivation["R"].formula
    assert Writer(LANGUAGES["torch"]).text(expr) == "F.layer_norm(X, (2,), (X + Y)[0:1][0], b[0], eps=0.5)"
    expr = solve(GIVENS, "R = rms_norm(X, gamma=b)").derivation["R"].formula
    assert Writer(LANGUAGES["torch"]).text(expr) == "F.rms_norm(X, (2,), b[0], eps=1e-5)"


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (Integer(0), "0"),
        (Integer(-120), "-120"),
        (Integer(10) ** 9, "1e9"),
        (Integer(123456789), "123456789"),
        (Rational("0.0001"), "0.0001"),
        (Rational("0.00012"), "0.00012"),
        (Rational("0.000012"), "1.2e-5"),
        (Rational(-2, 3), "-2/3"),
        (-sqrt(2) / 2, "-sqrt(2) / 2"),
        (1 / sqrt(Symbol("d_k")), "1 / sqrt(d_k)"),
        (Rational(1, 3) + 2 * sqrt(2), "1/3 + 2 * sqrt(2)"),
        (sqrt(2) * sqrt(3 + sqrt(5)), "sqrt(2) * sqrt(sqrt(5) + 3)"),
        (E ** Rational(-1, 2) + E, "exp(-0.5) + exp(1)"),
        (acos(Rational(1, 3)) / pi + log(2), "acos(1/3) / pi + log(2)"),
        (S.Infinity, "Inf"),
        (S.NegativeInfinity, "-Inf"),
    ],
)
def test_numbers(value: Basic, expected: str) -> None:
    assert Writer(LANGUAGES["r"]).number(value).text == expected


def test_whole_numbers_that_a_language_would_take_for_integers_have_a_point() -> None:
    for value in (1234567890123456, 10**16 + 1):
        written = [Writer(LANGUAGES[key]).number(Integer(value)).text for key in LANGUAGES]
        assert written == [f"{value}.0", f"{value}.0", str(value), f"{value}.0"]


# -- names -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("key", ["numpy", "torch", "julia"])
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
    texts += [*(Writer(language).text(each.node) for each in EVERY)]
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
        "DECIMALS",
    } <= language.reserved | set(functions.values())


def test_every_word_of_python_is_reserved() -> None:
    words = {*keyword.kwlist, *(name for name in dir(builtins) if not name.startswith("_"))}
    assert words <= LANGUAGES["numpy"].reserved & LANGUAGES["torch"].reserved
    assert not is_name(f"T{LANGUAGES['r'].suffix}"), "no name of a formula holds a dot"


@pytest.mark.parametrize("key", ["numpy", "torch", "julia"])
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
    code = {key: program(solve({"X": [[text]]}), ["X"], LANGUAGES[key]) for key in LANGUAGES}
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


def in_r(solution: Solution, name: str) -> str:
    return program(solution, (name,), LANGUAGES["r"])


def test_a_whole_program_in_r(solve: Solve) -> None:
    solution = solve(
        {"X": [["0.50", "-10^9"], ["sqrt(2)/2", "3/4"]], "c": [["1", "0"]], "unused": [["7"]]},
        "XX_T = X @ X.T",
        "T = softmax(XX_T / sqrt(d_k))",
        "other = relu(X)",
        "Z = T @ X + broadcast(c, n)",
        sizes=SIZES,
    )
    assert in_r(solution, "Z") == (
        "# Each row becomes weights that sum to 1; without its maximum, exp() cannot overflow.\n"
        "softmax <- function(S) {\n"
        "  E <- exp(S - apply(S, 1, max))\n"
        "  E / rowSums(E)\n"
        "}\n"
        "\n"
        "# y[i,j] = b[j]\n"
        "broadcast <- function(b, n) {\n"
        "  d <- ncol(b)\n"
        "  matrix(b, n, d, byrow = TRUE)\n"
        "}\n"
        "\n"
        "X <- matrix(c(\n"
        "  0.50, -10^9,\n"
        "  sqrt(2)/2, 3/4\n"
        "), nrow = 2, byrow = TRUE)\n"
        "\n"
        "c.value <- matrix(c(1, 0), nrow = 1)\n"
        "\n"
        "d_k <- 4\n"
        "XX_T <- X %*% t(X)\n"
        "T.value <- softmax(XX_T / sqrt(d_k))\n"
        "Z <- T.value %*% X + broadcast(c.value, 2)\n"
        "\n"
        "print(Z)"
    )


def test_every_use_of_an_operation_has_a_function_of_its_own(solve: Solve) -> None:
    text = in_r(solve(GIVENS, "N = layer_norm(layer_norm(X) + layer_norm(X, 1/2), gamma=b, beta=b)"), "N")
    assert text.count("layer_norm <- function(X, epsilon, gamma, beta)") == 1
    assert text.count("layer_norm_2 <- function(X, epsilon)") == 1
    assert "layer_norm(layer_norm_2(X, 1e-5) + layer_norm_2(X, 0.5), 1e-5, b, b)" in text


def test_long_rows_of_r_are_wrapped_between_numbers(solve: Solve) -> None:
    row = ["-123456.789"] * 30
    lines = in_r(solve({"X": [row]}), "X").splitlines()
    assert max(map(len, lines)) <= 80
    assert [cell for line in lines[1:-3] for cell in re.findall(r"[-\d.]+", line)] == row


@pytest.mark.parametrize("name", ["T", "F", "c", "t", "function", "Inf", "print", "paste", "matrix", "max"])
def test_names_that_mean_something_in_r_are_renamed(name: str, solve: Solve) -> None:
    text = in_r(solve({name: [["1"]]}), name)
    assert text == f"{name}.value <- matrix(c(1), nrow = 1)\n\nprint({name}.value)"


def test_a_size_named_like_the_truth_is_renamed(solve: Solve) -> None:
    text = in_r(solve({"X": [["1"]]}, "S = X / sqrt(T)", sizes={"T": 3}), "S")
    assert "T.value <- 3\nS <- X / sqrt(T.value)" in text


@pytest.mark.parametrize("text", ['1); system("x"); c(1', "1 # x", "1\nq()", "`x`", "0x10", "١"])
def test_no_foreign_text_gets_into_a_in_r(text: str) -> None:
    plan = Plan().given("X", shape(1, 1))
    hostile = Solution(plan, {"X": Given(((Integer(1),),), ((text,),))})
    assert in_r(hostile, "X") == "X <- matrix(c(1), nrow = 1)\n\nprint(X)"


def test_numbers_that_double_precision_cannot_hold_are_refused(solve: Solve) -> None:
    with pytest.raises(RenderError, match="a number with more than 300 digits has no place in a program"):
        in_r(solve({"X": [["10^400"]]}), "X")


def test_unknown_and_general_names(solve: Solve) -> None:
    with pytest.raises(UnknownNameError, match="unknown name 'Q': known: X, Y, b, ids"):
        in_r(solve(GIVENS), "Q")
    general = Solution(Plan().given("X", shape("m", "n"), general=True), {})
    with pytest.raises(NoValueError, match="X is general"):
        in_r(general, "X")
