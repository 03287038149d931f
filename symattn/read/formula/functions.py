"""What a formula may speak of, and the functions that it may call: ours, those of its own, and those of libraries.

>>> sorted(TABLE)[:3], TABLE["sqrt"].parameters
(['abs', 'additive_scores', 'angle'], ('X',))

Gradients by their names: ``softmax_vjp_S(S, G)`` is what ∂L/∂S is where ∂L/∂(softmax of S) is G, and
``relu_grad_X(X)`` the derivative by itself. Every operation has them, one's own too.

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
"""What stands between an operation and its parameter: ∂L/∂X given ∂L/∂Y, and of the sum of Y itself; all of ∂Y/∂X."""

TIMES = 2
"""How often a gradient may be taken of a gradient."""


def derived(name: str, own: Mapping[str, Operation]) -> Operation | None:
    """The gradient that a name calls, of one of ours or of one's own; ``None`` for a name of anything else."""
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
    """What a gradient is the gradient of, and by which parameter; ``whole`` where it is that of the result itself."""

    of: Operation
    by: str
    whole: bool


def slope_of(gradient: Operation, own: Mapping[str, Operation]) -> Slope | None:
    """What an operation is the gradient of; ``None`` for any other one, whatever it is called.

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
    """The gradient of an operation with what it is called on a page; ``None`` where the parameter has none.

    >>> hadamard = record_named("hadamard")
    >>> gradient_of(hadamard, "Y").name, gradient_of(record_named("rows"), "a")
    ('hadamard_vjp_Y', None)
    """
    # Few formulas have gradients, and the others need not know how they are derived.
    from symattn.operations.equations.adjoint import adjoint

    try:
        found = adjoint(operation, parameter, whole)
    except FormulaError:
        return None
    page = _in_words(operation, "of", parameter)
    return replace(found, called=_called(operation, parameter, whole), page=page)


@lru_cache(maxsize=1000)
def jacobian_of(operation: Operation, parameter: str, by_row: bool = False) -> Operation | None:
    """The Jacobian of an operation with what it is called on a page; ``None`` where the parameter has none.

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
    """What a page calls it, in every language."""
    words = dict(operation.page)
    given = {each: {"operation": words.get(each, operation.called), "parameter": parameter} for each in named()}
    return tuple((each, text(each, "gradients", phrase).format(**given[each])) for each in given)


def _called(operation: Operation, parameter: str, whole: bool) -> str:
    """f′ of what works entry by entry, Aᵀ of what is linear, else the turned Jacobian Jᵀ with the name below it."""
    name = _with_parameter(operation, parameter)
    if not whole and is_linear(operation, parameter):
        return _name(operation) + TURNED
    if whole and works_entry_by_entry(operation) and name == _name(operation):
        return name + PRIME
    return (OF_ALL if whole else TURNED_JACOBIAN) + name


def _with_parameter(operation: Operation, parameter: str) -> str:
    """The name of an operation, and the parameter where it has several matrices."""
    matrices = [each.name for each in operation.parameters if each.is_matrix]
    return _name(operation) if matrices == [parameter] else f"{_name(operation)},{parameter}"


def _name(operation: Operation) -> str:
    return operation.called if operation.called.replace("_", "").isalnum() else operation.name


TABLE: Mapping[str, Function] = Named(dict.fromkeys([*OURS, *SPECIAL]), lambda name: SPECIAL.get(name) or of_ours(name))
"""Every function of the formula language. A record is read when somebody asks for its function."""


@dataclass(frozen=True)
class Scope:
    """What a formula may speak of: names with shapes, sizes with their whole numbers (or letters), and quantities."""

    names: Mapping[str, Shape]
    sizes: Mapping[str, int | str] = field(default_factory=dict)
    quantities: frozenset[str] = frozenset()
    symbols: frozenset[str] = frozenset()
    """Letters that stand for any real number."""
    anywhere: bool = False
    """Whether symbols may be options of operations too: a proof works nothing out."""
    operations: Mapping[str, Operation] = field(default_factory=dict)
    """Operations of one's own, which are called like ours."""
    batches: Mapping[str, Several] = field(default_factory=dict)
    """Matrices along leading axes, by one name."""

    @property
    def functions(self) -> tuple[str, ...]:
        """The names of all functions that a formula may call."""
        return (*TABLE, *self.operations)

    def function(self, name: str) -> Function | None:
        """The function of that name, if there is one: what is called so, or the gradient of an operation."""
        if name in self.operations:
            return of_record(self.operations[name])
        found = known(name)
        if found is not None:
            return found
        gradient = derived(name, self.operations)
        return None if gradient is None else of_record(gradient, repeats=True)
