"""Classes: answers find their exercises, what went wrong is named, and every form of the result is safe to open."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from symattn.base.errors import AnswersError
from symattn.base.printed import Printed
from symattn.claims.mistakes.model import mistake_text
from symattn.course import generate
from symattn.course.marking import ClassReport, as_json, as_table, as_text, class_page, mark, mark_all
from symattn.course.marking.answers import AnswerFile, Answers, read_json, read_table
from symattn.course.marking.fitting import handed_in, must_be_asked, must_have_versions
from symattn.course.marking.sources import names_in, students_from, versions_of
from symattn.course.model import Exercise, Part, Wrong
from symattn.write.formats import render
from tests.exercise.batches import batch

# -- class -------------------------------------------------------------------------------------------------------------


LANGUAGES = ("en", "zh-Hant", "zh-Hans")
SHEETS = batch("attention-row", seed=7)


def figures(version: int, mistake: str) -> dict[str, object]:
    """What somebody answers who makes a mistake, or none."""
    sheet = SHEETS[version - 1]
    wrong = next((one.figures for one in sheet.wrong if one.mistake == mistake), None)
    return dict(wrong or {part.name: part.key for part in sheet.parts})


def answered(student: str, version: int, mistake: str = "") -> Answers:
    return Answers.of(figures(version, mistake), student, version)


@pytest.fixture(scope="module")
def report() -> ClassReport:
    return mark_all(
        SHEETS,
        [
            answered("Ada", 1),
            answered("Ben", 2, "scale-forgotten"),
            answered("=HYPERLINK(1)", 3, "scale-forgotten"),
            answered("Dan", 1, "softmax-no-exponentials"),
            Answers.of({"s": [["1 1/2", "\x1b[31m9", "77"]], "Zzz": "1"}, "", 2),
        ],
    )


def test_marks_and_mistakes_of_a_class(report: ClassReport) -> None:
    first = report.mistakes[0]
    assert report.marked[0].points == report.marked[0].most
    assert first.mistakes == ("scale-forgotten",)
    assert first.most == 2
    assert report.steps[0].part == "s"
    assert report.unexplained == 1
    assert sum(one.points for one in report.by_part) == report.points
    assert sum(one.cells for one in report.by_part) == report.most


def test_a_version_that_is_missing_is_named_with_its_student() -> None:
    with pytest.raises(AnswersError, match=r"no exercise for 'Eve' \(version 9\): there are the versions 1 to 3"):
        mark_all(SHEETS, [answered("Ada", 1), Answers("Eve", 9)])
    with pytest.raises(AnswersError, match=r"'Eve' \(version missing\)"):
        mark_all(SHEETS, [Answers("Eve")])


def test_two_exercises_of_one_version_are_refused() -> None:
    one, other = batch("softmax-row", 2, seed=1, count=1)[0], batch("softmax-row", 2, seed=2, count=1)[0]
    with pytest.raises(AnswersError, match="version 1 stands for two exercises"):
        mark_all((one, other), (Answers.of({}),))
    assert mark_all((one, one), (Answers.of({}),)).marked


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_text_says_what_is_wrong_and_why(report: ClassReport, language: str) -> None:
    text = as_text(report, language)
    assert mistake_text("scale-forgotten", "feedback", language) in text
    assert mistake_text("scale-forgotten", "hint", language) in text
    assert "\x1b" not in text
    assert "{" not in text


def test_json_counts_from_one_and_holds_everything(report: ClassReport) -> None:
    data = json.loads(as_json(report))
    assert data["format"] == "symattn-marks/1"
    assert [one["points"] for one in data["students"]] == [marked.points for marked in report.marked]
    cells = data["students"][4]["parts"][0]["cells"]
    assert (cells[0]["row"], cells[0]["column"], cells[0]["mark"], cells[0]["trouble"]) == (1, 1, "unreadable", "mixed")
    assert data["students"][4]["unknown"] == ["Zzz"]


def test_no_name_becomes_a_formula_in_a_spreadsheet(report: ClassReport) -> None:
    header, *lines = csv.reader(io.StringIO(as_table(report)))
    assert header[:5] == ["student", "version", "s", "a", "z"]
    assert lines[2][0] == "'=HYPERLINK(1)"
    assert [int(line[5]) for line in lines] == [marked.points for marked in report.marked]
    for start in ("=", "+", "-", "@", " =", "＝"):
        named = mark_all(SHEETS, [Answers(f"{start}1+1", 1)])
        assert as_table(named).splitlines()[1].lstrip('"').startswith("'")


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("format", ["markdown", "latex"])
def test_the_page_of_a_class_is_a_document(report: ClassReport, language: str, format: str) -> None:
    page = render(class_page(report, language, "Attention"), format)
    title = mistake_text("scale-forgotten", "title", language)
    assert title.split("$")[0].split("_")[0][:3] in page
    assert "Attention" in page


# -- diagnosis ---------------------------------------------------------------------------------------------------------


KEY = (("0.200", "0.300", "0.500"),)
SOURCE = 'title = "T"\n[given]\nA = [["1/5", "3/10", "1/2"]]\n[[section]]\ntitle = "S"\nsteps = ["B = 1 * A"]\n'


def exercise(*wrong: Wrong) -> Exercise:
    parts = (Part("A", "matrix", 3, KEY, ((0, 0), (0, 1), (0, 2))), Part("B", "matrix", 3, KEY, ((0, 0), (0, 1))))
    return Exercise("made-up", 2, 1, 1, "en", SOURCE, parts, wrong)


def made(mistake: str, A: Printed, B: Printed | None = None) -> Wrong:
    figures: Mapping[str, Printed] = {"A": A} if B is None else {"A": A, "B": B}
    return Wrong(mistake, "A", figures)


ONE = (("0.3", "0.2", "0.5"),)
OTHER = (("0.1", "0.4", "0.5"),)


def explained(known: Exercise, **answers: object) -> tuple[str, ...]:
    """The mistakes that explain what went wrong first."""
    first = mark(known, answers).first
    assert first is not None
    return first.mistakes


def test_two_mistakes_with_the_same_figures_tie_in_the_order_of_the_bank() -> None:
    assert explained(exercise(made("second", OTHER), made("beta", ONE), made("alpha", ONE)), A=ONE) == ("beta", "alpha")


def test_a_later_answer_breaks_a_tie() -> None:
    tied = exercise(made("beta", ONE, KEY), made("alpha", ONE, OTHER))
    assert explained(tied, A=ONE, B=OTHER) == ("alpha",)


def test_what_is_sure_comes_before_what_is_only_possible_however_often() -> None:
    known = exercise(made("sure", OTHER), made("beta", ONE, KEY), made("alpha", ONE, OTHER))
    report = mark_all([known], [Answers.of(rows) for rows in ({"A": ONE}, {"A": OTHER}, {"A": ONE, "B": OTHER})])
    found = [(one.mistakes, one.sure, one.perhaps) for one in report.mistakes]
    assert found == [(("alpha",), 1, 1), (("sure",), 1, 0), (("beta",), 0, 1)]


def test_mistakes_that_nothing_tells_apart_are_counted_as_one() -> None:
    names = ("scale-forgotten", "softmax-of-unscaled-scores")
    known = exercise(made("softmax-over-columns", OTHER), *(made(name, ONE) for name in names))
    report = mark_all([known], [Answers.of({"A": rows}) for rows in (ONE, OTHER, ONE)])
    found = [(one.mistakes, one.sure, one.perhaps) for one in report.mistakes]
    assert found == [(names, 2, 0), (("softmax-over-columns",), 1, 0)]
    titles = [mistake_text(name, "title", "en") for name in names]
    assert f"{' / '.join(titles)}: 2\n" in as_text(report, "en")
    assert json.loads(as_json(report))["mistakes"][0]["or"] == [names[1]]


def test_what_was_carried_on_is_not_explained_by_a_mistake_that_leaves_it_as_it_is() -> None:
    assert explained(exercise(made("alpha", ONE, KEY), made("beta", ONE, ONE)), A=ONE, B=ONE) == ("beta",)


def test_every_cell_has_to_agree_and_empty_ones_do_not_count() -> None:
    known = exercise(made("alpha", ONE))
    assert explained(known, A=[["", "0.2", ""]]) == ("alpha",)
    assert explained(known, A=[["0.3", "0.2", "0.4"]]) == ()


def test_a_mistake_that_changes_an_earlier_answer_does_not_explain_a_later_one() -> None:
    known = exercise(made("alpha", ONE, OTHER))
    assert mark(known, {"A": KEY, "B": OTHER}).findings[0].part == "B"
    assert explained(known, A=KEY, B=OTHER) == ()


def test_a_mistake_that_changes_the_shape_is_found_by_the_shape_of_the_answer() -> None:
    column = (("0.3",), ("0.2",), ("0.5",))
    assert mark(exercise(made("alpha", column)), {"A": column}).part("A").turned == "other"
    assert explained(exercise(made("alpha", column)), A=column) == ("alpha",)


def test_a_smaller_answer_without_a_wrong_cell_is_explained_by_a_mistake_that_gives_it() -> None:
    known = exercise(made("alpha", (("0.2", "0.3"),)))
    assert explained(known, A=[["0.2", "0.3"]]) == ("alpha",)
    assert mark(known, {"A": [["0.2"]]}).first is None


# -- fitting -----------------------------------------------------------------------------------------------------------


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


# -- students ----------------------------------------------------------------------------------------------------------


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


def test_names_in_a_file_are_read_as_answers_are(tmp_path: Path) -> None:
    (tmp_path / "names.csv").write_text("姓名\n王小明\n", encoding="utf-16")
    assert names_in(tmp_path / "names.csv") == ("王小明",)
    with pytest.raises(AnswersError, match=r"nobody\.csv: cannot be read: No such file or directory"):
        names_in(tmp_path / "nobody.csv")


def test_the_first_student_gets_version_1() -> None:
    assert list(versions_of(("Ada", "Alan")).items()) == [("Ada", 1), ("Alan", 2)]
