"""Side by side: what is measured and what it is compared with take turns, so that a noisy machine is noisy to both.

pytest-benchmark times symattn; before each of its rounds every other side runs once. Reported are the medians.
Nothing here fails because it was slow.
"""

from __future__ import annotations

import gc
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import pytest

from symattn.write.modules import write_modules

ROOT = Path(__file__).resolve().parents[1]

# NumPy's threads wait for each other by turning in circles, which counts as CPU; every side has one core.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# Python's own settings stay out (PYTHONDONTWRITEBYTECODE would have symattn, and not SymPy, compiled at every start).
ENVIRONMENT = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
# Nothing is imported from the folder where the benchmarks are started, which is the checkout.
ENVIRONMENT.update(PYTHONSAFEPATH="1", PYTHONIOENCODING="utf-8")

# A process inherits its parent's peak, so a small one stands between pytest and the process whose memory is measured.
WATCH = """
import resource, subprocess, sys, time
start = time.perf_counter()
subprocess.run(sys.argv[1:], check=True)
wall, used = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
print(wall, used.ru_utime + used.ru_stime, used.ru_maxrss)
"""


@dataclass(frozen=True)
class Sample:
    """Seconds by the clock, and seconds of CPU: the second suffer less from what else the machine does."""

    wall: float
    cpu: float


@dataclass(frozen=True)
class Line:
    """One side of one comparison, as the table at the end shows it."""

    group: str
    side: str
    samples: Sequence[Sample]
    megabytes: float | None

    @property
    def runs(self) -> int:
        """How often the side ran; what ran only once is the same sample every round."""
        return len(set(map(id, self.samples)))

    @property
    def wall(self) -> float:
        return median(sample.wall for sample in self.samples)

    @property
    def cpu(self) -> float:
        return median(sample.cpu for sample in self.samples)


STAGES = ("LN_1", "LN_2", "probs")
"""Matrices of `weather` up to which plain SymPy can be asked to go."""

LINES = pytest.StashKey[list[Line]]()


def process(*arguments: str) -> Sample:
    """One run of this Python as a process of its own."""
    start = time.perf_counter()
    child = subprocess.Popen([sys.executable, *arguments], env=ENVIRONMENT, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(child.pid, 0)
    wall = time.perf_counter() - start
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        raise subprocess.CalledProcessError(child.returncode, child.args)
    return Sample(wall, used.ru_utime + used.ru_stime)


def watched(*arguments: str) -> tuple[list[str], Sample, float]:
    """One run of this Python: the lines it wrote, its times, and the most memory it held, in megabytes (on Linux)."""
    command = [sys.executable, "-S", "-c", WATCH, sys.executable, *arguments]
    text = subprocess.run(command, env=ENVIRONMENT, check=True, stdout=subprocess.PIPE, encoding="utf-8").stdout
    *lines, last = text.splitlines()
    wall, cpu, kilobytes = last.split()
    return lines, Sample(float(wall), float(cpu)), int(kilobytes) / 1024


def peak(*arguments: str) -> float:
    """The most memory that a run of this Python held, in megabytes: the second run, as the first may compile."""
    watched(*arguments)
    return watched(*arguments)[2]


def here(work: Callable[[], Any]) -> Sample:
    """One run in this process."""
    start, start_cpu = time.perf_counter(), time.process_time()
    work()
    return Sample(time.perf_counter() - start, time.process_time() - start_cpu)


@pytest.fixture(autouse=True, scope="session")
def _installed(tmp_path_factory: pytest.TempPathFactory) -> None:
    """The package as pip installs it: templates are compiled, and every module is before anything is timed."""
    place = tmp_path_factory.mktemp("installed")
    shutil.copytree(ROOT / "symattn", place / "symattn", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(ROOT / "templates", place / "symattn" / "templates")
    compiled = place / "symattn" / "templates" / "compiled"
    compiled.mkdir()
    write_modules(compiled)
    ENVIRONMENT.update(PYTHONPATH=str(place), PYTHONPYCACHEPREFIX=str(tmp_path_factory.mktemp("bytecode")))


SideBySide = Callable[..., None]


@pytest.fixture
def side_by_side(benchmark: Any, request: pytest.FixtureRequest) -> SideBySide:
    """``side_by_side(group, {side: run}, rounds, {side: megabytes})``: the first side is timed by pytest-benchmark."""

    def measure(
        group: str,
        sides: Mapping[str, Callable[[], Sample]],
        rounds: int,
        megabytes: Mapping[str, float],
    ) -> None:
        samples: dict[str, list[Sample]] = {name: [] for name in sides}
        ours, *others = sides

        def run(name: str) -> None:
            samples[name].append(sides[name]())

        def before() -> None:
            for name in others:
                gc.collect()
                run(name)
            gc.collect()

        benchmark.group = group
        benchmark.pedantic(run, args=(ours,), setup=before, rounds=rounds, iterations=1)
        lines = [Line(group, name, samples[name], megabytes.get(name)) for name in sides]
        benchmark.extra_info.update(
            {line.side: {"wall": line.wall, "cpu": line.cpu, "megabytes": line.megabytes} for line in lines}
        )
        request.config.stash[LINES].extend(lines)

    return measure


def pytest_addoption(parser: pytest.Parser) -> None:
    options = parser.getgroup("symattn")
    options.addoption("--rounds", type=int, default=9, help="rounds of every comparison (default: 9)")
    options.addoption(
        "--plain-until",
        default="LN_2",
        choices=STAGES,
        help="how far plain SymPy goes: to LN_1 (a second), LN_2 (the default: a minute or two) or probs (the whole)",
    )


def pytest_configure(config: pytest.Config) -> None:
    config.stash[LINES] = []


@pytest.fixture
def rounds(request: pytest.FixtureRequest) -> int:
    return int(request.config.getoption("--rounds"))


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """The table of the README."""
    lines = config.stash[LINES]
    if not lines:
        return
    terminalreporter.section("side by side: medians; the last two columns are symattn divided by the side")
    terminalreporter.line("| compared | side | runs | clock | CPU | memory | × clock | × CPU |")
    terminalreporter.line("|---|---|--:|--:|--:|--:|--:|--:|")
    first = lines[0]
    for line in lines:
        first = line if line.group != first.group else first
        memory = "" if line.megabytes is None else f"{line.megabytes:.0f} MB"
        ratios = " | " if line is first else f"{_ratio(first.wall, line.wall)} | {_ratio(first.cpu, line.cpu)}"
        terminalreporter.line(
            f"| {line.group if line is first else ''} | {line.side} | {line.runs} "
            f"| {_time(line.wall)} | {_time(line.cpu)} | {memory} | {ratios} |"
        )


def _time(seconds: float) -> str:
    return f"{seconds * 1000:.1f} ms" if seconds < 1 else f"{seconds:.2f} s"


def _ratio(ours: float, theirs: float) -> str:
    if not theirs:
        return "–"
    return f"{ours / theirs:.2f}" if ours * 20 > theirs else f"1/{theirs / ours:.0f}"
