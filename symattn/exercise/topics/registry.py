"""Every topic, in the order in which they are listed."""

from __future__ import annotations

from symattn.errors import UnknownNameError, unknown
from symattn.exercise.topics import (
    attention,
    counts,
    efficiency,
    heads,
    layers,
    output,
    positions,
    shapes,
    vectors,
    weights,
)
from symattn.exercise.topics.model import Topic

TOPICS: tuple[Topic, ...] = (
    *shapes.TOPICS,
    *vectors.TOPICS,
    *weights.TOPICS,
    *attention.TOPICS,
    *heads.TOPICS,
    *layers.TOPICS,
    *output.TOPICS,
    *counts.TOPICS,
    *positions.TOPICS,
    *efficiency.TOPICS,
)


def topic_named(name: str) -> Topic:
    """The topic of that name.

    >>> topic_named("softmax-row").family
    'attention'
    """
    found = next((topic for topic in TOPICS if topic.name == name), None)
    if found is None:
        raise UnknownNameError(unknown("topic", name, (topic.name for topic in TOPICS)))
    return found
