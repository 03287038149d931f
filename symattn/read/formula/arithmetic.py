"""The signs of a formula between matrices and numbers: a rule for each, all of one form.

>>> from symattn.read.formula import Scope, read_formula
>>> from symattn.base.shapes import shape
>>> read_formula("X * Y - 1", Scope({"X": shape(3, 4), "Y": shape(3, 4)})).expr
-Everywhere(1, 3, 4) + Hadamard(X, Y)
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from math import log10
from types import MappingProxyType
from typing import Any, Protocol, TypeAlias

from sympy import Expr, Integer, Pow, Rational, Symbol, sqrt

from symattn.base import limits
from symattn.base.errors import cut
from symattn.base.parentheses import beside, tight
from symattn.base.shapes import Shape
from symattn.operations import EntryQuotient, Hadamard, terms
from symattn.operations.symbols import tidy
from symattn.operations.terms import Term
from symattn.read.formula import wrong
from symattn.read.formula.broadcast import aligned, as_column, as_row
from symattn.read.formula.calling import SURD_EXPONENT, FormulaReading, call
from symattn.read.formula.tree import Beside, Caret, Cdot, Times

Side: TypeAlias = "Term | Expr"
"""An operand of a sign."""


class SignReading(FormulaReading, Protocol):
    """The parts of the current formula's reader that the rules of signs need."""

    @property
    def known_sizes(self) -> Mapping[Symbol, Expr]:
        """The sizes that are whole numbers."""

    def real(self, value: Expr) -> Expr:
        """Check that a number is real or infinite, and short enough to be written out, and return it."""

    def finite(self, value: Expr, use: str) -> Expr:
        """Check that a number is finite, and return it."""


def _sum(
    matrices: Callable[[Term, Term], Term],
    sign: str,
    numbers: Any,
    reader: SignReading,
    left: Side,
    right: Side,
    node: ast.BinOp,
) -> Side:
    if isinstance(left, Term) or isinstance(right, Term):
        return matrices(*aligned(reader.term(left, "the term"), reader.term(right, "the term"), sign))
    return reader.real(numbers(left, right))


def _multiply(reader: SignReading, left: Side, right: Side, node: ast.BinOp) -> Side:
    if isinstance(left, Term) and isinstance(right, Term):
        one, other = aligned(left, right, "*")
        return Term(Hadamard(one.expr, other.expr), one.shape, beside(left.text, "*", right.text))
    if isinstance(left, Term):
        return terms.multiple(reader.finite(right, "the factor"), left)
    if isinstance(right, Term):
        return terms.multiple(reader.finite(left, "the factor"), right)
    return reader.real(left * right)


def _divide(reader: SignReading, left: Side, right: Side, node: ast.BinOp) -> Side:
    if isinstance(right, Term):
        above = reader.term(left, "the dividend")
        one, other = aligned(above, right, "/")
        return Term(EntryQuotient(one.expr, other.expr), one.shape, beside(above.text, "/", right.text))
    known = tidy(reader.finite(right, "the divisor").xreplace(reader.known_sizes))
    if known.is_number and known.is_zero:
        raise reader.error("division by zero")
    if isinstance(left, Term):
        return terms.quotient(left, right)
    return reader.real(left / right)


def _matmul(reader: SignReading, left: Side, right: Side, node: ast.BinOp) -> Term:
    if not (isinstance(left, Term) and isinstance(right, Term)) or 0 in (left.shape.ndim, right.shape.ndim):
        raise reader.error(wrong.no_product(left, right))
    one, other = as_row(left), as_column(right)
    product = terms.product_term(one, other, wrong.is_grouped(node))
    reader.products.append(partial(terms.product_cost, one, other))
    # As in NumPy, the summed axis disappears, and with it the only axis of a vector.
    ndim = left.shape.ndim + right.shape.ndim - 2
    return replace(product, shape=Shape(product.shape.rows, product.shape.columns, ndim))


def _beside(reader: SignReading, left: Side, right: Side, node: ast.BinOp) -> Side:
    """Read Q Kᵀ or 2 X: a product of matrices or a multiple; two vectors are ambiguous."""
    is_turned = isinstance(node.left, ast.Attribute) or isinstance(node.right, ast.Attribute)  # q kᵀ is a product
    both = isinstance(left, Term) and isinstance(right, Term)
    if both and not is_turned and left.shape.ndim == right.shape.ndim == 1:
        products = (beside(left.text, sign, right.text) for sign in "@*")
        said = beside(left.text, "·", right.text).replace(" · ", " ")
        raise reader.error(wrong.two_readings(said, *products))
    return _product(reader, left, right, node)


def _product(reader: SignReading, left: Side, right: Side, node: ast.BinOp) -> Side:
    both = isinstance(left, Term) and isinstance(right, Term)
    is_product = both and left.shape.sizes != (1, 1) != right.shape.sizes
    return (_matmul if is_product else _multiply)(reader, left, right, node)


def _dot(reader: SignReading, left: Side, right: Side, node: ast.BinOp) -> Side:
    """Read q · k: the dot product of two vectors or two rows; for longer expressions it is ambiguous."""
    if isinstance(left, Term) and isinstance(right, Term) and _are_two_rows(left, right):
        if not all(isinstance(side, ast.Name | ast.Subscript | ast.Attribute) for side in (node.left, node.right)):
            products = (f"dot({left.text}, {right.text})", beside(left.text, "*", right.text))
            raise reader.error(wrong.two_readings(beside(left.text, "·", right.text), *products))
        return call("dot", reader, left, right)
    return _product(reader, left, right, node)


def _are_two_rows(left: Term, right: Term) -> bool:
    sizes = as_row(left).shape.sizes
    return sizes[0] == 1 != sizes[1] and as_row(right).shape.sizes == sizes


def _times(reader: SignReading, left: Side, right: Side, node: ast.BinOp) -> Side:
    """Read a cross between matrices as the product that fits; if both fit, it is ambiguous."""
    if not (isinstance(left, Term) and isinstance(right, Term)) or (1, 1) in (left.shape.sizes, right.shape.sizes):
        return _multiply(reader, left, right, node)
    fits = as_row(left).shape.columns.size == as_column(right).shape.rows.size
    alike = left.shape.sizes == right.shape.sizes
    if fits and alike:
        raise reader.error(wrong.two_readings(*(beside(left.text, sign, right.text) for sign in "×@*")))
    return (_multiply if alike else _matmul)(reader, left, right, node)


def _power(reader: SignReading, left: Side, right: Side, node: ast.BinOp) -> Side:
    """Raise a matrix to a power entry by entry, as in NumPy; see :func:`_caret` for powers as on paper."""
    if isinstance(right, Term):
        raise reader.error(wrong.no_exponent(left, right))
    exponent = right.xreplace(reader.known_sizes)
    if isinstance(left, Term):
        return _power_of_entries(reader, left, exponent)
    if exponent.is_Rational and exponent.q in _ROOTS:
        for _ in range(_ROOTS[exponent.q]):
            left = root_call(reader, left)
        return _power_of_number(reader, left, exponent.p)
    other = f"exp(log({left}) * {tight(str(exponent))})"
    raise reader.error(f"the exponent {exponent} of {left}: expected a whole number, or one over 2, 4 or 8; {other}")


_ROOTS: Mapping[int, int] = MappingProxyType({1: 0, 2: 1, 4: 2, 8: 3})
"""The number of nested square roots for an exponent with that denominator."""


def root_call(reader: FormulaReading, radicand: Expr) -> Expr:
    """Return the square root of a number.

    Raises :class:`~symattn.base.errors.FormulaError` for a number below 0 and for one that is too long.
    """
    if radicand.is_number and radicand.is_nonnegative is None:
        radicand = radicand.expand()
    if radicand.is_number and not radicand.is_nonnegative:
        raise reader.error(f"sqrt({radicand}) is not a real number")
    if radicand.is_Rational and max(len(str(radicand.p)), len(str(radicand.q))) > limits.RADICAND_DIGITS:
        raise reader.error(f"the number under the root has more than RADICAND_DIGITS = {limits.RADICAND_DIGITS} digits")
    if reader.kind == "formula" and radicand.is_Integer:
        # In a formula √4 stays √4: the document shows the root and then its value.
        return Pow(radicand, Rational(1, 2), evaluate=False)
    return sqrt(radicand)


def _power_of_entries(reader: SignReading, base: Term, exponent: Expr) -> Term:
    text = beside(base.text, "**", terms.written_number(exponent))
    if exponent.is_negative:
        below = _power_of_entries(reader, base, -exponent)
        one = aligned(terms.single(Integer(1)), below, "/")
        return Term(EntryQuotient(*(side.expr for side in one)), below.shape, text)
    if exponent == 1:
        return base
    if exponent == Rational(1, 2):
        return replace(call("sqrt", reader, base), text=text)
    if not exponent.is_Integer or not 1 <= exponent <= limits.MATRIX_EXPONENT:
        raise reader.error(
            f"the exponent {cut(str(exponent))} of {base.text}: expected a whole number from 1 to "
            f"{limits.MATRIX_EXPONENT}, the negative of one, 1/2 or -1/2"
        )
    return replace(call("power", reader, base, exponent), text=text)


def _caret(reader: SignReading, left: Side, right: Side, node: ast.BinOp) -> Side:
    """Read x^2: as on paper a matrix power for a square matrix, and a power of the entries for others."""
    if isinstance(left, Term) and not isinstance(right, Term):
        rows, columns = left.shape.sizes
        exponent = right.xreplace(reader.known_sizes)
        if rows == columns != 1 and exponent.is_Rational and exponent not in (0, 1):
            raise reader.error(wrong.two_powers(left, exponent))
    return _power(reader, left, right, node)


def _power_of_number(reader: SignReading, base: Expr, exponent: int) -> Expr:
    if base.is_Rational:
        # The length of the result is estimated before it is computed. The float only refuses.
        largest = max(abs(base.p), base.q)
        if min(abs(exponent), 10**6) * (log10(largest) if largest > 1 else 0) > limits.POWER_DIGITS:
            written = f"({base})" if base < 0 or base.q > 1 else str(base)
            raise reader.error(
                f"{cut(f'{written}^{exponent}')} has more than POWER_DIGITS = {limits.POWER_DIGITS} digits"
            )
    elif base.free_symbols and abs(exponent) > limits.SYMBOL_EXPONENT:
        limit = f"SYMBOL_EXPONENT = {limits.SYMBOL_EXPONENT}"
        raise reader.error(f"the exponent {exponent} of {cut(str(base))} is larger than {limit}")
    elif abs(exponent) > SURD_EXPONENT:
        raise reader.error(f"the exponent {exponent} of a root is larger than SURD_EXPONENT = {SURD_EXPONENT}")
    # For an expression in letters SymPy would look for its sign by the roots, endlessly for a high power.
    if exponent <= 0 and base.is_number and base.is_zero:
        raise reader.error(f"0^{exponent} is not a number")
    return reader.real(base**exponent)


OPERATORS: Mapping[type[ast.operator], Callable[..., Side]] = MappingProxyType(
    {
        ast.Add: partial(_sum, terms.sum_term, "+", operator.add),
        ast.Sub: partial(_sum, terms.difference, "-", operator.sub),
        ast.Mult: _multiply,
        ast.Div: _divide,
        ast.MatMult: _matmul,
        ast.Pow: _power,
        Beside: _beside,
        Cdot: _dot,
        Times: _times,
        Caret: _caret,
    }
)
"""The rule of every sign: a function of the reader, both sides, and the node of the sign."""
