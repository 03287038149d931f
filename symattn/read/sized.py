"""Generalise formulas to all sizes: named axes become letters, unnamed ones keep their numbers."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import combinations, product

from sympy import MatrixExpr

from symattn.base.errors import FormulaError, ShapeError
from symattn.base.shapes import Axis, Shape, Size, with_letters
from symattn.read.formula import read_formula
from symattn.read.plan import Plan


@dataclass(frozen=True)
class Sized:
    """Formulas with one choice of sizes: numbers, or letters for all sizes at once."""

    formulas: tuple[MatrixExpr, ...]
    shapes: tuple[Shape, ...]
    names: Mapping[str, Shape]
    sizes: Mapping[str, Size]


def with_sizes(texts: tuple[str, ...], plan: Plan, sizes: Mapping[str, Size]) -> Sized:
    """Return the formulas with every named axis of the plan as long as ``sizes`` says."""
    sizes = {**plan.sizes, **sizes}
    names = {step.name: _shape(step.shape, sizes) for step in plan.steps}
    scope = replace(plan.scope, names=names, sizes=sizes, anywhere=True)
    read = [read_formula(text, scope) for text in texts]
    return Sized(tuple(term.expr for term in read), tuple(term.shape for term in read), names, sizes)


def _shape(shape: Shape, sizes: Mapping[str, Size]) -> Shape:
    return Shape(_axis(shape.rows, sizes), _axis(shape.columns, sizes), shape.ndim)


def _axis(axis: Axis, sizes: Mapping[str, Size]) -> Axis:
    if axis.name:
        return Axis(sizes.get(axis.name, axis.size), axis.name)
    return Axis(with_letters(axis.size, sizes)) if isinstance(axis.size, str) else axis


def letters(plan: Plan) -> tuple[str, ...]:
    """Return the names of axes and sizes, each once, in the order of the plan."""
    named = [axis.name for step in plan.steps for axis in (step.shape.rows, step.shape.columns) if axis.name]
    return tuple(dict.fromkeys([*named, *plan.sizes]))


def in_letters(texts: tuple[str, ...], plan: Plan) -> Sized:
    """Return the formulas for all sizes.

    If an operation needs whole numbers (a head, a row), as few sizes as possible keep theirs.

    >>> from symattn.base.shapes import Shape
    >>> plan = Plan(sizes={"n": 3, "d": 4}).given("X", Shape(Axis(3, "n"), Axis(4, "d")))
    >>> in_letters(("X @ X.T",), plan).shapes[0].sizes, in_letters(("head(X, 1, 2)",), plan).shapes[0].sizes
    (('n', 'n'), ('n', 2))
    >>> in_letters(("X + X.T",), Plan().given("X", Shape(Axis(3, "n"), Axis(3, "d"))))
    Traceback (most recent call last):
        ...
    symattn.base.errors.ShapeError: for all sizes: X + X.T: X is (n, d), X.T is (d, n): rows differ, n and d; \
did you mean X + X?
    """
    names = letters(plan)
    try:
        return with_sizes(texts, plan, {name: name for name in names})
    except (ShapeError, FormulaError) as error:
        first = error
    if any(word in text for text in texts for word in ("head(", "concat(", "row(", "rows(", "stack(")):
        for kept in (subset for count in range(1, min(len(names), 6) + 1) for subset in combinations(names, count)):
            try:
                return with_sizes(texts, plan, {name: name for name in names if name not in kept})
            except (ShapeError, FormulaError):
                continue
    raise type(first)(f"for all sizes: {first}")


def choices(used: tuple[str, ...], even: Collection[str] = ()) -> Iterator[dict[str, Size]]:
    """Yield small sizes for letters, different ones first; letters that must be even get twice the size.

    >>> list(choices(("m", "n")))[:3]
    [{'m': 2, 'n': 3}, {'m': 3, 'n': 1}, {'m': 1, 'n': 2}]
    >>> list(choices(("m", "n"), even=("n",)))[:2]
    [{'m': 2, 'n': 6}, {'m': 3, 'n': 2}]
    """
    cycles = [tuple((start + place) % 3 + 1 for place in range(len(used))) for start in (1, 2, 0)]
    rest = product((2, 1, 3), repeat=min(len(used), 4))
    more = ((*some, *[2] * (len(used) - len(some))) for some in rest)
    for sizes in dict.fromkeys([*cycles, *more]):
        yield {name: 2 * size if name in even else size for name, size in zip(used, sizes, strict=True)}
