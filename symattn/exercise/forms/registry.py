"""Every form, and all topics together with them."""

from __future__ import annotations

from symattn.errors import UnknownNameError, unknown
from symattn.exercise.forms.blanks import with_blanks
from symattn.exercise.forms.fading import faded, task_of
from symattn.exercise.forms.model import TaskForm
from symattn.exercise.forms.order import disordered
from symattn.exercise.forms.wrong_entry import with_wrong_entry
from symattn.exercise.topics.model import Topic
from symattn.exercise.topics.registry import topics

FORMS: tuple[TaskForm, ...] = (
    TaskForm("find-the-wrong-entry", "attention-row", 1, with_wrong_entry),
    TaskForm("order-the-steps", "attention-head", 3, disordered, mistakes=False),
    TaskForm("fill-in-the-blanks", "attention-head", 1, with_blanks, chosen=True),
    TaskForm("fading", "attention-row", 2, faded, task=task_of),
)


def every_topic() -> tuple[Topic | TaskForm, ...]:
    """The topics and then the forms, in the order in which they are listed; each has a name and a family."""
    return (*topics(), *FORMS)


def form_named(name: str) -> TaskForm | None:
    """The form of that name; ``None`` where the name is that of a topic.

    >>> form_named("fading").family, form_named("softmax-row")
    ('forms', None)
    >>> form_named("fadding")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    symattn.errors.UnknownNameError: unknown topic 'fadding': did you mean 'fading'? ...
    """
    found = next((entry for entry in every_topic() if entry.name == name), None)
    if found is None:
        raise UnknownNameError(
            unknown("topic", name, (entry.name for entry in every_topic()), "symattn exercise --list")
        )
    return found if isinstance(found, TaskForm) else None
