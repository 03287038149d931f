"""Write the entries of a proof: SymPy trees in the order they are built in, with letters that never collide."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from sympy import (
    Add,
    Basic,
    Expr,
    Integer,
    KroneckerDelta,
    MatrixSymbol,
    Sum,
    Symbol,
    cos,
    sin,
)
from sympy.core.function import AppliedUndef
from sympy.matrices.expressions.matexpr import MatrixElement

from symattn.base.errors import RenderError
from symattn.compute.proof.canon import key
from symattn.compute.proof.derivative import PartialDerivative
from symattn.compute.proof.rules import PAIR
from symattn.compute.proof.tree import Largest, PairFrequency, Same, Truth, factors, mul, nested_sums, walk
from symattn.compute.proof.variance import EXPECTATION
from symattn.operations.node import operation_of
from symattn.operations.records import node_named
from symattn.show.entries.letters import Letters, indexed, subscripts
from symattn.show.entries.nodes import number_named
from symattn.show.entries.positions import frequency_letters, frequency_of
from symattn.show.math import (
    EULER,
    KRONECKER,
    Accented,
    Call,
    Chain,
    Fraction,
    Grid,
    Letter,
    Math,
    Number,
    Parens,
    Root,
    Script,
    Sign,
    added,
    derivative,
    equation,
    joined,
    seq,
)
from symattn.show.math import Sum as SumOf
from symattn.show.notation.bases import at_letter
from symattn.show.notation.formulas import formula, number
from symattn.show.notation.letters import PageLetters
from symattn.show.notation.numerals import ScalarWriter
from symattn.show.notation.terms import one_term


@dataclass(frozen=True)
class Trees(ScalarWriter):
    """Writes the trees of one proof, with letters for matrices, the row and column, and bound indices."""

    letters: Letters
    indices: Mapping[Symbol, Math]
    waves: Mapping[tuple[Expr, Expr], str] = field(default_factory=dict)
    """The letter of the frequencies, for each base and width."""
    angles: Mapping[Expr, str] = field(default_factory=dict)
    """The letter of each angle of a single position."""
    named: Mapping[MatrixSymbol, tuple[Basic, str]] = field(default_factory=dict)
    """The named numbers on the way to an entry: the node of each, and its name in the operation."""

    @classmethod
    def of(
        cls,
        letters: Letters,
        lines: Iterable[Expr],
        named: Mapping[MatrixSymbol, tuple[Basic, str]] = MappingProxyType({}),
    ) -> Trees:
        """Choose a letter for every index in the lines; an index has the same letter in all of them."""
        lines = tuple(lines)
        page, real = letters.names.letters, frozenset(_any_real(lines))
        row, column = letters.indices
        free = {Symbol("i", integer=True): row, Symbol("j", integer=True): column}
        around: dict[Symbol, set[Symbol]] = {}
        for line in lines:
            for index, outer in _bound(line, ()):
                around.setdefault(index, set()).update(outer)
                for other in outer:
                    around.setdefault(other, set()).add(index)
        chosen: dict[Symbol, str] = {}
        for alike in _alike(lines, around):
            others = set().union(*(around[index] for index in alike))
            inside = {chosen[other] for other in others if other in chosen}
            purpose = "pair" if alike[0].name.startswith(PAIR) else "bound"
            chosen.update(dict.fromkeys(alike, page.bound(*inside, *real, purpose=purpose)))
        found = (node for line in lines for node in walk(line) if isinstance(node, PairFrequency))
        waves = frequency_letters(((node.base, node.width) for node in found), letters.names)
        angles = {angle: page.letter("angle", place).name for place, angle in enumerate(_angles(lines))}
        return cls(letters, {**free, **{index: Letter(name) for index, name in chosen.items()}}, waves, angles, named)

    def subscript(self, math: Math, row: Expr, column: Expr) -> Math:
        """Write entry (row, column) of what ``math`` writes; for a single number, the number itself."""
        places = [place for place in (row, column) if place != 0]
        i, j = self.letters.indices
        if isinstance(math, Script) and isinstance(math.base, Parens) and math.sub in (i, seq(i, j)):
            # Mathematics that describes every row, or every pair of rows, names its entry itself.
            inner, places = math.base.inner, [] if math.sub != i or len(places) == 1 else places[1:]
            return self._at(Parens(inner), places, inner)
        return self._at(at_letter(math, lambda of: of if isinstance(of, Letter) else Parens(of)), places, math)

    def _at(self, base: Math, indices: Sequence[Expr], alone: Math) -> Math:
        places = [self.place(place) for place in indices]
        if not places:
            return alone
        return indexed(base, (False, len(places) == 1), places[0], places[-1])

    def place(self, place: Expr) -> Math:
        """Write an index, or an expression of indices: k, j + 4, a + k, 2t − 1. On the page they count from 1."""
        return self._counted(place, 1)

    def _counted(self, node: Expr, more: int) -> Math:
        """Write a sum of indices, letters and ``more``, with indices that count from 1 instead of 0."""
        constant = Integer(more)
        parts: list[Math] = []
        for term in Add.make_args(node):
            count, letter = term.as_coeff_Mul()
            if letter == 1:
                constant += count
                continue
            if letter in self.indices:
                constant -= count
            inner = self.indices.get(letter) or self.write(letter)
            amount = () if abs(count) == 1 else (number(abs(count)),)
            parts.append(seq(*([Sign("-")] if count < 0 else []), *amount, inner))
        if constant != 0 or not parts:
            parts.append(number(constant))
        return added(*parts)

    def _counts(self, node: Expr) -> bool:
        """Return True if a value has an index among its terms: i, s + i, i − j."""
        return any(term.as_coeff_Mul()[1] in self.indices for term in Add.make_args(node))

    def write(self, value: Expr) -> Math:
        match value:
            case MatrixElement():
                return self._entry(value)
            case Symbol() | Add() if self._counts(value):
                return self._counted(value, 0)
            case PairFrequency():
                return frequency_of(self.place(value.pair), self.waves[value.base, value.width])
            case Sum():
                return self._total(value)
            case Largest():
                maximum = Script(Letter("max", "upright"), sub=self.place(value.bound[0]))
                return seq(maximum, one_term(self.write(value.args[0])))
            case KroneckerDelta():
                return Script(KRONECKER, sub=subscripts(*self._met(value)))
            case PartialDerivative():
                return derivative(*map(self.write, value.args))
            case Truth():
                return Script(Accented("bold", Number("1")), sub=self._compared(value))
            case AppliedUndef():
                return self._function(value)
            case cos() | sin() if value.args[0] in self.angles:
                return Call(value.func.__name__, (Letter(self.angles[value.args[0]]),))
        return super().write(value)

    def leaf(self, value: Expr) -> Math:
        """Write a number. Raises :class:`~symattn.base.errors.RenderError` for anything else."""
        if not value.is_number:
            raise RenderError(f"no notation for {type(value).__name__} in a proof")
        return number(value)

    def _entry(self, node: MatrixElement) -> Math:
        if node.parent in self.named:
            of, name = self.named[node.parent]
            operation = operation_of(of)
            assert operation is not None
            places = [self.place(node.i), self.place(node.j)]
            return number_named(of, name, self.letters, places[: len(operation.equation(name).index)])
        rows, columns = node.parent.shape
        places = [place for place, size in ((node.i, rows), (node.j, columns)) if size != 1]
        if isinstance(node.parent, MatrixSymbol):
            if not places:
                return self.letters.names(node.parent.name)  # a matrix of one entry is that entry
            base = self.letters.base(node.parent.name)
            return self._at(base, places, base)
        # An entry of blocks, or of transposed columns, before it is known which one it is.
        base = formula(node.parent, self.letters.names)
        return self._at(base if isinstance(base, Call | Grid) else Parens(base), places, base)

    def _met(self, node: KroneckerDelta) -> tuple[Math, Math]:
        """Return the two places of a δ, an index before a number."""
        one, other = sorted(node.args, key=lambda place: bool(place.is_number))
        return self.place(one), self.place(other)

    def equal_places(self, node: KroneckerDelta) -> Chain:
        """Return the condition for a δ to be 1: r = j."""
        return equation(*self._met(node))

    def _compared(self, node: Truth) -> Math:
        """Write x < y, with a number on the right: x > 0."""
        left, right = (self.place(arg - 1) if self._counts(arg) else self.write(arg) for arg in node.args)
        if node.args[0].is_number:
            return Chain(right, (("=" if isinstance(node, Same) else ">", left),))
        return Chain(left, (("=" if isinstance(node, Same) else "<", right),))

    def _function(self, node: AppliedUndef) -> Math:
        name = node.func.__name__
        if name == EXPECTATION:
            return Call(name, (self.write(node.args[0]),), "square")
        if name.endswith("_mask"):
            return Script(Letter(node_named(name).called, "upright"), sub=subscripts(*map(self.place, node.args[:2])))
        base, _, below = name.partition("_")
        inside = (self.place(arg) if self._counts(arg) else self.write(arg) for arg in node.args)
        return Call(base, tuple(inside), sub=Letter(below, "upright") if below else None)

    def _total(self, node: Sum) -> Math:
        bounds, body = nested_sums(node)
        out = one_term(self.write(body))
        for index, length in reversed(bounds):
            out = SumOf(self.place(index), Number("1"), self.write(length), out)
        return out

    def row(self, factors: Sequence[Expr]) -> Math:
        return super().row(sorted(factors, key=lambda factor: not factor.is_Rational))

    def power(self, value: Expr) -> Math:
        base = self.write(value.base)
        if isinstance(base, Script) and base.sup is None and isinstance(value.base, MatrixElement):
            return Script(base.base, base.sub, number(value.exp))
        return Script(base if isinstance(base, Letter | Number) else Parens(base), sup=number(value.exp))


def _angles(lines: Iterable[Expr]) -> Iterator[Expr]:
    """Yield each angle of a position once: pθ with one index in p, as in s + i but not in i − j."""
    found: dict[Expr, None] = {}
    for wave in (node for line in lines for node in walk(line) if isinstance(node, cos | sin)):
        position = mul(*(factor for factor in factors(wave.args[0]) if not isinstance(factor, PairFrequency)))
        indices = [symbol for symbol in position.free_symbols if symbol.is_integer and not symbol.is_positive]
        if wave.has(PairFrequency) and len(indices) == 1:
            found[wave.args[0]] = None
    yield from found


def _any_real(lines: Iterable[Expr]) -> Iterator[str]:
    """Yield the letters in the lines that stand for any real number."""
    for line in lines:
        yield from (symbol.name for symbol in line.atoms(Symbol) if symbol.is_integer is None)


def _bound(node: Basic, outer: tuple[Symbol, ...]) -> Iterator[tuple[Symbol, tuple[Symbol, ...]]]:
    """Yield every bound index of a tree, with those around it."""
    if isinstance(node, MatrixElement):
        return
    if isinstance(node, Sum):
        bounds, body = nested_sums(node)
        for index, _ in bounds:
            yield index, outer
            outer = (*outer, index)
        yield from _bound(body, outer)
    elif isinstance(node, Largest):
        yield node.bound[0], outer
        yield from _bound(node.args[0], (*outer, node.bound[0]))
    else:
        for arg in node.args:
            yield from _bound(arg, outer)


def _alike(lines: Iterable[Expr], around: Mapping[Symbol, set[Symbol]]) -> list[list[Symbol]]:
    """Group the indices of equal maxima, so that these are written alike everywhere."""
    groups: dict[str, list[Symbol]] = {}
    maxima = {node.bound[0]: key(node) for line in lines for node in walk(line) if isinstance(node, Largest)}
    for index in around:
        groups.setdefault(maxima.get(index, f"index {index.name}"), []).append(index)
    return list(groups.values())


def laws(letters: PageLetters) -> Mapping[str, Math | tuple[Math, ...]]:
    """Return the laws that letters can state, by the name of the rule: one law, or several."""
    a, b, c = (letters.letter("anything", place) for place in range(3))
    plus, one, two = Sign("+"), Number("1"), Number("2")
    alpha, beta = (letters.letter("angle", place) for place in range(2))
    (cos_a, sin_a), (cos_b, sin_b) = ([Call(name, (x,)) for name in ("cos", "sin")] for x in (alpha, beta))
    difference = seq(alpha, Sign("-"), beta)
    return {
        "angle_sum": (
            equation(seq(cos_a, cos_b, plus, sin_a, sin_b), Call("cos", (difference,))),
            equation(seq(sin_a, cos_b, Sign("-"), cos_a, sin_b), Call("sin", (difference,))),
        ),
        "circle": equation(seq(Script(Parens(sin_a), sup=two), plus, Script(Parens(cos_a), sup=two)), one),
        "power_law": equation(_exp(seq(a, plus, b)), seq(_exp(a), _exp(b))),
        "distribute": equation(seq(a, Parens(seq(b, plus, c))), seq(a, b, plus, a, c)),
        "common_factor": equation(seq(a, b, plus, a, c), seq(a, Parens(seq(b, plus, c)))),
        "root": equation(Root(seq(a, b)), seq(Root(a), Root(b))),
        "upwards": equation(
            Fraction(one, seq(one, plus, _exp(seq(Sign("-"), a)))), Fraction(_exp(a), seq(_exp(a), plus, one))
        ),
        "remainder": equation(Fraction(a, seq(one, plus, a)), seq(one, Sign("-"), Fraction(one, seq(one, plus, a)))),
    }


def _exp(exponent: Math) -> Math:
    return Script(EULER, sup=exponent)


def comma_list(values: Iterable[Math]) -> Math:
    """Write values with commas between them, in parentheses if there are several."""
    parts = list(values)
    return parts[0] if len(parts) == 1 else Parens(joined(parts, ","))
