"""Marks: right answers in every notation and with every honest rounding earn them, later steps earn them for what the
student had before, and a matrix that says nothing does not."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal, localcontext

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from symattn.base.printed import Printed
from symattn.claims.worked import Ask, read_exercise
from symattn.course.accept import wrongs
from symattn.course.marking import Marked, mark
from symattn.course.marking.classes import ClassReport
from symattn.course.marking.model import Diagnosis
from symattn.course.marking.output import say, student_lines
from symattn.course.model import Exercise, Part
from tests.exercise.paper_and_pencil import rounded

SCORES = ((1, 2, 0), (3, 0, 1), (0, 1, 2))
VALUES = ((1, 0), (2, -1), (0, 3))
LESSON = f"""title = "A head"
[given]
S = {[list(row) for row in SCORES]}
V = {[list(row) for row in VALUES]}
[[section]]
title = "Steps"
steps = ["Z = S / sqrt(3)", "A = softmax(Z)", "O = A @ V"]
"""


def exercise(source: str, *names: str, decimals: int = 3, kind: str = "matrix") -> Exercise:
    """An exercise that asks for steps of a scenario."""
    right = read_exercise(source)
    asks = tuple(Ask(name, kind, decimals) for name in names)  # type: ignore[arg-type]
    key = {ask.name: right.figures(ask) for ask in asks}
    answers, _ = wrongs(right, asks, key)
    parts = tuple(whole_part(ask, key[ask.name]) for ask in asks)
    return Exercise("head", 2, 1, 1, "en", source, parts, answers)


def whole_part(ask: Ask, key: Printed) -> Part:
    """A part of which every cell is asked; somebody's own matrix may have one distinct entry less than the key."""
    distinct = {text for row in key for text in row}
    cells = tuple((i, j) for i, row in enumerate(key) for j in range(len(row)))
    return Part(ask.name, ask.kind, ask.decimals, key, cells, max(1, len(distinct) - 1))


HEAD = exercise(LESSON, "Z", "A", "O")


def keys(of: Exercise) -> dict[str, Printed]:
    return {one.name: one.key for one in of.parts}


def statuses(marked: Marked, name: str) -> list[str]:
    return [cell.status for cell in marked.part(name).cells]


# The second road: the same steps in Python's decimals


def by_decimals(places: int, divisor: Decimal | None = None) -> dict[str, list[list[Decimal]]]:
    """Z, A and O with every number on the way rounded to so many decimals."""
    with localcontext(prec=40):
        root = divisor or rounded(Decimal(3).sqrt(), places)
        Z = [[rounded(s / root, places) for s in row] for row in SCORES]
        E = [[rounded(z.exp(), places) for z in row] for row in Z]
        A = [[rounded(e / sum(row), places) for e in row] for row in E]
        columns = list(zip(*VALUES, strict=True))
        dots = [[sum((a * v for a, v in zip(row, v, strict=True)), Decimal(0)) for v in columns] for row in A]
        return {"Z": Z, "A": A, "O": [[rounded(x, places) for x in row] for row in dots]}


@pytest.mark.parametrize("places", [3, 4, 5, 8, 12, 20])
def test_whoever_rounds_on_the_way_to_as_many_decimals_as_asked_is_right(places: int) -> None:
    answers = {name: [[str(x) for x in row] for row in rows] for name, rows in by_decimals(places).items()}
    marked = mark(HEAD, answers)
    assert marked.points == marked.most == 9 + 9 + 6
    assert not marked.findings


@pytest.mark.parametrize("write", [
    lambda text: text,
    lambda text: text.replace(".", ","),
    lambda text: text.replace("-", "−"),
    lambda text: text.translate({ord(a): chr(ord(a) + 0xFEE0) for a in "0123456789.-"}),
    lambda text: f" {text} ",
    lambda text: f"{text}0" if "." in text else f"{text}.000",
    lambda text: f"{int(Decimal(text) * 1000)}/1000",
    lambda text: f"{Decimal(text) * 100}%",
    lambda text: str(Decimal(text).normalize()),
])  # fmt: skip
def test_the_key_is_right_in_every_notation(write) -> None:  # type: ignore[no-untyped-def]
    answers = {name: [[write(text) for text in row] for row in rows] for name, rows in keys(HEAD).items()}
    assert mark(HEAD, answers).points == 24


def test_exact_closed_forms_are_right() -> None:
    answers = {
        "Z": [["1/√3", "2√3/3", "0"], ["√3", "0", "sqrt(3)/3"], ["0", "√(1/3)", "2/√3"]],
        "A": [["e^(1/√3)/(1+e^(1/√3)+e^(2/√3))", None, None], [None] * 3, [None] * 3],
    }
    marked = mark(HEAD, answers)
    assert statuses(marked, "Z") == ["right"] * 9
    assert statuses(marked, "A") == ["right", *["empty"] * 8]
    assert not marked.findings


@pytest.mark.parametrize(("text", "status"), [
    ("0.5", "right"), ("0.500", "right"), ("0.5004", "right"), ("0.501", "wrong"), ("0.499", "wrong"), ("0", "wrong"),
    ("", "empty"), (None, "empty"), ("half", "unreadable"), ("-oo", "wrong"),
])  # fmt: skip
def test_a_value_is_right_within_half_a_unit_of_the_last_decimal(text: str | None, status: str) -> None:
    short = exercise(
        'title = "T"\n[given]\nX = [[1, 3]]\n[[section]]\ntitle = "S"\nsteps = ["Y = X / 2", "W = 2 * Y"]', "Y"
    )
    assert statuses(mark(short, {"Y": [[text, "1.5"]]}), "Y") == [status, "right"]


def test_infinite_scores_are_right_only_where_they_are() -> None:
    masked = exercise(
        'title = "T"\n[given]\nX = [[1, 3], [2, 4]]\n[[section]]\ntitle = "S"\nsteps = ["Y = X + causal_mask(2)"]', "Y"
    )
    assert statuses(mark(masked, {"Y": [["1", "−∞"], ["-inf", "4"]]}), "Y") == ["right", "right", "wrong", "right"]
    assert statuses(mark(masked, {"Y": [["1", "-9999"], ["2", "oo"]]}), "Y") == ["right", "wrong", "right", "wrong"]


def test_too_few_decimals_are_wrong_and_said_to_be() -> None:
    marked = mark(HEAD, {**keys(HEAD), "A": [[f"{Decimal(text):.2f}" for text in row] for row in keys(HEAD)["A"]]})
    assert marked.part("A").is_coarse
    assert marked.part("A").points < 9
    assert marked.findings == (Diagnosis("A", is_coarse=True),)
    assert ClassReport("", (marked,)).unexplained == 0
    for language, says in (("en", "only fault"), ("zh-Hant", "唯一的問題"), ("zh-Hans", "唯一的问题")):
        told = "\n".join(student_lines(marked, language))
        assert says in told
        assert say(language, "none_known") not in told


def test_a_mistake_after_too_few_decimals_is_still_found() -> None:
    coarse = {**keys(HEAD), "A": [[f"{Decimal(text):.2f}" for text in row] for row in keys(HEAD)["A"]]}
    wrong = next(one for one in HEAD.wrong if one.mistake == "weights-transposed")
    marked = mark(HEAD, {**coarse, "O": wrong.figures["O"]})
    assert marked.findings[0] == Diagnosis("A", is_coarse=True)
    assert wrong.mistake in marked.findings[1].mistakes


# Errors carried forward

FORGOTTEN = by_decimals(6, Decimal(1))
"""What comes out where nobody divided by √3, on the second road."""


def as_text(rows: list[list[Decimal]], places: int = 3) -> list[list[str]]:
    return [[str(rounded(x, places)) for x in row] for row in rows]


def test_later_steps_earn_their_marks_for_what_came_before() -> None:
    marked = mark(HEAD, {name: as_text(rows) for name, rows in FORGOTTEN.items()})
    assert [cell.status for cell in marked.part("Z").cells if cell.text != "0.000"] == ["wrong"] * 6
    assert statuses(marked, "A") == ["carried"] * 9
    assert marked.part("O").points == 6
    assert marked.part("O").is_carried
    assert marked.first is not None
    assert (marked.first.part, marked.first.mistakes) == ("Z", ("scale-forgotten",))
    assert len(marked.findings) == 1


def test_a_mistake_after_ones_own_matrix_is_explained_from_that_matrix() -> None:
    columns = [[Decimal(x) for x in column] for column in zip(*SCORES, strict=True)]
    weights = [[e / sum(row) for e in row] for row in [[x.exp() for x in column] for column in columns]]
    turned = [list(row) for row in zip(*weights, strict=True)]
    marked = mark(HEAD, {"Z": as_text(FORGOTTEN["Z"]), "A": as_text(turned)})
    first, second = marked.findings
    assert (first.part, first.mistakes[0]) == ("Z", "scale-forgotten")
    assert (second.part, second.mistakes) == ("A", ("softmax-over-columns",))


DEGENERATE = {
    "zeros": [["0"] * 3] * 3,
    "identity": [["1", "0", "0"], ["0", "1", "0"], ["0", "0", "1"]],
    "repeated rows": [["1", "2", "3"], ["1", "2", "3"], ["4", "5", "6"]],
    "few entries": [["1", "1", "2"], ["2", "1", "1"], ["1", "2", "1"]],
    "empty": [["1", "2", "3"], ["4", "", "6"], ["7", "8", "9"]],
    "unreadable": [["1", "2", "3"], ["4", "five", "6"], ["7", "8", "9"]],
}


@pytest.mark.parametrize("name", DEGENERATE)
def test_nothing_is_carried_from_a_matrix_that_says_nothing(name: str) -> None:
    own = DEGENERATE[name]
    numbers = [[Decimal(text) if text.isdigit() else Decimal(5) for text in row] for row in own]
    weights = [[e / sum(row) for e in row] for row in [[x.exp() for x in row] for row in numbers]]
    marked = mark(HEAD, {"Z": own, "A": as_text(weights)})
    assert not marked.part("A").is_carried
    assert "wrong" in statuses(marked, "A")


def test_nothing_is_carried_from_an_identity_however_few_entries_it_takes() -> None:
    lenient = replace(HEAD, parts=tuple(replace(one, needs=1) for one in HEAD.parts))
    rows = {"identity": [[1, 0, 0], [0, 1, 0], [0, 0, 1]], "turned": [[0, 1, 0], [0, 0, 1], [1, 0, 0]]}
    for name, own in rows.items():
        weights = [[x / sum(row) for x in row] for row in [[Decimal(x).exp() for x in row] for row in own]]
        marked = mark(lenient, {"Z": own, "A": as_text(weights)})
        assert marked.part("A").is_carried == (name == "turned")


def test_a_division_by_zero_in_the_students_numbers_carries_nothing() -> None:
    shares = exercise(
        'title = "T"\n[given]\nX = [[1, 3, 2]]\n[[section]]\ntitle = "S"\nsteps = ["Y = 2 * X", "P = proportions(Y)"]',
        *("Y", "P"),
    )
    marked = mark(shares, {"Y": [["-1", "3", "-2"]], "P": [["1", "2", "3"]]})
    assert statuses(marked, "P") == ["wrong"] * 3


def test_a_mistake_is_found_in_figures_that_were_rounded_on_the_way() -> None:
    last = exercise(LESSON, "O")
    forgotten = next(one for one in last.wrong if one.mistake == "scale-forgotten")
    answer = as_text(by_decimals(3, Decimal(1))["O"])
    marked = mark(last, {"O": answer})
    assert answer != [list(row) for row in forgotten.figures["O"]]
    assert marked.first is not None
    assert "scale-forgotten" in marked.first.mistakes


# Other shapes and other kinds


def test_swapped_rows_and_columns_are_seen() -> None:
    turned = [list(column) for column in zip(*keys(HEAD)["O"], strict=True)]
    marked = mark(HEAD, {**keys(HEAD), "O": turned})
    assert marked.part("O").turned == "transposed"
    assert marked.part("O").points == 0


def test_cells_that_were_not_asked_are_nobodys() -> None:
    blanks = Exercise(
        *("head", 2, 1, 1, "en", LESSON),
        parts=(Part("Z", "matrix", 3, keys(HEAD)["Z"], ((0, 1), (2, 2)), 2),),
    )
    marked = mark(blanks, {"Z": [["", keys(HEAD)["Z"][0][1], "77"], [], ["", "", "1,155"]]})
    assert [(cell.row, cell.column, cell.status) for cell in marked.cells] == [(0, 1, "right"), (2, 2, "right")]


def test_every_order_in_which_steps_rest_on_earlier_ones_is_right() -> None:
    source = (
        'title = "T"\n[given]\nX = [[1, 3]]\n[[section]]\ntitle = "S"\nsteps = ["Y = 2 * X", "Z = 3 * X", "W = Y + Z"]'
    )
    one = Part("order", "order", 0, (("3", "1", "2"),), ((0, 0), (0, 1), (0, 2)))
    asked = Exercise("order", 2, 1, 1, "en", source, (one,), form="order", order=("Z", "W", "Y"))
    assert mark(asked, {"order": ["3", "1", "2"]}).points == 3
    assert mark(asked, {"order": ["1", "3", "2"]}).points == 3
    assert mark(asked, {"order": ["2", "3", "1"]}).points == 0
    assert mark(asked, {"order": ["3", "3", "3"]}).points == 1
    assert mark(asked, {"order": ["3.2", "1", "2"]}).points == 2


# Untrusted text


CELLS = st.one_of(st.text(max_size=12), st.none(), st.sampled_from(["1/3", "-oo", "e^900", "1e-99", "1e300", "√2"]))


@settings(max_examples=15, suppress_health_check=[HealthCheck.too_slow])
@given(st.dictionaries(st.sampled_from(["Z", "A", "O", "q"]), st.lists(st.lists(CELLS, max_size=4), max_size=4)))
def test_marking_survives_arbitrary_text(answers: dict[str, list[list[str | None]]]) -> None:
    marked = mark(HEAD, answers)
    assert 0 <= marked.points <= marked.most == 24
