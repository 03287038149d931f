"""A key holds every answer, how it comes about, and what mistakes give instead."""

from __future__ import annotations

from dataclasses import replace

import pytest

from symattn.document.blocks import Phrase, Table
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
