"""Pages of few words and of none: an author's own are there, and every formula, shape and matrix."""

from __future__ import annotations

import pytest

from symattn import Derivation, derive, softmax
from symattn.base.errors import UnknownNameError
from symattn.read.scenario.load import loads
from symattn.read.scenario.model import WORD_LEVELS
from symattn.show.blocks import Block, Equation, Phrase, Picture, Prose, Readings
from symattn.show.build import build
from tests.cases import solved
from tests.document.lessons import lesson


def blocks(name: str, words: str) -> list[Block]:
    solution = solved(name)
    made = build(solution.scenario, solution.store, language="en", words=words, detail="steps")  # type: ignore[arg-type]
    return list(made.blocks)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("name", ["weather", "good", "backward"])
def test_a_page_without_words_of_ours_has_all_of_its_own_and_all_mathematics(name: str) -> None:
    shown = {level: blocks(name, level) for level in WORD_LEVELS}
    assert not any(isinstance(block, Phrase | Readings) for block in shown["none"])
    assert any(isinstance(block, Phrase) for block in shown["few"])
    assert not any(isinstance(block, Readings) for block in shown["few"])
    for level in ("few", "none"):
        for kind in {type(block) for block in shown["all"]} - {Phrase, Readings}:
            kept, every = ([block for block in shown[each] if type(block) is kind] for each in (level, "all"))
            if kind is Picture:
                kept, every = ([block.drawing for block in each] for each in (kept, every))  # type: ignore[union-attr]
            if kind is Equation and name == "backward" and level == "none":
                # The check of a gradient is nothing without its words.
                assert len(every) - len(kept) == 1
                assert all(block in every for block in kept)
            elif kind is Prose and name == "backward":
                assert set(kept) < set(every)  # of whose sentences most are symattn's
            elif kind is Prose:
                assert set(kept) == set(every)  # the source stands where nothing is said of it
            elif kind.__name__ not in (
                "Heading",
                "Table",
                "Verdicts",
            ):  # of what symattn says of the source and figures
                assert kept == every, kind
    assert [block for block in shown["none"] if isinstance(block, Prose)]


def test_the_reasons_of_gradients_and_captions_are_words_of_ours() -> None:
    head = 'loss = "sum(Y, axis=None)"\nbackward = [{ wrt = ["W"] }]'
    solution = derive(loads(lesson('{ step = "Y = X @ W", because = "I say so." }', "X = 1, 2 | W = 3; 4", head)))
    shown = {level: solution.render(language="en", words=level) for level in WORD_LEVELS}
    assert [page.count("**Why:**") for page in shown.values()] == [3, 1, 1]
    assert ["chain rule" in page for page in shown.values()] == [True, True, False]
    page = derive("weather").render(language="en", words="none", figures="inline")
    assert "an arrow" not in page


def test_a_page_of_few_words_has_its_table_of_letters() -> None:
    solution = derive(loads(lesson("Y = X @ W | Z = Y + X @ W | R = relu(Z)", "X = 1, 2; 3, 4 | W = 1, 0; 0, 1")))
    assert ["| Letter |" in solution.render(language="en", words=level) for level in WORD_LEVELS] == [True, True, False]


def test_a_lesson_says_itself_how_much_is_said_and_an_option_overrules_it() -> None:
    solution = derive(loads('words = "none"\n' + lesson("A = softmax(X @ X.T)", "X = 1, 2; 3, 4")))
    assert "Why:" not in solution.render(language="en")
    assert "Why:" in solution.render(language="en", words="all")
    written = Derivation("A lesson", words="none")
    written.step("A", softmax(written.given("X", [["1", "2"], ["3", "4"]])))
    assert "Why:" not in written.solve().render(language="en")
    with pytest.raises(UnknownNameError, match="level of words"):
        solution.render(words="some")  # type: ignore[typeddict-item]
