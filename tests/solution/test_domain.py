"""What an operation is not defined for is refused with the entry it happens at, before anything is divided."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from symattn.api.worked import derive
from symattn.base.errors import DomainError, SymattnError, UndecidedError
from symattn.read.scenario.load import loads

SUM = "cannot be divided by its sum"
ZERO = "is the zero vector, which"
ID = "expected an id, a whole number from 0 to 2"
WEIGHTS = "is negative: expected weights from 0 up"

REFUSED = [
    *(("step Z, " + f.split("(")[0] + f": row 2 of X {ZERO}", f, rows)
      for f in ("cosine(X, X)", "angle(X, X)", "unit(X)", "cosine(row(X, 1), X)")
      for rows in ("3 4; 0 0", "1 2; sqrt(8)-2*sqrt(2) 0")),
    (f"step Z, unit: row 2 of X {ZERO}", "2 * unit(X)", "3 4; 0 0"),
    (f"step Z: row 2 of X sums to 0 and {SUM}", "proportions(X)", "1 2; 3 -3"),
    (f"step Z: row 2 of X sums to 0 and {SUM}", "proportions(X)", "1 1; sqrt(2) -sqrt(8)/2"),
    (f"step Z, entropy: X[1,2] {WEIGHTS}", "entropy(X)", "1.5 -0.5"),
    *((f"step Z: X[1,2] is {number}: {ID}", "one_hot(X, 3)", f"0 {number}") for number in ("3", "-1", "1/2")),
    (f"step Z: X[1,1] is a number with a root or an exponential in it: {ID}", "one_hot(X, 3)", "0 sqrt(2)"),
    # The innermost operation that is not defined is named, and a formula without a name is described.
    *((f"row 1 of X {said}", outer.replace("{}", inner), "0 0")
      for inner, said in (("proportions(X)", "sums to 0"), ("unit(X)", ZERO), ("cosine(X, X)", ZERO))
      for outer in ("entropy({})", "cosine({}, {})", "one_hot(row({}, 1), 3)", "relu({})", "elu({})", "angle({}, {})")),
    (f"step Z: row 1 of the formula in proportions sums to 0 and {SUM}", "proportions(X - X)", "1 2"),
    (f"step Z, cosine: row 1 of the formula in it {ZERO}", "cosine(0 * X, X)", "1 2"),
    (f"step Z, entropy: entry [1,1] {WEIGHTS}", "entropy(-1 * X)", "1 2"),
    (f"step Z: one_hot, entry [1,1] is 1/2: {ID}", "one_hot(X / 2, 3)", "1 2"),
    ("step Z, layer_norm: row 2 of X has the variance 0, and epsilon is 0 too", "layer_norm(X, 0)", "1 2; 1 1"),
    ("row 2 of X has the variance 0, and epsilon is 0 too", "layer_norm(X, 0)", "1 2; sqrt(8) 2*sqrt(2)"),
    ("step Z, log: X[1,2] is 0: expected positive numbers", "log(X)", "1 0"),
    ("step Z, log: X[2,1] is negative: expected positive numbers", "log(X)", "1; -2"),
    ("step Z, divide: X[1,2] is 0, and nothing can be divided by 0", "divide(X, X)", "1 0"),
    ("row 2 of X is the zero vector, which has the mean square 0", "rms_norm(X, epsilon=0)", "1; 0"),
]  # fmt: skip
"""A part of the sentence, the formula, and the rows of X."""


@pytest.mark.parametrize(("sentence", "formula", "rows"), REFUSED)
def test_what_is_not_defined_is_refused_on_every_road(sentence: str, formula: str, rows: str, solve: Callable) -> None:
    solution = solve({"X": [row.split() for row in rows.split(";")]}, f"Z = {formula}")
    for ask in (solution.rational, solution.exact_value, solution.figures, lambda name: solution.enclosure(name, 64)):
        with pytest.raises(SymattnError) as caught:
            ask("Z")
        assert sentence in str(caught.value)


@pytest.mark.parametrize("formula", ["unit(X)", "cosine(X, X)", "angle(X, X)", "proportions(X)", "unit(unit(X))"])
def test_an_infinite_entry_is_called_infinite(formula: str, solve: Callable) -> None:
    with pytest.raises(SymattnError, match=r"\[1,\d\] is not a number: an infinite value cannot be used here"):
        solve({"X": [["-oo", "1"]]}, f"Z = {formula}").figures("Z")


def test_beside_what_is_refused_there_are_values(solve: Callable) -> None:
    weights = {"A": [["1", "0", "0"], ["1/2", "0", "1/2"]]}
    assert solve(weights, "Z = entropy(A)").decimals("Z", 6) == (("0.000000",), ("0.693147",))
    assert solve({"X": [["1", "2"], ["1", "1"]]}, "Z = layer_norm(X)").figures("Z")[1][0].text == "0.000000"


LESSON = """title = "t"
figures.decimals = 1
given.X = [["0.01", "0.02"], ["0", "1"]]
[[section]]
title = "s"
steps = ["S = X / 1", "P = FORMULA"]
"""


def test_printed_zeros_are_nothing_to_divide_by() -> None:
    """A remark says what figures by hand lead to; here they lead nowhere, and the true values stand."""
    for formula in ("proportions(S)", "unit(S)", "cosine(S, S)", "relu(proportions(S))"):
        assert derive(loads(LESSON.replace("FORMULA", formula))).render(detail="entries")
    with pytest.raises(DomainError) as caught:
        derive(loads(LESSON.replace("FORMULA", "proportions(S)"), path="l.toml"), carry="rounded").render()
    assert str(caught.value) == f"l.toml, line 6, section[1].steps[2]: step P: row 1 of S sums to 0 and {SUM}"


@pytest.mark.parametrize(
    "root", ["power(d, 2)", "d * d", "1/2 * power(d, 2) + 1/3 * power(d, 4)", "power(d.T, 2).T / 3", "abs(d)", "s"]
)
def test_a_root_of_squares_needs_no_sign(root: str) -> None:
    """The difference is exactly 0, which nobody can prove here: its square is not negative all the same."""
    solution = derive(loads(_NEARLY_0.replace("ROOT", root)))
    assert {figure.text.rstrip("0") for row in solution["y"].figures for figure in row} == {"0."}


@pytest.mark.parametrize("root", ["d", "-power(d, 2)", "power(d, 2) + d", "d * D", "d * (-d)"])
def test_a_root_of_anything_else_does(root: str) -> None:
    with pytest.raises(UndecidedError, match="its sign cannot be decided"):
        derive(loads(_NEARLY_0.replace("ROOT", root)))["y"].figures  # noqa: B018


_NEARLY_0 = """
title = "t"
[given]
X = [["1", "1/2"], ["0", "1/3"]]
[[section]]
title = "s"
steps = ["A = softmax(softmax(X @ X.T) @ X)", "B = softmax(softmax(X @ X.T) @ X + ones(2, 1) @ ones(1, 2))",
  "d = A - B", "D = A + B", "s = power(d, 2)", "y = sqrt(ROOT)"]
"""
