"""Text to equations, and nothing but equations.

They are written in Python's expression syntax, read with Python's own ``ast``, and never run: ``^`` is a power,
``a if c else b`` distinguishes cases, ``sum(k, …)`` and ``max(k, …)`` go over all values of an index.

>>> softmax = read_operation('''
...     softmax(S: m×n) -> m×n
...         e[i,j] = exp(S[i,j])
...         y[i,j] = e[i,j] / sum(k, e[i,k])
... ''')
>>> softmax.result.index, [name for name, _ in softmax.ranges]
(('i', 'j'), ['i', 'j', 'k'])
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Literal, cast

from symattn import limits
from symattn.equations.ranges import settled
from symattn.equations.tree import (
    All,
    Call,
    Cases,
    Compare,
    Entry,
    Equation,
    Expression,
    Number,
    Operation,
    Over,
    Parameter,
    Sign,
)
from symattn.errors import FormulaError, cut, shown, unknown

FUNCTIONS: dict[str, int] = {
    **dict.fromkeys(("exp", "log", "sqrt", "tanh", "erf", "sin", "cos", "acos", "abs", "floor", "xlogx"), 1),
    **dict.fromkeys(("min", "max"), 2),
}
"""The elementary functions that an equation may call, and of how many numbers each is."""

_OPERATORS: dict[type[ast.operator], str] = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.Div: "div",
    ast.Pow: "pow",
    ast.Mod: "mod",
}

_SIGNS: dict[type[ast.cmpop], Sign] = {
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Gt: ">",
    ast.GtE: ">=",
}

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,39}\Z", re.ASCII)
_HEAD = re.compile(r"(?P<name>\w+)\s*\((?P<parameters>.*)\)\s*\Z", re.DOTALL)
_LEFT = re.compile(r"(?P<name>\w+)\s*(?:\[(?P<index>[^\[\]]*)\])?\s*\Z")
_GOES_ON = re.compile(r"\n\s*(?=(?:if|else)\b)")
_WORDS = frozenset({*FUNCTIONS, "sum", "pi", "oo", "size", "whole", "number"})
"""Words with a meaning of their own in an equation."""


def read_operation(text: str, source: str = "", called: str = "") -> Operation:
    """The operation that a text writes: a line with name, parameters and shape, then a line for each equation.

    Raises :class:`~symattn.errors.FormulaError` with the place in the equation where something is wrong.
    """
    # What begins with a word of a case belongs to the line above it.
    first, *lines = [line.strip() for line in _GOES_ON.sub(" ", text).strip().splitlines()]
    said, _, shape = first.partition("->")
    head = _HEAD.match(said)
    if head is None:
        raise FormulaError(f"{shown(first)}: expected name(parameters) -> shape, as in softmax(S: m×n) -> m×n")
    operation = build(head["name"], _split(head["parameters"]), lines, shape.strip())
    return replace(operation, source=source, called=called or head["name"])


def build(name: str, parameters: Sequence[str], equations: Sequence[str], shape: str = "") -> Operation:
    """The operation of that name with parameters and equations as they are written.

    >>> build("softcap", ["X", "c"], ["y[i,j] = c * tanh(X[i,j] / c)"]).parameters[1].kind
    'number'
    """
    if not _NAME.match(name):
        raise FormulaError(f"operation {shown(name)}: expected a name of ASCII letters, digits and underscores")
    if not equations:
        raise FormulaError(f"operation {name}: expected at least one equation, as in y[i,j] = 2 * X[i,j]")
    if len(equations) > limits.EQUATIONS:
        raise FormulaError(f"operation {name}: more than EQUATIONS = {limits.EQUATIONS} equations")
    given = [_parameter(name, text) for text in parameters]
    lefts = [_left(name, text) for text in equations]
    names = [*(parameter.name for parameter in given), *(left.name for left in lefts)]
    for place, each in enumerate(names):
        if each in names[:place]:
            raise FormulaError(
                f"operation {name}: {each} is defined twice; every parameter and equation has its own name"
            )
    read = [_Reader(left, names).equation() for left in lefts]
    return settled(name, given, _axes(name, shape, "the result") if shape else (), read)


def _split(text: str) -> list[str]:
    """The pieces between commas that stand in no parentheses."""
    pieces, depth, start = [], 0, 0
    for place, mark in enumerate(text):
        depth += (mark in "([") - (mark in ")]")
        if mark == "," and not depth:
            pieces.append(text[start:place])
            start = place + 1
    return [piece.strip() for piece in [*pieces, text[start:]] if piece.strip()]


def _parameter(operation: str, text: str) -> Parameter:
    """``X``, ``X: m×n``, ``*X: m×n``, ``c = 1/2``, ``gamma: d = 1``, ``n: size``, ``t: whole``."""
    said, _, default = text.partition("=")
    name, _, axes = (part.strip() for part in said.partition(":"))
    many, name = name.startswith("*"), name.removeprefix("*").strip()
    if not _NAME.match(name) or name in _WORDS:
        raise FormulaError(
            f"operation {operation}: parameter {shown(text)}: expected a name of ASCII letters, digits and underscores "
            "that is no function, perhaps with axes or a value, as in X: m×n or c = 1/2"
        )
    place = f"operation {operation}: parameter {name}"
    usual = _read(default.strip(), place, ()) if default.strip() else None
    if axes in ("size", "whole", "number"):
        return Parameter(name, cast(Literal["size", "whole", "number"], axes), (), usual)
    lengths = _axes(operation, axes, f"parameter {name}") if axes else ()
    if len(lengths) > 2:
        raise FormulaError(f"{place}: expected one axis or two, came {shown(axes)}")
    kind: Literal["matrix", "row", "number"] = "matrix" if len(lengths) == 2 else "row" if lengths else "number"
    return Parameter(name, kind, lengths, usual, many)


def _axes(operation: str, text: str, what: str) -> tuple[Expression, ...]:
    """The lengths of a shape: m×n, d, 1×n, n×(d/h)."""
    return tuple(
        _read(piece.strip(), f"operation {operation}: the shape of {what}", ()) for piece in re.split(r"×|\bx\b", text)
    )


@dataclass(frozen=True)
class _Left:
    operation: str
    name: str
    index: tuple[str, ...]
    body: str
    text: str

    @property
    def place(self) -> str:
        return f"operation {self.operation}: equation {shown(self.text)}"


def _left(operation: str, text: object) -> _Left:
    """The left side of an equation: y[i,j], mu[i], total."""
    if not isinstance(text, str) or len(text) > limits.FORMULA_LENGTH:
        raise FormulaError(
            f"operation {operation}: an equation is a text of at most {limits.FORMULA_LENGTH} characters"
        )
    if "\n" in text or "\0" in text:
        raise FormulaError(f"operation {operation}: equation {cut(repr(text))}: an equation is one line")
    left, sign, body = text.partition("=")
    found = _LEFT.match(left.strip())
    index = tuple(each.strip() for each in (found["index"] or "").split(",")) if found and found["index"] else ()
    if found is None or not sign or body.startswith("=") or not all(map(_NAME.match, (found["name"], *index))):
        raise FormulaError(
            f"operation {operation}: equation {shown(text)}: expected name[i,j] = …, with letters as indices"
        )
    if clash := {found["name"], *index} & _WORDS:
        raise FormulaError(f"operation {operation}: equation {shown(text)}: {min(clash)} has a meaning of its own here")
    if len(index) > 2 or len(set(index)) < len(index):
        raise FormulaError(
            f"operation {operation}: equation {shown(text)}: expected at most two different indices, a row and a column"
        )
    return _Left(operation, found["name"], index, body.strip(), text)


def _read(text: str, place: str, names: Collection[str], index: Collection[str] = ()) -> Expression:
    source = text.replace("^", "**")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(source, mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError, OverflowError):
        raise FormulaError(
            f"{place}: {shown(text)} cannot be read: expected numbers, names, + - * / ^ and functions"
        ) from None
    return _Body(source, place, frozenset(names), frozenset(index)).expression(tree.body, 0)


@dataclass(frozen=True)
class _Reader:
    left: _Left
    names: list[str]

    def equation(self) -> Equation:
        left = self.left
        body = _read(left.body, left.place, self.names, left.index)
        return Equation(left.name, left.index, body, left.text)


@dataclass(frozen=True)
class _Body:
    """Reads one right side."""

    source: str
    place: str
    names: frozenset[str]
    index: frozenset[str]

    def error(self, node: ast.AST, what: str) -> FormulaError:
        segment = (ast.get_source_segment(self.source, node) or "").replace("**", "^")
        return FormulaError(f"{self.place}: {shown(segment)}: {what}")

    def expression(self, node: ast.expr, depth: int) -> Expression:
        if depth > limits.FORMULA_DEPTH:
            raise FormulaError(f"{self.place}: nested deeper than FORMULA_DEPTH = {limits.FORMULA_DEPTH}")
        deeper = depth + 1
        match node:
            case ast.Constant():
                return self._number(node)
            case ast.Name("pi" | "oo" as name):
                return Call(name)
            case ast.Name(name):
                return Entry(name)
            case ast.Subscript(ast.Name(name), inside):
                places = inside.elts if isinstance(inside, ast.Tuple) else [inside]
                return Entry(name, tuple(self.expression(each, deeper) for each in places))
            case ast.UnaryOp(ast.USub(), operand):
                return Call("neg", (self.expression(operand, deeper),))
            case ast.BinOp(left, operator, right) if type(operator) in _OPERATORS:
                sides = (self.expression(left, deeper), self.expression(right, deeper))
                return Call(_OPERATORS[type(operator)], sides)
            case ast.IfExp(test, body, otherwise):
                return Cases(
                    self._condition(test, deeper), self.expression(body, deeper), self.expression(otherwise, deeper)
                )
            case ast.Call(ast.Name(function), arguments, []):
                return self._call(node, function, arguments, deeper)
        raise self.error(
            node, "this has no place in an equation: expected numbers, names, + - * / ^, functions, if and else"
        )

    def _number(self, node: ast.Constant) -> Number:
        segment = (ast.get_source_segment(self.source, node) or "").replace("_", "")
        if re.fullmatch(r"\d{1,60}(\.\d{0,60})?|\.\d{1,60}", segment, re.ASCII) is None:
            raise self.error(node, "expected a number of digits, such as 2 or 0.5")
        return Number(Fraction(segment))

    def _call(self, node: ast.Call, function: str, arguments: list[ast.expr], depth: int) -> Expression:
        if function == "sum" and len(arguments) == 1 and not self.names:
            # In a shape: the length of all parts of *X: n×a together.
            return Call("sum", (self.expression(arguments[0], depth),))
        if function == "sum" or (function == "max" and self._binds(arguments)):
            if len(arguments) != 2 or not isinstance(arguments[0], ast.Name):
                raise self.error(node, f"expected an index and what is taken over it, as in {function}(k, X[i,k])")
            index = arguments[0].id
            if index in self.names or index in self.index or index in _WORDS:
                raise self.error(node, f"{index} stands for something else already: expected a letter of its own")
            inside = _Body(self.source, self.place, self.names, self.index | {index})
            return Over(cast(Literal["sum", "max"], function), index, inside.expression(arguments[1], depth))
        if function not in FUNCTIONS:
            raise self.error(node, unknown("function", function, ["sum", *FUNCTIONS]))
        if len(arguments) != FUNCTIONS[function]:
            raise self.error(node, f"{function} is of {FUNCTIONS[function]} numbers, came {len(arguments)}")
        return Call(function, tuple(self.expression(each, depth) for each in arguments))

    def _binds(self, arguments: list[ast.expr]) -> bool:
        first = arguments[0] if arguments else None
        return isinstance(first, ast.Name) and first.id not in self.names and first.id not in self.index | {"pi"}

    def _condition(self, node: ast.expr, depth: int) -> Compare | All:
        match node:
            case ast.BoolOp(ast.And(), values):
                parts = [self._condition(each, depth) for each in values]
                return All(tuple(p for part in parts for p in (part.parts if isinstance(part, All) else (part,))))
            case ast.Compare(left, operators, rights) if all(type(each) in _SIGNS for each in operators):
                sides = [self.expression(each, depth) for each in (left, *rights)]
                found = tuple(
                    Compare(_SIGNS[type(sign)], a, b) for sign, a, b in zip(operators, sides, sides[1:], strict=False)
                )
                return found[0] if len(found) == 1 else All(found)
        raise self.error(node, "expected a comparison, such as j <= i or X[i,j] > 0")
