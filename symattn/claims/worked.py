"""A scenario with its solution, and with the values that a mistake gives instead.

>>> from symattn.claims.mistakes.model import Change
>>> from symattn.operations import MatrixSymbol
>>> steps = 'steps = ["a = s / 2", "b = 3 * a"]'
>>> right = read_exercise(f'title = "Row"\\n[given]\\ns = [[1, 3]]\\n[[section]]\\ntitle = "Steps"\\n{steps}')
>>> right.figures(Ask("b"))
(('1.5', '4.5'),)
>>> right.made(Change("a", {"a": MatrixSymbol("s", 1, 2)})).figures(Ask("b"))
(('3', '9'),)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from flint import arb, arb_mat

from symattn.base.errors import NoValueError, SymattnError
from symattn.base.printed import Printed, decimal_text, scale_of
from symattn.base.remembered import cached_property
from symattn.base.shapes import in_rows
from symattn.claims.by_hand import BITS, Enclosures, by_hand, carried, or_exact
from symattn.claims.judge import figure_number
from symattn.claims.mistakes.model import Altered, Change, PartKind, altered
from symattn.claims.mistakes.subject import Subject
from symattn.compute.solution.evaluation import Evaluation
from symattn.compute.solution.quantities import QuantityValues
from symattn.compute.solution.store import Store
from symattn.compute.values.ball import ball
from symattn.compute.values.balls import at_precision
from symattn.compute.values.hand import exactly, rounded
from symattn.compute.values.rounding import round_ball
from symattn.operations.stages import as_ours
from symattn.read.plan import Plan
from symattn.read.scenario.load import loads
from symattn.read.scenario.model import Scenario

NEAR = arb("1e-25")
"""A number closer than this to a short decimal is printed as that decimal: it rounds to it in any case."""

KEPT = 256
"""How many scenarios are cached once they have been read."""


@dataclass(frozen=True)
class Ask:
    """A name whose value is requested."""

    name: str
    kind: PartKind = "matrix"
    decimals: int = 3


@dataclass(frozen=True)
class Worked:
    """A scenario with its values, or with the values that a mistake gives if made in ``right``."""

    scenario: Scenario
    plan: Plan
    altered: Altered | None = None
    right: Worked | None = None

    @property
    def change(self) -> Change | None:
        """The mistake, if one is made."""
        return None if self.altered is None else self.altered.change

    @property
    def touched(self) -> frozenset[str]:
        """The names whose values the mistake may change."""
        return frozenset() if self.altered is None else self.altered.touched

    @cached_property
    def solution(self) -> Store:
        """The values of all steps; a mistake that rounds too early has its own values instead."""
        givens = {name: given.given for name, given in self.scenario.givens.items()}
        return Evaluation(self.plan, givens, self.scenario.style)

    @cached_property
    def quantities(self) -> QuantityValues:
        """The values of all quantities."""
        changed = self.change.quantities if self.change is not None else {}
        known = {
            name: replace(quantity, value=changed[name]) if name in changed else quantity
            for name, quantity in self.scenario.quantities.items()
        }
        return QuantityValues(self.solution, known)

    @cached_property
    def subject(self) -> Subject:
        """The derivation as mistakes see it."""
        return Subject(self.plan, self.scenario.quantities)

    def made(self, change: Change | Altered) -> Worked:
        """Return the same scenario after a mistake."""
        made = altered(self.subject, change) if isinstance(change, Change) else change
        return Worked(self.scenario, made.plan, made, self)

    def has(self, name: str) -> bool:
        """Return whether a name has a value, also after the mistake."""
        return name in self.plan.by_name or name in self.scenario.quantities

    def figures(self, ask: Ask) -> Printed:
        """Return the printed figures of a name: those of a step or a quantity, or the rows and columns of a shape.

        Raises :class:`~symattn.base.errors.SymattnError` for a quantity without a number, and
        :class:`~symattn.base.errors.NoValueError` for a value that these numbers leave undefined.
        """
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
        return self._certified(ask) if self.right is None else self._rounded(ask)

    def _certified(self, ask: Ask) -> Printed:
        """Return the figures as a solution prints them."""
        return tuple(tuple(figure.text for figure in row) for row in self.solution.figures(ask.name, ask.decimals))

    def _rounded(self, ask: Ask) -> Printed:
        """Return the same figures straight from enclosures, which nearly always settle them: mistakes are many."""
        value = self.enclosure(ask.name)
        if any(x.is_nan() for x in value.entries()):
            raise NoValueError(f"{ask.name} is not defined with these numbers")
        return rounded_figures(value, ask.decimals) or self._certified(ask)

    @cached_property
    def _enclosures(self) -> dict[str, arb_mat]:
        return {}

    def enclosure(self, name: str) -> arb_mat:
        """Return a matrix of balls of :data:`BITS` bits; all mistakes share the values that none of them changes."""
        if self.altered is None or self.right is None:
            return self.solution.enclosure(name, BITS)
        if name not in self.altered.formulas:
            return self.right.enclosure(name)
        if name not in self._enclosures:
            with at_precision(BITS):
                for each in self.plan.behind([name], known=self._enclosures):  # in order, so that nothing goes deep
                    if each in self.altered.formulas:
                        self._enclosures[each] = ball(self.altered.formulas[each], self.enclosure)
        return self._enclosures[name]

    def right_values(self, asks: Sequence[Ask]) -> Enclosures:
        """Return the accepted values of each name that has a matrix: those by hand, or the exact one."""
        return {ask.name: value for ask in asks if (value := self._right(ask)) is not None}

    def _right(self, ask: Ask) -> arb_mat | None:
        if ask.kind != "matrix" or not self.has(ask.name):
            return None
        try:
            exact = self.solution.enclosure(ask.name, BITS)
        except SymattnError:
            return None
        return or_exact(by_hand(self.solution, ask.name, ask.decimals), exact)

    def _by_hand(self, ask: Ask, decimals: int) -> Printed:
        """Return the figures of somebody who rounds every number on the way to a step.

        The step itself is shown in full, and what follows goes on from there.
        """
        assert self.change is not None
        step, value = self.change.step, self._carried
        with at_precision(BITS):
            if ask.name in value:
                return _rows(value[ask.name], ask.decimals if ask.name == step else decimals)
            shown = arb_mat([list(map(figure_number, row)) for row in _rows(value[step], ask.decimals)])
            return _rows(carried(self.solution, exactly, (ask.name,), {step: shown})[ask.name], ask.decimals)

    @cached_property
    def _carried(self) -> dict[str, arb_mat]:
        """The step of the mistake and the steps before it, with every number rounded."""
        assert self.change is not None
        assert self.change.rounded_to is not None
        with at_precision(BITS):
            return carried(self.solution, rounded(self.change.rounded_to), (self.change.step,))


def rounded_figures(value: arb_mat, decimals: int) -> Printed | None:
    """Return the figures of a matrix to so many decimals, or fewer if they are exact; ``None`` if one is undecided.

    >>> rounded_figures(arb_mat([[arb(3) / 2, 2]]), 3), rounded_figures(arb_mat([[arb(1) / 3, 2]]), 3)
    ((('1.5', '2.0'),), (('0.333', '2.000'),))
    """
    finite = [x for x in value.entries() if x.is_finite()]
    places = next((k for k in range(decimals) if all(_is_written(x, k) for x in finite)), decimals)
    rounded = [round_ball(x, scale_of(places)) if x.is_finite() else 0 for x in value.entries()]
    if None in rounded:
        return None
    texts = [
        decimal_text(number or 0, places) if x.is_finite() else ("-oo" if x < 0 else "oo")
        for number, x in zip(rounded, value.entries(), strict=True)
    ]
    columns = value.ncols()
    return in_rows(texts, columns)


def _is_written(x: arb, places: int) -> bool:
    """Return whether a number is so close to a decimal with so many places that it counts as equal."""
    scaled = x * scale_of(places)
    return bool(abs(scaled - (scaled + arb(0.5)).floor().mid()) < NEAR)


def _rows(value: arb_mat, decimals: int) -> Printed:
    return tuple(tuple(_figure(x, decimals) for x in row) for row in value.tolist())


def _figure(x: arb, decimals: int) -> str:
    """Return a number in decimals; a tie, as short decimals give, is rounded away from zero."""
    if x.is_nan():
        raise NoValueError("a number on the way was rounded to zero, and then divided by")
    if not x.is_finite():
        return "-oo" if x < 0 else "oo"
    number = round_ball(x, scale_of(decimals))
    if number is None:
        number = round_ball(x + (arb("1e-20") if x > 0 else arb("-1e-20")), scale_of(decimals)) or 0
    return decimal_text(number, decimals)


@lru_cache(maxsize=KEPT)
def read_exercise(source: str) -> Worked:
    """Read a scenario from its text, ready to be evaluated."""
    return by_ours(loads(source, "exercise"))  # without a folder, so that no file can be named in it


def by_ours(scenario: Scenario) -> Worked:
    """Return a scenario that is ready to be evaluated, in symattn's own operations."""
    return Worked(scenario, in_ours(scenario.derivation))


def in_ours(plan: Plan) -> Plan:
    """Return a plan in which user-defined copies of our operations are ours, so that the same mistakes apply."""
    steps = tuple(step if step.formula is None else replace(step, formula=as_ours(step.formula)) for step in plan.steps)
    return replace(plan, steps=steps) if steps != plan.steps else plan
