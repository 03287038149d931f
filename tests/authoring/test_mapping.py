"""A solution as Python knows mappings and NumPy arrays."""

from __future__ import annotations

import numpy as np
import pytest

from symattn import Derivation
from symattn.base.errors import SymattnError, UnknownNameError

D = Derivation("Scores")
X = D.given("X", [["1/3", "2"], ["sqrt(2)", "-oo"]])
A = D.step("A", X * 3)


def test_a_value_is_an_array_of_doubles() -> None:
    value = D.solve()["A"]

    assert np.allclose(np.asarray(value, dtype=float), [[1, 6], [18**0.5, -np.inf]], rtol=1e-15, atol=0)
    assert np.asarray(value).dtype == np.float64
    assert np.array(value, dtype=np.float32).dtype == np.float32
    assert (np.asarray(value) + np.ones((2, 2))).shape == (2, 2)
    with pytest.raises(ValueError, match="A: an array of its values is always a copy"):
        np.array(value, copy=False)


@pytest.mark.parametrize(("name", "told"), [("B", "'B'"), (0, "0"), ([1], "[1]")])
def test_a_name_that_is_not_there_is_a_key_error_in_one_sentence(name: object, told: str) -> None:
    with pytest.raises(KeyError) as caught:
        D.solve()[name]  # type: ignore[index]

    assert isinstance(caught.value, UnknownNameError)
    assert str(caught.value) == f"unknown name {told}: known: A, X"


def test_a_derivation_without_a_title_is_told_to_have_one() -> None:
    with pytest.raises(
        SymattnError, match=r'^Derivation\(\): a page needs a title: Derivation\("Attention by hand"\)$'
    ):
        Derivation()
