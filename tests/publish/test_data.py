"""A solution as data: valid under its schema, its figures certified, and enough for a stranger to write the page."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner
from hypothesis import example, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from symattn import Derivation, derive
from symattn.api.publish.data_blocks import RunLine, block_data, passages
from symattn.api.publish.data_form import json_schema, schema_text
from symattn.api.publish.frontmatter import SITES
from symattn.api.worked import WorkedSolution
from symattn.base.errors import RenderError, SymattnError, UnknownNameError
from symattn.base.words import languages
from symattn.cli import main
from symattn.read.scenario.load import builtin_names
from symattn.show.blocks import Break, Document, Fields, Room, Task
from symattn.show.build import DETAILS
from symattn.write.environment import Macros
from symattn.write.markdown import MarkdownPage, markdown
from tests.cases import solved
from tests.publish.page_of_data import page
from tests.readers.files import worth
from tests.render.conftest import PHRASES
from tests.render.conftest import _words as words_of
from tests.render.test_escape import NASTY
from tests.render.test_formats import page_of

VALIDATOR = Draft202012Validator(json_schema())
QUICK = {("weather", "zh-Hant", "lesson"), ("refund", "en", "entries")}
EVERY = [(name, language) for name in builtin_names() for language in languages()]
WHOLE = [
    pytest.param(*case, marks=() if case in QUICK else pytest.mark.slow)
    for case in ((*each, detail) for each in EVERY for detail in DETAILS)
]


def data_of(solution: WorkedSolution, **choices: Any) -> dict[str, Any]:
    """A solution as data, which is valid under the schema, and from which the page is written again."""
    text = solution.render("json", **choices)
    found: dict[str, Any] = json.loads(text)
    assert [error.message for error in VALIDATOR.iter_errors(found)] == []
    assert page(text) == solution.render("markdown", figures="none", **choices)
    return found


def figures_are_certified(data: dict[str, Any], solution: WorkedSolution) -> None:
    """Every figure is what the solution certifies with so many decimals; those of the lines are the same ones."""
    printed = {}
    for each in (one for one in (*data["givens"], *data["steps"]) if one["values"]["kind"] == "numbers"):
        shown = each["shown"] or {axis: range(1, each[axis]["size"] + 1) for axis in ("rows", "columns")}
        values = each["values"]
        for row, i in enumerate(shown["rows"]):
            for column, j in enumerate(shown["columns"]):
                text, exact = values["decimals"][row][column], values["exact"][row][column]
                printed[each["name"], i, j] = text
                if text.lstrip("-") == "oo":
                    assert solution[each["name"]].decimals(2)[i - 1][j - 1] == text.replace("oo", "inf")
                    continue
                if "/" not in text and "^" not in text:
                    places = len(text.partition(".")[2])
                    certified = solution[each["name"]].decimals(places)[i - 1][j - 1]
                    assert worth(text) == worth(certified), (each["name"], i, j)
                if isinstance(exact, str):
                    assert values["is_exact"][row][column] == (worth(text) == Fraction(exact)), (each["name"], i, j)
                    far = Fraction(1, 2 * 10 ** len(text.partition(".")[2]))
                    assert "^" in text or abs(worth(text) - Fraction(exact)) <= far, (each["name"], i, j)
    for step in data["steps"]:
        for entry in step["entries"]:
            for line in entry["lines"]:
                for text, *place in line["numbers"]:
                    known = printed.get(tuple(place), text)
                    assert text == known or worth(text) == worth(known), (step["name"], place)


@pytest.mark.long
@pytest.mark.parametrize(("name", "language", "detail"), WHOLE)
def test_a_reader_that_knows_nothing_of_symattn_writes_the_same_page(name: str, language: str, detail: str) -> None:
    data = data_of(solved(name), language=language, detail=detail)
    assert data["language"] == language
    assert [each["name"] for each in (*data["givens"], *data["steps"])] == [
        step.name
        for step in sorted(solved(name).derivation.steps, key=lambda step: step.formula is not None)
        if step.formula is not None or not step.general  # of which there are no numbers
    ]
    figures_are_certified(data, solved(name))


@pytest.mark.long
@pytest.mark.parametrize("part", [{"steps": ("A", "S")}, {"section": "2"}, {"code": ("numpy", "r")}, {"max_rows": 2}])
def test_the_same_holds_for_a_part_and_for_what_was_chosen(part: dict[str, Any]) -> None:
    data_of(solved("refund"), language="en", **part)


def test_what_data_cannot_have_is_refused() -> None:
    with pytest.raises(UnknownNameError, match="unknown math 'dollars': did you mean 'dollar'"):
        solved("weather").render("json", math="dollars")
    with pytest.raises(RenderError, match="format json has no fragment: data has nothing around its body"):
        solved("weather").render("json", fragment=True)


@pytest.mark.slow
def test_the_same_holds_for_the_catalogue(lesson: Callable, worked: Callable, catalogue_case: Any) -> None:
    solution = worked(lesson(catalogue_case.name, catalogue_case.chosen, catalogue_case.sizes))
    for language in languages():
        figures_are_certified(data_of(solution, language=language), solution)


@pytest.mark.long
def test_a_line_has_a_rule_what_stands_before_its_value_and_where_the_figures_are_from() -> None:
    steps = {step["name"]: step for step in data_of(solved("weather"), language="en")["steps"]}
    entry = steps["Z"]["entries"][4]
    (line,) = entry["lines"]
    assert (entry["row"], entry["column"], line["signs"]) == (2, 1, ["≈", "≈"])
    assert [line[part]["text"] for part in ("left", "before", "after")] == [
        "z₂₁",
        "0.500421 · 0.103 + 0.499579 · 0.029 + 0.000000 · 0.153",
        "0.066031",
    ]
    assert steps["Z"]["general"][line["rule"] - 1]["text"] == "zᵢⱼ = Σ_(l=1…3) aᵢₗ vₗⱼ"
    assert line["numbers"][:2] == [["0.500421", "A", 2, 1], ["0.103", "V", 1, 1]]
    assert entry["made_of"] == [
        {"name": "A", "rows": [2, 2], "columns": [1, 3]},
        {"name": "V", "rows": [1, 3], "columns": [1, 1]},
    ]
    rules = [line["rule"] for line in steps["LN_1"]["entries"][0]["lines"]]
    assert rules == [1, 2, 3]
    assert steps["A"]["written"] == "softmax(S_masked)"
    assert steps["A"]["formula"][0]["mathml"].startswith("<math")
    assert steps["A"]["rows"] == {"size": 3, "name": "L", "labels": ["today’s", "weather", "is"]}
    assert steps["A"]["readings"][0] == ("Row 1 (“today’s”) can see only itself: the weight is 1.000000.")


FREE = """
title = "Free"
symbols = ["a"]
[given]
X = [["a", "1"], ["1/3", "sqrt(2)"]]
R = { value = [["0.5", "0.25"]], rounded = true }
[general]
G = ["n", "m"]
[[section]]
title = "S"
steps = ["Y = 2 * X", "Z = R @ R.T", "H = 2 * G"]
"""


def test_what_has_no_numbers_says_what_it_has(worked: Callable[[str], WorkedSolution]) -> None:
    data = data_of(worked(FREE))
    found = {each["name"]: each["values"] for each in (*data["givens"], *data["steps"])}
    assert {name: values["kind"] for name, values in found.items()} == {
        **{"X": "closed_forms", "Y": "closed_forms", "Z": "intervals", "R": "intervals", "H": "general"}
    }
    assert found["Y"]["entries"][0][0] == {"text": "2 a", "latex": "2a"}
    # 0.45² + 0.245² and 0.55² + 0.255²
    assert (found["Z"]["low"], found["Z"]["high"]) == ([["10501/40000"]], [["14701/40000"]])


def test_of_a_large_matrix_the_data_says_which_rows_and_columns_it_has(worked: Callable[[str], WorkedSolution]) -> None:
    rows = json.dumps([[str(i + j) for j in range(20)] for i in range(12)])
    text = f'title = "Large"\n[given]\nX = {rows}\n[[section]]\ntitle = "S"\nsteps = ["Y = X / 2"]\n'
    data = data_of(worked(text), max_rows=6, max_columns=20)
    (step,) = data["steps"]
    assert step["shown"] == {"rows": [1, 2, 3, 12], "columns": list(range(1, 21))}
    assert len(step["entries"]) == 80
    assert step["values"]["decimals"][3][0] == "5.5"
    figures_are_certified(data, worked(text))
    assert data_of(worked(text), max_rows=20, max_columns=20)["steps"][0]["shown"] is None


@pytest.mark.long
def test_what_comes_from_outside_is_plain_text(worked: Callable[[str], WorkedSolution]) -> None:
    tokens = ["</script><script>", "=cmd()", "*_$", r"\input{x}", "{{7*7}}", "\u05d0\u05d1", "e\u0301"]
    head = f"title = {json.dumps(''.join(tokens[:3]))}\ntokens = {json.dumps(tokens)}\n"
    rows = json.dumps([["1"]] * len(tokens))
    given = f'[given.X]\naxes = ["n", "d"]\nvalue = {rows}\n'
    text = f'{head}[sizes]\nd = 1\n{given}[[section]]\ntitle = "S"\nsteps = ["A = softmax(X @ X.T)"]\n'
    solution = worked(text)
    data = data_of(solution, language="en")
    assert data["scenario"]["tokens"] == tokens
    assert data["scenario"]["title"] == "".join(tokens[:3])
    assert data["steps"][0]["rows"]["labels"] == tokens


@settings(max_examples=10, deadline=None)
@given(st.lists(st.one_of(st.text(), st.sampled_from(NASTY)), max_size=2))
@example(NASTY)
def test_any_page_can_be_written_from_its_data(texts: list[str]) -> None:
    written_again(page_of(texts), words_of(PHRASES))


def written_again(document: Document, words: Macros) -> None:
    document = document.changed(lambda block: None if isinstance(block, Fields | Task | Break | Room) else block)
    line = RunLine(MarkdownPage(words, "dollar"))
    parts = [part.model_dump(mode="json") for part in passages(document, line)]
    title = [run.model_dump(mode="json") for run in line.runs(*document.title)]
    text = json.dumps({"document": {"title": title, "passages": parts}})
    assert page(text) == markdown(document, words, "dollar", False)


def test_a_block_that_no_solution_has_is_refused() -> None:
    with pytest.raises(RenderError, match="no data for Room: not a block of a solution"):
        block_data(Room(3), RunLine(MarkdownPage(words_of(PHRASES), "dollar")))


def test_the_schema_is_one_of_its_draft_and_its_copy_in_the_documentation_is_this_one(root: Path) -> None:
    Draft202012Validator.check_schema(json_schema())
    assert json_schema()["$id"] == "urn:symattn-solution:1"
    assert not VALIDATOR.is_valid({"schema": "symattn-solution/2"})
    copy = (root / "docs" / "solution.schema.json").read_text(encoding="utf-8")
    assert copy == schema_text(), "write it again: symattn schema --solution -o docs/solution.schema.json"
    assert CliRunner().invoke(main, ["schema", "--solution"]).output == copy


@pytest.mark.slow
def test_ajv_finds_all_of_them_valid_and_others_not(root: Path, tmp_path: Path) -> None:
    node = shutil.which("node")
    if node is None or subprocess.run([node, "-e", "require('ajv')"], capture_output=True).returncode:
        pytest.skip("needs node with ajv in its NODE_PATH: see the stage forms of .ci/run")
    good = {f"{name}.{language}": solved(name).render("json", language=language) for name, language in EVERY}
    wrong = json.loads(good["weather.en"])
    wrong["steps"][0]["values"]["decimals"][0][0] = 0.5
    for name, text in (good | {"wrong": json.dumps(wrong)}).items():
        (tmp_path / f"{name}.json").write_text(text, encoding="utf-8")
    script, schema = root / "tests" / "forms" / "ajv.js", root / "docs" / "solution.schema.json"
    files = [tmp_path / f"{name}.json" for name in (*good, "wrong")]
    found = json.loads(subprocess.run([node, script, schema, *files], capture_output=True, check=True).stdout)
    assert found[:-1] == [[]] * len(good)
    assert "/steps/0/values/decimals/0/0" in {error["instancePath"] for error in found[-1]}


# -- What stands above a page for a site: read by a reader of YAML, and nothing in it is taken for anything else -------


TITLE = '--- "A": {b} [c] # d \\ \' & * ! | > % @ ` yes: no ---'
STRANGE = f"{TITLE}\n---\n\u202e\u2028\x7f\x85\U000e0001"


def read(page: str) -> tuple[dict[str, Any], str]:
    """The keys above a page, and the page."""
    before, keys, rest = page.split("---\n", 2) if page.count("---\n") > 1 else ("-", "", page)
    assert before == ""
    found = yaml.safe_load(keys)
    assert isinstance(found, dict)
    return found, rest.strip("\n")


@pytest.mark.sampled(3)
@pytest.mark.parametrize("site", SITES)
def test_a_site_reads_the_title_and_it_stands_there_once(site: str) -> None:
    solution = derive("weather")
    keys, page = read(solution.render(frontmatter=site, language="en"))
    plain = solution.render(language="en")
    title = "Predicting the next word: one decoder block, worked from start to end"
    assert keys["title"] == title
    assert keys["description"].startswith("Someone has typed “today’s weather is …”, and the phone")
    assert keys.get("lang", "en") == "en"
    assert page.startswith(f"# {title}") == (site == "mkdocs")
    assert plain.strip().endswith(page)


@pytest.mark.parametrize("site", ["hugo", "quarto"])
def test_a_title_prints_as_itself(site: str) -> None:
    solution = Derivation(title=TITLE.replace("{", "{{").replace("}", "}}"))
    solution.given("X", [[1, 2]])
    keys, _ = read(solution.solve().render(frontmatter=(site, f"subtitle={STRANGE}")))
    assert (keys["title"], keys["subtitle"]) == (TITLE, STRANGE)


def test_keys_of_ones_own_come_last_and_win() -> None:
    told = ("hugo", "title=Mine", "date=2026-01-31", "draft=true", "weight=3", 'tags=["a", "b: c"]', "x-y.z=[")
    with pytest.raises(SymattnError, match=r'x-y\.z: expected a list such as \["a", "b"\], came'):
        derive("refund").render(frontmatter=told)
    keys, _ = read(derive("refund").render(frontmatter=told[:-1], steps="A"))
    own = {"title": "Mine", "date": "2026-01-31", "draft": True, "weight": 3, "tags": ["a", "b: c"]}
    assert keys == {**own, "params": {"math": True}}


@pytest.mark.parametrize(("format", "told", "said"), [
    ("latex", "hugo", "format latex has no frontmatter: expected markdown"),
    ("ipynb", "hugo", "format ipynb has no frontmatter: expected markdown"),
    ("markdown", "hogo", "unknown site 'hogo': did you mean 'hugo'?"),
    ("markdown", "a=b", "frontmatter: expected one kind of site, astro, docusaurus, hugo"),
    ("markdown", ("hugo", "myst"), "came hugo and myst"),
    ("markdown", ("hugo", "a b=c"), "frontmatter: 'a b': a key has letters, digits, _, - and points"),
    ("markdown", ("hugo", "a=[[1]]"), "a: expected a list"),
    ("markdown", ("hugo", "a=" + "[" * 100_000), "a: expected a list"),
    ("markdown", True, "frontmatter: expected a text, or several such as ('hugo', 'draft=true'), came"),
    ("markdown", ("hugo", 1), "frontmatter: expected a text, or several"),
])  # fmt: skip
def test_what_is_wrong_is_said(format: str, told: Any, said: str) -> None:
    with pytest.raises(SymattnError) as wrong:
        derive("refund").render(format, frontmatter=told)
    assert said in str(wrong.value)
