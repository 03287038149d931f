"""A tree written back as text, in the plain form of the language: Python's, and a gap where nothing stands between.

>>> import ast
>>> canonical(ast.parse("softmax( ((Q @ K.T)) / sqrt(d_k) )[0,:1]", mode="eval").body)
'softmax(Q @ K.T / sqrt(d_k))[0, :1]'
"""

from __future__ import annotations

import ast
from collections.abc import Callable

from symattn.formula.tree import Beside, Caret, Cdot, FromOne, Times

_SUM, _PRODUCT, _SIGN, _POWER, _CLOSED = range(5)
_SIGNS: dict[type[ast.operator], tuple[str, int]] = {
    ast.Add: (" + ", _SUM),
    ast.Sub: (" - ", _SUM),
    ast.Mult: (" * ", _PRODUCT),
    ast.Div: (" / ", _PRODUCT),
    ast.MatMult: (" @ ", _PRODUCT),
    Beside: (" ", _PRODUCT),
    Cdot: (" · ", _PRODUCT),
    Times: (" × ", _PRODUCT),
    ast.Pow: (" ** ", _POWER),
    Caret: ("^", _POWER),
}


def segment(text: str, node: ast.expr) -> str:
    """What the author typed for a piece of the tree: places are counted in characters of the text."""
    return text[node.col_offset : node.end_col_offset]


def canonical(tree: ast.expr) -> str:
    """The tree as text, with as few parentheses as it can be read again with."""
    return _Writer(None).written(tree, _SUM)


def in_python(tree: ast.expr, is_number: Callable[[ast.expr], bool]) -> str:
    """The tree as text in Python's signs: what stands side by side is a product, beside a number a multiple."""
    return _Writer(is_number).written(tree, _SUM)


class _Writer:
    """Writes pieces; ``is_number`` says which products are multiples, where signs of mathematics are not kept."""

    def __init__(self, is_number: Callable[[ast.expr], bool] | None) -> None:
        self.is_number = is_number

    def written(self, node: ast.expr, least: int) -> str:
        text, level = self.piece(node)
        return f"({text})" if level < least else text

    def piece(self, node: ast.expr) -> tuple[str, int]:
        """The text of a piece, and how closely it holds together."""
        match node:
            case ast.BinOp():
                return self.binary(node)
            case ast.UnaryOp():
                sign = "-" if isinstance(node.op, ast.USub) else "+"
                return sign + self.written(node.operand, _SIGN), _SIGN
            case ast.Name():
                return node.id, _CLOSED
            case ast.Constant():
                return "..." if node.value is ... else node.kind or str(node.value), _CLOSED
            case ast.Attribute():
                return f"{self.operand(node.value)}.{node.attr}", _CLOSED
            case ast.Call():
                named = [f"{keyword.arg}={self.written(keyword.value, _SUM)}" for keyword in node.keywords]
                return f"{self.operand(node.func)}({', '.join([*self.each(node.args), *named])})", _CLOSED
            case FromOne():
                below = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
                if self.is_number and isinstance(node.slice, ast.Constant) and isinstance(node.slice.value, int):
                    return f"{self.operand(node.value)}[{node.slice.value - 1}]", _CLOSED
                value = self.operand(node.value)
                value = f"({value})" if isinstance(node.value, ast.Attribute) else value
                return f"{value}_{{{','.join(self.each(below))}}}", _CLOSED
            case ast.Subscript():
                places = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
                return f"{self.operand(node.value)}[{', '.join(self.each(places))}]", _CLOSED
            case ast.Slice():
                return self.slice(node), _CLOSED
            case ast.List():
                return f"[{', '.join(self.each(node.elts))}]", _CLOSED
            case ast.Tuple():
                return f"({', '.join(self.each(node.elts))}{',' * (len(node.elts) == 1)})", _CLOSED
        return ast.unparse(node), _CLOSED

    def each(self, nodes: list[ast.expr]) -> list[str]:
        return [self.written(node, _SUM) for node in nodes]

    def operand(self, node: ast.expr) -> str:
        """What something is done to: in parentheses where it is a number, for ``2.T`` is none."""
        text = self.written(node, _CLOSED)
        return f"({text})" if isinstance(node, ast.Constant) else text

    def binary(self, node: ast.BinOp) -> tuple[str, int]:
        sign, level = _SIGNS[type(node.op)]
        if self.is_number and isinstance(node.op, Beside | Cdot):
            sign = " * " if self.is_number(node.left) or self.is_number(node.right) else " @ "
        if level == _POWER:
            exponent = self.written(node.right, _SIGN)
            if isinstance(node.op, Caret) and isinstance(node.right, ast.Name):
                exponent = f"({exponent})"  # K^T is the transpose, W^Q may be a name
            return f"{self.written(node.left, _CLOSED)}{sign}{exponent}", level
        mixed = (
            (ast.Div, ast.Mult, Cdot, Times) if sign == " " else (Beside,) if sign.strip() in ("*", "·", "×") else ()
        )
        is_mixed = isinstance(node.left, ast.BinOp) and isinstance(node.left.op, mixed)
        left, right = self.written(node.left, _CLOSED if is_mixed else level), self.written(node.right, level + 1)
        if sign == " " and (right[0].isdigit() or right[0] in ".+-["):
            right = f"({right})"
        return f"{left}{sign}{right}", level

    def slice(self, node: ast.Slice) -> str:
        lower, upper = (self.written(end, _SUM) if end else "" for end in (node.lower, node.upper))
        return f"{lower}:{upper}" + (f":{self.written(node.step, _SUM)}" if node.step else "")
