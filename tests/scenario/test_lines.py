"""The line of a value: found in every way TOML can write one, and never wrong on the real scenarios."""

from __future__ import annotations

import tomllib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symattn.read.scenario.problem import Key, key_text, line_of

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
[section.why]
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

PLACES: list[tuple[Key, int]] = [
    (("title", "en"), 2),
    (("title", "zh-Hant"), 3),
    (("title", "zh-Hans"), 6),
    (("sizes", "deep"), 9),
    (("sizes", "deep", "d"), 10),
    (("sizes", "deep", "a.b"), 11),
    (("sizes", "deep", "cd"), 12),
    (("given",), 14),
    (("given", "E"), 15),
    (("given", "E", 0, 2), 16),
    (("given", "E", 1), 18),
    (("given", "E", 1, 0), 19),
    (("given", "E", 1, 2), 20),
    (("given", "E", 1, 3), 21),
    (("given", "inline", "value", 1, 0), 24),
    (("given", "inline", "axes", 1), 24),
    (("given", "inline", "note", "en"), 24),
    (("section", 0), 26),
    (("section", 0, "title"), 27),
    (("section", 0, "why"), 28),
    (("section", 0, "why", "en"), 29),
    (("section", 1, "steps", 0), 32),
    (("section", 1, "steps", 1, "works", 1), 33),
    (("section", 1, "steps", 2), 34),
    (("section", 1, "inner", 0, "a"), 36),
    (("section", 1, "inner", 1, "a"), 38),
]


@pytest.mark.parametrize(("key", "line"), PLACES, ids=[key_text(key) for key, _ in PLACES])
def test_every_way_of_writing(key: Key, line: int) -> None:
    tomllib.loads(TEXT)
    assert line_of(TEXT, key) == line


@pytest.mark.parametrize(
    ("key", "line"),
    [
        (("given", "E", 1, 9), 18),
        (("given", "missing"), 14),
        (("section", 1, "title"), 31),
        (("section", 7), 26),
        (("section", 1, "steps", 1, "decimals"), 32),
        (("nothing",), None),
        ((), None),
    ],
)
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
