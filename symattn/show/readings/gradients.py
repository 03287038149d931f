"""The readings of a gradient's values, found in its formula and in the steps that it is computed from."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import Any

from flint import fmpq
from sympy import Integer, MatAdd, MatMul, MatrixSymbol, Transpose

from symattn import operations as ops
from symattn.base.shapes import in_rows, whole_sizes
from symattn.compute.solution.proofs import known_signs
from symattn.operations.equations.kinks import kinks
from symattn.operations.equations.tree import Operation
from symattn.operations.node import Applied, apply, parameters_of
from symattn.operations.records import record_named
from symattn.operations.stages import same_as_ours
from symattn.read.formula.functions import slope_of
from symattn.show.blocks import Argument, Phrase
from symattn.show.readings.sentence import ReadStep, columns_of, reading
from symattn.show.readings.totals import why_rows_sum_to_zero
from symattn.show.working.masked import masked_entries

TAKEN: Mapping[str, str] = MappingProxyType(
    {
        "relu": "relu",
        "abs": "abs",
        "row_max": "largest",
        "row_min": "smallest",
        "maximum": "two",
        "minimum": "two",
        "leaky_relu": "below",
        "clip_norm": "unclipped",
    }
)
"""The words for the value at a kink of our operations; other operations use one of their cases."""

KINDS = ("cases", "relu", "abs", "largest", "smallest", "two", "below", "unclipped")
"""The keys of sentences about kinks; the words know each by its number, as text would be printed."""

WHYS = ("difference", "softmax", "norm")
"""The reasons why rows sum to 0, also known by number."""

MOST_PLACES = 6
"""The most entries that a sentence names one by one; of more it gives the count."""


def of_gradient(step: ReadStep, by: str) -> list[Phrase]:
    """Return the readings of a step that is the gradient with respect to the matrix ``by``."""
    return [
        *_right_answers(step),
        *_sums(step),
        *_behind_a_mask(step),
        *_switched_off(step),
        *_at_kinks(step),
        *_unused_rows(step, by),
    ]


def _sums(step: ReadStep) -> list[Phrase]:
    """Return the reading that each row sums to exactly 0, as behind a softmax and a layer norm."""
    if step.solution.columns(step.name) < 2 or not _is_worked_out(step.with_sizes):
        return []
    why = why_rows_sum_to_zero(step.solution, step.with_sizes)
    if why is None:
        return []
    return [
        reading("gradient_rows", name=step.names(step.name), count=step.solution.rows(step.name), why=WHYS.index(why))
    ]


def _is_worked_out(node: Any) -> bool:
    """Return whether a formula is more than a name or a matrix of zeros."""
    return not isinstance(node, MatrixSymbol) and bool(node.atoms(MatrixSymbol))


# -- behind a softmax --------------------------------------------------------------------------------------------


def _behind_a_mask(step: ReadStep) -> list[Phrase]:
    """Return the reading that masked scores have no gradient: their weight, a factor of it, is exactly 0."""
    scores = _softmax_of(step, _weights_in_front(step.with_sizes))
    if scores is None:
        return []
    hidden = [(i, j) for i, j, infinite in masked_entries(step.solution, scores) if infinite]
    return [reading("gradient_masked", count=len(hidden), places=_places(hidden))] if hidden else []


def _weights_in_front(node: Any) -> Any:
    """Return A of A ⊙ (∂L/∂A − …), the gradient through a softmax."""
    if not isinstance(node, ops.Hadamard):
        return None
    for weights, rest in (node.args, node.args[::-1]):
        if isinstance(rest, MatAdd) and any(weights in each.args for each in rest.atoms(ops.Hadamard)):
            return weights
    return None


def _softmax_of(step: ReadStep, node: Any) -> Any:
    """Return the scores of a softmax, or of a name that is defined as one; ``None`` for anything else."""
    formula = _formula(step, node)
    return formula.argument if isinstance(formula, ops.Softmax) else None


def _formula(step: ReadStep, node: Any) -> Any:
    """Return the formula of a step's name, ``None`` for a given; any other formula is returned as it is."""
    if isinstance(node, MatrixSymbol):
        name = str(node.name)
        return None if name in step.solution.givens else same_as_ours(step.solution.formula(name))
    return node


def _right_answers(step: ReadStep) -> list[Phrase]:
    """Return the reading that only probabilities of right answers are too small: all other entries are positive."""
    solution, rows = step.solution, step.solution.rows(step.name)
    if solution.columns(step.name) < 2 or not any(map(partial(_softmax_of, step), _parts(step.with_sizes))):
        return []
    own = MatrixSymbol(step.name, *map(Integer, solution.shape(step.name).sizes))
    negative = [[sign == -1 if sign else None for sign in row] for row in known_signs(solution, own)]
    right = any(negative == [[x == 1 for x in row] for row in answers] for answers in _answers(step))
    return [reading("gradient_answers", name=step.names(step.name), count=rows)] if right else []


def _answers(step: ReadStep) -> Iterator[tuple[tuple[fmpq, ...], ...]]:
    """Yield the matrices with a single 1 in each row and the shape of the gradient, as targets have."""
    solution, shape = step.solution, step.solution.shape(step.name).sizes
    found: dict[Any, None] = {}
    for name in step.solution.needed(step.name):
        if name not in solution.givens:
            found |= dict.fromkeys(sorted(solution.formula(name).atoms(ops.OneHot), key=str))
        elif solution.shape(name).sizes == shape:
            found[MatrixSymbol(name, *map(Integer, shape))] = None
    for node in found:
        if whole_sizes(node) == shape and _is_one_hot(step, node) and (known := solution.evaluate_rational(node)):
            yield in_rows(known, shape[1])


def _is_one_hot(step: ReadStep, node: Any) -> bool:
    """Return whether each row of a matrix is a 1 among zeros: made so, or given so."""
    if isinstance(node, MatrixSymbol) and str(node.name) in step.solution.givens:
        given = step.solution.rational(str(node.name))
        return given is not None and all(sorted(row) == [0] * (len(row) - 1) + [1] for row in given.tolist())
    return isinstance(_formula(step, node), ops.OneHot)


def _parts(node: Any) -> Iterator[Any]:
    """Yield the matrices that a formula consists of, nested ones included."""
    yield node
    for arg in node.args:
        if getattr(arg, "is_Matrix", False):
            yield from _parts(arg)


# -- behind a kink -----------------------------------------------------------------------------------------------


def _switched_off(step: ReadStep) -> list[Phrase]:
    """Return the reading that no gradient flows back where a ReLU was off."""
    relu = record_named("relu")
    found = [slope for slope in _slopes(step) if slope.of == relu]
    if len(found) != 1:
        return []
    signs = known_signs(step.solution, found[0].given["X"])
    off = [(i, j) for i, row in enumerate(signs) for j, sign in enumerate(row) if sign == -1]
    total = sum(map(len, signs))
    return [reading("gradient_off", count=len(off), total=total, places=_places(off))] if off else []


def _at_kinks(step: ReadStep) -> list[Phrase]:
    """Return where a function has no derivative at the given numbers, and the value used instead."""
    found: list[Phrase] = []
    for slope in _slopes(step):
        kinked = kinks(slope.of, slope.by)
        if kinked is None:
            continue
        node = apply(kinked, *(slope.given[each.name] for each in kinked.parameters))
        signs = known_signs(step.solution, node)
        there = [(i, j) for i, row in enumerate(signs) for j, sign in enumerate(row) if sign == 1]
        if there:
            is_ours = slope.of == record_named(slope.of.name)
            told: dict[str, Argument] = {"count": len(there), "places": _places(there)}
            taken = TAKEN.get(slope.of.name, "cases") if is_ours else "cases"
            found.append(reading("gradient_kink", operation=slope.of.called, taken=KINDS.index(taken), **told))
    return found


# -- behind a choice of rows ---------------------------------------------------------------------------------------


def _unused_rows(step: ReadStep, by: str) -> list[Phrase]:
    """Return the rows of an embedding without gradient, as no token uses them; only for a gradient over all paths."""
    node, derivative = step.with_sizes, step.solution.derivation[step.name].derivative
    if not isinstance(node, MatMul) or len(node.args) != 2 or not isinstance(node.args[0], Transpose):
        return []
    chosen = node.args[0].arg
    is_whole = derivative is not None and not derivative.through
    if (
        not (is_whole and isinstance(_formula(step, chosen), ops.OneHot))
        or (used := step.solution.evaluate_rational(chosen)) is None
    ):
        return []
    columns = zip(*in_rows(used, step.solution.rows(step.name)), strict=True)
    unused = [j for j, column in enumerate(columns) if not any(column)]
    if not unused:
        return []
    shown = columns_of(unused[: step.most], step.names.row_labels(by))
    told: dict[str, Argument] = {"rows": shown, "more": len(unused) - len(shown)}
    return [reading("gradient_unused", name=step.names(step.name), matrix=step.names(by), **told)]


# -- the slopes in a formula -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _SlopeAt:
    """The derivative of an operation by one of its parameters, with its arguments."""

    of: Operation
    by: str
    given: Mapping[str, Any]


def _slopes(step: ReadStep) -> Iterator[_SlopeAt]:
    """Yield the derivatives that a gradient consists of, each once."""
    own = step.solution.derivation.operations
    for node in dict.fromkeys(_parts(step.with_sizes)):
        slope = slope_of(node.operation, own) if isinstance(node, Applied) else None
        if slope is not None:
            yield _SlopeAt(slope.of, slope.by, {parameter.name: arg for parameter, arg in parameters_of(node)})


def _places(entries: Iterable[tuple[int, int]]) -> tuple[Argument, ...]:
    """Return rows and columns as the page counts, or nothing if there are many."""
    found = tuple((i + 1, j + 1) for i, j in entries)
    return found if len(found) <= MOST_PLACES else ()
