"""``%derive`` and ``%%derive`` in IPython itself: what cells come to, and one sentence for what is wrong."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from symattn import derive
from symattn.course import generate, question

pytest.importorskip("IPython")

CELL = "X = [[1/2, sqrt(2)],  # a row\n  [0, 1]]\n\n# a remark\nQ, K = X X, X + 1\nA = softmax(Q Kᵀ)"
FILE = '[given]\nX = [["1/2", "sqrt(2)"], ["0", "1"]]\n[[section]]\ntitle = "s"\nsteps = ["A = softmax(X @ X.T)"]'

WRONG = {
    "%derive wether": "unknown scenario 'wether': did you mean 'weather'?",
    "%derive": "expected %derive NAME|FILE.toml [VARIABLE], came nothing",
    "%derive weather 1x": "1x: a variable of Python is a name of letters, digits and _",
    "%derive weather --language xx": "Invalid value for '--language'",
    "%derive weather --steps Ä": "unknown step 'Ä'",
    "%derive weather '": "No closing quotation",
    "%%derive a b\nX = [[1]]": "expected %%derive [VARIABLE] above a scenario, came a b",
    "%%derive\nX = [[1, 2]": "%%derive: X = …: expected rows such as [[1, 2], [3, 4]], with as many ] as [",
    "%%derive\nX = [[1, 2]] 3": "%%derive: X = …: expected rows such as [[1, 2], [3, 4]], with as many ] as [",
    "%%derive\nX = [[1 2]]": 'given("X")',
    "%%derive\nX = []": 'given("X")',
    "%%derive\nX = [[1]]\nX = [[2]]": 'given("X"): X is already defined by given("X")',
    "%%derive\nX = [[1]]\nfoo": "expected name = formula, came 'foo'",
    "%%derive\nX = [[1]]\nS = X Y": "unknown name 'Y'",
    "%%derive\n# nothing": "%%derive: the cell is empty",
    "%%derive\ntitle = 't'\n[given]\nX = [['1'],\n ['2', '3']]": "%%derive, line 4, given.X[2]: row 2 has length 2",
}


@pytest.fixture(scope="module")
def shell() -> Iterator[Any]:
    """IPython with the extension."""
    from IPython.core.interactiveshell import InteractiveShell

    shell = InteractiveShell.instance()
    assert shell.run_cell("%load_ext symattn").success
    yield shell
    InteractiveShell.clear_instance()


def test_lines_and_files_are_worked_out_and_bound(shell: Any) -> None:
    typed = shell.run_cell(f"%%derive typed --language zh-Hant\ntitle = My {{x}}\ntokens = the cat\n{CELL}").result
    read = shell.run_cell(f'%%derive read --steps A --digits 3\ntitle = "t"\n{FILE}').result
    assert typed.splitlines()[0] == "# My \\{x\\}"
    assert repr(typed).startswith("<# My \\{x\\}: Markdown, ")
    assert shell.user_ns["typed"].scenario.tokens == ("the", "cat")
    assert list(shell.user_ns["typed"]) == ["X", "Q", "K", "A"]
    assert shell.user_ns["read"]["A"].decimals(3) == shell.user_ns["read"].decimals("A", 3)
    assert [line for line in read.splitlines() if "0.698 &" in line] == ["0.698 & 0.302\\\\"]
    assert read._repr_markdown_() == read


def test_a_lesson_by_its_name_shows_its_pictures(shell: Any) -> None:
    page = shell.run_cell("%derive weather w --language en").result
    assert shell.user_ns["w"]["A"].decimals(6) == derive("weather")["A"].decimals(6)
    assert re.search(r'^<img alt="The flow of the data: .*" src="data:image/svg\+xml;base64,', page, re.MULTILINE)
    assert "![" not in page


def test_the_cells_of_the_page_run_as_they_stand(shell: Any) -> None:
    page = (Path(__file__).parent.parent.parent / "docs" / "notebooks.md").read_text(encoding="utf-8")
    cells = re.findall(r"```text\n(.*?)```", page, re.DOTALL)
    assert [shell.run_cell(cell).success for cell in cells] == [True] * 3
    assert list(shell.user_ns["mine"]) == ["X", "W", "Q", "A"]
    assert shell.user_ns["w"].scenario.name == "weather"


@pytest.mark.parametrize("cell", WRONG)
def test_what_is_wrong_is_one_sentence(shell: Any, cell: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert not shell.run_cell(cell).success
    said = capsys.readouterr()
    told = re.sub(r"\x1b\[[0-9;]*m", "", said.err + said.out)
    assert told.startswith("UsageError: ")
    assert WRONG[cell] in told
    assert told.count("\n") == 1
    assert "Traceback" not in told


def test_what_knows_of_no_page_shows_itself(shell: Any) -> None:
    solution, exercise = derive("refund"), generate("softmax-row")[0]
    kinds = (solution.scenario, solution.derivation, solution["A"].step, exercise, question(exercise))
    shown = [shell.display_formatter.format(value)[0]["text/markdown"] for value in kinds]
    assert "\\mathrm{softmax}" in shown[0] + shown[1]
    assert shown[2].startswith("$\\displaystyle A\\ (shape=3\\times 3) = \\mathrm{softmax}")
    assert shown[3] == shown[4]
    assert shown[4].startswith("# ")
