"""Definitions put into each other: Z = W X = softmax(X Xᵀ) X. Each line follows from the last by substitution alone."""

from __future__ import annotations

from sympy import MatrixExpr, MatrixSymbol

from symattn.derivation import Plan, names_in
from symattn.document.math import Call, Chain, Math
from symattn.document.notation import Names, formula


def unfolded(derivation: Plan, name: str, stop: tuple[str, ...]) -> list[MatrixExpr]:
    """The formula of ``name``, then the same with one more layer of definitions put in, until only givens and the
    names in ``stop`` are left.

    >>> from symattn.shapes import shape
    >>> plan = Plan().given("X", shape(3, 2)).step("S", "X @ X.T").step("W", "softmax(S)").step("Z", "W @ X")
    >>> unfolded(plan, "Z", ())
    [W*X, Softmax(S)*X, Softmax(X*X.T)*X]
    """
    current = derivation[name].formula
    lines: list[MatrixExpr] = []
    while current is not None:
        lines.append(current)
        put_in: dict[MatrixExpr, MatrixExpr] = {}
        for used in names_in(current):
            step = derivation[used]
            if used not in stop and step.formula is not None:
                put_in[MatrixSymbol(used, *step.formula.shape)] = step.formula
        current = current.xreplace(put_in) if put_in else None
    return lines


def unfolding(derivation: Plan, name: str, stop: tuple[str, ...], called: str | None, names: Names) -> Chain:
    """The whole chain, or for ``called`` the first and the last: Attention(Q, K, V) = softmax(Q Kᵀ / √d_k) V."""
    lines: list[Math] = [formula(line, names) for line in unfolded(derivation, name, stop)]
    if called is not None:
        return Chain(Call(called, tuple(names(other) for other in stop)), (("=", lines[-1]),))
    # A name whose notation is its own formula (X Xᵀ) makes two layers look alike; say it once.
    distinct = [line for position, line in enumerate(lines) if position == 0 or line != lines[position - 1]]
    return Chain(names(name), tuple(("=", line) for line in distinct if line != names(name)))
