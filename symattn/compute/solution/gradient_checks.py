"""Compare a gradient with a difference quotient: move one entry of a given a little, and compute the loss again.

The quotient (L(w + h) − L(w)) / h comes from a second forward pass, which knows nothing of gradients. It differs from
the gradient by about half the second derivative times h. Both passes are steps of one plan, so that one solution holds
both and can compare them.

>>> from symattn.base.shapes import shape
>>> from symattn.operations import MatMul, MatrixSymbol
>>> plan = Plan().given("X", shape(1, 2)).step("Y", "2 * X").step("Z", "Y @ Y.T").step("U", "X @ X.T")
>>> twice = MatMul(2, MatrixSymbol("Y", 1, 2), evaluate=False)
>>> both = again(plan, {"Y": twice}, "twice")
>>> both.names["Z"], both.plan["Z, twice"].uses, both.names["U"]
('Z, twice', ('Y, twice',), 'U')
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from flint import fmpq
from sympy import MatAdd, MatMul, MatrixExpr, Rational, S

from symattn.base.budget import remark
from symattn.base.errors import DomainError, NoValueError, UndecidedError
from symattn.base.printed import Figure
from symattn.base.shapes import EntryPlace, Shape
from symattn.base.shapes import shape as shape_of
from symattn.compute.solution.figures import places_of_large
from symattn.compute.solution.proofs import known_signs
from symattn.compute.solution.store import Shown, Store
from symattn.operations.terms import symbol
from symattn.read.given import Given
from symattn.read.gradients.nodes import replaced
from symattn.read.plan import Plan, Step


@dataclass(frozen=True)
class Again:
    """A plan with the steps of both passes, and the second pass's name for each name."""

    plan: Plan
    names: Mapping[str, str]


def again(plan: Plan, changed: Mapping[str, MatrixExpr], mark: str) -> Again:
    """Return the plan with new formulas for some names, of the same shapes, and new steps for everything that follows.

    The new formulas are over names of the plan, including the old value of what they replace. Each new step has the
    name of the old one followed by the ``mark``, which no formula can write.
    """
    names = {step.name: step.name for step in plan.steps}
    steps: list[Step] = list(plan.steps)
    now: dict[Any, Any] = {}
    for step in plan.steps:
        formula = changed.get(step.name)
        if formula is None and step.formula is not None and any(names[used] != used for used in step.uses):
            formula = replaced(step.formula, now)
        if formula is not None:
            names[step.name] = f"{step.name}, {mark}"
            steps.append(replace(step, name=names[step.name], formula=formula, derivative=None))
            now[symbol(step.name, step.shape).expr] = symbol(names[step.name], step.shape).expr
    return Again(replace(plan, steps=tuple(steps)), names)


MOVES = ("0.001", "0.0001")
"""How far the entry is moved the first and the second time, to see whether the difference shrinks."""

BITS = 128
"""The precision used to choose entries."""

TRIED, TRIED_OF_EACH = 8, 3
"""The most entries to try in all, and of one given."""

NEAR = fmpq(1, 20)
"""An entry is accepted if quotient and gradient differ by at most this share of the gradient, and"""
SHRINKS = fmpq(1, 5)
"""if a tenth of the move leaves at most this share of the difference: elsewhere the loss has a kink nearby."""

SLOPE, ROW, COLUMN = "the slope", "the row", "the column"
"""Names for the slope and for the row and column of the entry; no formula can write a name with a space in it."""

DIGITS_APART = 2
"""Significant digits shown of the difference of quotient and gradient, at least."""

MOST_PLACES = 24
"""The most decimals for telling the numbers apart."""


@dataclass(frozen=True)
class GradientCheck:
    """A moved entry, the loss before and after, the quotient and the gradient; ``apart`` and ``nearer`` are the
    absolute differences of these two for the first and for the second of the :data:`MOVES`."""

    place: EntryPlace
    before: Figure
    after: Figure
    quotient: Figure
    gradient: Figure
    apart: Figure
    nearer: Figure
    is_same: bool
    """Whether quotient and gradient are proved to be equal."""
    shrinks: bool
    """Whether the difference shrinks with the move, as it does where the loss has a derivative."""


def checked_gradient(
    solution: Store, of: str, gradients: Sequence[tuple[str, str]], entry: EntryPlace | None = None
) -> GradientCheck | None:
    """Check one of the gradients of a loss: at an ``entry``, or at the first entry, by size of the gradient, near which
    the loss is smooth. ``None`` where there is none, or where it costs more than an optional remark may.

    Raises the error that prevents computing the loss after a named entry was moved
    (:class:`~symattn.base.errors.DomainError`, :class:`~symattn.base.errors.UndecidedError`).
    """
    names = dict(gradients)
    if solution.style.carry == "rounded" or solution.shown(of) is not Shown.FIGURES:
        return None
    if entry is not None:
        return _check(solution, of, entry, names[entry.name])
    for place in _large(solution, gradients):
        try:
            found = remark(partial(_check, solution, of, place, names[place.name]))
        except (DomainError, NoValueError, UndecidedError):
            continue
        if found is not None and (found.is_same or found.shrinks):
            return found
    return None


def _large(solution: Store, gradients: Sequence[tuple[str, str]]) -> Iterator[EntryPlace]:
    """Yield the entries of each given with the largest gradients other than 0."""
    count = 0
    for name, gradient in gradients:
        if solution.shown(gradient) is not Shown.FIGURES or solution.shown(name) is not Shown.FIGURES:
            continue
        sizes = [abs(x.mid()) for x in solution.enclosure(gradient, BITS).entries()]
        for index in sorted(range(len(sizes)), key=lambda k: -sizes[k])[:TRIED_OF_EACH]:
            if sizes[index] > 0 and count < TRIED:
                count += 1
                yield EntryPlace(name, *divmod(index, solution.columns(name)))


def _check(solution: Store, of: str, place: EntryPlace, gradient: str) -> GradientCheck | None:
    """Check one entry; ``None`` where a readable number of decimals would show no difference."""
    for name in (place.name, gradient):
        if solution.shown(name) is not Shown.FIGURES:
            raise NoValueError(f"{name} has no single value: expected an entry whose gradient is a number")
    both = _Passes.of(solution, of, place, gradient)
    store, moved = both.store, both.moved
    first, second = (store.enclosure(f"apart {k}", BITS)[0, 0] for k in range(len(MOVES)))
    wanted = store.enclosure(SLOPE, BITS)[0, 0]
    is_same = known_signs(store, both.symbol("apart 0")) == ((0,),)
    seen = is_same or not abs(first) > 0
    places = store.style.decimals if seen else max(store.style.decimals, places_of_large(first, DIGITS_APART))
    if places > MOST_PLACES:
        return None
    quotient, slope, apart = (store.figures(name, places)[0][0] for name in ("quotient 0", SLOPE, "apart 0"))
    before, after = (store.figures(name, places + 3)[0][0] for name in (of, moved))
    nearer = store.figures("apart 1", places + 1)[0][0]
    smooth = bool(abs(first) <= abs(wanted) * NEAR) and bool(abs(second) <= abs(first) * SHRINKS)
    return GradientCheck(place, before, after, quotient, slope, _positive(apart), _positive(nearer), is_same, smooth)


def _positive(figure: Figure) -> Figure:
    return figure.opposite() if figure.text.startswith("-") else figure


@dataclass(frozen=True)
class _Passes:
    """A solution of the forward pass, of those after each of the moves, and of the compared numbers."""

    store: Store
    moved: str
    """The name of the loss after the first move."""

    @classmethod
    def of(cls, solution: Store, of: str, place: EntryPlace, gradient: str) -> _Passes:
        whole = solution.derivation
        behind = set(whole.behind([of, gradient]))
        plan = replace(whole, steps=tuple(replace(s, derivative=None) for s in whole.steps if s.name in behind))
        rows, columns = solution.rows(place.name), solution.columns(place.name)
        givens = {name: given for name, given in solution.givens.items() if name in behind}
        forward = set(whole.behind([of]))
        moved: list[str] = []
        for k, move in enumerate(MOVES):
            step = [[move if (i, j) == place[1:] else "0" for j in range(columns)] for i in range(rows)]
            plan, givens[f"move {k}"] = _with_given(plan, f"move {k}", rows, columns), Given.read(step)
            new = MatAdd(_symbol(plan, place.name), _symbol(plan, f"move {k}"), evaluate=False)
            only = replace(plan, steps=tuple(s for s in plan.steps if s.name in forward or s.name == f"move {k}"))
            made: Again = again(only, {place.name: new}, f"moved {k}")
            plan = replace(plan, steps=tuple(dict.fromkeys((*plan.steps, *made.plan.steps))))
            moved.append(made.names[of])
        for name, at, count in ((ROW, place.row, rows), (COLUMN, place.column, columns)):
            unit = [[str(int(k == at)) for k in range(count)]]
            plan, givens[name] = _with_given(plan, name, 1, count), Given.read(unit)
        plan = _with_step(plan, SLOPE, _entry(plan, gradient))
        for k, move in enumerate(MOVES):
            change = _minus(_symbol(plan, moved[k]), _symbol(plan, of))
            plan = _with_step(plan, f"quotient {k}", MatMul(1 / Rational(move), change, evaluate=False))
            plan = _with_step(plan, f"apart {k}", _minus(_symbol(plan, f"quotient {k}"), _symbol(plan, SLOPE)))
        return cls(type(solution)(plan, givens, solution.style), moved[0])

    def symbol(self, name: str) -> MatrixExpr:
        return _symbol(self.store.derivation, name)


def _symbol(plan: Plan, name: str) -> MatrixExpr:
    return symbol(name, plan[name].shape).expr


def _minus(one: MatrixExpr, other: MatrixExpr) -> MatrixExpr:
    return MatAdd(one, MatMul(S.NegativeOne, other, evaluate=False), evaluate=False)


def _entry(plan: Plan, name: str) -> MatrixExpr:
    """Return a formula for one entry of a matrix, by the row and the column of an identity matrix."""
    return MatMul(_symbol(plan, ROW), _symbol(plan, name), _symbol(plan, COLUMN).T, evaluate=False)


def _with_given(plan: Plan, name: str, rows: int, columns: int) -> Plan:
    return replace(plan, steps=(*plan.steps, Step(name, shape_of(rows, columns))))


def _with_step(plan: Plan, name: str, formula: MatrixExpr) -> Plan:
    shape: Shape = shape_of(1, 1)
    return replace(plan, steps=(*plan.steps, Step(name, shape, formula)))
