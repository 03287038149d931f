"""Exercises about vectors and shapes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from random import Random
from types import MappingProxyType

from symattn.course.numbers import draw, pick, shuffled
from symattn.course.topics.model import ExerciseDraft, Topic

WHOLE_LENGTHS = (
    *(("1", "2", "2"), ("2", "4", "4"), ("0", "3", "4"), ("2", "3", "6"), ("1", "4", "8")),
    *(("4", "4", "7"), ("0", "6", "8"), ("2", "6", "9"), ("6", "6", "7")),
)
"""Rows whose length √(Σ x²) is a whole number."""


def dot_product(level: int, random: Random) -> ExerciseDraft:
    """s = q · k of two rows."""
    width = (3, 3, 4, 4, 5)[level - 1]
    given = draw({"q": (1, width), "k": (1, width)}, level, random, largest=4)
    axes = dict.fromkeys(given, ("1", "d"))
    return ExerciseDraft(given, ("s = dot(q, k)",), ("s",), sizes={"d": width}, axes=axes)


def cosine(level: int, random: Random) -> ExerciseDraft:
    """The dot product of two rows, and c = q · k / (‖q‖ ‖k‖); on the first two levels the lengths are whole numbers."""
    width = (3, 3, 3, 4, 4)[level - 1]
    given = draw({"q": (1, width), "k": (1, width)}, level, random, largest=4)
    if level <= 2:
        given = {name: (_of_whole_length(rows[0], random),) for name, rows in given.items()}
    axes = dict.fromkeys(given, ("1", "d"))
    return ExerciseDraft(given, ("s = dot(q, k)", "c = cosine(q, k)"), ("s", "c"), sizes={"d": width}, axes=axes)


def _of_whole_length(row: tuple[str, ...], random: Random) -> tuple[str, ...]:
    """Return a row whose length is a whole number, with as many minus signs as another row."""
    sizes = list(shuffled(pick(WHOLE_LENGTHS, random), random))
    left = sum(text.startswith("-") for text in row)
    for place in shuffled(range(len(sizes)), random):
        if left and sizes[place] != "0":
            sizes[place], left = f"-{sizes[place]}", left - 1
    return tuple(sizes)


def score_entry(level: int, random: Random) -> ExerciseDraft:
    """One entry of X Xᵀ, and from the third level on of Q Kᵀ; which one is drawn."""
    tokens, width = ((3, 3), (3, 4), (3, 4), (4, 4), (4, 5))[level - 1]
    names = ("X", "X") if level <= 2 else ("Q", "K")
    given = draw(dict.fromkeys(names, (tokens, width)), level, random, largest=3)
    # On the diagonal, query and key could not be told apart.
    i, j = shuffled(range(1, tokens + 1), random)[:2]
    left, right = names
    steps = (f"s = row({left}, {i}) @ row({right}, {j}).T",)
    axes = dict.fromkeys(given, ("n", "d_k"))
    notation = {"s": f"s_{i}{j}"}
    task = "task" if level <= 2 else "task_queries"
    return ExerciseDraft(
        given, steps, ("s",), sizes={"n": tokens, "d_k": width}, axes=axes, notation=notation, task=task
    )


def scaling(level: int, random: Random) -> ExerciseDraft:
    """S = Q Kᵀ and S / √d_k; the root of d_k is rational on the first three levels."""
    queries, keys, width = ((2, 2, 4), (2, 3, 4), (2, 4, 4), (2, 4, 5), (3, 4, 5))[level - 1]
    given = draw({"Q": (queries, width), "K": (keys, width)}, level, random)
    steps = ("S = Q @ K.T", "S_scaled = S / sqrt(d_k)")
    axes = {"Q": ("m", "d_k"), "K": ("n", "d_k")}
    sizes = {"m": queries, "n": keys, "d_k": width}
    return ExerciseDraft(given, steps, ("S", "S_scaled"), sizes=sizes, axes=axes)


_VECTORS_TOPICS = (
    Topic("dot-product", "attention", dot_product, rank=20),
    Topic("cosine", "attention", cosine, rank=30),
    Topic("score-entry", "attention", score_entry, rank=40),
    Topic("scaling", "attention", scaling, rank=50),
)


SIZES = tuple(range(2, 10))
"""The choices of a size. Sizes of one exercise differ: no shape is a square, so rows and columns show."""

EVEN, ODD = (2, 4, 6, 8), (3, 5, 7, 9, 11)

_SIGNS = re.compile(r"@|\.T|[a-z]\(")


@dataclass(frozen=True)
class Pattern:
    """A derivation over matrices whose sizes are letters, one or two of them per size, as ``"ab"`` for a × b."""

    shapes: Mapping[str, str]
    steps: tuple[str, ...]
    asks: tuple[str, ...]


def _pattern(shapes: str, steps: tuple[str, ...], asks: str) -> Pattern:
    pairs = (entry.split(":") for entry in shapes.split())
    return Pattern(MappingProxyType(dict(pairs)), steps, tuple(asks.split()))


PATTERNS: tuple[tuple[Pattern, ...], ...] = (
    (_pattern("A:ab B:bc", ("C = A @ B",), "C"),),
    (
        _pattern("A:ab B:cb", ("C = A @ B.T",), "C"),
        _pattern("A:ba B:bc", ("C = A.T @ B",), "C"),
    ),
    (
        _pattern("A:ab B:cb C:cd", ("D = A @ B.T @ C",), "D"),
        _pattern("A:ab B:bc C:dc", ("D = A @ B @ C.T",), "D"),
        _pattern("A:ba B:bc C:cd", ("D = A.T @ B @ C",), "D"),
        _pattern("A:ab B:bc C:ad", ("D = (A @ B).T @ C",), "D"),
    ),
    (_pattern("Q:mk K:nk V:nv", ("A = softmax(Q @ K.T / sqrt(d_k))", "O = A @ V"), "A O"),),
    (
        _pattern(
            "Q:mK K:nK V:nV W_O:Vd",
            (
                *("Q_1 = head(Q, 1, 2)", "K_1 = head(K, 1, 2)", "V_1 = head(V, 1, 2)"),
                *("Q_2 = head(Q, 2, 2)", "K_2 = head(K, 2, 2)", "V_2 = head(V, 2, 2)"),
                *("A_1 = softmax(Q_1 @ K_1.T / sqrt(d_k))", "A_2 = softmax(Q_2 @ K_2.T / sqrt(d_k))"),
                *("O_1 = A_1 @ V_1", "O_2 = A_2 @ V_2", "H = concat(O_1, O_2)", "Y = H @ W_O"),
            ),
            "Q_1 A_1 O_1 H Y",
        ),
    ),
)
"""For each level derivations that cost the same. A capital letter is twice the size of its small one."""


def shape_of_product(level: int, random: Random) -> ExerciseDraft:
    """Rows and columns of products, transposes, softmax(Q Kᵀ / √d_k) V, and in the end of two heads."""
    pattern = pick(PATTERNS[level - 1], random)
    drawn = _drawn("".join(pattern.shapes.values()), random)
    return ExerciseDraft(
        {},
        pattern.steps,
        pattern.asks,
        sizes={"d_k": drawn["k"]} if "k" in drawn else {},
        general={name: (_size(sizes[0], drawn), _size(sizes[1], drawn)) for name, sizes in pattern.shapes.items()},
        kind="shape",
        # One for each matrix, product, transpose and function.
        price=len(pattern.shapes) + sum(len(_SIGNS.findall(step)) for step in pattern.steps),
    )


def _drawn(letters: str, random: Random) -> dict[str, int]:
    """A size for every letter; those that are doubled are even and the others odd, so that doubles differ too."""
    doubled = sorted({letter.lower() for letter in letters if letter.isupper()})
    others = sorted({*letters.lower()}.difference(doubled))
    pools = ((doubled, EVEN), (others, ODD if doubled else SIZES))
    return {letter: size for names, pool in pools for letter, size in zip(names, shuffled(pool, random), strict=False)}


def _size(letter: str, drawn: Mapping[str, int]) -> int:
    return drawn[letter.lower()] * (2 if letter.isupper() else 1)


_SHAPES_TOPICS = (Topic("shape-of-product", "attention", shape_of_product, rank=10),)

TOPICS = (*_VECTORS_TOPICS, *_SHAPES_TOPICS)
