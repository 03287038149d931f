"""The bank of mistakes: every one that is known, from the most to the least common.

The same bank gives distractors, feedback and diagnosis: where two mistakes explain an answer, the first one is more
likely. Mistakes are found by their place: each module here offers a tuple ``MISTAKES``, and so does any package that
names one as an entry point ``symattn.mistakes``.

>>> [mistake.name for mistake in bank()[:3]]
['scale-forgotten', 'softmax-over-columns', 'softmax-of-unscaled-scores']
"""

from __future__ import annotations

from functools import cache

from symattn.extensions import offered
from symattn.mistakes.model import Mistake

GROUP = "symattn.mistakes"


@cache
def bank() -> tuple[Mistake, ...]:
    """Every mistake, the more common ones first.

    Raises :class:`~symattn.errors.ScenarioError` where a package adds something that is no mistake.
    """
    return offered("symattn.mistakes", "MISTAKES", Mistake, GROUP)
