"""Forms of a matrix beyond its figures, and matrices that no page has room for."""

from __future__ import annotations

import re

import pytest

from symattn.api import derive
from symattn.scenario.load import loads

LETTERS = """title = "t"
sizes = {m = 3, n = 2}
given.X = {value = [["1", "2"], ["3", "4"], ["0", "1"]], axes = ["m", "n"]}
[[section]]
title = "a"
steps = [{ show = "X", form = "general" }, { show = "X", form = "rows" }, "S = X @ X.T",
  { show = "S", form = "general" },
  "Z = S @ X", { show = "Z", form = "general" }, { show = "Z", form = "weighted" }, "Y = X + 2 * X"]
"""
OVERFLOW = """title = "t"
[given]
s = [["800", "799", "0"]]
[[section]]
title = "a"
steps = ["E = exp(s)", { show = "E", form = "float64" }, "p = proportions(E)", { show = "p", form = "float64" }]
"""


def test_a_matrix_in_letters_in_rows_and_as_weighted_sums() -> None:
    page = derive(loads(LETTERS)).render(language="en")
    products = [[rf"\mathbf{{x}}_{i}\cdot\mathbf{{x}}_{j}" for j in ("1", "2", "m")] for i in ("1", "2", "m")]
    for shown in (
        r"x_{11} & x_{12} & \cdots & x_{1n}" "\\\\\n",
        r"X = \begin{bmatrix}" "\n" r"\mathbf{x}_1\\" "\n" r"\mathbf{x}_2\\" "\n" r"\vdots\\" "\n" r"\mathbf{x}_m",
        r"{} & {} & \cdots & {}".format(*products[2]),
        r"\mathbf{z}_i = \sum_{k=1}^{m} s_{ik}\mathbf{x}_k = s_{i1}\mathbf{x}_1 + s_{i2}\mathbf{x}_2 + \cdots",
        r"\mathbf{z}_3 &\approx 2.000000\cdot\mathbf{x}_1 + 4.000000\cdot\mathbf{x}_2 + 1.000000\cdot\mathbf{x}_3",
        r"X\ (3\times 2) + 2\cdot X\ (3\times 2) = Y\ (3\times 2)",
    ):
        assert shown in page


def test_what_double_precision_loses_stands_beside_what_is_true() -> None:
    text = derive(loads(OVERFLOW)).render(language="en")

    assert "2.72637\\times 10^{347} & 1.00298\\times 10^{347} & 1" in text
    assert "\\infty & \\infty & 1.000000" in text
    assert "0.731059 & 0.268941 & 0.000000" in text
    assert "\\mathrm{NaN} & \\mathrm{NaN} & 0.000000" in text
    assert "2 entries are too large for double precision and become infinite." in text
    assert "2 entries are not a number any more: infinity has been divided by infinity." in text


def test_all_entries_of_a_step_are_worked_where_the_scenario_asks_for_them() -> None:
    scenario = loads(
        'title = "t"\n[given]\nX = [["1", "2"], ["3", "-1"], ["0", "1/3"]]\n[[section]]\ntitle = "a"\n'
        'steps = ["S = dot(X, X)", { show = "S", form = "entries" }]\n'
    )

    text = derive(scenario).render()

    assert len(re.findall(r"^s_\{\d\d\} &=", text, re.MULTILINE)) == 9
    assert "s_{21} &= 3\\cdot 1 + (-1)\\cdot 2 = 1" in text


@pytest.mark.parametrize(("count", "shown"), [(8, 8), (9, 7), (512, 7)])
def test_the_middle_of_a_long_row_is_left_out(count: int, shown: int) -> None:
    row = ", ".join(f'"{k}"' for k in range(1, count + 1))
    scenario = loads(f'title = "t"\n[given]\nq = [[{row}]]\n[[section]]\ntitle = "a"\nsteps = ["q", "k = q.T"]')

    text = derive(scenario).render()

    matrices = re.findall(r"\\begin\{bmatrix\}\n(.*?)\n\\end\{bmatrix\}", text, re.DOTALL)

    assert len(matrices[0].split("&")) == shown
    assert len(matrices[1].splitlines()) == shown
    assert (r"4 & \cdots & " + str(count - 1) in matrices[0]) == (count > 8)
    assert ("4\\\\\n\\vdots\\\\\n" in matrices[1]) == (count > 8)
    assert f"(shape=1\\times {count})" in text


def test_everything_said_of_a_step_speaks_of_its_own_decimals() -> None:
    """The matrix, the worked entry, the sums of printed figures: all with the two decimals that the page shows."""
    scenario = loads(
        'title = "t"\n[given]\nS = [["1", "2", "0"], ["3", "3", "3"]]\n[[section]]\ntitle = "a"\n'
        'steps = [{ step = "A = softmax(S)", decimals = 2 }, "B = A / 3"]\n'
    )

    text = derive(scenario).render(language="en")

    assert "0.24 & 0.67 & 0.09\\\\\n0.33 & 0.33 & 0.33" in text
    assert r"\approx 0.24" in text
    assert "\\(0.99\\) in row 2" in text
    assert r"b_{11} \approx \frac{0.24}{3} \approx 0.081576" in text
    assert "0.244728 & 0.665241 & 0.090031" in derive(scenario, digits=6).render(language="en")


PRINTED = """title = "t"
[given.R]
value = [["0.30", "0.70"]]
rounded = true
[given]
S = [["0", "0"]]
[[section]]
title = "a"
steps = ["A = softmax(S)", { show = "A", form = "printed" }, "B = proportions(R)", { show = "B", form = "printed" }]
[printed]
A = [["0.5", "0.50"]]
B = [["0.30", "0.71"]]
"""


def test_printed_figures_are_judged_where_they_stand() -> None:
    text = derive(loads(PRINTED)).render(language="en")
    assert text.count("0.5 & 0.50") == text.count("0.30 & 0.71") == 1
    assert text.count("1.01") == 1, "0.30 + 0.71, which rounding explains"
    wrong = derive(loads(PRINTED.replace('"0.50"', '"0.51"').replace('"0.71"', '"0.72"'))).render(language="en")

    assert "- All 2 figures are reproduced digit for digit." in text
    assert "- All 2 figures agree: each interval holds a number that rounds to the printed figure." in text
    assert "- The printed figures of every row add up to exactly \\(1\\)." not in wrong
    assert "1 of them is reproduced digit for digit" in wrong
    assert "No number in the interval rounds to the printed figure here" in wrong
