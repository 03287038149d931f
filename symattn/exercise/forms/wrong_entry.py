"""Find the wrong entry: a worked solution, one figure of which comes of a mistake; what follows is right again."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from random import Random

from flint import arb, arb_mat, fmpq

from symattn.errors import ScenarioError
from symattn.exercise.distractors import accepted_values
from symattn.exercise.figures import alike, shape_of
from symattn.exercise.model import Exercise, Part, Place, Planted, Printed, Wrong
from symattn.exercise.numbers import pick
from symattn.exercise.worked import BITS, Ask, worked
from symattn.values.number import at_precision
from symattn.values.rounding import decimal_text, read_figure

PLACE, VALUE = "place", "value"
"""The names of the parts: where the wrong entry is, and what it should be."""

CLEARLY = Fraction(1, 20)
"""A wrong entry is off by at least this share of the largest one in its matrix."""

UNITS = 10
"""It is off by at least so many units of its last decimal."""


def with_wrong_entry(plain: Exercise, random: Random) -> Exercise | str:
    """The exercise with one wrong entry in its solution, drawn from what the mistakes of the bank give.

    Raises :class:`~symattn.errors.ScenarioError` where no step has two entries.
    """
    if all(len(part.asked) < 2 for part in plain.parts):
        raise ScenarioError(
            f"find-the-wrong-entry needs a step with at least 2 entries, and {plain.of} has none at difficulty "
            f"{plain.difficulty}: let it stand on another topic, such as attention-row"
        )
    asks = [Ask(part.name, part.kind, part.decimals) for part in plain.parts]
    accepted = accepted_values(worked(plain), asks)
    found = [(wrong, places) for wrong in plain.wrong if (places := tuple(_places(plain, wrong, accepted)))]
    if not found:
        return "no entry that a mistake makes clearly wrong"
    wrong, places = pick(found, random)
    planted = Planted(wrong.step, *pick(places, random), wrong.mistake)
    return _asking_for(plain, planted, accepted)


def _asking_for(plain: Exercise, planted: Planted, accepted: dict[str, arb_mat]) -> Exercise:
    part, at = plain.part(planted.step), (planted.row, planted.column)
    number = [part.name for part in plain.parts].index(planted.step) + 1
    where = (str(number), str(planted.row + 1), str(planted.column + 1))
    place = Part(PLACE, "place", 0, (where,), tuple((0, j) for j in range(len(where))))
    value = Part(VALUE, "matrix", part.decimals, ((part.key[at[0]][at[1]],),), ((0, 0),))
    wrong = tuple(
        Wrong(other.mistake, other.step, {PLACE: place.key, VALUE: ((other.figures[part.name][at[0]][at[1]],),)})
        for other in plain.wrong
        if other.step == planted.step and _is_wrong_at(part, other, at, accepted)
    )
    cells = sum(len(other.asked) for other in plain.parts)
    return replace(
        plain, form="wrong-entry", parts=(place, value), planted=planted, wrong=wrong, cost=plain.cost + cells
    )


def _places(plain: Exercise, wrong: Wrong, accepted: dict[str, arb_mat]) -> Iterator[tuple[int, int, str]]:
    """Row, column and figure wherever a mistake gives one that is clearly wrong and looks like the others."""
    part = next((part for part in plain.parts if part.name == wrong.step), None)
    if part is None or len(part.asked) < 2:
        return
    for i, j in part.asked:
        if _is_wrong_at(part, wrong, (i, j), accepted):
            figure = _as_printed(wrong.figures[part.name][i][j], part, (i, j))
            if figure is not None and _is_clear(figure, part.key, (i, j)):
                yield i, j, figure


def _is_wrong_at(part: Part, wrong: Wrong, at: Place, accepted: dict[str, arb_mat]) -> bool:
    """Whether the figure of a mistake at one place would be called wrong."""
    figures = wrong.figures.get(part.name)
    if figures is None or shape_of(figures) != part.shape or alike(figures, part.key, at):
        return False
    read = read_figure(figures[at[0]][at[1]])
    if read is None or part.name not in accepted:
        return True
    with at_precision(BITS):
        return not accepted[part.name][at].contains(arb(read[0]))


def _as_printed(text: str, part: Part, at: Place) -> str | None:
    """A figure with as many decimals as the one in its place; ``None`` where it has more and would stand out."""
    read, right = read_figure(text), read_figure(part.key[at[0]][at[1]])
    if read is None:
        return text
    places = right[1] if right is not None else max(other[1] for other in _numbers(part.key))
    scaled = read[0] * fmpq(10) ** places
    return decimal_text(int(scaled.p), places) if scaled.q == 1 else None


def _is_clear(figure: str, key: Printed, at: Place) -> bool:
    """Whether a figure is far from the one in its place."""
    read, right = read_figure(figure), read_figure(key[at[0]][at[1]])
    if read is None or right is None:
        return True
    off = abs(read[0] - right[0])
    largest = max(abs(number) for number, _ in _numbers(key))
    share = fmpq(CLEARLY.numerator, CLEARLY.denominator)
    return bool(off >= share * largest and off >= fmpq(UNITS) / fmpq(10) ** right[1])


def _numbers(rows: Printed) -> list[tuple[fmpq, int]]:
    return [read for row in rows for text in row if (read := read_figure(text)) is not None] or [(fmpq(0), 0)]
