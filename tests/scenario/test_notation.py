"""The language of ``[notation]``: what it reads, what it refuses, and that nothing else comes out."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symattn.errors import FormulaError
from symattn.scenario.notation import (
    Notation,
    NotDecorated,
    NotDot,
    NotName,
    NotProduct,
    NotRow,
    NotSum,
    NotTranspose,
    parse_notation,
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
    ],
)
def test_reads(text: str, tree: Notation) -> None:
    assert parse_notation(text) == tree


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "notation '': expected one line of notation"),
        ("A\nB", "notation 'A\\nB': expected one line of notation"),
        ("A +", "notation 'A +': is not notation: it ends with +, and what comes after is missing"),
        ("A * B", "notation 'A * B': the product of matrices is written with @"),
        ("tilda(A)", "unknown function 'tilda': did you mean 'tilde'? known: bar, bold, dot, hat, row, tilde"),
        ("tilde(A, B)", "expected tilde(X): one name"),
        ("tilde(A @ B)", "tilde(…) goes around a name"),
        ("row(A)", "expected row(A, 2): a name and a row counted from 1"),
        ("row(A, 0)", "expected row(A, 2): a name and a row counted from 1"),
        ("row(A, True)", "expected row(A, 2): a name and a row counted from 1"),
        ("row(A @ B, 1)", "row(…) goes around a name"),
        ("dot(A)", "expected dot(x, y)"),
        ("A.U", "'A.U' has no place here; notation is made of names, @, +, .T, row(A, 2), dot(x, y), tilde(X)"),
        ("2", "'2' has no place here"),
        ("A if B else C", "has no place here"),
        ("tilde(x=A)", "'tilde(x=A)' has no place here"),
        ("(lambda: A)()", "'(lambda: A)()' has no place here"),
        ("__import__('os')", "unknown function '__import__'"),
        ("Ä", "'Ä' is not a name"),
        ("_A", "'_A' is not a name"),
        ("A" * 41, "is not a name"),
        ("A + " * 600 + "A", "more than FORMULA_LENGTH = 2000 characters"),
        ("(" * 300 + "A" + ")" * 300, "is not notation"),
    ],
)
def test_refuses(text: str, message: str) -> None:
    with pytest.raises(FormulaError) as error:
        parse_notation(text)
    assert message in str(error.value)
    assert "\n" not in str(error.value)


def test_the_depth_is_counted() -> None:
    parse_notation("A" + ".T" * 60)
    with pytest.raises(FormulaError, match="nested deeper than FORMULA_DEPTH = 60"):
        parse_notation("A" + ".T" * 61)


@given(st.one_of(st.text(max_size=40), st.text(st.sampled_from("AB@+.T(),12 hatdorw\\'\""), max_size=40)))
def test_any_text(text: str) -> None:
    with suppress(FormulaError):
        parse_notation(text)
