"""Names with letters for sizes, shared by the tests of proofs."""

from __future__ import annotations

import pytest

from symattn.base.shapes import Axis, Shape
from symattn.read.plan import Plan

SHAPES = {
    "S": "mn", "T": "mn", "A": "mn", "B": "nd", "C": "nd", "c": "m1", "X": "md", "Y": "nd", "F": "md", "G": "nd",
    "V": "nd", "Q": "md", "K": "nd", "x": "1d", "y": "1d", "N": "nn", "R": "nn",
    "S_1": "ma", "S_2": "mb", "V_1": "ad", "V_2": "bd", "m_1": "m1", "m_2": "m1",
}  # fmt: skip


@pytest.fixture(scope="session")
def plan() -> Plan:
    found = Plan(sizes={letter: letter for letter in "mndab"}, symbols=("s",))
    for name, (rows, columns) in SHAPES.items():
        found = found.given(name, Shape(axis(rows), axis(columns)), general=True)
    return found


def axis(letter: str) -> Axis:
    return Axis(1) if letter == "1" else Axis(letter, letter)
