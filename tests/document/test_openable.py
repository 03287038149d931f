"""What a reader opens: an entry is made of those that change it, and its figures are the certified ones."""

from __future__ import annotations

import numpy as np
import pytest

from symattn.compute.values.float64 import float64
from symattn.compute.values.reads import reads
from symattn.show.build import scenario_names
from symattn.show.math import Number
from symattn.show.openable import DIGITS, Openable, OpenMatrix
from tests.cases import solved


def opened(name: str) -> Openable:
    solution = solved(name)
    return Openable(solution.store, scenario_names(solution.scenario))


@pytest.mark.parametrize("name", ["weather", "refund", "ironman"])
def test_what_changes_an_entry_is_what_it_is_made_of(name: str) -> None:
    solution = solved(name)
    for step in solution.derivation.steps:
        if step.formula is None or step.general:
            continue
        formula = solution.store.formula(step.name)
        values = {used: np.array(solution.store.float64(used)) for used in step.uses}
        before, made_of = float64(formula, values.__getitem__), reads(formula)
        for used in step.uses:
            for place in np.ndindex(values[used].shape):
                changed = dict(values) | {used: values[used].copy()}
                changed[used][place] += 0.37
                moved = np.argwhere(~np.isclose(float64(formula, changed.__getitem__), before, rtol=0, atol=1e-12))
                assert all((used, *place) in made_of[i][j] for i, j in moved), (step.name, used, place)


def test_digits_are_certified_one_by_one() -> None:
    solution, weights = solved("weather"), opened("weather")["A"]
    assert set(weights.digits) == set(DIGITS)
    for decimals, figures in weights.digits.items():
        certified = solution["A"].decimals(decimals)
        assert [[float(x) for x in row] for row in figures] == [[float(x) for x in row] for row in certified]


def test_the_numbers_of_a_line_know_which_entries_they_are() -> None:
    def numbers(matrix: OpenMatrix, i: int, j: int) -> list[tuple[str, int, int]]:
        found: list[tuple[str, int, int]] = []

        def look(piece: object) -> None:
            if isinstance(piece, Number) and piece.of is not None:
                found.append(tuple(piece.of))  # type: ignore[arg-type]
            for inside in getattr(piece, "__dict__", {}).values():
                for each in inside if isinstance(inside, tuple) else (inside,):
                    look(each) if not isinstance(each, tuple) else [look(part) for part in each]

        for line in matrix.entry(i, j).lines:
            look(line)
        return found

    weather = opened("weather")
    assert numbers(weather["S"], 2, 1) == [("QK_T", 2, 1), ("S", 2, 1)]
    assert numbers(weather["Z"], 1, 0) == [
        *[each for k in range(3) for each in (("A", 1, k), ("V", k, 0))],
        ("Z", 1, 0),
    ]


def test_what_an_entry_is_made_of_is_told_as_the_formula_has_it() -> None:
    good = opened("good")
    assert [region.name for region in good["S"].made_of(0, 1)] == ["Q", "K"]  # and not from A to Z
    assert [region.name for region in good["A"].made_of(0, 1)] == ["S"]


def test_what_is_given_and_what_is_general_open_to_nothing() -> None:
    given = opened("weather")["W_Q"]
    assert given.is_given
    assert given.entry(0, 0).lines == given.entry(0, 0).made_of == ()
    assert [matrix.name for matrix in opened("ironman") if not matrix.has_entries] == [
        step.name for step in solved("ironman").derivation.steps if step.general
    ]
