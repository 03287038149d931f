"""What a diagnosis looks at: an exercise, a student's answers to it, and their marks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from flint import arb_mat

from symattn.exercise.model import Exercise
from symattn.exercise.worked import Ask
from symattn.marking.grid import Grid
from symattn.marking.model import PartMarks


@dataclass(frozen=True)
class Paper:
    """Answers and marks by part, in the order of the derivation; ``own`` is what the student went on with."""

    exercise: Exercise
    asks: tuple[Ask, ...]
    grids: Mapping[str, Grid]
    marks: Mapping[str, PartMarks]
    own: Mapping[str, arb_mat]
