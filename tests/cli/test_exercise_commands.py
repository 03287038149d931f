"""exercise and mark as commands: what they print, both files or neither, and one sentence for what is wrong."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from symattn.course import exercises_from, generate
from symattn.course.checksum import checksum
from symattn.course.forms import every_topic
from tests.commands import LESSON, run


@pytest.fixture(autouse=True)
def _files(in_a_folder: None) -> None:
    Path("lesson.toml").write_text(LESSON, encoding="utf-8")
    Path("names.csv").write_text("\ufeff姓名\n王小明\nAda\n", encoding="utf-8")


def read(name: str) -> str:
    return Path(name).read_text(encoding="utf-8")


# -- exercise ------------------------------------------------------------------------------------------------------


def test_a_sheet_goes_to_standard_output_and_with_key_its_key_does() -> None:
    sheet, key = run("exercise", "softmax-row", "--seed", "7"), run("exercise", "softmax-row", "--seed", "7", "--key")
    (figure, *_), *_ = generate("softmax-row", seed=7)[0].parts[0].key
    assert sheet.exit_code == key.exit_code == 0
    assert figure in key.stdout
    assert figure not in sheet.stdout
    assert "boxed" in sheet.stdout
    assert run("exercise", "softmax-row", "--seed", "7").stdout == sheet.stdout


@pytest.mark.parametrize(("name", "key"), [("exam.tex", "exam-key.tex"), ("my.exam.md", "my.exam-key.md")])
def test_sheets_and_keys_are_written_from_the_same_variants(name: str, key: str) -> None:
    result = run("exercise", "softmax-row", "--count", "3", "--seed", "7", "-o", name)
    assert (result.exit_code, result.output) == (0, f"{name} and {key} are written.\n")
    for exercise in generate("softmax-row", seed=7, count=3):
        assert all(figure in read(key) for figure in exercise.parts[0].key[0])
    assert read(name).count("seed: 7") == read(key).count("seed: 7") >= 3
    assert ("\\documentclass" in read(name)) == name.endswith(".tex")


def test_neither_is_written_if_one_cannot_be() -> None:
    Path("exam-key.md").mkdir()
    Path("exam.md").write_text("old", encoding="utf-8")
    result = run("exercise", "dot-product", "-o", "exam.md")
    assert result.exit_code == 2
    assert result.output == "symattn: exam-key.md: is a folder: give the name of a file\n"
    assert read("exam.md") == "old"
    assert sorted(path.name for path in Path().iterdir()) == ["exam-key.md", "exam.md", "lesson.toml", "names.csv"]


def test_the_first_file_is_put_back_if_the_second_cannot_be_put_in_its_place(monkeypatch: pytest.MonkeyPatch) -> None:
    Path("exam.md").write_text("old", encoding="utf-8")
    replace = Path.replace

    def only_the_first(self: Path, target: Path) -> Path:
        if Path(target).name == "exam-key.md":
            raise OSError(28, "No space left on device")
        return replace(self, target)

    monkeypatch.setattr(Path, "replace", only_the_first)
    result = run("exercise", "dot-product", "-o", "exam.md")
    assert result.exit_code == 2
    assert "exam-key.md: cannot be written: No space left on device; nothing was changed" in result.output
    assert read("exam.md") == "old"
    result = run("exercise", "dot-product", "-o", "exam.md")
    Path("exam.md").unlink()
    assert run("exercise", "dot-product", "-o", "exam.md").exit_code == 2
    assert sorted(path.name for path in Path().iterdir()) == ["lesson.toml", "names.csv"]


def test_steps_of_a_scenario_are_asked_in_its_own_language() -> None:
    result = run("exercise", "--scenario", "lesson.toml", "--ask", "A,O", "-f", "json")
    (exercise,) = exercises_from(result.stdout)
    assert [part.name for part in exercise.parts] == ["A", "O"]
    assert exercise.language == "zh-Hant"
    several = exercises_from(run("exercise", "-s", "lesson.toml", "--ask", "A", "-n", "3", "-f", "jsonl").stdout)
    assert len({exercise.source for exercise in several}) == 3


def test_what_was_rejected_is_told_apart_from_the_sheets() -> None:
    batch = generate("softmax-row", difficulty=2, seed=1, count=5)
    result = run("exercise", "softmax-row", "-n", "5", "--rejected")
    lines = result.stderr.splitlines()
    assert lines[0] == f"draws rejected: {sum(batch.rejected.values())}, kept: 5"
    assert {line.strip().split("  ")[1]: int(line.split()[0]) for line in lines[1:]} == batch.rejected
    assert "draws" not in result.stdout


def test_the_list_has_every_topic_and_with_v_its_mistakes() -> None:
    lines = run("exercise", "--list").output.splitlines()
    assert [line.split()[0] for line in lines] == [topic.name for topic in every_topic()]
    assert "softmax 的一列" in run("exercise", "--list", "-l", "zh-Hant").output
    assert "    scale-forgotten: " in run("exercise", "--list", "-v").output


# -- mark ----------------------------------------------------------------------------------------------------------


def answers(exercise: object = None, **more: object) -> dict[str, object]:
    """Ada answers version 2 rightly, Alan version 1 without the sum."""
    first, second = generate("softmax-row", seed=7, count=2)
    undivided = next(one for one in first.wrong if one.mistake == "exponentials-without-dividing")
    students = [
        {"student": "Ada", "version": 2, "checksum": checksum(second), "a": second.parts[0].key},
        {"student": "Alan", "version": 1, "checksum": checksum(first), "a": undivided.figures["a"]},
    ]
    origin = {"exercise": exercise} if exercise is not None else {}
    return {"format": "symattn-answers/1", **origin, "answers": students, **more}


GENERATED = {"topic": "softmax-row", "difficulty": 2, "seed": 7}


def write(name: str, data: object) -> None:
    Path(name).write_text(json.dumps(data), encoding="utf-8")


def points(result: Result) -> list[tuple[str, int]]:
    assert result.exit_code == 0, result.output
    return [(one["student"], one["points"]) for one in json.loads(result.stdout)["students"]]


WIDTH = len(generate("softmax-row", seed=7)[0].parts[0].asked)
MARKED = [("Ada", WIDTH), ("Alan", 0)]


def test_answers_say_what_they_were_generated_from() -> None:
    write("answers.json", answers(GENERATED))
    result = run("mark", "answers.json", "--format", "json")
    assert points(result) == MARKED
    finding = json.loads(result.stdout)["students"][1]["findings"][0]
    assert finding["mistakes"][0]["mistake"] == "exponentials-without-dividing"


def test_answers_name_a_file_beside_them_or_the_command_does() -> None:
    Path("class").mkdir()
    assert run("exercise", "softmax-row", "--seed", "7", "-n", "2", "-o", "class/exam.jsonl").exit_code == 0
    write("class/answers.json", answers("exam.jsonl"))
    write("answers.json", answers())
    assert points(run("mark", "class/answers.json", "-f", "json")) == MARKED
    assert points(run("mark", "answers.json", "-e", "class/exam.jsonl", "-f", "json")) == MARKED


def test_sheets_about_a_scenario_are_marked_with_what_they_were_made_from() -> None:
    told = ("--scenario", "lesson.toml", "--ask", "A", "--seed", "7")
    for more in ((), ("--fresh",), ("-n", "2")):
        (first, *_) = exercises_from(run("exercise", *told, *more, "-f", "json").stdout)
        write("answers.json", answers() | {"answers": [{"student": "Ada", "version": 1, "A": first.parts[0].key}]})
        assert points(run("mark", "answers.json", *told, *more, "-f", "json")) == [("Ada", len(first.parts[0].asked))]


def test_a_topic_may_be_given_as_it_stands_on_the_sheets() -> None:
    form = "fill-in-the-blanks"
    (_, second) = exercises_from(run("exercise", form, "--of", "rope", "-n", "2", "-f", "json").stdout)
    key = {part.name: part.key for part in second.parts}
    write("answers.json", answers() | {"answers": [{"student": "Ada", "version": 2, **key}]})
    most = sum(len(part.asked) for part in second.parts)
    for told in (("--topic", f"{form}/rope"), ("--topic", form, "--of", "rope")):
        assert points(run("mark", "answers.json", *told, "-d", "2", "--seed", "1", "-f", "json")) == [("Ada", most)]


def test_a_class_in_which_nobody_is_right_makes_one_look_at_the_seed() -> None:
    data = answers(GENERATED)
    rows: Any = data["answers"]
    write("answers.json", data | {"answers": [row | {"a": ["7"] * WIDTH, "checksum": None} for row in rows]})
    assert "nobody has anything right: were these the exercises?" in run("mark", "answers.json").stderr
    write("answers.json", answers(GENERATED))
    assert run("mark", "answers.json").stderr == ""
