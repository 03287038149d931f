"""All measures of a check in one table: what it finds, how often it is wrong, and what its corrections are worth.

python -m tests.checking.measures [--quick] [--only MEASURE …] [--show N] [--why N] [--by N] [--jobs N]
                                  [--check MODULE:FUNCTION]

``--quick`` takes a part of the cases, and needs less than a minute; all of them need about ten. ``--only`` takes one
measure or several, of which ``rendered``, all pages that symattn can write, is taken only when it is named. ``--show``
tells of so many documents of each measure what was missed and what is false, ``--why`` the most frequent reasons why
figures were not verified, and ``--by 1`` has rows by notation or form instead of the class.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from importlib import import_module

from tests.checking import lines, listed, own, plantings, said, strangers
from tests.checking.scoring import Case, Check, Outcome, Score, outcome

MEASURES: Mapping[str, Callable[[bool], Iterator[Case]]] = {
    "said": said.cases,
    "twelve": listed.twelve,
    "strangers": strangers.cases,
    "plantings": plantings.cases,
    "lines": lines.cases,
    "own": own.kept,
    "seeds": listed.seeds,
    "rendered": own.rendered,
}
"""Each writes or reads its cases, all of them or a part."""

LONG = ("rendered",)
STANDARD = "symattn.checking.check:check"

HEAD = (
    *("documents", "wrong", "found", "false", "precision", "corrections right", "patched right", "kind right"),
    *("mended", "quiet", "followed", "s"),
)


def check_named(name: str = STANDARD) -> Check:
    """Import the check that ``module:function`` names."""
    module, _, function = name.partition(":")
    found: Check = getattr(import_module(module), function)
    return found


def percent(part: float, whole: float = 1.0) -> str:
    """Write a share with one decimal; of nothing it is a dash.

    >>> percent(1, 3), percent(0.5), percent(0, 0)
    ('33.3 %', '50.0 %', '–')
    """
    return f"{100 * part / whole:.1f} %" if whole else "–"


def row(name: str, score: Score) -> list[str]:
    """Write a score as a row of the table."""
    return [
        name + (f" ({score.broken} not read)" if score.broken else ""),
        str(score.documents),
        str(score.wrong),
        f"{score.found} {percent(score.found, score.wrong)}" if score.wrong else "–",
        str(score.false),
        percent(score.precision) if score.wrong else "–",
        *(
            f"{part} {percent(part, score.found)}" if score.wrong else "–"
            for part in (score.corrected, score.patched, score.named)
        ),
        *(percent(part, score.documents) for part in (score.mended, score.quiet)),
        percent(score.followed, score.figures),
        f"{score.seconds:.0f}",
    ]


def table(title: str, scores: Mapping[str, Score]) -> str:
    """Lay out a table that is readable as text and as Markdown."""
    lines = [[title, *HEAD], *(row(name, score) for name, score in scores.items())]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    lines.insert(1, ["-" * width for width in widths])
    return "\n".join(
        f"| {' | '.join(cell.ljust(width) for cell, width in zip(line, widths, strict=True))} |" for line in lines
    )


def by_row(outcomes: Iterable[Outcome], by: int = 0) -> dict[str, Score]:
    """Add scores up by one of the labels of their cases, or by the last where there are fewer."""

    rows: dict[str, Score] = {}
    for each in outcomes:
        rows.setdefault(each.case.labels[: by + 1][-1], Score()).add(each.score)
    return rows


def report(outcomes: list[Outcome], title: str, show: int = 0, why: int = 0, by: int = 0) -> str:
    """Write the table of a measure, some failures in full, and why figures were not verified."""
    parts = [table(title, by_row(outcomes, by))]
    failed = [(each, failures) for each in outcomes if (failures := each.failures())]
    for each, failures in failed[:show]:
        is_short = len(each.case.text) < 2000
        title = " | ".join([*each.case.labels, *[each.case.part][: bool(each.case.part)]])
        parts.append("\n".join([f"##### {title}", *failures, *[each.case.text][:is_short]]))
    reasons: Counter[str] = Counter()
    for each in outcomes:
        reasons.update(dict(each.why_not))
    parts += [f"{count:6} {reason}" for reason, count in reasons.most_common(why)]
    return "\n\n".join(parts)


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("--quick", action="store_true")
    asked.add_argument("--only", nargs="+", choices=MEASURES, default=[name for name in MEASURES if name not in LONG])
    for name, usual in (("--show", 0), ("--why", 0), ("--by", 0), ("--jobs", 1)):
        asked.add_argument(name, type=int, default=usual, metavar="N")
    asked.add_argument("--check", default=STANDARD)
    told = asked.parse_args()
    checked = partial(outcome, check=check_named(told.check))
    scores: dict[str, Score] = {}
    with ProcessPoolExecutor(told.jobs) as pool:
        for name in told.only:
            cases = MEASURES[name](told.quick)
            outcomes = list(map(checked, cases) if told.jobs == 1 else pool.map(checked, cases, chunksize=20))
            if outcomes:
                print(f"\n{report(outcomes, name, told.show, told.why, told.by)}", flush=True)
            for each in outcomes:
                whole = f"{name}: {each.case.part}" if each.case.part else name
                scores.setdefault(whole, Score()).add(each.score)
    print(f"\n{table('measure', scores)}")


if __name__ == "__main__":
    main()
