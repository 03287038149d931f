"""Dispatch on nodes: a function of a node is answered by a rule of the node's own, or from its equations.

>>> from symattn.operations.equations.read import read_operation
>>> from symattn.operations.node import apply
>>> from symattn.operations.rows import RowMax
>>> from sympy import MatrixSymbol
>>> @Stage
... def said(node: object) -> str:
...     return "by its equations"
>>> @said.register(RowMax)
... def _(node: RowMax) -> str:
...     return "by its own rule"
>>> X = MatrixSymbol("X", 2, 2)
>>> largest = read_operation("largest(A)\\n b[i] = max(k, A[i,k])")
>>> said(RowMax(X)), said(apply(largest, X)), said(X)
('by its own rule', 'by its own rule', 'by its equations')
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache, update_wrapper
from typing import Any, Generic, TypeVar, cast, get_type_hints

from symattn.base.budget import spend
from symattn.operations.equations.parts import form
from symattn.operations.equations.read import declared
from symattn.operations.equations.tree import Operation
from symattn.operations.node import Applied, Node, arguments_of, record_of_kind

T = TypeVar("T")
F = TypeVar("F", bound=Callable[..., Any])

ASKED = 20
"""Steps for a call on a node, whatever the function."""


class Stage(Generic[T]):
    """A function of nodes with a rule for some of them; all others get the result of the function itself.

    A user-defined operation that is the same as a built-in one, under another name, has the rule of that one.
    """

    def __init__(self, default: Callable[..., T]) -> None:
        self.default = default
        self.registry: dict[Any, Callable[..., T]] = {object: default}
        self._found: dict[type, Callable[..., T]] = {}
        update_wrapper(self, default)

    def __call__(self, node: Any, *args: Any, **options: Any) -> T:
        spend(ASKED)
        rule, same = self.rule(node)
        return rule(same, *args, **options)

    def rule(self, node: Any) -> tuple[Callable[..., T], Any]:
        """Return the rule for a node, and the node it applies to: an equivalent built-in one or the node itself."""
        found = self.dispatch(type(node))
        if found is not self.default or not isinstance(node, Applied):
            return found, node
        ours = same_as_ours(node)
        return (self.dispatch(type(ours)), ours)

    def dispatch(self, kind: type) -> Callable[..., T]:
        """Return the rule for a class of nodes."""
        if kind not in self._found:
            self._found[kind] = next(self.registry[each] for each in kind.__mro__ if each in self.registry)
        return self._found[kind]

    def register(self, kind: Any) -> Callable[[F], F]:
        """Register a rule for a class; without one for the classes in the first argument's annotation."""
        if not isinstance(kind, type):
            annotated = next(iter(get_type_hints(kind).values()))
            for each in getattr(annotated, "__args__", (annotated,)):
                self.register(each)(kind)
            return cast("Callable[[F], F]", kind)

        def decorate(rule: F) -> F:
            self.registry[kind] = rule
            self._found.clear()
            return rule

        return decorate


def same_as_ours(node: Any) -> Any:
    """Return the built-in node that is equivalent to a user-defined one, or the node itself."""
    if not isinstance(node, Applied) or (kind := ours_of(node.operation)) is None:
        return node
    made = kind(*arguments_of(node))
    return made if arguments_of(made) == arguments_of(node) else node  # a class may want more to be given


def as_ours(formula: Any) -> Any:
    """Replace every user-defined operation in a formula that is the same as a built-in one.

    >>> from symattn.operations.equations.read import read_operation
    >>> from symattn.operations.node import apply
    >>> from sympy import MatrixSymbol
    >>> shares = read_operation("shares(W)\\n s[i] = sum(k, W[i,k])\\n p[i,j] = W[i,j] / s[i]")
    >>> as_ours(apply(shares, MatrixSymbol("X", 2, 2)).T)
    Proportions(X).T
    """
    found = formula
    while own := {node: same_as_ours(node) for node in found.atoms(Applied)}:
        ours = {node: same for node, same in own.items() if same is not node}
        if not ours:
            break
        found = found.xreplace(ours)
    return found


@lru_cache(maxsize=1000)
def ours_of(operation: Operation) -> Any:
    """Return the built-in class that is the same as an operation, or ``None``.

    Only definitions that call the same functions are parsed: otherwise one question would parse them all.
    """
    for kind in _by_calls().get(calls(declared(operation)), ()):
        record = record_of_kind(kind)
        if record is not None and form(record) == form(operation):
            return kind
    return None


@lru_cache(maxsize=1)
def _by_calls() -> dict[tuple[str, ...], list[Any]]:
    from symattn.operations import NODES, Repeated

    found: dict[tuple[str, ...], list[Any]] = {}
    for kind in NODES:
        if issubclass(kind, Node) and kind.definition and not issubclass(kind, Repeated):
            found.setdefault(calls(kind.definition), []).append(kind)
    return found


def calls(definition: str) -> tuple[str, ...]:
    """Return the functions that the equations of a definition call, which are equal for equal forms.

    >>> calls("unit(X: m×n) -> m×n\\n r[i] = sqrt(sum(k, X[i,k]^2))\\n y[i,j] = X[i,j] / r[i]")
    ('sqrt', 'sum')
    """
    _, _, equations = definition.strip().partition("\n")
    return tuple(sorted(re.findall(r"(\w+)\(", equations)))
