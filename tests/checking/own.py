"""Pages that symattn writes: the ones that it keeps, and all that it can write of its scenarios and exercises.

Nothing is wrong in them, but pages that go on with rounded figures on purpose are told so.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path

from symattn import builtin_names
from symattn.api.worked import WorkedSolution, derive
from symattn.course import generate
from symattn.course.topics.model import topics
from symattn.read.scenario.load import loads
from tests.checking.scoring import Case

OUTPUT = Path(__file__).resolve().parents[2] / "output"
ENDINGS = {"markdown": "md", "latex": "tex", "html": "html", "ipynb": "ipynb", "beamer": "tex"}
LANGUAGES = ("en", "zh-Hant", "zh-Hans")
ABOUT_MISTAKES = ("find-the-wrong-entry", "order-the-steps", "fill-in-the-blanks", "fading")
"""Topics that ask about others; some of their pages print wrong figures on purpose."""

ROUNDED = frozenset({"rounding_chain", "propagated", "last_digit"})
"""What a page is told that goes on with printed figures."""


def kept(is_quick: bool = False) -> Iterator[Case]:
    """Read the pages in ``output``, the English ones where it is to be quick."""
    for path in sorted(OUTPUT.glob("*.en.md" if is_quick else "*.md")):
        part = "on mistakes" if any(topic in path.name for topic in ABOUT_MISTAKES) else "lessons"
        text = path.read_text(encoding="utf-8")
        yield Case((path.name,), text, path.name, right_text=text, part=part)


Choices = dict[str, object]

OF_SCENARIOS: tuple[tuple[str, Choices], ...] = (
    *((form, {"language": language}) for language in LANGUAGES for form in ENDINGS),
    *(("markdown", {"language": "en", "detail": detail}) for detail in ("result", "steps", "entries")),
    ("markdown", {"language": "en", "math": "brackets"}),
    ("latex", {"language": "en", "fragment": True}),
    ("markdown", {"language": "en", "code": "numpy"}),
    ("rounded", {"language": "en"}),
)
OF_TOPICS: tuple[tuple[str, Choices], ...] = (
    *(("markdown", {"language": language}) for language in LANGUAGES),
    ("latex", {"language": "en"}),
    ("markdown", {"language": "en", "detail": "entries"}),
)

NAMES = (*builtin_names(), *(topic.name for topic in topics() if topic.name not in ABOUT_MISTAKES))


@cache
def _solved(name: str, carry: str = "exact") -> WorkedSolution:
    if name in builtin_names():
        return derive(name, carry=carry)  # type: ignore[arg-type]
    (exercise,) = generate(name, difficulty=2, seed=5, count=1)
    return derive(loads(exercise.source))


def rendered(is_quick: bool = False, names: tuple[str, ...] = NAMES, forms: tuple[str, ...] = ()) -> Iterator[Case]:
    """Write all pages of these scenarios and topics, or those in some forms."""
    for name in names[:: 10 if is_quick else 1]:
        for form, choices in OF_SCENARIOS if name in builtin_names() else OF_TOPICS:
            is_rounded = form == "rounded"
            if (forms and form not in forms) or (is_rounded and name in ("ironman", "journey")):
                continue  # a mask of −∞ leaves no rounded figures to carry on with
            form = "markdown" if is_rounded else form
            text = str(_solved(name, "rounded" if is_rounded else "exact").render(form, **choices))  # type: ignore[arg-type]
            about = " ".join([form, *map(str, choices.values()), *(["rounded"] if is_rounded else [])])
            allowed = ((0, len(text)),) if is_rounded else ()
            yield Case((name, about), text, f"page.{ENDINGS[form]}", allowed=allowed, allowed_kinds=ROUNDED)
