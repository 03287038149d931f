"""Which entries of a row are chosen: the largest, or the largest few, and what ties with them."""

from __future__ import annotations

from sympy import Basic, MatAdd, MatMul, MatrixSymbol

from symattn import operations as ops
from symattn.document.blocks import Phrase
from symattn.document.readings.sentence import AxisLabels, ReadStep, column_of, columns_of, labelled, reading
from symattn.solution import proofs


def largest_few(step: ReadStep) -> list[Phrase]:
    """Which entries of a row are among the largest; where equal ones are on both sides of the line, that too."""
    node = step.with_sizes
    part = step.solution.part(node.argument)

    def taken(i: int) -> Phrase:
        groups = [group.columns for group in proofs.groups(step.solution, part, i)]
        taken = [j for group in groups for j in group][: node.count]
        # Entries that are cut here tie: that nothing hangs on an order that is not known is proved with the choice.
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
    """Which column a row chooses, and what ties with it."""
    part, over = step.solution.part(step.with_sizes.argument), _labels(step, step.node.argument)

    def chosen(i: int) -> Phrase:
        first, *tied = proofs.groups(step.solution, part, i, around=1)[0].columns
        words = {"id": first, "column": column_of(first, over), "tied": columns_of(tied, over)}
        return reading("chosen", **labelled(i, step.rows), **words)

    return step.by_rows(chosen)


def _labels(step: ReadStep, node: Basic) -> AxisLabels:
    """The labels of the columns of a formula, as far as its names tell."""
    match node:
        case MatrixSymbol():
            return step.names.labels.get(step.solution.shape(str(node.name)).columns.name, ())
        case ops.Softmax() | ops.Proportions() | ops.Quotient() | ops.Keep() | ops.Hadamard() | MatAdd():
            return _labels(step, node.args[0])
        case MatMul():
            return _labels(step, node.args[-1])
        case _:
            return ()
