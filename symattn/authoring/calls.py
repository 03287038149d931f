"""The functions of the formula language as functions of Python, one for each line of :data:`symattn.functions.TABLE`.

>>> from symattn.authoring import Derivation
>>> S = Derivation(title="t").given("S", [["1", "2"]])
>>> FUNCTIONS["softmax"](S)
Expression('softmax(S)', shape (1, 2))
>>> FUNCTIONS["sqrt"](2)
Scalar('sqrt(2)')
>>> print(FUNCTIONS["softmax"].__doc__)
``softmax(S)``: softmax of each row: (m, n) → (m, n).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from inspect import Parameter, Signature, cleandoc
from types import MappingProxyType
from typing import Any

from sympy import Basic

from symattn.authoring.expression import Expression, Level, Scalar, formula_of, made
from symattn.authoring.nodes import is_sympy, node
from symattn.errors import FormulaError
from symattn.functions import TABLE, Function
from symattn.operations import layers, terms
from symattn.syntax import no_option

NUMBERS = frozenset({"sqrt", "multiplications", "kept"})
"""The functions whose value is a number."""

_BUILDERS: Mapping[str, str] = MappingProxyType({"exp": "exponential"})
"""Functions that are built by one of another name."""

_SAID: Mapping[str, str] = MappingProxyType(
    {
        "sqrt": "The square root of a number, kept as a root: ``X / sqrt(2)``, ``X / sqrt(d_k)``.",
        "multiplications": "How many multiplications of two numbers the products in a formula take, for d.quantity(…).",
        "kept": "How many entries of a mask are 0, so that softmax sees them, for d.quantity(…).",
    }
)


def usage(name: str, function: Function) -> str:
    """How a function is called.

    >>> usage("layer_norm", TABLE["layer_norm"])
    'layer_norm(X, epsilon=…, gamma=…, beta=…)'
    """
    optional = [f"{parameter}=…" for parameter in function.parameters[function.needed :]]
    return f"{name}({', '.join([*function.required, *(['…'] if function.endless else []), *optional])})"


def documentation(name: str, function: Function) -> str:
    """What a function does, in a sentence, with its shapes."""
    builder = _BUILDERS.get(name, name)
    built = next((found for module in (terms, layers) if (found := getattr(module, builder, None))), None)
    said = _SAID.get(name) or cleandoc(getattr(built, "__doc__", None) or "A function of the formula language.")
    return f"``{usage(name, function)}``: {said}"


def signature(function: Function) -> Signature:
    """The parameters as Python has them: those that may be left out are ``None``."""
    optional = function.parameters[function.needed :]
    if not function.endless:
        kind = Parameter.POSITIONAL_OR_KEYWORD
        return Signature(
            [*(Parameter(name, kind) for name in function.required)]
            + [Parameter(name, kind, default=None) for name in optional]
        )
    return Signature(
        [*(Parameter(name, Parameter.POSITIONAL_ONLY) for name in function.required)]
        + [Parameter("more", Parameter.VAR_POSITIONAL)]
        + [Parameter(name, Parameter.KEYWORD_ONLY, default=None) for name in optional]
    )


def _function(name: str, function: Function) -> Callable[..., Expression | Scalar | Basic]:
    parameters = signature(function)

    def call(*values: object, **options: object) -> Expression | Scalar | Basic:
        for option in options:
            if option not in function.parameters:
                wrong = no_option(name, option, function.parameters, function.needed)
                raise FormulaError(f"{usage(name, function)}: {wrong}")
        try:
            bound = parameters.bind(*values, **options).arguments
        except TypeError as error:
            raise FormulaError(f"{usage(name, function)}: {error}") from None
        needed = [*(bound[parameter] for parameter in function.required), *bound.get("more", ())]
        if is_sympy([*needed, *bound.values()]):
            said = {parameter: value for parameter, value in bound.items() if parameter != "more" and value is not None}
            return node(name, function, {**said, **{str(k): more for k, more in enumerate(bound.get("more", ()))}})
        parts = [formula_of(value, f"{name}(…)") for value in needed]
        named = {
            parameter: formula_of(bound[parameter], f"{name}(…, {parameter}=…)")
            for parameter in function.parameters[function.needed :]
            if bound.get(parameter) is not None
        }
        texts = [part.text for part in parts] + [f"{key}={part.text}" for key, part in named.items()]
        return made(f"{name}({', '.join(texts)})", Level.ATOM, *parts, *named.values())

    call.__name__ = call.__qualname__ = name
    call.__doc__ = documentation(name, function)
    call.__signature__ = parameters  # type: ignore[attr-defined]
    return call


FUNCTIONS: Mapping[str, Callable[..., Any]] = MappingProxyType(
    {name: _function(name, function) for name, function in TABLE.items()}
)
"""The functions by name."""
