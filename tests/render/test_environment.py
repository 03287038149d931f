"""Templates are found, and whatever is missing in one is named."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

import jinja2
import pytest
from jinja2 import DictLoader

import symattn
from symattn.base.errors import RenderError
from symattn.base.words import folder_of, languages
from symattn.write import environment
from symattn.write.environment import Macros, Phrases, Templates, made_of, reader
from symattn.write.modules import write_modules
from symattn.write.page import LABELS
from tests.render.test_formats import TEMPLATED


def read(source: str) -> Macros:
    return Macros(reader(DictLoader({"xx.j2": source})), "xx.j2", "language xx", "phrase")


@pytest.mark.parametrize(
    ("name", "given", "sentence"),
    [
        ("atends", (), "language xx: unknown phrase 'atends': did you mean 'attends'? known: attends"),
        ("head", (), "language xx: phrase 'head': parameter 'text' was not provided"),
        ("head", ("text", "more"), "language xx: phrase 'head': macro 'head' takes no keyword argument 'more'"),
    ],
)
def test_what_is_wrong_with_a_phrase_is_named(words: Macros, name: str, given: tuple[str, ...], sentence: str) -> None:
    with pytest.raises(RenderError, match=re.escape(sentence)):
        words.call(name, dict.fromkeys(given, "a"))


@pytest.mark.parametrize(
    ("source", "sentence"),
    [
        ("{% macro a() %}{{ b }}{% endmacro %}", "language xx: phrase 'a': 'b' is undefined"),
        ("{% macro a( %}", "language xx: cannot read the template xx.j2: "),
        ("{% set a = 1 %}", "unknown phrase 'a': known: none"),
    ],
)
def test_what_is_wrong_with_a_template_is_named(source: str, sentence: str) -> None:
    with pytest.raises(RenderError, match=re.escape(sentence)):
        read(source).call("a", {})


def test_the_languages_have_the_same_phrases_and_what_the_renderer_says_itself() -> None:
    known = [{name for name in environment.words(language).known if name not in HELPERS} for language in languages()]

    assert all(names == known[0] for names in known)
    assert {*LABELS.values(), "listing_output"} <= known[0]


@pytest.mark.parametrize("language", languages())
def test_no_phrase_is_overlooked_when_a_language_is_taken_apart(language: str) -> None:
    """Jinja compiles the whole file and finds the same macros."""
    words = environment.words(language)
    text = environment.phrases_of(folder_of(language), language)
    whole = Macros(reader(DictLoader({"all": text})), "all", language, "phrase")

    assert isinstance(words, Phrases)
    assert set(words.known) == set(whole.known)


HELPERS = {
    *("column_of", "columns_of", "counted", "label_of", "list_of", "quoted_list"),
    *("row_called", "row_name", "row_of", "rows_of"),
}
"""What a language's macros use among themselves."""


def test_a_phrase_is_compiled_with_those_that_its_own_call() -> None:
    said = {"a": "{{ b() }}", "b": "{{ c() }}", "c": "d"}
    text = "".join(f"{{% macro {name}() %}}{inner}{{% endmacro %}}\n" for name, inner in said.items())
    assert Phrases(reader(DictLoader({})), text, "language xx").call("a", {}) == "d"


@pytest.mark.parametrize(
    ("language", "said"),
    [
        (
            "en",
            "The shares are spread most evenly in the row of “a” and the row of “b” in place 3, least evenly in row 2.",
        ),
        ("zh-Hant", "各列之中，「a」和第 3 個位置的「b」最分散，第 2 列最集中。"),
        ("zh-Hans", "各行之中，“a”和第 3 个位置的“b”最分散，第 2 行最集中。"),
    ],
)
def test_a_phrase_is_compiled_with_those_it_calls(language: str, said: str) -> None:
    words = environment.words(language)

    assert words.call("entropy_rows", {"most": [["a", 0, 0], ["b", 3, 0]], "least": [["", 2, 0]]}) == said
    assert words.call("lead_all_entries", {})


@pytest.fixture
def _wheel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The templates are compiled as in a wheel, and Jinja cannot compile any more."""
    (tmp_path / "templates" / "compiled").mkdir(parents=True)
    write_modules(tmp_path / "templates" / "compiled")
    monkeypatch.setattr(symattn, "__path__", [*symattn.__path__, str(tmp_path)])
    monkeypatch.delattr(jinja2.Environment, "compile")
    yield
    for name in [name for name in sys.modules if name.startswith("symattn.templates")]:
        del sys.modules[name]


@pytest.mark.usefixtures("_wheel")
def test_what_a_wheel_has_compiled_is_not_compiled_again_and_what_was_changed_is(tmp_path: Path) -> None:
    for part in TEMPLATED:
        ours = reader(Templates(part), part)
        arguments = {"role": "text", "text": "a", "label": "", "gap": ""}
        assert Macros(ours, "blocks.j2", part, "block").call("prose", arguments).strip() in ("a", "<p>a</p>")
        with pytest.raises(jinja2.UndefinedError):
            ours.get_template("document.j2").render()
    for language in languages():
        words = environment.words.__wrapped__(language)
        assert words.call("why_label", {})
        with pytest.raises(RenderError, match="parameter 'most' was not provided"):
            words.call("entropy_rows", {})

    changed = Templates("markdown")
    changed.searchpath = [str(tmp_path)]
    (tmp_path / "document.j2").write_text("{{ title }} was changed")
    with pytest.raises(AttributeError, match="compile"):
        reader(changed, "markdown").get_template("document.j2")


def test_a_compiled_template_is_of_one_text_one_reader_and_one_jinja(monkeypatch: pytest.MonkeyPatch) -> None:
    ours = reader(DictLoader({}))
    names = {
        made_of(ours, "markdown", "blocks.j2", "a"),
        made_of(ours, "markdown", "blocks.j2", "b"),
        made_of(ours, "markdown", "document.j2", "a"),
        made_of(ours, "latex", "blocks.j2", "a"),
        made_of(reader(DictLoader({}), "latex"), "markdown", "blocks.j2", "a"),
        made_of(ours.overlay(trim_blocks=False), "markdown", "blocks.j2", "a"),
        made_of(ours.overlay(undefined=jinja2.Undefined), "markdown", "blocks.j2", "a"),
    }
    monkeypatch.setattr(jinja2, "__version__", "3.0")

    assert len(names | {made_of(ours, "markdown", "blocks.j2", "a")}) == 8
