"""Narrow the enclosures of a formula at a jump, where more precision does not help: X = Y of equal numbers, the floor
of a whole number, a case at its very border. The closed form decides what holds there."""

from __future__ import annotations

from functools import lru_cache, partial

from flint import arb, arb_mat, ctx
from sympy import Basic, Expr, MatrixExpr, MatrixSymbol, postorder_traversal, preorder_traversal

from symattn.base.budget import remark
from symattn.base.errors import DomainError, NoValueError, UndecidedError
from symattn.compute.solution.proofs import LARGEST_CLOSED_FORM, entry_size, value_numbers
from symattn.compute.solution.store import Shown, Store
from symattn.compute.values.applied import applied_entries, frame
from symattn.compute.values.ball import BallLookup, ball
from symattn.compute.values.balls import BALLS, number_ball
from symattn.compute.values.cost import closed_form_size
from symattn.operations.equations.tree import All, Apply, Branch, Compare, Entry, Operation, Piece, children
from symattn.operations.equations.whole import is_whole
from symattn.operations.node import record_of
from symattn.read.plan import names_in


def narrowed(solution: Store, formula: MatrixExpr, found: arb_mat, lookup: BallLookup) -> arb_mat:
    """Return narrow enclosures of a formula even at a jump, if ties or the closed form tell which case holds there."""
    if not jumps(formula) or not _wide(found):
        return found
    found = _with_ties(solution, formula, lookup)
    wide = _wide(found)
    closed = _closed_form(solution, formula) if wide else None
    if closed is None:
        return found
    entries = found.entries()
    for index in wide:
        entries[index] = number_ball(closed[index])
    return arb_mat(found.nrows(), found.ncols(), entries)


def _wide(found: arb_mat) -> list[int]:
    """Return the entries that a jump leaves wide: others keep half of the bits, unless terms cancel."""
    most = arb(2) ** -(ctx.prec // 2)
    return [k for k, x in enumerate(found.entries()) if not (x.is_finite() and x.rad() <= most * (1 + abs(x.mid())))]


def _with_ties(solution: Store, formula: MatrixExpr, lookup: BallLookup) -> arb_mat:
    """Return enclosures of a formula whose comparisons know which of the compared entries are equal.

    Equal entries become one ball, and a ball is equal to itself. So ties are decided from the compared operands, before
    anything is computed with them, however large the closed form is.
    """
    known: dict[str, arb_mat] = {}

    def value(name: str) -> arb_mat:
        return known[name] if name in known else lookup(name)

    put: dict[Basic, MatrixSymbol] = {}
    for node in dict.fromkeys(postorder_traversal(formula)):
        if not getattr(node, "is_Matrix", False) or record_of(node) is None or not _jumps(frame(node).operation):
            continue
        one_ball: dict[int, arb] = {}
        rows = []
        for arg in (arg for arg in node.args if arg.is_Matrix):
            balls = ball(arg.xreplace(put), value).tolist()
            rows.append(_one_ball_each(balls, value_numbers(solution, solution.part(arg)), one_ball))
        name = solution.part(node)
        known[name] = arb_mat(applied_entries(node, rows, number_ball, BALLS))
        put[node] = MatrixSymbol(name, *node.shape)
    return ball(formula.xreplace(put), value)


def _one_ball_each(rows: list[list[arb]], numbers: list[list[int]] | None, known: dict[int, arb]) -> list[list[arb]]:
    """Return the entries, with one ball for equal entries."""
    if numbers is None:
        return rows
    return [
        [known.setdefault(number, x) for x, number in zip(*pair, strict=True)]
        for pair in zip(rows, numbers, strict=True)
    ]


def _closed_form(solution: Store, formula: MatrixExpr) -> list[Expr] | None:
    names = names_in(formula)
    if any(solution.shown(name) is not Shown.FIGURES for name in names):
        return None
    if closed_form_size(formula, partial(entry_size, solution)) > LARGEST_CLOSED_FORM:
        return None
    try:
        found = remark(lambda: solution.evaluate_exact(formula))
    except (UndecidedError, DomainError, NoValueError):
        return None
    return None if found is None else list(found)


@lru_cache(maxsize=1000)
def jumps(formula: Basic) -> bool:
    """Return whether a formula has a case that its numbers decide, or a floor."""
    nodes = (node for node in preorder_traversal(formula) if getattr(node, "is_Matrix", False))
    return any(_jumps(frame(node).operation) for node in nodes if record_of(node) is not None)


@lru_cache(maxsize=1000)
def _jumps(operation: Operation) -> bool:
    def jumping(piece: Piece) -> bool:
        match piece:
            case Entry():
                return False
            case Branch(condition, _, _) if any(not is_whole(operation, side) for side in _sides(condition)):
                return True
            case Apply("floor" | "mod", arguments) if not all(is_whole(operation, each) for each in arguments):
                return True
        return any(map(jumping, children(piece)))

    return any(jumping(equation.body) for equation in operation.equations)


def _sides(condition: Compare | All) -> list[Piece]:
    """Return both sides of every comparison in a condition."""
    return [side for part in condition.parts for side in children(part)]
