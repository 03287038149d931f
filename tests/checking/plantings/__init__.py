"""Pages with an error of a class planted in each, a fifth of which symattn writes."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from tests.checking.plantings.errors import CLASSES, planted
from tests.checking.plantings.rendered import rendered
from tests.checking.scoring import Case

PAGES, QUICK_PAGES, SEED = 1300, 65, 1
"""How many pages there are, and from which seed."""

OWN = 0.2
"""The share of pages that symattn writes."""


def page_of(number: int, seed: int = SEED, own: float = OWN) -> Case:
    """Write the page with a number: the same one for every run with this seed."""
    random = Random(f"{seed} {number}")
    error = CLASSES[number % len(CLASSES)]
    return rendered(random, error) if random.random() < own else planted(random, error)


def cases(is_quick: bool = False) -> Iterator[Case]:
    """Write the pages one after the other."""
    return (page_of(number) for number in range(QUICK_PAGES if is_quick else PAGES))
