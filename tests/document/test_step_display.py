"""What a lesson leaves out of a step stands on the page of the next level, and it leaves out no result."""

from __future__ import annotations

from pathlib import Path

import pytest

from symattn.api.worked import derive
from symattn.compute.solution.store import Shown
from symattn.read.scenario.load import loads
from symattn.show.blocks import Matrix
from symattn.show.build import scenario_names
from symattn.show.lesson import treatments
from symattn.show.math import Number, every
from symattn.show.step_parts import chains_of
from symattn.show.steps import StepBlocks

LESSONS = sorted((Path(__file__).parent.parent / "lessons").glob("*.toml"))[3::8]


@pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.stem)
def test_a_lesson_shows_of_a_step_what_a_full_page_shows_or_less(path: Path) -> None:
    solution = derive(loads(path.read_text(encoding="utf-8"), path.stem))
    store, names = solution.store, scenario_names(solution.scenario)
    made = [step.name for step in store.derivation.steps if step.formula is not None and not step.general]
    full = StepBlocks(store, names, "steps")
    lesson = StepBlocks(store, names, "lesson", treated=treatments(store.derivation, made))
    for name in made:
        there, here = full.step(name, None, None), lesson.step(name, None, None)

        assert set(chains_of(here)) <= set(chains_of(there)), name
        if store.shown(name) is Shown.FIGURES:
            last = lesson.parts.matrix(name).entries[-1][-1]
            in_matrix = any(last in block.entries[-1] for block in here if isinstance(block, Matrix))
            assert in_matrix or last in every(Number, tuple(chains_of(here))), name
