"""Notebooks: every cell runs, puts out what is stored, and comes to the certified decimals of the page."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from html import unescape
from typing import Any

import numpy as np
import pytest

from symattn import Derivation, derive, softmax
from symattn.api.worked import WorkedSolution
from symattn.base.errors import OutputError
from symattn.base.words import languages
from symattn.compute.solution.store import Shown
from symattn.read.scenario.load import builtin_names, loads
from tests.cases import solved
from tests.readers.files import run, source, stored

UNTRUSTED = ["</script><script>", "=cmd()", "*_$", "\\input{x}", "{{7*7}}", '"""%%bash\\', "!ls\u202e", "a?", "`b`"]
"""Tokens that some reader of a notebook takes for something else."""

EVERYTHING = """
title = "All {{kinds}} of '%time' \\\\ \\"names\\""
tokens = ["a", "b", "c"]
token_axis = "T"
symbols = ["t", "u"]
[substitute]
t = "1/2"
[sizes]
d = 2
[labels]
kind = ["x", "y"]
[operation.capped]
parameters = ["X", "c = 30"]
equations = ["y[i,j] = c * tanh(X[i,j] / c)"]
page = "soft cap"
[given]
v = ["1", "-oo"]
[given.W]
value = [[["1", "0"], ["0", "1"]], [["t", "1"], ["1", "2/3"]]]
axes = ["2", "d", "kind"]
[given.R]
value = [["0.25", "0.75"]]
rounded = true
row_sums = "1"
[given.X]
value = [["1", "u"], ["sqrt(2)", "1"], ["0.50", "1"]]
axes = ["T", "d"]
[general]
G = ["p", "q"]
[notation]
S = "tilde(Q)"
[figures]
decimals = 4
scope = "entry"
[[section]]
title = "All"
steps = ["R", "W",
  { show = "G", form = "general" }, "H = G @ G.T", "Q = X @ W", "S = capped(t * X[:, 0:1], c=5)", "P = R.T",
  "B = softmax(v)",
{ step = "A = softmax(S @ S.T)", decimals = 2, works = [2, 1] }, { quantity = "N = T^2" }]
"""


def written(solution: WorkedSolution, **choices: Any) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(solution.render("ipynb", **choices))
    return found


def check(solution: WorkedSolution, **choices: str) -> None:
    """Run a notebook; it has to put out what it holds, and to come to the same decimals."""
    notebook = written(solution, **choices)
    names: dict[str, Any] = {}
    for cell, shown, names in run(notebook):  # noqa: B007 - of the last cell
        if cell["outputs"]:
            assert shown == stored(cell), source(cell)
    again = names["d"].solve()
    assert set(again) == set(solution)
    for name in solution:
        step, other = solution.derivation[name], again.derivation[name]
        assert (str(step.formula), str(step.shape)) == (str(other.formula), str(other.shape)), name
        if solution.store.shown(name) is Shown.INTERVALS:
            assert solution[name].intervals == again[name].intervals, name
        elif not step.general:
            assert solution[name].known_decimals(9) == again[name].known_decimals(9), name


def test_a_lesson_comes_to_the_same_and_nothing_that_a_file_may_give_is_lost() -> None:
    check(derive("refund"), language="en")
    check(derive(loads(EVERYTHING)))


def untrusted() -> WorkedSolution:
    d = Derivation(title="{{7*7}} ''' $x$", tokens=UNTRUSTED)
    X = d.given("X", [[i, 1] for i in range(len(UNTRUSTED))], axes=("n", 2))
    d.step("A", softmax(X @ X.T))
    return d.solve()


def test_what_comes_from_outside_is_text_in_every_cell() -> None:
    check(untrusted())
    *_, (_, _, names) = run(written(untrusted()))
    assert names["d"].scenario.tokens == tuple(UNTRUSTED)
    cells = [source(cell) for cell in written(untrusted())["cells"] if cell["cell_type"] == "code"]
    assert not any("\u202e" in text for text in cells)


@pytest.mark.long
@pytest.mark.parametrize(("cell", "old", "new", "changed"), [
    ("X", '["1", "0"]', '["1/3", "0"]', '[["1", "0"], ["0", "1"], ["1", "1"]]'),
    ("S", "S_raw / sqrt(d_k)", "S_raw / 3", "S = S_raw / sqrt(d_k)"),
])  # fmt: skip
def test_a_cell_that_is_changed_and_run_again_changes_what_rests_on_it(
    cell: str, old: str, new: str, changed: str
) -> None:
    *_, (_, _, names) = run(notebook := written(derive("refund"), language="en"))
    before = names["d"].solve()
    again = next(each for each in notebook["cells"] if each["id"] == cell)
    text = source(again).replace(old, new)
    assert text != source(again)
    exec(compile(text, cell, "exec"), names)  # noqa: S102 - what a kernel does
    after, scenario = names["d"].solve(), derive("refund").scenario
    assert scenario.text.count(changed) == 1
    ours = derive(loads(scenario.text.replace(changed, changed.replace(old, new))))
    assert list(after) == list(before)
    assert after["O"].decimals(9) == ours["O"].decimals(9) != before["O"].decimals(9)


def test_cells_keep_their_names_and_a_part_has_what_it_rests_on() -> None:
    whole, part = (written(derive("refund"), **choices) for choices in ({}, {"steps": ["A"]}))
    ids = [cell["id"] for cell in whole["cells"] if cell["cell_type"] == "code"]
    assert {"A", "heatmap-A", "flow"} <= set(ids)
    assert len(ids) == len(set(ids))
    *_, (_, _, names) = run(part)
    assert set(names["d"].solve()) == {"X", "W_Q", "b_Q", "W_K", "b_K", "Q_raw", "B_Q", "Q", "K_raw", "B_K", "K"} | {
        *("K_T", "S_raw", "S", "A")
    }


def test_a_notebook_with_more_numbers_than_anybody_reads_is_refused() -> None:
    d = Derivation(title="Much")
    d.given("X", np.ones((201, 100), dtype=int))
    with pytest.raises(OutputError, match=r"20100 given numbers are too many for a notebook: expected at most NUMBERS"):
        d.solve().render("ipynb")


@pytest.mark.slow
@pytest.mark.parametrize("name", builtin_names())
def test_every_lesson_comes_to_the_same(name: str) -> None:
    for language in languages():
        check(solved(name), language=language)


@pytest.mark.slow
def test_every_entry_of_the_catalogue_comes_to_the_same(lesson: Callable[..., str], catalogue_case: Any) -> None:
    check(derive(loads(lesson(catalogue_case.name, catalogue_case.chosen, catalogue_case.sizes))))


@pytest.mark.slow
@pytest.mark.parametrize("name", [*builtin_names(), "everything", "untrusted"])
def test_jupyter_reads_it_and_a_kernel_puts_out_what_is_stored(name: str) -> None:
    nbformat, nbclient = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    solution = (
        derive(loads(EVERYTHING)) if name == "everything" else untrusted() if name == "untrusted" else solved(name)
    )
    read = nbformat.reads(solution.render("ipynb", language="en"), as_version=4)
    nbformat.validate(read)
    ran = nbclient.NotebookClient(nbformat.from_dict(read), timeout=120).execute()
    shown = 0
    for cell, again in zip(read.cells, ran.cells, strict=True):
        if cell.get("outputs"):
            assert again.outputs == cell.outputs, cell.source
            shown += len(cell.outputs)
        assert not any(output.output_type in ("error", "stream") for output in again.get("outputs", ())), again
    assert shown
    tried = {cell.id: cell.outputs for cell in ran.cells if cell.id in ("changed", "exercise")}
    assert all("text/markdown" in outputs[0].data for outputs in tried.values())
    assert len(tried) == (1 if name == "everything" else 2)


# -- What a notebook shows of things without being told how, and never more of them than a page ------------------------


def test_a_solution_shows_its_page_with_pictures_that_every_notebook_reads() -> None:
    d = Derivation(title="Strange", tokens=["</script>", "$x$ ](y) *_"])
    X = d.given("X", [[1, 2], [3, 5]])
    d.step("A", softmax(X @ X.T))
    page = d.solve()._repr_markdown_()
    assert page.startswith("# Strange\n")
    assert "![" not in page
    (says,) = re.findall(r'^<img alt="([^"<>$]*)" src="data:image/svg\+xml;base64,[\w+/=]+">$', page, re.MULTILINE)
    assert "“</script>”" in unescape(says)
    assert "“$x$ ](y) *_”" in unescape(says)


def test_a_derivation_shows_its_steps_so_far_and_of_many_the_first() -> None:
    d = Derivation(title="So far")
    X = d.given("X", [[1, 2]])
    d.step("S", X @ X.T)
    assert d._repr_markdown_().startswith("# So far\n\n$$")
    assert r"S\ (shape=1\times 1) &= XX^T" in d._repr_markdown_()
    for n in range(70):
        X = d.step(f"Y_{n}", X + 1)
    assert d._repr_markdown_().endswith("… 12\n")


def test_a_large_matrix_and_a_general_one_are_short() -> None:
    d = Derivation(title="Large")
    d.given("X", [[i * j for j in range(60)] for i in range(60)])
    G = d.given("G", shape=("m", "n"))
    d.step("H", G @ G.T)
    solution = d.solve()
    assert solution["X"]._repr_latex_().count("&") < 100
    assert solution["H"]._repr_latex_() == r"$\displaystyle H\ (shape=m\times m) = GG^T$"
    assert solution["G"]._repr_latex_() == r"$\displaystyle G\ (shape=m\times n)$"


def test_a_page_is_a_text_that_shows_itself_and_a_picture_says_what_it_shows() -> None:
    solution = derive("refund")
    page = solution["A"].render(language="en")
    assert isinstance(page, str)
    assert page._repr_markdown_() == page  # type: ignore[attr-defined]
    assert type(solution.render("latex")) is str
    assert repr(solution.figure("heatmap", "A", language="en")).startswith("Heat map of A, 3 rows and 3 columns.")
