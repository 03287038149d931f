"""Every topic, in the order in which they are listed.

Topics are found by their place: each module here offers a tuple ``TOPICS``, and so does any package that names one as
an entry point ``symattn.topics``.
"""

from __future__ import annotations

from functools import cache

from symattn.errors import ScenarioError, UnknownNameError, unknown
from symattn.exercise.topics.model import Topic
from symattn.extensions import offered
from symattn.mistakes.bank import bank
from symattn.mistakes.model import Mistake
from symattn.words import Texts, texts

GROUP = "symattn.topics"


@cache
def topics() -> tuple[Topic, ...]:
    """All topics.

    Raises :class:`~symattn.errors.ScenarioError` where a package adds something that is no topic.
    """
    return offered("symattn.exercise.topics", "TOPICS", Topic, GROUP)


@cache
def mistakes() -> tuple[Mistake, ...]:
    """The bank of mistakes, each of topics that there are.

    Raises :class:`~symattn.errors.ScenarioError` where a mistake is said to belong to a topic that nobody knows.
    """
    known = [topic.name for topic in topics()]
    for mistake in bank():
        for name in mistake.topics:
            if name not in known:
                raise ScenarioError(f"the mistake {mistake.name}: {unknown('topic', name, known)}")
    return bank()


def topic_named(name: str) -> Topic:
    """The topic of that name.

    Raises :class:`~symattn.errors.UnknownNameError` where there is none.

    >>> topic_named("softmax-row").family
    'attention'
    """
    found = next((topic for topic in topics() if topic.name == name), None)
    if found is None:
        raise UnknownNameError(unknown("topic", name, (topic.name for topic in topics()), "symattn exercise --list"))
    return found


def said(topic: str, what: str) -> Texts:
    """The words of a topic in every language, or of one that somebody else has added in those that it has.

    Raises :class:`~symattn.errors.ScenarioError` where they are missing.

    >>> said("softmax-row", "title")["en"]
    'A row of softmax'
    """
    added = next((one.words for one in topics() if one.name == topic), {})
    found = {language: words[what] for language, words in added.items() if what in words}
    if added and not found:
        raise ScenarioError(f"the topic {topic} has no {what} among its words")
    return found or texts("topics", topic, what)
