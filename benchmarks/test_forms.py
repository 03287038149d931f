"""Time and size of every form that a solution has, each beside Markdown in one run: a new format is measured too."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.conftest import ENVIRONMENT, SideBySide, peak, process
from symattn.write.endings import FILE_FORMATS

PEER = "markdown"


@pytest.mark.parametrize("scenario", ["weather", "journey"])
@pytest.mark.parametrize("format", FILE_FORMATS)
def test_form_beside_markdown(
    scenario: str, format: str, side_by_side: SideBySide, rounds: int, tmp_path: Path
) -> None:
    commands = {name: _command(scenario, name, tmp_path / name) for name in dict.fromkeys((format, PEER))}
    kilobytes = {name: _written(command, tmp_path / name) for name, command in commands.items()}
    sides = {f"{FILE_FORMATS[name].called}, {kilobytes[name]:.0f} kB": commands[name] for name in commands}
    side_by_side(
        f"`symattn derive --scenario {scenario} --format {format} -o FILE`, the process, and its files",
        {name: lambda command=command: process(*command) for name, command in sides.items()},
        rounds,
        {name: peak(*command) for name, command in sides.items()},
    )


def _command(scenario: str, format: str, folder: Path) -> tuple[str, ...]:
    folder.mkdir()
    file = folder / f"lesson.{FILE_FORMATS[format].end}"
    return ("-m", "symattn", "derive", "--scenario", scenario, "--format", format, "-o", str(file))


def _written(command: tuple[str, ...], folder: Path) -> float:
    """How many kilobytes a form has, its pictures too; one whose extra is not installed is left out."""
    done = subprocess.run([sys.executable, *command], env=ENVIRONMENT, capture_output=True, encoding="utf-8")
    if done.returncode:
        assert "pip install" in done.stderr, done.stderr
        pytest.skip(done.stderr.strip())
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file()) / 1000
