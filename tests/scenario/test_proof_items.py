"""Statements to be proved: read with their words, formulas checked for all sizes."""

from __future__ import annotations

import pytest

from symattn.errors import SymattnError
from symattn.scenario.load import loads
from symattn.scenario.model import Item, ProveItem, VarianceItem
from symattn.scenario.words import Text, Words

HEAD = """\
title = "t"
tokens = ["a", "b"]
sizes.d = 2
general.x = ["1", "d"]
general.G = ["n", "d"]
given.X = { value = [["1", "2"], ["3", "4"]], axes = ["n", "d"] }
[[section]]
title = "s"
"""


def item(entry: str) -> Item:
    return loads(f"{HEAD}steps = [{entry}]", path="l.toml").sections[0].items[-1]


def test_a_statement() -> None:
    found = item("{prove = ['dot(X, X)', 'X @ X.T'], note = 'w'}")

    assert found == ProveItem("dot(X, X)", "X @ X.T", Words({"": (Text("w"),)}))
    assert isinstance(found, ProveItem)
    assert found.key == ("section", 0, "steps", 0, "prove")


def test_given_and_general_names_together() -> None:
    """The given X has two rows, the general G any number: for all sizes both have n."""
    assert item("{prove = ['X @ G.T', 'dot(X, G)']}") == ProveItem("X @ G.T", "dot(X, G)")


def test_a_variance() -> None:
    assert item("{variance = 'dot(x, X) / sqrt(d)'}") == VarianceItem("dot(x, X) / sqrt(d)")


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ("{prove = ['X']}", "prove: expected at least 2 in the list, came 1"),
        ("{prove = 'X = X'}", "prove: expected a list"),
        ("{prove = ['X', 'Z']}", "prove[2]: for all sizes: formula 'Z': unknown name 'Z'"),
        ("{prove = ['X @ X', 'X']}", "prove[1]: for all sizes: X @ X: X is (n, d), X is (n, d)"),
        ("{prove = ['X', 'X.T']}", "prove: the left side is (n, d), the right side (d, n): expected the same shape"),
        ("{prove = ['X', '2']}", "prove[2]: for all sizes: formula '2': this is a number, expected a matrix"),
        ("{variance = 'X +'}", "variance: for all sizes: formula 'X +': is not a formula"),
        ("{variance = ['X']}", "variance: expected a text in quotes"),
        ("{variance = 'X', to = 'x'}", "to: unknown key 'to'"),
    ],
)
def test_what_does_not_fit(entry: str, said: str) -> None:
    with pytest.raises(SymattnError) as caught:
        item(entry)

    assert f"l.toml, line 9, section[1].steps[1].{said}" in str(caught.value)
