"""What there is to ask about, as lists: topics with their families, and the bank of mistakes.

>>> topics_text("en", mistakes=False).splitlines()[0].split(maxsplit=2)
['shape-of-product', 'attention', 'The shape of a product']
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from symattn.base.words import language_named
from symattn.claims.mistakes.model import said as said_of
from symattn.course.forms import TaskForm, every_topic
from symattn.course.topics import model
from symattn.course.topics.model import Topic, said
from symattn.write.escape import markdown, markdown_cell

_AROUND = "{title}"
"""Where the title of a form has that of the topic that it stands on."""

_HEADS = ("topic", "family", "asks for"), ("mistake", "what is said", "topics")


def title_of(topic: Topic | TaskForm, language: str) -> str:
    """The title of a topic; of a form without that of the topic it stands on.

    >>> from symattn.course.forms import form_named
    >>> title_of(form_named("fading"), "en")
    'Less and less shown'
    """
    language = language_named(language)
    titles = said(topic.name, "title")
    # Somebody else's topic may not have words in every language.
    return titles.get(language, next(iter(titles.values()))).replace(_AROUND, "").strip(" :：")


def topics_text(language: str, mistakes: bool) -> str:
    """A line for each topic with its family and title; with ``mistakes`` also those of the bank that belong to it."""
    topics = every_topic()
    names, families = (max(len(getattr(topic, key)) for topic in topics) + 2 for key in ("name", "family"))
    lines: list[str] = []
    for topic in topics:
        lines.append(f"{topic.name:<{names}}{topic.family:<{families}}{title_of(topic, language)}")
        if mistakes:
            lines.extend(f"    {name}: {said_of(name, 'title', language)}" for name in mistakes_of(topic))
    return "\n".join(lines) + "\n"


def mistakes_of(topic: Topic | TaskForm) -> tuple[str, ...]:
    """The mistakes that belong to a topic; a form has those of the topic it stands on.

    >>> from symattn.course.topics.model import topic_named
    >>> "scale-forgotten" in mistakes_of(topic_named("attention-row"))
    True
    """
    if isinstance(topic, TaskForm):
        return ()
    return tuple(one.name for one in model.mistakes() if topic.name in one.topics)


def tables(language: str) -> str:
    """Topics and mistakes as two tables of Markdown."""
    return f"{topics_table(language)}\n{mistakes_table(language)}"


def topics_table(language: str) -> str:
    """The topics as a table of Markdown."""
    return _table(_HEADS[0], ((f"`{one.name}`", one.family, _safe(title_of(one, language))) for one in every_topic()))


def mistakes_table(language: str) -> str:
    """The bank of mistakes as a table of Markdown: what is said of each, and the topics it belongs to."""
    rows = (
        (f"`{one.name}`", _safe(said_of(one.name, "feedback", language)), _names(one.topics))
        for one in model.mistakes()
    )
    return _table(_HEADS[1], rows)


def _names(topics: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in dict.fromkeys(topics))


def _safe(text: str) -> str:
    return markdown_cell(markdown(text))


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)
