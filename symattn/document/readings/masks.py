"""What masks and padding hide, and what they let through."""

from __future__ import annotations

from symattn.document.blocks import Phrase
from symattn.document.readings.sentence import ReadStep, columns_of, reading
from symattn.document.working.masked import masked_entries
from symattn.operations.stages import same_as_ours
from symattn.solution.intervals import hides
from symattn.solution.store import Store
from symattn.values.certify import START_BITS
from symattn.values.number import at_precision


def visible(step: ReadStep) -> list[Phrase]:
    """How much of a mask is visible."""
    if not step.with_sizes.is_hiding:
        return []
    total = step.solution.rows(step.name) * step.solution.columns(step.name)
    return [reading("mask_keeps", kept=int(step.with_sizes.kept), total=total)]


def padding(step: ReadStep) -> list[Phrase]:
    """How much of the mask is visible, and which columns nobody sees."""
    hidden = range(int(step.with_sizes.length), step.solution.columns(step.name))
    if not hidden or not step.with_sizes.is_hiding:
        return visible(step)
    shown = columns_of(hidden[: step.most], step.columns)
    return [*visible(step), reading("nobody_sees", columns=shown, more=len(hidden) - len(shown))]


def kept(solution: Store, name: str) -> Phrase:
    """How many entries a mask lets through."""
    hidden = [each for row in hides(solution, same_as_ours(solution.formula(name)).mask) for each in row]
    return reading("kept", count=hidden.count(False), total=len(hidden))


def hidden_scores(step: ReadStep) -> list[Phrase]:
    """How many scores a mask takes so far down that a softmax has no weight for them: e^−100, or none at all."""
    masked = masked_entries(step.solution, step.node)
    count = len(masked)
    if not all(infinite for _, _, infinite in masked):
        with at_precision(START_BITS):
            rows = step.solution.enclosure(step.name, START_BITS).tolist()
            count = sum(infinite or any(rows[i][j] + 100 < x for x in rows[i]) for i, j, infinite in masked)
    return [reading("masked_scores", count=count)] if count else []
