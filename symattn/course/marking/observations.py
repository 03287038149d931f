"""Say what can be computed of a wrong answer that no mistake of the bank explains: which cells, and in which way.

An observation that accounts for all wrong cells, such as two exchanged rows, stands alone. Otherwise there are up to
two: a sum or a variance that the answer breaks, and where the wrong cells are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import chain, islice
from statistics import mean, pvariance

from flint import arb, arb_mat, fmpq

from symattn.base.printed import decimal_text, shortest
from symattn.base.remembered import cached_property
from symattn.claims.by_hand import BITS
from symattn.course.marking.answers.cell import AnswerCell
from symattn.course.marking.grid import AnswerGrid, figure_value, is_figure
from symattn.course.marking.model import Observation, PartMarks
from symattn.course.model import Exercise, Place, worked
from symattn.operations import LayerNorm, Proportions, RMSNorm, Softmax

SAID = 2
"""The most observations about one part."""

FEW = 3
"""The most wrong cells whose differences are listed."""

LAST_DIGIT = 3
"""Figures that are off by at most so many units of the last decimal differ by rounding."""

PARTS = 4
"""The largest denominator of a factor that counts as no accident, unless it is a power of ten."""

BEYOND = Fraction(10) ** 30
"""Stands for ∞: larger than any number of a sheet."""


@dataclass(frozen=True)
class ComparedAnswer:
    """An answer beside the values that count as right: those of the key, or those that follow from the student's own.

    ``later`` are the marks of the parts that come after it.
    """

    exercise: Exercise
    grid: AnswerGrid
    marks: PartMarks
    values: arb_mat | None
    is_own: bool
    later: tuple[PartMarks, ...]

    def fits(self, place: Place, cell: AnswerCell) -> bool:
        """Return whether a number would be right in a place."""
        decimals, (i, j) = self.grid.part.decimals, place
        if not self.is_own and is_figure(cell, self.grid.part.key[i][j], decimals):
            return True
        return self.values is not None and cell.is_right(self.values[place], decimals)

    @cached_property
    def wrong(self) -> tuple[Place, ...]:
        return tuple((cell.row, cell.column) for cell in self.marks.having("wrong"))

    @cached_property
    def mine(self) -> Mapping[Place, Fraction]:
        """The student's numbers."""
        return {place: as_fraction(cell.number) for place, cell in self.grid.given.items()}

    @cached_property
    def right(self) -> Mapping[Place, Fraction]:
        """The right numbers, as the key prints them."""
        key, unit = self.grid.part.key, self.unit
        if self.is_own and self.values is not None:
            values = ((place, as_fraction(self.values[place].mid())) for place in self.grid.part.asked)
            return {place: round(value / unit) * unit for place, value in values}
        figures = ((place, figure_value(key[place[0]][place[1]])) for place in self.grid.part.asked)
        return {place: as_fraction(figure) for place, figure in figures if not isinstance(figure, str)}

    @property
    def unit(self) -> Fraction:
        """One in the last decimal that is asked for."""
        return Fraction(1, 10**self.grid.part.decimals)

    @cached_property
    def off(self) -> Mapping[Place, Fraction]:
        """How much too large each wrong number is, unless one of the two is infinite."""
        pairs = ((place, self.mine[place], self.right.get(place, BEYOND)) for place in self.wrong if place in self.mine)
        return {place: mine - right for place, mine, right in pairs if max(abs(mine), abs(right)) < BEYOND}

    @property
    def all_finite(self) -> bool:
        return bool(self.off) and len(self.off) == len(self.wrong)

    def lines(self, along: int) -> tuple[tuple[Place, ...], ...]:
        """Return the places of all rows (0) or columns (1) with wrong cells."""
        numbers = sorted({place[along] for place in self.wrong})
        return tuple(tuple(place for place in self.grid.part.asked if place[along] == one) for one in numbers)

    def text(self, number: Fraction) -> str:
        """Return a number with the decimals of the part, without zeros at the end."""
        return shortest(decimal_text(round(number / self.unit), self.grid.part.decimals))


def as_fraction(number: object) -> Fraction:
    """Return a number as a fraction; an irrational one to thirty digits."""
    if isinstance(number, fmpq):
        return Fraction(int(number.p), int(number.q))
    if not isinstance(number, arb):
        return BEYOND if number.is_positive else -BEYOND  # type: ignore[attr-defined]  # an infinity of SymPy
    return Fraction(number.mid().str(30, radius=False)) if number.is_finite() else BEYOND * (1 if number > 0 else -1)


def observed(it: ComparedAnswer) -> tuple[Observation, ...]:
    """Return what tells the student most: at most :data:`SAID` observations, at least one if a cell is wrong."""
    if it.marks.turned:
        return tuple(_other_shape(it))
    if it.marks.kind in ("order", "place"):
        return tuple(islice(chain(_order(it), _pointed(it), _count(it)), 1))
    whole = next(chain.from_iterable(look(it) for look in WHOLE), None)
    if whole is not None:
        return (replace(whole, is_whole=True),)
    return tuple(islice(chain(islice(chain(_sums(it), _norms(it)), 1), _places(it)), SAID))


def _seen(kind: str, **told: str | int) -> Observation:
    return Observation(kind, tuple(told.items()))


def place_text(place: Place) -> str:
    return f"[{place[0] + 1},{place[1] + 1}]"


# -- what accounts for all wrong cells ---------------------------------------------------------------------------------


def _other_shape(it: ComparedAnswer) -> Iterator[Observation]:
    rows, columns = it.grid.shape
    is_turned = it.marks.turned == "transposed"
    yield Observation("transposed", is_whole=True) if is_turned else _seen("shape", rows=rows, columns=columns)


def _transposed(it: ComparedAnswer) -> Iterator[Observation]:
    given = it.grid.given
    if len(given) == len(it.grid.part.key) ** 2 > 1 and all(it.fits((j, i), cell) for (i, j), cell in given.items()):
        yield _seen("transposed")


def _exchanged(it: ComparedAnswer) -> Iterator[Observation]:
    """Two cells, two rows or two columns, each in the place of the other."""
    if len(it.wrong) == 2 and _swapped(it, *([place] for place in it.wrong)):
        yield _seen("exchanged", one=place_text(it.wrong[0]), other=place_text(it.wrong[1]))
    for along, kind in enumerate(("rows_exchanged", "columns_exchanged")):
        lines = it.lines(along)
        if len(lines) == 2 and len(lines[0]) == len(lines[1]) and _swapped(it, *lines):
            yield _seen(kind, one=lines[0][0][along] + 1, other=lines[1][0][along] + 1)


def _swapped(it: ComparedAnswer, one: tuple[Place, ...] | list[Place], other: tuple[Place, ...] | list[Place]) -> bool:
    given = it.grid.given
    return all(
        mine in given and its in given and it.fits(mine, given[its]) and it.fits(its, given[mine])
        for mine, its in zip(one, other, strict=True)
    )


def _reordered(it: ComparedAnswer) -> Iterator[Observation]:
    """The right numbers of a row, or of the whole matrix, in other places."""
    lines = it.lines(0)
    if all(_is_permuted(it, line) for line in lines):
        line = [it.mine[place] for place in lines[0]]
        kind = "sorted" if line in (sorted(line), sorted(line, reverse=True)) else "reordered"
        yield from (_seen(kind, row=one[0][0] + 1) for one in lines[:1])
    elif _is_permuted(it, it.grid.part.asked):
        yield _seen("elsewhere")


def _is_permuted(it: ComparedAnswer, places: tuple[Place, ...]) -> bool:
    if len(places) < 2 or not all(place in it.mine and place in it.right for place in places):
        return False
    mine = sorted(places, key=it.mine.__getitem__)
    return all(map(it.fits, sorted(places, key=it.right.__getitem__), map(it.grid.given.__getitem__, mine)))


def _signs(it: ComparedAnswer) -> Iterator[Observation]:
    if it.all_finite and all(_is_times(it, place, Fraction(-1)) for place in it.wrong):
        yield _seen("signs", cells=", ".join(map(place_text, it.wrong)))


def _is_times(it: ComparedAnswer, place: Place, factor: Fraction) -> bool:
    """Return whether a number is the right one times a factor, however the two were rounded."""
    return abs(it.mine[place] - factor * it.right[place]) <= it.unit * (1 + abs(factor)) / 2


def _factor(it: ComparedAnswer) -> Iterator[Observation]:
    largest = max(it.wrong, key=lambda place: abs(it.right.get(place, Fraction(0))), default=None)
    if not it.all_finite or largest is None or abs(it.right[largest]) < 20 * it.unit or not it.mine[largest]:
        return
    ratio = it.mine[largest] / it.right[largest]
    tens = Fraction(10) ** (len(str(int(abs(ratio)))) - 1 if abs(ratio) >= 1 else -len(str(int(1 / abs(ratio)))) + 1)
    simple = ratio.limit_denominator(PARTS)
    candidates = [("point", tens * sign) for sign in (1, 10, Fraction(1, 10))]
    candidates += [("factor", simple)] if len(it.wrong) > 1 and abs(simple) <= 100 else []
    for kind, factor in candidates:
        if factor not in (0, 1) and all(_is_times(it, place, factor) for place in it.wrong):
            yield _seen(kind, factor=str(factor))


def _shifted(it: ComparedAnswer) -> Iterator[Observation]:
    differences = sorted(it.off.values())
    if it.all_finite and len(differences) > 1 and differences[-1] - differences[0] <= it.unit:
        yield _seen("shift_larger" if differences[0] > 0 else "shift_smaller", by=it.text(abs(differences[0])))


def _last_digit(it: ComparedAnswer) -> Iterator[Observation]:
    if it.all_finite and it.grid.part.decimals and max(map(abs, it.off.values())) <= LAST_DIGIT * it.unit:
        yield _seen("last_digit", by=it.text(max(map(abs, it.off.values()))))


WHOLE: tuple[Callable[[ComparedAnswer], Iterator[Observation]], ...] = (
    _transposed,
    _exchanged,
    _reordered,
    _last_digit,
    _signs,
    _factor,
    _shifted,
)


# -- what the answer breaks --------------------------------------------------------------------------------------------


def _rows(it: ComparedAnswer) -> Iterator[tuple[int, list[Fraction], list[Fraction]]]:
    """Yield every row with a wrong cell, in full: its number, the student's figures and the right ones."""
    width = it.grid.part.shape[1]
    for line in it.lines(0):
        places = [(line[0][0], j) for j in range(width)]
        if all(place in it.mine and place in it.right for place in places):
            mine, right = ([numbers[place] for place in places] for numbers in (it.mine, it.right))
            if max(map(abs, mine + right)) < BEYOND:
                yield line[0][0] + 1, mine, right


def _sums(it: ComparedAnswer) -> Iterator[Observation]:
    """Rows of weights that do not sum to 1, and rows of a gradient that do not sum to 0 where the right ones do."""
    right, name = worked(it.exercise), it.grid.part.name
    step = right.plan.by_name.get(name)
    is_weights = step is not None and isinstance(step.formula, Softmax | Proportions)
    if not is_weights and (name not in right.subject.gradients or not _sums_to_zero(it)):
        return
    for row, mine, _ in _rows(it):
        total = Fraction(int(is_weights))
        if abs(sum(mine, -total)) > it.unit * len(mine) / 2:
            kind = "total" if not is_weights else "weights" if it.grid.part.shape[0] > 1 else "alone_weights"
            yield _seen(kind, row=row, sum=it.text(sum(mine, Fraction(0))))


def _sums_to_zero(it: ComparedAnswer) -> bool:
    exact = worked(it.exercise).solution.enclosure(it.grid.part.name, BITS)
    return exact.ncols() > 1 and all(sum(row, arb(0)).contains(0) for row in exact.tolist())


def _norms(it: ComparedAnswer) -> Iterator[Observation]:
    """The mean and the variance of a normalised row, or its mean square, with γ and β undone."""
    solution, name = worked(it.exercise).solution, it.grid.part.name
    node = solution.formula(name) if name in solution and name not in solution.givens else None
    if not isinstance(node, LayerNorm | RMSNorm):
        return
    parts = (node.gamma, node.beta if isinstance(node, LayerNorm) else None)
    gains, shifts = (
        [usual] * it.grid.part.shape[1]
        if part is None
        else [as_fraction(x) for x in solution.enclosure(solution.part(part), BITS).entries()]
        for part, usual in zip(parts, (Fraction(1), Fraction(0)), strict=True)
    )
    plain = "plain_" if node.gamma is None else ""
    for row, mine, right in _rows(it) if 0 not in gains else ():
        own, true = ([(x - b) / g for x, g, b in zip(line, gains, shifts, strict=True)] for line in (mine, right))
        near = 10 * it.unit
        if isinstance(node, RMSNorm):
            if abs(_mean_square(own) - _mean_square(true)) > near:
                squares = {"value": it.text(_mean_square(own)), "right": it.text(_mean_square(true))}
                yield _seen(f"{plain}mean_square", row=row, **squares)
        elif max(abs(mean(own)), abs(pvariance(own) - pvariance(true))) > near:
            told = {"mean": it.text(mean(own)), "variance": it.text(pvariance(own)), "right": it.text(pvariance(true))}
            yield _seen(f"{plain}norm", row=row, **told)


def _mean_square(row: Sequence[Fraction]) -> Fraction:
    return mean([x * x for x in row])


# -- where -------------------------------------------------------------------------------------------------------------


def _places(it: ComparedAnswer) -> Iterator[Observation]:
    """How much the wrong cells are off, if they are few; the only row or column that has any; or how many there are."""
    if len(it.wrong) == 1 and it.all_finite:
        ((place, by),) = it.off.items()
        kind = ("" if len(it.marks.cells) > 1 else "alone_") + ("larger" if by > 0 else "smaller")
        yield _seen(kind, cell=place_text(place), by=it.text(abs(by)))
        followed = [cell for part in it.later for cell in part.cells]
        if any(part.is_carried for part in it.later) and all(cell.earns for cell in followed):
            yield _seen("followed")
        return
    if len(it.wrong) <= FEW and it.all_finite:
        signs = ((place, "+" if by > 0 else "") for place, by in it.off.items())
        yield _seen(
            "cells", cells=", ".join(f"{place_text(place)} {sign}{it.text(it.off[place])}" for place, sign in signs)
        )
        return
    for along, kind in enumerate(("row", "column")):
        if len(it.lines(along)) == 1 < it.grid.part.shape[along]:
            yield _seen(kind, number=it.wrong[0][along] + 1)
            return
    yield from _count(it)


def _count(it: ComparedAnswer) -> Iterator[Observation]:
    yield _seen("count", wrong=len(it.wrong), all=len(it.marks.cells))


def _pointed(it: ComparedAnswer) -> Iterator[Observation]:
    """The entry that is named instead of the wrong one: a right one, or none at all."""
    numbers = [it.grid[place].whole or 0 for place in it.grid.part.asked] if it.marks.kind == "place" else []
    steps = [step for step in worked(it.exercise).plan.steps if step.formula is not None]
    if len(numbers) == 3:
        step, row, column = numbers
        rows, columns = steps[step - 1].shape.sizes if 1 <= step <= len(steps) else (0, 0)
        is_there = 1 <= row <= int(rows) and 1 <= column <= int(columns)
        yield _seen("place" if is_there else "no_place", step=step, row=row, column=column)


def _order(it: ComparedAnswer) -> Iterator[Observation]:
    """The first step of an order that comes before one it depends on."""
    plan, printed = worked(it.exercise).plan, it.exercise.order
    numbers = [it.grid[place].whole or 0 for place in it.grid.part.asked] if it.marks.kind == "order" else []
    known = [number for number in numbers if 1 <= number <= len(printed)]
    for place, number in enumerate(known):
        step = plan.by_name.get(printed[number - 1])
        for other in known[place + 1 :]:
            if step is not None and printed[other - 1] in step.uses:
                yield _seen("order", step=number, needed=other)
                return
