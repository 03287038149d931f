"""What distinguishes cases, where the entries hold free symbols: max(0, a) and max(a, b) stay written as they are.

Of known entries beside them the order is proved.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from sympy import Expr, ImmutableDenseMatrix, Max, Min, S, exp, sqrt

from symattn.errors import DomainError, UndecidedError, cut
from symattn.operations import ELU, ClipNorm, RowMax
from symattn.values.certify import LAST_BITS, START_BITS
from symattn.values.number import at_precision, number_ball
from symattn.values.zero import is_zero


def known_order(left: Expr, right: Expr) -> int:
    """−1, 0 or 1: which of two numbers without symbols is larger.

    Raises :class:`~symattn.errors.UndecidedError` where neither enclosures nor exact arithmetic can tell.

    Raises :class:`~symattn.errors.DomainError` for what is no number.

    >>> known_order(sqrt(2), S(3) / 2), known_order(S.One, S.One), known_order(sqrt(8), 2 * sqrt(2))
    (-1, 0, 0)
    """
    for value in (left, right):
        if value.has(S.NaN, S.ComplexInfinity):
            raise DomainError("a number has no value: an infinite value or a division by 0 cannot be used here")
    if left == right:
        return 0
    for bits in (START_BITS, LAST_BITS):
        with at_precision(bits):
            a, b = number_ball(left), number_ball(right)
            if a < b or a > b:
                return 1 if a > b else -1
        if bits == START_BITS and is_zero(left - right):
            return 0
    raise UndecidedError(f"which of {cut(str(left))} and {cut(str(right))} is larger cannot be decided")


def larger(first: Expr, *others: Expr) -> Expr:
    """The largest of several values; of those without symbols only the largest is kept.

    >>> from symattn.operations.symbols import entry_symbol
    >>> larger(S(0), entry_symbol("a"), S(2)), larger(S(1), S(2))
    (Max(2, a), 2)
    """
    open_values: dict[Expr, None] = {}
    known: list[Expr] = []
    for value in (first, *others):
        if value.free_symbols:
            open_values[value] = None
            continue
        if not known or known_order(known[0], value) == -1:
            known = [value]
    kept = [*known, *open_values]
    return kept[0] if len(kept) == 1 else Max(*kept, evaluate=False)


def _elu(x: Expr) -> Expr:
    """max(0, x) + e^min(0, x) − 1, which is x above 0 and e^x − 1 below."""
    if x.free_symbols:
        return larger(S.Zero, x) + exp(Min(S.Zero, x, evaluate=False)) - 1
    return x if known_order(x, S.Zero) >= 0 else exp(x) - 1


def _row_max(x: ImmutableDenseMatrix) -> ImmutableDenseMatrix:
    return ImmutableDenseMatrix(x.rows, 1, [larger(*row) for row in x.tolist()])


def _clip(node: ClipNorm, x: ImmutableDenseMatrix) -> ImmutableDenseMatrix:
    length = sqrt(sum((entry**2 for entry in x), S.Zero))
    share = node.threshold.doit() / length
    if not share.free_symbols:
        return x if known_order(share, S.One) >= 0 else x.applyfunc(lambda entry: entry * share)
    factor = Min(S.One, share, evaluate=False)
    return x.applyfunc(lambda entry: entry * factor)


CASES: Mapping[type, Callable[..., ImmutableDenseMatrix]] = MappingProxyType(
    {ELU: lambda node, x: x.applyfunc(_elu), RowMax: lambda node, x: _row_max(x), ClipNorm: _clip}
)
"""The nodes of one argument whose exact rule asks for signs and order, and what they are in symbols."""
