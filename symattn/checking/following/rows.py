"""Matrices of balls, and what can be done with them: signs of arithmetic, and every operation by its record."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any

from flint import arb, fmpq

from symattn.base.budget import spend
from symattn.base.errors import DomainError, SymattnError
from symattn.compute.values.balls import BALLS
from symattn.operations.equations.run import Arithmetic, OperandValues, run
from symattn.operations.equations.tree import Constant, Length, Operation, Parameter, Tree
from symattn.operations.records import record_named

BallMatrix = list[list[arb]]

BITS = 128
"""The precision of a check: figures of a document have some fifteen digits at most."""


class NoFit(SymattnError):
    """Shapes that do not go together, or a function that is not known."""


def ball(value: Fraction) -> arb:
    """A rational number."""
    return arb(fmpq(value.numerator, value.denominator))


_NOTHING = 1e-30
"""A ball around 0 no wider than this is 0: decimals that are equal differ by their balls."""


def difference(a: arb, b: arb) -> arb:
    """a − b, of which roots and powers can be worked out."""
    apart = a - b
    return arb() if apart.contains(0) and apart.rad() < _NOTHING else apart


def size(rows: BallMatrix) -> tuple[int, int]:
    """How many rows and columns there are."""
    return len(rows), len(rows[0]) if rows else 0


def transposed(rows: BallMatrix) -> BallMatrix:
    """Xᵀ."""
    return [list(column) for column in zip(*rows, strict=True)]


def product(left: BallMatrix, right: BallMatrix) -> BallMatrix:
    """X Y. Raises :class:`NoFit` where the columns of X are not as many as the rows of Y."""
    if size(left)[1] != size(right)[0]:
        raise NoFit(f"({said(left)}) by ({said(right)}): {size(left)[1]} columns meet {size(right)[0]} rows")
    spend(3 * len(left) * len(right) * size(right)[1])
    columns = list(zip(*right, strict=True))
    return [[_dot(row, column) for column in columns] for row in left]


def _dot(row: Sequence[arb], column: Sequence[arb]) -> arb:
    return sum((x * y for x, y in zip(row, column, strict=True) if not (x.is_zero() or y.is_zero())), arb())


def said(rows: BallMatrix) -> str:
    """A shape in words: ``3×2``."""
    return "×".join(map(str, size(rows)))


def each(rule: Callable[..., arb], *given: BallMatrix) -> BallMatrix:
    """A rule entry by entry, rows and columns of length one repeated. Raises :class:`NoFit` for other shapes."""
    high = max(size(rows)[0] for rows in given)
    wide = max(size(rows)[1] for rows in given)
    for rows in given:
        if size(rows)[0] not in (1, high) or size(rows)[1] not in (1, wide):
            raise NoFit(f"{' and '.join(map(said, given))} do not go together entry by entry")
    return [
        [rule(*(rows[i % len(rows)][j % len(rows[0])] for rows in given)) for j in range(wide)] for i in range(high)
    ]


def called(
    name: str, *given: Any, arithmetic: Arithmetic = BALLS, **numbers: Fraction | int | BallMatrix
) -> BallMatrix:
    """What an operation of the formula language makes of matrices, by its record; ``arithmetic`` says of which numbers.

    Raises :class:`NoFit` where there is none of that name or shapes do not fit.
    """
    record = record_named(name)
    if record is None:
        raise NoFit(f"{name} is not known")
    values, whole = _bound(record, given, numbers)
    if arithmetic is not BALLS:
        values = {name: _in_doubles(value) for name, value in values.items()}
    spend(200 + 30 * sum(len(rows) * size(rows)[1] for rows in given))
    try:
        return run(OperandValues(record, values, whole), arithmetic)
    except (DomainError, ZeroDivisionError, KeyError, IndexError, ValueError) as error:
        raise NoFit(f"{name} has no value here: {error}") from error


@lru_cache(maxsize=256)
def _parameters(record: Operation) -> tuple[tuple[Parameter, ...], tuple[Parameter, ...]]:
    matrices = tuple(each for each in record.parameters if each.is_matrix)
    return matrices, tuple(each for each in record.parameters if not each.is_matrix)


def _bound(
    record: Operation, given: Sequence[BallMatrix], numbers: dict[str, Any]
) -> tuple[dict[str, Any], dict[str, int]]:
    """What equations are given: the rows of matrices, numbers, and sizes."""
    matrices, others = _parameters(record)
    handed = {each.name: rows for each, rows in zip(matrices, given, strict=False)}
    handed.update({name: value for name, value in numbers.items() if isinstance(value, list)})
    if len(given) > len(matrices) or any(each.many for each in matrices):
        raise NoFit(f"{record.name} takes {len(matrices)} matrices, came {len(given)}")
    values: dict[str, Any] = {}
    whole: dict[str, int] = {}
    for one in matrices:
        if one.name in handed:
            rows = handed[one.name]
            lengths = size(rows) if one.kind == "matrix" else (size(rows)[1],)
            for axis, length in zip(one.axes, lengths, strict=True):
                if isinstance(axis, Length) and whole.setdefault(axis.name, length) != length:
                    raise NoFit(f"{record.name} of shapes {' and '.join(map(said, given))}")
            values[one.name] = rows if one.kind == "matrix" else rows[0]
    for one in matrices:
        if one.name not in values:
            if one.default is None:
                raise NoFit(f"{record.name} needs {one.name}")
            (axis,) = one.axes
            values[one.name] = [_default(one.default)] * whole[axis.name]  # type: ignore[union-attr]
    for one in others:
        if one.kind == "number":
            found = numbers.get(one.name, one.default)
            values[one.name] = ball(Fraction(found)) if isinstance(found, Fraction | int) else _default(found)
        elif one.name in numbers:
            whole[one.name] = int(numbers[one.name])
        elif one.default is not None:
            whole[one.name] = int(float(_default(one.default)))
        else:
            raise NoFit(f"{record.name} needs {one.name}")
    return values, whole


def _in_doubles(value: Any) -> Any:
    """Numbers as doubles where they are not what was given."""
    if isinstance(value, list):
        return [_in_doubles(each) for each in value]
    return float(value) if isinstance(value, arb) else value


def _default(tree: Tree | None) -> arb:
    match tree:
        case Constant(value):
            return ball(value)
    raise NoFit("a number is missing")
