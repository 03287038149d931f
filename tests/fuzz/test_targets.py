"""A short look by every fuzz target, the same inputs every time; the long run is ``python -m tests.fuzz.run``."""

from __future__ import annotations

import pytest

from symattn.base.errors import SymattnError
from tests.fuzz.run import run
from tests.fuzz.seeds import seeds
from tests.fuzz.targets import TARGETS, FoundError, tried


@pytest.mark.sampled(5)
@pytest.mark.parametrize("name", TARGETS)
def test_real_inputs_are_read(name: str) -> None:
    for data in seeds(name):
        try:
            TARGETS[name](data)
        except SymattnError:
            # Some of the formulas are there to be taken apart, not to be right.
            assert name in ("formula", "number"), data


@pytest.mark.parametrize("share", [5, pytest.param(1, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", TARGETS)
def test_damaged_inputs_give_a_value_or_an_error_of_the_projects_own(name: str, share: int) -> None:
    count = (100 if name in ("formula", "number", "scenario", "answer") else 25) // share
    assert run(name, count, 1) >= count


@pytest.mark.sampled(1)
@pytest.mark.parametrize("count", [100, 600])
def test_many_matrices_side_by_side_are_read_or_refused_soon(count: int) -> None:
    tried(TARGETS["formula"], f"concat({', '.join(['X'] * count)})".encode())
    tried(TARGETS["formula"], f"np.tile(X, ({count // 10}, {count // 10}))".encode())


def test_whatever_else_comes_out_is_found() -> None:
    def broken(data: bytes) -> None:
        raise KeyError(data)

    with pytest.raises(FoundError, match="KeyError"):
        tried(broken, b"x")


def test_an_error_without_a_sentence_is_found() -> None:
    def silent(data: bytes) -> None:
        raise SymattnError(" ")

    with pytest.raises(FoundError, match="nobody can read"):
        tried(silent, b"x")
