"""The sheets and keys that ``symattn build`` writes beside the worked solutions, for visitors to look at.

>>> [name for name, _ in pages("en")]
['exercise-attention-row', 'exercise-attention-row-key', 'exercise-fading', 'exercise-fading-key']
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from symattn.document.blocks import Document
from symattn.exercise.generate import Batch, generate
from symattn.exercise.sheet.batch import batch as sheets

EXAMPLES = (("attention-row", "", 2), ("fading", "attention-row", 4))
"""Topic, what it stands on, and how many versions."""

DIFFICULTY, SEED = 2, 7


def pages(language: str) -> Iterator[tuple[str, Document]]:
    """Every example in a language: the name of its file without language and format, and what stands in it."""
    for topic, of, count in EXAMPLES:
        batch = _batch(topic, of, count)
        yield f"exercise-{topic}", sheets(batch, "question", language)
        yield f"exercise-{topic}-key", sheets(batch, "answer", language)


@cache
def _batch(topic: str, of: str, count: int) -> Batch:
    return generate(topic, of=of, difficulty=DIFFICULTY, seed=SEED, count=count)
