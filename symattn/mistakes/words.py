"""What is said of mistakes: in ``mistakes.toml`` of each language there is a table for each of them."""

from __future__ import annotations

from symattn import words
from symattn.errors import ScenarioError, UnknownNameError, unknown
from symattn.mistakes.bank import bank

KEYS = ("title", "feedback", "hint")
"""A short name, what was done and why it should be otherwise, and a question that does not give the answer away."""


def said(name: str, what: str, language: str) -> str:
    """The ``title``, ``feedback`` or ``hint`` of a mistake in one language, as plain text.

    Raises :class:`~symattn.errors.UnknownNameError` for another language or kind of text, and
    :class:`~symattn.errors.ScenarioError` where the words of a mistake are missing.

    >>> said("scale-forgotten", "title", "en")
    'Scale forgotten'
    """
    if what not in KEYS:
        raise UnknownNameError(unknown("text of a mistake", what, KEYS))
    if added := next((mistake.words for mistake in bank() if mistake.name == name), {}):
        language = words.language_named(language)
        if not isinstance(found := words.at(added, language, what), str):
            raise ScenarioError(f"the mistake {name} has no {what} in {language} among its words")
        return found
    return words.text(language, "mistakes", name, what)
