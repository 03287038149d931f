"""Single values: matrices, printed figures, words and labels as TOML gives them."""

from __future__ import annotations

import datetime
from typing import Any

import pytest
from sympy import Rational, oo, sqrt

from symattn import limits
from symattn.errors import FormulaError, ScenarioError, SymattnError
from symattn.scenario.fields import figures, label, matrix, texts
from symattn.scenario.lines import Key
from symattn.scenario.problem import Problem

DAY = datetime.date(1979, 5, 27)


def test_a_matrix_is_exact_and_keeps_how_it_was_written() -> None:
    read = matrix([["0.10", " 1/3 "], [-2, "sqrt(2)/2"], ["-oo", "-10^9"]])
    assert read.values == ((Rational(1, 10), Rational(1, 3)), (-2, sqrt(2) / 2), (-oo, -(10**9)))
    assert read.texts == (("0.10", "1/3"), ("-2", "sqrt(2)/2"), ("-oo", "-10^9"))


@pytest.mark.parametrize(
    ("value", "key", "message", "kind"),
    [
        ("1", (), 'expected a matrix: a list of rows such as [["0.21", "-3/4"]], came the text \'1\'', ScenarioError),
        (DAY, (), 'expected a matrix: a list of rows such as [["0.21", "-3/4"]], came a date or a time', ScenarioError),
        ([], (), 'expected a matrix: a list of rows such as [["0.21", "-3/4"]], came an empty list', ScenarioError),
        ([["1"], []], (1,), "expected a row: a list of one or more numbers, came an empty list", ScenarioError),
        (["1"], (0,), "expected a row: a list of one or more numbers, came the text '1'", ScenarioError),
        (
            [["1"], ["1", "2"]],
            (1,),
            "row 2 has length 2, row 1 has length 1: expected rows of one length",
            ScenarioError,
        ),
        (
            [["1", 0.2]],
            (0, 1),
            '0.2 is a binary float and no longer the number that was meant: write "0.2"',
            FormulaError,
        ),
        ([[float("nan")]], (0, 0), 'expected a number such as "0.21" or "-oo", came the number nan', FormulaError),
        ([[float("-inf")]], (0, 0), 'expected a number such as "0.21" or "-oo", came the number -inf', FormulaError),
        ([[True]], (0, 0), 'expected a number such as "0.21" or "-oo", came true', FormulaError),
        ([["1"], [DAY]], (1, 0), 'expected a number such as "0.21" or "-oo", came a date or a time', FormulaError),
        ([["1", ["2"]]], (0, 1), 'expected a number such as "0.21" or "-oo", came a list', FormulaError),
        ([["1", {}]], (0, 1), 'expected a number such as "0.21" or "-oo", came a table', FormulaError),
        ([[16**5000]], (0, 0), "expected a number of at most NUMBER_LENGTH = 400 digits", FormulaError),
        (
            [["1"], ["x"]],
            (1, 0),
            "number 'x': 'x' is not a number; write digits, fractions, sqrt(…) and powers",
            FormulaError,
        ),
        (
            [["10^10^10"]],
            (0, 0),
            "number '10^10^10': 10^10000000000 has more than POWER_DIGITS = 3000 digits",
            FormulaError,
        ),
        ([["1" * 401]], (0, 0), f"number '{'1' * 60}…': more than NUMBER_LENGTH = 400 characters", FormulaError),
        ([["sqrt(-1)"]], (0, 0), "number 'sqrt(-1)': sqrt(-1) is not a real number", FormulaError),
        ([["1/0"]], (0, 0), "number '1/0': division by zero", FormulaError),
    ],
)
def test_a_matrix_that_is_none(value: Any, key: Key, message: str, kind: type[SymattnError]) -> None:
    with pytest.raises(Problem) as problem:
        matrix(value)
    assert (problem.value.key, problem.value.message, problem.value.kind) == (key, message, kind)


def test_a_matrix_has_a_limit_and_it_is_looked_at_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MATRIX_ENTRIES", 3)
    with pytest.raises(Problem, match="more than MATRIX_ENTRIES = 3 numbers"):
        matrix([["x", "x"], ["x"]])


def test_printed_figures_may_have_any_layout() -> None:
    rows = [["0", "1.414214 0", 1], ["-10^9", "1.5*10^9", "-oo"], ["0.50"]]
    assert figures(rows) == (("0", "1.414214 0", "1"), ("-10^9", "1.5*10^9", "-oo"), ("0.50",))


@pytest.mark.parametrize(
    ("value", "key", "message"),
    [
        ("0.5", (), "expected printed figures: a list of rows"),
        ([["1"], [0.5]], (1, 0), 'expected the figure as text, digit for digit, came 0.5: write "0.5"'),
        ([["1", True]], (0, 1), 'expected a figure such as "0.21", came true'),
        ([[DAY]], (0, 0), 'expected a figure such as "0.21", came a date or a time'),
        ([[16**5000]], (0, 0), "came a number of more than NUMBER_LENGTH = 400 digits"),
        ([[" "]], (0, 0), "expected one figure, or two with a space between them, came the text ' '"),
        ([["1 2 3"]], (0, 0), "expected one figure, or two with a space between them, came the text '1 2 3'"),
        ([["1 n/a"]], (0, 0), "'n/a' is not a figure: expected digits such as 0.21, -3, 6.3e-02, -10^9, or -oo"),
        ([["1" * 5000]], (0, 0), "is not a figure"),
    ],
)
def test_printed_figures_that_are_none(value: Any, key: Key, message: str) -> None:
    with pytest.raises(Problem) as problem:
        figures(value)
    assert problem.value.key == key
    assert message in problem.value.message


@pytest.mark.parametrize(
    ("value", "key", "message"),
    [
        (3, (), "expected words (a text, or a table with a text per language), came the number 3"),
        ({}, (), "expected words (a text, or a table with a text per language), came an empty table"),
        (
            {"zh-hant": "x"},
            ("zh-hant",),
            "unknown language 'zh-hant': did you mean 'zh-Hant'? known: en, zh-Hans, zh-Hant",
        ),
        ({"en": ["x"]}, ("en",), "expected a text in quotes, came a list"),
        ({"en": "a\x00b"}, ("en",), "the character U+0000 cannot be printed"),
        ("a\x1b[31mb", (), "the character U+001B cannot be printed"),
    ],
)
def test_words_that_are_none(value: Any, key: Key, message: str) -> None:
    with pytest.raises(Problem) as problem:
        texts(value)
    assert (problem.value.key, problem.value.message) == (key, message)


@pytest.mark.parametrize("token", ["\\input{x}", "<script>", "100%", "a_b", "$", "{A}", " ", "天氣", "👍🏽", "مرحبا"])
def test_a_label_is_any_text(token: str) -> None:
    assert label(token) == token


@pytest.mark.parametrize("token", ["", "a\nb", "a\tb", "a\rb", "\x7f", "\u0085"])
def test_a_label_is_one_line_that_can_be_printed(token: str) -> None:
    with pytest.raises(Problem):
        label(token)
