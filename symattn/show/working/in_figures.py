"""Write a node in figures: the figures of its operands and named numbers, the case that holds, and its equations with
figures in place of entries, in reading order."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction as Rational
from functools import lru_cache
from math import inf
from typing import Any

from flint import arb
from sympy import Basic, Expr, ZeroMatrix

from symattn.base.errors import UndecidedError
from symattn.base.printed import Figure
from symattn.compute.solution.on_the_way import numbers
from symattn.compute.solution.proofs import known_signs
from symattn.operations.equations import tree
from symattn.operations.equations.parts import rewritten, with_result
from symattn.operations.equations.run import length
from symattn.operations.equations.whole import COMPARED, exact, free, is_whole
from symattn.operations.node import applied_to, given_of, named, operation_of, sizes_of
from symattn.show.entries.equation_writer import At, EquationWriter, is_mean_of_one, places_at, term_count
from symattn.show.entries.naming import is_function, on_the_page
from symattn.show.entries.nodes import number_named
from symattn.show.math import Number
from symattn.show.notation.figures import (
    IN_FIGURES,
    FigureOrMath,
    Written,
    behind,
    extreme,
    figure_in_a_line,
    is_faint,
    long_sum,
)
from symattn.show.notation.formulas import number
from symattn.show.working.lines import Needed, Work, clear, divisor_figure, exact_row


@lru_cache(maxsize=1000)
def with_lines(operation: tree.Operation) -> tuple[str, ...]:
    """Return the named numbers with lines before an entry: sums for a row, a column or the whole, and the numbers of a
    row that they add up."""
    summed = [each for each in operation.equations[:-1] if len(each.index) < 2 and _overs(each.body)]
    row = operation.result.index[:1]
    added = {
        part.name
        for each in summed
        for over in _overs(each.body)
        for part in tree.walk(over.body)
        if isinstance(part, tree.Entry) and part.places == (*map(tree.Index, row), tree.Index(over.index))
    }
    names = {*added, *(each.name for each in summed)}
    return tuple(each.name for each in operation.equations[:-1] if each.name in names)


def _overs(body: tree.Tree) -> list[tree.Over]:
    return [piece for piece in tree.walk(body) if isinstance(piece, tree.Over)]


@lru_cache(maxsize=1000)
def divisors(operation: tree.Operation) -> frozenset[str]:
    """Return the named numbers that the equations divide by."""
    pieces = (piece for each in operation.equations for piece in tree.walk(each.body))
    below = (piece.arguments[1] for piece in pieces if isinstance(piece, tree.Apply) and piece.function == "div")
    return frozenset(piece.name for piece in below if isinstance(piece, tree.Entry))


class Figured:
    """A node, the values of its parameters, and the named numbers of its equations."""

    def __init__(self, work: Work, node: Basic) -> None:
        operation = operation_of(node)
        if operation is None:
            raise TypeError(f"no worked entry for {type(node).__name__}, which has no equations")
        self.work, self.node, self.operation = work, node, operation
        self.given = given_of(node)
        self.kinds = {parameter.name: parameter.kind for parameter in operation.parameters}
        self.sizes = {name: int(size) for name, size in sizes_of(node).items() if size.is_Integer}
        self.equations = {equation.name: equation for equation in operation.equations[:-1]}
        self.with_lines = tuple(name for name in with_lines(operation) if name != self._mean_of_one())

    def _mean_of_one(self) -> str:
        """Return the named number that the result equals, as a sum or mean over one place: both have the same line."""
        body: tree.Tree = self.operation.result.body
        if is_mean_of_one(self.operation, self.given, body):
            (body, _) = body.arguments  # type: ignore[union-attr]
        while isinstance(body, tree.Over) and term_count(self.operation, self.given, body) == 1:
            body = body.body
        if not isinstance(body, tree.Entry) or body == self.operation.result.body:
            return ""
        return body.name if body.name in self.equations else ""

    # -- places ----------------------------------------------------------------------------------------------------

    def exact(self, piece: tree.Piece, at: At) -> Any:
        """Evaluate an expression of indices and sizes."""
        return exact(piece)({**self.sizes, **at})

    def places(self, piece: tree.Entry, at: At) -> tuple[int, ...]:
        """Return the place of an entry, counted from 1."""
        return tuple(int(self.exact(place, at)) for place in piece.places)

    def source(self, name: str, places: tuple[int, ...]) -> tuple[Any, int, int]:
        """Return the operand of an entry, and the entry's row and column, counted from 0."""
        row, column = places if len(places) == 2 else (1, places[0])
        return self.given[name], row - 1, column - 1

    def at(self, equation: tree.NamedEquation, places: tuple[int, ...]) -> At:
        """Return the values of an equation's indices, at places that are counted from 0."""
        return {letter: place + 1 for letter, place in zip(equation.index, places, strict=True)}

    def at_entry(self, i: int, j: int) -> At:
        """Return the values of the result's indices in entry (i, j), counted from 0."""
        result = self.operation.result
        return self.at(result, places_at(self.operation, result, i, j))

    # -- figures ---------------------------------------------------------------------------------------------------

    def figure(self, name: str, places: tuple[int, ...], clearly: bool = False) -> Figure | None:
        """Return the figure of a named number; ``None`` if it is too large to be written."""
        if name in self.with_lines:
            self.work.note(Needed(self.node, places, name))
        key = ("named", self.node, name, places, clearly)
        if key not in self.work.memory:
            try:
                self.work.memory[key] = self._figure(name, places, clearly)
            except UndecidedError:
                self.work.memory[key] = None
        found: Figure | None = self.work.memory[key]
        return found

    def _figure(self, name: str, places: tuple[int, ...], clearly: bool) -> Figure:
        node, solution = named(self.node, name), self.work.solution
        across = len(places) == 1 and node.shape[0] == 1
        i, j = (0, *places) if across else (*places, 0, 0)[:2]
        if clearly:
            return clear(self.work.unnoted, node, i, j)
        if name in self.with_lines and len(places) < 2 and self._is_below(name):
            return self.work.unnoted.cells(node)[i][j]
        part, what = solution.part(node), f"{self.work.name}[{i + 1},{j + 1}]: {name}"

        def enclosures(bits: int) -> list[arb]:
            return [solution.enclosure(part, bits)[i, j]]

        def value(_: int) -> Expr | None:
            row = exact_row(self.work, node, i)
            return None if row is None else row[j]

        (figure,) = numbers(solution, enclosures, [what], value, self.work.places)
        return figure

    def can_be_written(self, body: tree.Tree, name: str, at: At) -> bool:
        """Return True if a piece has a number of that name, and none of them is too large to be written."""
        writer = FigureWriter(self, frozenset({name}))
        writer.write(body, at)
        return bool(writer.met) and all(self.figure(name, places) is not None for places in writer.met)

    def _is_below(self, name: str) -> bool:
        """Return True if something is divided by a number, or by one made of it: it then has figures as in a column."""
        return name in divisors(self.operation) or any(
            isinstance(piece, tree.Entry) and piece.name == name
            for each in divisors(self.operation) & set(self.equations)
            for piece in tree.walk(self.equations[each].body)
        )

    def is_line(self, name: str, places: tuple[int, ...]) -> bool:
        """Return True if a named number has a line before the entry."""
        return name in self.with_lines and self.figure(name, places) is not None

    # -- cases -----------------------------------------------------------------------------------------------------

    def settled(self, piece: tree.Tree, at: At) -> tuple[tree.Tree, frozenset[tree.Entry]]:
        """Return the branch that holds, and the entries whose figures decided it."""
        asked: frozenset[tree.Entry] = frozenset()
        while isinstance(piece, tree.Branch):
            parts = piece.condition.parts
            asked |= {p for part in parts for p in tree.walk(part) if isinstance(p, tree.Entry) and p.places}
            piece = piece.then if all(self.holds(part, at) for part in parts) else piece.otherwise
        return piece, asked

    def holds(self, condition: tree.Compare, at: At) -> bool:
        """Return True if a comparison holds, by the figures if they leave no doubt, else by a certified sign."""
        sign, left, right = condition.sign, condition.left, condition.right
        if is_whole(self.operation, left) and is_whole(self.operation, right):
            return bool(COMPARED[sign](self.exact(left, at), self.exact(right, at)))
        (low, high), (least, most) = (_bounds(FigureWriter(self).write(each, at)) for each in (left, right))
        if low > most or high < least or low == high == least == most:
            return bool(COMPARED[sign](low, least))
        difference = tree.Apply("sub", (left, right))
        here = free(difference)

        def placed(piece: tree.Piece) -> tree.Piece:
            if isinstance(piece, tree.Index) and piece.name in here:
                return tree.Constant(Rational(at[piece.name]))
            return piece

        alone = with_result(self.operation, len(self.equations), rewritten(difference, placed), (), "side")  # type: ignore[arg-type]
        # A number that cannot be told from 0 prints as 0 in either case.
        return bool(COMPARED[sign](known_signs(self.work.solution, applied_to(alone, self.node))[0][0] or 0, 0))


@dataclass
class FigureWriter(EquationWriter):
    """Writes a piece of an equation in figures, and records the figures."""

    figured: Figured
    shown: frozenset[str] = frozenset()
    """The named numbers without a line that are written as figures."""
    clearly: bool = False
    """Whether figures that begin with zeros show their first significant digits."""
    in_roots: bool = False
    """Whether numbers of the formula stay exact: beside letters nothing is rounded, √2 stays √2."""
    used: list[Figure] = field(default_factory=list)
    matter: list[Figure] = field(default_factory=list)
    """The figures used that the result depends on: for max(0, −0.33), none."""
    met: set[tuple[int, ...]] = field(default_factory=set)
    """The places of the named numbers of ``shown``."""
    is_faint: bool = False
    """Whether a divisor is a figure that begins with zeros."""
    rounded: bool = False
    functions = IN_FIGURES

    def __post_init__(self) -> None:
        self.operation, self.given = self.figured.operation, self.figured.given

    def written(self, body: tree.Tree, at: At) -> tuple[FigureOrMath, FigureWriter]:
        """Write a whole side, a second time if its figures require it; return it and its writer."""
        piece = self.write(body, at)
        # No number of the formula is rounded beside a closed form.
        mixes = self.rounded and any(isinstance(figure, Written) for figure in self.used)
        if not (mixes or self.is_faint):
            return piece, self
        writer = FigureWriter(self.figured, self.shown, self.is_faint, mixes)
        return writer.write(body, at), writer

    def _noted(self, figure: Figure) -> FigureOrMath:
        self.used.append(figure)
        self.matter.append(figure)
        return figure

    def place(self, piece: tree.Tree, at: At) -> int:
        return int(self.figured.exact(piece, at))

    def parameter(self, name: str) -> FigureOrMath:
        figured = self.figured
        if figured.kinds[name] != "number":
            return super().parameter(name)
        value = figured.work.solution.number(figured.given[name]).doit()
        figure = divisor_figure(figured.work.solution, value)
        small = value.is_Rational and figure.text.lstrip("-").startswith("0.00")
        if small or (self.in_roots and not figure.exact):
            return number(value)  # ε is written as 10⁻⁵
        self.rounded = self.rounded or not figure.exact
        return self._noted(figure)

    def operand(self, name: str, places: tuple[int, ...]) -> FigureOrMath:
        (operand, i, j), work = self.figured.source(name, places), self.figured.work
        return self._noted(clear(work, operand, i, j) if self.clearly else work.cells(operand)[i][j])

    def named(self, name: str, places: tuple[int, ...]) -> FigureOrMath:
        figured, from_zero = self.figured, tuple(place - 1 for place in places)
        if name in self.shown or figured.is_line(name, from_zero):
            self.met |= {from_zero} if name in self.shown else set()
            figure = figured.figure(name, from_zero, self.clearly)
            return Number("…") if figure is None else self._noted(figure)
        if name in on_the_page(self.operation) and is_function(self.operation, name):
            (matrix,) = (each.name for each in self.operation.parameters if each.is_matrix)
            of = figure_in_a_line(self.operand(matrix, places))
            return number_named(figured.node, name, figured.work.letters, (), argument=of)
        return super().named(name, places)

    def call(self, piece: tree.Apply, at: At) -> FigureOrMath:
        match piece:
            case tree.Apply("add" | "sub", (one, tree.Entry(name))) if _is_zero(self.given.get(name)):
                return self.write(one, at)
            case tree.Apply("div", (above, below)):
                return self._divided(above, below, at)
            case tree.Apply("max" | "min" as function, (one, other)):
                return self._extreme(function, one, other, at)
        return super().call(piece, at)

    def branch(self, piece: tree.Branch, at: At) -> FigureOrMath:
        return self.write(self.figured.settled(piece, at)[0], at)

    def over(self, piece: tree.Over, at: At, word: str) -> FigureOrMath:
        pieces = [self.write(body, here) for body, here in self._terms(piece, at) if not self._is_nothing(body, here)]
        if piece.kind == "max":
            return extreme(word, pieces)
        return long_sum([*map(behind, pieces)]) if pieces else Figure.of(0, 0, True)

    def _terms(self, piece: tree.Over, at: At) -> Iterator[tuple[tree.Tree, At]]:
        """Yield the terms of a sum, and of sums inside it, each with its indices."""
        for k in range(1, length(self.operation.range_of[piece.index], self.figured.sizes) + 1):
            here, body = {**at, piece.index: k}, piece.body
            if isinstance(body, tree.Over) and body.kind == piece.kind:
                yield from self._terms(body, here)
            else:
                yield body, here

    def _is_nothing(self, piece: tree.Tree, at: At) -> bool:
        """Return True for 0 ln 0, which adds nothing and shows no ln 0; its figure still counts for exactness."""
        if not (isinstance(piece, tree.Apply) and piece.function == "xlogx"):
            return False
        apart = replace(self, used=[], matter=[])
        figure = apart.write(piece.arguments[0], at)
        nothing = isinstance(figure, Figure) and not figure.text.strip("0.")
        if nothing:
            self.used += apart.used
            self.matter += apart.matter
        return nothing

    def _divided(self, above: tree.Tree, below: tree.Tree, at: At) -> FigureOrMath:
        before = len(self.matter)
        a = self.write(above, at)
        b = self.write(below, at)
        if isinstance(below, tree.Entry) and below.places and isinstance(a, Figure) and isinstance(b, Figure):
            self.is_faint = self.is_faint or (not self.clearly and is_faint(b) and below.name not in self.shown)
            # However b was rounded, 0/b is 0 and b/b is 1.
            zero = a.exact and not a.text.strip("-0.")
            if below.name in self.figured.with_lines and (zero or a.text == b.text):
                del self.matter[before:]
        return IN_FIGURES["div"](a, b)

    def _extreme(self, function: str, one: tree.Tree, other: tree.Tree, at: At) -> FigureOrMath:
        """Write max(0, x): a number that is certainly the smaller one does not matter, however it was rounded."""
        before = len(self.matter)
        a = self.write(one, at)
        middle = len(self.matter)
        b = self.write(other, at)
        of_a, of_b = self.matter[before:middle], self.matter[middle:]
        (low, high), (least, most) = (_bounds(each) for each in (a, b))
        a_is_larger, b_is_larger = low >= most, least >= high
        if function == "min":
            a_is_larger, b_is_larger = b_is_larger, a_is_larger
        self.matter[before:] = of_a if a_is_larger else of_b if b_is_larger else [*of_a, *of_b]
        return IN_FIGURES[function](a, b)


def _is_zero(given: Any) -> bool:
    """Return True if a parameter is 0, or a row of zeros."""
    return given == 0 or isinstance(given, ZeroMatrix)


def _bounds(piece: FigureOrMath) -> tuple[Any, Any]:
    """Return a lower and an upper bound of a piece, from its figure if it has one."""
    figure = piece
    if not isinstance(figure, Figure):
        figure = Figure.written(figure.text if isinstance(figure, Number) else "", True)
    is_negative, number = figure.text.startswith("-"), figure.number
    if figure.text.endswith("oo"):
        return (-inf, -inf) if is_negative else (inf, inf)
    if number is None or ("^" in figure.text and not figure.exact):
        return -inf, 0 if is_negative else inf
    value = Rational(int(number.p), int(number.q))
    off = 0 if figure.exact else Rational(1, 2 * 10**figure.places)
    return value - off, value + off
