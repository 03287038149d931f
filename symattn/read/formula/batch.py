"""Batches: matrices of one shape along leading axes, as arrays of three axes in NumPy; operations apply to each matrix.

>>> from symattn.read.formula import Scope, read_value
>>> from symattn.base.shapes import shape
>>> scope = Scope({"Q": shape(3, 4), "K": shape(3, 4)})
>>> scores = read_value("softmax(heads(Q, 2) @ heads(K, 2).mT)", scope)
>>> scores.sizes, scores.parts[0].expr
('(2, 3, 3)', Softmax(Head(Q, 1, 2)*Head(K, 1, 2).T))
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod
from typing import Any, TypeAlias

from sympy import Expr

from symattn.base import limits
from symattn.base.parentheses import tight
from symattn.base.shapes import Axis
from symattn.operations import terms
from symattn.operations.terms import Term
from symattn.read.formula.axes import AXIS, KEPT
from symattn.read.formula.calling import FormulaReading, Function, concatenated
from symattn.read.formula.indexing import Indexed, indexed
from symattn.read.formula.tree import canonical, indices


@dataclass(frozen=True)
class Several:
    """Matrices of one shape; the last of the leading axes varies fastest."""

    axes: tuple[Axis, ...]
    parts: tuple[Term, ...]
    text: str
    is_split: bool = False
    """Whether the last leading axis comes after the rows, (n, h, d), as when reshape cuts a matrix into heads."""

    @property
    def all_axes(self) -> tuple[Axis, ...]:
        """All axes in their order."""
        *leading, last = self.axes
        rows, columns = self.parts[0].shape.rows, self.parts[0].shape.columns
        return (*leading, *((rows, last) if self.is_split else (last, rows)), columns)

    @property
    def sizes(self) -> str:
        """The shape in words."""
        return f"({', '.join(map(str, self.all_axes))})"

    @property
    def said(self) -> str:
        """The batch as an error describes it."""
        return f"{self.text} is {self.sizes}"


FormulaValue: TypeAlias = "Term | Expr | Several"


def has_batch(values: Sequence[Any]) -> bool:
    """Return whether some values contain a batch, also within lists."""
    return any(isinstance(value, Several) or (isinstance(value, tuple) and has_batch(value)) for value in values)


def mapped(reader: FormulaReading, make: Callable[..., Any], values: Sequence[Any], text: str) -> FormulaValue:
    """Apply ``make`` to every slice; other values are used for each of them.

    Raises :class:`~symattn.base.errors.FormulaError` if batches differ in length.
    """
    batches = [value for value in _flat(values) if isinstance(value, Several)]
    for batch in batches:
        must_be_turned(reader, batch)
    axes = max((batch.axes for batch in batches), key=lambda axes: (len(axes), prod(_length(a) for a in axes)))
    count = prod(map(_length, axes))
    slices = [[_slice(reader, value, axes, number, batches) for value in values] for number in range(count)]
    return collected(reader, axes, [make(*each) for each in slices], text)


def _flat(values: Sequence[Any]) -> list[Any]:
    return [part for value in values for part in (_flat(value) if isinstance(value, tuple) else [value])]


def _length(axis: Axis) -> int:
    return int(axis.size)


def _slice(reader: FormulaReading, value: Any, axes: tuple[Axis, ...], number: int, batches: Sequence[Several]) -> Any:
    """Return the part of a value that belongs to the slice of that number."""
    if isinstance(value, tuple):
        return tuple(_slice(reader, part, axes, number, batches) for part in value)
    if not isinstance(value, Several):
        return value
    sizes, wanted = [*map(_length, value.axes)], [*map(_length, axes)]
    if sizes != wanted[len(wanted) - len(sizes) :] and prod(sizes) != 1:
        said = ", ".join(dict.fromkeys(batch.said for batch in batches))
        raise reader.error(
            f"{said}: {value.axes[-1].letter} and {axes[-1].letter} differ; repeat({value.text}, k, axis=0) has every "
            "matrix k times in a row, as groups of heads share their keys"
        )
    return value.parts[number % len(value.parts)]


def must_be_turned(reader: FormulaReading, batch: Several) -> None:
    """Refuse (n, h, d), whose heads must become the leading axis first."""
    if batch.is_split:
        k = len(batch.axes)
        raise reader.error(
            f"{batch.said}: the heads stand behind the rows: {tight(batch.text)}.transpose({k - 1}, {k}) has one "
            "matrix for each head"
        )


def each_turned(reader: FormulaReading, batch: Several, attribute: str) -> FormulaValue:
    """Transpose every matrix.

    Raises :class:`~symattn.base.errors.FormulaError` for the attribute that reverses all axes.
    """
    if attribute == "T":
        raise reader.error(f"{batch.said}: .T turns all of its axes: {tight(batch.text)}.mT turns every matrix")
    return mapped(reader, terms.transpose, [batch], f"{tight(batch.text)}.mT")


def collected(reader: FormulaReading, axes: tuple[Axis, ...], parts: Sequence[Any], text: str) -> FormulaValue:
    """Collect matrices to a batch, vectors to the rows of a matrix, numbers to a vector."""
    if not all(isinstance(part, Term) for part in parts):
        raise reader.error(f"{text}: expected matrices, came numbers for each of {len(parts)} matrices")
    if len(parts) > limits.LIST_ENTRIES:
        raise reader.error(f"{text}: more than LIST_ENTRIES = {limits.LIST_ENTRIES} matrices at once")
    ndim = parts[0].shape.ndim
    if ndim == 2:
        return Several(axes, tuple(parts), text)
    if ndim == 1 and len(axes) == 2:
        width = _length(axes[1])
        groups = [collected(reader, axes[1:], parts[k : k + width], text) for k in range(0, len(parts), width)]
        return collected(reader, axes[:1], groups, text)
    if ndim + len(axes) > 2:
        raise reader.error(f"{text} has {ndim + len(axes)} axes, none of them of matrices: keepdims=True keeps them")
    lying = [part.of_ndim(2) for part in parts]
    if ndim == 1:
        lying = [part if part.shape.rows.size == 1 else terms.transpose(part) for part in lying]
        found = concatenated(reader, "stack", lying)
        return replace(found, text=text, shape=replace(found.shape, rows=axes[0]))
    found = concatenated(reader, "concat", lying)
    if len(axes) == 1:
        return replace(found, text=text, shape=replace(found.shape, columns=axes[0], ndim=1))
    width = _length(axes[1])
    rows = [concatenated(reader, "concat", lying[start : start + width]) for start in range(0, len(lying), width)]
    return replace(concatenated(reader, "stack", rows), text=text)


# -- brackets ------------------------------------------------------------------------------------------------------


def taken(reader: Indexed, batch: Several, node: ast.Subscript, read: Callable[[ast.expr], Any]) -> FormulaValue:
    """Read ``batch[…]``: one matrix, some of them, or the same part of each.

    Raises :class:`~symattn.base.errors.FormulaError` for an index out of range.
    """
    must_be_turned(reader, batch)
    pieces = [*indices(node)]
    count, leading = len(batch.axes), len(batch.axes)
    dots = [number for number, piece in enumerate(pieces) if isinstance(piece, ast.Constant) and piece.value is ...]
    if dots:
        missing = count + 2 - (len(pieces) - 1)
        pieces[dots[0] : dots[0] + 1] = [ast.Slice()] * missing
    if len(pieces) > count + 2:
        raise reader.error(f"{batch.said}: it has {count + 2} axes, and {len(pieces)} indices stand in brackets")
    places: list[list[int]] = []
    kept: list[Axis] = []
    for axis, piece in zip(batch.axes, [*pieces, *[ast.Slice()] * (leading - len(pieces))], strict=False):
        chosen, stays = _places(reader, batch, axis, piece, read)
        places.append(chosen)
        kept += [Axis(len(chosen), axis.name if len(chosen) == axis.size else "")] if stays else []
    widths = [*map(_length, batch.axes)]
    numbers = places[0] if leading == 1 else [a * widths[1] + b for a in places[0] for b in places[1]]
    parts: list[Any] = [batch.parts[number] for number in numbers]
    if inner := pieces[leading:]:
        index = inner[0] if len(inner) == 1 else ast.Tuple(inner, ast.Load())
        inside = ast.Subscript(node.value, index, ast.Load())
        parts = [indexed(reader, part, inside, read) for part in parts]
    if not kept:
        return parts[0]
    return collected(reader, tuple(kept), parts, canonical(node))


def _places(
    reader: Indexed, batch: Several, axis: Axis, piece: ast.expr, read: Callable[[ast.expr], Any]
) -> tuple[list[int], bool]:
    """Return the indices of matrices along a leading axis, and whether the axis stays."""
    size = _length(axis)
    if isinstance(piece, ast.Slice):
        first, last, step = (
            None if part is None else reader.whole(read(part)) for part in (piece.lower, piece.upper, piece.step)
        )
        found = list(range(size))[first:last:step] if step != 0 else []
        if not found:
            raise reader.error(f"{batch.said}: nothing is left of its {axis.letter}")
        return found, True
    place = reader.whole(read(piece))
    if not -size <= place < size:
        raise reader.error(f"{batch.said}: expected 0 to {size - 1}, or -1 for the last, came {place}")
    return [place % size], False


# -- functions -----------------------------------------------------------------------------------------------------


def batch_call(reader: FormulaReading, name: str, function: Function, said: dict[str, Any]) -> FormulaValue:
    """Apply a function to each matrix, or along one of all axes, counted as in NumPy.

    Raises :class:`~symattn.base.errors.FormulaError` if it cannot work along a leading axis.
    """
    given = function.completed(said)
    batch = next(value for value in _flat([*given.values()]) if isinstance(value, Several))
    if function.is_flat:
        why = "of more than two axes it is something else in NumPy than of each matrix"
        raise reader.error(f"{name}: {batch.said}: {why}: write {function.is_flat}")
    count = len(batch.axes)
    key = next((key for key in AXIS if key in given and key in function.options), None)
    if "arrays" in given:
        _must_be_batches(reader, name, given["arrays"], batch)
    _must_be_said(reader, name, given, batch)
    inside = dict(given)
    if key is not None:
        axis = given[key]
        if axis is None:
            return _of_all(reader, name, function, given, batch)
        if type(axis) is not int or not -count - 2 <= axis < count + 2:
            raise reader.error(f"{name}: {batch.said}, and the axis is {axis}: expected one from 0 to {count + 1}")
        inside[key] = axis % (count + 2) - count
        if inside[key] < 0:
            return _along_leading(reader, name, given, batch, axis)
    options = [option for option in function.options if option in said]
    settings = "".join(f", {option}={said[option]}" for option in options)
    written = ", ".join(_text(value) for parameter, value in said.items() if parameter not in options)
    names = list(inside)
    return mapped(
        reader,
        lambda *values: function.build(reader, dict(zip(names, values, strict=True))),
        [inside[each] for each in names],
        f"{name}({written}{settings})",
    )


def _must_be_batches(reader: FormulaReading, name: str, values: Any, batch: Several) -> None:
    """Refuse to join matrices and batches, as NumPy does."""
    for value in values if isinstance(values, tuple) else ():
        if not isinstance(value, Several) or [*map(_length, value.axes)] != [*map(_length, batch.axes)]:
            raise reader.error(f"{name}: {batch.said}: expected all of its matrices to have as many beside them")


def _must_be_said(reader: FormulaReading, name: str, given: Mapping[str, Any], batch: Several) -> None:
    """Refuse sum(B), and max(B, 2): the axis is missing."""
    if name not in _OF_ENTRIES or any(key in given for key in AXIS):
        return
    others = [value for key, value in given.items() if key.isdigit()]
    text, ndim = batch.text, len(batch.axes) + 2
    if not others:
        ways = f"{name}({text}, axis=-1) for each row, {name}({text}, axis=-2) for each column"
        raise reader.error(f"{name}({text}): {batch.said}: write {ways} or {name}({text}, axis=None) for all entries")
    if isinstance(given["X"], Several) and others[0] in range(-ndim, ndim):
        ways = f"{name}({text}, axis={others[0]}) or {name}imum({text}, {others[0]})"
        raise reader.error(f"{name}({text}, {others[0]}) can mean two things: write {ways}")


_OF_ENTRIES = ("sum", "mean", "max", "min", "var", "std")
"""Functions that take all entries if no axis is given."""


def _of_all(
    reader: FormulaReading, name: str, function: Function, given: Mapping[str, Any], batch: Several
) -> FormulaValue:
    """Apply a function to all entries, with all matrices stacked below each other."""
    must_be_turned(reader, batch)
    if name not in (*_OF_ENTRIES, "norm"):
        ways = f"{name}({batch.text}, axis=-1) for each row or {name}({batch.text}, axis=-2) for each column"
        raise reader.error(f"{name}: {batch.said}: it works along one axis: write {ways}")
    parts = concatenated(reader, "stack", batch.parts)
    found = function.build(reader, {key: parts if value is batch else value for key, value in given.items()})
    text = f"{name}({batch.text}, axis=None)"
    if any(given.get(key) for key in KEPT):
        return Several(tuple(Axis(1) for _ in batch.axes), (found,), text)
    return replace(found, text=text)


def _text(value: Any) -> str:
    return value.text if isinstance(value, Term | Several) else str(value)


def _along_leading(
    reader: FormulaReading, name: str, given: Mapping[str, Any], batch: Several, axis: int
) -> FormulaValue:
    """Return the sum or the mean of the matrices themselves, or join batches one after the other."""
    must_be_turned(reader, batch)
    if name in ("concatenate", "cat") and len(batch.axes) == 1:
        parts = [part for value in given["arrays"] for part in value.parts]
        if len({part.shape.sizes for part in parts}) > 1:
            raise reader.error(f"{name}: {', '.join(value.said for value in given['arrays'])}: the matrices differ")
        return collected(reader, (Axis(len(parts)),), parts, f"{name}([…], axis={axis})")
    if name not in ("sum", "mean") or len(batch.axes) != 1:
        raise reader.error(f"{name}: {batch.said}: along its leading axis there are sum(…, axis=0) and mean(…, axis=0)")
    total = batch.parts[0]
    for part in batch.parts[1:]:
        total = terms.sum_term(total, part)
    found = total if name == "sum" else terms.quotient(total, terms.size_number(len(batch.parts)))
    text = f"{name}({batch.text}, axis={axis})"
    if any(given.get(key) for key in KEPT):
        return Several((Axis(1),), (found,), text)
    return replace(found, text=text)
