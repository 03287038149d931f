"""What a form is: a function that makes another exercise of a plain one that asks for every step of its derivation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from random import Random

from symattn.errors import ScenarioError
from symattn.exercise.figures import alike, shape_of
from symattn.exercise.model import Exercise, Part, Printed, Wrong
from symattn.words import Texts, texts

FAMILY = "forms"


def _usual(steps: int, version: int) -> str:
    return "task"


@dataclass(frozen=True)
class TaskForm:
    """A way to ask about another topic.

    ``make`` gets a plain exercise and the generator of the variant, and gives the exercise or, as the name of a reason,
    why these numbers do not do. ``of`` is the topic that is meant where none is named, ``least`` how many steps it
    needs. ``task`` is the key of the words for a number of steps and of a version. ``chosen``: it stays with the names
    that somebody asks for, and does not ask for what they rest on. Without ``mistakes`` no figures are asked for.
    """

    name: str
    of: str
    least: int
    make: Callable[[Exercise, Random], Exercise | str]
    task: Callable[[int, int], str] = _usual
    chosen: bool = False
    mistakes: bool = True
    family: str = FAMILY

    def words(self, title: Texts, task: Texts, steps: int, version: int) -> tuple[Texts, Texts]:
        """Title and task, around those of the topic that it stands on."""
        frames = texts("topics", self.name, "title"), texts("topics", self.name, self.task(steps, version))
        titles = {language: frames[0][language].replace("{title}", title[language]) for language in title}
        tasks = {language: frames[1][language].replace("{task}", task[language]) for language in task}
        return titles, tasks

    def made(self, plain: Exercise, random: Random) -> Exercise | str:
        """The exercise, or why the numbers of the plain one do not do.

        Raises :class:`~symattn.errors.ScenarioError` where no numbers would do, because there are too few steps.
        """
        steps = [part for part in plain.parts if part.kind == "matrix"]
        if len(steps) < self.least or len(steps) < len(plain.parts):
            wanted = "1 step that is a matrix" if self.least == 1 else f"{self.least} steps that are matrices"
            raise ScenarioError(
                f"{self.name} needs at least {wanted}, and {plain.of} has {len(steps)} at difficulty "
                f"{plain.difficulty}: let it stand on another topic, such as {self.of}"
            )
        made = self.make(plain, random)
        return made if isinstance(made, str) else replace(made, topic=self.name)


def wrongs_of(plain: Exercise, parts: Sequence[Part], steps: Sequence[str]) -> tuple[Wrong, ...]:
    """The mistakes that can be made in ``steps`` and are seen in the cells that ``parts`` ask for."""
    found = []
    for wrong in plain.wrong:
        figures = {part.name: wrong.figures[part.name] for part in parts if _can_be(wrong, part)}
        if wrong.step in steps and any(_is_seen(figures[part.name], part) for part in parts if part.name in figures):
            found.append(Wrong(wrong.mistake, wrong.step, figures))
    return tuple(found)


def _can_be(wrong: Wrong, part: Part) -> bool:
    """Whether the figures of a mistake can be written into a part: one that prints some cells has its shape."""
    figures = wrong.figures.get(part.name)
    if figures is None:
        return False
    return shape_of(figures) == part.shape or len(part.asked) == part.shape[0] * part.shape[1]


def _is_seen(figures: Printed, part: Part) -> bool:
    return shape_of(figures) != part.shape or any(not alike(figures, part.key, place) for place in part.asked)
