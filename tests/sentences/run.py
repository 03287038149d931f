"""Many random lessons: ``python -m tests.sentences.run 2000`` prints each sentence that is untrue or unknown once."""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from collections.abc import Mapping
from typing import Any

from symattn.api import derive
from symattn.errors import SymattnError
from symattn.scenario.load import loads
from tests.sentences.kinds import KINDS
from tests.sentences.lessons import goes_backward, random_lesson
from tests.sentences.page import Verdict, read


def data_of(seed: int) -> Mapping[str, Any]:
    """A random lesson as data, with its gradients where it is one that goes backward."""
    solution = derive(loads(random_lesson(seed)), backward="L" if goes_backward(seed) else False)
    return json.loads(solution.render("json", language="en"))


def judged(seed: int) -> list[Verdict]:
    """Every sentence of one lesson; none where the lesson is refused."""
    try:
        data = data_of(seed)
    except SymattnError:
        return []
    return read(data, KINDS)


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
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main(*((0, int(sys.argv[1])) if len(sys.argv) == 2 else (int(sys.argv[1]), int(sys.argv[2])))))
