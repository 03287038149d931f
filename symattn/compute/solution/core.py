"""The public API of a derivation with its givens: values by name, in every form, and proofs about their entries.

>>> from symattn.read.plan import Plan
>>> from symattn.read.given import Given
>>> from symattn.base.shapes import shape
>>> plan = Plan().given("X", shape(2, 2)).step("A", "softmax(X @ X.T)")
>>> solution = Solution(plan, {"X": Given.read([["1", "0"], ["0", "1"]])})
>>> solution["A"].exact
Matrix([
[E/(1 + E), 1/(1 + E)],
[1/(1 + E), E/(1 + E)]])
>>> solution["A"].decimals(4)
(('0.7311', '0.2689'), ('0.2689', '0.7311'))
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from operator import getitem
from typing import TYPE_CHECKING, Any

from flint import arb_mat, fmpq_mat
from sympy import Expr, ImmutableDenseMatrix, MatrixExpr

from symattn.compute.solution import proofs
from symattn.compute.solution.evaluation import Evaluation
from symattn.compute.solution.store import Figures, Shown
from symattn.compute.values.ends import Intervals
from symattn.read.given import Given
from symattn.read.plan import Plan, Step
from symattn.read.scenario.model import FigureStyle

if TYPE_CHECKING:
    from numpy.typing import DTypeLike, NDArray

    from symattn.compute.values.float64 import DoubleArray

__all__ = ["Solution", "Value"]


class Solution:
    """A derivation with its givens. ``solution["A"]`` has everything about one name; entries are counted from 0.

    A request for a value that does not exist raises :class:`~symattn.base.errors.NoValueError`, one that cannot be
    proved :class:`~symattn.base.errors.UndecidedError`, and an operation outside its domain
    :class:`~symattn.base.errors.DomainError`; each names the step and the entry.

    >>> from symattn import derive
    >>> solution = derive("refund")
    >>> "A" in solution, list(solution)[:3]
    (True, ['X', 'W_Q', 'b_Q'])
    """

    def __init__(self, derivation: Plan, givens: Mapping[str, Given], style: FigureStyle | None = None) -> None:
        self.store = Evaluation(derivation, givens, style)
        """The values and everything that pages are made of, for other parts of symattn; not a stable interface."""

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle and copy only the inputs: a copy, in this process or another, starts with empty caches."""
        givens = {name: given for name, given in self.givens.items() if name in self}
        return type(self), (self.derivation, givens, self.style)

    def __iter__(self) -> Iterator[str]:
        return iter(self.store)

    def __contains__(self, name: str) -> bool:
        return name in self.store

    def __getitem__(self, name: str) -> Value:
        return Value(self, self.derivation[name])

    @property
    def derivation(self) -> Plan:
        """The checked steps.

        >>> from symattn import derive
        >>> derive("refund").derivation.sizes["d_k"]
        2
        """
        return self.store.derivation

    @property
    def givens(self) -> Mapping[str, Given]:
        """The given matrices by their names.

        >>> from symattn import derive
        >>> derive("refund").givens["X"].shape
        (3, 2)
        """
        return self.store.givens

    @property
    def style(self) -> FigureStyle:
        """How figures are printed and carried.

        >>> from symattn import derive
        >>> derive("refund", digits=3).style.decimals
        3
        """
        return self.store.style

    def exact_value(self, name: str) -> ImmutableDenseMatrix:
        """Return the exact value as a SymPy matrix; for a deep layer this builds every path through it.

        Raises :class:`~symattn.base.errors.NoValueError` for a name that is general or rests on rounded figures.

        >>> from symattn import derive
        >>> derive("refund").exact_value("S_raw")[2, 1]
        sqrt(2)
        """
        return self.store.exact_value(name)

    def rational(self, name: str) -> fmpq_mat | None:
        """Return the exact value over the rationals, or ``None`` where it leaves them.

        Raises :class:`~symattn.base.errors.NoValueError` for a general name.

        >>> from symattn import derive
        >>> derive("refund").rational("V"), derive("refund").rational("A")
        ([1, 0]
        [0, 1]
        [1, 1], None)
        """
        return self.store.rational(name)

    def decimals(self, name: str, digits: int) -> tuple[tuple[str, ...], ...]:
        """Return round(x · 10^digits) / 10^digits of every entry, certified; ``"inf"`` and ``"-inf"`` where a mask is.

        Raises :class:`~symattn.base.errors.UndecidedError` where a digit cannot be proved, and
        :class:`~symattn.base.errors.NoValueError` where a name has no single value.

        >>> from symattn import derive
        >>> derive("refund").decimals("A", 3)[0]
        ('0.186', '0.307', '0.506')
        """
        return self.store.decimals(name, digits)

    def figures(self, name: str, decimals: int | None = None) -> Figures:
        """Return every entry as printed, in this solution's style, with the fewest decimals that are exact for it.

        Raises the same as :meth:`decimals`.

        >>> from symattn import derive
        >>> [figure.text for figure in derive("refund").figures("A", 2)[0]]
        ['0.19', '0.31', '0.51']
        """
        return self.store.figures(name, decimals)

    def intervals(self, name: str) -> Intervals:
        """Return bounds low ≤ x ≤ high for every entry, rational; equal, or nearly so, where no given is rounded.

        Raises :class:`~symattn.base.errors.NoValueError` where the figures leave open whether there is a value at all.

        >>> from symattn import derive
        >>> derive("refund").intervals("V")[0][0].low
        1
        """
        return self.store.intervals(name)

    def enclosure(self, name: str, bits: int = 128) -> arb_mat:
        """Return balls |x − m| ≤ r that hold the true entries, computed with that many bits.

        Raises :class:`~symattn.base.errors.NoValueError` for a name that is general or holds free symbols.

        >>> from symattn import derive
        >>> derive("refund").enclosure("A")[0, 0].str(6, radius=False)
        '0.186324'
        """
        return self.store.enclosure(name, bits)

    def float64(self, name: str) -> DoubleArray:
        """Return the value in NumPy double precision, by rules of its own: a cross-check, never a source of digits.

        Raises :class:`~symattn.base.errors.NoValueError` for a name behind which there are free symbols.

        >>> from symattn import derive
        >>> derive("refund").float64("V").tolist()
        [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]
        """
        return self.store.float64(name)

    def signs(self, formula: MatrixExpr, what: str) -> tuple[tuple[int, ...], ...]:
        """Return −1, 0 or 1 for every entry of a formula over names of this solution, proved; ``what`` begins an error.

        Raises :class:`~symattn.base.errors.UndecidedError` for an entry too close to 0.

        >>> from symattn import derive
        >>> solution = derive("refund")
        >>> solution.signs(solution["A"].formula, "A")[0]
        (1, 1, 1)
        """
        return proofs.proved_signs(self.store, formula, what)

    def equals(self, name: str, index: int, number: Expr) -> bool | None:
        """Return whether x = number for the entry ``index``, row by row: proved, disproved or (``None``) neither.

        >>> from symattn import derive
        >>> from sympy import sqrt
        >>> derive("refund").equals("S_raw", 7, sqrt(2))
        True
        """
        return proofs.equals(self.store, name, index, number)

    def compare(self, name: str, index: int, number: Expr) -> int:
        """Return sign(x − number) for the entry ``index``, row by row: −1, 0 or 1, proved.

        Raises :class:`~symattn.base.errors.UndecidedError` where they are too close.

        >>> from symattn import derive
        >>> from sympy import Rational
        >>> derive("refund").compare("A", 2, Rational(1, 2))
        1
        """
        return proofs.compare(self.store, name, index, number)

    def ranking(self, name: str, row: int) -> tuple[tuple[int, ...], ...]:
        """Return the columns of one row from the largest entry down, ties together; every comparison is proved.

        Raises :class:`~symattn.base.errors.UndecidedError` where which of two entries is larger cannot be decided.

        >>> from symattn import derive
        >>> derive("refund").ranking("A", 0)
        ((2,), (1,), (0,))
        """
        return proofs.ranking(self.store, name, row)


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
        """The exact value. For a deep layer this builds every path through it and is slow."""
        return self.solution.exact_value(self.name)

    def decimals(self, digits: int) -> tuple[tuple[str, ...], ...]:
        """Return every entry with that many decimals, certified; ``"-inf"`` where a mask hides one.

        Raises :class:`~symattn.base.errors.UndecidedError` where a digit cannot be proved.
        """
        return self.solution.decimals(self.name, digits)

    def known_decimals(self, digits: int) -> tuple[tuple[str | None, ...], ...]:
        """Return every entry without free symbols to that many decimals, certified; ``None`` for the others."""
        store = self.solution.store
        symbolic = store.symbolic if store.shown(self.name) is Shown.CLOSED_FORMS else None
        return self.decimals(digits) if symbolic is None else symbolic.decimals(self.name, digits)

    @property
    def figures(self) -> Figures:
        """The figures as the solution prints them."""
        return self.solution.figures(self.name)

    @property
    def intervals(self) -> Intervals:
        """The smallest and the largest value of every entry; equal, or nearly so, where no given is rounded."""
        return self.solution.intervals(self.name)

    def enclosure(self, bits: int = 128) -> arb_mat:
        """Return balls that hold the true entries, computed with that many bits."""
        return self.solution.enclosure(self.name, bits)

    def float64(self) -> DoubleArray:
        """Return the value in NumPy double precision, by rules of its own: a cross-check, never a source of digits."""
        return self.solution.float64(self.name)

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> NDArray[Any]:
        """Return the value of :meth:`float64`, for NumPy and for libraries that plot its arrays.

        Raises :class:`~symattn.base.errors.NoValueError` for a name that is general or holds free symbols, and
        ``ValueError`` where an array without a copy is asked for.

        >>> import numpy as np
        >>> from symattn import derive
        >>> np.asarray(derive("refund")["V"], dtype=float).sum()
        np.float64(4.0)
        """
        import numpy as np

        if copy is False:
            raise ValueError(f"{self.name}: an array of its values is always a copy")
        return np.array(self.float64(), dtype=dtype)
