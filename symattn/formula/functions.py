"""What a formula may speak of, and the functions that it may call: their parameters, and the node each builds.

>>> sorted(TABLE)[:3], TABLE["sqrt"].parameters
(['abs', 'additive_scores', 'angle'], ('X',))
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from math import inf
from typing import Any, Protocol, cast

from sympy import Add, Expr, MatrixExpr, Mul, Pow, Rational, log, sqrt

from symattn import limits
from symattn.equations.tree import Constant, Length, Operation
from symattn.errors import FormulaError, cut
from symattn.formula.broadcast import as_row
from symattn.operations import counting, terms
from symattn.operations.build import Made, built
from symattn.operations.demands import must_fit
from symattn.operations.masks import Mask
from symattn.operations.ours import OURS, node_named, record_named
from symattn.operations.terms import Term
from symattn.remembered import Named
from symattn.shapes import Axis, Shape

SURD_EXPONENT = 64
"""The highest power of a number with roots in it."""


class FormulaReading(Protocol):
    """What a function sees of the formula that is being read: what its values must be, and what was read so far."""

    kind: str
    products: list[Callable[[], Expr]]
    kept: dict[MatrixExpr, Callable[[], Expr]]

    def error(self, what: str) -> FormulaError:
        """The error that names the formula."""

    def scalar(self, value: Any) -> Expr:
        """The number that a value must be."""

    def term(self, value: Any, use: str) -> Term:
        """A matrix, or a number as the matrix of one entry that it is."""

    def matrix(self, value: Any, use: str) -> Term:
        """The matrix that a value must be."""

    def axis(self, value: Any) -> Axis:
        """The axis or whole number that a value must be."""

    def whole(self, value: Any) -> int:
        """The whole number that a value must be."""


@dataclass(frozen=True)
class Function:
    """How a name is called: its parameters in order, how many of them are required, and what it builds."""

    parameters: tuple[str, ...]
    needed: int
    build: Callable[[FormulaReading, dict[str, Any]], Term | Expr]
    endless: bool = False
    """Whether more values may follow the parameters."""
    counts: bool = False
    """Whether it is about its argument's formula and not about its value."""

    @property
    def required(self) -> tuple[str, ...]:
        return self.parameters[: self.needed]


def _values(reader: FormulaReading, record: Operation, given: Mapping[str, Any]) -> dict[str, Any]:
    """What is given for the parameters of an operation, as its record says what they are."""
    values: dict[str, Any] = {}
    # A number may stand where the only matrix does: exp(0.71).
    is_of_one = sum(parameter.is_matrix for parameter in record.parameters) == 1
    for parameter in record.parameters:
        if parameter.many:
            values[parameter.name] = tuple(as_row(reader.matrix(part, record.name)) for part in given.values())
        elif parameter.name in given:
            value = given[parameter.name]
            match parameter.kind:
                case "matrix" if is_of_one:
                    values[parameter.name] = as_row(reader.term(value, record.name))
                case "matrix" | "row":
                    role = record.name if parameter.default is None else parameter.name
                    values[parameter.name] = as_row(reader.matrix(value, role))
                case "size":
                    values[parameter.name] = reader.axis(value)
                case "whole":
                    values[parameter.name] = reader.whole(value)
                case "number":
                    values[parameter.name] = reader.scalar(value)
    return values


@lru_cache(maxsize=1000)
def of_record(record: Operation, make: Made | None = None, is_ours: bool = False) -> Function:
    """How an operation is called in a formula."""

    def build(reader: FormulaReading, given: dict[str, Any]) -> Term:
        values = _values(reader, record, given)
        if is_ours:
            must_fit(record, values)
        term = built(record, values, make)
        if is_ours:
            _count(reader, record, term, values)
        return replace(term, shape=replace(term.shape, ndim=_ndim(record, values, term.shape)))

    endless = any(parameter.many for parameter in record.parameters)
    names = tuple(parameter.name for parameter in record.parameters)
    needed = sum(parameter.default is None for parameter in record.parameters)
    if endless:
        return Function(("X", "Y"), 2, build, endless=True)
    return Function(names, needed, build)


def _ndim(record: Operation, values: Mapping[str, Any], shape: Shape) -> int:
    """How many axes the result has in NumPy: the axes that vectors and numbers have not are not in it either."""
    dropped: set[str] = set()
    for parameter in record.parameters:
        if not parameter.is_matrix or parameter.kind == "row" or parameter.name not in values:
            continue
        given = values[parameter.name] if parameter.many else (values[parameter.name],)
        ndim = max(term.shape.ndim for term in given)
        dropped |= {axis.name for axis in parameter.axes[: 2 - ndim] if isinstance(axis, Length)}
    if not dropped or shape.rows.size != 1:
        return 2
    return sum(
        not (isinstance(axis, Constant) or (isinstance(axis, Length) and axis.name in dropped)) for axis in record.shape
    )


def call(name: str, reader: FormulaReading, *values: Any) -> Term:
    """The matrix that a call of one of our operations is.

    Raises :class:`~symattn.errors.FormulaError` and :class:`~symattn.errors.ShapeError` as the formula does.
    """
    function = _of_ours(name)
    names = map(str, range(len(values))) if function.endless else function.parameters
    return cast(Term, function.build(reader, dict(zip(names, values, strict=False))))


def _count(reader: FormulaReading, record: Operation, term: Term, values: dict[str, Any]) -> None:
    """Note how many entries a mask keeps, or how many multiplications are done, where there is a formula for it."""
    if isinstance(term.expr, Mask):
        sizes = [values[parameter.name] for parameter in record.parameters if parameter.kind == "size"]
        reader.kept[term.expr] = partial(counting.kept_by, term.expr, type(term.expr), *sizes)
    elif record.name == "dot":
        reader.products.append(partial(counting.product_cost, values["X"], terms.transpose(values["Y"])))


# -- what has no record, or is a number too ------------------------------------------------------------------------


def _build_sqrt(reader: FormulaReading, given: dict[str, Any]) -> Term | Expr:
    if isinstance(given["X"], Term):
        return _of_ours("sqrt").build(reader, given)
    radicand = reader.scalar(given["X"])
    if radicand.is_number and not radicand.is_nonnegative:
        raise reader.error(f"sqrt({radicand}) is not a real number")
    if radicand.is_Rational and max(len(str(radicand.p)), len(str(radicand.q))) > limits.RADICAND_DIGITS:
        raise reader.error(f"the number under the root has more than RADICAND_DIGITS = {limits.RADICAND_DIGITS} digits")
    if reader.kind == "formula" and radicand.is_Integer:
        # In a formula √4 stays √4: the document shows the root and then its value.
        return Pow(radicand, Rational(1, 2), evaluate=False)
    return sqrt(radicand)


def _build_log(reader: FormulaReading, given: dict[str, Any]) -> Term | Expr:
    if reader.kind != "number":
        return _of_ours("log").build(reader, given)
    number = reader.scalar(given["X"])
    if not (number.is_Rational and number > 0):
        raise reader.error(f"log({cut(str(number))}): expected the logarithm of a positive fraction, as in log(3/2)")
    if max(number.p, number.q) >= 10**limits.RADICAND_DIGITS:
        limit = f"RADICAND_DIGITS = {limits.RADICAND_DIGITS}"
        raise reader.error(f"the number in the logarithm has more than {limit} digits")
    return log(number)


def power_of_logarithms(number: Expr) -> float:
    """The highest power of logarithms in a number, multiplied out; infinite where one stands below a line.

    >>> [power_of_logarithms(x) for x in (2 * log(3) + 1, log(2) * (1 + log(3)) ** 2, 1 / log(2))]
    [1, 3, inf]
    """
    if not number.has(log):
        return 0
    if isinstance(number, Add):
        return max(map(power_of_logarithms, number.args))
    if isinstance(number, Mul):
        return sum(map(power_of_logarithms, number.args))
    if isinstance(number, Pow) and number.exp.is_Integer and number.exp > 0:
        return int(number.exp) * power_of_logarithms(number.base)
    return 1 if isinstance(number, log) and number.args[0].is_Rational else inf


def _build_multiplications(reader: FormulaReading, given: dict[str, Any]) -> Expr:
    _must_be_formula(reader, "multiplications")
    reader.matrix(given["X"], "multiplications")
    return counting.total_cost([cost() for cost in given["products"]])


def _build_matrix_power(reader: FormulaReading, given: dict[str, Any]) -> Term:
    base, exponent = reader.matrix(given["A"], "matrix_power"), reader.whole(given["n"])
    reader.products.append(partial(counting.power_cost, base, exponent))
    return terms.power(base, exponent)


def _must_be_formula(reader: FormulaReading, function: str) -> None:
    if reader.kind == "number":
        raise reader.error(f"{function}(…) is about a formula; write digits, fractions, sqrt(…) and powers")


def _build_kept(reader: FormulaReading, given: dict[str, Any]) -> Expr:
    _must_be_formula(reader, "kept")
    mask = reader.matrix(given["M"], "kept").expr
    return reader.kept[mask]() if mask in reader.kept else counting.Kept(mask)


_SPECIAL: Mapping[str, Function] = {
    "log": Function(("X",), 1, _build_log),
    "argmax": Function(("X",), 1, lambda reader, given: terms.argmax(reader.matrix(given["X"], "argmax"))),
    "top_k": Function(
        ("P", "k"), 2, lambda reader, given: terms.top_k(reader.matrix(given["P"], "top_k"), reader.whole(given["k"]))
    ),
    "sqrt": Function(("X",), 1, _build_sqrt),
    "matrix_power": Function(("A", "n"), 2, _build_matrix_power),
    "multiplications": Function(("X",), 1, _build_multiplications, counts=True),
    "kept": Function(("M",), 1, _build_kept, counts=True),
}
"""Functions that are no operations of one record: choices, numbers, counts."""


def _of_ours(name: str) -> Function:
    record = record_named(name)
    assert record is not None
    return of_record(record, node_named(name), is_ours=True)


TABLE: Mapping[str, Function] = Named(
    dict.fromkeys([*OURS, *_SPECIAL]), lambda name: _SPECIAL.get(name) or _of_ours(name)
)
"""Every function of the formula language. A record is read when somebody asks for its function."""


@dataclass(frozen=True)
class Scope:
    """What a formula may speak of: names with shapes, sizes with their whole numbers (or letters), and quantities."""

    names: Mapping[str, Shape]
    sizes: Mapping[str, int | str] = field(default_factory=dict)
    quantities: frozenset[str] = frozenset()
    symbols: frozenset[str] = frozenset()
    """Letters that stand for any real number."""
    anywhere: bool = False
    """Whether symbols may be options of operations too: a proof works nothing out."""
    operations: Mapping[str, Operation] = field(default_factory=dict)
    """Operations of one's own, which are called like ours."""

    @property
    def functions(self) -> tuple[str, ...]:
        """The names of all functions that a formula may call."""
        return (*TABLE, *self.operations)

    def function(self, name: str) -> Function | None:
        """The function of that name, if there is one."""
        if name in self.operations:
            return of_record(self.operations[name])
        return TABLE.get(name)
