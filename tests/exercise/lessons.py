"""Scenarios of a few lines, ready to be worked out."""

from __future__ import annotations

import json

from symattn.claims.worked import Worked, read_exercise


def source(given: str, *steps: str) -> str:
    """``source('X = [["1"]]', "Y = 2 * X")``: a scenario without words."""
    return f'title = "T"\n[given]\n{given}\n[[section]]\ntitle = "S"\nsteps = {json.dumps(steps)}\n'


def lesson(given: str, *steps: str) -> Worked:
    """The same, read."""
    return read_exercise(source(given, *steps))
