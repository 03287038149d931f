"""What was printed before and is printed once more, or not: lists that gather results, words for one number after
another."""

from __future__ import annotations

from itertools import islice

from symattn.checking.following import worlds
from symattn.checking.following.chain import Equated, as_printed, fits, flat
from symattn.checking.following.hints import Hints
from symattn.checking.following.judging import units_off
from symattn.checking.following.natural import nearness, text_of
from symattn.checking.following.scope import Followed, Memory
from symattn.checking.following.sides import SortedSide
from symattn.checking.following.verdicts import Ought
from symattn.checking.following.worlds import Worlds
from symattn.checking.following.written import walk
from symattn.checking.reading.tree import NameRead

NEAREST = 12
"""Among how many quantities a row is looked for."""

FAR = 12
"""How many units of its last place a figure may be off through rounding on the way."""


def gathered(scope: Memory, printed: SortedSide) -> Ought | None:
    """``The gradients are [0.2, -0.3]`` where both were worked out right before, one by one."""
    figures = flat(printed.figures)
    if printed.axes != 1 or len(figures) < 2:
        return None
    before = list(islice((each for each in scope.latest() if each.figures), len(figures)))[::-1]
    if len(before) < len(figures) or any(each.value.axes or each.is_given for each in before):
        return None
    known = [each.figures[0][0] for each in before]
    if any(one is None or one.value != figure.value for one, figure in zip(known, figures, strict=True)):
        return None
    return Ought(worlds.together([[each.value for each in before]], 1), "the numbers before")


def entries_again(known: Followed, printed: SortedSide) -> Ought | None:
    """``S entry: [1.41, 2.12, 2.83]``: different entries of a matrix, one by one."""
    places = {
        figure.text: (i, j) for i, row in enumerate(known.figures) for j, figure in enumerate(row) if figure is not None
    }
    figures = flat(printed.figures)
    if printed.axes != 1 or len(figures) < 2 or any(each.text not in places for each in figures):
        return None
    entries = [worlds.entry(known.value, *places[each.text]) for each in figures]
    return Ought(worlds.together([entries], 1), f"entries of {known.name}", is_restated=known.is_given)


def row_again(scope: Memory, printed: SortedSide, said: Hints) -> Ought | None:
    """``Row 2 weights [0.25, 0.50, 0.25]:``, printed as it was in the matrix of weights."""
    figures = [each.value for each in flat(printed.figures)]
    for which in said.which if printed.axes == 1 else ():
        place = which.number - (not scope.from_zero)
        for known in islice(scope.latest(), NEAREST):
            if known.value.axes != 2 or not 0 <= place < len(known.figures):
                continue
            if figures == [each and each.value for each in known.figures[place]]:
                return Ought(worlds.row(known.value, place), f"row {which.number} of {text_of(known)}")
    return None


def is_of_next(quantity: Followed, printed: SortedSide, is_right: bool = False) -> bool:
    """Whether a word stands for another number than before: behind ``gap = 1.5 - 0.2 = 1.3`` in ``gap = 2.8 - 1.1``."""
    if quantity.value.axes or quantity.formula is None or quantity.name is None or quantity.name.labels:
        return False
    is_by_hand = not any(isinstance(each, NameRead) for each in walk(quantity.formula))
    return len(quantity.name.base) > 1 and is_by_hand and (is_right or is_far(quantity.value, printed))


def is_output(chain: Equated, value: Worlds) -> bool:
    """Whether a program prints a name, so that the figures behind it are near to what it gave this name to."""
    is_below = len(chain.sides) > len(chain.told.sides)
    return chain.told.is_code and is_below and not chain.is_assigned and nearness(value, chain.printed[0]) > 0


def is_far(value: Worlds, printed: SortedSide) -> bool:
    """Whether a figure is farther from a value than rounding on the way leads."""
    if not fits(value, printed):
        return True
    return any(
        units_off(figure, x, figure.unit) > FAR
        for line, row in zip(printed.figures, as_printed(value, printed).true, strict=True)
        for figure, x in zip(line, row, strict=True)
        if figure is not None
    )
