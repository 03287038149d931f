"""What operations are called, and what stands beside what: asked by all that write formulas."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from sympy import Basic, Expr, MatMul, OneMatrix, S

PRIME, TURNED, TURNED_JACOBIAN, OF_ALL, JACOBIAN = "'", "^T", "J^T_", "grad_", "J^_"
"""What gradients are called: f′ entry by entry, Aᵀ of what is linear, Jᵀ with the name below, J;
grad of all entries."""

POWER = "·ᵏ"
"""What powers are called: the exponent above what is raised."""


@dataclass(frozen=True)
class GradientName:
    """A name with the marks of a gradient: what is above it, and the names below."""

    name: str
    above: Literal["", "'", "T"]
    below: tuple[str, ...] = ()
    """The operation, and the parameter where it has several matrices."""


def marked(called: str) -> GradientName | None:
    """What a gradient is called, taken apart; ``None`` for any other name.

    >>> marked("ReLU'"), marked("softmax")
    (GradientName(name='ReLU', above="'", below=()), None)
    >>> marked("grad_mse,X")
    GradientName(name='grad', above='', below=('mse', 'X'))
    """
    for begin, name, above in ((TURNED_JACOBIAN, "J", "T"), (OF_ALL, "grad", ""), (JACOBIAN, "J", "")):
        if called.startswith(begin):
            return GradientName(name, above, tuple(called.removeprefix(begin).split(",")))  # type: ignore[arg-type]
    if called.endswith(PRIME):
        return GradientName(called.removesuffix(PRIME), "'")
    return GradientName(called.removesuffix(TURNED), "T") if called.endswith(TURNED) else None


def binds(node: Basic) -> bool:
    """Whether a node of ours falls apart beside a factor: X ⊙ Y."""
    return bool(getattr(node, "is_infix", False) or getattr(node, "is_repeated", False))


def as_number(node: Basic) -> Expr | None:
    """The number that a matrix of one entry is, which a formula writes as that: c · 1."""
    if node == OneMatrix(1, 1):
        return S.One
    if not (isinstance(node, MatMul) and len(node.args) == 2 and node.args[1] == OneMatrix(1, 1)):
        return None
    return None if node.args[0].is_Matrix else node.args[0]


def is_number(node: Basic) -> bool:
    """Whether a matrix has one entry."""
    return bool(node.shape == (1, 1))


def side_by_side(nodes: Sequence[Basic]) -> tuple[Basic, ...]:
    """What stands beside one another entry by entry: what is repeated there alone, as people write it, where
    something else says how often."""
    found = tuple(map(_alone, nodes))
    return tuple(nodes) if all(one is not other for one, other in zip(nodes, found, strict=True)) else found


def _alone(node: Basic) -> Basic:
    """What is repeated, with the numbers before it; any other matrix itself."""
    if getattr(node, "is_repeated", False):
        return _alone(node.args[0])
    if isinstance(node, MatMul) and not any(arg.is_Matrix for arg in node.args[:-1]):
        inner = _alone(node.args[-1])
        return node if inner is node.args[-1] else MatMul(*node.args[:-1], inner, evaluate=False)
    return node
