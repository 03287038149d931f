"""Words: what stands in braces, the choice of a language, and what is refused."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symattn.base.errors import ScenarioError
from symattn.base.shapes import Axis, Shape, shape
from symattn.read.formula import Scope
from symattn.read.scenario.problem import Problem
from symattn.read.scenario.words import (
    FigureRef,
    FormulaRef,
    LabelRef,
    PlainText,
    RankedRef,
    SizeRef,
    SymbolRef,
    WordPart,
    Words,
    WordScope,
    parse,
)

KNOWN = WordScope(
    Scope(
        {"A": shape(2, 3), "X": shape(3, 3), "x": Shape(Axis(1), Axis("n", "n")), "s": shape(1, 1)},
        {"d_k": 4, "n": "n"},
    ),
    {"L": ("a", "b"), "vocabulary": ("{A}",)},
    "L",
    frozenset({"x", "s"}),
)


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("", ()),
        ("100 % of $5 \\input{{x}} <b> a_b", (PlainText("100 % of $5 \\input{x} <b> a_b"),)),
        ("{{{A}}}", (PlainText("{"), SymbolRef("A"), PlainText("}"))),
        ("{A}{d_k}{softmax}{n}", (SymbolRef("A"), SymbolRef("d_k"), SymbolRef("softmax"), SymbolRef("n"))),
        ("{ A }", (SymbolRef("A"),)),
        ("{A[2,3]} {A[ 1 , 1 ]}", (FigureRef("A", 2, 3), PlainText(" "), FigureRef("A", 1, 1))),
        ("{token:2}{token: 1}", (LabelRef("L", 2), LabelRef("L", 1))),
        ("{label:vocabulary:1}", (LabelRef("vocabulary", 1),)),
        (
            "{largest:A[2]}{ smallest_value : A[ 1 ]}",
            (RankedRef("A", 2, "largest"), RankedRef("A", 1, "smallest", True)),
        ),
        ("{size:d_k}", (SizeRef("d_k"),)),
        ("{math: A @ X / sqrt(d_k)}", (FormulaRef("A @ X / sqrt(d_k)"),)),
        ("{math:-10^9}", (FormulaRef("-10^9"),)),
        ("{math: layer_norm(A, epsilon=10^-5)}", (FormulaRef("layer_norm(A, epsilon=10^-5)"),)),
    ],
)
def test_reads(text: str, parts: tuple[WordPart, ...]) -> None:
    assert parse(text, KNOWN) == parts


def test_the_place_of_a_problem_has_the_language() -> None:
    with pytest.raises(Problem) as problem:
        Words.read({"en": "fine", "zh-Hans": "{B}"}, KNOWN, ("section", 0, "why"))
    assert problem.value.key == ("section", 0, "why", "zh-Hans")
    with pytest.raises(Problem) as problem:
        Words.read({"": "{B}"}, KNOWN, ("intro",))
    assert problem.value.key == ("intro",)


@pytest.mark.parametrize(
    ("languages", "language", "source", "picked"),
    [
        (["zh-Hant", "zh-Hans", "en"], "zh-Hans", "zh-Hant", "zh-Hans"),
        ([""], "zh-Hans", "zh-Hant", ""),
        (["zh-Hant", "en"], "zh-Hans", "zh-Hant", "zh-Hant"),
        (["zh-Hant", "en"], "zh-Hans", "zh-Hans", "en"),
        (["zh-Hant"], "en", "zh-Hans", "zh-Hant"),
    ],
)
def test_pick(languages: list[str], language: str, source: str, picked: str) -> None:
    words = Words.read({name: name for name in languages}, KNOWN)
    assert words.pick(language, source) == ((PlainText(picked),) if picked else ())


@settings(max_examples=40)
@given(st.text(max_size=60))
def test_doubled_braces_print_as_themselves(text: str) -> None:
    parts = parse(text.replace("{", "{{").replace("}", "}}"), KNOWN)
    assert parts == ((PlainText(text),) if text else ())


@settings(max_examples=40)
@given(st.text(st.sampled_from("{}[]:,12AXx_dk mathtoken@+/^."), max_size=40))
def test_any_text(text: str) -> None:
    with suppress(ScenarioError):
        parse(text, KNOWN)
