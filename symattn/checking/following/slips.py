"""What may have happened to figures that are wrong: slips of whoever wrote them down, copied them or typed them.

>>> from fractions import Fraction
>>> from flint import arb
>>> from symattn.checking.reading.tree import FigureRead
>>> printed = ((FigureRead("0.53", Fraction(53, 100), Fraction(1, 100), 0, 4),),)
>>> slips(printed, ((arb("0.35"),),), (0, 0))
(Explained(name='slip:digits_swapped', said='Two digits changed places: 3 and 5.'),)
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

import numpy as np
from flint import arb

from symattn.checking.following.moved import (
    BallRows,
    EntryAt,
    ReadRows,
    misplaced,
    moved_entry,
    moved_lines,
    wrong_sum,
)
from symattn.checking.following.typed import agrees, mistyped
from symattn.checking.model import Explained
from symattn.checking.reading.tree import FigureRead
from symattn.values.number import at_precision

NOTHING: Mapping[str, BallRows] = MappingProxyType({})

BITS = 128
"""The precision in which figures are compared."""

LARGEST = 4096
"""Entries of a matrix beyond which slips among figures are not looked for."""


def slips(
    printed: ReadRows,
    expected: BallRows,
    place: EntryAt,
    also: Mapping[str, BallRows] = NOTHING,
    floats: Mapping[str, BallRows] = NOTHING,
) -> tuple[Explained, ...]:
    """What may have happened to the figure at a place, which counts from 0: what explains most comes first.

    ``also`` are other matrices whose figures may have been copied, by name; ``floats`` what the same chain gives in
    another arithmetic, by the name of that: ``float32``. Nothing where the figure is right.
    """
    with at_precision(BITS):
        return _slips(printed, expected, place, also, floats)


def _slips(
    printed: ReadRows,
    expected: BallRows,
    place: EntryAt,
    also: Mapping[str, BallRows],
    floats: Mapping[str, BallRows],
) -> tuple[Explained, ...]:
    row, column = place
    figure, is_same = printed[row][column], [len(r) for r in printed] == [len(r) for r in expected]
    if figure is None:
        return ()
    if not is_same or sum(map(len, expected)) > LARGEST:
        return _once(_alone(figure, expected, place) if is_same else misplaced(printed, expected, also))
    if agrees(figure, expected[row][column]):
        return ()
    return _once(_all(printed, expected, place, also, floats))


def _once(found: Iterator[Explained]) -> tuple[Explained, ...]:
    by_name = {one.name: one for one in reversed(list(found))}
    return tuple(reversed(by_name.values()))


def _alone(figure: FigureRead, expected: BallRows, place: EntryAt) -> Iterator[Explained]:
    yield from mistyped(figure, expected[place[0]][place[1]])


def _all(
    printed: ReadRows,
    expected: BallRows,
    place: EntryAt,
    also: Mapping[str, BallRows],
    floats: Mapping[str, BallRows],
) -> Iterator[Explained]:
    row, column = place
    figure = printed[row][column]
    assert figure is not None
    yield from _arithmetic(figure, expected[row][column], place, floats)
    yield from misplaced(printed, expected, also)
    if _is_rectangle(expected):
        yield from moved_lines(printed, expected, place)
    yield from mistyped(figure, expected[row][column])
    yield from moved_entry(printed, expected, place)
    yield from wrong_sum(printed, expected, row)


def _is_rectangle(rows: BallRows) -> bool:
    return len({len(row) for row in rows}) == 1


def _arithmetic(figure: FigureRead, value: arb, place: EntryAt, floats: Mapping[str, BallRows]) -> Iterator[Explained]:
    """Whether an arithmetic of few digits gives the figure."""
    if not value.is_finite():
        return
    number = float(value)
    with np.errstate(all="ignore"):  # what float32 cannot hold is infinite there
        # Not float16: with its three digits it agrees by accident with what was rounded badly.
        nearest = {"float32": float(np.float32(number)), "float64": number}
    candidates = [(name, rows[place[0]][place[1]]) for name, rows in floats.items() if place[0] < len(rows)]
    candidates += [(name, arb(one)) for name, one in nearest.items()]
    for name, one in candidates:
        if agrees(figure, one):
            yield Explained(f"slip:{name}", f"It is what {name} gives: that arithmetic has no more digits.")
            return
