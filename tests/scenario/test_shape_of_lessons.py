"""The shape of the built-in lessons: needs first, a question in each section, a puzzle, what-ifs, recall at the end."""

from __future__ import annotations

import re
from functools import cache

import pytest

from symattn.api.worked import derive
from symattn.base.words import languages
from symattn.read.scenario.load import builtin_names, load
from symattn.read.scenario.model import AskItem, Section, StepItem, WhatIfItem
from symattn.show.blocks import Document, Equation, Heading, Matrices, Matrix, Phrase, Prose, Question
from symattn.show.build import build_document

PATH = ("bank", "good", "refund", "weather", "ironman", "journey", "training")
"""The lessons in the order in which they are read; ``backward`` goes with ``training``."""
LESSONS = (*PATH, "backward")
RECALL = 5
PREDICTS = re.compile("prob|logit", re.IGNORECASE)


@cache
def page(name: str, language: str = "en") -> Document:
    scenario = load(name)
    return build_document(scenario, derive(scenario).store, language=language)


def works(section: Section) -> list[str]:
    return [item.name for item in section.on_page if isinstance(item, StepItem)]


def test_all_lessons_are_looked_at() -> None:
    assert {*LESSONS} == {*builtin_names()}


@pytest.mark.parametrize("name", LESSONS)
def test_a_section_says_what_its_steps_are_needed_for(name: str) -> None:
    sections = [each for each in load(name).sections if works(each)]
    made = [each for each in sections if each.title.are_made]  # of gradients and training: each step has its reason
    without = [
        each.number
        for each in sections
        if each not in made and each.need is None and not any(isinstance(i, StepItem) and i.need for i in each.items)
    ]
    assert sections
    assert without == []


@pytest.mark.parametrize("name", LESSONS)
def test_a_need_stands_before_the_formulas_of_its_section(name: str) -> None:
    needed = {each.number for each in load(name).sections if each.need is not None}
    number, seen = "", set[str]()
    for block in page(name).blocks:
        if isinstance(block, Heading):
            number = block.number
        elif isinstance(block, Prose) and block.role == "need":
            seen.add(number)
        elif isinstance(block, Equation | Matrix | Matrices) and number in needed:
            assert number in seen, f"section {number} begins with a formula"


@pytest.mark.parametrize("name", LESSONS)
def test_every_section_that_computes_asks(name: str) -> None:
    """Each top-level section with steps, its parts together, has a question."""
    asked: dict[str, int] = {}
    top = ""
    for block in page(name).blocks:
        if isinstance(block, Heading) and block.level == 1:
            top = block.number
        asked[top] = asked.get(top, 0) + isinstance(block, Question)
    computing = {each.number.split("-")[0] for each in load(name).sections if works(each) and not each.title.are_made}
    assert {number for number in computing if not asked.get(number)} == set()


@pytest.mark.parametrize("name", LESSONS)
def test_a_lesson_begins_with_a_puzzle_and_ends_with_recall(name: str) -> None:
    scenario = load(name)
    assert scenario.puzzle is not None
    last = [sum(isinstance(item, AskItem) for item in section.items) for section in scenario.sections]
    assert max(last) >= RECALL, "no section asks five questions"


@pytest.mark.parametrize("name", LESSONS)
def test_a_lesson_asks_what_if(name: str) -> None:
    found = [item for section in load(name).sections for item in section.items if isinstance(item, WhatIfItem)]
    assert found


@pytest.mark.parametrize("name", PATH)
def test_a_lesson_names_the_next_one(name: str) -> None:
    """The conclusion of every lesson but the last one names the lesson that follows on the path."""
    place = PATH.index(name) + 1
    if place == len(PATH):
        return
    for language in languages():
        conclusion = load(name).conclusion
        assert conclusion is not None
        said = "".join(str(part) for part in conclusion.pick(language, language))
        assert any(later in said for later in PATH[place:]), language


@pytest.mark.parametrize("name", LESSONS)
@pytest.mark.parametrize("language", languages())
def test_the_languages_ask_the_same(name: str, language: str) -> None:
    asked = {
        each: [type(block).__name__ for block in page(name, each).blocks if isinstance(block, Question | Heading)]
        for each in ("en", language)
    }
    assert asked["en"] == asked[language]


@pytest.mark.parametrize("name", LESSONS)
def test_no_automatic_reason_is_said_beside_a_need_of_the_section(name: str) -> None:
    needs: list[str] = []
    for block in page(name).blocks:
        if isinstance(block, Phrase) and block.role == "need":
            needs.append(block.key)
    assert len(needs) == len(set(needs)), "a reason is said twice"


def test_the_english_page_of_journey_has_no_chinese() -> None:
    text = derive("journey").render(language="en")
    assert not re.findall(r"[\u4e00-\u9fff]", text)


def test_weather_does_not_say_most_of_weights_that_are_nearly_even() -> None:
    text = derive("weather").render(language="en")
    assert "attends most" not in text
    assert text.count("almost evenly") >= 2
