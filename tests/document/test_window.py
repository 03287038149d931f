"""Large is shown small: the corner entries stand on the page, and nothing else is asked for."""

from __future__ import annotations

import re

import pytest

from symattn.api.worked import derive
from symattn.read.scenario.load import loads
from symattn.show.math import Number, Sign
from symattn.show.window import Window, places
from tests.readers.files import tex_matrices


def scenario(rows: int, columns: int, steps: str = '["X"]', head: str = "") -> str:
    cells = ",".join("[" + ",".join(f'"{10 * i + j}"' for j in range(columns)) + "]" for i in range(rows))
    return f'title = "t"\n{head}\n[given]\nX = [{cells}]\n[[section]]\ntitle = "a"\nsteps = {steps}\n'


@pytest.mark.parametrize(("count", "most", "shown"), [
    (1, 2, (0,)), (2, 2, (0, 1)), (3, 2, (0, None, 2)), (9, 8, (0, 1, 2, 3, None, 7, 8)), (8, 8, tuple(range(8))),
])  # fmt: skip
def test_the_first_and_the_last_places_are_shown(count: int, most: int, shown: tuple[int | None, ...]) -> None:
    assert places(count, most) == shown


def test_only_cells_that_are_shown_are_asked_for() -> None:
    asked: list[tuple[int, int]] = []

    def cell(i: int, j: int) -> Number:
        asked.append((i, j))
        return Number("1")

    grid = Window(2, 4).grid(10**6, 10**6, cell)

    assert sorted(asked) == [(i, j) for i in (0, 999_999) for j in (0, 1, 999_999)]
    assert grid[1] == (Sign("⋮"), Sign("⋮"), Sign("⋱"), Sign("⋮"))


def test_rows_and_columns_are_asked_for() -> None:
    (whole,) = tex_matrices(derive(loads(scenario(9, 9))).render(max_rows=9, max_columns=9))
    (small,) = tex_matrices(derive(loads(scenario(9, 9))).render(max_rows=3, max_columns=4))

    assert len(whole) == 9
    assert len(whole[0]) == 9
    assert small[0] == ["0", "1", "\\cdots", "8"]
    assert small[1] == ["\\vdots", "\\vdots", "\\ddots", "\\vdots"]
    assert small[2] == ["80", "81", "\\cdots", "88"]


@pytest.mark.parametrize(("count", "shown"), [(8, 8), (9, 7), (512, 7)])
def test_the_middle_of_a_long_row_is_left_out(count: int, shown: int) -> None:
    text = derive(loads(scenario(1, count, '["X", "k = X.T"]'))).render()
    (row,), column = tex_matrices(text)
    assert (len(row), len(column)) == (shown, shown)
    assert (r"\cdots" in row) == ([r"\vdots"] in column) == (count > 8)
    assert f"(shape=1\\times {count})" in text


def test_vectors_weights_and_worked_entries_leave_out_the_same_rows() -> None:
    forms = '{ show = "Y", form = "vectors" }, "W = Y @ X", { show = "W", form = "weighted" }'
    steps = f'["Y = X @ X.T", {forms}, {{ show = "W", form = "entries" }}]'
    text = derive(loads(scenario(12, 12, steps))).render(max_rows=4, max_columns=3)

    assert re.findall(r"\\mathbf y_\{?(\d+)\}? &=", text) == ["1", "2", "12"]
    assert re.findall(r"\\mathbf w_\{?(\d+)\}? &\\approx", text) == ["1", "2", "12"]
    assert set(re.findall(r"^w_\{(\d+,? ?\d*)\} &=", text, re.MULTILINE)) <= {
        "11",
        "1,12",
        "21",
        "2,12",
        "12,1",
        "12,12",
    }


def test_figures_of_a_large_matrix_are_those_it_would_have_as_a_small_one() -> None:
    """A large matrix certifies row by row; how many decimals there are is still decided by all entries."""
    steps = '["Y = X / 4", "Z = softmax(X)"]'
    for scope in ("matrix", "column", "entry"):
        small = derive(loads(scenario(40, 10, steps, "") + f'[figures]\nscope = "{scope}"\ndecimals = 3\n'))
        large = derive(loads(scenario(500, 10, steps, "") + f'[figures]\nscope = "{scope}"\ndecimals = 3\n'))
        for name in ("Y", "Z"):
            assert [list(row) for row in large[name].figures[:40]] == [list(row) for row in small[name].figures]
        assert large["Y"].figures[-1][0] == large["Y"].figures[499][0]


@pytest.mark.parametrize(("last", "shown"), [("1/3", "0.1667"), ("sqrt(2)", "0.7071")])
def test_one_entry_of_a_large_matrix_decides_the_decimals_of_all(last: str, shown: str) -> None:
    rows = '["0"],' + ",".join('["1"]' for _ in range(4998)) + f',["{last}"]'
    text = f'title = "t"\n[given]\nX = [{rows}]\n[[section]]\ntitle = "a"\nsteps = ["Y = X / 2"]\n'
    solution = derive(loads(text), digits=4)

    assert [solution["Y"].figures[i][0].text for i in (0, 4998, -1)] == ["0.0000", "0.5000", shown]
    assert not solution["Y"].figures[-1][0].exact


def test_nobody_is_told_to_work_by_hand_from_figures_that_are_not_printed() -> None:
    """The remark on rounding errors names a place and figures that a reader can look up."""
    steps = '["A = X / 7", "Z = A @ A"]'
    said = "Worked from the printed figures instead of the exact values"
    small, large = (derive(loads(scenario(size, size, steps))) for size in (5, 10))
    assert said in small.render(language="en", detail="steps")
    assert said not in large.render(language="en", detail="steps")
    assert said in large.render(language="en", detail="steps", max_rows=10, max_columns=10)
