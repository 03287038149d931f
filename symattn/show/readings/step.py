"""What the values of a step show, each sentence backed by a proof: which sentences an operation has."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from sympy import MatAdd, MatMul, OneMatrix, Transpose

from symattn import operations as ops
from symattn.compute.solution.proofs import known_signs
from symattn.compute.solution.store import Store
from symattn.show.blocks import Phrase
from symattn.show.notation.names import Names
from symattn.show.readings import rows, weights
from symattn.show.readings.sentence import AxisLabels, ReadStep, reading
from symattn.show.readings.weights import empty_inside, zero_shares

WORKED_OUT = MatMul | MatAdd | ops.Quotient | ops.Hadamard | ops.EntryQuotient | ops.Softmax
"""Formulas of which it is worth saying that a step has them already."""

MOST_ROWS = 8
"""Rows of a large matrix that are read one by one."""


def readings(
    solution: Store, name: str, names: Names, rows: AxisLabels, columns: AxisLabels, most: int = MOST_ROWS
) -> tuple[Phrase, ...]:
    """The readings of one step; of more than ``most`` rows only those are read that the matrix shows."""
    step = ReadStep(solution, name, names, rows, columns, most)
    if step.node is None:
        return ()
    read = READINGS.get(type(step.node))
    found = (
        *(read(step) if read else ()),
        *empty_inside(solution, name, names, whole=False),
        *zero_shares(solution, name),
    )
    return (*found, *_of_gradient(step), *_same_as_operand(step))


def _of_gradient(step: ReadStep) -> list[Phrase]:
    by = step.names.gradient_of(step.name)
    if by is None:
        return []
    # Few pages go backward, and the others need not know what is said there.
    from symattn.show.readings.gradients import of_gradient

    return of_gradient(step, by)


def _cut_off(step: ReadStep) -> list[Phrase]:
    """How many negative entries a ReLU makes 0, and of how many it is not known."""
    signs = [sign for row in known_signs(step.solution, step.with_sizes.argument) for sign in row]
    return [reading("relu_cut", cut=signs.count(-1), total=len(signs), open=signs.count(None))]


def _symmetric(step: ReadStep) -> list[Phrase]:
    """That a matrix times itself, turned, is symmetric."""
    node: Any = step.node
    if isinstance(node, ops.Dot):
        is_symmetric = node.left == node.right and node.shape[0] != 1
    else:
        is_symmetric = len(node.args) == 2 and node.args[1] == Transpose(node.args[0])
    letters = step.names.letters
    return [reading("symmetric", row=letters.row.name, column=letters.column.name)] if is_symmetric else []


def _logarithms(step: ReadStep) -> list[Phrase]:
    """That logarithms of numbers up to 1, such as probabilities, are not positive."""
    argument = step.with_sizes.argument
    minus_one = MatMul(-1, OneMatrix(*argument.shape), evaluate=False)
    rows = known_signs(step.solution, MatAdd(argument, minus_one, evaluate=False))
    signs = [sign for row in rows for sign in row]
    return [reading("logarithms", ones=signs.count(0))] if set(signs) <= {-1, 0} else []


def _rotated(step: ReadStep) -> list[Phrase]:
    """That rotations keep lengths, and which row stays where it is."""
    start = step.with_sizes.start
    still = [i + 1 for i in range(step.solution.rows(step.name)) if (start + i).is_zero]
    return [reading("rotated", still=still[0] if still else 0)]


def _same_as_operand(step: ReadStep) -> list[Phrase]:
    """A product with the identity or a sum with zero gives its operand back, a formula once more its step: say so."""
    solution, name = step.solution, step.name
    if other := _with_same_formula(step):
        return [reading("equals_operand", result=step.names(name), operand=step.names(other))]
    if not isinstance(step.node, MatMul | MatAdd | ops.Quotient) or (own := solution.rational(name)) is None:
        return []
    for operand in solution.step(name).uses:
        if solution.shape(operand).sizes == solution.shape(name).sizes and solution.rational(operand) == own:
            return [reading("equals_operand", result=step.names(name), operand=step.names(operand))]
    return []


def _with_same_formula(step: ReadStep) -> str:
    """The first step with that formula, where it is one before; of copies and parts of a matrix there is no word."""
    if not isinstance(step.node, WORKED_OUT):
        return ""
    own = step.solution.step(step.name).formula
    first = next(each.name for each in step.solution.derivation.steps if each.formula == own)
    return "" if first == step.name else first


READINGS: Mapping[type, Callable[[ReadStep], list[Phrase]]] = MappingProxyType(
    {
        ops.ArgMax: rows.largest,
        ops.CachedMask: rows.visible,
        ops.CausalMask: rows.visible,
        ops.ClipNorm: rows.clipped,
        ops.Dot: _symmetric,
        ops.Entropy: weights.entropy,
        ops.Keep: lambda step: [rows.kept(step.solution, step.name)],
        ops.LayerNorm: rows.normalised,
        ops.Log: _logarithms,
        MatAdd: rows.hidden_scores,
        MatMul: _symmetric,
        ops.PaddingMask: rows.padding,
        ops.Proportions: weights.sums,
        ops.RMSNorm: rows.root_mean_square,
        ops.ReLU: _cut_off,
        ops.Rotary: _rotated,
        ops.Row: weights.row_of_weights,
        ops.Softmax: weights.softmax,
        ops.TopK: rows.largest_few,
        ops.UnitRows: rows.unit_rows,
        ops.WindowMask: rows.visible,
    }
)
"""What is said of the values of an operation; of all others nothing is."""
