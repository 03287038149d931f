"""What in a formula moves what is asked for, and what only chooses: where gradients come back, and where none do."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sympy import MatAdd, MatMul, MatPow, MatrixExpr, MatrixSymbol, OneMatrix, Transpose, preorder_traversal

from symattn.gradients.local import is_flat, passed_on
from symattn.operations import ArgMax, Quotient, TopK
from symattn.operations.node import operation_of, parameters_of

CHOICES = ("argmax", "top_k")
"""What is called a choice on a page."""


def names_moving(node: Any) -> frozenset[str]:
    """The names on which a formula depends in a way that has a gradient."""
    if isinstance(node, MatrixSymbol):
        return frozenset({node.name})
    return frozenset().union(*(names_moving(arg) for _, arg in moved(node)))


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


def choices(node: Any) -> Iterator[tuple[Any, str]]:
    """What chooses, rounds or compares in a formula, with what it does so by."""
    for each in (node, *_parts(node)):
        reached = {arg for _, arg in moved(each)}
        for arg in each.args if hasattr(each, "args") else ():
            if getattr(arg, "is_Matrix", False) and arg not in reached and not isinstance(each, MatrixSymbol):
                yield arg, _NAMED_CHOICES.get(type(each), "") or getattr(operation_of(each), "name", "") or "a choice"


BY_IDS = {"one_hot", "cross_entropy"}
"""Operations whose parameter without a gradient is a row of ids."""

_NAMED_CHOICES: dict[type, str] = {ArgMax: "argmax", TopK: "top_k"}


def _parts(node: Any) -> Iterator[Any]:
    for arg in getattr(node, "args", ()):
        if getattr(arg, "is_Matrix", False):
            yield arg
            yield from _parts(arg)


def names_of(node: Any) -> Iterator[str]:
    return (each.name for each in node.atoms(MatrixSymbol))


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
