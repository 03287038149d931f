"""Pages of few words and of none: an author's own are there, and every formula, shape and matrix."""

from __future__ import annotations

import pytest

from symattn import Derivation, derive, softmax
from symattn.document.blocks import Block, Phrase, Prose, Readings
from symattn.document.build import build
from symattn.errors import UnknownNameError
from symattn.scenario.load import loads
from symattn.scenario.model import WORD_LEVELS
from tests.cases import solved
from tests.document.lessons import lesson


def blocks(name: str, words: str) -> list[Block]:
    solution = solved(name)
    made = build(solution.scenario, solution.store, language="en", words=words, detail="steps")  # type: ignore[arg-type]
    return list(made.blocks)


@pytest.mark.parametrize("name", ["weather", "good", "backward"])
def test_a_page_without_words_of_ours_has_all_of_its_own_and_all_mathematics(name: str) -> None:
    shown = {level: blocks(name, level) for level in WORD_LEVELS}
    assert not any(isinstance(block, Phrase | Readings) for block in shown["none"])
    assert any(isinstance(block, Phrase) for block in shown["few"])
    assert not any(isinstance(block, Readings) for block in shown["few"])
    for level in ("few", "none"):
        for kind in {type(block) for block in shown["all"]} - {Phrase, Readings}:
            kept, every = ([block for block in shown[each] if type(block) is kind] for each in (level, "all"))
            if kind is Prose:
                assert set(kept) == set(every)  # the source stands where nothing is said of it
            elif kind.__name__ not in (
                "Heading",
                "Table",
                "Verdicts",
            ):  # of what symattn says of the source and figures
                assert kept == every, kind
    assert [block for block in shown["none"] if isinstance(block, Prose)]


def test_a_lesson_says_itself_how_much_is_said_and_an_option_overrules_it() -> None:
    solution = derive(loads('words = "none"\n' + lesson("A = softmax(X @ X.T)", "X = 1, 2; 3, 4")))
    assert "Why:" not in solution.render(language="en")
    assert "Why:" in solution.render(language="en", words="all")
    written = Derivation("A lesson", words="none")
    written.step("A", softmax(written.given("X", [["1", "2"], ["3", "4"]])))
    assert "Why:" not in written.solve().render(language="en")
    with pytest.raises(UnknownNameError, match="level of words"):
        solution.render(words="some")  # type: ignore[typeddict-item]
