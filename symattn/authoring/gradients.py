"""Gradients in a derivation written in Python: steps such as ``dW = grad(L, W)``, worked out at once.

>>> from symattn.authoring import Derivation
>>> d = Derivation(title="A linear layer")
>>> x, W = d.given("x", [[1, 2]]), d.given("W", [[1], ["1/2"]])
>>> y = d.step("y", x @ W)
>>> L = d.step("L", y @ y.T)
>>> dW, dx = d.gradient(L, [W, x])
>>> new = d.step("W_new", W - dW / 10)
>>> d.solve()["dW"].exact.T, d.solve()["W_new"].exact.T
(Matrix([[4, 8]]), Matrix([[3/5, -3/10]]))
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain, count
from typing import Any, Literal, overload

from symattn.authoring.draft import known_name, plain, quoted
from symattn.authoring.expression import Expression, Scalar
from symattn.authoring.page import PageMethods
from symattn.errors import FormulaError, SymattnError
from symattn.scenario.fields import described
from symattn.scenario.gradients import gradients_there

Wanted = Expression | Scalar | str
"""What a gradient may be taken by: a matrix, one of the symbols, or a name."""


class GradientMethods(PageMethods):
    """The part of :class:`~symattn.authoring.Derivation` that takes gradients."""

    @overload
    def gradient(
        self, of: Expression | str, wrt: Wanted, *, check: str | Literal[False] | None = None
    ) -> Expression: ...
    @overload
    def gradient(
        self, of: Expression | str, wrt: list[Any] | tuple[Wanted, ...], *, check: str | Literal[False] | None = None
    ) -> tuple[Expression, ...]: ...
    def gradient(
        self,
        of: Expression | str,
        wrt: Wanted | list[Any] | tuple[Wanted, ...],
        *,
        check: str | Literal[False] | None = None,
    ) -> Expression | tuple[Expression, ...]:
        """∂L/∂W of a single number, with every gradient on the way as a step of its own; of several names several.

        What comes back are names for the formulas that follow: ``dW`` is the gradient by ``W``. The page moves one
        entry by 0.001 and compares what the loss does: ``check="W[2,1]"`` names the entry, ``check=False`` leaves the
        comparison out.

        Raises :class:`~symattn.errors.FormulaError` where there is no such gradient.
        """
        call = f"gradient({_called(of)})"
        if isinstance(wrt, Expression | Scalar | str):
            return self._gradient(self._known(of, call), self._by(wrt, call), call, check)
        listed: object = wrt
        if not isinstance(listed, list | tuple) or not listed:
            raise FormulaError(f"{call}: expected a name or a list of names, came {described(wrt)}")
        loss, names = self._known(of, call), [self._by(each, call) for each in wrt]
        if twice := next((name for k, name in enumerate(names) if name in names[:k]), ""):
            raise FormulaError(f"{call}: the gradient by {twice} is asked for twice")
        checks = [*(None for _ in names[1:]), check]
        return tuple(self._gradient(loss, name, call, each) for name, each in zip(names, checks, strict=True))

    def vjp(self, of: Expression | str, grad: Expression | str, wrt: Wanted, *, name: str | None = None) -> Expression:
        """(∂Y/∂X)ᵀ applied to ``grad``, of the shape of ``of``: what comes back on the way from Y to X.

        Raises :class:`~symattn.errors.FormulaError` where the shapes do not fit, or there is no such gradient.
        """
        call = f"vjp({_called(of)})"
        names = self._known(of, call), self._known(grad, call), self._by(wrt, call)
        return self._asked(name, f"d{names[-1]}", f"vjp({', '.join(names)})", call)

    def jacobian(self, of: Expression | str, wrt: Wanted, *, name: str | None = None) -> Expression:
        """∂y/∂x of small matrices: a row for every entry of ``of``, a column for every entry of ``wrt``, each numbered
        row by row.

        Raises :class:`~symattn.errors.FormulaError` for one that is too large, or where there is none.
        """
        call = f"jacobian({_called(of)})"
        names = self._known(of, call), self._by(wrt, call)
        return self._asked(name, f"J_{names[0]}", f"jacobian({', '.join(names)})", call)

    def train(self, of: Expression | str, weights: Sequence[Expression | str], *, rule: str, **settings: Any) -> None:
        """Some steps of training at the end of the page: W ← W − η ∂L/∂W by a rule, and the loss before and after.

        ``rule`` is sgd, momentum, adam or adamw; ``settings`` are those of ``[train]``: ``rate``, ``momentum``,
        ``beta1``, ``beta2``, ``epsilon``, ``decay``, ``steps``, ``watch``, ``title``. The weights are givens.

        Raises :class:`~symattn.errors.ScenarioError` for settings that do not fit, and
        :class:`~symattn.errors.FormulaError` for a loss that is no single number.

        >>> from symattn.authoring import Derivation
        >>> d = Derivation(title="One step")
        >>> x, W = d.given("x", [[1, 2]]), d.given("W", [[1], ["1/2"]])
        >>> y = d.step("y", x @ W)
        >>> d.train(d.step("L", y @ y.T), [W], rule="sgd", rate="1/20")
        >>> d.solve()["W_t1"].exact.T, d.solve()["L_t1"].exact
        (Matrix([[4/5, 1/10]]), Matrix([[1]]))
        """
        call = f"train({_called(of)})"
        if "train" in self._draft.data:
            raise FormulaError(f"{call}: this derivation trains already: expected one call, with steps=2 for two steps")
        listed = [weights] if isinstance(weights, Expression | str) else list(weights)
        table = {"rule": rule, "of": self._known(of, call), "weights": [self._known(each, call) for each in listed]}
        self._draft.data["train"] = table | {name: plain(value) for name, value in settings.items()}
        try:
            self._draft.scenario()
        except SymattnError:
            del self._draft.data["train"]
            raise

    # -- helpers -------------------------------------------------------------------------------------------------------

    def _gradient(self, of: str, wrt: str, call: str, check: str | Literal[False] | None) -> Expression:
        there = gradients_there(self._draft.scenario(), of).names
        if wrt not in there:
            return self._asked(None, f"d{wrt}", f"grad({of}, {wrt})", call, check)
        if check is not None:
            raise FormulaError(f"{call}: {there[wrt]} is a step already: expected check where it is asked for first")
        return self[there[wrt]]

    def _asked(
        self, name: str | None, usual: str, formula: str, call: str, check: str | Literal[False] | None = None
    ) -> Expression:
        if name is not None:
            self._draft.must_be_new(name, call)
        called = name or next(
            each for each in chain([usual], (f"{usual}_{k}" for k in count(2))) if self._is_free(each)
        )
        step = f"{called} = {formula}"
        self._several(call, step if check is None else {"step": step, "check": check})
        return self[called]

    def _several(self, call: str, item: str | dict[str, Any]) -> None:
        """An item that stands for several steps: a scenario is made of all there is so far, and has their names."""
        self._item(call, item)
        scenario = None
        try:
            scenario = self._draft.scenario()
        finally:
            if scenario is None:
                self._sections.take_back()
        for step in scenario.derivation.steps:
            self._draft.calls.setdefault(step.name, call)
        self._draft.quantities |= set(scenario.quantities)
        self._draft.take(scenario.derivation)

    def _is_free(self, name: str) -> bool:
        try:
            self._draft.must_be_new(name, "")
        except SymattnError:
            return False
        return True

    def _known(self, name: Expression | str, call: str) -> str:
        if not isinstance(name, Expression | str):
            raise FormulaError(f"{call}: expected a name, came {described(name)}")
        text = self._text(name, call)
        if isinstance(name, Expression) and text not in self:
            raise FormulaError(f"{call}: {text} has no name: d.step(…) gives it one")
        return known_name(text, [*self._draft.plan.by_name, *self._draft.plan.batches], call)

    def _by(self, name: Wanted, call: str) -> str:
        text = name.text if isinstance(name, Scalar) else name
        if isinstance(text, str) and text in self._draft.symbols:
            return text
        return self._known(text, call)


def _called(of: object) -> str:
    return of.text if isinstance(of, Expression) else quoted(of)
