"""A sheet asks and gives nothing away; a key holds every answer, how it comes about, and what mistakes give instead."""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from sympy import MatrixSymbol

from symattn.document.blocks import Document, Equation, Field, Fields, Matrix, Phrase, Prose, Room, Table, Task
from symattn.document.math import Blank, Chain, Fraction, Grid, Letter, Number, Root, Sign
from symattn.document.notation.formulas import Names
from symattn.equations.read import read_operation
from symattn.errors import SymattnError, UnknownNameError
from symattn.exercise.generate import generate
from symattn.exercise.model import Exercise, Wrong
from symattn.exercise.sheet.answer import answer
from symattn.exercise.sheet.batch import batch
from symattn.exercise.sheet.question import question
from symattn.exercise.sheet.signs import signs
from symattn.marking.page import worded
from symattn.mistakes.bank import bank
from symattn.mistakes.words import KEYS, said
from symattn.operations.node import apply
from symattn.render.formats import render
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
    assert len(tasks) == len([block for block in blocks if isinstance(block, Room)]) == len(exercise.parts)


def has_blank(row: tuple[object, ...]) -> bool:
    return any(isinstance(cell, Blank) for cell in row)


def test_a_formula_goes_down_to_the_givens_and_to_what_is_known() -> None:
    def formula(name: str) -> str:
        chain = next(block for block in reversed(question(MADE[name]).blocks) if isinstance(block, Equation))
        return render(replace(question(MADE[name]), blocks=(chain,)), "markdown").split("\\[")[1]

    assert formula("plain").startswith("\nz = aV\n")
    assert formula("last").startswith("\nz = \\mathrm{softmax}\\left(\\frac{qK^T}{\\sqrt{d_k}}\\right)V\n")
    assert formula("shown").startswith("\na = \\mathrm{softmax}(s)\n")


def test_a_formula_with_many_definitions_in_it_is_shown_line_by_line() -> None:
    steps = ["A = X + X", "B = A @ A.T", "C = B + B", "D = C @ C", "E = D @ X"]
    source = f'title = "t"\n[given]\nX = [["1", "2"]]\n[[section]]\ntitle = "s"\nsteps = {steps}'.replace("'", '"')
    exercise = replace(MADE["plain"], source=source, parts=(part(source, "E"),), wrong=())
    (block,) = (block for block in question(exercise).blocks if isinstance(block, Equation))
    assert [chain.left for chain in block.chains] == [Letter(name) for name in "ABCDE"]


def test_givens_are_exact_and_written_as_in_the_exercise() -> None:
    (key,) = (
        block for block in question(MADE["plain"]).blocks if isinstance(block, Matrix) and block.symbol == Letter("K")
    )
    third = Fraction(Number("1"), Number("3"))
    assert key.entries == (
        (Root(Number("2")), Number("0"), Number("1"), Number("2")),
        (third, Number("1"), Number("0"), Number("-1")),
        (Number("0.25"), Number("1"), Number("1"), Number("0")),
    )


def test_sizes_in_formulas_and_the_epsilon_of_a_norm_are_told() -> None:
    told = [dict(p.arguments)["sizes"] for p in pieces(question(MADE["plain"])) if _is(p, "sheet_sizes")]
    assert [[chain.links for chain in sizes] for sizes in told] == [[(("=", Number("4")),)]]
    (norm,) = (dict(p.arguments)["sizes"] for p in pieces(question(MADE["wide"])) if _is(p, "sheet_sizes"))
    assert [chain.left for chain in norm] == [Letter("epsilon")]


def _is(piece: object, key: str) -> bool:
    return isinstance(piece, Phrase) and piece.key == key


def test_where_only_shapes_matter_no_entry_is_printed_and_no_shape_is_given_away() -> None:
    blocks = question(MADE["shapes"]).blocks
    assert not any(isinstance(block, Matrix) for block in blocks)
    shapes = [chain for block in blocks if isinstance(block, Equation) for chain in block.chains]
    assert shapes[-2].left.rows == shapes[-2].left.columns == Blank(3)  # type: ignore[union-attr]
    assert isinstance(shapes[-1].links[0][1], Blank)


def test_steps_whose_order_is_asked_stand_in_the_printed_order() -> None:
    lines = [piece for piece in pieces(question(MADE["order"])) if isinstance(piece, Chain) and piece.links]
    assert [chain.left for chain in lines if chain.left in map(Letter, "saz")] == [Letter(name) for name in "zsa"]
    assert sum(isinstance(piece, Blank) for piece in pieces(question(MADE["order"]))) == 3


def test_the_wrong_entry_is_the_only_one_that_differs_and_its_place_has_lines_to_write_on() -> None:
    blocks = question(MADE["wrong-entry"]).blocks
    plain = MADE["plain"]
    right = [plain.part(name).key for name in "saz"]
    seen = [
        tuple(tuple(cell.text for cell in row) for row in block.entries)  # type: ignore[union-attr]
        for block in blocks
        if isinstance(block, Matrix) and block.symbol in map(Letter, "saz")
    ]
    differing = [
        (n, i, j)
        for n, (there, key) in enumerate(zip(seen, right, strict=True))
        for i, row in enumerate(there)
        for j, text in enumerate(row)
        if text != key[i][j]
    ]
    assert differing == [(1, 0, 1)]
    labels = [item.label.key for block in blocks if isinstance(block, Fields) for item in block.items]
    assert labels[-4:] == ["field_step", "field_row", "field_column", "field_right"]


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


# -- sheet answer ------------------------------------------------------------------------------------------------------


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


def test_the_place_of_the_wrong_entry_and_what_it_should_be() -> None:
    said = {
        block.key: dict(block.arguments) for block in answer(MADE["wrong-entry"]).blocks if isinstance(block, Phrase)
    }
    assert said["answer_place"] == {"step": 2, "row": 1, "column": 2}
    right = MADE["plain"].part("a").key[0][1]
    planted = said["answer_planted"]
    assert (planted["wrong"], planted["right"], planted["row"], planted["column"]) == (
        Number("0.999"),
        Number(right),
        1,
        2,
    )


def test_a_mistake_shows_only_the_figures_that_are_wrong_in_the_last_part_it_reaches() -> None:
    (table,) = (block for block in answer(MADE["plain"]).blocks if isinstance(block, Table))
    first, second = table.rows
    assert all(isinstance(row[0][0], str) for row in table.rows)
    assert first[1] == (Chain(Letter("z"), (("=", Grid(((Number("9.125"), Sign("·")),))),)),)
    assert second[1] == (Phrase("sheet_no_figures"),)
    assert table.header[1] == Phrase("head_wrong_where", (("dot", Sign("·")),))
    s, a, z = MADE["plain"].parts
    same = Wrong("scale-forgotten", "s", {part.name: part.key for part in (s, a, z)})
    (table,) = (block for block in answer(replace(MADE["plain"], wrong=(same,))).blocks if isinstance(block, Table))
    assert table.rows[0][1] == (Phrase("sheet_same"),)
    assert table.header[1] == Phrase("head_wrong")
    again = tuple(tuple(f"{figure}0" if "." in figure else f"{figure}.0" for figure in row) for row in z.key)
    written = replace(same, figures={s.name: s.key, a.name: a.key, z.name: again})
    (table,) = (block for block in answer(replace(MADE["plain"], wrong=(written,))).blocks if isinstance(block, Table))
    assert table.rows[0][1] == (Phrase("sheet_same"),)


def test_of_a_large_matrix_a_few_wrong_figures_are_listed() -> None:
    (table,) = (block for block in answer(MADE["wide"]).blocks if isinstance(block, Table))
    ((said,),) = (row[1] for row in table.rows)
    assert isinstance(said, Phrase)
    told = dict(said.arguments)
    assert len(told["entries"]) == 4  # type: ignore[arg-type]
    assert told["more"] == 36


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
    text = render(Document((), language, tuple(signs(formulas, Names()))), "markdown")
    for written in (
        r"\mathrm{softcap}(y, 5) = 5\thinspace \mathrm{tanh}(y/5)",
        r"\mathrm{softcap}(y, 50) = 50\thinspace \mathrm{tanh}(y/50)",
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
    assert r"&#92;input\{x\} &lt;script> \$a_b\$" in markdown
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


# -- sheet words -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_symbol_in_the_words_of_mistakes_becomes_mathematics(language: str) -> None:
    texts = [said(mistake.name, key, language) for mistake in bank() for key in KEYS]
    plain = [piece for text in texts for piece in worded(text) if isinstance(piece, str)]
    assert not [piece for piece in plain if re.search(r"[ᵀ√_]", piece)]
    page = render(Document(("x",), language, tuple(Prose(worded(text)) for text in texts)), "latex")
    turned = re.findall(r"[A-Z]ᵀ", "".join(texts))
    assert turned
    for letter in turned:
        assert page.count(f"{letter[0]}^T") == turned.count(letter)
    assert r"\sqrt{d_k}" in page
