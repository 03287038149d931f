"""The table ``[train]``: which rule moves which weights, with which numbers, and how often."""

# Annotations are no texts in this module (no `from __future__`): pydantic would have to read each of them.

from typing import Annotated

from pydantic import Field, PlainValidator
from sympy import Expr

from symattn import limits
from symattn.gradients.rules import HyperName, RuleName
from symattn.scenario import forms
from symattn.scenario.fields import fraction, names, texts
from symattn.scenario.forms import NUMBER, Described
from symattn.scenario.keyed import KeyedTable, key

_Number = Annotated[str, Field(pattern=NUMBER, max_length=limits.NUMBER_LENGTH)] | int
_Fraction = Annotated[Expr, PlainValidator(fraction, json_schema_input_type=_Number)]
_Names = Annotated[tuple[str, ...] | str, PlainValidator(names, json_schema_input_type=str | list[str])]
_Texts = Annotated[dict[str, str], PlainValidator(texts), Described(forms.words)]


class BackwardTable(KeyedTable):
    """The gradients of a loss, worked out from the last step to the first."""

    of: str | None = key("The name of a single number; without it, that of the loss.", None)
    wrt: _Names | None = key(
        "The name, or the names, of the matrices and symbols whose gradients are worked out; without it, all givens "
        "that it depends on.",
        None,
    )
    title: _Texts | None = key("The heading; without it, what every backward pass is called.", None)


class TrainTable(KeyedTable):
    """Some steps of training: the gradients, the new weights by a rule, and the loss before and after."""

    rule: RuleName = key("How new weights come from gradients: sgd, momentum, adam or adamw, as PyTorch has them.")
    of: str = key("The name of the loss, a single number.", "L")
    weights: _Names = key("The name, or the names, of the givens that are trained.")
    rate: _Fraction | None = key('The learning rate, such as "1/10"; without it 1/1000.', None)
    momentum: _Fraction | None = key("Of momentum, how much of the last velocity is kept; without it 9/10.", None)
    beta1: _Fraction | None = key("Of adam and adamw, how much of the mean is kept; without it 9/10.", None)
    beta2: _Fraction | None = key("Of adam and adamw, how much of the mean square is kept; without it 999/1000.", None)
    epsilon: _Fraction | None = key("Of adam and adamw, what is added to the root; without it 1/100000000.", None)
    decay: _Fraction | None = key(
        "The weight decay: added to the gradient, in adamw taken from the weight; without it 0, in adamw 1/100.", None
    )
    steps: Annotated[int, Field(ge=1, le=limits.TRAINING_STEPS)] = key("How many steps of the rule are made.", 1)
    watch: _Names = key('Entries such as "P[2,3]" that are compared before and after, beside the loss.', ())
    title: _Texts | None = key("The heading; without it, what every training is called.", None)

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
