"""What a page asks and answers, and what it says of a change in one step: a form and a second road for each kind."""

from __future__ import annotations

import re

from tests.sentences.of_steps import LARGE, Found
from tests.sentences.page import NUMBER, SYMBOL, About, Kind, largest
from tests.sentences.slips import SLIPS, results
from tests.sentences.values import mp, number, same

OF = rf"(?P<symbol>{SYMBOL})"
ROW_OF = r"row (?P<row>\d+)(?: \(“(?P<label>[^”]*)”\))?"


def _followed_by(of: About, function: str) -> bool:
    """Whether a step applies a function to a matrix."""
    return any(re.fullmatch(rf"{function}\({of.name}\)", each["written"].replace(" ", "")) for each in of.data["steps"])


def _ask_largest(about: About, found: Found) -> bool:
    of = about.called(found["symbol"])
    row = of.value[int(found["row"] or 1) - 1]
    assert not found["label"] or of.rows[int(found["row"]) - 1] == found["label"], "the row has another label"
    top = largest(row)
    return (
        _followed_by(of, "softmax")
        and len(top) == 1
        and of.is_list(found["top"], top)
        and of.is_figure(found["score"], row[top[0]])
    )


def _ask_mask(about: About, found: Found) -> bool:
    of = about.called(found["symbol"])
    row = of.value[int(found["row"]) - 1]
    assert not found["label"] or of.rows[int(found["row"]) - 1] == found["label"], "the row has another label"
    left = sum(mp.isfinite(x) and x > -LARGE for x in row)
    assert _followed_by(of, "softmax")
    return int(found["left"]) == left < len(row) == int(found["width"]) and int(found["hidden"] or 1) == len(row) - left


def _ask_sign(about: About, found: Found) -> bool:
    of = about.called(found["symbol"])
    negative = sum(x < 0 for x in of.entries)
    return _followed_by(of, "relu") and (int(found["total"]), int(found["cut"])) == (len(of.entries), negative)


def _ask_sum(about: About, found: Found) -> bool:
    row = about.called(found["symbol"]).value[int(found["row"]) - 1]
    return len(row) > 1 and abs(mp.fsum(row)) < mp.mpf(10) ** -40


def _ask_shape(about: About, found: Found) -> bool:
    right = about.called(found["symbol"])
    written = [re.fullmatch(rf"(\w+)@{right.name}", each["written"].replace(" ", "")) for each in about.data["steps"]]
    rows = {len(about.at(each[1]).value) for each in written if each is not None}
    assert int(found["rows"]) in rows, "no product has such a left factor"
    return right.size[1] == int(found["columns"]) and right.size[1] != int(found["rows"])


def _ask_slip(about: About, found: Found) -> bool:
    """That the page prints the right figure in that place of some step, and that the slip gives the wrong one there."""
    text = found["places"] or ""
    places = {tuple(int(each) - 1 for each in (text.split(",") if "," in text else text))}
    places |= {(int(text) - 1, 0), (0, int(text) - 1)} if text.isdecimal() else set()
    right, wrong = found["right"].strip("$"), found["wrong"].strip("$")
    there = [
        (each.name, i, j)
        for each in (about.at(each["name"]) for each in about.data["steps"] if "decimals" in each["values"])
        # The letter of a single number may end in a number.
        for i, j in ({(0, 0)} if each.size == (1, 1) else {place for place in places if len(place) == 2})
        if i < each.size[0] and j < each.size[1] and each.printed[i][j] == right
    ]
    if not there or same(number(right), number(wrong)):
        return False
    assert found["title"] in SLIPS, "this slip needs a second road"
    written = {each["name"]: each["written"] for each in about.data["steps"]}
    return any(
        i < len(made) and j < len(made[0]) and mp.isfinite(made[i][j]) and about.is_figure(wrong, made[i][j])
        for name, i, j in there
        for made in results(found["title"], name, written, about.values)
    )


OF_QUESTIONS = (
    Kind("ask_largest", rf"Which entry of (?:{ROW_OF} of )?{OF} will get the largest weight from softmax\? That of (?P<top>.+?): (?P<score>{NUMBER}) is the largest score of the row, and softmax keeps the order\.", _ask_largest),
    Kind("ask_mask", rf"After the mask, how many entries of {ROW_OF} of {OF} can still get weight\? (?P<left>\d+) of (?P<width>\d+): the mask hides the other(?: (?P<hidden>\d+))?\.", _ask_mask),
    Kind("ask_sign", rf"How many of the (?P<total>\d+) entries of {OF} will ReLU set to 0\? (?P<cut>\d+): as many of them are negative\.", _ask_sign),
    Kind("ask_sum", rf"What do the entries of row (?P<row>\d+) of {OF} add up to, before rounding\? No calculator is needed\. To exactly 0: the mean of the row was subtracted from each of its entries\.", _ask_sum),
    Kind("ask_shape", rf"Why can the two factors of \$[^$]+\$ not change places\? {OF} has (?P<columns>\d+) columns? and {SYMBOL} has (?P<rows>\d+) rows?\.", _ask_shape),
    Kind("ask_slip", rf"Somebody got (?P<wrong>{NUMBER}) for \$[^$]*?(?:_\{{?(?P<places>[\d,]+)\}}?[^$_]*)?\$ in place of (?P<right>{NUMBER})\. What went wrong\? (?P<title>[^.]+)\. .*", _ask_slip),
)  # fmt: skip
"""A question comes with its answer."""
