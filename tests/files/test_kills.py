"""A process that writes files is killed at every step it takes: old or new, never half, and nothing is left behind."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from symattn.files.draft import START, STREAMS

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the system has neither fork nor locks")
UNNAMED = STREAMS.is_dir()

FILES = {
    "one": ("exam.md",),
    "one that is new": ("absent.md",),
    "three, one of them new": ("exam.md", "exam-key.md", "absent.csv"),
    "a pair in two folders": ("marks/marks.csv", "pages/report.md"),
}


def outcomes_of(folder: Path, kind: str, number: str, names: tuple[str, ...]) -> list[dict[str, Any]]:
    """What there is after a signal at each step, the last one of which did not come any more."""
    script = Path(__file__).with_name("killed.py")
    told = [sys.executable, str(script), str(folder / "work"), kind, number, *names]
    done = subprocess.run(told, capture_output=True, text=True, check=True, timeout=60)
    outcomes: list[dict[str, Any]] = json.loads(done.stdout)
    assert outcomes[0]["killed"]["held"] == [None if "absent" in name else "old" for name in names]
    assert outcomes[-1]["killed"]["held"] == ["new"] * len(names)
    assert len(outcomes) > 5
    return outcomes


@pytest.mark.sampled(3)
@pytest.mark.parametrize("names", FILES.values(), ids=FILES)
@pytest.mark.parametrize("kind", ["unnamed", "named"])
def test_a_kill_at_any_step_leaves_all_old_or_all_new(tmp_path: Path, kind: str, names: tuple[str, ...]) -> None:
    outcomes = outcomes_of(tmp_path, kind, "SIGKILL", names)
    old, new = outcomes[0]["killed"]["held"], ["new"] * len(names)
    for outcome in outcomes:
        killed, later = outcome["killed"], outcome["next"]
        assert all(text in (before, "new") for text, before in zip(killed["held"], old, strict=True))
        if killed["held"] not in (old, new):  # in between: there is a journal that says so
            assert any(name.startswith(START) and name.endswith(".journal") for name in killed["others"])
        assert later["held"] in (old, new)
        assert later["others"] == []
    if kind == "unnamed" and UNNAMED:
        clean = [outcome for outcome in outcomes if not outcome["killed"]["others"]]
        assert len(clean) > len(outcomes) / 3  # a draft has no name for most of the time


@pytest.mark.skipif(not UNNAMED, reason="the system has no files without a name")
@pytest.mark.parametrize("number", ["SIGTERM", "SIGINT", "SIGHUP"])
def test_a_signal_that_can_wait_never_comes_between_two_files(tmp_path: Path, number: str) -> None:
    for outcome in outcomes_of(tmp_path, "unnamed", number, ("exam.md", "exam-key.md")):
        assert outcome["killed"]["held"] in (["old", "old"], ["new", "new"])
        assert outcome["killed"]["others"] == []
