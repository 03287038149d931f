"""The functions a formula may call: their parameters, and the node each builds.

>>> sorted(TABLE)[:3], TABLE["sqrt"].parameters
(['additive_scores', 'angle', 'argmax'], ('x',))
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from math import inf
from typing import Any, Protocol

from sympy import Add, Expr, MatrixExpr, Mul, Pow, Rational, log, oo, sqrt

from symattn import limits
from symattn.errors import FormulaError, cut
from symattn.operations import counting, layers, terms
from symattn.operations.terms import Term
from symattn.shapes import Axis


class Reading(Protocol):
    """What a function sees of the formula that is being read: what its values must be, and what was read so far."""

    kind: str
    products: list[Callable[[], Expr]]
    kept: dict[MatrixExpr, Callable[[], Expr]]

    def error(self, what: str) -> FormulaError:
        """The error that names the formula."""

    def scalar(self, value: Any) -> Expr:
        """The number that a value must be."""

    def matrix(self, value: Any, use: str) -> Term:
        """The matrix that a value must be."""

    def axis(self, value: Any) -> Axis:
        """The axis or whole number that a value must be."""

    def whole(self, value: Any) -> int:
        """The whole number that a value must be."""


@dataclass(frozen=True)
class Function:
    """How a name is called: its parameters in order, how many of them are required, and what it builds."""

    parameters: tuple[str, ...]
    needed: int
    build: Callable[[Reading, dict[str, Any]], Term | Expr]
    endless: bool = False
    """Whether more values may follow the parameters."""
    counts: bool = False
    """Whether it is about its argument's formula and not about its value."""

    @property
    def required(self) -> tuple[str, ...]:
        return self.parameters[: self.needed]


def _build_layer_norm(reader: Reading, given: dict[str, Any]) -> Term:
    options: dict[str, Any] = {}
    if "epsilon" in given:
        options["epsilon"] = reader.scalar(given["epsilon"])
    for role in ("gamma", "beta"):
        if role in given:
            options[role] = reader.matrix(given[role], role)
    return terms.layer_norm(reader.matrix(given["X"], "layer_norm"), **options)


def _build_rms_norm(reader: Reading, given: dict[str, Any]) -> Term:
    options: dict[str, Any] = {}
    if "epsilon" in given:
        options["epsilon"] = reader.scalar(given["epsilon"])
    if "gamma" in given:
        options["gamma"] = reader.matrix(given["gamma"], "gamma")
    return layers.rms_norm(reader.matrix(given["X"], "rms_norm"), **options)


def _hiding(reader: Reading, given: dict[str, Any], function: str) -> Expr:
    """What a mask adds to the scores that it hides."""
    value = reader.scalar(given["value"]) if "value" in given else -oo
    if value.is_number and not value.is_extended_negative:
        raise reader.error(f"{function}: the value is {value}: expected a negative number or -oo")
    return value


def _build_causal_mask(reader: Reading, given: dict[str, Any]) -> Term:
    value, axis = _hiding(reader, given, "causal_mask"), reader.axis(given["n"])
    mask = terms.causal_mask(axis, value)
    reader.kept[mask.expr] = partial(counting.causal_kept, mask.expr, axis)
    return mask


def _build_window_mask(reader: Reading, given: dict[str, Any]) -> Term:
    value = _hiding(reader, given, "window_mask")
    axis, width = reader.axis(given["n"]), reader.axis(given["w"])
    mask = terms.window_mask(axis, width, value)
    reader.kept[mask.expr] = partial(counting.window_kept, mask.expr, axis, width)
    return mask


def _build_padding_mask(reader: Reading, given: dict[str, Any]) -> Term:
    value = _hiding(reader, given, "padding_mask")
    queries, keys, length = (reader.axis(given[parameter]) for parameter in ("n", "m", "l"))
    mask = layers.padding_mask(queries, keys, length, value)
    reader.kept[mask.expr] = partial(counting.padding_kept, mask.expr, queries, keys, length)
    return mask


def _scalars(reader: Reading, given: dict[str, Any], *names: str) -> dict[str, Expr]:
    """The numbers among what is given, under their names."""
    return {name: reader.scalar(given[name]) for name in names if name in given}


def _build_sinusoidal(reader: Reading, given: dict[str, Any]) -> Term:
    return layers.sinusoidal(reader.axis(given["n"]), reader.axis(given["d"]), **_scalars(reader, given, "base"))


def _build_rotary(reader: Reading, given: dict[str, Any]) -> Term:
    return layers.rotary(reader.matrix(given["X"], "rotary"), **_scalars(reader, given, "base", "start"))


def _build_additive_scores(reader: Reading, given: dict[str, Any]) -> Term:
    return layers.additive_scores(*(reader.matrix(given[name], "additive_scores") for name in ("Q", "K", "v")))


def _build_rows(reader: Reading, given: dict[str, Any]) -> Term:
    return layers.rows(reader.matrix(given["X"], "rows"), reader.whole(given["a"]), reader.whole(given["b"]))


def _build_sqrt(reader: Reading, given: dict[str, Any]) -> Expr:
    radicand = reader.scalar(given["x"])
    if radicand.is_number and not radicand.is_nonnegative:
        raise reader.error(f"sqrt({radicand}) is not a real number")
    if radicand.is_Rational and max(len(str(radicand.p)), len(str(radicand.q))) > limits.RADICAND_DIGITS:
        raise reader.error(f"the number under the root has more than RADICAND_DIGITS = {limits.RADICAND_DIGITS} digits")
    if reader.kind == "formula" and radicand.is_Integer:
        # In a formula √4 stays √4: the document shows the root and then its value.
        return Pow(radicand, Rational(1, 2), evaluate=False)
    return sqrt(radicand)


def _build_log(reader: Reading, given: dict[str, Any]) -> Term | Expr:
    if reader.kind != "number":
        return layers.log(reader.matrix(given["X"], "log"))
    number = reader.scalar(given["X"])
    if not (number.is_Rational and number > 0):
        raise reader.error(f"log({cut(str(number))}): expected the logarithm of a positive fraction, as in log(3/2)")
    if max(number.p, number.q) >= 10**limits.RADICAND_DIGITS:
        limit = f"RADICAND_DIGITS = {limits.RADICAND_DIGITS}"
        raise reader.error(f"the number in the logarithm has more than {limit} digits")
    return log(number)


def power_of_logarithms(number: Expr) -> float:
    """The highest power of logarithms in a number, multiplied out; infinite where one stands below a line.

    >>> [power_of_logarithms(x) for x in (2 * log(3) + 1, log(2) * (1 + log(3)) ** 2, 1 / log(2))]
    [1, 3, inf]
    """
    if not number.has(log):
        return 0
    if isinstance(number, Add):
        return max(map(power_of_logarithms, number.args))
    if isinstance(number, Mul):
        return sum(map(power_of_logarithms, number.args))
    if isinstance(number, Pow) and number.exp.is_Integer and number.exp > 0:
        return int(number.exp) * power_of_logarithms(number.base)
    return 1 if isinstance(number, log) and number.args[0].is_Rational else inf


def _build_dot(reader: Reading, given: dict[str, Any]) -> Term:
    rows = (reader.matrix(given["X"], "dot"), reader.matrix(given["Y"], "dot"))
    dot = terms.dot(*rows)
    reader.products.append(partial(counting.pairs_cost, *rows))
    return dot


def _build_multiplications(reader: Reading, given: dict[str, Any]) -> Expr:
    _must_be_formula(reader, "multiplications")
    reader.matrix(given["X"], "multiplications")
    return counting.total_cost([cost() for cost in given["products"]])


def _must_be_formula(reader: Reading, function: str) -> None:
    if reader.kind == "number":
        raise reader.error(f"{function}(…) is about a formula; write digits, fractions, sqrt(…) and powers")


def _build_kept(reader: Reading, given: dict[str, Any]) -> Expr:
    _must_be_formula(reader, "kept")
    mask = reader.matrix(given["M"], "kept").expr
    return reader.kept[mask]() if mask in reader.kept else counting.Kept(mask)


def _of_matrix(build: Callable[[Term], Term], name: str, parameter: str = "X") -> Function:
    """A function of one matrix."""
    return Function((parameter,), 1, lambda r, g: build(r.matrix(g[parameter], name)))


def _of_pair(build: Callable[[Term, Term], Term], name: str, pair: tuple[str, str] = ("X", "Y")) -> Function:
    """A function of the rows of two matrices."""
    return Function(pair, 2, lambda r, g: build(*(r.matrix(g[parameter], name) for parameter in pair)))


TABLE: dict[str, Function] = {
    "softmax": _of_matrix(terms.softmax, "softmax", "S"),
    "layer_norm": Function(("X", "epsilon", "gamma", "beta"), 1, _build_layer_norm),
    "rms_norm": Function(("X", "epsilon", "gamma"), 1, _build_rms_norm),
    "relu": _of_matrix(terms.relu, "relu"),
    "elu": _of_matrix(terms.elu, "elu"),
    "exp": _of_matrix(terms.exponential, "exp"),
    "gelu": _of_matrix(layers.gelu, "gelu"),
    "gelu_tanh": _of_matrix(layers.gelu_tanh, "gelu_tanh"),
    "silu": _of_matrix(layers.silu, "silu"),
    "tanh": _of_matrix(layers.tanh, "tanh"),
    "log": Function(("X",), 1, _build_log),
    "hadamard": _of_pair(layers.hadamard, "hadamard"),
    "divide": _of_pair(layers.divide, "divide"),
    "proportions": _of_matrix(terms.proportions, "proportions", "S"),
    "unit": _of_matrix(terms.unit, "unit"),
    "norm": _of_matrix(terms.norm, "norm"),
    "row_max": _of_matrix(terms.row_max, "row_max"),
    "entropy": _of_matrix(terms.entropy, "entropy", "A"),
    "argmax": _of_matrix(layers.argmax, "argmax"),
    "top_k": Function(("P", "k"), 2, lambda r, g: layers.top_k(r.matrix(g["P"], "top_k"), r.whole(g["k"]))),
    "additive_scores": Function(("Q", "K", "v"), 3, _build_additive_scores),
    "dot": Function(("X", "Y"), 2, _build_dot),
    "cosine": _of_pair(terms.cosine, "cosine"),
    "angle": _of_pair(terms.angle, "angle"),
    "clip_norm": Function(("X", "c"), 2, lambda r, g: terms.clip_norm(r.matrix(g["X"], "clip_norm"), r.scalar(g["c"]))),
    "causal_mask": Function(("n", "value"), 1, _build_causal_mask),
    "window_mask": Function(("n", "w", "value"), 2, _build_window_mask),
    "padding_mask": Function(("n", "m", "l", "value"), 3, _build_padding_mask),
    "distance": Function(("n",), 1, lambda r, g: layers.distance(r.axis(g["n"]))),
    "sinusoidal": Function(("n", "d", "base"), 2, _build_sinusoidal),
    "rotary": Function(("X", "base", "start"), 1, _build_rotary),
    "keep": Function(("A", "M"), 2, lambda r, g: terms.keep(r.matrix(g["A"], "keep"), r.matrix(g["M"], "keep"))),
    "broadcast": Function(("b", "n"), 2, lambda r, g: terms.broadcast(r.matrix(g["b"], "broadcast"), r.axis(g["n"]))),
    "row": Function(("X", "i"), 2, lambda r, g: terms.row(r.matrix(g["X"], "row"), r.whole(g["i"]))),
    "rows": Function(("X", "a", "b"), 3, _build_rows),
    "stack": Function(
        ("X", "Y"), 2, lambda r, g: layers.stack(tuple(r.matrix(part, "stack") for part in g.values())), endless=True
    ),
    "head": Function(
        ("X", "t", "h"), 3, lambda r, g: terms.head(r.matrix(g["X"], "head"), r.whole(g["t"]), r.axis(g["h"]))
    ),
    "concat": Function(
        ("X", "Y"), 2, lambda r, g: terms.concat(tuple(r.matrix(part, "concat") for part in g.values())), endless=True
    ),
    "one_hot": Function(("ids", "v"), 2, lambda r, g: terms.one_hot(r.matrix(g["ids"], "one_hot"), r.axis(g["v"]))),
    "identity": Function(("n",), 1, lambda r, g: terms.identity(r.axis(g["n"]))),
    "ones": Function(("m", "n"), 2, lambda r, g: terms.ones(r.axis(g["m"]), r.axis(g["n"]))),
    "sqrt": Function(("x",), 1, _build_sqrt),
    "multiplications": Function(("X",), 1, _build_multiplications, counts=True),
    "kept": Function(("M",), 1, _build_kept, counts=True),
}
