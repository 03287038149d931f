"""What marking promises, for every topic, form and level: a mistake made is the mistake named, whoever is right is
right in whatever way the numbers were worked out, and what no rounding explains is wrong."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from random import Random

import pytest
from flint import arb, arb_mat

from symattn.base.printed import Printed, same
from symattn.claims.by_hand import BITS
from symattn.compute.values.balls import at_precision
from symattn.course.forms import FORMS, every_topic
from symattn.course.marking import mark
from symattn.course.marking.explain import asks_of, truth
from symattn.course.model import Exercise, Wrong, worked
from symattn.course.numbers import LEVELS
from tests.exercise.batches import batch, many
from tests.exercise.paper_and_pencil import EXACTLY, Student

FEW, MANY = 2, many(100)
SEED = 11
LARGE = ("two-heads", "attention-head", "attention-backward", *(form.name for form in FORMS))
"""What takes long to draw: in the ordinary run one variant on one level."""

BY_HAND = (
    "dot-product", "cosine", "score-entry", "scaling", "softmax-row", "causal-mask", "padding-mask", "context-vector",
    "projection", "attention-row", "attention-head", "two-heads", "layer-norm", "rms-norm", "feed-forward",
    "next-word", "cross-entropy", "softmax-jacobian", "cross-entropy-gradient", "linear-gradient", "relu-backward",
    "layer-norm-backward", "rms-norm-backward", "attention-backward", "sgd-step", "adam-step",
)  # fmt: skip
"""Topics that somebody works out with paper and pencil here."""

CARRIED = ("causal-mask", "scaling", "cosine", "attention-row", "feed-forward")

EVERY = [(entry.name, level) for entry in every_topic() for level in LEVELS]
ORDINARY = [(name, level) for name, level in EVERY if level == 4 or (name not in LARGE and level == 2)]


def variants(topic: str, level: int, count: int) -> tuple[Exercise, ...]:
    return tuple(batch(topic, level, seed=SEED, count=count))


def some(topic: str, level: int) -> tuple[Exercise, ...]:
    return variants(topic, level, 1 if topic in LARGE and topic != "fading" else FEW)


def key_of(exercise: Exercise) -> dict[str, Printed]:
    return {part.name: part.key for part in exercise.parts}


# -- mistakes ----------------------------------------------------------------------------------------------------------


def is_recovered(exercise: Exercise, made: Wrong) -> bool:
    """Whether the mistake is named, alone or with those that give the same where anything is asked."""
    first = mark(exercise, made.figures).first
    if first is None:
        return made.mistake == "rounded-too-early"  # rounding explains it too: it is not wrong
    named = [[other for other in exercise.wrong if other.mistake == name] for name in first.mistakes]
    return made.mistake in first.mistakes and all(any(_alike(exercise, made, one) for one in some) for some in named)


def _alike(exercise: Exercise, one: Wrong, other: Wrong) -> bool:
    """Whether two mistakes give the same figures in all cells that are asked."""
    return all(_asked(exercise, one, part.name) == _asked(exercise, other, part.name) for part in exercise.parts)


def _asked(exercise: Exercise, wrong: Wrong, name: str) -> object:
    part, figures = exercise.part(name), wrong.figures.get(name)
    if figures is None or (len(figures), len(figures[0])) != part.shape:
        return figures
    return [Decimal(figures[i][j].replace("oo", "Infinity")) for i, j in part.asked]


def must_recover(exercises: tuple[Exercise, ...]) -> None:
    lost = [(one.version, made) for one in exercises for made in one.wrong if not is_recovered(one, made)]
    assert 100 * len({version for version, _ in lost}) <= len(exercises), lost[:3]


@pytest.mark.long
@pytest.mark.sampled(16)
@pytest.mark.parametrize(("topic", "level"), ORDINARY)
def test_an_answer_made_by_a_mistake_is_diagnosed_as_that_mistake(topic: str, level: int) -> None:
    must_recover(some(topic, level))


@pytest.mark.slow
@pytest.mark.parametrize(("topic", "level"), EVERY)
def test_mistakes_are_recovered_in_many_variants(topic: str, level: int) -> None:
    must_recover(variants(topic, level, MANY))


# -- right answers -----------------------------------------------------------------------------------------------------


def values_of(exercise: Exercise) -> Iterator[tuple[str, arb_mat]]:
    """The exact values of every part that is a matrix."""
    solution = worked(exercise).solution
    for part in exercise.parts:
        if part.kind == "matrix" and part.name in solution:
            yield part.name, solution.enclosure(part.name, BITS)
        elif part.kind == "matrix" and (planted := exercise.planted) is not None:
            yield part.name, arb_mat([[solution.enclosure(planted.step, BITS)[planted.row, planted.column]]])


def to(x: arb, places: int) -> str:
    if not x.is_finite():
        return "-oo" if x < 0 else "oo"
    return str(round(Decimal(x.mid().str(40, radius=False)), places))


def must_be_right(exercises: tuple[Exercise, ...]) -> None:
    """The key, and every exact value rounded to so many decimals as are asked for, to one more, and to 10."""
    for exercise in exercises:
        for more in (None, 0, 1, 10):
            answers = key_of(exercise)
            for name, values in () if more is None else values_of(exercise):
                places = 10 if more == 10 else exercise.part(name).decimals + (more or 0)
                answers[name] = tuple(tuple(to(x, places) for x in row) for row in values.tolist())
            marked = mark(exercise, answers)
            assert marked.points == marked.most, (exercise.version, more, marked.first)
            assert not marked.findings


@pytest.mark.long
@pytest.mark.parametrize(("topic", "level"), ORDINARY)
def test_the_key_and_exact_values_are_right(topic: str, level: int) -> None:
    must_be_right(some(topic, level))


@pytest.mark.slow
@pytest.mark.parametrize(("topic", "level"), EVERY)
def test_right_answers_are_right_in_many_variants(topic: str, level: int) -> None:
    must_be_right(variants(topic, level, MANY))


def must_be_right_by_hand(exercises: tuple[Exercise, ...]) -> None:
    for exercise in exercises:
        asked = max(part.decimals for part in exercise.parts)
        for places in (asked, asked + 1, asked + 3, EXACTLY):
            for shifts in (False, True):
                marked = mark(exercise, Student(exercise, places, shifts).answers())
                wrong = [(cell.text, cell.row, cell.column) for cell in marked.cells if cell.status != "right"]
                assert not wrong, (exercise.version, places, shifts, wrong)


@pytest.mark.sampled(8)
@pytest.mark.parametrize("topic", BY_HAND)
def test_rounding_on_the_way_to_as_many_decimals_as_asked_is_right(topic: str) -> None:
    must_be_right_by_hand(variants(topic, 3, 1 if topic in LARGE else FEW))


@pytest.mark.slow
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("topic", BY_HAND)
def test_rounding_on_the_way_is_right_in_many_variants(topic: str, level: int) -> None:
    must_be_right_by_hand(variants(topic, level, MANY))


# -- carried errors ----------------------------------------------------------------------------------------------------


def is_degenerate(figures: Printed, key: Printed, needs: int) -> bool:
    cells = [text for row in figures for text in row]
    repeats = len({tuple(map(Decimal, row)) for row in _numbers(figures)}) < len(set(_numbers(key)))
    unit = [["1" if i == j else "0" for j in range(len(key[0]))] for i in range(len(key))]
    is_unit = len(key) == len(key[0]) > 1 and same(figures, tuple(map(tuple, unit)))
    distinct = {Decimal(text.replace("oo", "Infinity")) for text in cells}
    return distinct == {0} or repeats or is_unit or len(distinct) < needs


def _numbers(rows: Printed) -> list[tuple[str, ...]]:
    return [tuple(text.replace("oo", "Infinity") for text in row) for row in rows]


@pytest.mark.parametrize("level", [2, 5])
@pytest.mark.parametrize("topic", CARRIED)
def test_whoever_follows_from_a_wrong_first_step_earns_everything_else(topic: str, level: int) -> None:
    for exercise in variants(topic, level, FEW):
        first = exercise.parts[0]
        asked = max(part.decimals for part in exercise.parts)
        for made in exercise.wrong:
            own = made.figures.get(first.name)
            if own is None or same(own, first.key) or (len(own), len(own[0])) != first.shape:
                continue
            for places in (asked, EXACTLY):
                answers = {**Student(exercise, places).answers({first.name: own}), first.name: own}
                marked = mark(exercise, answers)
                lost = [cell.status for part in marked.parts if part.name != first.name for cell in part.cells]
                earns = not is_degenerate(own, first.key, first.needs)
                assert earns <= {"right", "carried"}.issuperset(lost), (exercise.version, made.mistake, places)


@pytest.mark.parametrize("level", LEVELS)
def test_of_two_mistakes_the_first_is_named_and_the_second_is_told_from_the_own_matrix(level: int) -> None:
    """The scale is forgotten, and then powers of 2 are taken of the scores that are there."""
    found = 0
    for exercise in variants("attention-row", level, 2 * FEW):
        first = next((made for made in exercise.wrong if made.mistake == "scale-forgotten"), None)
        if first is None or is_degenerate(first.figures["s"], exercise.part("s").key, exercise.part("s").needs):
            continue
        powers = [2 ** Decimal(text) for text in first.figures["s"][0]]
        weights = [[str(round(power / sum(powers), 3)) for power in powers]]
        own = {"s": first.figures["s"], "a": tuple(map(tuple, weights))}
        marked = mark(exercise, Student(exercise, EXACTLY).answers(own) | own)
        assert [finding.part for finding in marked.findings] == ["s", "a"]
        assert "scale-forgotten" in marked.findings[0].mistakes
        assert "softmax-base-two" in marked.findings[1].mistakes
        assert {cell.status for cell in marked.part("z").cells} <= {"right", "carried"}
        found += 1
    assert found


# -- wrong answers -----------------------------------------------------------------------------------------------------


@pytest.mark.sampled(16)
@pytest.mark.parametrize(("topic", "level"), ORDINARY)
def test_what_no_rounding_explains_is_wrong(topic: str, level: int) -> None:
    for exercise in some(topic, level):
        with at_precision(BITS):
            allowed = truth(exercise.source, asks_of(exercise.parts))
        random = Random(exercise.version)
        for part in (part for part in exercise.parts if part.name in allowed):
            i, j = part.asked[int(random.random() * len(part.asked))]
            if "oo" in part.key[i][j]:
                continue
            unit = Decimal(1).scaleb(-part.decimals)
            units = 3 + int(float(allowed[part.name][i, j].rad()) / float(unit) * 2)
            for sign in (1, -1):
                text = str(Decimal(part.key[i][j]) + sign * units * unit)
                rows = [[text if (i, j) == (row, column) else figure for column, figure in enumerate(figures)]
                        for row, figures in enumerate(part.key)]  # fmt: skip
                marked = mark(exercise, {**key_of(exercise), part.name: rows})
                assert [cell.text for cell in marked.part(part.name).having("wrong")] == [text]
                assert marked.first is not None
