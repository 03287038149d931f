"""Names of a class from a table: which column, which encodings, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symattn import limits
from symattn.errors import AnswersError
from symattn.marking.students import names_in, students_from, versions_of
from symattn.render.escape import clean


@pytest.mark.parametrize("text", [
    "Ada\nAlan\n",
    "name\nAda\nAlan\n",
    "Student,Group\nAda,1\nAlan,2\n",
    "group;NAME\n1;Ada\n2;Alan\n",
    "no\t姓名\n1\tAda\n2\tAlan\n",
    "學號,學生姓名\n1,Ada\n2,Alan\n",
    "Student name;ID\nAda;1\nAlan;2\n",
    "學生\r\n\r\nAda\r\nAlan\r\n",
    "\ufeffname\n Ada \n'' \n".replace("'' ", "Alan"),
    ",Ada\n,Alan\n",
])  # fmt: skip
def test_the_names_are_found(text: str) -> None:
    assert students_from(text) == ("Ada", "Alan")


def test_a_comma_inside_a_name_needs_quotes() -> None:
    assert students_from('name\n"Lovelace, Ada"\n') == ("Lovelace, Ada",)
    assert students_from('"Lovelace, Ada"\n"Turing, Alan"\n') == ("Lovelace, Ada", "Turing, Alan")


@pytest.mark.parametrize(("text", "sentence"), [
    ("", "names.csv: is empty"),
    (" \n\n", "names.csv: is empty"),
    ("name\n", "names.csv: holds no name below its header"),
    ("name,group\nAda,1\n,2\n", "names.csv, line 3: has no name"),
    ("Ada\nAlan\nAda\n", "names.csv, line 3: 'Ada' stands in line 1 too"),
    ("Lovelace, Ada\n", "names.csv, line 1: has 2 cells and no header"),
    ("name\nLovelace, Ada\n", "names.csv, line 2: has 2 cells, and the header 1"),
    ("name\n" + "A" * 101, "names.csv, line 2: 'AAAAAAAAAAAAAAAAAAAA…' has more than STUDENT_CHARACTERS = 100"),
    ("\n".join(map(str, range(5001))), "names.csv: has more than STUDENTS = 5000 names"),
    ('name\n"' + "A" * 200_000, "names.csv, line 2: is not CSV"),
])  # fmt: skip
def test_what_cannot_be_names_is_refused_with_the_line(text: str, sentence: str) -> None:
    with pytest.raises(AnswersError) as error:
        students_from(text)
    assert str(error.value).startswith(sentence)
    assert "\n" not in str(error.value)


def test_a_file_may_have_any_encoding_that_says_itself(tmp_path: Path) -> None:
    path = tmp_path / "names.csv"
    for encoding in ("utf-8", "utf-8-sig", "utf-16"):
        path.write_text("姓名\n王小明\n", encoding=encoding)
        assert names_in(path) == ("王小明",)
    path.write_bytes("姓名\n王小明\n".encode("big5"))
    with pytest.raises(AnswersError, match=r"names\.csv: is not UTF-8"):
        names_in(path)
    with pytest.raises(AnswersError, match=r"nobody\.csv: cannot be read: No such file or directory"):
        names_in(tmp_path / "nobody.csv")


def test_a_file_that_is_too_large_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "ANSWER_BYTES", 10)
    path = tmp_path / "names.csv"
    path.write_text("Ada\nAlan\nGrace\n", encoding="utf-8")
    with pytest.raises(AnswersError, match="has more than ANSWER_BYTES = 10 bytes"):
        names_in(path)


def test_the_first_student_gets_version_1() -> None:
    assert list(versions_of(("Ada", "Alan")).items()) == [("Ada", 1), ("Alan", 2)]


@given(st.text(max_size=60) | st.text(alphabet='name,;\t"\n\r Ada\x00\u202e', max_size=60))
def test_any_text_gives_names_or_a_sentence(text: str) -> None:
    try:
        names = students_from(text)
    except AnswersError as error:
        assert str(error).startswith("names.csv")  # noqa: PT017
        return
    assert names == tuple(dict.fromkeys(names))
    assert all(name and name == clean(name) and len(name) <= limits.STUDENT_CHARACTERS for name in names)
