"""The language of ``[notation]``: what it reads, what it refuses, and that nothing else comes out."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from symattn.base.errors import FormulaError
from symattn.read.scenario.notation import (
    NotAt,
    Notation,
    NotDecorated,
    NotDot,
    NotName,
    NotPartial,
    NotProduct,
    NotRow,
    NotSum,
    NotTranspose,
    parse_notation,
    written,
)

A, B, C = NotName("A"), NotName("B"), NotName("C")


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("A", A),
        ("  A ", A),
        ("A @ B @ C", NotProduct((A, B, C))),
        ("A @ (B @ C)", NotProduct((A, NotProduct((B, C))))),
        ("A + B + C", NotSum((A, B, C))),
        ("(A + B) @ C", NotProduct((NotSum((A, B)), C))),
        ("(A @ B).T", NotTranspose(NotProduct((A, B)))),
        ("A.T.T", NotTranspose(NotTranspose(A))),
        ("tilde(A)", NotDecorated("tilde", A)),
        ("hat(bold(A))", NotDecorated("hat", NotDecorated("bold", A))),
        ("bar(A).T", NotTranspose(NotDecorated("bar", A))),
        ("row(A, 2)", NotRow(A, 2)),
        ("row(tilde(A), 2)", NotRow(NotDecorated("tilde", A), 2)),
        ("dot(A, B)", NotDot(A, B)),
        ("grad(A, B)", NotPartial(A, B)),
        ("at(A, 1)", NotAt(A, 1)),
        ("grad(A, B, C)", NotPartial(A, B, C)),
        ("grad(A, B).T @ C", NotProduct((NotTranspose(NotPartial(A, B)), C))),
    ],
)
def test_reads_and_writes_back(text: str, tree: Notation) -> None:
    assert parse_notation(text) == tree
    assert parse_notation(written(tree)) == tree


@pytest.mark.parametrize("text", ["at(A)", "at(A, B)", "at(A, -1)", "at(A, 1/2)", "at(A.T, 1)", "at(A, True)"])
def test_a_name_after_steps_of_training_is_a_name_and_a_number(text: str) -> None:
    with pytest.raises(FormulaError, match=r"expected at\(X, 1\): a name and a number of steps"):
        parse_notation(text)


@pytest.mark.parametrize("text", ["grad(A)", "grad(A, B, C, A)", "grad(A, B.T)", "grad(A, B, 2)", "grad(hat(A), B)"])
def test_a_gradient_is_of_names(text: str) -> None:
    with pytest.raises(
        FormulaError, match=r"expected grad\(L, X\), or grad\(L, X, Q\) for what comes through Q: names"
    ):
        parse_notation(text)


def test_the_depth_is_counted() -> None:
    parse_notation("A" + ".T" * 60)
    with pytest.raises(FormulaError, match="nested deeper than FORMULA_DEPTH = 60"):
        parse_notation("A" + ".T" * 61)


@settings(max_examples=40)
@given(st.one_of(st.text(max_size=40), st.text(st.sampled_from("AB@+.T(),12 hatdorw\\'\""), max_size=40)))
def test_any_text(text: str) -> None:
    with suppress(FormulaError):
        parse_notation(text)
