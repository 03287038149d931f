"""Many random lessons: ``python -m tests.sentences.run 2000`` prints each sentence that is untrue or unknown once.

It counts every kind of sentence, and names those of which there are fewer than one in a hundred lessons.
"""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from collections.abc import Mapping
from typing import Any

from symattn.api.worked import derive
from symattn.base.errors import SymattnError
from symattn.read.scenario.load import loads
from tests.sentences.lessons import goes_backward, random_lesson
from tests.sentences.of_gradients import OF_GRADIENTS
from tests.sentences.of_pages import OF_PAGES
from tests.sentences.of_questions import OF_QUESTIONS
from tests.sentences.of_reasons import OF_REASONS
from tests.sentences.of_steps import OF_STEPS
from tests.sentences.page import Kind, Verdict, read, sentences

KINDS: tuple[Kind, ...] = (*OF_STEPS, *OF_GRADIENTS, *OF_PAGES, *OF_QUESTIONS, *OF_REASONS)
"""A sentence that has none of these forms fails: a new kind needs a checker."""

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
    plain = plain.replace("one half", "1/2")
    plain = re.sub("“is used to compute”|「用來計算」|“用来计算”", " ", plain)
    told.update(re.findall(r"[“「]([^”」]*)[”」]", plain))
    plain = re.sub(r"[“「][^”」]*[”」]", " ", plain)
    for what, pattern in zip(("row", "column"), ROW_AND_COLUMN[language], strict=True):
        told.update(f"{what} {place}" for places in re.findall(pattern, plain) for place in re.findall(r"\d+", places))
    told.update(each for each in re.findall(r"\d+(?:\.\d+)?", plain) if each not in NUMERALS)
    return told


def data_of(seed: int, *languages: str) -> Mapping[str, Any]:
    """A random lesson as data, with its gradients where it is one that goes backward; in other languages, by these."""
    solution = derive(loads(random_lesson(seed)), backward="L" if goes_backward(seed) else False)
    found = {language: json.loads(solution.render("json", language=language)) for language in languages or ("en",)}
    return found if languages else found["en"]


def differently_told(seed: int) -> list[str]:
    """The sentences of a lesson that tell something else in Chinese than in English."""
    try:
        data = data_of(seed, *ROW_AND_COLUMN)
    except SymattnError:
        return []
    told = {language: [said for _, said in sentences(each)] for language, each in data.items()}
    if len(set(map(len, told.values()))) > 1:
        return [f"other sentences: {told}"]
    same = zip(*([facts(said, language) for said in each] for language, each in told.items()), strict=True)
    return [said for said, (en, *others) in zip(told["en"], same, strict=True) if any(each != en for each in others)]


def judged(seed: int) -> list[Verdict]:
    """Every sentence of one lesson; none where the lesson is refused."""
    try:
        data = data_of(seed)
    except SymattnError:
        return []
    try:
        return read(data, KINDS)
    except (AssertionError, KeyError) as error:
        return [Verdict("", f"lesson {seed}", (), f"its values are others: {error}")]


def main(first: int, last: int) -> int:
    kinds: Counter[str] = Counter()
    seen: Counter[str] = Counter()
    refused = 0
    for seed in range(first, last):
        verdicts = judged(seed)
        refused += not verdicts
        for verdict in verdicts:
            kinds.update(verdict.kinds)
            if verdict.wrong:
                like = re.sub(r"\d+|“[^”]*”|\$[^$]*\$", "#", verdict.wrong + verdict.said)
                seen[like] += 1
                if seen[like] == 1:
                    print(f"{seed}: {verdict.name}: {verdict.said}\n    {verdict.wrong}", flush=True)
    wrong = seen.total()
    print(f"{last - first} lessons, {refused} refused, {kinds.total()} sentences")
    print(f"{wrong} wrong")
    for kind, count in sorted(kinds.items()):
        print(f"  {kind} {count}")
    seldom = [kind.macro for kind in KINDS if kinds[kind.macro] * 100 < last - first]
    print(f"seldom: {', '.join(dict.fromkeys(seldom)) or 'none'}")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main(*((0, int(sys.argv[1])) if len(sys.argv) == 2 else (int(sys.argv[1]), int(sys.argv[2])))))
