"""The text of programs: formulas, numbers, names, givens, and whole programs.

Julia is not run by any test: ``formulas.toml`` and ``whole/julia.txt`` were checked by hand against the manual of
Julia 1.10 (matrix literals, broadcasting, ``repeat``, ``eachrow``, ``LinearAlgebra``, ``Printf``). The other languages
are run by ``test_running.py``, too.
"""

from __future__ import annotations

import ast
import keyword
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest
from sympy import Basic, E, I, Integer, Rational, S, Symbol, acos, log, pi, sqrt

from symattn.base.errors import NoValueError, RenderError, UnknownNameError
from symattn.base.shapes import shape
from symattn.compute.codegen import LANGUAGES, programs
from symattn.compute.codegen.language import FOLDER
from symattn.compute.codegen.loops import helper
from symattn.compute.codegen.program import ProgramWriter, derived, program, variables, with_empty_rows
from symattn.compute.solution.evaluation import Evaluation
from symattn.operations import NODES
from symattn.read.formula import is_name
from symattn.read.given import Given
from symattn.read.plan import Plan
from symattn.read.scenario.model import LISTINGS
from tests.examples import EVERY, EXAMPLES

Solve = Callable[..., Evaluation]

HERE = Path(__file__).parent
SIZES = {"n": 2, "d_k": 4}
GIVENS = {"X": [["1", "2"], ["3", "4"]], "Y": [["5", "6"], ["7", "8"]], "b": [["1", "-1"]], "ids": [["1", "0"]]}
WITH_SUFFIX = ["numpy", "torch", "julia", "javascript"]
"""The languages that write ``_`` behind a name."""


def in_r(solution: Evaluation, name: str) -> str:
    return program(solution, (name,), LANGUAGES["r"])


def test_every_operation_and_every_parenthesis_in_every_language(solve: Solve) -> None:
    known = tomllib.loads((HERE / "formulas.toml").read_text(encoding="utf-8"))
    formulas = {node.__name__: EXAMPLES[node][0].node for node in NODES}
    assert formulas.keys() == known["operations"].keys()
    for text in known["formulas"]:
        formulas[text] = solve(GIVENS, f"R = {text}", sizes=SIZES).derivation["R"].formula
    for text, expected in (known["operations"] | known["formulas"]).items():
        written = [ProgramWriter(language).text(formulas[text]) for language in LANGUAGES.values()]
        assert written == ([expected] * len(written) if isinstance(expected, str) else expected), text


@pytest.mark.parametrize("key", LANGUAGES)
def test_a_whole_program(key: str, solve: Solve) -> None:
    solution = solve(
        {"X": [["0.50", "-10^9"], ["sqrt(2)/2", "3/4"]], "c": [["1", "0"]], "unused": [["7"]]},
        "S = X @ X.T / sqrt(d_k)",
        "A = softmax(S + causal_mask(n))",
        "other = relu(X)",
        "T = gelu(A @ X + broadcast(c, n))",
        "Z = layer_norm(layer_norm(T, 1/2), gamma=c, beta=c)",
        sizes=SIZES,
        decimals=3,
    )
    made = programs(solution, [key], ["A", "Z"])[0]
    assert f"{made.code}\n\n\n--\n{made.output}\n" == (HERE / "whole" / f"{key}.txt").read_text(encoding="utf-8")


def test_a_program_holds_only_what_it_uses(solve: Solve) -> None:
    solution = solve(GIVENS, "C = cosine(X, Y)", "N = layer_norm(X, gamma=b)", "I = identity(n)", sizes=SIZES)
    cosine = {key: programs(solution, [key], ["C"])[0].code for key in LANGUAGES}
    assert [code.count("cosine") > 1 and "entropy" not in code for code in cosine.values()] == [True] * 5
    assert "math" not in cosine["numpy"]
    assert "F" not in cosine["torch"].replace("Float", "")
    assert cosine["julia"].startswith("using Printf\n")
    assert programs(solution, ["julia"], ["I"])[0].code.startswith("using LinearAlgebra, Printf\n")
    norms = programs(solution, ["numpy", "torch", "julia"], ["N"])
    assert [program.code.count("layer_norm(X, epsilon, gamma, beta)") for program in norms] == [1, 0, 1]
    assert "import torch.nn.functional as F\n" in norms[1].code


def test_every_language_has_a_folder_and_refuses_what_it_does_not_know() -> None:
    assert {path.parent.name for path in FOLDER.glob("*/language.toml")} == {*LISTINGS, "python", "page"}
    for language in LANGUAGES.values():
        with pytest.raises(TypeError, match=f"no {language.name} rule for Symbol"):
            ProgramWriter(language).code(Symbol("x"))
        with pytest.raises(TypeError, match="no rule for the number ImaginaryUnit"):
            ProgramWriter(language).number(I)


@pytest.mark.parametrize(("value", "expected"), [
    (Integer(-120), "-120"), (Integer(10) ** 9, "1e9"), (Integer(123456789), "123456789"),
    (Rational("0.00012"), "0.00012"), (Rational("0.000012"), "1.2e-5"), (Rational(-2, 3), "-2/3"),
    (-sqrt(2) / 2, "-sqrt(2) / 2"), (1 / sqrt(Symbol("d_k")), "1 / sqrt(d_k)"),
    (Rational(1, 3) + 2 * sqrt(2), "1/3 + 2 * sqrt(2)"), (sqrt(2) * sqrt(3 + sqrt(5)), "sqrt(2) * sqrt(sqrt(5) + 3)"),
    (E ** Rational(-1, 2) + E, "exp(-0.5) + exp(1)"), (S.NegativeInfinity, "-Inf"),
    (acos(Rational(1, 3)) / pi + log(2), "acos(1/3) / pi + log(2)"),
])  # fmt: skip
def test_numbers(value: Basic, expected: str) -> None:
    assert ProgramWriter(LANGUAGES["r"]).number(value).text == expected


def test_whole_numbers_that_a_language_would_take_for_integers_have_a_point() -> None:
    for value in (1234567890123456, 10**16 + 1):
        written = [ProgramWriter(LANGUAGES[key]).number(Integer(value)).text for key in LANGUAGES]
        assert written == [f"{value}.0", f"{value}.0", str(value), f"{value}.0", str(value)]


# -- names -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("key", WITH_SUFFIX)
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
    texts += [*(ProgramWriter(language).text(each.node) for each in EVERY)]
    code = re.sub(r'(?s:""".*?""")|"[^"\n]*"|(#|//).*', "", "\n".join(texts))
    called = set(re.findall(r"(?<![\w.@])([A-Za-z]\w*)\.?\(", code)) | {
        name.split(".")[0] for name in re.findall(r"\w+\.\w+\.?\w*\(", code)
    }
    local = {"upper", "which", "ids", "one", "row", "cell", "lpad", "DECIMALS"}
    local |= {"at", "cells", "chosen", "matrices", "operands", "terms", "written"}
    assert {name for name in called if len(name) > 1 and is_name(name)} - local <= language.reserved | {
        *functions.values()
    }


def test_every_word_of_python_is_reserved() -> None:
    # Of a fresh Python: what has been imported here, such as IPython, may have added names of its own.
    fresh = subprocess.run(
        [sys.executable, "-I", "-c", "import builtins; print(*dir(builtins))"],
        capture_output=True,
        text=True,
        check=True,
    )
    words = {*keyword.kwlist, *(name for name in fresh.stdout.split() if not name.startswith("_"))}
    assert words <= LANGUAGES["numpy"].reserved & LANGUAGES["torch"].reserved
    assert not is_name(f"T{LANGUAGES['r'].suffix}"), "no name of a formula holds a dot"


@pytest.mark.parametrize("key", WITH_SUFFIX)
def test_renamed_names_are_used_throughout(key: str, solve: Solve) -> None:
    solution = solve({"sum": [["1"]], "length": [["2"]]}, "print = sum @ length / sqrt(max)", sizes={"max": 4})
    code = programs(solution, [key], ["print"])[0].code
    print_ = variables(["print"], LANGUAGES[key].reserved, "_").get("print", "print")
    assert code.rstrip(";").endswith(f'print_matrix("print", {print_})')
    assert re.search(r"\bmax_ = 4;?\n", code)
    assert re.search(r"[/,] sqrt\(max_\)", code)
    assert " sum_ = " in code.replace("\n", " ")


# -- givens ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("text", "expected"), [
    ("0.50", "0.50"), ("-3/4", "-3/4"), ("2*sqrt(3)/7", "2*sqrt(3)/7"), ("10^9", "1e9"), ("007", "7"), ("00.50", "0.5"),
    ("1234567890123456", "1234567890123456.0"), ("1/3 + sqrt(8)", "1/3 + 2 * sqrt(2)"), ("1e-7", "1e-7"),
])  # fmt: skip
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


@pytest.mark.parametrize(("text", "expected"), [
    ("1_000", "1000"), ("10 ** 3", "10^3"), (" 3 / 4 ", "3/4"), ("(1 + 2) / 7", "3/7"),
    ("10^200*10^200/10^399", "10"), ("-oo", "-Inf"),
])  # fmt: skip
def test_givens_in_r(text: str, expected: str, solve: Solve) -> None:
    assert in_r(solve({"X": [[text]]}), "X").startswith(f"X <- matrix(c({expected}), nrow = 1)")


@pytest.mark.parametrize("text", ['1); system("x"); c(1', "1 # x", "1\nq()", "`x`", "0x10", "١"])
def test_no_foreign_text_gets_into_a_program(text: str) -> None:
    plan = Plan().given("X", shape(1, 1))
    hostile = Evaluation(plan, {"X": Given(((Integer(1),),), ((text,),))})
    assert in_r(hostile, "X") == "X <- matrix(c(1), nrow = 1)\n\nprint(X)"


def test_numbers_that_double_precision_cannot_hold_are_refused(solve: Solve) -> None:
    with pytest.raises(RenderError, match="a number with more than 300 digits has no place in a program"):
        in_r(solve({"X": [["10^400"]]}), "X")


def test_unknown_and_general_names(solve: Solve) -> None:
    with pytest.raises(UnknownNameError, match="unknown name 'Q': known: X, Y, b, ids"):
        in_r(solve(GIVENS), "Q")
    general = Evaluation(Plan().given("X", shape("m", "n"), general=True), {})
    with pytest.raises(NoValueError, match="X is general"):
        in_r(general, "X")
