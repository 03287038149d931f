"""Attention with certified decimals against the same computation written directly on `arb_mat`, and NumPy for scale.

Reading the numbers (text → exact; for NumPy text → double) is left out on every side. Turning exact numbers into balls
is not, and symattn builds its derivation anew in every round.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.attention import DIGITS, SIDES, WIDTH, texts
from benchmarks.conftest import SideBySide, here, peak

PROGRAM = Path(__file__).with_name("attention.py")
NAMES = {"symattn": "symattn", "arb_mat": "`arb_mat` directly", "numpy": "NumPy, not certified"}


@pytest.mark.parametrize("decimals", [True, False], ids=["decimals", "values"])
@pytest.mark.parametrize("n", [64, 256, 512])
def test_attention(n: int, decimals: bool, side_by_side: SideBySide, rounds: int) -> None:
    given = texts(n)
    givens = {side: SIDES[side].read(given) for side in SIDES}
    if decimals:
        ours, direct, floats = (SIDES[side].work(givens[side], True) for side in SIDES)
        assert ours == direct
        for row, other in zip(ours, floats, strict=True):
            assert list(map(float, row)) == pytest.approx(list(map(float, other)), abs=1.5 * 10**-DIGITS)
    side_by_side(
        f"attention, n = {n}, d = {WIDTH}, " + (f"{DIGITS} certified decimals" if decimals else "enclosures of Z only"),
        {NAMES[side]: lambda side=side: here(lambda: SIDES[side].work(givens[side], decimals)) for side in SIDES},
        rounds,
        {NAMES[side]: peak(str(PROGRAM), side, str(n), *([] if decimals else ["--values"])) for side in SIDES},
    )
