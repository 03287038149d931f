"""Whole commands are killed at random moments while they write: old or new, never half, never mixed, nothing left."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
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
        students = "".join(f"Ada {number},1,7\n" for number in range(kind + 1))
        (folder / f"answers{kind}.csv").write_text(f"student,version,s\n{students}", encoding="utf-8")


def killed(folder: Path, arguments: tuple[str, ...], number: int, moment: float | None) -> None:
    """Run a command and send it a signal: after so many seconds, or as soon as anything changes in the folder."""
    before = names(folder)
    process = subprocess.Popen(
        [sys.executable, "-m", "symattn", *arguments],
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    if moment is not None:
        time.sleep(moment)
    else:
        while process.poll() is None and names(folder) == before:
            pass
    process.send_signal(number)
    process.wait(60)


def names(folder: Path) -> set[tuple[str, int]]:
    """What each name stands for: another number after a file is replaced."""
    return {(entry.name, entry.inode()) for entry in os.scandir(folder / "out")}


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
    assert all(states[0][page] != states[1][page] for page in states[0])
    random = Random(name)
    found: Counter[str] = Counter()
    for trial in range(count):
        shutil.rmtree(tmp_path / "out")
        (tmp_path / "out").mkdir()
        for page, text in states[0].items():
            (tmp_path / "out" / page).write_bytes(text)
        number = SIGNALS[trial % len(SIGNALS)]
        # Most at the worst moment, when the first name has changed; every fourth at any.
        moment = random.uniform(0.3, 1) * longest if trial // len(SIGNALS) % 4 == 3 else None
        killed(tmp_path, command(2), number, moment)
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
    assert sum(number for state, number in found.items() if not state.endswith("old")) > KILLS[name] / 4
