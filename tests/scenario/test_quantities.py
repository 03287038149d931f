"""Quantities, tensors and claims as a scenario file writes them, and what does not fit."""

from __future__ import annotations

import pytest

from symattn.errors import ShapeError, SymattnError
from symattn.scenario.claims import plain_figure
from symattn.scenario.load import loads
from symattn.scenario.model import (
    ClaimedEntry,
    ClaimedOrder,
    ClaimedQuantity,
    QuantityItem,
    Scenario,
    ShowItem,
    TensorItem,
)
from symattn.scenario.words import SymbolRef

HEAD = """\
title = "t"
sizes = {m = 3, n = 2, B = 1, h = 2, w = 2}
given.X = {value = [["1", "0"], ["0", "1"], ["1", "1"]], axes = ["m", "n"]}
given.Y = [["1", "0"]]
general.U = ["D", "D"]
[[section]]
title = "s"
"""
LINE = 8


def scenario(*entries: str, claim: str = "") -> Scenario:
    steps = "steps = [" + ", ".join(["'Z = X @ X.T'", *(f"\n{entry}" for entry in entries)]) + "]"
    rest = f"\n[[claim]]\nabout = 'a'\n{claim}" if claim else ""
    return loads(HEAD + steps + rest, path="l.toml")


def items(*entries: str) -> list[object]:
    found = [item for section in scenario(*entries).sections for item in section.items]
    return [item for item in found if not isinstance(item, ShowItem)][1:]


def test_a_quantity_item() -> None:
    assert items("{quantity = 'N = m^2', at = [{m = 512}, {m = 4}]}") == [
        QuantityItem("N", ((("m", 512),), (("m", 4),)))
    ]


def test_a_tensor_item() -> None:
    assert items("{tensor = 'T', of = ['X', 'X'], axes = ['B', 'h']}") == [TensorItem("T", ("X", "X"), ("B", "h"))]


def test_words_and_notation_may_name_a_quantity_or_a_tensor_before_it_is_defined() -> None:
    text = HEAD.replace("[[section]]", "notation.T = 'bold(A)'\n[[section]]\nintro = '{N} {T} {math: 2 * N}'")
    steps = "steps = [{quantity = 'N = m'}, {tensor = 'T', of = ['X'], axes = ['B']}]"
    read = loads(text + steps)
    intro = read.sections[0].intro
    assert intro is not None
    assert [part.name for part in intro.pick("en", "en") if isinstance(part, SymbolRef)] == ["N", "T"]
    assert list(read.notation) == ["T"]
    assert read.place("T").endswith("section[1].steps[2].tensor")


@pytest.mark.parametrize(
    ("entry", "key", "message"),
    [
        ("{quantity = 'N m'}", ".quantity", "expected name = formula, came 'N m'"),
        ("{quantity = 'X = m'}", ".quantity", "X is already defined at given.X"),
        ("{quantity = 'Z = m'}", ".quantity", "Z is already defined at section[1].steps[1]"),
        ("{quantity = 'm = n'}", ".quantity", "m is already the name of a size"),
        ("{quantity = 'D = n'}", ".quantity", "D is already the name of a size"),
        ("{quantity = 'N = X'}", ".quantity", "this is a matrix, expected a number"),
        ("{quantity = 'N = N'}", ".quantity", "unknown name 'N'"),
        ("{quantity = 'N = 1 / (m - 3)'}", ".quantity", "division by zero"),
        ("{quantity = 'N = sqrt(1 - m)'}", ".quantity", "the number under a root is negative"),
        ("{quantity = 'N = kept(U)'}", ".quantity", "U is general: it has no entries to count"),
        ("{quantity = 'N = multiplications(X @ X)'}", ".quantity", "X is (m=3, n=2)"),
        ("{quantity = 'N = m', at = [{k = 1}]}", ".at[1].k", "unknown size 'k'"),
        ("{quantity = 'N = m', at = [{m = 4}, {n = 1}]}", ".at[2].n", "n is not in N, which has m"),
        ("{quantity = 'N = m', at = [{m = 0}]}", ".at[1].m", "expected a whole number from 1 up"),
        (
            "{quantity = 'N = m', at = [{m = 1000000001}]}",
            ".at[1].m",
            "expected a whole number up to LARGEST_SIZE = 1000000000",
        ),
        ("{quantity = 'N = m', at = [{m = 0.5}]}", ".at[1].m", "expected a whole number"),
        ("{quantity = 'N = m', at = []}", ".at", "expected at least 1"),
        ("{quantity = 'N = m', at = [{}]}", ".at[1]", "expected at least 1"),
        ("{quantity = 'N = 1 / (m - 5)', at = [{m = 5}]}", ".at[1]", "division by zero"),
        ("{quantity = 'N = kept(Y)', at = [{m = 5}]}", ".at[1]", "N counts the entries of a mask one by one"),
        ("{quantity = 'N = kept(window_mask(m, w))', at = [{w = 5}]}", ".at[1]", "wider than the positions there are"),
        ("{quantity = 'N = m * multiplications(U @ U)', at = [{m = 5}]}", ".at[1]", "D is a letter without a number"),
        ("{tensor = 'X', of = ['X'], axes = ['B']}", ".tensor", "X is already defined at given.X"),
        ("{tensor = 'm', of = ['X'], axes = ['B']}", ".tensor", "m is already the name of a size"),
        ("{tensor = 'T', of = ['Q'], axes = ['B']}", ".of[1]", "unknown name 'Q'"),
        ("{tensor = 'T', of = ['X'], axes = ['k']}", ".axes[1]", "unknown axis 'k'"),
        ("{tensor = 'T', of = ['X'], axes = ['D']}", ".axes[1]", "D is a letter without a number"),
        ("{tensor = 'T', of = [], axes = ['B']}", ".of", "expected at least 1"),
        ("{tensor = 'T', of = ['X']}", ".axes", "missing"),
        ("{note = '{math: T + 1}'}, {tensor = 'T', of = ['X'], axes = ['B']}", ".note", "unknown name 'T'"),
        ("'Q = X / N', {quantity = 'N = m'}", "", "unknown name 'N'"),
    ],
)
def test_what_does_not_fit(entry: str, key: str, message: str) -> None:
    with pytest.raises(SymattnError) as error:
        scenario(entry)
    assert str(error.value).startswith(f"l.toml, line {LINE + 1}, section[1].steps[2]{key}: ")
    assert message in str(error.value)


def test_a_batch_axis_where_none_fits_names_the_sizes_and_the_count() -> None:
    with pytest.raises(ShapeError) as error:
        scenario("{tensor = 'T', of = ['X', 'X'], axes = ['h', 'w']}")
    assert "the axes of T have h × w = 2 × 2 = 4 places, and of lists 2 matrices" in str(error.value)


def test_matrices_of_different_shapes_are_both_named() -> None:
    with pytest.raises(ShapeError) as error:
        scenario("{tensor = 'T', of = ['X', 'Y'], axes = ['h']}")
    assert "X is (m=3, n=2), Y is (1, 2): the matrices of one tensor have one shape" in str(error.value)


def test_a_name_is_given_once_among_quantities_and_tensors() -> None:
    with pytest.raises(SymattnError, match=r"N is already defined at section\[1\].steps\[2\].quantity"):
        scenario("{quantity = 'N = m'}", "{tensor = 'N', of = ['X'], axes = ['B']}")


QUANTITIES = ("{quantity = 'N = m^2'}", "{quantity = 'L = multiplications(U @ U)'}")


@pytest.mark.parametrize(
    ("text", "subject"),
    [
        ("says = '1'\nvalue = 'Z[2,3]'", ClaimedEntry("Z", 2, 3)),
        ("says = '1'\nvalue = 'N'", ClaimedQuantity("N")),
        ("says = '262,144'\nvalue = 'N'\nat = {m = 512}", ClaimedQuantity("N", (("m", 512),))),
        ("says = '27'\nvalue = 'L'\nat = {D = 3}", ClaimedQuantity("L", (("D", 3),))),
        ("says = 'O(1)'\norder_of = 'N'\nin = 'm'", ClaimedOrder("N", "m")),
        ("says = 'three times as fast'", None),
    ],
)
def test_a_claim(text: str, subject: object) -> None:
    (claim,) = scenario(*QUANTITIES, claim=text).claims
    assert claim.subject == subject


@pytest.mark.parametrize(
    ("text", "key", "message"),
    [
        ("says = 1\nvalue = 'N'", ".says", "expected a text in quotes"),
        ("says = 'x'\nvalue = 'N'", ".says", "'x' is not a figure"),
        ("says = '1,49'\nvalue = 'N'", ".says", "'1,49' is not a figure"),
        ("says = '1'\nvalue = 'Q'", ".value", "unknown name 'Q'"),
        ("says = '1'\nvalue = 'Q[1,1]'", ".value", "unknown name 'Q'"),
        ("says = '1'\nvalue = 'Z[4,1]'", ".value", "expected a row from 1 to 3 and a column from 1 to 3, came [4,1]"),
        ("says = '1'\nvalue = 'Z[0,1]'", ".value", "came [0,1]"),
        ("says = '1'\nvalue = 'Z'", ".value", "Z is a matrix: expected an entry of it such as Z[1,1]"),
        ("says = '1'\nvalue = 'U[1,1]'", ".value", "U is general"),
        ("says = '1'\nvalue = 'L'", ".value", "L has no value: D is a letter without a number"),
        ("says = '1'\nvalue = 'N'\nat = {n = 3}", ".at.n", "n is not in N"),
        ("says = '1'\nvalue = 'Z[1,1]'\nat = {m = 3}", ".at", "at is for quantities"),
        ("says = '1'\nat = {m = 3}", ".at", "at goes with value, which is missing"),
        ("says = '1'\nin = 'm'", ".in", "in goes with order_of, which is missing"),
        ("says = 'O(1)'\norder_of = 'N'", "", "in is missing"),
        ("says = 'O(1)'\norder_of = 'N'\nin = 'k'", ".in", "unknown size 'k'"),
        ("says = '1'\norder_of = 'N'\nin = 'm'", ".says", "'1' is not an order"),
        ("says = 'O(1)'\norder_of = 'X'\nin = 'm'", ".order_of", "this is a matrix, expected a number"),
        ("says = 'O(1)'\norder_of = 'multiplications(Y @ Y.T)'\nin = 'm'", ".order_of", "has no letters to grow with"),
        ("says = 'O(1)'\norder_of = '1 / (m + 1)'\nin = 'm'", ".order_of", "1 / (m + 1) is not a sum of powers of m"),
        ("says = 'O(1)'\norder_of = 'N'\nvalue = 'N'\nin = 'm'", ".order_of", "leave one out"),
        ("says = '1'\nreason = '{Q}'", ".reason", "unknown name 'Q'"),
        ("says = '1'\nfigure = 'N'", ".figure", "unknown key 'figure': known: about, at, in, order_of, reason, says"),
        ("says = ''", ".says", "something in it"),
    ],
)
def test_a_claim_that_does_not_fit(text: str, key: str, message: str) -> None:
    with pytest.raises(SymattnError) as error:
        scenario(*QUANTITIES, claim=text)
    place, _, sentence = str(error.value).partition(f"claim[1]{key}: ")
    assert place.startswith("l.toml, line 1")
    assert message in sentence


def test_claims_are_an_array_of_tables() -> None:
    with pytest.raises(SymattnError, match=r"claim: expected \[\[claim\]\] with two brackets"):
        loads(HEAD + "[claim]\nsays = '1'")


@pytest.mark.parametrize(
    ("says", "plain"),
    [
        ("262,144", "262144"),
        ("1,234,567.50", "1234567.50"),
        ("-1 000", "-1000"),
        ("1,49", "1,49"),
        ("1,000 000", "1,000 000"),
        ("0.5", "0.5"),
    ],
)
def test_thousands_may_be_separated(says: str, plain: str) -> None:
    assert plain_figure(says) == plain
