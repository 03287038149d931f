"""Every page that symattn writes, checked: how much of it is followed, and every alarm, which is a false one.

python -m tests.checking.own.run [SCENARIO|TOPIC …] [--only WORD] [--why N] [--alarms N]
"""

from __future__ import annotations

import argparse
from collections import Counter
from dataclasses import dataclass
from time import process_time

from symattn.checking.check import check
from symattn.checking.model import CheckedDocument
from tests.checking.own.pages import OwnPage, pages


@dataclass(frozen=True)
class Seen:
    """What a check said of an own page."""

    page: OwnPage
    checked: CheckedDocument
    seconds: float

    @property
    def coverage(self) -> float:
        """The part of its figures that were verified."""
        told = self.checked.coverage
        return told.verified / told.figures if told.figures else 1.0

    def __str__(self) -> str:
        told = self.checked.coverage
        return (
            f"{self.page.label:40} {told.figures:6} figures {self.coverage:7.1%} verified "
            f"{told.given:5} given {len(self.checked.findings):4} alarms {self.seconds:6.2f} s "
            f"{len(self.checked.text) // 1000:5} kB"
        )


def seen(page: OwnPage) -> Seen:
    text = page.text()
    began = process_time()
    return Seen(page, check(text, page.name), process_time() - began)


def alarms(found: Seen, most: int) -> list[str]:
    """The first alarms with the text around them."""
    text = found.checked.text
    return [
        f"    alarm {each.line}: {each.printed} → {each.expected} {each.kind} of {each.of!r}: {each.because}\n"
        f"        {text[max(0, each.start - 70) : each.end + 30]!r}"
        for each in found.checked.findings[:most]
    ]


def reasons(found: Seen, most: int) -> list[str]:
    """Why figures were not verified, the most frequent first, each with an example."""
    often: Counter[str] = Counter()
    example: dict[str, str] = {}
    for each in found.checked.unfollowed:
        often[each.why] += each.figures
        example.setdefault(each.why, f"line {each.line}: {each.text[:80]!r}")
    return [f"    {count:5} {why} — {example[why]}" for why, count in often.most_common(most)]


def main() -> None:
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    asked.add_argument("names", nargs="*")
    asked.add_argument("--only", default="")
    asked.add_argument("--why", type=int, default=3)
    asked.add_argument("--alarms", type=int, default=3)
    told = asked.parse_args()
    all_reasons: Counter[str] = Counter()
    figures = verified = wrong = failed = 0
    for page in pages(tuple(told.names)):
        if told.only not in page.label:
            continue
        try:
            found = seen(page)
        except Exception as error:  # noqa: BLE001 - whatever it is, the other pages are to be seen
            print(f"{page.label:40} not read: {type(error).__name__}: {str(error)[:200]}", flush=True)
            failed += 1
            continue
        print("\n".join([str(found), *alarms(found, told.alarms), *reasons(found, told.why)]), flush=True)
        figures += found.checked.coverage.figures
        verified += found.checked.coverage.verified
        wrong += len(found.checked.findings)
        for each in found.checked.unfollowed:
            all_reasons[each.why] += each.figures
    print(
        f"\nall: {figures} figures, {verified / max(1, figures):.1%} verified, {wrong} false alarms, {failed} not read"
    )
    for why, count in all_reasons.most_common(25):
        print(f"{count:7} {why}")


if __name__ == "__main__":
    main()
