"""The interface that the parts of a solution share: its steps, names for parts of formulas, and the values of names,
which :mod:`symattn.compute.solution.evaluation` computes with the help of these parts."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterator, Mapping, Sequence
from enum import Enum
from math import inf, prod
from typing import TYPE_CHECKING, Any, Protocol

from flint import arb, arb_mat, fmpq, fmpq_mat
from sympy import Expr, ImmutableDenseMatrix, MatrixExpr, MatrixSymbol, Rational, log

from symattn.base import limits
from symattn.base.budget import Budget
from symattn.base.errors import NoValueError, whole
from symattn.base.printed import Figure
from symattn.base.remembered import cached_property
from symattn.base.shapes import Shape, in_rows, shape, whole_sizes
from symattn.compute.values.balls import number_ball
from symattn.compute.values.ends import Intervals
from symattn.compute.values.logarithm import Logs, logs_of
from symattn.compute.values.rational import to_fmpq
from symattn.read.given import Given
from symattn.read.plan import Plan, Step
from symattn.read.scenario.model import FigureStyle

if TYPE_CHECKING:
    from symattn.compute.values.alike import Kinds
    from symattn.compute.values.float64 import DoubleArray
    from symattn.compute.values.logarithm import Logs


class Shown(Enum):
    """The form in which a name's value can be shown, and so which questions it answers."""

    GENERAL = "a shape, and no numbers"
    INTERVALS = "the ends between which every entry lies, for it rests on rounded figures"
    CLOSED_FORMS = "closed forms, for free symbols are in it"
    FREED = "figures of closed forms, for there are free symbols behind it, though none is left"
    FIGURES = "certified figures"

    @property
    def is_numbers(self) -> bool:
        """Whether every entry is one number."""
        return self in (Shown.FIGURES, Shown.FREED)

    @property
    def of_symbols(self) -> bool:
        """Whether it holds free symbols or depends on some directly, even if none is left in its value."""
        return self in (Shown.CLOSED_FORMS, Shown.FREED)


def given_ball(given: Given) -> arb_mat:
    """Return the given as balls of the current precision.

    >>> given_ball(Given.read([["1", "1/2"]])).entries()
    [1.00000000000000, 0.500000000000000]
    """
    if given.array is None:
        return arb_mat(*given.shape, [number_ball(value) for value in given.entries])
    numbers = [arb.neg_inf() if entry is None else arb(entry) for entry in given.array.entries]
    return arb_mat(*given.shape, numbers)


def given_rational(given: Given) -> fmpq_mat | None:
    """Return the matrix over the rationals, or ``None`` if an entry is not rational.

    >>> given_rational(Given.read([["0.5", "3"]]))
    [1/2, 3]
    """
    if given.array is not None:
        finite = given.array.finite
        return None if finite is None else fmpq_mat(*given.shape, list(finite))
    numbers = [number for number in map(to_fmpq, given.entries) if number is not None]
    return fmpq_mat(*given.shape, numbers) if len(numbers) == len(given.entries) else None


def given_logs(given: Given) -> Logs | None:
    """Return the matrix as logarithms, or ``None`` if it has none, or other numbers.

    >>> given_logs(Given.read([["log(2)", "0"]])).part(2)
    [1, 0]
    """
    return logs_of(given.entries, *given.shape) if holds_logs(given) else None


def holds_logs(given: Given) -> bool:
    """Return whether a given holds a logarithm. Most givens are rational, which is quick to see."""
    return given.array is None and any(not x.is_Rational and x.has(log) for x in given.entries)


def exact_ball(value: ImmutableDenseMatrix) -> arb_mat:
    """Return a closed form without symbols as balls of the current precision."""
    return arb_mat(value.rows, value.cols, list(map(number_ball, value)))


def exact_rational(value: ImmutableDenseMatrix) -> fmpq_mat | None:
    """Return a closed form over the rationals, or ``None`` if an entry is not rational.

    >>> exact_rational(ImmutableDenseMatrix([[2, 3]]))
    [2, 3]
    """
    numbers = [number for number in map(to_fmpq, value) if number is not None]
    return fmpq_mat(value.rows, value.cols, numbers) if len(numbers) == len(value) else None


def exact_matrix(value: fmpq_mat) -> ImmutableDenseMatrix:
    """Convert a rational matrix to SymPy's.

    >>> exact_matrix(fmpq_mat([[2, 3]]))
    Matrix([[2, 3]])
    """
    numbers = [Rational(int(x.p), int(x.q)) for x in value.entries()]
    return ImmutableDenseMatrix(value.nrows(), value.ncols(), numbers)


def array_doubles(given: Given) -> tuple[tuple[float, ...], ...] | None:
    """Return the entries of an array as the nearest doubles; ``None`` for a given that is not one."""
    if given.array is None:
        return None
    doubles = [-inf if entry is None else int(entry.p) / int(entry.q) for entry in given.array.entries]
    return in_rows(doubles, given.shape[1])


Figures = Sequence[Sequence[Figure]]
"""The figures of a matrix, row by row."""

Signs = tuple[tuple[int | None, ...], ...]
"""−1, 0 or 1 for every entry, and ``None`` where the sign is not known."""


class Proved:
    """A cache of what has been proved for one solution: nothing in it changes an answer."""

    def __init__(self) -> None:
        self.sizes: dict[str, int] = {}
        """How many numbers an entry of a closed form holds."""
        self.signs: dict[MatrixExpr, Signs] = {}
        self.numbers: dict[str, list[list[int]]] = {}
        """The value numbers of each name's entries: equal for entries that are made alike."""
        self.kinds: Kinds | None = None
        self.equal: dict[tuple[str, int | None, Expr], bool] = {}
        """Whether the entries of a name with a value number are exactly a number."""
        self.logs: dict[str, Logs | None] = {}
        self.written_logs: dict[str, Any] = {}
        """The written form of entries that are logarithms, kept for code that writes them."""


class Symbols(Protocol):
    """The interface to closed forms of names that hold free symbols."""

    def touches(self, formula: MatrixExpr) -> bool: ...
    def evaluate(self, formula: MatrixExpr) -> ImmutableDenseMatrix: ...
    def carried(self, name: str) -> ImmutableDenseMatrix: ...
    def known(self, name: str) -> str: ...
    def known_at(self, name: str, index: int) -> str: ...
    def value(self, name: str) -> ImmutableDenseMatrix: ...
    @property
    def written(self) -> dict[Hashable, Any]: ...


class Store(ABC):
    """The steps and givens of one solution, and the known values of each name."""

    def __init__(self, derivation: Plan, givens: Mapping[str, Given], style: FigureStyle | None = None) -> None:
        self.derivation = derivation
        self.givens = dict(givens)
        self.style = style or FigureStyle()
        whole("digits", self.style.decimals, 1, limits.DIGITS)
        self.labels: Mapping[str, tuple[str, ...]] = {}
        self.budget = Budget.for_givens(sum(prod(given.shape) for given in self.givens.values()))
        self.proved = Proved()
        self._parts: dict[str, Step] = {}
        self._part_names: dict[MatrixExpr, str] = {}
        self._needs: dict[str, tuple[str, ...]] = {}
        self._rounded_givens: dict[str, tuple[str, ...]] = {}

    def __iter__(self) -> Iterator[str]:
        return (step.name for step in self.derivation.steps)

    def __contains__(self, name: str) -> bool:
        return name in self.derivation.by_name

    # -- lines -------------------------------------------------------------------------------------------------------

    def step(self, name: str) -> Step:
        """Return the step of that name, or the part that :meth:`part` named."""
        return self._parts[name] if name in self._parts else self.derivation[name]

    def part(self, formula: MatrixExpr) -> str:
        """Return a name for a formula inside a step, under which its values can be requested; a symbol keeps its name.

        Showing how softmax(Q Kᵀ / √d_k) is computed needs the figures of its argument, which has no step of its own.
        """
        if isinstance(formula, MatrixSymbol):
            return str(formula.name)
        if formula not in self._part_names:
            # '<' cannot be in the name of a step, so no step is hidden by a part. The formula is not written in it:
            # to write −A, SymPy evaluates what is known of A.
            name = self._part_names[formula] = f"<part {len(self._parts) + 1}>"
            self._parts[name] = Step(name, shape(*whole_sizes(formula)), formula)
        return self._part_names[formula]

    def side_by_side(self, name: str, given: Given) -> str:
        """Return a name for a matrix of numbers that accompanies ``name``: its known entries."""
        other = f"<{name}, known>"
        self.givens[other], self._parts[other] = given, Step(other, self.shape(name))
        return other

    def shape(self, name: str) -> Shape:
        """Return the shape of a name, with the names of its axes."""
        return self.step(name).shape

    def rows(self, name: str) -> int:
        """Return how many rows a name has. Raises :class:`~symattn.base.errors.NoValueError` if that is a letter."""
        return _whole(self.shape(name).rows.size, name)

    def columns(self, name: str) -> int:
        """Return how many columns a name has. Raises :class:`~symattn.base.errors.NoValueError` if that is a letter."""
        return _whole(self.shape(name).columns.size, name)

    def place(self, name: str, index: int) -> str:
        """Name an entry for an error: ``A[2,3]``."""
        columns = self.columns(name)
        # Anything without a name of its own is a part of the step that the error is about.
        return f"{'entry ' if name in self._parts else name}[{index // columns + 1},{index % columns + 1}]"

    def formula(self, name: str) -> MatrixExpr:
        """Return the formula of a step with the sizes substituted, ready to be evaluated.

        Raises :class:`~symattn.base.errors.NoValueError` for a given.
        """
        step = self.step(name)
        if step.formula is None:
            raise NoValueError(f"{name} is given and has no formula")
        return self.number(step.formula) if name in self._parts else self.derivation.sized[name]

    def number(self, scalar: Expr) -> Expr:
        """Substitute the sizes into a number inside a formula (√d_k)."""
        return scalar.xreplace(self.derivation.numbers)

    def needed(self, name: str) -> tuple[str, ...]:
        """Return the name and everything it depends on, in the order of the derivation.

        Raises :class:`~symattn.base.errors.NoValueError` for a general name.
        """
        if name not in self._needs:
            step = self.step(name)
            if step.general:
                raise NoValueError(f"{name} is general: it has the shape {step.shape} and no numbers")
            order = self.derivation.behind((name, *step.uses))
            self._needs[name] = order if name in order else (*order, name)
        return self._needs[name]

    def rounded_givens(self, name: str) -> tuple[str, ...]:
        """Return the rounded givens behind a name, each standing for all numbers that round to it; none if general."""
        if name not in self._rounded_givens:
            rounded = {given for given, matrix in self.givens.items() if matrix.rounded}
            needed = self.needed(name) if rounded and not self.step(name).general else ()
            self._rounded_givens[name] = tuple(used for used in needed if used in rounded)
        return self._rounded_givens[name]

    @cached_property
    def has_logarithms(self) -> bool:
        """Whether there are logarithms among the givens; none are searched for elsewhere."""
        return any(map(holds_logs, self.givens.values()))

    # -- values ------------------------------------------------------------------------------------------------------

    @property
    @abstractmethod
    def symbolic(self) -> Symbols | None:
        """The closed forms of names that hold free symbols; ``None`` where the derivation has none."""

    @abstractmethod
    def shown(self, name: str) -> Shown:
        """Return the form in which a name's value can be shown."""

    @abstractmethod
    def enclosure(self, name: str, bits: int) -> arb_mat:
        """Return balls that hold the true value of ``name``, computed with that many bits."""

    @abstractmethod
    def rational(self, name: str) -> fmpq_mat | None:
        """Return the exact value over the rationals, or ``None`` if the value leaves them."""

    @abstractmethod
    def rational_entries(self, name: str) -> list[fmpq] | None:
        """Return the entries of the exact value over the rationals, row by row, or ``None``."""

    @abstractmethod
    def operand_rational(self, name: str) -> fmpq_mat | None:
        """Return the exact value of an operand, if it is rational: the name's value, or its printed figures."""

    @abstractmethod
    def exact_value(self, name: str) -> ImmutableDenseMatrix:
        """Return the exact value as a SymPy matrix.

        Raises :class:`~symattn.base.errors.NoValueError` for a name that rests on rounded figures.
        """

    @abstractmethod
    def intervals(self, name: str) -> Intervals:
        """Return the smallest and the largest value that every entry of ``name`` can have, both rational.

        Raises :class:`~symattn.base.errors.NoValueError` where the figures leave open whether there is a value at all.
        """

    @abstractmethod
    def float64(self, name: str) -> DoubleArray:
        """Return the value in NumPy double precision, from the exact givens (rounded ones as they are printed)."""

    @abstractmethod
    def evaluate_ball(self, formula: MatrixExpr, bits: int) -> arb_mat:
        """Return balls for a formula over names of this solution."""

    @abstractmethod
    def evaluate_rational(self, formula: MatrixExpr) -> list[fmpq] | None:
        """Return the entries of a formula over names of this solution, or ``None`` if they are not all rational."""

    @abstractmethod
    def evaluate_exact(self, formula: MatrixExpr) -> ImmutableDenseMatrix:
        """Return the exact value of a formula over names of this solution."""

    @abstractmethod
    def decimals(self, name: str, digits: int) -> tuple[tuple[str, ...], ...]:
        """Return every entry of ``name`` with ``digits`` decimals, certified; ``inf`` and ``-inf`` where a mask is."""

    @abstractmethod
    def figures(self, name: str, decimals: int | None = None) -> Figures:
        """Return the figures of ``name`` as printed, in this solution's style."""

    @abstractmethod
    def printed_value(self, name: str) -> fmpq_mat | None:
        """Return the printed figures of ``name`` as exact numbers, as a person who works by hand uses them.

        ``None`` where one of them is infinite, as in a mask.
        """


def _whole(size: int | str, name: str) -> int:
    if isinstance(size, int):
        return size
    raise NoValueError(f"{name} is general: its size is the letter {size}")
