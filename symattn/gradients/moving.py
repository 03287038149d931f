"""What in a formula moves what is asked for, and what only chooses: where gradients come back, and where none do.

>>> from symattn.shapes import shape
>>> plan = Plan().given("X", shape(2, 3)).given("t", shape(1, 2)).step("L", "cross_entropy(X, t)")
>>> starts(plan, "L"), sorted(names_of(plan["L"].formula))
(('X',), ['X', 't'])
>>> [each for _, each in choices(plan["L"].formula)]
['cross_entropy']
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sympy import MatAdd, MatMul, MatPow, MatrixExpr, MatrixSymbol, OneMatrix, Transpose, preorder_traversal

from symattn.errors import FormulaError
from symattn.gradients.local import is_flat, passed_on
from symattn.gradients.numbers import symbols_in
from symattn.operations import ArgMax, Quotient, TopK
from symattn.operations.node import operation_of, parameters_of
from symattn.plan import Plan

CHOICES = ("argmax", "top_k")
"""What is called a choice on a page."""


def starts(plan: Plan, of: str) -> tuple[str, ...]:
    """The givens on which a step depends in a way that has a gradient: not token ids, not a mask.

    Raises :class:`~symattn.errors.UnknownNameError` for a name that is not there.

    >>> from symattn.shapes import shape
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
    """The names, those of symbols too, on which a formula depends in a way that has a gradient.

    >>> from symattn.operations import Keep
    >>> X, M = MatrixSymbol("X", 2, 2), MatrixSymbol("M", 2, 2)
    >>> sorted(names_moving(Keep(2 * X, M)))
    ['X']
    """
    if isinstance(node, MatrixSymbol):
        return frozenset({node.name})
    return symbols_in(node).union(*(names_moving(arg) for _, arg in moved(node)))


def moved(node: Any) -> Iterator[tuple[int, Any]]:
    """The matrices that a node passes something on to, with their places among its arguments."""
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
    """Raise :class:`~symattn.errors.FormulaError` where a step depends on a name, and only through a choice."""
    cut = _cuts(plan, of, name)
    if not cut:
        return
    why = "a choice has no gradient, for it stays the same until it jumps"
    if set(cut) <= BY_IDS:
        why = f"{name} holds ids, which choose rows, and a choice of rows has no gradient"
    raise FormulaError(f"{of} depends on {name} through {' and '.join(cut)} only: {why}")


def _cuts(plan: Plan, of: str, name: str) -> list[str]:
    """What chooses between a name and a step that depends on it."""
    found: dict[str, None] = {}
    behind, reached = set(plan.behind([of])), {name}
    for step in plan.steps:
        if step.formula is None or step.name not in behind or not reached & set(names_of(step.formula)):
            continue
        reached.add(step.name)
        found |= dict.fromkeys(each for node, each in choices(step.formula) if reached & set(names_of(node)))
    return list(found)


def choices(node: Any) -> Iterator[tuple[Any, str]]:
    """What chooses, rounds or compares in a formula, with what it does so by."""
    for each in (node, *parts_of(node)):
        reached = {arg for _, arg in moved(each)}
        for arg in each.args if hasattr(each, "args") else ():
            if getattr(arg, "is_Matrix", False) and arg not in reached and not isinstance(each, MatrixSymbol):
                yield arg, _NAMED_CHOICES.get(type(each), "") or getattr(operation_of(each), "name", "") or "a choice"


BY_IDS = {"one_hot", "cross_entropy"}
"""Operations whose parameter without a gradient is a row of ids."""

_NAMED_CHOICES: dict[type, str] = {ArgMax: "argmax", TopK: "top_k"}


def parts_of(node: Any) -> Iterator[Any]:
    """The matrices inside a formula, with those inside them."""
    for arg in getattr(node, "args", ()):
        if getattr(arg, "is_Matrix", False):
            yield arg
            yield from parts_of(arg)


def names_of(node: Any) -> Iterator[str]:
    """The names in a formula, those of symbols too."""
    return (each.name for each in node.free_symbols)


def is_plain(*parts: MatrixExpr) -> bool:
    """Whether what is passed on is ones, or one matrix beside such."""
    return len(frozenset().union(*(part.atoms(MatrixSymbol) for part in parts))) < 2


def takes_once(node: Any, active: frozenset[str]) -> bool:
    """Whether what reaches a formula stands once in what it passes on: else it is to have a name.

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
