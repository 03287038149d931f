"""Judge figures beside statements: what they agree with, and what the figures beside a statement show of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction

from symattn.checking.following import worlds
from symattn.checking.following.chain import (
    Equated,
    SortedSide,
    agreeing,
    as_printed,
    fits,
    fits_turned,
    flat,
)
from symattn.checking.following.hints import Hints
from symattn.checking.following.judging import prints, units_off
from symattn.checking.following.natural import nearness
from symattn.checking.following.scope import digits, tells
from symattn.checking.following.seeking import is_passing, is_remark
from symattn.checking.following.verdicts import Ought
from symattn.checking.following.worlds import Worlds
from symattn.checking.following.worths import Worths, is_wide
from symattn.checking.following.written import walk
from symattn.checking.model import RelationSource
from symattn.checking.reading.tree import Combined, FigureRead, NameRead

FINE = Fraction(1, 100_000)
"""A unit that nobody types: figures as fine as this were worked out and rounded."""

SURE = 0.5
"""The share of figures that agree where a word says what is done, and not with what."""

LINEAR = ("+", "-", "neg", "*", "/")
"""Signs of formulas whose figures stand for what they were printed for; e^{1.41} is what it says."""

ON_THE_WAY = 12
"""How many units of its last place a figure may be off through rounding on the way."""


def agreement(truth: Ought, printed: SortedSide) -> float:
    """Return the share of figures that are right, exactly or from the figures before them."""
    carried = replace(truth.value, true=truth.value.carried)
    return max(agreeing(truth.value, printed), agreeing(carried, printed) - 1e-6)


def best(found: Sequence[Ought], printed: SortedSide) -> Ought:
    """Return the relation that agrees best, the first of several that agree alike."""
    return max(found, key=lambda each: agreement(each, printed))


def is_less_ones(values: Worlds, printed: SortedSide) -> bool:
    """Return True for figures that are probabilities, or these minus 1: minus what is true, as in a gradient."""
    return all(0 <= x <= 1 for row in values.true for x in row) and all(
        figure is None or any(prints(figure, x + shift, figure.unit) for x in both for shift in (0, -1))
        for row, *lines in zip(printed.figures, values.true, values.carried, strict=True)
        for figure, *both in zip(row, *lines, strict=True)
    )


def is_evident(found: Ought, printed: SortedSide) -> bool:
    """Return True for what explains all figures, or enough different ones that tell to call the others wrong."""
    if agreement(found, printed) > 0.99:
        return True
    values = as_printed(found.value, printed)
    if is_less_ones(values, printed):
        return False
    pairs = [
        (figure, any(prints(figure, x, figure.unit) for x in both))
        for row, *lines in zip(printed.figures, values.true, values.carried, strict=True)
        for figure, *both in zip(row, *lines, strict=True)
        if figure is not None and (figure.unit < 1 or tells(figure))
    ]
    right = {figure.value: len(digits(figure)) for figure, is_right in pairs if is_right}
    is_most = len(right) >= EVIDENT * len({figure.value for figure, _ in pairs})
    return len(right) > 1 and (is_most or sum(right.values()) >= MANY_DIGITS)


EVIDENT, MANY_DIGITS = 0.6, 10
"""Which share of different figures, or how many digits in them, a relation that nobody states has to explain before it
refutes others."""


def parts_of(worths: Worths, truth: Ought, printed: SortedSide, said: Hints) -> Iterator[Ought]:
    """Yield what has the shape of the figures: the whole, its transpose where they are clearly that, or a row."""
    if fits_turned(truth.value, printed):
        yield truth
        return
    for value, text in worths.natural.parts(truth, printed, said):
        yield replace(truth, value=value, text=text)
    if truth.value.axes == 1 and not printed.axes:
        spoken = [which.number - (not worths.scope.from_zero) for which in said.which]
        for place in range(truth.value.entries):
            entry = worlds.entry(truth.value, *((0, place) if truth.value.shape[0] == 1 else (place, 0)))
            part = replace(truth, value=entry, text=f"{truth.text}[{place + 1}]")
            if place in spoken or (not spoken and agreement(part, printed) > 0.99):
                yield part
    if truth.value.axes == 2 and printed.axes == 1:
        spoken = [which.number - (not worths.scope.from_zero) for which in said.which]
        for place in spoken or range(truth.value.shape[0]):
            if not 0 <= place < truth.value.shape[0]:
                continue
            row = replace(truth, value=worlds.row(truth.value, place), text=f"row {place + 1} of {truth.text}")
            if agreement(row, printed) > 0.99:
                yield row


def working(worths: Worths, chain: Equated) -> Ought | None:
    """Return what the formulas in figures of a chain make: the first is stated, the last shows the working."""
    printed = chain.printed[0]
    exacts = [found for each in chain.literal if (found := worths.exactly(each.of, chain)) is not None]
    exacts = [each for each in exacts if fits(each.value, printed)]
    if not exacts:
        return None
    found, meant = exacts[0], worths.meant(chain)
    if len(exacts) > 1 and agreement(exacts[-1], printed) == 1 and goes_on(exacts[-1], found):
        return exacts[-1]
    if meant is not None and worths.is_plausible(found.value, meant, printed):
        is_named = not all(map(is_passing, chain.names)) and not is_remark(chain)
        is_from_wrong = any(worths.scope.quantities[each].cause is not None for each in meant.of)
        is_exact = agreement(exacts[-1], printed) == 1
        is_sum = all(not isinstance(each, Combined) or each.op in LINEAR for each in walk(chain.literal[0].of))
        is_right = agreeing(meant, printed) == 1 and (is_sum or is_wide(meant))
        if is_named or (not is_exact and (is_right or (is_sum and is_from_wrong))):
            found = replace(found, value=meant)
    found = with_working(found, exacts[-1], printed)
    share = agreement(found, printed)
    if share == 1:
        return found
    if share <= SURE and (other := roughly(worths, chain, printed) or running_sum(worths, exacts[0], chain)):
        return other
    return from_rounded(worths, chain, printed, found)


def goes_on(last: Ought, first: Ought) -> bool:
    """Return True for ``3 + 4 = 7 / 2 = 3.5``: the last formula begins with what the first one gives."""
    leaf = last.formula
    while isinstance(leaf, Combined) and leaf.args:
        leaf = leaf.args[0]
    is_number = not first.value.axes and isinstance(leaf, FigureRead)
    return is_number and isinstance(leaf, FigureRead) and prints(leaf, first.value.true[0][0], leaf.unit)


def roughly(worths: Worths, chain: Equated, printed: SortedSide) -> Ought | None:
    """Return what figures that are said to be rounded, or have many digits, may make, if the result is among it."""
    first = chain.literal[0].of
    is_rough = any(side.of is first and side.relation == "≈" for side in chain.told.sides)
    wide = worths.exactly(first, chain, Fraction(1) if is_rough else FINE)
    return wide if wide is not None and agreeing(wide.value, printed) == 1 else None


def from_rounded(worths: Worths, chain: Equated, printed: SortedSide, found: Ought) -> Ought:
    """Return a relation that tells figures apart which are right for what its operands were printed for, or which
    these allow if they were rounded, as fine as the result or finer.
    """
    meant = worths.meant(chain)
    unit = min((each.unit for each in flat(printed.figures)), default=Fraction(1))
    wide = worths.exactly(chain.literal[0].of, chain, unit) if unit < 1 else None
    is_meant = meant is not None and meant.shape == found.value.shape and agreeing(meant, printed) == 1
    other = meant if is_meant else wide.value if wide is not None else None
    if other is None or other.shape != found.value.shape:
        return found
    return replace(found, value=replace(found.value, carried=other.true, mended=other.true))


def running_sum(worths: Worths, exact: Ought, chain: Equated) -> Ought | None:
    """Return what a loop has added up: ``[0.3, 0.5] = 0.2 [1.5, 2.0]`` behind ``[0.0, 0.1] = 0.1 [0.0, 1.0]``."""
    before = worths.run[-1][1] if worths.run and chain.sides[0].kind == "printed" else None
    if before is None or before.shape != exact.value.shape:
        return None
    value = worlds.by_entries(lambda a, b: a + b, exact.value, replace(before, true=before.carried))
    return replace(exact, value=value) if nearness(value, chain.printed[0]) >= 1 else None


def is_worked_out(worths: Worths, stated: Ought, working: Ought, printed: SortedSide, source: RelationSource) -> bool:
    """Return True if figures beside a statement are the working of it, and do not speak of something else."""
    if not fits(stated.value, printed):
        return False
    if source == "named" and not printed.axes and agreeing(working.value, printed) == 1:
        formula = stated.formula
        if formula is not None and not any(isinstance(each, NameRead) for each in walk(formula)):
            return False  # the same word of the next number: gap = 1.5 - 0.2 = 1.3, gap = 2.8 - 1.1 = 1.7
    if source in ("announced", "words") and nearness(stated.value, printed) == 0:
        return False
    ours, theirs = as_printed(working.value, printed), as_printed(stated.value, printed)
    return worths.is_plausible(ours, theirs, printed) or (source == "beside" and bool(printed.axes))


def with_working(stated: Ought, working: Ought | None, printed: SortedSide) -> Ought:
    """Return what is stated, with what the figures beside it make as the world of printed figures."""
    if working is None or working.value.shape != stated.value.shape:
        return stated
    if not fits(working.value, printed):
        return stated
    near = all(
        units_off(figure, x, figure.unit) <= ON_THE_WAY
        for row, line in zip(printed.figures, as_printed(stated.value, printed).true, strict=True)
        for figure, x in zip(row, line, strict=True)
        if figure is not None
    )
    carried = working.value.carried
    mended = carried if near else stated.value.mended
    value = replace(stated.value, carried=carried, mended=mended)
    return replace(stated, value=value, is_literal=True, working=working.formula)
