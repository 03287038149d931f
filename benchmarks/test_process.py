"""Whole processes, from the start of Python to the last line written, against `python -c "import sympy"`; the PDF of
a page beside its Markdown."""

from __future__ import annotations

from pathlib import Path

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


def test_pdf_beside_markdown(side_by_side: SideBySide, rounds: int, tmp_path: Path) -> None:
    pytest.importorskip("typst")
    sides = {
        name: ("-m", "symattn", "derive", "--scenario", "weather", "-o", str(tmp_path / f"weather.{ending}"))
        for name, ending in (("PDF, by Typst", "pdf"), ("Markdown", "md"))
    }
    side_by_side(
        "`symattn derive --scenario weather`, the process",
        {name: lambda command=command: process(*command) for name, command in sides.items()},
        rounds,
        {name: peak(*command) for name, command in sides.items()},
    )
