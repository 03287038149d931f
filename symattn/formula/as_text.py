"""A formula as the text that is read to it: from nodes back to the formula language.

>>> from symattn.formula import Scope, read_formula
>>> from symattn.shapes import shape
>>> scope = Scope({"Q": shape(3, 4), "K": shape(3, 4), "b": shape(1, 3)}, {"d_k": 4})
>>> as_text(read_formula("softmax((Q @ K.T) / sqrt(d_k) + b)", scope).expr)
'softmax(Q @ K.T / sqrt(d_k) + b)'
"""

from __future__ import annotations

from typing import Any

from sympy import Basic, Expr, Identity, MatAdd, MatMul, MatPow, MatrixSymbol, OneMatrix, Transpose, ZeroMatrix

from symattn.operations import ArgMax, EntryQuotient, Hadamard, Quotient, Repeated, TopK
from symattn.operations.build import usual
from symattn.operations.node import parameters_of, record_of
from symattn.operations.terms import written_number
from symattn.operations.tex import as_number
from symattn.parentheses import Precedence, at, beside, transposed


def as_text(node: Basic) -> str:
    """The text of a formula. Raises :class:`TypeError` for a node that no formula is read to."""
    match node:
        case MatrixSymbol():
            return str(node.name)
        case MatMul():
            return _product(node)
        case MatAdd():
            return _sum(node)
        case Transpose():
            return transposed(as_text(node.arg))
        case MatPow():
            return f"matrix_power({as_text(node.base)}, {node.exp})"
        case Quotient():
            return beside(as_text(node.args[0]), "/", written_number(node.args[1]))
        case Hadamard() | EntryQuotient():
            return beside(as_text(node.args[0]), "*/"[isinstance(node, EntryQuotient)], as_text(node.args[1]))
        case Repeated():
            number = as_number(node.argument)  # beside what is larger it is repeated by itself
            return as_text(node.argument) if number is None else written_number(number)
        case Identity():
            return f"identity({node.shape[0]})"
        case OneMatrix():
            return f"ones({node.shape[0]}, {node.shape[1]})"
        case ZeroMatrix():
            return f"0 * ones({node.shape[0]}, {node.shape[1]})"
        case ArgMax():
            return f"argmax({as_text(node.argument)})"
        case TopK():
            return f"top_k({as_text(node.argument)}, {node.args[1]})"
    return _call(node)


def _product(node: MatMul) -> str:
    numbers = [arg for arg in node.args if not arg.is_Matrix]
    matrices = [arg for arg in node.args if arg.is_Matrix]
    text = as_text(matrices[0])
    for matrix in matrices[1:]:
        text = beside(text, "@", as_text(matrix))
    for number in reversed(numbers):
        text = at(Precedence.PRODUCT, text)
        text = f"-{at(Precedence.SIGN, text)}" if number == -1 else f"{written_number(number)} * {text}"
    return text


def _sum(node: MatAdd) -> str:
    text = ""
    for term in node.args:
        if text and isinstance(term, MatMul) and term.args[0] == -1:
            text = beside(
                text, "-", as_text(MatMul(*term.args[1:], evaluate=False) if len(term.args) > 2 else term.args[1])
            )
        else:
            text = beside(text, "+", as_text(term)) if text else as_text(term)
    return text


def _call(node: Any) -> str:
    """A call of an operation by its name, without what is usual."""
    record = record_of(node)
    if record is None:
        raise TypeError(f"no formula is read to {type(node).__name__}")
    if any(parameter.many for parameter in record.parameters):
        return f"{record.name}({', '.join(map(as_text, node.args))})"
    parts: list[str] = []
    for parameter, given in parameters_of(node):
        if parameter.default is None:
            parts.append(as_text(given) if parameter.is_matrix else str(given))
        elif not _is_usual(given, usual(parameter)):
            parts.append(f"{parameter.name}={as_text(given) if parameter.is_matrix else given}")
    return f"{record.name}({', '.join(parts)})"


def _is_usual(given: Any, value: Expr) -> bool:
    if isinstance(given, OneMatrix | ZeroMatrix):
        return bool(value == isinstance(given, OneMatrix))
    return bool(given == value)
