"""A document that was read, as the text of a scenario."""

from __future__ import annotations

import re
from pathlib import PurePath

from symattn.checking.adopt.from_reading import quantities_of
from symattn.checking.adopt.lesson import adopt
from symattn.checking.following.follow import Follower
from symattn.checking.following.hints import chinese_of
from symattn.checking.following.lexicon import written_in
from symattn.checking.following.rows import BITS
from symattn.checking.reading.tree import Reading, Talk
from symattn.checking.source import Readable
from symattn.values.number import at_precision
from symattn.words import language_named

_HAN = re.compile(r"[\u4e00-\u9fff]")
_OTHER = re.compile(r"[\u3040-\u30ff\uac00-\ud7af]")
_WORD = re.compile(r"[A-Za-z]{2,}")


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


def language_of(text: str) -> str:
    """Which of our languages a text is in: Chinese where there is more of it than words in letters, else English.

    >>> [language_of(text) for text in ("對每一列做 softmax", "对每一行做 softmax", "行ごとの softmax", "over rows")]
    ['zh-Hant', 'zh-Hans', 'en', 'en']
    """
    han = _HAN.findall(text)
    if not han or len(_OTHER.findall(text)) * 10 > len(han) or len(han) < len(_WORD.findall(text)):
        return "en"
    return written_in(chinese_of(text) or "hant")
