"""What figures are held against where the formula beside them has another shape: a row of it, or what stood before."""

from __future__ import annotations

from dataclasses import replace

from symattn.checking.following import worlds
from symattn.checking.following.chain import Equated, agreeing, fits, size
from symattn.checking.following.hints import Hints
from symattn.checking.following.natural import nearness
from symattn.checking.following.truths import Truths
from symattn.checking.following.verdicts import Ought

MEANT = 1.0
"""How near a row that words speak of has to be."""


def fitting(truths: Truths, found: Ought, chain: Equated, said: Hints) -> Ought:
    """What was found, or what has the shape of the figures where that has not.

    ``Row 2: e^{S} = [1.2, 3.4]`` is a row of what the formula is worth; ``sum = 5.1 = [0.2, 0.8]`` goes back to the
    softmax that was begun before.
    """
    if not chain.printed or any(fits(found.value, each) for each in chain.printed):
        return found
    printed = chain.printed[0]
    if found.value.axes == 2 and size(printed.figures) == found.value.shape[::-1]:
        return found
    if found.value.axes == 2 and printed.axes == 1:
        spoken = [(each, text) for each, text in truths.natural.parts(found, printed, said) if each.axes == 1]
        rows = [(worlds.row(found.value, place), place) for place in range(found.value.shape[0])]
        alike = [(row, f"row {place + 1} of {found.text}") for row, place in rows if agreeing(row, printed) == 1]
        for row, text in (*(each for each in spoken if nearness(each[0], printed) >= MEANT), *alike):
            return replace(found, value=row, text=text)
    if (other := truths.of_announced(printed)) is not None:
        return other
    sought = truths.seeker.sought(chain, said)
    return sought if sought is not None and agreeing(sought.value, printed) == 1 else found
