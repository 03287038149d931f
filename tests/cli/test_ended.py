"""A command that is ended from outside leaves no process behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from time import sleep

import pytest

from tests.conftest import ROOT

PROCESSES = Path("/proc")
pytestmark = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="processes are found in /proc")


def in_session(session: int) -> Iterator[str]:
    """The commands of the processes of a session that have not ended."""
    for stat in PROCESSES.glob("[0-9]*/stat"):
        try:
            fields = stat.read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
            if int(fields[3]) == session and fields[0] not in "ZX":
                yield (stat.parent / "cmdline").read_text(encoding="utf-8", errors="replace")
        except (OSError, IndexError):
            continue


@pytest.mark.long
@pytest.mark.sampled(1)
@pytest.mark.parametrize("ending", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_no_process_stays_where_a_command_is_ended(tmp_path: Path, ending: signal.Signals) -> None:
    code = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); from symattn.cli import run; run()"
    options = ["exercise", "attention-row", "--count", "300", "-j", "2", "-o", str(tmp_path / "exam.json")]
    command = subprocess.Popen(
        [sys.executable, "-c", code, *options], cwd=ROOT, start_new_session=True, stderr=subprocess.DEVNULL
    )
    try:
        while sum("popen_loky" in each for each in in_session(command.pid)) < 2:
            assert command.poll() is None
            sleep(0.05)
        command.send_signal(ending)
        returned = command.wait()
        for _ in range(200):  # the system takes a moment, and so do trackers, which end when those they track have
            if not (left := list(in_session(command.pid))):
                break
            sleep(0.05)
    finally:
        with suppress(ProcessLookupError):
            os.killpg(command.pid, signal.SIGKILL)

    assert left == []
    assert returned == (1 if ending == signal.SIGINT else -ending)
    assert not list(tmp_path.iterdir())
