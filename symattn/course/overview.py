"""Lists of the topics, with their families, and of the bank of mistakes.

>>> topics_text("en", mistakes=False).splitlines()[0].split(maxsplit=2)
['shape-of-product', 'attention', 'The shape of a product']
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from symattn.base.words import language_named
from symattn.claims.mistakes.model import mistake_text as said_of
from symattn.course.forms import TaskForm, every_topic
from symattn.course.topics import model
from symattn.course.topics.model import Topic, topic_texts
from symattn.write.escape import markdown, markdown_cell

_AROUND = "{title}"
"""The place of the topic's title in the title of a form."""

_HEADS = ("topic", "family", "asks for"), ("mistake", "what is said", "topics")


def title_of(topic: Topic | TaskForm, language: str) -> str:
    """Return the title of a topic; for a form, without the title of its topic.

    >>> from symattn.course.forms import form_named
    >>> title_of(form_named("fading"), "en")
    'Less and less shown'
    """
    language = language_named(language)
    titles = topic_texts(topic.name, "title")
    # A topic of another package may not have words in every language.
    return titles.get(language, next(iter(titles.values()))).replace(_AROUND, "").strip(" :：")


def topics_text(language: str, mistakes: bool) -> str:
    """Return a line for each topic with its family and title; with ``mistakes``, also lines for its mistakes."""
    topics = every_topic()
    names, families = (max(len(getattr(topic, key)) for topic in topics) + 2 for key in ("name", "family"))
    lines: list[str] = []
    for topic in topics:
        lines.append(f"{topic.name:<{names}}{topic.family:<{families}}{title_of(topic, language)}")
        if mistakes:
            lines.extend(f"    {name}: {said_of(name, 'title', language)}" for name in mistakes_of(topic))
    return "\n".join(lines) + "\n"


def mistakes_of(topic: Topic | TaskForm) -> tuple[str, ...]:
    """Return the mistakes of a topic; a form has those of the topic it is applied to.

    >>> from symattn.course.topics.model import topic_named
    >>> "scale-forgotten" in mistakes_of(topic_named("attention-row"))
    True
    """
    if isinstance(topic, TaskForm):
        return ()
    return tuple(one.name for one in model.mistakes() if topic.name in one.topics)


def tables(language: str) -> str:
    """Return topics and mistakes as two Markdown tables."""
    return f"{topics_table(language)}\n{mistakes_table(language)}"


def topics_table(language: str) -> str:
    """Return the topics as a Markdown table."""
    return _table(_HEADS[0], ((f"`{one.name}`", one.family, _safe(title_of(one, language))) for one in every_topic()))


def mistakes_table(language: str) -> str:
    """Return the bank of mistakes as a Markdown table: the feedback of each, and its topics."""
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
