"""Empty files of answers ask for what the sheets ask for; filled in with the keys they get all marks."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Mapping
from pathlib import Path

import pytest
from click.testing import Result

from symattn.base.printed import Printed
from symattn.course import exercises_from, generate
from symattn.course.marking.answers import read_table
from symattn.course.marking.answers.files import empty_table
from symattn.course.model import Exercise
from tests.commands import run as invoked

pytestmark = pytest.mark.usefixtures("in_a_folder")


def run(*arguments: str) -> Result:
    result = invoked(*arguments)
    assert result.exit_code == 0, result.output
    return result


def figure(figures: Mapping[str, Printed], column: str) -> str:
    """What stands in a column of a table: a figure, with a decimal comma."""
    found = re.fullmatch(r"(\w+)(?:\[(\d+),(\d+)\])?", column)
    assert found is not None
    rows, i, j = figures.get(found[1], ()), int(found[2] or 1) - 1, int(found[3] or 1) - 1
    return rows[i][j].replace(".", ",") if i < len(rows) and j < len(rows[i]) else ""


def fill_in(path: Path, figures: Mapping[int, Mapping[str, Printed]]) -> None:
    """Type figures of every version into an empty table, as a spreadsheet saves it whose decimals have commas."""
    with path.open(encoding="utf-8-sig", newline="") as stream:
        header, *rows = csv.reader(stream)
    with path.open("w", encoding="utf-8-sig", newline="") as stream:
        writer = csv.writer(stream, delimiter=";", lineterminator="\r\n")
        writer.writerow(header)
        for name, version, *_ in rows:
            writer.writerow([name, version, *(figure(figures[int(version)], column) for column in header[2:])])


def keys(exercise: Exercise) -> dict[str, Printed]:
    return {part.name: part.key for part in exercise.parts}


def test_a_table_has_a_column_for_every_cell_that_some_sheet_asks_for() -> None:
    series = generate("fading", of="attention-row", seed=7, count=3)
    header, *rows = empty_table(series).splitlines()
    file = read_table(header + "\n" + "\n".join(rows) + "\n")
    assert header.startswith("student,version,")
    assert [one.version for one in file.answers] == [2, 3]  # the first one shows everything
    asked = {part.name: part.shape for exercise in series for part in exercise.parts}
    assert {name: (len(rows), len(rows[0])) for name, rows in file.answers[0].parts.items()} == asked
    assert all(one.is_empty for one in file.answers)


@pytest.mark.long
def test_thirty_keys_typed_into_the_empty_table_get_all_marks() -> None:
    told = ("attention-row", "--count", "30", "--seed", "7", "--difficulty", "2")
    result = run("exercise", *told, "-o", "exam.json", "--answers", "class.csv")
    exercises = exercises_from(Path("exam.json").read_text(encoding="utf-8"))
    fill_in(Path("class.csv"), {one.version: keys(one) for one in exercises})
    command = result.output.splitlines()[-1].split()
    assert command[:3] == ["symattn", "mark", "class.csv"]
    marks = json.loads(run(*command[1:], "--format", "json").stdout)
    assert len(marks["students"]) == 30
    assert marks["points"] == marks["most"] == sum(len(part.asked) for one in exercises for part in one.parts)
    assert json.loads(run("mark", "class.csv", "--exercise", "exam.json", "-f", "json").stdout) == marks


def test_mistakes_typed_into_the_empty_table_are_in_the_report() -> None:
    batch = generate("softmax-row", seed=7, count=6)
    run("exercise", "softmax-row", "-n", "6", "--seed", "7", "-o", "exam.md", "--answers", "class.csv")
    name = "exponentials-without-dividing"
    made = {one.version: next(dict(wrong.figures) for wrong in one.wrong if wrong.mistake == name) for one in batch[:4]}
    fill_in(Path("class.csv"), {one.version: keys(one) for one in batch} | made)
    told = ("--topic", "softmax-row", "--difficulty", "2", "--seed", "7", "--count", "6")
    marks = json.loads(run("mark", "class.csv", *told, "-f", "json", "--report", "report.md").stdout)
    assert marks["mistakes"] == [{"mistake": name, "or": [], "students": 4, "tied": 0}]
    assert [one["points"] for one in marks["students"]] == [0] * 4 + [5] * 2
    assert "Not divided by the sum | 4 |" in Path("report.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("told", [("fading", "--of", "attention-row"), ("fading", "-s", "lesson.toml", "--ask", "A,O")])
def test_json_says_itself_what_was_answered(told: tuple[str, ...]) -> None:
    steps = 'steps = ["A = softmax(X @ X.T)", "O = A @ X"]'
    lesson = f'title = "T"\n[given]\nX = [["1", "0"], ["0", "2"]]\n[[section]]\ntitle = "S"\n{steps}\n'
    Path("class").mkdir()
    Path("class/lesson.toml").write_text(lesson, encoding="utf-8")
    told = tuple("class/lesson.toml" if word == "lesson.toml" else word for word in told)
    result = run("exercise", *told, "-n", "3", "--seed", "7", "-o", "exam.json", "--answers", "class/answers.json")
    assert result.output.splitlines()[-1].strip() == "symattn mark class/answers.json"
    exercises = exercises_from(Path("exam.json").read_text(encoding="utf-8"))
    data = json.loads(Path("class/answers.json").read_text(encoding="utf-8"))
    assert data["exercise"]["count"] == 3
    data["answers"] = [{"version": one.version, **keys(one)} for one in exercises if one.parts]
    Path("class/answers.json").write_text(json.dumps(data), encoding="utf-8")
    marks = json.loads(run("mark", "class/answers.json", "-f", "json").stdout)
    assert marks["points"] == marks["most"] > 0


def test_a_file_that_may_hold_answers_is_never_written_over() -> None:
    Path("class.csv").write_text("the work of a class", encoding="utf-8")
    arguments = ["exercise", "softmax-row", "-o", "exam.md", "--answers", "class.csv"]
    result = invoked(*arguments)
    assert result.exit_code == 2
    assert "--answers class.csv: is there already and may hold answers: give another name" in result.output
    assert [path.name for path in Path().iterdir()] == ["class.csv"]
    assert Path("class.csv").read_text(encoding="utf-8") == "the work of a class"


def test_a_name_that_a_spreadsheet_would_run_is_guarded_and_comes_back_as_it_was() -> None:
    names = ['=HYPERLINK("http://x","y")', "+1", "-1", "@x", " =1", "＝1", "'=1", "''-1", "Ada", "O'Hara", "'quoted'"]
    Path("names.csv").write_text("\n".join(['"name"', *(f'"{name.replace(chr(34), 2 * chr(34))}"' for name in names)]))
    run("exercise", "dot-product", "--seed", "7", "--per-student", "names.csv", "-o", "x.md", "--answers", "a.csv")
    with Path("a.csv").open(encoding="utf-8-sig", newline="") as stream:
        _, *rows = csv.reader(stream)
    assert all(re.match(r"'+\s*[=+\-@＝]|Ada|O'Hara|'quoted'", row[0]) for row in rows), rows
    fill_in(Path("a.csv"), {one.version: keys(one) for one in generate("dot-product", seed=7, count=len(names))})
    told = ("--topic", "dot-product", "--seed", "7", "--difficulty", "2", "--count", str(len(names)))
    run("mark", "a.csv", *told, "-o", "marks.json")
    marks = json.loads(Path("marks.json").read_text(encoding="utf-8"))
    assert [student["student"] for student in marks["students"]] == [name.strip() for name in names]
    assert marks["points"] == marks["most"]
    run("mark", "a.csv", *told, "-o", "marks.csv")
    assert Path("marks.csv").read_bytes().startswith(b"\xef\xbb\xbfstudent,")
    with Path("marks.csv").open(encoding="utf-8-sig", newline="") as stream:
        assert [row[0].strip() for row in csv.reader(stream)][1:] == [row[0].replace("' =", "'=") for row in rows]
