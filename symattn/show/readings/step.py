"""The readings of a step's values, each backed by a proof: which sentences belong to which operation."""

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
"""Operations worth a sentence when an earlier step has the same formula."""

MOST_ROWS = 8
"""The most rows of a large matrix that are read one by one."""


def readings(
    solution: Store, name: str, names: Names, rows: AxisLabels, columns: AxisLabels, most: int = MOST_ROWS
) -> tuple[Phrase, ...]:
    """Return the readings of one step; of more than ``most`` rows only those that the matrix shows are read."""
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
    # Few pages have gradients; the others need not load their readings.
    from symattn.show.readings.gradients import of_gradient

    return of_gradient(step, by)


def _cut_off(step: ReadStep) -> list[Phrase]:
    """Return how many negative entries a ReLU makes 0, and how many entries have an unknown sign."""
    signs = [sign for row in known_signs(step.solution, step.with_sizes.argument) for sign in row]
    return [reading("relu_cut", cut=signs.count(-1), total=len(signs), open=signs.count(None))]


def _symmetric(step: ReadStep) -> list[Phrase]:
    """Return the reading that a matrix times its transpose is symmetric, if so."""
    node: Any = step.node
    if isinstance(node, ops.Dot):
        is_symmetric = node.left == node.right and node.shape[0] != 1
    else:
        is_symmetric = len(node.args) == 2 and node.args[1] == Transpose(node.args[0])
    letters = step.names.letters
    return [reading("symmetric", row=letters.row.name, column=letters.column.name)] if is_symmetric else []


def _logarithms(step: ReadStep) -> list[Phrase]:
    """Return the reading that logarithms of numbers up to 1, such as probabilities, are not positive, if so."""
    argument = step.with_sizes.argument
    minus_one = MatMul(-1, OneMatrix(*argument.shape), evaluate=False)
    rows = known_signs(step.solution, MatAdd(argument, minus_one, evaluate=False))
    signs = [sign for row in rows for sign in row]
    return [reading("logarithms", ones=signs.count(0))] if set(signs) <= {-1, 0} else []


def _rotated(step: ReadStep) -> list[Phrase]:
    """Return the reading that rotations keep lengths, and which row does not move."""
    start = step.with_sizes.start
    still = [i + 1 for i in range(step.solution.rows(step.name)) if (start + i).is_zero]
    return [reading("rotated", still=still[0] if still else 0)]


def _same_as_operand(step: ReadStep) -> list[Phrase]:
    """Return the reading that a step equals an operand, as with identity or zero, or an earlier step of its formula."""
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
    """Return the first step with the same formula if it is an earlier one; never for copies and parts of a matrix."""
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
"""The readings of each operation; all other operations have none."""
