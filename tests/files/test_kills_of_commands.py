"""Whole commands are killed at random moments while they write: old or new, never half, never mixed, nothing left."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

import pytest

from symattn.files import write_whole

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the system has no kill")

LESSON = 'title = "{word}"\n[given]\nX = [["1", "2"]]\n[[section]]\ntitle = "s"\nsteps = ["Y = X.T"]\n'
TOLD = ("--topic", "dot-product", "--difficulty", "2", "--seed")

COMMANDS: dict[str, Callable[[int], tuple[str, ...]]] = {
    "derive -o": lambda kind: ("derive", f"lesson{kind}.toml", "-o", "out/a.md"),
    "exercise -o": lambda kind: ("exercise", "dot-product", "--seed", str(kind), "-n", "3", "-o", "out/a.md"),
    "mark -o": lambda kind: (
        *("mark", f"answers{kind}.csv", *TOLD, str(kind), "-o", "out/a.csv", "--report", "out/b.md"),
    ),
    "build": lambda kind: ("build", "-o", "out"),
}
"""For each command two runs that write different texts into the same files; build writes what it always writes."""

SIGNALS = (signal.SIGKILL, signal.SIGKILL, signal.SIGTERM, signal.SIGINT)


def run(folder: Path, *arguments: str) -> None:
    subprocess.run([sys.executable, "-m", "symattn", *arguments], cwd=folder, check=True, capture_output=True)


def texts(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted((folder / "out").iterdir())}


def prepared(folder: Path) -> None:
    (folder / "out").mkdir()
    for kind in (1, 2):
        (folder / f"lesson{kind}.toml").write_text(LESSON.format(word=f"Word {kind}"), encoding="utf-8")
        (folder / f"answers{kind}.csv").write_text(f"student,version,s\nAda,1,{kind}\nBob,1,7\n", encoding="utf-8")


def killed(folder: Path, arguments: tuple[str, ...], moments: Iterator[float], seconds: float, number: int) -> int:
    """The exit code of a command that gets a signal somewhere in the last part of its run."""
    process = subprocess.Popen(
        [sys.executable, "-m", "symattn", *arguments],
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    time.sleep(seconds * next(moments))
    process.send_signal(number)
    return process.wait(60)


def kills(tmp_path: Path, name: str, count: int) -> Counter[str]:
    """``count`` kills of a command, with what was found after each."""
    prepared(tmp_path)
    command = COMMANDS[name]
    states, longest = [], 0.0
    for kind in (1, 2):
        started = time.monotonic()
        run(tmp_path, *command(kind))
        longest = max(longest, time.monotonic() - started)
        states.append(texts(tmp_path))
    if name == "build":  # its old pages are others
        states[0] = {page: b"old " + text for page, text in states[1].items()}
    random = Random(name)
    moments = iter(lambda: random.uniform(0.7, 1.05), 0)
    found: Counter[str] = Counter()
    for trial in range(count):
        shutil.rmtree(tmp_path / "out")
        (tmp_path / "out").mkdir()
        for page, text in states[0].items():
            (tmp_path / "out" / page).write_bytes(text)
        number = SIGNALS[trial % len(SIGNALS)]
        killed(tmp_path, command(2), moments, longest, number)
        now = texts(tmp_path)
        left = [page for page in now if page not in states[0]]
        state = "old" if now == states[0] else "new" if now == states[1] else "left" if left else "mixed"
        found[f"{signal.Signals(number).name} {state}"] += 1
        if state in ("left", "mixed"):
            assert number == signal.SIGKILL, (name, trial, left)
            for page, text in now.items():  # no page is ever half, not even between two
                assert page in left or text in (states[0][page], states[1][page]), (name, trial, page)
            write_whole(tmp_path / "out" / "next.md", "next")
            (tmp_path / "out" / "next.md").unlink()
            assert texts(tmp_path) in states, (name, trial, left)
    return found


KILLS = {"derive -o": 100, "exercise -o": 100, "mark -o": 90, "build": 10}


@pytest.mark.slow
@pytest.mark.parametrize("name", COMMANDS)
def test_three_hundred_kills(tmp_path: Path, name: str) -> None:
    found = kills(tmp_path, name, KILLS[name])
    sys.stderr.write(f"\n{name}: {dict(sorted(found.items()))}\n")
    assert sum(found.values()) == KILLS[name]
    assert {state.split()[1] for state in found} >= {"old", "new"}
