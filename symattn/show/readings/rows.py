"""The readings of rows that were chosen from, masked or scaled, each backed by a proof."""

from __future__ import annotations

from sympy import Basic, Expr, MatAdd, MatMul, MatrixExpr, MatrixSymbol, OneMatrix

from symattn import operations as ops
from symattn.base.shapes import whole_sizes
from symattn.compute.solution import proofs
from symattn.compute.solution.intervals import hides
from symattn.compute.solution.proofs import is_longer, known_signs
from symattn.compute.solution.store import Store
from symattn.compute.values.balls import at_precision, number_ball
from symattn.compute.values.certify import START_BITS, unless_open
from symattn.operations.stages import same_as_ours
from symattn.show.blocks import Phrase
from symattn.show.entries.letters import Letters
from symattn.show.math import Number
from symattn.show.notation.numerals import number
from symattn.show.readings.sentence import AxisLabels, ReadStep, column_of, columns_of, labelled, reading
from symattn.show.working.lines import Work
from symattn.show.working.masked import masked_entries
from symattn.show.working.own_ways import length_of_all


def largest_few(step: ReadStep) -> list[Phrase]:
    """Return which entries of each row are among the largest, and which equal ones are on either side of the cut."""
    node = step.with_sizes
    part = step.solution.part(node.argument)

    def taken(i: int) -> Phrase:
        groups = [group.columns for group in proofs.groups(step.solution, part, i)]
        taken = [j for group in groups for j in group][: node.count]
        # A group that is split here is a tie: the choice itself proves that no unknown order matters.
        split = next((group for group in groups if 0 < sum(j in taken for j in group) < len(group)), ())
        return reading(
            "taken",
            **labelled(i, step.rows),
            taken=columns_of(taken, step.columns),
            tied=columns_of(split, step.columns),
            first=columns_of((j for j in split if j in taken), step.columns),
        )

    return step.by_rows(taken)


def largest(step: ReadStep) -> list[Phrase]:
    """Return which column each row chooses, and what ties with it."""
    part, over = step.solution.part(step.with_sizes.argument), _labels(step, step.node.argument)

    def chosen(i: int) -> Phrase:
        first, *tied = proofs.groups(step.solution, part, i, around=1)[0].columns
        words = {"id": first, "column": column_of(first, over), "tied": columns_of(tied, over)}
        return reading("chosen", **labelled(i, step.rows), **words)

    return step.by_rows(chosen)


def _labels(step: ReadStep, node: Basic) -> AxisLabels:
    """Return the labels of the columns of a formula, as far as its names tell."""
    match node:
        case MatrixSymbol():
            return step.names.labels.get(step.solution.shape(str(node.name)).columns.name, ())
        case ops.Softmax() | ops.Proportions() | ops.Quotient() | ops.Keep() | ops.Hadamard() | MatAdd():
            return _labels(step, node.args[0])
        case MatMul():
            return _labels(step, node.args[-1])
        case _:
            return ()


def visible(step: ReadStep) -> list[Phrase]:
    """Return how many entries of a mask are visible."""
    if not step.with_sizes.is_hiding:
        return []
    total = step.solution.rows(step.name) * step.solution.columns(step.name)
    return [reading("mask_keeps", kept=int(step.with_sizes.kept), total=total)]


def padding(step: ReadStep) -> list[Phrase]:
    """Return how many entries of the mask are visible, and which columns no row sees."""
    hidden = range(int(step.with_sizes.length), step.solution.columns(step.name))
    if not hidden or not step.with_sizes.is_hiding:
        return visible(step)
    shown = columns_of(hidden[: step.most], step.columns)
    return [*visible(step), reading("nobody_sees", columns=shown, more=len(hidden) - len(shown))]


def kept(solution: Store, name: str) -> Phrase:
    """Return how many entries a mask keeps."""
    hidden = [each for row in hides(solution, same_as_ours(solution.formula(name)).mask) for each in row]
    return reading("kept", count=hidden.count(False), total=len(hidden))


def hidden_scores(step: ReadStep) -> list[Phrase]:
    """Return how many scores a mask lowers so far that a softmax gives them less than e^−100 of the weight, or none."""
    masked = masked_entries(step.solution, step.node)
    count = len(masked)
    if not all(infinite for _, _, infinite in masked):
        with at_precision(START_BITS):
            rows = step.solution.enclosure(step.name, START_BITS).tolist()
            count = sum(infinite or any(rows[i][j] + 100 < x for x in rows[i]) for i, j, infinite in masked)
    return [reading("masked_scores", count=count)] if count else []


def normalised(step: ReadStep) -> list[Phrase]:
    """Return the reading that rows have mean 0 and variance 1, or less because of ε; none if a row may be constant."""
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
    """Return the reading that rows have root mean square 1, or less because of ε; none if some row may be zero."""
    node = step.with_sizes
    if node.gamma is not None or any(sign != 1 for (sign,) in known_signs(step.solution, ops.RowNorm(node.argument))):
        return []
    return [_scaled(step.solution, "root_mean_square", node.epsilon, node.argument)]


def _scaled(solution: Store, key: str, epsilon: Expr, rows: MatrixExpr) -> Phrase:
    """Return the reading of scaled rows, and whether ε hardly matters: the mean square of every row is proved to be
    more than a hundred times ε."""
    with at_precision(START_BITS):
        least = 100 * number_ball(epsilon.doit()) * whole_sizes(rows)[1]
        hardly = all(x * x > least for x in solution.evaluate_ball(ops.RowNorm(rows), START_BITS).entries())
    return reading(key, epsilon=number(epsilon), zero=int(epsilon == 0), hardly=int(hardly))


def unit_rows(step: ReadStep) -> list[Phrase]:
    return [reading("unit_rows", count=step.solution.rows(step.name))]


def clipped(step: ReadStep) -> list[Phrase]:
    """Return the length of all entries together, and whether it was too long; nothing if that is undecided."""
    node, solution, name = step.with_sizes, step.solution, step.name
    shortened = unless_open(lambda: is_longer(solution, node.argument, node.threshold))
    if shortened is None:
        return []
    letters = Letters.choose(step.names, [name], {name: solution.shape(name)})
    size = length_of_all(Work(solution, letters, name), node)
    told = {"length": Number(size.text), "threshold": number(node.threshold)}
    return [reading("clipped", **told, shortened=int(shortened), exactly=int(size.exact))]
