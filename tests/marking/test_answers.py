"""What students write is read as the number they mean, or not at all; no text of theirs raises an error."""

from __future__ import annotations

import pytest
from flint import arb, fmpq

from symattn.base import limits
from symattn.compute.values.balls import at_precision
from symattn.course.marking.answers import read_cell

HALF = (
    "0.5", "0,5", ".5", ",5", "+.5", "0.500", " 0.50 ", "1/2", "2/4", "50%", "5e-1", "½", "０．５", "０，５",
    "=0.5", "≈ 0,5",
)  # fmt: skip


MINUS_A_QUARTER = ("-0.25", "−0.25", "－０．２５", "- 1/4", "–0,25", "-1/4", "-25%", "-¼", "−１／４")


def test_every_notation_of_a_half_and_of_minus_a_quarter() -> None:
    assert {text: read_cell(text).value for text in HALF} == dict.fromkeys(HALF, fmpq(1, 2))
    assert {text: read_cell(text).value for text in MINUS_A_QUARTER} == dict.fromkeys(MINUS_A_QUARTER, fmpq(-1, 4))


@pytest.mark.parametrize(("text", "float"), [
    ("√2/2", 0.7071067811865476), ("√(2)/2", 0.7071067811865476), ("sqrt(2)/2", 0.7071067811865476),
    ("1/√2", 0.7071067811865476), ("2√3", 3.4641016151377544), ("3·√2", 4.242640687119286),
    ("3×√2", 4.242640687119286), ("√３", 1.7320508075688772), ("-√3/3", -0.5773502691896257),
    ("1 + √2", 2.414213562373095), ("ln 2", 0.6931471805599453), ("ln(2)", 0.6931471805599453),
    ("log(2)", 0.6931471805599453), ("2 ln 3", 2.1972245773362196), ("ln(3/2)", 0.4054651081081644),
    ("(ln 3)/2", 0.5493061443340549), ("e", 2.718281828459045), ("e^2", 7.38905609893065), ("e²", 7.38905609893065),
    ("e^-1", 0.36787944117144233), ("e⁻¹", 0.36787944117144233), ("e^(1/2)", 1.6487212707001282),
    ("e^√2", 4.113250378782928), ("exp(-0,5)", 0.6065306597126334), ("e^2/(1+e+e^2)", 0.6652409557748219),
    ("1/(1+e^(-ln 2))", 0.6666666666666666),
])  # fmt: skip
def test_roots_powers_of_e_and_logarithms(text: str, float: float) -> None:
    with at_precision(64):
        assert abs(read_cell(text).number - arb(float)) < arb("1e-14")


@pytest.mark.parametrize(("text", "decimals"), [
    ("0.500", 3), ("7", 0), (",25", 2), ("33.3%", 3), ("50%", 2), ("1e-3", 3), ("2e3", 0), ("1/3", None), ("√2", None),
])  # fmt: skip
def test_the_decimals_that_were_written_are_counted(text: str, decimals: int | None) -> None:
    assert read_cell(text).decimals == decimals


def test_minus_infinity_and_spaces() -> None:
    assert {str(read_cell(text).value) for text in ("-oo", "−∞", "-inf", "-Infinity", "－∞")} == {"-oo"}
    assert all(read_cell(text).is_empty for text in ("", " ", "\t", "　", " " * 500))


@pytest.mark.parametrize(("trouble", "texts"), [
    ("mixed", ("1 1/2", "1½", "1 234", "0. 5", "0 ,5", "0, 5")),
    ("marks", ("1,234.5", "1.234,5", "0·5")),
    ("zero", ("1/0", "1/(ln 2 - ln 2)")),
    ("brackets", ("1/2√3", "1/2^2√3", "ln 3/2", "e^2^3", "2e3/4", "1e4000")),
    ("large", ("9^9^9", "e^9999")),
    ("real", ("sqrt(-1)", "ln 0", "ln(-2)")),
    ("number", ("about a half", "__import__('os').system('true')", "x0", "NaN", "1j", "0x10", "1_0", "-", "(1", "⁻¹")),
    ("long", ("1" * (limits.ANSWER_CHARACTERS + 1),)),
])  # fmt: skip
def test_what_cannot_be_read_says_why(trouble: str, texts: tuple[str, ...]) -> None:
    found = {text: read_cell(text) for text in texts}
    assert {text: cell.trouble for text, cell in found.items()} == dict.fromkeys(texts, trouble)
    assert not any(cell.value is not None or cell.is_empty for cell in found.values())
