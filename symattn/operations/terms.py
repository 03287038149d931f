"""Building formulas: every operation with its shape checked before SymPy sees it.

A :class:`Term` is a formula under construction, with the shape (and axis names) it has and the text it was written
as, so that an error can name both sides. The functions here are the only places that make nodes.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce

from sympy import Expr, Identity, Integer, MatAdd, MatMul, MatPow, MatrixExpr, MatrixSymbol, Rational, S, Transpose, oo

from symattn import limits, shapes
from symattn.errors import FormulaError, ShapeError, cut
from symattn.operations.arithmetic import Dot, Quotient
from symattn.operations.arrange import Broadcast, CausalMask, Row
from symattn.operations.layer_norm import LayerNorm
from symattn.operations.relu import ReLU
from symattn.operations.softmax import Softmax
from symattn.shapes import Axis, Operand, Shape


@dataclass(frozen=True)
class Term:
    """A matrix formula with its shape and the text it was written as."""

    expr: MatrixExpr
    shape: Shape
    text: str

    @property
    def operand(self) -> Operand:
        return Operand(self.text, self.shape)


def symbol(name: str, shape: Shape) -> Term:
    """A name that stands for a matrix.

    >>> symbol("Q", shapes.shape(3, 4)).expr.shape
    (3, 4)
    """
    from sympy import Symbol

    sizes = (Integer(s) if isinstance(s, int) else Symbol(s, integer=True, positive=True) for s in shape.sizes)
    return Term(MatrixSymbol(name, *sizes), shape, name)


def product(left: Term, right: Term) -> Term:
    """Q @ K: (m, k), (k, n) → (m, n). A chain is kept as one product, in the order it was written."""
    text = f"{_inner(left)} @ {_tight(right)}"
    shape = shapes.product(left.operand, right.operand, text)
    rows, columns = shape.sizes
    if isinstance(rows, int) and isinstance(columns, int):
        _must_be_small(rows, columns, text)
    factors = left.expr.args if isinstance(left.expr, MatMul) else (left.expr,)
    return Term(MatMul(*factors, right.expr, evaluate=False), shape, text)


def total(left: Term, right: Term) -> Term:
    """X + Y: (m, n), (m, n) → (m, n). A chain is kept as one sum, in the order it was written."""
    shape = shapes.same(left.operand, right.operand, "+")
    terms = left.expr.args if isinstance(left.expr, MatAdd) else (left.expr,)
    return Term(MatAdd(*terms, right.expr, evaluate=False), shape, f"{left.text} + {right.text}")


def difference(left: Term, right: Term) -> Term:
    """X − Y: (m, n), (m, n) → (m, n)."""
    shape = shapes.same(left.operand, right.operand, "-")
    terms = left.expr.args if isinstance(left.expr, MatAdd) else (left.expr,)
    negative = multiple(Integer(-1), right)
    return Term(MatAdd(*terms, negative.expr, evaluate=False), shape, f"{left.text} - {_inner(right)}")


def multiple(factor: Expr, term: Term) -> Term:
    """c · X: (m, n) → (m, n)."""
    return Term(
        MatMul(factor, term.expr, evaluate=False),
        term.shape,
        f"{_number(factor)} * {_inner(term)}",
    )


def quotient(term: Term, divisor: Expr) -> Term:
    """X / c: (m, n) → (m, n)."""
    if divisor.is_zero:
        raise FormulaError(f"{term.text} / {divisor}: division by zero")
    return Term(Quotient(term.expr, divisor), term.shape, f"{_inner(term)} / {_number(divisor)}")


def power(term: Term, exponent: int) -> Term:
    """A ** n for a whole n ≥ 1: (m, m) → (m, m)."""
    text = f"{_tight(term)} ** {cut(str(exponent))}"
    shapes.square(term.operand, text)
    if not 1 <= exponent <= 64:
        raise FormulaError(f"{text}: a matrix power has a whole exponent from 1 to 64")
    return Term(MatPow(term.expr, Integer(exponent)), term.shape, text)


def transpose(term: Term) -> Term:
    """K.T: (m, n) → (n, m)."""
    return Term(Transpose(term.expr), term.shape.transposed, f"{_tight(term)}.T")


def softmax(scores: Term) -> Term:
    """softmax of each row: (m, n) → (m, n)."""
    return Term(Softmax(scores.expr), scores.shape, f"softmax({scores.text})")


def relu(argument: Term) -> Term:
    """max(0, x) of each entry: (m, n) → (m, n)."""
    return Term(ReLU(argument.expr), argument.shape, f"relu({argument.text})")


def layer_norm(
    argument: Term, epsilon: Expr = Rational(1, 100_000), gamma: Term | None = None, beta: Term | None = None
) -> Term:
    """Layer norm of each row with the population variance: (m, d), γ and β (1, d) → (m, d)."""
    text = f"layer_norm({argument.text})"
    if epsilon.is_number and not epsilon.is_nonnegative:
        raise FormulaError(f"{text}: epsilon is {epsilon}: expected a number that is not negative")
    if gamma is None and beta is None:
        return Term(LayerNorm(argument.expr, epsilon), argument.shape, text)
    width = argument.shape.columns
    for role, row in (("gamma", gamma), ("beta", beta)):
        if row is not None:
            shapes.row_vector(row.operand, f"{text}, {role}", width)
    from sympy import OneMatrix, ZeroMatrix

    columns = argument.expr.shape[1]
    gain = gamma.expr if gamma is not None else OneMatrix(1, columns)
    bias = beta.expr if beta is not None else ZeroMatrix(1, columns)
    return Term(LayerNorm(argument.expr, epsilon, gain, bias), argument.shape, text)


def causal_mask(axis: Axis, value: Expr = -oo) -> Term:
    """0 on and below the diagonal, ``value`` above it: → (n, n)."""
    size = _whole(axis, "causal_mask")
    _must_be_small(size, size, f"causal_mask({size})")
    return Term(CausalMask(size, value), Shape(axis, axis), f"causal_mask({axis.letter}, {value})")


def identity(axis: Axis) -> Term:
    """The identity matrix: → (n, n)."""
    size = _whole(axis, "identity")
    _must_be_small(size, size, f"identity({size})")
    return Term(Identity(size), Shape(axis, axis), f"identity({axis.letter})")


def broadcast(argument: Term, rows: Axis) -> Term:
    """One row written n times: (1, d) → (n, d)."""
    text = f"broadcast({argument.text}, {rows.letter})"
    shapes.row_vector(argument.operand, text)
    size = _whole(rows, "broadcast")
    columns = argument.shape.columns.size
    if isinstance(columns, int):
        _must_be_small(size, columns, text)
    return Term(Broadcast(argument.expr, size), Shape(rows, argument.shape.columns), text)


def row(argument: Term, number: int) -> Term:
    """Row ``number``, counted from 1: (m, n) → (1, n)."""
    text = f"row({argument.text}, {number})"
    size = argument.shape.rows.size
    if not isinstance(size, int) or not 1 <= number <= size:
        raise ShapeError(f"{text}: {argument.operand}: expected a row from 1 to {size}")
    return Term(Row(argument.expr, number), Shape(Axis(1), argument.shape.columns), text)


def dot(left: Term, right: Term) -> Term:
    """Dot product of two rows: (1, n), (1, n) → (1, 1)."""
    text = f"dot({left.text}, {right.text})"
    shapes.row_vector(left.operand, text)
    shapes.row_vector(right.operand, text, left.shape.columns)
    return Term(Dot(left.expr, right.expr), Shape(Axis(1), Axis(1)), text)


def chain(terms: tuple[Term, ...]) -> Term:
    """The product of several terms, left to right."""
    return reduce(product, terms)


def _whole(axis: Axis, function: str) -> int:
    if isinstance(axis.size, int) and axis.size >= 1:
        return axis.size
    raise FormulaError(f"{function}: {axis} is not a whole number of rows from 1 up")


def _must_be_small(rows: int, columns: int, text: str) -> None:
    if rows * columns > limits.MATRIX_ENTRIES:
        raise FormulaError(f"{cut(text, 100)}: more than MATRIX_ENTRIES = {limits.MATRIX_ENTRIES} entries")


def _number(value: Expr) -> str:
    """A number beside a matrix, in parentheses where it would otherwise be read as something else."""
    plain = value.is_Symbol or (value.is_Integer and not value.is_negative) or (value.is_Pow and value.exp == S.Half)
    return str(value) if plain else f"({value})"


def _inner(term: Term) -> str:
    """The text, in parentheses where a product or quotient around it needs them."""
    return f"({term.text})" if isinstance(term.expr, MatAdd) else term.text


def _tight(term: Term) -> str:
    """The text, in parentheses where a transpose or power around it needs them."""
    loose = isinstance(term.expr, MatAdd | MatMul | Quotient | MatPow)
    return f"({term.text})" if loose else term.text
