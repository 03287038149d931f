"""Parse text into equations, and nothing but equations.

They are written in Python's expression syntax, parsed with Python's own ``ast``, and never run: ``^`` is a power, ``a
if c else b`` distinguishes cases, ``sum(k, …)`` and ``max(k, …)`` run over all values of an index.

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
from keyword import kwlist
from typing import Literal, cast

from symattn.base import limits
from symattn.base.errors import FormulaError, cut, shown, unknown
from symattn.operations.equations.ranges import EquationError, piece_text, settled
from symattn.operations.equations.ranges import each as all_of
from symattn.operations.equations.tree import (
    All,
    Apply,
    Branch,
    Compare,
    CompareSign,
    Constant,
    Entry,
    NamedEquation,
    Operation,
    Over,
    Parameter,
    Tree,
    walk,
)
from symattn.operations.equations.whole import RATIONAL

FUNCTIONS: dict[str, int] = {
    **dict.fromkeys(("exp", "log", "sqrt", "tanh", "erf", "sin", "cos", "acos", "abs", "floor", "xlogx"), 1),
    **dict.fromkeys(("min", "max"), 2),
}
"""The elementary functions that an equation may call, with the number of their arguments."""

_OPERATORS: dict[type[ast.operator], str] = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.Div: "div",
    ast.Pow: "pow",
    ast.Mod: "mod",
}

_SIGNS: dict[type[ast.cmpop], CompareSign] = {
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
_WORDS = frozenset({*FUNCTIONS, *kwlist, "sum", "pi", "oo", "size", "whole", "number"})
"""Words with a meaning of their own in an equation."""


def read_operation(text: str, source: str = "", called: str = "") -> Operation:
    """Parse an operation: a line with name, parameters and shape, then a line for each equation.

    Raises :class:`~symattn.base.errors.FormulaError` with the place in the equation where something is wrong.
    """
    # A line that begins with a word of a case belongs to the line above it.
    first, *lines = [line.strip() for line in _GOES_ON.sub(" ", text).strip().splitlines()] or [""]
    said, _, shape = first.partition("->")
    head = _HEAD.match(said)
    if head is None:
        raise FormulaError(f"{shown(first)}: expected name(parameters) -> shape, as in softmax(S: m×n) -> m×n")
    operation = build_operation(head["name"], _split(head["parameters"]), lines, shape.strip())
    return replace(operation, source=source, called=called or head["name"])


def build_operation(name: str, parameters: Sequence[str], equations: Sequence[str], shape: str = "") -> Operation:
    """Return the operation of that name, with parameters and equations from text.

    Raises :class:`~symattn.base.errors.FormulaError` where the name, the number of equations or the shape is wrong, and
    :class:`~symattn.operations.equations.ranges.EquationError` with the parameter or equation that is.

    >>> build_operation("softcap", ["X", "c"], ["y[i,j] = c * tanh(X[i,j] / c)"]).parameters[1].kind
    'number'
    """
    if not _NAME.match(name):
        raise FormulaError(f"operation {shown(name)}: expected a name of ASCII letters, digits and underscores")
    if not equations:
        raise FormulaError(f"operation {name}: expected at least one equation, as in y[i,j] = 2 * X[i,j]")
    if len(equations) > limits.EQUATIONS:
        raise FormulaError(f"operation {name}: more than EQUATIONS = {limits.EQUATIONS} equations")
    if len(shape) > limits.FORMULA_LENGTH:
        raise FormulaError(f"operation {name}: the shape has more than {limits.FORMULA_LENGTH} characters")
    given = all_of(parameters, lambda text: _parameter(name, text))
    for before, after, text in zip(given, given[1:], parameters[1:], strict=False):
        if before.default is not None and after.default is None:
            said = f"{after.name} has to be given and {before.name} has a usual value: expected {after.name} before it"
            raise EquationError(f"operation {name}: {said}", text)
    lefts = all_of(equations, lambda text: _left(name, text))
    known: dict[str, str] = {}
    for defined, text in [*zip((p.name for p in given), parameters, strict=True), *((e.name, e.text) for e in lefts)]:
        if defined in known:
            wanted = "every parameter and equation has its own name"
            raise EquationError(f"operation {name}: {defined} is defined twice; {wanted}", text)
        known[defined] = text
    read = all_of(lefts, lambda left: _equation(left, known))
    return settled(name, given, _axes(name, shape, "the result") if shape else (), read)


def _split(text: str) -> list[str]:
    """Split a text at commas outside parentheses."""
    pieces, depth, start = [], 0, 0
    for place, mark in enumerate(text):
        depth += (mark in "([") - (mark in ")]")
        if mark == "," and not depth:
            pieces.append(text[start:place])
            start = place + 1
    return [piece.strip() for piece in [*pieces, text[start:]] if piece.strip()]


def _parameter(operation: str, text: object) -> Parameter:
    """Parse a parameter: ``X``, ``X: m×n``, ``*X: m×n``, ``c = 1/2``, ``gamma: d = 1``, ``n: size``, ``t: whole``."""
    if not isinstance(text, str) or len(text) > limits.FORMULA_LENGTH:
        raise EquationError(
            f"operation {operation}: a parameter is a text of at most {limits.FORMULA_LENGTH} characters"
        )
    said, _, default = text.partition("=")
    name, _, axes = (part.strip() for part in said.partition(":"))
    many, name = name.startswith("*"), name.removeprefix("*").strip()
    if not _NAME.match(name) or name in _WORDS:
        raise EquationError(
            f"operation {operation}: parameter {shown(text)}: expected a name of ASCII letters, digits and underscores "
            "that is no function, perhaps with axes or a value, as in X: m×n or c = 1/2",
            text,
        )
    place = f"operation {operation}: parameter {name}"
    usual = _read(default.strip(), place, (), text=text) if default.strip() else None
    if usual is not None and (wrong := [each for each in walk(usual) if isinstance(each, Entry | Over | Branch)]):
        said = shown(getattr(wrong[0], "name", default.strip()))
        raise EquationError(f"{place}: {said} is no number: expected a number such as 1/2 or -oo", text)
    if axes in ("size", "whole", "number"):
        return Parameter(name, cast(Literal["size", "whole", "number"], axes), (), usual)
    lengths = _axes(operation, axes, f"parameter {name}", text) if axes else ()
    if len(lengths) > 2:
        raise EquationError(f"{place}: expected one axis or two, came {shown(axes)}", text)
    kind: Literal["matrix", "row", "number"] = "matrix" if len(lengths) == 2 else "row" if lengths else "number"
    return Parameter(name, kind, lengths, usual, many)


def _axes(operation: str, text: str, what: str, whole: str = "") -> tuple[Tree, ...]:
    """Parse the lengths of a shape: m×n, d, 1×n, n×(d/h)."""
    place = f"operation {operation}: the shape of {what}"
    return tuple(_read(piece.strip(), place, (), text=whole) for piece in re.split(r"×|\bx\b", text))


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
    """Parse the left side of an equation: y[i,j], mu[i], total."""
    if not isinstance(text, str) or len(text) > limits.FORMULA_LENGTH:
        raise EquationError(
            f"operation {operation}: an equation is a text of at most FORMULA_LENGTH = {limits.FORMULA_LENGTH} "
            "characters",
            str(text),
        )
    place = f"operation {operation}: equation {shown(text)}"
    if "\n" in text or "\0" in text:
        raise EquationError(f"{place}: an equation is one line", text)
    left, sign, body = text.partition("=")
    found = _LEFT.match(left.strip())
    index = tuple(each.strip() for each in (found["index"] or "").split(",")) if found and found["index"] else ()
    if found is None or not sign or body.startswith("=") or not all(map(_NAME.match, (found["name"], *index))):
        raise EquationError(f"{place}: expected name[i,j] = …, with letters as indices", text)
    if clash := {found["name"], *index} & _WORDS:
        raise EquationError(f"{place}: {min(clash)} has a meaning of its own here", text)
    if len(index) > 2 or len(set(index)) < len(index):
        raise EquationError(f"{place}: expected at most two different indices, a row and a column", text)
    return _Left(operation, found["name"], index, body.strip(), text)


def _equation(left: _Left, names: Collection[str]) -> NamedEquation:
    body = _read(left.body, left.place, names, left.index, text=left.text, of=left.operation)
    return NamedEquation(left.name, left.index, body, left.text)


def _read(
    source: str, place: str, names: Collection[str], index: Collection[str] = (), *, text: str = "", of: str = ""
) -> Tree:
    """Parse a text; ``place`` and ``text`` locate it in errors, ``of`` is its operation."""
    said, source = source, source.replace("^", "**")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(source, mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError, OverflowError):
        raise EquationError(f"{place}: {_unreadable(said)}", text) from None
    return _Body(source, place, frozenset(names), frozenset(index), text, of).expression(tree.body, 0)


def _unreadable(said: str) -> str:
    """Explain why Python's own parser rejects a text, where that is known."""
    depth = deepest = 0
    for mark in said:
        depth += (mark in "([") - (mark in ")]")
        deepest = max(deepest, depth)
    if deepest > limits.FORMULA_DEPTH:
        return f"nested deeper than FORMULA_DEPTH = {limits.FORMULA_DEPTH}"
    wanted = "expected numbers, names, + - * / ^ and functions"
    if depth:
        wanted = f"a bracket is {'not closed' if depth > 0 else 'closed that is not open'}"
    if strange := next((mark for mark in said if not mark.isascii()), ""):
        wanted = f"{strange} has no place in an equation, which is written with ASCII signs such as - * / <= and !="
    return f"{shown(said)} cannot be read: {wanted}"


@dataclass(frozen=True)
class _Body:
    """Parses one right side."""

    source: str
    place: str
    names: frozenset[str]
    index: frozenset[str]
    text: str = ""
    operation: str = ""

    def error(self, node: ast.AST, what: str) -> EquationError:
        segment = (ast.get_source_segment(self.source, node) or "").replace("**", "^")
        return EquationError(f"{self.place}: {shown(segment)}: {what}", self.text)

    def expression(self, node: ast.expr, depth: int) -> Tree:
        if depth > limits.FORMULA_DEPTH:
            limit = f"FORMULA_DEPTH = {limits.FORMULA_DEPTH}"
            raise EquationError(f"{self.place}: nested deeper than {limit}", self.text)
        deeper = depth + 1
        match node:
            case ast.Constant():
                return self._number(node)
            case ast.Name("pi" | "oo" as name):
                return Apply(name)
            case ast.Name(name):
                return Entry(name)
            case ast.Subscript(ast.Name(name), inside):
                places = inside.elts if isinstance(inside, ast.Tuple) else [inside]
                return Entry(name, tuple(self.expression(each, deeper) for each in places))
            case ast.UnaryOp(ast.USub(), operand):
                return Apply("neg", (self.expression(operand, deeper),))
            case ast.BinOp(left, operator, right) if type(operator) in _OPERATORS:
                sides = (self.expression(left, deeper), self.expression(right, deeper))
                if isinstance(operator, ast.Pow):
                    self._must_be_small(node, *sides)
                return Apply(_OPERATORS[type(operator)], sides)
            case ast.IfExp(test, body, otherwise):
                return Branch(
                    self._condition(test, deeper), self.expression(body, deeper), self.expression(otherwise, deeper)
                )
            case ast.Call(ast.Name(function), arguments, []):
                return self._call(node, function, arguments, deeper)
        raise self.error(
            node, "this has no place in an equation: expected numbers, names, + - * / ^, functions, if and else"
        )

    def _must_be_small(self, node: ast.expr, base: Tree, exponent: Tree) -> None:
        """Reject a power of numbers, or with one as its exponent, that would be unreasonably long."""
        value, of = _constant(exponent), _constant(base)
        if value is None or value.denominator != 1:
            return
        if of is None and abs(value) > limits.SYMBOL_EXPONENT:
            limit = f"SYMBOL_EXPONENT = {limits.SYMBOL_EXPONENT}"
            raise self.error(node, f"the exponent {cut(str(value))} is larger than {limit}")
        digits = 0 if of is None else len(str(max(abs(of.numerator), of.denominator)))
        if digits * min(abs(int(value)), 10**6) > limits.POWER_DIGITS:
            raise self.error(node, f"this has more than POWER_DIGITS = {limits.POWER_DIGITS} digits")

    def _number(self, node: ast.Constant) -> Constant:
        segment = (ast.get_source_segment(self.source, node) or "").replace("_", "")
        if re.fullmatch(r"\d{1,60}(\.\d{0,60})?|\.\d{1,60}", segment, re.ASCII) is None:
            raise self.error(node, "expected a number of digits, such as 2 or 0.5")
        return Constant(Fraction(segment))

    def _call(self, node: ast.Call, function: str, arguments: list[ast.expr], depth: int) -> Tree:
        if function == "sum" and len(arguments) == 1 and not self.names:
            # In a shape: the length of all parts of *X: n×a together.
            return Apply("sum", (self.expression(arguments[0], depth),))
        if function == "sum" or (function == "max" and self._binds(arguments)):
            if len(arguments) != 2 or not isinstance(arguments[0], ast.Name):
                raise self.error(node, f"expected an index and what is taken over it, as in {function}(k, X[i,k])")
            index = arguments[0].id
            if index in self.names or index in self.index or index in _WORDS:
                raise self.error(node, f"{index} stands for something else already: expected a letter of its own")
            inside = replace(self, index=self.index | {index})
            return Over(cast(Literal["sum", "max"], function), index, inside.expression(arguments[1], depth))
        if function == self.operation and function not in FUNCTIONS:
            raise self.error(node, f"{function} is defined by itself: an equation needs what stands above it only")
        if function not in FUNCTIONS:
            raise self.error(node, unknown("function", function, ["sum", *FUNCTIONS]))
        if len(arguments) != FUNCTIONS[function]:
            raise self.error(node, f"{function} is of {FUNCTIONS[function]} numbers, came {len(arguments)}")
        return Apply(function, tuple(self.expression(each, depth) for each in arguments))

    def _binds(self, arguments: list[ast.expr]) -> bool:
        first = arguments[0] if arguments else None
        return isinstance(first, ast.Name) and first.id not in self.names and first.id not in self.index | {"pi"}

    def _condition(self, node: ast.expr, depth: int) -> Compare | All:
        match node:
            case ast.BoolOp(ast.And(), values):
                parts = [self._condition(each, depth) for each in values]
                return All(tuple(each for part in parts for each in part.parts))
            case ast.Compare(left, operators, rights) if all(type(each) in _SIGNS for each in operators):
                sides = [self.expression(each, depth) for each in (left, *rights)]
                found = tuple(
                    Compare(_SIGNS[type(sign)], a, b) for sign, a, b in zip(operators, sides, sides[1:], strict=False)
                )
                return found[0] if len(found) == 1 else All(found)
        raise self.error(node, "expected a comparison, such as j <= i or X[i,j] > 0")


def _constant(piece: Tree) -> Fraction | None:
    """Return the constant value of a piece, as far as arithmetic on fractions shows it."""
    match piece:
        case Constant(value):
            return value
        case Apply("neg", (of,)):
            negative = _constant(of)
            return None if negative is None else -negative
        case Apply("div" | "mul" | "add" | "sub" | "pow", (left, right)):
            one, other = _constant(left), _constant(right)
            if one is None or other is None or (piece.function == "div" and other == 0):
                return None
            if piece.function != "pow":
                return Fraction(RATIONAL[piece.function](one, other))
            # A power inside an exponent has been found small already, where it is one of whole numbers.
            is_whole = other.denominator == 1 and (one != 0 or other >= 0)
            return one ** int(other) if is_whole else None
    return None


def declared(operation: Operation) -> str:
    """Return the text of an operation: its name with parameters and shape, then a line for each equation.

    >>> from symattn.operations.equations.read import read_operation
    >>> print(declared(read_operation("softcap(X, c = 5)\\n y[i,j] = c * tanh(X[i,j] / c)")))
    softcap(X: m×n, c = 5) -> m×n
        y[i,j] = c*tanh(X[i,j]/c)
    """
    lines = (_equation_line(each.name, each.index, piece_text(each.body)) for each in operation.equations)
    return "\n    ".join([signature(operation), *lines])


def signature(operation: Operation) -> str:
    """Return the first line of an operation: name, parameters and shape."""
    given = ", ".join(map(parameter_text, operation.parameters))
    return f"{operation.name}({given}) -> {'×'.join(map(_axis, operation.shape))}"


def parameter_text(parameter: Parameter) -> str:
    """Write a parameter as in a definition."""
    kind = "×".join(map(_axis, parameter.axes)) if parameter.is_matrix else parameter.kind
    usual = "" if parameter.default is None else f" = {piece_text(parameter.default)}"
    return f"{'*' if parameter.many else ''}{parameter.name}{'' if kind == 'number' else f': {kind}'}{usual}"


def _equation_line(name: str, index: tuple[str, ...], body: str) -> str:
    return f"{name}[{','.join(index)}] = {body}" if index else f"{name} = {body}"


def _axis(axis: Tree) -> str:
    text = piece_text(axis)
    return text if text.isalnum() or text.startswith("sum(") else f"({text})"
