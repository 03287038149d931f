"""A formula as the text that is read to it: from nodes back to the formula language.

>>> from symattn.formula import Scope, read_formula
>>> from symattn.shapes import shape
>>> scope = Scope({"Q": shape(3, 4), "K": shape(3, 4), "b": shape(1, 3)}, {"d_k": 4})
>>> as_text(read_formula("softmax((Q @ K.T) / sqrt(d_k) + b)", scope).expr)
'softmax(Q @ K.T / sqrt(d_k) + b)'
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from sympy import Basic, Expr, Identity, MatAdd, MatMul, MatPow, MatrixSymbol, OneMatrix, Transpose, ZeroMatrix

from symattn.operations import ArgMax, EntryQuotient, Hadamard, Quotient, Repeated, TopK
from symattn.operations.build import usual
from symattn.operations.node import parameters_of, record_of
from symattn.operations.terms import written_number
from symattn.operations.tex import as_number
from symattn.parentheses import Precedence, at, beside, transposed


def as_text(node: Basic, vectors: Collection[str] = (), numbers: Collection[str] = ()) -> str:
    """The text of a formula. Raises :class:`TypeError` for a node that no formula is read to.

    ``vectors`` are written as the rows and columns that they are: to NumPy they have one axis only, and ``numbers``
    have none.
    """
    return _Texts(frozenset(vectors), frozenset(numbers)).of(node)


@dataclass(frozen=True)
class _Texts:
    """Writes nodes."""

    vectors: frozenset[str]
    numbers: frozenset[str]

    def of(self, node: Basic) -> str:
        match node:
            case MatrixSymbol():
                return self.name(node)
            case MatMul():
                return self._product(node)
            case MatAdd():
                return self._sum(node)
            case Transpose():
                return transposed(self.of(node.arg))
            case MatPow():
                return f"matrix_power({self.of(node.base)}, {node.exp})"
            case Quotient():
                return beside(self.of(node.args[0]), "/", written_number(node.args[1]))
            case Hadamard() | EntryQuotient():
                return beside(self.of(node.args[0]), "*/"[isinstance(node, EntryQuotient)], self.of(node.args[1]))
            case Repeated():
                number = as_number(node.argument)  # beside what is larger it is repeated by itself
                return self.of(node.argument) if number is None else written_number(number)
            case Identity():
                return f"identity({node.shape[0]})"
            case OneMatrix():
                return f"ones({node.shape[0]}, {node.shape[1]})"
            case ZeroMatrix():
                return f"0 * ones({node.shape[0]}, {node.shape[1]})"
            case ArgMax():
                return f"argmax({self.of(node.argument)})"
            case TopK():
                return f"top_k({self.of(node.argument)}, {node.args[1]})"
        return self._call(node)

    def name(self, node: MatrixSymbol) -> str:
        if node.name in self.numbers:
            return f"{node.name}[None, None]"
        if node.name not in self.vectors:
            return str(node.name)
        return f"{node.name}[:, None]" if node.shape[1] == 1 and node.shape[0] != 1 else f"{node.name}[None, :]"

    def _product(self, node: MatMul) -> str:
        numbers = [arg for arg in node.args if not arg.is_Matrix]
        matrices = [arg for arg in node.args if arg.is_Matrix]
        text = self.of(matrices[0])
        for matrix in matrices[1:]:
            text = beside(text, "@", self.of(matrix))
        for number in reversed(numbers):
            text = at(Precedence.ATOM if isinstance(matrices[0], Hadamard) else Precedence.PRODUCT, text)
            text = f"-{at(Precedence.SIGN, text)}" if number == -1 else f"{written_number(number)} * {text}"
        return text

    def _sum(self, node: MatAdd) -> str:
        text = ""
        for term in node.args:
            if text and isinstance(term, MatMul) and term.args[0] == -1:
                text = beside(
                    text, "-", self.of(MatMul(*term.args[1:], evaluate=False) if len(term.args) > 2 else term.args[1])
                )
            else:
                text = beside(text, "+", self.of(term)) if text else self.of(term)
        return text

    def _call(self, node: Any) -> str:
        """A call of an operation by its name, without what is usual."""
        record = record_of(node)
        if record is None:
            raise TypeError(f"no formula is read to {type(node).__name__}")
        if any(parameter.many for parameter in record.parameters):
            return f"{record.name}({', '.join(map(self.of, node.args))})"
        parts: list[str] = []
        for parameter, given in parameters_of(node):
            if parameter.default is None:
                parts.append(self.of(given) if parameter.is_matrix else str(given))
            elif not _is_usual(given, usual(parameter)):
                parts.append(f"{parameter.name}={self.of(given) if parameter.is_matrix else given}")
        return f"{record.name}({', '.join(parts)})"


def _is_usual(given: Any, value: Expr) -> bool:
    if isinstance(given, OneMatrix | ZeroMatrix):
        return bool(value == isinstance(given, OneMatrix))
    return bool(given == value)
