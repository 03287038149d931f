"""Find the conditions under which equations have values: no divisor is 0, no root or logarithm of a negative number.

Conditions that follow from the equations alone, such as 1 + exp(x) > 0, need no proof.

>>> from symattn.operations.equations.read import read_operation
>>> from symattn.operations.equations.ranges import piece_text
>>> shares = read_operation("shares(S)\\n t[i] = sum(k, S[i,k])\\n y[i,j] = S[i,j] / t[i] + 1 / (1 + exp(S[i,j]))")
>>> [(piece_text(each.said), each.relation) for each in demands(shares, frozenset())]
[('t[i]', '≠')]
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain
from typing import Literal

from symattn.operations.equations.parts import ONE, ZERO, placed, with_result
from symattn.operations.equations.ranges import piece_text
from symattn.operations.equations.tree import (
    All,
    Apply,
    Branch,
    Compare,
    Constant,
    Entry,
    Index,
    Length,
    NamedEquation,
    Operation,
    Over,
    Piece,
    Tree,
    children,
)
from symattn.operations.equations.whole import OPPOSITE, free

Demanded = Literal["≠", "≥", ">"]

KnownSigns = frozenset[tuple[str, Demanded]]
"""Known relations to 0 of the numbers given to an operation, by their names."""


@dataclass(frozen=True)
class Demand:
    """A condition: ``said``, a part of an equation, is not 0, not negative or positive."""

    said: Tree
    relation: Demanded
    why: str
    """The end of a sentence about it."""
    equation: NamedEquation
    operation: Operation
    """The operation whose entries must meet the condition."""
    is_entry: bool
    """Whether it is about an entry of an operand."""
    unless_hidden: bool
    """Whether it holds for all finite numbers, and only −∞ could violate it."""


@lru_cache(maxsize=1000)
def demands(operation: Operation, known: KnownSigns) -> tuple[Demand, ...]:
    """Return the conditions on the operands of an operation, in the order of its equations, each once."""
    found: dict[tuple[object, ...], Demand] = {}
    matrices = {each.name for each in operation.parameters if each.is_matrix}
    wholes = {each.name for each in operation.parameters if each.kind == "whole"}
    naturals = frozenset(name for name, relation in known if name in wholes and relation in (">", "≥"))
    for before, equation in enumerate(operation.equations):
        for said, relation, why, conditions in _said(equation.body, (), naturals):
            signs = _Signs(operation, known).under(conditions)
            for piece, wanted in signs.left_over(said, relation):
                hidden = replace(signs, finite=True).holds(piece, wanted)
                guarded = _guarded(piece, conditions)
                body, letters = _two_letters(guarded, wanted, equation)
                made = with_result(operation, before, body, letters, f"{before}_{len(found)}")
                of_matrix = isinstance(piece, Entry) and piece.name in matrices and not conditions
                key = (guarded, wanted)
                found.setdefault(key, Demand(piece, wanted, why, equation, made, of_matrix, hidden))
    return tuple(found.values())


_Conditions = tuple[tuple[Compare | All, bool], ...]
_Said = tuple[Tree, Demanded, str, _Conditions]

_TURNED = {"<": ">", "<=": ">=", "==": "==", "!=": "!=", ">": "<", ">=": "<="}

_DIVIDED = ", and nothing can be divided by 0"
_ROOT = ": expected a number from 0 up under a root"
_LOGARITHM = ": expected positive numbers"
_POWER = ": expected a positive number with such an exponent"


def _said(piece: Piece, conditions: _Conditions, naturals: frozenset[str]) -> Iterator[_Said]:
    """Yield the condition of each quotient, root and logarithm, with the cases under which it applies.

    ``naturals`` are numbers that are known to be whole and not negative.
    """
    match piece:
        case Entry():
            return
        case Branch(condition, then, otherwise):
            yield from _said(condition, conditions, naturals)
            yield from _said(then, (*conditions, (condition, True)), naturals)
            yield from _said(otherwise, (*conditions, (condition, False)), naturals)
            return
    for child in children(piece):  # children first: a condition on a piece needs its value
        yield from _said(child, conditions, naturals)
    match piece:
        case Apply("div" | "mod", (_, divisor)):
            yield divisor, "≠", _DIVIDED, conditions
        case Apply("pow", (base, exponent)) if not _is_natural(exponent, naturals, conditions):
            yield (base, *_below_or_root(exponent, naturals), conditions)
        case Apply("sqrt", (argument,)):
            yield argument, "≥", _ROOT, conditions
        case Apply("log", (argument,)):
            yield argument, ">", _LOGARITHM, conditions
        case Apply("xlogx", (argument,)):
            yield argument, "≥", ": expected numbers from 0 up", conditions
        case Apply("acos", (argument,)):
            room = Apply("sub", (ONE, Apply("pow", (argument, Constant(ONE.value * 2)))))
            yield room, "≥", f": expected {piece_text(argument)} from -1 to 1 under an arccosine", conditions


def _below_or_root(exponent: Tree, naturals: frozenset[str]) -> tuple[Demanded, str]:
    """Return the condition on a base for an exponent that is not natural: a negative one divides, others are roots."""
    match exponent:
        case Apply("neg", (inner,)) if _is_natural(inner, naturals):
            return "≠", _DIVIDED
    return ">", _POWER


def _is_natural(exponent: Tree, naturals: frozenset[str], conditions: _Conditions = ()) -> bool:
    match exponent:
        case Index():
            return True
        case Entry(name):
            return name in naturals
        case Apply("sub", (Index() | Entry() as whole, Constant(less))) if _is_natural(whole, naturals):
            # A nonzero natural number minus one is natural: k·x^(k − 1) is needed only there.
            least = 1 if isinstance(whole, Index) else 0
            held = [part for condition, holds in conditions if holds for part in condition.parts]
            is_more = Compare("!=", whole, Constant(ONE.value * least)) in held
            return less in range(least + is_more + 1)
    return isinstance(exponent, Constant) and exponent.value.denominator == 1 and exponent.value >= 0


def _guarded(piece: Tree, conditions: _Conditions) -> Tree:
    """Return the piece where its conditions hold, and 1 elsewhere."""
    for condition, holds in reversed(conditions):
        piece = Branch(condition, piece, ONE) if holds else Branch(condition, ONE, piece)
    return piece


def _two_letters(piece: Tree, relation: Demanded, equation: NamedEquation) -> tuple[Tree, tuple[str, ...]]:
    """Return a piece with at most two letters, for rows and columns of a matrix; a third takes the worst case."""
    letters = [*(each for each in equation.index if each in free(piece)), *sorted(free(piece) - set(equation.index))]
    while len(letters) > 2:
        size = Apply("abs", (piece,)) if relation == "≠" else piece
        piece = Apply("neg", (Over("max", letters.pop(), Apply("neg", (size,))),))
    return piece, tuple(letters)


# -- what can be seen --------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Signs:
    """Derives signs from equations alone. ``finite`` means that nothing is −∞, so that exp is not 0."""

    operation: Operation
    known: KnownSigns
    finite: bool = False
    assumed: frozenset[tuple[Tree, Demanded]] = frozenset()
    """The relations known from the cases around a piece."""

    def under(self, conditions: _Conditions) -> _Signs:
        """Return the same with some conditions true and others false."""
        found: set[tuple[Tree, Demanded]] = set()
        for condition, holds in conditions:
            for part in condition.parts:
                if not holds and isinstance(condition, All):
                    break
                said = part.sign if holds else OPPOSITE[part.sign]
                for sign, one, other in ((said, part.left, part.right), (_TURNED[said], part.right, part.left)):
                    if (sign == ">" and self.holds(other, "≥")) or (sign == ">=" and self.holds(other, ">")):
                        found.add((one, ">"))
                    elif sign == ">=" and self.holds(other, "≥"):
                        found.add((one, "≥"))
                    elif (sign == "!=" and other == ZERO) or (sign == "<" and other == ZERO):
                        found.add((one, "≠"))
        return replace(self, assumed=frozenset(found))

    def left_over(self, piece: Tree, relation: Demanded) -> Iterator[tuple[Tree, Demanded]]:
        """Yield the conditions that remain to be proved, on parts as small as possible."""
        if self.holds(piece, relation):
            return
        match piece:
            case Apply("mul", (one, other)) if relation == "≠":
                yield from chain(self.left_over(one, "≠"), self.left_over(other, "≠"))
            case Apply("div", (one, _)) if relation == "≠":
                yield from self.left_over(one, "≠")
            case Apply("sqrt" | "neg" | "abs", (inner,)) if relation == "≠":
                yield from self.left_over(inner, "≠")
            case Apply("sqrt", (inner,)) if relation == ">":
                yield from self.left_over(inner, ">")
            case Apply("pow", (base, Constant())) if relation == "≠":
                yield from self.left_over(base, "≠")
            case Entry(name, _) if (said := self._equation(name)) and self._is_short(said, relation):
                here = dict(zip(said.index, piece.places, strict=True))
                yield from self.left_over(placed(said.body, here), relation)
            case _:
                yield piece, "≠" if self.holds(piece, "≥") and relation == ">" else relation

    def _equation(self, name: str) -> NamedEquation | None:
        return next((each for each in self.operation.equations if each.name == name), None)

    def _is_short(self, said: NamedEquation, relation: Demanded) -> bool:
        """Return whether the conditions left from an equation's body are simpler than one on the number it names."""
        return relation != "≥" and isinstance(said.body, Apply) and said.body.function in ("sqrt", "neg", "abs")

    def holds(self, piece: Tree, relation: Demanded) -> bool:
        """Return whether the equations show that a condition holds."""
        if (piece, relation) in self.assumed or (piece, ">") in self.assumed:
            return True
        if relation == "≠":
            return self.holds(piece, ">") or self._is_not_zero(piece)
        return self._is_positive(piece) if relation == ">" else self._is_not_negative(piece) or self._is_positive(piece)

    def _is_not_zero(self, piece: Tree) -> bool:
        match piece:
            case Constant(value):
                return value != 0
            case Entry(name, ()) if (name, "≠") in self.known:
                return True
            case Apply("neg" | "sqrt" | "abs", (inner,)) | Apply("pow", (inner, Constant())):
                return self.holds(inner, "≠")
            case Apply("mul" | "div", (one, other)):
                return self.holds(one, "≠") and self.holds(other, "≠")
        return False

    def _is_positive(self, piece: Tree) -> bool:
        match piece:
            case Constant(value):
                return value > 0
            case Length() | Index() | Apply("pi"):
                return True
            case Entry(name, _):
                return (name, ">") in self.known or self._of_equation(name, ">")
            case Apply("exp"):
                return self.finite
            case Apply("add", (one, other)):
                pairs = ((one, other), (other, one))
                return any(self.holds(x, ">") and self.holds(y, "≥") for x, y in pairs)
            case Apply("mul" | "div", (one, other)):
                return self.holds(one, ">") and self.holds(other, ">")
            case Apply("max", (one, other)):
                return self.holds(one, ">") or self.holds(other, ">")
            case Apply("min", (one, other)) | Branch(_, one, other):
                return self.holds(one, ">") and self.holds(other, ">")
            case Apply("sqrt", (inner,)) | Over(_, _, inner) | Apply("pow", (inner, _)):
                return self.holds(inner, ">")
            case Apply("abs", (inner,)):
                return self.holds(inner, "≠")
        return False

    def _is_not_negative(self, piece: Tree) -> bool:
        match piece:
            case Constant(value):
                return value >= 0
            case Entry(name, _):
                return (name, "≥") in self.known or self._of_equation(name, "≥")
            case Apply("exp" | "abs" | "sqrt"):
                return True
            case Apply("pow", (_, Constant(value))) if value.denominator == 1 and value % 2 == 0:
                return True
            case Apply("mul", (one, other)) if one == other:
                return True
            case Apply("add" | "mul" | "div" | "min", (one, other)) | Branch(_, one, other):
                return self.holds(one, "≥") and self.holds(other, "≥")
            case Apply("max", (one, other)):
                return self.holds(one, "≥") or self.holds(other, "≥")
            case Over(_, _, inner):
                return self.holds(inner, "≥")
        return False

    def _of_equation(self, name: str, relation: Demanded) -> bool:
        said = self._equation(name)
        return said is not None and self.holds(said.body, relation)
