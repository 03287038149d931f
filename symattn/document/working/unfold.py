"""Definitions put into each other: Z = W X = softmax(X Xᵀ) X. Each line follows from the last by substitution alone."""

from __future__ import annotations

from sympy import MatrixExpr, MatrixSymbol, preorder_traversal

from symattn import limits
from symattn.budget import doing, spend
from symattn.document.math import Call, Chain, Math
from symattn.document.notation.formulas import Names, formula
from symattn.errors import BudgetError
from symattn.plan import Plan, names_in


def unfolded(derivation: Plan, name: str, stop: tuple[str, ...]) -> list[MatrixExpr]:
    """The formula of ``name``, then the same with one more layer of definitions put in, until only givens and the
    names in ``stop`` are left. Raises :class:`~symattn.errors.BudgetError` for too many definitions inside one another.

    >>> from symattn.shapes import shape
    >>> plan = Plan().given("X", shape(3, 2)).step("S", "X @ X.T").step("W", "softmax(S)").step("Z", "W @ X")
    >>> unfolded(plan, "Z", ())
    [W*X, Softmax(S)*X, Softmax(X*X.T)*X]
    """
    current = derivation[name].formula
    lines: list[MatrixExpr] = []
    while current is not None:
        lines.append(current)
        if len(lines) > limits.FORMULA_DEPTH:
            most = f"more than FORMULA_DEPTH = {limits.FORMULA_DEPTH} definitions inside one another"
            raise BudgetError(f'unfold {name}: {most}: stop at a later name with to = ["…"]')
        put_in: dict[MatrixExpr, MatrixExpr] = {}
        with doing(f"unfold {name}"):
            spend(_PIECE * _pieces_with_definitions(derivation, current, stop))
        for used in names_in(current):
            step = derivation[used]
            if used not in stop and step.formula is not None:
                put_in[MatrixSymbol(used, *step.formula.shape)] = step.formula
        current = current.xreplace(put_in) if put_in else None
    return lines


_PIECE = 400
"""Steps for a name or a sign that is written down."""


def _pieces_with_definitions(derivation: Plan, formula: MatrixExpr, stop: tuple[str, ...]) -> int:
    """Names and signs in a formula once the definitions of its names are put in."""
    own: dict[str, int] = {}
    pieces = 0
    for node in preorder_traversal(formula):
        pieces += 1
        if isinstance(node, MatrixSymbol) and node.name not in stop:
            if node.name not in own:
                inner = derivation[node.name].formula
                own[node.name] = 0 if inner is None else sum(1 for _ in preorder_traversal(inner))
            pieces += own[node.name]
    return pieces


def unfolding(derivation: Plan, name: str, stop: tuple[str, ...], called: str | None, names: Names) -> Chain:
    """The whole chain, or for ``called`` the first and the last: Attention(Q, K, V) = softmax(Q Kᵀ / √d_k) V."""
    lines: list[Math] = [formula(line, names) for line in unfolded(derivation, name, stop)]
    if called is not None:
        return Chain(Call(called, tuple(names(other) for other in stop)), (("=", lines[-1]),))
    # A name whose notation is its own formula (X Xᵀ) makes two layers look alike; say it once.
    distinct = [line for position, line in enumerate(lines) if position == 0 or line != lines[position - 1]]
    return Chain(names(name), tuple(("=", line) for line in distinct if line != names(name)))
