"""In a document a letter means one matrix, and one that stands for a number means none."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import pytest

from symattn.read.catalogue import entries
from symattn.read.scenario.load import builtin_names, loads
from symattn.read.scenario.model import Scenario
from symattn.show.build import scenario_names
from symattn.show.math import Accented, Letter, Number, Script
from symattn.show.notation.bases import chosen, head
from symattn.write.tex_math import tex
from tests.cases import solved


def must_be_apart(scenario: Scenario) -> None:
    names = scenario_names(scenario)
    written = {name: tex(base) for name, base in names.bases.items()}
    assert [base for base, count in Counter(written.values()).items() if count > 1] == []
    assert not {head(base) for base in names.bases.values()} & {*scenario.symbols, "i", "j"}


@pytest.mark.parametrize("name", builtin_names())
def test_two_matrices_of_a_scenario_never_share_a_letter(name: str) -> None:
    must_be_apart(solved(name).scenario)


def test_two_matrices_of_an_entry_of_the_catalogue_never_share_a_letter(lesson: Callable[..., str]) -> None:
    for entry in entries():
        must_be_apart(loads(lesson(entry.name)))


X = Letter("X")


@pytest.mark.parametrize(
    ("symbol", "base"),
    [
        (X, "x"),
        (Letter("Gamma", "upright"), r"\mathrm{Gamma}"),
        (Letter("I"), "I"),
        (Letter("A"), "A"),
        (Accented("tilde", X), r"\tilde{x}"),
        (Accented("bold", X), "x"),
        (Script(Accented("hat", X), sub=Letter("Q")), r"\hat{x}^Q"),
        (Script(X, sub=Number("12")), "x^{(12)}"),
        (Script(X, sub=Letter("T")), "x^{(T)}"),
        (Script(X, sub=Letter("k")), "x^{(k)}"),
        (Script(X, sub=Letter("raw", "upright")), r"(X_{\mathrm{raw}})"),
        (Script(X, sup=Letter("T")), "(X^T)"),
        (Script(Letter("LN", "upright"), sub=Number("1")), r"(\mathrm{LN}_1)"),
    ],
)
def test_the_letter_of_a_name_by_itself(symbol: Letter, base: str) -> None:
    assert tex(chosen({"name": symbol}, {"a"})["name"]) == base
