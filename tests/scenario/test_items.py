"""The items of a section, and the givens that no item shows."""

from __future__ import annotations

import pytest

from symattn.read.scenario.load import loads
from symattn.read.scenario.model import (
    ListingItem,
    NoteItem,
    ProveItem,
    SectionItem,
    ShowItem,
    StepItem,
    UnfoldItem,
    VarianceItem,
)
from symattn.read.scenario.words import PlainText, Words

HEAD = """\
title = "t"
general.x = ["1", "n"]
given.X = [["1", "2"], ["3", "4"]]
given.W = [["1", "0"], ["0", "1"]]
[[section]]
title = "s"
"""


def items(*entries: str) -> tuple[SectionItem, ...]:
    text = HEAD + "steps = [" + ", ".join(entries) + "]"
    return tuple(item for section in loads(text, path="l.toml").sections for item in section.items)


SHOWN = ("'X'", "'W'")


@pytest.mark.parametrize(
    ("entry", "item"),
    [
        ("'Q = X @ W'", StepItem("Q", "X @ W")),
        ("' X '", ShowItem("X")),
        ("{step = 'Q = X @ W', decimals = 2, works = [2, 1]}", StepItem("Q", "X @ W", 2, None, (2, 1))),
        ("{show = 'x', form = 'general'}", ShowItem("x", "general")),
        ("{show = 'x', form = 'rows'}", ShowItem("x", "rows")),
        ("{show = 'X', form = 'vectors', decimals = 3}", ShowItem("X", "vectors", 3)),
    ],
)
def test_an_item(entry: str, item: SectionItem) -> None:
    assert items(*SHOWN, entry)[2] == item


def test_items_that_look_ahead() -> None:
    entries = (
        "{show = 'Z', form = 'weighted'}",
        "{unfold = 'Z'}",
        "{unfold = 'Z', to = ['Q'], called = 'Att'}",
        "{listing = 'r', of = 'Z'}",
        "'Q = X @ W'",
        "'Z = Q @ X'",
    )
    assert items(*SHOWN, *entries)[2:6] == (
        ShowItem("Z", "weighted"),
        UnfoldItem("Z"),
        UnfoldItem("Z", ("Q",), "Att"),
        ListingItem("r", ("Z",)),
    )


def test_notes() -> None:
    note = Words({"en": (PlainText("a"),)})
    step, paragraph = items(*SHOWN, "{step = 'Q = X @ W', note.en = 'a'}", "{note.en = 'a'}")[2:]
    assert step == StepItem("Q", "X @ W", note=note)
    assert paragraph == NoteItem(note)


def test_a_given_that_no_item_shows_is_shown_before_its_first_use() -> None:
    assert items("'Y = X.T'", "'Q = Y @ W + X'") == (
        ShowItem("X"),
        StepItem("Y", "X.T"),
        ShowItem("W"),
        StepItem("Q", "Y @ W + X"),
    )


def test_a_given_in_any_form_is_shown() -> None:
    assert items("'Y = X.T'", "{show = 'X', form = 'general'}") == (StepItem("Y", "X.T"), ShowItem("X", "general"))


def test_symbols_alone_do_not_call_for_the_numbers() -> None:
    assert items("{show = 'Q', form = 'general'}", "{unfold = 'Q'}", "'Q = X @ W'")[2:4] == (
        ShowItem("X"),
        ShowItem("W"),
    )
    assert items("{show = 'Q', form = 'weighted'}", "'Q = X @ W'")[:2] == (ShowItem("X"), ShowItem("W"))


STATEMENTS = """\
title = "t"
tokens = ["a", "b"]
sizes.d = 2
general.x = ["1", "d"]
general.G = ["n", "d"]
given.X = { value = [["1", "2"], ["3", "4"]], axes = ["n", "d"] }
[[section]]
title = "s"
"""


@pytest.mark.parametrize(
    ("entry", "item"),
    [
        (
            "{prove = ['dot(X, X)', 'X @ X.T'], note = 'w'}",
            ProveItem("dot(X, X)", "X @ X.T", Words({"": (PlainText("w"),)})),
        ),
        # The given X has two rows, the general G any number: for all sizes both have n.
        ("{prove = ['X @ G.T', 'dot(X, G)']}", ProveItem("X @ G.T", "dot(X, G)")),
        ("{variance = 'dot(x, X) / sqrt(d)'}", VarianceItem("dot(x, X) / sqrt(d)")),
    ],
)
def test_a_statement_knows_its_place(entry: str, item: SectionItem) -> None:
    found = loads(f"{STATEMENTS}steps = [{entry}]").sections[0].items[-1]
    assert found == item
    assert isinstance(found, ProveItem | VarianceItem)
    assert found.key == ("section", 0, "steps", 0, entry[1:].partition(" ")[0])
