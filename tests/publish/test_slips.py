"""What may be guessed of an entry: right numbers, and those of mistakes, against NumPy and the certified figures."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from math import isinf

import numpy as np
import pytest
from numpy.typing import NDArray

import symattn
from symattn.api.publish.slips import LARGE, MOST, Between, Guess, guesses, words_of
from symattn.base.words import languages
from symattn.claims.by_hand import carried
from symattn.compute.values.balls import at_precision
from symattn.compute.values.hand import rounded
from symattn.read.scenario.load import builtin_names, loads
from tests.cases import solved

Doubles = NDArray[np.float64]


@cache
def found(name: str) -> dict[str, Guess]:
    return guesses(solved(name).scenario, solved(name).store)


def holds(between: Between | None, number: float) -> bool:
    return between is not None and between[0] <= number <= between[1]


@pytest.mark.parametrize("name", builtin_names())
def test_every_certified_figure_is_right_and_no_mistake(name: str) -> None:
    store = solved(name).store
    assert len(found(name)) > 10
    for each, guess in found(name).items():
        assert len(guess.slips) <= MOST
        assert store.rows(each) * store.columns(each) <= LARGE
        true = np.array([[float(text) for text in row] for row in store.decimals(each, 9)])
        for place in np.ndindex(true.shape):
            i, j = place
            if guess.right[i][j] is None:
                assert abs(true[place]) > 1e10  # e^1000 is one of them
                continue
            assert holds(guess.right[i][j], true[place]), (each, place)
            for half in (0.000499, -0.000499):
                assert isinf(true[place]) or holds(guess.right[i][j], true[place] + half)
        for slip in guess.slips:
            assert any(any(row) for row in slip.entries), (each, slip.mistake)


def softmax(S: Doubles, axis: int | None = -1) -> Doubles:
    E: Doubles = np.exp(S - S.max(axis=axis, keepdims=True))
    return E / E.sum(axis=axis, keepdims=True)


MADE: dict[tuple[str, str], Callable[[Callable[[str], Doubles]], Doubles]] = {
    ("S", "scale-forgotten"): lambda of: of("QK_T"),
    ("S", "divided-by-width"): lambda of: of("QK_T") / 4,
    ("S", "multiplied-by-root"): lambda of: of("QK_T") * 2,
    ("A", "softmax-over-columns"): lambda of: softmax(of("S_masked"), 0),
    ("A", "exponentials-without-dividing"): lambda of: np.exp(of("S_masked")),
    ("A", "softmax-of-unscaled-scores"): lambda of: softmax(of("QK_T") + of("M")),
    ("A", "hardmax"): lambda of: np.eye(3)[of("S_masked").argmax(axis=1)],
    ("Z", "weights-transposed"): lambda of: of("A").T @ of("V"),
    ("Q", "weight-transposed"): lambda of: of("X") @ of("W_Q").T,
    ("R_1", "residual-forgotten"): lambda of: of("H_attn"),
    ("G", "relu-forgotten"): lambda of: of("F_1"),
    ("G", "absolute-value-for-relu"): lambda of: np.abs(of("F_1")),
}


@pytest.mark.parametrize(("name", "mistake"), MADE)
def test_a_mistake_gives_what_numpy_makes_of_it(name: str, mistake: str) -> None:
    of = solved("weather").store.float64
    guess = found("weather")[name]
    slip = next(each for each in guess.slips if each.mistake == mistake)
    made = MADE[name, mistake](of)
    told = 0
    for (i, j), number in np.ndenumerate(made):
        if slip.entries[i][j] is None:
            assert holds(guess.right[i][j], number), (i, j)
        else:
            assert holds(slip.entries[i][j], number), (i, j)
            assert not holds(guess.right[i][j], number), (i, j)
            told += 1
    assert told


def test_an_operation_of_ones_own_that_is_ours_has_our_mistakes() -> None:
    lines = (
        'title = "Own"',
        "[operation.shares]",
        'parameters = ["S: m×n"]',
        'equations = ["e[i,j] = exp(S[i,j])", "t[i] = sum(k, e[i,k])", "y[i,j] = e[i,j] / t[i]"]',
        "[given]",
        "X = [[1, 2, 0], [0, 1, 3], [2, 2, 1]]",
        "[[section]]",
        'title = "Shares"',
        'steps = ["A = shares(X)", "B = softmax(X)", "L = 10^200 * X"]',
    )
    made = symattn.derive(loads("\n".join(lines)))
    told = guesses(made.scenario, made.store)
    assert told["A"] == told["B"]
    assert told["A"].slips[0].mistake == "softmax-over-columns"
    assert told["L"].right[0] == (None, None, (-0.0005, 0.0005))


@pytest.mark.parametrize("language", languages())
def test_every_mistake_has_words(language: str) -> None:
    words = words_of(found("weather"), language)
    assert {"scale-forgotten", "softmax-over-columns"} <= words.keys()
    assert all(text.strip() for each in words.values() for text in each.values())
    assert all(each.keys() == {"title", "feedback", "hint"} for each in words.values())


@pytest.mark.parametrize("name", ["weather", "journey"])
def test_who_rounds_every_number_on_the_way_is_right(name: str) -> None:
    store, told = solved(name).store, 0
    for each, guess in found(name).items():
        with at_precision(2000):
            own = {other: store.enclosure(other, 2000) for other in store.step(each).uses}
            rough = carried(store, rounded(guess.decimals), (each,), own)[each]
        cells = [
            (i, j, float(x.mid())) for i, row in enumerate(rough.tolist()) for j, x in enumerate(row) if x.is_finite()
        ]
        wrong = [cell for i, j, cell in cells if guess.right[i][j] and not holds(guess.right[i][j], cell)]
        assert wrong == [], each
        told += len(cells)
    assert told > 100
