"""Requirements on the numbers and sizes given to built-in operations, beyond those that their equations imply."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from sympy import Expr, MatAdd, MatrixExpr, MatrixSymbol

from symattn.base import limits
from symattn.base.errors import FormulaError, ShapeError
from symattn.base.shapes import Axis
from symattn.operations.build import written_call
from symattn.operations.equations.tree import Operation
from symattn.operations.masks import Mask
from symattn.operations.stages import same_as_ours
from symattn.operations.terms import Term

NumberTest = Callable[[Expr], bool | None]

_NOT_NEGATIVE: tuple[NumberTest, str] = (lambda x: x.is_nonnegative, "expected a number that is not negative")
_POSITIVE: tuple[NumberTest, str] = (lambda x: x.is_real and x.is_positive, "expected a positive number")
_HIDES: tuple[NumberTest, str] = (lambda x: x.is_extended_negative, "expected a negative number or -oo")

NUMBERS: Mapping[tuple[str, str], tuple[NumberTest, str]] = MappingProxyType(
    {
        ("layer_norm", "epsilon"): _NOT_NEGATIVE,
        ("rms_norm", "epsilon"): _NOT_NEGATIVE,
        ("clip_norm", "c"): _POSITIVE,
        ("sinusoidal", "base"): _POSITIVE,
        ("rotary", "base"): _POSITIVE,
        ("rotary_halves", "base"): _POSITIVE,
        ("causal_mask", "value"): _HIDES,
        ("cached_mask", "value"): _HIDES,
        ("window_mask", "value"): _HIDES,
        ("padding_mask", "value"): _HIDES,
    }
)
"""The test for a number, by operation and parameter, and the message for one that fails it."""


def must_fit(record: Operation, values: Mapping[str, Any]) -> None:
    """Reject arguments that a built-in operation does not allow.

    Raises :class:`~symattn.base.errors.FormulaError` for numbers and sizes, :class:`~symattn.base.errors.ShapeError`
    for shapes.
    """
    for parameter in record.parameters:
        demand, value = NUMBERS.get((record.name, parameter.name)), values.get(parameter.name)
        if demand is not None and isinstance(value, Expr) and value.is_number and not demand[0](value):
            said = f"{parameter.name} is {value}: {demand[1]}"
            raise FormulaError(f"{written_call(record, values)}: {said}")
    if (wanted := _OTHERS.get(record.name)) is not None:
        wanted(written_call(record, values), values)


def _even(axis: Axis, text: str) -> None:
    if isinstance(axis.size, int) and axis.size % 2:
        raise ShapeError(f"{text}: the {axis} columns do not make pairs: expected an even number")


def _rotary(text: str, values: Mapping[str, Any]) -> None:
    _even(values["X"].shape.columns, f"{text}: {values['X'].operand}")


def _sinusoidal(text: str, values: Mapping[str, Any]) -> None:
    _even(values["d"], text)


def _window(text: str, values: Mapping[str, Any]) -> None:
    axis, width = values["n"], values["w"].size
    if isinstance(width, int) and width < 1:
        raise FormulaError(f"{text}: the window is {width}: a position sees at least itself, so expected 1 or more")
    if isinstance(width, int) and isinstance(axis.size, int) and width > axis.size:
        raise FormulaError(f"{text}: the window is {width}, wider than the {axis.size} positions there are")


def _padding(text: str, values: Mapping[str, Any]) -> None:
    keys, length = values["m"], values["l"].size
    if isinstance(length, int) and not (length >= 1 and (not isinstance(keys.size, int) or length <= keys.size)):
        raise FormulaError(f"{text}: the length is {length}: expected at least 1 and at most the {keys} keys")


def _cached(text: str, values: Mapping[str, Any]) -> None:
    queries, keys = values["n"], values["m"]
    if isinstance(queries.size, int) and isinstance(keys.size, int) and keys.size < queries.size:
        raise FormulaError(f"{text}: {queries} queries see {keys} keys: expected as many keys as queries, or more")


def _power(text: str, values: Mapping[str, Any]) -> None:
    if not 1 <= values["k"] <= limits.MATRIX_EXPONENT:
        expected = f"expected a whole number from 1 to {limits.MATRIX_EXPONENT}"
        raise FormulaError(f"{text}: the exponent is {values['k']}: {expected}")


def _keep(text: str, values: Mapping[str, Any]) -> None:
    mask: Term = values["M"]
    if not _is_mask(mask.expr):
        masks = "causal_mask(…), window_mask(…), padding_mask(…), a sum of them, or a name that stands for a mask"
        raise FormulaError(f"{text}: {mask.text} is not a mask: expected {masks}")


def _is_mask(formula: MatrixExpr) -> bool:
    if isinstance(formula, MatAdd):
        return all(map(_is_mask, formula.args))
    return isinstance(same_as_ours(formula), Mask | MatrixSymbol)


_OTHERS: Mapping[str, Callable[[str, Mapping[str, Any]], None]] = MappingProxyType(
    {
        **{"rotary": _rotary, "sinusoidal": _sinusoidal, "keep": _keep, "power": _power},
        **{"cached_mask": _cached, "window_mask": _window, "padding_mask": _padding},
    }
)
"""Requirements on shapes, sizes, or the kind of an operand."""
