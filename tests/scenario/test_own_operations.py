"""What is wrong with an operation of one's own is one sentence with its line and its place in the equation."""

from __future__ import annotations

import pytest

from symattn import derive
from symattn.errors import SymattnError
from symattn.scenario.load import loads

SCENARIO = """title = "T"

[operation.f]
parameters = [
  {parameters}
]
equations = [
  {equations}
]
{more}

[given]
S = [["1", "0"], ["-3", "2"]]

[[section]]
title = "S"
steps = ["T = {call}"]
"""


def scenario(*equations: str, parameters: str = '"X"', call: str = "f(S)", more: str = "") -> str:
    told = ",\n  ".join(f'"{each}"' for each in equations)
    return SCENARIO.format(parameters=parameters, equations=told, call=call, more=more)


FIRST = "line 8, operation.f.equations[1]: operation f: equation "
FAR = "expected it alone in a place of a parameter, or the shape of the result to say it"
SIGNS = "has no place in an equation, which is written with ASCII signs such as - * / <= and !="

WRONG = {
    # -- how far an index goes, and what a name is
    FIRST + "'y[i,q] = sum(k, X[i,k])': how far q goes does not follow: " + FAR: scenario("y[i,q] = sum(k, X[i,k])"),
    FIRST + "'b[i,g] = X[i,1] * g': how far g goes does not follow: " + FAR: scenario(
        "b[i,g] = X[i,1] * g", "y[i,j] = X[i,j] + b[i,j + 1]"
    ),
    FIRST + "'y[i,j] = c * X[i,j]': the index c is bound nowhere: "
    "expected it among the parameters, on the left, or in sum(c, …)": scenario("y[i,j] = c * X[i,j]"),
    FIRST + "'y[i,j] = X[i,k]': the index k is bound nowhere: expected it on the left, or in sum(k, …)": scenario(
        "y[i,j] = X[i,k]"
    ),
    FIRST + "'y[i,j] = e^X[i,j]': the index e is bound nowhere: expected "
    "it among the parameters, on the left, or in sum(e, …); e^x is written exp(x)": scenario("y[i,j] = e^X[i,j]"),
    "line 9, operation.f.equations[2]: operation f: a is defined twice; every parameter and equation has its own "
    "name": (scenario("a[i] = X[i,1]", "a[i] = X[i,1]", "y[i,j] = X[i,j] / a[i]")),
    # -- what a parameter is used as
    FIRST + "'y[i,j] = X[i] + X[i,j]': X is a matrix and is used with "
    "1 place: expected two places, as in X[i,j]": scenario("y[i,j] = X[i] + X[i,j]"),
    FIRST + "'y[i,j] = X[i,j]': X is a row and is used with 2 places: "
    "expected one, as in X[j]; a matrix is written X: m×n": scenario("y[i,j] = X[i,j]", parameters='"X: mxn"'),
    "line 3, operation.f: operation f: how long m is does not follow: expected it as an axis of its own of what is "
    "always given, as in X: m×m, or as a parameter, m: size": scenario(
        "y[i,j] = X[i,j]", parameters='"X: m×n = 0"', call="f()"
    ),
    "line 5, operation.f.parameters[2]: operation f: X has to be given and c has a usual value: expected X before it": (
        scenario("y[i,j] = c * X[i,j]", parameters='"c = 2", "X"')
    ),
    # -- what cannot be read
    FIRST + "'y[i,j] = X[i,j] − 2': 'X[i,j] − 2' cannot be read: − " + SIGNS: scenario("y[i,j] = X[i,j] − 2"),
    FIRST + "'y[i,j] = (X[i,j]': '(X[i,j]' cannot be read: a bracket is not closed": scenario("y[i,j] = (X[i,j]"),
    FIRST + "'y[i,j] = (((((((((((((((((((((((((((((((((((((((((((((((((((…': "
    "nested deeper than FORMULA_DEPTH = 60": scenario("y[i,j] = " + "(" * 250 + "X[i,j]" + ")" * 250),
    "line 9, operation.f.equations[2]: operation f: equation '': expected name[i,j] = …, with letters as indices": (
        scenario("a[i] = X[i,1]", "")
    ),
    "line 10, operation.f.page: expected a few words that say what it is called, came none": scenario(
        "y[i,j] = X[i,j]", more='page = { en = " " }'
    ),
    # -- what is not defined for the numbers at hand
    "line 17, section[1].steps[1]: step T, f: S[1,2] is 0, and nothing can be divided by 0": scenario(
        "y[i,j] = X[i,j]^(-1)"
    ),
    "line 17, section[1].steps[1]: step T, f: 1 - X[i,j]^2 in 'y[i,j] = acos(X[i,j])' is negative for i = 2, j = 1: "
    "expected X[i,j] from -1 to 1 under an arccosine": scenario("y[i,j] = acos(X[i,j])"),
}


@pytest.mark.parametrize("sentence", WRONG)
def test_what_is_wrong_is_said_with_its_place(sentence: str) -> None:
    with pytest.raises(SymattnError) as caught:
        derive(loads(WRONG[sentence], path="lesson.toml")).render()
    said, _, _ = str(caught.value).partition("; and 1 more problem")
    assert said == f"lesson.toml, {sentence}"


@pytest.mark.parametrize(
    ("equation", "wanted"),
    [
        ("y[i,j] = X[i,j] % 2", (("1", "0"), ("1", "0"))),
        ("y[i,j] = (X[i,j] / 2) % 1", (("0.5", "0.0"), ("0.5", "0.0"))),
        ("y[i,j] = (X[i,j] - 4)^(-2)", (("0.1", "0.1"), ("0.0", "0.3"))),
    ],
)
def test_the_rest_of_a_division_and_a_negative_power_are_of_any_numbers(
    equation: str, wanted: tuple[tuple[str, ...], ...]
) -> None:
    solution = derive(loads(scenario(equation)))
    assert solution["T"].decimals(len(wanted[0][0].partition(".")[2])) == wanted
    assert solution.render("markdown", detail="entries")


def test_weights_of_nothing_are_0_for_a_softmax_and_refused_for_what_is_none() -> None:
    def with_rows(exponent: str) -> str:
        text = scenario(f"e[i,j] = exp({exponent})", "t[i] = sum(k, e[i,k])", "y[i,j] = e[i,j] / t[i]")
        return text.replace('["1", "0"]', '["-oo", "-oo"]').replace(
            "[given]", '[figures]\non_empty = "zero"\n\n[given]'
        )

    assert derive(loads(with_rows("X[i,j]")))["T"].decimals(0)[0] == ("0", "0")
    with pytest.raises(SymattnError, match=r"t\[i\] in .* is 0 for i = 1, and nothing can be divided by 0"):
        derive(loads(with_rows("X[i,j] / 2"))).render()


def test_a_row_of_zeros_that_is_left_out_stands_in_no_line() -> None:
    text = scenario(
        "y[i,j] = X[i,j] / 2 * g[j] + b[j]", parameters='"X: m×d", "g: d = 1", "b: d = 0"', call="f(S, g=G)"
    )
    page = derive(loads(text.replace("[given]", '[given]\nG = [["3", "1"]]'))).render()
    assert r"t_{11} &= " not in page
    assert r"t_{11} = \frac{1}{2}\cdot 3 = 1.5" in page


def test_an_option_that_is_not_there_is_told_the_names_that_are() -> None:
    text = scenario("y[i,j] = c * X[i,j]", parameters='"X", "c"', call="f(S, k=2)")
    with pytest.raises(SymattnError, match="unknown option of f 'k': known: X, c"):
        loads(text)
