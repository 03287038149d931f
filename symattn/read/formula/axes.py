"""The axis that a function of rows works along: axis and keepdims of NumPy, dim and keepdim of PyTorch.

Along the columns, a function f of rows is f(Xᵀ)ᵀ. A vector has only one axis.

>>> from symattn.operations.equations.read import read_operation
>>> works_along_rows(read_operation("f(X: m×n)\\n y[i] = sum(k, X[i,k])"))
True
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from types import MappingProxyType
from typing import Any, Literal, Protocol, TypeAlias

from symattn.base.errors import FormulaError
from symattn.operations import terms
from symattn.operations.equations.tree import Constant, Entry, Index, Length, Operation, Over, Piece, children, walk
from symattn.operations.terms import Term
from symattn.read.formula.broadcast import as_row

AXIS = ("axis", "dim")
KEPT = ("keepdims", "keepdim")
DDOF = ("ddof", "correction", "unbiased")
"""Options by their names in NumPy and in PyTorch; the last ones are subtracted from the divisor of a variance."""

OptionValue: TypeAlias = "bool | int | tuple[OptionValue, ...] | None"
"""The value of an option: a word of Python, a whole number, or a tuple of these."""

Rule = Callable[[Term], Term]

ONE = Constant(Fraction(1))
"""The length of the axis that a function of rows has reduced."""


class Refusing(Protocol):
    """An object that can raise errors about the current formula."""

    def error(self, what: str) -> FormulaError:
        """Return an error that names the formula."""


@dataclass(frozen=True)
class Along:
    """A function of rows that takes an axis."""

    name: str
    of_rows: Rule
    """Its result for every row of a matrix."""
    reduces: bool
    """Whether it reduces a row to a number."""
    of_all: Rule | None = None
    """Its result for all entries of a matrix, if that follows from its results for rows."""
    usual: Literal["rows", "all"] = "rows"
    """Its default without an axis."""

    def applied(self, reader: Refusing, x: Term, given: Mapping[str, Any]) -> Term:
        """Apply the function to ``x`` along the given axis.

        Raises :class:`~symattn.base.errors.FormulaError` if there is no such axis, or if a missing axis makes a
        difference.
        """
        said = {key: given[key] for key in (*AXIS, *KEPT) if key in given}
        axis = self._axis(reader, x, said)
        keeps = self._keeps(reader, said, axis)
        flat = self.reduces and not keeps
        if x.shape.ndim < 2:
            found, ndim = self.of_rows(as_row(x)), 0 if flat else x.shape.ndim
        elif axis is None:
            found, ndim = self._of_all(reader, x), 0 if flat else 2
        elif axis == 1:
            found, ndim = self.of_rows(x), 1 if flat else 2
        else:
            found, ndim = terms.transpose(self.of_rows(terms.transpose(x))), 1 if flat else 2
        return replace(found.of_ndim(ndim), text=f"{self.name}({x.text}{options_of(said, said)})")

    def _axis(self, reader: Refusing, x: Term, said: Mapping[str, OptionValue]) -> OptionValue:
        """Return 0 for every column, 1 for every row, ``None`` for all entries."""
        axis = self._option(reader, said, AXIS, (1 if self.usual == "rows" else None) if x.shape.ndim == 2 else None)
        # Without an axis NumPy takes all entries: if the value or the shape differs, the axis must be given.
        may_differ = 1 not in x.shape.sizes if self.usual == "all" else self.reduces and x.shape.ndim == 2 and said
        if may_differ and not any(key in said for key in AXIS):
            raise reader.error(f"{self.name}({x.text}{options_of(said, said)}): {x.operand}: {self._readings(x, said)}")
        ndim = x.shape.ndim
        axes = axis if isinstance(axis, tuple) else (axis,)
        places = [each % ndim for each in axes if type(each) is int and -ndim <= each < ndim]
        if axis is None or (len(axes) == len(places) and sorted(places) == [0, 1]):
            return None
        if len(axes) == len(places) == 1:
            return places[0]
        shape = "a vector" if ndim == 1 else "a number" if ndim == 0 else f"a matrix {x.shape}"
        wanted = {0: "no axis", 1: "axis=0 or axis=-1, its only one"}.get(ndim, self._readings(x))
        raise reader.error(f"{self.name}: {x.text} is {shape}, and the axis is {axis}: {wanted}")

    def _readings(self, x: Term, options: Mapping[str, OptionValue] = MappingProxyType({})) -> str:
        ways = {1: "each row", 0: "each column", None: "all entries"}
        if self.of_all is None:
            del ways[None]
        said = [
            f"{self.name}({x.text}, axis={axis}{options_of(options, options)}) for {what}"
            for axis, what in ways.items()
        ]
        return f"write {', '.join(said[:-1])} or {said[-1]}"

    def _keeps(self, reader: Refusing, said: Mapping[str, OptionValue], axis: OptionValue) -> bool:
        """Return whether the reduced axis stays, with a length of 1; the rows of a matrix stay rows."""
        usual = self.usual == "rows" and not any(key in said for key in AXIS)
        keeps = self._option(reader, said, KEPT, usual)
        if not isinstance(keeps, bool):
            raise reader.error(f"{self.name}: keepdims is {keeps}: expected True or False")
        return keeps

    def _option(
        self, reader: Refusing, said: Mapping[str, OptionValue], names: tuple[str, ...], usual: OptionValue
    ) -> OptionValue:
        key = the_only(reader, self.name, said, names)
        return usual if key is None else said[key]

    def _of_all(self, reader: Refusing, x: Term) -> Term:
        """Apply the function to all entries; for a single row or column, that is the rule for rows."""
        rows, columns = x.shape.sizes
        if 1 in (rows, columns):
            return self.of_rows(x if rows == 1 else terms.transpose(x))
        if self.of_all is None:
            raise reader.error(f"{self.name}: {x.operand}: it works along one axis: {self._readings(x)}")
        return self.of_all(x)


OF_ALL = frozenset(("norm", "row_max", "row_mean", "row_min", "row_sum"))
"""Functions that give the result for a whole matrix if they are applied to their results for its rows."""


def of_each_and_all(of_rows: Rule) -> Rule:
    """Extend a function of rows to all entries: the sum of sums, the largest of the largest."""
    return lambda x: of_rows(terms.transpose(of_rows(x)))


def axis_of(given: Mapping[str, Any], usual: OptionValue = None) -> Any:
    """Return the given axis, by either of its names."""
    return next((given[key] for key in AXIS if key in given), usual)


def options_of(given: Mapping[str, Any], names: Iterable[str]) -> str:
    """Return the given options of these names as text behind a parameter."""
    return "".join(f", {name}={given[name]}" for name in names if name in given)


def the_only(reader: Refusing, function: str, given: Mapping[str, Any], names: Iterable[str]) -> str | None:
    """Return the only name by which an option is given, if any. Two names of one option are refused."""
    found = [name for name in names if name in given]
    if len(found) > 1:
        raise reader.error(f"{function}: {' and '.join(found)} are one and the same option: write one of them")
    return found[0] if found else None


def works_along_rows(record: Operation) -> bool:
    """Return whether each row of the result depends on all of the same row of the only matrix, and on no other row."""
    matrices = [parameter for parameter in record.parameters if parameter.kind == "matrix"]
    if len(matrices) != 1 or matrices[0].many or not all(isinstance(axis, Length) for axis in matrices[0].axes):
        return False
    rows, columns = matrices[0].axes
    pieces = [piece for equation in record.equations for piece in walk(equation.body)]
    gone_over = [record.range_of[piece.index] for piece in pieces if isinstance(piece, Over)]
    fits = record.shape[0] == rows and record.shape[1] in (columns, ONE) and rows != columns
    if not fits or columns not in gone_over or rows in gone_over or rows in pieces:
        return False
    return all(_is_first(record, piece, rows) for piece in pieces)


def _is_first(record: Operation, piece: Piece, rows: Any) -> bool:
    """Return whether an index of rows appears only in the first place of an entry, if at all."""
    inside = children(piece)[1:] if isinstance(piece, Entry) else children(piece)
    return not any(isinstance(part, Index) and record.range_of[part.name] == rows for part in inside)
