"""The JSON schema: what loads is valid, what has a wrong form is not, and every key is explained."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import Any, get_args

import pytest
from jsonschema import Draft202012Validator
from pydantic import BaseModel

from symattn.read.scenario import schema
from symattn.read.scenario.schema import json_schema, schema_text

SCHEMA = json_schema()
VALIDATOR = Draft202012Validator(SCHEMA)
DATA = sorted((Path(__file__).parents[2] / "symattn" / "read" / "scenario" / "data").glob("*.toml"))
HEAD = 'title = "t"\n'
SECTION = HEAD + '[[section]]\ntitle = "s"\nsteps = '


def tables() -> dict[str, Any]:
    return {"File": SCHEMA, **SCHEMA["$defs"]}


def test_it_is_a_schema_of_its_draft() -> None:
    Draft202012Validator.check_schema(SCHEMA)
    assert SCHEMA["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert SCHEMA["$id"] == "urn:symattn:scenario"


def test_the_copy_in_the_documentation_is_this_schema(root: Path) -> None:
    copy = (root / "docs" / "scenario.schema.json").read_text(encoding="utf-8")
    assert copy == schema_text(), "write it again: symattn schema -o docs/scenario.schema.json"


@pytest.mark.parametrize("path", DATA, ids=lambda path: path.stem)
def test_the_built_in_scenarios_are_valid(path: Path) -> None:
    assert [error.message for error in VALIDATOR.iter_errors(tomllib.loads(path.read_text(encoding="utf-8")))] == []


FITTING = [
    HEAD,
    '#:schema ./scenario.schema.json\n\ntitle = { en = "t", zh-Hant = "t" }\n',
    HEAD + '[given]\nX = [["1", " -3/4 "], ["sqrt(2)/2", 5], ["-oo", "-10^9"]]\n',
    HEAD + '[given.X]\nvalue = [["1"]]\naxes = ["n", "1"]\nnote = "x"\nrounded = true\nrow_sums = 1\n',
    HEAD + '[printed]\nX = [["0.145", "-10^9"], ["1.5*10^9", "-oo", "1.414214 0", 3]]\n',
    SECTION + '["E", "X = E", { step = "X = E", works = [1, 2], because.en = "x" }, { note = "x" }]\n',
    SECTION + '[{ show = "X", form = "general" }, { unfold = "X", to = ["Y"], called = "F" }, { use = "attention" }]\n',
    SECTION + '[{ quantity = "N = m", at = [{ m = 2 }] }, { tensor = "A", of = ["B"], axes = ["h"] }]\n',
    SECTION + '[{ prove = ["A", "B"] }, { variance = "dot(q, k)" }, { listing = "r", of = ["Z"] }]\n',
    HEAD + '[[claim]]\nsays = "O(n)"\nabout = "x"\norder_of = "n"\nin = "n"\n',
    HEAD + '[code]\nof = "Z"\nlanguages = ["r"]\n',
]


@pytest.mark.parametrize("text", FITTING)
def test_what_has_the_right_form_is_valid(text: str) -> None:
    assert [error.message for error in VALIDATOR.iter_errors(tomllib.loads(text))] == []


BROKEN = [
    "",
    'titel = "t"\n',
    "title = 3\n",
    'title.fr = "t"\n',
    "title = {}\n",
    HEAD + 'language = "fr"\n',
    HEAD + "tokens = []\n",
    HEAD + "tokens = [3]\n",
    HEAD + "[sizes]\nd = 0\n",
    HEAD + "[sizes]\n'2d' = 1\n",
    HEAD + "[given]\nX = []\n",
    HEAD + "[given]\nX = [[]]\n",
    HEAD + "[given]\nX = [[0.5]]\n",
    HEAD + '[given]\nX = [["√2"]]\n',
    HEAD + '[given]\nX = [["0,5"]]\n',
    HEAD + '[given]\n"a b" = [["1"]]\n',
    HEAD + '[given.X]\naxes = ["n", "1"]\n',
    HEAD + '[given.X]\nvalue = [["1"]]\naxes = ["n", "n", "n", "n"]\n',
    HEAD + '[figures]\nscope = "row"\n',
    HEAD + "[figures]\ndecimals = 51\n",
    HEAD + '[printed]\nX = [["x"]]\n',
    HEAD + '[section]\ntitle = "s"\n',
    HEAD + "[[section]]\nsteps = []\n",
    SECTION + "[3]\n",
    SECTION + "[{}]\n",
    SECTION + '[{ stp = "X" }]\n',
    SECTION + '[{ step = "X", show = "X" }]\n',
    SECTION + '[{ show = "X", form = "genral" }]\n',
    SECTION + '[{ step = "X", works = [1] }]\n',
    SECTION + '[{ listing = "r" }]\n',
    SECTION + '[{ use = "attention", with = { mask = [1.5] } }]\n',
    HEAD + '[[claim]]\nsays = "1"\n',
]


@pytest.mark.parametrize("text", BROKEN)
def test_what_has_a_wrong_form_is_not_valid(text: str) -> None:
    assert not VALIDATOR.is_valid(tomllib.loads(text))


def test_every_table_and_every_key_is_explained_here_and_in_the_documentation(root: Path) -> None:
    format = (root / "docs" / "scenarios.md").read_text(encoding="utf-8")
    for name, table in tables().items():
        assert table["description"].endswith("."), name
        for key, described in table["properties"].items():
            assert described["description"].endswith("."), (name, key)
            assert re.search(rf"`{key}`|\[{key}\]|{key} = |{key}\.", format), f"{name}: {key}"


def test_there_is_nothing_that_toml_cannot_say() -> None:
    text = json.dumps(SCHEMA)
    assert '"null"' not in text
    assert "null" not in text


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
    assert len(found) == 21
    for model in found:
        assert model.model_config.get("extra") == "forbid", model
        assert model.model_config.get("strict") is True, model
