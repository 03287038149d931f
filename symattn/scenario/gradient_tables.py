"""The table ``[train]``: which rule moves which weights, with which numbers, and how often."""

# Annotations are no texts in this module (no `from __future__`): pydantic would have to read each of them.

from typing import Annotated

from pydantic import Field
from sympy import Expr

from symattn import limits
from symattn.gradients.rules import HyperName, RuleName
from symattn.scenario.keyed import KeyedTable, key
from symattn.scenario.value_fields import CheckField, FractionField, NamesField, TextsField


class BackwardTable(KeyedTable):
    """The gradients of a loss, worked out from the last step to the first."""

    of: str | None = key("The name of a single number; without it, that of the loss.", None)
    wrt: NamesField | None = key(
        "The name, or the names, of the matrices and symbols whose gradients are worked out; without it, all givens "
        "that it depends on.",
        None,
    )
    title: TextsField | None = key("The heading; without it, what every backward pass is called.", None)
    check: CheckField | None = key(
        'The entry of a given, such as "W_Q[2,1]", that is moved by 0.001 to check its gradient, or false for no '
        "check; without it, one with a large gradient is chosen.",
        None,
    )


class TrainTable(KeyedTable):
    """Some steps of training: the gradients, the new weights by a rule, and the loss before and after."""

    rule: RuleName = key("How new weights come from gradients: sgd, momentum, adam or adamw, as PyTorch has them.")
    of: str = key("The name of the loss, a single number.", "L")
    weights: NamesField = key("The name, or the names, of the givens that are trained.")
    rate: FractionField | None = key('The learning rate, such as "1/10"; without it 1/1000.', None)
    momentum: FractionField | None = key("Of momentum, how much of the last velocity is kept; without it 9/10.", None)
    beta1: FractionField | None = key("Of adam and adamw, how much of the mean is kept; without it 9/10.", None)
    beta2: FractionField | None = key(
        "Of adam and adamw, how much of the mean square is kept; without it 999/1000.", None
    )
    epsilon: FractionField | None = key("Of adam and adamw, what is added to the root; without it 1/100000000.", None)
    decay: FractionField | None = key(
        "The weight decay: added to the gradient, in adamw taken from the weight; without it 0, in adamw 1/100.", None
    )
    steps: Annotated[int, Field(ge=1, le=limits.TRAINING_STEPS)] = key("How many steps of the rule are made.", 1)
    watch: NamesField = key('Entries such as "P[2,3]" that are compared before and after, beside the loss.', ())
    title: TextsField | None = key("The heading; without it, what every training is called.", None)

    @property
    def numbers(self) -> dict[str, Expr]:
        """The hyper-parameters that the file has."""
        said: dict[HyperName, Expr | None] = {
            "rate": self.rate,
            "momentum": self.momentum,
            "beta1": self.beta1,
            "beta2": self.beta2,
            "epsilon": self.epsilon,
            "decay": self.decay,
        }
        return {name: value for name, value in said.items() if value is not None}
