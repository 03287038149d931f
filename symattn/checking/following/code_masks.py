"""What programs make masks of: ``np.where(np.tril(np.ones_like(S)) == 1, S, -np.inf)``.

>>> ones = OF_MASKS["ones"](worlds.number(arb(2)), worlds.number(arb(2)))
>>> [[float(x) for x in row] for row in OF_MASKS["tril"](ones).true]
[[1.0, 0.0], [1.0, 1.0]]
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from flint import arb

from symattn.checking.following import rows as on
from symattn.checking.following import worlds
from symattn.checking.following.rows import NoFit
from symattn.checking.following.worlds import Worlds

_LARGEST = 256


def are_equal(left: Worlds, right: Worlds) -> Worlds:
    """1 where two matrices have the same entry, else 0.

    Raises :class:`~symattn.checking.following.rows.NoFit` where shapes do not go together.

    >>> float(are_equal(worlds.number(arb(2)), worlds.number(arb(2))).true[0][0])
    1.0
    """
    return worlds.by_entries(lambda a, b: arb(int(a.overlaps(b))), left, right)


def _sizes(given: tuple[Worlds, ...]) -> tuple[int, int]:
    numbers = [x for each in given for row in each.true for x in row]
    if not 1 <= len(numbers) <= 2 or not all(x.is_integer() and 0 < x <= _LARGEST for x in numbers):
        raise NoFit("a shape that is not followed")
    whole = [int(float(x)) for x in numbers]
    return (1, whole[0]) if len(whole) == 1 else (whole[0], whole[1])


def _filled(given: tuple[Worlds, ...], value: arb) -> Worlds:
    high, wide = _sizes(given)
    return worlds.known([[value] * wide for _ in range(high)], 1 if high == 1 else 2)


def _full(*given: Worlds) -> Worlds:
    if len(given) < 2 or given[-1].axes:
        raise NoFit("full of nothing")
    return _filled(given[:-1], given[-1].true[0][0])


def _like(value: int) -> Callable[..., Worlds]:
    def made(one: Worlds, *_: Worlds) -> Worlds:
        return worlds.known([[arb(value)] * one.shape[1] for _ in range(one.shape[0])], one.axes)

    return made


def _triangle(keeps: Callable[[int], bool]) -> Callable[..., Worlds]:
    """The entries of which the diagonal, counted from the middle one, is to be kept."""

    def made(one: Worlds, *offset: Worlds) -> Worlds:
        middle = int(float(offset[0].true[0][0])) if offset and offset[0].true[0][0].is_integer() else 0
        return worlds.through(
            lambda rows: [
                [x if keeps(j - i - middle) else arb() for j, x in enumerate(row)] for i, row in enumerate(rows)
            ],
            [one],
            one.axes,
        )

    return made


def _where(*given: Worlds) -> Worlds:
    if len(given) != 3:
        raise NoFit("where of other than three")
    axes = max(each.axes for each in given)
    return worlds.through(lambda *rows: on.each(_chosen, *rows), given, axes)


def _chosen(which: arb, one: arb, other: arb) -> arb:
    return other if which.is_zero() else one


def _masked_fill(*given: Worlds) -> Worlds:
    if len(given) != 3:
        raise NoFit("masked_fill of other than three")
    return _where(given[1], given[2], given[0])


def _causal(one: Worlds) -> Worlds:
    seen = _triangle(lambda diagonal: diagonal <= 0)(_like(1)(one))
    return _where(seen, one, worlds.number(arb.neg_inf()))


OF_MASKS: Mapping[str, Callable[..., Worlds]] = MappingProxyType(
    {
        "ones": lambda *sizes: _filled(sizes, arb(1)),
        "zeros": lambda *sizes: _filled(sizes, arb()),
        "full": _full,
        "ones_like": _like(1),
        "zeros_like": _like(0),
        "tril": _triangle(lambda diagonal: diagonal <= 0),
        "triu": _triangle(lambda diagonal: diagonal >= 0),
        "causal_mask": _causal,
        "where": _where,
        "masked_fill": _masked_fill,
    }
)
"""Functions of NumPy and PyTorch by their names, on values: shapes, what is chosen where, what is kept."""
