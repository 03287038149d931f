"""What somebody who works by hand writes down of a number: all of it, a rounding, or nobody knows which."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

from flint import arb, fmpz

from symattn.errors import UndecidedError
from symattn.values.rounding import only_integer

_HALF = arb("0.5")

TINY = arb("1e-20")
"""An enclosure narrower than this around a decimal is that decimal."""


class Carry(Protocol):
    """What is written down of a number, and gone on with.

    ``any_way``: it does not matter either which of the usual ways of working something out is taken.
    """

    @property
    def any_way(self) -> bool: ...

    def __call__(self, x: arb) -> arb:
        """Everything that may stand on the paper for a number in ``x``."""
        ...

    def added(self, x: arb) -> arb:
        """What writing it down adds to a number in ``x``, whichever of them it is."""
        ...


@dataclass(frozen=True)
class _Exactly:
    any_way = False

    def __call__(self, x: arb) -> arb:
        return x

    def added(self, x: arb) -> arb:
        return arb()


exactly: Carry = _Exactly()
"""Nobody rounds: :func:`hand` encloses what ``ball`` encloses."""


@dataclass(frozen=True)
class _Widened:
    decimals: int
    scale: fmpz = field(compare=False)
    half: arb = field(compare=False)
    """Everything between minus and plus half a unit of the last decimal."""
    any_way = True

    def __call__(self, x: arb) -> arb:
        return x + self.added(x)

    def added(self, x: arb) -> arb:
        if not x.is_finite() or (x.rad() < TINY and (x * self.scale).contains_integer()):
            return arb()
        return self.half


def widened(decimals: int) -> Carry:
    """Rounded to that many decimals, or to more, or not at all: the number ± half a unit of the last one.

    A number that has no more decimals than that is left alone.

    >>> (widened(2)(arb("0.123")) - arb("0.123")).contains(arb("0.005")), widened(2)(arb(3) / 4)
    (True, 0.750000000000000)
    """
    scale = fmpz(10) ** decimals
    half = _HALF / scale
    return _Widened(decimals, scale, (-half).union(half))


@dataclass(frozen=True)
class _Rounded:
    decimals: int
    scale: fmpz = field(compare=False)
    any_way = False

    def __call__(self, x: arb) -> arb:
        if not x.is_finite():
            return x
        shifted = abs(x * self.scale) + _HALF
        # Where it is open, a tie is what is left: it goes up, away from zero.
        only = only_integer(shifted) if x.rad() < TINY else None
        whole = only if only is not None else only_integer(shifted.floor())
        if whole is None:
            raise UndecidedError(
                f"a number on the way is between {_short(x.lower())} and {_short(x.upper())}, which leaves open how it "
                f"is rounded to {self.decimals} decimals: expected a narrower enclosure, that is, more bits"
            )
        return arb(-whole if x < 0 else whole) / self.scale

    def added(self, x: arb) -> arb:
        return self(x) - x


def rounded(decimals: int) -> Carry:
    """Rounded to that many decimals, ties away from zero; :class:`UndecidedError` where an enclosure leaves it open.

    Below some 100 bits a tie that was not worked out exactly counts as open.

    >>> rounded(1)(arb("2.25")).str(5, radius=False), rounded(0)(-arb("0.5"))
    ('2.3000', -1.00000000000000)
    """
    return _Rounded(decimals, fmpz(10) ** decimals)


def _short(x: arb) -> str:
    return x.str(8, radius=False)
