"""Nothing that comes out depends on the order of hashes, which is another in every process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterable
from hashlib import sha256

import pytest

from symattn.claims.mistakes.model import bank
from symattn.claims.mistakes.subject import Subject
from symattn.course import exported, generate
from symattn.course.marking import as_json, mark_all
from symattn.course.marking.answers import Answers
from symattn.course.sheet.batch import batch
from symattn.read.scenario.load import load
from symattn.write.formats import render
from tests.exercise.sheets import made

PROGRAM = "from tests.exercise.test_hash_seeds import everything; print(everything())"


def everything() -> str:
    """A digest of what each part of the way from a seed to marks gives, as JSON."""
    requests = (("softmax-row", "", 1), ("attention-row", "", 5), ("fill-in-the-blanks", "attention-row", 2))
    drawn = [generate(topic, of=of, difficulty=level, seed=7)[0] for topic, of, level in requests]
    journey = Subject(load("journey").derivation, load("journey").quantities)
    changes = [(mistake, change) for mistake in bank() for change in mistake.rewrite(journey)]
    sheets = tuple(made().values())
    answers = [Answers.of(wrong.figures) for wrong in drawn[1].wrong]
    digests = {
        "exercises": map(repr, drawn),
        "mistakes": (f"{one.name} {change.step} {change.formulas} {change.quantities}" for one, change in changes),
        "questions": [render(batch(sheets, "question", "zh-Hant"), "latex")],
        "keys": [render(batch(sheets, "answer", "zh-Hant"), "markdown")],
        "export": [exported(drawn, "jsonl")],
        "marks": [as_json(mark_all([drawn[1]], answers))],
    }
    return json.dumps({name: _digest(texts) for name, texts in digests.items()})


def _digest(texts: Iterable[str]) -> str:
    return sha256("\n".join(texts).encode()).hexdigest()


@pytest.mark.sampled(0)
def test_exercises_sheets_marks_and_exports_are_the_same_whatever_the_hash_seed() -> None:
    seed = "0" if os.environ.get("PYTHONHASHSEED") == "4711" else "4711"
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    other = json.loads(done.stdout)
    assert json.loads(everything()) == other
    assert set(other) == {"exercises", "mistakes", "questions", "keys", "export", "marks"}
