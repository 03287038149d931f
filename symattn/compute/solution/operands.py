"""The view that the exact rules have of a solution: the operands of a step, and proved facts about them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache, partial
from math import inf
from types import MappingProxyType

from flint import arb_mat, fmpq, fmpq_mat
from sympy import ImmutableDenseMatrix, Integer, MatMul, MatrixExpr, MatrixSymbol, Rational, S, postorder_traversal

from symattn.base.shapes import whole_sizes
from symattn.compute.solution.proofs import groups, is_longer, proved_signs, undecided
from symattn.compute.solution.read_back import read_back
from symattn.compute.solution.store import Shown, Store, given_logs
from symattn.compute.values.ball import ball
from symattn.compute.values.exact import exact, known_order
from symattn.compute.values.logarithm import Logs, logs
from symattn.compute.values.rational import rational
from symattn.operations import ArgMax, TopK
from symattn.read.plan import names_in


def enclosed(
    solution: Store, formula: MatrixExpr, known: dict[str, arb_mat], lookup: Callable[[str], arb_mat]
) -> arb_mat:
    """Return balls for a formula; ``known`` has the choices made in it, ``lookup`` returns the values of names."""
    formula = _settled(solution, formula, known)
    return ball(formula, lambda name: known[name] if name in known else lookup(name))


def _settled(solution: Store, formula: MatrixExpr, known: dict[str, arb_mat]) -> MatrixExpr:
    """Replace every choice in a formula by a name; the values of these names are added to ``known``."""
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
    """Return the columns of the ``count`` largest entries of every row, of ties the first; all proved.

    An undecided order matters only where it affects which entries are taken.
    """
    if isinstance(formula, MatrixSymbol):
        # A part of a step, so that it uses the operands of the step: printed figures, where those are carried.
        formula = MatMul(Integer(1), formula, evaluate=False)
    name = solution.part(formula)
    return tuple(_first(solution, name, row, count) for row in range(solution.rows(name)))


def largest(solution: Store, formula: MatrixExpr) -> tuple[int, ...]:
    """Return the column of a largest entry of every row of a formula, proved; of ties the first."""
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


class Operands:
    """The names of a solution, and other matrices under names that no step can have."""

    def __init__(self, solution: Store, others: Mapping[str, ImmutableDenseMatrix] = MappingProxyType({})) -> None:
        self._solution, self._others = solution, others
        self.largest = partial(largest, solution)
        self.top = partial(top, solution)
        self.is_longer = partial(is_longer, solution)

    def signs(self, formula: MatrixExpr, what: str) -> tuple[tuple[int, ...], ...]:
        """Return the certified sign of every entry of a formula."""
        if self._others.keys().isdisjoint(names_in(formula)):
            return proved_signs(self._solution, formula, what)
        return tuple(tuple(known_order(x, S.Zero) for x in row) for row in exact(formula, self).tolist())

    def exact_value(self, name: str) -> ImmutableDenseMatrix:
        """Return the exact value of a name, or its printed figures where those are carried."""
        return self._others[name] if name in self._others else operand_exact(self._solution, name)


def operand_exact(solution: Store, name: str) -> ImmutableDenseMatrix:
    """Return the exact value of an operand: the name's value, or its printed figures where those are carried."""
    if solution.style.carry == "exact":
        return solution.exact_value(name)
    if solution.symbolic is not None and solution.shown(name) is Shown.CLOSED_FORMS:
        return solution.symbolic.carried(name)
    printed = read_back(solution, name)
    infinite = {inf: S.Infinity, -inf: S.NegativeInfinity}
    numbers = [Rational(int(x.p), int(x.q)) if isinstance(x, fmpq) else infinite[x] for x in printed]
    return ImmutableDenseMatrix(solution.rows(name), solution.columns(name), numbers)


def operand(solution: Store, name: str) -> fmpq_mat | Logs | None:
    """Return the exact value of an operand, if it is rational or made of logarithms."""
    known = solution.operand_rational(name)
    return known if known is not None else logarithms(solution, name)


def logarithms(solution: Store, name: str) -> Logs | None:
    """Return the exact value as logarithms of rationals, or ``None`` if it is anything else."""
    if not solution.has_logarithms or solution.style.carry == "rounded":
        return None
    known = solution.proved.logs
    for needed in solution.needed(name):
        if needed not in known:
            known[needed] = _logarithms(solution, needed)
    return known[name]


def _logarithms(solution: Store, name: str) -> Logs | None:
    if solution.shown(name) is not Shown.FIGURES:
        return None
    if name in solution.givens:
        return given_logs(solution.givens[name])
    if solution.rational(name) is not None:
        return None
    return logs(solution.formula(name), partial(operand, solution), rational)
