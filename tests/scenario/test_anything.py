"""Anything at all as a scenario: it loads, or one of our own errors says in one line why not."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symattn.errors import SymattnError
from symattn.scenario.load import load, loads

HEAD = 'title = "t"\n[given]\nX = [["1", "2"], ["3", "4"]]\n'
SECTION = HEAD + '[[section]]\ntitle = "s"\n'
TEXTS = [Path(load(name).path).read_text(encoding="utf-8") for name in ("good", "refund")]
FEW = settings(max_examples=40)


def must_be_ours(text: str) -> None:
    """The text loads, or one of our errors says in one line why not; any other error passes through."""
    said = "any.toml"
    try:
        loads(text, path="any.toml")
    except SymattnError as error:
        said = str(error)
    assert said.startswith("any.toml")
    assert said.isprintable()


PIECES = [
    *"title given section steps tokens sizes general notation printed figures X n note en = . , [ ] [[ ]] { }".split(),
    *'\n " \' "X" "1" "n" 1 0.5 - nan true 1979-05-27'.split(" "),
]


@FEW
@given(st.one_of(st.text(max_size=200), st.lists(st.sampled_from(PIECES), max_size=30).map(" ".join)))
def test_any_text(text: str) -> None:
    must_be_ours(text)
    must_be_ours(SECTION + text)


VALUES = st.recursive(
    st.one_of(
        st.sampled_from(
            ['"X"', '"Y = X.T"', '"1"', "1", "0.5", "true", "nan", "1979-05-27", '""', '"{X[1,1]}"', '"n"']
        ),
        st.integers().map(str),
        st.text(
            st.characters(min_codepoint=32, exclude_characters='\\"\x7f', exclude_categories=["Cs"]), max_size=9
        ).map(lambda text: f'"{text}"'),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3).map(lambda items: "[" + ", ".join(items) + "]"),
        st.dictionaries(
            st.sampled_from("step show note en form value axes X quantity at tensor of says about".split()),
            inner,
            max_size=3,
        ).map(lambda table: "{" + ", ".join(f"{key} = {value}" for key, value in table.items()) + "}"),
    ),
    max_leaves=8,
)
KEYS = (
    "title language tokens token_axis source sizes sizes.n labels labels.n given given.Y given.Y.value given.Y.axes "
    "general general.x notation notation.X figures figures.decimals section printed printed.X reasons reasons.X claim"
).split()


@FEW
@given(st.sampled_from(KEYS), VALUES)
def test_any_value_under_any_key(key: str, value: str) -> None:
    rest = "" if key.startswith("given") else "given.X = [['1', '2'], ['3', '4']]\n"
    must_be_ours(f"title = 't'\n{key} = {value}\n{rest}" if key != "title" else f"title = {value}")


@FEW
@given(st.sampled_from(["title", "number", "intro", "why", "steps"]), VALUES)
def test_any_value_in_a_section(key: str, value: str) -> None:
    must_be_ours(f"{HEAD}[[section]]\n{key} = {value}\n" + ("" if key == "title" else "title = 's'"))


@settings(max_examples=20)
@given(st.data())
def test_a_real_scenario_with_a_change_or_a_line_moved(data: st.DataObject) -> None:
    text = data.draw(st.sampled_from(TEXTS))
    start = data.draw(st.integers(0, len(text) - 1))
    insert = data.draw(st.one_of(st.sampled_from(PIECES), st.text(max_size=4)))
    must_be_ours(text[:start] + insert + text[start + data.draw(st.integers(0, 12)) :])
    lines = text.split("\n")
    line = lines.pop(data.draw(st.integers(0, len(lines) - 1)))
    if data.draw(st.booleans()):
        lines.insert(data.draw(st.integers(0, len(lines))), line)
    must_be_ours("\n".join(lines))


def test_the_property_tests_can_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise KeyError("X")

    monkeypatch.setattr("symattn.scenario.load.build", broken)
    with pytest.raises(KeyError):
        must_be_ours(SECTION)
