"""A few lines of a file may ask for much: an answer or a sentence comes soon, whatever they say."""

from __future__ import annotations

import random
import time

import pytest

from symattn import derive
from symattn.scenario.load import loads

SECONDS = 5.0
"""Of the processor; with the cause in place each of these takes ten to a hundred times as long."""

X = 'X = [["1", "2"], ["3", "4"]]'


def scenario(*steps: str, given: str = X) -> str:
    listed = ", ".join(f'"{step}"' for step in steps)
    return f'title = "t"\n[given]\n{given}\n[[section]]\ntitle = "s"\nsteps = [{listed}]\n'


def page(*steps: str, given: str = X, seconds: float = SECONDS) -> str:
    """The page of a scenario, which is there within so many seconds of the processor."""
    start = time.process_time()
    written = derive(loads(scenario(*steps, given=given))).render()
    took = time.process_time() - start
    assert took < seconds, f"{took:.1f} s"
    return written


def numbers(rows: int, columns: int, digits: int, seed: int) -> str:
    draw = random.Random(seed)
    cells = [[f'"{draw.gauss(0, 1):.{digits}f}"' for _ in range(columns)] for _ in range(rows)]
    return "[" + ", ".join(f"[{', '.join(row)}]" for row in cells) + "]"


# -- what is asked once and not for every entry ------------------------------------------------------------------------


def test_equal_entries_of_a_large_matrix_are_found_once() -> None:
    assert "tie exactly" in page("A = softmax(identity(100))")  # 98 ties in every row


def test_a_choice_asks_only_for_what_stands_on_either_side_of_it() -> None:
    assert "top" in page("A = top_k(softmax(distance(60)), 30)")
    assert "argmax" in page("P = sinusoidal(40, 20)", "A = argmax(P @ P.T)")


def test_a_power_is_worked_by_squaring() -> None:
    assert "10^{" in page("A = distance(200)**30")


def test_ones_are_written_down_without_being_asked_for_one_by_one() -> None:
    page("A = ones(600, 600)")


def test_one_head_with_many_tokens_has_a_page() -> None:
    weights = (f"W_{name} = {numbers(8, 8, 4, seed)}" for seed, name in enumerate("QKV"))
    given = "\n".join((f"X = {numbers(256, 8, 4, 7)}", *weights))
    steps = ("Q = X @ W_Q", "K = X @ W_K", "V = X @ W_V", "A = softmax(Q @ K.T / sqrt(8))", "Z = A @ V")

    page(*steps, given=given)


def test_equal_sums_of_different_numbers_under_a_root_are_a_tie() -> None:
    # 1·4 + 2·2 = 2·4 + 0·2: equal scores, and nothing is made alike; a closed form would hold 40 exponentials.
    keys = ", ".join(['["1", "2"]', '["2", "0"]', *(f'["{k}", "-9"]' for k in range(38))])
    written = page("A = softmax(Q @ K.T / sqrt(3))", given=f'Q = [["4", "2"]]\nK = [{keys}]')

    assert "The weights of 1 and 2 tie exactly" in written
