"""The words of what a scenario has unrolled, with the names that they speak of."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from symattn.scenario.words import MadeTexts
from symattn.words import Texts, between, texts

_BRACES = re.compile(r"\{(\w+)\}")


def role_words(kind: str, role: str, names: Mapping[str, str] | None = None) -> Texts:
    """The words of a role in every language; ``names`` are what stands in the place of its own, or numbers.

    Raises :class:`~symattn.errors.ScenarioError` where a language lacks it.

    >>> role_words("titles", "backward", {"loss": "L_t1"})["en"]
    'Backward: the gradients of {L_t1}'
    """
    put_in = names or {}
    found = texts("gradients", kind, role)
    return MadeTexts(
        (language, _BRACES.sub(lambda word: _put(put_in.get(word[1], word[1])), text))
        for language, text in found.items()
    )


def joined_words(parts: Sequence[Texts]) -> Texts | None:
    """Several sentences one after the other, in every language; ``None`` where there are none.

    >>> joined_words([{"en": "One.", "zh-Hant": "一。"}, {"en": "Two.", "zh-Hant": "二。"}])
    {'en': 'One. Two.', 'zh-Hant': '一。二。'}
    """
    if not parts:
        return None
    return MadeTexts((language, between(language).join(part[language] for part in parts)) for language in parts[0])


def _put(name: str) -> str:
    return name if name.isdigit() else f"{{{name}}}"
