"""A name that is defined again takes its place, and what does not fit changes nothing."""

from __future__ import annotations

import pytest

from symattn import Derivation, derive, softmax
from symattn.base.errors import SymattnError
from symattn.read.scenario.load import loads


def lesson() -> Derivation:
    """A derivation in which every kind of name is defined, with sections."""
    d = Derivation(title="t", tokens=["a", "b"], anew=True)
    X = d.given("X", [[1, 2], [3, 4]], note="first", notation="bold(X)")
    d.given("Y", [[1, 0], [0, 1]])
    d.given("G", shape=("p", "q"))
    d.section("One")
    S = d.step("S", X @ X.T, decimals=2)
    d.note("Between.")
    with d.section("Two"):
        d.step("A", softmax(S))
        n = d.size("n")
        d.quantity("N", n * n)
        d.step("Z", "A @ Y")
    return d


def test_it_takes_the_place_that_it_had() -> None:
    d, other = lesson(), lesson()
    text = d.toml()
    X = d.given("X", [["1/2", 2], [3, 4]], notation="bold(X)", note="first")
    d.step("S", "X @ X.T / 2", decimals=2)
    d.quantity("N", "n + 1")
    changed = text.replace('[["1", "2"]', '[["1/2", "2"]').replace("S = X @ X.T", "S = X @ X.T / 2")
    assert d.toml() == changed.replace("N = n * n", "N = n + 1")
    assert d.solve().render() == derive(loads(d.toml())).render()
    assert (X @ X.T).shape == (2, 2)
    again = lesson()
    for each in (again, other):
        each.given("X", [[1, 2], [3, 4]], note="first", notation="bold(X)")
    assert again.toml() == text


@pytest.mark.parametrize(
    ("define", "said"),
    [
        (lambda d: d.given("Y", [[1], [2], [3]]), "A @ Y: A is"),
        (lambda d: d.given("X", [[1, 2]]), "n"),
        (lambda d: d.step("S", "A @ A"), "A"),
        (lambda d: d.step("S", "X @ Q"), "unknown name 'Q'"),
        (lambda d: d.step("X", "Y @ Y"), 'X is there by given\\("X"\\): define it in the same way again'),
        (lambda d: d.given("N", [[1]]), "N is there by quantity"),
        (lambda d: d.step("S", "X["), "S"),
    ],
)
def test_what_does_not_fit_changes_nothing(define: object, said: str) -> None:
    d = lesson()
    text = d.toml()
    with pytest.raises(SymattnError, match=said):
        define(d)  # type: ignore[operator]
    assert d.toml() == text
    d.section("Three")
    d.step("W", "Z @ Y")
    assert list(d.solve())[-1] == "W"


def test_without_it_a_name_has_one_meaning() -> None:
    d = Derivation(title="t")
    d.given("X", [[1]])
    with pytest.raises(SymattnError, match=r'given\("X"\): X is already defined by given\("X"\)'):
        d.given("X", [[2]])
