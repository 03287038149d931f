"""Operations of one's own in Python: called like ours, kept by the derivation, and refused where they are wrong."""

from __future__ import annotations

import pickle
from collections.abc import Callable

import pytest
from sympy import MatrixSymbol, Rational

from symattn import Derivation, causal_mask, identity, operation, softmax
from symattn.authoring.own import OwnOperation
from symattn.errors import FormulaError, SymattnError
from symattn.scenario.load import loads


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


OTHER = ["y[i,j] = 2 * X[i,j]"]

REFUSED: list[tuple[Callable[[Derivation], object], type[Exception], str]] = [
    (lambda d: operation("a", ["X"], ["y[i,j] = X[i,k]"]), FormulaError,
     'operation("a").equations[1]: operation a: equation \'y[i,j] = X[i,k]\': the index k is bound nowhere: '
     "expected it on the left, or in sum(k, …)"),
    (lambda d: operation("a", "X", OTHER), SymattnError,
     "operation(\"a\").parameters: expected a list, came the text 'X'; a list is written [\"…\", \"…\"]"),
    (lambda d: operation("softmax", ["X"], OTHER), FormulaError,
     'operation("softmax"): softmax is a function of formulas already, and another one: give the operation another '
     "name"),
    (lambda d: capped()(d["X"], 1, 2), FormulaError, "capped(X, c=…): too many positional arguments"),
    (lambda d: capped()(d["X"], dim=1), FormulaError,
     "capped(X, c=…): unknown option of capped 'dim': known: X, c; capped works along each row"),
    (lambda d: capped()(d["X"], c=0), FormulaError,
     "capped(X, c=0): equation 'y[i,j] = c * tanh(X[i,j] / c)': division by zero: c is 0"),
    (lambda d: (capped()(d["X"]), operation("capped", ["X"], OTHER)(d["X"])), SymattnError,
     'operation("capped"): capped is another operation here already: give this one another name'),
    (lambda d: capped()(identity(2)) + operation("capped", ["X"], OTHER)(identity(2)), FormulaError,
     "capped(identity(2)) + capped(identity(2)): capped is the name of two operations: give one of them another name"),
    (lambda d: (capped()(d["X"]), d.given("capped", [[1]])), SymattnError,
     'given("capped"): capped is already the name of an operation: give a matrix another name'),
    (lambda d: (capped()(d["X"]), d.size("capped", 3)), SymattnError,
     'size("capped"): capped is already the name of an operation: give the size another name'),
    (lambda d: operation("X", ["X"], OTHER)(d["X"]), SymattnError,
     'operation("X"): X is already defined by given("X"): give this one another name'),
]  # fmt: skip


@pytest.mark.parametrize(("work", "kind", "sentence"), REFUSED, ids=[row[-1] for row in REFUSED])
def test_what_cannot_be_is_one_sentence(
    work: Callable[[Derivation], object], kind: type[Exception], sentence: str
) -> None:
    with pytest.raises(kind) as caught:
        work(lesson())

    assert str(caught.value) == sentence
