"""What a sign in a formula means is told once, on every sheet that has it."""

from __future__ import annotations

import pytest
from sympy import MatrixSymbol

from symattn.document.blocks import Document, Phrase
from symattn.document.math import Blank, Chain, Letter
from symattn.document.notation.formulas import Names
from symattn.equations.read import read_operation
from symattn.exercise.generate import generate
from symattn.exercise.model import Exercise
from symattn.exercise.sheet.question import question
from symattn.exercise.sheet.signs import signs
from symattn.operations.node import apply
from symattn.render.formats import render
from tests.exercise.sheets import LANGUAGES, pieces


def told(exercise: Exercise) -> list[Phrase]:
    return [p for p in pieces(question(exercise)) if isinstance(p, Phrase) and p.key.startswith("sign_")]


@pytest.mark.parametrize(("topic", "level", "keys"), [
    ("softmax-row", 1, []),
    ("causal-mask", 1, ["sign_mask"]),
    ("padding-mask", 1, ["sign_padding"]),
    ("projection", 1, ["sign_broadcast"]),
    ("score-entry", 3, ["sign_row"]),
    ("shape-of-product", 5, ["sign_head", "sign_concat"]),
    ("cross-entropy", 1, ["sign_times", "sign_onehot", "sign_ones", "sign_each"]),
    ("online-softmax", 3, ["sign_rowmax", "sign_concat", "sign_each", "sign_ones", "sign_times", "sign_divide"]),
])  # fmt: skip
def test_every_unusual_sign_is_told_once(topic: str, level: int, keys: list[str]) -> None:
    (exercise,) = generate(topic, difficulty=level, seed=3)
    assert sorted(phrase.key for phrase in told(exercise)) == sorted(keys)
    for language in LANGUAGES:
        assert render(question(exercise, language), "markdown")


def test_the_number_of_real_keys_is_told_because_the_task_speaks_of_it() -> None:
    (exercise,) = generate("padding-mask", difficulty=1, seed=3)
    (sizes,) = (dict(p.arguments)["sizes"] for p in pieces(question(exercise)) if _is(p, "sheet_sizes"))
    assert [chain.left for chain in sizes] == [Letter("l")]
    real = dict(told(exercise)[0].arguments)["real"]
    assert [chain.links for chain in sizes if isinstance(chain, Chain)] == [(("=", real),)]


def test_nothing_is_told_of_an_epsilon_that_is_not_there() -> None:
    (without,) = generate("layer-norm", difficulty=1, seed=3)
    assert not any(_is(piece, "sheet_sizes") for piece in pieces(question(without)))
    (exercise,) = generate("layer-norm", difficulty=3, seed=3)
    (sizes,) = (dict(p.arguments)["sizes"] for p in pieces(question(exercise)) if _is(p, "sheet_sizes"))
    assert [chain.left for chain in sizes] == [Letter("epsilon")]


def test_the_labels_of_an_axis_stand_in_one_sentence() -> None:
    (exercise,) = generate("next-word", difficulty=1, seed=3)
    (phrase,) = (piece for piece in pieces(question(exercise)) if _is(piece, "sheet_labels"))
    assert dict(phrase.arguments)["labels"] == ("the", "cat", "sat")


def test_blanks_are_as_wide_as_their_number_in_a_line_allows() -> None:
    (narrow,) = generate("softmax-row", difficulty=5, seed=3)
    (wide,) = generate("dot-product", difficulty=1, seed=3)
    widths = [{p for p in pieces(question(one)) if isinstance(p, Blank)} for one in (narrow, wide)]
    assert widths == [{Blank(7)}, {Blank(10)}]
    assert max(len(text) for row in narrow.parts[0].key for text in row) <= 7


def _is(piece: object, key: str) -> bool:
    return isinstance(piece, Phrase) and piece.key == key


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_operation_that_nobody_knows_is_defined_where_it_is_asked_for(language: str) -> None:
    softcap = read_operation("softcap(X, c = 30)\n y[i,j] = c * tanh(X[i,j] / c)")
    sums = read_operation("sums(X: m×n)\n total[i] = sum(k, X[i,k])\n y[i,j] = X[i,j] - total[i]")
    X = MatrixSymbol("X", 2, 3)
    formulas = [apply(softcap, X, 5) + apply(softcap, X, 50), apply(softcap, apply(sums, MatrixSymbol("C", 2, 3)), 5)]
    text = render(Document((), language, tuple(signs(formulas, Names()))), "markdown")
    for said in (
        r"\mathrm{softcap}(y, 5) = 5\thinspace \mathrm{tanh}(y/5)",
        r"\mathrm{softcap}(y, 50) = 50\thinspace \mathrm{tanh}(y/50)",
        r"\mathrm{total}_i = \sum_{k=1}^{3} x_{ik}",
        r"\mathrm{sums}(X)_{ij} = x_{ij} - \mathrm{total}_i",
    ):
        assert text.count(said) == 1
