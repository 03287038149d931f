"""Classify the path of a gradient from a step back to a matrix in its formula, so that words can describe it.

>>> from symattn.base.shapes import shape
>>> plan = Plan().given("X", shape(2, 3)).given("W", shape(3, 2)).step("Q", "X @ W").step("A", "softmax(Q @ Q.T)")
>>> way_back(plan, "W", "Q"), way_back(plan, "X", "Q"), way_back(plan, "Q", "A")
('right', 'left', 'power')
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any

from sympy import MatAdd, MatMul, MatPow, MatrixSymbol, Transpose

from symattn.operations import Hadamard, InEveryRow, LayerNorm, OneHot, Quotient, Repeated, RMSNorm, Softmax
from symattn.operations.node import Node, parameters_of, record_of
from symattn.operations.records import OURS
from symattn.read.formula.calling import works_entry_by_entry
from symattn.read.gradients.nodes import matrices_in
from symattn.read.plan import Plan

Held = tuple[Any, int]
"""A formula, and the place of an operand among its arguments."""

PLAIN = ("sum", "minus", "multiple")
"""Paths on which only the sign and the size change."""

FACTORS = frozenset(("left", "right", "turned", "product", "power"))
"""Paths from a product back to a factor: for a factor that occurs twice, as in X Xᵀ, more than one applies."""

OTHER = "other"
"""A path without words of its own."""

NUMBER = "number"
"""The path to a symbol, in whichever entries it occurs."""

INSIDE = ("softmax", "relu")
"""Paths with words of their own for a part that gets a name."""

OF_OPERATIONS: Mapping[str, str | Mapping[str, str]] = MappingProxyType(
    {
        "softmax": "softmax",
        "log_softmax": "log_softmax",
        "layer_norm": {"X": "layer_norm", "gamma": "gain", "beta": "repeated"},
        "rms_norm": {"X": "rms_norm", "gamma": "gain"},
        "cross_entropy": "cross_entropy",
        "mse": "mse",
        "relu": "relu",
        "keep": "kept",
        "hadamard": "entrywise",
        "rotary": "rotated",
        "rotary_halves": "rotated",
        "broadcast": "repeated",
        "row_sum": "row_sum",
        "row_mean": "row_mean",
        **dict.fromkeys(("row_max", "row_min", "maximum", "minimum"), "largest"),
        **dict.fromkeys(("entry", "row", "rows", "head"), "taken"),
        **dict.fromkeys(("concat", "stack"), "joined"),
    }
)
"""The paths through our operations, by parameter if the words differ."""


BENDS = ("relu", "gelu", "gelu_tanh", "silu", "elu", "leaky_relu", "mish", "softplus", "sigmoid", "tanh")
"""Entrywise activation functions."""

ONE_ROW: Mapping[str, str] = MappingProxyType({"gain": "entrywise", "repeated": "sum"})
"""The words for a single row, in which nothing is repeated."""


def way_back(plan: Plan, of: str, through: str) -> str:
    """Return the name of the path from a step back to a matrix in its formula, by the operation that directly uses it.

    It is one of the keys of ``[ways]`` in ``gradients.toml`` of each language; ``"other"`` if there is nothing to say.
    """
    if of in plan.symbols:
        return NUMBER
    if through not in plan.by_name or (formula := plan[through].formula) is None:
        return OTHER
    targets = {plan[of].formula} if plan[of].formula is not None else set()
    found = {_told(way, plan) for way in _ways(formula, of, targets)}
    if len(found) > 1 and found <= FACTORS:
        return "power"
    return found.pop() if len(found) == 1 else OTHER


def called_inside(node: Any, within: Any, root: str) -> str:
    """Name a part of a step's formula after the operation that uses it: scores, the argument of an activation,
    normalised rows; otherwise, and if the step's name is not a single letter, use a neutral name.

    >>> from symattn.operations import Softmax
    >>> S = MatrixSymbol("Q", 2, 2) * MatrixSymbol("K", 2, 2)
    >>> called_inside(S, Softmax(S), "A"), called_inside(S, None, "Y"), called_inside(S, Softmax(S), "weights")
    ('S_A', 'Y_in', 'weights_in')
    """
    if re.fullmatch(r"[A-Za-z]\d?", root) is None:
        return f"{root}_in"
    if isinstance(node, LayerNorm | RMSNorm) and node.gamma is None:
        return f"{root}_hat"
    if isinstance(within, Softmax):
        return f"S_{root}"
    record = record_of(within) if isinstance(within, Node) else None
    return f"Z_{root}" if record is not None and record.name in BENDS and record.name in OURS else f"{root}_in"


def _told(way: tuple[Held, ...], plan: Plan) -> str:
    """Return the word for a path: the last operation on it, ignoring sums and multiples, which change nothing."""
    words = [_within(node, place, plan) for node, place in way]
    return next((word for word in reversed(words) if word not in PLAIN), words[-1])


def _ways(node: Any, of: str, formulas: set[Any]) -> Iterator[tuple[Held, ...]]:
    """Yield the paths from a formula to a matrix, given by its name or by its formula, from the outside in."""
    if isinstance(node, LayerNorm | RMSNorm) and node.gamma is not None:
        bare = type(node)(node.argument, node.epsilon)
        if bare in formulas:
            yield ((Hadamard(bare, InEveryRow(node.gamma, node.shape[0])), 0),)
            return
    for place, arg in enumerate(node.args):
        if not getattr(arg, "is_Matrix", False):
            continue
        inner = arg.arg if isinstance(arg, Transpose) and not isinstance(node, MatAdd) else arg
        if (isinstance(inner, MatrixSymbol) and inner.name == of) or inner in formulas:
            yield ((node, place),)
        else:
            yield from (((node, place), *way) for way in _ways(arg, of, formulas))


def _within(node: Any, place: int, plan: Plan) -> str:
    match node:
        case MatAdd():
            return "sum"
        case Quotient():
            return "multiple"
        case MatPow():
            return "power"
        case MatMul():
            return _factor(node, place, plan)
        case Repeated():
            return "repeated" if node.shape != node.args[0].shape else "sum"
        case Hadamard() if node.args[0] == node.args[1]:
            return "square"
    record = record_of(node)
    if record is None:
        return OTHER
    if record.name in OF_OPERATIONS and record.name in OURS:
        known = OF_OPERATIONS[record.name]
        word = known if isinstance(known, str) else known.get(_parameter(node, place), OTHER)
        return ONE_ROW.get(word, word) if node.shape[0] == 1 else word
    return "entry_by_entry" if works_entry_by_entry(record) else OTHER


def _parameter(node: Any, place: int) -> str:
    given = parameters_of(node)
    return given[place - len(node.args) + len(given)][0].name


def _factor(node: MatMul, place: int, plan: Plan) -> str:
    """Classify a factor of a product: one of several matrices, or the matrix that numbers multiply."""
    factors = matrices_in(node)
    position = place - len(node.args) + len(factors)
    if len(factors) == 1:
        return "minus" if node.args[0] == -1 else "multiple"
    if len(factors) > 2:
        return "product"
    if isinstance(factors[position], Transpose):
        return "turned"
    other = factors[1 - position]
    formula = plan[str(other.name)].formula if isinstance(other, MatrixSymbol) else other
    if position == 1 and isinstance(formula, OneHot):
        return "table"
    if factors[0] == factors[1]:
        return "power"
    return "right" if position else "left"
