"""What the mistakes of the bank make of an exercise: every answer that one leads to, worked out on its numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from flint import arb, arb_mat

from symattn.derivation import Plan
from symattn.errors import DomainError, NoValueError, UndecidedError
from symattn.exercise.enclosures import true_values
from symattn.exercise.mistakes.bank import BANK
from symattn.exercise.mistakes.model import Change, Mistake
from symattn.exercise.model import Exercise, Rows, Wrong
from symattn.exercise.subject import BITS, Ask, Worked
from symattn.exercise.topics.registry import TOPICS
from symattn.values.number import at_precision
from symattn.values.rounding import read_figure


def about(exercise: Exercise) -> str:
    """The topic whose mistakes belong to an exercise; nothing for one about a scenario, to which all may belong."""
    name = exercise.of or exercise.topic
    return name if any(topic.name == name for topic in TOPICS) else ""


def changes(right: Worked, asks: Sequence[Ask], topic: str = "") -> Iterator[tuple[Mistake, Change]]:
    """Every place at which a mistake of the bank can be made so that one of the names that are asked rests on it.

    With a ``topic`` only its own mistakes are made.
    """
    behind = _behind(right, asks)
    kinds = {ask.kind for ask in asks}
    for mistake in BANK:
        if kinds.intersection(mistake.kinds) and (not topic or topic in mistake.topics):
            yield from ((mistake, change) for change in mistake.rewrite(right.subject) if change.step in behind)


def wrongs(
    right: Worked, asks: Sequence[Ask], key: Mapping[str, Rows], topic: str = ""
) -> tuple[tuple[Wrong, ...], str]:
    """The answers of all mistakes, and the name of one that gives the right answer by accident, if there is one.

    A mistake that cannot be made with these numbers, such as shares of a row that sums to 0, is left out.
    """
    found: list[Wrong] = []
    accident = ""
    accepted = accepted_values(right, asks)
    for mistake, change in changes(right, asks, topic):
        try:
            made = right.made(change)
            figures = {
                ask.name: made.figures(ask) if ask.name in made.touched else key[ask.name]
                for ask in asks
                if made.has(ask.name)
            }
        except (DomainError, NoValueError, UndecidedError, ZeroDivisionError):
            continue
        if made.touched.isdisjoint(figures):
            continue  # what it spoils is not asked, or can no longer be worked out
        if all(_is_accepted(rows, key[name], accepted.get(name)) for name, rows in figures.items()):
            if change.rounded_to is None and not mistake.subtle:
                accident = accident or mistake.name
            continue
        found.append(Wrong(mistake.name, change.step, figures))
    return tuple(found), accident


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


def _is_accepted(rows: Rows, key: Rows, accepted: arb_mat | None) -> bool:
    """Whether somebody's figures would be called right."""
    if (len(rows), len(rows[0])) != (len(key), len(key[0])):
        return False
    if same(rows, key):
        return True
    if accepted is None:
        return False
    return all(
        text == other or _holds(x, text)
        for x, text, other in zip(accepted.entries(), _cells(rows), _cells(key), strict=True)
    )


def same(rows: Rows, other: Rows) -> bool:
    """Whether two grids of figures are the same numbers, however many decimals they show.

    >>> same((("0.50",),), (("0.5",),)), same((("1", "2"),), (("1",), ("2",)))
    (True, False)
    """
    if (len(rows), len(rows[0])) != (len(other), len(other[0])):
        return False
    return all(_number(a) == _number(b) for a, b in zip(_cells(rows), _cells(other), strict=True))


def _cells(rows: Rows) -> list[str]:
    return [text for row in rows for text in row]


def _number(text: str) -> object:
    read = read_figure(text)
    return text if read is None else read[0]


def _holds(x: arb, text: str) -> bool:
    read = read_figure(text)
    return read is not None and x.contains(arb(read[0]))


def _behind(right: Worked, asks: Sequence[Ask]) -> frozenset[str]:
    """The names that are asked, and everything they rest on."""
    wanted = {ask.name for ask in asks}
    for quantity in reversed(list(right.scenario.quantities.values())):
        if quantity.name in wanted:
            letters = quantity.value.free_symbols
            wanted.update(name for name, other in right.scenario.quantities.items() if other.symbol in letters)
    return frozenset(wanted | _steps_behind(right.plan, wanted))


def _steps_behind(plan: Plan, names: set[str]) -> set[str]:
    wanted = set(names)
    for step in reversed(plan.steps):
        if step.name in wanted:
            wanted.update(step.uses)
    return wanted
