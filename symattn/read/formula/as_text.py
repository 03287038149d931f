"""Write a formula as text that parses back to it: from nodes to the formula language.

>>> from symattn.read.formula import Scope, read_formula
>>> from symattn.base.shapes import shape
>>> scope = Scope({"Q": shape(3, 4), "K": shape(3, 4), "b": shape(1, 3)}, {"d_k": 4})
>>> as_text(read_formula("softmax((Q @ K.T) / sqrt(d_k) + b)", scope).expr)
'softmax(Q @ K.T / sqrt(d_k) + b)'
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from sympy import Basic, Expr, Identity, MatAdd, MatMul, MatPow, MatrixSymbol, OneMatrix, Transpose, ZeroMatrix

from symattn.base.parentheses import Precedence, at, beside, transposed_text
from symattn.operations import (
    ArgMax,
    EntryQuotient,
    Everywhere,
    Hadamard,
    InEveryColumn,
    InEveryRow,
    Quotient,
    Repeated,
    TopK,
)
from symattn.operations.build import usual
from symattn.operations.node import parameters_of, record_of
from symattn.operations.stored import as_number
from symattn.operations.terms import written_number


def as_text(
    node: Basic, vectors: Collection[str] = (), numbers: Collection[str] = (), spelled_out: bool = False
) -> str:
    """Return the text of a formula. Raises :class:`TypeError` for a node that formulas do not have.

    ``vectors`` are written as rows and columns, though they have one axis in NumPy, and ``numbers`` have none. Beside a
    larger matrix, a repeated one is written alone, as in NumPy; ``spelled_out`` writes ``broadcast(b, n)`` there too,
    as everywhere else.
    """
    return _Texts(frozenset(vectors), frozenset(numbers), spelled_out).of(node)


@dataclass(frozen=True)
class _Texts:
    """Writes nodes."""

    vectors: frozenset[str]
    numbers: frozenset[str]
    spelled_out: bool

    def of(self, node: Basic, repeats: bool = False) -> str:
        """Return the text of a node; with ``repeats`` the operand beside it repeats it to the full shape."""
        match node:
            case MatrixSymbol():
                return self.name(node)
            case MatMul():
                return self._product(node, repeats)
            case MatAdd():
                return self._sum(node)
            case Transpose():
                return transposed_text(self.of(node.arg))
            case MatPow():
                return f"matrix_power({self.of(node.base)}, {node.exp})"
            case Quotient():
                return beside(self.of(node.args[0], repeats), "/", written_number(node.args[1]))
            case Hadamard() | EntryQuotient():
                one, other = self._side_by_side(node.args)
                return beside(one, "*/"[isinstance(node, EntryQuotient)], other)
            case Repeated():
                number = as_number(node.argument)
                if not repeats:
                    return self._repeated(node)
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

    def _side_by_side(self, parts: Sequence[Any]) -> list[str]:
        """Return the texts of operands of one shape: one with the shape of its own lets the others repeat."""
        repeats = not self.spelled_out and not all(_is_repeated(each) for each in parts)
        return [self.of(each, repeats) for each in parts]

    def _repeated(self, node: Repeated) -> str:
        """Return the text of a repeated matrix on its own."""
        rows, columns = node.shape
        if (number := as_number(node.argument)) is not None:
            return beside(written_number(number), "*", f"ones({rows}, {columns})")
        text = self.of(node.argument)
        if isinstance(node, InEveryColumn | Everywhere):
            text = beside(text, "@", f"ones(1, {columns})")
        return f"broadcast({text}, {rows})" if isinstance(node, InEveryRow | Everywhere) else text

    def _product(self, node: MatMul, repeats: bool) -> str:
        numbers = [arg for arg in node.args if not arg.is_Matrix]
        matrices = [arg for arg in node.args if arg.is_Matrix]
        text = self.of(matrices[0], repeats and len(matrices) == 1)
        for matrix in matrices[1:]:
            text = beside(text, "@", self.of(matrix))
        for number in reversed(numbers):
            text = at(Precedence.ATOM if isinstance(matrices[0], Hadamard) else Precedence.PRODUCT, text)
            text = f"-{at(Precedence.SIGN, text)}" if number == -1 else f"{written_number(number)} * {text}"
        return text

    def _sum(self, node: MatAdd) -> str:
        minus = [place > 0 and _is_negative(term) for place, term in enumerate(node.args)]
        text, *others = self._side_by_side(
            [_without_sign(term) if turned else term for term, turned in zip(node.args, minus, strict=True)]
        )
        for turned, other in zip(minus[1:], others, strict=True):
            text = beside(text, "-" if turned else "+", other)
        return text

    def _call(self, node: Any) -> str:
        """Return a call of an operation by its name, without defaults."""
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


def _is_negative(term: Any) -> bool:
    return isinstance(term, MatMul) and bool(term.args[0].is_Rational) and term.args[0] < 0


def _without_sign(term: MatMul) -> Any:
    number, *others = term.args
    return (
        others[0]
        if number == -1 and len(others) == 1
        else MatMul(*((-number, *others)[number == -1 :]), evaluate=False)
    )


def _is_repeated(node: Any) -> bool:
    """Return True if the node has its shape only by repetition, whatever numbers multiply or divide it."""
    match node:
        case Quotient():
            return _is_repeated(node.args[0])
        case MatMul():
            matrices = [arg for arg in node.args if arg.is_Matrix]
            return len(matrices) == 1 and _is_repeated(matrices[0])
    return isinstance(node, Repeated)


def _is_usual(given: Any, value: Expr) -> bool:
    if isinstance(given, OneMatrix | ZeroMatrix):
        return bool(value == isinstance(given, OneMatrix))
    return bool(given == value)
