"""Operations that no language has a call for: their helper functions are derived, run, and print what is said."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest
from sympy import Integer, MatrixSymbol, Rational

from symattn.base.errors import RenderError
from symattn.base.shapes import shape
from symattn.compute.codegen import LANGUAGES, programs
from symattn.compute.codegen.loops import helper
from symattn.compute.solution.evaluation import Evaluation
from symattn.operations.equations.read import FUNCTIONS, read_operation
from symattn.operations.node import apply, record_of_kind

Solve = Callable[..., Evaluation]

X, Y, b = MatrixSymbol("X", 3, 3), MatrixSymbol("Y", 3, 3), MatrixSymbol("b", 1, 3)

OWN: dict[str, tuple[str, tuple[Any, ...]]] = {
    "softcap": ("softcap(X, c)\n y[i,j] = c * tanh(X[i,j] / c)", (X, Integer(5))),
    "sigmoid": ("sigmoid(X)\n y[i,j] = 1 / (1 + exp(-X[i,j]))", (X,)),
    "softplus": ("softplus(X)\n y[i,j] = log(1 + exp(X[i,j]))", (X,)),
    "mish": ("mish(X)\n s[i,j] = log(1 + exp(X[i,j]))\n y[i,j] = X[i,j] * tanh(s[i,j])", (X,)),
    "leaky": ("leaky(X, slope = 1/100)\n y[i,j] = X[i,j] if X[i,j] > 0 else slope * X[i,j]", (X,)),
    "log_softmax": (
        "log_softmax(S)\n e[i,j] = exp(S[i,j])\n t[i] = sum(k, e[i,k])\n y[i,j] = S[i,j] - log(t[i])",
        (X,),
    ),
    "scaled": ("scaled(X, gamma: d = 1, temperature = 2)\n y[i,j] = X[i,j] * gamma[j] / temperature", (X, b)),
    "scaled_all": (
        "scaled_all(X, gamma: d = 1, temperature = 2)\n y[i,j] = X[i,j] * gamma[j] / temperature",
        (X, b, Rational(1, 3)),
    ),
    "two_named": (
        "two_named(X: m×d)\n a[i] = sum(k, X[i,k]) / d\n s[i] = sqrt(sum(k, (X[i,k] - a[i])^2))\n"
        " y[i,j] = (X[i,j] - a[i]) / (1 + s[i])",
        (X,),
    ),
    "column_sums": ("column_sums(X)\n t[j] = sum(i, X[i,j]^2)\n y[i,j] = X[i,j] / (1 + t[j])", (X,)),
    "totals": ("totals(X: m×n) -> 1×n\n y[j] = max(i, X[i,j])", (X,)),
    "row_totals": ("row_totals(X)\n y[i] = log(sum(k, exp(X[i,k])))", (X,)),
    "one_number": ("one_number(X)\n y = sum(i, sum(j, abs(X[i,j])))", (X,)),
    "halves": (
        "halves(X: m×d) -> m×d\n y[i,j] = -X[i,j + d/2] if j <= d / 2 else X[i,j - floor(d / 2)] * i",
        (MatrixSymbol("W", 2, 4),),
    ),
    "diagonal": ("diagonal(X: n×n) -> n×n\n y[i,j] = X[i,i] * i if i == j and j < 3 else j / i - 1", (X,)),
    "pairs": ("pairs(X, Y)\n y[i,j] = sqrt(sum(k, (X[i,k] - Y[j,k])^2))", (X, Y)),
    "weighted": ("weighted(X, Y, v)\n y[i,j] = sum(k, X[i,k] * v[k] * Y[j,k])", (X, Y, b)),
    "turned": ("turned(X, Y)\n y[i,j] = X[j,i] + 2 * Y[i,j]^2", (X, Y)),
    "repeated": ("repeated(v: d, n) -> n×d\n y[i,j] = 2 * v[j] + pi", (b, Integer(3))),
    "in_rows": ("in_rows(X, v: d) -> d×d\n y[i,j] = v[i] * X[i,j]", (X, b)),
    "outer_sum": ("outer_sum(X)\n a[i] = sum(k, X[i,k])\n y[i,j] = a[i] - a[j]", (X,)),
    "safe_inverse": ("safe_inverse(X)\n y[i,j] = 1 / X[i,j] if X[i,j] != 0 else 0", (X,)),
    "reserved": (
        "reserved(X, T, np, end)\n print[i,j] = T * X[i,j]\n y[i,j] = print[i,j] + np + end",
        (X, Integer(2), Integer(3), Integer(4)),
    ),
    "erf": ("error_function(X)\n y[i,j] = erf(X[i,j] / 2)", (X,)),
    "largest": ("largest(X, c)\n y[i,j] = min(c, max(-c, X[i,j]))", (X, Integer(1))),
    "shares": ("shares(S)\n y[i,j] = exp(2 * S[i,j]) / sum(k, exp(2 * S[i,k]))", (X,)),
    "floored": ("floored(X)\n y[i,j] = floor(X[i,j]) + abs(X[i,j]) % 2", (X,)),
    "elu": ("other_elu(X, a)\n y[i,j] = X[i,j] if X[i,j] > 0 else a * (exp(X[i,j]) - 1)", (X, Rational(1, 2))),
    "rooted": ("rooted(X)\n e[i,j] = exp(abs(X[i,j]))\n y[i,j] = log(sqrt(e[i,j]))", (MatrixSymbol("X", 1, 1),)),
    "doubled": ("doubled(*X: n×a) -> n×sum(a)\n y[i,j] = 2 * X[i,j]", (X, Y)),
    "picked": ("picked(X: m×n, r: whole) -> 1×n\n y[q,j] = 2 * X[r,j]", (X, Integer(2))),
    "numbers": ("numbers(X, c)\n y[i,j] = X[i,j] * log(1 + exp(c)) + exp(c) - 1", (X, Rational(1, 3))),
    "arcs": ("arcs(X)\n y[i,j] = acos(X[i,j] / 4)", (X,)),
    "bell": ("bell(X: m×n)\n y[i,j] = erf(X[i,j]) + exp(X[i,n - j + 1]) if j < n else sin(X[i,j])", (X,)),
    "switched": ("switched(X, c)\n y[i,j] = X[i,j] if c > 0 else 0", (X, Integer(-1))),
    "masked": ("masked(X, M)\n y[i,j] = X[i,j] if M[i,j] >= 0 and j <= i else -9", (X, Y)),
    "remainders": (
        "remainders(X, Y)\n y[i,j] = 1 - X[i,j] % 2 + (-X[i,j]) % 2 - (Y[i,j] * X[i,j]) % 3 - (-(Y[i,j] % 2 * X[i,j]))",
        (X, Y),
    ),
    "entropic": ("entropic(X)\n y[i] = sum(k, xlogx(abs(X[i,k])))", (X,)),
}
"""Operations of somebody's own: a record, and what it is applied to."""

GIVENS = {
    "X": [["0.5", "-1.25", "2"], ["0", "3.1", "-0.7"], ["1/3", "-2", "0.9"]],
    "Y": [["1", "0.2", "-0.4"], ["-1.5", "2", "0.6"], ["0.1", "-3", "1.7"]],
    "b": [["0.5", "-2", "3"]],
    "W": [["1", "2", "3", "4"], ["-5", "6.5", "7", "0"]],
}


def solved(solve: Solve, givens: dict[str, Sequence[Sequence[object]]], name: str, **style: object) -> Evaluation:
    """A solution with one step, which applies an operation of somebody's own."""
    text, args = OWN[name]
    node = apply(read_operation(text), *args)
    plain = solve({each: givens[each] for each in givens}, **style)
    plan = plain.derivation
    step = replace(plan.step("R", "X.T").steps[-1], formula=node, shape=shape(*map(int, node.shape)))
    return Evaluation(replace(plan, steps=(*plan.steps, step)), plain.givens, plain.style)


FAR_OWN = ("sigmoid", "softplus", "mish", "log_softmax", "shares", "row_totals", "elu", "leaky")
"""Of them those that say something far from 0, too."""


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_elementary_function_is_spelled(language: str) -> None:
    spelling = LANGUAGES[language].spelling
    for table in (spelling.arrays, spelling.numbers):
        assert {*FUNCTIONS, "log1p", "expm1"} <= set(table)


def test_what_is_infinite_in_a_program_only_is_refused(solve: Solve) -> None:
    with pytest.raises(RenderError, match="a number on the way is larger than"):
        programs(solved(solve, {"X": [["800"]]}, "rooted"), ["numpy"], ["R"])


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_operation_of_ours_under_another_name_has_the_same_program(language: str, solve: Solve) -> None:
    """The rule of ours where there is one, and else a function that differs in its name."""
    givens = {**GIVENS, "ids": [["0", "2", "1"]]}
    for formula in (
        "softmax(X)",
        "row_max(X)",
        "causal_mask(n)",
        "gelu(X)",
        "layer_norm(X, gamma=b, beta=b)",
        "silu(X)",
    ):
        ours = solve(givens, f"R = {formula}", sizes={"n": 3})
        node = ours.derivation["R"].formula
        record = record_of_kind(type(node))
        assert record is not None
        step = replace(ours.derivation["R"], formula=apply(replace(record, name="mine"), *node.args))
        plan = replace(ours.derivation, steps=(*ours.derivation.steps[:-1], step))
        (mine,), (known,) = (
            programs(each, [language], ["R"]) for each in (Evaluation(plan, ours.givens, ours.style), ours)
        )
        assert mine.output == known.output
        assert mine.code.replace("mine", record.name) == known.code


@pytest.mark.parametrize("language", LANGUAGES)
def test_words_of_an_operation_stay_in_their_comment(language: str) -> None:
    for end in ("\n", "\r", "\u2028", "\u2029", "\x85", '"""', "\\"):
        record = replace(read_operation("mine(X)\n y[i,j] = X[i,j] / 3"), page=(("en", f"words{end}hostile(1)"),))
        (line,) = (each for each in helper(record, "mine", LANGUAGES[language]).splitlines() if "hostile" in each)
        assert line.lstrip().startswith(("# words", "// words", '"""words')), line
        assert line.count('"""') in (0, 2), line
        assert "\\" not in line


def test_names_of_a_scenario_do_not_hide_a_function(solve: Solve) -> None:
    solution = solved(solve, {"X": GIVENS["X"], "two_named": [["1"]]}, "two_named")
    code = programs(solution, ["numpy"], ["R", "two_named"])[0].code
    assert "R = two_named(X)" in code
    assert "two_named_ = np.array([[1]], dtype=float)" in code
