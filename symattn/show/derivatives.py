"""Derivations of the general entry of a gradient: the derivative of one entry, and the chain rule over all entries.

∂a_ir/∂s_ij = a_ir (δ_rj − a_ij) by the quotient rule, and so
∂L/∂s_ij = Σ_r (∂L/∂a_ir)(∂a_ir/∂s_ij) = a_ij (∂L/∂a_ij − Σ_r a_ir ∂L/∂a_ir).

The derivative is computed forwards, from the equations of the step (:mod:`symattn.compute.proof.derivative`); the
formula of the gradient comes from the backward pass. Both are evaluated at the given values, and a line is written only
where they agree: each is a check on the other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from itertools import islice, product
from math import prod
from typing import Any

from flint import arb
from sympy import Expr, Integer, KroneckerDelta, MatrixSymbol, S, Symbol
from sympy.matrices.expressions.matexpr import MatrixElement

from symattn.base.budget import Budget, apart, doing, remark, spend
from symattn.base.errors import BudgetError
from symattn.base.shapes import Shape
from symattn.compute.proof.definitions import NumbersOnTheWay, general_entry
from symattn.compute.proof.derivative import (
    NamedMatrix,
    PartialDerivative,
    derivative,
    factored,
    folded,
    must_be_short,
    simplified,
)
from symattn.compute.proof.rules import RULES
from symattn.compute.proof.tree import Bound, Indices, ProofError, Truth, everywhere, mul, totals, walk
from symattn.compute.proof.values import value_of
from symattn.compute.solution.store import Shown, Store
from symattn.operations.equations.tree import Operation
from symattn.read.gradients.nodes import replaced
from symattn.read.plan import Plan, Step, names_in
from symattn.read.scenario.notation import Notation, NotDecorated, NotName, NotPart, NotPartial
from symattn.show.blocks import Phrase
from symattn.show.entries.letters import Letters
from symattn.show.entries.naming import is_function, on_the_page
from symattn.show.entries.step_entry import general_entry as lines_of_entry
from symattn.show.entries.step_entry import places_of
from symattn.show.entries.trees import Trees
from symattn.show.math import Accented, Chain, Math, Number, Script, equation, is_derivative
from symattn.show.notation.formulas import Names

BITS = 128
"""The precision, in bits, of the comparison."""

STEPS = 2_000_000
"""The part of a page's budget that one derivation may take."""

PLACES = 200
"""The largest number of index choices at which both are compared."""

ROW, COLUMN = Symbol("i", integer=True), Symbol("j", integer=True)
"""The indices of the entry to differentiate by."""

A, B = Symbol("a", integer=True), Symbol("b", integer=True)
"""The indices of the entry that is differentiated."""


@dataclass(frozen=True)
class DerivedEntry:
    """The lines that lead to the general entry of a gradient, and the sentences about the signs in them."""

    lines: tuple[Chain, ...]
    said: tuple[Phrase, ...]


def with_derivation(
    solution: Store, names: Names, step: Step, letters: Letters, lines: tuple[Chain, ...], told: dict[object, str]
) -> tuple[tuple[Chain, ...], tuple[Phrase, ...]]:
    """Return the lines of a general entry with the lines of its derivation, and the sentences about their signs;
    ``told`` maps each kind of derivation to the step that shows it.

    The lines stay as they are for a step that is not a gradient, and for gradients that are not derived: one that is
    passed on unchanged, a function with its own rule at kinks, lines that are too long or cannot be compared.
    """
    left = letters.entry(step.name, *places_of(step.shape, letters))
    place = next((k for k, line in enumerate(lines) if line.left == left), None)
    asked = None if place is None else _Asked.find(solution, names, step)
    if place is None or asked is None or told.setdefault(asked.kind, step.name) != step.name:
        return lines, ()
    entry, deriving = lines[place], _Deriving(solution, names, asked)
    with doing(f"the derivation of {step.name}"):
        found = remark(lambda: deriving.within_its_budget(step, entry))
    if found is None:
        return lines, ()
    said = {line.left for line in found.lines}
    before, after = ([line for line in part if line.left not in said] for part in (lines[:place], lines[place + 1 :]))
    return (*before, *found.lines, *after), found.said


# -- the request -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Asked:
    """∂L/∂X through Y = f(X): the formula of Y with X under its name, and the gradient with respect to Y."""

    by: MatrixSymbol
    of: MatrixSymbol
    formula: Any
    grad: MatrixSymbol | None

    @property
    def kind(self) -> object:
        """The formula, and the positions of X in it, which similar derivations have in common."""

        def of(node: Any) -> object:
            if isinstance(node, MatrixSymbol):
                return "X" if node == self.by else "name"
            if not getattr(node, "is_Matrix", False):
                return "number"
            return type(node).__name__, getattr(node, "operation", None), *map(of, node.args)

        return of(self.formula), self.grad is None

    @classmethod
    def find(cls, solution: Store, names: Names, step: Step) -> _Asked | None:
        """Read a step as a gradient, by its notation and the plan; return ``None`` if it is not one to derive."""
        plan, tree = solution.derivation, names.notation.get(step.name)
        if step.general or solution.shown(step.name) is not Shown.FIGURES:
            return None
        match tree:
            case NotPartial(NotName(loss), NotName(by), through):
                pass
            case NotDecorated("bar", NotName(by)):
                loss, through = "", None
            case NotPart(NotDecorated("bar", NotName(by)), through):
                loss = ""
            case _:
                return None
        if by not in plan.by_name or plan[by].shape.sizes != step.shape.sizes:
            return None
        uses = dict(_uses(plan, by, step.name))
        # The gradient comes through the step whose gradient its formula uses.
        grads = {name: _gradient_by(names, tree, name) for name in uses}
        reached = [name for name, grad in grads.items() if grad in step.uses] or [each for each in uses if each == loss]
        chosen = reached[0] if len(reached) == 1 else ""
        if not chosen or (through is not None and through.text != chosen) or is_derivative(names(chosen)):
            return None
        grad = None if chosen == loss else grads[chosen]
        if any(solution.shown(each) is not Shown.FIGURES for each in (by, chosen)):
            return None
        seed = None if grad is None else _symbol(solution, grad)
        return cls(_symbol(solution, by), _symbol(solution, chosen), uses[chosen], seed)


def _uses(plan: Plan, by: str, gradient: str) -> Iterator[tuple[str, Any]]:
    """Yield the steps before a gradient that use a matrix, each with its formula in terms of the matrix's name."""
    known, matrix = plan[by], MatrixSymbol(by, *plan[by].shape.sizes)
    for step in plan.steps[: list(plan.by_name).index(gradient)]:
        if step.formula is None or step.name == by:
            continue
        is_part = known.inside and plan.root(step.name) == known.inside
        formula = replaced(step.formula, {known.formula: matrix}) if is_part else step.formula
        if by in names_in(formula):
            yield step.name, formula


def _gradient_by(names: Names, like: Notation, by: str) -> str | None:
    """Return the name of the gradient of the same loss by another matrix."""
    for name, tree in names.notation.items():
        match tree, like:
            case NotPartial(of, NotName(other), None), NotPartial(loss) if other == by and of == loss:
                return name
            case NotDecorated("bar", NotName(other)), NotDecorated() | NotPart() if other == by:
                return name
    return None


def _symbol(solution: Store, name: str) -> MatrixSymbol:
    return MatrixSymbol(name, *solution.derivation[name].shape.sizes)


# -- one derivation ----------------------------------------------------------------------------------------------------


@dataclass
class _Deriving:
    solution: Store
    names: Names
    asked: _Asked
    on_the_way: NumbersOnTheWay = field(default_factory=lambda: NumbersOnTheWay(_keeps_name))
    slopes: dict[MatrixElement, Expr] = field(default_factory=dict)
    """The derivatives of the intermediate numbers, with the derivatives inside them substituted."""
    values: dict[tuple[MatrixSymbol, int, int], arb] = field(default_factory=dict)
    """The values of the intermediate numbers."""

    def within_its_budget(self, step: Step, entry: Chain) -> DerivedEntry | None:
        """Return the derivation, or ``None`` if there is none or it takes too long."""
        for name in (step.name, *names_in(self.asked.formula), *step.uses):
            self.solution.enclosure(name, BITS)
        try:
            with apart(Budget(STEPS)):
                return self.made(step, entry)
        except (ProofError, BudgetError):
            return None

    def made(self, step: Step, entry: Chain) -> DerivedEntry | None:
        asked = self.asked
        i, j = (S.Zero if size == 1 else index for size, index in _axes(asked.by, ROW, COLUMN))
        target = MatrixElement(asked.by, i, j)
        row, column = (S.Zero if size == 1 else index for size, index in _axes(asked.of, A, B))
        anywhere = self._by_rules(row, column, target)
        row, column = (_where(anywhere, index, (i, j)) for index in (row, column))
        by_rules = self._by_rules(row, column, target)
        over = tuple((index, Integer(size)) for size, index in _axes(asked.of, A, B) if index in (row, column))
        if by_rules == 0 or (by_rules.is_number and not over):
            return None  # no gradient flows back, or only a constant multiple
        if by_rules.has(KroneckerDelta) and not by_rules.has(MatrixElement):
            return None  # gradients of entries only return to the places of the entries
        shorter = self._shorter(by_rules, step)
        of = MatrixElement(asked.of, row, column)
        self._must_agree(step, shorter, by_rules, over, of)
        reached = self._reached(of)
        chain_rule, put_in = (totals(over, mul(*reached, each)) for each in (PartialDerivative(of, target), shorter))
        slopes = {name: slope for name, slope in self.slopes.items() if slope != 0}
        trees = self._trees([chain_rule, put_in, *(totals(over, each) for each in (by_rules, *slopes.values()))])
        lines = [
            equation(trees.write(PartialDerivative(name, target)), trees.write(slope)) for name, slope in slopes.items()
        ]
        sides = [by_rules]
        if asked.grad is not None:
            lines.append(
                equation(trees.write(PartialDerivative(of, target)), *_once(map(trees.write, (by_rules, shorter))))
            )
            sides = [chain_rule, put_in] if put_in.has(KroneckerDelta) else [chain_rule]
        lines.append(equation(entry.left, *_once((*map(trees.write, sides), *(side for _, side in entry.links)))))
        meant = self._definitions_of(self._named([by_rules, shorter]), trees)
        return DerivedEntry((*meant, *lines), tuple(self._said([put_in, by_rules, *slopes.values()], trees)))

    def _shorter(self, by_rules: Expr, step: Step) -> Expr:
        """Return the derivative in terms of named matrices, if no other entry of X remains in it."""
        found = factored(folded(by_rules, list(self._definitions(step))))
        return by_rules if any(each.parent == self.asked.by for each in found.atoms(MatrixElement)) else found

    def _named(self, lines: Iterable[Expr]) -> set[MatrixSymbol]:
        """Return the intermediate numbers in some lines, and those that they are computed from."""
        found = {each for line in lines for each in line.atoms(MatrixElement) if each.parent in self.on_the_way.of}
        inside = [self._meant(each.parent, each.i, each.j) for each in found]
        return {each.parent for each in found} | (self._named(inside) if inside else set())

    def _definitions_of(self, named: Iterable[MatrixSymbol], trees: Trees) -> list[Chain]:
        """Return the lines of the intermediate numbers, as the general entry of the step has them."""
        wanted = {
            trees.write(
                MatrixElement(each, *(S.Zero if size == 1 else index for size, index in _axes(each, ROW, COLUMN)))
            )
            for each in named
        }
        if not wanted:
            return []
        of = str(self.asked.of.name)
        lines = lines_of_entry(of, self.asked.formula, trees.letters, self.solution.shape(of))
        return [line for line in lines if line.left in wanted]

    def _said(self, lines: list[Expr], trees: Trees) -> Iterator[Phrase]:
        """Yield the meaning of δ, and of 𝟏 with a condition, if they occur."""
        deltas = [node for line in lines for node in walk(line) if isinstance(node, KroneckerDelta)]
        if deltas:
            yield Phrase("delta", (("delta", trees.write(deltas[0])), ("equal", trees.equal_places(deltas[0]))), "line")
        if any(isinstance(node, Truth) for line in lines for node in walk(line)):
            condition = self.names.letters.letter("condition")
            one = Script(Accented("bold", Number("1")), sub=condition)
            yield Phrase("proof_holds", (("one", one), ("condition", condition)), "line")

    def _by_rules(self, row: Expr, column: Expr, target: MatrixElement) -> Expr:
        """Return the derivative of entry (row, column) of Y, by the rules of calculus."""
        spend(100_000)
        self.slopes.clear()
        entry = general_entry(self.asked.formula, row, column, self._indices(ROW, COLUMN, A, B))
        must_be_short(entry)
        return simplified(derivative(entry, target, self._slope_of(target)))

    def _entry(self, formula: Any, row: Expr, column: Expr) -> Expr:
        return general_entry(formula, row, column, self._indices(row, column))

    def _indices(self, *beside: Expr) -> Indices:
        """Return bound indices that differ from those they are written beside."""
        return Indices([each for each in beside if isinstance(each, Symbol)], self.on_the_way.entry)

    def _meant(self, name: MatrixSymbol, row: Expr, column: Expr) -> Expr:
        """Return the definition of an entry of an intermediate number."""
        return self.on_the_way.definition(MatrixElement(name, row, column), self._indices(row, column))

    def _definitions(self, step: Step) -> Iterator[NamedMatrix]:
        """Yield the named matrices in the formulas of the gradient and of the step."""
        plan = self.solution.derivation
        for name in dict.fromkeys((str(self.asked.of.name), *(step.uses))):
            formula = self.asked.formula if name == self.asked.of.name else plan[name].formula
            if formula is not None and name != self.asked.by.name:
                yield NamedMatrix(_symbol(self.solution, name), partial(self._entry, formula))

    def _slope_of(self, target: MatrixElement) -> Any:
        """Return a function: the derivative of an intermediate number by its own equation; 0 for other matrices."""

        def of(name: MatrixElement) -> Expr:
            if name.parent not in self.on_the_way.of:
                return Integer(0)
            if name not in self.slopes:
                body = self.on_the_way.definition(name, self._indices(ROW, COLUMN, A, B))
                self.slopes[name] = self._without_rest(simplified(derivative(body, target, of)))
            return self.slopes[name]

        return of

    def _without_rest(self, slope: Expr) -> Expr:
        """Return a derivative without the sums of deviations from a mean, which are 0."""
        definitions = [NamedMatrix(each, partial(self._meant, each)) for each in self.on_the_way.of]
        return simplified(everywhere(lambda part: S.Zero if _is_nothing(part, definitions) else None, slope))

    def _reached(self, of: MatrixElement) -> list[Expr]:
        """Return the gradient with respect to an entry of Y; none if Y is the loss."""
        return [] if self.asked.grad is None else [MatrixElement(self.asked.grad, of.i, of.j)]

    # -- the check -------------------------------------------------------------------------------------------------

    def _must_agree(
        self, step: Step, shorter: Expr, by_rules: Expr, over: tuple[Bound, ...], of: MatrixElement
    ) -> None:
        """Compare the lines with the gradient, at the given values.

        Raises :class:`~symattn.compute.proof.tree.ProofError` where they differ, or cannot be compared at all.
        """
        by, gradient = self.asked.by, self.solution.enclosure(step.name, BITS)
        ranges = ((ROW, by.shape[0]), (COLUMN, by.shape[1]))
        for at in _choices((*ranges, *over)):
            self._is_one(step, self._worth(shorter, at), self._worth(by_rules, at))
        put_in = totals(over, mul(*self._reached(of), shorter))
        compared = [
            self._is_one(step, self._worth(put_in, at), gradient[at[ROW], at[COLUMN]]) for at in _choices(ranges)
        ]
        if not any(compared):
            raise ProofError(f"{step.name}: no entry of it could be compared")

    def _is_one(self, step: Step, one: arb, other: arb) -> bool:
        """Return whether two balls can be compared. Raises :class:`~symattn.compute.proof.tree.ProofError` if they
        differ.
        """
        are_finite = bool(one.is_finite() and other.is_finite())
        if are_finite and not one.overlaps(other):
            raise ProofError(f"{step.name}: its derivation leads to another value")
        return are_finite

    def _worth(self, node: Expr, at: Mapping[Symbol, int]) -> arb:
        return value_of(node.xreplace(self.solution.derivation.numbers), at, self._value)

    def _value(self, entry: MatrixElement, i: int, j: int) -> arb:
        if not isinstance(entry.parent, MatrixSymbol):
            return self.solution.evaluate_ball(entry.parent, BITS)[i, j]
        if entry.parent not in self.on_the_way.of:
            return self.solution.enclosure(entry.parent.name, BITS)[i, j]
        if (entry.parent, i, j) not in self.values:
            body = self._meant(entry.parent, Integer(i), Integer(j))
            self.values[entry.parent, i, j] = self._worth(body, {})
        return self.values[entry.parent, i, j]

    # -- on the page -------------------------------------------------------------------------------------------------

    def _trees(self, lines: list[Expr]) -> Trees:
        shapes: dict[str, Shape] = {}
        for matrix in {each for line in lines for each in line.atoms(MatrixSymbol)} | {self.asked.by, self.asked.of}:
            if matrix not in self.on_the_way.of:
                shapes[str(matrix.name)] = self.solution.shape(str(matrix.name))
        letters = Letters.choose(self.names, shapes, shapes).beside(self.asked.formula)
        return Trees.of(letters, lines, self.on_the_way.of)


def _axes(matrix: MatrixSymbol, row: Symbol, column: Symbol) -> Iterator[tuple[int, Symbol]]:
    return zip(map(int, matrix.shape), (row, column), strict=True)


def _once(sides: Iterable[Math]) -> Iterable[Math]:
    return dict.fromkeys(sides)


def _where(slope: Expr, index: Expr, among: tuple[Expr, Expr]) -> Expr:
    """Return the only place of an index where a derivative is not 0, or the index itself if there is no such place."""

    def apart(place: Expr) -> Callable[[Expr], Expr | None]:
        delta = KroneckerDelta(index, place)
        return lambda part: S.Zero if part == delta else None

    places = (place for place in among if isinstance(place, Symbol) and isinstance(index, Symbol))
    return next((place for place in places if simplified(everywhere(apart(place), slope)) == 0), index)


def _is_nothing(part: Expr, definitions: list[NamedMatrix]) -> bool:
    """Return whether a part is Σ_k (x_k − μ), which is 0."""
    split = RULES["split_sum"](part)
    return split is not None and simplified(folded(simplified(split), definitions)) == 0


def _keeps_name(operation: Operation, name: str) -> bool:
    return name in on_the_page(operation) and not is_function(operation, name)


def _choices(ranges: tuple[Bound, ...]) -> Iterator[dict[Symbol, int]]:
    """Yield choices of places for all indices; of many, some that lie far apart."""
    sizes = [int(size) for _, size in ranges]
    apart = max(1, -(-prod(sizes) // PLACES))
    for choice in islice(product(*map(range, sizes)), 0, None, apart):
        yield {index: place for (index, _), place in zip(ranges, choice, strict=True)}
