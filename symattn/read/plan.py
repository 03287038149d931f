"""Steps and derivations: names bound to formulas over earlier names, each with a shape, and no numbers.

>>> from symattn.base.shapes import shape
>>> start = Plan().given("Q", shape(3, 4)).given("K", shape(3, 4))
>>> plan = start.step("S", "Q @ K.T").step("A", "softmax(S)")
>>> [(step.name, str(step.shape)) for step in plan.steps]
[('Q', '(3, 4)'), ('K', '(3, 4)'), ('S', '(3, 3)'), ('A', '(3, 3)')]
>>> plan.step("Z", "A @ V")
Traceback (most recent call last):
    ...
symattn.base.errors.FormulaError: step Z: formula 'A @ V': unknown name 'V': known: A, K, Q, S
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import product

from sympy import Integer, MatrixExpr, MatrixSymbol, Symbol

from symattn.base.errors import FormulaError, ShapeError, SymattnError, UnknownNameError, unknown
from symattn.base.frozen import Frozen
from symattn.base.remembered import Named, cached_property
from symattn.base.shapes import Axis, Shape, Size, of_axes
from symattn.operations.equations.tree import Operation
from symattn.operations.terms import Term, size_symbol, symbol
from symattn.read.formula import Scope, is_name, no_name, read_formula, read_value
from symattn.read.formula.as_text import as_text
from symattn.read.formula.batch import Several


@dataclass(frozen=True)
class Derivative(Frozen):
    """The meaning of a derived step: the derivative of one name by another."""

    of: str
    by: str
    seed: str = ""
    """The name of G, for a vector-Jacobian product; otherwise ``of`` is a single number, or this is a Jacobian."""
    through: str = ""
    """The step, or named formula, that this part of the derivative goes through; ``""`` for all of it."""
    is_jacobian: bool = False


@dataclass(frozen=True)
class Step(Frozen):
    """One line ``name = formula``. A given has no formula; a general one has a shape and no numbers."""

    name: str
    shape: Shape
    formula: MatrixExpr | None = None
    general: bool = False
    derivative: Derivative | None = None
    inside: str = ""
    """The step whose formula contains it, if it is a part of a formula that got a name for its gradient."""

    @property
    def is_given(self) -> bool:
        return self.formula is None

    @cached_property
    def uses(self) -> tuple[str, ...]:
        """The names in the formula, in the order they were written."""
        return () if self.formula is None else names_in(self.formula)


@dataclass(frozen=True)
class BuiltLine(Frozen):
    """A line ``name = formula`` whose formula the program has built."""

    name: str
    term: Term

    @property
    def derivative(self) -> Derivative | None:
        """The derivative that the line computes, if any."""
        return None

    @property
    def inside(self) -> str:
        """The step whose formula contains it, if it is a part of a formula that gets a name."""
        return ""

    @property
    def formula(self) -> str:
        """The formula as a file has it."""
        return self.term.text

    @property
    def step(self) -> str:
        """The line as a file has it."""
        return f"{self.name} = {self.formula}"


def names_in(formula: MatrixExpr) -> tuple[str, ...]:
    """Return the names of matrices in a formula, each once, in reading order.

    >>> from symattn.operations import MatMul, MatrixSymbol, Transpose
    >>> names_in(MatMul(MatrixSymbol("Q", 2, 2), Transpose(MatrixSymbol("K", 2, 2)), evaluate=False))
    ('Q', 'K')
    """
    found: dict[str, None] = {}
    waiting = [formula]
    while waiting:
        node = waiting.pop()
        if isinstance(node, MatrixSymbol):
            found[node.name] = None
        else:
            waiting.extend(reversed(node.args))
    return tuple(found)


@lru_cache(maxsize=1000)
def _the_one(formula: MatrixExpr) -> MatrixExpr:
    """Return one object for equal formulas, so that caches find it without comparing trees."""
    return formula


@dataclass(frozen=True)
class Slices:
    """Matrices of one shape along leading axes: one step for each, and one name for all in formulas."""

    axes: tuple[Axis, ...]
    names: tuple[str, ...]

    @classmethod
    def of(cls, name: str, axes: tuple[Axis, ...]) -> Slices:
        """Name the slices: A_1, A_2; along two axes A_1_1, A_1_2, the last of which varies fastest.

        >>> Slices.of("A", (Axis(2, "h"),)).names, Slices.of("B", (Axis(1), Axis(2))).names
        (('A_1', 'A_2'), ('B_1_1', 'B_1_2'))
        """
        places = product(*(range(1, int(axis.size) + 1) for axis in axes))
        return cls(axes, tuple("_".join([name, *map(str, place)]) for place in places))


@dataclass(frozen=True)
class Plan(Frozen):
    """A derivation: steps in order, and sizes by name. Adding a step gives a new plan, whose shapes are checked."""

    steps: tuple[Step, ...] = ()
    sizes: Mapping[str, Size] = field(default_factory=dict)
    symbols: tuple[str, ...] = ()
    """Letters that stand for any real number, in givens and in formulas."""
    operations: Mapping[str, Operation] = field(default_factory=dict)
    """User-defined operations, which formulas call like built-in ones."""
    batches: Mapping[str, Slices] = field(default_factory=dict)
    """Names in formulas that stand for several steps, one for every matrix along leading axes."""

    def given(self, name: str, shape: Shape, general: bool = False) -> Plan:
        """Return this plan with a given matrix of that shape."""
        self._must_be_new(name)
        return replace(self, steps=(*self.steps, Step(name, shape, general=general)))

    def given_along(self, name: str, axes: Sequence[Axis], general: bool = False) -> Plan:
        """Return this plan with a given along these axes: a number, a vector, a matrix, or several.

        Raises :class:`~symattn.base.errors.FormulaError` if the length of a leading axis is not known.
        """
        if len(axes) < 3:
            return self.given(name, of_axes(axes), general)
        self._must_be_new(name)
        leading = [replace(axis, size=self.sizes.get(axis.name, axis.size)) for axis in axes[:-2]]
        if letter := next((axis.letter for axis in leading if isinstance(axis.size, str)), ""):
            raise FormulaError(f"{name}: {letter} says how many matrices there are: expected a number")
        slices, plan = Slices.of(name, tuple(leading)), self
        for each in slices.names:
            plan = plan.given(each, of_axes(axes[-2:]), general)
        return replace(plan, batches={**self.batches, name: slices})

    def step(self, name: str, formula: str) -> Plan:
        """Return this plan with the step ``name = formula``, or with one step for each matrix along leading axes.

        Raises :class:`~symattn.base.errors.FormulaError` for a formula that cannot be read.
        Raises :class:`~symattn.base.errors.ShapeError` if shapes do not fit.
        """
        self._must_be_new(name)
        try:
            value = read_value(formula, self.scope)
        except FormulaError as error:
            raise FormulaError(f"step {name}: {error}") from None
        except ShapeError as error:
            raise ShapeError(f"step {name}: {error}") from None
        if isinstance(value, Term):
            return self._with(name, value)
        slices, plan = Slices.of(name, value.axes), self
        for each, part in zip(slices.names, value.parts, strict=True):
            plan._must_be_new(each)
            plan = plan._with(each, part)
        return replace(plan, batches={**self.batches, name: slices})

    def built(self, line: BuiltLine) -> Plan:
        """Return this plan with a line whose formula the program has built."""
        self._must_be_new(line.name)
        return self._with(line.name, line.term, line.derivative, line.inside)

    def term(self, node: MatrixExpr) -> Term:
        """Return a built formula with its shape and its text in the formula language.

        The text is for people and for files. It is read once here: if it reads back to the node, the names of the axes
        come from it; if the language has no text for exactly this node, the text is one of equal value.

        >>> from symattn.operations import MatMul, Transpose
        >>> p = symbol("p", vector := of_axes([Axis(3)])).expr
        >>> Plan().given("p", vector).term(MatMul(Transpose(p), p, evaluate=False)).text
        'p[None].T @ p[None]'
        """
        vectors, numbers = ([step.name for step in self.steps if step.shape.ndim == ndim] for ndim in (1, 0))
        for named in ((), (vectors, numbers)):
            text = as_text(node, *named)
            with suppress(FormulaError, ShapeError):
                if (read := read_formula(text, self.scope)).expr == node:
                    return read
        rows, columns = (int(size) if size.is_number else str(size) for size in node.shape)
        return Term(node, Shape(Axis(rows), Axis(columns)), as_text(node, vectors, numbers, spelled_out=True))

    def _with(self, name: str, term: Term, derivative: Derivative | None = None, inside: str = "") -> Plan:
        letters = {size_symbol(name) for name, size in self.sizes.items() if isinstance(size, str)}
        general = (
            any(self[used].general for used in names_in(term.expr))
            or term.shape.is_general
            or bool(term.expr.free_symbols & letters)
        )
        return replace(self, steps=(*self.steps, Step(name, term.shape, term.expr, general, derivative, inside)))

    def root(self, name: str) -> str:
        """Return the step whose formula contains a named part; for any other step, its own name."""
        return self[name].inside or name

    def behind(self, names: Iterable[str], known: Collection[str] = ()) -> tuple[str, ...]:
        """Return names and everything they depend on, in order, stopping at those ``known``.

        >>> from symattn.base.shapes import shape
        >>> plan = Plan().given("X", shape(2, 2)).step("S", "X @ X.T").step("A", "softmax(S)")
        >>> plan.behind(["A"]), plan.behind(["A"], known=["S"])
        (('X', 'S', 'A'), ('S', 'A'))
        """
        wanted = set(names)
        for step in reversed(self.steps):
            if step.name in wanted and step.name not in known:
                wanted.update(step.uses)
        return tuple(step.name for step in self.steps if step.name in wanted)

    @cached_property
    def scope(self) -> Scope:
        """The names that the next formula may use."""
        return Scope(
            {step.name: step.shape for step in self.steps},
            self.sizes,
            symbols=frozenset(self.symbols),
            operations=self.operations,
            batches={name: self._batch(name, slices) for name, slices in self.batches.items()},
        )

    def _batch(self, name: str, slices: Slices) -> Several:
        return Several(slices.axes, tuple(symbol(each, self[each].shape) for each in slices.names), name)

    @cached_property
    def by_name(self) -> Mapping[str, Step]:
        return {step.name: step for step in self.steps}

    @cached_property
    def numbers(self) -> Mapping[Symbol, Integer]:
        """The sizes that are numbers, by the symbols that formulas have for them."""
        return {size_symbol(name): Integer(size) for name, size in self.sizes.items() if isinstance(size, int)}

    @cached_property
    def sized(self) -> Mapping[str, MatrixExpr]:
        """The formulas of the steps with these numbers substituted."""
        formulas = {step.name: step.formula for step in self.steps if step.formula is not None}
        return Named(formulas.keys(), lambda name: _the_one(formulas[name].xreplace(self.numbers)))

    def __getitem__(self, name: str) -> Step:
        try:
            return self.by_name[name]
        except (KeyError, TypeError):  # the second for an unhashable name
            raise UnknownNameError(unknown("name", name, self.by_name)) from None

    def _must_be_new(self, name: str) -> None:
        if not is_name(name):
            raise FormulaError(no_name(name, "a matrix"))
        if name in self.by_name or name in self.batches:
            raise SymattnError(f"{name} is defined twice: give the second one another name")
        if name in self.sizes:
            raise SymattnError(f"{name} is already the name of a size: give the matrix another name")
        if name in self.symbols:
            raise SymattnError(f"{name} is already one of the symbols: give the matrix another name")
        if name in self.operations:
            raise SymattnError(f"{name} is already the name of an operation: give the matrix another name")
