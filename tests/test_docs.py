"""What README and docs show is what the program does."""

from __future__ import annotations

import doctest
import json
import re
import shlex
import tomllib
from collections.abc import Iterator
from inspect import signature
from pathlib import Path

import numpy
import pytest
from click.testing import CliRunner

from benchmarks.model import write
from symattn import Derivation
from symattn.api.explanation import explain
from symattn.api.validation import validate
from symattn.api.worked import derive
from symattn.base.errors import SymattnError
from symattn.cli import main
from symattn.operations.records import OURS, record_named
from symattn.read.catalogue.operations import book, definition
from symattn.read.formula import FUNCTIONS
from symattn.read.formula.heads import MADE
from symattn.read.formula.libraries import ALIASES, RENAMED
from symattn.read.scenario import load, schema
from symattn.read.scenario import tables as gradient_tables
from symattn.read.scenario import tables as item_tables
from symattn.read.scenario.load import loads
from symattn.write.endings import FILE_FORMATS, SOLUTIONS
from tests.forms.pictures import BYTES, PICTURES
from tests.walks import DOCS, PIECE, WALKS, walk

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
FORMAT = (ROOT / "docs" / "scenarios.md").read_text(encoding="utf-8")
FORMULAS = (ROOT / "docs" / "formulas.md").read_text(encoding="utf-8")
EXERCISES = (ROOT / "docs" / "exercises.md").read_text(encoding="utf-8")
GRADIENTS = (ROOT / "docs" / "gradients.md").read_text(encoding="utf-8")
PYTHON = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
OPERATIONS = (ROOT / "docs" / "operations.md").read_text(encoding="utf-8")


def blocks(text: str, language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", text, flags=re.DOTALL)


OTHERS = ("files", "formats", "notebooks", "sites")
PAGES = (README, EXERCISES, FORMULAS, *((ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8") for name in OTHERS))
COMMANDS = dict.fromkeys(line for page in PAGES for line in re.findall(r"^    (symattn .*)$", page, flags=re.MULTILINE))
"""Each once, in whichever pages it stands."""

LESSON = """title = "My head"
[given]
X = [["1", "0"], ["0", "2"], ["1", "1"]]
[[section]]
title = "Weights"
steps = ["A = softmax(X @ X.T)", "Z = A @ X"]
"""


@pytest.mark.parametrize("text", [*blocks(README, "toml"), blocks(FORMAT, "toml")[0], *blocks(GRADIENTS, "toml")])
def test_a_scenario_that_is_shown_derives_as_it_stands(text: str) -> None:
    assert "\\begin{bmatrix}" in derive(loads(text)).render()


COMPLETE = [text for text in blocks(FORMAT, "toml") if "[[section]]" in text and re.search("(?m)^title", text)]
"""The scenarios of the format's page that stand by themselves."""


@pytest.mark.parametrize("text", COMPLETE, ids=lambda text: text.splitlines()[0])
def test_a_scenario_of_the_format_page_derives(text: str, tmp_path: Path) -> None:
    numpy.savez(tmp_path / "weights.npz", W=numpy.array([[0.5, 1.234], [0.0, -1.0]]))
    path = tmp_path / "lesson.toml"
    path.write_text(text, encoding="utf-8")

    assert validate(path) == ()
    assert "\\begin{bmatrix}" in derive(path).render()


def keys_of(value: object) -> Iterator[str]:
    """Every key in a TOML document, at any depth."""
    if isinstance(value, dict):
        yield from value
    for part in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from keys_of(part)


def test_every_key_of_the_format_is_in_use_on_its_page() -> None:
    written = {key for text in COMPLETE for key in keys_of(tomllib.loads(text))}
    found = [each for module in (schema, item_tables, gradient_tables) for each in vars(module).values()]
    tables = [table for table in found if isinstance(table, type) and issubclass(table, schema.KeyedTable)]
    keys = {field.alias or name for table in tables for name, field in table.model_fields.items()}

    assert keys - {"items"} - written == set()


OF_ITS_OWN = ("--watch", "-o site")
"""What ends by Ctrl-C, and what tests/test_website.py runs."""


@pytest.mark.sampled(8)
@pytest.mark.parametrize("command", [line for line in COMMANDS if not any(part in line for part in OF_ITS_OWN)])
def test_a_command_of_the_pages_runs(command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    if command == "symattn build":  # tests/test_output.py makes all the pages, test_website.py the site
        monkeypatch.setattr(load, "builtin_names", lambda: ("good",))
    for name, text in (
        *((f"answers.{kind}", blocks(EXERCISES, kind)[0]) for kind in ("json", "csv")),
        ("names.csv", blocks(EXERCISES, "names")[0]),
        ("tutorial.md", "$1 + 1 = 2$\n"),
        *(() if " init " in command else [("lesson.toml", LESSON)]),
        *([("class.csv", 'student,version,"s[1,1]"\nAda,2,1/3\n')] if " mark " in command else ()),
    ):
        Path(name).write_text(text, encoding="utf-8")
    if "--model" in command:
        write(tmp_path)
    if "--secret" in command:
        CliRunner().invoke(main, "exercise --new-secret exam.secret".split())
    if "--exercise" in command:
        CliRunner().invoke(main, "exercise softmax-row -n 2 --seed 7 -o exam.json".split())
    # Thirty are made and marked in tests/marking/test_template.py.
    result = CliRunner().invoke(main, shlex.split(command.replace("--count 30", "--count 3"))[1:])
    assert result.exit_code == 0, result.output


def test_the_readme_shows_what_explain_says_first() -> None:
    (command, shown) = re.findall(
        r"^    symattn (explain .*)\n\n```text\n(.*?)```", README, flags=re.MULTILINE | re.DOTALL
    )[0]
    assert CliRunner().invoke(main, shlex.split(command)).output.startswith(shown)


@pytest.mark.parametrize("name", WALKS)
def test_a_walk_through_shows_what_happens(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    pictures = walk(name)

    committed = {path.relative_to(DOCS).as_posix() for path in (DOCS / next(iter(pictures))).parent.iterdir()}
    assert set(pictures) == committed
    for target, drawn in pictures.items():
        assert (DOCS / target).read_text(encoding="utf-8") == drawn, "python -m tests.walks makes the pictures again"


def test_walk_throughs_walk_the_same_way() -> None:
    ways = []
    for name in WALKS:
        pieces = PIECE.finditer((DOCS / name).read_text(encoding="utf-8"))
        ways.append([piece["command"] or piece["file"] for piece in pieces])
    assert len(ways[0]) > 10
    assert ways[0] == ways[1]


@pytest.mark.parametrize("program", blocks(README, "python"), ids=lambda program: program.splitlines()[0])
def test_the_python_of_the_readme_gives_what_its_comments_say(
    program: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    for line in program.splitlines():
        code, _, comment = line.partition("#")
        if not code.strip():
            continue
        if comment.strip().startswith("(") and "…" not in comment:
            assert str(eval(code, names)) == comment.strip()  # noqa: S307
        else:
            exec(code, names)  # noqa: S102
    assert "A" in names["solution"]  # type: ignore[operator]


def test_every_function_of_the_formula_language_is_documented() -> None:
    for name in FUNCTIONS:
        assert f"`{name}(" in FORMAT + FORMULAS or f"### `{name}`" in OPERATIONS, name
    for name in (*ALIASES, *RENAMED, *MADE):
        assert re.search(rf"`{name}[(`]", FORMULAS), name


def read_as(text: str, shapes: dict[str, str]) -> str:
    """The plain form of a formula and its shape, or why it is refused."""
    try:
        found = explain(text, shapes=shapes)
    except SymattnError as error:
        return f"refused: {error}"
    assert explain(found.read, shapes=shapes).value == found.value
    return f"{found.read}: {found.rule.rpartition('→ ')[2]}"


@pytest.mark.parametrize("block", blocks(FORMULAS, "formulas"), ids=lambda block: block.splitlines()[0])
def test_a_formula_of_the_page_on_formulas_is_read_as_it_says(block: str) -> None:
    names, *lines = block.splitlines()
    shapes = dict(re.findall(r"(\w+) \((.*?)\)", names))
    for text, said in (re.split(r"\s+# ", line) for line in lines):
        word, _, rest = said.partition("refused: ")
        found = read_as(text, shapes)
        assert found == said if word else found.startswith("refused: ") and rest in found


def test_the_list_of_functions_has_all_of_them_and_shows_each() -> None:
    listed = CliRunner().invoke(main, ["catalogue", "--operations"]).output.splitlines()
    assert [line.partition("(")[0] for line in listed] == sorted(FUNCTIONS)
    for name in ("sum", "softmax"):
        shown = CliRunner().invoke(main, ["catalogue", "--operations", name]).output
        assert shown.splitlines()[0] in listed


def test_the_page_of_operations_is_what_the_program_writes() -> None:
    assert book() == OPERATIONS
    assert (
        "unknown operation 'sofmax': did you mean 'softmax'?"
        in CliRunner().invoke(main, ["catalogue", "--operations", "sofmax"]).output
    )
    for name in OURS:
        assert f"\n{definition(record_named(name))}\n" in OPERATIONS


def test_the_page_of_forms_has_every_format_and_every_picture() -> None:
    page = (DOCS / "formats.md").read_text(encoding="utf-8")
    for name, each in FILE_FORMATS.items():
        said_by_its_end = SOLUTIONS[f".{each.end}"] == name
        assert (f"-o lesson.{each.end}`" if said_by_its_end else f"--format {name} ") in page, name
    shown = set(re.findall(r"!\[[^\]]+\]\((images/forms/[\w-]+\.png)\)", page))
    assert shown == {f"images/forms/{name}.png" for name in PICTURES}
    for picture in (DOCS / "images" / "forms").iterdir():
        assert picture.stem in PICTURES
        assert picture.stat().st_size < BYTES


def test_the_data_of_the_page_of_forms_is_what_is_written() -> None:
    (shown,) = map(json.loads, blocks((DOCS / "formats.md").read_text(encoding="utf-8"), "json"))
    steps = json.loads(derive("weather").render("json"))["steps"]
    (step,) = (each for each in steps if each["name"] == shown["name"])
    step["values"] = {key: step["values"][key] for key in shown["values"]}
    assert shown == {key: step[key] for key in shown}


def anchors(page: Path) -> set[str]:
    """What a link may lead to in a page, as GitHub calls its headings."""
    plain = re.sub("```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    headings = re.findall("^#+ (.*)$", plain, flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", [ROOT / "README.md", *DOCS.glob("*.md")], ids=lambda page: page.name)
def test_every_link_leads_somewhere(page: Path) -> None:
    for target, anchor in re.findall(r"\]\(([^)#\s]*)#?([^)\s]*)\)", page.read_text(encoding="utf-8")):
        if not target.startswith("http"):
            aim = page.parent / target if target else page
            assert aim.exists(), target
            assert not anchor or anchor in anchors(aim), anchor


def test_every_file_that_the_pages_of_the_house_name_is_there() -> None:
    page = "".join((DOCS / name).read_text(encoding="utf-8") for name in ("architecture.md", "internals.md"))
    named = set(re.findall(r"`([\w/.]+\.(?:py|toml|j2))\b", page))
    files = [path.as_posix() for top in ("symattn", "templates", "tests") for path in (ROOT / top).rglob("*.*")]
    files.append("hatch_build.py")
    assert len(named) > 100
    assert not [name for name in named if not any(f"/{file}".endswith(f"/{name}") for file in files)]


@pytest.mark.parametrize(("name", "page", "fewest"), [("python", PYTHON, 50), ("gradients", GRADIENTS, 5)])
def test_every_example_in_python_gives_what_the_page_says(name: str, page: str, fewest: int) -> None:
    examples = "\n".join(blocks(page, "python"))
    parsed = doctest.DocTestParser().get_doctest(examples, {}, f"{name}.md", f"docs/{name}.md", 0)
    report: list[str] = []
    outcome = doctest.DocTestRunner(verbose=False).run(parsed, out=report.append)

    assert outcome.attempted > fewest
    assert not outcome.failed, "".join(report)


def test_the_page_on_python_tells_of_every_method_and_option() -> None:
    methods = [name for name in dir(Derivation) if not name.startswith("_")]
    for name in methods:
        assert f"d.{name}" in PYTHON or f"`{name}" in PYTHON, name
    for method in (Derivation.__init__, Derivation.given, Derivation.step):
        for option in list(signature(method).parameters)[1:]:
            if option not in ("name", "value", "formula"):
                assert re.search(rf"\b{option}\b", PYTHON), option
