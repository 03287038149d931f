"""Write the general entry of a formula: q_{ij} = Σ_k x_{ik} w_{kj}, with letters that never collide.

Matrix products and sums have rules here; everything else follows from the equations of its operation. Cases are written
as comparisons, combined to ranges such as 2 < j ≤ 4.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import singledispatch
from types import MappingProxyType
from typing import Any

from sympy import Basic, Expr, Integer, MatAdd, MatMul, MatPow, MatrixSymbol, OneMatrix, Symbol

from symattn import operations as ops
from symattn.operations.entry import value_of as value_of
from symattn.operations.equations import tree
from symattn.operations.equations.parts import ZERO, rewritten
from symattn.operations.equations.tree import NamedEquation, Operation, Tree, walk
from symattn.operations.masks import Mask
from symattn.operations.node import Applied, given_of, operation_of, record_of
from symattn.show.entries.equation_writer import At, EquationWriter, places_at, term_count
from symattn.show.entries.letters import Letters as Letters
from symattn.show.entries.letters import entry_of, subscripts, word_and_power
from symattn.show.entries.naming import is_by_cases, is_called, is_function, is_in_figures, on_the_page
from symattn.show.math import (
    Bars,
    Call,
    Cases,
    Chain,
    Fraction,
    Letter,
    Math,
    Number,
    Parens,
    Relation,
    Script,
    Seq,
    Sign,
    Sum,
    added,
    joined,
    multiplied,
    seq,
)
from symattn.show.notation.calls import at_row, call_name, is_by_rows
from symattn.show.notation.figures import FigureOrMath, figure_in_a_line
from symattn.show.notation.formulas import (
    Names,
    by_rule,
    factors_before,
    formula,
    notation,
    number,
    shortened_by,
)
from symattn.show.notation.numerals import shifted
from symattn.show.notation.terms import FUNCTIONS, closed, factor, is_product, minus, negative, one_term, powered

OPPOSITE: Mapping[Relation, Relation] = MappingProxyType({"<": "≥", "≥": "<", ">": "≤", "≤": ">", "=": "≠", "≠": "="})
TURNED: Mapping[Relation, Relation] = MappingProxyType({"<": ">", ">": "<", "≤": "≥", "≥": "≤", "=": "=", "≠": "≠"})
"""The sign of a comparison after its sides are swapped."""

_STRICT: Mapping[Relation, Relation] = MappingProxyType({"≤": "<", "≥": ">"})


@dataclass(frozen=True)
class Compared:
    """A comparison of two pieces; ``value`` is the right one if it is a number."""

    left: Math
    sign: Relation
    right: Math
    value: Expr | None = None

    @property
    def written(self) -> Math:
        if self.sign in ("≤", ">") and isinstance(self.left, Letter) and isinstance(self.right, Letter):
            return seq(self.left, Sign(self.sign), self.right)  # no space around the sign between two letters
        return Chain(self.left, ((self.sign, self.right),))


@dataclass(frozen=True)
class Condition:
    """Comparisons that all hold, or of which at least one does if ``any`` is True."""

    parts: tuple[Compared, ...]
    any: bool = False

    @property
    def opposite(self) -> Condition:
        """The condition that holds where this one does not."""
        parts = tuple(replace(part, sign=OPPOSITE[part.sign]) for part in self.parts)
        return Condition(parts, not self.any and len(parts) > 1)


def together(conditions: Sequence[Condition]) -> Math:
    """Write that all of these conditions hold."""
    parts = [part for each in conditions if not each.any for part in each.parts]
    lefts = dict.fromkeys(part.left for part in parts)
    written: list[Math] = []
    for left in lefts:
        written += _of_one([part for part in parts if part.left == left])
    choices = [joined([part.written for part in each.parts], "∨") for each in conditions if each.any]
    alone = len(choices) + len(written) == 1
    return joined([*written, *(choice if alone else Parens(choice) for choice in choices)], ",")


def _of_one(parts: list[Compared]) -> list[Math]:
    """Write the comparisons of one piece: the range that it is in."""
    equal = [part for part in parts if part.sign == "="]
    if equal:
        return [part.written for part in equal]
    others = [part for part in parts if part.sign == "≠"]
    # At most A and not A means below A.
    beyond = {part: replace(part, sign=_STRICT[part.sign]) for part in parts if part.sign in _STRICT}
    ends = [part for part in beyond if any(part.right == other.right for other in others)]
    parts = [beyond[part] if part in ends else part for part in parts]
    others = [part for part in others if not any(part.right == end.right for end in ends)]
    low, high = (_tightest(parts, signs) for signs in (("≥", ">"), ("≤", "<")))
    if len(low) == len(high) == 1:
        first, last = low[0], high[0]
        between = Chain(first.right, ((TURNED[first.sign], first.left), (last.sign, last.right)))
        return [between, *(part.written for part in others)]
    return [part.written for part in (*low, *high, *others)]


def _tightest(parts: Iterable[Compared], signs: tuple[Relation, Relation]) -> list[Compared]:
    """Return the bounds on one side, without redundant ones. Of ``signs``, the second excludes its end."""
    found = [part for part in dict.fromkeys(parts) if part.sign in signs]
    return [one for one in found if not any(_makes_needless(other, one, signs) for other in found if other != one)]


def _makes_needless(other: Compared, one: Compared, signs: tuple[Relation, Relation]) -> bool:
    if other.value is None or one.value is None:
        return False
    further = other.value - one.value if signs[0] == "≥" else one.value - other.value
    return bool(further.is_positive) or (further == 0 and other.sign == signs[1])


@singledispatch
def entry(node: Basic, letters: Letters, i: Math, j: Math, bound: tuple[str, ...]) -> Math:
    """Write entry (i, j) of a formula by its equations, or as its name with indices: for cases, and sums in figures."""
    operation = operation_of(node)
    if operation is None:
        raise TypeError(f"no entry rule for {type(node).__name__}")
    if isinstance(i, Number) and isinstance(j, Number) and (listed := ops.numbers_listed(node)) is not None:
        return number(listed[int(i.text) - 1][int(j.text) - 1])
    if isinstance(i, Number) and isinstance(j, Number) and (grid := ops.grid_of(node)) is not None:
        return entry(grid[int(i.text) - 1][int(j.text) - 1], letters, Number("1"), Number("1"), bound)
    if is_called(operation):
        return notation(node, letters.names, lambda inner: entry(inner, letters, i, j, bound))
    if is_by_cases(operation):
        return entry_of(node, _known_as(node, letters.names), i, j)
    if letters.in_figures and _adds_up(operation, operation.result) and not _is_said_at_once(node, operation):
        if is_by_rows(node) and node.shape[1] == 1 != node.shape[0]:
            return at_row(node, i, letters.names, lambda inner: formula(inner, letters.names))
        return entry_of(node, formula(node, letters.names), i, j)
    return whole_entry(node, letters, i, j, bound)


def _is_said_at_once(node: Basic, operation: Operation) -> bool:
    """Return True if an entry is only one sum, or the largest of a row: max_k x_{1k}."""
    of_rows = len(operation.result.index) == 1 and node.shape[0] != 1 and not on_the_page(operation)
    return of_rows or isinstance(node, ops.Dot | ops.RowNorm)


def _adds_up(operation: Operation, equation: NamedEquation) -> bool:
    """Return True if the equations of a number have a sum or a maximum."""
    return next(_bound_in(operation, equation, ()), None) is not None


def _known_as(node: Basic, names: Names) -> Math:
    """Return the name whose entries are by cases: concat(A, B), or only mask, PE_100 if its arguments are numbers."""
    if isinstance(node, Mask):
        return Letter(call_name(node), "upright")
    written = formula(node, names)
    if not isinstance(written, Call) or isinstance(node, Applied) or node.operands:
        return written
    name = Letter(written.function, "upright")
    return name if written.sub is None else Script(name, sub=written.sub)


@entry.register
def _(node: MatrixSymbol, letters: Letters, i: Math, j: Math, bound: tuple[str, ...]) -> Math:
    return letters.entry(node.name, i, j)


@entry.register
def _(node: MatMul, letters: Letters, i: Math, j: Math, bound: tuple[str, ...]) -> Math:
    scalars = [arg for arg in node.args if not arg.is_Matrix]
    matrices = [arg for arg in node.args if arg.is_Matrix]
    front = factors_before(scalars, number)
    adds_up = any(matrix.shape[1] != 1 for matrix in matrices[:-1])
    alone = sum(not isinstance(matrix, OneMatrix) for matrix in matrices) == 1
    if letters.in_figures and adds_up and not alone:
        product = MatMul(*matrices, evaluate=False)
        return multiplied(*front, entry_of(product, formula(product, letters.names), i, j))
    sums: list[tuple[Math, Basic]] = []
    places: list[Math] = [i]
    for matrix in matrices[:-1]:
        if matrix.shape[1] == 1:
            places.append(Number("1"))  # a sum of one term is that term
            continue
        name = letters.bound(*bound)
        bound = (*bound, name)  # before any factor is written: the sums go around all of them
        places.append(Letter(name))
        sums.append((Letter(name), matrix.shape[1]))
    factors: list[Math] = []
    for position, matrix in enumerate(matrices):
        last = position == len(matrices) - 1
        inner = entry(matrix, letters, places[position], j if last else places[position + 1], bound)
        if not isinstance(matrix, OneMatrix):
            loose = (isinstance(inner, Seq) and not is_product(inner)) or (isinstance(inner, Sum) and not last)
            factors.append(Parens(inner) if loose and not alone else one_term(inner) if front else inner)
    if not factors and not sums and front not in ([], [Sign("-")]):
        return seq(*front)  # a number times a matrix of ones
    body = multiplied(*factors) if factors else Number("1")
    for index, upper in reversed(sums):
        body = Sum(index, Number("1"), number(upper), body)
    return multiplied(*front, body)


@entry.register
def _(node: MatAdd, letters: Letters, i: Math, j: Math, bound: tuple[str, ...]) -> Math:
    *terms, last = (entry(arg, letters, i, j, bound) for arg in node.args)
    return added(*map(closed, terms), last)


@entry.register
def _(node: MatPow, letters: Letters, i: Math, j: Math, bound: tuple[str, ...]) -> Math:
    if letters.in_figures:
        return entry_of(node, formula(node, letters.names), i, j)
    return entry(MatMul(*[node.base] * int(node.exp), evaluate=False), letters, i, j, bound)


# -- what people write in a way of their own ----------------------------------------------------------------------


@entry.register
def _(node: ops.ClipNorm, letters: Letters, i: Math, j: Math, bound: tuple[str, ...]) -> Math:
    return seq(factor(entry(node.argument, letters, i, j, bound)), Sign("·"), shortened_by(node, letters.names))


# -- what equations say -------------------------------------------------------------------------------------------


def whole_entry(node: Basic, letters: Letters, i: Math, j: Math, bound: tuple[str, ...] = ()) -> Math:
    """Write out entry (i, j) of an operation by its equations."""
    equation = _operation(node).result
    return right_side(node, equation, letters, places_in(node, equation, i, j), bound)


def _operation(node: Basic) -> Operation:
    operation = operation_of(node)
    assert operation is not None
    return operation


def places_in(node: Basic, equation: NamedEquation, i: Math, j: Math) -> tuple[Math, ...]:
    """Return the values of an equation's indices in row i and column j; an index with only one value is 1."""
    operation, given = _operation(node), given_of(node)
    places = zip(equation.index, places_at(operation, equation, i, j), strict=True)
    return tuple(Number("1") if value_of(operation.range_of[index], given) == 1 else place for index, place in places)


def right_side(
    node: Basic,
    equation: NamedEquation,
    letters: Letters,
    places: Sequence[Math],
    bound: tuple[str, ...] = (),
    argument: Math | None = None,
) -> Math:
    """Write the right side of an operation's equation at these places; ``argument`` replaces the only entry it has."""
    operation, given, own = _operation(node), given_of(node), dict[str, str]()
    for index in dict.fromkeys(_bound_in(operation, equation, on_the_page(operation))):
        if value_of(operation.range_of[index], given) != 1:  # a sum of one term is that term
            own[index] = letters.bound(*bound, *own.values())
    writer = LetterWriter(node, operation, given, letters, own, (*bound, *own.values()), argument)
    return writer(equation.body, dict(zip(equation.index, places, strict=True)))


def _bound_in(operation: Operation, equation: NamedEquation, apart: Sequence[str]) -> Iterator[str]:
    """Yield the indices of the sums in an equation, and in those substituted into it, which are not ``apart``."""
    for piece in walk(equation.body):
        if isinstance(piece, tree.Over):
            yield piece.index
        elif isinstance(piece, tree.Entry) and piece.name not in apart:
            for other in operation.equations:
                if other.name == piece.name:
                    yield from _bound_in(operation, other, apart)


def number_named(
    node: Basic,
    name: str,
    letters: Letters,
    places: Sequence[Math],
    bound: tuple[str, ...] = (),
    argument: Math | None = None,
) -> Math:
    """Write a named number as on the page: μ_i, σ_i², Φ(x_{ij}); if it has no name there, write its equation.

    An only row needs no index: μ_i, μ, and μ_{2,i} beside another norm.
    """
    if isinstance(node, ops.ClipNorm):
        return Bars(formula(node.argument, letters.names), double=True)
    operation = _operation(node)
    equation = operation.equation(name)
    if name not in on_the_page(operation):
        return right_side(node, equation, letters, places, bound, argument)
    word, power = word_and_power(name)
    symbol, which = by_rule(letters.names.letters.helper(word)), letters.which(node, name)
    if is_function(operation, name):
        of = argument or entry(node.operands[0], letters, places[0], places[1], bound)
        return seq(Script(symbol, sub=which[0]) if which else symbol, Parens(of))
    sizes = [value_of(operation.range_of[letter], given_of(node)) for letter in equation.index]
    kept = [place for place, size in zip(places, sizes, strict=True) if size != 1]
    below: list[Math] = [*which, *([subscripts(kept[0], kept[1])] if len(kept) == 2 else kept)]
    if isinstance(symbol, Script) and symbol.sub is not None:
        below = [symbol.sub, *below]
        symbol = symbol.base
    named: Math = Script(symbol, sub=joined(below, ",")) if below else symbol
    return powered(named, Number(power)) if power else named


@dataclass
class LetterWriter(EquationWriter):
    """Writes the pieces of an equation in letters."""

    node: Basic
    operation: Operation
    given: Mapping[str, Any]
    letters: Letters
    own: Mapping[str, str]
    """The letter of each bound index."""
    bound: tuple[str, ...]
    argument: Math | None
    around: frozenset[str] = frozenset()
    """The letters of the sums around a piece."""
    functions = FUNCTIONS

    def __call__(self, piece: Tree, at: At) -> Math:
        return figure_in_a_line(self.write(piece, at))

    def operand(self, name: str, places: tuple[Math, ...]) -> Math:
        i, j = places if len(places) == 2 else (Number("1"), places[0])
        return self.argument or entry(self.given[name], self.letters, i, j, self.bound)

    def named(self, name: str, places: tuple[Math, ...]) -> FigureOrMath:
        if name in on_the_page(self.operation):
            return number_named(self.node, name, self.letters, places, self.bound, self.argument)
        return super().named(name, places)

    def place(self, piece: Tree, at: At) -> Math:
        if isinstance(piece, tree.Index):
            found: Math = at[piece.name]
            return found  # the first difference of two letters makes SymPy import half of itself
        known: dict[str, Any] = {}
        for name, math in at.items():
            known[name] = Integer(math.text) if isinstance(math, Number) else Symbol(f"{name}!")
        sizes = rewritten(piece, lambda each: tree.Length(each.name) if isinstance(each, tree.Index) else each)
        value = value_of(sizes, {**self.given, **known})  # type: ignore[arg-type]
        letters = [name for name, symbol in known.items() if value.has(symbol) and isinstance(symbol, Symbol)]
        if not letters:
            return number(value)
        index, further, whole = known[letters[0]], value - known[letters[0]], value + known[letters[0]]
        if not further.has(*map(known.get, letters)):
            return shifted(at[letters[0]], further)
        return self(piece, at) if whole.has(index) else minus(number(whole), at[letters[0]])

    def call(self, piece: tree.Apply, at: At) -> FigureOrMath:
        if is_in_figures(piece, at):
            return self.place(piece, at)
        match piece:
            case tree.Apply("div", (tree.Over() as over, tree.Length() | tree.Constant() as below)):
                return seq(Fraction(Number("1"), self(below, at)), self(over, at))
            case tree.Apply("mul" | "div" as function, (tree.Apply("neg", (inner,)), other)):
                return negative(figure_in_a_line(self.call(tree.Apply(function, (inner, other)), at)))
        return super().call(piece, at)

    def over(self, piece: tree.Over, at: At, word: str) -> Math:
        length, body = self.length(piece), piece.body
        if length == 1:
            # The maximum of one number, and a sum of one term, is that number.
            return self(body, {**at, piece.index: Number("1")})
        if isinstance(body, tree.Over) and self.length(body) == 1:
            at, body = {**at, body.index: Number("1")}, body.body
        name = self.own[piece.index]
        if name in self.around:
            # An equation substituted into a sum may have a sum with the same letter.
            name = self.letters.bound(*self.bound)
        bound = self.bound if name in self.bound else (*self.bound, name)
        inside = replace(self, bound=bound, around=self.around | {name})
        k = Letter(name)
        term = inside(body, {**at, piece.index: k})
        if piece.kind == "max":
            return over_all(word, k, self.node, length, term)
        return Sum(k, Number("1"), number(length), one_term(term))

    def length(self, piece: tree.Over) -> Expr:
        return term_count(self.operation, self.given, piece)

    def branch(self, piece: tree.Branch, at: At) -> Cases:
        """Write each value with its condition, given that those before it do not hold."""
        branches: list[tuple[Math, Math]] = []
        before: list[Condition] = []
        rest: Tree = piece
        while isinstance(rest, tree.Branch):
            here = self.condition(rest.condition, at)
            branches.append((self(rest.then, at), together([*before, here])))
            before.append(here.opposite)
            rest = rest.otherwise
        record = record_of(self.node)
        if record is not None and any(parameter.many for parameter in record.parameters):
            # The last block ends where the result does.
            last = before[-1].parts[0]
            end = self.operation.shape[0 if last.left == at[self.operation.result.index[0]] else 1]
            reach = value_of(end, self.given)
            before.append(Condition((Compared(last.left, "≤", number(reach), reach),)))
        return Cases((*branches, (self(rest, at), together(before))))

    def condition(self, condition: tree.Compare | tree.All, at: At) -> Condition:
        if isinstance(condition, tree.All):
            return Condition(tuple(self.comparison(part, at) for part in condition.parts))
        return self.of_mask(condition, at) or Condition((self.comparison(condition, at),))

    def comparison(self, piece: tree.Compare, at: At) -> Compared:
        left, right, sign = piece.left, piece.right, _RELATIONS[piece.sign]
        bare = isinstance(right, tree.Index) and not isinstance(left, tree.Index)
        if bare or (self.value(left) is not None and self.value(right) is None):
            left, right, sign = right, left, TURNED[sign]
        value = self.value(right)
        return Compared(self(left, at), sign, self(right, at) if value is None else number(value), value)

    def value(self, piece: Tree) -> Expr | None:
        """Return the value of a piece as a number, if it is the same for all entries."""
        for inside in walk(piece):
            named = isinstance(inside, tree.Entry) and (inside.places or inside.name not in self.given)
            if named or isinstance(inside, tree.Index | tree.Over):
                return None
        return value_of(piece, self.given)

    def of_mask(self, piece: tree.Compare, at: At) -> Condition | None:
        """Return the condition for an entry of a mask to be 0, from the mask's own cases."""
        mask = self.given.get(piece.left.name) if isinstance(piece.left, tree.Entry) else None
        operation = None if mask is None else operation_of(mask)
        if mask is None or operation is None or piece.sign != "==" or piece.right != ZERO or mask.operands:
            return None
        body = operation.result.body
        if not isinstance(body, tree.Branch) or body.then != ZERO:
            return None
        places = [self.place(place, at) for place in piece.left.places]  # type: ignore[union-attr]
        writer = LetterWriter(mask, operation, given_of(mask), self.letters, {}, self.bound, None)
        return writer.condition(body.condition, dict(zip(operation.result.index, places, strict=True)))


_RELATIONS: Mapping[tree.CompareSign, Relation] = {"<": "<", "<=": "≤", "==": "=", "!=": "≠", ">": ">", ">=": "≥"}


def over_all(word: str, k: Letter, node: Basic, length: Expr, body: Math) -> Math:
    """Write max_k x_{ik} over all columns of X; for a formula, also their number: max_{k≤3} |i − k|."""
    names = all(isinstance(operand, MatrixSymbol) for operand in node.args if operand.is_Matrix)
    below = k if names else seq(k, Sign("≤"), number(length))
    return seq(Script(Letter(word, "upright"), sub=below), one_term(body))


def dot_term(node: ops.Dot, letters: Letters, i: Math, j: Math, k: Math) -> Math:
    """Write x_{ik} y_{jk}, one term of a dot product."""
    equation = _operation(node).result
    assert isinstance(equation.body, tree.Over)
    term = NamedEquation("term", (*equation.index, equation.body.index), equation.body.body)
    return right_side(node, term, letters, (*places_in(node, equation, i, j), k))
