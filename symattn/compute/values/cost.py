"""Estimate the cost of evaluating a node from its shape alone, before any number is computed.

The unit is a step of :mod:`symattn.base.budget`, about a quarter of a microsecond: the time for adding an entry, or for
fifty products in a product of matrices. Long numbers cost more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache, reduce
from itertools import pairwise
from math import lcm, prod
from typing import cast

from flint import fmpq_mat
from sympy import Add, Basic, Expr, Integer, MatAdd, MatMul, MatPow, MatrixSymbol, Mul, Rational, preorder_traversal
from sympy.core import evalf as numeric
from sympy.core.facts import FactKB

from symattn import operations as ops
from symattn.base.budget import spend
from symattn.base.shapes import whole_sizes
from symattn.compute.values.applied import frame, has_functions
from symattn.operations.equations.plan import is_of_matrices
from symattn.operations.equations.tree import Apply, Branch, Entry, Over, Piece, children
from symattn.operations.node import record_of
from symattn.operations.stages import Stage

PRODUCTS = 50
"""Products in a matrix product that take one step."""

BY_NODE = 200
"""Steps for a node of any size."""

_FUNCTIONS = {**dict.fromkeys(("exp", "log", "tanh", "erf", "xlogx"), 6), "sin": 200, "cos": 200}
"""Steps for a function of a number. Sine and cosine are those of positions, whose angles SymPy makes."""

PIECES = 8
"""Numbers and letters of a closed form that SymPy inserts into another one in one step."""

DEEP = 1_000
"""Size of an expression, in pieces, from which on SymPy's own simplifications are avoided."""

EXACT_PRODUCT = 250
"""Steps for a product of two numbers that contain roots or functions."""

IN_FUNCTION, IN_NESTED_FUNCTION = 100, 3_000
"""Steps for each piece of a function's argument: SymPy looks for its sign, digit by digit if functions are nested."""

LOOKED_AT = 8
"""Rows of a rational matrix whose denominators are inspected."""

LONG = 100_000
"""Bits of a row's denominators, together, beyond which their common one is not computed to find its length."""

LONGEST = 1_000_000
"""Bits of all numbers of a rational matrix beyond which it is not kept; enclosures still know every digit."""


@Stage
def cost(node: Basic) -> int:
    """Return the steps that a node takes beyond its operands, at the shortest precision.

    >>> from sympy import MatrixSymbol
    >>> X = MatrixSymbol("X", 300, 400)
    >>> cost(ops.Softmax(X)), cost(ops.Dot(X, X)), cost(X + X)
    (720000, 840000, 120000)
    """
    if record_of(node) is None:
        raise TypeError(f"no cost rule for {type(node).__name__}")
    worked = _worked(node)
    return max(_entries(node), worked.functions) + worked.terms * 2 + worked.products // PRODUCTS


@dataclass(frozen=True)
class _Work:
    """The work of a node's equations."""

    functions: int
    """Steps for functions."""
    products: int
    """Products of two numbers in products of matrices."""
    terms: int
    """Terms of other sums for each entry of a matrix."""


@lru_cache(maxsize=1000)
def _worked(node: Basic) -> _Work:
    of = frame(node)
    functions = products = terms = 0

    def look(piece: Piece, letters: tuple[str, ...], index: tuple[str, ...]) -> None:
        nonlocal functions, products, terms
        times = prod(len(of.reach[letter]) for letter in letters)
        if isinstance(piece, Apply):
            functions = max(functions, _FUNCTIONS.get(piece.function, 0) * times)
        if isinstance(piece, Over):
            letters = (*letters, piece.index)
            if len(letters) == 3 and is_of_matrices(piece, index):
                products += times * len(of.reach[piece.index])
            elif len(letters) > 2:
                terms += times * len(of.reach[piece.index])
        if not isinstance(piece, Entry):
            for child in children(piece):
                look(child, letters, index)

    for equation in of.operation.equations:
        look(equation.body, equation.index, equation.index)
    return _Work(functions, products, terms)


def _entries(node: Basic) -> int:
    """Return the number of entries of a node, or of its largest operand if that has more."""
    sizes = [node, *(arg for arg in node.args if getattr(arg, "is_Matrix", False))]
    return max(prod(whole_sizes(each)) for each in sizes)


@cost.register(MatMul)
@cost.register(MatPow)
@cost.register(MatAdd)
def _(node: MatMul) -> int:
    return _entries(node) + products(node) // PRODUCTS


@cost.register
def _(node: MatrixSymbol) -> int:
    return 0  # it is computed already


@Stage
def products(node: Basic) -> int:
    """Return the number of products of two numbers in a node's matrix products."""
    if record_of(node) is None:
        raise TypeError(f"no number of products of {type(node).__name__}: it has no equations")
    worked = _worked(node)
    return worked.products + worked.terms


@products.register(MatrixSymbol)
@products.register(MatAdd)
@products.register(ops.ArgMax)
@products.register(ops.TopK)
def _(node: Basic) -> int:
    return 0


@products.register
def _(node: MatMul) -> int:
    factors = [arg for arg in node.args if arg.is_Matrix]
    rows = int(factors[0].shape[0])
    return sum(rows * prod(whole_sizes(b)) for _, b in pairwise(factors))


@products.register
def _(node: MatPow) -> int:
    exponent = int(node.exp)
    return (exponent.bit_length() + exponent.bit_count() - 2) * whole_sizes(node)[0] ** 3


@cost.register(ops.ArgMax)
@cost.register(ops.TopK)
def _(node: ops.ArgMax) -> int:
    rows, columns = whole_sizes(node.argument)
    return rows * columns * (1 + columns // 5)


def spend_on(formula: Basic, by_entry: int, by_product: int = 0) -> None:
    """Charge the budget for a whole formula, for evaluators slower than a ball by these factors."""
    nodes = dict.fromkeys(node for node in preorder_traversal(formula) if getattr(node, "is_Matrix", False))
    spend(sum(by_entry * _entries(node) + by_product * products(node) for node in nodes))


def spend_exactly(formula: Basic, size: int, is_of_functions: bool) -> None:
    """Charge the budget for the closed forms of a formula, each of so many numbers and letters.

    ``is_of_functions`` tells whether the closed forms of its names already contain functions.
    """
    functions = sum(takes_functions(node) for node in preorder_traversal(formula))
    if not functions:
        by_size = size // PIECES
    elif size > DEEP:
        by_size = DEEP  # they are left unevaluated
    else:
        by_size = size * (IN_NESTED_FUNCTION if is_of_functions or functions > 1 else IN_FUNCTION)
    spend_on(formula, by_entry=40 + by_size, by_product=EXACT_PRODUCT)


def takes_functions(node: Basic) -> bool:
    """Return whether a node applies a function to entries."""
    return (
        bool(getattr(node, "is_Matrix", False)) and record_of(node) is not None and has_functions(frame(node).operation)
    )


def spend_at(node: Basic, bits: int) -> None:
    """Charge the budget for a node at a precision."""
    spend(BY_NODE + _remembered_cost(node) * (500 + bits) // 500)


@lru_cache(maxsize=500)
def _remembered_cost(node: Basic) -> int:
    return cost(node)


def lengths(value: fmpq_mat) -> tuple[int, int]:
    """Return the bits of the longest entry and of a row's largest common denominator, for the rows that are inspected.

    >>> from flint import fmpq
    >>> lengths(fmpq_mat([[fmpq(1, 3), fmpq(8, 5)]]))
    (4, 4)
    """
    rows, columns = value.nrows(), value.ncols()
    longest = common = 1
    for i in range(0, rows, max(1, rows // LOOKED_AT)):
        row = [value[i, j] for j in range(columns)]
        longest = max(longest, *(x.height_bits() for x in row))
        denominators = {int(x.q) for x in row}
        most = sum(map(int.bit_length, denominators))
        common = max(common, most if most > LONG else lcm(*denominators).bit_length())
    return longest, common


def is_too_long(value: fmpq_mat) -> bool:
    """Return whether a rational matrix is too long to be kept."""
    return lengths(value)[0] * value.nrows() * value.ncols() > LONGEST


def spend_on_product(a: fmpq_mat, b: fmpq_mat) -> None:
    """Charge the budget for a product of rational matrices: FLINT uses a common denominator per row."""
    (longest, common), (other, divisor) = lengths(a), lengths(b)
    entries, bits = a.nrows() * b.ncols(), longest + other + common + divisor
    spend(b.nrows() * entries * (30 + bits) // 2_500 + entries * (common + divisor) ** 2 // 300_000)


# -- what SymPy does by itself -----------------------------------------------------------------------------------------

BY_SUM, BY_TERM = 100, 60
"""Steps for a sum or a product that SymPy makes, and for each of its terms or factors."""

BY_FACTS = 150
"""Steps in which SymPy derives further facts about each new expression; most of them for functions."""

BITS_OF_POWER = 8
"""Bits of a power of a number that SymPy computes in one step."""

BY_DIGITS, BITS_IN_A_STEP = 20, 4
"""Steps for a piece that SymPy evaluates numerically, looking for a sign, and bits that take one step more."""


def _paying(made: type[Add | Mul]) -> None:
    """Make sums, or products, charge the budget when they are made: every SymPy simplification makes thousands."""
    flatten = made.flatten

    def paid(cls: type[Add | Mul], seq: list[Expr]) -> object:
        spend(BY_SUM + BY_TERM * len(seq))
        return flatten.__func__(cls, seq)

    made.flatten = classmethod(paid)


def _paid_digits(x: Expr, prec: int, options: dict[str, object]) -> object:
    spend(BY_DIGITS + prec // BITS_IN_A_STEP)
    return _digits(x, prec, options)


def _paying_powers(made: type[Rational]) -> None:
    """Make powers of numbers charge the budget for their digits: 3^(10^9) has more than a computer holds."""
    power = made._eval_power

    def paid(self: Rational, expt: Expr) -> Expr | None:
        if expt.is_Integer:
            spend(max(int(self.p).bit_length(), int(self.q).bit_length()) * abs(int(expt)) // BITS_OF_POWER)
        return cast("Expr | None", power(self, expt))

    made._eval_power = paid


def _paid_facts(known: FactKB, facts: Iterable[tuple[str, bool | None]] | Mapping[str, bool | None]) -> None:
    spend(BY_FACTS)
    _facts(known, facts)


# SymPy has no way to be interrupted and none to be told how much it may do; estimates from outside have always had
# gaps. Outside a question nothing is counted, so that other programs in this process find SymPy as it is.
_digits = numeric.evalf
numeric.evalf = _paid_digits
_facts = FactKB.deduce_all_facts
FactKB.deduce_all_facts = _paid_facts
for _each in (Add, Mul):
    _paying(_each)
for _each in (Rational, Integer):
    _paying_powers(_each)


SizeOf = Callable[[str], int]

TWICE = frozenset({"exp", "log", "tanh", "erf", "xlogx"})
"""Functions whose sign SymPy looks for."""


@Stage
def closed_form_size(node: Basic, size_of: SizeOf) -> int:
    """Estimate how many numbers one entry of the closed form would hold; ``size_of`` returns this for names."""
    of = frame(node)
    matrices = (arg for arg in node.args if arg.is_Matrix)
    sizes = {name: closed_form_size(arg, size_of) for (name, _), arg in zip(of.matrices, matrices, strict=True)}
    for equation in of.operation.equations:
        sizes[equation.name] = _size(equation.body, sizes, of.reach)
    return max(1, sizes[of.operation.result.name])


def _size(piece: Piece, sizes: Mapping[str, int], reach: Mapping[str, range]) -> int:
    """Count the numbers in a piece that come from operands; ``sizes`` has those of an entry of each name."""
    match piece:
        case Entry(name, _):
            return sizes.get(name, 0)
        case Over(kind, index, body):
            return _size(body, sizes, reach) * (len(reach[index]) if kind == "sum" else 1)
        case Branch(_, then, otherwise) | Apply("max" | "min", (then, otherwise)):
            return max(_size(then, sizes, reach), _size(otherwise, sizes, reach))
        case Apply(function, arguments):
            held = sum(_size(each, sizes, reach) for each in arguments)
            # For nested functions SymPy examines the argument of each twice, to find its sign.
            return 2 * held if function in TWICE else held
    return 0


@closed_form_size.register(ops.ArgMax)
@closed_form_size.register(ops.TopK)
def _(node: Basic, size_of: SizeOf) -> int:
    return closed_form_size(node.argument, size_of)


@closed_form_size.register
def _(node: MatrixSymbol, size_of: SizeOf) -> int:
    return size_of(node.name)


@closed_form_size.register(MatMul)
def _(node: MatMul, size_of: SizeOf) -> int:
    factors = [arg for arg in node.args if arg.is_Matrix]
    inner = int(factors[0].shape[1])
    return reduce(lambda a, b: inner * (a + b), (closed_form_size(arg, size_of) for arg in factors))


@closed_form_size.register
def _(node: MatAdd, size_of: SizeOf) -> int:
    return sum(closed_form_size(arg, size_of) for arg in node.args)


@closed_form_size.register
def _(node: MatPow, size_of: SizeOf) -> int:
    return int((2 * whole_sizes(node)[0]) ** int(node.exp)) * closed_form_size(node.base, size_of)


@closed_form_size.register(ops.Softmax)
@closed_form_size.register(ops.RowNorm)
def _(node: ops.Softmax, size_of: SizeOf) -> int:
    return (whole_sizes(node.argument)[1] + 1) * closed_form_size(node.argument, size_of)


@closed_form_size.register
def _(node: ops.LayerNorm, size_of: SizeOf) -> int:
    return whole_sizes(node)[1] ** 2 * closed_form_size(node.argument, size_of)


@closed_form_size.register
def _(node: ops.AdditiveScores, size_of: SizeOf) -> int:
    sides = sum(closed_form_size(arg, size_of) for arg in node.args)
    return whole_sizes(node.vector)[1] * sides


@closed_form_size.register(ops.GELUTanh)
@closed_form_size.register(ops.Rotary)
def _(node: ops.GELUTanh, size_of: SizeOf) -> int:
    return 3 * closed_form_size(node.argument, size_of)


@closed_form_size.register
def _(node: ops.ELU, size_of: SizeOf) -> int:
    return closed_form_size(node.argument, size_of)
