"""Text to formula, and nothing but formulas.

Formulas are written in Python's expression syntax and read with Python's own ``ast``; what is not on the list is
refused, and nothing is ever run. ``^`` is a power, as on paper. Numbers become exact: ``0.21`` is 21/100.

>>> from symattn.shapes import shape
>>> scope = Scope({"Q": shape(3, 4), "K": shape(3, 4)}, {"d_k": 4})
>>> term = read_formula("softmax(Q @ K.T / sqrt(d_k))", scope)
>>> term.expr
Softmax(Quotient(Q*K.T, sqrt(d_k)))
>>> str(term.shape)
'(3, 3)'
>>> read_number("sqrt(2)/2"), read_number("-10^9"), read_number("0.21")
(sqrt(2)/2, -1000000000, 21/100)
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from keyword import iskeyword
from math import log10
from typing import Any

from sympy import Expr, Integer, Pow, Rational, S, Symbol, oo, sqrt

from symattn import limits
from symattn.errors import FormulaError, cut, shown, unknown
from symattn.operations import terms
from symattn.operations.terms import Term
from symattn.shapes import Axis, Shape

SURD_EXPONENT = 64
"""The highest power of a number with roots in it."""

_PLAIN = re.compile(r"-?\d{1,60}(\.\d{1,60})?\Z", re.ASCII)
_DECIMAL = re.compile(r"(?:\d+(?:\.\d*)?|\.\d+)(?:[eE]([+-]?\d{1,6}))?\Z", re.ASCII)


@dataclass(frozen=True)
class Scope:
    """What a formula may speak of: names with shapes, and sizes with their whole numbers (or letters)."""

    names: Mapping[str, Shape]
    sizes: Mapping[str, int | str] = field(default_factory=dict)


@dataclass(frozen=True)
class _Axis:
    """A size standing alone, which an operation may want as an axis."""

    axis: Axis


def read_formula(text: str, scope: Scope) -> Term:
    """The matrix formula that ``text`` writes.

    Raises :class:`~symattn.errors.FormulaError` for syntax, unknown names and functions, and limits;
    :class:`~symattn.errors.ShapeError` where operands do not fit.
    """
    value = _Reader(text, scope).read()
    if isinstance(value, Term):
        return value
    raise FormulaError(f"formula {shown(text)}: this is a number, expected a matrix")


def read_scalar(text: str, scope: Scope) -> Expr:
    """The number that ``text`` writes, with the names of sizes as symbols."""
    value = _Reader(text, scope).read()
    if isinstance(value, Term):
        raise FormulaError(f"formula {shown(text)}: this is a matrix, expected a number")
    return value


def read_any(text: str, scope: Scope) -> Term | Expr:
    """The matrix formula or the number that ``text`` writes."""
    return _Reader(text, scope).read()


def read_number(text: str) -> Expr:
    """The exact number that ``text`` writes: digits, fractions, roots, powers; ``-oo`` for a mask.

    >>> read_number("1/3 + sqrt(8)")
    1/3 + 2*sqrt(2)
    >>> read_number("10^10^10")
    Traceback (most recent call last):
        ...
    symattn.errors.FormulaError: number '10^10^10': 10^10000000000 has more than POWER_DIGITS = 3000 digits
    """
    if _PLAIN.match(text):
        return Rational(text)
    if len(text) > limits.NUMBER_LENGTH:
        raise FormulaError(f"number {shown(text)}: more than NUMBER_LENGTH = {limits.NUMBER_LENGTH} characters")
    value = _Reader(text, _NO_NAMES, kind="number").read()
    if isinstance(value, Term):
        raise FormulaError(f"number {shown(text)}: this is a matrix")
    return value


_NO_NAMES = Scope({})


class _Reader:
    """Reads one text. One method per kind of syntax; the tables below say which there are."""

    def __init__(self, text: str, scope: Scope, kind: str = "formula") -> None:
        self.text, self.scope, self.kind = text, scope, kind
        self.source = text.strip().replace("^", "**")

    def read(self) -> Term | Expr:
        tree = self._parse()
        value = self._visit(tree.body, 0)
        if isinstance(value, _Axis):
            return self._scalar(value)
        return value

    def _parse(self) -> ast.Expression:
        if not self.source:
            raise self._error("is empty")
        if len(self.text) > limits.FORMULA_LENGTH:
            raise self._error(f"more than FORMULA_LENGTH = {limits.FORMULA_LENGTH} characters")
        if "\n" in self.source or "\r" in self.source or "\0" in self.source:
            raise self._error("a formula is one line")
        try:
            with warnings.catch_warnings():
                # What Python's reader thinks of the text is not for the reader of ours.
                warnings.simplefilter("ignore")
                return ast.parse(self.source, mode="eval")
        except SyntaxError as error:
            place = f" near character {error.offset}" if error.offset else ""
            raise self._error(f"is not a formula{place}: {error.msg}") from None
        except (ValueError, RecursionError, MemoryError, OverflowError):
            raise self._error("is not a formula that can be read") from None

    def _error(self, what: str) -> FormulaError:
        return FormulaError(f"{self.kind} {shown(self.text)}: {what}")

    # -- one method per kind of syntax ---------------------------------------------------------------------------

    def _visit(self, node: ast.expr, depth: int) -> Term | Expr | _Axis:
        if depth > limits.FORMULA_DEPTH:
            raise self._error(f"nested deeper than FORMULA_DEPTH = {limits.FORMULA_DEPTH}")
        rule = _SYNTAX.get(type(node))
        if rule is None:
            segment = ast.get_source_segment(self.source, node) or type(node).__name__
            raise self._error(f"{shown(segment)} has no place here; {_ALLOWED}")
        return rule(self, node, depth + 1)

    def _constant(self, node: ast.Constant, depth: int) -> Expr:
        segment = (ast.get_source_segment(self.source, node) or "").replace("_", "")
        if isinstance(node.value, bool) or not isinstance(node.value, int | float):
            raise self._error(f"{shown(segment)} has no place here; {_ALLOWED}")
        match = _DECIMAL.match(segment)
        if match is None:
            raise self._error(f"{shown(segment)} is not a decimal number")
        if abs(int(match[1] or 0)) > limits.POWER_DIGITS:
            raise self._error(f"{segment} has more than POWER_DIGITS = {limits.POWER_DIGITS} digits")
        return Rational(segment)

    def _name(self, node: ast.Name, depth: int) -> Term | Expr | _Axis:
        name = node.id
        if name in self.scope.names:
            return terms.symbol(name, self.scope.names[name])
        if name in self.scope.sizes:
            return _Axis(Axis(self.scope.sizes[name], name))
        if name == "oo":
            return oo
        if name in _FUNCTIONS:
            raise self._error(f"{name} is a function: write {name}(…)")
        if self.kind == "number":
            raise self._error(f"{shown(name)} is not a number; write digits, fractions, sqrt(…) and powers")
        raise FormulaError(
            f"formula {shown(self.text)}: " + unknown("name", name, [*self.scope.names, *self.scope.sizes])
        )

    def _unary(self, node: ast.UnaryOp, depth: int) -> Term | Expr:
        value = self._visit(node.operand, depth)
        if isinstance(node.op, ast.UAdd):
            return value if isinstance(value, Term) else self._scalar(value)
        if not isinstance(node.op, ast.USub):
            raise self._error(f"this sign has no place here; {_ALLOWED}")
        if isinstance(value, Term):
            return terms.multiple(Integer(-1), value)
        return -self._scalar(value)

    def _binary(self, node: ast.BinOp, depth: int) -> Term | Expr:
        rule = _OPERATORS.get(type(node.op))
        if rule is None:
            raise self._error(f"the operator {type(node.op).__name__} has no place here; {_ALLOWED}")
        left, right = self._visit(node.left, depth), self._visit(node.right, depth)
        return rule(self, *(side if isinstance(side, Term) else self._scalar(side) for side in (left, right)))

    def _attribute(self, node: ast.Attribute, depth: int) -> Term:
        if node.attr != "T":
            raise self._error(f"'.{node.attr}' has no place here; the only attribute is .T, the transpose")
        return terms.transpose(self._matrix(self._visit(node.value, depth), ".T"))

    def _call(self, node: ast.Call, depth: int) -> Term | Expr:
        if not isinstance(node.func, ast.Name):
            raise self._error("only the functions named in the documentation can be called")
        name = node.func.id
        function = _FUNCTIONS.get(name)
        if function is None:
            raise FormulaError(f"{self.kind} {shown(self.text)}: " + unknown("function", name, _FUNCTIONS))
        arguments = self._arguments(name, function, node, depth)
        return function.build(self, arguments)

    def _arguments(self, name: str, function: _Function, node: ast.Call, depth: int) -> dict[str, Any]:
        usage = f"{name}({', '.join(function.parameters)})"
        if len(node.args) > len(function.parameters):
            raise self._error(f"{name} takes at most {len(function.parameters)} values: {usage}")
        given: dict[str, Any] = {}
        for parameter, value in zip(function.parameters, node.args, strict=False):
            given[parameter] = self._visit(value, depth)
        for keyword in node.keywords:
            if keyword.arg not in function.parameters:
                raise self._error(unknown(f"option of {name}", str(keyword.arg), function.parameters))
            if keyword.arg in given:
                raise self._error(f"{name}: {keyword.arg} is given twice")
            given[keyword.arg] = self._visit(keyword.value, depth)
        missing = [parameter for parameter in function.required if parameter not in given]
        if missing:
            raise self._error(f"{name} also needs {', '.join(missing)}: {usage}")
        return given

    # -- what a value must be ------------------------------------------------------------------------------------

    def _scalar(self, value: Term | Expr | _Axis) -> Expr:
        if isinstance(value, Term):
            raise self._error(f"{value.text} is a matrix {value.shape}, expected a number")
        if isinstance(value, _Axis):
            return size_symbol(value.axis.letter)
        return value

    def _matrix(self, value: Term | Expr | _Axis, use: str) -> Term:
        if isinstance(value, Term):
            return value
        raise self._error(f"{use}: {self._scalar(value)} is a number, expected a matrix")

    def _axis(self, value: Term | Expr | _Axis) -> Axis:
        if isinstance(value, _Axis):
            return value.axis
        return Axis(self._whole(value))

    def _whole(self, value: Term | Expr | _Axis) -> int:
        if isinstance(value, _Axis) and isinstance(value.axis.size, int):
            return value.axis.size
        number = self._scalar(value).xreplace(self._known_sizes)
        if not number.is_Integer:
            raise self._error(f"{number} is not a whole number")
        return int(number)

    def _number(self, value: Expr) -> Expr:
        """``value``, which must be a real number or ±oo, and of a size that can be written down."""
        if value.is_number and not (value.is_extended_real and value is not S.NaN):
            raise self._error("is not a real number")
        bits = limits.POWER_DIGITS * 10 // 3
        if any(max(abs(n.p), n.q).bit_length() > bits for n in value.atoms(Rational)):
            raise self._error(f"has more than POWER_DIGITS = {limits.POWER_DIGITS} digits")
        if any(abs(power.exp) > SURD_EXPONENT for power in value.atoms(Pow) if power.exp.is_Integer):
            raise self._error(f"a sum of roots is raised to more than SURD_EXPONENT = {SURD_EXPONENT}")
        return value

    def finite(self, value: Expr, use: str) -> Expr:
        """``value`` with the sizes put in must be a finite real number; answers ``value`` itself."""
        known = value.xreplace(self._known_sizes).doit()
        if known.is_number and not known.is_real:
            raise self._error(f"{use} {value} is not a finite real number")
        return value

    @property
    def _known_sizes(self) -> dict[Symbol, Expr]:
        return {size_symbol(name): Integer(size) for name, size in self.scope.sizes.items() if isinstance(size, int)}


def size_symbol(name: str) -> Symbol:
    """The symbol that a size's name is inside a formula."""
    return Symbol(name, integer=True, positive=True)


# -- operators ---------------------------------------------------------------------------------------------------


def _add(reader: _Reader, left: Term | Expr, right: Term | Expr) -> Term | Expr:
    if isinstance(left, Term) and isinstance(right, Term):
        return terms.total(left, right)
    return reader._number(reader._scalar(left) + reader._scalar(right))


def _subtract(reader: _Reader, left: Term | Expr, right: Term | Expr) -> Term | Expr:
    if isinstance(left, Term) and isinstance(right, Term):
        return terms.difference(left, right)
    return reader._number(reader._scalar(left) - reader._scalar(right))


def _multiply(reader: _Reader, left: Term | Expr, right: Term | Expr) -> Term | Expr:
    if isinstance(left, Term) and isinstance(right, Term):
        raise reader._error(f"{left.text} * {right.text}: the product of matrices is written with @")
    if isinstance(left, Term):
        return terms.multiple(reader.finite(reader._scalar(right), "the factor"), left)
    if isinstance(right, Term):
        return terms.multiple(reader.finite(left, "the factor"), right)
    return reader._number(left * right)


def _divide(reader: _Reader, left: Term | Expr, right: Term | Expr) -> Term | Expr:
    divisor = reader._scalar(right)
    if reader.finite(divisor, "the divisor").xreplace(reader._known_sizes).is_zero:
        raise reader._error("division by zero")
    if isinstance(left, Term):
        return terms.quotient(left, divisor)
    return reader._number(left / divisor)


def _matmul(reader: _Reader, left: Term | Expr, right: Term | Expr) -> Term:
    return terms.product(reader._matrix(left, "@"), reader._matrix(right, "@"))


def _power(reader: _Reader, left: Term | Expr, right: Term | Expr) -> Term | Expr:
    exponent = reader._scalar(right)
    if not exponent.is_Integer:
        raise reader._error(f"the exponent {exponent} is not a whole number; a root is written sqrt(…)")
    if isinstance(left, Term):
        return terms.power(left, int(exponent))
    base = left
    if base.is_Rational:
        # How long the result would be, found out before it is worked out. The float only refuses.
        largest = max(abs(base.p), base.q)
        if min(abs(int(exponent)), 10**6) * (log10(largest) if largest > 1 else 0) > limits.POWER_DIGITS:
            written = f"({base})" if base < 0 or base.q > 1 else str(base)
            raise reader._error(
                f"{cut(f'{written}^{exponent}')} has more than POWER_DIGITS = {limits.POWER_DIGITS} digits"
            )
    elif abs(int(exponent)) > SURD_EXPONENT:
        raise reader._error(f"the exponent {exponent} of a root is larger than SURD_EXPONENT = {SURD_EXPONENT}")
    if base.is_zero and exponent <= 0:
        raise reader._error(f"0^{exponent} is not a number")
    return reader._number(base**exponent)


# -- functions ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Function:
    """How a name is called: its parameters in order, how many of them are required, and what it builds."""

    parameters: tuple[str, ...]
    needed: int
    build: Callable[[_Reader, dict[str, Any]], Term | Expr]

    @property
    def required(self) -> tuple[str, ...]:
        return self.parameters[: self.needed]


def _build_layer_norm(reader: _Reader, given: dict[str, Any]) -> Term:
    options: dict[str, Any] = {}
    if "epsilon" in given:
        options["epsilon"] = reader._scalar(given["epsilon"])
    for role in ("gamma", "beta"):
        if role in given:
            options[role] = reader._matrix(given[role], role)
    return terms.layer_norm(reader._matrix(given["X"], "layer_norm"), **options)


def _build_causal_mask(reader: _Reader, given: dict[str, Any]) -> Term:
    value = reader._scalar(given["value"]) if "value" in given else -oo
    if value.is_number and not value.is_extended_negative:
        raise reader._error(f"causal_mask: the value is {value}: expected a negative number or -oo")
    return terms.causal_mask(reader._axis(given["n"]), value)


def _build_sqrt(reader: _Reader, given: dict[str, Any]) -> Expr:
    radicand = reader._scalar(given["x"])
    if radicand.is_number and not radicand.is_nonnegative:
        raise reader._error(f"sqrt({radicand}) is not a real number")
    if radicand.is_Rational and max(len(str(radicand.p)), len(str(radicand.q))) > limits.RADICAND_DIGITS:
        raise reader._error(
            f"the number under the root has more than RADICAND_DIGITS = {limits.RADICAND_DIGITS} digits"
        )
    if reader.kind == "formula" and radicand.is_Integer:
        # In a formula √4 stays √4: the document shows the root and then its value.
        return Pow(radicand, Rational(1, 2), evaluate=False)
    return sqrt(radicand)


_FUNCTIONS: dict[str, _Function] = {
    "softmax": _Function(("S",), 1, lambda r, g: terms.softmax(r._matrix(g["S"], "softmax"))),
    "layer_norm": _Function(("X", "epsilon", "gamma", "beta"), 1, _build_layer_norm),
    "relu": _Function(("X",), 1, lambda r, g: terms.relu(r._matrix(g["X"], "relu"))),
    "causal_mask": _Function(("n", "value"), 1, _build_causal_mask),
    "broadcast": _Function(
        ("b", "n"), 2, lambda r, g: terms.broadcast(r._matrix(g["b"], "broadcast"), r._axis(g["n"]))
    ),
    "row": _Function(("X", "i"), 2, lambda r, g: terms.row(r._matrix(g["X"], "row"), r._whole(g["i"]))),
    "dot": _Function(("x", "y"), 2, lambda r, g: terms.dot(r._matrix(g["x"], "dot"), r._matrix(g["y"], "dot"))),
    "identity": _Function(("n",), 1, lambda r, g: terms.identity(r._axis(g["n"]))),
    "sqrt": _Function(("x",), 1, _build_sqrt),
}

_OPERATORS: dict[type[ast.operator], Callable[..., Term | Expr]] = {
    ast.Add: _add,
    ast.Sub: _subtract,
    ast.Mult: _multiply,
    ast.Div: _divide,
    ast.MatMult: _matmul,
    ast.Pow: _power,
}

_SYNTAX: dict[type[ast.expr], Callable[..., Term | Expr | _Axis]] = {
    ast.Constant: _Reader._constant,
    ast.Name: _Reader._name,
    ast.UnaryOp: _Reader._unary,
    ast.BinOp: _Reader._binary,
    ast.Attribute: _Reader._attribute,
    ast.Call: _Reader._call,
}

_ALLOWED = "a formula is made of names, numbers, @ + - * / ^ .T and functions"

FUNCTIONS: tuple[str, ...] = tuple(_FUNCTIONS)
"""The names of the functions a formula may call."""


def is_name(text: str) -> bool:
    """Whether ``text`` can name a matrix: ASCII letters, digits and underscores, not a function.

    >>> is_name("W_Q"), is_name("2x"), is_name("softmax")
    (True, False, False)
    """
    letters = bool(re.fullmatch(r"[A-Za-z][A-Za-z0-9_]{0,39}", text))
    return letters and text not in _FUNCTIONS and text != "oo" and not iskeyword(text)
