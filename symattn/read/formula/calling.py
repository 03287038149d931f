"""Calls of operations in a formula: their parameters, the axis they work along, and the node each builds.

>>> of_ours("sqrt").parameters, of_ours("softmax").options
(('X',), ('axis', 'dim'))

Lists in formulas are exact, as numbers in givens are: ``[2, 1, 0]`` is a vector, ``[[1, 2], [3, 4]]`` a matrix.

>>> from symattn.read.formula import Scope, read_formula
>>> term = read_formula("[2, 1/3]", Scope({}))
>>> term.text, str(term.shape), term.shape.ndim, term.expr.as_explicit()
('[2, 1/3]', '(1, 2)', 1, Matrix([[2, 1/3]]))
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from typing import Any, Protocol, cast

from sympy import Expr, MatrixExpr, oo

from symattn.base import limits
from symattn.base.shapes import Axis, Shape
from symattn.operations import terms
from symattn.operations.build import Made, built
from symattn.operations.demands import must_fit
from symattn.operations.equations.tree import Constant, Entry, Index, Length, Operation, Over, walk
from symattn.operations.masks import Mask
from symattn.operations.records import node_named, record_named
from symattn.operations.terms import Term
from symattn.read.formula.axes import AXIS, DDOF, KEPT, OF_ALL, ONE, Along, Refusing, of_each_and_all, works_along_rows
from symattn.read.formula.broadcast import aligned, as_row

SURD_EXPONENT = 64
"""The highest power of a number with roots in it."""


class FormulaReading(Refusing, Protocol):
    """The parts of the reader that functions need: checks of values, and the products and masks so far."""

    kind: str
    products: list[Callable[[], Expr]]
    kept: dict[MatrixExpr, Callable[[], Expr]]

    def scalar(self, value: Any) -> Expr:
        """Return the number that a value must be."""

    def term(self, value: Any, use: str) -> Term:
        """Return a matrix, or a number as a matrix of one entry."""

    def matrix(self, value: Any, use: str) -> Term:
        """Return the matrix that a value must be."""

    def axis(self, value: Any) -> Axis:
        """Return the axis or whole number that a value must be."""

    def whole(self, value: Any) -> int:
        """Return the whole number that a value must be."""


@dataclass(frozen=True)
class Function:
    """A function of the formula language: its parameters in order, the number of required ones, and its constructor."""

    parameters: tuple[str, ...]
    needed: int
    build: Callable[[FormulaReading, dict[str, Any]], Term | Expr]
    endless: bool = False
    """Whether more values may follow the parameters."""
    counts: bool = False
    """Whether it depends on its argument's formula instead of its value."""
    options: tuple[str, ...] = ()
    """Options set by name to a word or a whole number: axis=1, keepdims=True."""
    placed: int = 1
    """The number of options that may follow the parameters without their names."""
    lists: tuple[str, ...] = ()
    """Parameters that may be a list of values: concatenate([X, Y])."""
    by_place: bool = False
    """Whether optional arguments are recognised by their type and written without a name."""
    usual: Mapping[str, Any] = field(default_factory=dict)
    """The defaults of options."""
    is_flat: str = ""
    """How to write it for each matrix of a batch, if NumPy has another meaning for arrays of three axes."""

    def completed(self, given: dict[str, Any]) -> dict[str, Any]:
        """Return the given arguments with the defaults of missing options, whichever name an option has."""
        said = {name for names in (AXIS, KEPT, DDOF) if given.keys() & {*names} for name in names}
        return {**{name: value for name, value in self.usual.items() if name not in said}, **given}

    @property
    def settable(self) -> tuple[str, ...]:
        """The names that may be given as keywords, as NumPy spells them."""
        return (*self.parameters, *(names[0] for names in (AXIS, KEPT, DDOF) if names[0] in self.options))

    @property
    def required(self) -> tuple[str, ...]:
        return self.parameters[: self.needed]


def _values(reader: FormulaReading, record: Operation, given: Mapping[str, Any], repeats: bool) -> dict[str, Any]:
    """Return the values of an operation's parameters, of the kinds that its record requires."""
    values: dict[str, Any] = {}
    # A number may take the place of the only matrix: exp(0.71).
    is_of_one = sum(parameter.is_matrix for parameter in record.parameters) == 1
    is_entry_by_entry = works_entry_by_entry(record)
    are_side_by_side = repeats and is_entry_by_entry and sum(each.is_matrix for each in record.parameters) == 2
    for parameter in record.parameters:
        if parameter.many:
            if len(given) > limits.LIST_ENTRIES:
                most = f"more than LIST_ENTRIES = {limits.LIST_ENTRIES}"
                raise reader.error(f"{record.name}: {len(given)} matrices are {most}")
            values[parameter.name] = tuple(as_row(reader.matrix(part, record.name)) for part in given.values())
        elif parameter.name in given:
            value = given[parameter.name]
            match parameter.kind:
                case "matrix" if is_of_one:
                    matrix = reader.term(value, record.name)
                    values[parameter.name] = matrix if is_entry_by_entry else as_row(matrix)
                case "matrix" if are_side_by_side:
                    values[parameter.name] = reader.term(value, record.name)
                case "matrix" | "row":
                    role = record.name if parameter.default is None else parameter.name
                    values[parameter.name] = as_row(reader.matrix(value, role))
                case "size":
                    values[parameter.name] = reader.axis(value)
                case "whole":
                    values[parameter.name] = reader.whole(value)
                case "number":
                    values[parameter.name] = reader.scalar(value)
    return values | _side_by_side(record, values) if are_side_by_side else values


@lru_cache(maxsize=1000)
def works_entry_by_entry(record: Operation) -> bool:
    """Return whether each entry of the result depends only on entries in its own place, and not on the place itself.

    >>> from symattn.operations.records import record_named
    >>> [works_entry_by_entry(record_named(name)) for name in ("exp", "maximum", "softmax", "rotary")]
    [True, True, False, False]
    """
    axes = {parameter.axes for parameter in record.parameters if parameter.is_matrix}
    if axes != {record.shape} or record.shape[0] == record.shape[1]:
        return False
    pieces = [piece for equation in record.equations for piece in walk(equation.body)]
    places = [piece.places for piece in pieces if isinstance(piece, Entry) and piece.places]
    elsewhere = sum(isinstance(piece, Index) for piece in pieces) - 2 * len(places)
    return len({*places}) == 1 and not elsewhere and not any(isinstance(piece, Over) for piece in pieces)


def _side_by_side(record: Operation, values: Mapping[str, Any]) -> dict[str, Term]:
    """Bring two matrices to one shape, repeating one of them to the shape of the other."""
    one, other = (name for name, value in values.items() if isinstance(value, Term))
    left, right = values[one], values[other]
    if max(left.shape.ndim, right.shape.ndim) < 2:
        left, right = as_row(left), as_row(right)
    sizes = {left.shape.sizes, right.shape.sizes}
    if len(sizes) == 2 and not any(1 in each for each in sizes):
        return {}
    return dict(zip((one, other), aligned(left, right, record.name), strict=True))


@lru_cache(maxsize=1000)
def of_record(record: Operation, make: Made | None = None, is_ours: bool = False, repeats: bool = False) -> Function:
    """Return the function for an operation; ``repeats`` allows the smaller of two matrices, or a number, to be
    repeated, as for built-in operations."""

    def build(reader: FormulaReading, given: dict[str, Any]) -> Term:
        values = _values(reader, record, given, is_ours or repeats)
        if is_ours:
            must_fit(record, values)
        term = built(record, values, make)
        if is_ours:
            _count(reader, record, term, values)
        return term.of_ndim(_ndim(record, values, term.shape))

    def build_along(reader: FormulaReading, given: dict[str, Any]) -> Term:
        if not given.keys() & options:
            return build(reader, given)

        def of_rows(x: Term) -> Term:
            return build(reader, {**given, matrix: x})

        along = Along(record.name, of_rows, reduces, of_each_and_all(of_rows) if record.name in OF_ALL else None)
        return along.applied(reader, reader.term(given[matrix], record.name), given)

    names = tuple(parameter.name for parameter in record.parameters)
    if any(parameter.many for parameter in record.parameters):
        return Function(("X", "Y"), 2, build, endless=True)
    needed = sum(parameter.default is None for parameter in record.parameters)
    if not works_along_rows(record) or set(names) & {*AXIS, *KEPT}:
        return Function(names, needed, build)
    matrix = next(parameter.name for parameter in record.parameters if parameter.kind == "matrix")
    reduces = record.shape[1] == ONE
    options = (*AXIS, *(KEPT if reduces else ()))
    return Function(names, needed, build_along, options=options)


def _ndim(record: Operation, values: Mapping[str, Any], shape: Shape) -> int:
    """Return the number of axes of the result in NumPy: axes that vectors and numbers lack are missing in it too."""
    dropped: set[str] = set()
    for parameter in record.parameters:
        if not parameter.is_matrix or parameter.kind == "row" or parameter.name not in values:
            continue
        given = values[parameter.name] if parameter.many else (values[parameter.name],)
        ndim = max(term.shape.ndim for term in given)
        dropped |= {axis.name for axis in parameter.axes[: 2 - ndim] if isinstance(axis, Length)}
    if works_entry_by_entry(record) and dropped:
        return max(value.shape.ndim for value in values.values() if isinstance(value, Term))
    if not dropped or shape.rows.size != 1:
        return 2
    return sum(
        not (isinstance(axis, Constant) or (isinstance(axis, Length) and axis.name in dropped)) for axis in record.shape
    )


def is_number(value: Any) -> bool:
    """Return whether a given value is not a matrix, neither of formulas nor of SymPy."""
    return not isinstance(value, Term) and not getattr(value, "is_Matrix", False)


def call(name: str, reader: FormulaReading, *values: Any) -> Term:
    """Return the matrix of a call of one of our operations.

    Raises :class:`~symattn.base.errors.FormulaError` and :class:`~symattn.base.errors.ShapeError` as the formula does.
    """
    function = of_ours(name)
    names = map(str, range(len(values))) if function.endless else function.parameters
    return cast(Term, function.build(reader, dict(zip(names, values, strict=False))))


def concatenated(reader: FormulaReading, function: str, parts: Sequence[Term]) -> Term:
    """Join matrices, side by side with ``concat``, below each other with ``stack``; a single one stays unchanged."""
    return call(function, reader, *parts) if len(parts) > 1 else parts[0]


def _count(reader: FormulaReading, record: Operation, term: Term, values: dict[str, Any]) -> None:
    """Record the entries that a mask keeps, or the multiplications of a product, if there is a formula for them."""
    if isinstance(term.expr, Mask):
        sizes = [values[parameter.name] for parameter in record.parameters if parameter.kind == "size"]
        reader.kept[term.expr] = partial(terms.kept_by, term.expr, type(term.expr), *sizes)
    elif record.name == "dot":
        reader.products.append(partial(terms.product_cost, values["X"], terms.transpose(values["Y"])))


def of_ours(name: str) -> Function:
    record = record_named(name)
    assert record is not None
    return of_record(record, node_named(name), is_ours=True)


def vector_of(reader: FormulaReading, values: Sequence[Any]) -> Term:
    """Return a vector of numbers, or a matrix whose rows are vectors.

    Raises :class:`~symattn.base.errors.FormulaError` for a list of anything else, or for too many entries.
    """
    if any(value in (oo, -oo) for value in values):
        raise reader.error("oo stands in no list: give the matrix as a given, or add a mask to it, S + causal_mask(n)")
    parts = [as_row(reader.term(value, "a list")) for value in values]
    if not parts:
        raise reader.error("[] is empty: a list in a formula holds at least one number")
    text = f"[{', '.join(part.text for part in parts)}]"
    axes = {part.shape.ndim for part in parts}
    if axes not in ({0}, {1}):
        wrong = next((part for part in parts if part.shape.ndim == 2), parts[0])
        raise reader.error(
            f"{text}: {wrong.operand}: a list holds numbers, or vectors of one length as its rows; matrices are put "
            f"side by side with concat({', '.join(part.text for part in parts)}), below each other with stack(…)"
        )
    lengths = [part.shape.columns.size for part in parts]
    if sum(size for size in lengths if isinstance(size, int)) > limits.LIST_ENTRIES:
        raise reader.error(f"a list of more than LIST_ENTRIES = {limits.LIST_ENTRIES} numbers: write it as a given")
    if axes == {1} and len(set(lengths)) > 1:
        raise reader.error(f"{text}: its rows have the lengths {', '.join(map(str, lengths))}: expected one length")
    found = concatenated(reader, "concat" if axes == {0} else "stack", parts)
    return replace(found.of_ndim(axes.pop() + 1), text=text)
