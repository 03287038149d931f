"""Own pages are read without anything missing, and found right.

All of them, with how much of each is followed: ``python -m tests.checking.own.run``.
"""

from __future__ import annotations

import pytest

from symattn import builtin_names
from symattn.course.topics.model import topics
from tests.checking.own.run import FORMS, OwnPage, alarms, pages, reasons, seen

FOLLOWED = 0.9
"""The part of the figures of a page that must be verified."""

FEW = ("dot-product", "scaling", "padding-mask", "context-vector", "projection", "rms-norm", "rope", "linear-gradient")


ROUNDED = frozenset({"rounding_chain", "propagated", "last_digit"})
"""What a page is told that goes on with printed figures on purpose."""


def holds(page: OwnPage) -> None:
    found = seen(page)
    allowed = ROUNDED if page.label.endswith(" rounded") else frozenset()
    assert {each.kind for each in found.checked.findings} <= allowed, "\n".join([str(found), *alarms(found, 5)])
    assert found.coverage >= FOLLOWED, "\n".join([str(found), *reasons(found, 5)])


@pytest.mark.sampled(3)
@pytest.mark.parametrize("topic", FEW)
def test_a_lesson_is_found_right(topic: str) -> None:
    for page in pages((topic,)):
        if page.name.endswith(".md"):
            holds(page)


NAMES = (*builtin_names(), *(topic.name for topic in topics() if topic.name not in FORMS))


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_every_own_page_is_found_right(name: str) -> None:
    for page in pages((name,)):
        holds(page)
