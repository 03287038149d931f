"""What the mistakes of the bank make of an exercise: every answer that one leads to, worked out on its numbers."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain

from flint import arb, arb_mat

from symattn.base.errors import DomainError, NoValueError, UndecidedError
from symattn.claims.mistakes.model import Altered, Mistake, altered
from symattn.claims.mistakes.subject import Subject
from symattn.compute.values.balls import at_precision
from symattn.course.enclosures import true_values
from symattn.course.model import Exercise, Printed, Wrong, number_of, same, shape_of
from symattn.course.topics.model import mistakes, topics
from symattn.course.worked import BITS, KEPT, Ask, Worked


def about(exercise: Exercise) -> str:
    """The topic whose mistakes belong to an exercise; nothing for one about a scenario, to which all may belong."""
    name = exercise.of or exercise.topic
    return name if any(topic.name == name for topic in topics()) else ""


@dataclass(frozen=True)
class _Form:
    """Formulas without numbers: variants that have the same share what mistakes make of them."""

    formulas: tuple[object, ...]
    asks: tuple[Ask, ...]
    topic: str
    subject: Subject = field(compare=False)


def changes(right: Worked, asks: Sequence[Ask], topic: str = "") -> tuple[tuple[Mistake, Altered], ...]:
    """Every place at which a mistake of the bank can be made so that one of the names that are asked rests on it.

    With a ``topic`` only its own mistakes are made.
    """
    steps = tuple((step.name, step.shape.sizes, step.formula, step.general) for step in right.plan.steps)
    sizes = tuple(sorted(right.plan.sizes.items(), key=str))
    counts = tuple((name, quantity.value) for name, quantity in right.scenario.quantities.items())
    return _changes(_Form((steps, sizes, counts), tuple(asks), topic, right.subject))


@lru_cache(maxsize=KEPT)
def _changes(form: _Form) -> tuple[tuple[Mistake, Altered], ...]:
    wanted = _behind(form.subject, form.asks)
    kinds = {ask.kind for ask in form.asks}
    return tuple(
        (mistake, altered(form.subject, change))
        for mistake in mistakes()
        if kinds.intersection(mistake.kinds) and (not form.topic or form.topic in mistake.topics)
        for change in mistake.rewrite(form.subject)
        if change.step in wanted
    )


def wrongs(
    right: Worked,
    asks: Sequence[Ask],
    key: Mapping[str, Printed],
    topic: str = "",
    allowed: Collection[str] | None = (),
) -> tuple[tuple[Wrong, ...], tuple[str, ...]]:
    """The answers of all mistakes, and those mistakes that give the right answer by accident.

    It ends with the first of these that is not ``allowed``; with ``None`` all are. A mistake that cannot be made with
    these numbers, such as shares of a row that sums to 0, is left out.
    """
    found: list[Wrong] = []
    accidents: list[str] = []
    accepted = accepted_values(right, asks)
    for mistake, change in changes(right, asks, topic):
        figures = _figures(right.made(change), asks, key)
        if change.touched.isdisjoint(figures):
            continue  # what it spoils is not asked, or cannot be worked out
        if all(_is_accepted(rows, key[name], accepted.get(name)) for name, rows in figures.items()):
            if change.change.rounded_to is None and not mistake.subtle:
                accidents.append(mistake.name)
                if allowed is not None and mistake.name not in allowed:
                    break
            continue
        found.append(Wrong(mistake.name, change.change.step, figures))
    return tuple(found), tuple(accidents)


def _figures(made: Worked, asks: Sequence[Ask], key: Mapping[str, Printed]) -> dict[str, Printed]:
    """What a mistake gives for each name that is asked; nothing where it cannot be made."""
    try:
        return {
            ask.name: made.figures(ask) if ask.name in made.touched else key[ask.name]
            for ask in asks
            if made.has(ask.name)
        }
    except (DomainError, NoValueError, UndecidedError, ZeroDivisionError):
        return {}


def accepted_values(right: Worked, asks: Sequence[Ask]) -> dict[str, arb_mat]:
    """Where figures may lie that are called right: within half a unit of what comes out with rounding on the way."""
    with at_precision(BITS):
        return {
            ask.name: _widened(value, ask.decimals)
            for ask in asks
            if (value := true_values(right, (ask,)).get(ask.name)) is not None
        }


def _widened(value: arb_mat, decimals: int) -> arb_mat:
    half = arb(0, arb(10) ** -decimals / 2)
    return arb_mat(value.nrows(), value.ncols(), [x + half for x in value.entries()])


def _is_accepted(rows: Printed, key: Printed, accepted: arb_mat | None) -> bool:
    """Whether somebody's figures would be called right."""
    if shape_of(rows) != shape_of(key) or accepted is None:
        return same(rows, key)
    cells = zip(accepted.entries(), chain(*rows), chain(*key), strict=True)
    return all(number_of(text) == number_of(other) or _holds(x, text) for x, text, other in cells)


def _holds(x: arb, text: str) -> bool:
    number = number_of(text)
    return not isinstance(number, str) and x.contains(arb(number))


def _behind(subject: Subject, asks: Sequence[Ask]) -> frozenset[str]:
    """The names that are asked, and everything they rest on."""
    wanted = {ask.name for ask in asks}
    for quantity in reversed(list(subject.quantities.values())):
        if quantity.name in wanted:
            letters = quantity.value.free_symbols
            wanted.update(name for name, other in subject.quantities.items() if other.symbol in letters)
    return frozenset(wanted.union(subject.plan.behind(wanted)))
