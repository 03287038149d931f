"""How a name is written: the small language of ``[notation]``, parsed into a small tree.

It is the formula language with decorations and without numbers, and its names need not be defined:
``QK_T = "Q @ K.T"``, ``S_masked = "tilde(S)"``, ``A_process = "row(A, 2)"``, ``dS = "grad(L, S)"``.

>>> parse_notation("Q @ K.T")
NotProduct(factors=(NotName(text='Q'), NotTranspose(x=NotName(text='K'))))
>>> parse_notation("tilde(S)")
NotDecorated(kind='tilde', x=NotName(text='S'))
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from typing import Literal, get_args

from symattn.base import limits
from symattn.base.errors import FormulaError, shown, unknown
from symattn.base.shapes import Axis, Shape
from symattn.read.formula import Scope
from symattn.read.formula.parse import parse
from symattn.read.formula.tree import segment

Decoration = Literal["tilde", "hat", "bar", "bold"]
DECORATIONS: tuple[str, ...] = get_args(Decoration)
_WORD = re.compile(r"[A-Za-z]\w*+(?!\s*\()")
_CALLED = ("row", "dot", "grad", "part", "at")

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,39}\Z")
_ALLOWED = (
    "notation is made of names, @, +, .T, row(A, 2), dot(x, y), grad(L, X), part(bar(X), Q), at(X, 1), "
    + ", ".join(f"{d}(X)" for d in DECORATIONS)
)


@dataclass(frozen=True)
class NotName:
    """A name, typeset by rule."""

    text: str


@dataclass(frozen=True)
class NotDecorated:
    """A name under a tilde, hat or bar, or in bold; decorations may be nested."""

    kind: Decoration
    x: NotName | NotDecorated


@dataclass(frozen=True)
class NotProduct:
    """Two or more factors, left to right."""

    factors: tuple[Notation, ...]


@dataclass(frozen=True)
class NotSum:
    """Two or more terms, left to right."""

    terms: tuple[Notation, ...]


@dataclass(frozen=True)
class NotTranspose:
    x: Notation


@dataclass(frozen=True)
class NotRow:
    """One row of a name, counted from 1."""

    x: NotName | NotDecorated
    index: int


@dataclass(frozen=True)
class NotDot:
    """The dot product of two rows."""

    left: Notation
    right: Notation


@dataclass(frozen=True)
class NotPartial:
    """The gradient of one name by another, each in its own notation; or the part that comes through a third."""

    of: NotName
    by: NotName
    through: NotName | None = None


@dataclass(frozen=True)
class NotPart:
    """The part that comes through a second name, as for a vector-Jacobian product X̄: (X̄)_Q."""

    x: NotName | NotDecorated
    through: NotName


@dataclass(frozen=True)
class NotAt:
    """A name after so many steps of training, W^{(1)}, in its own notation."""

    x: NotName
    time: int


Notation = NotAt | NotName | NotDecorated | NotProduct | NotSum | NotTranspose | NotRow | NotDot | NotPartial | NotPart


def parse_notation(text: str) -> Notation:
    """Parse ``text`` into a tree. Raises :class:`~symattn.base.errors.FormulaError` for anything but notation.

    >>> parse_notation("Q * K")
    Traceback (most recent call last):
        ...
    symattn.base.errors.FormulaError: notation 'Q * K': the product of matrices is written with @
    """
    if not text.strip() or not text.strip().isprintable():
        raise _error(text, "expected one line of notation")
    return _Reader(text).visit(parse(text, _scope(text), "notation"), 0)


def _scope(text: str) -> Scope:
    """Make every word that could be a name one: LN_2 is no layer norm here. Words that are called are functions."""
    called = {word for word in _CALLED if re.search(rf"\b{word}\s*\(", text)}
    return Scope(dict.fromkeys(set(_WORD.findall(text)) - called, Shape(Axis(1), Axis(1))))


def _error(text: str, what: str) -> FormulaError:
    return FormulaError(f"notation {shown(text)}: {what}")


class _Reader:
    """Reads one text; anything not listed here is refused."""

    def __init__(self, text: str) -> None:
        self.text = text

    def visit(self, node: ast.expr, depth: int) -> Notation:
        if depth > limits.FORMULA_DEPTH:
            raise _error(self.text, f"nested deeper than FORMULA_DEPTH = {limits.FORMULA_DEPTH}")
        match node:
            case ast.Name(id=name):
                return self._name(name)
            case ast.Attribute(value=inner, attr="T"):
                return NotTranspose(self.visit(inner, depth + 1))
            case ast.BinOp(left=left, op=ast.MatMult(), right=right):
                factors = self.visit(left, depth + 1)
                first = factors.factors if isinstance(factors, NotProduct) else (factors,)
                return NotProduct((*first, self.visit(right, depth + 1)))
            case ast.BinOp(left=left, op=ast.Add(), right=right):
                terms = self.visit(left, depth + 1)
                first = terms.terms if isinstance(terms, NotSum) else (terms,)
                return NotSum((*first, self.visit(right, depth + 1)))
            case ast.BinOp(op=ast.Mult()):
                raise _error(self.text, "the product of matrices is written with @")
            case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]):
                return self._call(name, arguments, depth + 1)
        raise _error(self.text, f"{shown(segment(self.text, node))} has no place here; {_ALLOWED}")

    def _name(self, name: str) -> NotName:
        if not _NAME.match(name):
            raise _error(self.text, f"{shown(name)} is not a name: letters, digits and underscores, at most 40")
        return NotName(name)

    def _call(self, name: str, arguments: list[ast.expr], depth: int) -> Notation:
        match name, arguments:
            case (("tilde" | "hat" | "bar" | "bold"), [inner]):
                return NotDecorated(name, self._letter(inner, depth, name))
            case "row", [inner, ast.Constant(value=index)] if type(index) is int and 1 <= index <= 10**9:
                return NotRow(self._letter(inner, depth, name), index)
            case "at", [ast.Name(id=inner), ast.Constant(value=time)] if type(time) is int and 0 <= time <= 10**9:
                return NotAt(self._name(inner), time)
            case "part", [inner, ast.Name(id=way)]:
                return NotPart(self._letter(inner, depth, name), self._name(way))
            case "dot", [left, right]:
                return NotDot(self.visit(left, depth), self.visit(right, depth))
            case "grad", [ast.Name(id=of), ast.Name(id=by), *rest] if len(rest) < 2:
                through = [self._name(each.id) for each in rest if isinstance(each, ast.Name)]
                if len(through) == len(rest):
                    return NotPartial(self._name(of), self._name(by), *through)
        match name:
            case "row":
                raise _error(self.text, "expected row(A, 2): a name and a row counted from 1")
            case "at":
                raise _error(self.text, "expected at(X, 1): a name and a number of steps")
            case "part":
                raise _error(self.text, "expected part(bar(X), Q) for what of X̄ comes through Q: a name")
            case "dot":
                raise _error(self.text, "expected dot(x, y)")
            case "grad":
                raise _error(self.text, "expected grad(L, X), or grad(L, X, Q) for what comes through Q: names")
        if name in DECORATIONS:
            raise _error(self.text, f"expected {name}(X): one name")
        raise _error(self.text, unknown("function", name, [*DECORATIONS, *_CALLED]))

    def _letter(self, node: ast.expr, depth: int, use: str) -> NotName | NotDecorated:
        inner = self.visit(node, depth)
        if not isinstance(inner, NotName | NotDecorated):
            raise _error(self.text, f"{use}(…) goes around a name")
        return inner


def notation_text(tree: Notation) -> str:
    """Return the text of a notation, which parses back to it.

    >>> [notation_text(parse_notation(text)) for text in ("Q @ (K + tilde(V)).T", "row(A, 2)", "dot(x, (K @ y).T)")]
    ['Q @ (K + tilde(V)).T', 'row(A, 2)', 'dot(x, (K @ y).T)']
    >>> notation_text(parse_notation("grad(L,S).T")), notation_text(parse_notation("grad(L, X, Q)"))
    ('grad(L, S).T', 'grad(L, X, Q)')
    >>> notation_text(parse_notation("at(W_Q, 1)")), notation_text(parse_notation("part(bar(X), Q)"))
    ('at(W_Q, 1)', 'part(bar(X), Q)')
    """
    match tree:
        case NotName(text):
            return text
        case NotDecorated(kind, x):
            return f"{kind}({notation_text(x)})"
        case NotProduct(factors):
            return " @ ".join(
                f"({notation_text(x)})" if isinstance(x, NotSum | NotProduct) else notation_text(x) for x in factors
            )
        case NotSum(terms):
            return " + ".join(f"({notation_text(x)})" if isinstance(x, NotSum) else notation_text(x) for x in terms)
        case NotTranspose(x):
            return f"({notation_text(x)}).T" if isinstance(x, NotSum | NotProduct) else f"{notation_text(x)}.T"
        case NotRow(x, index):
            return f"row({notation_text(x)}, {index})"
        case NotDot(left, right):
            return f"dot({notation_text(left)}, {notation_text(right)})"
        case NotPart(x, through):
            return f"part({notation_text(x)}, {through.text})"
        case NotAt(x, time):
            return f"at({x.text}, {time})"
        case NotPartial(of, by, through):
            return f"grad({', '.join(each.text for each in (of, by, through) if each is not None)})"
