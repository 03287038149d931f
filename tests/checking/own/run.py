"""Every page that symattn writes, checked: how much of it is followed, and every alarm, which is a false one.

python -m tests.checking.own.run [SCENARIO|TOPIC …] [--only WORD] [--why N] [--alarms N]
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from time import process_time
from typing import Any

from symattn import builtin_names
from symattn.api.worked import WorkedSolution, derive
from symattn.checking.check import check
from symattn.checking.model import CheckedDocument
from symattn.course import generate
from symattn.course.topics.model import topics
from symattn.read.scenario.load import loads

LANGUAGES = ("en", "zh-Hant", "zh-Hans")
ENDINGS = {"markdown": "md", "latex": "tex", "html": "html", "ipynb": "ipynb", "beamer": "tex"}
DETAILS = ("result", "steps", "entries")
FORMS = ("find-the-wrong-entry", "order-the-steps", "fill-in-the-blanks", "fading")
"""Topics that ask about others."""


@dataclass(frozen=True)
class OwnPage:
    """A page that symattn writes, written when it is asked for."""

    label: str
    name: str
    """Of its file."""
    text: Callable[[], str]


@cache
def _solved(name: str, carry: str = "exact") -> WorkedSolution:
    return derive(name, carry=carry)  # type: ignore[arg-type]


def _page(label: str, form: str, solution: Callable[[], WorkedSolution], **choices: Any) -> OwnPage:
    return OwnPage(label, f"page.{ENDINGS[form]}", lambda: str(solution().render(form, **choices)))


def pages(names: tuple[str, ...] = ()) -> Iterator[OwnPage]:
    """All pages of these scenarios, or of all and of the topics of exercises."""
    for name in names or builtin_names():
        if name in builtin_names():
            yield from scenario_pages(name)
    for topic in topics():
        if topic.name in (names or (topic.name,)) and topic.name not in FORMS:
            yield from topic_pages(topic.name)


def scenario_pages(name: str) -> Iterator[OwnPage]:
    """The pages of a scenario."""

    def solution() -> WorkedSolution:
        return _solved(name)

    for language in LANGUAGES:
        for form in ENDINGS:
            yield _page(f"{name} {form} {language}", form, solution, language=language)
    for detail in DETAILS:
        yield _page(f"{name} {detail}", "markdown", solution, language="en", detail=detail)
    yield _page(f"{name} brackets", "markdown", solution, language="en", math="brackets")
    yield _page(f"{name} fragment", "latex", solution, language="en", fragment=True)
    yield _page(f"{name} numpy", "markdown", solution, language="en", code="numpy")
    if name not in ("ironman", "journey"):  # a mask of −∞ leaves no figures to carry on with
        yield _page(f"{name} rounded", "markdown", lambda: _solved(name, "rounded"), language="en")


def topic_pages(topic: str, seed: int = 5) -> Iterator[OwnPage]:
    """A topic of exercises worked out, as a lesson in each language."""

    @cache
    def solution() -> WorkedSolution:
        (exercise,) = generate(topic, difficulty=2, seed=seed, count=1)
        return derive(loads(exercise.source))

    for language in LANGUAGES:
        yield _page(f"{topic} {language}", "markdown", solution, language=language)
    yield _page(f"{topic} latex", "latex", solution, language="en")
    yield _page(f"{topic} entries", "markdown", solution, language="en", detail="entries")


# -- what a check says of them -----------------------------------------------------------------------------------------


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
