"""Where operations have no derivative is said, entry by entry, and nowhere else."""

from __future__ import annotations

from typing import Any

import pytest

from symattn.base.errors import FormulaError
from symattn.operations.equations.adjoint import is_flat
from symattn.operations.equations.kinks import kinks
from symattn.operations.equations.read import declared, read_operation
from symattn.operations.equations.run import OperandValues, run
from symattn.operations.records import OURS, record_named
from tests.second_road.roads import Floats

X = [[-1.0, 0.0, 2.0, 0.5]]


def flags(text: str, wrt: str = "X", **numbers: Any) -> list[list[Any]] | None:
    found = kinks(read_operation(text), wrt)
    if found is None:
        return None
    again = read_operation(declared(found))
    assert declared(again) == declared(found)
    matrix = numbers.get("X", X)
    return run(OperandValues(found, {"X": X, **numbers}, {"m": len(matrix), "n": len(matrix[0])}), Floats())


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("max(0, X[i,j])", [0, 1, 0, 0]),
        ("min(X[i,j], 2)", [0, 0, 1, 0]),
        ("abs(X[i,j] - 1/2)", [0, 0, 0, 1]),
        ("floor(X[i,j])", [1, 1, 1, 0]),
        ("X[i,j] % 2", [0, 1, 1, 0]),
        ("X[i,j] if X[i,j] > 0 else X[i,j] / 100", [0, 1, 0, 0]),
        ("0 if X[i,j] <= 1/2 else 1", [0, 0, 0, 1]),
        ("1 / X[i,j] if X[i,j] != 0 else 0", [0, 1, 0, 0]),
        ("X[i,j] if 0 < X[i,j] and X[i,j] < 2 else 0", [0, 1, 1, 0]),
        ("X[i,j] if X[i,j] > 0 and j > 2 else 3", [0, 0, 0, 0]),
        ("abs(X[i,j]) if j > 2 else X[i,j]", [0, 0, 0, 0]),
        ("abs(X[i,j]) if j <= 2 else X[i,j]", [0, 1, 0, 0]),
        ("max(X[i,j], X[i,1])", [0, 0, 0, 0]),  # in the first place both are the same entry
        ("max(X[i,j], X[i,1] + 1)", [1, 1, 0, 0]),
        ("max(0, floor(X[i,j]) + 1/2)", [1, 1, 1, 0]),
        ("max(0, floor(X[i,j]))", [1, 1, 1, 0]),
        ("2 * abs(max(0, X[i,j]))", [0, 1, 0, 0]),
        ("X[i,j] if abs(X[i,j]) < 2 else 0", [0, 0, 1, 0]),
        ("X[i,j] if floor(X[i,j]) < 1 else 0", [1, 1, 1, 0]),
    ],
)
def test_entries_at_a_kink_are_1(body: str, expected: list[int]) -> None:
    assert flags(f"f(X: m×n) -> m×n\n y[i,j] = {body}") == [expected]


@pytest.mark.parametrize(
    "body",
    [
        "exp(X[i,j])",
        "X[i,j]^2 if j > 1 else 0",
        "max(X[i,j], X[i,j])",
        "X[i,j] if X[i,j] > 0 else exp(X[i,j]) - 1",
        "X[i,j]^2 if X[i,j] > 0 else 0",
        "sqrt(X[i,j])",
        "max(1, j) * X[i,j]",
    ],
)
def test_what_has_no_kinks_has_none(body: str) -> None:
    assert flags(f"f(X: m×n) -> m×n\n y[i,j] = {body}") is None


def test_a_maximum_that_is_shared_is_a_kink_of_those_that_share_it() -> None:
    text = "f(X: m×n) -> m×1\n y[i] = max(k, X[i,k])"
    assert flags(text, X=[[1.0, 3.0, 3.0]]) == [[0, 1, 1]]
    assert flags(text, X=[[3.0, 1.0, 2.0]]) == [[0, 0, 0]]


def test_all_that_a_number_at_a_kink_is_made_of_stands_at_it() -> None:
    text = "f(X: m×n) -> m×n\n s[i] = sum(k, X[i,k])\n t[i] = 2 * s[i]\n y[i,j] = X[i,j] + abs(t[i])"
    assert flags(text, X=[[1.0, -1.0], [1.0, 1.0]]) == [[1, 1], [0, 0]]


def test_what_is_not_used_there_has_no_kink_there() -> None:
    text = "f(X: m×n, c) -> m×n\n h[i,j] = abs(X[i,j])\n y[i,j] = h[i,j] if c > 0 else X[i,j]"
    assert flags(text, c=1.0) == [[0, 1, 0, 0]]
    assert flags(text, c=-1.0) == [[0, 0, 0, 0]]


def test_what_is_below_a_floor_does_not_bend_with_what_is_above() -> None:
    # Where floor(x) is 0 and x is no whole number, all is level.
    assert flags("f(X: m×n) -> m×n\n y[i,j] = abs(floor(X[i,j]))", X=[[0.5, 0.0]]) == [[0, 1]]


def test_a_number_stands_at_a_kink_too() -> None:
    text = "f(X: m×n, c) -> m×n\n y[i,j] = max(c, X[i,j])"
    assert flags(text, "c", c=2.0) == [[1]]
    assert flags(text, "c", c=1.0) == [[0]]


def test_kinks_of_ours_are_those_that_are_known() -> None:
    found = {
        f"{name}.{each.name}"
        for name in OURS
        if (record := record_named(name)) is not None and not any(each.many for each in record.parameters)
        for each in record.parameters
        if (each.is_matrix or each.kind == "number") and kinks(record, each.name) is not None
    }
    assert found == {
        "relu.X",
        "abs.X",
        "floor.X",
        "leaky_relu.X",
        "clip_norm.X",
        "clip_norm.c",
        "keep.M",
        "one_hot.ids",
        "cross_entropy.ids",
        "row_max.X",
        "row_min.X",
        *(f"{name}.{side}" for name in ("maximum", "minimum") for side in "XY"),
    }


def test_what_jumps_only_is_flat() -> None:
    flat = {
        f"{name}.{each.name}"
        for name in OURS
        if (record := record_named(name)) is not None and not any(each.many for each in record.parameters)
        for each in record.parameters
        if (each.is_matrix or each.kind == "number") and is_flat(record, each.name)
    }
    assert flat == {"floor.X", "keep.M", "one_hot.ids", "cross_entropy.ids"}


def test_sizes_have_no_kinks() -> None:
    with pytest.raises(FormulaError, match="there is no gradient of it"):
        kinks(read_operation("f(X: m×n) -> m×n\n y[i,j] = n * X[i,j]"), "n")
