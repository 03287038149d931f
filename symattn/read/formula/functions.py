"""The names that a formula may use, and the functions that it may call: built-in, user-defined, and those of libraries.

>>> sorted(TABLE)[:3], TABLE["sqrt"].parameters
(['abs', 'additive_scores', 'angle'], ('X',))

Gradients have names: ``softmax_vjp_S(S, G)`` is ∂L/∂S if G is ∂L/∂(softmax of S), and ``relu_grad_X(X)`` is the
derivative itself. Every operation has them, also a user-defined one.

>>> gradient = derived("softmax_vjp_S", {})
>>> [each.name for each in gradient.parameters], dict(gradient.page)["en"], gradient.called
(['S', 'G'], 'gradient of softmax with respect to S', 'J^T_softmax')
>>> derived("relu_grad_X", {}).called, derived("rotary_vjp_X", {}).called, derived("softmax_vjp_T", {})
("ReLU'", 'RoPE^T', None)
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache

from symattn.base.errors import FormulaError
from symattn.base.remembered import Named
from symattn.base.shapes import Shape
from symattn.base.words import named, text
from symattn.operations.equations.linear import is_linear
from symattn.operations.equations.tree import Operation
from symattn.operations.records import OURS, record_named
from symattn.operations.stored import JACOBIAN, OF_ALL, PRIME, TURNED, TURNED_JACOBIAN
from symattn.read.formula.batch import Several
from symattn.read.formula.calling import Function, of_ours, of_record, works_entry_by_entry
from symattn.read.formula.libraries import known
from symattn.read.formula.special import SPECIAL

KINDS = ("vjp", "grad", "row_jacobian", "jacobian")
"""Kinds of gradients in a name, before the parameter: ∂L/∂X for a ∂L/∂Y, and for the sum of Y; all of ∂Y/∂X."""

TIMES = 2
"""How many times a gradient of a gradient may be taken."""


def derived(name: str, own: Mapping[str, Operation]) -> Operation | None:
    """Return the gradient that a name calls, of a built-in or user-defined operation; ``None`` for any other name."""
    return _derived(name, own, TIMES)


def _derived(name: str, own: Mapping[str, Operation], times: int) -> Operation | None:
    for kind in KINDS:
        of, found, parameter = name.rpartition(f"_{kind}_")
        if not found or not times:
            continue
        operation = own.get(of) or (record_named(of) if of in OURS else _derived(of, own, times - 1))
        if operation is not None and not any(each.many for each in operation.parameters):
            if kind.endswith("jacobian"):
                return jacobian_of(operation, parameter, kind == "row_jacobian")
            return gradient_of(operation, parameter, kind == "grad")
    return None


@dataclass(frozen=True)
class Slope:
    """The operation and the parameter of a gradient; ``whole`` if it is that of the result itself."""

    of: Operation
    by: str
    whole: bool


def slope_of(gradient: Operation, own: Mapping[str, Operation]) -> Slope | None:
    """Return the operation that a gradient belongs to; ``None`` for any other operation, whatever its name.

    >>> slope = slope_of(derived("relu_grad_X", {}), {})
    >>> slope.of.name, slope.by, slope.whole
    ('relu', 'X', True)
    >>> slope_of(record_named("relu"), {}) is None
    True
    """
    for kind in KINDS:
        of, found, parameter = gradient.name.rpartition(f"_{kind}_")
        operation = own.get(of) or (record_named(of) if of in OURS else None)
        if found and operation is not None and gradient_of(operation, parameter, kind == "grad") == gradient:
            return Slope(operation, parameter, kind == "grad")
    return None


@lru_cache(maxsize=1000)
def gradient_of(operation: Operation, parameter: str, whole: bool = False) -> Operation | None:
    """Return the gradient of an operation with its name on a page; ``None`` if the parameter has none.

    >>> hadamard = record_named("hadamard")
    >>> gradient_of(hadamard, "Y").name, gradient_of(record_named("rows"), "a")
    ('hadamard_vjp_Y', None)
    """
    # Few formulas have gradients; the others need not load their derivation.
    from symattn.operations.equations.adjoint import adjoint

    try:
        found = adjoint(operation, parameter, whole)
    except FormulaError:
        return None
    page = _in_words(operation, "of", parameter)
    return replace(found, called=_called(operation, parameter, whole), page=page)


@lru_cache(maxsize=1000)
def jacobian_of(operation: Operation, parameter: str, by_row: bool = False) -> Operation | None:
    """Return the Jacobian of an operation with its name on a page; ``None`` if the parameter has none.

    >>> softmax = record_named("softmax")
    >>> jacobian_of(softmax, "S", True).called, jacobian_of(softmax, "T")
    ('J^_softmax', None)
    """
    from symattn.operations.equations.jacobian import jacobian

    try:
        found = jacobian(operation, parameter, by_row)
    except FormulaError:
        return None
    called = JACOBIAN + _with_parameter(operation, parameter)
    return replace(found, called=called, page=_in_words(operation, "jacobian", parameter))


def _in_words(operation: Operation, phrase: str, parameter: str) -> tuple[tuple[str, str], ...]:
    """Return the name on a page, in every language."""
    words = dict(operation.page)
    given = {each: {"operation": words.get(each, operation.called), "parameter": parameter} for each in named()}
    return tuple((each, text(each, "gradients", phrase).format(**given[each])) for each in given)


def _called(operation: Operation, parameter: str, whole: bool) -> str:
    """Return f′ for an entrywise operation, Aᵀ for a linear one, else the transposed Jacobian Jᵀ with a subscript."""
    name = _with_parameter(operation, parameter)
    if not whole and is_linear(operation, parameter):
        return _name(operation) + TURNED
    if whole and works_entry_by_entry(operation) and name == _name(operation):
        return name + PRIME
    return (OF_ALL if whole else TURNED_JACOBIAN) + name


def _with_parameter(operation: Operation, parameter: str) -> str:
    """Return the name of an operation, with the parameter if it has several matrices."""
    matrices = [each.name for each in operation.parameters if each.is_matrix]
    return _name(operation) if matrices == [parameter] else f"{_name(operation)},{parameter}"


def _name(operation: Operation) -> str:
    return operation.called if operation.called.replace("_", "").isalnum() else operation.name


TABLE: Mapping[str, Function] = Named(dict.fromkeys([*OURS, *SPECIAL]), lambda name: SPECIAL.get(name) or of_ours(name))
"""Every function of the formula language. Records are read on first use."""


@dataclass(frozen=True)
class Scope:
    """The names that a formula may use: matrices with shapes, sizes with whole numbers (or letters), and quantities."""

    names: Mapping[str, Shape]
    sizes: Mapping[str, int | str] = field(default_factory=dict)
    quantities: frozenset[str] = frozenset()
    symbols: frozenset[str] = frozenset()
    """Letters for any real number."""
    anywhere: bool = False
    """Whether symbols may be options of operations too, as in proofs, which compute nothing."""
    operations: Mapping[str, Operation] = field(default_factory=dict)
    """User-defined operations, which are called like built-in ones."""
    batches: Mapping[str, Several] = field(default_factory=dict)
    """Matrices along leading axes, by one name."""

    @property
    def functions(self) -> tuple[str, ...]:
        """The names of all functions that a formula may call."""
        return (*TABLE, *self.operations)

    def function(self, name: str) -> Function | None:
        """Return the function of that name, or the gradient of an operation that has it, or ``None``."""
        if name in self.operations:
            return of_record(self.operations[name])
        found = known(name)
        if found is not None:
            return found
        gradient = derived(name, self.operations)
        return None if gradient is None else of_record(gradient, repeats=True)
