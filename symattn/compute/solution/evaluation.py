"""The store of a solution: it computes values on request, by the rules in :mod:`symattn.compute.values`.

A number is computed in exactly one place, here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from functools import partial
from typing import TYPE_CHECKING

from flint import arb_mat, fmpq, fmpq_mat
from sympy import ImmutableDenseMatrix, MatrixExpr

from symattn.base import limits
from symattn.base.budget import counted, doing, keep, keeping, remark
from symattn.base.errors import whole
from symattn.base.remembered import cached_property
from symattn.base.shapes import in_rows
from symattn.compute.solution import figures, jumps, operands, proofs, read_back
from symattn.compute.solution import intervals as of_intervals
from symattn.compute.solution.domain import certify_domain
from symattn.compute.solution.operands import Operands, operand
from symattn.compute.solution.store import (
    Figures,
    Shown,
    Store,
    exact_ball,
    exact_matrix,
    exact_rational,
    given_ball,
    given_rational,
)
from symattn.compute.values.balls import at_precision
from symattn.compute.values.cost import closed_form_size, spend_exactly
from symattn.compute.values.ends import Intervals, to_balls
from symattn.compute.values.exact import exact
from symattn.compute.values.rational import rational
from symattn.read.given import Given
from symattn.read.plan import Plan
from symattn.read.scenario.model import FigureStyle

if TYPE_CHECKING:
    from symattn.compute.solution.symbolic import SymbolicValues
    from symattn.compute.values.float64 import DoubleArray


@counted("decimals", "enclosure", "exact_value", "figures", "float64", "intervals", "rational", "rational_entries")
class Evaluation(Store):
    """The values of a derivation, computed on request and cached."""

    def __init__(self, derivation: Plan, givens: Mapping[str, Given], style: FigureStyle | None = None) -> None:
        super().__init__(derivation, givens, style)
        # Everything below is a cache of computed values; nothing in it changes an answer.
        self._balls: dict[tuple[str, int], arb_mat] = {}
        self._rationals: dict[str, fmpq_mat | None] = {}
        self._rational_entries: dict[str, list[fmpq] | None] = {}
        self._exact: dict[str, ImmutableDenseMatrix] = {}
        self._figures: dict[tuple[str, int], Figures] = {}
        self._floats: dict[str, DoubleArray] = {}
        self._intervals: dict[str, Intervals] = {}
        self._in_domain: set[str] = set()
        self._compared_names: set[str] = set()
        self._choices: dict[str, arb_mat] = {}
        self._shown: dict[str, Shown] = {}

    @cached_property
    def symbolic(self) -> SymbolicValues | None:
        if not self.derivation.symbols:
            return None
        from symattn.compute.solution.symbolic import SymbolicValues

        return SymbolicValues(self)

    def shown(self, name: str) -> Shown:
        if name not in self._shown:
            self._shown[name] = self._how_shown(name)
        return self._shown[name]

    def _how_shown(self, name: str) -> Shown:
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
                self._compared(needed)
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
        """Yield the names to evaluate, in order, for the value of ``name``."""
        # In rounded mode a step rests on printed figures, not on values of the same precision.
        names = self.needed(name) if self.style.carry == "exact" else (name,)
        return (needed for needed in names if needed == name or self.shown(needed) is not Shown.CLOSED_FORMS)

    @contextmanager
    def _making(self, name: str, bits: int = 0) -> Iterator[None]:
        """Set up the evaluation of a name: the step for error messages, and memory for its value."""
        told = nullcontext() if name in self._parts else doing(f"step {name}")
        with told, keeping(self.rows(name) * self.columns(name), bits):
            yield

    def _certified(self, name: str) -> MatrixExpr:
        """Return the formula of a step, once every operation in it is proved to be defined for its operands."""
        formula = self.formula(name)
        if name not in self._in_domain:
            certify_domain(self, formula, f"step {name}")
            self._in_domain.add(name)
            self._compared(name)
        return formula

    def _compared(self, name: str) -> None:
        """Compare a derivative that the program has made with the rate of change of the forward plan."""
        if name in self._compared_names or self.step(name).derivative is None:
            return
        # Many derivations have no derivative, and need not know how one is checked.
        from symattn.compute.solution.derivatives import check_derivatives, checked_with

        together = {name: None, **checked_with(self.derivation, name)}
        self._compared_names |= together.keys()  # while they are compared, they are evaluated without a comparison
        self._compared_names -= together.keys() - check_derivatives(self, name) - {name}

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
            lookup = partial(self.operand_ball, bits=bits)
            return jumps.narrowed(self, formula, operands.enclosed(self, formula, self._choices, lookup), lookup)

    def operand_ball(self, name: str, bits: int) -> arb_mat:
        """Return balls for an operand: the value of the name, or its printed figures where those are carried."""
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
            # Where fractions grow too long to go on with, enclosures do.
            formula = self._certified(name)
            return remark(lambda: rational(formula, partial(operand, self)))
        return given_rational(self.givens[name])

    def operand_rational(self, name: str) -> fmpq_mat | None:
        if self.style.carry == "rounded" and self.shown(name).is_numbers:
            return self.printed_value(name)
        return self.rational(name)

    def evaluate_rational(self, formula: MatrixExpr) -> list[fmpq] | None:
        known = remark(lambda: rational(formula, partial(operand, self)))
        return None if known is None else known.entries()

    def exact_value(self, name: str) -> ImmutableDenseMatrix:
        shown = self.shown(name)
        if shown is Shown.INTERVALS:
            raise of_intervals.no_value(self, name, "exact value")
        if self.symbolic is not None and shown.of_symbols:
            self._compared(name)
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
        from symattn.compute.solution.doubles import doubles

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
            found = figures.printed(self, name, places)
            self._figures[name, places] = figures.located(found, name) if name in self else found
        return self._figures[name, places]

    def printed_value(self, name: str) -> fmpq_mat | None:
        self._must_have_a_value(name, "printed value")
        return read_back.carried(self, name)
