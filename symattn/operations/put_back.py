"""What a gradient does with a part of a matrix, as the product that it is: I_{·,3} G puts a row G back as the third.

The name of its operation, rowᵀ(3, 3, G), is nobody's; columns and rows of an identity matrix are everybody's.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from sympy import Basic, Identity

from symattn.operations.tex import Write, columns, row


@dataclass(frozen=True)
class UnitBlock:
    """Some columns, or some rows, of an identity matrix."""

    size: Any
    first: Any
    last: Any


@dataclass(frozen=True)
class PutBack:
    """What stands around the gradient that is put back: columns before it, rows behind it."""

    before: UnitBlock | None
    gradient: Basic | None
    behind: UnitBlock | None

    def in_tex(self, write: Write) -> str:
        """The product: (I_3)_{·,3} G."""
        parts = [_columns(self.before, write)] if self.before else []
        parts += [write(self.gradient)] if self.gradient is not None else []
        return " ".join([*parts, *([_rows(self.behind, write)] if self.behind else [])])


def put_back(name: str, given: tuple[Any, ...]) -> PutBack | None:
    """What the operation of that name makes of what it is given; ``None`` for all that put nothing back.

    >>> from sympy import MatrixSymbol
    >>> put_back("row_vjp_X", (3, 2, MatrixSymbol("G", 1, 4))).before
    UnitBlock(size=3, first=2, last=2)
    """
    rule = _RULES.get(name)
    return None if rule is None else rule(*given)


def _entry(rows: Any, columns: Any, row: Any, column: Any, grad: Basic | None = None) -> PutBack:
    return PutBack(UnitBlock(rows, row, row), grad, UnitBlock(columns, column, column))


def _head(width: Any, head: Any, heads: Any, grad: Basic) -> PutBack:
    last = head * width / heads
    return PutBack(None, grad, UnitBlock(width, last - width / heads + 1, last))


_RULES: Mapping[str, Callable[..., PutBack]] = MappingProxyType(
    {
        "row_vjp_X": lambda rows, row, grad: PutBack(UnitBlock(rows, row, row), grad, None),
        "rows_vjp_X": lambda rows, first, last, grad: PutBack(UnitBlock(rows, first, last), grad, None),
        "head_vjp_X": _head,
        "entry_vjp_X": _entry,
        "entry_grad_X": _entry,
    }
)
"""The gradients of operations that take a part of a matrix; an entry may be the loss itself."""


def _columns(block: UnitBlock, write: Write) -> str:
    return columns(Identity(block.size), write(block.first), write(block.last), write)


def _rows(block: UnitBlock, write: Write) -> str:
    first, last = write(block.first), write(block.last)
    return row(Identity(block.size), first if first == last else f"{first}:{last}", write)
