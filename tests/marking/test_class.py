"""A class: versions find their exercises, mistakes are counted, and every form of the result is safe to open."""

from __future__ import annotations

import csv
import io
import json

import pytest

from symattn.errors import AnswersError
from symattn.marking import ClassReport, as_json, as_table, as_text, class_page, mark_all
from symattn.marking.answers import Answers
from symattn.mistakes.words import said
from symattn.render.formats import render
from tests.exercise.batches import batch

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
    assert first.mistake == "scale-forgotten"
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


def test_one_exercise_needs_no_version() -> None:
    assert mark_all(SHEETS[:1], [Answers("Eve")]).marked[0].version == 1


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_text_says_what_is_wrong_and_why(report: ClassReport, language: str) -> None:
    text = as_text(report, language)

    assert said("scale-forgotten", "feedback", language) in text
    assert said("scale-forgotten", "hint", language) in text
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

    title = said("scale-forgotten", "title", language)
    assert title.split("$")[0].split("_")[0][:3] in page
    assert "Attention" in page


def test_a_class_without_mistakes_has_a_page_too() -> None:
    page = render(class_page(mark_all(SHEETS, [answered("Ada", 1)]), "en"), "markdown")

    assert "Nobody went wrong." in page


def test_two_hundred_students_are_marked_from_figures_they_made(report: ClassReport) -> None:
    mistakes = [wrong.mistake for wrong in SHEETS[0].wrong]
    class_of_200 = [answered(f"S{n}", n % 3 + 1, mistakes[n % len(mistakes)]) for n in range(200)]

    marked = mark_all(SHEETS, class_of_200).marked

    assert len(marked) == 200
    assert sum(bool(one.first and one.first.causes) for one in marked) > 150
