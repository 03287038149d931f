"""What the exact rules see of a solution: the values a step starts from, and what is proved of them."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

from sympy import ImmutableDenseMatrix

if TYPE_CHECKING:
    from symattn.solution.core import Solution


class Operands:
    """The names of a solution, and other matrices by names that no step can have."""

    def __init__(self, solution: Solution, others: Mapping[str, ImmutableDenseMatrix] = MappingProxyType({})) -> None:
        self._solution, self._others = solution, others
        self.signs = solution.signs
        self.largest = solution.largest
        self.top = solution.top
        self.is_longer = solution.is_longer

    def exact_value(self, name: str) -> ImmutableDenseMatrix:
        """The exact value of a name, or its printed figures where those are carried."""
        return self._others[name] if name in self._others else self._solution.operand_exact(name)
