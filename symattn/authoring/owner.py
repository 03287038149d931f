"""What an expression needs of the derivation that its names belong to, and of operations of one's own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from symattn.formula import Scope

if TYPE_CHECKING:
    from symattn.derivation import Plan
    from symattn.document.notation.formulas import Names
    from symattn.equations.tree import Operation


class Own(Protocol):
    """An operation of somebody's own, as far as an expression needs it."""

    @property
    def record(self) -> Operation: ...
    @property
    def table(self) -> dict[str, Any]: ...


class Owner(Protocol):
    """The derivation that names belong to, as far as an expression needs it."""

    @property
    def title(self) -> str: ...
    @property
    def scope(self) -> Scope: ...
    @property
    def plan(self) -> Plan: ...
    @property
    def names(self) -> Names: ...
    def take_operation(self, own: Own) -> None: ...
