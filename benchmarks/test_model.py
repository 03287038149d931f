"""One head of a layer with d = 384, 12 heads and 32 tokens: the process from the file of weights to the page."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import model
from benchmarks.conftest import SideBySide, peak, process

PROGRAM = Path(model.__file__)


@pytest.mark.parametrize("more", [(), ("--decimals", "4")], ids=["binary", "decimals"])
def test_one_head(more: tuple[str, ...], tmp_path: Path, side_by_side: SideBySide, rounds: int) -> None:
    model.write(tmp_path)
    ours = model.command(tmp_path, *more)
    sides = {"symattn, every digit certified": ours, "NumPy, float64": (str(PROGRAM), "numpy", str(tmp_path))}
    size = f"d = {model.WIDTH}, {model.HEADS} heads, {model.TOKENS} tokens"
    side_by_side(
        f"one head of a layer, {size}, {'4 decimals' if more else 'binary floats'}",
        {name: lambda arguments=arguments: process(*arguments) for name, arguments in sides.items()},
        rounds,
        {name: peak(*arguments) for name, arguments in sides.items()},
    )
