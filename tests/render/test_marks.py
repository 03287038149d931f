"""Numbers over the signs of a chain, in one line and in several, and expected values in square brackets."""

from __future__ import annotations

import pytest

from symattn.document.math import Call, Chain, Fraction, Letter, Number, equation
from symattn.render.layout import displays
from symattn.render.tex import DISPLAY, tex

CHAIN = Chain(Letter("a"), (("=", Letter("b")), ("=", Letter("c"))), (1, 2))


def test_a_chain_with_numbers() -> None:
    assert tex(CHAIN) == r"a \overset{(1)}{=} b \overset{(2)}{=} c"
    assert tex(equation(Letter("a"), Letter("b"))) == "a = b"


def test_the_numbers_stay_where_the_chain_is_broken() -> None:
    (text,) = displays((CHAIN,), DISPLAY, 3)

    assert [line.split("&")[1] for line in text.splitlines()[1:-1]] == [r"\overset{(1)}{=} b\\", r"\overset{(2)}{=} c"]


def test_every_relation_has_a_number_or_none_has() -> None:
    with pytest.raises(ValueError, match="zip"):
        tex(Chain(Letter("a"), CHAIN.links, (1,)))


def test_an_expected_value_has_square_brackets() -> None:
    assert tex(Call("E", (Letter("x"),), "square")) == r"\mathrm{E}[x]"
    assert tex(Call("E", (Fraction(Letter("x"), Number("2")),), "square")) == r"\mathrm{E}\left[\frac{x}{2}\right]"
