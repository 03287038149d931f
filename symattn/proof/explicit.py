"""Every entry of two formulas for explicit sizes, compared exactly.

This road knows no rules: a matrix is worked out from the matrices inside it, entry by entry, by the definitions of the
nodes, as fractions of polynomials (:mod:`symattn.proof.fractions`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from dataclasses import field as dataclass_field
from fractions import Fraction
from functools import reduce

from sympy import Add, Expr, Integer, MatAdd, MatMul, MatPow, MatrixExpr, MatrixSymbol, Mul, Pow, Rational, Symbol, pi

from symattn.budget import spend
from symattn.equations import tree
from symattn.equations.whole import COMPARED, exact
from symattn.operations import Keep, Rotary, Sinusoidal
from symattn.operations.node import operation_of, parameters_of, sizes_of
from symattn.proof.definitions import as_ours
from symattn.proof.error import ProofError
from symattn.proof.fractions import FinerError, Fractions, TooLargeError, Value, as_fraction
from symattn.shapes import whole_sizes

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
            rows, columns = whole_sizes(node)
            if rows * columns > ENTRIES:
                raise TooLargeError
            self._known[node] = self._matrix(node, rows, columns)
        return self._known[node]

    def _matrix(self, node: MatrixExpr, rows: int, columns: int) -> Grid:
        node = as_ours(node)
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
            case Keep():
                kept, mask = map(self.matrix, node.args)
                return _grid(
                    rows, columns, lambda i, j: self.field.multiply(kept[i][j], self.field.exponential(mask[i][j]))
                )
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
        position = field.add(self.number(node.start), field.number(i))
        out: list[Value] = []
        for pair in range(len(row) // 2):
            x, y = row[2 * pair], row[2 * pair + 1]
            c, s = self._wave(node, position, pair)
            out += field.product_of_complex((x, y), (c, s))
        return tuple(out)

    def _product(self, node: MatMul) -> Grid:
        number = self.number(Mul(*(arg for arg in node.args if not arg.is_Matrix)))
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
        """By the equations of the operation."""
        operation = operation_of(node)
        if operation is None:
            raise ProofError(f"there is no rule for {type(node).__name__}")
        matrices = {parameter.name: self.matrix(arg) for parameter, arg in parameters_of(node) if parameter.is_matrix}
        numbers = {name: value.xreplace(dict(self.sizes)) for name, value in sizes_of(node).items()}
        return Defined(self, operation, matrices, numbers).grid(rows, columns)

    def number(self, body: Expr) -> Value:
        """A number that stands in a formula: of roots, letters of sizes, and letters for any number."""
        spend(80)
        if body.is_Rational:
            return self.field.number(as_fraction(body))
        match body:
            case Symbol():
                # A letter that is no size stands for any real number, as an entry does.
                return self.number(self.sizes[body]) if body in self.sizes else self.field.entry(body.name)
            case Add():
                return self._sum(list(map(self.number, body.args)))
            case Mul():
                return reduce(self.field.multiply, map(self.number, body.args))
            case Pow():
                return self.power(self.number(body.base), body.exp)
        if body == pi:
            return self.field.function("pi", ())
        raise ProofError(f"there is no rule for {body.func.__name__} with symbols in it")

    def power(self, base: Value, exponent: Expr) -> Value:
        """A power with a whole exponent, or half of one."""
        doubled = exponent * 2
        if not doubled.is_Integer or abs(doubled) > 128:
            raise ProofError(f"there is no rule for the exponent {exponent}")
        if doubled % 2:
            base, doubled = self.field.root(base), doubled * 2
        count = int(doubled) // 2
        whole = reduce(self.field.multiply, [base] * abs(count), self.field.number(1))
        return self.field.inverse(whole) if count < 0 else whole


@dataclass(frozen=True)
class Defined:
    """An operation of matrices whose entries are known, by its equations."""

    work: Entries
    operation: tree.Operation
    matrices: Mapping[str, Grid]
    numbers: Mapping[str, Expr]
    known: dict[tuple[str, tuple[int, ...]], Value] = dataclass_field(default_factory=dict)
    """Numbers that have a name."""

    @property
    def field(self) -> Fractions:
        return self.work.field

    def grid(self, rows: int, columns: int) -> Grid:
        result = self.operation.result
        one_row = self.operation.shape[0] == tree.Number(Fraction(1))

        def entry(i: int, j: int) -> Value:
            places = (i + 1, j + 1) if len(result.index) == 2 else (j + 1,) if one_row else (i + 1,)
            return self(result.body, dict(zip(result.index, places, strict=False)))

        return _grid(rows, columns, entry)

    def whole(self, piece: tree.Piece, at: Mapping[str, int]) -> Fraction | int | None:
        """What is made of indices and sizes; ``None`` for what has entries in it."""
        sizes = {name: int(value) for name, value in self.numbers.items() if value.is_Integer}
        try:
            found: Fraction | int = exact(piece)({**sizes, **at})
            return found
        except (KeyError, TypeError):
            return None

    def __call__(self, piece: tree.Expression, at: Mapping[str, int]) -> Value:
        """``at`` has the places of indices, counted from 1."""
        spend(80)
        known = self.whole(piece, at)
        if known is not None:
            return self.field.number(Fraction(known))
        match piece:
            case tree.Entry(name, ()) | tree.Size(name) if name in self.numbers:
                return self.work.number(self.numbers[name])
            case tree.Entry(name, places):
                return self.entry(name, tuple(int(self.whole(place, at) or 0) for place in places))
            case tree.Over(kind, index, body):
                reach = self.whole(self.operation.range_of[index], {})
                values = [self(body, {**at, index: k}) for k in range(1, int(reach or 0) + 1)]
                return reduce(self.field.add, values) if kind == "sum" else self.largest(values)
            case tree.Call("pow", (base, exponent)):
                by = self.whole(exponent, at)
                if by is None:
                    raise ProofError("there is no rule for an exponent with entries in it")
                return self.work.power(self(base, at), Rational(by))
            case tree.Call(function, arguments):
                return self.call(function, [self(each, at) for each in arguments])
            case tree.Cases(tree.All(parts)):
                return self.cases(parts, piece, at)
            case tree.Cases(tree.Compare() as condition):
                return self.cases((condition,), piece, at)
        raise TypeError(f"no entry of {type(piece).__name__}")

    def entry(self, name: str, places: tuple[int, ...]) -> Value:
        if name in self.matrices:
            matrix = self.matrices[name]
            i, j = places if len(places) == 2 else (1, *places)
            if not (1 <= i <= len(matrix) and 1 <= j <= len(matrix[0])):
                raise ProofError(f"{self.operation.name}: {name} has no entry {places}")
            return matrix[i - 1][j - 1]
        key = (name, places)
        if key not in self.known:
            equation = self.operation.equation(name)
            self.known[key] = self(equation.body, dict(zip(equation.index, places, strict=True)))
        return self.known[key]

    def largest(self, values: list[Value]) -> Value:
        return values[0] if len(values) == 1 else self.field.function("Max", values)

    def call(self, function: str, values: list[Value]) -> Value:
        field, minus = self.field, self.field.number(-1)
        match function, values:
            case "add", (x, y):
                return field.add(x, y)
            case "sub", (x, y):
                return field.add(x, field.multiply(minus, y))
            case "mul", (x, y):
                return field.multiply(x, y)
            case "div", (x, y):
                return field.multiply(x, field.inverse(y))
            case "neg", (x,):
                return field.multiply(minus, x)
            case "exp", (x,):
                return field.exponential(x)
            case "sqrt", (x,):
                return field.root(x)
            case "tanh", (x,):
                twice = field.exponential(field.multiply(field.number(2), x))
                return field.multiply(field.add(twice, minus), field.inverse(field.add(twice, field.number(1))))
            case "xlogx", (x,):
                return field.multiply(x, field.function("log", (x,)))
            case (("max" | "min" | "abs"), _):
                return field.function(function.capitalize(), values)
            case (("log" | "acos" | "erf" | "floor" | "pi"), _):
                return field.function(function, values)
        raise ProofError(f"there is no rule for {function} with entries in it")

    def cases(self, conditions: tuple[tree.Compare, ...], piece: tree.Cases, at: Mapping[str, int]) -> Value:
        """What holds, where that is known; a letter for both cases elsewhere."""
        if not conditions:
            return self(piece.then, at)
        (first, *others) = conditions
        left, right = self.whole(first.left, at), self.whole(first.right, at)
        if left is not None and right is not None:
            holds = COMPARED[first.sign](left, right)
            return self.cases(tuple(others), piece, at) if holds else self(piece.otherwise, at)
        sides = (self(first.left, at), self(first.right, at))
        branches = (self.cases(tuple(others), piece, at), self(piece.otherwise, at))
        return self.field.function(f"cases {first.sign}", (*sides, *branches))


def _grid(rows: int, columns: int, entry: Callable[[int, int], Value]) -> Grid:
    return tuple(tuple(entry(i, j) for j in range(columns)) for i in range(rows))
