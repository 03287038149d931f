"""A teacher's topic and mistake come in a package of their own: listed, drawn, marked and explained like ours."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from symattn.base.errors import ScenarioError
from symattn.claims.mistakes.model import bank
from symattn.cli import main
from symattn.course import exercises_from, exported, generate, question
from symattn.course.marking import as_text, mark_all
from symattn.course.marking.answers import Answers
from symattn.course.topics.model import mistakes, topics
from symattn.write.formats import render

# The module that docs/exercises.md shows, and beside it a topic whose name is taken.
PAGE = (Path(__file__).parent.parent.parent / "docs" / "exercises.md").read_text(encoding="utf-8")
TEACHER = next(text for text in re.findall(r"```py\n(.*?)```", PAGE, re.DOTALL) if "TOPICS = " in text)
TEACHER += 'OURS = (Topic("softmax-row", "teacher", square, words=WORDS),)\n'
TEACHER += 'LOST = (Mistake("lost", at_each(of(Hadamard, twice)), ("squares ",), words={"en": SAID}),)\n'


@pytest.fixture(autouse=True)
def _forgotten() -> Iterator[None]:
    yield
    for remembered in (topics, mistakes, bank):
        remembered.cache_clear()


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):  # type: ignore[no-untyped-def]
    """Put the teacher's package where Python finds it, with some entry points."""

    def installed(topic: str, mistake: str = "teacher_of_squares:MISTAKES") -> None:
        (tmp_path / "teacher_of_squares.py").write_text(TEACHER, encoding="utf-8")
        folder = tmp_path / "teacher_of_squares-1.0.dist-info"
        folder.mkdir()
        (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: teacher-of-squares\nVersion: 1.0\n")
        entries = f"[symattn.topics]\nmine = {topic}\n[symattn.mistakes]\nmine = {mistake}\n"
        (folder / "entry_points.txt").write_text(entries, encoding="utf-8")
        monkeypatch.syspath_prepend(tmp_path)
        for remembered in (topics, mistakes, bank):
            remembered.cache_clear()

    return installed


def test_a_topic_and_a_mistake_of_somebody_else_are_like_ours(install) -> None:  # type: ignore[no-untyped-def]
    install("teacher_of_squares:TOPICS")
    assert re.search(r"^squares +teacher +Squares$", CliRunner().invoke(main, ["exercise", "--list"]).output, re.M)
    assert "    doubled: Doubled" in CliRunner().invoke(main, ["exercise", "--list", "-v"]).output
    batch = generate("squares", difficulty=2, seed=7, count=2)
    assert "Square every entry of" in render(question(batch[0]), "markdown")
    numbers = [float(text) for text in batch[0].source.split("[[")[1].split("]]")[0].replace('"', "").split(",")]
    assert [float(text) for text in batch[0].part("y").key[0]] == [x * x for x in numbers]
    assert exercises_from(exported(batch, "json")) == batch.exercises
    assert generate("fading", of="attention-row", seed=7)[0].of == "attention-row"
    doubled = {"y": [[str(2 * x) for x in numbers]]}
    report = mark_all(batch, [Answers.of(doubled, "Ada", 1), Answers.of({"y": batch[1].part("y").key}, "Ben", 2)])
    assert [one.points for one in report.marked] == [sum(x == 2 for x in numbers), 3]
    assert "The entries were doubled. What times itself is a square?" in as_text(report, "en")
    with pytest.raises(ScenarioError, match="the topic squares has no words in zh-Hant: it has them in en"):
        generate("squares", language="zh-Hant")


@pytest.mark.parametrize(("value", "sentence"), [
    ("teacher_of_squares:OURS", "adds 'softmax-row', which is there already: give another name"),
    ("teacher_of_squares:WORDS", "is no tuple of Topic: expected one, as symattn.topics wants it"),
    ("teacher_of_squares:NONE", "cannot be loaded: "),
    ("teacher_of_nothing:TOPICS", "cannot be loaded: No module named 'teacher_of_nothing'"),
])  # fmt: skip
def test_what_is_no_topic_is_refused_with_its_entry_point(install, value: str, sentence: str) -> None:  # type: ignore[no-untyped-def]
    install(value)
    with pytest.raises(ScenarioError) as caught:
        topics()
    assert str(caught.value).startswith(f"the entry point mine = {value} of symattn.topics {sentence}")


def test_a_mistake_of_a_topic_that_nobody_knows_is_refused(install) -> None:  # type: ignore[no-untyped-def]
    install("teacher_of_squares:TOPICS", "teacher_of_squares:LOST")
    with pytest.raises(ScenarioError, match=r"the mistake lost: unknown topic 'squares ': did you mean 'squares'\?"):
        mistakes()
