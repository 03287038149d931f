"""Shapes of products: nothing is given but how many rows and columns each matrix has."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from random import Random
from types import MappingProxyType

from symattn.exercise.numbers import pick, shuffled
from symattn.exercise.topics.model import ExerciseDraft, Topic

SIZES = tuple(range(2, 10))
"""What a size is drawn from. Sizes of one exercise differ: no shape is a square, so rows and columns show."""

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


TOPICS = (Topic("shape-of-product", "attention", shape_of_product, rank=10),)
