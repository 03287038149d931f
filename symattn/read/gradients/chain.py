"""Backpropagate through a plan, from the last step to the first, with each gradient as an ordinary step.

∂L/∂X of a matrix is the sum of the contributions of all steps Y that use X:
∂L/∂X = Σ_Y (∂L/∂Y)(∂Y/∂X). Every gradient has the shape of its matrix.

>>> from symattn.base.shapes import shape
>>> plan = Plan().given("x", shape(1, 3)).given("W", shape(3, 2)).given("t", shape(1, 2))
>>> plan = plan.step("y", "x @ W").step("L", "(y - t) @ (y - t).T")
>>> for line in backward(plan, "L", ["W"]).lines:
...     print(line.step)
L_in = y - t
dL_in = 2 * L_in
dy = dL_in
dW = x.T @ dy

Source: Rumelhart, Hinton and Williams 1986, *Learning representations by back-propagating errors*, equations (4)–(7).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, Literal

from sympy import Integer, MatAdd, MatMul, MatPow, MatrixExpr, MatrixSymbol, OneMatrix, Transpose

from symattn.base.errors import FormulaError, UnknownNameError, unknown
from symattn.operations import LayerNorm, Quotient, Repeated, RMSNorm
from symattn.operations.node import parameters_of
from symattn.operations.terms import size_number, symbol
from symattn.read.gradients.local import passed_on
from symattn.read.gradients.moving import (
    CHOICES,
    Entries,
    acts_through,
    choices,
    is_plain,
    moved,
    must_not_choose,
    names_and_symbols,
    names_moving,
    parts_of,
    reaching_entries,
    reaching_symbols,
    takes_once,
)
from symattn.read.gradients.nodes import (
    by_step,
    collected_sum,
    divided,
    is_compound,
    matrices_in,
    matrix_product,
    matrix_sum,
    numbers_in,
    replaced,
    scaled,
    transpose_of,
    unsigned,
    with_arguments,
    without_gain,
)
from symattn.read.gradients.ways import called_inside, way_back
from symattn.read.plan import BuiltLine, Derivative, Plan, Step

LineRole = Literal["inside", "only", "path", "sum", "none"]
"""The role of a line: a name for a part of a step, the only path on which something acts, one of several paths, their
sum, or 0 if there is no path."""


@dataclass(frozen=True)
class GradientLine(BuiltLine):
    """A step ``name = formula`` of a backward pass: the gradient ``of`` a matrix, and the step it comes through."""

    role: LineRole
    of: str
    through: str = ""
    how: str = ""
    """The kind of path it comes back on, as defined in :mod:`symattn.read.gradients.ways`."""
    cut: tuple[str, ...] = ()
    """Operations inside whose choice is treated as constant: argmax, top-k."""
    loss: str = ""
    """The matrix that is differentiated; ``seed`` is the G of a vector-Jacobian product."""
    seed: str = ""

    @property
    def derivative(self) -> Derivative | None:
        if self.role == "inside":
            return None
        through = self.through if self.role == "path" else ""
        return Derivative(self.loss, self.of, self.seed, through)

    @property
    def inside(self) -> str:
        return self.through if self.role == "inside" else ""


@dataclass(frozen=True)
class BackwardPass:
    """The lines of a backward pass, the plan with them, and the name of the gradient of each matrix."""

    lines: tuple[GradientLine, ...] = ()
    plan: Plan = field(default_factory=Plan)
    names: Mapping[str, str] = field(default_factory=dict)


def backward(
    plan: Plan,
    of: str,
    wrt: Sequence[str],
    grad: str | None = None,
    called: Mapping[str, str] = MappingProxyType({}),
    before: BackwardPass | None = None,
    entries: Entries = MappingProxyType({}),
) -> BackwardPass:
    """Return the gradients of ``of``, a single number, with respect to some matrices; or the vector-Jacobian product
    with ``grad``, of the shape of ``of``. ``called`` gives names to gradients, ``before`` holds those of the same loss
    that are already steps of the plan, ``entries`` are the rows of givens that contain symbols.

    Raises :class:`~symattn.base.errors.UnknownNameError` for an unknown name, and
    :class:`~symattn.base.errors.FormulaError` if there is no such gradient.
    """
    known = before or BackwardPass()
    avoided = set[str]()
    while True:
        try:
            return _Chain(plan, of, tuple(wrt), grad, called, dict(known.names), entries, avoided).run()
        except _OtherGradient as other:
            avoided.add(other.name)


class _OtherGradient(Exception):
    """The gradient that reaches a named part of a formula differs from the one already known for it."""

    def __init__(self, name: str) -> None:
        self.name = name


@dataclass
class _Chain:
    plan: Plan
    of: str
    wrt: tuple[str, ...]
    grad: str | None
    called: Mapping[str, str]
    names: dict[str, str]
    """The names of the known gradients, by the matrix or symbol."""
    entries: Entries = field(default_factory=dict)
    avoided: Collection[str] = ()
    """Parts of formulas whose gradients cannot be reused here, because they belong to other places."""
    lines: list[GradientLine] = field(default_factory=list)
    waiting: dict[str, list[tuple[MatrixExpr | None, str]]] = field(default_factory=dict)
    """The gradients that have reached a matrix so far, each with the step it came through."""
    inside: set[str] = field(default_factory=set)
    """The names of parts of formulas that a gradient reaches."""
    parts: dict[tuple[str, Any], str] = field(default_factory=dict)
    """The names of all parts of formulas, by the step and the formula."""
    same: dict[MatrixExpr, MatrixExpr] = field(default_factory=dict)
    """The step for each formula after its parts have been replaced by their names."""
    symbols: dict[str, MatrixExpr] = field(default_factory=dict)
    by_formula: dict[MatrixExpr, MatrixExpr] = field(default_factory=dict)
    """The first step with each formula that is worth a name."""
    found: int = 0
    """The number of steps that ``by_formula`` covers."""
    forward: dict[MatrixExpr, MatrixExpr] = field(default_factory=dict)

    def run(self) -> BackwardPass:
        self._check()
        self.active = self._active()
        for step in self.plan.steps:
            if step.inside and step.name in self.names and step.name not in self.avoided:
                self.parts.setdefault((step.inside, step.formula), step.name)
        self.choosing = self._choosing()
        grad = None if self.grad is None else self._symbol(self.grad)
        self.waiting[self.of] = [(grad, "")]
        for step in reversed(self.plan.steps):
            if step.name in self.active:
                self._through_step(step)
        self._through_entries()
        for name in self.wrt:
            if name in self.waiting and name in self.plan.symbols:
                self._reached(name)
            if name == self.of and name not in self.names:
                self._add(self._called(name), _or_one(grad), "only", name)
            elif name not in self.names:
                self._nothing(name)
            elif self.names[name] != self.called.get(name, self.names[name]):
                self._add(self.called[name], self._symbol(self.names[name]), "only", name)
        return BackwardPass(tuple(self.lines), self.plan, self.names)

    # -- what is asked -------------------------------------------------------------------------------------------------

    def _check(self) -> None:
        for name in (self.of, *self.wrt, *([self.grad] if self.grad else [])):
            if name in self.plan.batches:
                first = self.plan.batches[name].names[0]
                raise FormulaError(f"{name} is several matrices: expected one of them, such as {first}")
            if name not in self.plan.by_name and name not in self.plan.symbols:
                raise UnknownNameError(unknown("name", name, [*self.plan.by_name, *self.plan.symbols]))
        if twice := next((name for k, name in enumerate(self.wrt) if name in self.wrt[:k]), ""):
            raise FormulaError(f"the gradient by {twice} is asked for twice")
        shape = self.plan[self.of].shape
        if self.grad is None and shape.sizes != (1, 1):
            raise FormulaError(
                f"{self.of} is {shape}: expected a single number to take gradients of, such as the sum of its entries; "
                f"of a matrix there is vjp({self.of}, G, X), with a G of its shape"
            )
        if self.grad is not None and self.plan[self.grad].shape.sizes != shape.sizes:
            raise FormulaError(f"{self.grad} is {self.plan[self.grad].shape}, {self.of} is {shape}: expected one shape")

    def _active(self) -> frozenset[str]:
        """Return the matrices that the requested variables act on, and the variables."""
        found = set(self.wrt) | acts_through(self.entries, set(self.wrt) & set(self.plan.symbols))
        for step in self.plan.steps:
            if step.formula is not None and found & names_moving(step.formula):
                found.add(step.name)
        return frozenset(found)

    def _nothing(self, name: str) -> None:
        """Add the gradient of a matrix that no gradient reaches: exactly 0; raise if only a choice depends on it."""
        must_not_choose(self.plan, self.of, name)
        sizes = (1, 1) if name in self.plan.symbols else self.plan[name].shape.sizes
        rows, columns = map(size_number, sizes)
        self._add(self._called(name), MatMul(Integer(0), OneMatrix(rows, columns), evaluate=False), "none", name)

    def _choosing(self) -> dict[str, dict[str, None]]:
        """Return the choices among the entries of each matrix, on the way to the loss."""
        found: dict[str, dict[str, None]] = {}
        formulas = (self.plan[name].formula for name in self.plan.behind([self.of]))
        for node, each in (choice for formula in formulas if formula is not None for choice in choices(formula)):
            for name in names_and_symbols(node) if each in CHOICES else ():
                found.setdefault(name, {})[each] = None
        return found

    # -- one step ------------------------------------------------------------------------------------------------------

    def _through_step(self, step: Step) -> None:
        """Propagate a step's gradient to the operands of its formula, and to the named parts inside it."""
        if step.name in self.waiting:
            reached = self._reached(step.name)
            if step.formula is not None:
                self._push(step.formula, reached, step.name)
        waiting = [name for name in self.waiting if name in self.inside]
        for name in waiting:
            others = (self.plan[other].formula for other in waiting if other != name)
            if not any(self.plan[name].formula in parts_of(formula) for formula in others):  # all has reached it
                self._through_step(self.plan[name])
                break

    def _through_entries(self) -> None:
        """Propagate the gradients of givens to the symbols in their entries."""
        wanted = set(self.wrt) & set(self.plan.symbols)
        for name in acts_through(self.entries, wanted):
            if name in self.waiting or name in self.names:
                grad = self._symbol(self.names[name]) if name in self.names else self._reached(name)
                for letter, part in reaching_entries(self.entries[name], grad, wanted):
                    self.waiting.setdefault(letter, []).append((part, name))

    def _reached(self, name: str) -> MatrixExpr | None:
        """Return ∂L/∂(a matrix) under its own name, once all contributions have reached it."""
        parts = self.waiting.pop(name)
        if name == self.of:
            return parts[0][0]
        ways = by_step((_or_one(part), through) for part, through in parts)
        if name in self.names:
            known, brought = self.plan[self.names[name]].formula, matrix_sum([part for _, part in ways])
            if name in self.inside and self._in_names(brought) != self._in_names(known):
                raise _OtherGradient(name)
            return self._symbol(self.names[name])
        if len(ways) == 1:
            return self._symbol(self._named(name, ways[0][1], "only", ways[0][0]))
        symbols = []
        for through, part in ways:
            if not isinstance(part, MatrixSymbol):
                called = self._new(f"{self._called(name)}_{through}")
                self._add(called, self._known(part), "path", name, through)
                part = self._symbol(called)
            symbols.append(part)
        return self._symbol(self._named(name, matrix_sum(symbols), "sum", ""))

    def _named(self, name: str, node: MatrixExpr | None, role: LineRole, through: str) -> str:
        called = self._called(name)
        self._add(called, self._known(_or_one(node)), role, name, through)
        return called

    def _add(self, called: str, node: MatrixExpr, role: LineRole, name: str, through: str = "") -> None:
        cut = self.choosing.get(name, ()) if role in ("only", "sum") else ()
        term, seed = self.plan.term(node), self.grad or ""
        line = GradientLine(called, term, role, name, through, cut=tuple(cut), loss=self.of, seed=seed)
        self.plan = self.plan.built(line)
        self.lines.append(replace(line, how=way_back(self.plan, name, through)))
        if role != "path" and role != "inside":
            self.names.setdefault(name, called)

    def _called(self, name: str) -> str:
        return self.called.get(name) or self._new(f"d{name}")

    def _new(self, name: str) -> str:
        taken = {*self.plan.by_name, *self.plan.sizes, *self.plan.symbols, *self.plan.operations, *self.plan.batches}
        return next(each for each in _numbered(name) if each not in taken)

    def _symbol(self, name: str) -> MatrixExpr:
        if name not in self.symbols:
            self.symbols[name] = symbol(name, self.plan[name].shape).expr
        return self.symbols[name]

    def _forward(self) -> dict[MatrixExpr, MatrixExpr]:
        """Return the first step, up to the loss, with each formula that is worth a name."""
        if not self.forward:
            steps = self.plan.steps[: [step.name for step in self.plan.steps].index(self.of) + 1]
            found = {step.formula: self._symbol(step.name) for step in reversed(steps) if is_compound(step.formula)}
            self.forward |= found
        return self.forward

    def _known(self, node: MatrixExpr) -> MatrixExpr:
        """Replace the parts of a formula that are already steps by their names."""
        for step in self.plan.steps[self.found :]:
            if is_compound(step.formula):
                self.by_formula.setdefault(step.formula, self._symbol(step.name))
                if isinstance(step.formula, MatAdd):  # of a product or a function, a transpose stays one
                    turned = transpose_of(step.formula)
                    self.by_formula.setdefault(turned, Transpose(self._symbol(step.name)))
        self.found = len(self.plan.steps)
        return replaced(node, {**self.same, **self.by_formula})

    def _in_names(self, node: MatrixExpr) -> MatrixExpr:
        """Replace parts of a formula by the names of steps until nothing changes."""
        while (named := self._known(node)) != node:
            node = named
        return node

    # -- through a formula -----------------------------------------------------------------------------------------

    def _push(self, node: Any, grad: MatrixExpr | None, through: str) -> None:
        """Propagate the gradient of a formula to its operands."""
        if isinstance(node, MatrixSymbol):
            if node.name in self.active:
                self.waiting.setdefault(node.name, []).append((grad, through))
            return
        if not names_moving(node) & self.active:
            return
        if (name := self.parts.get((self.plan.root(through), node), through)) in self.inside and name != through:
            # A part that has a name in one place of a step has it in all later places: its gradient comes back from all
            # of them.
            self.waiting.setdefault(name, []).append((grad, through))
            return
        for name, part in reaching_symbols(node, grad, self.active):
            self.waiting.setdefault(name, []).append((part, through))
        match node:
            case MatAdd():
                for term in node.args:
                    self._push(term, grad, through)
            case Transpose():
                self._push(node.arg, None if grad is None else transpose_of(grad), through)
            case Quotient():
                one = OneMatrix(*node.shape) if grad is None else grad
                self._push(node.args[0], divided(one, [node.args[1]]), through)
            case MatMul():
                self._through_product(node, grad, through)
            case LayerNorm() | RMSNorm() if node.gamma is not None:
                self._push(without_gain(node), grad, through)
            case MatPow():
                factors = MatMul(*[node.base] * int(node.exp), evaluate=False)
                self._through_product(factors, grad, through)
            case _:
                self._through_operation(node, grad, through)

    def _through_product(self, node: MatMul, grad: MatrixExpr | None, through: str) -> None:
        numbers, factors = numbers_in(node), matrices_in(node)
        one = OneMatrix(*node.shape) if grad is None else grad
        if len(factors) == 1:
            self._push(factors[0], scaled(numbers, one), through)
            return
        turning = [k for k, factor in enumerate(factors) if names_moving(factor) & self.active]
        others = [factor for k, factor in enumerate(factors) if k not in turning]
        if len(turning) > 1 or not (is_plain(one, *others) and takes_once(factors[turning[0]], self.active)):
            factors = tuple(self._inside(factor, through) for factor in factors)
        reached: dict[Any, list[MatrixExpr]] = {}
        for k in turning:
            before = [transpose_of(each) for each in reversed(factors[:k])]
            after = [transpose_of(each) for each in reversed(factors[k + 1 :])]
            part = scaled(numbers, matrix_product(*before, one, *after))
            target, turned = (factors[k].arg, True) if isinstance(factors[k], Transpose) else (factors[k], False)
            reached.setdefault(target, []).append(transpose_of(part) if turned else part)
        self._push_all(reached, through)

    def _through_operation(self, node: Any, grad: MatrixExpr | None, through: str) -> None:
        given = [(k, arg) for k, (_, arg) in enumerate(parameters_of(node)) if getattr(arg, "is_Matrix", False)]
        acting = [k for k, arg in moved(node) if names_moving(arg) & self.active]
        inside = {
            k: arg if self._goes_on_plainly(node, k, arg, grad) else self._inside(arg, through, node)
            for k, arg in given
            if k in acting
        }
        if any(inside[k] != arg for k, arg in given if k in inside):
            named = with_arguments(node, inside)
            if self.plan[through].formula == node:
                self.same[named] = self._symbol(through)
            node = named
        reached: dict[Any, list[MatrixExpr]] = {}
        for k in acting:
            reached.setdefault(inside[k], []).append(passed_on(node, k, grad))
        self._push_all(reached, through)

    def _push_all(self, reached: dict[Any, list[MatrixExpr]], through: str) -> None:
        """Propagate the summed gradients of each part, over all of its places."""
        for target, parts in reached.items():
            self._push(target, collected_sum(parts), through)

    def _goes_on_plainly(self, node: Any, place: int, arg: MatrixExpr, grad: MatrixExpr | None) -> bool:
        """Return whether the gradient of an operand needs no name: that of a sum of entries is ones, adding a constant,
        such as a mask, changes nothing, and the slope of (t − y)² is 2 (t − y)."""
        if isinstance(arg, MatrixSymbol):
            return False
        # Not by gradients that have names: the answer must not depend on which gradients were requested before.
        part = replaced(passed_on(node, place, grad), self._forward())
        terms = arg.args if isinstance(arg, MatAdd) else ()
        moving = [term for term in terms if names_moving(term) & self.active]
        adds = len(moving) == 1 and isinstance(moving[0], MatrixSymbol)
        is_one = len(moving) == 1 and isinstance(unsigned(moving[0]), MatrixSymbol)
        if is_one and isinstance(part, MatMul) and matrices_in(part) == (arg,):
            return len(terms) == 2
        return not part.has(arg) and (adds or (is_plain(part) and takes_once(arg, self.active)))

    def _inside(self, node: MatrixExpr, through: str, within: Any = None) -> MatrixExpr:
        """Give a part inside a formula a name of its own, so that its gradient has one."""
        plainest = node.arg if isinstance(node, Transpose) else node
        if not names_moving(node) & self.active or isinstance(plainest, MatrixSymbol | Repeated):
            return node
        # A step with the same formula is another matrix: L depends on it only where its name is used. The same holds
        # for the same part of another step, which other gradients reach.
        root = self.plan.root(through)
        called = self.parts.get((root, plainest), "")
        if not called:
            called = self.parts[root, plainest] = self._new(called_inside(plainest, within, root))
            self._add(called, plainest, "inside", called, root)
        found = self._symbol(called)
        self.inside.add(called)
        self.active |= {called}
        return transpose_of(found) if plainest is not node else found


def _or_one(node: MatrixExpr | None) -> MatrixExpr:
    """Return the gradient of a number, which is 1 if it comes straight from the loss."""
    return OneMatrix(1, 1) if node is None else node


def _numbered(name: str) -> Iterator[str]:
    yield name
    number = 2
    while True:
        yield f"{name}_{number}"
        number += 1
