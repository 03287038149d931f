"""Words: every language has the same ones, what is missing is named, and a language is files and no line of Python."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner
from jsonschema import Draft202012Validator

from symattn import derive
from symattn.api.authoring import Derivation
from symattn.base import words
from symattn.base.errors import ScenarioError, UnknownNameError
from symattn.base.words import folder_of, is_language, languages, table, text
from symattn.cli import main
from symattn.course import generate
from symattn.read.scenario import fields
from symattn.read.scenario.load import loads
from symattn.read.scenario.problem import Problem
from symattn.read.scenario.schema import json_schema
from symattn.write import environment

OURS = languages()
KNOWN = ", ".join(sorted(OURS))
OTHER_NAMES = {
    **dict.fromkeys(("en-US", "en-GB"), "en"),
    **dict.fromkeys(("zh", "zh-CN", "zh-SG"), "zh-Hans"),
    **dict.fromkeys(("zh-TW", "zh-HK", "zh-MO"), "zh-Hant"),
}
FILES = sorted(str(path.relative_to(folder_of("en"))) for path in folder_of("en").rglob("*.*"))
TABLES = [
    name.removesuffix(".toml")
    for name in FILES
    if name.endswith(".toml") and name not in ("language.toml", "glossary.toml")
]


def leaves(found: object, at: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], str]]:
    if isinstance(found, str | list):
        yield at, found if isinstance(found, str) else " ".join(found)
    else:
        assert isinstance(found, dict)
        for key, value in found.items():
            yield from leaves(value, (*at, key))


def holes(text: str) -> list[str]:
    """What is put into a text: ``{A}``, ``%(layer)s``."""
    return sorted(re.findall(r"\{.*?\}|%\(\w+\)s", text))


def test_every_language_has_the_same_files() -> None:
    assert set(OURS) >= {"zh-Hant", "zh-Hans", "en"}
    for language in OURS:
        assert sorted(str(path.relative_to(folder_of(language))) for path in folder_of(language).rglob("*.*")) == FILES


@pytest.mark.parametrize("file", TABLES)
def test_every_language_has_the_same_words_and_none_is_empty(file: str) -> None:
    english = dict(leaves(dict(table("en", file))))
    for language in OURS:
        found = dict(leaves(dict(table(language, file))))
        assert list(found) == list(english), language
        for place, said in found.items():
            assert said.strip() == said != "" or place[-1] in ("comma", "and"), (language, place)
            # A family of the catalogue may name in one language what another only speaks of.
            assert holes(said) == holes(english[place]) or file.startswith("catalogue/"), (language, place)


def test_the_comments_of_new_scenarios_are_the_same_in_every_language() -> None:
    macros = {
        language: re.findall(r"macro (\w+\([^)]*\))", (folder_of(language) / "init.j2").read_text(encoding="utf-8"))
        for language in OURS
    }
    assert all(each == macros["en"] for each in macros.values()), macros
    template = (words.templates() / "init" / "lesson.j2").read_text(encoding="utf-8")
    for macro in macros["en"]:
        name = macro.partition("(")[0]
        assert f"words.{name}(" in template or name in ("title", "matrix"), name


def test_no_language_is_named_in_the_code() -> None:
    """Where it is no example: what a language does otherwise is said in its folder."""
    package = Path(words.__file__).parent
    for path in package.rglob("*.py"):
        code = re.sub(r'"""(?:.|\n)*?"""', "", path.read_text(encoding="utf-8"))
        named = re.findall(r'^.*["\']zh(?:-Han[st])?["\'].*$', code, re.MULTILINE)
        assert not named, (path.name, named)


@pytest.mark.parametrize("name", ["xx", "../en", "", "EN", "en/catalogue", 3])
def test_a_language_that_is_not_there_is_unknown(name: str) -> None:
    assert not is_language(name)
    with pytest.raises(UnknownNameError, match=f"unknown language .*known: {KNOWN}"):
        folder_of(name)


@pytest.mark.parametrize(("name", "meant"), OTHER_NAMES.items())
def test_a_language_is_known_by_its_other_names(name: str, meant: str) -> None:
    """In a scenario, in Python and on the command line; what is written carries the language's own name."""
    lesson = loads(f'title.{name} = "a"\nlanguage = "{name}"\ntokens.{name} = ["b"]\n[given]\nX = [["1"]]')
    assert (lesson.language, *lesson.title.texts, *lesson.spoken_labels["n"]) == (meant,) * 3
    own = Derivation({name: "a"}, language=name, tokens={name: ["b"]})
    own.given("X", [["1"]])
    assert own.solve().render(language=name) == own.solve().render() == derive(lesson).render(language=meant)
    assert generate("softmax-row", language=name)[0].language == meant
    assert run("catalogue", "-l", name) == run("catalogue", "-l", meant)
    Draft202012Validator(json_schema()).validate(
        {"title": {name: "a"}, "language": name, "labels": {"v": {name: ["a"]}}}
    )
    with pytest.raises(Problem, match=f"{name} is {meant}, which stands there already"):
        fields.texts({meant: "a", name: "b"})


def test_words_that_are_missing_are_asked_for() -> None:
    with pytest.raises(ScenarioError, match=r"language/en/topics\.toml: \[gone\] has no title: add a line title"):
        text("en", "topics", "gone", "title")
    with pytest.raises(ScenarioError, match=r"language/en/gone\.toml: cannot be read: "):
        table("en", "gone")


def test_words_in_a_language_that_is_not_there_are_refused() -> None:
    with pytest.raises(Problem, match=f"unknown language 'xx': known: {KNOWN}"):
        fields.texts({"en": "a", "xx": "b"})
    with pytest.raises(ScenarioError, match=f"language: unknown value 'xx': known: {KNOWN}"):
        loads('title = "a"\nlanguage = "xx"')


# -- a language of somebody else's package ---------------------------------------------------------------------------

CHANGED = {
    "pages/page.j2": ("%}Question {{ number }}.", "%}Frage {{ number }}."),
    "init.j2": ("The language of the solution:", "Die Sprache der Seite:"),
    "language.toml": (
        'name = "English"\nalso = ["en-US", "en-GB"]',
        'name = "a test language"\nalso = ["de-AT"]',
    ),
    "topics.toml": ('title = "A row of softmax"', 'title = "Eine Zeile softmax"'),
    "mistakes.toml": ('title = "Scale forgotten"', 'title = "Skala vergessen"'),
    "marking.toml": ('unnamed = "Student {number}"', 'unnamed = "Kind {number}"'),
    "models.toml": ('input = "Input"', 'input = "Eingabe"'),
    "catalogue/attention.toml": ('title = "Scaled dot-product attention"', 'title = "Skalierte Aufmerksamkeit"'),
}
"""In the files of English, what is said otherwise in the test language."""

NOTHING_REMEMBERED = (words._of_others, words._called_so, words.table, environment.phrases)


@pytest.fixture(scope="module")
def packages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder on the path of Python with a package that is nothing but files: the words, and what pip writes."""
    place = tmp_path_factory.mktemp("site")
    shutil.copytree(folder_of("en"), place / "german_for_symattn")
    for name, (before, after) in CHANGED.items():
        path = place / "german_for_symattn" / name
        said = path.read_text(encoding="utf-8")
        assert said.count(before) == 1, name
        path.write_text(said.replace(before, after), encoding="utf-8")
    told = place / "german_for_symattn-1.dist-info"
    told.mkdir()
    (told / "METADATA").write_text("Metadata-Version: 2.1\nName: german-for-symattn\nVersion: 1\n", encoding="utf-8")
    (told / "entry_points.txt").write_text("[symattn.languages]\nde = german_for_symattn\n", encoding="utf-8")
    return place


@pytest.fixture
def _german(packages: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The package is there, and is forgotten afterwards."""
    monkeypatch.syspath_prepend(str(packages))
    for remembered in NOTHING_REMEMBERED:
        remembered.cache_clear()
    yield
    for remembered in NOTHING_REMEMBERED:
        remembered.cache_clear()


def run(*arguments: str) -> str:
    result = CliRunner().invoke(main, arguments)
    assert result.exit_code == 0, result.output
    return result.output


@pytest.mark.long
@pytest.mark.usefixtures("_german")
def test_the_commands_take_a_language_that_is_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert "[zh-Hant|zh-Hans|en|de]" in run("derive", "--help")
    assert "**Frage 1.**" in run("derive", "weather", "-l", "de")
    assert r"\xeCJKDeclareCharClass" in run("derive", "weather", "-l", "de", "-f", "latex", "--detail", "result")
    assert "Eine Zeile softmax" in run("exercise", "--list", "-l", "de")
    run("exercise", "softmax-row", "-l", "de", "-o", "sheet.md", "--answers", "answers.json")
    for name in ("sheet.md", "sheet-key.md"):
        assert "Eine Zeile softmax" in Path(name).read_text(encoding="utf-8")
    assert '"de"' in run("exercise", "softmax-row", "-l", "de", "-f", "json")
    answers = Path("answers.json")
    answers.write_text(answers.read_text(encoding="utf-8").replace("null", '"1/3"'), encoding="utf-8")
    assert run("mark", "answers.json", "-l", "de").startswith("Kind 1 (version 1)")
    run("init", "lesson.toml", "-l", "de")
    lesson = Path("lesson.toml").read_text(encoding="utf-8")
    assert "# Die Sprache der Seite: en, zh-Hant, zh-Hans or de." in lesson
    assert 'title = "Skalierte Aufmerksamkeit' in lesson
    assert "**Frage 1.**" in run("derive", "lesson.toml")
    assert "Skalierte Aufmerksamkeit" in run("catalogue", "-l", "de")
    assert json_schema()["properties"]["language"]["enum"] == [*OURS, "de", *sorted([*OTHER_NAMES, "de-AT"])]
    assert run("catalogue", "-l", "de-AT") == run("catalogue", "-l", "de")
    assert "a test language" in run("schema")


@pytest.mark.usefixtures("_german")
def test_python_takes_a_language_that_is_files(tmp_path: Path) -> None:
    assert "**Frage 1.**" in derive("weather").render(language="de")
    assert "Skala vergessen" in {
        text("de", "mistakes", wrong.mistake, "title") for wrong in generate("attention-row", language="de")[0].wrong
    }
    own = Derivation({"de": "Meine", "en": "Mine"}, language="de")
    own.given("X", [["1", "2"]])
    assert own.solve().render().startswith("# Meine")
    with pytest.raises(UnknownNameError, match="known: de, en, zh-Hans, zh-Hant"):
        derive("weather").render(language="fr")


@pytest.mark.long
def test_the_process_takes_it_too(packages: Path) -> None:
    command = [sys.executable, "-m", "symattn", "derive", "good", "--language", "de"]
    environ = {"PYTHONPATH": f"{packages}:{Path(words.__file__).parent.parent}", "PYTHONUTF8": "1"}
    done = subprocess.run(command, capture_output=True, text=True, env=environ, check=True)

    assert "**Frage 1.**" in done.stdout


@pytest.mark.long
def test_a_page_in_a_language_of_ours_asks_no_other_package() -> None:
    program = (
        "import symattn, symattn.base.words\nsymattn.base.words._of_others = None\n"
        "assert symattn.derive('good').render('latex', language='zh-Hans')\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_the_page_on_languages_names_every_file_and_every_key() -> None:
    page = (words.templates().parent / "docs" / "languages.md").read_text(encoding="utf-8")
    about = tomllib.loads(re.findall(r"```toml\n(.*?)```", page, re.DOTALL)[0])

    assert list(leaves_of(about)) == list(leaves_of(dict(table("en", "language"))))
    assert set(re.findall(r"`([\w/.]+)`", page)) >= {name.partition("/")[0] + "/" * ("/" in name) for name in FILES}
    assert f'entry-points."{words.GROUP}"' in page


def leaves_of(found: dict[str, object]) -> Iterator[tuple[str, ...]]:
    return (place for place, _ in leaves(found))


@pytest.mark.parametrize(
    ("point", "sentence"),
    [
        ("en = german_for_symattn", "expected a name such as fr or pt-BR that no other language has"),
        ("../x = german_for_symattn", "expected a name such as fr or pt-BR"),
        ("de = not_there_at_all", r"is no folder with language\.toml in it"),
        ("de = json", r"is no folder with language\.toml in it"),
    ],
)
def test_a_package_that_adds_no_language_is_named(
    point: str, sentence: str, packages: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(packages, tmp_path, dirs_exist_ok=True)
    (tmp_path / "german_for_symattn-1.dist-info" / "entry_points.txt").write_text(f"[symattn.languages]\n{point}\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    words._of_others.cache_clear()
    with pytest.raises(ScenarioError, match=f"the language .* of the package .*: {sentence}"):
        languages()
    words._of_others.cache_clear()
