"""The form of a file: keys, types and ranges, each mistake one sentence with its place."""

from __future__ import annotations

import tomllib
from typing import Any, get_args

import pytest
from pydantic import BaseModel

from symattn.scenario import schema
from symattn.scenario.lines import key_text
from symattn.scenario.problem import Problem

TITLE = 'title = "t"\n'
SECTION = TITLE + '[[section]]\ntitle = "s"\n'
ITEM = 'expected a text such as "X = E + P" or a table with step, show, unfold, …, came '


@pytest.mark.parametrize(
    ("text", "key", "message"),
    [
        ("", "title", "missing: this key is required"),
        ('titel = "t"', "titel", "unknown key 'titel': did you mean 'title'? known: claim, code, figures, general, "),
        ("title = 1979-05-27", "title", "expected words (a text, or a table with a text per language), came a date"),
        ("title = true", "title", "came true"),
        (
            TITLE + 'language = "zh-hant"',
            "language",
            "unknown value 'zh-hant': did you mean 'zh-Hant'? known: en, zh-Hans, ",
        ),
        (TITLE + "language = 3", "language", "expected 'zh-Hant', 'zh-Hans' or 'en', came the number 3"),
        (TITLE + 'tokens = "abc"', "tokens", "expected a list, came the text 'abc'"),
        (TITLE + "tokens = []", "tokens", "expected at least 1 in the list, came 0"),
        (TITLE + 'tokens = ["a", 3]', "tokens[2]", "expected a text in quotes, came the number 3"),
        (
            TITLE + 'tokens = ["a", ""]',
            "tokens[2]",
            "expected a label of one line with something in it, came the text ''",
        ),
        (TITLE + "token_axis = 1", "token_axis", "expected a text in quotes, came the number 1"),
        (TITLE + "sizes = 1", "sizes", "expected a table, came the number 1"),
        (TITLE + "sizes.d = 1.5", "sizes.d", "expected a whole number, came the number 1.5"),
        (TITLE + "sizes.d = 0", "sizes.d", "expected a whole number from 1 up, came the number 0"),
        (
            TITLE + "sizes.d = 10000000",
            "sizes.d",
            "expected a whole number up to MATRIX_ENTRIES = 1000000, came the number 10000000",
        ),
        (TITLE + "sizes.d = true", "sizes.d", "expected a whole number, came true"),
        (TITLE + 'labels.v = "ab"', "labels.v", "expected a list, came the text 'ab'"),
        (TITLE + "labels.v = [[]]", "labels.v[1]", "expected a text in quotes, came a list"),
        (TITLE + "given = [[1]]", "given", "expected a table, came a list"),
        (
            TITLE + "given.E = 1",
            "given.E",
            'expected a matrix: a list of rows such as [["0.21", "-3/4"]], came the number 1',
        ),
        (
            TITLE + "given.E = [[1], [0.5]]",
            "given.E[2][1]",
            "0.5 is a binary float and no longer the number that was meant",
        ),
        (TITLE + "given.E.value = [[1], [0.5]]", "given.E.value[2][1]", "0.5 is a binary float"),
        (
            TITLE + "given.E.values = [[1]]",
            "given.E.values",
            "unknown key 'values': did you mean 'value'? known: axes, decimals, ",
        ),
        (TITLE + 'given.E.axes = ["1", "1"]', "given.E.value", "missing: this key is required"),
        (TITLE + 'given.E = {value = [[1]], axes = ["1"]}', "given.E.axes", "expected at least 2 in the list, came 1"),
        (
            TITLE + 'given.E = {value = [[1]], axes = ["1", 1]}',
            "given.E.axes[2]",
            "expected a text in quotes, came the number",
        ),
        (TITLE + "given.E = {value = [[1]], note.fr = 'x'}", "given.E.note.fr", "unknown language 'fr': known: en, "),
        (TITLE + 'general.x = ["1", "n", "m"]', "general.x", "expected at most 2 in the list, came 3"),
        (TITLE + "notation.x = 3", "notation.x", "expected a text in quotes, came the number 3"),
        (
            TITLE + 'figures.scope = "matrx"',
            "figures.scope",
            "unknown value 'matrx': did you mean 'matrix'? known: column, ",
        ),
        (
            TITLE + "figures.decimals = 51",
            "figures.decimals",
            "expected a whole number up to DIGITS = 50, came the number 51",
        ),
        (TITLE + "figures.decimals = '6'", "figures.decimals", "expected a whole number, came the text '6'"),
        (TITLE + "figures.tie = 'half_up'", "figures.tie", "unknown key 'tie': did you mean 'ties'? known: carry, "),
        (TITLE + "figures = 6", "figures", "expected a table, came the number 6"),
        (
            TITLE + "section.title = 's'",
            "section",
            "expected [[section]] with two brackets on each side, came a single table",
        ),
        (TITLE + "section = [3]", "section[1]", "expected a table, came the number 3"),
        (TITLE + "[[section]]\nnumber = '1'", "section[1].title", "missing: this key is required"),
        (
            SECTION + "step = ['X']",
            "section[1].step",
            "unknown key 'step': did you mean 'steps'? known: intro, number, ",
        ),
        (SECTION + "number = 1", "section[1].number", "expected a text in quotes, came the number 1"),
        (SECTION + "steps = 'X'", "section[1].steps", "expected a list, came the text 'X'"),
        (SECTION + "steps = ['X', 3]", "section[1].steps[2]", ITEM + "the number 3"),
        (SECTION + "steps = [{}]", "section[1].steps[1]", ITEM + "an empty table"),
        (
            SECTION + "steps = [{stp = 'X'}]",
            "section[1].steps[1].stp",
            "unknown item 'stp': did you mean 'step'? known: listing, ",
        ),
        (SECTION + "steps = [{step = 3}]", "section[1].steps[1].step", "expected a text in quotes, came the number 3"),
        (
            SECTION + "steps = [{step = 'X', show = 'X'}]",
            "section[1].steps[1].show",
            "unknown key 'show': known: because, decimals, note",
        ),
        (
            SECTION + "steps = [{step = 'X', decimals = 0}]",
            "section[1].steps[1].decimals",
            "expected a whole number from 1 up",
        ),
        (
            SECTION + "steps = [{step = 'X', works = [1]}]",
            "section[1].steps[1].works",
            "expected at least 2 in the list, came 1",
        ),
        (
            SECTION + "steps = [{step = 'X', works = [1, true]}]",
            "section[1].steps[1].works[2]",
            "expected a whole number, came t",
        ),
        (
            SECTION + "steps = [{show = 'X', form = 'genral'}]",
            "section[1].steps[1].form",
            "unknown value 'genral': did you mean ",
        ),
        (
            SECTION + "steps = [{unfold = 'X', to = 'Q'}]",
            "section[1].steps[1].to",
            "expected a list, came the text 'Q'",
        ),
        (
            SECTION + "steps = [{unfold = 'X', to = []}]",
            "section[1].steps[1].to",
            "expected at least 1 in the list, came 0",
        ),
        (SECTION + "steps = [{listing = 'r'}]", "section[1].steps[1].of", "missing: this key is required"),
        (
            SECTION + "steps = [{note = 3}]",
            "section[1].steps[1].note",
            "expected words (a text, or a table with a text per",
        ),
        (SECTION + "steps = [{note.fr = 'x'}]", "section[1].steps[1].note.fr", "unknown language 'fr'"),
        (
            TITLE + "printed.E = [[1], [0.5]]",
            "printed.E[2][1]",
            "expected the figure as text, digit for digit, came 0.5",
        ),
        (TITLE + "reasons.E.fr = 'x'", "reasons.E.fr", "unknown language 'fr'"),
    ],
)
def test_one_sentence_and_its_place(text: str, key: str, message: str) -> None:
    with pytest.raises(Problem) as problem:
        schema.read(tomllib.loads(text))
    assert key_text(problem.value.key) == key
    assert message in problem.value.message
    assert "\n" not in problem.value.message


def test_the_short_and_the_long_form_of_a_given_are_the_same() -> None:
    short = schema.read(tomllib.loads(TITLE + 'given.E = [["1"]]'))
    long = schema.read(tomllib.loads(TITLE + 'given.E.value = [["1"]]'))
    assert short == long


def test_quoted_keys_cannot_pretend_to_be_kinds_of_items() -> None:
    with pytest.raises(Problem) as problem:
        schema.read(tomllib.loads(SECTION + "steps = [{show = 'X', 'show item' = 1}]"))
    assert "unknown key 'show item'" in problem.value.message


def models(model: Any, seen: set[type[BaseModel]]) -> set[type[BaseModel]]:
    """Every model that ``model`` is made of."""
    if isinstance(model, type) and issubclass(model, BaseModel) and model not in seen:
        seen.add(model)
        for field in model.model_fields.values():
            models(field.annotation, seen)
    for argument in get_args(model):
        models(argument, seen)
    return seen


def test_every_table_is_closed_and_strict() -> None:
    found = models(schema.File, set())
    assert len(found) == 17
    for model in found:
        assert model.model_config.get("extra") == "forbid", model
        assert model.model_config.get("strict") is True, model


def test_there_is_a_json_schema() -> None:
    described = schema.File.model_json_schema()
    assert described["required"] == ["title"]
    assert described["additionalProperties"] is False
    assert described["$defs"]["StepTable"]["properties"]["step"] == {"title": "Step", "type": "string"}
