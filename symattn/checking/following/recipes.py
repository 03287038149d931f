"""The operations that a search tries: their formulas, what they cost, and their values for many operands at once.

Values are doubles in stacks of matrices, whose last two axes are rows and columns; operations of rows are the records
of the formula language. What a search settles on is worked out again in balls, from its formula.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, reduce
from types import MappingProxyType
from typing import Any, Final, TypeAlias

import numpy as np

from symattn.checking.following.rows import called
from symattn.checking.reading import read
from symattn.checking.reading.tree import Combined, Expressed, FigureRead, NameRead, ProgramPiece
from symattn.checking.sources import read_document
from symattn.compute.values.float64 import COMPARED, FUNCTIONS, DoubleArray

MatrixShape: TypeAlias = tuple[int, int]
RoleNames: TypeAlias = frozenset[str]

_TABLE: Final = """
product | A @ B | 2.5 | | product projection weighted_sum gradient | \
query key value output context logits hidden gradient | \
weights-value weights-input input-matrix context-matrix query-key
output | A @ B | 2.5 | softmax columns concat | product projection weighted_sum | output context hidden | \
context-value context-input context-matrix
product_t | A @ B.T | 2.5 | | product dot gradient | scores gradient | query-key input-input gradient-matrix
t_product | A.T @ B | 4.5 | | product gradient | gradient | weights-gradient input-gradient gradient-gradient
scaled | A / D | 2 | product product_t | scale | scaled | scores
causal | causal_mask(A) | 2.5 | product product_t scaled | causal_mask mask | masked | scores
softmax | softmax(A) | 2.5 | product product_t scaled causal plus | softmax | weights probabilities | scores
columns | softmax(A, axis=0) | 5 | product product_t scaled | | weights probabilities | scores
proportions | proportions(A) | 4 | product product_t | normalise proportions | weights probabilities |
masked_proportions | proportions(tril(A)) | 9 | | causal_mask mask | weights probabilities | weights
log_softmax | log_softmax(A) | 6 | | log | |
plus | A + B | 3 | product hadamard | sum residual bias positional plus | | input-context context-input scores-mask
minus | A - B | 4 | | gradient update minus | gradient |
hadamard | A * B | 4.5 | layer_norm layer_norm_5 rms_norm rms_norm_5 | product | |
quotient | A / B | 5 | | scale | |
concat | concat(A, B) | 5 | | concat heads | |
cosine | cos(A, B) | 7 | | cosine | |
transposed | A.T | 3 | | transpose | |
sum | sum(A) | 5 | exp | sum | | weights
mean | mean(A) | 5 | square | mean rms_norm | mean |
variance | var(A) | 5 | | variance | variance |
sample_variance | var(A, ddof=1) | 6 | | variance | variance |
deviation | std(A) | 5 | | std | std |
largest | max(A) | 6 | | max | |
length | norm(A, axis=1) | 5 | | norm | |
less_max | A - max(A).T | 5 | | subtract_max | |
centred | A - mean(A).T | 5 | | | |
square | A ** 2 | 6 | | square rms_norm | |
root | sqrt(A) | 5 | mean | root std rms_norm | |
exp | exp(A) | 5 | less_max | exp | |
log | log(A) | 5 | | log | |
minus_log | -log(A) | 5 | | loss cross_entropy | loss |
relu | relu(A) | 5 | product plus | relu | hidden |
gelu | gelu(A) | 5 | product plus | gelu | hidden |
silu | silu(A) | 6 | product plus | silu | hidden |
sigmoid | sigmoid(A) | 5 | | sigmoid | |
tanh | tanh(A) | 6 | | tanh | |
"""
"""For each operation its formula in A, and B or a divisor D; the bits that it takes to say it where no word speaks of
it; after which others it is done, besides with what is known; the words of hints that mean it; the roles that its
results may have; and the roles of what it is usually done with."""

_NORMS: Final = """
layer_norm{0} | layer_norm(A, eps={1}) | {2} + 3.5 | plus | layer_norm normalise | normalised | input
rms_norm{0} | rms_norm(A, eps={1}) | {2} + 4 | plus | rms_norm normalise | normalised | input
"""

EPSILONS: Final = {"": 0.5, "_5": 1.0, "_6": 2.0, "_8": 3.0, "_12": 3.0, "_3": 8.0}
"""Powers of ten that norms add below their roots, and the bits that each costs: an unusual one explains last digits."""

_GROUPS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "scores": "scores scaled masked logits",
        "weights": "weights probabilities",
        "input": "input embedding hidden",
        "context": "context output",
        "matrix": "weight_matrix",
    }
)
"""RoleNames that are alike for what is done with them."""


def group(name: str) -> RoleNames:
    """Return the roles that are alike for what is done with them.

    >>> sorted(group("weights"))
    ['probabilities', 'weights']
    """
    return frozenset(_GROUPS.get(name, name).split())


@dataclass(frozen=True)
class SearchedOperation:
    """An operation that a search tries."""

    formula: Expressed
    price: float
    """The bits that it takes to say it where no word speaks of it."""
    always: float
    """The bits that a number in it costs."""
    after: frozenset[str]
    words: frozenset[str]
    makes: frozenset[str]
    usual: tuple[tuple[RoleNames, ...], ...]

    @property
    def takes_two(self) -> bool:
        """Whether it has two operands."""
        return len(_names(self.formula)) > 1

    def written(self, *operands: Expressed) -> Expressed:
        """Return its formula of some operands."""
        return _filled(self.formula, dict(zip("A" + _names(self.formula)[1:], operands, strict=True)))

    def values(self, *operands: DoubleArray) -> DoubleArray:
        """Return its values for stacks of operands. Raises :class:`ValueError` where their shapes do not fit."""
        return _worth(self.formula, dict(zip("A" + _names(self.formula)[1:], operands, strict=True)))

    def shape(self, *shapes: MatrixShape) -> MatrixShape | None:
        """Return the shape of its result, ``None`` where shapes do not go together or it would say nothing."""
        return _shape(self, shapes)


@cache
def operations() -> Mapping[str, SearchedOperation]:
    """Return the operations by their names."""
    norms = (_NORMS.format(end, f"1e-{end[1:]}" if end else "0", cost) for end, cost in EPSILONS.items())
    lines = [[each.strip() for each in line.split("|")] for line in (_TABLE + "".join(norms)).splitlines() if line]
    program = "\n".join(f"y = {formula}" for _, formula, *_ in lines)
    parts = read(read_document(f"```python\n{program}\n```", "table.md")).told
    (told,) = (each for each in parts if isinstance(each, ProgramPiece))
    formulas = [each.sides[-1].of for each in told.formulas]
    found = {}
    for (name, _, bits, after, words, makes, usual), formula in zip(lines, formulas, strict=True):
        always, _, price = bits.rpartition("+")
        found[name] = SearchedOperation(
            _placeless(formula),
            float(price),
            float(always or 0),
            frozenset({"", *after.split()}),
            frozenset(words.split()),
            frozenset(makes.split()),
            tuple(tuple(map(group, each.split("-"))) for each in usual.split()),
        )
    return MappingProxyType(found)


def _names(formula: Expressed) -> str:
    """The letters of operands, in their order."""
    if isinstance(formula, Combined):
        return "".join(sorted(set("".join(map(_names, formula.args)))))
    return formula.base if isinstance(formula, NameRead) else ""


def _placeless(formula: Expressed) -> Expressed:
    """A formula without the places where it was read."""
    if isinstance(formula, Combined):
        numbers = tuple((name, _placeless(each)) for name, each in formula.named if isinstance(each, FigureRead))
        sign = "⊙" if formula.op == "*" else formula.sign
        return Combined(formula.op, tuple(map(_placeless, formula.args)), 0, 0, sign, numbers)
    return replace(formula, start=0, end=0)


def _filled(formula: Expressed, operands: Mapping[str, Expressed]) -> Expressed:
    if isinstance(formula, NameRead):
        return operands[formula.base]
    if not isinstance(formula, Combined):
        return formula
    args = tuple(_filled(each, operands) for each in formula.args)
    return transposed(args[0]) if formula.op == "T" else replace(formula, args=args)


@cache
def _shape(operation: SearchedOperation, shapes: tuple[MatrixShape, ...]) -> MatrixShape | None:
    try:
        with np.errstate(all="ignore"):
            found = operation.values(*(np.ones((1, *shape)) for shape in shapes)).shape[1:]
    except ValueError:
        return None
    formula = operation.formula
    is_by_entries = isinstance(formula, Combined) and formula.op in ("+", "-", "*", "/")
    return None if is_by_entries and found != shapes[0] else (found[0], found[1])


# -- formulas ----------------------------------------------------------------------------------------------------------


def named(base: str) -> NameRead:
    """Return a name as it is written in a formula."""
    return NameRead(base, (), (), (), 0, 0, base)


def figure(value: int) -> FigureRead:
    """Return a whole number as it is written in a formula."""
    return FigureRead(str(value), Fraction(value), Fraction(1), 0, 0)


def root(of: Expressed) -> Expressed:
    """Return the square root of a formula."""
    return Combined("call:sqrt", (of,), 0, 0)


def transposed(of: Expressed) -> Expressed:
    """Return Xᵀ, and X of Xᵀ."""
    return of.args[0] if isinstance(of, Combined) and of.op == "T" else Combined("T", (of,), 0, 0)


# -- values ------------------------------------------------------------------------------------------------------------


def _worth(formula: Expressed, operands: Mapping[str, DoubleArray]) -> DoubleArray:
    match formula:
        case NameRead(base=base):
            return operands[base]
        case FigureRead(value=value) if value is not None:
            return np.array(float(value))
        case Combined(op, args):
            numbers = {name: each.value for name, each in formula.named if isinstance(each, FigureRead)}
            return _RULES[op.removeprefix("call:")](*(_worth(each, operands) for each in args), **numbers)
    raise ValueError("no formula of the table")


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


def _by_rows(record: str) -> Callable[..., DoubleArray]:
    """Return what a record makes of every row of each matrix, or of every column."""

    def values(x: DoubleArray, axis: int = 1, eps: Fraction | None = None) -> DoubleArray:
        if axis == 0:
            return _swapped(values(_swapped(x)))
        row = [x[..., j].ravel() for j in range(_wide(x))]
        made: list[Any] = called(
            record, [row], arithmetic=StackedDoubles(), **({} if eps is None else {"epsilon": eps})
        )[0]
        return np.stack(np.broadcast_arrays(*made), axis=-1).reshape(x.shape)

    return values


def _by_entries(record: str) -> Callable[..., DoubleArray]:
    def values(x: DoubleArray) -> DoubleArray:
        made: Any = called(record, [[x.ravel()]], arithmetic=StackedDoubles())[0][0]
        return made.reshape(x.shape)  # type: ignore[no-any-return]

    return values


def _along(rule: Callable[..., Any]) -> Callable[..., DoubleArray]:
    """Return the list of one number for every row of each matrix."""
    return lambda x, axis=1, **numbers: rule(x, axis=-1, **numbers)[..., None, :] if _wide(x) else x


def _wide(x: DoubleArray) -> int:
    """How many columns there are. Raises :class:`ValueError` for one: then an operation of rows says nothing."""
    wide: int = x.shape[-1]
    if wide < 2:
        raise ValueError("rows of one number")
    return wide


def _swapped(x: DoubleArray) -> DoubleArray:
    return np.swapaxes(x, -1, -2)


def _product(a: DoubleArray, b: DoubleArray) -> DoubleArray:
    return np.matmul(a, b) if _wide(a) else a


def _causal(x: DoubleArray) -> DoubleArray:
    return np.where(np.tri(*x.shape[-2:]) > 0, x, -np.inf)


def _beside(left: DoubleArray, right: DoubleArray) -> DoubleArray:
    if left.shape[-2] != right.shape[-2]:
        raise ValueError("matrices of other heights side by side")
    ahead = np.broadcast_shapes(left.shape[:-1], right.shape[:-1])
    return np.concatenate([np.broadcast_to(x, (*ahead, x.shape[-1])) for x in (left, right)], axis=-1)


def _length(x: DoubleArray, axis: int) -> DoubleArray:
    return np.sqrt(np.square(x).sum(axis=axis))  # type: ignore[no-any-return]


def _cosine(a: DoubleArray, b: DoubleArray) -> DoubleArray:
    a, b = (x / _length(x, -1)[..., None] for x in (a, b))
    return _product(a, _swapped(b))


_RULES: Final[Mapping[str, Callable[..., DoubleArray]]] = MappingProxyType(
    {
        **{"+": np.add, "-": np.subtract, "/": np.divide, "*": np.multiply, "^": np.power, "neg": np.negative},
        **{"@": _product, "T": _swapped, "concat": _beside, "cos": _cosine, "causal_mask": _causal, "tril": np.tril},
        **{"sqrt": np.sqrt, "root": np.sqrt, "exp": np.exp, "log": np.log, "tanh": np.tanh},
        **{name: _by_rows(name) for name in "softmax log_softmax proportions layer_norm rms_norm".split()},
        **{name: _by_entries(name) for name in "relu gelu silu sigmoid".split()},
        **{name: _along(getattr(np, name)) for name in "sum mean max var std".split()},
        "norm": _along(_length),
    }
)
"""What is done with stacks, by the names and signs of formulas."""
