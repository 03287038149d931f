"""R programs: the text for every node, names, numbers, and what may not get in."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Callable

import pytest
from sympy import Basic, E, I, Integer, Rational, S, Symbol, acos, log, pi, sqrt

from symattn.codegen.helper import helper
from symattn.codegen.language import Writer, derived
from symattn.codegen.r import HELPERS, RESERVED, R, program
from symattn.derivation import Plan
from symattn.errors import NoValueError, RenderError, UnknownNameError
from symattn.formula import is_name
from symattn.scenario.given import Given
from symattn.shapes import shape
from symattn.solution import Solution
from tests.examples import EVERY

Solve = Callable[..., Solution]

SIZES = {"n": 2, "d_k": 4}

GIVENS = {"X": [["1", "2"], ["3", "4"]], "Y": [["5", "6"], ["7", "8"]], "b": [["1", "-1"]], "ids": [["1", "0"]]}


@pytest.fixture
def written(solve: Solve) -> Callable[[str], str]:
    """The R of one formula over the givens above."""

    def write(formula: str) -> str:
        return Writer(R).text(solve(GIVENS, f"R = {formula}", sizes=SIZES).derivation["R"].formula)

    return write


def test_an_unknown_node_is_refused() -> None:
    with pytest.raises(TypeError, match="no R rule for Symbol"):
        Writer(R).code(Symbol("x"))
    with pytest.raises(TypeError, match="no rule for the number ImaginaryUnit"):
        Writer(R).number(I)


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
def test_parentheses_stand_where_r_needs_them(formula: str, expected: str, written: Callable[[str], str]) -> None:
    assert written(formula) == expected


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
    assert Writer(R).number(value).text == expected


def test_a_whole_program(solve: Solve) -> None:
    solution = solve(
        {"X": [["0.50", "-10^9"], ["sqrt(2)/2", "3/4"]], "c": [["1", "0"]], "unused": [["7"]]},
        "XX_T = X @ X.T",
        "T = softmax(XX_T / sqrt(d_k))",
        "other = relu(X)",
        "Z = T @ X + broadcast(c, n)",
        sizes=SIZES,
    )
    assert program(solution, "Z") == (
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


def test_a_given_alone(solve: Solve) -> None:
    assert program(solve({"b": [["1", "2"]]}), "b") == "b <- matrix(c(1, 2), nrow = 1)\n\nprint(b)"


def test_every_use_of_an_operation_has_a_function_of_its_own(solve: Solve) -> None:
    text = program(solve(GIVENS, "N = layer_norm(layer_norm(X) + layer_norm(X, 1/2), gamma=b, beta=b)"), "N")
    assert text.count("layer_norm <- function(X, epsilon, gamma, beta)") == 1
    assert text.count("layer_norm_2 <- function(X, epsilon)") == 1
    assert "layer_norm(layer_norm_2(X, 1e-5) + layer_norm_2(X, 0.5), 1e-5, b, b)" in text


def test_long_rows_are_wrapped_between_numbers(solve: Solve) -> None:
    row = ["-123456.789"] * 30
    lines = program(solve({"X": [row]}), "X").splitlines()
    assert max(map(len, lines)) <= 80
    assert [cell for line in lines[1:-3] for cell in re.findall(r"[-\d.]+", line)] == row


def test_every_called_function_is_reserved() -> None:
    texts = [
        *HELPERS.values(),
        *(Writer(R).text(example.node) for example in EVERY),
        "print(X) matrix(1) c(1) sqrt(1)",
    ]
    functions = derived(R, [example.node for example in EVERY])
    texts += [helper(operation, name, R) for operation, name in functions.items()]
    called = set(re.findall(r"([A-Za-z][\w.]*)\(", re.sub("#.*", "", "\n".join(texts))))
    assert called - {"upper.tri", "which.max"} <= RESERVED | set(functions.values())


@pytest.mark.parametrize("name", ["T", "F", "c", "t", "function", "Inf", "print", "paste", "matrix", "max"])
def test_names_that_mean_something_in_r_are_renamed(name: str, solve: Solve) -> None:
    text = program(solve({name: [["1"]]}), name)
    assert text == f"{name}.value <- matrix(c(1), nrow = 1)\n\nprint({name}.value)"


def test_a_size_named_like_the_truth_is_renamed(solve: Solve) -> None:
    text = program(solve({"X": [["1"]]}, "S = X / sqrt(T)", sizes={"T": 3}), "S")
    assert "T.value <- 3\nS <- X / sqrt(T.value)" in text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1 # 2", "1"),
        ("1_000", "1000"),
        ("2 ** 3", "8"),
        ("10 ** 3", "10^3"),
        (" 3 / 4 ", "3/4"),
        ("- 10^9", "-10^9"),
        ("(1 + 2) / 7", "3/7"),
        ("10^200*10^200/10^399", "10"),
        ("-oo", "-Inf"),
        ("1e-7", "1e-7"),
    ],
)
def test_givens_stand_as_written_or_are_written_anew(text: str, expected: str, solve: Solve) -> None:
    assert program(solve({"X": [[text]]}), "X").startswith(f"X <- matrix(c({expected}), nrow = 1)")


@pytest.mark.parametrize("text", ['1); system("x"); c(1', "1 # x", "1\nq()", "`x`", "0x10", "١"])
def test_no_foreign_text_gets_into_a_program(text: str) -> None:
    plan = Plan().given("X", shape(1, 1))
    hostile = Solution(plan, {"X": Given(((Integer(1),),), ((text,),))})
    assert program(hostile, "X") == "X <- matrix(c(1), nrow = 1)\n\nprint(X)"


def test_numbers_that_double_precision_cannot_hold_are_refused(solve: Solve) -> None:
    with pytest.raises(RenderError, match="a number with more than 300 digits has no place in a program"):
        program(solve({"X": [["10^400"]]}), "X")


def test_unknown_and_general_names(solve: Solve) -> None:
    with pytest.raises(UnknownNameError, match="unknown name 'Q': known: X, Y, b, ids"):
        program(solve(GIVENS), "Q")
    general = Solution(Plan().given("X", shape("m", "n"), general=True), {})
    with pytest.raises(NoValueError, match="X is general"):
        program(general, "X")


def test_no_name_of_a_formula_holds_a_dot() -> None:
    assert R.suffix.startswith(".")
    assert not is_name(f"T{R.suffix}")


@pytest.mark.skipif(shutil.which("Rscript") is None, reason="Rscript is not installed")
def test_r_reads_every_name_and_every_given(solve: Solve) -> None:
    names = sorted(name for name in RESERVED if is_name(name))
    programs = [program(solve({name: [["1"]]}), name) for name in names]
    programs += [
        program(solve({"X": [[text]]}), "X") for text in ("3/4", "-10^9", "2*sqrt(3)/7", "1/3 + sqrt(8)", "-oo")
    ]
    run = subprocess.run(["Rscript", "-"], input="\n".join(programs), capture_output=True, text=True, timeout=60)
    assert (run.returncode, run.stderr) == (0, "")
    assert run.stdout.split()[2::3] == ["1"] * len(names) + ["0.75", "-1e+09", "0.4948717", "3.16176", "-Inf"]
