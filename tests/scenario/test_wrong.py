"""Everything that is wrong with a file is told in one run, each mistake once, and nothing that only follows from it.

In ``wrong.txt`` a frame is a file with ``@@`` where the case stands, and an answer is ``kind: line, key: sentence``,
without a kind for a ScenarioError.
"""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from random import Random
from typing import Any, get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from pydantic import BaseModel

from symattn.api.worked import derive
from symattn.base import limits
from symattn.base.errors import FormulaError, ScenarioError, ShapeError, SymattnError
from symattn.read.scenario import schema
from symattn.read.scenario.load import examine, loads
from symattn.read.scenario.problem import Key, key_text, line_of
from symattn.read.scenario.schema import json_schema, schema_text
from tests.cases import groups, is_told

HEAD = 'title = "t"\ntokens = ["a", "b"]\n[given]\nX = [["1", "2"], ["3", "4"]]\n'


GROUPS = groups(Path(__file__).with_name("wrong.txt"))


def problems(text: str) -> list[str]:
    """What is told of a file: all that is wrong with it, or else what only the numbers show."""
    scenario, found = examine(text, "lesson", "lesson.toml")
    assert (scenario is None) == bool(found)
    sentences = [f"{problem.kind.__name__}: {problem.finding('lesson.toml', text)}" for problem in found]
    if scenario is not None:
        try:
            derive(scenario).render(language="en")
        except SymattnError as error:
            sentences = [f"{type(error).__name__}: {error}"]
    assert all(sentence.isprintable() for sentence in sentences)
    said = [sentence.removeprefix("ScenarioError: ").replace("lesson.toml, ", "", 1) for sentence in sentences]
    return [sentence.removeprefix("lesson.toml: ") for sentence in said]


@pytest.mark.long
@pytest.mark.parametrize("name", GROUPS)
def test_what_is_wrong_is_told(name: str) -> None:
    for text, wanted in GROUPS[name].cases:
        found = problems(GROUPS[name].frame.replace("@@", text))
        assert is_told(found, wanted), (text, found)


def section(*items: str) -> str:
    return HEAD + '[[section]]\ntitle = "s"\nsteps = [' + ", ".join(items) + "]\n"


def test_loading_tells_the_first_and_how_many_more() -> None:
    with pytest.raises(FormulaError, match=r"unknown function 'sofmax'.*; and 2 more problems: symattn validate lists"):
        loads(section('"A = sofmax(X)"', '"B = X @ row(X, 1)"', '{ show = "Q" }'))
    with pytest.raises(ShapeError, match=r"; and 1 more problem: symattn validate lists them\Z"):
        loads(section('"B = X @ row(X, 1)"', '{ show = "Q" }'))
    with pytest.raises(ScenarioError, match=r"known: X\Z") as error:
        loads(section('{ show = "Q" }').replace("tokens", "# tokens"))
    assert error.value.__context__ is None or error.value.__suppress_context__


def test_what_is_too_long_or_too_deep_is_told_without_being_read() -> None:
    for text, said in {
        HEAD + "Y = " + "[" * 5000: "line 5: lists or tables are nested too deep",
        HEAD + "Y = [[" + "9" * 5000 + "]]": "line 5: a number has too many digits",
        HEAD + "Y = [[0x1" + "0" * 5000 + "]]": "expected a number of at most NUMBER_LENGTH = 400 digits",
        HEAD + "a." * 100_000 + "a = 1": "line 5: a key of more than 30 parts",
        HEAD + "Y = {" + "a . " * 31 + "a = 1}": "line 5: a key of more than 30 parts",
        'title = "t"\ntokens = ['
        + '"a",' * 100_001
        + "]": "tokens: expected at most LABELS = 100000 in the list, came",
        HEAD.replace("[given]", "[sizes]\n" + "".join(f"a{i} = 1\n" for i in range(501)) + "[given]"): (
            "line 3, sizes: more than SCENARIO_STEPS = 500 sizes, givens, sections and steps"
        ),
        HEAD + f'[notation]\nX = "X{".T" * 61}"': "nested deeper than FORMULA_DEPTH = 60",
        HEAD + f'[notation]\nX = "{"X + " * 600}X"': "more than FORMULA_LENGTH = 2000 characters",
        HEAD + "".join(f"Y{i} = [[1]]\n" for i in range(500)): "more than SCENARIO_STEPS = 500 sizes, givens, sections",
        section(*['"A = X @@ X"'] * 501): "more than SCENARIO_STEPS = 500 sizes, givens, sections",
    }.items():
        (sentence,) = problems(text)
        assert said in sentence


def test_no_more_problems_are_told_than_anybody_reads(within: object, monkeypatch: pytest.MonkeyPatch) -> None:
    with within(3):  # type: ignore[operator]
        found = problems(section(*(f'"A{i} = softmax(X{i} @ Y{i})"' for i in range(400))))
    assert len(found) == limits.PROBLEMS
    monkeypatch.setattr(limits, "PROBLEMS", 3)
    assert len(problems(section(*(f'"A{i} = X @ row(X, 1)"' for i in range(9))))) == 3
    assert len(problems(HEAD + "Y = [" + '["a", "b"], ' * 9 + "]\n")) == 3


def test_that_floats_are_none_is_said_once() -> None:
    _, (problem,) = examine(HEAD + "Y = [[0.1, 0.2], [0.3, 0.4]]\n", "lesson", "lesson.toml")
    assert key_text(problem.key) == "given.Y[1][1]"


def test_whatever_is_wrong_with_a_file_it_is_told_and_nothing_else_comes_out() -> None:
    """Pieces of scenarios, put together wrongly."""
    draw = Random(5)
    texts = [group.frame.replace("@@", text) for group in GROUPS.values() for text, _ in group.cases]
    pieces = ["= 3", "= []", "= {}", '= "x"', "[[", "]", "{", '"', "=", "\n", "0.5", '"A = X"', "use", "note", "steps"]
    for _ in range(200):
        text = draw.choice(texts)
        for _ in range(draw.randint(1, 5)):
            at = draw.randrange(len(text))
            if draw.random() < 0.5:
                lines = text.split("\n")
                lines.insert(draw.randrange(len(lines)), lines.pop(draw.randrange(len(lines))))
                text = "\n".join(lines)
            else:
                text = text[:at] + draw.choice(pieces) + text[at + draw.randint(0, 20) :]
        problems(text)


# -- the line of a value: found in every way TOML can write one --------------------------------------------------------


TEXT = '''\
# [given] in a comment
title.en = "a [given] # in a string"
title."zh-Hant" = """
[given]
three "" quotes and more \\""" here"""
title.'zh-Hans' = \'\'\'
x = "\'\'\'

[ sizes . deep ]    # spaces and a comment
d = 3
"a.b" = 4
"c\\u0064" = 5

[given]
E = [ # rows
  ["1", "]", '2,3'],  # a row

  [
    "4",
    "#", """5
6""", "7"],
]
inline = { value = [["1"],
  ["2"]], axes = ["1", "n"], note.en = "}" }

[[section]]
title = "one"
[section.need]
en = "deep"

[[section]]
steps = ["E", { step = "Q = E", works = [1,
  2] },
  "Z"]
[[section.inner]]
a = 1
[[section.inner]]
a = 2
'''

PLACES = """
title.en 2; title.zh-Hant 3; title.zh-Hans 6; sizes.deep 9; sizes.deep.d 10; sizes.deep."a.b" 11; sizes.deep.cd
12; given 14; given.E 15; given.E[0][2] 16; given.E[1] 18; given.E[1][0] 19; given.E[1][2] 20; given.E[1][3] 21;
given.inline.value[1][0] 24; given.inline.axes[1] 24; given.inline.note.en 24; section[0] 26; section[0].title
27; section[0].need 28; section[0].need.en 29; section[1].steps[0] 32; section[1].steps[1].works[1] 33;
section[1].steps[2] 34; section[1].inner[0].a 36; section[1].inner[1].a 38
"""
AROUND = """
given.E[1][9] 18; given.missing 14; section[1].title 31; section[7] 26; section[1].steps[1].decimals 32
"""
"""Keys, counted from 0, each with the line where its value begins; and keys that are not there."""


def keys_in(text: str) -> list[tuple[Key, int]]:
    parts = [each.rsplit(" ", 1) for each in " ".join(text.split()).split("; ")]
    found = ((re.findall(r'"([^"]+)"|\[(\d+)\]|([^."\[\]]+)', key), int(line)) for key, line in parts)
    return [
        (tuple(int(place) if place else quoted or name for quoted, place, name in key), line) for key, line in found
    ]


@pytest.mark.parametrize(("key", "line"), keys_in(PLACES), ids=str)
def test_every_way_of_writing(key: Key, line: int) -> None:
    tomllib.loads(TEXT)
    assert line_of(TEXT, key) == line


@pytest.mark.parametrize(("key", "line"), [*keys_in(AROUND), (("nothing",), None), ((), None)])
def test_what_is_not_there_gets_the_line_of_what_is_around_it(key: Key, line: int | None) -> None:
    assert line_of(TEXT, key) == line


ROWS = st.lists(st.lists(st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=8), max_size=4), max_size=5)


@settings(max_examples=40)
@given(ROWS, st.sampled_from(["\n", "  \n\n", ' # ] "\n', "\r\n"]))
def test_any_matrix_written_over_lines(rows: list[list[str]], gap: str) -> None:
    def literal(cell: str) -> str:
        return '"' + cell.replace("\\", "\\\\").replace('"', '\\"') + '"'

    text, expected, height = "[given]\nE = [", {}, gap.count("\n")
    line = 2
    for i, row in enumerate(rows):
        text, line = text + gap + "[", line + height
        for j, cell in enumerate(row):
            text, line = text + gap + literal(cell) + ",", line + height
            expected[i, j] = line
        text += "],"
    text += "]\n"
    assert tomllib.loads(text)["given"]["E"] == rows
    assert {place: line_of(text, ("given", "E", *place)) for place in expected} == expected


@settings(max_examples=40)
@given(st.text(st.sampled_from("[]{}=.,\"'#\n ab\\1"), max_size=60), st.lists(st.sampled_from(["a", "b", 0, 1])))
def test_text_that_is_not_toml_does_no_harm(text: str, key: list[str | int]) -> None:
    line = line_of(text, tuple(key))
    assert line is None or 1 <= line <= text.count("\n") + 1


# -- the JSON schema: what loads is valid, what has a wrong form is not, and every key is explained --------------------


SCHEMA = json_schema()
VALIDATOR = Draft202012Validator(SCHEMA)
DATA = sorted((Path(__file__).parents[2] / "symattn" / "read" / "scenario" / "data").glob("*.toml"))
TITLE = 'title = "t"\n'
STEPS = TITLE + '[[section]]\ntitle = "s"\nsteps = '


def tables() -> dict[str, Any]:
    return {"File": SCHEMA, **SCHEMA["$defs"]}


def test_it_is_a_schema_of_its_draft_without_what_toml_cannot_say() -> None:
    Draft202012Validator.check_schema(SCHEMA)
    assert SCHEMA["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert SCHEMA["$id"] == "urn:symattn:scenario"
    text = json.dumps(SCHEMA)
    assert '"null"' not in text
    assert "null" not in text


def test_the_copy_in_the_documentation_is_this_schema(root: Path) -> None:
    copy = (root / "docs" / "scenario.schema.json").read_text(encoding="utf-8")
    assert copy == schema_text(), "write it again: symattn schema -o docs/scenario.schema.json"


@pytest.mark.parametrize("path", DATA, ids=lambda path: path.stem)
def test_the_built_in_scenarios_are_valid(path: Path) -> None:
    assert [error.message for error in VALIDATOR.iter_errors(tomllib.loads(path.read_text(encoding="utf-8")))] == []


FITTING = [
    TITLE,
    '#:schema ./scenario.schema.json\n\ntitle = { en = "t", zh-Hant = "t" }\n',
    TITLE + '[given]\nX = [["1", " -3/4 "], ["sqrt(2)/2", 5], ["-oo", "-10^9"]]\n',
    TITLE + '[given.X]\nvalue = [["1"]]\naxes = ["n", "1"]\nnote = "x"\nrounded = true\nrow_sums = 1\n',
    TITLE + '[printed]\nX = [["0.145", "-10^9"], ["1.5*10^9", "-oo", "1.414214 0", 3]]\n',
    STEPS + '["E", "X = E", { step = "X = E", works = [1, 2], need.en = "x" }, { note = "x" }]\n',
    STEPS + '[{ show = "X", form = "general" }, { unfold = "X", to = ["Y"], called = "F" }, { use = "attention" }]\n',
    STEPS + '[{ quantity = "N = m", at = [{ m = 2 }] }, { tensor = "A", of = ["B"], axes = ["h"] }]\n',
    STEPS + '[{ prove = ["A", "B"] }, { variance = "dot(q, k)" }, { listing = "r", of = ["Z"] }]\n',
    TITLE + '[[claim]]\nsays = "O(n)"\nabout = "x"\norder_of = "n"\nin = "n"\n',
    TITLE + '[code]\nof = "Z"\nlanguages = ["r"]\n',
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
    TITLE + 'language = "fr"\n',
    TITLE + "tokens = []\n",
    TITLE + "tokens = [3]\n",
    TITLE + "[sizes]\nd = 0\n",
    TITLE + "[sizes]\n'2d' = 1\n",
    TITLE + "[given]\nX = []\n",
    TITLE + "[given]\nX = [[]]\n",
    TITLE + "[given]\nX = [[0.5]]\n",
    TITLE + '[given]\nX = [["√2"]]\n',
    TITLE + '[given]\nX = [["0,5"]]\n',
    TITLE + '[given]\n"a b" = [["1"]]\n',
    TITLE + '[given.X]\naxes = ["n", "1"]\n',
    TITLE + '[given.X]\nvalue = [["1"]]\naxes = ["n", "n", "n", "n"]\n',
    TITLE + '[figures]\nscope = "row"\n',
    TITLE + "[figures]\ndecimals = 51\n",
    TITLE + '[printed]\nX = [["x"]]\n',
    TITLE + '[section]\ntitle = "s"\n',
    TITLE + "[[section]]\nsteps = []\n",
    STEPS + "[3]\n",
    STEPS + "[{}]\n",
    STEPS + '[{ stp = "X" }]\n',
    STEPS + '[{ step = "X", show = "X" }]\n',
    STEPS + '[{ show = "X", form = "genral" }]\n',
    STEPS + '[{ step = "X", works = [1] }]\n',
    STEPS + '[{ listing = "r" }]\n',
    STEPS + '[{ use = "attention", with = { mask = [1.5] } }]\n',
    TITLE + '[[claim]]\nsays = "1"\n',
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
    assert len(found) == 23
    for model in found:
        assert model.model_config.get("extra") == "forbid", model
        assert model.model_config.get("strict") is True, model
