"""Measure how a check follows what documents say: four ways of saying five relations, with known errors.

python -m tests.checking.said.run [RELATION …] [--way WAY] [--seeds N] [--check MODULE:FUNCTION] [--show N]
"""

from __future__ import annotations

import argparse

from tests.checking.said.cases import SEEDS, cases
from tests.checking.said.measure import by_way, score, scored
from tests.checking.said.wordings import WAYS, WORDINGS
from tests.checking.scoring import STANDARD, Check, check_named, total


def table(check: Check, seeds: int = SEEDS) -> str:
    """Measure all ways and relations, and write the table."""
    return by_way(scored(cases(seeds=range(seeds)), check))


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("relations", nargs="*", choices=[[], *WORDINGS])
    asked.add_argument("--way", choices=WAYS)
    asked.add_argument("--seeds", type=int, default=SEEDS)
    asked.add_argument("--check", default=STANDARD)
    asked.add_argument("--show", type=int, default=0, help="print so many documents that are not found as they should")
    told = asked.parse_args()
    check = check_named(told.check)
    shown = list(cases([told.way] if told.way else WAYS, told.relations or tuple(WORDINGS), range(told.seeds)))
    scores = scored(shown, check)
    print(by_way(scores))
    if broken := total(scores.values()).broken:
        print(f"{broken} documents could not be read")
    for each in shown if told.show else ():
        counted = score(each, check)
        if counted.found < counted.wrong or counted.false or counted.corrected < counted.found:
            print(f"##### {each}: {counted}\n{each.text}")
            told.show -= 1
            if not told.show:
                break


if __name__ == "__main__":
    main()
