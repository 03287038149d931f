"""Topics of the attention family: their words, their sizes, and the numbers of the first levels."""

from __future__ import annotations

import re
from random import Random

import pytest

from symattn.exercise.numbers import LEVELS
from symattn.exercise.topics.model import Draft, Topic
from symattn.exercise.topics.registry import TOPICS, topic_named
from symattn.exercise.topics.write import source_of
from symattn.scenario.load import loads
from symattn.words import languages, table, texts

FAMILY = tuple(topic for topic in TOPICS if topic.family == "attention")


def _drafts(topic: Topic, level: int, count: int = 3) -> tuple[Draft, ...]:
    return tuple(topic.draw(level, Random(f"{topic.name}/{level}/{number}")) for number in range(count))


@pytest.mark.parametrize("topic", TOPICS, ids=lambda topic: topic.name)
def test_words_of_every_topic_speak_of_names_that_are_there(topic: Topic) -> None:
    for level in LEVELS:
        for number, draft in enumerate(_drafts(topic, level)):
            words = (texts("topics", topic.name, "title"), texts("topics", topic.name, draft.task))
            for language in languages() if not number else languages()[:1]:
                # A name in braces that is none of the exercise is an error of the reader.
                scenario = loads(source_of(draft, *words, language))
                assert scenario.language == language
            assert {*draft.asks} <= {*scenario.derivation.by_name} | {*scenario.quantities}


def test_no_number_is_typed_into_the_words() -> None:
    for language in languages():
        for name, words in table(language, "topics").items():
            for text in words.values():
                assert not re.search(r"[0-9]", re.sub(r"{.*?}", "", text)), (language, name, text)


@pytest.mark.parametrize("topic", FAMILY, ids=lambda topic: topic.name)
def test_sizes_never_fall_and_are_the_same_in_all_variants(topic: Topic) -> None:
    before: dict[str, tuple[int, int]] = {}
    for level in LEVELS:
        shapes = [{n: (len(rows), len(rows[0])) for n, rows in draft.given.items()} for draft in _drafts(topic, level)]
        assert all(shape == shapes[0] for shape in shapes)
        for name, (rows, columns) in before.items():
            if name in shapes[0]:
                assert shapes[0][name][0] >= rows, (name, level)
                assert shapes[0][name][1] >= columns, (name, level)
        before = shapes[0]


def _sizes(topic: str) -> list[dict[str, int]]:
    return [dict(_drafts(topic_named(topic), level, 1)[0].sizes) for level in LEVELS]


@pytest.mark.parametrize("topic", ["attention-row", "attention-head", "scaling"])
def test_a_forgotten_transpose_shows_on_some_levels_and_hides_on_others(topic: str) -> None:
    square = [sizes["n"] == sizes["d_k"] for sizes in _sizes(topic)]
    assert True in square
    assert False in square


def test_the_width_of_tokens_is_never_that_of_keys() -> None:
    assert all(sizes["d_model"] != sizes["d_k"] for sizes in _sizes("attention-head"))


def test_shapes_that_are_asked_are_no_squares() -> None:
    """Rows and columns of a square could be swapped and nobody would see it."""
    topic = topic_named("shape-of-product")
    for level in LEVELS:
        for draft in _drafts(topic, level, 20):
            plan = loads(
                source_of(draft, texts("topics", topic.name, "title"), texts("topics", topic.name, "task"), "en")
            ).derivation
            assert all(len({*plan[name].shape.sizes}) == 2 for name in draft.asks), draft


def test_weights_of_a_context_vector_differ_and_sum_to_one() -> None:
    for level in LEVELS:
        for draft in _drafts(topic_named("context-vector"), level, 20):
            scenario = loads(
                source_of(
                    draft,
                    texts("topics", "context-vector", "title"),
                    texts("topics", "context-vector", draft.task),
                    "en",
                )
            )
            weights = scenario.givens["a" if level <= 2 else "A"].given
            for row in weights.values:
                assert sum(row) == 1
                assert len({*row}) == len(row)
                assert all(weight > 0 for weight in row)


def test_lengths_are_whole_numbers_on_the_first_levels_of_a_cosine() -> None:
    for level in (1, 2):
        for draft in _drafts(topic_named("cosine"), level, 20):
            for (row,) in draft.given.values():
                squares = sum(int(text) ** 2 for text in row)
                assert squares**0.5 == round(squares**0.5)
