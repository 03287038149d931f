"""Where a formula jumps and its enclosures never become narrow: X = Y of two numbers that are equal, the floor of one
that is whole, a case at its very border. What holds there is decided by the closed form."""

from __future__ import annotations

from functools import lru_cache, partial

from flint import arb, arb_mat, ctx
from sympy import Basic, Expr, MatrixExpr, preorder_traversal

from symattn.budget import remark
from symattn.equations.tree import All, Apply, Branch, Compare, Entry, Operation, Piece, children
from symattn.equations.whole import is_whole
from symattn.errors import DomainError, NoValueError, UndecidedError
from symattn.operations.node import record_of
from symattn.plan import names_in
from symattn.solution.proofs import LARGEST_CLOSED_FORM, entry_size
from symattn.solution.shown import Shown
from symattn.solution.store import Store
from symattn.values.applied import frame
from symattn.values.closed_form import closed_form_size
from symattn.values.number import number_ball


def narrowed(solution: Store, formula: MatrixExpr, found: arb_mat) -> arb_mat:
    """Enclosures of a formula; of entries at a jump those of their closed form, where there is one."""
    if not jumps(formula):
        return found
    entries, most = found.entries(), arb(2) ** -(ctx.prec // 2)
    # Half of the bits are left of what does not jump, unless it cancels.
    wide = [index for index, x in enumerate(entries) if not (x.is_finite() and x.rad() <= most * (1 + abs(x.mid())))]
    closed = _closed_form(solution, formula) if wide else None
    if closed is None:
        return found
    for index in wide:
        entries[index] = number_ball(closed[index])
    return arb_mat(found.nrows(), found.ncols(), entries)


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
    """Whether a formula has a case that its numbers decide, or a floor."""
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
    """What is compared."""
    return [side for part in condition.parts for side in children(part)]
