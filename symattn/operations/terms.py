"""Building formulas: every operation with its shape checked before SymPy sees it.

A :class:`Term` is a formula under construction, with the shape (and axis names) it has and the text it was written
as, so that an error can name both sides. The functions here are the only places that make nodes.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce

from sympy import (
    Expr,
    Identity,
    Integer,
    MatAdd,
    MatMul,
    MatPow,
    MatrixExpr,
    MatrixSymbol,
    Mul,
    OneMatrix,
    Rational,
    S,
    Symbol,
    Transpose,
    oo,
)

from symattn import limits, shapes
from symattn.errors import FormulaError, ShapeError, cut
from symattn.operations.arithmetic import ClipNorm, Quotient
from symattn.operations.arrange import Broadcast, Concat, Head, OneHot, Row
from symattn.operations.entrywise import ELU, Exp, ReLU
from symattn.operations.layer_norm import LayerNorm
from symattn.operations.masks import CausalMask, Keep, PaddingMask, WindowMask
from symattn.operations.pairs import Angle, Cosine, Dot
from symattn.operations.rows import Entropy, Proportions, RowMax, RowNorm, UnitRows
from symattn.operations.softmax import Softmax
from symattn.shapes import Axis, Operand, Shape, Size


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
    return Term(MatrixSymbol(name, *map(size_number, shape.sizes)), shape, name)


def size_number(size: Size) -> Expr:
    """A size inside a formula: a whole number, or the symbol of a letter.

    >>> size_number(3), size_number("n"), size_number("a + b")
    (3, n, a + b)
    """
    parts = (Integer(part) if isinstance(part, int) else size_symbol(part) for part in shapes.addends(size))
    return reduce(lambda one, other: one + other, parts)


def size_symbol(name: str) -> Symbol:
    """The symbol that a size's name is inside a formula."""
    return Symbol(name, integer=True, positive=True)


def product(left: Term, right: Term, grouped: bool = False) -> Term:
    """Q @ K: (m, k), (k, n) → (m, n). A chain is kept as one product, in the order it was written.

    ``grouped`` keeps a product on the left as a factor of its own, as in (Q @ K.T) @ V: the same value, worked in the
    same order, but written with its parentheses.
    """
    text = f"{f'({left.text})' if grouped else _inner(left)} @ {_tight(right)}"
    shape = shapes.product(left.operand, right.operand, text)
    rows, columns = shape.sizes
    if isinstance(rows, int) and isinstance(columns, int):
        must_be_small(rows, columns, text)
    factors = left.expr.args if isinstance(left.expr, MatMul) and not grouped else (left.expr,)
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
    """c · X: (m, n) → (m, n).

    >>> multiple(Integer(2), multiple(Integer(3), symbol("X", shapes.shape(2, 2)))).expr
    6*X
    """
    said, expr = factor, term.expr
    if isinstance(expr, MatMul) and sum(bool(arg.is_Matrix) for arg in expr.args) == 1:
        # One number before a matrix: 2 (3 X) is 6 X. SymPy asks the matrix in such a product twice for its shape, so
        # that products of this kind inside one another would take twice as long each.
        factor, expr = Mul(factor, *expr.args[:-1]), expr.args[-1]
    return Term(
        MatMul(factor, expr, evaluate=False) if factor != 1 or expr is term.expr else expr,
        term.shape,
        f"{written_number(said)} * {_inner(term)}",
    )


def quotient(term: Term, divisor: Expr) -> Term:
    """X / c: (m, n) → (m, n)."""
    if divisor.is_number and divisor.is_zero:
        raise FormulaError(f"{term.text} / {divisor}: division by zero")
    return Term(Quotient(term.expr, divisor), term.shape, f"{_inner(term)} / {written_number(divisor)}")


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
    written = {"gamma": gamma and gamma.text, "beta": beta and beta.text}
    text = call("layer_norm", argument, Rational(1, 100_000), epsilon=epsilon, **written)
    if epsilon.is_number and not epsilon.is_nonnegative:
        raise FormulaError(f"{text}: epsilon is {epsilon}: expected a number that is not negative")
    if gamma is None and beta is None:
        return Term(LayerNorm(argument.expr, epsilon), argument.shape, text)
    width = argument.shape.columns
    for role, row in (("gamma", gamma), ("beta", beta)):
        if row is not None:
            shapes.row_vector(row.operand, f"{text}, {role}", width)
    from sympy import ZeroMatrix

    columns = argument.expr.shape[1]
    gain = gamma.expr if gamma is not None else OneMatrix(1, columns)
    bias = beta.expr if beta is not None else ZeroMatrix(1, columns)
    return Term(LayerNorm(argument.expr, epsilon, gain, bias), argument.shape, text)


def call(function: str, argument: Term, usual: Expr, **options: Expr | str | None) -> str:
    """How a function with options is written; an option that has its ``usual`` value is left out.

    >>> call("layer_norm", symbol("X", shapes.shape(1, 2)), Integer(1), epsilon=Integer(1), gamma="g")
    'layer_norm(X, gamma=g)'
    """
    said = {name: value for name, value in options.items() if value is not None and value != usual}
    return f"{function}({', '.join([argument.text, *(f'{name}={value}' for name, value in said.items())])})"


def causal_mask(axis: Axis, value: Expr = -oo) -> Term:
    """0 on and below the diagonal, ``value`` above it: → (n, n)."""
    size = axis_size(axis, axis, f"causal_mask({axis.letter})")
    return Term(CausalMask(size, value), Shape(axis, axis), f"causal_mask({axis.letter}, {value})")


def window_mask(axis: Axis, width: Axis, value: Expr = -oo) -> Term:
    """0 where two positions are less than ``width`` apart, ``value`` elsewhere: → (n, n)."""
    text = f"window_mask({axis.letter}, {width.letter})"
    size = axis_size(axis, axis, text)
    if isinstance(width.size, int) and width.size < 1:
        raise FormulaError(
            f"{text}: the window is {width.size}: a position sees at least itself, so expected 1 or more"
        )
    if isinstance(width.size, int) and isinstance(axis.size, int) and width.size > axis.size:
        raise FormulaError(f"{text}: the window is {width.size}, wider than the {axis.size} positions there are")
    return Term(WindowMask(size, size_number(width.size), value), Shape(axis, axis), text)


def keep(argument: Term, mask: Term) -> Term:
    """What a mask leaves visible, exactly 0 elsewhere: (m, n), (m, n) → (m, n)."""
    text = f"keep({argument.text}, {mask.text})"
    if not _is_mask(mask.expr):
        masks = "causal_mask(…), window_mask(…), padding_mask(…), a sum of them, or a name that stands for a mask"
        raise FormulaError(f"{text}: {mask.text} is not a mask: expected {masks}")
    if argument.shape.sizes != mask.shape.sizes:
        raise ShapeError(f"{text}: {argument.operand}, {mask.operand}: expected the same shape")
    shape = Shape(argument.shape.rows.merged(mask.shape.rows), argument.shape.columns.merged(mask.shape.columns))
    return Term(Keep(argument.expr, mask.expr), shape, text)


def _is_mask(formula: MatrixExpr) -> bool:
    if isinstance(formula, MatAdd):
        return all(map(_is_mask, formula.args))
    return isinstance(formula, CausalMask | WindowMask | PaddingMask | MatrixSymbol)


def identity(axis: Axis) -> Term:
    """The identity matrix: → (n, n)."""
    text = f"identity({axis.letter})"
    return Term(Identity(axis_size(axis, axis, text)), Shape(axis, axis), text)


def ones(rows: Axis, columns: Axis) -> Term:
    """1 in every entry: → (m, n)."""
    text = f"ones({rows.letter}, {columns.letter})"
    axis_size(rows, columns, text)
    return Term(OneMatrix(size_number(rows.size), size_number(columns.size)), Shape(rows, columns), text)


def broadcast(argument: Term, rows: Axis) -> Term:
    """One row written n times: (1, d) → (n, d)."""
    text = f"broadcast({argument.text}, {rows.letter})"
    shapes.row_vector(argument.operand, text)
    size = axis_size(rows, argument.shape.columns, text)
    return Term(Broadcast(argument.expr, size), Shape(rows, argument.shape.columns), text)


def row(argument: Term, number: int) -> Term:
    """Row ``number``, counted from 1: (m, n) → (1, n)."""
    text = f"row({argument.text}, {number})"
    size = argument.shape.rows.size
    if not isinstance(size, int) or not 1 <= number <= size:
        raise ShapeError(f"{text}: {argument.operand}: expected a row from 1 to {size}")
    return Term(Row(argument.expr, number), Shape(Axis(1), argument.shape.columns), text)


def head(argument: Term, number: int, count: Axis) -> Term:
    """Block ``number`` of ``count`` equally wide blocks of columns: (n, d) → (n, d/h)."""
    text = f"head({argument.text}, {number}, {count.letter})"
    heads, width = count.size, argument.shape.columns
    if not isinstance(heads, int) or not isinstance(width.size, int):
        raise ShapeError(f"{text}: {argument.operand}: heads are split where both sizes are whole numbers")
    if heads < 1 or width.size % heads:
        fitting = ", ".join(str(h) for h in range(1, width.size + 1) if width.size % h == 0)
        raise ShapeError(
            f"{text}: {argument.operand}: {count} heads do not divide the {width} columns evenly; "
            f"a number of heads that does: {cut(fitting)}"
        )
    if not 1 <= number <= heads:
        raise ShapeError(f"{text}: expected a head from 1 to {heads}, came {number}")
    return Term(Head(argument.expr, number, heads), Shape(argument.shape.rows, Axis(width.size // heads)), text)


def concat(parts: tuple[Term, ...]) -> Term:
    """Matrices side by side: (n, a), (n, b), … → (n, a + b + …)."""
    text = f"concat({', '.join(part.text for part in parts)})"
    rows = parts[0].shape.rows
    for part in parts[1:]:
        if part.shape.rows.size != rows.size:
            raise ShapeError(f"{text}: {parts[0].operand}, {part.operand}: expected the same number of rows")
        rows = rows.merged(part.shape.rows)
    columns = Axis(shapes.total(part.shape.columns.size for part in parts))
    axis_size(rows, columns, text)
    return Term(Concat(*(part.expr for part in parts)), Shape(rows, columns), text)


def one_hot(ids: Term, size: Axis) -> Term:
    """A row for every id, 1 in its place and 0 elsewhere: (1, n) → (n, v)."""
    text = f"one_hot({ids.text}, {size.letter})"
    shapes.row_vector(ids.operand, text)
    expr = OneHot(ids.expr, axis_size(size, ids.shape.columns, text))
    return Term(expr, Shape(ids.shape.columns, size), text)


# -- rows and pairs of rows --------------------------------------------------------------------------------------


def exponential(argument: Term) -> Term:
    """e to the power of each entry: (m, n) → (m, n)."""
    return Term(Exp(argument.expr), argument.shape, f"exp({argument.text})")


def elu(argument: Term) -> Term:
    """x where x > 0, else e^x − 1, of each entry: (m, n) → (m, n)."""
    return Term(ELU(argument.expr), argument.shape, f"elu({argument.text})")


def norm(argument: Term) -> Term:
    """The Euclidean length of each row: (m, n) → (m, 1)."""
    return Term(RowNorm(argument.expr), Shape(argument.shape.rows, Axis(1)), f"norm({argument.text})")


def row_max(argument: Term) -> Term:
    """The largest entry of each row: (m, n) → (m, 1)."""
    return Term(RowMax(argument.expr), Shape(argument.shape.rows, Axis(1)), f"row_max({argument.text})")


def entropy(weights: Term) -> Term:
    """−Σ a ln a of each row, in nats: (m, n) → (m, 1)."""
    return Term(Entropy(weights.expr), Shape(weights.shape.rows, Axis(1)), f"entropy({weights.text})")


def unit(argument: Term) -> Term:
    """Each row divided by its length: (m, n) → (m, n)."""
    return Term(UnitRows(argument.expr), argument.shape, f"unit({argument.text})")


def proportions(argument: Term) -> Term:
    """Each row divided by its sum: (m, n) → (m, n)."""
    return Term(Proportions(argument.expr), argument.shape, f"proportions({argument.text})")


def clip_norm(gradient: Term, threshold: Expr) -> Term:
    """A matrix shortened to the length ``threshold`` where it is longer: (m, n) → (m, n)."""
    text = f"clip_norm({gradient.text}, {threshold})"
    if threshold.is_number and not threshold.is_positive:
        raise FormulaError(f"{text}: the largest length is {threshold}: expected a positive number")
    return Term(ClipNorm(gradient.expr, threshold), gradient.shape, text)


def dot(left: Term, right: Term) -> Term:
    """Dot product of every row with every row: (m, n), (p, n) → (m, p)."""
    return _pairs(Dot, "dot", left, right)


def cosine(left: Term, right: Term) -> Term:
    """Cosine of every row with every row: (m, n), (p, n) → (m, p)."""
    return _pairs(Cosine, "cosine", left, right)


def angle(left: Term, right: Term) -> Term:
    """Angle of every row with every row, in degrees: (m, n), (p, n) → (m, p)."""
    return _pairs(Angle, "angle", left, right)


def _pairs(node: type, function: str, left: Term, right: Term) -> Term:
    text = f"{function}({left.text}, {right.text})"
    if left.shape.columns.size != right.shape.columns.size:
        raise ShapeError(f"{text}: {left.operand}, {right.operand}: expected rows of the same length")
    axis_size(left.shape.rows, right.shape.rows, text)
    return Term(node(left.expr, right.expr), Shape(left.shape.rows, right.shape.rows), text)


def chain(terms: tuple[Term, ...]) -> Term:
    """The product of several terms, left to right."""
    return reduce(product, terms)


def axis_size(rows: Axis, columns: Axis, text: str) -> Expr:
    """The number of rows inside a formula; sizes that are numbers are at least 1 and not too many together."""
    for axis in (rows, columns):
        if isinstance(axis.size, int) and axis.size < 1:
            raise FormulaError(f"{text}: {axis} is not a size: expected a whole number from 1 up")
    if isinstance(rows.size, int) and isinstance(columns.size, int):
        must_be_small(rows.size, columns.size, text)
    return size_number(rows.size)


def must_be_small(rows: int, columns: int, text: str) -> None:
    if rows * columns > limits.MATRIX_ENTRIES:
        raise FormulaError(f"{cut(text, 100)}: more than MATRIX_ENTRIES = {limits.MATRIX_ENTRIES} entries")


def written_number(value: Expr) -> str:
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
