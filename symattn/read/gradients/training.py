"""Steps of training: new weights from gradients by a rule, then the forward pass again, each as an ordinary step.

>>> from symattn.base.shapes import shape
>>> from sympy import Rational
>>> plan = Plan().given("x", shape(1, 3)).given("W", shape(3, 2)).given("t", shape(1, 2))
>>> plan = plan.step("y", "x @ W").step("L", "(y - t) @ (y - t).T")
>>> for line in train(plan, "L", ["W"], UpdateRule.of("momentum", {"rate": Rational(1, 10)}), 2).lines:
...     print(line.step if line.shown else f"({line.step})")
v_W_t1 = dW
W_t1 = W - (1/10) * v_W_t1
(y_t1 = x @ W_t1)
(L_t1 = (y_t1 - t) @ (y_t1 - t).T)
(L_t1_in = y_t1 - t)
(dL_t1_in = 2 * L_t1_in)
(dy_t1 = dL_t1_in)
(dW_t1 = x.T @ dy_t1)
v_W_t2 = (9/10) * v_W_t1 + dW_t1
W_t2 = W_t1 - (1/10) * v_W_t2
(y_t2 = x @ W_t2)
(L_t2 = (y_t2 - t) @ (y_t2 - t).T)
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

from sympy import MatrixExpr, MatrixSymbol

from symattn.base import limits
from symattn.base.errors import FormulaError, unknown
from symattn.operations import Hadamard, Softmax
from symattn.operations.node import given_of, operation_of
from symattn.operations.terms import Term, symbol
from symattn.read.gradients.chain import BackwardPass, GradientLine, backward
from symattn.read.gradients.local import of_ours
from symattn.read.gradients.nodes import replaced
from symattn.read.gradients.rules import Moments, UpdateRule
from symattn.read.plan import BuiltLine, Derivative, Plan

_TARGET = "p_target"
"""The name of the probabilities of the targets."""


@dataclass(frozen=True)
class TrainingLine(BuiltLine):
    """A step ``name = formula`` of training, after ``time`` steps of the rule.

    ``role`` is its kind, ``of`` the weight or the step it belongs to; ``like`` is the name whose successor it is, if it
    is written W^{(1)}. Lines that only repeat an earlier computation are not ``shown``.
    """

    role: str
    of: str
    time: int
    shown: bool = True
    like: str = ""
    gradient: GradientLine | None = None
    loss: str = ""
    """For a gradient: the loss it belongs to."""

    @property
    def derivative(self) -> Derivative | None:
        return None if self.gradient is None else self.gradient.derivative


@dataclass(frozen=True)
class Training:
    """The lines of a training, and the names of the forward pass after each of its steps."""

    lines: tuple[TrainingLine, ...]
    plan: Plan
    times: tuple[Mapping[str, str], ...]
    """By time, from 0 on: the current names of each weight, each step of the forward pass and the loss."""
    first: BackwardPass
    """The first backward pass, whose gradients may be steps already."""
    targets: str = ""
    """The column with the probability of each target, if the loss is a cross-entropy."""


def train(
    plan: Plan,
    of: str,
    weights: Sequence[str],
    rule: UpdateRule,
    steps: int = 1,
    before: BackwardPass | None = None,
    watched: Sequence[str] = (),
) -> Training:
    """Train ``weights`` for some steps to reduce the loss ``of``. ``before`` has its gradients that are already steps
    of the plan; the others are in the :class:`Training`. Of the forward pass, the steps that lead to the loss and to
    the ``watched`` names are repeated.

    Raises :class:`~symattn.base.errors.FormulaError` if there is no such gradient, for a weight that is not a given,
    and if there are too many steps.
    """
    for name in weights:
        _must_be_given(plan, name)
    first = backward(plan, of, weights, None, MappingProxyType({}), before)
    return _Training(first.plan, of, tuple(weights), rule, first, list(watched)).run(steps)


def _must_be_given(plan: Plan, name: str) -> None:
    if name not in plan.by_name:
        raise FormulaError(unknown("name", name, [step.name for step in plan.steps if step.is_given]))
    step = plan[name]
    if not step.is_given:
        raise FormulaError(f"{name} is worked out, from {', '.join(step.uses) or 'numbers'}: expected a given")
    if step.general:
        raise FormulaError(f"{name} is general and has no numbers: expected a given")


@dataclass
class _Training:
    plan: Plan
    of: str
    weights: tuple[str, ...]
    rule: UpdateRule
    first: BackwardPass
    watched: list[str]
    lines: list[TrainingLine] = field(default_factory=list)
    promised: set[str] = field(default_factory=set)
    """Names that steps have or will have."""

    def run(self, steps: int) -> Training:
        targets = self._targets()
        forward = self._forward()
        times: list[dict[str, str]] = [{name: name for name in (*self.weights, *forward, self.of, *self.watched)}]
        grads, last = {name: self.first.names[name] for name in self.weights}, dict[str, Moments]()
        for t in range(1, steps + 1):
            called = times[-1]
            if t > 1:
                grads = self._backward(called, t - 1)
            now = {name: self._moments(name, t) for name in self.weights}
            for name in self.weights:
                before, grad = self._symbol(called[name]), self._symbol(grads[name])
                for new, formula, role in self.rule.updates(before, grad, now[name], last.get(name), t):
                    like = name if new == now[name].weight else ""
                    self._add(new, self.plan.term(formula), role, name, t, like=like)
            last = now
            times.append(self._again(forward, called, {name: each.weight for name, each in now.items()}, t))
        return Training(tuple(self.lines), self.plan, tuple(times), self.first, targets)

    def _targets(self) -> str:
        """Add a step with the probability of every target if the loss is a cross-entropy, and return its name."""
        for name in self.plan.behind([self.of]):
            for node in _nodes(self.plan[name].formula):
                operation = operation_of(node) if node.args else None
                if operation is not None and operation.name == "cross_entropy":
                    logits, ids = (given_of(node)[each.name] for each in operation.parameters[:2])
                    hot = of_ours("one_hot", ids=ids, v=logits.shape[1])
                    called = self._named(of_ours("row_sum", X=Hadamard(Softmax(logits), hot)), name)
                    self.watched.append(called)
                    return called
        return ""

    def _named(self, node: MatrixExpr, of: str) -> str:
        """Return the step that already has this formula, or add one that uses the names of earlier steps."""
        called = self._new(_TARGET)
        for step in self.plan.steps:
            if step.formula is not None and not isinstance(step.formula, MatrixSymbol):
                node = replaced(node, {step.formula: self._symbol(step.name)})
        if isinstance(node, MatrixSymbol):
            return str(node.name)
        self._add(called, self.plan.term(node), "targets", of, 0)
        return called

    def _forward(self) -> tuple[str, ...]:
        """Return the steps that change with the weights, up to the loss and the watched names."""
        changed = set(self.weights)
        for name in self.plan.behind([self.of, *self.watched]):
            if changed & set(self.plan[name].uses):
                changed.add(name)
        return tuple(step.name for step in self.plan.steps if step.name in changed and not step.is_given)

    def _again(
        self, forward: Sequence[str], last: Mapping[str, str], weights: Mapping[str, str], t: int
    ) -> dict[str, str]:
        """Add the forward pass with new weights."""
        called = {**last, **weights}
        new = {self._symbol(name): self._symbol(other) for name, other in weights.items()}
        for name in forward:
            called[name] = self._new(f"{name}_t{t}")
            again = self.plan.term(replaced(self.plan[name].formula, new))
            self._add(called[name], again, "again", name, t, shown=False, like=name)
            new[self._symbol(name)] = self._symbol(called[name])
        return called

    def _backward(self, called: Mapping[str, str], t: int) -> dict[str, str]:
        """Add the backward pass from the loss after ``t`` steps."""
        loss = called[self.of]
        made = backward(self.plan, loss, [called[name] for name in self.weights])
        self.plan = made.plan
        for line in made.lines:
            self.lines.append(
                TrainingLine(line.name, line.term, line.role, line.of, t, False, gradient=line, loss=loss)
            )
        self._must_be_few()
        return {name: made.names[called[name]] for name in self.weights}

    def _moments(self, name: str, t: int) -> Moments:
        second = "v_hat" if self.rule.name in ("adam", "adamw") else "v"
        return Moments(
            self._new(f"{name}_t{t}"),
            *(self._new(f"{letter}_{name}_t{t}") for letter in ("g", "m", "m_hat", "v", second)),
        )

    def _add(self, name: str, term: Term, role: str, of: str, time: int, shown: bool = True, like: str = "") -> None:
        line = TrainingLine(name, term, role, of, time, shown, like)
        self.plan = self.plan.built(line)
        self.lines.append(line)
        self._must_be_few()

    def _must_be_few(self) -> None:
        if len(self.plan.steps) > limits.TRAINED_STEPS:
            raise FormulaError(
                f"training makes more than TRAINED_STEPS = {limits.TRAINED_STEPS} steps: expected fewer steps of the "
                "rule, or fewer weights"
            )

    def _new(self, name: str) -> str:
        plan = self.plan
        taken = {*plan.by_name, *plan.sizes, *plan.symbols, *plan.operations, *plan.batches, *self.promised}
        number = 1
        while (found := name if number == 1 else f"{name}_{number}") in taken:
            number += 1
        self.promised.add(found)
        return found

    def _symbol(self, name: str) -> Any:
        return symbol(name, self.plan[name].shape).expr


def _nodes(node: Any) -> Iterator[Any]:
    """Yield the computed matrices in a formula."""
    if getattr(node, "is_Matrix", False) and node.args and not node.is_Symbol:
        yield node
        for arg in node.args:
            yield from _nodes(arg)
