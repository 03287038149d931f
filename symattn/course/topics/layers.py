"""Exercises about layers: norms, feed-forward layers, the next word and its loss."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement, permutations
from math import isqrt
from random import Random

from symattn.base.printed import Printed
from symattn.course.numbers import draw, pick, random_whole, shapes_of, shuffled
from symattn.course.topics.model import ExerciseDraft, Topic

RATIONAL = 2
"""The last difficulty at which the divisor of a row is a fraction."""

LARGEST = 12
"""The largest entry of a row that is chosen for its rational root."""

DIFFERENT = 3
"""The fewest distinct entries of such a row."""

EPSILONS = ("0", "1", "1/2", "1/10", "1/100")
"""ε by difficulty: large enough that leaving it out shows at three decimals."""

GAINS: tuple[tuple[str, ...], ...] = (
    (),
    ("1", "2", "2", "3"),
    ("1/2", "1", "2", "3"),
    ("1/2", "3/2", "1", "2"),
    ("1/2", "3/2", "3/4", "1", "2"),
)
"""The entries of γ by difficulty; only their order is drawn."""


@cache
def rational_rows(width: int, negatives: int, epsilon: str, centred: bool) -> tuple[tuple[str, ...], ...]:
    """Return rows of whole numbers, three of them different and so many negative, that a norm divides by a fraction.

    The divisor is √(σ² + ε) where the rows are ``centred``, √(Σ x² / d + ε) otherwise.

    >>> rational_rows(4, 0, "0", centred=True)[:2], rational_rows(4, 1, "1", centred=False)[0]
    ((('0', '0', '3', '11'), ('0', '0', '11', '3')), ('-12', '1', '2', '4'))
    """
    share = Fraction(epsilon) * width * width
    assert share.denominator == 1, epsilon
    good = (row for row in _rows(width, negatives) if isqrt(d := _spread(row, centred) + share.numerator) ** 2 == d)
    return tuple(tuple(map(str, row)) for row in sorted({order for row in good for order in permutations(row)}))


def _rows(width: int, negatives: int) -> Iterator[tuple[int, ...]]:
    """Yield rows in one order of their entries, with enough different ones."""
    for below in combinations_with_replacement(range(-LARGEST, 0), negatives):
        for row in combinations_with_replacement(range(LARGEST + 1), width - negatives):
            if len({*below, *row}) >= DIFFERENT:
                yield *below, *row


def _spread(row: tuple[int, ...], centred: bool) -> int:
    """Return d² times the variance, or times the mean square."""
    squares = len(row) * sum(x * x for x in row)
    return squares - sum(row) ** 2 if centred else squares


def layer_norm(level: int, random: Random) -> ExerciseDraft:
    """Y = (X − μ) / √(σ² + ε) ⊙ γ + β, first without γ, β and ε."""
    tokens, width = ((1, 4), (1, 4), (2, 4), (3, 4), (3, 5))[level - 1]
    given = _drawn(level, random, (tokens, width), ("beta",), centred=True)
    options = f"epsilon={EPSILONS[level - 1]}" + (", gamma=gamma, beta=beta" if "gamma" in given else "")
    return _normalised(f"layer_norm(X, {options})", given, "task_affine" if "gamma" in given else "task")


def rms_norm(level: int, random: Random) -> ExerciseDraft:
    """Y = X / √(Σ x² / d + ε) ⊙ γ, first without γ and ε."""
    tokens, width = ((1, 4), (1, 4), (2, 4), (3, 4), (3, 5))[level - 1]
    given = _drawn(level, random, (tokens, width), (), centred=False)
    options = f"epsilon={EPSILONS[level - 1]}" + (", gamma=gamma" if "gamma" in given else "")
    return _normalised(f"rms_norm(X, {options})", given, "task_gain" if "gamma" in given else "task")


def _drawn(
    level: int, random: Random, shape: tuple[int, int], biases: tuple[str, ...], centred: bool
) -> dict[str, Printed]:
    """Draw X, then γ and the biases from the second level on; if the root must be rational, the row is looked up."""
    width, more = shape[1], level > 1
    shapes = {name: (1, width) for name in biases if more}
    if level <= RATIONAL:
        row = pick(rational_rows(width, level - 1, EPSILONS[level - 1], centred), random)
        given = {"X": (row,), **(draw(shapes, level, random, largest=4) if shapes else {})}
    else:
        given = draw({"X": shape, **shapes}, level, random, largest=4)
    gains = {"gamma": (shuffled(GAINS[level - 1], random),)} if more else {}
    return {"X": given["X"]} | gains | {name: given[name] for name in shapes}


def _normalised(formula: str, given: dict[str, Printed], task: str) -> ExerciseDraft:
    tokens, width = len(given["X"]), len(given["X"][0])
    axes = {name: ("1" if name != "X" or tokens == 1 else "n", "d_model") for name in given}
    sizes = {"n": tokens, "d_model": width}
    return ExerciseDraft(given, (f"Y = {formula}",), ("Y",), sizes=sizes, axes=axes, task=task)


def feed_forward(level: int, random: Random) -> ExerciseDraft:
    """H = ReLU(X W_1 + b_1), Y = H W_2 + b_2; at the end with a residual connection around both."""
    tokens, width, inner = ((1, 2, 3), (2, 2, 3), (2, 2, 4), (2, 3, 4), (3, 3, 4))[level - 1]
    sizes = {"n": tokens, "d_model": width, "d_ff": inner}
    axes = {
        "X": ("n" if tokens > 1 else "1", "d_model"),
        "W_1": ("d_model", "d_ff"),
        "b_1": ("1", "d_ff"),
        "W_2": ("d_ff", "d_model"),
        "b_2": ("1", "d_model"),
    }
    # Without negative numbers a ReLU changes nothing, so the first level has as many as the second.
    given = draw(shapes_of(axes, sizes), max(level, 2), random, zeros=False)
    residual = level > 3
    last = "F" if residual else "Y"
    steps = (
        f"H = relu(X @ W_1 + {_repeated('b_1', tokens)})",
        f"{last} = H @ W_2 + {_repeated('b_2', tokens)}",
        *(("Y = X + F",) if residual else ()),
    )
    asks = ("H", "F", "Y") if residual else ("H", "Y")
    return ExerciseDraft(given, steps, asks, sizes=sizes, axes=axes, task="task_residual" if residual else "task")


def _repeated(row: str, tokens: int) -> str:
    """Return a bias for every token; a single token uses it as it is."""
    return row if tokens == 1 else f"broadcast({row}, n)"


_LAYERS_TOPICS = (
    Topic("layer-norm", "layers", layer_norm, rank=140),
    Topic("rms-norm", "layers", rms_norm, rank=150),
    Topic("feed-forward", "layers", feed_forward, rank=160),
)


WORDS = ("the", "cat", "sat", "mat", "dog")
"""A small vocabulary, the same in every language."""

LOGS = ("0", "log(2)", "log(3)", "log(4)", "log(5)", "log(6)")
"""Logits whose exponentials are whole numbers, so that the probabilities are fractions."""


def next_word(level: int, random: Random) -> ExerciseDraft:
    """z = h W_U + b, p = softmax(z), and the number of the most probable word."""
    width, words = ((2, 3), (2, 3), (2, 4), (3, 4), (3, 5))[level - 1]
    if level == 1:  # whole multiples of logarithms are logarithms of whole numbers
        hidden = (tuple(str(random_whole(1, 2, random)) for _ in range(width)),)
        given = {"h": hidden, "W_U": tuple(_row(LOGS[:3], words, random) for _ in range(width))}
    else:  # a long hidden vector makes large scores
        given = draw({"h": (1, width)}, level, random, largest=2 if level == 2 else 1, zeros=False)
        given |= draw({"W_U": (width, words), "b_U": (1, words)}, level, random)
    steps = ("z = h @ W_U" + (" + b_U" if level > 1 else ""), "p = softmax(z)", "c = argmax(p)")
    axes = {"h": ("1", "d_model"), "W_U": ("d_model", "v"), "b_U": ("1", "v")}
    return ExerciseDraft(
        given,
        steps,
        ("z", "p", "c"),
        sizes={"d_model": width},
        axes={name: axes[name] for name in given},
        labels={"v": {"": WORDS[:words]}},
        task="task_bias" if level > 1 else "task",
    )


def _row(choices: tuple[str, ...], width: int, random: Random) -> tuple[str, ...]:
    return tuple(pick(choices, random) for _ in range(width))


def cross_entropy(level: int, random: Random) -> ExerciseDraft:
    """P = softmax(Z), the probabilities p of the right words, l = −ln p, and L, the mean of l."""
    tokens, words = ((2, 3), (2, 3), (2, 4), (3, 4), (3, 5))[level - 1]
    given = draw({"Z": (tokens, words)}, level, random, largest=3, distinct=True)
    if level == 1:
        given["Z"] = tuple(shuffled(LOGS, random)[:words] for _ in range(tokens))
    # Counting from 1 gives another word for each of them, and none for 0.
    given["t"] = (tuple(str(random_whole(1, words - 1, random)) for _ in range(tokens)),)
    steps = (
        "P = softmax(Z)",
        "p = hadamard(P, one_hot(t, v)) @ ones(v, 1)",
        "l = -log(p)",
        "L = ones(1, n) @ l / n",
    )
    return ExerciseDraft(
        given,
        steps,
        ("P", "p", "l", "L"),
        sizes={"n": tokens},
        axes={"Z": ("n", "v"), "t": ("1", "n")},
        labels={"v": {"": WORDS[:words]}},
    )


_OUTPUT_TOPICS = (
    Topic("next-word", "output", next_word, rank=170),
    Topic("cross-entropy", "output", cross_entropy, rank=180),
)

TOPICS = (*_LAYERS_TOPICS, *_OUTPUT_TOPICS)
