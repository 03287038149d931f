"""Lengths and angles worked in figures: cosines, angles, and what is clipped to a length."""

from __future__ import annotations

from symattn import operations as ops
from symattn.document.math import PI, Call, Chain, Fraction, Number, Sign, seq
from symattn.document.notation.figures import guarded, is_faint, plain, relation
from symattn.document.working.equations import entry_work, row_work
from symattn.document.working.lines import Needed, Work, clear, divisor_figure, worked_line
from symattn.operations.node import named
from symattn.values.rounding import Figure


@row_work.register
def _(node: ops.Cosine | ops.Angle, work: Work, i: int) -> tuple[Chain, ...]:
    return ()


@entry_work.register
def _(node: ops.Cosine, work: Work, i: int, j: int) -> Chain | None:
    product, result = work.cells(ops.Dot(node.left, node.right))[i][j], work.result(i, j)
    lengths = (work.cells(ops.RowNorm(node.left))[i][0], work.cells(ops.RowNorm(node.right))[j][0])
    if any(map(is_faint, lengths)):
        product = clear(work, ops.Dot(node.left, node.right), i, j)
        lengths = (clear(work, ops.RowNorm(node.left), i, 0), clear(work, ops.RowNorm(node.right), j, 0))
    below = seq(plain(lengths[0]), Sign("·"), plain(lengths[1]))
    return worked_line(work.left(i, j), result, (Fraction(plain(product), below), (product, *lengths)))


@entry_work.register
def _(node: ops.Angle, work: Work, i: int, j: int) -> Chain | None:
    cosine = work.cells(ops.Cosine(node.left, node.right))[i][j]
    right = seq(Fraction(Number("180"), PI), Call("arccos", (plain(cosine),)))
    return worked_line(work.left(i, j), work.result(i, j), (right, (cosine,)))


def length_of_all(work: Work, node: ops.ClipNorm) -> Figure:
    """‖G‖, the length of all entries together."""
    work.note(Needed(node, (), "r"))
    return work.unnoted.cells(named(node, "r"))[0][0]


@entry_work.register
def _(node: ops.ClipNorm, work: Work, i: int, j: int) -> Chain | None:
    operand, size = work.cells(node.argument)[i][j], length_of_all(work, node)
    if not size.text.strip("0."):
        # Nobody divides by a length that prints as 0: then every entry is as short.
        return Chain(work.left(i, j), ((relation([operand, work.result(i, j)]), plain(work.result(i, j))),))
    threshold = divisor_figure(work.solution, node.threshold)
    smaller = Call("min", (Number("1"), Fraction(plain(threshold), plain(size))))
    side = seq(guarded(operand), Sign("·"), smaller)
    return worked_line(work.left(i, j), work.result(i, j), (side, (operand, size, threshold)))
