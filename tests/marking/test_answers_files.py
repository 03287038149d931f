"""Files of answers: JSON and tables say the same, everything wrong is named with its place, and limits hold."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from symattn.base import limits
from symattn.base.errors import AnswersError
from symattn.course.marking.answers import AnswerFile, Answers, BatchOrigin, read_answers, read_json, read_table

ADA = {"student": "Ada", "version": 3, "A": [["1/3", "0,5"], [None, "√2"]]}


def as_json(*answers: object, **more: object) -> str:
    return json.dumps({"format": "symattn-answers/1", "answers": list(answers), **more})


def test_answers_in_json() -> None:
    file = read_json(as_json(ADA, exercise={"topic": "attention-row", "difficulty": 2, "seed": 7}))
    assert file.origin == BatchOrigin("attention-row", 2, 7)
    assert file.answers == (Answers("Ada", 3, {"A": (("1/3", "0,5"), ("", "√2"))}),)


def test_a_number_in_json_is_the_decimal_that_was_written() -> None:
    text = (
        '{"format": "symattn-answers/1", "answers": [{"A": [[0.10, 1e-3, -7, 0.1000000000000000055511151231257827]]}]}'
    )
    assert read_json(text).answers[0].parts["A"] == (("0.10", "1e-3", "-7", "0.1000000000000000055511151231257827"),)


@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize("quote", ["", '"'])
def test_the_header_decides_the_separator(separator: str, quote: str) -> None:
    header = separator.join(f"{quote}{name}{quote}" for name in ("student", "version", "A[1,1]", "A[1,2]", "N"))
    line = separator.join(("Ada", "3", "1/3", '"0,5"', "12"))
    file = read_table(f"﻿{header}\r\n{line}\r\n".lstrip("﻿"))
    assert file.answers == (Answers("Ada", 3, {"A": (("1/3", "0,5"),), "N": (("12",),)}),)


@pytest.mark.parametrize("header", ["姓名;卷號;N", "Name;Version;N", "学生姓名;版本;N"])
def test_names_and_versions_may_be_called_as_people_call_them(header: str) -> None:
    assert read_table(f"{header}\nAda;3;12\n").answers == (Answers("Ada", 3, {"N": (("12",),)}),)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_a_file_may_have_a_mark_of_its_encoding(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "class.csv"
    path.write_text("student,N\n林小美,０．５\n", encoding=encoding)
    assert read_answers(path) == AnswerFile((Answers("林小美", None, {"N": (("０．５",),)}),))


def test_a_file_in_another_encoding_says_what_to_do(tmp_path: Path) -> None:
    path = tmp_path / "class.csv"
    path.write_text("student,N\n林小美,1\n", encoding="big5")
    with pytest.raises(AnswersError, match=r"class\.csv: is not UTF-8: save it as UTF-8"):
        read_answers(path)


def test_all_problems_of_a_table_are_named_with_their_lines() -> None:
    with pytest.raises(AnswersError) as caught:
        read_table("student,version,N\nAda,x,1\nBen,2,1,5\n", "class.csv")
    assert caught.value.problems == (
        "class.csv, line 2, column version: version is 'x': expected a whole number from 1 on",
        "class.csv, line 3: has 4 cells, and the header 3: quotes around a decimal comma?",
    )


@pytest.mark.parametrize(("header", "problem"), [
    ("student,grade of the exam", "column 2: 'grade of the exam' is not known: expected student, version, and"),
    ("student,A[0,1]", "column 2: 'A[0,1]' is not known"),
    ("N,N", "column 2: 'N' stands twice"),
])  # fmt: skip
def test_a_column_that_is_not_known_is_named(header: str, problem: str) -> None:
    with pytest.raises(AnswersError) as caught:
        read_table(f"{header}\nAda,1\n", "class.csv")
    assert problem in str(caught.value)


def test_all_problems_of_json_are_named_with_their_entries() -> None:
    with pytest.raises(AnswersError) as caught:
        read_json(
            as_json(
                {"student": "Ada", "version": 0, "A": [[{"x": 1}]]}, {"student": [5]}, "x", exercise="../exam.json"
            ),
            "a.json",
        )
    assert caught.value.problems == (
        "a.json, answers[1] (Ada): version is '0': expected a whole number from 1 on",
        "a.json, answers[1] (Ada), 'A': cell 1 is \"{'x': '1'}\": expected a text, a number or null",
        "a.json, answers[2]: student: expected a text",
        'a.json, answers[3]: expected an object such as {"student": "Ada", "version": 1, "A": [["1/3"]]}',
        "a.json, exercise: '../exam.json' is not the name of a file beside this one, such as exam.json",
    )


@pytest.mark.parametrize(("text", "message"), [
    ("{", "line 1, column 2: is not JSON"),
    ("[]", 'expected {"format"'),
    ('{"format": "symattn-answers/2", "answers": [{}]}', "expected 'symattn-answers/1'"),
    ('{"format": "symattn-answers/1", "answers": {}}', "expected a list with an object for every student"),
    ('{"format": "symattn-answers/1", "answers": []}', "holds no answers"),
    ('{"schema": "symattn-exercises/1", "exercises": []}', "holds exercises: give it with --exercise"),
    ('{"format": 1, "format": 2}', "the key 'format' stands twice"),
    ("[" * 100_000, "is nested too deep"),
])  # fmt: skip
def test_json_of_another_form_says_what_was_expected(text: str, message: str) -> None:
    with pytest.raises(AnswersError) as caught:
        read_json(text)
    assert message in str(caught.value)


def test_limits_are_named(tmp_path: Path) -> None:
    path = tmp_path / "a.json"
    path.write_bytes(b" " * (limits.ANSWER_BYTES + 1))
    rows = [["1"] * 1000] * (limits.ANSWER_CELLS // 1000 + 1)
    with pytest.raises(AnswersError, match="ANSWER_BYTES"):
        read_answers(path)
    with pytest.raises(AnswersError, match="ANSWER_CELLS"):
        read_json(as_json({"A": rows}))
    with pytest.raises(AnswersError, match="ANSWER_CELLS"):
        read_table("A[999,999]\n1\n")
    with pytest.raises(AnswersError, match="STUDENTS"):
        read_json(as_json(*[{}] * (limits.STUDENTS + 1)))
    with pytest.raises(AnswersError, match="STUDENTS"):
        read_table("N\n" + "1\n" * (limits.STUDENTS + 2))
    with pytest.raises(AnswersError, match="STUDENT_CHARACTERS"):
        read_json(as_json({"student": "A" * (limits.STUDENT_CHARACTERS + 1)}))


def test_files_of_many_columns_and_many_keys_are_read_in_one_go() -> None:
    """Looking through all of them for each one would take minutes."""
    columns, keys = [f"B{i}" for i in range(5_000)], [f'"k{i}": 1' for i in range(20_000)]
    (answers,) = read_table(",".join(columns) + "\n7" + ",7" * 4_999 + "\n").answers
    assert len(answers.parts) == len(columns)
    assert answers.parts["B0"] == (("7",),)
    with pytest.raises(AnswersError, match="'k9' stands twice"):
        read_json('{"format": "symattn-answers/1", "answers": [{' + ", ".join([*keys, keys[9]]) + "}]}")
