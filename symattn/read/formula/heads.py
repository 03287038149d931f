"""Functions between matrices and batches: heads, reshape, transposing axes, repeating.

>>> from symattn.read.formula import Scope, read_formula
>>> from symattn.base.shapes import shape
>>> scope = Scope({"Q": shape(3, 4)})
>>> read_formula("merge_heads(heads(Q, 2))", scope).expr
Concat(Head(Q, 1, 2), Head(Q, 2, 2))
>>> read_formula("Q.reshape(3, 2, 2).transpose(1, 0, 2)[1]", scope).expr
Head(Q, 2, 2)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from math import prod
from types import MappingProxyType
from typing import Any, cast

from sympy import Integer

from symattn.base import limits
from symattn.base.parentheses import tight
from symattn.base.shapes import Axis
from symattn.operations import terms
from symattn.operations.terms import Term
from symattn.read.formula.axes import AXIS, axis_of
from symattn.read.formula.batch import FormulaValue, Several, batch_call, collected, has_batch, must_be_turned
from symattn.read.formula.broadcast import as_row
from symattn.read.formula.calling import FormulaReading, Function, call, concatenated

# -- cutting into heads and merging them -------------------------------------------------------------------------


def _build_heads(reader: FormulaReading, given: dict[str, Any]) -> FormulaValue:
    x, count = given["X"], reader.axis(given["h"])
    if isinstance(x, Several):
        must_be_turned(reader, x)
        cut = [part for each in x.parts for part in _heads(reader, each, count)]
        return collected(reader, (*x.axes, count), cut, f"heads({x.text}, {count.letter})")
    x = reader.matrix(x, "heads")
    return collected(reader, (count,), _heads(reader, x, count), f"heads({x.text}, {count.letter})")


def _heads(reader: FormulaReading, x: Term, count: Axis) -> list[Term]:
    """Cut a matrix into equally wide blocks of columns."""
    if isinstance(count.size, str):
        raise reader.error(f"{count.letter} is a letter without a number: expected how many heads there are")
    if count.size == 1:
        return [x]
    return [call("head", reader, x, Integer(t), Integer(count.size)) for t in range(1, count.size + 1)]


def _build_merged(reader: FormulaReading, given: dict[str, Any]) -> FormulaValue:
    x = given["X"]
    if not isinstance(x, Several):
        return reader.matrix(x, "merge_heads")
    return _merged(reader, x)


def _merged(reader: FormulaReading, x: Several) -> FormulaValue:
    """Put the matrices along the last leading axis side by side."""
    width = int(x.axes[-1].size)
    rows = [concatenated(reader, "concat", x.parts[start : start + width]) for start in range(0, len(x.parts), width)]
    return rows[0] if len(x.axes) == 1 else collected(reader, x.axes[:-1], rows, f"merge_heads({x.text})")


def _build_joined(name: str, reader: FormulaReading, given: dict[str, Any]) -> Term:
    """Build concat(O) of a batch from its matrices."""
    parts: list[Any] = []
    for value in given.values():
        parts += value.parts if isinstance(value, Several) else [value]
    if len(parts) == 1 and len(given) == 1 and not isinstance(given["X"], Several):
        raise reader.error(f"{name} also needs Y: {name}(X, Y, …)")
    return concatenated(reader, name, [reader.matrix(part, name) for part in parts])


# -- transposing ---------------------------------------------------------------------------------------------------


def reordered_axes(reader: FormulaReading, x: Several, axes: Sequence[int]) -> FormulaValue:
    """Reorder the axes of a batch: swap two neighbours, or transpose the matrices.

    ``axes`` are two that change places, or all in their new order.

    Raises :class:`~symattn.base.errors.FormulaError` for any other order.
    """
    ndim = len(x.axes) + 2
    places = [axis % ndim for axis in axes if -ndim <= axis < ndim]
    order = list(range(ndim))
    if len(places) == 2 == len(axes):
        order[places[0]], order[places[1]] = places[1], places[0]
    elif sorted(places) == order:
        order = places
    else:
        raise reader.error(f"transpose: {x.said}: expected two of its axes, or all {ndim}, came {list(axes)}")
    k = len(x.axes)
    text = f"{tight(x.text)}.transpose({', '.join(map(str, axes))})"
    if order == list(range(ndim)):
        return x
    if order == _swapped(ndim, k - 1):
        return replace(x, is_split=not x.is_split, text=text)
    if order == _swapped(ndim, k):
        must_be_turned(reader, x)
        return Several(x.axes, tuple(map(terms.transpose, x.parts)), text)
    ways = f"transpose({k - 1}, {k}) between rows and heads, transpose(-2, -1) of every matrix"
    raise reader.error(f"transpose: {x.said}, and the new order is {order}: a formula has {ways}")


def _swapped(ndim: int, place: int) -> list[int]:
    order = list(range(ndim))
    order[place], order[place + 1] = order[place + 1], order[place]
    return order


# -- reshape -------------------------------------------------------------------------------------------------------


def _build_reshape(reader: FormulaReading, given: dict[str, Any]) -> FormulaValue:
    """Return the same numbers, row by row, in another shape."""
    x = given["X"]
    said = [value for key, value in given.items() if key != "X"]
    axes = list(said[0]) if len(said) == 1 and isinstance(said[0], tuple) else said
    whole = x if isinstance(x, Several) else reader.term(x, "reshape")
    axes = _completed(reader, whole, axes)
    text = f"{tight(whole.text)}.reshape({', '.join(axis.letter for axis in axes)})"
    found = _of_batch(reader, whole, axes) if isinstance(whole, Several) else _of_matrix(reader, whole, axes, text)
    if found is None:
        shape = whole.sizes if isinstance(whole, Several) else str(whole.shape)
        raise reader.error(
            f"{text}: {whole.text} is {shape}: new rows are parts of rows, or whole ones one after the other; heads of "
            "a matrix are X.reshape(n, h, d_k).transpose(1, 0, 2) or heads(X, h); merge_heads(O) puts them side by side"
        )
    return replace(found, text=text)


def _completed(reader: FormulaReading, x: Term | Several, axes: Sequence[Any]) -> list[Axis]:
    """Return the new axes, with the rest for the one that is -1."""
    known = [None if value == -1 else reader.axis(value) for value in axes]
    old = x.all_axes if isinstance(x, Several) else (x.shape.rows, x.shape.columns)
    if any(isinstance(axis.size, str) for axis in [*old, *(axis for axis in known if axis is not None)]):
        raise reader.error(f"reshape: the sizes of {x.text} have to be numbers")
    total, others = prod(int(axis.size) for axis in old), prod(int(axis.size) for axis in known if axis is not None)
    least = min((int(axis.size) for axis in known if axis is not None), default=1)
    if known.count(None) > 1 or not known or least < 1 or total % others or (None not in known and total != others):
        came = ", ".join("-1" if axis is None else axis.letter for axis in known)
        raise reader.error(f"reshape: {x.text} has {total} numbers, which ({came}) does not hold")
    return [Axis(total // others) if axis is None else axis for axis in known]


def _of_matrix(reader: FormulaReading, x: Term, axes: list[Axis], text: str) -> FormulaValue | None:
    flat = x.of_ndim(2)
    if x.shape.ndim < 2 and x.shape.rows.size != 1:
        flat = terms.transpose(flat)
    sizes = [int(axis.size) for axis in axes]
    rows, width = (int(size) for size in flat.shape.sizes)
    if len(sizes) == 3 and sizes[0] == rows:
        cut = [_named(part, axes[2]) for part in _heads(reader, flat, axes[1])]
        return Several((axes[1],), tuple(cut), text, is_split=True)
    if len(sizes) == 3 and sizes[2] == width:
        parts = [
            call("rows", reader, flat, Integer(k * sizes[1] + 1), Integer((k + 1) * sizes[1])) for k in range(sizes[0])
        ]
        return Several((axes[0],), tuple(parts), text)
    if len(sizes) > 2:
        return None
    wide = sizes[-1]
    pieces = _pieces(reader, flat, wide)
    if pieces is None:
        return None
    found = concatenated(reader, "stack", pieces)
    return replace(found, shape=replace(found.shape, columns=axes[-1], ndim=len(sizes)))


def _named(x: Term, columns: Axis) -> Term:
    """Name the columns of a matrix by the axis given to reshape."""
    return replace(x, shape=replace(x.shape, columns=columns.merged(x.shape.columns)))


def _pieces(reader: FormulaReading, x: Term, wide: int) -> list[Term] | None:
    """Return rows of the new width, from parts of rows or from whole ones."""
    rows, width = (int(size) for size in x.shape.sizes)
    if wide == width:
        return [x]
    if rows * width // min(wide, width) > limits.LIST_ENTRIES:
        raise reader.error(f"reshape: more than LIST_ENTRIES = {limits.LIST_ENTRIES} parts of rows")
    single = [call("row", reader, x, Integer(i)) if rows > 1 else x for i in range(1, rows + 1)]
    if width % wide == 0:
        return [part for row in single for part in _heads(reader, row, Axis(width // wide))]
    if wide % width == 0:
        step = wide // width
        return [concatenated(reader, "concat", single[start : start + step]) for start in range(0, rows, step)]
    return None


def _of_batch(reader: FormulaReading, x: Several, axes: list[Axis]) -> FormulaValue | None:
    """Cut a batch into heads, or merge them again."""
    sizes, old = [int(axis.size) for axis in axes], [int(axis.size) for axis in x.all_axes]
    if sizes == old:
        return x
    if x.is_split and sizes == [*old[:-2], old[-2] * old[-1]]:
        return _merged(reader, replace(x, is_split=False))
    if not x.is_split and sizes == [*old[: len(x.axes) - 1], old[-3] * old[-2], old[-1]] and len(x.axes) == 1:
        return concatenated(reader, "stack", x.parts)
    if not x.is_split and len(x.axes) == 1 and len(sizes) == 4 and sizes[:2] == old[:2]:
        cut = [part for each in x.parts for part in _heads(reader, each, axes[2])]
        return Several((*x.axes, axes[2]), tuple(cut), x.text, is_split=True)
    return None


# -- repeating -----------------------------------------------------------------------------------------------------


def _build_repeat(name: str, reader: FormulaReading, given: dict[str, Any]) -> FormulaValue:
    """Repeat every matrix of a batch, every row or every column several times in a row."""
    count = reader.whole(given["k"])
    x = given["X"] if isinstance(given["X"], Several) else reader.matrix(given["X"], name)
    axis = axis_of(given)
    text = x.text
    if axis is None and name != "repeat_kv":
        what = "every matrix" if isinstance(x, Several) else "every row"
        whole = f"tile({text}, ({count}, 1{', 1' * isinstance(x, Several)}))"
        raise reader.error(
            f"{name}({text}, {count}) can mean two things: write {name}({text}, {count}, axis=0), {what} {count} times "
            f"in a row, or {whole}, the whole {count} times"
        )
    if not 1 <= count <= limits.LIST_ENTRIES:
        raise reader.error(f"{name}: {count} times: expected a whole number from 1 to {limits.LIST_ENTRIES}")
    said = f"{name}({text}, {count}, axis={axis})" if name != "repeat_kv" else f"{name}({text}, {count})"
    if isinstance(x, Several):
        must_be_turned(reader, x)
        if len(x.axes) != 1 or axis not in (None, 0, -3):
            raise reader.error(f"{name}: {x.said}, and the axis is {axis}: expected 0, its matrices")
        parts = [part for part in x.parts for _ in range(count)]
        return collected(reader, (Axis(len(parts)),), parts, said)
    if x.shape.ndim != 2 or axis not in (0, 1, -1, -2):
        wanted = "expected a matrix, and 0 for rows, 1 for columns"
        raise reader.error(f"{name}: {x.operand}, and the axis is {axis}: {wanted}")
    if axis in (0, -2):
        return replace(_rows_repeated(reader, x, count), text=said)
    return replace(terms.transpose(_rows_repeated(reader, terms.transpose(x), count)), text=said)


def _rows_repeated(reader: FormulaReading, x: Term, count: int) -> Term:
    rows = x.shape.rows.size
    if isinstance(rows, str) or rows * count > limits.LIST_ENTRIES:
        most = f"at most LIST_ENTRIES = {limits.LIST_ENTRIES} rows in the end"
        raise reader.error(f"repeat: {x.operand}: expected {most}")
    if rows == 1:
        return call("broadcast", reader, x, Integer(count)) if count > 1 else x
    single = [call("row", reader, x, Integer(i)) for i in range(1, rows + 1)]
    return concatenated(reader, "stack", [row for row in single for _ in range(count)])


def _build_tile(reader: FormulaReading, given: dict[str, Any]) -> FormulaValue:
    """Repeat the whole matrix several times: side by side, or below each other and side by side."""
    x, counts = given["X"], given["k"]
    times = tuple(map(reader.whole, counts)) if isinstance(counts, tuple) else (reader.whole(counts),)
    fits = bool(times) and all(1 <= count <= limits.LIST_ENTRIES for count in times)
    if isinstance(x, Several) and fits and len(x.axes) == 1 and times[1:] == (1, 1):
        must_be_turned(reader, x)
        parts = x.parts * times[0]
        return collected(reader, (Axis(len(parts)),), parts, f"tile({x.text}, {times})")
    if not fits or len(times) > 2 or prod(times) > limits.LIST_ENTRIES:
        most = f"LIST_ENTRIES = {limits.LIST_ENTRIES} times in all"
        raise reader.error(f"tile: came {times}: expected one or two whole numbers from 1 up, at most {most}")
    x = reader.matrix(x, "tile")
    down, across = (1, *times)[-2:]
    text = f"tile({x.text}, {times[0] if len(times) == 1 else times})"
    found = concatenated(reader, "stack", [concatenated(reader, "concat", [as_row(x)] * across)] * down)
    return replace(found.of_ndim(max(x.shape.ndim, len(times))), text=text)


PLACES = ("first", "second", "third", "fourth")
"""The parameters of transpose: its axes."""


def new_places(given: Mapping[str, Any]) -> tuple[Any, ...]:
    """Return the axes given to transpose, one by one or as a list."""
    axes = tuple(given[key] for key in PLACES if key in given)
    return axes[0] if len(axes) == 1 and isinstance(axes[0], tuple) else axes


_HEADS = Function(("X", "h"), 2, _build_heads)
_RESHAPE = Function(("X", "m"), 2, _build_reshape, endless=True, lists=("m",))

MADE: Mapping[str, Function] = MappingProxyType(
    {
        **dict.fromkeys(("heads", "split_heads"), _HEADS),
        "merge_heads": Function(("X",), 1, _build_merged),
        **dict.fromkeys(("reshape", "view"), _RESHAPE),
        **{
            name: Function(("X", "k"), 2, partial(_build_repeat, name), options=AXIS)
            for name in ("repeat", "repeat_interleave", "repeat_kv")
        },
        "tile": Function(("X", "k"), 2, _build_tile, lists=("k",)),
        **{name: Function(("X", "Y"), 1, partial(_build_joined, name), endless=True) for name in ("concat", "stack")},
    }
)
"""Functions that may take a batch, or make one."""


def built(reader: FormulaReading, name: str, function: Function, said: dict[str, Any]) -> FormulaValue:
    """Apply a function to its arguments; to several matrices as a whole, or to each of them."""
    given = function.completed(said)
    if not has_batch(list(given.values())):
        return cast(FormulaValue, function.build(reader, given))
    if (whole := _of_whole(reader, name, function, said)) is not None:
        return whole
    return batch_call(reader, name, function, said)


def _of_whole(reader: FormulaReading, name: str, function: Function, given: dict[str, Any]) -> FormulaValue | None:
    """Apply a function to several matrices together; return ``None`` if it applies to each of them."""
    if name in MADE and function is MADE[name]:
        return function.build(reader, given)
    x = given.get("X", given.get("arrays"))
    if function.counts and isinstance(x, Several):
        if name != "multiplications":
            raise reader.error(f"{name}: {x.said}: expected one matrix")
        # The products counted so far are those of all matrices.
        return function.build(reader, {**given, "X": x.parts[0]})
    if name in ("transpose", "permute", "swapaxes", "t") and isinstance(x, Several):
        axes = new_places(given)
        if not axes or not all(type(axis) is int for axis in axes):
            raise reader.error(f"{name}: {x.said}: which axes change places? {tight(x.text)}.mT turns every matrix")
        return reordered_axes(reader, x, axes)
    return None
