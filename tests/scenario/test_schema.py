"""The form of a file: keys, types and ranges, each mistake one sentence with its place."""

from __future__ import annotations

import tomllib
from typing import Any, get_args

import pytest
from pydantic import BaseModel

from symattn.scenario import schema
from symattn.scenario.problem import Problem

TITLE = 'title = "t"\n'
SECTION = TITLE + '[[section]]\ntitle = "s"\n'


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
