"""Places in formulas: finding them, and writing something else in one of them, with nothing worked out on the way.

>>> from symattn.operations import MatrixSymbol, Softmax, Transpose
>>> S = MatrixSymbol("S", 2, 2)
>>> [path for path, node in places(Softmax(Transpose(S))) if node == S]
[(0, 0)]
>>> put(Softmax(Transpose(S)), (0,), S)
Softmax(S)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from sympy import Expr, Integer, MatAdd, MatMul, MatrixExpr, MatrixSymbol, Mul, OneMatrix, Transpose
from sympy.matrices.exceptions import ShapeError

from symattn.derivation import Plan, Step, names_in
from symattn.mistakes.model import Change, Rewrite, Subject
from symattn.operations import Exp, Log, Proportions, Quotient, ReLU, RowMax, RowNorm, Softmax, UnitRows
from symattn.operations.terms import size_symbol
from symattn.remembered import cached_property
from symattn.shapes import Axis

Path = tuple[int, ...]
"""Which argument of which argument."""

KEPT = 16
"""Derivations whose places are remembered: every mistake of the bank asks for them."""


def places(formula: MatrixExpr) -> tuple[tuple[Path, MatrixExpr], ...]:
    """Every matrix in a formula with the way to it, from the outside in and from left to right."""
    found: list[tuple[Path, MatrixExpr]] = []
    waiting: list[tuple[Path, MatrixExpr]] = [((), formula)]
    while waiting:
        path, node = waiting.pop()
        found.append((path, node))
        if not isinstance(node, MatrixSymbol):
            inner = [((*path, i), arg) for i, arg in enumerate(node.args) if getattr(arg, "is_Matrix", False)]
            waiting.extend(reversed(inner))
    return tuple(found)


def put(formula: MatrixExpr, path: Path, new: MatrixExpr) -> MatrixExpr:
    """The formula with ``new`` in one place."""
    if not path:
        return new
    arguments = list(formula.args)
    arguments[path[0]] = put(arguments[path[0]], path[1:], new)
    if isinstance(formula, MatMul):
        return product(*arguments)
    if isinstance(formula, MatAdd):
        return total(*arguments)
    return formula.func(*arguments)


def _has_letters(formula: MatrixExpr) -> bool:
    """Whether a size of something in the formula is a letter."""
    return any(not size.is_Integer for _, node in places(formula) for size in node.shape)


# -- building ----------------------------------------------------------------------------------------------------


def product(*factors: Expr) -> MatrixExpr:
    """A product with nothing worked out; one factor alone is itself.

    >>> from symattn.operations import MatrixSymbol
    >>> product(MatrixSymbol("A", 2, 2))
    A
    """
    return factors[0] if len(factors) == 1 else MatMul(*factors, evaluate=False)


def total(*terms: MatrixExpr) -> MatrixExpr:
    """A sum with nothing worked out; one term alone is itself."""
    return terms[0] if len(terms) == 1 else MatAdd(*terms, evaluate=False)


def times(number: Expr, matrix: MatrixExpr) -> MatrixExpr:
    """A number times a matrix; a number that stands there already is taken into it.

    >>> from symattn.operations import MatrixSymbol
    >>> X = MatrixSymbol("X", 2, 2)
    >>> times(Integer(2), times(Integer(3), X)), times(Integer(-1), times(Integer(-1), X))
    (6*X, X)
    """
    numbers, matrices = factors(matrix)
    if len(matrices) == 1:
        number, matrix = Mul(number, *numbers), matrices[0]
    return matrix if number == 1 else MatMul(number, matrix, evaluate=False)


def difference(left: MatrixExpr, right: MatrixExpr) -> MatrixExpr:
    """X − Y."""
    return total(left, times(Integer(-1), right))


def transposed(matrix: MatrixExpr) -> MatrixExpr:
    """Xᵀ; of a transpose, what was transposed."""
    return matrix.arg if isinstance(matrix, Transpose) else Transpose(matrix)


def ones(rows: int, columns: int) -> MatrixExpr:
    """1 in every entry."""
    return OneMatrix(Integer(rows), Integer(columns))


def factors(node: MatrixExpr) -> tuple[tuple[Expr, ...], tuple[MatrixExpr, ...]]:
    """The numbers and the matrices of a product; anything else is its own only factor."""
    if not isinstance(node, MatMul):
        return (), (node,)
    return tuple(x for x in node.args if not x.is_Matrix), tuple(x for x in node.args if x.is_Matrix)


def terms(node: MatrixExpr) -> tuple[MatrixExpr, ...]:
    """The terms of a sum; anything else is its own only term."""
    return node.args if isinstance(node, MatAdd) else (node,)


def size(node: MatrixExpr) -> tuple[int, int]:
    """Rows and columns of a formula without letters for sizes."""
    rows, columns = node.shape
    return int(rows), int(columns)


def fit(left: MatrixExpr, right: MatrixExpr) -> bool:
    """Whether two matrices can be multiplied."""
    return size(left)[1] == size(right)[0]


# -- looking around ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class View:
    """A derivation as mistakes look at it: names are seen through, and steps whose size is a letter are left alone."""

    plan: Plan

    @cached_property
    def steps(self) -> tuple[tuple[Step, MatrixExpr], ...]:
        """The steps that have numbers, each with its formula."""
        return tuple(
            (step, step.formula)
            for step in self.plan.steps
            if step.formula is not None and not (step.general and _has_letters(step.formula))
        )

    @cached_property
    def places(self) -> tuple[tuple[Step, MatrixExpr, Path, MatrixExpr], ...]:
        """Every place of every step: the step, its formula, the way and what stands there."""
        return tuple((step, formula, *place) for step, formula in self.steps for place in places(formula))

    @cached_property
    def softened(self) -> tuple[MatrixExpr, ...]:
        """Everything that goes into a softmax, through sums and names."""
        found: list[MatrixExpr] = []
        waiting = [node.argument for _, _, _, node in self.places if isinstance(node, Softmax)]
        while waiting:
            node = self.meaning(waiting.pop())
            found.append(node)
            waiting.extend(node.args if isinstance(node, MatAdd) else ())
        return tuple(found)

    @cached_property
    def sizes(self) -> Mapping[Expr, Expr]:
        """The sizes that are numbers, by their symbols."""
        return {size_symbol(name): Integer(n) for name, n in self.plan.sizes.items() if isinstance(n, int)}

    def scalar(self, number: Expr) -> Expr:
        """A number inside a formula with the sizes put in, worked out."""
        return number.xreplace(self.sizes).doit()

    def meaning(self, node: MatrixExpr) -> MatrixExpr:
        """What a name stands for, as far as there are formulas; anything else is itself."""
        while isinstance(node, MatrixSymbol):
            step = self.plan.by_name.get(node.name)
            if step is None or step.formula is None:
                return node
            node = step.formula
        return node

    def is_given(self, node: MatrixExpr) -> bool:
        """Whether a formula is the name of something given."""
        return isinstance(self.meaning(node), MatrixSymbol)

    def chain(self, node: MatrixExpr) -> tuple[MatrixExpr, ...]:
        """The matrix factors of a product, with names of products seen through."""
        meaning = self.meaning(node)
        if not isinstance(meaning, MatMul):
            return (node,)
        return tuple(factor for part in factors(meaning)[1] for factor in self.chain(part))

    def rests_on(self, node: MatrixExpr, name: str) -> bool:
        """Whether a name stands in a formula, or in one of those behind it."""
        waiting, seen = list(names_in(node)), set[str]()
        while waiting:
            used = waiting.pop()
            if used == name:
                return True
            if used not in seen:
                seen.add(used)
                waiting.extend(self.plan.by_name[used].uses if used in self.plan.by_name else ())
        return False

    def uses(self, name: str) -> int:
        """In how many steps a name stands."""
        return sum(name in step.uses for step in self.plan.steps)

    def axes(self, node: MatrixExpr) -> tuple[Axis, Axis]:
        """Rows and columns of a formula, with their names where it is a name itself."""
        if isinstance(node, MatrixSymbol) and node.name in self.plan.by_name:
            shape = self.plan[node.name].shape
            return shape.rows, shape.columns
        rows, columns = size(node)
        return Axis(rows), Axis(columns)

    def length(self, axis: Axis) -> Expr:
        """The length of an axis inside a formula: its letter where it has one."""
        if axis.name and self.plan.sizes.get(axis.name) == axis.size:
            return size_symbol(axis.name)
        return Integer(axis.size)


@dataclass(frozen=True, eq=False)
class _Itself:
    """A derivation that is only equal to itself: comparing formulas would take longer than reading them again."""

    plan: Plan

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Itself) and self.plan is other.plan

    def __hash__(self) -> int:
        return id(self.plan)


@lru_cache(maxsize=KEPT)
def _seen(itself: _Itself) -> View:
    return View(itself.plan)


def view_of(subject: Subject) -> View:
    """The derivation that a mistake is made in, with what was already found out about it."""
    return _seen(_Itself(subject.plan))


OF_ANY_SHAPE: tuple[type, ...] = (
    MatMul,
    MatAdd,
    Transpose,
    Quotient,
    Softmax,
    Proportions,
    UnitRows,
    RowNorm,
    RowMax,
    Exp,
    Log,
    ReLU,
)
"""What can be worked out whatever the shape of its argument is; products and sums say themselves what does not fit."""

# -- rewriting ---------------------------------------------------------------------------------------------------

Rule = Callable[[View, MatrixExpr], Iterable[MatrixExpr]]
"""What may wrongly be written in the place of a node."""


def at_each(*rules: Rule, each: bool = True, everywhere: bool = True) -> Rewrite:
    """The rewriting that makes a mistake in each place by itself, and then in all of them at once.

    Who forgets the scale in one head forgets it in the other one too, so both together are a change of their own.
    """

    def rewrite(subject: Subject) -> Iterator[Change]:
        view = view_of(subject)
        found = [
            (step, formula, path, new)
            for step, formula, path, node in view.places
            for rule in rules
            for new in rule(view, node)
            if node != new and _fits(formula, path, new)
        ]
        if each:
            for step, formula, path, new in found:
                yield Change(step.name, {step.name: put(formula, path, new)})
        if everywhere and len(found) > each:
            made = _everywhere(found)
            if made is not None or not each:
                yield made or Change(found[0][0].name, {found[0][0].name: put(*found[0][1:])})

    return rewrite


def _fits(formula: MatrixExpr, path: Path, new: MatrixExpr) -> bool:
    """Whether what stands around a place can be worked out with something of another shape in it."""
    around = [formula]
    for place in path:
        around.append(around[-1].args[place])
    if not path or new.shape == around[-1].shape:
        return True
    if not all(isinstance(node, OF_ANY_SHAPE) for node in around[:-1]):
        return False
    try:
        put(formula, path, new)
    except ShapeError:
        return False
    return True


def _everywhere(found: list[tuple[Step, MatrixExpr, Path, MatrixExpr]]) -> Change | None:
    """The same mistake in all places that do not lie in one another, if there are several."""
    formulas: dict[str, MatrixExpr] = {}
    taken: list[tuple[str, Path]] = []
    for step, formula, path, new in found:
        if any(step.name == name and _overlap(path, other) for name, other in taken):
            continue
        try:
            formulas[step.name] = put(formulas.get(step.name, formula), path, new)
        except ShapeError:
            continue
        taken.append((step.name, path))
    return Change(taken[0][0], formulas) if len(taken) > 1 else None


def _overlap(path: Path, other: Path) -> bool:
    length = min(len(path), len(other))
    return path[:length] == other[:length]


def with_all(changes: list[Change]) -> Iterator[Change]:
    """Changes that were made one by one, and then all of them at once where no two of them touch the same step."""
    yield from changes
    names = [name for change in changes for name in change.formulas]
    if len(changes) > 1 and len(names) == len(set(names)):
        formulas = {name: formula for change in changes for name, formula in change.formulas.items()}
        yield Change(changes[0].step, formulas)
