"""Attention that reads keys and values block by block."""

from __future__ import annotations

from random import Random

from symattn.exercise.numbers import draw, pick
from symattn.exercise.topics.model import ExerciseDraft, Topic

FINAL = 3
"""From this difficulty on the output is divided by the sum in the end."""


def online_softmax(level: int, random: Random) -> ExerciseDraft:
    """One block changes the running maximum m, the running sum l and the running output o of one query.

    Its scores hold a new maximum, so that what was there has to be scaled. On the first level all of them are
    logarithms of whole numbers.
    """
    block, width = ((3, 2), (3, 2), (3, 2), (4, 2), (4, 3))[level - 1]
    given = draw({"s_2": (1, block - 1), "V_2": (block, width), "o_1": (1, width)}, level, random)
    scores = given["s_2"][0]
    if level == 1:
        scores = tuple(pick(("0", "log(2)", "log(3)"), random) for _ in scores)
        before, top = pick(("log(2)", "log(3)"), random), pick(("log(4)", "log(5)", "log(6)"), random)
    else:
        before, top = pick(("1", "2"), random), pick(("3", "4"), random)
    place = int(random.random() * block)
    rows = {
        "m_1": ((before,),),
        "l_1": ((pick(("2", "3") if level < FINAL else ("3/2", "5/2"), random),),),
        "o_1": given["o_1"],
        "s_2": ((*scores[:place], top, *scores[place:]),),
        "V_2": given["V_2"],
    }
    steps: tuple[str, ...] = (
        "m_2 = row_max(concat(m_1, s_2))",
        "p = exp(s_2 - m_2 @ ones(1, b))",
        "l_2 = hadamard(exp(m_1 - m_2), l_1) + p @ ones(b, 1)",
        "o_2 = hadamard(exp(m_1 - m_2) @ ones(1, d_v), o_1) + p @ V_2",
    )
    asks: tuple[str, ...] = ("m_2", "p", "l_2", "o_2")
    if level >= FINAL:
        steps, asks = (*steps, "o = divide(o_2, l_2 @ ones(1, d_v))"), (*asks, "o")
    axes = {"m_1": ("1", "1"), "l_1": ("1", "1"), "o_1": ("1", "d_v"), "s_2": ("1", "b"), "V_2": ("b", "d_v")}
    task = "task" if level < FINAL else "task_final"
    return ExerciseDraft(rows, steps, asks, sizes={"b": block, "d_v": width}, axes=axes, task=task)


TOPICS = (Topic("online-softmax", "efficiency", online_softmax, rank=220),)
