"""Names whose values are logarithms of rationals, which a softmax makes rational weights of."""

from __future__ import annotations

from typing import Any

from flint import fmpq_mat

from symattn.remembered import cached_property
from symattn.solution.givens import given_logs, holds_logs
from symattn.solution.shown import Shown
from symattn.solution.store import Store
from symattn.values.logarithm import Logs, logs
from symattn.values.rational import rational


class Logarithms:
    """The logarithms of one solution, worked out when somebody asks and remembered."""

    def __init__(self, solution: Store) -> None:
        self._solution = solution
        self._values: dict[str, Logs | None] = {}
        self.written: dict[str, Any] = {}
        """How the entries of names are written, for who writes them."""

    @cached_property
    def are_given(self) -> bool:
        """Whether there are logarithms among the givens; nobody looks for any elsewhere."""
        return any(map(holds_logs, self._solution.givens.values()))

    def operand(self, name: str) -> fmpq_mat | Logs | None:
        """The exact value that a step starts from, if it is rational or made of logarithms."""
        known = self._solution.operand_rational(name)
        return known if known is not None else self.value(name)

    def value(self, name: str) -> Logs | None:
        """The exact value as logarithms of rationals, or ``None`` if it is anything else."""
        if not self.are_given or self._solution.style.carry == "rounded":
            return None
        for needed in self._solution.needed(name):
            if needed not in self._values:
                self._values[needed] = self._value(needed)
        return self._values[name]

    def _value(self, name: str) -> Logs | None:
        solution = self._solution
        if solution.shown(name) is not Shown.FIGURES:
            return None
        if name in solution.givens:
            return given_logs(solution.givens[name])
        if solution.rational(name) is not None:
            return None
        return logs(solution.formula(name), self.operand, rational)
