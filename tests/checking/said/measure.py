"""Count, for each way of saying a relation, which wrong figures a check finds and whether its corrections are right."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import TypeAlias

from tests.checking.said.cases import MISTAKES, SLIPS, SaidCase
from tests.checking.said.wordings import WAYS
from tests.checking.scoring import Check, PatchedCopy, Score, is_same_figure, markdown, meets, percent, total

Scores: TypeAlias = dict[tuple[str, str, str], Score]
"""Scores by relation, way and error."""


def score(case: SaidCase, check: Check) -> Score:
    """Check one document and its patched copy."""
    checked = check(case.text, case.name)
    copy = PatchedCopy.of(checked)
    after = copy.text
    news = copy.news(checked, check(after, case.name))
    found = corrected = 0
    left = list(checked.findings)
    for wrong in case.wrong:
        mine = next((each for each in left if meets(each, wrong.start, wrong.end)), None)
        if mine is not None:
            left.remove(mine)
            found += 1
            corrected += is_same_figure(mine.expected, wrong.right)
    return Score(1, len(case.wrong), found, len(left), corrected, after == case.right_text, not news)


def scored(cases: Iterable[SaidCase], check: Check) -> Scores:
    """Score cases, added up by relation, way and error; a document on which the check fails is broken."""
    scores: Scores = defaultdict(Score)
    for case in cases:
        try:
            counted = score(case, check)
        except Exception:  # noqa: BLE001 - whatever it is, it is counted
            counted = Score(1, len(case.wrong), broken=1)
        scores[case.relation, case.way, case.error].add(counted)
    return dict(scores)


def by_way(scores: Mapping[tuple[str, str, str], Score]) -> str:
    """Write one row for each relation and way: found of wrong by error, and what is true of all of them."""
    head = [
        "relation",
        "said",
        *(f"{count} wrong" for count in SLIPS if count),
        "whole matrix",
        "false",
        "alarms on right ones",
        "corrections right",
        "mended",
        "quiet after",
    ]
    rows = [_row(relation, way, scores) for relation in MISTAKES for way in WAYS if (relation, way, "0") in scores]
    ways = [way for way in WAYS if any(key[1] == way for key in scores)]
    return markdown(head, [*rows, *(_row("all", way, scores) for way in (*ways, *["all"][: len(ways) - 1]))])


def _row(relation: str, way: str, scores: Mapping[tuple[str, str, str], Score]) -> list[str]:
    mine = {key: each for key, each in scores.items() if relation in ("all", key[0]) and way in ("all", key[1])}

    def of(*errors: str) -> Score:
        return total(each for key, each in mine.items() if key[2] in errors)

    whole = total(mine.values())
    mistakes = of(*MISTAKES.values())
    right = of("0")
    mistake = "" if relation == "all" else f" {MISTAKES[relation]}"
    return [
        relation,
        way,
        *(f"{of(str(count)).found}/{of(str(count)).wrong}" for count in SLIPS if count),
        f"{mistakes.found}/{mistakes.wrong}{mistake}",
        str(whole.false),
        f"{right.false} in {right.documents}",
        f"{whole.corrected}/{whole.found}",
        percent(whole.mended, whole.documents),
        percent(whole.quiet, whole.documents),
    ]
