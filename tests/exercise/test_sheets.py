"""A sheet asks and gives nothing away; a key holds every answer, how it comes about, and what mistakes give instead."""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from sympy import MatrixSymbol

from symattn import __version__
from symattn.base.errors import SymattnError, UnknownNameError
from symattn.course.generate import generate
from symattn.course.model import Exercise, Wrong
from symattn.course.sheet.answer import answer
from symattn.course.sheet.batch import batch
from symattn.course.sheet.paper import signs
from symattn.course.sheet.question import question
from symattn.operations.equations.read import read_operation
from symattn.operations.node import apply
from symattn.show.blocks import Document, Field, Matrix, Phrase, Room, Table, Task
from symattn.show.math import Blank, Chain, Letter, Number
from symattn.show.notation.formulas import Names
from symattn.write.formats import render
from tests.exercise.sheets import LANGUAGES, ROW, figures, made, part, pieces

# -- sheet question ----------------------------------------------------------------------------------------------------


MADE = made()


def phrases(exercise: Exercise) -> list[str]:
    return [piece.key for piece in pieces(question(exercise)) if isinstance(piece, Phrase)]


@pytest.mark.parametrize("name", MADE)
@pytest.mark.parametrize("language", LANGUAGES)
def test_no_figure_that_is_asked_for_stands_on_the_sheet(name: str, language: str) -> None:
    exercise = MADE[name]
    shown = figures(question(exercise, language))
    asked = [part.key[i][j] for part in exercise.parts if part.kind in ("matrix", "number") for i, j in part.asked]
    assert asked or exercise.form in ("order", "wrong-entry")
    assert set(asked).isdisjoint(shown)
    if exercise.planted is not None:
        assert MADE["plain"].part("a").key[0][1] not in shown
        assert shown.count("0.999") == 1


@pytest.mark.parametrize("name", ["plain", "blanks", "fading", "shown", "wide"])
def test_there_is_a_blank_for_every_cell_that_is_asked_and_a_figure_for_every_other(name: str) -> None:
    exercise = MADE[name]
    blocks = question(exercise).blocks
    grids = [block for block in blocks if isinstance(block, Matrix) and any(map(has_blank, block.entries))]
    assert len(grids) == len(exercise.parts)
    for grid, asked in zip(grids, exercise.parts, strict=True):
        for i, row in enumerate(grid.entries):
            for j, cell in enumerate(row):
                assert isinstance(cell, Blank) if (i, j) in asked.asked else cell == Number(asked.key[i][j])
    tasks = [block for block in blocks if isinstance(block, Task)]
    rooms = [block for block in blocks if isinstance(block, Room)]
    assert len(tasks) == len(rooms) == len(exercise.parts) + 1  # and a question that is answered in words


def has_blank(row: tuple[object, ...]) -> bool:
    return any(isinstance(cell, Blank) for cell in row)


def _is(piece: object, key: str) -> bool:
    return isinstance(piece, Phrase) and piece.key == key


def test_a_sheet_says_when_rounded_rows_do_not_sum_to_one() -> None:
    total = sum(int(text.replace(".", "")) for text in MADE["plain"].part("a").key[0])
    assert total != 1000
    assert "sheet_rounded_rows" in phrases(MADE["plain"])
    even = ROW.replace('"1", "0", "1/2", "-1"', '"0", "0", "0", "0"').replace(', ["0.25", "1", "1", "0"]', "")
    even = even.replace(', "sat"', "").replace(', ["2", "-1"]', "")
    halves = replace(MADE["plain"], source=even, parts=(part(even, "a"),), wrong=())
    assert halves.parts[0].key == (("0.5", "0.5"),)
    assert "sheet_rounded_rows" not in phrases(halves)
    assert "sheet_rounded_rows" not in phrases(MADE["wide"])


@pytest.mark.parametrize("seed", [3, 4])
def test_a_wrong_entry_stands_among_decimals_and_not_among_logarithms(seed: int) -> None:
    (one,) = generate("find-the-wrong-entry", difficulty=1, seed=seed, count=1, of="attention-row")
    *given, _, _, _ = matrices = [block for block in question(one).blocks if isinstance(block, Matrix)]
    solved = [cell for matrix in matrices[len(given) :] for row in matrix.entries for cell in row]
    assert "log(" in one.source
    assert all(isinstance(cell, Number) for cell in solved)
    assert one.planted is not None
    assert Number(one.planted.figure) in solved


# -- pages that were looked at -----------------------------------------------------------------------------------------


def looked_at() -> str:
    """The sheet and the key of every exercise written by hand, and of some more."""
    plain = MADE["plain"]
    steps = ["A = X + X", "B = A @ A.T", "C = B + B", "D = C @ C", "E = D @ X"]
    source = f'title = "t"\n[given]\nX = [["1", "2"]]\n[[section]]\ntitle = "s"\nsteps = {steps}'.replace("'", '"')
    same = Wrong("scale-forgotten", "s", {part.name: part.key for part in plain.parts})
    again = tuple(
        tuple(f"{figure}0" if "." in figure else f"{figure}.0" for figure in row) for row in plain.parts[2].key
    )
    more = {
        "many definitions": replace(plain, source=source, parts=(part(source, "E"),), wrong=()),
        "a mistake that changes nothing": replace(plain, wrong=(same,)),
        "the same with a zero": replace(plain, wrong=(replace(same, figures={**same.figures, "z": again}),)),
    }
    every = MADE | more
    asked = [question(every[name]) for name in ("plain", "last", "shown", "shapes", "order", "many definitions")]
    found = [answer(every[name]) for name in ("plain", "wrong-entry", "wide", *[*more][1:])]
    told = [replace(page, blocks=tuple(b for b in page.blocks if isinstance(b, Table | Phrase))) for page in found]
    lines = [line for page in (*asked, question(every["wrong-entry"]), *told) for line in _lines(page)]
    return "\n".join([*lines, ""]).replace(f"symattn {__version__}", "symattn …")


def _lines(page: Document) -> list[str]:
    return [line for line in render(page, "markdown").splitlines() if line]


def test_sheets_and_keys_are_those_that_were_looked_at() -> None:
    """Where they change on purpose: write ``looked_at()`` to the file again, and look at the difference."""
    assert looked_at() == Path(__file__).with_name("sheets.txt").read_text(encoding="utf-8")


# -- sheet answer ------------------------------------------------------------------------------------------------------


@pytest.mark.long
@pytest.mark.parametrize("name", MADE)
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_key_holds_every_answer_in_every_format(name: str, language: str) -> None:
    exercise = MADE[name]
    page = answer(exercise, language)
    asked = [part.key[i][j] for part in exercise.parts if part.kind != "place" for i, j in part.asked]
    assert set(asked) <= set(figures(page))
    for format in ("markdown", "latex"):
        text = render(page, format)
        assert all(figure in text for figure in asked)


def test_a_long_table_has_every_mistake_before_any_a_second_time_and_says_how_many_are_left_out() -> None:
    s, a, z = MADE["plain"].parts

    def wrong(mistake: str, figure: str, step: str = "s") -> Wrong:
        return Wrong(mistake, step, {s.name: s.key, a.name: a.key, z.name: ((figure, z.key[0][1]),)})

    early = [wrong("scale-forgotten", f"9.{number}") for number in range(10, 30)]
    late = wrong("rounded-too-early", "8.5", "a")
    page = answer(replace(MADE["plain"], wrong=(*early, late)))
    (table,) = (block for block in page.blocks if isinstance(block, Table))
    assert len(table.rows) == 12
    named = [dict(row[0][0].arguments)["name"] for row in table.rows]  # type: ignore[union-attr]
    assert named == [Letter("s")] * 11 + [Letter("a")]
    assert Number("8.5") in list(pieces(replace(page, blocks=(Table(table.header, table.rows[-1:]),))))
    assert page.blocks[-1] == Phrase("sheet_more_mistakes", (("count", 9),))


# -- sheet signs -------------------------------------------------------------------------------------------------------


def told(exercise: Exercise) -> list[Phrase]:
    return [p for p in pieces(question(exercise)) if isinstance(p, Phrase) and p.key.startswith("sign_")]


@pytest.mark.parametrize(("topic", "level", "keys"), [
    ("softmax-row", 1, []),
    ("causal-mask", 1, ["sign_mask"]),
    ("padding-mask", 1, ["sign_padding"]),
    ("projection", 1, ["sign_broadcast"]),
    ("score-entry", 3, ["sign_row"]),
    ("shape-of-product", 5, ["sign_head", "sign_concat"]),
    ("cross-entropy", 1, ["sign_times", "sign_onehot", "sign_ones", "sign_each"]),
    ("adam-step", 3, ["sign_times", "sign_divide", "sign_each"]),
    ("relu-backward", 1, ["sign_times", "sign_operation"]),
    ("online-softmax", 3, ["sign_rowmax", "sign_concat", "sign_each", "sign_ones", "sign_times", "sign_divide"]),
])  # fmt: skip
def test_every_unusual_sign_is_told_once(topic: str, level: int, keys: list[str]) -> None:
    (exercise,) = generate(topic, difficulty=level, seed=3)
    assert sorted(phrase.key for phrase in told(exercise)) == sorted(keys)
    for language in LANGUAGES:
        assert render(question(exercise, language), "markdown")


def test_the_number_of_real_keys_is_told_because_the_task_speaks_of_it() -> None:
    (exercise,) = generate("padding-mask", difficulty=1, seed=3)
    (sizes,) = (dict(p.arguments)["sizes"] for p in pieces(question(exercise)) if _is(p, "sheet_sizes"))
    assert [chain.left for chain in sizes] == [Letter("l")]
    real = dict(told(exercise)[0].arguments)["real"]
    assert [chain.links for chain in sizes if isinstance(chain, Chain)] == [(("=", real),)]


def test_nothing_is_told_of_an_epsilon_that_is_not_there() -> None:
    (without,) = generate("layer-norm", difficulty=1, seed=3)
    assert not any(_is(piece, "sheet_sizes") for piece in pieces(question(without)))
    (exercise,) = generate("layer-norm", difficulty=3, seed=3)
    (sizes,) = (dict(p.arguments)["sizes"] for p in pieces(question(exercise)) if _is(p, "sheet_sizes"))
    assert [chain.left for chain in sizes] == [Letter("epsilon")]


def test_the_labels_of_an_axis_stand_in_one_sentence() -> None:
    (exercise,) = generate("next-word", difficulty=1, seed=3)
    (phrase,) = (piece for piece in pieces(question(exercise)) if _is(piece, "sheet_labels"))
    assert dict(phrase.arguments)["labels"] == ("the", "cat", "sat")


def test_blanks_are_as_wide_as_their_number_in_a_line_allows() -> None:
    (narrow,) = generate("softmax-row", difficulty=5, seed=3)
    (wide,) = generate("dot-product", difficulty=1, seed=3)
    widths = [{p for p in pieces(question(one)) if isinstance(p, Blank)} for one in (narrow, wide)]
    assert widths == [{Blank(7)}, {Blank(10)}]
    assert max(len(text) for row in narrow.parts[0].key for text in row) <= 7


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_operation_that_nobody_knows_is_defined_where_it_is_asked_for(language: str) -> None:
    softcap = read_operation("softcap(X, c = 30)\n y[i,j] = c * tanh(X[i,j] / c)")
    sums = read_operation("sums(X: m×n)\n total[i] = sum(k, X[i,k])\n y[i,j] = X[i,j] - total[i]")
    X = MatrixSymbol("X", 2, 3)
    formulas = [apply(softcap, X, 5) + apply(softcap, X, 50), apply(softcap, apply(sums, MatrixSymbol("C", 2, 3)), 5)]
    text = render(Document((), language, tuple(signs(formulas, Names()))), "markdown", math="brackets")
    for written in (
        r"\mathrm{softcap}(y, 5) = 5\ \mathrm{tanh}(y/5)",
        r"\mathrm{softcap}(y, 50) = 50\ \mathrm{tanh}(y/50)",
        r"\mathrm{total}_i = \sum_{k=1}^{3} x_{ik}",
        r"\mathrm{sums}(X)_{ij} = x_{ij} - \mathrm{total}_i",
    ):
        assert text.count(written) == 1


# -- sheet batch -------------------------------------------------------------------------------------------------------


VERSIONS = tuple(replace(MADE["plain"], version=number) for number in (1, 2, 3))
STRANGE = r"\input{x} <script> $a_b$ 50% [x](y)"


def test_each_student_has_a_sheet_of_the_version_that_was_dealt() -> None:
    students = {"Ada": 2, "Bo": 1, "Cy": 2}
    page = batch(VERSIONS, "question", students=students)
    names = [piece.value for piece in pieces(page) if isinstance(piece, Field) and piece.value]
    assert names == ["Ada", "Bo", "Cy"]
    text = render(page, "markdown")
    assert re.findall(r"## Version (\d)", text) == ["2", "1", "2"]
    assert re.findall(r"Name: (\w+)", render(batch(VERSIONS, "answer", students=students), "markdown")) == [*students]


@pytest.mark.parametrize("which", ["question", "answer"])
@pytest.mark.parametrize("name", [STRANGE, STRANGE * 9])
def test_a_name_prints_as_itself(which: str, name: str) -> None:
    page = batch(VERSIONS, which, students={name: 1})  # type: ignore[arg-type]
    markdown, latex = render(page, "markdown"), render(page, "latex")
    assert r"&#92;input\{x\} &lt;script> <span>&#36;</span>a_b<span>&#36;</span>" in markdown
    assert "<script>" not in markdown
    assert "](y)" in markdown.replace("&#91;x](y)", "](y)")
    assert "[x](y)" not in markdown
    assert r"\textbackslash{}input\{x\} \textless{}script\textgreater{} \$a\_b\$ 50\%" in latex
    assert "\\input{x}" not in latex


def test_what_cannot_be_dealt_is_refused() -> None:
    with pytest.raises(SymattnError, match="a batch of no exercises: expected at least one"):
        batch((), "question")
    with pytest.raises(UnknownNameError, match=r"unknown version of 'Ada' '7'.*known: 1, 2, 3"):
        batch(VERSIONS, "question", students={"Ada": 7})
    with pytest.raises(UnknownNameError, match="unknown kind of sheet 'questions': did you mean 'question'"):
        batch(VERSIONS, "questions")  # type: ignore[arg-type]


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("xelatex") is None, reason="needs XeLaTeX")
@pytest.mark.parametrize("which", ["question", "answer"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_xelatex_has_nothing_to_say_to_any_form(which: str, language: str, tmp_path: Path) -> None:
    exercises = tuple(replace(exercise, version=number) for number, exercise in enumerate(MADE.values(), 1))
    names = {STRANGE * 4: 1} | {f"王小明 {number}": number for number in range(2, len(exercises) + 1)}
    page = render(batch(exercises, which, language, names), "latex")  # type: ignore[arg-type]
    (tmp_path / "page.tex").write_text(page, encoding="utf-8")
    command = ["xelatex", "-no-shell-escape", "-interaction=nonstopmode", "-halt-on-error", "page.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, check=False, timeout=120)
    assert done.returncode == 0, done.stdout[-2000:]
    log = (tmp_path / "page.log").read_text(encoding="utf-8", errors="replace")
    assert re.findall(r"Missing character:.*|Overfull \\[hv]box.*", log) == []
