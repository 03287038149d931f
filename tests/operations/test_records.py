"""Operations that are a record and nothing else: words, examples, and entries as PyTorch has them."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import pytest
import torch
from sympy import ImmutableDenseMatrix
from torch.nn import functional

from symattn.equations.declared import signature
from symattn.equations.read import read_operation
from symattn.equations.same import form
from symattn.formula import FUNCTIONS, Scope, read_formula
from symattn.operations.node import operation_of, record_of
from symattn.operations.ours import OURS, record_named
from symattn.operations.records import RECORDS
from symattn.scenario.operations import read_operations, table_of
from symattn.scenario.schema import OperationTable
from tests.examples import EVERY, MATRICES, OF_RECORDS, SHAPES, Example, Names, numbers


def turned(x: torch.Tensor, positions: torch.Tensor, base: float = 10_000.0) -> torch.Tensor:
    """RoPE as programs for GPT-NeoX and Llama have it."""
    width = x.shape[1]
    frequencies = 1.0 / base ** (torch.arange(0, width, 2, dtype=torch.float64) / width)
    angles = torch.outer(positions.flatten(), frequencies).repeat(1, 2)
    half = torch.cat((-x[:, width // 2 :], x[:, : width // 2]), dim=1)
    return x * angles.cos() + half * angles.sin()


THEIRS: Mapping[str, Callable[..., torch.Tensor]] = {
    "softcap(X, 5)": lambda X, **_: 5 * torch.tanh(X / 5),
    "softcap(b, sqrt(2))": lambda b, **_: 2**0.5 * torch.tanh(b / 2**0.5),
    "sigmoid(X)": lambda X, **_: torch.sigmoid(X),
    "sigmoid(W)": lambda W, **_: torch.sigmoid(W),
    "softplus(X)": lambda X, **_: functional.softplus(X),
    "softplus(b)": lambda b, **_: functional.softplus(b),
    "mish(X)": lambda X, **_: functional.mish(X),
    "mish(b)": lambda b, **_: functional.mish(b),
    "leaky_relu(X)": lambda X, **_: functional.leaky_relu(X, 0.01),
    "leaky_relu(W, slope=1/5)": lambda W, **_: functional.leaky_relu(W, 0.2),
    "log_softmax(X)": lambda X, **_: functional.log_softmax(X, 1),
    "log_softmax(W)": lambda W, **_: functional.log_softmax(W, 1),
    "erf(X)": lambda X, **_: torch.erf(X),
    "erf(b)": lambda b, **_: torch.erf(b),
    "abs(X)": lambda X, **_: X.abs(),
    "abs(W)": lambda W, **_: W.abs(),
    "floor(X)": lambda X, **_: X.floor(),
    "floor(3/2 * W)": lambda W, **_: (1.5 * W).floor(),
    "rotary_halves(X, b)": lambda X, b, **_: turned(X, b),
    "rotary_halves(concat(W, W), ids, base=9)": lambda W, ids, **_: turned(torch.cat((W, W), dim=1), ids, 9.0),
}


@pytest.mark.parametrize("values", ["rational", "roots"])
@pytest.mark.parametrize("text", [text for texts in OF_RECORDS.values() for text in texts])
def test_an_entry_is_what_pytorch_has(text: str, values: str) -> None:
    node = read_formula(text, Scope(SHAPES)).expr
    ours = numbers(ImmutableDenseMatrix(Names(values).substituted(node)))
    given = {name: torch.tensor(numbers(matrix)) for name, matrix in MATRICES[values].items()}

    assert np.allclose(ours, THEIRS[text](**given).numpy(), rtol=1e-12, atol=1e-14)


def test_every_record_has_examples_a_source_and_words_in_three_languages() -> None:
    assert set(OF_RECORDS) == set(RECORDS)
    assert set(RECORDS) <= set(FUNCTIONS)
    for name, record in RECORDS.items():
        assert [language for language, text in record.page if text.strip()] == ["en", "zh-Hant", "zh-Hans"]
        assert record.called
        assert record.source.endswith(".") or name == "abs"


@pytest.mark.parametrize("name", sorted(OURS))
def test_every_operation_of_ours_is_the_same_where_somebody_writes_it_again(name: str) -> None:
    """From what the catalogue shows of it, and from the table that a file would have."""
    record = record_named(name)
    table = OperationTable.model_validate(table_of(record) | {"page": None})
    again = read_operations({"theirs": table}, {})["theirs"]
    lines = "\n".join([signature(record), *(each.text for each in record.equations)])

    assert again.name == "theirs"
    assert form(again) == form(record) == form(read_operation(lines))
    assert read_operations({name: table}, {})[name].parameters == record.parameters


CALLED = [
    example
    for example in (*EVERY, *(Example(text) for texts in OF_RECORDS.values() for text in texts))
    if record_named(example.text.partition("(")[0]) == record_of(example.node) != None  # noqa: E711
]
"""Examples that are a call of the operation that they are of."""


@pytest.mark.parametrize("example", CALLED, ids=lambda example: example.text)
def test_a_formula_with_somebodys_own_is_read_like_one_with_ours(example: Example) -> None:
    """Shapes, errors and entries hang on the record alone."""
    name = example.text.partition("(")[0]
    table = OperationTable.model_validate(table_of(record_named(name)) | {"page": None})
    own = read_operations({"theirs": table}, {})
    theirs = read_formula(f"theirs{example.text.removeprefix(name)}", Scope(SHAPES, operations=own))
    ours = read_formula(example.text, Scope(SHAPES))

    assert str(theirs.shape) == str(ours.shape)
    assert theirs.text == ours.text.replace(name, "theirs", 1)
    assert form(operation_of(theirs.expr)) == form(operation_of(ours.expr))
    if name != "row_max":  # its entry stands for itself, under its own name
        assert theirs.expr[0, 0] == ours.expr[0, 0]
