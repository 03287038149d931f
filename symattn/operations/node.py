"""The base of all nodes: an operation and its operands, stored and not evaluated.

A node with its own class has its definition there, in index notation; one that is made of a record alone is
:class:`Applied` and holds the record among its arguments. :func:`operation_of` handles both, and SymPy's own.

>>> from sympy import MatrixSymbol, Rational
>>> from symattn.operations.equations.read import read_operation
>>> softcap = read_operation("softcap(X, c)\\n y[i,j] = c * tanh(X[i,j] / c)")
>>> capped = apply(softcap, MatrixSymbol("S", 2, 3), Rational(5))
>>> capped.shape, capped[0, 1]
((2, 3), 5*tanh(S[0, 1]/5))
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any, ClassVar

from sympy import Atom, Basic, Expr, Identity, OneMatrix, Transpose, ZeroMatrix
from sympy.matrices.expressions.matexpr import MatrixElement

from symattn.base.remembered import cached_property
from symattn.operations.entry import NoFormError, SympyEntries, value_of
from symattn.operations.equations.parts import for_parts, given_only, up_to
from symattn.operations.equations.read import declared, read_operation
from symattn.operations.equations.tree import Length, Operation, Parameter
from symattn.operations.stored import Stored, basic, distinct_operands, explicit


class Node(Stored):
    """operation(X, …)_{ij} = what its equations say, applied to operands and not evaluated. The arguments are
    those of its parameters, in their order.

    Shapes: those of the operands → the one that the definition says.

    >>> from sympy import MatrixSymbol
    >>> from symattn.operations.rows import RowMax
    >>> RowMax(MatrixSymbol("X", 2, 2)).shape
    (2, 1)
    """

    definition: ClassVar[str] = ""
    """Name, parameters, shape and equations; a node without it is primitive and defines its entry itself."""
    unsaid: ClassVar[Collection[str]] = ()
    """Parameters that are not part of its name in a formula."""

    @cached_property
    def shape(self) -> tuple[Expr, Expr]:
        """The number of rows and columns, from the shapes of the operands."""
        operation = operation_of(self)
        assert operation is not None
        sizes = sizes_of(self)
        rows, columns = (
            sizes[axis.name] if isinstance(axis, Length) else value_of(axis, sizes) for axis in operation.shape
        )
        return rows, columns

    @cached_property
    def _known(self) -> SympyEntries:
        operation = operation_of(self)
        assert operation is not None
        given = {name: explicit(arg) if self.is_known else arg for name, arg in given_of(self).items()}
        return SympyEntries(operation, given)

    def _entry(self, i: Expr, j: Expr, **kwargs: Any) -> Expr:
        try:
            return self._known.entry(basic(i), basic(j))
        except NoFormError:
            return MatrixElement(self, i, j)  # the entry stays symbolic


class Definition(Atom):
    """An operation as an argument of the node that applies it: a record, or the text of one.

    >>> Definition("twice(X: m×n) -> m×n\\n y[i,j] = 2 * X[i,j]")
    twice
    """

    __slots__ = ("_content", "operation")

    def __new__(cls, operation: Operation | str, called: str = "", *page: tuple[str, str]) -> Definition:
        made: Definition = Atom.__new__(cls)
        if isinstance(operation, str):
            operation = replace(read_operation(operation, called=called), page=tuple(page))
        made.operation, made._content = operation, ()
        return made

    operation: Operation
    _content: tuple[str, ...]

    def _hashable_content(self) -> tuple[Any, ...]:
        if not self._content:  # written once: SymPy asks for it whenever two nodes are compared
            # Texts, for SymPy sorts by them.
            self._content = declared(self.operation), self.operation.called, str(self.operation.page)
        return self._content

    def __getnewargs__(self) -> tuple[Any, ...]:
        return (self.operation,)

    def _sympystr(self, printer: Any) -> str:
        return self.operation.name

    def _sympyrepr(self, printer: Any) -> str:
        said = (declared(self.operation), self.operation.called, *self.operation.page)
        return f"Definition({', '.join(map(repr, said))})"


class Applied(Node):
    """operation(X, …)_{ij} = what a record says that has no class of its own: it is the first argument.

    Shapes: those of the operands → the one that the record says.

    >>> from sympy import MatrixSymbol
    >>> apply(read_operation("twice(X)\\n y[i,j] = 2 * X[i,j]"), MatrixSymbol("X", 1, 2))[0, 1]
    2*X[0, 1]
    """

    @property
    def operation(self) -> Operation:
        """The record, as it was written."""
        found: Operation = self.args[0].operation
        return found

    def in_text(self, write: Callable[[Any], str]) -> str:
        return f"{self.operation.name}({', '.join(map(write, self.args[1:]))})"


def apply(operation: Operation, *args: Any) -> Applied:
    """Return the node of an operation with arguments in the order of its parameters; missing ones are defaults."""
    applied: Applied = Applied(Definition(operation), *args)
    return applied


_OF_SYMPY: Mapping[type, str] = {
    Transpose: "transpose(X: m×n) -> n×m\n y[i,j] = X[j,i]",
    Identity: "identity(n) -> n×n\n y[i,j] = 1 if i == j else 0",
    OneMatrix: "ones(m, n) -> m×n\n y[i,j] = 1",
    ZeroMatrix: "zeros(m, n) -> m×n\n y[i,j] = 0",
}


@lru_cache(maxsize=1000)
def record_of_kind(kind: Any) -> Operation | None:
    """Return the record of a class of nodes; ``None`` for a primitive one and for records that have no class."""
    if issubclass(kind, Node):
        text, source = kind.definition, re.search(r"Source: (.*)\Z", kind.__doc__ or "", re.DOTALL)
        said = " ".join(source[1].split()) if source else ""
        return read_operation(text, said, kind.called) if text else None
    return read_operation(_OF_SYMPY[kind]) if kind in _OF_SYMPY else None


def record_of(node: Basic) -> Operation | None:
    """Return the record of a node as it was written, for all its parameters; ``None`` for a primitive one."""
    return node.operation if isinstance(node, Applied) else record_of_kind(node.func)


def arguments_of(node: Basic) -> tuple[Any, ...]:
    """Return the arguments for a node's parameters, in order."""
    return node.args[1:] if isinstance(node, Applied) else node.args


def operation_of(node: Basic) -> Operation | None:
    """Return the operation of a node, for just the arguments it has; ``None`` for one that has no equations.

    >>> from symattn.operations.rows import Softmax
    >>> from sympy import MatrixSymbol
    >>> [equation.name for equation in operation_of(Softmax(MatrixSymbol("S", 2, 2))).equations]
    ['e', 't', 'y']
    """
    record = record_of(node)
    if record is None:
        return None
    count = len(arguments_of(node))
    if any(parameter.many for parameter in record.parameters):
        return for_parts(record, count)
    if count == len(record.parameters):
        return record
    return given_only(record, frozenset(parameter.name for parameter in record.parameters[:count]))


def parameters_of(node: Basic) -> Sequence[tuple[Parameter, Any]]:
    """Return the parameters of a node with their arguments."""
    operation = operation_of(node)
    assert operation is not None
    return tuple(zip(operation.parameters, arguments_of(node), strict=True))


def beside(node: Basic) -> Sequence[tuple[Parameter, Any]]:
    """Return the same as a formula writes it: in entry-by-entry operations, repeated operands are written once."""
    given = parameters_of(node)
    matrices = iter(distinct_operands([arg for parameter, arg in given if parameter.is_matrix]))
    return tuple((parameter, next(matrices) if parameter.is_matrix else arg) for parameter, arg in given)


def sizes_of(node: Basic) -> dict[str, Any]:
    """Return the lengths of all named axes, and the given numbers."""
    found: dict[str, Any] = {}
    for parameter, arg in parameters_of(node):
        if not parameter.is_matrix:
            found[parameter.name] = arg
            continue
        lengths = arg.shape if parameter.kind == "matrix" else arg.shape[1:]
        for axis, length in zip(parameter.axes, lengths, strict=True):
            if isinstance(axis, Length):
                found.setdefault(axis.name, basic(length))
    return found


def named(node: Basic, name: str) -> Applied:
    """Return a node for a number that an operation names on its way, for the same operands.

    >>> from symattn.operations.rows import LayerNorm
    >>> from sympy import MatrixSymbol, Rational
    >>> named(LayerNorm(MatrixSymbol("X", 2, 3), Rational(1, 100000)), "mu")[1, 0]
    Sum(X[1, k], (k, 0, 2))/3
    """
    operation = operation_of(node)
    assert operation is not None
    return applied_to(up_to(operation, name), node)


def applied_to(operation: Operation, node: Basic) -> Applied:
    """Apply another operation to a node's arguments, as far as it needs them."""
    given = {parameter.name: arg for parameter, arg in parameters_of(node)}
    return apply(operation, *(given[parameter.name] for parameter in operation.parameters))


def given_of(node: Basic) -> dict[str, Any]:
    """Return the values of all parameters and sizes."""
    return {**sizes_of(node), **{p.name: arg for p, arg in parameters_of(node)}}
