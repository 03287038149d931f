"""Forms of exercises: other ways to ask about a topic, such as steps to put in order or blanks to fill in."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil
from random import Random
from types import MappingProxyType

from flint import fmpq

from symattn.base.errors import ScenarioError, UnknownNameError, unknown
from symattn.base.printed import Printed, alike, decimal_text, read_figure, scale_of, shape_of
from symattn.base.words import Texts, texts
from symattn.claims.by_hand import BITS, Enclosures
from symattn.claims.judge import agrees
from symattn.claims.worked import Ask
from symattn.compute.values.balls import at_precision
from symattn.course.model import Exercise, Part, Place, Planted, Wrong, worked
from symattn.course.numbers import pick, shuffled
from symattn.course.topics.model import Topic, topics
from symattn.read.plan import Plan

FAMILY = "forms"


def _usual(steps: int, version: int) -> str:
    return "task"


@dataclass(frozen=True)
class TaskForm:
    """A way to ask about another topic.

    ``make`` gets a plain exercise and the generator of the variant, and returns the exercise or, as the name of a
    reason, why these numbers do not work. ``of`` is the default topic, ``least`` how many steps it needs. ``task``
    gives the key of the words for a number of steps and a version. ``chosen``: the form keeps to the names that the
    user asks for, and does not ask for what they depend on. Without ``mistakes``, the answers of mistakes are not
    computed.
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
        """Return title and task, around those of the topic that the form is applied to."""
        frames = texts("topics", self.name, "title"), texts("topics", self.name, self.task(steps, version))
        titles = {language: frames[0][language].replace("{title}", title[language]) for language in title}
        tasks = {language: frames[1][language].replace("{task}", task[language]) for language in task}
        return titles, tasks

    def made(self, plain: Exercise, random: Random) -> Exercise | str:
        """Return the exercise, or why the numbers of the plain one do not work.

        Raises :class:`~symattn.base.errors.ScenarioError` if no numbers would work, because there are too few steps.
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
    """Return the mistakes that can be made in ``steps`` and that show in the cells that ``parts`` ask for."""
    found = []
    for wrong in plain.wrong:
        figures = {part.name: wrong.figures[part.name] for part in parts if _can_be(wrong, part)}
        if wrong.step in steps and any(_is_seen(figures[part.name], part) for part in parts if part.name in figures):
            found.append(Wrong(wrong.mistake, wrong.step, figures))
    return tuple(found)


def _can_be(wrong: Wrong, part: Part) -> bool:
    """Return whether a part has room for the figures of a mistake: a part with printed cells fixes the shape."""
    figures = wrong.figures.get(part.name)
    if figures is None:
        return False
    return shape_of(figures) == part.shape or len(part.asked) == part.shape[0] * part.shape[1]


def _is_seen(figures: Printed, part: Part) -> bool:
    return shape_of(figures) != part.shape or any(not alike(figures, part.key, place) for place in part.asked)


SHARES: Mapping[int, Fraction] = MappingProxyType({level: Fraction(level + 1, 10) for level in (1, 2, 3, 4, 5)})
"""The share of all cells that are empty: a fifth on the first level, three fifths on the last."""


def with_blanks(plain: Exercise, random: Random) -> Exercise | str:
    """Return the exercise with blanks in as many matrices as possible; some cells of each stay filled."""
    blanks = _drawn(plain.parts, plain.difficulty, random)
    parts = tuple(
        replace(part, asked=tuple(place for place in part.asked if (part.name, place) in blanks))
        for part in plain.parts
        if any((part.name, place) in blanks for place in part.asked)
    )
    steps = [step.name for step in worked(plain).plan.steps if step.formula is not None]
    asked = [part.name for part in parts]
    shown = tuple(name for name in steps if name not in asked)
    wrong = wrongs_of(plain, parts, steps)
    return replace(plain, form="blanks", parts=parts, shown=shown, wrong=wrong, cost=plain.cost + len(blanks))


def _drawn(parts: tuple[Part, ...], level: int, random: Random) -> frozenset[tuple[str, Place]]:
    """Draw the places of the blanks."""
    cells = shuffled([(part.name, place) for part in parts for place in part.asked], random)
    # A matrix of one cell may be empty; any other keeps a cell to look at.
    room = {part.name: max(1, len(part.asked) - 1) for part in parts}
    count = min(ceil(SHARES[level] * len(cells)), sum(room.values()))
    first = {name: (name, place) for name, place in reversed(cells)}
    chosen = dict.fromkeys(first[name] for name in shuffled([part.name for part in parts], random)[:count])
    for name, place in cells:
        if len(chosen) == count:
            break
        if sum(other == name for other, _ in chosen) < room[name]:
            chosen[name, place] = None
    return frozenset(chosen)


def stage_of(version: int, steps: int) -> int:
    """Return how many of the last steps a version leaves to do.

    >>> [stage_of(version, 3) for version in range(1, 7)]
    [0, 1, 2, 3, 0, 1]
    """
    return (version - 1) % (steps + 1)


def task_of(steps: int, version: int) -> str:
    """Return the key of the words for a version: everything shown, some of it, or nothing."""
    stage = stage_of(version, steps)
    return "task_all_shown" if stage == 0 else "task" if stage < steps else "task_alone"


def faded(plain: Exercise, random: Random) -> Exercise | str:
    """Return the exercise at the stage of its version."""
    names = tuple(part.name for part in plain.parts)
    stage = stage_of(plain.version, len(names))
    kept = len(names) - stage
    parts = plain.parts[kept:]
    # Every stage costs as much as the whole derivation: the shown steps must be followed.
    return replace(
        plain,
        form="fading",
        parts=parts,
        shown=names[:kept],
        stage=stage,
        wrong=wrongs_of(plain, parts, names[kept:]),
        cost=plain.cost + len(names),
    )


ORDER = "order"
"""The name of the part that asks for an order."""

TRIES = 100


def disordered(plain: Exercise, random: Random) -> Exercise | str:
    """Return the exercise with its steps in a wrong order."""
    plan, names = worked(plain).plan, tuple(part.name for part in plain.parts)
    drawn = (shuffled(names, random) for _ in range(TRIES))
    order = next((order for order in drawn if not is_order(plan, order)), None)
    if order is None:
        return "steps that are in no wrong order"
    key = tuple(str(order.index(name) + 1) for name in names)
    part = Part(ORDER, "order", 0, (key,), tuple((0, j) for j in range(len(key))), len(key))
    return replace(plain, form="order", parts=(part,), wrong=(), order=order, cost=plain.cost + len(names))


def is_order(plan: Plan, names: Sequence[str]) -> bool:
    """Return whether every step in a list comes after those of the list that it depends on.

    >>> from symattn.base.shapes import shape
    >>> plan = Plan().given("X", shape(2, 2)).step("S", "X @ X.T").step("A", "softmax(S)").step("N", "-X")
    >>> is_order(plan, ("S", "N", "A")), is_order(plan, ("A", "S", "N"))
    (True, False)
    """
    return all(used in names[:place] for place, name in enumerate(names) for used in plan[name].uses if used in names)


PLACE, VALUE = "place", "value"
"""The names of the parts: the place of the wrong entry, and its right value."""

CLEARLY = Fraction(1, 20)
"""A wrong entry is off by at least this share of the largest one in its matrix."""

UNITS = 10
"""A wrong entry is off by at least so many units of its last decimal."""


def with_wrong_entry(plain: Exercise, random: Random) -> Exercise | str:
    """Return the exercise with one wrong entry in its solution, drawn from the results of the bank's mistakes.

    Raises :class:`~symattn.base.errors.ScenarioError` if no step has two entries.
    """
    if all(len(part.asked) < 2 for part in plain.parts):
        raise ScenarioError(
            f"find-the-wrong-entry needs a step with at least 2 entries, and {plain.of} has none at difficulty "
            f"{plain.difficulty}: let it stand on another topic, such as attention-row"
        )
    asks = [Ask(part.name, part.kind, part.decimals) for part in plain.parts]
    values = worked(plain).right_values(asks)
    found = [(wrong, places) for wrong in plain.wrong if (places := tuple(_places(plain, wrong, values)))]
    if not found:
        return "no entry that a mistake makes clearly wrong"
    wrong, places = pick(found, random)
    planted = Planted(wrong.step, *pick(places, random), wrong.mistake)
    return _asking_for(plain, planted, values)


def _asking_for(plain: Exercise, planted: Planted, values: Enclosures) -> Exercise:
    part, at = plain.part(planted.step), (planted.row, planted.column)
    number = [part.name for part in plain.parts].index(planted.step) + 1
    where = (str(number), str(planted.row + 1), str(planted.column + 1))
    place = Part(PLACE, "place", 0, (where,), tuple((0, j) for j in range(len(where))))
    value = Part(VALUE, "matrix", part.decimals, ((part.key[at[0]][at[1]],),), ((0, 0),))
    wrong = tuple(
        Wrong(other.mistake, other.step, {PLACE: place.key, VALUE: ((other.figures[part.name][at[0]][at[1]],),)})
        for other in plain.wrong
        if other.step == planted.step and _is_wrong_at(part, other, at, values)
    )
    cells = sum(len(other.asked) for other in plain.parts)
    return replace(
        plain, form="wrong-entry", parts=(place, value), planted=planted, wrong=wrong, cost=plain.cost + cells
    )


def _places(plain: Exercise, wrong: Wrong, values: Enclosures) -> Iterator[tuple[int, int, str]]:
    """Yield row, column and figure where a mistake gives an entry that is clearly wrong but looks like the others."""
    part = next((part for part in plain.parts if part.name == wrong.step), None)
    if part is None or len(part.asked) < 2:
        return
    for i, j in part.asked:
        if _is_wrong_at(part, wrong, (i, j), values):
            figure = _as_printed(wrong.figures[part.name][i][j], part, (i, j))
            if figure is not None and _is_clear(figure, part.key, (i, j)):
                yield i, j, figure


def _is_wrong_at(part: Part, wrong: Wrong, at: Place, values: Enclosures) -> bool:
    """Return whether the figure of a mistake at one place would be marked wrong."""
    figures = wrong.figures.get(part.name)
    if figures is None or shape_of(figures) != part.shape or alike(figures, part.key, at):
        return False
    read = read_figure(figures[at[0]][at[1]])
    if read is None or part.name not in values:
        return True
    with at_precision(BITS):
        return not agrees(values[part.name][at], read[0], scale_of(part.decimals))


def _as_printed(text: str, part: Part, at: Place) -> str | None:
    """Return a figure with as many decimals as the one in its place; ``None`` if it has more and would stand out."""
    read, right = read_figure(text), read_figure(part.key[at[0]][at[1]])
    if read is None:
        return text
    places = right[1] if right is not None else max(other[1] for other in _numbers(part.key))
    scaled = read[0] * fmpq(10) ** places
    return decimal_text(int(scaled.p), places) if scaled.q == 1 else None


def _is_clear(figure: str, key: Printed, at: Place) -> bool:
    """Return whether a figure is far from the one in its place."""
    read, right = read_figure(figure), read_figure(key[at[0]][at[1]])
    if read is None or right is None:
        return True
    off = abs(read[0] - right[0])
    largest = max(abs(number) for number, _ in _numbers(key))
    share = fmpq(CLEARLY.numerator, CLEARLY.denominator)
    return bool(off >= share * largest and off >= fmpq(UNITS) / fmpq(10) ** right[1])


def _numbers(rows: Printed) -> list[tuple[fmpq, int]]:
    return [read for row in rows for text in row if (read := read_figure(text)) is not None] or [(fmpq(0), 0)]


FORMS: tuple[TaskForm, ...] = (
    TaskForm("find-the-wrong-entry", "attention-row", 1, with_wrong_entry),
    TaskForm("order-the-steps", "attention-head", 3, disordered, mistakes=False),
    TaskForm("fill-in-the-blanks", "attention-head", 1, with_blanks, chosen=True),
    TaskForm("fading", "attention-row", 2, faded, task=task_of),
)


def every_topic() -> tuple[Topic | TaskForm, ...]:
    """Return the topics and then the forms, in listed order; each has a name and a family."""
    return (*topics(), *FORMS)


def form_named(name: str) -> TaskForm | None:
    """Return the form with that name; ``None`` if the name is that of a topic.

    >>> form_named("fading").family, form_named("softmax-row")
    ('forms', None)
    >>> form_named("fadding")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    symattn.base.errors.UnknownNameError: unknown topic 'fadding': did you mean 'fading'? ...
    """
    found = next((entry for entry in every_topic() if entry.name == name), None)
    if found is None:
        raise UnknownNameError(
            unknown("topic", name, (entry.name for entry in every_topic()), "symattn exercise --list")
        )
    return found if isinstance(found, TaskForm) else None
