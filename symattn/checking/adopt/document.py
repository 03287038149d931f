"""A document that was read, as the text of a scenario."""

from __future__ import annotations

from pathlib import PurePath

from symattn.checking.adopt.from_reading import quantities_of
from symattn.checking.adopt.language import language_of
from symattn.checking.adopt.lesson import adopt
from symattn.checking.following.follow import Follower
from symattn.checking.following.hints import chinese_of
from symattn.checking.following.rows import BITS
from symattn.checking.reading.tree import Reading, Talk
from symattn.checking.source import Readable
from symattn.values.number import at_precision
from symattn.words import language_named


def adopted_document(document: Readable, reading: Reading, *, title: str = "", language: str = "") -> str:
    """The scenario that a document holds; its title and its language, unless others are said.

    Raises :class:`~symattn.errors.ScenarioError` where nothing can be adopted, and
    :class:`~symattn.errors.UnknownNameError` for a language that is not there.

    >>> from symattn.checking.source import Readable
    >>> adopted_document(Readable("empty.md", "", ()), Reading(()))
    Traceback (most recent call last):
        ...
    symattn.errors.ScenarioError: nothing can be adopted: no matrix, vector or number with a name and figures was read
    """
    follower = Follower(chinese=chinese_of(document.text))
    with at_precision(BITS):
        follower.follow(reading)
    read = quantities_of(reading, document, follower.scope.quantities)
    said = " ".join(told.text for told in reading.told if isinstance(told, Talk))
    name = PurePath(document.name).name
    return adopt(
        read.quantities,
        title or read.title or PurePath(name).stem or "Lesson",
        language_named(language) if language else language_of(said),
        read.left_over,
        tokens=read.tokens,
        source=name,
    )
