"""Why a figure is wrong: mistakes of the bank first, then slips."""

from __future__ import annotations

from symattn.checking.following.causes import MOST, explanations, mistakes_of
from symattn.checking.following.evaluate import Appraiser
from symattn.checking.following.scope import Memory
from symattn.checking.reading.tree import Combined, Expressed, GridRead, NameRead, Unread
from tests.checking.found import figure, figures


def grid(*rows: str) -> GridRead:
    return GridRead(figures(*rows), "matrix", 2, 0, 1)


def done(op: str, *args: Expressed, sign: str = "") -> Combined:
    return Combined(op, args, 0, 1, sign)


Q, K, V = grid("2 0", "0 2", "1 1"), grid("0 2", "2 0", "1 3"), grid("1 2", "1 1", "2 1")
SCORES = done("*", Q, done("T", K), sign="beside")
WEIGHTS = done("call:softmax", done("/", SCORES, done("root", figure("2"))))
worth = Appraiser(Memory()).value


def test_mistakes_in_a_formula_as_it_is_written() -> None:
    found = mistakes_of(done("/", SCORES, done("root", figure("2"))), worth, grid("0 4 2", "4 0 6", "2 2 4").rows)
    assert [one.name for one in found] == ["mistake:scale_forgotten"]


def test_values_that_were_forgotten() -> None:
    output = done("*", WEIGHTS, V, sign="\\cdot")
    printed = grid("0.045 0.768 0.187", "0.193 0.011 0.795", "0.164 0.164 0.673").rows
    assert "mistake:values_forgotten" in [one.name for one in mistakes_of(output, worth, printed)]


def test_mistakes_come_before_slips() -> None:
    scaled, printed = done("/", SCORES, done("root", figure("2"))), grid("0 4 2", "4 0 6", "2 2 4").rows
    mistakes = mistakes_of(scaled, worth, printed)
    found = explanations(printed, worth(scaled).true, (0, 1), mistakes)
    assert found[0].name == "mistake:scale_forgotten"
    assert "slip:factor" not in [one.name for one in found]
    assert explanations(printed, worth(scaled).true, (0, 1))[0].said == "All figures are √2 times what they should be."
    assert len(found) <= MOST


def test_what_cannot_be_said_is_left() -> None:
    unknown = NameRead("Y", (), (), (), 0, 1)
    deep: Expressed = Q
    for _ in range(500):
        deep = done("neg", deep)
    for formula in (unknown, deep, done("^", Q, figure("2")), Unread("?", "", 0, 1), done("*", Q, K, sign="⊙")):
        assert mistakes_of(formula, worth, grid("1 2", "3 4").rows) == ()
