"""A short look by every fuzz target and at small files that ask for much, the same inputs every time.

The long runs are ``python -m tests.fuzz.run`` and ``python -m tests.fuzz.heavy COUNT SEED``.
"""

from __future__ import annotations

import pytest

from symattn.base.errors import BudgetError, SymattnError
from tests.fuzz.heavy import BYTES, MEGABYTES, OWN, alone, heavy, worked
from tests.fuzz.run import run
from tests.fuzz.seeds import seeds
from tests.fuzz.targets import TARGETS, FoundError, tried


@pytest.mark.long
@pytest.mark.sampled(5)
@pytest.mark.parametrize("name", TARGETS)
def test_real_inputs_are_read(name: str) -> None:
    for data in seeds(name):
        try:
            TARGETS[name](data)
        except SymattnError:
            # Some of the formulas are there to be taken apart, not to be right.
            assert name in ("formula", "number"), data


@pytest.mark.long
@pytest.mark.parametrize("share", [5, pytest.param(1, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", TARGETS)
def test_damaged_inputs_give_a_value_or_an_error_of_the_projects_own(name: str, share: int) -> None:
    count = (100 if name in ("formula", "number", "scenario", "answer") else 25) // share
    assert run(name, count, 1) >= count


@pytest.mark.long
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


# -- small files that ask for much -------------------------------------------------------------------------------------

LESSON = 'title = "t"\n{head}\n[[section]]\ntitle = "s"\nsteps = [{steps}]\n'
CHAIN = ", ".join(['"Y0 = X"', *(f'"Y{i} = gelu_tanh(Y{i - 1} @ X.T) @ X"' for i in range(1, 20))])
GROWN = "P(Q(" * 14 + "-X" + "))" * 14
FOUND = (
    # SymPy looked for the signs of functions of functions, and did not end.
    ('given.X = [["10^9", "1e-30"], ["1/3", "-3/7"], ["-10^6", "2"]]\nfigures.decimals = 50', CHAIN, "entries"),
    ('figures.carry = "rounded"', '"Y = softmax(-gelu_tanh(-softmax(sinusoidal(128, 2))))"', "entries"),
    # An entry grew without an end.
    (
        'given.X = [["1"], ["1"], ["-1"], ["-0.25"]]\nfigures.carry = "rounded"\n'
        'operation.P = {parameters = ["X"], equations = '
        '["y[i,j] = X[i,j] if X[i,j] > 0 else floor(X[i,j] / 3) + abs(X[i,j])"]}\n'
        'operation.Q = {parameters = ["X"], equations = ["y[i,j] = sum(k, tanh(X[i,k] * X[i,j]))"]}',
        f'"Y = {GROWN}", {{ prove = ["{GROWN}", "{GROWN}"] }}',
        "result",
    ),
)


@pytest.mark.long
@pytest.mark.sampled(2)
@pytest.mark.parametrize("number", [*range(6), OWN, OWN + 1])
def test_a_small_file_has_a_page_or_a_sentence_soon(number: int) -> None:
    text, detail, format = heavy(number)

    assert len(text) < BYTES
    assert alone(lambda: worked(text, detail, format)) == ""


@pytest.mark.sampled(0)
@pytest.mark.parametrize(("head", "steps", "detail"), FOUND, ids=["signs", "signs again", "an entry"])
def test_what_did_not_end_once_has_a_page_or_a_sentence_soon(head: str, steps: str, detail: str) -> None:
    assert alone(lambda: worked(LESSON.format(head=head, steps=steps), detail, "markdown")) == ""


SQUARED = ", ".join(f'"t{i + 1}[i,j] = t{i}[i,j] * t{i}[i,j]"' for i in range(38))
SQUARE = f'parameters = ["X"], equations = ["t0[i,j] = X[i,j]", {SQUARED}, "y[i,j] = t38[i,j]"]'
ASKED = {
    "squares of squares": (f'given.X = [["1/3"]]\noperation.square = {{ {SQUARE} }}', "square(X)", "markdown"),
    "many cells": ("", "softmax(identity(300))", "ipynb"),
    "more cells": ("", "ones(1000, 1000)", "ipynb"),
    "what doubles": ("given.X = [[1, 2]]", "softmax(" * 14 + "X" + ")" * 14, "html"),
}


@pytest.mark.sampled(1)
@pytest.mark.parametrize("asked", ASKED)
def test_a_format_that_asks_for_more_than_the_page_ends_soon_too(asked: str) -> None:
    head, formula, format = ASKED[asked]

    assert alone(lambda: worked(LESSON.format(head=head, steps=f'"Y = {formula}"'), "steps", format)) == ""


def test_what_does_not_end_is_found() -> None:
    def endless() -> None:
        while True:
            len("")

    assert "TooMuchError" in alone(endless, most=1_000)


def test_what_takes_much_room_is_found() -> None:
    assert alone(lambda: b"x" * ((MEGABYTES + 100) * 2**20)).endswith(" MB")


def test_an_error_of_another_kind_is_found_and_one_of_the_projects_own_is_not() -> None:
    def refused() -> None:
        raise BudgetError("too much")

    assert "KeyError" in alone(lambda: {}["x"])
    assert alone(refused) == ""
