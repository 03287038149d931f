"""Entries that are made alike are equal, so that repeated tokens tie however deep a derivation goes."""

from __future__ import annotations

from collections import defaultdict
from fractions import Fraction

import numpy as np
import pytest
from sympy import Rational

from symattn import derive
from symattn.base.errors import UndecidedError
from symattn.compute.solution.proofs import equal_entries
from symattn.compute.values import alike as module
from symattn.compute.values.alike import Kinds, alike
from symattn.operations import MatMul, MatrixSymbol, RowNorm, Softmax
from symattn.read.scenario.load import loads

GIVENS = """
X = [["1", "0", "1", "sqrt(2)"], ["0", "1", "0", "1"], ["1", "0", "1", "sqrt(2)"]]
Y = [["1", "1", "0", "1"], ["sqrt(2)", "0", "1", "sqrt(2)"], ["1", "1", "0", "1"]]
S = [["1", "sqrt(2)", "1"], ["sqrt(2)", "1", "1"], ["1", "1", "sqrt(2)"]]
v = [["1", "sqrt(2)", "1", "1"]]
C = [["1", "2"], ["1", "1"]]
D = [["2", "1"], ["2", "2"]]
"""

FORMULAS = [
    "softmax(X @ Y.T)",
    "softmax(Y @ X.T) @ X",
    "S @ S @ S",
    "2 * S + S.T",
    "cosine(C, D)",
    "cosine(X, stack(2 * row(Y, 1), row(Y, 2), 3 * row(Y, 3)))",
    "hadamard(X, Y) + Y",
    "divide(X, Y + 2 * ones(3, 4))",
    "softmax(S + causal_mask(3))",
    "relu(X) + elu(Y) + gelu(X) + gelu_tanh(Y) + silu(X) + tanh(Y)",
    "concat(head(X, 1, 2), head(Y, 2, 2))",
    "stack(row(X, 3), rows(Y, 1, 2), broadcast(v, 2))",
    "distance(3) + identity(3)",
    "top_k(sinusoidal(3, 4), 2) + rotary(ones(3, 4))",
]
"""Operations of operations; each by itself is tried in tests/test_every_stage.py."""


def lesson(*steps: str, head: str = "") -> str:
    written = ", ".join(f'"{step}"' for step in steps)
    return f'title = "t"\n{head}\n[given]{GIVENS}\n[[section]]\ntitle = "s"\nsteps = [{written}]'


@pytest.mark.parametrize("largest", [module.LARGEST_PRODUCT, 0])
@pytest.mark.parametrize("formula", FORMULAS)
def test_entries_with_the_same_number_are_equal(formula: str, largest: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LARGEST_PRODUCT", largest)
    solution = derive(loads(lesson(f"Z = {formula}", f"A = {formula} + ({formula})")))
    kinds = Kinds()
    givens = {
        name: kinds.of_values([solution.givens[name].entries[i : i + given.shape[1]] for i in starts])
        for name, given in solution.givens.items()
        for starts in [range(0, given.shape[0] * given.shape[1], given.shape[1])]
    }
    values: dict[int, list[float]] = defaultdict(list)
    for name in ("Z", "A"):
        numbers = alike(solution.store.formula(name), givens.__getitem__, kinds)
        assert np.shape(numbers) == solution[name].shape
        for number, value in zip(np.ravel(numbers).tolist(), solution.float64(name).ravel().tolist(), strict=True):
            values[number].append(value)
    for same in values.values():
        assert max(same) == min(same) or max(same) - min(same) < 1e-12 * max(1, abs(max(same)))


@pytest.mark.parametrize("carry", ["exact", "rounded"])
def test_a_repeated_token_ties_through_many_layers(carry: str) -> None:
    """Closed forms are far too large here, and enclosures of equal numbers overlap for ever."""
    layers = [
        line
        for k in range(4)
        for line in (
            f"A_{k} = softmax(H_{k} @ H_{k}.T / sqrt(2))",
            f"Z_{k} = layer_norm(A_{k} @ H_{k} + H_{k})",
            f"H_{k + 1} = gelu(Z_{k})",
        )
    ]
    solution = derive(loads(lesson("H_0 = X / 2", *layers)), carry=carry)
    assert {0, 2} in map(set, solution.ranking("A_3", 0))
    assert solution.render()
    assert solution["A_3"].decimals(6)[0] == solution["A_3"].decimals(6)[2]


def test_what_is_not_made_alike_is_not_called_equal() -> None:
    solution = derive(loads(lesson("A = softmax(X @ Y.T)")))
    assert equal_entries(solution.store, "A", 0, 2)
    assert not equal_entries(solution.store, "A", 0, 1)
    assert not equal_entries(solution.store, "A", 0, 3), "nor one of another row"
    X = MatrixSymbol("X", 1, 3)
    ((a, b, c),) = alike(Softmax(MatMul(2, X)), {"X": [[5, 5, 6]]}.__getitem__, Kinds())
    assert a == b != c


def test_neither_the_order_of_terms_nor_that_of_factors_matters() -> None:
    rows = {"X": [[7, 8, 9], [9, 7, 8], [9, 7, 7]]}
    (a,), (b,), (c,) = alike(RowNorm(MatrixSymbol("X", 3, 3)), rows.__getitem__, Kinds())
    assert a == b != c


def test_what_cannot_be_decided_is_said_beside_figures_that_are_certain() -> None:
    hard = "softmax(layer_norm(layer_norm(sinusoidal(2, 4, base=100)), gamma=sinusoidal(1, 4)))"
    solution = derive(loads(lesson(f"A = {hard}")))
    assert "Row 2 has its largest entry in column 4 ($0.518251$, more than half)." in solution.render()
    with pytest.raises(UndecidedError, match="which of the two is larger cannot be decided"):
        solution.ranking("A", 1)
    assert "Row 2 chooses id 3, column 4." in derive(loads(lesson(f"c = argmax({hard})"))).render()


def test_equal_shares_are_known_and_others_are_not() -> None:
    kinds = Kinds()
    a, b = kinds("a"), kinds("b")

    assert kinds.share(kinds("div", a, kinds("sum", (a, a, a)))) == Fraction(1, 3)
    assert kinds.share(kinds("div", a, kinds("sum", (a, a, b)))) is None
    assert kinds.share(kinds("div", b, kinds("sum", (a, a, a)))) is None
    assert kinds.share(a) is None


def test_weights_of_equal_scores_are_exact_and_a_row_that_sees_nothing_has_none() -> None:
    text = "title = 't'\nfigures.on_empty = 'zero'\ngiven.S = [['sqrt(2)', 'sqrt(2)'], ['-oo', '-oo']]\n"
    solution = derive(loads(text + "[[section]]\ntitle = 's'\nsteps = ['A = softmax(S)']"))

    assert [solution.equals("A", place, Rational(1, 2)) for place in range(4)] == [True, True, False, False]
    assert [[figure.text for figure in row] for row in solution["A"].figures] == [["0.5", "0.5"], ["0.0", "0.0"]]
