"""Exercises about the number of parameters and multiplications of layers: formulas over sizes, to be evaluated."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from random import Random

from symattn.course.numbers import pick
from symattn.course.topics.model import ExerciseDraft, Topic

_OPERATION = re.compile(r"[*+^]")


@dataclass(frozen=True)
class Counting:
    """The counts of one difficulty: quantities over sizes, and the possible values of each size.

    All values of a size have the same number of digits, so that all variants cost the same.
    """

    quantities: tuple[str, ...]
    sizes: Mapping[str, tuple[int, ...]]
    task: str

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(quantity.split(" = ")[0] for quantity in self.quantities)

    def price(self, sizes: Mapping[str, int]) -> int:
        """Return one for every operation in the formulas, and one for every digit of a size."""
        operations = sum(len(_OPERATION.findall(quantity)) for quantity in self.quantities)
        return operations + sum(len(str(size)) for size in sizes.values())


_FEW = tuple(range(2, 10))
_SOME = tuple(range(10, 65))
_EVEN = tuple(range(10, 33, 2))
_WIDTHS = (128, 160, 192, 256, 320, 384, 512, 640, 768)
_INNER = (1024, 1280, 1536, 2048, 2560, 3072)
_VOCABULARIES = (10_000, 16_000, 32_000, 50_000)

PARAMETERS = (
    Counting(("P = d_in * d_out + d_out",), {"d_in": _SOME, "d_out": _SOME}, "task_linear"),
    Counting(
        ("P_1 = d_model * d_ff + d_ff", "P_2 = d_ff * d_model + d_model", "P = P_1 + P_2"),
        {"d_model": _SOME, "d_ff": tuple(range(65, 100))},
        "task_ffn",
    ),
    Counting(
        (
            "P_Q = d_model * d_k + d_k",
            "P_K = d_model * d_k + d_k",
            "P_V = d_model * d_v + d_v",
            "P_O = h * d_v * d_model + d_model",
            "P = h * (P_Q + P_K + P_V) + P_O",
        ),
        {"d_model": _SOME, "h": _FEW, "d_k": _EVEN, "d_v": _EVEN},
        "task_heads",
    ),
    Counting(
        (
            "P_A = 4 * d_model^2 + 4 * d_model",
            "P_F = d_model * d_ff + d_ff + d_ff * d_model + d_model",
            "P_N = 2 * d_model + 2 * d_model",
            "P = P_A + P_F + P_N",
        ),
        {"d_model": tuple(range(100, 1000, 4)), "d_ff": tuple(range(1000, 5000, 8))},
        "task_block",
    ),
    Counting(
        (
            "P_E = v * d_model + n * d_model",
            "P_A = 4 * d_model^2 + 4 * d_model",
            "P_F = d_model * d_ff + d_ff + d_ff * d_model + d_model",
            "P_N = 2 * d_model + 2 * d_model",
            "P = P_E + L * (P_A + P_F + P_N)",
        ),
        {"v": _VOCABULARIES, "n": (128, 256, 512), "d_model": _WIDTHS, "d_ff": _INNER, "L": _FEW},
        "task_model",
    ),
)
"""By difficulty: a linear layer, a feed-forward layer, several heads, a block, a model with embeddings."""

OPERATIONS = (
    Counting(("N = n * d_k * n",), {"n": _SOME, "d_k": _EVEN}, "task_scores"),
    Counting(
        ("N_S = n * d_k * n", "N_Z = n * n * d_v", "N = N_S + N_Z"),
        {"n": _SOME, "d_k": _EVEN, "d_v": _EVEN},
        "task_head",
    ),
    Counting(
        (
            "N_P = n * d_model * d_k + n * d_model * d_k + n * d_model * d_v",
            "N_S = n * d_k * n",
            "N_Z = n * n * d_v",
            "N = N_P + N_S + N_Z",
        ),
        {"n": _SOME, "d_model": _SOME, "d_k": _EVEN, "d_v": _EVEN},
        "task_projected_head",
    ),
    Counting(
        (
            "N_P = n * d_model * d_k + n * d_model * d_k + n * d_model * d_v",
            "N_S = n * d_k * n",
            "N_Z = n * n * d_v",
            "N_O = n * h * d_v * d_model",
            "N = h * (N_P + N_S + N_Z) + N_O",
        ),
        {"n": _SOME, "d_model": _SOME, "h": _FEW, "d_k": _EVEN, "d_v": _EVEN},
        "task_heads",
    ),
    Counting(
        (
            "N_P = 3 * n * d_model * d_k",
            "N_S = n * d_k * n",
            "N_Z = n * n * d_k",
            "N_O = n * h * d_k * d_model",
            "N_F = n * d_model * d_ff + n * d_ff * d_model",
            "N = h * (N_P + N_S + N_Z) + N_O + N_F",
        ),
        {"n": _SOME, "d_model": _SOME, "h": _FEW, "d_k": _EVEN, "d_ff": tuple(range(65, 100))},
        "task_block",
    ),
)
"""By difficulty: the scores, a head, a head with its projections, several heads, a block."""


def _topic(counts: tuple[Counting, ...]) -> Callable[[int, Random], ExerciseDraft]:
    def drawn(level: int, random: Random) -> ExerciseDraft:
        count = counts[level - 1]
        sizes = {name: pick(choices, random) for name, choices in count.sizes.items()}
        return ExerciseDraft(
            {},
            (),
            count.names,
            sizes=sizes,
            quantities=count.quantities,
            kind="number",
            task=count.task,
            price=count.price(sizes),
        )

    return drawn


TOPICS = (
    Topic("parameter-count", "counts", _topic(PARAMETERS), rank=190),
    Topic("operation-count", "counts", _topic(OPERATIONS), rank=200),
)
