"""Topics: words in every language, numbers as good as they promise, and keys that another road comes to."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from hashlib import sha256
from itertools import chain
from math import isqrt
from random import Random

import numpy as np
import pytest

from symattn.base.words import languages
from symattn.course.generate import generate
from symattn.course.model import Exercise
from symattn.course.numbers import LEVELS
from symattn.course.topics import counts, layers
from symattn.course.topics.model import ExerciseDraft, source_of, topic_named, topic_texts, topics
from symattn.read.scenario.load import loads
from tests.exercise.batches import few, many
from tests.exercise.paper_and_pencil import EXACTLY, Student, exact

NAMES = tuple(topic.name for topic in topics())

FORMULAS = "1f3915e9bd18105f9e8311918ffa1255ceafdf2a17b3c18b3036a2fd58dd1765"
"""SHA-256 of what is worked out in every topic at every level."""


def drafts(topic: str, level: int, count: int = 40) -> list[ExerciseDraft]:
    return [topic_named(topic).draw(level, Random(f"{topic}/{level}/{seed}")) for seed in range(count)]


# -- words and formulas ------------------------------------------------------------------------------------------------


@pytest.mark.long
@pytest.mark.sampled(10)
@pytest.mark.parametrize("topic", NAMES)
def test_words_of_every_topic_speak_of_names_that_are_there(topic: str) -> None:
    for level in LEVELS:
        (draft,) = drafts(topic, level, 1)
        for language in languages():
            # A name in braces that is none of the exercise is an error of the reader.
            scenario = loads(source_of(draft, topic_texts(topic, "title"), topic_texts(topic, draft.task), language))
        assert {*draft.asks} <= {*scenario.derivation.by_name} | {*scenario.quantities}


def test_no_number_is_typed_into_the_words() -> None:
    for topic in topics():
        for task in {draft.task for level in LEVELS for draft in drafts(topic.name, level, 1)}:
            texts = (*topic_texts(topic.name, "title").values(), *topic_texts(topic.name, task).values())
            assert not re.search(r"[0-9]", re.sub(r"{.*?}", "", "".join(texts))), topic.name


def test_the_formulas_of_every_topic_are_those_that_were_looked_at() -> None:
    lines = [
        f"{name} {level}: {draft.steps} {draft.quantities} {draft.asks}"
        for name in NAMES
        for level in LEVELS
        for draft in drafts(name, level, 1)
    ]
    assert sha256("\n".join(lines).encode()).hexdigest() == FORMULAS, "\n".join(lines)


# -- the second road ---------------------------------------------------------------------------------------------------


def shapes_of(exercise: Exercise) -> dict[str, list[list[str]]]:
    """NumPy says which shape a product of arrays of zeros has."""
    table = tomllib.loads(exercise.source)
    arrays = {name: np.zeros(tuple(map(int, shape))) for name, shape in table["general"].items()}
    for line in table["section"][0]["steps"]:
        name, _, formula = line.partition(" = ")
        arrays[name] = _worked(ast.parse(formula, mode="eval").body, arrays)
    return {name: [list(map(str, array.shape))] for name, array in arrays.items()}


def _worked(node: ast.expr, arrays: Mapping[str, np.ndarray]) -> np.ndarray:
    match node:
        case ast.Name(name):
            return arrays[name]
        case ast.Attribute(inner, "T"):
            return _worked(inner, arrays).T
        case ast.BinOp(left, ast.MatMult(), right):
            return _worked(left, arrays) @ _worked(right, arrays)
        case ast.BinOp(left, ast.Div(), _):
            return _worked(left, arrays)
        case ast.Call(ast.Name("softmax"), [inner]):
            return _worked(inner, arrays)
        case ast.Call(ast.Name("concat"), parts):
            return np.hstack([_worked(part, arrays) for part in parts])
        case ast.Call(ast.Name("head"), [inner, ast.Constant(number), ast.Constant(heads)]):
            return np.hsplit(_worked(inner, arrays), heads)[number - 1]
    raise AssertionError(ast.dump(node))


def must_agree(exercise: Exercise) -> None:
    """Every figure of the key is what the other road comes to, rounded at most by half a unit of its last digit."""
    shapes = exercise.topic == "shape-of-product"
    values = shapes_of(exercise) if shapes else Student(exercise, EXACTLY).answers()
    for part in exercise.parts:
        found = values[part.name]
        assert (len(found), len(found[0])) == part.shape
        for key, text in zip(chain(*part.key), chain(*found), strict=True):
            figure, value = exact(key), exact(text)
            half = Decimal("0.5").scaleb(-part.decimals) if "." in key else Decimal(0)
            close = figure == value or abs(figure - value) <= half + Decimal("1e-9")
            assert close, (exercise.version, part.name, key, text)


@pytest.mark.long
@pytest.mark.sampled(40)
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("topic", NAMES)
def test_keys_agree_with_paper_and_pencil(topic: str, level: int) -> None:
    must_agree(few(topic, level)[0])


@pytest.mark.slow
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("topic", NAMES)
def test_two_hundred_keys_agree(topic: str, level: int) -> None:
    batch = generate(topic, difficulty=level, seed=7, count=many(200))
    assert len({exercise.source for exercise in batch}) == len(batch)
    for exercise in batch:
        must_agree(exercise)


# -- numbers -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("topic", NAMES)
def test_a_difficulty_costs_the_same_in_every_variant_and_more_than_the_one_before(topic: str) -> None:
    drawn = [drafts(topic, level, 10) for level in LEVELS]
    costs = [{draft.cost for draft in level} for level in drawn]
    assert all(len(cost) == 1 for cost in costs), costs
    assert [min(cost) for cost in costs] == sorted({min(cost) for cost in costs})
    texts = [[text for rows in level[0].given.values() for row in rows for text in row] for level in drawn]
    for sign in ("", "-", "sqrt"):
        found = [sum(sign in text for text in level) for level in texts]
        assert found == sorted(found), (sign, found)


@pytest.mark.parametrize("level", [1, 2])
@pytest.mark.parametrize(("topic", "centred"), [("layer-norm", True), ("rms-norm", False)])
def test_the_first_norms_divide_by_a_fraction(topic: str, centred: bool, level: int) -> None:
    """√(σ² + ε), or √(Σ x² / d + ε), is rational."""
    for draft in drafts(topic, level):
        (row,) = draft.given["X"]
        x = [Fraction(text) for text in row]
        middle = sum(x) / len(x) if centred else Fraction(0)
        square = sum((y - middle) ** 2 for y in x) / len(x) + Fraction(layers.EPSILONS[level - 1])
        assert all(isqrt(part) ** 2 == part for part in square.as_integer_ratio()), row


@pytest.mark.parametrize("level", LEVELS)
def test_what_a_topic_promises_of_its_numbers(level: int) -> None:
    for draft in drafts("online-softmax", level):
        reader = Student(Exercise("", 1, 1, 1, "en", "", ()), 9)
        new, old = (max(map(reader.given, draft.given[name][0])) for name in ("s_2", "m_1"))
        assert new > old, "a new block always holds a new maximum"
    for draft in drafts("context-vector", level, 20):
        for row in draft.given["a" if level <= 2 else "A"]:
            weights = [Fraction(text) for text in row]
            assert sum(weights) == 1
            assert min(weights) > 0
            assert len({*weights}) == len(weights)
    for draft in drafts("cosine", level, 20) if level <= 2 else ():
        for (row,) in draft.given.values():
            squares = sum(int(text) ** 2 for text in row)
            assert isqrt(squares) ** 2 == squares, "lengths are whole numbers"
    for draft in drafts("shape-of-product", level, 20):
        plan = loads(
            source_of(draft, topic_texts("shape-of-product", "title"), topic_texts("shape-of-product", "task"), "en")
        ).derivation
        assert all(len({*plan[name].shape.sizes}) == 2 for name in draft.asks), "no shape that is asked is a square"


def test_all_choices_of_a_size_cost_the_same() -> None:
    for count in (*counts.PARAMETERS, *counts.OPERATIONS):
        for name, choices in count.sizes.items():
            assert len({len(str(size)) for size in choices}) == 1, name
