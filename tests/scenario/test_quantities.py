"""Quantities, tensors and claims as a scenario file writes them, and what does not fit."""

from __future__ import annotations

import pytest

from symattn.base.errors import SymattnError
from symattn.read.scenario.claims import plain_figure
from symattn.read.scenario.load import loads
from symattn.read.scenario.model import (
    ClaimedEntry,
    ClaimedOrder,
    ClaimedQuantity,
    QuantityItem,
    Scenario,
    ShowItem,
    TensorItem,
)
from symattn.read.scenario.words import SymbolRef

HEAD = """\
title = "t"
sizes = {m = 3, n = 2, B = 1, h = 2, w = 2}
given.X = {value = [["1", "0"], ["0", "1"], ["1", "1"]], axes = ["m", "n"]}
given.Y = [["1", "0"]]
general.U = ["D", "D"]
[[section]]
title = "s"
"""


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


@pytest.mark.parametrize(
    ("text", "value"),
    [("2 m n", 12), ("2n² + √(h + w)", 10), ("m × n - 1", 5), (r"\frac{m}{n} \cdot n", 3), ("3n", 6), ("m·n", 6)],
)
def test_a_quantity_is_written_as_any_formula_is(text: str, value: int) -> None:
    quantity = scenario(f"{{ quantity = 'q = {text}' }}").quantities["q"]
    assert (
        quantity.value.subs({symbol: {"m": 3}.get(str(symbol), 2) for symbol in quantity.value.free_symbols}) == value
    )
