"""What reaches a symbol: a letter for any number, in factors, in divisors and in the entries of givens.

∂L/∂c of Y = cX is the sum of all entries of ∂L/∂Y ⊙ X, and of Y = X/c that of −∂L/∂Y ⊙ Y divided by c; ∂L/∂t is that
times dc/dt.

>>> from sympy import MatrixSymbol, sqrt
>>> t, X, G = entry_symbol("t"), MatrixSymbol("X", 1, 1), MatrixSymbol("G", 1, 1)
>>> node = scaled([t**2], X)
>>> list(reaching_symbols(node, G, frozenset({"t"})))
[('t', (2*t)*(Hadamard(G, X)))]
>>> sorted(symbols_in(node)), list(reaching_symbols(Quotient(X, sqrt(2)), G, frozenset({"t"})))
(['t'], [])
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from sympy import Expr, MatMul, MatrixExpr, Mul, OneMatrix, diff

from symattn.gradients.nodes import divided, matrices_in, numbers_in, product, scaled
from symattn.operations import Concat, Hadamard, Quotient, Stack
from symattn.operations.symbols import entry_symbol

Entries = Mapping[str, tuple[tuple[Expr, ...], ...]]
"""The rows of givens that symbols stand in, by name."""


def symbols_in(node: Any) -> frozenset[str]:
    """The letters in the numbers of a product or a quotient itself, not in what it is made of."""
    match node:
        case MatMul():
            numbers: Collection[Expr] = numbers_in(node)
        case Quotient():
            numbers = (node.args[1],)
        case _:
            return frozenset()
    return frozenset(letter.name for number in numbers for letter in number.free_symbols)


def reaching_symbols(node: Any, grad: MatrixExpr | None, wanted: Collection[str]) -> Iterator[tuple[str, MatrixExpr]]:
    """What a formula passes on to each symbol that stands in its own factor or divisor, each a single number."""
    for name in sorted(symbols_in(node) & set(wanted)):
        letter = entry_symbol(name)
        if isinstance(node, Quotient):
            below = node.args[1]
            yield name, divided(scaled([-diff(below, letter)], _all(grad, node)), [below])
            continue
        number = Mul(*numbers_in(node))
        factors = matrices_in(node)
        inside = factors[0] if len(factors) == 1 else MatMul(*factors, evaluate=False)
        yield name, scaled([diff(number, letter)], _all(grad, inside))


def reaching_entries(
    rows: tuple[tuple[Expr, ...], ...], grad: MatrixExpr, wanted: Collection[str]
) -> Iterator[tuple[str, MatrixExpr]]:
    """What a given passes on to the symbols in its entries: Σ_ij ∂L/∂X_ij · dX_ij/dt."""
    for name in sorted(wanted):
        letter = entry_symbol(name)
        if any(entry.has(letter) for row in rows for entry in row):
            yield name, _all(grad, _matrix([[diff(entry, letter) for entry in row] for row in rows]))


def acts_through(entries: Entries, names: Collection[str]) -> frozenset[str]:
    """The givens in whose entries one of some symbols stands."""
    letters = {entry_symbol(name) for name in names}
    return frozenset(
        name for name, rows in entries.items() if any(entry.free_symbols & letters for row in rows for entry in row)
    )


def _all(grad: MatrixExpr | None, node: MatrixExpr) -> MatrixExpr:
    """The sum of all entries of G ⊙ X."""
    rows, columns = node.shape
    if grad is None or grad == OneMatrix(rows, columns):
        inside = node
    elif node == OneMatrix(rows, columns):
        inside = grad
    else:
        inside = Hadamard(grad, node)
    left = [OneMatrix(1, rows)] if rows != 1 else []
    right = [OneMatrix(columns, 1)] if columns != 1 else []
    return product(*left, inside, *right) if left or right else inside


def _matrix(rows: list[list[Expr]]) -> MatrixExpr:
    """Numbers as a formula."""
    made = [[scaled([entry], OneMatrix(1, 1)) for entry in row] for row in rows]
    listed = [Concat(*row) if len(row) > 1 else row[0] for row in made]
    return Stack(*listed) if len(listed) > 1 else listed[0]
