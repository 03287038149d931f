"""What the exact rules see of a solution: the values a step starts from, and what is proved of them."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from math import inf
from types import MappingProxyType

from flint import fmpq
from sympy import ImmutableDenseMatrix, MatrixExpr, Rational, S

from symattn.plan import names_in
from symattn.solution.choices import largest, top
from symattn.solution.proofs import is_longer, proved_signs
from symattn.solution.read_back import read_back
from symattn.solution.shown import Shown
from symattn.solution.store import Store
from symattn.values.exact import exact
from symattn.values.symbolic import known_order


class Operands:
    """The names of a solution, and other matrices by names that no step can have."""

    def __init__(self, solution: Store, others: Mapping[str, ImmutableDenseMatrix] = MappingProxyType({})) -> None:
        self._solution, self._others = solution, others
        self.largest = partial(largest, solution)
        self.top = partial(top, solution)
        self.is_longer = partial(is_longer, solution)

    def signs(self, formula: MatrixExpr, what: str) -> tuple[tuple[int, ...], ...]:
        """The certified sign of every entry of a formula."""
        if self._others.keys().isdisjoint(names_in(formula)):
            return proved_signs(self._solution, formula, what)
        return tuple(tuple(known_order(x, S.Zero) for x in row) for row in exact(formula, self).tolist())

    def exact_value(self, name: str) -> ImmutableDenseMatrix:
        """The exact value of a name, or its printed figures where those are carried."""
        return self._others[name] if name in self._others else operand_exact(self._solution, name)


def operand_exact(solution: Store, name: str) -> ImmutableDenseMatrix:
    """The exact value that a step starts from: the name's value, or its printed figures."""
    if solution.style.carry == "exact":
        return solution.exact_value(name)
    if solution.symbolic is not None and solution.shown(name) is Shown.CLOSED_FORMS:
        return solution.symbolic.carried(name)
    printed = read_back(solution, name)
    infinite = {inf: S.Infinity, -inf: S.NegativeInfinity}
    numbers = [Rational(int(x.p), int(x.q)) if isinstance(x, fmpq) else infinite[x] for x in printed]
    return ImmutableDenseMatrix(solution.rows(name), solution.columns(name), numbers)
