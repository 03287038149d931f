"""Exercises about attention: projections and scores, weights and masks, heads, positions, softmax in parts."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from itertools import combinations
from random import Random

from symattn.base.printed import Printed
from symattn.course.numbers import BITS, LEVELS, LOGS, SQUARES, draw, pick, picked, random_whole, shapes_of, shuffled
from symattn.course.topics.model import ExerciseDraft, Topic

TENTHS, TWENTIETHS = 10, 20
DENOMINATORS = (12, 15, 18)
"""The denominators of the weights of a row, if they are written as fractions."""


def context_vector(level: int, random: Random) -> ExerciseDraft:
    """z = a V for one row of weights, and from the third level on Z = A V for several."""
    queries, tokens, width = ((1, 3, 2), (1, 3, 3), (2, 3, 3), (2, 4, 4), (3, 4, 4))[level - 1]
    a, z, rows = ("a", "z", "1") if level <= 2 else ("A", "Z", "m")
    weights = {a: tuple(_weights(tokens, level, random) for _ in range(queries))}
    given = weights | draw({"V": (tokens, width)}, level, random, largest=3)
    sizes = ({} if queries == 1 else {"m": queries}) | {"n": tokens, "d_v": width}
    axes = {a: (rows, "n"), "V": ("n", "d_v")}
    task = "task" if level <= 2 else "task_rows"
    return ExerciseDraft(given, (f"{z} = {a} @ V",), (z,), sizes=sizes, axes=axes, task=task)


def _weights(count: int, level: int, random: Random) -> tuple[str, ...]:
    """Return different weights that sum to 1: tenths, twentieths, and in the end fractions."""
    total = (TENTHS, TENTHS, TWENTIETHS)[level - 1] if level <= 3 else pick(DENOMINATORS, random)
    parts = tuple(parts for parts in combinations(range(1, total), count) if sum(parts) == total)
    return tuple(_share(part, total) for part in shuffled(pick(parts, random), random))


def _share(part: int, total: int) -> str:
    if total == TENTHS:
        return f"0.{part}"
    return f"0.{part * 100 // total:02}" if total == TWENTIETHS else str(Fraction(part, total))


def projection(level: int, random: Random) -> ExerciseDraft:
    """Y = X W + b, with the bias added to every row."""
    tokens, width, columns = ((2, 2, 2), (2, 3, 2), (2, 3, 3), (3, 3, 3), (3, 4, 3))[level - 1]
    axes = {"X": ("n", "d"), "W": ("d", "m"), "b": ("1", "m")}
    sizes = {"n": tokens, "d": width, "m": columns}
    given = draw(shapes_of(axes, sizes), level, random, largest=3)
    return ExerciseDraft(given, ("Y = X @ W + broadcast(b, n)",), ("Y",), sizes=sizes, axes=axes)


def attention_row(level: int, random: Random) -> ExerciseDraft:
    """z = softmax(q Kᵀ / √d_k) V for one query; the root of d_k is rational on the first four levels.

    On the fourth there are as many keys as columns: forgetting the transpose gives a row that looks right.
    """
    tokens, width, values = ((2, 4, 2), (3, 4, 2), (3, 4, 3), (4, 4, 3), (4, 5, 3))[level - 1]
    axes, sizes = {"q": ("1", "d_k"), "K": ("n", "d_k"), "V": ("n", "d_v")}, {"n": tokens, "d_k": width, "d_v": values}
    shapes = shapes_of(axes, sizes)
    given = draw(shapes, level, random)
    if level == 1:  # √4 = 2 halves the scores: logarithms of squares leave logarithms of whole numbers
        given |= {"q": picked(SQUARES, shapes["q"], random), "K": picked(BITS, shapes["K"], random)}
    steps = ("s = q @ K.T / sqrt(d_k)", "a = softmax(s)", "z = a @ V")
    return ExerciseDraft(given, steps, ("s", "a", "z"), sizes=sizes, axes=axes)


_ATTENTION_TOPICS = (
    Topic("context-vector", "attention", context_vector, rank=90),
    Topic("projection", "attention", projection, rank=100),
    Topic("attention-row", "attention", attention_row, rank=110),
)


FEW = ("0", "0", "0", "log(4)", "log(9)")
"""Mostly zeros with few logarithms of squares, so that sums stay small."""

ALL = ("log(4)", "log(9)", "log(16)")
"""Logarithms of squares, and no 0: the scores of two keys are seldom the same."""

HALVES = ("1/2", "3/2")

WHOLE = 2
"""The last difficulty without fractions."""


def attention_head(level: int, random: Random) -> ExerciseDraft:
    """Q, K, V = X W_Q, X W_K, X W_V, then S = Q Kᵀ / √d_k, A = softmax(S), O = A V.

    The first width of the token vectors is not d_k, so that √d_model shows; on the fourth level there are as many
    tokens as columns of K, so that forgetting the transpose does not show in the shape.
    """
    drawn = ((2, 3, 4, 2), (2, 3, 4, 2), (3, 3, 4, 2), (4, 3, 4, 2), (4, 3, 5, 3))[level - 1]
    sizes = dict(zip(("n", "d_model", "d_k", "d_v"), drawn, strict=True))
    axes = {"X": ("n", "d_model"), "W_Q": ("d_model", "d_k"), "W_K": ("d_model", "d_k"), "W_V": ("d_model", "d_v")}
    shapes = shapes_of(axes, sizes)
    given = _small(shapes, level, random)
    if level == 1:
        given |= {name: picked(BITS, shapes[name], random) for name in ("X", "W_K")}
        given |= {"W_Q": picked(FEW, shapes["W_Q"], random)}
    steps = (
        *("Q = X @ W_Q", "K = X @ W_K", "V = X @ W_V"),
        *("S = Q @ K.T / sqrt(d_k)", "A = softmax(S)", "O = A @ V"),
    )
    return ExerciseDraft(given, steps, ("Q", "K", "V", "S", "A", "O"), sizes=sizes, axes=axes)


def _small(shapes: Mapping[str, tuple[int, int]], level: int, random: Random) -> dict[str, Printed]:
    """Draw numbers so small that products of three matrices stay small, and with so few decimals that none is a tie."""
    if level == LEVELS[-1]:
        return draw(shapes, level, random, largest=1)
    scores = {name: shapes[name] for name in ("W_Q", "W_K")}
    return {
        **draw({"X": shapes["X"]}, level, random, largest=1, fractions=HALVES),
        **draw(scores, min(level, WHOLE), random, largest=1),
        **draw({"W_V": shapes["W_V"]}, min(level, WHOLE), random),
    }


def two_heads(level: int, random: Random) -> ExerciseDraft:
    """Two heads on the halves of Q, K and V, their outputs side by side, and Y = H W_O."""
    tokens, keys, values, width = ((2, 4, 1, 3), (2, 4, 1, 3), (2, 4, 2, 3), (3, 4, 2, 3), (3, 4, 2, 4))[level - 1]
    axes = {"Q": ("n", "h_k"), "K": ("n", "h_k"), "V": ("n", "h_v"), "W_O": ("h_v", "d_model")}
    sizes = {"n": tokens, "d_k": keys, "h_k": 2 * keys, "h_v": 2 * values, "d_model": width}
    shapes = shapes_of(axes, sizes)
    given = draw(shapes, level, random, largest=1)
    if level == 1:
        given |= {"Q": picked(ALL, shapes["Q"], random), "K": picked(BITS, shapes["K"], random)}
    steps = (*_head(1), *_head(2), "H = concat(O_1, O_2)", "Y = H @ W_O")
    return ExerciseDraft(given, steps, ("A_1", "A_2", "H", "Y"), sizes=sizes, axes=axes)


def _head(number: int) -> tuple[str, ...]:
    cuts = (f"{name}_{number} = head({name}, {number}, 2)" for name in ("Q", "K", "V"))
    scores = f"Q_{number} @ K_{number}.T"
    return (*cuts, f"A_{number} = softmax({scores} / sqrt(d_k))", f"O_{number} = A_{number} @ V_{number}")


_HEADS_TOPICS = (
    Topic("attention-head", "attention", attention_head, rank=120),
    Topic("two-heads", "attention", two_heads, rank=130),
)


LAST_START = 6
"""The last possible position of the first row."""


def rope(level: int, random: Random) -> ExerciseDraft:
    """R = RoPE(Q): each pair of columns is turned by the position times θ, which is a short decimal for every pair.

    θ_t = base^(−2(t−1)/d) is 1 and 1/10 for four columns and base 100, and 1, 1/10, 1/100 for six and base 1000.
    """
    tokens, width, base = ((1, 2, 1), (1, 4, 100), (2, 4, 100), (3, 4, 100), (3, 6, 1000))[level - 1]
    given = draw({"Q": (tokens, width)}, level, random, largest=9 if level == 1 else 4, zeros=False)
    # A single pair is turned by the position itself, whatever the base is.
    options = (f"base={base}, " if width > 2 else "") + f"start={random_whole(1, LAST_START, random)}"
    steps = (f"R = rotary(Q, {options})",)
    axes = {"Q": ("n" if tokens > 1 else "1", "d_k")}
    task = "task_pair" if width == 2 else "task" if tokens == 1 else "task_rows"
    return ExerciseDraft(given, steps, ("R",), sizes={"n": tokens, "d_k": width}, axes=axes, task=task)


_POSITIONS_TOPICS = (Topic("rope", "positions", rope, rank=210),)


FINAL = 3
"""From this difficulty on, the output is divided by the sum in the end."""


def online_softmax(level: int, random: Random) -> ExerciseDraft:
    """One block changes the running maximum m, the running sum l and the running output o of one query.

    Its scores hold a new maximum, so that the previous values must be rescaled. On the first level, all of them are
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


_EFFICIENCY_TOPICS = (Topic("online-softmax", "efficiency", online_softmax, rank=220),)


MASKED = ("S_masked", "A")


def softmax_row(level: int, random: Random) -> ExerciseDraft:
    """a = softmax(s); on the first level the scores are logarithms of whole numbers."""
    width = (3, 5, 5, 6, 6)[level - 1]
    given = {"s": picked(LOGS, (1, width), random)} if level == 1 else {}
    given = given or draw({"s": (1, width)}, level, random, largest=3, distinct=True)
    return ExerciseDraft(given, ("a = softmax(s)",), ("a",), sizes={"n": width}, axes={"s": ("1", "n")})


def causal_mask(level: int, random: Random) -> ExerciseDraft:
    """A = softmax(S + M) with a mask that hides what comes later."""
    tokens = (3, 3, 3, 4, 4)[level - 1]
    given = {"S": _scores((tokens, tokens), level, random)}
    steps = ("S_masked = S + causal_mask(n)", "A = softmax(S_masked)")
    return ExerciseDraft(given, steps, MASKED, sizes={"n": tokens}, axes={"S": ("n", "n")})


def padding_mask(level: int, random: Random) -> ExerciseDraft:
    """A = softmax(S + M) with a mask that hides all keys after the first l; how many are real is drawn."""
    queries, keys = ((2, 4), (2, 4), (3, 4), (3, 5), (3, 5))[level - 1]
    real = random_whole(2, keys - 1, random)
    given = {"S": _scores((queries, keys), level, random)}
    steps = ("S_masked = S + padding_mask(m, n, l)", "A = softmax(S_masked)")
    return ExerciseDraft(given, steps, MASKED, sizes={"m": queries, "n": keys, "l": real}, axes={"S": ("m", "n")})


def _scores(shape: tuple[int, int], level: int, random: Random) -> Printed:
    return (
        picked(LOGS, shape, random) if level == 1 else draw({"S": shape}, level, random, largest=3, distinct=True)["S"]
    )


_WEIGHTS_TOPICS = (
    Topic("softmax-row", "attention", softmax_row, rank=60),
    Topic("causal-mask", "attention", causal_mask, rank=70),
    Topic("padding-mask", "attention", padding_mask, rank=80),
)

TOPICS = (*_ATTENTION_TOPICS, *_WEIGHTS_TOPICS, *_HEADS_TOPICS, *_POSITIONS_TOPICS, *_EFFICIENCY_TOPICS)
