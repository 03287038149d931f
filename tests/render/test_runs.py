"""Sentences as runs: what is text is one run, and mathematics comes back as what it was."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from symattn.base.shapes import EntryPlace
from symattn.show.blocks import Phrase
from symattn.show.math import Letter, Number
from symattn.write import escape
from symattn.write.environment import Macros
from symattn.write.runs import PlainLine, inline, inline_runs

Q = Letter("Q")
texts = st.text(st.characters(exclude_categories=("Cs",)), max_size=20)


def attends(token: object, weight: object, *ties: object) -> Phrase:
    told = {"row": 1, "token": token, "weight": weight, "ties": tuple((tie,) for tie in ties)}
    return Phrase("attends", tuple(told.items()))  # type: ignore[arg-type]


def test_words_and_texts_beside_them_are_one_run(words: Macros) -> None:
    assert inline_runs(("So:  ", attends("流程", Q), " ", "x"), words) == (
        "So: Row 1 attends most to 流程 (",
        Q,
        "). x",
    )
    assert inline_runs((Phrase("中文"), Q), words) == ("一行，兩行", Q)
    assert inline_runs((Phrase("plain"), ""), words) == ()


def test_figures_of_two_entries_stay_two_though_they_look_alike(words: Macros) -> None:
    one, two = (Number("0.5", EntryPlace("A", 0, column)) for column in range(2))
    runs = inline_runs((attends("x", one, two, one),), words)
    assert [run.of for run in runs if isinstance(run, Number)] == [one.of, two.of, one.of]


@given(st.lists(texts | st.just(Q), max_size=6))
def test_any_text_comes_back_clean(words: Macros, parts: list[str | Letter]) -> None:
    runs = inline_runs(tuple(parts), words)
    assert all(isinstance(run, Letter) or (run and run == escape.clean(run)) for run in runs)
    assert [run for run in runs if run == Q] == [part for part in parts if part == Q]
    assert not any(isinstance(one, str) and isinstance(two, str) for one, two in pairwise(runs))
    spoken = "".join(part if isinstance(part, str) else "Q" for part in parts)
    assert escape.clean(inline(PlainLine(words), *parts)) == escape.clean(spoken)
