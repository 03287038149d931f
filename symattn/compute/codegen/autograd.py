"""Gradients by automatic differentiation in a generated program: the loss is computed from leaves, ``L.backward()``
goes back, and each gradient is read from ``.grad``. Steps of training are those of ``torch.optim``.

>>> from symattn.api.worked import derive
>>> from symattn.compute.codegen import programs
>>> from symattn.read.scenario.model import differentiated
>>> made = derive("backward")
>>> code = programs(made.store, ["torch"], ["dW_Q"], differentiated(made.scenario))[0].code
>>> print(code[code.index("L = ") : code.index("print_matrix(\\"dW_Q")].rstrip())
L = F.cross_entropy(U, t[0].long()).reshape(1, 1)  # (1, 1)
L.backward()
dW_Q = W_Q.grad.clone()  # (2, 2)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from symattn.read.gradients.rules import UpdateRule
from symattn.read.plan import Plan, Step
from symattn.read.scenario.model import Differentiated

Assigned = Callable[[Step], str]
"""Returns the line that assigns a step its formula."""


@dataclass
class Tape:
    """The steps of a program whose gradients are computed by automatic differentiation."""

    plan: Plan
    wanted: tuple[str, ...]
    known: Differentiated
    gone_back: set[str] = field(default_factory=set)
    """The losses whose gradients have been computed."""
    taken: int = 0
    """The number of training steps made so far."""

    def steps(self) -> list[Step] | None:
        """Return the steps of the program, in order; ``None`` where automatic differentiation cannot compute one."""
        needed, waiting = set[str](), list(self.wanted)
        while waiting:
            name = waiting.pop()
            if name not in needed:
                needed.add(name)
                waiting += self._uses(name)
        found = [step for step in self.plan.steps if step.name in needed]
        return found if self._has_all(found) else None

    def _uses(self, name: str) -> Sequence[str]:
        if name in self.known.gradients:
            return self.known.gradients[name]
        if name in self.known.weights:
            before = self._before(name)
            return *before.values(), *filter(None, map(self._loss_by, before.values()))
        return self.plan[name].uses

    def _before(self, name: str) -> Mapping[str, str]:
        """Return all trained weights, by their givens, as they were one step before a trained weight."""
        time = self.known.weights[name][1] - 1
        if time == 0:
            return {given: given for given, _ in self.known.weights.values()}
        return {given: each for each, (given, after) in self.known.weights.items() if after == time}

    def _loss_by(self, weight: str) -> str:
        """Return the loss that a training step of a weight reduces, or ``""``."""
        trained = {of for of, by in self.known.gradients.values() if by == weight and self._is_trained(of)}
        return next(iter(sorted(trained)), "")

    def _is_trained(self, loss: str) -> bool:
        return loss in self.plan.by_name and self.plan[loss].shape.sizes == (1, 1)

    def _has_all(self, steps: Sequence[Step]) -> bool:
        """Return whether every gradient is one of a number by one of its inputs, with one loss at a time."""
        gradients = [self.known.gradients[step.name] for step in steps if step.name in self.known.gradients]
        losses = {of for of, _ in gradients}
        if not gradients and not any(step.name in self.known.weights for step in steps):
            return False
        if any(not self._is_trained(of) or by not in self.plan.behind([of]) for of, by in gradients):
            return False
        return len(losses) <= 1 or self.known.rule is not None

    # -- the lines -------------------------------------------------------------------------------------------------

    @property
    def leaves(self) -> frozenset[str]:
        """The givens whose gradients are kept."""
        trained = {given for given, _ in self.known.weights.values()} if self._trains else set()
        return frozenset(name for name in self._by | trained if self.plan[name].is_given)

    @property
    def _by(self) -> set[str]:
        """The names that the program's gradients belong to."""
        names = (step.name for step in self.steps() or ())
        return {self.known.gradients[name][1] for name in names if name in self.known.gradients}

    @property
    def _trains(self) -> bool:
        return any(step.name in self.known.weights for step in self.steps() or ())

    def names(self) -> dict[str, str]:
        """Return the program's names for trained weights: an optimizer step changes a weight in place."""
        return {name: given for name, (given, _) in self.known.weights.items()}

    def optimizer(self, given: Callable[[str], str]) -> Iterator[str]:
        """Yield the line that makes the optimizer, where there is training."""
        if self.known.rule is not None and self._trains:
            weights = dict.fromkeys(given(weight) for weight, _ in self.known.weights.values())
            yield f"optimizer = {_optimizer(self.known.rule, weights)}"

    def lines(self, steps: Iterable[Step], written: Assigned, called: Callable[[str], str]) -> Iterator[str]:
        """Yield the lines of the steps."""
        kept = self._by
        for step in steps:
            if step.name in self.known.gradients:
                of, by = self.known.gradients[step.name]
                yield from self._back(of, called)
                yield _with_shape(step, f"{called(step.name)} = {called(by)}.grad.clone()")
            elif step.name in self.known.weights:
                yield from self._step(step, called)
            else:
                yield written(step)
                if step.name in kept:
                    yield f"{called(step.name)}.retain_grad()"

    def _back(self, loss: str, called: Callable[[str], str]) -> Iterator[str]:
        if loss not in self.gone_back:
            self.gone_back.add(loss)
            yield f"{called(loss)}.backward()"

    def _step(self, step: Step, called: Callable[[str], str]) -> Iterator[str]:
        """Yield the lines of a training step, which is made once for all weights, and of one weight after it."""
        given, time = self.known.weights[step.name]
        if self.taken < time:
            self.taken = time
            yield from self._back(self._loss_by(self._before(step.name)[given]), called)
            yield "optimizer.step()"
            yield "optimizer.zero_grad()"
        if step.name in self.wanted:
            yield _with_shape(step, f"{step.name} = {called(given)}.detach().clone()")


def _with_shape(step: Step, line: str) -> str:
    rows, columns = step.shape.sizes
    return f"{line}  # ({rows}, {columns})"


def _optimizer(rule: UpdateRule, weights: Iterable[str]) -> str:
    """Return the PyTorch optimizer for a rule."""
    numbers = {key: _number(value) for key, value in rule.numbers.items()}
    said = [f"lr={numbers['rate']}"]
    if rule.name == "momentum":
        said.append(f"momentum={numbers['momentum']}")
    if "beta1" in numbers:
        said += [f"betas=({numbers['beta1']}, {numbers['beta2']})", f"eps={numbers['epsilon']}"]
    if rule.numbers["decay"] != 0 or rule.name == "adamw":
        said.append(f"weight_decay={numbers['decay']}")
    name = {"sgd": "SGD", "momentum": "SGD", "adam": "Adam", "adamw": "AdamW"}[rule.name]
    return f"torch.optim.{name}([{', '.join(weights)}], {', '.join(said)})"


def _number(value: object) -> str:
    return str(value).replace("/", " / ")
