"""Compact forms of gradients and the derived operations agree, for numbers at random, in balls of 200 bits.

That they do so for all sizes is proved (tests/proof/test_gradients.py); here is what a proof takes for granted: that
what is left out is filled in, that sizes are put in, and that nothing else of a form is lost.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from math import isinf
from random import Random
from typing import Any

import pytest
from flint import arb, arb_mat, fmpq
from sympy import Integer, MatrixSymbol

from symattn.base.shapes import shape
from symattn.compute.values.ball import ball
from symattn.compute.values.balls import at_precision
from symattn.operations import Concat, Everywhere, InEveryColumn, InEveryRow, Stack
from symattn.operations.equations.adjoint import adjoint, is_flat, seed
from symattn.operations.equations.tree import Operation
from symattn.operations.node import apply, given_of, operation_of, parameters_of
from symattn.read.formula import Scope, read_formula
from symattn.read.gradients.local import passed_on

pytest.importorskip("torch")

from tests.second_road.roads import as_rows
from tests.second_road.test_adjoints import RECORDS, given

BITS = 200
CALLED = {
    name: record
    for name, record in RECORDS.items()
    if any(each.is_matrix and not is_flat(record, each.name) for each in record.parameters)
}
"""Our operations by what they are given: in full, and without what may be left out."""

BESIDE = (
    *(InEveryRow(MatrixSymbol("X", 1, k), Integer(3)) for k in (1, 2)),
    *(InEveryColumn(MatrixSymbol("X", k, 1), Integer(3)) for k in (1, 2)),
    Everywhere(MatrixSymbol("X", 1, 1), Integer(2), Integer(3)),
    Concat(MatrixSymbol("X", 2, 2), MatrixSymbol("Y", 2, 1), MatrixSymbol("Z", 2, 3)),
    Stack(MatrixSymbol("X", 2, 2), MatrixSymbol("Y", 1, 2), MatrixSymbol("Z", 3, 2)),
)
"""What signs and lists make, which have no calls."""


class Ones(Random):
    """Draws the least of all that there is: matrices of one entry."""

    def randint(self, a: int, b: int) -> int:
        return a


def node_of(record: Operation, draw: Random) -> tuple[Any, dict[str, arb_mat]]:
    """An operation as a formula has it, and the numbers of its matrices."""
    asked, values, shapes, texts = given(record, draw), {}, {}, []
    while (asked.whole.get("n") == 1 and record.name == "angle") or asked.whole.get("k") == 0:
        asked = given(record, draw)  # angles of two numbers are 0; an exponent is 1 at least
    if "ids" in asked.numbers:
        asked = replace(
            asked, numbers={**asked.numbers, "ids": [draw.randrange(asked.whole["n"]) for _ in asked.numbers["ids"]]}
        )
    for each in record.parameters:
        number = asked.numbers.get(each.name, asked.whole.get(each.name))
        text = each.name
        if each.is_matrix:
            values[each.name] = matrix(as_rows(number))
            shapes[each.name] = shape(values[each.name].nrows(), values[each.name].ncols())
        else:
            text = str(Fraction(round(64 * number), 64)) if each.kind == "number" else str(number)
        texts.append(text if each.default is None else f"{each.name}={text}")
    return read_formula(f"{record.name}({', '.join(texts)})", Scope(shapes, anywhere=True)).expr, values


def matrix(rows: Any) -> arb_mat:
    """Fractions near some floats; what is hidden is hidden in a mask only."""
    return arb_mat([[arb("-inf") if isinf(x) else arb(fmpq(round(64 * x), 64)) for x in row] for row in rows])


def agree(node: Any, values: dict[str, arb_mat], draw: Random) -> int:
    """How many gradients of a node are the same in both ways."""
    operation, count = operation_of(node), 0
    assert operation is not None
    rows, columns = map(int, node.shape)
    grads = arb_mat([[arb(fmpq(draw.randint(-99, 99), 16)) for _ in range(columns)] for _ in range(rows)])
    known = {**values, "grad": grads}
    grad = MatrixSymbol("grad", rows, columns)
    for place, (parameter, arg) in enumerate(parameters_of(node)):
        if not parameter.is_matrix or is_flat(operation, parameter.name):
            continue
        derived = adjoint(operation, parameter.name)
        arguments = {**given_of(node), seed(operation).name: grad}
        wanted = apply(derived, *(arguments[each.name] for each in derived.parameters))
        with at_precision(BITS):
            ours = ball(passed_on(node, place, grad), known.__getitem__)
            theirs = ball(wanted, known.__getitem__)
            assert (ours.nrows(), ours.ncols()) == (theirs.nrows(), theirs.ncols()) == tuple(map(int, arg.shape))
            for x, y in zip(ours.entries(), theirs.entries(), strict=True):
                assert x.overlaps(y), (node, parameter.name, x, y)
                assert max(x.rad(), y.rad()) < arb("1e-40") * (1 + abs(x)), (node, parameter.name)
        count += 1
    return count


@pytest.mark.sampled(20)
@pytest.mark.parametrize("name", CALLED)
def test_a_compact_form_is_what_is_derived(name: str) -> None:
    draw = Random(name)
    for turn in range(4):
        node, values = node_of(CALLED[name], draw if turn or name.startswith(("angle", "power")) else Ones(name))
        assert agree(node, values, draw)


@pytest.mark.parametrize("node", BESIDE, ids=str)
def test_what_has_no_name_passes_on_what_is_derived(node: Any) -> None:
    draw = Random(str(node))
    values = {
        each.name: matrix([[draw.gauss(0, 1)] * each.shape[1]] * each.shape[0]) for each in node.atoms(MatrixSymbol)
    }
    assert agree(node, values, draw) == len(values)
