"""What a command cannot do is one sentence with exit code 2, and no file is written.

In ``wrong.txt`` a case is what follows ``symattn``, and its answer the last line that is printed.
"""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest

from symattn.course import generate
from symattn.course.checksum import checksum
from tests.cases import groups, is_told
from tests.commands import GOOD, LESSON, run

GROUPS = groups(Path(__file__).with_name("wrong.txt"))


@pytest.mark.parametrize("name", GROUPS)
def test_what_cannot_be_done_is_one_sentence_and_writes_nothing(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    exercise = generate("softmax-row", seed=7, count=2)[1]
    ada = {"student": "Ada", "version": 2, "checksum": checksum(exercise), "a": exercise.parts[0].key}
    Path("answers.json").write_text(json.dumps({"format": "symattn-answers/1", "answers": [ada]}), encoding="utf-8")
    Path("good.toml").write_text(GOOD, encoding="utf-8")
    Path("lesson.toml").write_text(LESSON, encoding="utf-8")
    Path("names.csv").write_text("\ufeff姓名\n王小明\nAda\n", encoding="utf-8")
    before = {path.name: path.read_bytes() for path in Path().iterdir()}
    for line, wanted in GROUPS[name].cases:
        result = run(*shlex.split(line))
        assert result.exit_code == 2, (line, result.output)
        assert is_told(result.output.splitlines()[-1:], wanted), (line, result.output)
        assert {path.name: path.read_bytes() for path in Path().iterdir()} == before, line
