"""Which of our languages a text is in, by its script.

>>> [language_of(text) for text in ("對每一列做 softmax", "对每一行做 softmax", "行ごとの softmax", "over rows")]
['zh-Hant', 'zh-Hans', 'en', 'en']
"""

from __future__ import annotations

import re

from symattn.checking.following.hints import chinese_of
from symattn.checking.following.lexicon import written_in

_HAN = re.compile(r"[\u4e00-\u9fff]")
_OTHER = re.compile(r"[\u3040-\u30ff\uac00-\ud7af]")
_WORD = re.compile(r"[A-Za-z]{2,}")


def language_of(text: str) -> str:
    """Chinese in traditional or simplified characters where there is more of it than words in letters, else English."""
    han = _HAN.findall(text)
    if not han or len(_OTHER.findall(text)) * 10 > len(han) or len(han) < len(_WORD.findall(text)):
        return "en"
    return written_in(chinese_of(text) or "hant")
