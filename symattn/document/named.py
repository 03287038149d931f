"""What stands on the left of a line for a number that an equation names: μ_1, σ_1², or what it is in letters.

A Greek name, or one of capitals, is a letter that no entry of a matrix has. Any other name may be one, so that the
number is said by what it is: Σ_k s_{1k}.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from sympy import Basic, Rational

from symattn.document.entries import entry, factor, moment, one_term, squared
from symattn.document.letters import Letters
from symattn.document.math import Cases, Chain, Letter, Math, Number, Relation, Script, Sign, Sum, multiplied, seq
from symattn.document.names import GREEK
from symattn.document.notation import number
from symattn.document.pieces import FUNCTIONS, Piece, kind_of
from symattn.equations import tree
from symattn.operations.node import given_of, operation_of

_NAME = re.compile(r"(?P<letter>[a-z]+|[A-Z]{2,})(?P<squared>2?)\Z", re.ASCII)

SIGNS: Mapping[str, Relation] = {"<": "<", "<=": "≤", "==": "=", "!=": "≠", ">": ">", ">=": "≥"}
"""How comparisons are written."""

At = Mapping[str, Math]
"""What stands for each index."""


def named_in_letters(node: Basic, equation: tree.Equation, letters: Letters, index: tuple[Math, ...]) -> Math:
    """A number that an equation names, at an index: μ_1, or Σ_k s_{1k}."""
    found = _NAME.match(equation.name)
    if found is None or not (found["letter"] in GREEK or found["letter"].isupper()):
        at = dict(zip(equation.index, index, strict=True))
        return _InLetters(node, letters).write(equation.body, at, ()).math
    base = Letter(found["letter"], "italic" if found["letter"] in GREEK else "upright")
    said = moment(base, node, letters, *index) if index else base
    return squared(said) if found["squared"] else said


@dataclass(frozen=True)
class _InLetters:
    """Writes a piece of an equation with entries in letters."""

    node: Basic
    letters: Letters

    def write(self, piece: tree.Piece, at: At, bound: tuple[str, ...]) -> Piece:
        match piece:
            case tree.Number(value):
                return _piece(number(Rational(value.numerator, value.denominator)))
            case tree.Index(name):
                return _piece(at[name])
            case tree.Size(name) | tree.Entry(name, ()) if name in given_of(self.node):
                return _piece(number(given_of(self.node)[name]))
            case tree.Entry():
                return self._entry(piece, at, bound)
            case tree.Call("mul", (one, other)):
                a, b = (self.write(each, at, bound).math for each in (one, other))
                return _piece(multiplied(factor(a), one_term(b)))
            case tree.Call("pow", (base, tree.Number(two))) if two == 2:
                return _piece(squared(self.write(base, at, bound).math))
            case tree.Call(function, arguments):
                return FUNCTIONS[function](*(self.write(each, at, bound) for each in arguments))
            case tree.Over():
                return self._over(piece, at, bound)
            case tree.Cases(condition, then, otherwise):
                parts = condition.parts if isinstance(condition, tree.All) else (condition,)
                holds = seq(*(self._compared(part, at, bound) for part in parts))
                fails = self._compared(_turned(parts[0]), at, bound) if len(parts) == 1 else Letter("else", "upright")
                values = (self.write(each, at, bound).math for each in (then, otherwise))
                return Piece(Cases(tuple(zip(values, (holds, fails), strict=True))))
        raise TypeError(f"{type(piece).__name__} is not written in letters")

    def _compared(self, part: tree.Compare, at: At, bound: tuple[str, ...]) -> Math:
        left, right = (self.write(each, at, bound).math for each in (part.left, part.right))
        return Chain(left, ((SIGNS[part.sign], right),))

    def _entry(self, piece: tree.Entry, at: At, bound: tuple[str, ...]) -> Piece:
        places = tuple(self.write(each, at, bound).math for each in piece.places)
        operation, given = operation_of(self.node), given_of(self.node)
        assert operation is not None
        for equation in operation.equations:
            if equation.name == piece.name:
                return self.write(equation.body, dict(zip(equation.index, places, strict=True)), bound)
        i, j = places if len(places) == 2 else (Number("1"), *places)
        return _piece(entry(given[piece.name], self.letters, i, j, bound))

    def _over(self, piece: tree.Over, at: At, bound: tuple[str, ...]) -> Piece:
        operation = operation_of(self.node)
        assert operation is not None
        name = self.letters.bound(*bound)
        k = Letter(name)
        upper = self.write(operation.range_of[piece.index], at, bound).math
        body = self.write(piece.body, {**at, piece.index: k}, (*bound, name)).math
        if piece.kind == "sum":
            return Piece(Sum(k, Number("1"), upper, one_term(body)))
        return _piece(seq(Script(Letter("max", "upright"), sub=seq(k, Sign("≤"), upper)), one_term(body)))


def _turned(part: tree.Compare) -> tree.Compare:
    """The comparison that holds where this one does not."""
    signs: Mapping[str, tree.Sign] = {"<": ">=", "<=": ">", "==": "!=", "!=": "==", ">": "<=", ">=": "<"}
    return tree.Compare(signs[part.sign], part.left, part.right)


def _piece(math: Math) -> Piece:
    return Piece(math, kind_of(math))
