"""Building the formulas of layers, as :mod:`symattn.operations.terms`: activations, norms, positions, choices."""

from __future__ import annotations

from sympy import Expr, Integer, Rational, oo

from symattn import shapes
from symattn.errors import FormulaError, ShapeError
from symattn.operations.arithmetic import EntryQuotient, Hadamard
from symattn.operations.arrange import Rows, Stack
from symattn.operations.choice import ArgMax, TopK
from symattn.operations.entrywise import GELU, GELUTanh, Log, SiLU, Tanh
from symattn.operations.layer_norm import RMSNorm
from symattn.operations.masks import PaddingMask
from symattn.operations.pairs import AdditiveScores
from symattn.operations.positions import Distance, Rotary, Sinusoidal
from symattn.operations.terms import Term, axis_size, call, size_number
from symattn.shapes import Axis, Shape

# -- entry by entry ----------------------------------------------------------------------------------------------


def tanh(argument: Term) -> Term:
    """tanh of each entry: (m, n) → (m, n)."""
    return Term(Tanh(argument.expr), argument.shape, f"tanh({argument.text})")


def log(argument: Term) -> Term:
    """The natural logarithm of each entry: (m, n) → (m, n)."""
    return Term(Log(argument.expr), argument.shape, f"log({argument.text})")


def gelu(argument: Term) -> Term:
    """x Φ(x) of each entry: (m, n) → (m, n)."""
    return Term(GELU(argument.expr), argument.shape, f"gelu({argument.text})")


def gelu_tanh(argument: Term) -> Term:
    """GELU by way of tanh, of each entry: (m, n) → (m, n)."""
    return Term(GELUTanh(argument.expr), argument.shape, f"gelu_tanh({argument.text})")


def silu(argument: Term) -> Term:
    """x / (1 + e^(−x)) of each entry: (m, n) → (m, n)."""
    return Term(SiLU(argument.expr), argument.shape, f"silu({argument.text})")


def hadamard(left: Term, right: Term) -> Term:
    """X ⊙ Y, the product entry by entry: (m, n), (m, n) → (m, n)."""
    return _entry_by_entry(Hadamard, "hadamard", left, right)


def divide(left: Term, right: Term) -> Term:
    """X ⊘ Y, the quotient entry by entry: (m, n), (m, n) → (m, n)."""
    return _entry_by_entry(EntryQuotient, "divide", left, right)


def _entry_by_entry(node: type, function: str, left: Term, right: Term) -> Term:
    text = f"{function}({left.text}, {right.text})"
    rows, columns = left.shape.rows, left.shape.columns
    if right.shape.sizes != left.shape.sizes:
        raise ShapeError(f"{text}: {left.operand}, {right.operand}: expected the same shape{_repeated(left, right)}")
    shape = Shape(rows.merged(right.shape.rows), columns.merged(right.shape.columns))
    return Term(node(left.expr, right.expr), shape, text)


def _repeated(left: Term, right: Term) -> str:
    """What to try where one side is a single column or row that is as long as the other has rows or columns."""
    for one, other in ((right, left), (left, right)):
        (rows, columns), wanted = one.shape.sizes, other.shape
        if columns == 1 and rows == wanted.rows.size:
            return f"; {one.text} @ ones(1, {wanted.columns.letter}) has the columns"
        if rows == 1 and columns == wanted.columns.size:
            return f"; broadcast({one.text}, {wanted.rows.letter}) has the rows"
    return ""


# -- rows --------------------------------------------------------------------------------------------------------


def rms_norm(argument: Term, epsilon: Expr = Rational(1, 100_000), gamma: Term | None = None) -> Term:
    """Each row divided by its root mean square: (m, d), γ (1, d) → (m, d)."""
    written = gamma.text if gamma is not None else None
    text = call("rms_norm", argument, Rational(1, 100_000), epsilon=epsilon, gamma=written)
    if epsilon.is_number and not epsilon.is_nonnegative:
        raise FormulaError(f"{text}: epsilon is {epsilon}: expected a number that is not negative")
    if gamma is None:
        return Term(RMSNorm(argument.expr, epsilon), argument.shape, text)
    shapes.row_vector(gamma.operand, f"{text}, gamma", argument.shape.columns)
    return Term(RMSNorm(argument.expr, epsilon, gamma.expr), argument.shape, text)


def rows(argument: Term, first: int, last: int) -> Term:
    """Rows ``first`` to ``last``, counted from 1: (m, n) → (last − first + 1, n)."""
    text = f"rows({argument.text}, {first}, {last})"
    count = argument.shape.rows.size
    if not isinstance(count, int) or not 1 <= first <= last <= count:
        raise ShapeError(f"{text}: {argument.operand}: expected first and last from 1 to {count}, in this order")
    return Term(Rows(argument.expr, first, last), Shape(Axis(last - first + 1), argument.shape.columns), text)


def stack(parts: tuple[Term, ...]) -> Term:
    """Matrices on top of each other: (a, n), (b, n), … → (a + b + …, n)."""
    text = f"stack({', '.join(part.text for part in parts)})"
    columns = parts[0].shape.columns
    for part in parts[1:]:
        if part.shape.columns.size != columns.size:
            raise ShapeError(f"{text}: {parts[0].operand}, {part.operand}: expected the same number of columns")
        columns = columns.merged(part.shape.columns)
    count = Axis(shapes.total(part.shape.rows.size for part in parts))
    axis_size(count, columns, text)
    return Term(Stack(*(part.expr for part in parts)), Shape(count, columns), text)


def argmax(argument: Term) -> Term:
    """The column of the largest entry of each row, from 0: (m, n) → (m, 1)."""
    return Term(ArgMax(argument.expr), Shape(argument.shape.rows, Axis(1)), f"argmax({argument.text})")


def top_k(argument: Term, count: int) -> Term:
    """1 where an entry is among the ``count`` largest of its row: (m, n) → (m, n)."""
    text, width = f"top_k({argument.text}, {count})", argument.shape.columns.size
    if count < 1 or (isinstance(width, int) and count > width):
        raise FormulaError(f"{text}: {argument.operand}: expected a number of entries from 1 to {width}, came {count}")
    return Term(TopK(argument.expr, count), argument.shape, text)


# -- positions and pairs -----------------------------------------------------------------------------------------


def padding_mask(queries: Axis, keys: Axis, length: Axis, value: Expr = -oo) -> Term:
    """0 in the first ``length`` columns, ``value`` in the others: → (n, m)."""
    text = f"padding_mask({queries.letter}, {keys.letter}, {length.letter}, {value})"
    count = axis_size(queries, keys, text)
    if isinstance(length.size, int) and not (
        length.size >= 1 and (not isinstance(keys.size, int) or length.size <= keys.size)
    ):
        raise FormulaError(f"{text}: the length is {length.size}: expected at least 1 and at most the {keys} keys")
    expr = PaddingMask(count, size_number(keys.size), size_number(length.size), value)
    return Term(expr, Shape(queries, keys), text)


def distance(axis: Axis) -> Term:
    """|i − j|: → (n, n)."""
    text = f"distance({axis.letter})"
    return Term(Distance(axis_size(axis, axis, text)), Shape(axis, axis), text)


def sinusoidal(rows: Axis, columns: Axis, base: Expr = Integer(10_000)) -> Term:
    """sin and cos of the position at falling frequencies: → (n, d), d even."""
    text = f"sinusoidal({rows.letter}, {columns.letter}{'' if base == 10_000 else f', {base}'})"
    count = axis_size(rows, columns, text)
    _must_be_even(columns, text)
    _must_be_base(base, text)
    return Term(Sinusoidal(count, size_number(columns.size), base), Shape(rows, columns), text)


def rotary(argument: Term, base: Expr = Integer(10_000), start: Expr = Integer(0)) -> Term:
    """Pairs of columns turned by an angle that grows with the position: (n, d) → (n, d), d even."""
    shown = {"base": None if base == 10_000 else base, "start": start}
    text = call("rotary", argument, Integer(0), **shown)
    _must_be_even(argument.shape.columns, f"{text}: {argument.operand}")
    _must_be_base(base, text)
    if start.is_number and not start.is_real:
        raise FormulaError(f"{text}: start is {start}: expected the position of the first row, a finite number")
    return Term(Rotary(argument.expr, base, start), argument.shape, text)


def _must_be_even(columns: Axis, text: str) -> None:
    if isinstance(columns.size, int) and columns.size % 2:
        raise ShapeError(f"{text}: the {columns} columns do not make pairs: expected an even number")


def _must_be_base(base: Expr, text: str) -> None:
    if base.is_number and not (base.is_real and base.is_positive):
        raise FormulaError(f"{text}: base is {base}: expected a positive number")


def additive_scores(queries: Term, keys: Term, vector: Term) -> Term:
    """Σ_c v_c tanh(q_ic + k_jc): (m, a), (p, a), (1, a) → (m, p)."""
    text = f"additive_scores({queries.text}, {keys.text}, {vector.text})"
    if queries.shape.columns.size != keys.shape.columns.size:
        raise ShapeError(f"{text}: {queries.operand}, {keys.operand}: expected rows of the same length")
    shapes.row_vector(vector.operand, text, queries.shape.columns)
    axis_size(queries.shape.rows, keys.shape.rows, text)
    expr = AdditiveScores(queries.expr, keys.expr, vector.expr)
    return Term(expr, Shape(queries.shape.rows, keys.shape.rows), text)
