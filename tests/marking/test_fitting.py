"""Answers that do not fit the sheets are refused, and every row is named."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from symattn.errors import AnswersError
from symattn.exercise import generate
from symattn.marking import Answers
from symattn.marking.answers import AnswerFile, read_json, read_table
from symattn.marking.fitting import handed_in, must_be_asked, must_have_versions

BATCH = generate("softmax-row", seed=7, count=3)


def problems(answers: Sequence[Answers], versions: Sequence[int]) -> tuple[str, ...]:
    with pytest.raises(AnswersError) as caught:
        must_have_versions(answers, versions, "class.csv")
    return caught.value.problems


def test_every_row_whose_version_is_wrong_or_missing_is_named() -> None:
    file = read_table('student,version,"a[1,1]"\nAda,1,1\nBen,31,1\n,,1\n', "class.csv")

    assert problems(file.answers, range(1, 31)) == (
        "class.csv, line 3 (Ben): version is 31: there are the versions 1 to 30",
        "class.csv, line 4: has no version: it stands on the sheet; there are the versions 1 to 30",
    )


def test_entries_of_json_and_answers_from_python_are_named_too() -> None:
    text = '{"format": "symattn-answers/1", "answers": [{"student": "Ada", "version": 2, "a": "1"}]}'

    assert problems(read_json(text).answers, (1,)) == (
        "class.csv, answers[1] (Ada): version is 2: there is version 1 only",
    )
    assert problems((Answers.of({}, "Ada", 2),), (1,)) == ("class.csv, Ada: version is 2: there is version 1 only",)


def test_a_part_that_no_sheet_asks_for_is_named_once_with_the_rows_that_answer_it() -> None:
    file = read_table("student,version,A,b\nAda,1,1/3,\nBen,2,1/2,\nCy,3,,\n", "class.csv")
    with pytest.raises(AnswersError) as caught:
        must_be_asked(file.answers, BATCH, "class.csv")

    assert caught.value.problems == (
        "class.csv, line 2 (Ada) and 1 more: unknown part 'A': did you mean 'a'? known: a",
    )


def test_rows_that_nobody_filled_in_are_not_handed_in() -> None:
    ada, absent, empty = Answers.of({"a": ["1"]}), Answers.of({"a": [" "]}, "Ben"), Answers.of({"a": [None]})

    assert handed_in((ada, absent, empty), "class.csv") == (ada, absent)
    with pytest.raises(AnswersError, match=r"class\.csv: holds no answers yet"):
        handed_in(AnswerFile((empty,)).answers, "class.csv")
