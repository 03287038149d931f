"""A derivation with its values: for every name the exact value, enclosures of any precision, certified decimals.

A number is computed in exactly one place, here, by the rules in :mod:`symattn.values`.

>>> from symattn.derivation import Plan
>>> from symattn.scenario.given import Given
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
from dataclasses import replace
from math import prod
from typing import TYPE_CHECKING

from flint import arb, arb_mat, fmpq, fmpq_mat
from sympy import Expr, ImmutableDenseMatrix, Integer, MatrixExpr, MatrixSymbol

from symattn import limits
from symattn.budget import Budget, counted, doing, keep
from symattn.derivation import Plan, Step
from symattn.errors import NoValueError, whole
from symattn.operations.terms import size_symbol
from symattn.remembered import cached_property
from symattn.scenario.given import FigureStyle, Given
from symattn.shapes import Shape, in_rows, shape, whole_sizes
from symattn.solution import choices, figures, jumps, on_the_way, proofs, read_back
from symattn.solution import intervals as of_intervals
from symattn.solution.domain import certify_domain
from symattn.solution.figures import Figures
from symattn.solution.givens import exact_ball, exact_matrix, exact_rational, given_ball, given_rational
from symattn.solution.logarithms import Logarithms
from symattn.solution.operands import Operands
from symattn.solution.shown import Shown
from symattn.solution.value import Value
from symattn.values.closed_form import closed_form_size
from symattn.values.cost import spend_exactly
from symattn.values.ends import Intervals, to_balls
from symattn.values.exact import exact
from symattn.values.number import at_precision
from symattn.values.rational import rational
from symattn.values.rounding import Figure

if TYPE_CHECKING:
    from symattn.solution.symbolic import SymbolicValues
    from symattn.values.float64 import Array

__all__ = ["Solution", "Value"]


@counted("decimals", "double_figures", "enclosure", "equal_entries", "equals", "exact_value", "figures", "float64")
@counted("compare", "groups", "intervals", "is_longer", "known_signs", "rational", "rational_entries", "signs", "top")
class Solution:
    """A derivation with its givens; values are worked out when they are asked for and remembered."""

    def __init__(self, derivation: Plan, givens: Mapping[str, Given], style: FigureStyle | None = None) -> None:
        self.derivation = derivation
        self.givens = dict(givens)
        self.style = style or FigureStyle()
        whole("digits", self.style.decimals, 1, limits.DIGITS)
        self.labels: Mapping[str, tuple[str, ...]] = {}
        sizes = derivation.sizes.items()
        self._sizes = {size_symbol(name): Integer(size) for name, size in sizes if isinstance(size, int)}
        self.budget = Budget.for_givens(sum(prod(given.shape) for given in self.givens.values()))
        # Everything below is memory of what was worked out; nothing in it changes an answer.
        self._parts: dict[str, Step] = {}
        self._part_names: dict[MatrixExpr, str] = {}
        self._needs: dict[str, tuple[str, ...]] = {}
        self._balls: dict[tuple[str, int], arb_mat] = {}
        self._rationals: dict[str, fmpq_mat | None] = {}
        self.logarithms = Logarithms(self)
        self._rational_entries: dict[str, list[fmpq] | None] = {}
        self._exact: dict[str, ImmutableDenseMatrix] = {}
        self._figures: dict[tuple[str, int], Figures] = {}
        self._floats: dict[str, Array] = {}
        self._rounded_givens: dict[str, tuple[str, ...]] = {}
        self._intervals: dict[str, Intervals] = {}
        self._in_domain: set[str] = set()
        self._choices: dict[str, arb_mat] = {}
        self._proofs = proofs.Memory()

    def __reduce__(self) -> tuple[object, ...]:
        """A copy, or what arrives in another process, has no memory yet."""
        givens = {name: given for name, given in self.givens.items() if name in self}
        return type(self), (self.derivation, givens, self.style)

    def __getitem__(self, name: str) -> Value:
        return Value(self, self.derivation[name])

    def __iter__(self) -> Iterator[str]:
        return (step.name for step in self.derivation.steps)

    def __contains__(self, name: str) -> bool:
        return name in self.derivation.by_name

    def step(self, name: str) -> Step:
        """The step of that name, or the part that :meth:`part` named."""
        return self._parts[name] if name in self._parts else self.derivation[name]

    def part(self, formula: MatrixExpr) -> str:
        """A name for a formula inside a step, under which its values can be asked for; a symbol has its own name.

        Showing how softmax(Q Kᵀ / √d_k) comes about needs the figures of its argument, which has no step of its own.
        """
        if isinstance(formula, MatrixSymbol):
            return str(formula.name)
        if formula not in self._part_names:
            # '<' cannot be in the name of a step, so no step is hidden by a part. The formula is not written in it:
            # to write −A, SymPy works out what is known of A.
            name = self._part_names[formula] = f"<part {len(self._parts) + 1}>"
            rows, columns = whole_sizes(formula)
            self._parts[name] = Step(name, shape(rows, columns), formula)
        return self._part_names[formula]

    def shape(self, name: str) -> Shape:
        """The shape of a name, with the names of its axes."""
        return self.step(name).shape

    def formula(self, name: str) -> MatrixExpr:
        """The formula of a step with the sizes put in, ready to be evaluated."""
        step = self.step(name)
        if step.formula is None:
            raise NoValueError(f"{name} is given and has no formula")
        return step.formula.xreplace(self._sizes)

    def number(self, scalar: Expr) -> Expr:
        """A number inside a formula (√d_k) with the sizes put in."""
        return scalar.xreplace(self._sizes)

    def shown(self, name: str) -> Shown:
        """How the value of a name is shown, and so what can be asked of it."""
        if self.step(name).general:
            return Shown.GENERAL
        if self.rounded_givens(name):
            return Shown.INTERVALS
        state = None if self.symbolic is None else self.symbolic.state(name)
        if state is None or not state.touched:
            return Shown.FIGURES
        return Shown.CLOSED_FORMS if state.holds else Shown.FREED

    def rounded_givens(self, name: str) -> tuple[str, ...]:
        """The givens behind a name whose figures stand for all numbers that round to them."""
        if name not in self._rounded_givens:
            self._rounded_givens[name] = of_intervals.rounded_givens(self, name)
        return self._rounded_givens[name]

    def intervals(self, name: str) -> Intervals:
        """For every entry of ``name`` the smallest and the largest value it can have, both rational.

        Raises :class:`~symattn.errors.NoValueError` where the figures leave open whether there is a value at all.
        """
        for needed in (other for other in self.needed(name) if other == name or self.rounded_givens(other)):
            if needed not in self._intervals:
                self._intervals[needed] = of_intervals.intervals(self, needed)
        return self._intervals[name]

    def hides(self, mask: MatrixExpr) -> tuple[tuple[bool, ...], ...]:
        """Which entries a mask, with the sizes put in, does not let through."""
        return of_intervals.hides(self, mask)

    @cached_property
    def symbolic(self) -> SymbolicValues | None:
        """The closed forms of what holds free symbols; ``None`` where the derivation has none."""
        if not self.derivation.symbols:
            return None
        from symattn.solution.symbolic import SymbolicValues

        return SymbolicValues(self)

    def _must_have_a_value(self, name: str, what: str) -> None:
        shown = self.shown(name)
        if shown is Shown.INTERVALS:
            raise of_intervals.no_value(self, name, what)
        if shown is Shown.CLOSED_FORMS:
            assert self.symbolic is not None
            raise self.symbolic.no_value(name, what)

    def entry_name(self, name: str, index: int) -> str:
        """The name that has the figure of one entry: another one where other entries hold free symbols."""
        if self.symbolic is None or self.shown(name) is not Shown.CLOSED_FORMS:
            return name
        return self.symbolic.known_at(name, index)

    def side_by_side(self, name: str, given: Given) -> str:
        """A name for a matrix of numbers that stands beside ``name``: its known entries."""
        other = f"<{name}, known>"
        self.givens[other], self._parts[other] = given, Step(other, self.shape(name))
        return other

    def _basis(self, name: str) -> Iterator[str]:
        """What has to be worked out, in order, so that the value of ``name`` is known."""
        # In rounded mode a step rests on printed figures, not on values of the same precision.
        names = self.needed(name) if self.style.carry == "exact" else (name,)
        return (needed for needed in names if needed == name or self.shown(needed) is not Shown.CLOSED_FORMS)

    def needed(self, name: str) -> tuple[str, ...]:
        """The name and everything it rests on, in the order of the derivation."""
        if name not in self._needs:
            step = self.step(name)
            if step.general:
                raise NoValueError(f"{name} is general: it has the shape {step.shape} and no numbers")
            order = self.derivation.behind((name, *step.uses))
            self._needs[name] = order if name in order else (*order, name)
        return self._needs[name]

    def enclosure(self, name: str, bits: int) -> arb_mat:
        """Balls that hold the true value of ``name``, worked out with that many bits."""
        bits = whole(f"enclosure of {name}: bits", bits, 2, limits.BITS)
        if (name, bits) not in self._balls:
            if self.symbolic is not None and self.shown(name) is Shown.CLOSED_FORMS:
                raise self.symbolic.no_value(name, "enclosure")
            for needed in self._basis(name):
                if (needed, bits) not in self._balls:
                    with self._making(needed, bits):
                        self._balls[needed, bits] = self._ball(needed, bits)
        return self._balls[name, bits]

    @contextmanager
    def _making(self, name: str, bits: int = 0) -> Iterator[None]:
        """Work out the value of a name and remember it."""
        with nullcontext() if name in self._parts else doing(f"step {name}"):
            keep(self.rows(name) * self.columns(name), bits)
            yield

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
        """Balls for a formula over names of this solution."""
        with at_precision(bits):
            found = choices.enclosed(self, formula, self._choices, lambda name: self._operand_ball(name, bits))
            return jumps.narrowed(self, formula, found)

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

    def _operand_ball(self, name: str, bits: int) -> arb_mat:
        if self.style.carry == "rounded" and self.shown(name) is not Shown.INTERVALS:
            return read_back.carried_ball(self, name)
        return self.enclosure(name, bits)

    def rational(self, name: str) -> fmpq_mat | None:
        """The exact value over the rationals, or ``None`` if the value leaves them."""
        for needed in self._basis(name):
            if needed not in self._rationals:
                with self._making(needed):
                    self._rationals[needed] = self._rational(needed)
        return self._rationals[name]

    def rational_entries(self, name: str) -> list[fmpq] | None:
        """The entries of the exact value over the rationals, row by row, or ``None``."""
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
        """The exact value that a step starts from, if it is rational: the name's value, or its printed figures."""
        if self.style.carry == "rounded" and self.shown(name).is_numbers:
            return self.printed_value(name)
        return self.rational(name)

    def exact_value(self, name: str) -> ImmutableDenseMatrix:
        """The exact value as a SymPy matrix."""
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

    def _certified(self, name: str) -> MatrixExpr:
        """The formula of a step, once it is proved that every operation in it is defined for its operands."""
        formula = self.formula(name)
        if name not in self._in_domain:
            certify_domain(self, formula, f"step {name}")
            self._in_domain.add(name)
        return formula

    def evaluate_rational(self, formula: MatrixExpr) -> list[fmpq] | None:
        """The entries of a formula over names of this solution, or ``None`` if they are not all rational."""
        known = rational(formula, self.logarithms.operand)
        return None if known is None else known.entries()

    def evaluate_exact(self, formula: MatrixExpr) -> ImmutableDenseMatrix:
        """The exact value of a formula over names of this solution."""
        spend_exactly(formula, closed_form_size(formula, self.closed_form_size), proofs.is_of_functions(self, formula))
        return exact(formula, Operands(self))

    def float64(self, name: str) -> Array:
        """The value in NumPy double precision, from the exact givens (and rounded ones as they are printed)."""
        from symattn.solution.doubles import doubles

        if self.symbolic is not None and self.symbolic.behind(name):
            raise self.symbolic.no_value(name, "value in double precision")
        for needed in self.needed(name):
            if needed not in self._floats:
                self._floats[needed] = doubles(self, needed, self._floats)
        return self._floats[name]

    def decimals(self, name: str, digits: int) -> tuple[tuple[str, ...], ...]:
        """Every entry of ``name`` rounded to ``digits`` decimals, certified; ``inf`` and ``-inf`` where a mask is."""
        digits = whole("digits", digits, 0, limits.DIGITS)
        self._must_have_a_value(name, "certified decimals")
        texts, columns = figures.decimals(self, name, digits), self.columns(name)
        return in_rows(texts, columns)

    def figures(self, name: str, decimals: int | None = None) -> Figures:
        """The figures of ``name`` as they are printed, in this solution's style."""
        if name not in self.givens or self.shown(name) is Shown.CLOSED_FORMS:
            self._must_have_a_value(name, "certified figures")
        places = self.style.places(name) if decimals is None else decimals
        if (name, places) not in self._figures:
            self._figures[name, places] = figures.printed(self, name, places)
        return self._figures[name, places]

    def double_figures(self, name: str, decimals: int | None = None) -> tuple[tuple[str, ...], ...]:
        """What NumPy gets for ``name`` from its formulas as they stand; ``oo`` and ``NaN`` where it overflows."""
        places = self.style.places(name) if decimals is None else decimals
        return tuple(tuple(figures.double_text(x, places) for x in row) for row in self.float64(name).tolist())

    def printed_value(self, name: str) -> fmpq_mat | None:
        """The printed figures of ``name`` read back as exact numbers: what somebody who works by hand goes on with.

        ``None`` where one of them is infinite, as in a mask.
        """
        self._must_have_a_value(name, "printed value")
        return read_back.carried(self, name)

    def rows(self, name: str) -> int:
        return _whole(self.shape(name).rows.size, name)

    def columns(self, name: str) -> int:
        return _whole(self.shape(name).columns.size, name)

    def place(self, name: str, index: int) -> str:
        """How an error names an entry: ``A[2,3]``."""
        columns = self.columns(name)
        # What has no name of its own is a part of the step that the error is about.
        return f"{'entry ' if name in self._parts else name}[{index // columns + 1},{index % columns + 1}]"

    def by_hand(self, name: str) -> tuple[tuple[int, str], ...]:
        """Entries that come out otherwise when the step is worked from the printed figures, and how."""
        return read_back.by_hand(self, name)

    def signs(self, formula: MatrixExpr, what: str) -> tuple[tuple[int, ...], ...]:
        """The certified sign of every entry of a formula over names of this solution."""
        return proofs.proved_signs(self, formula, what)

    def known_signs(self, formula: MatrixExpr) -> proofs.Signs:
        """The signs of the entries of a formula, as far as they can be proved; ``None`` for the others."""
        return proofs.signs(self, formula, self._proofs)

    def equals(self, name: str, index: int, number: Expr) -> bool | None:
        """Whether one entry is exactly that number: proved, disproved or (``None``) neither."""
        return proofs.equals(self, name, index, number)

    def equal_entries(self, name: str, first: int, second: int) -> bool | None:
        """Whether two entries are exactly equal: proved, disproved or (``None``) neither."""
        return proofs.equal_entries(self, name, first, second, self._proofs)

    def closed_form_size(self, name: str) -> int:
        """Roughly how many numbers an entry of the closed form holds."""
        return proofs.size(self, name, self._proofs)

    def largest(self, formula: MatrixExpr) -> tuple[int, ...]:
        """The column of a largest entry of every row of a formula, proved; of ties the first."""
        return tuple(column for (column,) in self.top(formula, 1))

    def top(self, formula: MatrixExpr, count: int) -> tuple[tuple[int, ...], ...]:
        """The columns of the ``count`` largest entries of every row of a formula, proved; of ties the first."""
        return choices.top(self, formula, count)

    def is_longer(self, formula: MatrixExpr, threshold: Expr) -> bool:
        """Whether √(Σ x²) over all entries of a formula is more than a positive number, proved."""
        return proofs.is_longer(self, formula, threshold)

    def groups(self, name: str, row: int, around: int | None = None) -> tuple[proofs.Group, ...]:
        """The columns of one row from the largest entry down: each group is proved to be above the next.

        With ``around`` nothing is proved of ties but of those that so many of the largest entries end in.
        """
        return proofs.groups(self, name, row, self._proofs, around)

    def ranking(self, name: str, row: int) -> tuple[tuple[int, ...], ...]:
        """The columns of one row from the largest entry down, ties together; every comparison is proved."""
        return proofs.ranking(self, name, row)

    def compare(self, name: str, index: int, number: Expr) -> int:
        """−1, 0 or 1: one entry against a number, proved."""
        return proofs.compare(self, name, index, number)


def _whole(size: int | str, name: str) -> int:
    if isinstance(size, int):
        return size
    raise NoValueError(f"{name} is general: its size is the letter {size}")
