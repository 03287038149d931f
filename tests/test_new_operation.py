"""The page "Add an operation in ten minutes", followed step by step."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from textwrap import dedent, indent
from typing import Any

import pytest

import tests.examples
import tests.test_every_stage
from symattn import derive
from symattn.base.words import languages
from symattn.compute.codegen import LANGUAGES
from symattn.operations.equations.tree import Operation
from symattn.read.scenario.load import loads
from tests.conftest import ROOT
from tests.examples import BY_OPERATION, Example
from tests.test_every_stage import NOTHING_TO_SAY, STAGES, case

PAGE = (ROOT / "docs" / "new-operation.md").read_text(encoding="utf-8")
COPIED = ("symattn", "templates", "docs", "tests/readback", "tests/second_road", "tests/operations")


def blocks(language: str = "") -> list[str]:
    fences = re.findall(r"^ *```(\w*)\n(.*?)^ *```$", PAGE, re.MULTILINE | re.DOTALL)
    return [dedent(text) for said, text in fences if said == language]


SCENARIO = loads(blocks("toml")[0])


def silent(example: Example) -> set[str]:
    """The stages at which it has nothing to say, by the walk of all operations."""
    return {
        stage for stage, ask in STAGES.items() if not ask(case(example, "rational" if stage == "rational" else "roots"))
    }


def test_one_of_your_own_in_a_file_is_on_pages_and_in_programs() -> None:
    solution = derive(SCENARIO)
    for language in languages():
        page = solution.render(language=language, detail="entries", code=list(LANGUAGES))
        assert all(f"```{'python' if key in ('numpy', 'torch') else key}\n" in page for key in LANGUAGES)
        assert "def centred(X):" in page
    assert solution["D"].decimals(2) == (("1.75", "-1.75"), ("0.64", "-0.64"))


def test_one_of_your_own_has_something_to_say_at_every_stage(monkeypatch: pytest.MonkeyPatch) -> None:
    own: dict[str, Operation] = dict(SCENARIO.derivation.operations)
    table = {"parameters": ["X: m×d"], "equations": [each.text for each in own["centred"].equations], "shape": "m×d"}
    for module in (tests.examples, tests.test_every_stage):
        monkeypatch.setattr(module, "OWN", own)
    monkeypatch.setattr(tests.test_every_stage, "TABLES", {"centred": {**table, "page": dict(own["centred"].page)}})
    # Tests read its page back by a function of their own, which it has not; its entries are held by the other stages.
    monkeypatch.delitem(tests.test_every_stage.STAGES, "page")  # type: ignore[arg-type]

    assert silent(Example("centred(X)")) == {"products", "function", "stub", "docs"}


def test_one_of_your_own_in_python_is_that_of_the_file() -> None:
    names: dict[str, Any] = {}
    exec(blocks("python")[0], names)  # noqa: S102 - what the page shows
    shown = loads(names["lesson"].toml())
    assert shown.derivation.operations["centred"].equations == SCENARIO.derivation.operations["centred"].equations
    assert shown.derivation.operations["centred"].page == SCENARIO.derivation.operations["centred"].page


# -- one of ours, in a copy of the checkout ------------------------------------------------------------------------


def added(text: str, table: str, line: str) -> str:
    """A file with a line at its end, or at the end of one of its tables."""
    if not table:
        return text + line
    head, start, rest = text.partition(f"\n{table}: ")
    body, end, tail = re.split(r"(\n[)}]\n)", rest, maxsplit=1)
    return f"{head}{start}{body}\n{indent(line, '    ').rstrip()}{end}{tail}"


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The checkout after the steps of the page."""
    folder = tmp_path_factory.mktemp("checkout")
    for name in COPIED:
        shutil.copytree(ROOT / name, folder / name)  # what is compiled already is valid there too
    for file in (ROOT / "tests").glob("*.py"):
        shutil.copy(file, folder / "tests")
    places = re.findall(r"end\s+of (?:`(\w+)` in\s+)?`([\w/.-]+)`:", PAGE)
    assert len(places) == len(blocks()) == 2 + len(languages())
    for (table, file), line in zip(places, blocks(), strict=True):
        (folder / file).write_text(added((folder / file).read_text(encoding="utf-8"), table, line), encoding="utf-8")
    for command in blocks("sh")[0].splitlines():
        words, _, target = command.partition(" > ")
        found = run(folder, *shlex.split(words.replace("symattn catalogue", "python -m symattn catalogue")))
        if target:
            (folder / target).write_text(found, encoding="utf-8")
    return folder


def run(folder: Path, *words: str) -> str:
    """What a command says in the copy."""
    command = [sys.executable if words[0] == "python" else words[0], *words[1:]]
    environment = {"PYTHONPATH": str(folder), "PATH": ""}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def must_be_everywhere(name: str) -> None:
    """An operation of ours is called, has docs and types, and is heard at every stage, or listed with a reason."""
    (example,) = BY_OPERATION[name]
    listed = {stage for stage, reasons in NOTHING_TO_SAY.items() if name in reasons}
    assert silent(example) == listed
    assert listed <= {"products", "worked row"}


@pytest.mark.sampled(0)
def test_one_of_ours_is_its_record_and_is_everywhere(copy: Path) -> None:
    run(copy, "python", "-c", "from tests.test_new_operation import must_be_everywhere as ask; ask('softsign')")
    files = ("tests/operations/test_records.py", "tests/second_road/test_records_torch.py")
    said = run(copy, "python", "-m", "pytest", "-q", "-p", "no:cacheprovider", *files, "-k", "softsign")
    assert re.search(r"\d passed", said)


def test_the_page_names_what_there_is() -> None:
    for path in re.findall(r"`((?:tests|symattn|docs)/[\w/.]+\.(?:py|md|toml))`", PAGE):
        assert (ROOT / path).exists(), path
