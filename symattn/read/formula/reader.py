"""Build terms from the parser's tree.

Everything that is not listed is refused, and nothing is executed. Numbers become exact: ``0.21`` is 21/100.

>>> from symattn.base.shapes import shape
>>> scope = Scope({"Q": shape(3, 4), "K": shape(3, 4)}, {"d_k": 4})
>>> term = read_formula("softmax(Q @ K.T / sqrt(d_k))", scope)
>>> term.expr
Softmax(Quotient(Q*K.T, sqrt(d_k)))
>>> read_number("sqrt(2)/2"), read_number("-10^9"), read_number("0.21")
(sqrt(2)/2, -1000000000, 21/100)
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sympy import Add, Expr, Integer, MatrixExpr, Pow, Rational, S, Symbol, oo, pi

from symattn.base import limits, shapes
from symattn.base.errors import FormulaError, cut, shown, unknown
from symattn.base.shapes import Axis
from symattn.operations import terms
from symattn.operations.symbols import entry_symbol, entry_symbols, terms_of, tidy
from symattn.operations.terms import Term, size_symbol
from symattn.read.formula import wrong
from symattn.read.formula.arithmetic import OPERATORS
from symattn.read.formula.axes import OptionValue
from symattn.read.formula.batch import FormulaValue, Several, each_turned, has_batch, mapped, must_be_turned, taken
from symattn.read.formula.calling import SURD_EXPONENT, Function, vector_of
from symattn.read.formula.functions import TABLE, Scope
from symattn.read.formula.heads import built as of_batch
from symattn.read.formula.indexing import indexed, length
from symattn.read.formula.libraries import CONSTANTS, library, member
from symattn.read.formula.parse import parse
from symattn.read.formula.special import power_of_logarithms
from symattn.read.formula.tree import FromOne, canonical, segment

_PLAIN = re.compile(r"-?\d{1,60}(\.\d{1,60})?\Z", re.ASCII)


@dataclass(frozen=True)
class _Axis:
    """A size on its own, which an operation may use as an axis."""

    axis: Axis


def read_formula(text: str, scope: Scope) -> Term:
    """Read the formula of one matrix.

    Raises :class:`~symattn.base.errors.FormulaError` for syntax, unknown names and functions, and limits;
    :class:`~symattn.base.errors.ShapeError` if operands do not fit.
    """
    value = read_value(text, scope)
    if isinstance(value, Several):
        raise FormulaError(f"formula {shown(text)}: {len(value.parts)} matrices, {value.sizes}: expected one")
    return value


def read_value(text: str, scope: Scope) -> Term | Several:
    """Read the formula of a matrix, or of matrices along leading axes.

    Raises :class:`~symattn.base.errors.FormulaError` and :class:`~symattn.base.errors.ShapeError` as
    :func:`read_formula` does.
    """
    reader = Reader(text, scope)
    read = reader.read()
    value = read if isinstance(read, Several) else reader.term(read, "the formula")
    if isinstance(value, Several):
        must_be_turned(reader, value)
    elif value.expr.has(terms.Kept):
        raise FormulaError(f"formula {shown(text)}: kept(…) counts entries and has its place in a quantity")
    return value


def read_scalar(text: str, scope: Scope) -> Expr:
    """Read the formula of a number, with the names of sizes as symbols.

    Raises :class:`~symattn.base.errors.FormulaError` if it cannot be read, or is a matrix.
    """
    value = Reader(text, scope).read()
    if isinstance(value, Term | Several):
        raise FormulaError(f"formula {shown(text)}: this is a matrix, expected a number")
    return value


def read_any(text: str, scope: Scope) -> FormulaValue:
    """Read the formula of a matrix, a number or a batch."""
    return Reader(text, scope).read()


def read_number(text: str, symbols: Collection[str] = ()) -> Expr:
    """Read an exact number: digits, fractions, roots, powers, logarithms; ``-oo`` for a mask.

    It may contain the names in ``symbols``, which stand for any real number.

    >>> read_number("1/3 + sqrt(8)"), read_number("(a + b)/2", ("a", "b")), read_number("log(6)/2")
    (1/3 + 2*sqrt(2), a/2 + b/2, log(6)/2)
    >>> read_number("10^10^10")
    Traceback (most recent call last):
        ...
    symattn.base.errors.FormulaError: number '10^10^10': 10^10000000000 has more than POWER_DIGITS = 3000 digits
    """
    if _PLAIN.match(text):
        return Rational(text)
    if len(text) > limits.NUMBER_LENGTH:
        raise FormulaError(f"number {shown(text)}: more than NUMBER_LENGTH = {limits.NUMBER_LENGTH} characters")
    scope = Scope({}, symbols=frozenset(symbols)) if symbols else _NO_NAMES
    value = Reader(text, scope, kind="number").read()
    if isinstance(value, Term | Several):
        one = value.parts[0] if isinstance(value, Several) else value
        raise FormulaError(f"number {shown(text)}: {wrong.no_exact_number(one)}")
    if value.free_symbols and terms_of(value) > limits.POLYNOMIAL_TERMS:
        raise FormulaError(
            f"number {shown(text)}: multiplied out it has more than POLYNOMIAL_TERMS = {limits.POLYNOMIAL_TERMS} terms"
        )
    return tidy(value)


_NO_NAMES = Scope({})


class Reader:
    """Reads one text. One method per kind of syntax; the tables below list them."""

    def __init__(self, text: str, scope: Scope, kind: str = "formula") -> None:
        self.text, self.scope, self.kind = text, scope, kind
        # The multiplications of the formula so far, and the masks whose kept entries have a formula. Each is computed
        # only on demand: most formulas are not there to be counted.
        self.products: list[Callable[[], Expr]] = []
        self.kept: dict[MatrixExpr, Callable[[], Expr]] = {}
        self.calling: tuple[str, dict[str, Any]] = ("", {})
        """The current function and its values, for errors that name one of them."""

    def read(self) -> FormulaValue:
        value = self._visit(parse(self.text, self.scope, self.kind), 0)
        if isinstance(value, _Axis):
            return self.scalar(value)
        return value

    def error(self, what: str) -> FormulaError:
        return FormulaError(f"{self.kind} {shown(self.text)}: {what}")

    # -- one method per kind of syntax ---------------------------------------------------------------------------

    def _visit(self, node: ast.expr, depth: int) -> FormulaValue | _Axis:
        if depth > limits.FORMULA_DEPTH:
            raise self.error(f"nested deeper than FORMULA_DEPTH = {limits.FORMULA_DEPTH}")
        rule = _SYNTAX.get(type(node))
        if rule is None or (isinstance(node, ast.Tuple) and node.col_offset == 0):  # 1,000 with nothing around it
            raise self.error(f"{shown(segment(self.text, node))} has no place here; {wrong.instead(node)}")
        return rule(self, node, depth + 1)

    def _constant(self, node: ast.Constant, depth: int) -> Expr:
        digits = node.kind
        if digits is None:
            raise self.error(f"{shown(segment(self.text, node))} has no place here; {wrong.ALLOWED}")
        if abs(int(digits.lower().partition("e")[2] or 0)) > limits.POWER_DIGITS:
            raise self.error(f"{cut(digits)} has more than POWER_DIGITS = {limits.POWER_DIGITS} digits")
        return Rational(digits)

    def _name(self, node: ast.Name, depth: int) -> FormulaValue | _Axis:
        name = node.id
        if name in self.scope.batches:
            return self.scope.batches[name]
        if name in self.scope.names:
            return terms.symbol(name, self.scope.names[name])
        if name in self.scope.sizes:
            return _Axis(Axis(self.scope.sizes[name], name))
        if name in self.scope.quantities or name in self.scope.symbols:
            return entry_symbol(name)
        if name == "oo" or (name in ("inf", "pi") and self.kind != "number"):
            return pi if name == "pi" else oo
        if name in TABLE or name in self.scope.operations:
            raise self.error(f"{name} is a function: write {name}(…)")
        if self.kind == "number":
            if self.scope.symbols:
                raise self.error(unknown("symbol", name, self.scope.symbols))
            raise self.error(f"{shown(name)} is not a number; write digits, fractions, sqrt(…) and powers")
        known = [*self.scope.names, *self.scope.sizes, *self.scope.quantities, *self.scope.symbols]
        raise self.error(unknown("name", name, known, meant=wrong.meant(self.text, name)) + wrong.of_sizes(name))

    def _unary(self, node: ast.UnaryOp, depth: int) -> FormulaValue:
        value = self._visit(node.operand, depth)
        if isinstance(node.op, ast.UAdd):
            return value if isinstance(value, Term | Several) else self.scalar(value)
        if not isinstance(node.op, ast.USub):
            raise self.error(f"this sign has no place here; {wrong.ALLOWED}")
        if isinstance(value, Several):
            return mapped(self, lambda part: terms.multiple(Integer(-1), part), [value], canonical(node))
        if isinstance(value, Term):
            return terms.multiple(Integer(-1), value)
        return -self.scalar(value)

    def _binary(self, node: ast.BinOp, depth: int) -> FormulaValue:
        rule = OPERATORS.get(type(node.op))
        if rule is None:
            raise self.error(f"the operator {type(node.op).__name__} has no place here; {wrong.ALLOWED}")
        left, right = self._visit(node.left, depth), self._visit(node.right, depth)
        one, other = (side if isinstance(side, Term | Several) else self.scalar(side) for side in (left, right))
        if has_batch((one, other)):
            return mapped(self, lambda *sides: rule(self, *sides, node), (one, other), canonical(node))
        return rule(self, one, other, node)

    def _attribute(self, node: ast.Attribute, depth: int) -> FormulaValue:
        if library(_path(self.scope, node.value)) and node.attr in CONSTANTS:
            return CONSTANTS[node.attr]
        if node.attr not in ("T", "mT"):
            raise self.error(f"'.{node.attr}' has no place here; the only attribute is .T, the transpose")
        value = self._visit(node.value, depth)
        if isinstance(value, Several):
            return each_turned(self, value, node.attr)
        return terms.transpose(self.matrix(value, ".T"))

    def _subscript(self, node: ast.Subscript, depth: int) -> FormulaValue:
        if isinstance(node.value, ast.Attribute) and node.value.attr == "shape":
            of, place = self._visit(node.value.value, depth), self._visit(node.slice, depth)
            axis = length(self, self.matrix(of, ".shape"), self.whole(place))
            return _Axis(axis) if axis.name in self.scope.sizes or isinstance(axis.size, str) else Integer(axis.size)
        before = self._visit(node.value, depth)
        if isinstance(before, Several):
            return taken(self, before, node, lambda part: self._visit(part, depth))
        return indexed(self, self.term(before, "brackets"), node, lambda part: self._visit(part, depth))

    def _list(self, node: ast.List | ast.Tuple, depth: int) -> Term:
        return vector_of(self, [self._visit(part, depth) for part in node.elts])

    def _call(self, node: ast.Call, depth: int) -> FormulaValue:
        name, function, before_dot = self._called(node.func)
        before = len(self.products)
        arguments = self._arguments(name, function, [*before_dot, *node.args], node.keywords, depth)
        if function.counts:
            # The products were only written to be counted; the formula around them does not contain them.
            arguments["products"] = self.products[before:]
            del self.products[before:]
        self.calling = (name, arguments)
        built = of_batch(self, name, function, arguments)
        if self.scope.symbols and not self.scope.anywhere and name != "sqrt":
            _must_be_numbers(self, name, arguments)
        return built

    def _called(self, called: ast.expr) -> tuple[str, Function, list[ast.expr]]:
        """Return the called function, and an object before the dot as its first value: softmax, np.exp, X.sum."""
        if isinstance(called, ast.Name):
            function = self.scope.function(called.id)
            if function is None:
                raise self.error(wrong.no_function(called.id, self.scope.functions))
            return called.id, function, []
        path = _path(self.scope, called.value) if isinstance(called, ast.Attribute) else ""
        name = called.attr if isinstance(called, ast.Attribute) else ""
        function = member(path if library(path) else "", name)
        if function is None or not isinstance(called, ast.Attribute):
            raise self.error(wrong.no_call(called, self.scope.functions))
        return name, function, [] if library(path) else [called.value]

    def _arguments(
        self, name: str, function: Function, values: Sequence[ast.expr], keywords: Sequence[ast.keyword], depth: int
    ) -> dict[str, Any]:
        usage = wrong.usage(name, function.parameters, values, function.endless)
        parameters = function.parameters
        if function.endless:
            parameters += tuple(str(number) for number in range(len(parameters), len(values)))
        parameters += function.options[: function.placed]
        too_many = self.error(f"{name} takes {wrong.at_most(function.parameters)}: {usage}")
        if len(values) > len(parameters):
            raise too_many
        given: dict[str, Any] = {}
        for parameter, value in zip(parameters, values, strict=False):
            given[parameter] = self._argument(function, parameter, value, depth)
            if parameter in function.options and isinstance(given[parameter], Term):
                raise too_many
        for keyword in keywords:
            if keyword.arg not in (*parameters, *function.options):
                raise self.error(wrong.no_option(name, str(keyword.arg), function.settable, function.needed))
            if keyword.arg in given:
                raise self.error(f"{name}: {keyword.arg} is given twice")
            value = given[keyword.arg] = self._argument(function, keyword.arg, keyword.value, depth)
            if keyword.arg in function.options and isinstance(value, Term):
                raise self.error(
                    f"{name}: {keyword.arg} is {value.text}, a matrix {value.shape}: expected a whole number"
                )
        missing = [parameter for parameter in function.required if parameter not in given]
        if missing:
            raise self.error(f"{name} also needs {', '.join(missing)}: {usage}")
        return given

    def _argument(self, function: Function, parameter: str, node: ast.expr, depth: int) -> Any:
        if parameter in function.options:
            return self._option(node, depth)
        if parameter in function.lists and isinstance(node, ast.List | ast.Tuple):
            return tuple(self._visit(part, depth) for part in node.elts)
        return self._visit(node, depth)

    def _option(self, node: ast.expr, depth: int) -> OptionValue | Term:
        """Read the value of an option: True, False, None, a whole number, or a list."""
        if isinstance(node, ast.Tuple | ast.List):
            return tuple(self.whole(self._visit(part, depth)) for part in node.elts)
        if isinstance(node, ast.Constant) and (node.value is None or isinstance(node.value, bool)):
            return node.value
        value = self._visit(node, depth)
        return value if isinstance(value, Term) else self.whole(value)

    # -- kinds of values ---------------------------------------------------------------------------------------------

    def scalar(self, value: FormulaValue | _Axis) -> Expr:
        if isinstance(value, Several):
            raise self.error(f"{value.said}: expected a number")
        if isinstance(value, Term):
            raise self.error(wrong.no_number(value, *self.calling))
        if isinstance(value, tuple):
            raise self.error("a list or a tuple stands where a number was expected")
        if isinstance(value, _Axis):
            return size_symbol(value.axis.letter)
        return value

    def matrix(self, value: FormulaValue | _Axis, use: str) -> Term:
        if isinstance(value, Several):
            raise self.error(f"{use}: {value.said}: expected one matrix")
        if isinstance(value, Term):
            return value
        raise self.error(f"{use}: {self.scalar(value)} is a number, expected a matrix")

    def term(self, value: FormulaValue | _Axis, use: str) -> Term:
        """Return a matrix, or a number as a matrix of one entry."""
        if isinstance(value, Term | Several):
            return self.matrix(value, use)
        return terms.single(self.finite(self.scalar(value), use))

    def axis(self, value: FormulaValue | _Axis) -> Axis:
        if isinstance(value, _Axis):
            return value.axis
        return Axis(_sum_of_letters(self.scope, self.scalar(value)) or self.whole(value))

    def whole(self, value: FormulaValue | _Axis) -> int:
        if isinstance(value, _Axis) and isinstance(value.axis.size, int):
            return value.axis.size
        number = self.scalar(value).xreplace(self.known_sizes)
        if not number.is_Integer:
            raise self.error(f"{number} is not a whole number")
        return int(number)

    def size(self, value: FormulaValue | _Axis) -> int | str:
        """Return the whole number that a value is, which may be negative, or the letter of a size."""
        if isinstance(value, _Axis):
            return value.axis.size
        return self.whole(value)

    def real(self, value: Expr) -> Expr:
        """Check that ``value`` is a real number or ±oo that can be written out, and return it."""
        if power_of_logarithms(value) > 1:
            raise self.error(f"{cut(str(value))}: expected sums of logarithms, each times a number without one")
        if value.is_number and not (value.is_extended_real and value is not S.NaN):
            raise self.error("is not a real number")
        bits = limits.POWER_DIGITS * 10 // 3
        if any(max(abs(n.p), n.q).bit_length() > bits for n in value.atoms(Rational)):
            raise self.error(f"has more than POWER_DIGITS = {limits.POWER_DIGITS} digits")
        for power in value.atoms(Pow):
            if power.exp.is_Rational and power.base.free_symbols and abs(power.exp) > limits.SYMBOL_EXPONENT:
                raise self.error(f"{power.base} is raised to more than SYMBOL_EXPONENT = {limits.SYMBOL_EXPONENT}")
            if power.exp.is_Integer and abs(power.exp) > SURD_EXPONENT:
                raise self.error(f"a sum of roots is raised to more than SURD_EXPONENT = {SURD_EXPONENT}")
        return value

    def finite(self, value: Expr, use: str) -> Expr:
        """Check that ``value`` is a finite real number with the sizes substituted, and return it unchanged."""
        known = value.xreplace(self.known_sizes).doit()
        if known.is_number and not known.is_real:
            raise self.error(f"{use} {value} is not a finite real number")
        return value

    @property
    def known_sizes(self) -> Mapping[Symbol, Expr]:
        """The sizes that are whole numbers."""
        return {size_symbol(name): Integer(size) for name, size in self.scope.sizes.items() if isinstance(size, int)}


def _path(scope: Scope, node: ast.expr) -> str:
    """Return the path before a name, np or torch.nn.functional; empty for other expressions and for matrices."""
    parts = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name) or node.id in scope.names or node.id in scope.batches:
        return ""
    return ".".join([node.id, *reversed(parts)])


def _must_be_numbers(reader: Reader, name: str, arguments: dict[str, Any]) -> None:
    """Refuse symbols as options: they may only be factors and divisors."""
    for parameter, value in arguments.items():
        if isinstance(value, Expr) and entry_symbols(value):
            raise reader.error(
                f"{name}: {parameter} is {value}: expected a number; symbols stand in factors, divisors and givens"
            )


def _sum_of_letters(scope: Scope, value: Expr) -> str | None:
    """Return a sum of sizes, at least one of them a letter, as in ones(m, a + b); ``None`` for everything else."""
    letters = {size_symbol(name): name for name in scope.sizes}
    number, rest = value.as_coeff_Add()
    parts = [term.as_coeff_Mul() for term in Add.make_args(rest)]
    if not all(term in letters and count.is_Integer and count > 0 for count, term in parts):
        return None
    if not number.is_Integer or number < 0 or sum(int(count) for count, _ in parts) > limits.FORMULA_DEPTH:
        return None
    sizes = [scope.sizes[letters[term]] for count, term in parts for _ in range(int(count))]
    total = shapes.total_length([*sizes, int(number)])
    return total if isinstance(total, str) else None


# -- tables -----------------------------------------------------------------------------------------------------

_SYNTAX: dict[type[ast.expr], Callable[..., FormulaValue | _Axis]] = {
    ast.Constant: Reader._constant,
    ast.Name: Reader._name,
    ast.UnaryOp: Reader._unary,
    ast.BinOp: Reader._binary,
    ast.Attribute: Reader._attribute,
    ast.Call: Reader._call,
    ast.Subscript: Reader._subscript,
    FromOne: Reader._subscript,
    ast.List: Reader._list,
    ast.Tuple: Reader._list,
}

FUNCTIONS: tuple[str, ...] = tuple(TABLE)
"""The names of the functions every formula may call."""


def is_name(text: str) -> bool:
    """Return whether ``text`` can name a matrix: ASCII letters, digits and underscores, no number, no word of Python.

    The name of a function can too; it still means the function in a call.

    >>> is_name("W_Q"), is_name("2x"), is_name("softmax"), is_name("pi")
    (True, False, True, False)
    """
    letters = bool(re.fullmatch(r"[A-Za-z][A-Za-z0-9_]{0,39}", text))
    return letters and text not in wrong.NUMBERS and not wrong.is_python_word(text)
