"""Mathematics as plain characters: one spelling for terminals, data and sheets, and no two formulas share one."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

import pytest

from symattn.api.explanation import explain
from symattn.show.math import Accented, Fraction, Grid, Letter, Math, Number, Parens, Root, Script, Seq, Sign, Sum
from symattn.write.plain_math import characters
from tests.cases import solved
from tests.readers.files import sheet_text

A, E, ROW, J, K, X = map(Letter, "aeijkx")
ALL = Letter("all", "upright")
SUM = Sum(K, Number("1"), Number("3"), X)


@pytest.mark.parametrize(
    ("piece", "text"),
    [
        (Script(Letter("s"), sub=Seq((Number("1"), Number("2"))), sup=Parens(Number("1"))), "s₁₂⁽¹⁾"),
        (Script(Letter("k"), sub=Seq((ROW, J)), sup=Parens(Letter("y"))), "kᵢⱼ^(y)"),
        (Script(Letter("Q"), sub=ALL), "Q_all"),  # a word is not read letter by letter
        (Script(Letter("d"), sub=Seq((ROW, Letter("kappa")))), "d_iκ"),
        (Script(Letter("d"), sub=Seq((ROW, Sign(","), Number("12")))), "d_(i, 12)"),
        (Script(E, sup=Script(Letter("s"), sub=ROW)), "e^(sᵢ)"),
        (Script(Script(X, sup=Sign("T")), sub=ROW), "(xᵀ)ᵢ"),
        (Script(Script(X, sub=ROW), sup=Sign("T")), "xᵢᵀ"),
        (Script(Root(X), sup=Number("2")), "(√x)²"),
        (Root(Script(X, sup=Number("2"))), "√(x²)"),
        (Root(Number("1.5*10^9")), "√(1.5×10⁹)"),
        (Seq((SUM, Sign("+"), A)), "Σ_(k=1…3) x + a"),
        (Sum(K, Number("1"), Number("3"), Seq((X, Sign("+"), A))), "Σ_(k=1…3) (x + a)"),
        (Seq((A, Sign("·"), Fraction(A, X), Sign("+"), Fraction(A, X))), "a · (a / x) + a / x"),
        (Seq((A, Parens(Seq((X, Sign("+"), A))))), "a (x + a)"),  # and no function of x + a
        (Grid(((A, Fraction(A, X)), (Seq((Sign("-"), X)), Number("-2")))), "[a, a / x; −x, −2]"),
        (Accented("tilde", Letter("out", "upright")), "o\u0303ut"),
        (Accented("prime", Letter("out", "upright")), "out\u2032"),
    ],
)
def test_a_spelling_can_be_read_aloud_in_one_way(piece: Math, text: str) -> None:
    assert characters(piece) == text


def spelled(told: object) -> Iterator[tuple[str, str]]:
    """Every formula of a lesson's data, as text and as LaTeX."""
    if isinstance(told, dict):
        if "text" in told and "latex" in told:
            yield told["text"], re.sub("shape=", "", told["latex"])
        for each in told.values():
            yield from spelled(each)
    elif isinstance(told, list):
        for each in told:
            yield from spelled(each)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("name", ["refund", "weather", "training"])
def test_formulas_that_differ_are_spelled_differently(name: str) -> None:
    found: dict[str, str] = {}
    for text, latex in spelled(json.loads(solved(name).render("json", language="en"))):
        assert found.setdefault(text, latex) == latex
    assert len(found) > 100


def test_data_sheets_and_the_terminal_share_one_spelling() -> None:
    data = json.loads(solved("weather").render("json", language="en"))
    shown = [step for step in data["steps"] if step["name"] in ("X", "Q", "S", "A", "Z", "LN_1", "probs")]
    shapes = {chain["text"] for step in shown for chain in step["shapes"]}
    book = solved("weather").published("xlsx", language="en")
    assert isinstance(book, bytes)
    assert shapes
    assert shapes <= set(map(str.strip, sheet_text(book).split("\n")))
    told = explain("softmax(Q @ K.T / sqrt(d_k)) @ V")
    for piece in told.data()["pieces"]:
        assert piece["formula"] in told.render()
