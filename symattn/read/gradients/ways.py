"""On which way what has reached a step goes on to a matrix inside it: what the words tell apart, found in the formula.

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
"""A formula, and the place of something among its arguments."""

PLAIN = ("sum", "minus", "multiple")
"""The ways on which only the sign and the size change."""

FACTORS = frozenset(("left", "right", "turned", "product", "power"))
"""The ways from a product back to a factor: of one that stands in it twice, as in X Xᵀ, more than one is true."""

OTHER = "other"
"""A way that is told in no words of its own."""

NUMBER = "number"
"""The way to a symbol, at whichever entries it stands."""

INSIDE = ("softmax", "relu")
"""What has words for what stands inside it."""

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
"""The ways through operations of ours; with different words for their parameters where these differ."""


BENDS = ("relu", "gelu", "gelu_tanh", "silu", "elu", "leaky_relu", "mish", "softplus", "sigmoid", "tanh")
"""Functions that a layer is bent by, entry by entry."""

ONE_ROW: Mapping[str, str] = MappingProxyType({"gain": "entrywise", "repeated": "sum"})
"""What these are of a single row, beside which nothing is repeated."""


def way_back(plan: Plan, of: str, through: str) -> str:
    """What the words call the way from a step back to a matrix inside it, by what it stands in directly.

    One of the keys of ``[ways]`` in ``gradients.toml`` of each language; ``"other"`` where there is nothing to say.
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
    """What is called what stands inside a formula of a step, by what it stands in: scores, what a bend is applied to,
    normalised rows; of a step that is no single letter, and of all others, a name that says no more than that.

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
    """What is said of a way: what the last formula on it does, but for sums and multiples, which change nothing."""
    words = [_within(node, place, plan) for node, place in way]
    return next((word for word in reversed(words) if word not in PLAIN), words[-1])


def _ways(node: Any, of: str, formulas: set[Any]) -> Iterator[tuple[Held, ...]]:
    """The formulas that a matrix stands in, under its name or as its formula, from the outside to the inside."""
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
    """What a factor of a product is: one of several matrices, or what numbers are multiplied by."""
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
