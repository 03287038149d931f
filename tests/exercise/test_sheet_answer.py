"""A key holds every answer, how it comes about, and what mistakes give instead."""

from __future__ import annotations

from dataclasses import replace

import pytest

from symattn.document.blocks import Heading, Phrase, Prose, Table
from symattn.document.math import Chain, Grid, Letter, Number, Sign
from symattn.exercise.model import Wrong
from symattn.exercise.sheet.answer import answer
from symattn.render.formats import render
from tests.exercise.sheets import LANGUAGES, figures, made, pieces

MADE = made()


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


def test_the_worked_solution_is_there_with_one_entry_of_each_step_and_no_reasons() -> None:
    blocks = answer(MADE["plain"]).blocks
    assert [block.key for block in blocks if isinstance(block, Phrase)].count("lead_worked") == 3
    assert not any(isinstance(block, Prose | Phrase) and block.role == "why" for block in blocks)
    levels = [(block.level, block.number) for block in blocks if isinstance(block, Heading)]
    assert levels == [(1, "")] * 3


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
    assert first[1] == (Letter("s"),)
    assert first[2] == (Chain(Letter("z"), (("=", Grid(((Number("9.125"), Sign("·")),))),)),)
    assert second[2] == (Phrase("sheet_no_figures"),)
    s, a, z = MADE["plain"].parts
    same = Wrong("scale-forgotten", "s", {part.name: part.key for part in (s, a, z)})
    (table,) = (block for block in answer(replace(MADE["plain"], wrong=(same,))).blocks if isinstance(block, Table))
    assert table.rows[0][2] == (Phrase("sheet_same"),)


def test_of_a_large_matrix_a_few_wrong_figures_are_listed() -> None:
    (table,) = (block for block in answer(MADE["wide"]).blocks if isinstance(block, Table))
    ((said,),) = (row[2] for row in table.rows)
    assert isinstance(said, Phrase)
    told = dict(said.arguments)
    assert len(told["entries"]) == 4  # type: ignore[arg-type]
    assert told["more"] == 36


@pytest.mark.parametrize("language", LANGUAGES)
def test_mistakes_are_called_by_their_titles(language: str) -> None:
    from symattn.exercise.mistakes.words import said

    title = said("scale-forgotten", "title", language)
    assert any(title == piece for piece in pieces(answer(MADE["plain"], language)))
