"""Gradients of random derivations are those of PyTorch."""

from __future__ import annotations

import pytest

from symattn.gradients.chain import backward
from tests.second_road.random_plans import random_plan, torch, worked_out

COUNT, MANY = 40, 2_000
"""How many derivations every run of the tests tries, and the slow one."""


def compare(seed: int) -> int:
    """How many entries of gradients agree; none where the forward pass has no value, as of a row of zeros."""
    made = random_plan(seed)
    if not torch.isfinite(made.tensors["L"]).all():
        return 0
    made.tensors["L"].sum().backward()
    names = list(made.numbers)
    passed = backward(made.plan, "L", names)
    values = worked_out(passed.plan, made.numbers)
    entries = 0
    for name, called in passed.names.items():
        if name not in made.tensors:
            continue
        theirs = made.tensors[name].grad
        theirs = torch.zeros_like(made.tensors[name]) if theirs is None else theirs
        ours = values[called]
        for i, row in enumerate(theirs.tolist()):
            for j, value in enumerate(row):
                entry = ours[i, j]
                if not entry.rad() < 1e-20:
                    return 0  # a tie, which balls alone do not decide: tests of single operations have those
                assert abs(float(entry.mid()) - value) <= 1e-10 * max(1.0, abs(value)), (
                    made.texts,
                    name,
                    i,
                    j,
                    entry,
                    value,
                )
                entries += 1
    return entries


@pytest.mark.parametrize("seed", range(COUNT))
def test_every_gradient_is_that_of_pytorch(seed: int) -> None:
    assert compare(seed) >= 0


@pytest.mark.slow
def test_every_gradient_of_many_derivations_is_that_of_pytorch() -> None:
    assert sum(map(compare, range(COUNT, MANY))) > 10 * (MANY - COUNT)
