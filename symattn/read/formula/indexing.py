"""Brackets behind a matrix: entries, rows, columns, parts; counted from 0 as in NumPy, from the end below 0.

>>> from symattn.read.formula import Scope, read_formula
>>> from symattn.base.shapes import shape
>>> scope = Scope({"X": shape(3, 4)})
>>> [read_formula(text, scope).expr for text in ("X[0]", "X[0, -1]", "X[1:]", "X[:, 0:2]")]
[Row(X, 1), Picked(X, 1, 4), Rows(X, 2, 3), Rows(X.T, 1, 2).T]
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from sympy import Integer, Transpose

from symattn.base import limits
from symattn.base.errors import FormulaError
from symattn.base.parentheses import tight
from symattn.base.shapes import Axis, Shape
from symattn.operations import Row, Rows
from symattn.operations.terms import Term
from symattn.read.formula.broadcast import as_column, as_row, transposed_vector
from symattn.read.formula.calling import FormulaReading, call, concatenated
from symattn.read.formula.tree import FromOne, indices
from symattn.read.formula.wrong import two_readings


class Indexed(FormulaReading, Protocol):
    """The parts of the reader that brackets need."""

    def size(self, value: Any) -> int | str:
        """Return the whole number that a value is, which may be negative, or the letter of a size."""


@dataclass(frozen=True)
class _All:
    """A whole axis: a colon."""

    text: str = ":"


@dataclass(frozen=True)
class _At:
    """One place of an axis, which then disappears."""

    place: int
    text: str


@dataclass(frozen=True)
class _Part:
    """Some places of an axis, counted from 0."""

    places: Sequence[int]
    text: str


@dataclass(frozen=True)
class _Listed(_Part):
    """Places in a list. NumPy pairs two lists entry by entry, instead of taking the block of their rows and columns."""


@dataclass(frozen=True)
class _New:
    """A new axis of length 1."""

    text: str = "None"


_Pick = _All | _At | _Part
_Read = Callable[[ast.expr], Any]


def indexed(reader: Indexed, value: Term, node: ast.Subscript, read: _Read) -> Term:
    """Read ``value[…]``; ``read`` reads the indices.

    Raises :class:`~symattn.base.errors.FormulaError` for an index out of range, a third axis, and anything but an
    index.
    """
    if isinstance(node, FromOne):
        return _from_one(reader, value, node, read)
    return _Brackets(reader, value, read).taken(indices(node))


def _from_one(reader: Indexed, value: Term, node: FromOne, read: _Read) -> Term:
    """Read x_1 or s_{12}: a row of a matrix, or an entry."""
    places = [reader.whole(read(piece)) for piece in indices(node)]
    text = f"{tight(value.text)}_{{{','.join(map(str, places))}}}"
    if value.shape.ndim == 2 and 1 in value.shape.sizes and len(places) == 1:
        value = value.of_ndim(1)
    axes = value.shape.axes
    if len(places) > len(axes):
        raise reader.error(f"{text}: {value.operand}: {_axes_of(value)}, and {len(places)} numbers stand under it")
    for place, axis in zip(places, axes, strict=False):
        if place < 1 or (isinstance(axis.size, int) and place > axis.size):
            raise reader.error(f"{text}: {value.operand}: expected numbers from 1 to {axis.size}, came {place}")
    picks = [_At(place - 1, str(place)) for place in places]
    return replace(_picked(reader, value, [*picks, *[_All()] * (len(axes) - len(picks))]), text=text)


def _axes_of(value: Term) -> str:
    """Return the number of axes in words."""
    return ("a number has no axes", "a vector has one axis", "a matrix has two axes")[value.shape.ndim]


@dataclass(frozen=True)
class _Brackets:
    """Brackets behind a value, which count from 0."""

    reader: Indexed
    value: Term
    read: _Read

    def taken(self, pieces: list[ast.expr]) -> Term:
        axes = self.value.shape.axes
        filled = self._filled(pieces, len(axes))
        picks: list[_Pick | _New] = []
        waiting = iter(axes)
        for piece in filled:
            picks.append(_New() if _is_new(piece) else self._pick(piece, next(waiting)))
        said = ", ".join(pick.text for pick in picks)
        text = f"{tight(self.value.text)}[{said.removesuffix(', :') if len(picks) == 2 else said}]"
        kept = [pick for pick in picks if not isinstance(pick, _At)]
        if len(kept) > 2:
            raise self.error(f"{text} has {len(kept)} axes: a formula has matrices, with two")
        self._must_be_read_alike(picks, text)
        of_axes = [pick for pick in picks if not isinstance(pick, _New)]
        part = _picked(self.reader, self.value, [*of_axes, *[_All()] * (len(axes) - len(of_axes))])
        return replace(_with_new(part, kept), text=text)

    def _must_be_read_alike(self, picks: Sequence[_Pick | _New], text: str) -> None:
        """Refuse lists that NumPy combines with another list, or with a number in front of a new axis."""
        base = tight(self.value.text)
        match picks:
            case [_Listed() as rows, _Listed() as columns]:
                block = f"{base}[{rows.text}][:, {columns.text}]"
                lengths = {len(rows.places), len(columns.places)}
                if len(lengths - {1}) > 1:
                    raise self.error(f"{text}: lists of different lengths are no pairs of places; the block is {block}")
                count = max(lengths)
                first, second = (tuple(each.places) * (count // len(each.places)) for each in (rows, columns))
                pairs = ", ".join(f"{base}[{i}, {j}]" for i, j in zip(first, second, strict=True))
                raise self.error(two_readings(text, block, f"[{pairs}]"))
            case [_At() as row, _New(), _Listed() as columns]:
                part = f"{base}[{row.text}]"
                raise self.error(
                    two_readings(text, f"{part}[None, {columns.text}]", f"{part}[{columns.text}][:, None]")
                )

    def _filled(self, pieces: list[ast.expr], count: int) -> list[ast.expr]:
        """Replace an ellipsis by colons."""
        dots = [piece for piece in pieces if _is(piece, ...)]
        said = [piece for piece in pieces if not _is(piece, ...) and not _is_new(piece)]
        if len(dots) > 1:
            raise self.error("… may stand once in brackets")
        if len(said) > count:
            came = f"and {len(said)} {'index stands' if len(said) == 1 else 'indices stand'} in brackets"
            raise self.error(f"{self.value.operand}: {_axes_of(self.value)}, {came}")
        filled: list[ast.expr] = []
        for piece in pieces:
            filled += [ast.Slice()] * (count - len(said)) if _is(piece, ...) else [piece]
        return filled if dots else [*filled, *[ast.Slice()] * (count - len(said))]

    def _pick(self, piece: ast.expr, axis: Axis) -> _Pick:
        match piece:
            case ast.Slice(lower=None, upper=None, step=None):
                return _All()
            case ast.Slice():
                return self._slice(piece, axis)
            case ast.List(elts=[]):
                raise self.error(f"{self._outside(axis)}: [] has nothing in it")
            case ast.List():
                places = [self._place(self.read(part), axis) for part in piece.elts]
                return _Listed(places, f"[{', '.join(map(str, places))}]")
        place = self._place(self.read(piece), axis)
        return _At(place, str(place))

    def _place(self, value: Any, axis: Axis) -> int:
        """Return one place of an axis, counted from 0."""
        place = self.reader.whole(value)
        if isinstance(axis.size, str):
            if place < 0:
                raise self.error(f"{self._outside(axis)}: {axis.size} has no number, so that the last have none either")
            return place
        if not -axis.size <= place < axis.size:
            raise self.error(f"{self._outside(axis)}: expected 0 to {axis.size - 1}, or -1 for the last, came {place}")
        return place % axis.size

    def _slice(self, piece: ast.Slice, axis: Axis) -> _Pick:
        first, last, step = (None if part is None else self.reader.size(self.read(part)) for part in _parts(piece))
        text = ":".join("" if part is None else str(part) for part in (first, last, *[step] * (step is not None)))
        if first in (None, 0) and last in (None, axis.size) and step in (None, 1):
            return _All(text)
        if isinstance(axis.size, str) and not (isinstance(last, int) and last >= 0 and step in (None, 1)):
            raise self.error(f"{self._outside(axis)}: {text} needs {axis.size} to be a number")
        if step == 0 or isinstance(first, str) or isinstance(last, str) or isinstance(step, str):
            raise self.error(f"{self._outside(axis)}: {text}: expected whole numbers, and no step of 0")
        size = axis.size if isinstance(axis.size, int) else int(last or 0)
        if any(isinstance(part, int) and not -size <= part <= size for part in (first, last)):
            raise self.error(f"{self._outside(axis)}: expected bounds from 0 to {size}, came {text}")
        places = range(size)[first:last:step]
        if not places:
            raise self.error(f"{self._outside(axis)}: {text} has nothing in it")
        return _Part(places, text)

    def _outside(self, axis: Axis) -> str:
        return f"{tight(self.value.text)}[…]: {self.value.operand}, and brackets count {axis} places from 0"

    def error(self, what: str) -> FormulaError:
        return self.reader.error(what)


def _parts(piece: ast.Slice) -> tuple[ast.expr | None, ast.expr | None, ast.expr | None]:
    return piece.lower, piece.upper, piece.step


def _is(piece: ast.expr, value: object) -> bool:
    return isinstance(piece, ast.Constant) and piece.value is value


def _is_new(piece: ast.expr) -> bool:
    """Return whether a piece is None, newaxis or np.newaxis."""
    return _is(piece, None) or "newaxis" in (getattr(piece, "id", ""), getattr(piece, "attr", ""))


# -- nodes ---------------------------------------------------------------------------------------------------------


def _picked(reader: Indexed, value: Term, picks: Sequence[_Pick]) -> Term:
    """Return the picked part of every axis."""
    ndim = value.shape.ndim - sum(isinstance(pick, _At) for pick in picks)
    rows, columns = _of_both_axes(value, picks)
    whole = value.of_ndim(2)
    if isinstance(rows, _At) and isinstance(columns, _At):
        found = _entry(reader, whole, rows.place + 1, columns.place + 1)
    else:
        found = _columns(reader, _rows(reader, whole, rows), columns)
    return found.of_ndim(ndim)


def _of_both_axes(value: Term, picks: Sequence[_Pick]) -> tuple[_Pick, _Pick]:
    """Return the picks of rows and of columns; the axis that a vector lacks has a single place."""
    if value.shape.ndim == 2:
        rows, columns = picks
        return rows, columns
    if value.shape.ndim == 0:
        return _All(), _All()
    (pick,) = picks
    other: _Pick = _At(0, "0") if isinstance(pick, _At) else _All()
    return (pick, other) if value.shape.columns.size == 1 else (other, pick)


def _entry(reader: Indexed, value: Term, i: int, j: int) -> Term:
    """Return one entry; of a picked row or column, the entry of the whole matrix."""
    if value.shape.sizes == (1, 1):
        return value
    match value.expr:
        case Row():
            i, value = int(value.expr.number), _whole(value, value.expr.argument)
        case Transpose(arg=Rows(argument=Transpose(arg=whole)) as part) if part.first == part.last:
            j, value = int(part.first), _whole(value, whole)
    return call("entry", reader, value, Integer(i), Integer(j))


def _whole(part: Term, of: Any) -> Term:
    rows, columns = (Axis(int(size) if size.is_Integer else str(size)) for size in of.shape)
    return Term(of, Shape(rows, columns), part.text)


def _rows(reader: Indexed, value: Term, pick: _Pick) -> Term:
    match pick:
        case _All():
            return value
        case _At(place):
            return call("row", reader, value, Integer(place + 1))
        case _Part(places) if _is_range(places):
            return call("rows", reader, value, Integer(places[0] + 1), Integer(places[-1] + 1))
    return _joined(reader, "stack", [_rows(reader, value, _At(place, "")) for place in pick.places])


def _columns(reader: Indexed, value: Term, pick: _Pick) -> Term:
    """Return columns as the transpose of rows of the transpose: the page writes X_{·,1:2}."""
    match pick:
        case _All():
            return value
        case _At(place):
            return _columns(reader, value, _Part((place,), ""))
        case _Part(places) if _is_range(places):
            return transposed_vector(_rows(reader, transposed_vector(value), pick))
    return _joined(reader, "concat", [_columns(reader, value, _At(place, "")) for place in pick.places])


def _is_range(places: Sequence[int]) -> bool:
    return list(places) == list(range(places[0], places[0] + len(places)))


def _joined(reader: Indexed, function: str, parts: Sequence[Term]) -> Term:
    if len(parts) > limits.LIST_ENTRIES:
        raise reader.error(f"more than LIST_ENTRIES = {limits.LIST_ENTRIES} rows or columns taken out one by one")
    return concatenated(reader, function, parts)


def _with_new(value: Term, kept: Sequence[_Pick | _New]) -> Term:
    """Add an axis: a vector becomes a row or a column, a number a vector."""
    if value.shape.ndim == len(kept):
        return value
    lying = value
    if value.shape.ndim == 1:
        lying = as_row(value) if isinstance(kept[0], _New) else as_column(value)
    return lying.of_ndim(len(kept))


def length(reader: FormulaReading, value: Term, place: int) -> Axis:
    """Read ``Q.shape[-1]``: the axis of that number; a vector has one axis.

    Raises :class:`~symattn.base.errors.FormulaError` if there is no such axis.
    """
    axes = value.shape.axes
    if not -len(axes) <= place < len(axes):
        raise reader.error(f"{value.text} is {value.shape}: .shape[{place}] is no axis of it")
    return axes[place]
