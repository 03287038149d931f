"""One name of a solution, and what can be asked of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from operator import getitem
from typing import TYPE_CHECKING

from flint import arb_mat
from sympy import ImmutableDenseMatrix, MatrixExpr

from symattn.derivation import Step
from symattn.solution.figures import Figures
from symattn.solution.shown import Shown
from symattn.values.ends import Intervals

if TYPE_CHECKING:
    from symattn.solution.core import Solution
    from symattn.values.float64 import Array


@dataclass(frozen=True)
class Value:
    """One name of a solution: its formula and shape, and its value in every form."""

    solution: Solution = field(repr=False)
    step: Step

    def __reduce__(self) -> tuple[object, ...]:
        return getitem, (self.solution, self.name)

    @property
    def name(self) -> str:
        return self.step.name

    @property
    def formula(self) -> MatrixExpr | None:
        """The SymPy formula over earlier names; ``None`` for a given."""
        return self.step.formula

    @property
    def shape(self) -> tuple[int | str, int | str]:
        """Rows and columns; letters where the step is general."""
        return self.step.shape.sizes

    @property
    def exact(self) -> ImmutableDenseMatrix:
        """The exact value. For a deep layer this builds every path through it and takes its time."""
        return self.solution.exact_value(self.name)

    def decimals(self, digits: int) -> tuple[tuple[str, ...], ...]:
        """Every entry with that many decimals, certified; ``"-inf"`` where a mask hides one.

        Raises :class:`~symattn.errors.UndecidedError` where a digit cannot be proved.
        """
        return self.solution.decimals(self.name, digits)

    def known_decimals(self, digits: int) -> tuple[tuple[str | None, ...], ...]:
        """Every entry without free symbols with that many decimals, certified; ``None`` for the others."""
        symbolic = self.solution.symbolic if self.solution.shown(self.name) is Shown.CLOSED_FORMS else None
        return self.decimals(digits) if symbolic is None else symbolic.decimals(self.name, digits)

    @property
    def figures(self) -> Figures:
        """The figures as the solution prints them."""
        return self.solution.figures(self.name)

    @property
    def intervals(self) -> Intervals:
        """The smallest and the largest value of every entry; (nearly) one number where no given is rounded."""
        return self.solution.intervals(self.name)

    def enclosure(self, bits: int = 128) -> arb_mat:
        """Balls that hold the true entries, worked out with that many bits."""
        return self.solution.enclosure(self.name, bits)

    def float64(self) -> Array:
        """The value in NumPy double precision, by rules of its own: a cross-check, never a source of digits."""
        return self.solution.float64(self.name)
