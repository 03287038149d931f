"""Whole processes, from the start of Python to the last line written, against `python -c "import sympy"`."""

from __future__ import annotations

import pytest

from benchmarks.conftest import SideBySide, peak, process

IMPORT = ("-c", "import sympy")


@pytest.mark.parametrize(
    "arguments", ["derive --scenario weather", "derive --scenario weather --format latex", "--help"]
)
def test_whole_process(arguments: str, side_by_side: SideBySide, rounds: int) -> None:
    ours = ("-m", "symattn", *arguments.split())
    sides = {"`symattn`": ours, "`import sympy`": IMPORT}
    side_by_side(
        f"`symattn {arguments}`, the process",
        {name: lambda command=command: process(*command) for name, command in sides.items()},
        rounds,
        {name: peak(*command) for name, command in sides.items()},
    )
