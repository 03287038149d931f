"""What a tree of a formula has that Python's own has not: signs of mathematics, and entries counted from 1."""

from __future__ import annotations

import ast


class Beside(ast.operator):
    """Side by side without a sign, Q Kᵀ or 2 X: the product of matrices, the multiple of one."""


class Cdot(ast.operator):
    """A dot: the product of matrices, the multiple of one, or the dot product of two vectors."""


class Times(ast.operator):
    """A cross: a product, which between matrices may be either of two."""


class Caret(ast.operator):
    """A power as on paper, which of a matrix may be either of two."""


class FromOne(ast.Subscript):
    """s_{12}: an entry or a row, counted from 1 as on paper."""


def indices(node: ast.Subscript) -> list[ast.expr]:
    """What stands in brackets or below a letter, piece by piece."""
    return node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]


LINEAR = (ast.Mult, ast.Div, Beside, Cdot, Times)


def of_entries(operator: ast.operator) -> ast.operator:
    """What a sign means between entries: behind Σ a product is one of numbers, and so is a power."""
    if isinstance(operator, Beside | Cdot | Times):
        return ast.Mult()
    return ast.Pow() if isinstance(operator, Caret) else operator
