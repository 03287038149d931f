"""What an operation is not defined for is refused with the entry it happens at, before anything is divided."""

from __future__ import annotations

import pytest

from symattn.api import derive
from symattn.errors import DomainError, SymattnError
from symattn.given import Given
from symattn.plan import Plan
from symattn.scenario.load import loads
from symattn.shapes import shape
from symattn.solution import Solution

ZERO_ROW = [["3", "4"], ["0", "0"]]
ROOTS_THAT_CANCEL = [["1", "2"], ["sqrt(8) - 2*sqrt(2)", "0"]]


def solved(formula: str, **givens: list[list[str]]) -> Solution:
    matrices = {name: Given.read(rows) for name, rows in givens.items()}
    plan = Plan()
    for name, given in matrices.items():
        plan = plan.given(name, shape(*given.shape))
    return Solution(plan.step("Z", formula), matrices)


@pytest.mark.parametrize("rows", [ZERO_ROW, ROOTS_THAT_CANCEL])
@pytest.mark.parametrize("formula", ["cosine(X, X)", "angle(X, X)", "unit(X)", "cosine(row(X, 1), X)", "2 * unit(X)"])
def test_a_zero_vector_has_no_direction(formula: str, rows: list[list[str]]) -> None:
    solution = solved(formula, X=rows)

    for ask in (solution.rational, solution.exact_value, solution.figures, lambda name: solution.enclosure(name, 64)):
        with pytest.raises(DomainError, match=r"step Z, \w+: row 2 of X is the zero vector, which"):
            ask("Z")


@pytest.mark.parametrize("rows", [[["1", "2"], ["3", "-3"]], [["1", "1"], ["sqrt(2)", "-sqrt(8)/2"]]])
def test_a_row_that_sums_to_zero_has_no_shares(rows: list[list[str]]) -> None:
    with pytest.raises(DomainError, match=r"step Z: row 2 of S sums to 0 and cannot be divided by its sum"):
        solved("proportions(S)", S=rows).figures("Z")


def test_a_negative_weight_has_no_entropy() -> None:
    with pytest.raises(DomainError, match=r"step Z, entropy: A\[1,2\] is negative: expected weights from 0 up"):
        solved("entropy(A)", A=[["1.5", "-0.5"]]).figures("Z")


def test_a_weight_of_zero_adds_nothing_to_an_entropy() -> None:
    solution = solved("entropy(A)", A=[["1", "0", "0"], ["1/2", "0", "1/2"]])

    assert solution.decimals("Z", 6) == (("0.000000",), ("0.693147",))


@pytest.mark.parametrize("number", ["3", "-1", "1/2", "sqrt(2)"])
def test_an_id_outside_the_vocabulary_is_refused(number: str) -> None:
    came = "a number with a root or an exponential in it" if "sqrt" in number else number
    with pytest.raises(DomainError) as caught:
        solved("one_hot(ids, 3)", ids=[["0", number]]).figures("Z")

    place = "ids[1,1]" if "sqrt" in number else "ids[1,2]"
    assert str(caught.value) == f"step Z: {place} is {came}: expected an id, a whole number from 0 to 2"


@pytest.mark.parametrize("inner", ["proportions(X)", "unit(X)", "cosine(X, X)"])
@pytest.mark.parametrize(
    "outer",
    ["entropy({})", "cosine({}, {})", "one_hot(row({}, 1), 3)", "relu({})", "elu({})", "unit({})", "angle({}, {})"],
)
def test_the_innermost_operation_that_is_not_defined_is_named(outer: str, inner: str) -> None:
    with pytest.raises(DomainError, match=r"step Z.*: row 1 of X (sums to 0|is the zero vector)"):
        solved(outer.replace("{}", inner), X=[["0", "0"]]).figures("Z")


def test_a_formula_without_a_name_is_described() -> None:
    for formula, sentence in {
        "proportions(X - X)": "step Z: row 1 of the formula in proportions sums to 0 and cannot be divided by its sum",
        "cosine(0 * X, X)": "step Z, cosine: row 1 of the formula in it is the zero vector, which has no direction",
        "entropy(-1 * X)": "step Z, entropy: entry [1,1] is negative: expected weights from 0 up",
        "one_hot(X / 2, 3)": "step Z: one_hot, entry [1,1] is 1/2: expected an id, a whole number from 0 to 2",
    }.items():
        with pytest.raises(DomainError) as caught:
            solved(formula, X=[["1", "2"]]).figures("Z")
        assert str(caught.value) == sentence


@pytest.mark.parametrize("formula", ["unit(X)", "cosine(X, X)", "angle(X, X)", "proportions(X)", "unit(unit(X))"])
def test_an_infinite_entry_is_called_infinite(formula: str) -> None:
    with pytest.raises(SymattnError, match=r"\[1,\d\] is not a number: an infinite value cannot be used here"):
        solved(formula, X=[["-oo", "1"]]).figures("Z")


@pytest.mark.parametrize("row", [["1", "1"], ["sqrt(8)", "2*sqrt(2)"]])
def test_a_variance_of_zero_needs_an_epsilon(row: list[str]) -> None:
    with pytest.raises(DomainError, match="step Z, layer_norm: row 2 of X has the variance 0, and epsilon is 0 too"):
        solved("layer_norm(X, epsilon=0)", X=[["1", "2"], row]).figures("Z")
    assert solved("layer_norm(X)", X=[["1", "2"], row]).figures("Z")[1][0].text == "0.000000"


def test_printed_zeros_are_nothing_to_divide_by() -> None:
    """A remark says what figures by hand lead to; here they lead nowhere, and the true values stand."""
    text = """title = "t"
figures.decimals = 1
given.X = [["0.01", "0.02"]]
[[section]]
title = "s"
steps = ["S = X / 1", "P = FORMULA"]
"""
    for formula in ("proportions(S)", "unit(S)", "cosine(S, S)", "relu(proportions(S))"):
        assert derive(loads(text.replace("FORMULA", formula))).render(detail="entries")
    with pytest.raises(DomainError, match="step P: row 1 of S sums to 0"):
        derive(loads(text.replace("FORMULA", "proportions(S)")), carry="rounded").render()


SCENARIO = """title = "t"
tokens = ["a", "b", "c", "d"]
[sizes]
h = 3
w = 0
d_model = 8
[given]
X = [["1", "0"], ["0", "0"], ["2", "1"], ["1", "1"]]
ids = [["0", "5"]]
S = [["1", "-1"]]
[given.Q]
axes = ["n", "d_model"]
value = [
  ["1", "1", "1", "1", "1", "1", "1", "1"],
  ["1", "1", "1", "1", "1", "1", "1", "1"],
  ["1", "1", "1", "1", "1", "1", "1", "1"],
  ["1", "1", "1", "1", "1", "1", "1", "1"],
]
[[section]]
title = "s"
steps = ["Z = FORMULA"]
"""

BAD = {
    "head(Q, 1, h)": "line 21, section[1].steps[1]: step Z: head(Q, 1, 3): Q is (n=4, d_model=8): d/h is 8/3: "
    "expected a whole number from 1 up; h that fits: 1, 2, 4, 8",
    "window_mask(n, 0)": "line 21, section[1].steps[1]: step Z: window_mask(n, 0): the window is 0: a position sees at "
    "least itself, so expected 1 or more",
    "one_hot(ids, n)": "line 21, section[1].steps[1]: step Z: ids[1,2] is 5: expected an id, a whole number "
    "from 0 to 3",
    "cosine(X, X)": "line 21, section[1].steps[1]: step Z, cosine: row 2 of X is the zero vector, which has no "
    "direction",
    "proportions(S)": "line 21, section[1].steps[1]: step Z: row 1 of S sums to 0 and cannot be divided by its sum",
}


@pytest.mark.parametrize("formula", BAD)
def test_bad_input_is_one_sentence_with_file_line_and_key(formula: str) -> None:
    with pytest.raises(SymattnError) as caught:
        derive(loads(SCENARIO.replace("FORMULA", formula).replace("w = 0\n", "\n"), path="lesson.toml")).render()

    assert str(caught.value) == f"lesson.toml, {BAD[formula]}"


@pytest.mark.parametrize(
    ("formula", "rows", "sentence"),
    [
        ("log(X)", [["1", "0"]], r"step Z, log: X\[1,2\] is 0: expected positive numbers"),
        ("log(X)", [["1"], ["-2"]], r"step Z, log: X\[2,1\] is negative: expected positive numbers"),
        ("divide(X, X)", [["1", "0"]], r"step Z, divide: X\[1,2\] is 0, and nothing can be divided by 0"),
        ("rms_norm(X, epsilon=0)", [["1"], ["0"]], r"row 2 of X is the zero vector, which has the mean square 0"),
    ],
)
def test_what_has_no_logarithm_no_quotient_or_no_length_is_named(
    formula: str, rows: list[list[str]], sentence: str
) -> None:
    with pytest.raises(DomainError, match=sentence):
        solved(formula, X=rows).decimals("Z", 3)
