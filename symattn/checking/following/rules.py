"""The operations of recipes: in doubles for stacks of matrices, in balls by their records, in the formula language."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import erf
from types import MappingProxyType

import numpy as np
from flint import arb

from symattn.checking.following.rows import BallMatrix, ball, called, each, product, size, transposed
from symattn.compute.values.balls import ball_root
from symattn.compute.values.float64 import DoubleArray


@dataclass(frozen=True)
class RecipeRule:
    """An operation of a recipe."""

    fast: Callable[..., DoubleArray]
    """On stacks of matrices: the last two axes are rows and columns."""
    exact: Callable[..., BallMatrix]
    text: str
    """In the formula language, ``{0}`` for the first operand."""
    hidden: str = ""
    """What nobody may have written: a mask, a number."""
    is_sign: bool = False
    """Whether it is written with a sign, so that parentheses may be needed around it."""


def _softmax(x: DoubleArray) -> DoubleArray:
    exps: DoubleArray = np.exp(x - x.max(axis=-1, keepdims=True))
    return np.asarray(exps / exps.sum(axis=-1, keepdims=True))


def _swap(x: DoubleArray) -> DoubleArray:
    return np.swapaxes(x, -1, -2)


def _softmax_back(weights: BallMatrix, back: BallMatrix) -> BallMatrix:
    sums = called("row_sum", each(lambda a, b: a * b, weights, back))
    return each(lambda a, b, s: a * (b - s), weights, back, sums)


def _columnwise(name: str) -> Callable[[BallMatrix], BallMatrix]:
    return lambda rows: transposed(called(name, transposed(rows)))


def _record(name: str) -> Callable[..., BallMatrix]:
    return lambda *rows, **numbers: called(name, *rows, **numbers)


def _entrywise(rule: Callable[..., arb]) -> Callable[..., BallMatrix]:
    return lambda *rows, **numbers: each(lambda *entries: rule(*entries, **numbers), *rows)


def _centred(x: DoubleArray) -> DoubleArray:
    return np.asarray(x - x.mean(axis=-1, keepdims=True))


def _less(left: BallMatrix, right: BallMatrix) -> BallMatrix:
    return each(lambda a, b: a - b, left, right)


def _variance(x: DoubleArray, correction: int = 0) -> DoubleArray:
    return np.asarray((_centred(x) ** 2).sum(axis=-1, keepdims=True) / (x.shape[-1] - correction))


def _deviation(rows: BallMatrix, epsilon: Fraction = Fraction(0), correction: int = 0) -> BallMatrix:
    return each(lambda v: ball_root(v + ball(epsilon)), called("row_var", rows, correction=correction))


def _layer_norm(
    x: DoubleArray,
    gamma: DoubleArray | None = None,
    beta: DoubleArray | None = None,
    *,
    epsilon: Fraction,
    correction: int = 0,
) -> DoubleArray:
    unit = _centred(x) / np.sqrt(_variance(x, correction) + float(epsilon))
    scaled = unit if gamma is None else unit * gamma
    return scaled if beta is None else scaled + beta


def _layer_norm_exact(
    x: BallMatrix,
    gamma: BallMatrix | None = None,
    beta: BallMatrix | None = None,
    *,
    epsilon: Fraction,
    correction: int = 0,
) -> BallMatrix:
    if correction:
        unit = each(lambda a, s: a / s, _less(x, called("row_mean", x)), _deviation(x, epsilon, correction))
        scaled = unit if gamma is None else each(lambda a, b: a * b, unit, gamma)
        return scaled if beta is None else each(lambda a, b: a + b, scaled, beta)
    rows = {name: row for name, row in (("gamma", gamma), ("beta", beta)) if row is not None}
    return called("layer_norm", x, epsilon=epsilon, **rows)


def _rms_norm(x: DoubleArray, gamma: DoubleArray | None = None, *, epsilon: Fraction) -> DoubleArray:
    unit: DoubleArray = x / np.sqrt((x * x).mean(axis=-1, keepdims=True) + float(epsilon))
    return unit if gamma is None else unit * gamma


def _rms_norm_exact(x: BallMatrix, gamma: BallMatrix | None = None, *, epsilon: Fraction) -> BallMatrix:
    return called("rms_norm", x, epsilon=epsilon, **({} if gamma is None else {"gamma": gamma}))


def _rms_exact(x: BallMatrix, epsilon: Fraction = Fraction(0)) -> BallMatrix:
    return [[ball_root(sum((a * a for a in row), arb()) / len(row) + ball(epsilon))] for row in x]


def _causal(x: DoubleArray) -> DoubleArray:
    above = np.arange(x.shape[-1])[None, :] > np.arange(x.shape[-2])[:, None]
    return np.where(above, -np.inf, x)


def _masked(x: BallMatrix, at: frozenset[tuple[int, int]]) -> BallMatrix:
    return [[arb.neg_inf() if (i, j) in at else a for j, a in enumerate(row)] for i, row in enumerate(x)]


def _masked_fast(x: DoubleArray, at: frozenset[tuple[int, int]]) -> DoubleArray:
    found = np.array(x, dtype=float)
    for i, j in at:
        found[..., i, j] = -np.inf
    return found


def _causal_exact(x: BallMatrix) -> BallMatrix:
    high, wide = size(x)
    return _masked(x, frozenset((i, j) for i in range(high) for j in range(wide) if j > i))


def _lower(x: BallMatrix, n: int) -> BallMatrix:
    return [[a if j <= i else arb() for j, a in enumerate(row)] for i, row in enumerate(x)]


_ERF = np.vectorize(erf, otypes=[float])


def _gelu(x: DoubleArray) -> DoubleArray:
    return x * (1 + _ERF(x / np.sqrt(2))) / 2  # type: ignore[no-any-return]


def _gelu_tanh(x: DoubleArray) -> DoubleArray:
    return np.asarray(x / 2 * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3))))


def _norm(x: DoubleArray) -> DoubleArray:
    return np.sqrt((x * x).sum(axis=-1, keepdims=True))  # type: ignore[no-any-return]


def _unit(x: DoubleArray) -> DoubleArray:
    return x / _norm(x)


def _sinusoidal(*, n: int, d: int, start: int = 0) -> DoubleArray:
    places = np.arange(n)[:, None] + start
    columns = np.arange(d)[None, :]
    angle = places * 10000.0 ** (-2 * (columns // 2) / d)
    return np.where(columns % 2 == 0, np.sin(angle), np.cos(angle))


def _sinusoidal_exact(*, n: int, d: int, start: int = 0) -> BallMatrix:
    return called_without("sinusoidal", n + start, d)[start:]


def called_without(name: str, n: int, d: int) -> BallMatrix:
    """An operation that has sizes and no matrices. Raises :class:`NoFit` where there is none of that name."""
    return called(name, n=n, d=d)


def _turned(x: DoubleArray, *, start: int = 0) -> DoubleArray:
    high, wide = x.shape[-2:]
    angle = (np.arange(high)[:, None] + start) * 10000.0 ** (-2 * np.arange(wide // 2)[None, :] / wide)
    even, odd = x[..., 0::2], x[..., 1::2]
    found = np.empty_like(x)
    found[..., 0::2] = even * np.cos(angle) - odd * np.sin(angle)
    found[..., 1::2] = even * np.sin(angle) + odd * np.cos(angle)
    return found


def _turned_halves(x: DoubleArray, *, start: int = 0) -> DoubleArray:
    high, wide = x.shape[-2:]
    angle = (np.arange(high)[:, None] + start) * 10000.0 ** (-2 * np.arange(wide // 2)[None, :] / wide)
    first, last = x[..., : wide // 2], x[..., wide // 2 :]
    turned = (first * np.cos(angle) - last * np.sin(angle), first * np.sin(angle) + last * np.cos(angle))
    return np.concatenate(turned, axis=-1)


def _turned_halves_exact(x: BallMatrix, *, start: int = 0) -> BallMatrix:
    return called("rotary_halves", x, positions=[[arb(i + start) for i in range(len(x))]])


def _one(values: Iterable[arb]) -> BallMatrix:
    return [[sum(values, arb())]]


def _largest_place(x: DoubleArray) -> DoubleArray:
    return np.asarray(np.argmax(x, axis=-1)[..., None], dtype=float)


def _sum_of(*given: BallMatrix) -> BallMatrix:
    return [[sum((rows[0][0] for rows in given), arb())]]


def _beside(a: DoubleArray, b: DoubleArray) -> DoubleArray:
    ahead = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    return np.concatenate([np.broadcast_to(x, ahead + x.shape[-2:]) for x in (a, b)], axis=-1)


def _joined(left: BallMatrix, right: BallMatrix) -> BallMatrix:
    return [[*a, *b] for a, b in zip(left, right, strict=True)]


RULES: Mapping[str, RecipeRule] = MappingProxyType(
    {
        "transposed": RecipeRule(_swap, transposed, "{0}.T", "transposed", is_sign=True),
        "flat": RecipeRule(_swap, transposed, "{0}.T", is_sign=True),
        "row": RecipeRule(lambda x, i: x[..., i : i + 1, :], lambda x, i: [x[i]], "{0}[{i}, :]"),
        "entry": RecipeRule(lambda x, i, j: x[..., i : i + 1, j : j + 1], lambda x, i, j: [[x[i][j]]], "{0}[{i}, {j}]"),
        "columns": RecipeRule(
            lambda x, start, stop: x[..., start:stop],
            lambda x, start, stop: [row[start:stop] for row in x],
            "{0}[:, {start}:{stop}]",
            "columns {start} to {stop}",
        ),
        "product": RecipeRule(np.matmul, product, "{0} {1}", is_sign=True),
        "product_t": RecipeRule(
            lambda a, b: np.matmul(a, _swap(b)), lambda a, b: product(a, transposed(b)), "{0} {1}.T", is_sign=True
        ),
        "t_product": RecipeRule(
            lambda a, b: np.matmul(_swap(a), b), lambda a, b: product(transposed(a), b), "{0}.T {1}", is_sign=True
        ),
        "over_root": RecipeRule(
            lambda x, n: x / np.sqrt(float(n)),
            _entrywise(lambda a, n: a / ball_root(ball(Fraction(n)))),
            "{0} / sqrt({n})",
            "divided by √{n}",
            is_sign=True,
        ),
        "over_root_of": RecipeRule(
            lambda x, n: x / np.sqrt(n),
            _entrywise(lambda a, n: a / ball_root(n)),
            "{0} / sqrt({1})",
            "divided",
            is_sign=True,
        ),
        "over": RecipeRule(
            lambda x, n: x / float(n),
            _entrywise(lambda a, n: a / ball(Fraction(n))),
            "{0} / {n}",
            "divided by {n}",
            is_sign=True,
        ),
        "lower": RecipeRule(
            lambda x, n: np.tril(x), _lower, "keep({0}, causal_mask({n}))", "what a causal mask leaves of the weights"
        ),
        "causal": RecipeRule(_causal, _causal_exact, "causal_mask({0})", "causal mask"),
        "masked": RecipeRule(_masked_fast, _masked, "masked({0})", "mask of the entries that are 0 or −∞"),
        "softmax": RecipeRule(_softmax, _record("softmax"), "softmax({0})"),
        "softmax_columns": RecipeRule(
            lambda x: _swap(_softmax(_swap(x))), _columnwise("softmax"), "softmax({0}, axis=0)", "softmax over columns"
        ),
        "softmax_back": RecipeRule(
            lambda a, b: a * (b - (a * b).sum(axis=-1, keepdims=True)),
            _softmax_back,
            "{0} * ({1} - row_sum({0} * {1}))",
            is_sign=True,
        ),
        "proportions": RecipeRule(
            lambda x: x / x.sum(axis=-1, keepdims=True),
            _record("proportions"),
            "proportions({0})",
            "rows divided by their sums",
        ),
        "plus": RecipeRule(np.add, _entrywise(lambda a, b: a + b), "{0} + {1}", is_sign=True),
        "minus": RecipeRule(np.subtract, _entrywise(lambda a, b: a - b), "{0} - {1}", is_sign=True),
        "hadamard": RecipeRule(np.multiply, _entrywise(lambda a, b: a * b), "{0} * {1}", is_sign=True),
        "quotient": RecipeRule(np.divide, _entrywise(lambda a, b: a / b), "{0} / {1}", is_sign=True),
        "sum_of": RecipeRule(lambda *x: np.sum(x, axis=0), _sum_of, "", is_sign=True),
        "row_of": RecipeRule(
            lambda *x: np.concatenate(x, axis=-1), lambda *x: [[a for rows in x for a in rows[0]]], ""
        ),
        "row_sum": RecipeRule(lambda x: x.sum(axis=-1, keepdims=True), _record("row_sum"), "row_sum({0})"),
        "column_sum": RecipeRule(
            lambda x: x.sum(axis=-2, keepdims=True), _columnwise("row_sum"), "row_sum({0}.T).T", "sums of columns"
        ),
        "column_mean": RecipeRule(
            lambda x: x.mean(axis=-2, keepdims=True), _columnwise("row_mean"), "row_mean({0}.T).T", "mean of the rows"
        ),
        "total": RecipeRule(
            lambda x: x.sum(axis=(-2, -1), keepdims=True), lambda x: _one(a for row in x for a in row), "sum({0})"
        ),
        "row_mean": RecipeRule(lambda x: x.mean(axis=-1, keepdims=True), _record("row_mean"), "row_mean({0})"),
        "row_max": RecipeRule(lambda x: x.max(axis=-1, keepdims=True), _record("row_max"), "row_max({0})"),
        "variance": RecipeRule(_variance, _record("row_var"), "row_var({0}, correction={correction})"),
        "deviation": RecipeRule(
            lambda x, epsilon, correction: np.sqrt(_variance(x, correction) + float(epsilon)),
            _deviation,
            "sqrt(row_var({0}, correction={correction}) + {epsilon})",
            "ε = {epsilon}",
        ),
        "rms": RecipeRule(
            lambda x, epsilon: np.sqrt((x * x).mean(axis=-1, keepdims=True) + float(epsilon)),
            _rms_exact,
            "sqrt(row_mean(power({0}, 2)) + {epsilon})",
            "ε = {epsilon}",
        ),
        "centred": RecipeRule(_centred, lambda x: _less(x, called("row_mean", x)), "{0} - row_mean({0})", is_sign=True),
        "layer_norm": RecipeRule(_layer_norm, _layer_norm_exact, "layer_norm({0}, eps={epsilon})", "ε = {epsilon}"),
        "layer_norm_by": RecipeRule(
            _layer_norm, _layer_norm_exact, "layer_norm({0}, eps={epsilon}, gamma={1}, beta={2})", "ε = {epsilon}"
        ),
        "rms_norm": RecipeRule(_rms_norm, _rms_norm_exact, "rms_norm({0}, eps={epsilon})", "ε = {epsilon}"),
        "rms_norm_by": RecipeRule(
            _rms_norm, _rms_norm_exact, "rms_norm({0}, eps={epsilon}, gamma={1})", "ε = {epsilon}"
        ),
        "norm": RecipeRule(_norm, _record("norm"), "norm({0})"),
        "unit": RecipeRule(_unit, _record("unit"), "unit({0})", "rows of length 1"),
        "cosine": RecipeRule(lambda a, b: np.matmul(_unit(a), _swap(_unit(b))), _record("cosine"), "cosine({0}, {1})"),
        "square": RecipeRule(np.square, _entrywise(lambda a: a * a), "power({0}, 2)"),
        "root": RecipeRule(np.sqrt, _entrywise(ball_root), "sqrt({0})"),
        "exp": RecipeRule(np.exp, _record("exp"), "exp({0})"),
        "shifted": RecipeRule(
            lambda x: x - x.max(axis=-1, keepdims=True),
            lambda x: _less(x, called("row_max", x)),
            "{0} - row_max({0})",
            "less the largest of each row",
            is_sign=True,
        ),
        "log": RecipeRule(np.log, _record("log"), "log({0})"),
        "neg_log": RecipeRule(lambda x: -np.log(x), _entrywise(lambda a: -a.log()), "-log({0})", is_sign=True),
        "log_softmax": RecipeRule(
            lambda x: (
                x
                - x.max(axis=-1, keepdims=True)
                - np.log(np.exp(x - x.max(axis=-1, keepdims=True)).sum(-1, keepdims=True))
            ),
            _record("log_softmax"),
            "log_softmax({0})",
        ),
        "entropy": RecipeRule(
            lambda x: -np.where(x > 0, x * np.log(np.where(x > 0, x, 1)), 0).sum(-1, keepdims=True),
            _record("entropy"),
            "entropy({0})",
        ),
        "relu": RecipeRule(lambda x: np.maximum(x, 0), _record("relu"), "relu({0})"),
        "gelu": RecipeRule(_gelu, _record("gelu"), "gelu({0})"),
        "gelu_tanh": RecipeRule(_gelu_tanh, _record("gelu_tanh"), "gelu_tanh({0})", "GELU by tanh"),
        "silu": RecipeRule(lambda x: x / (1 + np.exp(-x)), _record("silu"), "silu({0})"),
        "sigmoid": RecipeRule(lambda x: 1 / (1 + np.exp(-x)), _record("sigmoid"), "sigmoid({0})"),
        "tanh": RecipeRule(np.tanh, _record("tanh"), "tanh({0})"),
        "argmax": RecipeRule(
            _largest_place, lambda x: [[arb(max(range(len(r)), key=lambda j: r[j].mid()))] for r in x], "argmax({0})"
        ),
        "concat": RecipeRule(_beside, _joined, "concat({0}, {1})"),
        "sinusoidal": RecipeRule(
            _sinusoidal, _sinusoidal_exact, "sinusoidal({n}, {d})", "base 10000, positions from {start}"
        ),
        "rotary": RecipeRule(
            _turned, _record("rotary"), "rotary({0}, start={start})", "base 10000, positions from {start}"
        ),
        "rotary_halves": RecipeRule(
            _turned_halves, _turned_halves_exact, "rotary_halves({0})", "base 10000, halves, positions from {start}"
        ),
    }
)
"""The operations of recipes, by name."""
