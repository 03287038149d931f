"""From a draft to a plain exercise: the key, the answers of mistakes, and whether its numbers are good."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from math import ceil

from symattn.exercise.accept import reasons
from symattn.exercise.distractors import about, wrongs
from symattn.exercise.model import Exercise, Part, Rows
from symattn.exercise.topics.model import Draft
from symattn.exercise.worked import Ask, Worked, read
from symattn.mistakes.bank import bank

ACCIDENT = "right by accident: {}"
"""The reason to reject numbers with which a mistake gives the right answer."""


def filled(
    head: Exercise,
    draft: Draft,
    asks: Sequence[Ask],
    level: int,
    waived: Collection[str] | None = (),
    mistakes: bool = True,
) -> Exercise | str:
    """The exercise whose source is in ``head``, with parts and answers of mistakes, or why its numbers are not good.

    ``level`` is how strict that is decided; reasons in ``waived`` do not count, and with ``None`` nothing does.
    Without ``mistakes`` those of the bank are not worked out.
    """
    right = read(head.source)
    if waived is not None:
        reason = next((reason for reason in reasons(right, asks, level) if reason not in waived), "")
        if reason:
            return reason
    key = {ask.name: right.figures(ask) for ask in asks}
    allowed = None if waived is None else [one.name for one in bank() if ACCIDENT.format(one.name) in waived]
    answers, accidents = wrongs(right, asks, key, about(head), allowed) if mistakes else ((), ())
    if allowed is not None and accidents and accidents[-1] not in allowed:
        return ACCIDENT.format(accidents[-1])
    parts = tuple(part(ask, key[ask.name]) for ask in asks)
    return replace(head, parts=parts, wrong=answers, cost=draft.cost)


def what_is_wrong(right: Worked, asks: Sequence[Ask], level: int) -> tuple[str, ...]:
    """Every reason not to keep some numbers, so that others need not be better than these."""
    key = {ask.name: right.figures(ask) for ask in asks}
    _, accidents = wrongs(right, asks, key, allowed=None)
    return (*reasons(right, asks, level), *map(ACCIDENT.format, accidents))


def part(ask: Ask, key: Rows) -> Part:
    """What is asked of one name: every cell.

    >>> part(Ask("a"), (("1", "2", "1"),)).needs
    2
    """
    cells = tuple((i, j) for i, row in enumerate(key) for j in range(len(row)))
    distinct = len({text for row in key for text in row})
    needs = max(min(distinct, 2), ceil(distinct / 2))
    return Part(ask.name, ask.kind, ask.decimals, key, cells, needs)
