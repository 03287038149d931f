"""Rows of scores that are −∞ throughout: queries that see no key, whose weights would be 0 / 0.

Every evaluator gives them weights of 0, which is what ``on_empty = "zero"`` asks for; :mod:`symattn.solution.domain`
refuses them before anything is worked out where nobody asked.
"""

from __future__ import annotations

from functools import lru_cache

from sympy import Basic, MatAdd, MatrixExpr, MatrixSymbol, S

from symattn.equations.tree import Apply, walk
from symattn.given import Given
from symattn.operations.node import Definition
from symattn.plan import names_in
from symattn.shapes import in_rows, whole_sizes
from symattn.solution.store import Store
from symattn.values.certify import precisions
from symattn.values.interval import interval


def empty_rows(solution: Store, scores: MatrixExpr) -> tuple[int, ...]:
    """The rows of a formula, counted from 0, in which every entry is −∞. A finite −10⁹ is none."""
    if not may_be_infinite(solution, scores):
        return ()
    names = names_in(scores)
    columns = whole_sizes(scores)[1]
    if any(map(solution.rounded_givens, names)):
        hidden = [x.hidden for row in interval(scores, solution.intervals) for x in row]
    elif solution.symbolic is not None and solution.symbolic.touches(scores):
        hidden = [value is S.NegativeInfinity for value in solution.symbolic.evaluate(scores)]
    else:
        # The precision that the figures start with, whose enclosures are worked out anyway.
        balls = solution.evaluate_ball(scores, next(precisions(solution.style.decimals))).entries()
        hidden = [not x.is_finite() and bool(x < 0) for x in balls]
    return tuple(i for i, row in enumerate(in_rows(hidden, columns)) if all(row))


def let_through(solution: Store, scores: MatrixExpr) -> tuple[int, ...]:
    """The rows that see no key in a solution that gives them weights of 0; any other has proved that there are none."""
    return empty_rows(solution, scores) if solution.style.on_empty == "zero" else ()


def may_be_infinite(solution: Store, formula: MatrixExpr) -> bool:
    """Whether −∞ is written in a formula or behind it. All other numbers are finite, and so is what is made of them."""
    if _has_infinity(formula):
        return True
    needed = dict.fromkeys(other for name in names_in(formula) for other in solution.needed(name))
    givens = solution.givens
    return any(
        _is_infinite(givens[name]) if name in givens else _has_infinity(solution.formula(name)) for name in needed
    )


@lru_cache(maxsize=1000)
def _has_infinity(formula: MatrixExpr) -> bool:
    """Whether −∞ is written in a formula, or in the equations of an operation in it."""
    equations = (each.body for node in formula.atoms(Definition) for each in node.operation.equations)
    return bool(formula.has(S.NegativeInfinity)) or any(Apply("oo") in walk(body) for body in equations)


def _is_infinite(given: Given) -> bool:
    if given.array is not None:
        return given.array.finite is None
    return any(entry is S.NegativeInfinity for entry in given.entries)


def row_names(solution: Store, scores: MatrixExpr, rows: tuple[int, ...]) -> str:
    """Rows as a sentence speaks of them, with the labels that their axis has: ``row 2 (“cat”)``."""
    labels = solution.labels.get(axis_of_rows(solution, scores), ())
    named = [f"{i + 1} (“{labels[i]}”)" if i < len(labels) else str(i + 1) for i in rows]
    return f"{'row' if len(rows) == 1 else 'rows'} {', '.join(named)}"


def axis_of_rows(solution: Store, node: Basic) -> str:
    """What the rows of a formula are called, as far as one of its names tells."""
    if isinstance(node, MatrixSymbol):
        return solution.shape(str(node.name)).rows.name
    matrices = [arg for arg in node.args if arg.is_Matrix]
    # Of a product the first factor has the rows; of what works entry by entry every part has.
    same = matrices[:1] if not isinstance(node, MatAdd) else matrices
    found = (axis_of_rows(solution, part) for part in same if part.shape[0] == node.shape[0])
    return next((axis for axis in found if axis), "")
