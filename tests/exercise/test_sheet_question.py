"""A question sheet asks and gives nothing away."""

from __future__ import annotations

from dataclasses import replace

import pytest

from symattn.document.blocks import Equation, Fields, Matrix, Phrase, Room, Task
from symattn.document.math import Blank, Chain, Fraction, Letter, Number, Root
from symattn.exercise.generate import generate
from symattn.exercise.model import Exercise
from symattn.exercise.sheet.question import question
from symattn.render.formats import render
from tests.exercise.sheets import LANGUAGES, ROW, figures, made, part, pieces

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
