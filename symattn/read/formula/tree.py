"""Nodes of formulas that Python's ``ast`` lacks: signs of mathematics, and entries counted from 1.

As text, a tree has the plain form of the language: Python's, with a gap between operands side by side.

>>> import ast
>>> canonical(ast.parse("softmax( ((Q @ K.T)) / sqrt(d_k) )[0,:1]", mode="eval").body)
'softmax(Q @ K.T / sqrt(d_k))[0, :1]'
"""

from __future__ import annotations

import ast
from collections.abc import Callable

from symattn.base.parentheses import Precedence


class Beside(ast.operator):
    """Operands side by side, Q Kᵀ or 2 X: a product of matrices, or a multiple."""


class Cdot(ast.operator):
    """A dot: a product of matrices, a multiple, or the dot product of two vectors."""


class Times(ast.operator):
    """A cross: a product, which between matrices may be either of two."""


class Caret(ast.operator):
    """A power as on paper, which for a matrix may be either of two."""


class FromOne(ast.Subscript):
    """An entry or a row, s_{12}, counted from 1 as on paper."""


def indices(node: ast.Subscript) -> list[ast.expr]:
    """Return the indices in brackets or in a subscript, one by one."""
    return node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]


LINEAR = (ast.Mult, ast.Div, Beside, Cdot, Times)


def of_entries(operator: ast.operator) -> ast.operator:
    """Return the sign between entries: behind Σ a product is one of numbers, and so is a power."""
    if isinstance(operator, Beside | Cdot | Times):
        return ast.Mult()
    return ast.Pow() if isinstance(operator, Caret) else operator


_SIGNS: dict[type[ast.operator], tuple[str, Precedence]] = {
    ast.Add: (" + ", Precedence.SUM),
    ast.Sub: (" - ", Precedence.SUM),
    ast.Mult: (" * ", Precedence.PRODUCT),
    ast.Div: (" / ", Precedence.PRODUCT),
    ast.MatMult: (" @ ", Precedence.PRODUCT),
    Beside: (" ", Precedence.PRODUCT),
    Cdot: (" · ", Precedence.PRODUCT),
    Times: (" × ", Precedence.PRODUCT),
    ast.Pow: (" ** ", Precedence.POWER),
    Caret: ("^", Precedence.POWER),
}


def segment(text: str, node: ast.expr) -> str:
    """Return the text that the author typed for a node: places are counted in characters of the text."""
    return text[node.col_offset : node.end_col_offset]


def canonical(tree: ast.expr) -> str:
    """Return the tree as text, with as few parentheses as possible."""
    return _Writer(None).written(tree, Precedence.SUM)


def in_python(tree: ast.expr, is_number: Callable[[ast.expr], bool]) -> str:
    """Return the tree as text in Python's signs: operands side by side are a product, or a multiple."""
    return _Writer(is_number).written(tree, Precedence.SUM)


class _Writer:
    """Writes nodes; ``is_number`` decides which products are multiples when Python's signs are used."""

    def __init__(self, is_number: Callable[[ast.expr], bool] | None) -> None:
        self.is_number = is_number

    def written(self, node: ast.expr, least: Precedence) -> str:
        text, level = self.piece(node)
        return f"({text})" if level < least else text

    def piece(self, node: ast.expr) -> tuple[str, Precedence]:
        """Return the text of a node, and how tightly it binds."""
        match node:
            case ast.BinOp():
                return self.binary(node)
            case ast.UnaryOp():
                sign = "-" if isinstance(node.op, ast.USub) else "+"
                return sign + self.written(node.operand, Precedence.SIGN), Precedence.SIGN
            case ast.Name():
                return node.id, Precedence.ATOM
            case ast.Constant():
                return "..." if node.value is ... else node.kind or str(node.value), Precedence.ATOM
            case ast.Attribute():
                return f"{self.operand(node.value)}.{node.attr}", Precedence.ATOM
            case ast.Call():
                named = [f"{keyword.arg}={self.written(keyword.value, Precedence.SUM)}" for keyword in node.keywords]
                return f"{self.operand(node.func)}({', '.join([*self.each(node.args), *named])})", Precedence.ATOM
            case FromOne():
                if self.is_number and isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, int):
                    return f"{self.operand(node.value)}[{node.slice.value - 1}]", Precedence.ATOM
                value = self.operand(node.value)
                value = f"({value})" if isinstance(node.value, ast.Attribute) else value
                return f"{value}_{{{','.join(self.each(indices(node)))}}}", Precedence.ATOM
            case ast.Subscript():
                return f"{self.operand(node.value)}[{', '.join(self.each(indices(node)))}]", Precedence.ATOM
            case ast.Slice():
                return self.slice(node), Precedence.ATOM
            case ast.List():
                return f"[{', '.join(self.each(node.elts))}]", Precedence.ATOM
            case ast.Tuple():
                return f"({', '.join(self.each(node.elts))}{',' * (len(node.elts) == 1)})", Precedence.ATOM
        return ast.unparse(node), Precedence.ATOM

    def each(self, nodes: list[ast.expr]) -> list[str]:
        return [self.written(node, Precedence.SUM) for node in nodes]

    def operand(self, node: ast.expr) -> str:
        """Return the operand of a postfix: a number gets parentheses, because ``2.T`` is not valid."""
        text = self.written(node, Precedence.ATOM)
        return f"({text})" if isinstance(node, ast.Constant) else text

    def binary(self, node: ast.BinOp) -> tuple[str, Precedence]:
        sign, level = _SIGNS[type(node.op)]
        if self.is_number and isinstance(node.op, Beside | Cdot):
            sign = " * " if self.is_number(node.left) or self.is_number(node.right) else " @ "
        if level == Precedence.POWER:
            exponent = self.written(node.right, Precedence.SIGN)
            if isinstance(node.op, Caret) and isinstance(node.right, ast.Name):
                exponent = f"({exponent})"  # K^T is the transpose, W^Q may be a name
            return f"{self.written(node.left, Precedence.ATOM)}{sign}{exponent}", level
        mixed = (
            (ast.Div, ast.Mult, Cdot, Times) if sign == " " else (Beside,) if sign.strip() in ("*", "·", "×") else ()
        )
        is_mixed = isinstance(node.left, ast.BinOp) and isinstance(node.left.op, mixed)
        left = self.written(node.left, Precedence.ATOM if is_mixed else level)
        right = self.written(node.right, Precedence(level + 1))
        if sign == " " and (right[0].isdigit() or right[0] in ".+-["):
            right = f"({right})"
        return f"{left}{sign}{right}", level

    def slice(self, node: ast.Slice) -> str:
        lower, upper = (self.written(end, Precedence.SUM) if end else "" for end in (node.lower, node.upper))
        return f"{lower}:{upper}" + (f":{self.written(node.step, Precedence.SUM)}" if node.step else "")
