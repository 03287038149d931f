"""No cell is read as a number that nobody wrote: a second, careful reader finds the same number, and no other one."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest
from flint import arb, fmpq
from hypothesis import example, given, settings
from hypothesis import strategies as st
from mpmath import almosteq, mpf

from symattn.base.errors import cut
from symattn.compute.values.balls import at_precision
from symattn.course.marking import mark
from symattn.course.marking.answers import read_cell
from symattn.course.model import Exercise, Part
from tests.exercise.sheets import made
from tests.marking.careful_reader import readings

PIECES = (
    *("0", "1", "2", "3", "9", "25", "03", "234", "2026", "1,5", "0.5", "1,234", "12,345", "7.66", ".", ","),
    *("E", "E-1", " E-1", "e", "e-1", "^", "²", "½", "¼", "/", "-", "−", "+", "*", "×", "·", "√", "(", ")", "%", "ln "),
    *"３．，／（）①₂⁽'\u202f\xa0٣٫: ",
    *("1/2", "√2/2", "(1/2)"),
)
TEXTS = st.lists(st.sampled_from(PIECES), min_size=1, max_size=7).map("".join)


def agree(text: str, thousands: bool) -> None:
    cell = read_cell(text, thousands)
    if cell.value is None:
        return
    found = readings(text, thousands)
    assert len(found) == 1, f"{text!r} is read as {cut(str(cell.value))}, and may be {found}"
    with at_precision(128):
        mine = mpf(arb(cell.number).mid().str(20, radius=False))
    assert almosteq(mine, found[0], 1e-9, 1e-30), f"{text!r} is read as {cut(str(cell.value))}, and is {found}"


@settings(deadline=None, max_examples=200)
@given(TEXTS, st.booleans())
@example("7.66 E-1", False)
@example("2026/1/3", False)
@example("4,399", True)
@example("1/-2√3", False)
@example("1+50%", False)
@example("0.5 (1/2)", False)
@example("2①", False)
def test_what_is_read_is_the_only_number_that_a_careful_reader_finds(text: str, thousands: bool) -> None:
    agree(text, thousands)


@pytest.mark.slow
@settings(deadline=None, max_examples=20_000)
@given(TEXTS, st.booleans())
def test_what_is_read_is_the_only_number_of_many_texts(text: str, thousands: bool) -> None:
    agree(text, thousands)


# -- what has to be read -------------------------------------------------------------------------------------------

FULL = str.maketrans("0123456789.,+-/%()", "０１２３４５６７８９．，＋－／％（）")
ARABIC = str.maketrans("0123456789.,", "٠١٢٣٤٥٦٧٨٩٫٫")


@given(st.integers(-99_999, 99_999), st.integers(0, 4), st.sampled_from(".,"), st.booleans())
def test_a_decimal_in_any_hand_is_read(digits: int, places: int, mark_: str, spaces: bool) -> None:
    whole, rest = divmod(abs(digits), 10**places)
    text = ("-" if digits < 0 else "") + str(whole) + (f"{mark_}{rest:0{places}}" if places else "")
    expected = fmpq(digits, 10**places)
    for way in (text, text.translate(FULL), text.translate(ARABIC), text.replace("-", "−"), f"\u3000{text}\xa0"):
        assert read_cell(way).value == expected
    for power in ("E-1", " E-1", "e-1", "E -1" if spaces else "E-01"):
        assert read_cell(f"{text}{power}").value == expected / 10


@given(st.integers(1, 999_999_999))
def test_a_whole_number_is_never_read_as_another_one(number: int) -> None:
    assert read_cell(str(number), thousands=True).value == number
    for sign in (",", ".", "'", "’", "\u202f", "\xa0", "٬", " "):
        text = f"{number:,}".replace(",", sign)
        assert read_cell(text, thousands=True).value in (None, number)
        assert number < 1000 or sign in ",." or read_cell(text).value is None


@given(st.integers(0, 99), st.integers(1, 99))
def test_a_fraction_is_one_however_it_is_written(over: int, under: int) -> None:
    expected = Fraction(over, under)
    for text in (f"{over}/{under}", f"{over}⁄{under}", f"{over}／{under}", f"{over} ÷ {under}"):
        assert read_cell(text).value == fmpq(expected.numerator, expected.denominator)


# -- what must not be read -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("trouble", "texts"), [
    ("date", ["2026/1/3", "2026-01-03", "1/3/26", "3.1.2026", "3-Jan", "Jan 3", "03-Mar-2026", "1月3日", "01/03"]),
    ("date", ["1:30", "00:00:00", "2026-01-03 00:00", "２０２６／１／３", "1-3-26", "2026年1月3日", "Jan-25", "1:2"]),
    ("error", ["#REF!", "#DIV/0!", "#N/A", "#VALUE!", "####", "Err:502", "TRUE", "FALSE", "True"]),
    ("sign", ["2①", "①", "2₂", "2⁽³⁾", "1⒈", "⑵", "2ⁿ", "Ⅷ", "x₁"]),
    ("thousands", ["1'234", "1’234", "12\u202f345", "1\xa0234", "4٬399"]),
    ("brackets", ["7.66 e-1", "2 e - 1", "3+2e-1", "1/2/√3", "√2/2/3", "1/-2√3", "2^3^2", "e^1/2", "--1", "+-0.5"]),
    ("brackets", ["1+50%", "√2/2%", "1/2%", "0.5 (1/2)", "(1) (2)", "2^2√3", "e^e^2", "ln ½²", "e^½e", "ln ½√2"]),
    ("mixed", ["½3", "½ 1", "3½", "1 ¾"]),
    ("number", ["2××3", "０．５\u200b", "1;5", "0.5 = 1/2", "≠0.5", "0.3\u0305", "五", "1.5 m"]),
    ("marks", ["0･5", "1,234.5", "1.2345.6", "12,34,567"]),
])  # fmt: skip
def test_what_may_be_something_else_is_refused_with_the_reason(trouble: str, texts: list[str]) -> None:
    assert {text: read_cell(text).trouble for text in texts} == dict.fromkeys(texts, trouble)


@pytest.mark.parametrize("text", ["4,399", "4.399", "-1,234", "12.000", "４，３９９", "1,234+1"])
def test_a_mark_that_may_part_thousands_is_refused_where_whole_numbers_are_asked(text: str) -> None:
    assert read_cell(text, thousands=True).trouble == "thousands"
    assert read_cell(text).value is not None


# -- what a sheet asks for -----------------------------------------------------------------------------------------


def numbered(key: str) -> tuple[Exercise, Part]:
    """A sheet that asks for a quantity, and its key."""
    sizes = 'title = "T"\n[sizes]\nn = 53\nd = 83\n[given.X]\naxes = ["1", "1"]\nvalue = [["1"]]\n'
    steps = '[[section]]\ntitle = "S"\nsteps = [{ quantity = "P = n * d" }]\n'
    part = Part("P", "number", 0, ((key,),), ((0, 0),))
    return Exercise("counted", 1, 7, 1, "en", sizes + steps, (part,)), part


def statuses(exercise: Exercise, answers: dict[str, object]) -> list[tuple[str, str]]:
    return [(cell.status, cell.trouble) for cell in mark(exercise, answers).cells]


@pytest.mark.parametrize(("text", "expected"), [
    ("4399", ("right", "")), ("４３９９", ("right", "")), ("53×83", ("right", "")), ("5３×８3", ("right", "")),
    ("4,399", ("unreadable", "thousands")), ("4.399", ("unreadable", "thousands")), ("4 399", ("unreadable", "mixed")),
    ("4399,5", ("wrong", "")),
])  # fmt: skip
def test_whole_numbers(text: str, expected: tuple[str, str]) -> None:
    exercise, _ = numbered("4399")
    assert statuses(exercise, {"P": text}) == [expected]


@pytest.mark.parametrize("text", ["3×1", "３×１", "3 x 1", "３ｘ１", "(3, 1)", "［３，１］", "3 X 1."])
def test_a_shape_in_one_cell_may_be_full_width(text: str) -> None:
    exercise = replace(made()["shapes"], parts=made()["shapes"].parts[:1])
    assert statuses(exercise, {"Y": [text]}) == [("right", ""), ("right", "")]


@pytest.mark.parametrize("text", ["-3×1", "√3×1", "3×1%", ".3×1", "1/3×1", "3①×1", "3,100"])
def test_what_is_no_shape_is_not_made_one(text: str) -> None:
    exercise = replace(made()["shapes"], parts=made()["shapes"].parts[:1])
    assert ("right", "") not in statuses(exercise, {"Y": [text]})


def test_a_comma_in_a_matrix_is_a_decimal_mark_unless_its_figures_are_large() -> None:
    source = 'title = "T"\n[given]\nX = [["{}"]]\n[[section]]\ntitle = "S"\nsteps = ["Y = 2 * X"]\n'
    for given_, figure, expected in (("0.617", "1.234", ("right", "")), ("617", "1234", ("unreadable", "thousands"))):
        part = Part("Y", "matrix", 3, ((figure,),), ((0, 0),))
        assert statuses(Exercise("t", 1, 7, 1, "en", source.format(given_), (part,)), {"Y": "1,234"}) == [expected]
