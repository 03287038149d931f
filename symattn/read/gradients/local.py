"""The gradient of one operation: from ∂L/∂Y of its result Y the gradient of each operand.

It is a compact matrix form if there is one, ∂L/∂Y times f′(X) for entrywise operations, else the operation that the
equations give (:mod:`symattn.operations.equations.adjoint`).

The compact forms are those of ``forms.toml`` beside this module. A form is a formula over the parameters of an
operation, ``grad`` = ∂L/∂(its result) and ``out`` = its result; the letters of the record are sizes.

>>> compact("dot", "Y"), compact("relu", "X"), compact("row_max", "X")
('grad.T @ X', None, None)
>>> compact("mse", "X")
'grad * (2 * (X - Y) / (m * n))'
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import Any

from sympy import MatrixExpr, MatrixSymbol, OneMatrix, ZeroMatrix

from symattn.base.parentheses import tight
from symattn.base.shapes import Axis, Shape
from symattn.operations import ArgMax, Concat, Hadamard, Rows, Stack, TopK
from symattn.operations.build import built, usual
from symattn.operations.equations.adjoint import adjoint, seed
from symattn.operations.equations.parts import ONE, ZERO
from symattn.operations.equations.tree import Operation, Parameter
from symattn.operations.node import Applied, operation_of, parameters_of, record_of, sizes_of
from symattn.operations.records import OURS, RECORDS, node_named, record_named
from symattn.operations.terms import Term
from symattn.read.formula import Scope, read_formula
from symattn.read.formula.calling import works_entry_by_entry
from symattn.read.formula.functions import derived, gradient_of
from symattn.read.gradients.nodes import replaced, transpose_of, without_ones

WHOLE = "whole"
"""The table of gradients of the operation itself, for operations whose result is a number; ``grad`` multiplies them."""


@cache
def forms() -> Mapping[str, Mapping[str, Any]]:
    """Return all of ``forms.toml``: for each operation its parameters with their forms.

    >>> forms()["hadamard"]["X"]
    'grad * Y'
    """
    return MappingProxyType(tomllib.loads((files("symattn.read.gradients") / "forms.toml").read_text(encoding="utf-8")))


def compact(operation: str, parameter: str, whole: bool = False) -> str | None:
    """Return the compact form of ∂L/∂(a parameter) of a built-in operation, or ``None`` if there is none.

    With ``whole`` it is the gradient of the result itself, of which L is the sum.
    """
    said = forms().get(operation, {})
    if parameter in said and not whole:
        return str(said[parameter])
    if WHOLE in said and parameter in said[WHOLE]:
        form = str(said[WHOLE][parameter])
        return form if whole else f"grad * {tight(form)}"
    return None


_OF_RECORD = "size_of_record_"
_WORD = re.compile(r"[A-Za-z_]\w*")

GRAD, OUT = "grad", "out"
"""The names of ∂L/∂Y and Y in a compact form."""


def is_flat(node: Any, parameter: Parameter) -> bool:
    """Return whether a parameter never has a gradient: a mask, token ids, a number that is rounded down.

    >>> from symattn.operations import Keep
    >>> X, M = MatrixSymbol("X", 2, 2), MatrixSymbol("M", 2, 2)
    >>> [is_flat(Keep(X, M), each) for each, _ in parameters_of(Keep(X, M))]
    [False, True]
    """
    operation = operation_of(node)
    if isinstance(node, ArgMax | TopK) or operation is None:
        return True
    return bool(adjoint(operation, parameter.name).result.body == ZERO)


def passed_on(node: Any, place: int, grad: MatrixExpr | None) -> MatrixExpr:
    """Return ∂L/∂X for the matrix at a place among the arguments of a node, from ``grad`` = ∂L/∂(the node).

    Shapes: ``grad`` has that of the node, the result that of X. Without ``grad`` the node is L itself.

    >>> from symattn.operations import Softmax
    >>> S, G = MatrixSymbol("S", 2, 3), MatrixSymbol("G", 2, 3)
    >>> passed_on(Softmax(S), 0, G)
    Hadamard(Softmax(S), -((Hadamard(Softmax(S), G))*1*1) + G)
    """
    parameter, _ = parameters_of(node)[place]
    if isinstance(node, Concat | Stack):
        return _part(node, place, OneMatrix(*node.shape) if grad is None else grad)
    record = record_of(node)
    assert record is not None
    if _is_first_power(node):
        return _derived(node, record, parameter, grad)
    form = _form(node, record, parameter, grad)
    if form is not None:
        return _formed(form, node, record, OneMatrix(*node.shape) if grad is None else grad)
    return _entry_by_entry(node, record, parameter, grad) or _derived(node, record, parameter, grad)


def _form(node: Any, record: Operation, parameter: Parameter, grad: MatrixExpr | None) -> str | None:
    """Return the compact form of a gradient of a built-in operation; a user's own has none, whatever its name."""
    if isinstance(node, Applied) and RECORDS.get(record.name) != record:
        return None
    whole = compact(record.name, parameter.name, whole=True) if grad is None else None
    return whole or compact(record.name, parameter.name)


def _is_first_power(node: Any) -> bool:
    """Return True for X¹, whose derivative has no power of X."""
    return isinstance(node, Applied) and node.operation == RECORDS["power"] and node.args[2] == 1


def _part(node: Any, place: int, grad: MatrixExpr) -> MatrixExpr:
    """Return the part of ∂L/∂Y that belongs to one part of a concatenation."""
    axis = int(isinstance(node, Concat))
    start = sum((part.shape[axis] for part in node.args[:place]), 0)
    ends = start + 1, start + node.args[place].shape[axis]
    return Rows(grad, *ends) if axis == 0 else transpose_of(Rows(transpose_of(grad), *ends))


def _formed(form: str, node: Any, record: Operation, grad: MatrixExpr) -> MatrixExpr:
    """Return a compact form with the node's operands substituted."""
    given = {parameter.name: arg for parameter, arg in parameters_of(node)}
    sizes = {name: size for name, size in sizes_of(node).items() if name not in given}
    put_in: dict[Any, Any] = {}
    names: dict[str, Shape] = {}
    numbers: dict[str, Any] = {}
    for parameter in record.parameters:
        value = given.get(parameter.name)
        if parameter.is_matrix:
            names[parameter.name] = _shape(value if value is not None else _filling(parameter, sizes))
            put_in[parameter.name] = value if value is not None else _filling(parameter, sizes)
        elif parameter.kind == "number":
            numbers[parameter.name] = usual(parameter) if value is None else value
        else:
            sizes[parameter.name] = usual(parameter) if value is None else value
    names |= {GRAD: _shape(grad), OUT: _shape(node)}
    put_in |= {GRAD: grad, OUT: node}
    # A letter of the record may be that of another length here.
    lengths = {f"{_OF_RECORD}{name}": size for name, size in sizes.items()}
    form = _WORD.sub(lambda word: f"{_OF_RECORD}{word[0]}" if word[0] in sizes else word[0], form)
    read_sizes = {name: _size(size) for name, size in lengths.items()}
    scope = Scope(names, read_sizes, symbols=frozenset(numbers), anywhere=True)
    read = read_formula(form, scope).expr
    known = {**lengths, **numbers}
    read = read.xreplace({each: known[each.name] for each in read.free_symbols if each.name in known})
    symbols = {each: put_in[each.name] for each in read.atoms(MatrixSymbol)}
    return without_ones(replaced(read, symbols))


def _shape(node: Any) -> Shape:
    rows, columns = node.shape
    return Shape(Axis(_size(rows)), Axis(_size(columns)))


def _size(size: Any) -> int | str:
    return int(size) if getattr(size, "is_number", True) else str(size)


def _filling(parameter: Parameter, sizes: dict[str, Any]) -> MatrixExpr:
    """Return the default row of a missing parameter: ones or zeros."""
    lengths = [sizes.get(str(getattr(axis, "name", "")), 1) for axis in parameter.axes]
    shape = (1, *lengths)[-2:]
    return ZeroMatrix(*shape) if usual(parameter) == 0 else OneMatrix(*shape)


def _entry_by_entry(node: Any, record: Operation, parameter: Parameter, grad: MatrixExpr | None) -> MatrixExpr | None:
    """Return ∂L/∂Y times f′(X) of an entrywise operation, on operands that are no longer text."""
    slope = gradient_of(record, parameter.name, whole=True) if works_entry_by_entry(record) else None
    if slope is None:
        return None
    if slope.result.body == ONE:
        return OneMatrix(*node.shape) if grad is None else grad
    made = apply_operation(slope, _given_to(node), record)
    return made if grad is None else without_ones(Hadamard(grad, made))


def _given_to(node: Any) -> dict[str, Any]:
    """Return the operands of an operation, by the names of its parameters."""
    return {**sizes_of(node), **{each.name: arg for each, arg in parameters_of(node)}}


def _derived(node: Any, record: Operation, parameter: Parameter, grad: MatrixExpr | None) -> MatrixExpr:
    """Return the operation of a gradient, applied to the node's operands."""
    given = _given_to(node)
    if grad is not None:
        given[seed(record).name] = grad
    return apply_operation(adjoint(record, parameter.name, grad is None), given, record)


def apply_operation(operation: Operation, given: Mapping[str, Any], of: Operation | None = None) -> MatrixExpr:
    """Apply an operation to matrices and numbers by the names of its parameters; it is derived from ``of``."""
    own = {} if of is None or of.name in OURS else {of.name: of}
    values: dict[str, Any] = {}
    for each in operation.parameters:
        if each.name not in given:
            continue
        value = given[each.name]
        if each.is_matrix:
            values[each.name] = Term(value, _shape(value), str(value))
        elif each.kind == "size":
            values[each.name] = Axis(_size(value))
        else:
            values[each.name] = int(value) if each.kind == "whole" else value
    return built(derived(operation.name, own) or operation, values, node_named(operation.name)).expr


def of_ours(name: str, **given: Any) -> MatrixExpr:
    """Apply one of our operations to matrices and numbers.

    >>> of_ours("kron", X=MatrixSymbol("A", 1, 2), Y=MatrixSymbol("B", 2, 1)).shape
    (2, 2)
    """
    record = record_named(name)
    assert record is not None
    return apply_operation(record, given)
