"""Build the node of an operation from its record: shapes are unified first, so that an error can name both sides.

The operands and the result are terms. Every operation is built here, built-in or user-defined.

>>> from symattn.operations.equations.read import read_operation
>>> from symattn.operations.terms import symbol
>>> from symattn.base.shapes import Axis, Shape
>>> X, b = symbol("X", Shape(Axis(3, "n"), Axis(4, "d"))), symbol("b", Shape(Axis(1), Axis(3)))
>>> scaled = read_operation("scaled(X: m×d, c = 2, g: d = 1) -> m×d\\n y[i,j] = c * X[i,j] * g[j]")
>>> term = built(scaled, {"X": X})
>>> term.text, str(term.shape), term.expr[0, 1]
('scaled(X)', '(n=3, d=4)', 2*X[0, 1])
>>> built(scaled, {"X": X, "g": b})
Traceback (most recent call last):
    ...
symattn.base.errors.ShapeError: scaled(X, g=b), g: b is (1, 3): expected (1, d=4)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from sympy import Expr, MatMul, MatrixExpr, OneMatrix, ZeroMatrix

from symattn.base import shapes
from symattn.base.errors import DomainError, FormulaError, ShapeError, cut
from symattn.base.shapes import Axis, Operand, Shape
from symattn.operations.entry import value_of
from symattn.operations.equations.parts import for_parts
from symattn.operations.equations.ranges import piece_text
from symattn.operations.equations.tree import Apply, Constant, Length, Operation, Parameter, Tree, walk
from symattn.operations.equations.whole import exact
from symattn.operations.node import apply
from symattn.operations.reach import OutsideError, must_divide, must_have_entries
from symattn.operations.terms import Term, must_be_shape, must_be_size, size_number

Made = Callable[..., MatrixExpr]
"""A function that makes the node from the arguments, in the order of the parameters."""


def built(record: Operation, given: Mapping[str, Any], make: Made | None = None) -> Term:
    """Apply the operation to arguments, by the names of its parameters.

    A matrix or a row is a :class:`Term`, a number a SymPy number, a size an :class:`~symattn.base.shapes.Axis`, a whole
    number an ``int``; a parameter of any number of matrices takes a tuple of them. ``make`` makes the node, where it
    has a class of its own.

    Raises :class:`~symattn.base.errors.ShapeError` where shapes do not fit or an entry is outside of one, and
    :class:`~symattn.base.errors.FormulaError` for numbers that do not.
    """
    text = written_call(record, given)
    many = next((parameter.name for parameter in record.parameters if parameter.many), None)
    one = record
    if many is not None:
        parts = given[many]
        one, given = for_parts(record, len(parts)), {f"{many}{k}": part for k, part in enumerate(parts, 1)}
    fit = _Fit(one, given, text)
    shape = fit.shape()
    args = list(fit.arguments())
    return Term(apply(record, *args) if make is None else make(*args), shape, text)


def written_call(record: Operation, given: Mapping[str, Any]) -> str:
    """Write the call of an operation: optional arguments by name, and omitted where they have the default value."""
    parts: list[str] = []
    for parameter in record.parameters:
        value = given.get(parameter.name)
        if parameter.many:
            parts += [part.text for part in given[parameter.name]]
        elif parameter.default is None:
            parts.append(_said(value))
        elif value is not None and (parameter.is_matrix or value != usual(parameter)):
            parts.append(f"{parameter.name}={_said(value)}")
    return f"{record.name}({', '.join(parts)})"


def _said(value: Any) -> str:
    return value.text if isinstance(value, Term) else value.letter if isinstance(value, Axis) else str(value)


@lru_cache(maxsize=1000)
def usual(parameter: Parameter) -> Expr:
    """Return the default value of a parameter."""
    assert parameter.default is not None
    return value_of(parameter.default, {})


@dataclass
class _Fit:
    """The arguments of an operation, and the lengths of its axes that follow from them."""

    operation: Operation
    given: Mapping[str, Any]
    text: str
    axes: dict[str, Axis] = field(default_factory=dict)
    first: dict[str, tuple[Parameter, int]] = field(default_factory=dict)
    """The first occurrence of each axis: the parameter and which of its axes."""

    def shape(self) -> Shape:
        """Return the shape of the result. All arguments are checked on the way."""
        for parameter in self.operation.parameters:
            if parameter.name not in self.given:
                continue
            if parameter.is_matrix:
                self._matrix(parameter)
            elif parameter.kind == "size":
                self._size(parameter)
            elif parameter.kind == "number":
                self._number(parameter)
        for parameter in self.operation.parameters:
            if parameter.is_matrix and parameter.name in self.given:
                self._made_of_others(parameter)
        rows, columns = map(self._axis, self.operation.shape)
        must_be_shape(rows, columns, self.text)
        self._entries_must_be_there()
        return Shape(rows, columns)

    # -- what is given ---------------------------------------------------------------------------------------------

    def _pairs(self, parameter: Parameter) -> list[tuple[int, Tree, Axis]]:
        """Return the axes of a matrix: the number of each, its name in the record, and the axis of the argument."""
        shape = self.given[parameter.name].shape
        if parameter.kind == "row":
            return [(1, parameter.axes[0], shape.columns)]
        return [(0, parameter.axes[0], shape.rows), (1, parameter.axes[1], shape.columns)]

    def _matrix(self, parameter: Parameter) -> None:
        operand = self.given[parameter.name].operand
        if parameter.kind == "row":
            shapes.row_vector(operand, self._role(parameter))
        for place, axis, came in self._pairs(parameter):
            if not isinstance(axis, Length):
                continue
            known = self.axes.get(axis.name)
            if known is None:
                self.first[axis.name] = (parameter, place)
            elif known.size != came.size:
                raise ShapeError(self._clash(parameter, place, axis.name, known))
            self.axes[axis.name] = came if known is None else known.merged(came)

    def _role(self, parameter: Parameter) -> str:
        """Name the place of an operand for an error."""
        return self.text if parameter.default is None else f"{self.text}, {parameter.name}"

    def _clash(self, parameter: Parameter, place: int, name: str, known: Axis) -> str:
        """Return the error text for two axes that differ: both sides, and the expectation."""
        operand, (other, where) = self.given[parameter.name].operand, self.first[name]
        role, what = self._role(parameter), ("rows", "columns")[place]
        if not other.is_matrix:
            return f"{role}: {operand}: expected {known} {what}, as many as {name}"
        if parameter.kind == "row":
            return f"{role}: {operand}: expected (1, {known})"
        if other is parameter:
            return f"{role}: {operand}: expected as many rows as columns"
        sides = f"{role}: {self.given[other.name].operand}, {operand}"
        if other.axes == parameter.axes:
            return f"{sides}: expected the same shape{self._repeated(other, parameter)}"
        if where == place:
            return f"{sides}: expected {'the same number of rows' if place == 0 else self._same_length(other)}"
        came = self.given[parameter.name].shape
        axis = (came.rows, came.columns)[place]
        return f"{sides}: the {('rows', 'columns')[where]} of the first are {known}, the {what} of the second {axis}"

    def _same_length(self, other: Parameter) -> str:
        """Return the expectation for two axes: rows of one length, unless the matrices are stacked."""
        stacked = self.operation.shape[1] == other.axes[1]
        return "the same number of columns" if stacked else "rows of the same length"

    def _repeated(self, left: Parameter, right: Parameter) -> str:
        """Suggest a fix where one side is a single column or row as long as the other has rows or columns."""
        a, b = self.given[left.name], self.given[right.name]
        for one, other in ((b, a), (a, b)):
            (rows, columns), wanted = one.shape.sizes, other.shape
            if columns == 1 and rows == wanted.rows.size:
                return f"; {one.text} @ ones(1, {wanted.columns.letter}) has the columns"
            if rows == 1 and columns == wanted.columns.size:
                return f"; broadcast({one.text}, {wanted.rows.letter}) has the rows"
        return ""

    def _size(self, parameter: Parameter) -> None:
        came: Axis = self.given[parameter.name]
        must_be_size(came, self.text)
        known = self.axes.get(parameter.name)
        if known is not None and known.size != came.size:
            raise ShapeError(f"{self.text}: {parameter.name} is {came}, and {parameter.name} is {known} already")
        self.first.setdefault(parameter.name, (parameter, 0))
        self.axes[parameter.name] = came if known is None else known.merged(came)

    def _number(self, parameter: Parameter) -> None:
        came: Expr = self.given[parameter.name]
        is_usual = parameter.default is not None and came == usual(parameter)
        if came.is_number and not came.is_real and not is_usual and not _may_be_infinite(parameter):
            raise FormulaError(f"{self.text}: {parameter.name} is {came}: expected a finite number")

    def _made_of_others(self, parameter: Parameter) -> None:
        """Check axes of a matrix that are not a letter: numbers, or expressions in letters of other axes."""
        for place, axis, came in self._pairs(parameter):
            if not isinstance(axis, Length) and (expected := self._axis(axis)).size != came.size:
                what = f"{expected} {('row', 'column')[place]}{'s' * (expected.size != 1)}"
                said = "" if isinstance(axis, Constant) else f", {piece_text(axis)}"
                operand = self.given[parameter.name].operand
                raise ShapeError(f"{self._role(parameter)}: {operand}: expected {what}{said}")

    # -- what follows ----------------------------------------------------------------------------------------------

    @property
    def whole(self) -> dict[str, int]:
        """The sizes and whole numbers that are known as numbers."""
        sizes = {name: axis.size for name, axis in self.axes.items() if isinstance(axis.size, int)}
        wholes = {p.name: self.given[p.name] for p in self.operation.parameters if p.kind == "whole"}
        return {**sizes, **wholes}

    def _axis(self, length: Tree) -> Axis:
        if isinstance(length, Length):
            return self.axes[length.name]
        letters = self._letters(length)
        if letters is not None:
            return Axis(shapes.total_length(letters))
        try:
            found = exact(length)(self.whole)
        except KeyError:
            raise ShapeError(f"{self._sides}: {piece_text(length)} needs sizes that are whole numbers") from None
        except DomainError as error:
            raise ShapeError(f"{self._sides}: {piece_text(length)}: {error}{self._fitting()}") from None
        if found.denominator != 1 or found < 1:
            wanted = f"{piece_text(length)} is {found}: expected a whole number from 1 up"
            raise ShapeError(f"{self._sides}: {wanted}{self._fitting()}")
        return Axis(int(found))

    def _letters(self, length: Tree) -> list[shapes.Size] | None:
        """Return the terms of a length, where it is a sum of sizes and whole numbers."""
        match length:
            case Length(name):
                return [self.axes[name].size]
            case Constant(value) if value.denominator == 1 and value > 0:
                return [int(value)]
            case Apply("add", (left, right)):
                one, other = self._letters(left), self._letters(right)
                return None if one is None or other is None else [*one, *other]
        return None

    @property
    def _sides(self) -> str:
        """The call and its operands."""
        terms = [value for value in self.given.values() if isinstance(value, Term)]
        return f"{self.text}: {', '.join(str(term.operand) for term in terms)}" if terms else self.text

    def _entries_must_be_there(self) -> None:
        numbers = {p.name: self._value(p) for p in self.operation.parameters if p.kind == "number"}
        try:
            must_have_entries(self.operation, self.whole)
        except OutsideError as error:
            operand = next((str(Operand(t.text, t.shape)) for t in [self.given.get(error.name)] if t), self._sides)
            lead = f"{self.text}: {operand}" if operand != self._sides else operand
            raise ShapeError(f"{lead}: {error}{self._fitting() if error.is_made else ''}") from None
        except DomainError as error:
            raise FormulaError(f"{self.text}: {error}") from None
        must_divide(self.operation, {**numbers, **self.whole}, self.text)

    def _value(self, parameter: Parameter) -> Expr:
        return self.given[parameter.name] if parameter.name in self.given else usual(parameter)

    def _fitting(self) -> str:
        """Return a suggestion: values of a whole number that fit, with the other arguments unchanged."""
        for parameter in self.operation.parameters:
            if parameter.kind == "whole" and (fitting := [str(k) for k in self._that_fit(parameter)]):
                return f"; {parameter.name} that fits: {cut(', '.join(fitting))}"
        return ""

    def _that_fit(self, parameter: Parameter) -> Iterator[int]:
        largest = max((axis.size for axis in self.axes.values() if isinstance(axis.size, int)), default=0)
        for value in range(1, min(largest, 100) + 1):
            whole = {**self.whole, parameter.name: value}
            try:
                lengths = [exact(axis)(whole) for axis in self.operation.shape]
                must_have_entries(self.operation, whole)
            except (KeyError, DomainError, OutsideError):
                continue
            if all(length.denominator == 1 and length >= 1 for length in lengths):
                yield value

    # -- the node --------------------------------------------------------------------------------------------------

    def arguments(self) -> Iterator[Any]:
        """Yield the arguments in the order of the parameters, with defaults for missing ones.

        Optional matrices are either all omitted, or all filled in.
        """
        parameters = list(self.operation.parameters)
        if not any(p.default is not None and p.is_matrix and p.name in self.given for p in parameters):
            while parameters and parameters[-1].default is not None and parameters[-1].is_matrix:
                parameters.pop()
        for parameter in parameters:
            value = self.given.get(parameter.name)
            if isinstance(value, Term):
                yield value.expr
            elif isinstance(value, Axis):
                yield size_number(value.size)
            elif value is not None:
                yield value
            else:
                yield self._filling(parameter) if parameter.is_matrix else usual(parameter)

    def _filling(self, parameter: Parameter) -> MatrixExpr:
        """Return a matrix of default values."""
        lengths = [size_number(self._axis(axis).size) for axis in parameter.axes]
        rows, columns = lengths if len(lengths) == 2 else (1, *lengths)
        value = usual(parameter)
        if value == 0:
            return ZeroMatrix(rows, columns)
        ones = OneMatrix(rows, columns)
        return ones if value == 1 else MatMul(value, ones, evaluate=False)


def _may_be_infinite(parameter: Parameter) -> bool:
    """Return whether a default value is infinite, as that of a mask."""
    return parameter.default is not None and any(piece == Apply("oo") for piece in walk(parameter.default))
