"""Operations of one's own in Python: called like ours, kept by the derivation, and refused where they are wrong."""

from __future__ import annotations

import pickle

from sympy import MatrixSymbol, Rational

from symattn import Derivation, causal_mask, identity, operation, softmax
from symattn.api.authoring.own import OwnOperation
from symattn.read.scenario.load import loads


def capped() -> OwnOperation:
    return operation("capped", ["X", "c = 30"], ["y[i,j] = c * tanh(X[i,j] / c)"], page={"en": "soft cap"}, source="S.")


def lesson() -> Derivation:
    d = Derivation(title="t")
    d.given("X", [[1, 2], [3, 4]])
    return d


def test_it_goes_into_the_derivation_as_if_written_in_a_file() -> None:
    d = lesson()
    d.step("Y", softmax(capped()(d["X"], c=5) + causal_mask(2)))
    d.step("Z", "capped(Y)")
    again = loads(d.toml())

    assert {step.name: step.formula for step in again.derivation.steps} == {
        step.name: step.formula for step in d.scenario.derivation.steps
    }
    assert again.derivation.operations == d.scenario.derivation.operations
    assert d.solve()["Y"].decimals(6) == d.substitute().solve()["Y"].decimals(6)


def test_it_is_there_for_texts_where_the_derivation_is_told() -> None:
    d = Derivation(title="t", operations=[capped()])
    d.given("X", [[1, 2]])

    assert d.step("Y", "capped(X, c=1/2)").shape == (1, 2)


def test_a_formula_without_names_brings_its_operation_into_the_derivation_that_takes_it() -> None:
    d = lesson()
    d.step("Y", d["X"] @ capped()(identity(2)))

    assert list(d.scenario.derivation.operations) == ["capped"]


def test_it_takes_matrices_of_sympy_and_is_a_function_like_any_other() -> None:
    own = capped()

    assert own(MatrixSymbol("S", 2, 2), c=Rational(5))[0, 0].args[0] == 5
    assert own.__name__ == "capped"
    assert own.__doc__ == "``capped(X, c=…)``: y[i,j] = c * tanh(X[i,j] / c): (m, n) → (m, n)."
    assert pickle.loads(pickle.dumps(own)) == own  # noqa: S301
