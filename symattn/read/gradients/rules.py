"""Update rules: how gradients change weights, as built formulas; the rules of PyTorch with exact numbers.

>>> from symattn.read.formula.as_text import as_text
>>> rule = UpdateRule.of("adam", {"rate": Rational(1, 10)})
>>> names = Moments("W_1", "g_W", "m_W", "m_hat_W", "v_W", "v_hat_W")
>>> W, dW = MatrixSymbol("W", 2, 3), MatrixSymbol("dW", 2, 3)
>>> for name, formula, _ in rule.updates(W, dW, names, None, 1):
...     print(name, "=", as_text(formula))
m_W = (1/10) * dW
m_hat_W = m_W / (1/10)
v_W = (1/1000) * power(dW, 2)
v_hat_W = v_W / (1/1000)
W_1 = W - (1/10) * m_hat_W / (sqrt(v_hat_W) + (1/100000000))

Momentum starts as the first gradient, and epsilon is outside the root.

Sources: Polyak 1964, *Some methods of speeding up the convergence of iteration methods*, equation (9), and Sutskever et
al. 2013, *On the importance of initialization and momentum in deep learning*, equations (1) and (2), for momentum, with
the rate outside of the velocity as in PyTorch; Kingma and Ba 2015, *Adam*, algorithm 1; Loshchilov and Hutter 2019,
*Decoupled weight decay regularization*, algorithm 2, line 12, whose λ is rate · decay here, as in PyTorch.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import Literal, get_args

from sympy import Expr, Integer, MatrixExpr, MatrixSymbol, Rational

from symattn.base.errors import FormulaError
from symattn.operations import EntryQuotient
from symattn.read.gradients.local import of_ours
from symattn.read.gradients.nodes import divided, everywhere, matrix_sum, scaled

RuleName = Literal["sgd", "momentum", "adam", "adamw"]
HyperName = Literal["rate", "momentum", "beta1", "beta2", "epsilon", "decay"]
RULES: tuple[RuleName, ...] = get_args(RuleName)

_RATE, _BETAS = Rational(1, 1000), {"beta1": Rational(9, 10), "beta2": Rational(999, 1000)}
_EPSILON = Rational(1, 10**8)
USUAL: Mapping[RuleName, Mapping[str, Expr]] = MappingProxyType(
    {
        "sgd": {"rate": _RATE, "decay": Integer(0)},
        "momentum": {"rate": _RATE, "momentum": Rational(9, 10), "decay": Integer(0)},
        "adam": {"rate": _RATE, **_BETAS, "epsilon": _EPSILON, "decay": Integer(0)},
        "adamw": {"rate": _RATE, **_BETAS, "epsilon": _EPSILON, "decay": Rational(1, 100)},
    }
)
"""The hyper-parameters of each rule, with PyTorch's defaults; for momentum, whose default would be 0, with the value in
its documentation."""

_RANGES: Mapping[str, str] = MappingProxyType(
    {
        "rate": "a number above 0",
        "momentum": "a number from 0 up and below 1",
        "beta1": "a number from 0 up and below 1",
        "beta2": "a number from 0 up and below 1",
        "epsilon": "a number from 0 up",
        "decay": "a number from 0 up",
    }
)


@dataclass(frozen=True)
class UpdateRule:
    """An update rule with all of its hyper-parameters."""

    name: RuleName
    numbers: Mapping[str, Expr]
    usual: tuple[str, ...] = ()
    """The hyper-parameters that were left at their defaults."""

    @classmethod
    def of(cls, name: RuleName, given: Mapping[str, Expr]) -> UpdateRule:
        """Return the rule with the given numbers, and defaults for the rest.

        Raises :class:`~symattn.read.gradients.rules.HyperParameterError` for a number that the rule does not have, or
        that is out of its range.

        >>> UpdateRule.of("adam", {"rate": Rational(1, 10)}).usual
        ('beta1', 'beta2', 'epsilon', 'decay')
        >>> UpdateRule.of("sgd", {"rate": Rational(0)})
        Traceback (most recent call last):
            ...
        symattn.read.gradients.rules.HyperParameterError: rate is 0: expected a number above 0
        """
        known = USUAL[name]
        for key, value in given.items():
            if key not in known:
                raise HyperParameterError(key, f"the rule {name} has no {key}, it has {_listed(known)}{_with(key)}")
            is_below = key in ("momentum", "beta1", "beta2")
            if value < 0 or (value == 0 and key == "rate") or (value >= 1 and is_below) or not value.is_finite:
                raise HyperParameterError(key, f"{key} is {value}: expected {_RANGES[key]}")
        numbers = {key: given.get(key, usual) for key, usual in known.items()}
        return cls(name, MappingProxyType(numbers), tuple(key for key in known if key not in given))

    def updates(
        self, before: MatrixExpr, grad: MatrixExpr, now: Moments, last: Moments | None, t: int
    ) -> Iterator[UpdateLine]:
        """Yield the lines of one weight: from its old value and its gradient to its moments and its new value."""
        rate, decay = self.numbers["rate"], self.numbers["decay"]
        named = partial(_like, before)
        decoupled = self.name == "adamw"
        if decay != 0 and not decoupled:
            yield now.decayed, matrix_sum([grad, scaled([decay], before)]), "decayed"
            grad = named(now.decayed)
        if self.name == "sgd":
            yield now.weight, matrix_sum([before, scaled([-rate], grad)]), "weight"
        elif self.name == "momentum":
            kept = [] if last is None else [scaled([self.numbers["momentum"]], named(last.second))]
            yield now.second, matrix_sum([*kept, grad]), "velocity"
            yield now.weight, matrix_sum([before, scaled([-rate], named(now.second))]), "weight"
        else:
            for moment, of_last, hat, power, key in (
                (now.first, last.first if last else "", now.first_hat, grad, "beta1"),
                (now.second, last.second if last else "", now.second_hat, of_ours("power", X=grad, k=2), "beta2"),
            ):
                beta = self.numbers[key]
                kept = [scaled([beta], named(of_last))] if of_last else []
                yield moment, matrix_sum([*kept, scaled([1 - beta], power)]), key
                yield hat, divided(named(moment), [1 - beta**t]), f"{key}_corrected"
            kept = [scaled([1 - rate * decay if decoupled else Integer(1)], before)]
            below = matrix_sum([of_ours("sqrt", X=named(now.second_hat)), everywhere(self.numbers["epsilon"], before)])
            yield now.weight, matrix_sum([*kept, scaled([-rate], EntryQuotient(named(now.first_hat), below))]), "weight"


UpdateLine = tuple[str, MatrixExpr, str]
"""A name, its formula, and its role."""


class HyperParameterError(FormulaError):
    """A hyper-parameter that a rule does not have, or that is out of its range."""

    def __init__(self, key: str, sentence: str) -> None:
        super().__init__(sentence)
        self.key = key


@dataclass(frozen=True)
class Moments:
    """The names of a weight and of its moments after a step."""

    weight: str
    decayed: str
    first: str
    first_hat: str
    second: str
    second_hat: str


def _like(weight: MatrixExpr, name: str) -> MatrixExpr:
    return MatrixSymbol(name, *weight.shape)


def _listed(names: Iterable[str]) -> str:
    *others, last = names
    return f"{', '.join(others)} and {last}" if others else last


def _with(key: str) -> str:
    return f"; rules with it: {_listed([name for name, numbers in USUAL.items() if key in numbers])}"
