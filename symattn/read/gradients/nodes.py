"""Build products, sums and transposes of formulas as a person would write them; SymPy would reorder them.

>>> from sympy import MatrixSymbol, sqrt
>>> G, K = MatrixSymbol("G", 3, 3), MatrixSymbol("K", 3, 4)
>>> print(matrix_product(Quotient(G, sqrt(4)), K)), print(transpose_of(matrix_product(G, K)))
Quotient(G*K, 2)
K.T*G.T
(None, None)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sympy import (
    Expr,
    Identity,
    Integer,
    MatAdd,
    MatMul,
    MatrixExpr,
    MatrixSymbol,
    Mul,
    OneMatrix,
    Transpose,
    ZeroMatrix,
)

from symattn.operations import Everywhere, Hadamard, InEveryRow, Quotient, Repeated
from symattn.operations.node import Applied, parameters_of
from symattn.operations.records import RECORDS


def numbers_in(node: MatMul) -> tuple[Expr, ...]:
    """Return the numbers in front of a product of matrices."""
    return tuple(arg for arg in node.args if not arg.is_Matrix)


def matrices_in(node: MatMul) -> tuple[MatrixExpr, ...]:
    """Return the matrices of a product, in their order."""
    return tuple(arg for arg in node.args if arg.is_Matrix)


def matrix_product(*factors: MatrixExpr) -> MatrixExpr:
    """Multiply X Y …, with numbers in front and divisors behind."""
    numbers: list[Expr] = []
    below: list[Expr] = []
    matrices: list[MatrixExpr] = []
    for factor in factors:
        above, inside, divisors = _taken_apart(factor)
        numbers += above
        matrices += inside
        below += divisors
    if len(matrices) > 1 and all(isinstance(each, OneMatrix) for each in matrices):
        numbers += [each.shape[1] for each in matrices[:-1]]
        matrices = [OneMatrix(matrices[0].shape[0], matrices[-1].shape[1])]
    kept = [each for each in matrices if not (each == OneMatrix(1, 1) or isinstance(each, Identity))] or matrices[:1]
    return _put_together(numbers, kept, below)


def scaled(numbers: Sequence[Expr], node: MatrixExpr) -> MatrixExpr:
    """Return c X."""
    above, matrices, below = _taken_apart(node)
    return _put_together([*numbers, *above], matrices, below)


def divided(node: MatrixExpr, below: Sequence[Expr]) -> MatrixExpr:
    """Return X / c / …

    >>> from sympy import MatrixSymbol, S, Symbol
    >>> X, n = MatrixSymbol("X", 2, 2), Symbol("n")
    >>> divided(2 * X, [S(4), S(3)]), divided(2 * X, [n, S(3)]), divided(2 * X, [S(2)])
    (Quotient(X, 6), Quotient(Quotient(2*X, n), 3), X)
    """
    above, matrices, divisors = _taken_apart(node)
    return _put_together(above, matrices, [*divisors, *below])


def _taken_apart(node: MatrixExpr) -> tuple[list[Expr], list[MatrixExpr], list[Expr]]:
    """Return the numbers that multiply a product of matrices, the matrices, and the divisors."""
    below: list[Expr] = []
    while isinstance(node, Quotient):
        below.insert(0, node.args[1])
        node = node.args[0]
    if isinstance(node, Hadamard):
        sides = [_taken_apart(side) for side in node.args]
        numbers, divisors = ([each for side in sides for each in side[place]] for place in (0, 2))
        if any(each.is_Integer for each in divisors):
            return numbers, [Hadamard(*(_put_together([], side[1], []) for side in sides))], [*divisors, *below]
    if not isinstance(node, MatMul):
        return [], [node], below
    return list(numbers_in(node)), list(matrices_in(node)), below


def _put_together(numbers: Sequence[Expr], matrices: Sequence[MatrixExpr], below: Sequence[Expr]) -> MatrixExpr:
    """Return c X Y … / d with integers collected and cancelled, 2X / 4 / 3 to X / 6; all other numbers stay."""
    above = Mul(*numbers)
    count, rest = above.as_coeff_Mul()
    if count.is_Integer and any(each.is_Integer for each in below):
        ratio = count / Mul(*(each for each in below if each.is_Integer))
        above = Integer(ratio.p) * rest
        below = [*(each for each in below if not each.is_Integer), *([Integer(ratio.q)] if ratio.q != 1 else [])]
    factors = [*([] if above == 1 else [above]), *matrices]
    found = factors[0] if len(factors) == 1 else MatMul(*factors, evaluate=False)
    for each in below:
        found = Quotient(found, each)
    return found


def transpose_of(node: MatrixExpr) -> MatrixExpr:
    """Return Xᵀ: the transposed factors in reverse order for a product, the inner matrix for a transpose."""
    match node:
        case Transpose():
            return node.arg
        case MatMul():
            turned = [transpose_of(each) for each in reversed(matrices_in(node))]
            return MatMul(*numbers_in(node), *turned, evaluate=False)
        case MatAdd():
            return MatAdd(*map(transpose_of, node.args), evaluate=False)
        case Quotient():
            return Quotient(transpose_of(node.args[0]), node.args[1])
        case Identity():
            return node
        case OneMatrix() | ZeroMatrix():
            return node.func(*reversed(node.shape))
    return node if node.shape == (1, 1) else Transpose(node)


def without_gain(node: Any) -> MatrixExpr:
    """Return N ⊙ γ + β for a norm with a gain and perhaps a shift, where N is the norm without them.

    >>> from sympy import MatrixSymbol
    >>> from symattn.operations import RMSNorm
    >>> print(without_gain(RMSNorm(MatrixSymbol("X", 2, 3), 0, MatrixSymbol("g", 1, 3))))
    Hadamard(RMSNorm(X, 0), InEveryRow(g, 2))
    """
    rows = node.shape[0]
    scaled_rows = Hadamard(type(node)(node.argument, node.epsilon), InEveryRow(node.gamma, rows))
    beta = getattr(node, "beta", None)
    return scaled_rows if beta is None else MatAdd(scaled_rows, InEveryRow(beta, rows), evaluate=False)


def everywhere(number: Expr, like: MatrixExpr) -> MatrixExpr:
    """Return a number in the shape of a matrix, in every entry."""
    one = scaled([number], OneMatrix(1, 1))
    return one if like.shape == (1, 1) else Everywhere(one, *like.shape)


def matrix_sum(nodes: Sequence[MatrixExpr]) -> MatrixExpr:
    """Return X + Y + …"""
    terms = [term for node in nodes for term in (node.args if isinstance(node, MatAdd) else (node,))]
    return terms[0] if len(terms) == 1 else MatAdd(*terms, evaluate=False)


def replaced(node: Any, by: Mapping[Any, Any]) -> Any:
    """Replace parts of a formula, the largest first, and leave everything else untouched."""
    if node in by:
        return by[node]
    if not getattr(node, "args", ()) or not any(getattr(arg, "args", ()) or arg in by for arg in node.args):
        return node
    args = [replaced(arg, by) for arg in node.args]
    if all(one is other for one, other in zip(args, node.args, strict=True)):
        return node
    return node.func(*args, evaluate=False) if isinstance(node, MatMul | MatAdd) else node.func(*args)


def without_ones(node: Any) -> Any:
    """Remove factors of ones and zero terms from a formula."""
    if not getattr(node, "is_Matrix", False) or not node.args:
        return node
    args = [without_ones(arg) for arg in node.args]
    node = node.func(*args, evaluate=False) if isinstance(node, MatMul | MatAdd) else node.func(*args)
    match node:
        case Applied() if node.operation == RECORDS["power"] and node.args[2] == 1:
            return node.args[1]
        case Hadamard() if _is_ones(node.args[1]):
            return node.args[0]
        case Hadamard() if _is_ones(node.args[0]):
            return node.args[1]
        case Hadamard() if (times := _times_ones(node.args[0])) is not None:
            return divided(scaled(times[0], node.args[1]), times[1])
        case Hadamard() if (times := _times_ones(node.args[1])) is not None:
            return divided(scaled(times[0], node.args[0]), times[1])
        case MatMul():
            return matrix_product(*(each for each in _flat(node))) if len(matrices_in(node)) > 1 else node
        case Quotient():
            return divided(node.args[0], [node.args[1]])
        case MatAdd():
            kept = [arg for arg in node.args if not isinstance(_inside(arg), ZeroMatrix)]
            return matrix_sum(kept) if kept else node
    return node


def _flat(node: MatMul) -> list[MatrixExpr]:
    numbers, matrices = numbers_in(node), matrices_in(node)
    return [scaled(numbers, matrices[0]), *matrices[1:]] if numbers else list(matrices)


def _inside(node: Any) -> Any:
    return _inside(node.argument) if isinstance(node, Repeated) else node


def _times_ones(node: Any) -> tuple[tuple[Expr, ...], list[Expr]] | None:
    """Return the numbers that multiply a matrix of ones, and its divisors."""
    numbers, matrices, below = _taken_apart(node)
    return (tuple(numbers), below) if len(matrices) == 1 and _is_ones(matrices[0]) else None


def _is_ones(node: Any) -> bool:
    return isinstance(_inside(node), OneMatrix)


def unsigned(node: Any) -> Any:
    """Return a term without the numbers that multiply it."""
    return matrices_in(node)[0] if isinstance(node, MatMul) and len(matrices_in(node)) == 1 else node


def with_arguments(node: Any, given: dict[int, Any]) -> Any:
    """Return a node with some of its arguments replaced."""
    args = list(node.args)
    shift = len(args) - len(parameters_of(node))
    for k, arg in given.items():
        args[k + shift] = arg
    return node.func(*args)


def occurrences(parts: Iterable[MatrixExpr]) -> list[tuple[MatrixExpr, int]]:
    """Return each part once, with how often it occurs."""
    found: dict[MatrixExpr, int] = {}
    for part in parts:
        found[part] = found.get(part, 0) + 1
    return list(found.items())


def is_compound(formula: Any) -> bool:
    """Return True if a formula is worth a name: it is not a mere name, and it contains one."""
    return formula is not None and not isinstance(formula, MatrixSymbol) and formula.has(MatrixSymbol)


def collected_sum(parts: Iterable[MatrixExpr]) -> MatrixExpr:
    """Return X + Y + …, with repeated terms as multiples."""
    return matrix_sum([scaled([Integer(count)], part) if count > 1 else part for part, count in occurrences(parts)])


def by_step(parts: Iterable[tuple[MatrixExpr, str]]) -> list[tuple[str, MatrixExpr]]:
    """Return the gradient that reaches a matrix through each step, summed over all of its places in the step."""
    found: dict[str, list[MatrixExpr]] = {}
    for part, through in parts:
        found.setdefault(through, []).append(part)
    return [(through, collected_sum(brought)) for through, brought in found.items()]
