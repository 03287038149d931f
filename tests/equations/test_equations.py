"""What is refused in equations, how they are written, when they are the same, and what has to hold for them."""

from __future__ import annotations

import pytest

from symattn.base.errors import FormulaError
from symattn.operations.equations.defined import demands
from symattn.operations.equations.parts import form
from symattn.operations.equations.ranges import piece_text
from symattn.operations.equations.read import declared, read_operation


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (
            "f(X: m×n, Y: p×q) -> m×n\n y[i,j] = X[i,j] + Y[i,j]",
            "i goes over m in X and over p in Y: one letter is one",
        ),
        ("f(X)\n y[i,j] = sum(k, sum(k, X[i,k]) + X[k,j])", "k stands for something else already: expected a letter"),
        ("f(X)\n y[i,j] = sum(i, X[i,j])", "i stands for something else already: expected a letter of its own"),
    ],
)
def test_a_letter_is_one_axis_and_one_place(text: str, sentence: str) -> None:
    with pytest.raises(FormulaError, match=sentence):
        read_operation(text)


@pytest.mark.parametrize(
    "body",
    [
        *("X[i,j] - (2 - X[i,j])", "X[i,j] - 2 - X[i,j]", "X[i,j]/(2*X[i,j])", "(X[i,j] + 1)*2", "-(X[i,j] + 1)"),
        *("X[i,j]^(1/2)", "(2*X[i,j])^2", "(-X[i,j])^2", "-X[i,j]^2", "2^(X[i,j]^2)", "X[i,j]*(1/3)^2"),
        *("-(X[i,j] % 2)", "(-X[i,j]) % 2", "-(X[i,j] % 2*3)", "3*(X[i,j] % 2)", "3*X[i,j] % 2"),
        *("(1 if i < j else 2)*X[i,j]", "max(k, X[i,k]) + sum(k, X[i,k] - 1)"),
    ],
)
def test_what_is_written_is_read_alike(body: str) -> None:
    said = read_operation(f"f(X: m×n) -> m×n\n y[i,j] = {body}")

    assert piece_text(said.result.body) == body
    assert read_operation(declared(said)).result == said.result


NEEDS = {
    "1 / X[i,j]": [("X[i,j]", "≠")],
    "sqrt(X[i,j]^3)": [("X[i,j]^3", "≥")],
    "sqrt(X[i,j]^2)": [],
    "1 / (X[i,j] + 1)": [("X[i,j] + 1", "≠")],
    "1 / (abs(X[i,j]) + 1)": [],
    "log(X[i,j] * X[i,j])": [("X[i,j]*X[i,j]", "≠")],
    "log(exp(X[i,j]))": [("exp(X[i,j])", "≠")],
    "1 / (X[i,j] * X[1,j])": [("X[i,j]", "≠"), ("X[1,j]", "≠")],
    "1 / sum(k, exp(X[i,k]))": [("sum(k, exp(X[i,k]))", "≠")],
    "1 / X[i,j] if X[i,j] > 0 else 0": [],
    "1 / X[i,j] if X[i,j] >= 0 else 0": [("X[i,j]", "≠")],
    "X[i,j]^(-2) + X[i,j]^(1/2)": [("X[i,j]", "≠"), ("X[i,j]", ">")],
}


@pytest.mark.parametrize("body", NEEDS)
def test_what_has_to_be_proved_is_what_cannot_be_seen(body: str) -> None:
    operation = read_operation(f"f(X: m×n) -> m×n\n y[i,j] = {body}")

    assert [(piece_text(each.said), each.relation) for each in demands(operation, frozenset())] == NEEDS[body]


def test_operations_are_the_same_where_only_names_differ() -> None:
    ours = form(read_operation("f(X: m×n, c = 2) -> m×n\n t[i] = sum(k, X[i,k])\n y[i,j] = c * X[i,j] - t[i]"))
    same = "g(A: a×b, r = 2) -> a×b\n s[p] = sum(o, A[p,o])\n z[p,q] = r * A[p,q] - s[p]"

    assert form(read_operation(same)) == ours
    for old, new in (("r = 2", "r = 3"), ("A[p,q] - s", "A[p,q] + s"), ("s[p] = sum", "s[p] = max"), ("r = 2", "r")):
        assert form(read_operation(same.replace(old, new))) != ours
