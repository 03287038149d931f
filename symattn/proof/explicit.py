"""Every entry of two formulas for explicit sizes, compared exactly.

This road knows no rules: a matrix is worked out from the matrices inside it, entry by entry, by the definitions of the
nodes, as fractions of polynomials (:mod:`symattn.proof.fractions`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import reduce

from sympy import (
    Abs,
    Add,
    Expr,
    Identity,
    Integer,
    MatAdd,
    MatMul,
    MatPow,
    MatrixExpr,
    MatrixSymbol,
    Max,
    Min,
    Mul,
    OneMatrix,
    Piecewise,
    Pow,
    S,
    Sum,
    Symbol,
    Transpose,
    ZeroMatrix,
    acos,
    erf,
    exp,
    log,
    pi,
    tanh,
)
from sympy.matrices.expressions.matexpr import MatrixElement

from symattn.budget import spend
from symattn.operations import ELU, Rotary, Sinusoidal
from symattn.proof.definitions import definition
from symattn.proof.error import ProofError
from symattn.proof.fractions import FinerError, Fractions, TooLargeError, Value, as_fraction

__all__ = ["Difference", "Entries", "TooLargeError", "compared"]

ENTRIES = 400
"""How many entries a matrix may have on the way."""

UNITS = 12
"""How many units of exponents are tried, each a part of the one before."""

Grid = tuple[tuple[Value, ...], ...]


@dataclass(frozen=True)
class Difference:
    """The first entry in which two matrices differ, counted from 1."""

    row: int
    column: int


def compared(left: MatrixExpr, right: MatrixExpr, sizes: Mapping[Symbol, Expr]) -> Difference | bool:
    """``True`` where every entry is shown to be the same; the entry that is shown to differ; ``False`` for neither.

    >>> from symattn.operations import Dot, MatMul, MatrixSymbol, Transpose
    >>> X = MatrixSymbol("X", 2, 2)
    >>> compared(Dot(X, X), MatMul(X, Transpose(X), evaluate=False), {})
    True
    >>> compared(Dot(X, X), MatMul(X, X, evaluate=False), {})
    Difference(row=1, column=1)
    """
    unit = 1
    for _ in range(UNITS):
        work = Entries(Fractions(unit), sizes)
        try:
            return _verdict(work, work.matrix(left), work.matrix(right))
        except FinerError as finer:
            unit = finer.unit
        except ZeroDivisionError:
            return False
    raise ProofError("exponents with too many different denominators")


def _verdict(work: Entries, left: Grid, right: Grid) -> Difference | bool:
    open_entries = False
    for i, (row, other) in enumerate(zip(left, right, strict=True), 1):
        for j, (a, b) in enumerate(zip(row, other, strict=True), 1):
            if work.field.equal(a, b):
                continue
            if work.field.differs_somewhere(a, b):
                return Difference(i, j)
            open_entries = True
    return not open_entries


class Entries:
    """The entries of formulas; each matrix is worked out once."""

    def __init__(self, field: Fractions, sizes: Mapping[Symbol, Expr]) -> None:
        self.field = field
        self.sizes = sizes
        self._known: dict[MatrixExpr, Grid] = {}

    def matrix(self, node: MatrixExpr) -> Grid:
        """Every entry of a formula."""
        if node not in self._known:
            rows, columns = (int(size) for size in node.shape)
            if rows * columns > ENTRIES:
                raise TooLargeError
            self._known[node] = self._matrix(node, rows, columns)
        return self._known[node]

    def _matrix(self, node: MatrixExpr, rows: int, columns: int) -> Grid:
        match node:
            case MatrixSymbol():
                return _grid(rows, columns, lambda i, j: self.field.entry(f"{node.name}[{i},{j}]"))
            case MatMul():
                return self._product(node)
            case MatAdd():
                parts = [self.matrix(part) for part in node.args]
                return _grid(rows, columns, lambda i, j: self._sum([part[i][j] for part in parts]))
            case MatPow():
                return reduce(self._times, [self.matrix(node.base)] * int(node.exp))
            case Transpose():
                inner = self.matrix(node.arg)
                return _grid(rows, columns, lambda i, j: inner[j][i])
            case Identity():
                return _grid(rows, columns, lambda i, j: self.field.number(int(i == j)))
            case OneMatrix() | ZeroMatrix():
                return _grid(rows, columns, lambda i, j: self.field.number(int(isinstance(node, OneMatrix))))
            case ELU():
                inner = self.matrix(node.argument)
                return _grid(rows, columns, lambda i, j: self.field.function("ELU", (inner[i][j],)))
            case Rotary():
                return tuple(self._turned(node, i, row) for i, row in enumerate(self.matrix(node.argument)))
            case Sinusoidal():
                return _grid(rows, columns, lambda i, j: self._wave(node, self.field.number(i), j // 2)[1 - j % 2])
        return self._defined(node, rows, columns)

    def _wave(self, node: Rotary | Sinusoidal, position: Value, pair: int) -> tuple[Value, Value]:
        """Cosine and sine of the angle of a pair: its frequency is a letter, whatever the base and the width are."""
        value = (node.base ** (-2 * Integer(pair) / node.shape[1])).xreplace(dict(self.sizes))
        known = self.field.frequency(f"frequency {value}", value)
        return self.field.cosine_and_sine(self.field.multiply(position, known))

    def _turned(self, node: Rotary, i: int, row: tuple[Value, ...]) -> tuple[Value, ...]:
        """A row whose pairs are turned, as complex numbers are multiplied."""
        field = self.field
        position = field.add(self.number(node.start, {}, {}), field.number(i))
        out: list[Value] = []
        for pair in range(len(row) // 2):
            x, y = row[2 * pair], row[2 * pair + 1]
            c, s = self._wave(node, position, pair)
            out += field.product_of_complex((x, y), (c, s))
        return tuple(out)

    def _product(self, node: MatMul) -> Grid:
        number = self.number(Mul(*(arg for arg in node.args if not arg.is_Matrix)), {}, {})
        inner = reduce(self._times, [self.matrix(arg) for arg in node.args if arg.is_Matrix])
        return tuple(tuple(self.field.multiply(number, value) for value in row) for row in inner)

    def _times(self, left: Grid, right: Grid) -> Grid:
        columns = tuple(zip(*right, strict=True))
        return tuple(
            tuple(
                self._sum([self.field.multiply(a, b) for a, b in zip(row, column, strict=True)]) for column in columns
            )
            for row in left
        )

    def _sum(self, values: list[Value]) -> Value:
        return reduce(self.field.add, values)

    def _defined(self, node: MatrixExpr, rows: int, columns: int) -> Grid:
        """By the node's own definition, with letters for row and column where it needs no distinction of cases."""
        i, j = Symbol("i", integer=True), Symbol("j", integer=True)
        body, inside = definition(node, i, j)
        values = {stand_in: self.matrix(matrix) for stand_in, matrix in inside.items()}
        if not body.has(Piecewise):
            return _grid(rows, columns, lambda r, c: self.number(body, values, {i: r, j: c}))
        return _grid(rows, columns, lambda r, c: self.number(definition(node, Integer(r), Integer(c))[0], values, {}))

    def number(self, body: Expr, inside: Mapping[MatrixSymbol, Grid], at: Mapping[Symbol, int]) -> Value:
        """One number of a definition: entries of the matrices inside, and indices at a place."""
        field = self.field
        spend(80)
        if body.is_Rational:
            return field.number(as_fraction(body))
        match body:
            case MatrixElement() if body.parent not in inside:
                raise ProofError(f"there is no rule for {type(body.parent).__name__}")
            case MatrixElement():
                i, j = (int(_whole(place, at)) for place in (body.i, body.j))
                return inside[body.parent][i][j]
            case Symbol():
                if body in at:
                    return field.number(at[body])
                # A letter that is no size stands for any real number, as an entry does.
                return self.number(self.sizes[body], inside, at) if body in self.sizes else field.entry(body.name)
            case Add():
                return self._sum([self.number(arg, inside, at) for arg in body.args])
            case Mul():
                return reduce(field.multiply, [self.number(arg, inside, at) for arg in body.args])
            case exp():
                # Term by term: e^{a+b} = e^a e^b keeps fractions with different denominators apart.
                parts = [field.exponential(self.number(term, inside, at)) for term in Add.make_args(body.exp)]
                return reduce(field.multiply, parts)
            case Pow():
                return self._power(body, inside, at)
            case Sum():
                return self._total(body, inside, at)
            case tanh():
                twice = field.exponential(field.multiply(field.number(2), self.number(body.args[0], inside, at)))
                below = field.inverse(field.add(twice, field.number(1)))
                return field.multiply(field.add(twice, field.number(-1)), below)
            case Abs() if not body.has(MatrixElement):
                return field.number(abs(int(_whole(body.args[0], at))))
            case Max() | Min() | log() | acos() | erf():
                name = body.func.__name__
                return field.function(name, [self.number(arg, inside, at) for arg in body.args])
        if body == pi:
            return field.function("pi", ())
        if body == S.Exp1:
            return field.exponential(field.number(1))
        raise ProofError(f"there is no rule for {body.func.__name__} with symbols in it")

    def _power(self, body: Pow, inside: Mapping[MatrixSymbol, Grid], at: Mapping[Symbol, int]) -> Value:
        doubled = body.exp * 2
        if not doubled.is_Integer or abs(doubled) > 128:
            raise ProofError(f"there is no rule for the exponent {body.exp}")
        base = self.number(body.base, inside, at)
        if doubled % 2:
            base, doubled = self.field.root(base), doubled * 2
        count = int(doubled) // 2
        whole = reduce(self.field.multiply, [base] * abs(count), self.field.number(1))
        return self.field.inverse(whole) if count < 0 else whole

    def _total(self, body: Sum, inside: Mapping[MatrixSymbol, Grid], at: Mapping[Symbol, int]) -> Value:
        *inner, (index, lower, upper) = body.limits
        term = Sum(body.function, *inner) if inner else body.function
        places = range(int(lower), int(upper.xreplace(dict(self.sizes))) + 1)
        return self._sum([self.number(term, inside, {**at, index: place}) for place in places])


def _whole(place: Expr, at: Mapping[Symbol, int]) -> Expr:
    return place.xreplace({index: Integer(value) for index, value in at.items()})


def _grid(rows: int, columns: int, entry: Callable[[int, int], Value]) -> Grid:
    return tuple(tuple(entry(i, j) for j in range(columns)) for i in range(rows))
