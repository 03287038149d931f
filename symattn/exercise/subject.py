"""An exercise worked out: its scenario, its solution, and what a mistake makes of both.

>>> from symattn.exercise.mistakes.model import Change
>>> from symattn.operations import MatrixSymbol
>>> steps = 'steps = ["a = s / 2", "b = 3 * a"]'
>>> right = read(f'title = "Row"\\n[given]\\ns = [[1, 3]]\\n[[section]]\\ntitle = "Steps"\\n{steps}')
>>> right.figures(Ask("b"))
(('1.5', '4.5'),)
>>> right.made(Change("a", {"a": MatrixSymbol("s", 1, 2)})).figures(Ask("b"))
(('3', '9'),)
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

from flint import arb, arb_mat
from sympy import Expr, MatrixExpr

from symattn.derivation import Plan, Step
from symattn.errors import NoValueError, SymattnError
from symattn.exercise.mistakes.model import Change, Subject
from symattn.exercise.model import Exercise, Kind, Rows
from symattn.scenario.load import loads
from symattn.scenario.model import Scenario
from symattn.shapes import Axis, Shape
from symattn.solution import Solution
from symattn.solution.quantities import QuantityValues
from symattn.values.carry import Carry
from symattn.values.number import at_precision
from symattn.values.rounding import decimal_text, read_figure, round_ball, scale_of

BITS = 128
"""The precision of what is worked out by hand: far more than anybody writes down."""

KEPT = 256
"""Scenarios that are remembered once they were read."""


@dataclass(frozen=True)
class Ask:
    """A name that is asked for."""

    name: str
    kind: Kind = "matrix"
    decimals: int = 3


@dataclass(frozen=True)
class Worked:
    """A scenario with its values, or with those that come out when a mistake is made."""

    scenario: Scenario
    plan: Plan
    change: Change | None = None

    @cached_property
    def solution(self) -> Solution:
        """The values of all steps; of a mistake that rounds too early, see :attr:`by_hand`."""
        givens = {name: given.given for name, given in self.scenario.givens.items()}
        return Solution(self.plan, givens, self.scenario.style)

    @cached_property
    def quantities(self) -> QuantityValues:
        """The values of all quantities."""
        changed = self.change.quantities if self.change is not None else {}
        known = {
            name: replace(quantity, value=changed[name]) if name in changed else quantity
            for name, quantity in self.scenario.quantities.items()
        }
        return QuantityValues(self.solution, known)

    @property
    def subject(self) -> Subject:
        """What mistakes can be made in."""
        return Subject(self.plan, self.scenario.quantities)

    def made(self, change: Change) -> Worked:
        """The same after a mistake."""
        return Worked(self.scenario, changed(self.plan, change), change)

    def has(self, name: str) -> bool:
        """Whether a name has a value, also after the mistake."""
        return name in self.plan.by_name or name in self.scenario.quantities

    def figures(self, ask: Ask) -> Rows:
        """What is printed for a name: figures of a step, a quantity, or rows and columns of a shape."""
        match ask.kind:
            case "shape":
                return (tuple(map(str, self.plan[ask.name].shape.sizes)),)
            case "number":
                value = self.quantities.exact(ask.name)
                if value is None:
                    raise SymattnError(f"{ask.name} has no number")
                return ((self.quantities.figure(value).text,),)
        if self.change is not None and self.change.rounded_to is not None:
            return self._by_hand(ask, self.change.rounded_to)
        return tuple(tuple(figure.text for figure in row) for row in self.solution.figures(ask.name, ask.decimals))

    def _by_hand(self, ask: Ask, decimals: int) -> Rows:
        """The figures of somebody who rounds every number on the way to a step, and shows them so.

        The step itself is shown in full, and what follows goes on from there.
        """
        from symattn.values.hand import exactly, rounded

        assert self.change is not None
        step = self.change.step
        with at_precision(BITS):
            value = by_hand(self.solution, rounded(decimals), (step,))
            if ask.name in value:
                return _rows(value[ask.name], ask.decimals if ask.name == step else decimals)
            shown = arb_mat([list(map(figure_ball, row)) for row in _rows(value[step], ask.decimals)])
            return _rows(by_hand(self.solution, exactly, (ask.name,), {step: shown})[ask.name], ask.decimals)

    @cached_property
    def touched(self) -> frozenset[str]:
        """The names whose values the mistake may change."""
        if self.change is None:
            return frozenset()
        found = {self.change.step, *self.change.formulas, *self.change.quantities}
        if self.change.rounded_to is not None:
            found.update(_needed(self.solution, (self.change.step,), {}))
        for step in self.plan.steps:
            if found.intersection(step.uses):
                found.add(step.name)
        counted: set[Expr] = set()
        for name, quantity in self.scenario.quantities.items():
            if name in found or counted & quantity.value.free_symbols:
                found.add(name)
                counted.add(quantity.symbol)
        return frozenset(found)


def by_hand(
    solution: Solution,
    carry: Carry,
    names: tuple[str, ...],
    own: Mapping[str, arb_mat] | None = None,
) -> dict[str, arb_mat]:
    """The values of ``names`` and of all they rest on, worked out with every number on the way going through ``carry``.

    What is in ``own`` is taken as it is. The precision is that in force.
    """
    from symattn.values.hand import hand

    own, found, carried = own or {}, dict(own or {}), dict(own or {})
    for name in _needed(solution, names, own):
        if name in own:
            continue
        if name in solution.givens:
            found[name] = carried[name] = solution.enclosure(name, BITS)
        else:
            found[name] = hand(solution.formula(name), carried.__getitem__, carry)
            rows, columns = found[name].nrows(), found[name].ncols()
            carried[name] = arb_mat(rows, columns, list(map(carry, found[name].entries())))
    return found


def _needed(solution: Solution, names: tuple[str, ...], own: Mapping[str, arb_mat]) -> list[str]:
    """What has to be worked out for ``names``, in the order of the derivation; nothing behind what is known."""
    wanted = set(names)
    steps = solution.derivation.steps
    for step in reversed(steps):
        if step.name in wanted and step.name not in own:
            wanted.update(step.uses)
    return [step.name for step in steps if step.name in wanted]


def figure_ball(text: str) -> arb:
    """The number that a printed figure writes.

    >>> figure_ball("-0.5").str(3), figure_ball("-oo") < 0
    ('-0.500', True)
    """
    read = read_figure(text)
    if read is None:
        return arb.neg_inf() if text.startswith("-") else arb.pos_inf()
    return arb(read[0])


def _rows(value: arb_mat, decimals: int) -> Rows:
    return tuple(tuple(_figure(x, decimals) for x in row) for row in value.tolist())


def _figure(x: arb, decimals: int) -> str:
    """A number in decimals; one that lies on a tie, as short decimals do, goes up."""
    if x.is_nan():
        raise NoValueError("a number on the way was rounded to zero, and then divided by")
    if not x.is_finite():
        return "-oo" if x < 0 else "oo"
    number = round_ball(x, scale_of(decimals))
    if number is None:
        number = round_ball(x + (arb("1e-20") if x > 0 else arb("-1e-20")), scale_of(decimals)) or 0
    return decimal_text(number, decimals)


def changed(plan: Plan, change: Change) -> Plan:
    """The derivation after a mistake; steps are left out where they no longer fit what they rest on."""
    steps: list[Step] = []
    lost: set[str] = set()
    reshaped: set[str] = set()
    for step in plan.steps:
        formula = change.formulas.get(step.name, step.formula)
        if formula is None:
            steps.append(step)
            continue
        made = Step(step.name, _shape(step.shape, formula), formula, step.general)
        if lost.union(reshaped).intersection(made.uses):
            lost.add(step.name)
            continue
        if made.shape.sizes != step.shape.sizes:
            reshaped.add(step.name)
        steps.append(made)
    return replace(plan, steps=tuple(steps))


def _shape(old: Shape, formula: MatrixExpr) -> Shape:
    """The shape of a formula, with the old names of axes where it is the old one."""
    rows, columns = (int(size) if size.is_Integer else str(size) for size in formula.shape)
    return old if old.sizes == (rows, columns) else Shape(Axis(rows), Axis(columns))


@lru_cache(maxsize=KEPT)
def read(source: str) -> Worked:
    """The scenario in a text, ready to be worked out."""
    scenario = loads(source, path="exercise.toml")
    return Worked(scenario, scenario.derivation)


def worked(exercise: Exercise) -> Worked:
    """An exercise, ready to be worked out."""
    return read(exercise.source)


def scenario_of(exercise: Exercise) -> Scenario:
    """The scenario of an exercise."""
    return worked(exercise).scenario


def solution_of(exercise: Exercise) -> Solution:
    """The solution of an exercise."""
    return worked(exercise).solution
