"""Raise the precision until a question has one answer: the loop behind every digit, sign and order.

A question is asked of enclosures of growing precision; what stays open is put to exact arithmetic; if that cannot
settle it either, an error names the entry. The caller supplies the question:
:func:`symattn.compute.values.rounding.round_ball` asks whether an enclosure rounds to one number,
:mod:`symattn.compute.solution.proofs` whether it has a sign.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import TypeVar

from flint import arb

from symattn.base.budget import remark, spend
from symattn.base.errors import UndecidedError
from symattn.compute.values.balls import at_precision

Answer = TypeVar("Answer")

START_BITS = 64
"""The first precision, before the bits that the requested digits add."""

LAST_BITS = 8192
"""The last precision; beyond it only exact arithmetic can help."""


def precisions(digits: int = 0) -> Iterator[int]:
    """Yield the precisions to try for so many digits, each twice the last.

    >>> list(precisions(6))[:3]
    [84, 168, 336]
    """
    bits = START_BITS + digits * 10 // 3
    while bits <= LAST_BITS:
        yield bits
        bits *= 2


def settle(
    count: int,
    enclosures: Callable[[int], list[arb]],
    ask: Callable[[arb], Answer | None],
    exactly: Callable[[int, arb], Answer | None],
    describe: Callable[[int], str],
    digits: int = 0,
) -> list[Answer]:
    """Answer one question about ``count`` entries; where there is no answer, raise an error that ``describe`` words.

    The error is an :class:`~symattn.base.errors.UndecidedError`.
    """
    found: list[Answer] = []
    for index, answer in enumerate(answered(count, enclosures, ask, exactly, digits)):
        if answer is None:
            raise UndecidedError(describe(index))
        found.append(answer)
    return found


def answered(
    count: int,
    enclosures: Callable[[int], list[arb]],
    ask: Callable[[arb], Answer | None],
    exactly: Callable[[int, arb], Answer | None],
    digits: int = 0,
) -> list[Answer | None]:
    """Answer one question about ``count`` entries; ``None`` where neither precision nor exact arithmetic can tell.

    ``ask`` answers from an enclosure or returns ``None``; ``exactly`` is asked once, about what is open after the
    second precision: most of that is exact values, which no precision settles.
    """
    answers: list[Answer | None] = [None] * count
    waiting = list(range(count))
    for round_number, bits in enumerate(precisions(digits)):
        # Questions use arithmetic too: at less than the enclosures' own precision they lose what was gained.
        with at_precision(bits):
            # A question still open now nearly always stays open: looking closer must not use up the others' budget.
            last = enclosures(bits) if round_number < 2 else remark(partial(enclosures, bits))
            if last is None:
                break
            spend(6 * len(waiting))
            for index in waiting:
                answers[index] = ask(last[index])
            waiting = [index for index in waiting if answers[index] is None]
            if round_number == 1:
                waiting = _ask_exactly(waiting, answers, exactly, last)
        if not waiting:
            break
    return answers


def unless_open(answer: Callable[[], Answer | None]) -> Answer | None:
    """Return an exact answer, or ``None`` where it depends on something that cannot be decided, such as the sign of an
    input of ReLU, or costs too much."""
    try:
        return remark(answer)
    except UndecidedError:
        return None


def _ask_exactly(
    waiting: list[int],
    answers: list[Answer | None],
    exactly: Callable[[int, arb], Answer | None],
    enclosures: list[arb],
) -> list[int]:
    for index in waiting:
        answers[index] = exactly(index, enclosures[index])
    return [index for index in waiting if answers[index] is None]
