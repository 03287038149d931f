"""Matrices of one shape along leading axes, as NumPy has arrays of three: what is done with them is done with each.

>>> from symattn.formula import Scope, read_value
>>> from symattn.shapes import shape
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

from symattn import limits
from symattn.formula.axes import AXIS
from symattn.formula.calling import FormulaReading, joined
from symattn.formula.indexing import Indexed, indexed
from symattn.formula.tree import indices
from symattn.operations import terms
from symattn.operations.terms import Term
from symattn.parentheses import tight
from symattn.shapes import Axis


@dataclass(frozen=True)
class Several:
    """Matrices of one shape; the last of the leading axes runs fastest."""

    axes: tuple[Axis, ...]
    parts: tuple[Term, ...]
    text: str
    is_split: bool = False
    """Whether the last leading axis stands behind the rows, (n, h, d), as a matrix is cut into heads by reshape."""

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
        """How an error calls it."""
        return f"{self.text} is {self.sizes}"


FormulaValue: TypeAlias = "Term | Expr | Several"


def has_batch(values: Sequence[Any]) -> bool:
    """Whether a batch is among some values, or in a list among them."""
    return any(isinstance(value, Several) or (isinstance(value, tuple) and has_batch(value)) for value in values)


def mapped(reader: FormulaReading, make: Callable[..., Any], values: Sequence[Any], text: str) -> FormulaValue:
    """What ``make`` makes of every slice; what is no batch stands beside each of them.

    Raises :class:`~symattn.errors.FormulaError` where batches are not of one length.
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
    """What of a value stands beside the slice of that number."""
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
    """Refuse (n, h, d), whose matrices have to stand one behind the other first."""
    if batch.is_split:
        k = len(batch.axes)
        raise reader.error(
            f"{batch.said}: the heads stand behind the rows: {batch.text}.transpose({k - 1}, {k}) has one matrix for "
            "each head"
        )


def each_turned(reader: FormulaReading, batch: Several, attribute: str) -> FormulaValue:
    """Every matrix turned.

    Raises :class:`~symattn.errors.FormulaError` for the attribute that turns all axes.
    """
    if attribute == "T":
        raise reader.error(f"{batch.said}: .T turns all of its axes: {batch.text}.mT turns every matrix")
    return mapped(reader, terms.transpose, [batch], f"{tight(batch.text)}.mT")


def collected(reader: FormulaReading, axes: tuple[Axis, ...], parts: Sequence[Any], text: str) -> FormulaValue:
    """Matrices as a batch, vectors as the rows of a matrix, numbers as a vector."""
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
        found = joined(reader, "stack", lying)
        return replace(found, text=text, shape=replace(found.shape, rows=axes[0]))
    found = joined(reader, "concat", lying)
    if len(axes) == 1:
        return replace(found, text=text, shape=replace(found.shape, columns=axes[0], ndim=1))
    width = _length(axes[1])
    rows = [joined(reader, "concat", lying[start : start + width]) for start in range(0, len(lying), width)]
    return replace(joined(reader, "stack", rows), text=text)


# -- brackets ------------------------------------------------------------------------------------------------------


def taken(reader: Indexed, batch: Several, node: ast.Subscript, read: Callable[[ast.expr], Any]) -> FormulaValue:
    """``batch[…]``: one matrix, some of them, or the same part of each.

    Raises :class:`~symattn.errors.FormulaError` for what is outside.
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
    return collected(reader, tuple(kept), parts, f"{tight(batch.text)}[…]")


def _places(
    reader: Indexed, batch: Several, axis: Axis, piece: ast.expr, read: Callable[[ast.expr], Any]
) -> tuple[list[int], bool]:
    """Which matrices along a leading axis, and whether the axis stays."""
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


def called(
    reader: FormulaReading, name: str, build: Callable[..., Any], given: Mapping[str, Any], options: Sequence[str]
) -> FormulaValue:
    """A function of matrices, of each of them; along one of all axes, counted as NumPy does.

    Raises :class:`~symattn.errors.FormulaError` where it goes along the leading axes and cannot.
    """
    batch = next(value for value in _flat([*given.values()]) if isinstance(value, Several))
    count = len(batch.axes)
    key = next((key for key in AXIS if key in given and key in options), None)
    inside = dict(given)
    if key is not None:
        axis = given[key]
        if type(axis) is not int or not -count - 2 <= axis < count + 2:
            raise reader.error(f"{name}: {batch.said}, and the axis is {axis}: expected one from 0 to {count + 1}")
        inside[key] = axis % (count + 2) - count
        if inside[key] < 0:
            return _along_leading(reader, name, batch, axis)
    said = "".join(f", {option}={given[option]}" for option in options if option in given)
    written = ", ".join(_text(value) for parameter, value in given.items() if parameter not in options)
    names = list(inside)
    return mapped(
        reader,
        lambda *values: build(reader, dict(zip(names, values, strict=True))),
        [inside[each] for each in names],
        f"{name}({written}{said})",
    )


def _text(value: Any) -> str:
    return value.text if isinstance(value, Term | Several) else str(value)


def _along_leading(reader: FormulaReading, name: str, batch: Several, axis: int) -> Term:
    """The sum or the mean of the matrices themselves."""
    must_be_turned(reader, batch)
    if name not in ("sum", "mean") or len(batch.axes) != 1:
        raise reader.error(f"{name}: {batch.said}: along its leading axis there are sum(…, axis=0) and mean(…, axis=0)")
    total = batch.parts[0]
    for part in batch.parts[1:]:
        total = terms.total(total, part)
    found = total if name == "sum" else terms.quotient(total, terms.size_number(len(batch.parts)))
    return replace(found, text=f"{name}({batch.text}, axis={axis})")
