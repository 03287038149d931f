"""Words: what stands in braces, the choice of a language, and what is refused."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symattn.errors import ScenarioError
from symattn.formula import Scope
from symattn.scenario.problem import Problem
from symattn.scenario.words import FigureRef, FormulaRef, Known, LabelRef, Part, SymbolRef, Text, Words, parse
from symattn.shapes import Axis, Shape, shape

KNOWN = Known(
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
        ("100 % of $5 \\input{{x}} <b> a_b", (Text("100 % of $5 \\input{x} <b> a_b"),)),
        ("{{{A}}}", (Text("{"), SymbolRef("A"), Text("}"))),
        ("{A}{d_k}{softmax}{n}", (SymbolRef("A"), SymbolRef("d_k"), SymbolRef("softmax"), SymbolRef("n"))),
        ("{ A }", (SymbolRef("A"),)),
        ("{A[2,3]} {A[ 1 , 1 ]}", (FigureRef("A", 2, 3), Text(" "), FigureRef("A", 1, 1))),
        ("{token:2}{token: 1}", (LabelRef("L", 2), LabelRef("L", 1))),
        ("{label:vocabulary:1}", (LabelRef("vocabulary", 1),)),
        ("{math: A @ X / sqrt(d_k)}", (FormulaRef("A @ X / sqrt(d_k)"),)),
        ("{math:-10^9}", (FormulaRef("-10^9"),)),
        ("{math: layer_norm(A, epsilon=10^-5)}", (FormulaRef("layer_norm(A, epsilon=10^-5)"),)),
    ],
)
def test_reads(text: str, parts: tuple[Part, ...]) -> None:
    assert parse(text, KNOWN) == parts


WRITTEN = "expected {A}, {A[2,3]}, {token:2}, {label:axis:1} or {math: …}; a brace that is meant is doubled"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a { b", f"a single {{ in 'a {{ b': {WRITTEN}"),
        ("a } b", f"a single }} in 'a }} b': {WRITTEN}"),
        ("{a {A} b}", "a single { in '{a {A} b}': "),
        ("{}", f"{{}}: {WRITTEN}"),
        ("{A B}", f"{{A B}}: {WRITTEN}"),
        ("{A[2]}", f"{{A[2]}}: {WRITTEN}"),
        ("{B}", "{B}: unknown name 'B': known: A, X, d_k, n, s, x"),
        ("{B[1,1]}", "{B[1,1]}: unknown name 'B': known: A, X, s, x"),
        ("{d_k[1,1]}", "{d_k[1,1]}: unknown name 'd_k': known: A, X, s, x"),
        ("{A[3,1]}", "{A[3,1]}: A is (2, 3): expected a row from 1 to 2 and a column from 1 to 3"),
        ("{A[1,0]}", "{A[1,0]}: A is (2, 3): expected a row from 1 to 2 and a column from 1 to 3"),
        ("{x[1,1]}", "{x[1,1]}: x is general: it has the shape (1, n) and no figures"),
        ("{s[1,1]}", "{s[1,1]}: s is general: it has the shape (1, 1) and no figures"),
        ("{token:3}", "{token:3}: expected a number from 1 to 2, came '3'"),
        ("{token:0}", "{token:0}: expected a number from 1 to 2, came '0'"),
        ("{token:²}", "{token:²}: expected a number from 1 to 2, came '²'"),
        (
            "{label:vocabluary:1}",
            "unknown axis with labels 'vocabluary': did you mean 'vocabulary'? known: L, vocabulary",
        ),
        ("{label:vocabulary}", "{label:vocabulary}: expected a number from 1 to 1, came ''"),
        ("{tokn:1}", "{tokn:1}: unknown reference 'tokn': did you mean 'token'? known: label, math, token"),
        ("{math: A @ B}", "{math: A @ B}: formula 'A @ B': unknown name 'B': known: A, X, d_k, n, s, x"),
        ("{math: X @ A}", "{math: X @ A}: X @ A: X is (3, 3), A is (2, 3): the columns of the first are 3"),
        ("{math: }", "{math: }: formula '': is empty"),
        ("{math: 10^10^10}", "10^10000000000 has more than POWER_DIGITS = 3000 digits"),
    ],
)
def test_refuses(text: str, message: str) -> None:
    with pytest.raises(ScenarioError) as error:
        parse(text, KNOWN)
    assert type(error.value) is ScenarioError
    assert message in str(error.value)


def test_tokens_that_are_not_there() -> None:
    with pytest.raises(ScenarioError, match="there are no tokens"):
        parse("{token:1}", Known(Scope({}), {}, "n"))


def test_a_label_is_not_read_again() -> None:
    assert parse("{label:vocabulary:1}", KNOWN) == (LabelRef("vocabulary", 1),)


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
    assert words.pick(language, source) == ((Text(picked),) if picked else ())


def test_nothing_in_words_can_be_changed() -> None:
    words = Words.read({"en": "a"}, KNOWN)
    with pytest.raises(TypeError):
        words.texts["en"] = ()  # type: ignore[index]


@given(st.text(max_size=60))
def test_doubled_braces_print_as_themselves(text: str) -> None:
    parts = parse(text.replace("{", "{{").replace("}", "}}"), KNOWN)
    assert parts == ((Text(text),) if text else ())


@given(st.text(st.sampled_from("{}[]:,12AXx_dk mathtoken@+/^."), max_size=40))
def test_any_text(text: str) -> None:
    with suppress(ScenarioError):
        parse(text, KNOWN)
