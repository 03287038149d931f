"""How an entry, and what its row shares, come about in figures: derived from the equations of an operation.

An equation is written with figures in place of entries: ``=`` where every figure in it is exact, else ``≈``. A number
that the equations name has a line before the entry where something is added up, μ_1 = (… + …)/4 = 0.5; where nothing is
it is a link of the entry's own line, x/√(0.5 + ε) = x/0.71 = … What only moves entries says which entry it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction as Rational
from functools import singledispatch
from math import inf
from types import MappingProxyType
from typing import Any

from flint import arb
from sympy import Basic, Expr, MatrixSymbol
from sympy import Rational as SympyRational

from symattn.document.entries import entry
from symattn.document.exponentials import exact_row
from symattn.document.layer_entries import PHI
from symattn.document.math import Chain, Math, Number, Parens, Relation, Sign, seq
from symattn.document.named import named_in_letters
from symattn.document.notation import number
from symattn.document.pieces import FUNCTIONS, Piece, largest_of, of_figure, total
from symattn.document.working import LONGEST, Work, Written, clear, divisor_figure, is_faint, plain, relation
from symattn.equations.parts import ONE, rewritten, with_result
from symattn.equations.plan import COMPARED, exact, is_whole
from symattn.equations.read import read_operation
from symattn.equations.run import length
from symattn.equations.tree import (
    All,
    Call,
    Cases,
    Compare,
    Entry,
    Equation,
    Expression,
    Index,
    Over,
    Size,
    walk,
)
from symattn.equations.tree import Number as Figures
from symattn.errors import UndecidedError
from symattn.operations.node import applied_to, named, operation_of, parameters_of, sizes_of
from symattn.values.rounding import Figure, read_figure

At = Mapping[str, int]
"""Where the indices stand, from 1, and how long the axes are."""

NOTHING_TO_WORK: Mapping[type, str] = MappingProxyType({MatrixSymbol: "another name for what has been shown"})
"""What has neither equations nor a worked entry, and why. An operation whose equations write down nothing but numbers
by cases, as a mask does, is not among them: its general entry says them all."""


@singledispatch
def row_work(node: Basic, work: Work, i: int) -> tuple[Chain, ...]:
    """What all entries of row i share: the numbers that equations name and add something up for."""
    return worked_row(node, work, i) if operation_of(node) is not None else ()


@singledispatch
def entry_work(node: Basic, work: Work, i: int, j: int) -> Chain | None:
    """Entry (i, j), counted from 0, worked in figures; ``None`` where there is nothing to work."""
    if type(node) in NOTHING_TO_WORK:
        return None
    return worked_entry(node, work, i, j)


def worked_row(node: Basic, work: Work, i: int) -> tuple[Chain, ...]:
    """The lines of a row by the equations."""
    return _Worked(work, node).row_lines(i)


def worked_entry(node: Basic, work: Work, i: int, j: int) -> Chain | None:
    """The line of an entry by the equations."""
    if operation_of(node) is None:
        raise TypeError(f"no worked entry for {type(node).__name__}, which has no equations")
    return _Worked(work, node).entry_line(i, j)


def calculates(node: Basic) -> bool:
    """Whether the entries of a node are worked out: neither moved nor numbers that stand in its equations."""
    operation = operation_of(node)
    return operation is not None and any(
        not isinstance(each, Entry | Figures) for each in _branches(operation.result.body)
    )


def entry_by_entry(node: Basic) -> tuple[Basic, ...]:
    """The operands whose entry (i, j) is all that entry (i, j) of a node is made of."""
    operation = operation_of(node)
    if operation is None or not calculates(node) or len(operation.result.index) < 2:
        return ()
    pieces = [piece for each in operation.equations for piece in walk(each.body)]
    here = tuple(Index(letter) for letter in operation.result.index)
    entries = [piece for piece in pieces if isinstance(piece, Entry) and piece.places]
    alone = all(each.places == here for each in entries) and not any(isinstance(piece, Over) for piece in pieces)
    return tuple(node.operands) if alone else ()


def _branches(piece: Expression) -> tuple[Expression, ...]:
    """What a piece is, by cases."""
    return (*_branches(piece.then), *_branches(piece.otherwise)) if isinstance(piece, Cases) else (piece,)


class _Worked:
    """A node, what is given for its parameters, and the numbers that its equations name."""

    def __init__(self, work: Work, node: Basic) -> None:
        operation = operation_of(node)
        assert operation is not None
        self.work, self.node, self.operation = work, node, operation
        self.given = {parameter.name: arg for parameter, arg in parameters_of(node)}
        self.kinds = {parameter.name: parameter.kind for parameter in operation.parameters}
        self.sizes = {name: int(size) for name, size in sizes_of(node).items() if size.is_Integer}
        self.equations = {equation.name: equation for equation in operation.equations[:-1]}
        self.summed = {name for name, each in self.equations.items() if _has_a_line(each)}
        bodies = [piece for each in operation.equations for piece in walk(each.body)]
        below = [p.arguments[1] for p in bodies if isinstance(p, Call) and p.function == "div"]
        self.divisors = {piece.name for piece in below if isinstance(piece, Entry)}

    # -- figures ---------------------------------------------------------------------------------------------------

    def place(self, piece: Expression, at: At) -> int:
        """A row or column, from 0."""
        return int(exact(piece)(at)) - 1

    def source(self, piece: Entry, at: At) -> tuple[Any, int, int]:
        """The operand that an entry is of, its row and its column."""
        places = [self.place(each, at) for each in piece.places]
        row, column = places if len(places) == 2 else (0, places[0])
        return self.given[piece.name], row, column

    def named_at(self, piece: Entry, at: At) -> tuple[int, ...]:
        return tuple(self.place(each, at) for each in piece.places)

    def figure(self, name: str, places: tuple[int, ...], clearly: bool = False) -> Figure | None:
        """The figure of a number that an equation names; ``None`` where it is too large to be written."""
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
            return clear(self.work, node, i, j)
        if name in self.summed:
            return self.work.cells(node)[i][j]
        part, what = solution.part(node), f"{self.work.name}[{i + 1},{j + 1}]: {name}"

        def enclosures(bits: int) -> list[arb]:
            return [solution.enclosure(part, bits)[i, j]]

        def value(_: int) -> Expr | None:
            row = exact_row(self.work, node, i)
            return None if row is None else row[j]

        (figure,) = solution.numbers(enclosures, [what], value)
        return figure

    def is_line(self, name: str, places: tuple[int, ...]) -> bool:
        """Whether a named number has a line before the entry."""
        return name in self.summed and self.figure(name, places) is not None

    # -- cases -----------------------------------------------------------------------------------------------------

    def settled(self, piece: Expression, at: At) -> tuple[Expression, frozenset[Entry]]:
        """The branch that holds, and the entries whose figures said so."""
        asked: frozenset[Entry] = frozenset()
        while isinstance(piece, Cases):
            parts = piece.condition.parts if isinstance(piece.condition, All) else (piece.condition,)
            asked |= {p for part in parts for p in walk(part) if isinstance(p, Entry) and p.places}
            piece = piece.then if all(self.holds(part, at) for part in parts) else piece.otherwise
        return piece, asked

    def holds(self, condition: Compare, at: At) -> bool:
        """Whether a comparison holds, by what the figures leave no doubt of, else by a certified sign."""
        sign, left, right = condition.sign, condition.left, condition.right
        if is_whole(self.operation, left) and is_whole(self.operation, right):
            return bool(COMPARED[sign](exact(left)(at), exact(right)(at)))
        (low, high), (least, most) = (_bounds(Writer(self, at).write(each, at)) for each in (left, right))
        if low > most or high < least or low == high == least == most:
            return bool(COMPARED[sign](low, least))
        index = self.operation.result.index
        difference = Call("sub", (left, right))
        node = applied_to(with_result(self.operation, len(self.equations), difference, index, "side"), self.node)
        i, j = (*(at[letter] - 1 for letter in index), 0)[:2]
        # What cannot be told from 0 prints as 0, whichever case it is.
        return bool(COMPARED[sign](self.work.solution.known_signs(node)[i][j] or 0, 0))

    # -- lines -----------------------------------------------------------------------------------------------------

    def row_lines(self, i: int) -> tuple[Chain, ...]:
        lines: list[Chain] = []
        for name in self.equations:
            if name in self.summed:
                lines += self._lines_of(self.equations[name], i)
        return tuple(lines)

    def _lines_of(self, equation: Equation, i: int) -> Iterable[Chain]:
        """One line for a number of the row; of each column, or of the whole matrix, those that no row has said."""
        if equation.index == self.operation.result.index[:1]:
            return self._line(equation, (i,))
        if i and self.work.every:
            return ()
        if not equation.index:
            return self._line(equation, ())
        count = length(self.operation.range_of[equation.index[0]], self.sizes)
        shown = range(count) if count <= LONGEST else (*range(3), count - 1)
        lines = [line for k in shown for line in self._line(equation, (k,))]
        return lines if len(shown) == count else [*lines[:-1], Chain(Sign("⋮")), lines[-1]]

    def _line(self, equation: Equation, places: tuple[int, ...]) -> tuple[Chain, ...]:
        figure = self.figure(equation.name, places)
        if figure is None:
            return ()
        at = self.at(equation, places)
        clearly = is_faint(figure) and equation.name in self.divisors
        writer = Writer(self, at, clearly=clearly)
        if clearly:
            figure = self.figure(equation.name, places, clearly) or figure
        side = writer.write(equation.body, at)
        index = tuple(Number(str(place + 1)) for place in places)
        left = named_in_letters(self.node, equation, self.work.letters, index)
        last = relation([*writer.matter, figure])
        return (Chain(left, ((relation(writer.used), side.math), (last, plain(figure)))),)

    def at(self, equation: Equation, places: tuple[int, ...]) -> At:
        return {**self.sizes, **{letter: place + 1 for letter, place in zip(equation.index, places, strict=True)}}

    def entry_line(self, i: int, j: int) -> Chain | None:
        result = self.operation.result
        if all(map(_is_as_it_stands, _branches(result.body))):
            return None
        across = len(result.index) == 1 and self.operation.shape[0] == ONE != self.operation.shape[1]
        at = self.at(result, ((i, j) if not across else (j,))[: len(result.index)])
        body, asked = self.settled(result.body, at)
        left, value = self.work.left(i, j), self.work.result(i, j)
        if isinstance(body, Entry) and body.name in self.given:
            return self._moved(body, at, left, value, asked)
        if isinstance(body, Figures):
            return Chain(left, (("=", Writer(self, at).write(body, at).math),))
        return _chain(left, value, self._links(body, at))

    def _moved(self, body: Entry, at: At, left: Math, value: Figure, asked: frozenset[Entry]) -> Chain:
        """y = x_{23} = 0.5"""
        if not body.places:
            return Chain(left, (("=", plain(value)),))
        operand, i, j = self.source(body, at)
        if body in asked:
            # Its figure has been looked at: it is the result.
            return Chain(left, ((relation([self.work.cells(operand)[i][j], value]), plain(value)),))
        source = entry(operand, self.work.letters, Number(str(i + 1)), Number(str(j + 1)), ())
        return Chain(left, (("=", source), (relation([value]), plain(value))))

    def _links(self, body: Expression, at: At) -> list[tuple[Math, Writer]]:
        """The entry with everything put in, then with one named number after the other as its figure."""
        links: list[tuple[Math, Writer]] = []
        shown: set[str] = set()
        for name in ("", *self.equations):
            if name in self.summed or (name and not self._is_written(body, name, at)):
                continue
            shown.add(name)
            writer = Writer(self, at, frozenset(shown))
            piece = writer.write(body, at)
            if writer.mixes:
                writer = replace(writer.again(), in_roots=True)
                piece = writer.write(body, at)
            if writer.is_faint:
                writer = replace(writer.again(), clearly=True)
                piece = writer.write(body, at)
            if piece.figure is None and piece.math not in [math for math, _ in links]:
                links.append((piece.math, writer))
        return links

    def _is_written(self, body: Expression, name: str, at: At) -> bool:
        """Whether the entry has a number of that name, and it can be written down."""
        writer = Writer(self, at, frozenset({name}))
        writer.write(body, at)
        return bool(writer.met) and all(self.figure(name, places) is not None for places in writer.met)


@dataclass
class Writer:
    """Writes a piece of an equation in figures, and notes them."""

    worked: _Worked
    at: At
    shown: frozenset[str] = frozenset()
    """The named numbers without a line that stand as figures."""
    clearly: bool = False
    """Whether figures that begin with zeros are written by their first digits."""
    in_roots: bool = False
    """Whether numbers of the formula stay what they are: beside letters nothing is rounded, √2 stays √2."""
    used: list[Figure] = field(default_factory=list)
    matter: list[Figure] = field(default_factory=list)
    """Those of them that the result depends on: of max(0, −0.33) nothing does."""
    met: set[tuple[int, ...]] = field(default_factory=set)
    """Where the named numbers of ``shown`` stand."""
    is_faint: bool = False
    """Whether something is divided by a figure that begins with zeros."""
    rounded: bool = False

    @property
    def mixes(self) -> bool:
        """Whether a number of the formula was rounded beside a closed form."""
        return self.rounded and not self.in_roots and any(isinstance(figure, Written) for figure in self.used)

    def again(self) -> Writer:
        """The same without notes."""
        return Writer(self.worked, self.at, self.shown, self.clearly, self.in_roots)

    def write(self, piece: Expression, at: At) -> Piece:
        """A piece, with every index at its place."""
        match piece:
            case Figures():
                return Piece(number(SympyRational(piece.value.numerator, piece.value.denominator)))
            case Index(name) | Size(name):
                return Piece(Number(str(at[name])))
            case Entry(name, ()) if name in self.worked.given:
                return self._parameter(name)
            case Entry():
                return self._entry(piece, at)
            case Call("add" | "sub", (one, Entry(name, ()))) if self.worked.given.get(name) == 0:
                return self.write(one, at)
            case Call("div", (above, below)):
                return self._divided(above, below, at)
            case Call("max" | "min" as function, (one, other)):
                return self._extreme(function, one, other, at)
            case Call(function, arguments):
                return FUNCTIONS[function](*(self.write(each, at) for each in arguments))
            case Over():
                return self._over(piece, at)
            case Cases():
                return self.write(self.worked.settled(piece, at)[0], at)
        raise TypeError(f"{type(piece).__name__} is not written in figures")

    def _noted(self, figure: Figure) -> Piece:
        self.used.append(figure)
        self.matter.append(figure)
        return of_figure(figure)

    def _parameter(self, name: str) -> Piece:
        worked = self.worked
        if worked.kinds[name] != "number":
            return Piece(number(worked.given[name]))
        value = worked.work.solution.number(worked.given[name]).doit()
        figure = divisor_figure(worked.work.solution, value)
        small = value.is_Rational and figure.text.lstrip("-").startswith("0.00")
        if small or (self.in_roots and not figure.exact):
            return Piece(number(value))  # ε is written as 10⁻⁵
        self.rounded = self.rounded or not figure.exact
        return self._noted(figure)

    def _entry(self, piece: Entry, at: At) -> Piece:
        worked, name = self.worked, piece.name
        if name in worked.given:
            operand, i, j = worked.source(piece, at)
            figure = clear(worked.work, operand, i, j) if self.clearly else worked.work.cells(operand)[i][j]
            return self._noted(figure)
        places = worked.named_at(piece, at)
        if name in self.shown or worked.is_line(name, places):
            self.met |= {places} if name in self.shown else set()
            figure_or_none = worked.figure(name, places, self.clearly)
            return Piece(Number("…")) if figure_or_none is None else self._noted(figure_or_none)
        equation = worked.equations[name]
        inside = worked.at(equation, places)
        of = normal_share_of(equation.body)
        if of is not None:
            return Piece(seq(PHI, Parens(self.write(of, inside).math)))
        return self.write(equation.body, inside)

    def _over(self, piece: Over, at: At) -> Piece:
        pieces = [self.write(body, here) for body, here in self._terms(piece, at) if not self._is_nothing(body, here)]
        return total(pieces) if piece.kind == "sum" else largest_of(pieces)

    def _terms(self, piece: Over, at: At) -> Iterator[tuple[Expression, At]]:
        """What is added up, also in sums inside sums, each at its places."""
        for k in range(1, length(self.worked.operation.range_of[piece.index], self.worked.sizes) + 1):
            here, body = {**at, piece.index: k}, piece.body
            if isinstance(body, Over) and body.kind == piece.kind:
                yield from self._terms(body, here)
            else:
                yield body, here

    def _is_nothing(self, piece: Expression, at: At) -> bool:
        """0 ln 0 adds nothing, and ln 0 is no number to show; its figure counts for what is exact."""
        if not (isinstance(piece, Call) and piece.function == "xlogx"):
            return False
        apart = self.again()
        figure = apart.write(piece.arguments[0], at).figure
        nothing = figure is not None and not figure.text.strip("0.")
        if nothing:
            self.used += apart.used
            self.matter += apart.matter
        return nothing

    def _divided(self, above: Expression, below: Expression, at: At) -> Piece:
        before = len(self.matter)
        a, b = self.write(above, at), self.write(below, at)
        if isinstance(below, Entry) and below.places and a.figure is not None and b.figure is not None:
            self.is_faint = self.is_faint or (not self.clearly and is_faint(b.figure) and below.name not in self.shown)
            # However b was rounded, 0/b is 0 and b/b is 1.
            zero = a.figure.exact and not a.figure.text.strip("-0.")
            if below.name in self.worked.summed and (zero or a.figure.text == b.figure.text):
                del self.matter[before:]
        return FUNCTIONS["div"](a, b)

    def _extreme(self, function: str, one: Expression, other: Expression, at: At) -> Piece:
        """max(0, x): what is certainly the smaller one does not matter, however it was rounded."""
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
        return FUNCTIONS[function](a, b)


def _chain(left: Math, value: Figure, links: list[tuple[Math, Writer]]) -> Chain:
    """left = side = … = result: each side with the figures that are new in it; after the first ≈ nothing is exact."""
    sides: list[tuple[Relation, Math]] = []
    used: list[Figure] = []
    matter: list[Figure] = []
    for math, writer in links:
        used += writer.used
        matter += writer.matter
        if math != plain(value):
            sides.append((relation(used), math))
    return Chain(left, (*sides, (relation([*matter, value]), plain(value))))


def _is_as_it_stands(piece: Expression) -> bool:
    """Whether a piece is a number of the equations, the same for all entries: 0, −∞, one that is given."""
    return not any(isinstance(each, Index | Over) for each in walk(piece))


def _has_a_line(equation: Equation) -> bool:
    """Whether a number is one of a row, a column or the whole, and something is added up or looked for in it."""
    return len(equation.index) < 2 and any(isinstance(piece, Over) for piece in walk(equation.body))


_NORMAL_SHARE = read_operation("share(X)\n y[i,j] = (1 + erf(X[i,j] / sqrt(2))) / 2").result.body


def normal_share_of(body: Expression) -> Expression | None:
    """x where a number is Φ(x), the share of the normal distribution below it; else ``None``."""
    entries = {piece for piece in walk(body) if isinstance(piece, Entry)}
    usual = Entry("X", (Index("i"), Index("j")))
    if len(entries) != 1 or rewritten(body, lambda each: usual if isinstance(each, Entry) else each) != _NORMAL_SHARE:
        return None
    return entries.pop()


def _bounds(piece: Piece) -> tuple[Any, Any]:
    """What a piece can be, by the figure that it is; anything else may be whatever there is."""
    text = piece.figure.text if piece.figure is not None else piece.math.text if isinstance(piece.math, Number) else ""
    if text.endswith("oo"):
        return (-inf, -inf) if text.startswith("-") else (inf, inf)
    read, is_exact = read_figure(text), piece.figure is None or piece.figure.exact
    if read is None or ("^" in text and not is_exact):
        return -inf, 0 if text.startswith("-") else inf
    value = Rational(int(read[0].p), int(read[0].q))
    off = 0 if is_exact else Rational(1, 2 * 10 ** read[1])
    return value - off, value + off
