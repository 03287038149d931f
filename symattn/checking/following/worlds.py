"""A value as three worlds have it, and what it was made of.

``true`` is what follows exactly from what is given; ``carried`` what follows from the figures as they are printed;
``mended`` the same, had every wrong figure been printed right. A printed figure that ``carried`` gives and ``mended``
does not is right from a wrong figure; one that ``mended`` gives and ``true`` does not was rounded on the way.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from flint import arb

from symattn.base.budget import spend
from symattn.checking.following import rows as on
from symattn.checking.following.rows import BallMatrix, NoFit

BY_VALUE, BY_ENTRY = 40, 6
"""Steps that it takes to work something out, and for each number of what it is made of."""


@dataclass(frozen=True)
class Worlds:
    """A value in three worlds; ``axes`` is 0 for a number, 1 for a list, 2 for a matrix."""

    true: BallMatrix
    carried: BallMatrix
    mended: BallMatrix
    axes: int
    of: frozenset[int] = frozenset()
    """The numbers of the printed quantities that ``carried`` went through."""

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return on.size(self.true)

    @property
    def entries(self) -> int:
        """How many numbers there are."""
        return len(self.true) * len(self.true[0]) if self.true else 0


def known(rows: BallMatrix, axes: int) -> Worlds:
    """The same in all worlds."""
    return Worlds(rows, rows, rows, axes)


def number(value: arb) -> Worlds:
    """A single number."""
    return known([[value]], 0)


def through(rule: Callable[..., BallMatrix], given: Sequence[Worlds], axes: int) -> Worlds:
    """What a rule makes of values, in every world.

    Raises :class:`~symattn.checking.following.rows.NoFit` where shapes do not go together.
    """
    spend(BY_VALUE + BY_ENTRY * sum(each.entries for each in given))
    true = rule(*(each.true for each in given))
    of = frozenset().union(*(each.of for each in given))
    if all(each.carried is each.true and each.mended is each.true for each in given):
        return Worlds(true, true, true, axes, of)
    carried = rule(*(each.carried for each in given))
    same = all(each.carried is each.mended for each in given)
    mended = carried if same else rule(*(each.mended for each in given))
    return Worlds(true, carried, mended, axes, of)


def turned(value: Worlds) -> Worlds:
    """Xᵀ: of a list the column."""
    return replace(through(on.transposed, [value], 2), axes=2 if value.axes else 0)


def flat(value: Worlds) -> Worlds:
    """A row or a column as a list."""
    return replace(value if value.shape[0] == 1 else turned(value), axes=1)


def entry(value: Worlds, row: int, column: int) -> Worlds:
    """One entry, counted from 0. Raises :class:`NoFit` where there is none."""
    if not (0 <= row < value.shape[0] and 0 <= column < value.shape[1]):
        raise NoFit(f"entry {row + 1}, {column + 1} of {on.said(value.true)}")
    return through(lambda rows: [[rows[row][column]]], [value], 0)


def beside(given: Sequence[Worlds]) -> Worlds:
    """Matrices side by side. Raises :class:`NoFit` where they are not equally high."""
    if len({each.shape[0] for each in given}) > 1:
        raise NoFit("matrices of other heights side by side")
    return through(lambda *rows: [[x for r in rows for x in r[i]] for i in range(len(rows[0]))], given, given[0].axes)


def below(given: Sequence[Worlds]) -> Worlds:
    """Matrices one below the other; lists one behind the other.

    Raises :class:`NoFit` where they are not equally wide.
    """
    if all(each.axes == 1 for each in given):
        return beside(given)
    if len({each.shape[1] for each in given}) > 1:
        raise NoFit("matrices of other widths one below the other")
    return through(lambda *rows: [row for each in rows for row in each], given, 2)


def row(value: Worlds, place: int) -> Worlds:
    """One row as a list, counted from 0; of a list its entry. Raises :class:`NoFit` where there is none."""
    if value.axes == 1:
        return entry(value, 0, place)
    if not 0 <= place < value.shape[0]:
        raise NoFit(f"row {place + 1} of {on.said(value.true)}")
    return through(lambda rows: [rows[place]], [value], 1)


def cut(value: Worlds, rows: range, columns: range) -> Worlds:
    """Some rows of some columns."""
    return through(lambda given: [[given[i][j] for j in columns] for i in rows], [value], value.axes)


def diagonal(value: Worlds) -> Worlds:
    """A matrix with a list on its diagonal. Raises :class:`NoFit` of what is no list."""
    if 1 not in value.shape:
        raise NoFit("the diagonal of a matrix")
    line = flat(value)
    places = range(line.entries)
    return through(lambda rows: [[rows[0][j] if i == j else arb() for j in places] for i in places], [line], 2)


def times(left: Worlds, right: Worlds) -> Worlds:
    """X Y as shapes have it: a multiple, a product of matrices, of a list and a matrix, or of two lists.

    Raises :class:`NoFit` where shapes do not go together.
    """
    if not left.axes or not right.axes or 1 in (left.entries, right.entries):
        axes = max(left.axes, right.axes)
        if not left.axes or not right.axes or left.shape[1] != right.shape[0]:
            return through(lambda x, y: on.each(lambda a, b: a * b, x, y), [left, right], axes)
    if left.axes == 1 and right.axes == 1:
        if left.shape[1] == right.shape[1]:
            return through(lambda x, y: on.product(x, on.transposed(y)), [left, right], 0)
        raise NoFit(f"{left.shape[1]} numbers by {right.shape[1]}")
    if left.axes == 1:
        if left.shape[1] == right.shape[0]:
            return through(on.product, [left, right], 1)
        return through(lambda x, y: on.product(on.transposed(x), y), [left, right], 2)
    if right.axes == 1:
        if left.shape[1] == right.shape[1] and right.shape[1] > 1:
            return through(lambda x, y: on.transposed(on.product(x, on.transposed(y))), [left, right], 1)
        return through(on.product, [left, right], 2)
    axes = 0 if left.shape[0] == 1 == right.shape[1] and left.shape[1] > 1 else 2
    return through(on.product, [left, right], axes)


def by_entries(rule: Callable[..., arb], *given: Worlds) -> Worlds:
    """A rule entry by entry. Raises :class:`NoFit` where shapes do not go together."""
    if len(given) == 2:
        given = tuple(_alike(*given))
    axes = max(each.axes for each in given)
    return through(lambda *rows: on.each(rule, *rows), given, axes)


def _alike(left: Worlds, right: Worlds) -> Sequence[Worlds]:
    """A column beside a list of as many is that list."""
    for one, other in ((left, right), (right, left)):
        if one.axes == 1 and other.axes == 2 and other.shape == (one.shape[1], 1) and one.shape[1] > 1:
            flat = through(on.transposed, [other], 1)
            return (one, flat) if one is left else (flat, one)
    return left, right


def together(cells: list[list[Worlds]], axes: int) -> Worlds:
    """A grid of numbers, or of matrices, or of lists that stand under each other.

    Raises :class:`~symattn.checking.following.rows.NoFit` where they are something else.
    """
    flat = [each for row in cells for each in row]
    if all(each.axes == 0 for each in flat):
        wide = len(cells[0])

        def made(*rows: BallMatrix) -> BallMatrix:
            values = [each[0][0] for each in rows]
            return [values[i : i + wide] for i in range(0, len(values), wide)]

        return through(made, flat, axes)
    if all(each.axes == 1 for each in flat) and (len(cells) == 1 or len(cells[0]) == 1):
        if len({each.shape[1] for each in flat}) > 1:
            raise NoFit("rows are not of one length")
        return through(lambda *rows: [each[0] for each in rows], flat, 2)
    if all(each.axes == 2 for each in flat):
        return below([beside(row) for row in cells])
    raise NoFit("a grid of other things than numbers")
