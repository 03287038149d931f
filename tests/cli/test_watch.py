"""--watch: one rendering for every save, whatever the editor does, until Ctrl-C."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from symattn.cli import main
from symattn.cli.solutions import GONE, changes, stamps

GOOD = 'title = "Mine"\n[given]\nX = [["1", "2"]]\n[[section]]\ntitle = "s"\nsteps = ["Y = X.T"]\n'


class Enough(Exception):
    """The looks that a test wants are over."""


def rendered(
    path: Path, *looks: Callable[[], object], while_rendering: Callable[[], object] | None = None
) -> list[int]:
    """After how many looks something is rendered, where ``looks`` says what happens before each."""
    happened: list[int] = []
    waiting = list(looks)

    def sleep(seconds: float) -> None:
        if not waiting:
            raise Enough
        waiting.pop(0)()

    with suppress(Enough):
        for _ in changes(lambda: [path], stamps([path]), sleep=sleep):
            happened.append(len(looks) - len(waiting))
            if while_rendering is not None and len(happened) == 1:
                while_rendering()
    return happened


def nothing() -> None:
    pass


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "lesson.toml"
    path.write_text("0", encoding="utf-8")
    return path


def save(path: Path, text: str) -> Callable[[], object]:
    return lambda: path.write_text(text, encoding="utf-8")


@pytest.mark.parametrize(("looks", "happened"), [
    ([None] * 20, []),  # nothing is saved
    ([None, "1 2", None, None, None], [3]),  # once two looks agree
    (["11", "111", "1111", "11111", None, None], [5]),  # still being written
    ([Path.unlink, None, None, "1 2", None, None], [5]),  # away for a moment
    ([Path.unlink, *[None] * (GONE + 5)], [GONE + 1]),  # away for good
])  # fmt: skip
def test_what_is_saved_is_rendered_once_it_is_done(path: Path, looks: list[Any], happened: list[int]) -> None:
    def look(what: Any) -> Callable[[], object]:
        return nothing if what is None else save(path, what) if isinstance(what, str) else partial(what, path)

    assert rendered(path, *map(look, looks)) == happened


def test_a_file_of_the_same_size_in_its_place_is_a_change(path: Path, tmp_path: Path) -> None:
    def put_in_place() -> None:
        new = tmp_path / "new"
        new.write_text("1", encoding="utf-8")
        os.utime(new, ns=(path.stat().st_atime_ns, path.stat().st_mtime_ns))
        new.replace(path)

    assert rendered(path, put_in_place, nothing, nothing) == [2]


def test_a_save_while_something_is_rendered_is_not_lost(path: Path) -> None:
    looks = (save(path, "1 2"), nothing, nothing, nothing, nothing)
    assert rendered(path, *looks, while_rendering=save(path, "1 2 3")) == [2, 4]


def test_watch_needs_a_file_to_write_to(tmp_path: Path) -> None:
    lesson = tmp_path / "lesson.toml"
    lesson.write_text(GOOD, encoding="utf-8")
    assert "name it with -o FILE" in CliRunner().invoke(main, ["derive", str(lesson), "--watch"]).output
    same = CliRunner().invoke(main, ["derive", str(lesson), "-o", str(lesson)])
    assert (same.exit_code, lesson.read_text(encoding="utf-8")) == (2, GOOD)
    missing = CliRunner().invoke(main, ["derive", str(tmp_path / "no.toml"), "-o", "x.md", "--watch"])
    assert (missing.exit_code, "cannot be read" in missing.output) == (2, True)


@pytest.mark.long
@pytest.mark.skipif(not hasattr(signal, "SIGINT") or sys.platform == "win32", reason="there is no Ctrl-C to send")
def test_the_command_renders_again_tells_errors_and_ends_with_ctrl_c(tmp_path: Path) -> None:
    lesson, page = tmp_path / "lesson.toml", tmp_path / "lesson.md"
    lesson.write_text(GOOD, encoding="utf-8")
    command = [sys.executable, "-m", "symattn", "derive", str(lesson), "-o", str(page), "--watch"]
    # What a shell starts in the background ignores Ctrl-C, and so does all that it starts.
    heard = partial(signal.signal, signal.SIGINT, signal.SIG_DFL)
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, encoding="utf-8", preexec_fn=heard) as watching:
        assert watching.stderr is not None
        said = watching.stderr
        try:
            assert said.readline() == f"symattn: {page} is written\n"
            assert said.readline() == f"symattn: watching {lesson}; Ctrl-C ends it\n"
            lesson.write_text(GOOD.replace("X.T", "Y.T"), encoding="utf-8")
            assert "unknown name 'Y'" in said.readline()
            lesson.write_text(GOOD.replace("Mine", "Ours"), encoding="utf-8")
            assert said.readline() == f"symattn: {page} is written\n"
            assert page.read_text(encoding="utf-8").startswith("# Ours\n")
            time.sleep(0.05)
            watching.send_signal(signal.SIGINT)
            assert watching.wait(timeout=20) == 0
        finally:
            watching.kill()
