"""A derivation with its values: for every name the exact value, enclosures of any precision, certified decimals.

A number is computed in exactly one place, here, by the rules in :mod:`symattn.values`.

>>> from symattn.plan import Plan
>>> from symattn.given import Given
>>> from symattn.shapes import shape
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

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from operator import getitem
from typing import TYPE_CHECKING

from flint import arb, arb_mat, fmpq, fmpq_mat
from sympy import Expr, ImmutableDenseMatrix, MatrixExpr

from symattn import limits
from symattn.budget import counted, doing, keep
from symattn.errors import whole
from symattn.given import Given
from symattn.plan import Plan, Step
from symattn.remembered import cached_property
from symattn.scenario.style import FigureStyle
from symattn.shapes import in_rows
from symattn.solution import choices, figures, jumps, on_the_way, proofs, read_back
from symattn.solution import intervals as of_intervals
from symattn.solution.domain import certify_domain
from symattn.solution.givens import exact_ball, exact_matrix, exact_rational, given_ball, given_rational
from symattn.solution.logarithms import Logarithms
from symattn.solution.operands import Operands
from symattn.solution.shown import Shown
from symattn.solution.store import Figures, Store
from symattn.values.closed_form import closed_form_size
from symattn.values.cost import spend_exactly
from symattn.values.ends import Intervals, to_balls
from symattn.values.exact import exact
from symattn.values.number import at_precision
from symattn.values.rational import rational
from symattn.values.rounding import Figure

if TYPE_CHECKING:
    from symattn.solution.symbolic import SymbolicValues
    from symattn.values.by_numpy import DoubleArray

__all__ = ["Solution", "Value"]


@counted("decimals", "enclosure", "equals", "exact_value", "figures", "float64", "compare", "groups", "intervals")
@counted("rational", "rational_entries", "signs")
class Solution(Store):
    """A derivation with its givens; values are worked out when they are asked for and remembered."""

    def __init__(self, derivation: Plan, givens: Mapping[str, Given], style: FigureStyle | None = None) -> None:
        super().__init__(derivation, givens, style)
        # Everything below is memory of what was worked out; nothing in it changes an answer.
        self._balls: dict[tuple[str, int], arb_mat] = {}
        self._rationals: dict[str, fmpq_mat | None] = {}
        self.logarithms = Logarithms(self)
        self._rational_entries: dict[str, list[fmpq] | None] = {}
        self._exact: dict[str, ImmutableDenseMatrix] = {}
        self._figures: dict[tuple[str, int], Figures] = {}
        self._floats: dict[str, DoubleArray] = {}
        self._intervals: dict[str, Intervals] = {}
        self._in_domain: set[str] = set()
        self._choices: dict[str, arb_mat] = {}

    def __reduce__(self) -> tuple[object, ...]:
        """A copy, or what arrives in another process, has no memory yet."""
        givens = {name: given for name, given in self.givens.items() if name in self}
        return type(self), (self.derivation, givens, self.style)

    def __getitem__(self, name: str) -> Value:
        return Value(self, self.derivation[name])

    @cached_property
    def symbolic(self) -> SymbolicValues | None:
        if not self.derivation.symbols:
            return None
        from symattn.solution.symbolic import SymbolicValues

        return SymbolicValues(self)

    def shown(self, name: str) -> Shown:
        if self.step(name).general:
            return Shown.GENERAL
        if self.rounded_givens(name):
            return Shown.INTERVALS
        state = None if self.symbolic is None else self.symbolic.state(name)
        if state is None or not state.touched:
            return Shown.FIGURES
        return Shown.CLOSED_FORMS if state.holds else Shown.FREED

    def intervals(self, name: str) -> Intervals:
        for needed in (other for other in self.needed(name) if other == name or self.rounded_givens(other)):
            if needed not in self._intervals:
                self._intervals[needed] = of_intervals.intervals(self, needed)
        return self._intervals[name]

    def _must_have_a_value(self, name: str, what: str) -> None:
        shown = self.shown(name)
        if shown is Shown.INTERVALS:
            raise of_intervals.no_value(self, name, what)
        if shown is Shown.CLOSED_FORMS:
            assert self.symbolic is not None
            raise self.symbolic.no_value(name, what)

    def _basis(self, name: str) -> Iterator[str]:
        """What has to be worked out, in order, so that the value of ``name`` is known."""
        # In rounded mode a step rests on printed figures, not on values of the same precision.
        names = self.needed(name) if self.style.carry == "exact" else (name,)
        return (needed for needed in names if needed == name or self.shown(needed) is not Shown.CLOSED_FORMS)

    @contextmanager
    def _making(self, name: str, bits: int = 0) -> Iterator[None]:
        """Work out the value of a name and remember it."""
        with nullcontext() if name in self._parts else doing(f"step {name}"):
            keep(self.rows(name) * self.columns(name), bits)
            yield

    def _certified(self, name: str) -> MatrixExpr:
        """The formula of a step, once it is proved that every operation in it is defined for its operands."""
        formula = self.formula(name)
        if name not in self._in_domain:
            certify_domain(self, formula, f"step {name}")
            self._in_domain.add(name)
        return formula

    # -- enclosures --------------------------------------------------------------------------------------------------

    def enclosure(self, name: str, bits: int) -> arb_mat:
        bits = whole(f"enclosure of {name}: bits", bits, 2, limits.BITS)
        if (name, bits) not in self._balls:
            if self.symbolic is not None and self.shown(name) is Shown.CLOSED_FORMS:
                raise self.symbolic.no_value(name, "enclosure")
            for needed in self._basis(name):
                if (needed, bits) not in self._balls:
                    with self._making(needed, bits):
                        self._balls[needed, bits] = self._ball(needed, bits)
        return self._balls[name, bits]

    def _ball(self, name: str, bits: int) -> arb_mat:
        with at_precision(bits):
            shown = self.shown(name)
            if shown is Shown.INTERVALS:
                return to_balls(self.intervals(name))
            if shown.of_symbols:
                return exact_ball(self.exact_value(name))
            if name in self.givens:
                known = self.rational(name)
                return given_ball(self.givens[name]) if known is None else arb_mat(known)
        return self.evaluate_ball(self._certified(name), bits)

    def evaluate_ball(self, formula: MatrixExpr, bits: int) -> arb_mat:
        with at_precision(bits):
            found = choices.enclosed(self, formula, self._choices, lambda name: self.operand_ball(name, bits))
            return jumps.narrowed(self, formula, found)

    def operand_ball(self, name: str, bits: int) -> arb_mat:
        """Balls for what a step starts from: the value of the name, or its printed figures where those are carried."""
        if self.style.carry == "rounded" and self.shown(name) is not Shown.INTERVALS:
            return read_back.carried_ball(self, name)
        return self.enclosure(name, bits)

    # -- exact values ------------------------------------------------------------------------------------------------

    def rational(self, name: str) -> fmpq_mat | None:
        for needed in self._basis(name):
            if needed not in self._rationals:
                with self._making(needed):
                    self._rationals[needed] = self._rational(needed)
        return self._rationals[name]

    def rational_entries(self, name: str) -> list[fmpq] | None:
        if name not in self._rational_entries:
            known = self.rational(name)
            keep(0 if known is None else known.nrows() * known.ncols())
            self._rational_entries[name] = None if known is None else known.entries()
        return self._rational_entries[name]

    def _rational(self, name: str) -> fmpq_mat | None:
        shown = self.shown(name)
        if not shown.is_numbers:
            return None
        if shown is Shown.FREED:
            return exact_rational(self.exact_value(name))
        if name not in self.givens:
            return rational(self._certified(name), self.logarithms.operand)
        return given_rational(self.givens[name])

    def operand_rational(self, name: str) -> fmpq_mat | None:
        if self.style.carry == "rounded" and self.shown(name).is_numbers:
            return self.printed_value(name)
        return self.rational(name)

    def evaluate_rational(self, formula: MatrixExpr) -> list[fmpq] | None:
        known = rational(formula, self.logarithms.operand)
        return None if known is None else known.entries()

    def exact_value(self, name: str) -> ImmutableDenseMatrix:
        shown = self.shown(name)
        if shown is Shown.INTERVALS:
            raise of_intervals.no_value(self, name, "exact value")
        if self.symbolic is not None and shown.of_symbols:
            return self.symbolic.value(name)
        for needed in self._basis(name):
            if needed in self._exact or self.shown(needed).of_symbols:
                continue
            known = self.rational(needed)
            if needed in self.givens:
                self._exact[needed] = ImmutableDenseMatrix(*self.givens[needed].shape, self.givens[needed].entries)
            elif known is not None:
                self._exact[needed] = exact_matrix(known)
            else:
                with self._making(needed):
                    self._exact[needed] = self.evaluate_exact(self._certified(needed))
        return self._exact[name]

    def evaluate_exact(self, formula: MatrixExpr) -> ImmutableDenseMatrix:
        size = closed_form_size(formula, lambda name: proofs.entry_size(self, name))
        spend_exactly(formula, size, proofs.is_of_functions(self, formula))
        return exact(formula, Operands(self))

    def float64(self, name: str) -> DoubleArray:
        """The value in NumPy double precision, from the exact givens (and rounded ones as they are printed)."""
        from symattn.solution.doubles import doubles

        if self.symbolic is not None and self.symbolic.behind(name):
            raise self.symbolic.no_value(name, "value in double precision")
        for needed in self.needed(name):
            if needed not in self._floats:
                self._floats[needed] = doubles(self, needed, self._floats)
        return self._floats[name]

    # -- figures -----------------------------------------------------------------------------------------------------

    def decimals(self, name: str, digits: int) -> tuple[tuple[str, ...], ...]:
        digits = whole("digits", digits, 0, limits.DIGITS)
        self._must_have_a_value(name, "certified decimals")
        return in_rows(figures.decimals(self, name, digits), self.columns(name))

    def figures(self, name: str, decimals: int | None = None) -> Figures:
        if name not in self.givens or self.shown(name) is Shown.CLOSED_FORMS:
            self._must_have_a_value(name, "certified figures")
        places = self.style.places(name) if decimals is None else decimals
        if (name, places) not in self._figures:
            self._figures[name, places] = figures.printed(self, name, places)
        return self._figures[name, places]

    def printed_value(self, name: str) -> fmpq_mat | None:
        self._must_have_a_value(name, "printed value")
        return read_back.carried(self, name)

    def numbers(
        self,
        enclosures: Callable[[int], list[arb]],
        what: Sequence[str],
        exact: Callable[[int], Expr | None] = lambda _: None,
        decimals: int | None = None,
    ) -> tuple[Figure, ...]:
        """Certified figures of numbers on the way to an entry (an exponential, a mean), in this solution's decimals."""
        style = self.style if decimals is None else replace(self.style, decimals=decimals)
        return on_the_way.numbers(style, enclosures, what, exact)

    # -- proofs ------------------------------------------------------------------------------------------------------

    def signs(self, formula: MatrixExpr, what: str) -> tuple[tuple[int, ...], ...]:
        """The certified sign of every entry of a formula over names of this solution."""
        return proofs.proved_signs(self, formula, what)

    def equals(self, name: str, index: int, number: Expr) -> bool | None:
        """Whether one entry is exactly that number: proved, disproved or (``None``) neither."""
        return proofs.equals(self, name, index, number)

    def compare(self, name: str, index: int, number: Expr) -> int:
        """−1, 0 or 1: one entry against a number, proved."""
        return proofs.compare(self, name, index, number)

    def groups(self, name: str, row: int, around: int | None = None) -> tuple[proofs.Group, ...]:
        """The columns of one row from the largest entry down: each group is proved to be above the next.

        With ``around`` nothing is proved of ties but of those that so many of the largest entries end in.
        """
        return proofs.groups(self, name, row, around)

    def ranking(self, name: str, row: int) -> tuple[tuple[int, ...], ...]:
        """The columns of one row from the largest entry down, ties together; every comparison is proved."""
        return proofs.ranking(self, name, row)


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

    def float64(self) -> DoubleArray:
        """The value in NumPy double precision, by rules of its own: a cross-check, never a source of digits."""
        return self.solution.float64(self.name)
