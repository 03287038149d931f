"""A document says which of its blocks belong to which step: who shows a step at a time looks there."""

from __future__ import annotations

import pytest

from symattn.show.blocks import Block, Equation, Heading, Matrices, Matrix, Picture
from symattn.show.build import DETAILS, build
from symattn.write.pictures.svg import PicturePlaces
from tests.cases import solved


def symbols_of(blocks: tuple[Block, ...]) -> str:
    return repr([block for block in blocks if isinstance(block, Equation | Matrix | Matrices)])


@pytest.mark.sampled(4)
@pytest.mark.parametrize("name", ["weather", "ironman", "refund"])
@pytest.mark.parametrize("detail", DETAILS)
def test_every_step_stands_in_a_passage_that_holds_all_that_is_said_of_it(name: str, detail: str) -> None:
    solution = solved(name)
    page = build(solution.scenario, solution.store, detail=detail)  # type: ignore[arg-type]
    found = list(page.in_passages())
    assert tuple(block for _, blocks in found for block in blocks) == page.blocks
    assert all(len(part.names) == len(part.symbols) for part, _ in found)
    shown = [name for part, _ in found for name in part.names]
    assert set(shown) >= set(solution.derivation.by_name) - set(solution.scenario.quantities), (
        "a step without a passage"
    )
    for part, blocks in found:
        if part.names:
            assert all(repr(symbol) in symbols_of(blocks) for symbol in part.symbols), part.names
            assert not any(isinstance(block, Heading) for block in blocks)
        else:
            assert not any(isinstance(block, Matrix) for block in blocks), "whose matrix?"


def test_pictures_that_are_left_out_leave_the_passages_as_they_are() -> None:
    solution = solved("weather")
    page = build(solution.scenario, solution.store)
    without = PicturePlaces("none").placed(page, "markdown")
    assert len(without.blocks) < len(page.blocks)
    for (part, blocks), (before, all_blocks) in zip(without.in_passages(), page.in_passages(), strict=True):
        assert part.names == before.names
        assert blocks == tuple(block for block in all_blocks if not isinstance(block, Picture))
