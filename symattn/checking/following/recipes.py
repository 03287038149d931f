"""The operations that a search tries: their values for many operands at once, their formulas, and what they cost.

Values are doubles in stacks of matrices, whose last two axes are rows and columns; operations of rows are the records of
the formula language. What a search settles on is worked out again from its formula, in balls.

>>> row = NameRead("s", (), (), (), 0, 0)
>>> shown(OPERATIONS["softmax"].written(row)), OPERATIONS["softmax"].values(np.array([[[0.0, 0.0]]]))
('softmax(s)', array([[[0.5, 0.5]]]))
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from types import MappingProxyType
from typing import Any, Final, TypeAlias

import numpy as np

from symattn.checking.following.rows import called
from symattn.checking.reading.shown import shown as shown
from symattn.checking.reading.tree import Combined, Expressed, FigureRead, NameRead
from symattn.compute.values.float64 import COMPARED, FUNCTIONS, DoubleArray

MatrixShape: TypeAlias = tuple[int, int]
Roles: TypeAlias = frozenset[str]


class StackedDoubles:
    """Arithmetic in which a number is an array: one double for each of many candidates."""

    functions: Mapping[str, Callable[..., Any]] = MappingProxyType(
        {**FUNCTIONS, "pi": lambda: np.float64(np.pi), "oo": lambda: np.float64(np.inf)}
    )

    def number(self, value: int | Fraction) -> Any:
        return np.float64(float(value))

    def sum(self, values: list[Any]) -> Any:
        return reduce(np.add, values)

    def max(self, values: list[Any]) -> Any:
        return reduce(np.maximum, values)

    def compare(self, sign: str, left: Any, right: Any) -> Any:
        return COMPARED[sign](left, right)

    def either(self, then: Any, otherwise: Any, condition: Any) -> Any:
        return np.where(condition, then, otherwise)


def _swapped(x: DoubleArray) -> DoubleArray:
    return np.swapaxes(x, -1, -2)


def _by_rows(record: str, **numbers: Fraction | int) -> Callable[[DoubleArray], DoubleArray]:
    """Return what a record makes of every row of each matrix."""

    def values(x: DoubleArray) -> DoubleArray:
        many, high, wide = x.shape
        row = [x[..., j].ravel() for j in range(wide)]
        (made,) = called(record, [row], arithmetic=StackedDoubles(), **numbers)
        return np.stack(np.broadcast_arrays(*made), axis=-1).reshape(many, high, len(made))

    return values


def _reduced(record: str, **numbers: Fraction | int) -> Callable[[DoubleArray], DoubleArray]:
    """Return the list of one number for every row of each matrix."""
    values = _by_rows(record, **numbers)
    return lambda x: _swapped(values(x))


def _call(name: str, **named: Expressed) -> Callable[..., Expressed]:
    return lambda *args: Combined(f"call:{name}", args, 0, 0, named=tuple(named.items()))


def _sign(op: str, sign: str = "") -> Callable[..., Expressed]:
    return lambda *args: Combined(op, args, 0, 0, sign)


def transposed(of: Expressed) -> Expressed:
    """Return Xᵀ, and X of Xᵀ."""
    return of.args[0] if isinstance(of, Combined) and of.op == "T" else Combined("T", (of,), 0, 0)


def figure(value: Fraction | int) -> FigureRead:
    """Return a number as it is written in a formula."""
    power = len(str(Fraction(value).denominator)) - 1
    text = f"1e-{power}" if power > 2 and value == Fraction(1, 10**power) else str(value)
    return FigureRead(text, Fraction(value), Fraction(1), 0, 0)


def _less_row(name: str) -> Callable[[Expressed], Expressed]:
    return lambda x: Combined("-", (x, transposed(Combined(f"call:{name}", (x,), 0, 0))), 0, 0)


def _same(shape: MatrixShape) -> MatrixShape:
    return shape


def _rowwise(shape: MatrixShape) -> MatrixShape | None:
    return shape if shape[1] > 1 else None


def _number_of_rows(shape: MatrixShape) -> MatrixShape | None:
    return (1, shape[0]) if shape[1] > 1 else None


def _alike(left: MatrixShape, right: MatrixShape) -> MatrixShape | None:
    return left if right == left or (right == (1, left[1]) and left[0] > 1) else None


def _multiplied(left: MatrixShape, right: MatrixShape) -> MatrixShape | None:
    return (left[0], right[1]) if left[1] == right[0] > 1 else None


def _by_columns(left: MatrixShape, right: MatrixShape) -> MatrixShape | None:
    return (left[0], right[0]) if left[1] == right[1] > 1 else None


def _beside(left: DoubleArray, right: DoubleArray) -> DoubleArray:
    ahead = np.broadcast_shapes(left.shape[:-2], right.shape[:-2])
    return np.concatenate([np.broadcast_to(x, ahead + x.shape[-2:]) for x in (left, right)], axis=-1)


_KNOWN: Final = frozenset({""})


@dataclass(frozen=True)
class SearchedOperation:
    """An operation that a search tries."""

    price: float
    """The bits that it takes to say it where no word speaks of it."""
    values: Callable[..., DoubleArray]
    written: Callable[..., Expressed]
    after: frozenset[str] = _KNOWN
    """What its first operand may be made by; nothing stands for what is known."""
    shape: Callable[..., MatrixShape | None] = _rowwise
    """The shape of the result of operands of some shapes, ``None`` where these do not go together."""
    takes_two: bool = False
    words: frozenset[str] = frozenset()
    """The words of hints that speak of it."""
    makes: frozenset[str] = frozenset()
    """The roles that its results may have."""
    usual: tuple[tuple[Roles, Roles], ...] = ()
    """The roles of what it is usually done with."""


def _of(text: str) -> Roles:
    return frozenset(text.split())


SCORES: Final = _of("scores scaled masked logits")
WEIGHTS: Final = _of("weights probabilities")
INPUT: Final = _of("input embedding hidden")
QUERY, KEY, VALUE, MATRIX = _of("query"), _of("key"), _of("value"), _of("weight_matrix")
_CONTEXT, _GRADIENT, _ANY = _of("context output"), _of("gradient"), _of("")
_ROWS_NUMBER = frozenset({"", "plus"})

EPSILONS: Final = ((0, 0.5), (5, 1.0), (6, 2.0), (8, 3.0), (12, 3.0), (3, 4.0))
"""Powers of ten that are added below roots, and the bits that each costs; 0 stands for nothing."""


def _norms() -> Mapping[str, SearchedOperation]:
    found = {}
    for power, cost in EPSILONS:
        epsilon = Fraction(1, 10**power) if power else Fraction(0)
        for name, price in (("layer_norm", 3.5), ("rms_norm", 4.0)):
            found[f"{name} {power}"] = SearchedOperation(
                price + cost,
                _by_rows(name, epsilon=epsilon),
                _call(name, eps=figure(epsilon)),
                _ROWS_NUMBER,
                words=_of(f"{name} normalise"),
                makes=_of("normalised"),
                usual=((INPUT, _ANY),),
            )
    return found


def _entrywise(name: str, price: float, makes: str = "", words: str = "") -> SearchedOperation:
    after = frozenset({"", "plus", "product"}) if makes else frozenset({"", "less_max"} if name == "exp" else {""})
    values = _by_rows(name)
    return SearchedOperation(
        price,
        lambda x: values(x.reshape(-1, 1, 1)).reshape(x.shape),
        _call(name),
        after,
        _same,
        words=_of(f"{name} {words}"),
        makes=_of(makes),
    )


_PRODUCTS = frozenset({"product", "product_t"})
_PROJECTED = ((WEIGHTS, VALUE | INPUT), (INPUT | _CONTEXT, MATRIX), (QUERY, KEY))

OPERATIONS: Final[Mapping[str, SearchedOperation]] = MappingProxyType(
    {
        "transposed": SearchedOperation(3, _swapped, transposed, shape=lambda a: (a[1], a[0]), words=_of("transpose")),
        "product": SearchedOperation(
            2.5,
            np.matmul,
            _sign("*", "beside"),
            frozenset({"", "softmax", "softmax_columns", "concat"}),
            _multiplied,
            True,
            _of("product projection weighted_sum gradient"),
            _of("query key value output context logits hidden gradient"),
            _PROJECTED,
        ),
        "product_t": SearchedOperation(
            2.5,
            lambda a, b: np.matmul(a, _swapped(b)),
            lambda a, b: Combined("*", (a, transposed(b)), 0, 0, "beside"),
            shape=_by_columns,
            takes_two=True,
            words=_of("product dot gradient"),
            makes=_of("scores gradient"),
            usual=((QUERY, KEY), (INPUT, INPUT), (_GRADIENT, MATRIX)),
        ),
        "t_product": SearchedOperation(
            4.5,
            lambda a, b: np.matmul(_swapped(a), b),
            lambda a, b: Combined("*", (transposed(a), b), 0, 0, "beside"),
            shape=lambda a, b: (a[1], b[1]) if a[0] == b[0] > 1 else None,
            takes_two=True,
            words=_of("product gradient"),
            makes=_of("gradient"),
            usual=((WEIGHTS | INPUT | _GRADIENT, _GRADIENT),),
        ),
        "scaled": SearchedOperation(
            2,
            np.divide,
            _sign("/"),
            frozenset({"", *_PRODUCTS}),
            lambda a, b: a if b == (1, 1) != a else None,
            True,
            _of("scale"),
            _of("scaled"),
            ((SCORES, _ANY),),
        ),
        "causal": SearchedOperation(
            2.5,
            lambda x: np.where(np.tri(x.shape[-2], x.shape[-1], dtype=bool), x, -np.inf),
            _call("causal_mask"),
            frozenset({"", "scaled", *_PRODUCTS}),
            words=_of("causal_mask mask"),
            makes=_of("masked"),
            usual=((SCORES, _ANY),),
        ),
        "softmax": SearchedOperation(
            2.5,
            _by_rows("softmax"),
            _call("softmax"),
            frozenset({"", "scaled", "causal", "plus", *_PRODUCTS}),
            words=_of("softmax"),
            makes=WEIGHTS,
            usual=((SCORES, _ANY),),
        ),
        "softmax_columns": SearchedOperation(
            5,
            lambda x: _swapped(_by_rows("softmax")(_swapped(x))),
            _call("softmax", axis=figure(0)),
            frozenset({"", "scaled", *_PRODUCTS}),
            makes=WEIGHTS,
            usual=((SCORES, _ANY),),
        ),
        "masked_proportions": SearchedOperation(
            9,
            lambda x: _by_rows("proportions")(np.tril(x)),
            lambda x: _call("proportions")(_call("tril")(x)),
            words=_of("causal_mask mask"),
            makes=WEIGHTS,
            usual=((WEIGHTS, _ANY),),
        ),
        "proportions": SearchedOperation(
            4,
            _by_rows("proportions"),
            _call("proportions"),
            frozenset({"", *_PRODUCTS}),
            words=_of("normalise proportions"),
            makes=WEIGHTS,
        ),
        "log_softmax": SearchedOperation(6, _by_rows("log_softmax"), _call("log_softmax"), words=_of("log")),
        "plus": SearchedOperation(
            3,
            np.add,
            _sign("+"),
            frozenset({"", "product", "hadamard"}),
            _alike,
            True,
            _of("sum residual bias positional plus"),
            usual=((INPUT, _CONTEXT), (_CONTEXT, INPUT), (SCORES, _of("mask"))),
        ),
        "minus": SearchedOperation(
            4, np.subtract, _sign("-"), _KNOWN, _alike, True, words=_of("gradient update minus"), makes=_GRADIENT
        ),
        "hadamard": SearchedOperation(
            4.5,
            np.multiply,
            _sign("*", "⊙"),
            frozenset({"", "layer_norm 0", "layer_norm 5", "rms_norm 0", "rms_norm 5"}),
            _alike,
            True,
            _of("product"),
        ),
        "quotient": SearchedOperation(5, np.divide, _sign("/"), _KNOWN, _alike, True, words=_of("scale")),
        "concat": SearchedOperation(
            5,
            _beside,
            _call("concat"),
            shape=lambda a, b: (a[0], a[1] + b[1]) if a[0] == b[0] else None,
            takes_two=True,
            words=_of("concat heads"),
        ),
        "cosine": SearchedOperation(
            7,
            lambda a, b: np.matmul(a / _length(a), _swapped(b / _length(b))),
            _call("cos"),
            shape=_by_columns,
            takes_two=True,
            words=_of("cosine"),
        ),
        **_norms(),
        "sum": SearchedOperation(
            5,
            _reduced("row_sum"),
            _call("sum"),
            frozenset({"", "exp"}),
            _number_of_rows,
            words=_of("sum"),
            usual=((WEIGHTS, _ANY),),
        ),
        "mean": SearchedOperation(
            5,
            _reduced("row_mean"),
            _call("mean"),
            frozenset({"", "square"}),
            _number_of_rows,
            words=_of("mean rms_norm"),
            makes=_of("mean"),
        ),
        "variance": SearchedOperation(
            5, _reduced("row_var"), _call("var"), _KNOWN, _number_of_rows, words=_of("variance"), makes=_of("variance")
        ),
        "sample_variance": SearchedOperation(
            6,
            _reduced("row_var", correction=1),
            _call("var", ddof=figure(1)),
            _KNOWN,
            _number_of_rows,
            words=_of("variance"),
            makes=_of("variance"),
        ),
        "deviation": SearchedOperation(
            5,
            lambda x: np.sqrt(_reduced("row_var")(x)),
            _call("std"),
            _KNOWN,
            _number_of_rows,
            words=_of("std"),
            makes=_of("std"),
        ),
        "largest": SearchedOperation(6, _reduced("row_max"), _call("max"), _KNOWN, _number_of_rows, words=_of("max")),
        "length": SearchedOperation(
            5, _reduced("norm"), _call("norm", axis=figure(1)), _KNOWN, _number_of_rows, words=_of("norm")
        ),
        "less_max": SearchedOperation(
            5, lambda x: x - x.max(axis=-1, keepdims=True), _less_row("max"), words=_of("subtract_max")
        ),
        "centred": SearchedOperation(5, lambda x: x - x.mean(axis=-1, keepdims=True), _less_row("mean")),
        "square": SearchedOperation(
            6, np.square, lambda x: Combined("^", (x, figure(2)), 0, 0), shape=_same, words=_of("square rms_norm")
        ),
        "root": SearchedOperation(
            5, np.sqrt, _call("sqrt"), frozenset({"", "mean"}), _same, words=_of("root std rms_norm")
        ),
        "minus_log": SearchedOperation(
            5,
            lambda x: -np.log(x),
            lambda x: Combined("neg", (_call("log")(x),), 0, 0, "-"),
            shape=_same,
            words=_of("loss cross_entropy"),
            makes=_of("loss"),
        ),
        "exp": _entrywise("exp", 5),
        "log": _entrywise("log", 5),
        "relu": _entrywise("relu", 5, "hidden"),
        "gelu": _entrywise("gelu", 5, "hidden"),
        "gelu_tanh": _entrywise("gelu_tanh", 6, "hidden", "gelu"),
        "silu": _entrywise("silu", 6, "hidden"),
        "sigmoid": _entrywise("sigmoid", 5),
        "tanh": _entrywise("tanh", 6),
    }
)
"""The operations by names; the names of what is done last are known to :data:`SearchedOperation.after`."""


def _length(x: DoubleArray) -> DoubleArray:
    found: DoubleArray = np.sqrt(np.square(x).sum(axis=-1, keepdims=True))
    return found
