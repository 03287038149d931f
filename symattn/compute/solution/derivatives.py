"""Check every derivative that the program makes a second way: by the forward plan's rate of change in one direction.

A gradient ∂L/∂X is computed backwards from L to X. Here every matrix that has a gradient moves at once, X by εV for a
fixed V, the forward plan is evaluated in balls together with the rates of change of its numbers
(:mod:`symattn.compute.values.moved`), and the change of L must be ⟨∂L/∂X, V⟩, summed over all that moved. For a
vector-Jacobian product it must be ⟨G, change of Y⟩, and for a Jacobian the change of y must be J times that of x. A
gradient that comes back along one path only is moved along that path only. A difference is a bug in symattn, whatever
the numbers are: it becomes an error, never a page.

Source: Baydin et al. 2018, *Automatic Differentiation in Machine Learning: a Survey*, section 3.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import reduce
from operator import add
from typing import Any, NamedTuple

from flint import arb, arb_mat, ctx
from sympy import Expr, MatAdd, MatMul, MatPow, MatrixSymbol, Mul, Rational, Symbol, Transpose, diff

from symattn.base.budget import spend
from symattn.base.errors import SymattnError
from symattn.compute.solution.proofs import known_signs, value_numbers
from symattn.compute.solution.store import Shown, Store
from symattn.compute.values.applied import applied_entries
from symattn.compute.values.ball import scaled
from symattn.compute.values.balls import at_precision, number_ball
from symattn.compute.values.certify import precisions
from symattn.compute.values.cost import cost
from symattn.compute.values.moved import MOVING, Moved, matrices
from symattn.operations import ArgMax, OneHot, Quotient, TopK
from symattn.operations.symbols import entry_symbol
from symattn.read.given import Given
from symattn.read.gradients.moving import names_and_symbols, parts_of
from symattn.read.plan import Derivative, Plan

COST = 6
"""Cost of a node's change, as a multiple of the cost of its value."""

ROUNDS = 3
"""Number of precisions to try, each twice the last."""

POINTS = tuple(map(Rational, ("7/5", "3/8", "-5/4")))
"""Values for the first free symbol; every further one is larger by 1. The first point that has values is used."""

Seed = tuple[str, str]
"""A matrix that moves, and the one formula that it moves in; ``""`` for all formulas."""


class DerivativeMismatch(AssertionError):
    """The two ways of computing a derivative disagree: a bug in symattn, whatever the numbers are."""


def check_derivatives(solution: Store, name: str) -> frozenset[str]:
    """Check a derivative, a gradient together with those of the same loss, and return those that agree.

    The others stay open: those without a value, and those that depend on a tie that cannot be settled.

    Raises :class:`DerivativeMismatch` where the forward plan changes in another way.
    """
    lines = checked_with(solution.derivation, name)
    if name not in lines:
        return frozenset()
    for numbers, point in _with_numbers(solution, lines):
        try:
            return _agreeing(_Forward(solution.derivation, solution.givens, numbers, point), lines, name)
        except SymattnError:
            if numbers is solution:
                raise
    return frozenset()


def checked_with(plan: Plan, name: str) -> dict[str, Derivative]:
    """Return the derivatives that are checked with one: all gradients of the same loss; a Jacobian alone.

    Derivatives by a symbol that has a number are left out, as the plan no longer shows where it was; so are those of a
    loss that a partial plan does not contain.
    """
    asked = plan[name].derivative
    assert asked is not None
    made = [(name, asked)] if asked.is_jacobian else [(step.name, step.derivative) for step in plan.steps]
    return {
        step: other
        for step, other in made
        if other is not None
        and other.of in plan.by_name
        and (other.by in plan.by_name or other.by in plan.symbols)
        and (other.of, other.seed, other.is_jacobian) == (asked.of, asked.seed, asked.is_jacobian)
    }


def _with_numbers(solution: Store, lines: Mapping[str, Derivative]) -> Iterator[tuple[Store, Mapping[Symbol, Expr]]]:
    """Yield the values at which derivatives are compared: the given ones, with numbers in place of free symbols."""
    plan, exactly = solution.derivation, replace(solution.style, carry="exact")
    names = {each for name, line in lines.items() for each in (name, line.of) if not plan[each].general}
    if exactly == solution.style and all(solution.shown(each) is Shown.FIGURES for each in names):
        yield solution, {}
        return
    for start in POINTS:
        point = {entry_symbol(letter): start + k for k, letter in enumerate(plan.symbols)}
        steps = (
            replace(step, formula=None if step.formula is None else step.formula.xreplace(point), derivative=None)
            for step in plan.steps
        )
        givens = {each: _numbers_of(given, point) for each, given in solution.givens.items()}
        yield type(solution)(replace(plan, steps=tuple(steps), symbols=()), givens, exactly), point


def _numbers_of(given: Given, point: Mapping[Symbol, Expr]) -> Given:
    if given.array is None and any(entry.free_symbols for entry in given.entries):
        values = tuple(tuple(entry.xreplace(point) for entry in row) for row in given.values)
        given = replace(given, values=values)
    return replace(given, rounded=False)


def _agreeing(forward: _Forward, lines: Mapping[str, Derivative], asked: str) -> frozenset[str]:
    """Return the derivatives that together predict the change of their function, or none."""
    numbers, of = forward.numbers, lines[asked].of
    comparable = forward.comparable(lines)
    if asked not in comparable:
        return frozenset()
    for bits in list(precisions(numbers.style.decimals))[:ROUNDS]:
        with at_precision(bits):
            values = ((name, _value(numbers, name, bits, name == asked)) for name in comparable)
            found = {name: known for name, known in values if known is not None}
            directions: dict[str, arb_mat] = {}
            forward.seeds = {}
            for k, name in enumerate(found):
                seed = lines[name].by, lines[name].through
                directions[name] = direction = _direction(forward.shape(seed[0]), k)
                forward.seeds[seed] = direction + forward.seeds[seed] if seed in forward.seeds else direction
            change = forward.change(of, bits)
            if lines[asked].is_jacobian:
                by = arb_mat(len(directions[asked].entries()), 1, directions[asked].entries())
                pairs = list(zip((found[asked] * by).entries(), change.entries(), strict=True))
            else:
                wanted = sum((_inner(found[name], directions[name]) for name in found), arb())
                grad = lines[asked].seed
                pairs = [(wanted, _inner(change, numbers.enclosure(grad, bits)) if grad else change[0, 0])]
            scale = 1 + sum((abs(x.mid()) for one in found.values() for x in one.entries() if x.is_finite()), arb())
            for one, other in pairs:
                if not one.overlaps(other):
                    what = " and ".join(sorted(f"∂{lines[each].of}/∂{lines[each].by}" for each in found))
                    raise DerivativeMismatch(f"{asked}: {what}: {of} changes by {other}, not by {one}")
            if all((one - other).rad() < scale * arb(2) ** -(bits // 4) for one, other in pairs):
                return frozenset(found)
    return frozenset()


def _value(numbers: Store, name: str, bits: int, must_be: bool) -> arb_mat | None:
    """Return the value of a derivative; ``None`` if it has none and is not the one asked about."""
    try:
        return numbers.enclosure(name, bits)
    except SymattnError:
        if must_be:
            raise
        return None


def _direction(shape: tuple[int, int], number: int) -> arb_mat:
    """Return a fixed direction, of whole numbers without a pattern, so that errors of two entries do not cancel."""
    rows, columns = shape
    return arb_mat(
        rows,
        columns,
        [(7_919 * (k + 1) ** 2 + 104_729 * (number + 3) * (k + 2)) % 1_999 - 999 for k in range(rows * columns)],
    )


def _inner(one: arb_mat, other: arb_mat) -> arb:
    return sum((x * y for x, y in zip(one.entries(), other.entries(), strict=True)), arb())


def _sum(one: arb_mat | None, other: arb_mat | None) -> arb_mat | None:
    return other if one is None else one if other is None else one + other


class _Moving(NamedTuple):
    """A matrix and its rate of change; ``None`` where it does not move."""

    value: arb_mat
    speed: arb_mat | None


@dataclass
class _Forward:
    """Evaluates a plan while some of its matrices move."""

    plan: Plan
    """The plan in symbols."""
    givens: Mapping[str, Given]
    numbers: Store
    """Its values, with numbers in place of the symbols."""
    point: Mapping[Symbol, Expr]
    seeds: dict[Seed, arb_mat] = field(default_factory=dict)
    """How fast matrices and symbols move."""
    speeds: dict[str, arb_mat] = field(default_factory=dict)
    inside: dict[tuple[str, Any], str] = field(default_factory=dict)
    """The parts of steps that have a name of their own among the gradients."""
    bits: int = 0

    def shape(self, name: str) -> tuple[int, int]:
        return (1, 1) if name in self.plan.symbols else (self.numbers.rows(name), self.numbers.columns(name))

    def change(self, of: str, bits: int) -> arb_mat:
        """Return the rate of change of a step."""
        behind = self.plan.behind([of])
        self.speeds, self.bits = {}, bits
        for name in behind:
            if name not in self.givens:
                formula = self.plan.sized[name]
                speed = self._worked_out(formula, name).speed if self._moves(formula, name) else None
            else:
                speed = self._of_entries(name)
            speed = _sum(speed, self._seed(name, ""))
            if speed is not None:
                self.speeds[name] = speed
        return self.speeds.get(of, arb_mat(*self.shape(of)))

    def comparable(self, lines: Mapping[str, Derivative]) -> list[str]:
        """Return the derivatives whose movement can be placed in the forward plan.

        A part of a step that has a name among the gradients is moved if it occurs there once: of two occurrences one
        may have another name in the backward pass, and a norm without its gain does not occur at all. Derivatives left
        out here are compared through those that they are passed on to.
        """
        plan, order = self.plan, {step.name: place for place, step in enumerate(self.plan.steps)}
        named = {each for line in lines.values() for each in (line.by, line.through) if each in plan.by_name}
        named = {each for each in named if plan[each].inside}
        places = {each: (plan[each].inside, plan.sized[each]) for each in named}
        stand = Counter((root, part) for root in {*map(plan.root, named)} for part in parts_of(plan.sized[root]))
        # Of two gradients requested one after the other, only the second may need the name.
        passed = {name: line.through for name, line in lines.items() if line.through in plan.by_name}
        before = {(plan.root(through), order[name]) for name, through in passed.items()}
        called = Counter(places.values())
        self.inside = {
            (root, part): each
            for each, (root, part) in places.items()
            if stand[root, part] == called[root, part] == 1
            and not any(way == root and place < order[each] for way, place in before)
        }
        lost = named - set(self.inside.values())
        hidden = {name for each in lost for name in names_and_symbols(self.plan.sized[each])}
        hidden |= {name for name in named for each in lost if self.plan.sized[name] in parts_of(self.plan.sized[each])}
        return [
            name
            for name, line in lines.items()
            if lost.isdisjoint((line.by, line.through)) and not (line.through and line.by in hidden)
        ]

    def _seed(self, name: str, place: str) -> arb_mat | None:
        return self.seeds.get((name, place))

    # -- numbers of formulas ---------------------------------------------------------------------------------------

    def _of_entries(self, name: str) -> arb_mat | None:
        """Return the rate of change of a given whose entries contain symbols."""
        given = self.givens[name]
        if not self.point or given.array is not None:
            return None
        return arb_mat(*given.shape, [self._number(entry, name).speed for entry in given.entries])

    def _number(self, number: Expr, place: str) -> Moved:
        value, speed = number_ball(number.xreplace(self.point).doit()), arb()
        for letter in number.free_symbols & self.point.keys():
            moving = _sum(self._seed(letter.name, ""), self._seed(letter.name, place))
            if moving is not None:
                speed += number_ball(diff(number, letter).xreplace(self.point).doit()) * moving[0, 0]
        return Moved(value, speed)

    # -- formulas ----------------------------------------------------------------------------------------------------

    def _moves(self, node: Any, place: str, whole: bool = True) -> bool:
        """Return True if something in a formula moves."""
        if isinstance(node, MatrixSymbol):
            return node.name in self.speeds or (node.name, place) in self.seeds
        if not getattr(node, "is_Matrix", False):
            return any((each.name, there) in self.seeds for each in node.free_symbols for there in ("", place))
        if name := self._named(node, place, whole):
            return any(seed in self.seeds for seed in ((name, ""), (name, place))) or self._moves(node, name)
        return any(self._moves(arg, place, whole=False) for arg in node.args)

    def _named(self, node: Any, place: str, whole: bool) -> str:
        """Return the name of a part of a formula that moves by itself, or ``""``."""
        return "" if whole or not self.inside else self.inside.get((self.plan.root(place), node), "")

    def _worked_out(self, node: Any, place: str, whole: bool = True) -> _Moving:
        if isinstance(node, MatrixSymbol):
            value = self.numbers.enclosure(node.name, self.bits)
            return _Moving(value, _sum(self.speeds.get(node.name), self._seed(node.name, place)))
        if name := self._named(node, place, whole):
            found = self._worked_out(node, name)
            return _Moving(found.value, reduce(_sum, (self._seed(name, ""), self._seed(name, place)), found.speed))
        if not self._moves(node, place, whole) or isinstance(node, ArgMax | TopK | OneHot):
            return _Moving(self.numbers.evaluate_ball(node.xreplace(self.point), self.bits), None)
        parts = [self._worked_out(arg, place, whole=False) for arg in node.args if arg.is_Matrix]
        spend(COST * cost(node.xreplace(self.point)))
        return self._node(node, parts, place)

    def _node(self, node: Any, parts: list[_Moving], place: str) -> _Moving:
        match node:
            case MatAdd():
                return _Moving(reduce(add, (x.value for x in parts)), reduce(_sum, (x.speed for x in parts)))
            case Transpose():
                (x,) = parts
                return _Moving(x.value.transpose(), None if x.speed is None else x.speed.transpose())
            case MatPow():
                return reduce(_product, parts * int(node.exp))
            case MatMul():
                numbers = [arg for arg in node.args if not arg.is_Matrix]
                found = reduce(_product, parts)
                return _times(found, self._number(Mul(*numbers), place)) if numbers else found
            case Quotient():
                return _times(parts[0], Moved(arb(1), arb()) / self._number(node.divisor, place))
        found = self._applied(node, [_rows(x) for x in parts], place)
        if all(_is_narrow(x) for x in found.speed.entries()):  # type: ignore[union-attr]
            return found
        return self._applied(node, self._with_ties(node, parts), place)

    def _applied(self, node: Any, rows: list[list[list[Moved]]], place: str) -> _Moving:
        return _Moving(*matrices(applied_entries(node, rows, lambda number: self._number(number, place), MOVING)))

    def _with_ties(self, node: Any, parts: list[_Moving]) -> list[list[list[Moved]]]:
        """Return the entries of operands, with one ball for equal entries and an exact 0 for entries proved to be 0."""
        known: dict[int, arb] = {}
        found = []
        for arg, part in zip((arg for arg in node.args if arg.is_Matrix), parts, strict=True):
            formula = arg.xreplace(self.point)
            signs = known_signs(self.numbers, formula)
            rows = [
                [x if sign != 0 else Moved(arb(), x.speed) for x, sign in zip(*both, strict=True)]
                for both in zip(_rows(part), signs, strict=True)
            ]
            numbers = value_numbers(self.numbers, self.numbers.part(formula))
            if numbers is not None:
                rows = [
                    [Moved(known.setdefault(n, x.value), x.speed) for x, n in zip(*both, strict=True)]
                    for both in zip(rows, numbers, strict=True)
                ]
            found.append(rows)
        return found


def _rows(of: _Moving) -> list[list[Moved]]:
    speeds = arb_mat(of.value.nrows(), of.value.ncols()) if of.speed is None else of.speed
    return [
        [Moved(*both) for both in zip(*pair, strict=True)]
        for pair in zip(of.value.tolist(), speeds.tolist(), strict=True)
    ]


def _product(one: _Moving, other: _Moving) -> _Moving:
    left = None if one.speed is None else one.speed * other.value
    right = None if other.speed is None else one.value * other.speed
    return _Moving(one.value * other.value, _sum(left, right))


def _times(of: _Moving, number: Moved) -> _Moving:
    speed = None if of.speed is None else of.speed * number.value
    moved = None if number.speed.is_zero() else of.value * number.speed
    return _Moving(scaled(of.value, number.value), _sum(speed, moved))


def _is_narrow(x: arb) -> bool:
    return bool(x.is_finite() and x.rad() <= arb(2) ** -(ctx.prec // 2) * (1 + abs(x.mid())))
