"""The entries of a proof as mathematics: SymPy trees in the order they are built in, letters that never collide."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from sympy import (
    Add,
    Basic,
    Expr,
    Integer,
    KroneckerDelta,
    Max,
    Min,
    Mul,
    Pow,
    S,
    Sum,
    Symbol,
    acos,
    exp,
    log,
    pi,
)
from sympy.core.function import AppliedUndef
from sympy.matrices.expressions.matexpr import MatrixElement

from symattn.document.entries import BOUND_LETTERS, Letters, subscripts
from symattn.document.math import (
    Call,
    Fraction,
    Letter,
    Math,
    Number,
    Parens,
    Root,
    Script,
    Seq,
    Sign,
    equation,
    joined,
    seq,
)
from symattn.document.math import Sum as SumOf
from symattn.document.notation import by_rule, number
from symattn.errors import RenderError
from symattn.operations.indices import fresh_letter
from symattn.proof.canon import key
from symattn.proof.tree import Largest, factors, mul, power, summed, walk
from symattn.proof.variance import EXPECTATION

_FUNCTIONS: Mapping[type, str] = {log: "ln", acos: "arccos", Max: "max", Min: "min"}


@dataclass(frozen=True)
class Trees:
    """How the trees of one proof are written: the letters of matrices, of the row and column, of bound indices."""

    letters: Letters
    indices: Mapping[Symbol, Math]

    @classmethod
    def of(cls, letters: Letters, lines: Iterable[Expr], sizes: Iterable[str]) -> Trees:
        """Letters for every index in the lines; the same index has the same letter in all of them."""
        letters = replace(letters, taken=letters.taken | frozenset(sizes))
        row, column = letters.indices
        free = {Symbol("i", integer=True): row, Symbol("j", integer=True): column}
        around: dict[Symbol, set[Symbol]] = {}
        for line in lines:
            for index, outer in _bound(line, ()):
                around.setdefault(index, set()).update(outer)
                for other in outer:
                    around.setdefault(other, set()).add(index)
        fixed = {letter.name for letter in (row, column) if isinstance(letter, Letter)}
        chosen: dict[Symbol, str] = {}
        for alike in _alike(lines, around):
            others = set().union(*(around[index] for index in alike))
            inside = {chosen[other] for other in others if other in chosen}
            name = fresh_letter({*letters.taken, *fixed, *inside}, BOUND_LETTERS)
            chosen.update(dict.fromkeys(alike, name))
        return cls(letters, {**free, **{index: Letter(name) for index, name in chosen.items()}})

    def subscript(self, math: Math, row: Expr, column: Expr) -> Math:
        """Entry (row, column) of what is written as ``math``; of a single number, that itself."""
        places = [self.place(place) for place in (row, column) if place != 0]
        if not places:
            return math
        base = math if isinstance(math, Letter) else Parens(math)
        return Script(base, sub=subscripts(*places) if len(places) == 2 else places[0])

    def place(self, place: Expr) -> Math:
        """An index; numbers count from 1 on paper."""
        if place.is_Integer:
            return Number(str(int(place) + 1))
        if isinstance(place, Symbol):
            return self.indices[place]
        # j + 4: the block of columns that a head starts at.
        symbol, offset = sorted(place.args, key=lambda part: part.is_Integer)
        return seq(self.place(symbol), Sign("+"), Number(str(int(offset))))

    def math(self, node: Expr) -> Math:
        """A tree in reading order."""
        match node:
            case MatrixElement():
                return self._entry(node)
            case Symbol():
                return by_rule(node.name)
            case Add():
                return self._sum(node)
            case Sum():
                return self._total(node)
            case exp():
                return Script(Letter("e"), sup=self.math(node.exp))
            case Mul() | Pow():
                return self._product(node)
            case Largest():
                maximum = Script(Letter("max", "upright"), sub=self.place(node.bound[0]))
                return seq(maximum, self._tight(node.args[0]))
            case KroneckerDelta():
                return Script(Letter("delta"), sub=subscripts(*map(self.place, node.args)))
            case AppliedUndef():
                return self._function(node)
            case log() | acos() | Max() | Min():
                return Call(_FUNCTIONS[node.func], tuple(map(self.math, node.args)))
        if node == pi:
            return Letter("pi")
        if node.is_Rational or node.is_number:
            return number(node)
        raise RenderError(f"no notation for {type(node).__name__} in a proof")

    def _entry(self, node: MatrixElement) -> Math:
        rows, columns = node.parent.shape
        base = self.letters.base(node.parent.name)
        places = [self.place(place) for place, size in ((node.i, rows), (node.j, columns)) if size != 1]
        if not places:
            return base
        return Script(base, sub=subscripts(*places) if len(places) == 2 else places[0])

    def _function(self, node: AppliedUndef) -> Math:
        name = node.func.__name__
        if name == EXPECTATION:
            return Call(name, (self.math(node.args[0]),), "square")
        if name.endswith("_mask"):
            word = "mask" if name.startswith("causal") else "window"
            return Script(Letter(word, "upright"), sub=subscripts(*map(self.place, node.args[:2])))
        return Call(name, tuple(map(self.math, node.args)))

    def _sum(self, node: Add) -> Math:
        parts: list[Math] = []
        for term in node.args:
            minus, rest = _sign(term)
            if parts or minus:
                parts.append(Sign("-" if minus else "+"))
            inner = self.math(rest)
            parts.append(Parens(inner) if minus and isinstance(rest, Add) else inner)
        return seq(*parts)

    def _total(self, node: Sum) -> Math:
        bounds, body = summed(node)
        out = self._tight(body)
        for index, length in reversed(bounds):
            out = SumOf(self.place(index), Number("1"), self.math(length), out)
        return out

    def _product(self, node: Expr) -> Math:
        minus, rest = _sign(node)
        if minus:
            return seq(Sign("-"), self._product(rest))
        above = [factor for factor in factors(rest) if not _below(factor)]
        below = [power(factor, S.NegativeOne) for factor in factors(rest) if _below(factor)]
        rationals = [factor for factor in above if factor.is_Rational]
        if len(rationals) == 1 and rationals[0].q != 1:
            above = [Integer(rationals[0].p), *(factor for factor in above if not factor.is_Rational)]
            below.insert(0, Integer(rationals[0].q))
        top = self._row([factor for factor in above if factor != 1])
        if not below:
            return top if above != [rest] else self._power(rest)
        return Fraction(top, self._row(below))

    def _row(self, parts: list[Expr]) -> Math:
        """Factors one after the other, numbers first; a sum that is not the last stands in parentheses."""
        if not parts:
            return Number("1")
        numbers = [part for part in parts if part.is_Rational]
        ordered = [*numbers, *(part for part in parts if not part.is_Rational)]
        out: list[Math] = []
        for position, part in enumerate(ordered):
            inner = self._power(part)
            last = position == len(ordered) - 1
            loose = isinstance(part, Add | Mul) or (isinstance(part, Sum | Largest) and not last)
            loose = loose or (part.is_Rational and (part.q != 1 or part < 0) and len(ordered) > 1)
            if position and part.is_Rational:
                out.append(Sign("·"))
            out.append(Parens(inner) if loose and len(ordered) > 1 else inner)
        return seq(*out)

    def _power(self, node: Expr) -> Math:
        if not isinstance(node, Pow):
            return self.math(node)
        if node.exp.is_Rational and node.exp < 0:
            return Fraction(Number("1"), self._power(power(node, S.NegativeOne)))
        if node.exp == S.Half:
            return Root(self.math(node.base))
        base = self.math(node.base)
        if isinstance(base, Script) and base.sup is None and isinstance(node.base, MatrixElement):
            return Script(base.base, base.sub, number(node.exp))
        return Script(base if isinstance(base, Letter | Number) else Parens(base), sup=number(node.exp))

    def _tight(self, node: Expr) -> Math:
        inner = self.math(node)
        loose = isinstance(node, Add) or (isinstance(inner, Seq) and isinstance(inner.parts[0], Sign))
        return Parens(inner) if loose else inner


def _sign(node: Expr) -> tuple[bool, Expr]:
    """Whether a term has a minus in front, and the term without it."""
    parts = list(factors(node))
    for position, factor in enumerate(parts):
        if factor.is_Rational and factor < 0:
            parts[position] = -factor
            return True, mul(*parts)
    return False, node


def _below(factor: Expr) -> bool:
    return isinstance(factor, Pow) and factor.exp.is_Rational and bool(factor.exp < 0)


def _bound(node: Basic, outer: tuple[Symbol, ...]) -> Iterator[tuple[Symbol, tuple[Symbol, ...]]]:
    """Every bound index of a tree, with those around it."""
    if isinstance(node, MatrixElement):
        return
    if isinstance(node, Sum):
        bounds, body = summed(node)
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
    """The indices, those of the same maximum together: it is written alike wherever it stands."""
    groups: dict[str, list[Symbol]] = {}
    maxima = {node.bound[0]: key(node) for line in lines for node in walk(line) if isinstance(node, Largest)}
    for index in around:
        groups.setdefault(maxima.get(index, f"index {index.name}"), []).append(index)
    return list(groups.values())


def laws() -> Mapping[str, Math]:
    """The laws that can be said in letters, by the name of the rule."""
    a, b, c = (Letter(name) for name in "abc")
    plus = Sign("+")
    return {
        "power_law": equation(_exp(seq(a, plus, b)), seq(_exp(a), _exp(b))),
        "distribute": equation(seq(a, Parens(seq(b, plus, c))), seq(a, b, plus, a, c)),
        "common_factor": equation(seq(a, b, plus, a, c), seq(a, Parens(seq(b, plus, c)))),
        "root": equation(Root(seq(a, b)), seq(Root(a), Root(b))),
    }


def _exp(exponent: Math) -> Math:
    return Script(Letter("e"), sup=exponent)


def listed(values: Iterable[Math]) -> Math:
    """Values with commas between them, in parentheses where there are several."""
    parts = list(values)
    return parts[0] if len(parts) == 1 else Parens(joined(parts, ","))
