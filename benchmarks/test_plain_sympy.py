"""The values of `weather` against the same values by plain SymPy: exact matrices, `evalf` of each.

Plain SymPy runs once, as far as `--plain-until` says. Against its matrices stand the same ones from symattn, certified
to six decimals; against its process stands `symattn derive --scenario weather`, which always goes to the end.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from pathlib import Path

import pytest

import symattn
from benchmarks.conftest import STAGES, Sample, SideBySide, here, peak, process, watched

PLAIN = Path(__file__).with_name("plain_sympy.py")
DIGITS = 6

Matrices = dict[str, list[list[float]]]


@dataclass(frozen=True)
class Plain:
    """What the one run of plain SymPy gave: every matrix and what it took to get there; times and memory of the run."""

    matrices: Matrices
    values: dict[str, Sample]
    process: Sample
    megabytes: float


@pytest.fixture(scope="module")
def until(request: pytest.FixtureRequest) -> str:
    return str(request.config.getoption("--plain-until"))


@pytest.fixture(scope="module")
def plain(until: str) -> Plain:
    lines, whole, megabytes = watched(str(PLAIN), "--until", until)
    found = [line.split(" ", 3) for line in lines]
    values = {name: Sample(float(wall), float(cpu)) for name, wall, cpu, _ in found}
    return Plain({name: ast.literal_eval(rows) for name, _, _, rows in found}, values, whole, megabytes)


def certified(names: list[str]) -> dict[str, tuple[tuple[str, ...], ...]]:
    solution = symattn.derive("weather")
    return {name: solution[name].decimals(DIGITS) for name in names}


@pytest.mark.parametrize("stage", STAGES)
def test_values(stage: str, until: str, plain: Plain, side_by_side: SideBySide, rounds: int) -> None:
    if stage not in plain.matrices:
        pytest.skip(f"plain SymPy was asked to go up to {until}")
    names = list(plain.matrices)[: list(plain.matrices).index(stage) + 1]
    for name, rows in certified(names).items():
        for ours, theirs in zip(rows, plain.matrices[name], strict=True):
            assert list(map(float, ours)) == pytest.approx(theirs, rel=1e-14, abs=0.5001 * 10**-DIGITS)
    side_by_side(
        f"values of `weather` up to {stage}, everything imported",
        {"symattn": lambda: here(lambda: certified(names)), "plain SymPy": lambda: plain.values[stage]},
        rounds,
        {},
    )


def test_whole_process(until: str, plain: Plain, side_by_side: SideBySide, rounds: int) -> None:
    ours = ("-m", "symattn", "derive", "--scenario", "weather")
    side_by_side(
        f"`symattn derive --scenario weather`, the process; plain SymPy up to {until}",
        {"symattn": lambda: process(*ours), "plain SymPy": lambda: plain.process},
        rounds,
        {"symattn": peak(*ours), "plain SymPy": plain.megabytes},
    )
