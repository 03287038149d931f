"""What norms have made of rows: mean 0 and variance 1, a root mean square of 1, a length that is not passed."""

from __future__ import annotations

from sympy import Expr, MatAdd, MatMul, MatrixExpr, OneMatrix

from symattn import operations as ops
from symattn.document.blocks import Phrase
from symattn.document.entries.letters import Letters
from symattn.document.math import Number
from symattn.document.notation.numerals import number
from symattn.document.readings.sentence import ReadStep, reading
from symattn.document.working.lines import Work
from symattn.document.working.own_ways import length_of_all
from symattn.shapes import whole_sizes
from symattn.solution.proofs import is_longer, known_signs
from symattn.solution.store import Store
from symattn.values.certify import START_BITS, unless_open
from symattn.values.number import at_precision, number_ball


def normalised(step: ReadStep) -> list[Phrase]:
    """That rows now have mean 0 and variance 1, or less by what ε adds; a constant row stays one, with variance 0."""
    node = step.with_sizes
    if node.gamma is not None:
        return []
    width = node.shape[1]
    mean = MatMul(1 / width, node.argument, OneMatrix(width, width), evaluate=False)
    centred = MatAdd(node.argument, MatMul(-1, mean, evaluate=False), evaluate=False)
    if any(sign != 1 for (sign,) in known_signs(step.solution, ops.RowNorm(centred))):
        return []
    return [_scaled(step.solution, "normalised_rows", node.epsilon, centred)]


def root_mean_square(step: ReadStep) -> list[Phrase]:
    """That rows now have the root mean square 1, or less by what ε adds; a row of zeros stays one."""
    node = step.with_sizes
    if node.gamma is not None or any(sign != 1 for (sign,) in known_signs(step.solution, ops.RowNorm(node.argument))):
        return []
    return [_scaled(step.solution, "root_mean_square", node.epsilon, node.argument)]


def _scaled(solution: Store, key: str, epsilon: Expr, rows: MatrixExpr) -> Phrase:
    """What scaled rows show, and whether ε hardly matters: the mean square of every row is proved to be more than a
    hundred times ε."""
    with at_precision(START_BITS):
        least = 100 * number_ball(epsilon.doit()) * whole_sizes(rows)[1]
        hardly = all(x * x > least for x in solution.evaluate_ball(ops.RowNorm(rows), START_BITS).entries())
    return reading(key, epsilon=number(epsilon), zero=int(epsilon == 0), hardly=int(hardly))


def unit_rows(step: ReadStep) -> list[Phrase]:
    return [reading("unit_rows", count=step.solution.rows(step.name))]


def clipped(step: ReadStep) -> list[Phrase]:
    """How long all entries together are, and whether that was too long; nothing where it is not settled."""
    node, solution, name = step.with_sizes, step.solution, step.name
    shortened = unless_open(lambda: is_longer(solution, node.argument, node.threshold))
    if shortened is None:
        return []
    letters = Letters.choose(step.names, [name], {name: solution.shape(name)})
    size = length_of_all(Work(solution, letters, name), node)
    told = {"length": Number(size.text), "threshold": number(node.threshold)}
    return [reading("clipped", **told, shortened=int(shortened), exactly=int(size.exact))]
