"""Find the parts of a formula that gradients flow through, and those that only choose.

>>> from symattn.base.shapes import shape
>>> plan = Plan().given("X", shape(2, 3)).given("t", shape(1, 2)).step("L", "cross_entropy(X, t)")
>>> starts(plan, "L"), sorted(names_and_symbols(plan["L"].formula))
(('X',), ['X', 't'])
>>> [each for _, each in choices(plan["L"].formula)]
['cross_entropy']

Symbols are letters for any number, in factors, in divisors and in the entries of givens. Their gradients are sums:
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

from sympy import (
    Expr,
    MatAdd,
    MatMul,
    MatPow,
    MatrixExpr,
    MatrixSymbol,
    Mul,
    OneMatrix,
    Transpose,
    diff,
    preorder_traversal,
)

from symattn.base.errors import FormulaError
from symattn.operations import ArgMax, Concat, Hadamard, Quotient, Stack, TopK
from symattn.operations.node import operation_of, parameters_of
from symattn.operations.symbols import entry_symbol
from symattn.read.gradients.local import is_flat, passed_on
from symattn.read.gradients.nodes import divided, matrices_in, matrix_product, numbers_in, scaled
from symattn.read.plan import Plan

Entries = Mapping[str, tuple[tuple[Expr, ...], ...]]
"""The rows of givens that contain symbols, by name."""


def symbols_in(node: Any) -> frozenset[str]:
    """Return the letters in the numbers of a product or a quotient itself, not in its operands."""
    match node:
        case MatMul():
            numbers: Collection[Expr] = numbers_in(node)
        case Quotient():
            numbers = (node.args[1],)
        case _:
            return frozenset()
    return frozenset(letter.name for number in numbers for letter in number.free_symbols)


def reaching_symbols(node: Any, grad: MatrixExpr | None, wanted: Collection[str]) -> Iterator[tuple[str, MatrixExpr]]:
    """Yield the gradient of each symbol in a formula's own factor or divisor, each a single number."""
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
    """Yield the gradient of each symbol in the entries of a given: Σ_ij ∂L/∂X_ij · dX_ij/dt."""
    for name in sorted(wanted):
        letter = entry_symbol(name)
        if any(entry.has(letter) for row in rows for entry in row):
            yield name, _all(grad, _matrix([[diff(entry, letter) for entry in row] for row in rows]))


def acts_through(entries: Entries, names: Collection[str]) -> frozenset[str]:
    """Return the givens whose entries contain at least one of some symbols."""
    letters = {entry_symbol(name) for name in names}
    return frozenset(
        name for name, rows in entries.items() if any(entry.free_symbols & letters for row in rows for entry in row)
    )


def _all(grad: MatrixExpr | None, node: MatrixExpr) -> MatrixExpr:
    """Return the sum of all entries of G ⊙ X."""
    rows, columns = node.shape
    if grad is None or grad == OneMatrix(rows, columns):
        inside = node
    elif node == OneMatrix(rows, columns):
        inside = grad
    else:
        inside = Hadamard(grad, node)
    left = [OneMatrix(1, rows)] if rows != 1 else []
    right = [OneMatrix(columns, 1)] if columns != 1 else []
    return matrix_product(*left, inside, *right) if left or right else inside


def _matrix(rows: list[list[Expr]]) -> MatrixExpr:
    """Return numbers as a formula."""
    made = [[scaled([entry], OneMatrix(1, 1)) for entry in row] for row in rows]
    listed = [Concat(*row) if len(row) > 1 else row[0] for row in made]
    return Stack(*listed) if len(listed) > 1 else listed[0]


CHOICES = ("argmax", "top_k")
"""Operations that a page calls a choice."""


def starts(plan: Plan, of: str) -> tuple[str, ...]:
    """Return the givens on which a step depends in a way that has a gradient: not token ids, not a mask.

    Raises :class:`~symattn.base.errors.UnknownNameError` for an unknown name.

    >>> from symattn.base.shapes import shape
    >>> plan = Plan().given("E", shape(5, 2)).given("ids", shape(1, 3)).given("U", shape(2, 2))
    >>> starts(plan.step("X", "one_hot(ids, 5) @ E").step("L", "sum(X, axis=None)"), "L")
    ('E',)
    """
    found = {plan[of].name}
    for step in reversed(plan.steps):
        if step.name in found and step.formula is not None:
            found |= names_moving(step.formula)
    return tuple(step.name for step in plan.steps if step.is_given and step.name in found)


def names_moving(node: Any) -> frozenset[str]:
    """Return the names, including symbols, on which a formula depends in a way that has a gradient.

    >>> from symattn.operations import Keep
    >>> X, M = MatrixSymbol("X", 2, 2), MatrixSymbol("M", 2, 2)
    >>> sorted(names_moving(Keep(2 * X, M)))
    ['X']
    """
    if isinstance(node, MatrixSymbol):
        return frozenset({node.name})
    return symbols_in(node).union(*(names_moving(arg) for _, arg in moved(node)))


def moved(node: Any) -> Iterator[tuple[int, Any]]:
    """Yield the matrices that a node passes a gradient on to, with their places among its arguments."""
    match node:
        case ArgMax() | TopK() | OneMatrix():
            return
        case MatAdd() | MatMul() | Transpose() | MatPow():
            yield from ((k, arg) for k, arg in enumerate(node.args) if getattr(arg, "is_Matrix", False))
        case _ if getattr(node, "is_Matrix", False) and node.args and not isinstance(node, MatrixSymbol):
            for k, (parameter, arg) in enumerate(parameters_of(node)):
                if parameter.is_matrix and not is_flat(node, parameter):
                    yield k, arg


def must_not_choose(plan: Plan, of: str, name: str) -> None:
    """Raise :class:`~symattn.base.errors.FormulaError` if a step depends on a name, but only through a choice."""
    cut = _cuts(plan, of, name)
    if not cut:
        return
    why = "a choice has no gradient, for it stays the same until it jumps"
    if set(cut) <= BY_IDS:
        why = f"{name} holds ids, which choose rows, and a choice of rows has no gradient"
    raise FormulaError(f"{of} depends on {name} through {' and '.join(cut)} only: {why}")


def _cuts(plan: Plan, of: str, name: str) -> list[str]:
    """Return the choices between a name and a step that depends on it."""
    found: dict[str, None] = {}
    behind, reached = set(plan.behind([of])), {name}
    for step in plan.steps:
        if step.formula is None or step.name not in behind or not reached & set(names_and_symbols(step.formula)):
            continue
        reached.add(step.name)
        found |= dict.fromkeys(each for node, each in choices(step.formula) if reached & set(names_and_symbols(node)))
    return list(found)


def choices(node: Any) -> Iterator[tuple[Any, str]]:
    """Yield the operands that a formula only uses to choose, round or compare, each with the name of the operation."""
    for each in (node, *parts_of(node)):
        reached = {arg for _, arg in moved(each)}
        for arg in each.args if hasattr(each, "args") else ():
            if getattr(arg, "is_Matrix", False) and arg not in reached and not isinstance(each, MatrixSymbol):
                yield arg, _NAMED_CHOICES.get(type(each), "") or getattr(operation_of(each), "name", "") or "a choice"


BY_IDS = {"one_hot", "cross_entropy"}
"""Operations whose parameter without a gradient is a row of ids."""

_NAMED_CHOICES: dict[type, str] = {ArgMax: "argmax", TopK: "top_k"}


def parts_of(node: Any) -> Iterator[Any]:
    """Yield the matrices inside a formula, with those inside them."""
    for arg in getattr(node, "args", ()):
        if getattr(arg, "is_Matrix", False):
            yield arg
            yield from parts_of(arg)


def names_and_symbols(node: Any) -> Iterator[str]:
    """Yield the names in a formula, including symbols."""
    return (each.name for each in node.free_symbols)


def is_plain(*parts: MatrixExpr) -> bool:
    """Return whether the gradients contain at most one matrix besides ones."""
    return len(frozenset().union(*(part.atoms(MatrixSymbol) for part in parts))) < 2


def takes_once(node: Any, active: frozenset[str]) -> bool:
    """Return whether the gradient of a formula uses the incoming gradient only once: otherwise it needs a name.

    >>> from symattn.operations import Exp, Softmax
    >>> X = MatrixSymbol("X", 2, 2)
    >>> takes_once(Exp(X), frozenset("X")), takes_once(Softmax(X), frozenset("X"))
    (True, False)
    """
    if isinstance(node, MatAdd | MatMul | MatPow | Transpose | Quotient):
        return True
    grad = MatrixSymbol("grad_of_what_is_asked_for", *node.shape)
    places = [k for k, arg in moved(node) if names_moving(arg) & active]
    return all(sum(part == grad for part in preorder_traversal(passed_on(node, k, grad))) < 2 for k in places)
