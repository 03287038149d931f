"""What a sentence tells in any language: its figures, mathematics, labels, and which rows and columns it names."""

from __future__ import annotations

import re
from collections import Counter

MANY = r"\d+(?:(?:, | and | to |、|和| 和 | 到 |到| 至 |至)\d+(?!\d|\.\d))*"
ROW_AND_COLUMN = {
    "en": (rf"(?:[Rr]ows?|last row, number) ({MANY})", rf"columns? ({MANY})"),
    "zh-Hant": (rf"第 ({MANY}) 列", rf"第 ({MANY}) 行"),
    "zh-Hans": (rf"第 ({MANY}) 行", rf"第 ({MANY}) 列"),
}
NUMERALS = ("0", "1")
"""What one language says in a word and another one in a figure."""
MORE = r"and \d+ more|等 \d+ [個个行列]"
"""How many are not named, or how many there are: languages count in other ways."""


def facts(said: str, language: str) -> Counter[str]:
    """Everything in a sentence that no language may say in another way."""
    told = Counter(re.findall(r"\$([^$]*)\$", said))
    plain = re.sub(MORE, " ", re.sub(r"\$[^$]*\$", " ", said))
    told.update(re.findall(r"[“「]([^”」]*)[”」]", plain))
    plain = re.sub(r"[“「][^”」]*[”」]", " ", plain)
    for what, pattern in zip(("row", "column"), ROW_AND_COLUMN[language], strict=True):
        told.update(f"{what} {place}" for places in re.findall(pattern, plain) for place in re.findall(r"\d+", places))
    told.update(each for each in re.findall(r"\d+(?:\.\d+)?", plain) if each not in NUMERALS)
    return told
