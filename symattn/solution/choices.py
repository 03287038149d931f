"""What depends on which entry is largest: decided by proof before enclosures are worked out, for they cannot see a tie.

Three equal probabilities of 1/3 are three balls that overlap at every precision; which of them come first is a question
for exact arithmetic, and :func:`~symattn.solution.proofs.groups` asks it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from flint import arb_mat
from sympy import Integer, MatMul, MatrixExpr, MatrixSymbol, postorder_traversal

from symattn.operations import ArgMax, TopK
from symattn.shapes import whole_sizes
from symattn.solution.proofs import groups, undecided
from symattn.solution.store import Store
from symattn.values.ball import ball


def enclosed(
    solution: Store, formula: MatrixExpr, known: dict[str, arb_mat], lookup: Callable[[str], arb_mat]
) -> arb_mat:
    """Balls for a formula; ``known`` has what was chosen in it, and ``lookup`` the values of its names."""
    formula = _settled(solution, formula, known)
    return ball(formula, lambda name: known[name] if name in known else lookup(name))


def _settled(solution: Store, formula: MatrixExpr, known: dict[str, arb_mat]) -> MatrixExpr:
    """The formula with a name in place of every choice in it; ``known`` gets the values of these names."""
    for node in _choices_in(formula):
        name = solution.part(node)
        if name not in known:
            known[name] = _chosen(solution, node)
        formula = formula.xreplace({node: MatrixSymbol(name, *node.shape)})
    return formula


@lru_cache(maxsize=1000)
def _choices_in(formula: MatrixExpr) -> tuple[ArgMax | TopK, ...]:
    return tuple(dict.fromkeys(node for node in postorder_traversal(formula) if isinstance(node, ArgMax | TopK)))


def top(solution: Store, formula: MatrixExpr, count: int) -> tuple[tuple[int, ...], ...]:
    """The columns of the ``count`` largest entries of every row of a formula, of those that tie the first; all proved.

    An order that is not known matters only where some of the entries are taken and some are not.
    """
    if isinstance(formula, MatrixSymbol):
        # A part of a step, so that it starts from what the step starts from: printed figures, where those are carried.
        formula = MatMul(Integer(1), formula, evaluate=False)
    name = solution.part(formula)
    return tuple(_first(solution, name, row, count) for row in range(solution.rows(name)))


def largest(solution: Store, formula: MatrixExpr) -> tuple[int, ...]:
    """The column of a largest entry of every row of a formula, proved; of ties the first."""
    return tuple(column for (column,) in top(solution, formula, 1))


def _first(solution: Store, name: str, row: int, count: int) -> tuple[int, ...]:
    taken: tuple[int, ...] = ()
    for group in groups(solution, name, row, count):
        left = count - len(taken)
        if group.open and 0 < left < len(group.columns):
            raise undecided(solution, name, row, group.open)
        taken += group.columns[:left]
    return tuple(sorted(taken))


def _chosen(solution: Store, node: ArgMax | TopK) -> arb_mat:
    if isinstance(node, ArgMax):
        return arb_mat([[column] for column in largest(solution, node.argument)])
    columns = range(whole_sizes(node)[1])
    return arb_mat([[int(j in row) for j in columns] for row in top(solution, node.argument, node.count)])
