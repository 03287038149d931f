"""The items of a section, and the givens that no item shows."""

from __future__ import annotations

import pytest

from symattn.errors import ScenarioError
from symattn.scenario.load import loads
from symattn.scenario.model import Item, ListingItem, NoteItem, ShowItem, StepItem, UnfoldItem
from symattn.scenario.words import Text, Words

HEAD = """\
title = "t"
general.x = ["1", "n"]
given.X = [["1", "2"], ["3", "4"]]
given.W = [["1", "0"], ["0", "1"]]
[[section]]
title = "s"
"""


def items(*entries: str) -> tuple[Item, ...]:
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
def test_an_item(entry: str, item: Item) -> None:
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
    note = Words({"en": (Text("a"),)})
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


def test_several_givens_come_in_the_order_of_the_formula() -> None:
    assert items("'Q = W @ X'")[:2] == (ShowItem("W"), ShowItem("X"))


def test_symbols_alone_do_not_call_for_the_numbers() -> None:
    assert items("{show = 'Q', form = 'general'}", "{unfold = 'Q'}", "'Q = X @ W'")[2:4] == (
        ShowItem("X"),
        ShowItem("W"),
    )
    assert items("{show = 'Q', form = 'weighted'}", "'Q = X @ W'")[:2] == (ShowItem("X"), ShowItem("W"))


@pytest.mark.parametrize(
    ("entry", "key", "message"),
    [
        ("'Q'", "", "unknown name 'Q': known: D, W, X, Y, s, x"),
        ("'softmax(X)'", "", "unknown name 'softmax(X)': known: D, W, X, Y, s, x; a step is written name = formula"),
        ("'x'", "", "x is general: it has the shape (1, n) and no numbers"),
        ("{show = 'Q'}", ".show", "unknown name 'Q': known: D, W, X, Y, s, x"),
        ("{show = 's'}", ".show", "s is general: it has the shape (1, 1) and no numbers"),
        ("{show = 'x', form = 'vectors'}", ".show", "x is general: it has the shape (1, n) and no numbers"),
        ("{show = 'Y', form = 'weighted'}", ".form", "Y is not the product of two matrices: weighted needs one"),
        ("{show = 'X', form = 'weighted'}", ".form", "X is not the product of two matrices: weighted needs one"),
        ("{show = 'D', form = 'weighted'}", ".form", "D is not the product of two matrices: weighted needs one"),
        ("{step = 'Q = X', works = [3, 1]}", ".works", "Q is (2, 2): expected a row and a column in it, came [3, 1]"),
        ("{step = 'Q = X', works = [1, 0]}", ".works", "Q is (2, 2): expected a row and a column in it, came [1, 0]"),
        ("{step = 'Q = dot(x, x)', works = [1, 1]}", ".works", "Q is general: it has the shape (1, 1) and no numbers"),
        ("{step = 'Q = X', note = '{B}'}", ".note", "{B}: unknown name 'B'"),
        ("{unfold = 'X'}", ".unfold", "X has no definition to unfold: expected a step"),
        ("{unfold = 'Q'}", ".unfold", "unknown name 'Q'"),
        ("{unfold = 'Y', to = ['X', 'W']}", ".to[2]", "unknown name behind Y 'W': known: X"),
        ("{unfold = 'Y', to = ['Y']}", ".to[1]", "unknown name behind Y 'Y': known: X"),
        ("{unfold = 'Y', called = 'f'}", ".called", "the key to is missing: the names that go in its parentheses"),
        (
            "{unfold = 'Y', to = ['X'], called = '\\input{x}'}",
            ".called",
            "expected a name of letters and digits, at most 40",
        ),
        (
            "{listing = 'rr', of = 'Y'}",
            ".listing",
            "unknown language of a program 'rr': did you mean 'r'? known: julia, numpy, r",
        ),
        ("{listing = 'r', of = 'X'}", ".of", "X is given: expected a step, which a program can compute"),
        ("{listing = 'r', of = 's'}", ".of", "s is general: it has the shape (1, 1) and no numbers"),
        ("{note.en = '{Q}'}", ".note.en", "{Q}: unknown name 'Q': known: D, W, X, Y, n, s, x"),
    ],
)
def test_what_does_not_fit(entry: str, key: str, message: str) -> None:
    with pytest.raises(ScenarioError) as error:
        items("'Y = X.T'", "'s = dot(x, x)'", "\n" + entry, "'D = 2 * X'")
    assert type(error.value) is ScenarioError
    assert str(error.value).startswith(f"l.toml, line 8, section[1].steps[3]{key}: ")
    assert message in str(error.value)
