"""The functions of formulas for somebody who has matrices of SymPy: what comes is SymPy's too, a node.

>>> from sympy import MatrixSymbol
>>> from symattn.authoring.calls import FUNCTIONS
>>> X = MatrixSymbol("X", 2, 3)
>>> FUNCTIONS["softmax"](X * X.T)
Softmax(X*X.T)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from sympy import Add, Basic, Expr, ImmutableDenseMatrix, Integer, MatrixBase, MatrixExpr, Symbol

from symattn import shapes
from symattn.authoring.parts import Formula, formula_of
from symattn.errors import FormulaError, cut
from symattn.formula import read_number
from symattn.formula.calling import Function
from symattn.operations.terms import Term, single, size_symbol
from symattn.shapes import Axis, Shape


def is_sympy(values: Iterable[object]) -> bool:
    """Whether a function is called with matrices of SymPy: with symbols of it, or what is made of them."""
    return any(isinstance(value, MatrixExpr) for value in values)


def node(name: str, function: Function, given: Mapping[str, object]) -> Basic:
    """The node of a function for what is given for its parameters, with the shapes checked."""
    reading = _Reading(name)
    if function.counts:
        raise reading.error("counts what a formula of a derivation takes: expected an Expression, not one of SymPy")
    built = function.build(reading, dict(given))
    expr = built.expr if isinstance(built, Term) else built
    return expr.xreplace(reading.sizes)


class _Reading:
    """What a function of the formula language asks of its values, answered for those of SymPy."""

    kind = "formula"

    def __init__(self, name: str) -> None:
        self.name = name
        self.products: list[Callable[[], Expr]] = []
        self.kept: dict[MatrixExpr, Callable[[], Expr]] = {}
        self.sizes: dict[Symbol, Expr] = {}
        """What the letters of sizes are outside."""

    def error(self, what: str) -> FormulaError:
        return FormulaError(f"{self.name}(…): {what}")

    def scalar(self, value: Any) -> Expr:
        if isinstance(value, Basic) and value.free_symbols and not getattr(value, "is_Matrix", False):
            found: Expr = value
            return found
        part = formula_of(value, f"{self.name}(…)")
        if part.owner is not None:
            raise self.error(f"{cut(part.text)} belongs to a derivation, and a matrix of SymPy to none")
        return read_number(part.text)

    def matrix(self, value: Any, use: str) -> Term:
        if isinstance(value, Term):
            return value
        if isinstance(value, Formula):
            raise self.error(f"{cut(value.text)} belongs to a derivation, and a matrix of SymPy to none")
        if isinstance(value, MatrixBase):
            value = ImmutableDenseMatrix(value)
        elif not isinstance(value, MatrixExpr):
            raise self.error(f"{use}: {cut(str(value))} is a {type(value).__name__}, expected a matrix of SymPy")
        rows, columns = (Axis(self._size(length)) for length in value.shape)
        return Term(value, Shape(rows, columns), str(value))

    def term(self, value: Any, use: str) -> Term:
        is_number = isinstance(value, Expr) and not getattr(value, "is_Matrix", False)
        return single(value) if is_number else self.matrix(value, use)

    def axis(self, value: Any) -> Axis:
        return Axis(self._size(self.scalar(value)))

    def whole(self, value: Any) -> int:
        number = self.scalar(value)
        if not number.is_Integer:
            raise self.error(f"{cut(str(number))} is not a whole number")
        return int(number)

    def _size(self, length: Expr | int) -> shapes.Size:
        """A length as shapes have it: a number, or letters, each for what stands there outside."""
        parts: list[shapes.Size] = []
        for part in Add.make_args(Integer(length) if isinstance(length, int) else length):
            if part.is_Integer:
                parts.append(int(part))
                continue
            letter = str(part)
            self.sizes[size_symbol(letter)] = part
            parts.append(letter)
        return shapes.total(parts)
