"""What is worked out on the way to an entry and has no name: a line for each operand that is a formula itself."""

from __future__ import annotations

from dataclasses import replace

from sympy import Basic, MatAdd, MatMul, MatPow

from symattn.document.entries.nodes import entry
from symattn.document.math import Chain, Number
from symattn.document.working.equations import calculates, column_work, entry_by_entry, entry_work, row_work
from symattn.document.working.lines import Work
from symattn.document.working.products import sign_and_size


def operand_work(node: Basic, work: Work, i: int, j: int) -> tuple[Chain, ...]:
    """Entry (i, j) of what is worked out on the way to it and has no name, one line each."""
    lines: list[Chain] = []
    for operand in _on_the_way(node):
        shown = entry(operand, work.letters, Number(str(i + 1)), Number(str(j + 1)), ())
        inner = replace(work, name=work.solution.part(operand), shown=shown)
        shared = row_work(operand, inner, i)
        line = None if shared and not isinstance(operand, MatMul | MatPow) else entry_work(operand, inner, i, j)
        lines += [*operand_work(operand, work, i, j), *shared, line] if line is not None else []
    return (*lines, *column_work(node, work, j))


def _on_the_way(node: Basic) -> list[Basic]:
    """The operands whose entry (i, j) that of a node is made of, and which are worked out themselves."""
    sides = [sign_and_size(arg)[1] for arg in node.args] if isinstance(node, MatAdd) else entry_by_entry(node)
    return [side for side in sides if calculates(side) or isinstance(side, MatAdd) or _is_sum_of_products(side)]


def _is_sum_of_products(node: Basic) -> bool:
    """Whether a node is a product of matrices in which something is added up; a column times a row is not."""
    factors = [arg for arg in node.args if arg.is_Matrix] if isinstance(node, MatMul) else []
    return len(factors) == len(node.args) and any(factor.shape[1] != 1 for factor in factors[:-1])
