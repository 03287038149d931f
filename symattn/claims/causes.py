"""Find the mistake of the bank that explains wrong figures: try every mistake in every place, and compare."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from flint import arb, fmpq

from symattn.base.errors import SymattnError
from symattn.base.printed import read_printed, scale_of
from symattn.claims.by_hand import BITS
from symattn.claims.judge import agrees, figure_number
from symattn.claims.mistakes.model import Altered, Mistake, altered, bank, mistake_text
from symattn.claims.mistakes.subject import Subject
from symattn.claims.source import unexplained
from symattn.claims.worked import KEPT, Ask, Worked, by_ours
from symattn.compute.solution.store import Store
from symattn.compute.values.balls import at_precision
from symattn.read.scenario.model import Scenario


@dataclass(frozen=True)
class _Form:
    """Formulas without numbers, the key of a cache: variants with the same formulas share the results of mistakes."""

    formulas: tuple[object, ...]
    asks: tuple[Ask, ...]
    topic: str
    subject: Subject = field(compare=False)


def changes(right: Worked, asks: Sequence[Ask], topic: str = "") -> tuple[tuple[Mistake, Altered], ...]:
    """Return every place at which a mistake of the bank changes one of the requested names.

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
        for mistake in bank()
        if kinds.intersection(mistake.kinds) and (not form.topic or form.topic in mistake.topics)
        for change in mistake.rewrite(form.subject)
        if change.step in wanted
    )


def _behind(subject: Subject, asks: Sequence[Ask]) -> frozenset[str]:
    """Return the requested names and everything they depend on."""
    wanted = {ask.name for ask in asks}
    for quantity in reversed(list(subject.quantities.values())):
        if quantity.name in wanted:
            letters = quantity.value.free_symbols
            wanted.update(name for name, other in subject.quantities.items() if other.symbol in letters)
    return frozenset(wanted.union(subject.plan.behind(wanted)))


# -- figures of a source ----------------------------------------------------------------------------------------------


def mistaken(scenario: Scenario, solution: Store) -> dict[str, str]:
    """Return the mistake that gives all printed figures of a name, for every name without a reason that has one.

    One mistake spoils everything that depends on it: of several, the one that explains most names comes first.
    """
    figures = {name: _figures(scenario, name) for name in unexplained(scenario, solution)}
    asks = tuple(Ask(name, decimals=max(places for _, places in read)) for name, read in figures.items() if read)
    if not asks:
        return {}
    right, found = by_ours(scenario), dict[str, set[str]]()
    for mistake, change in changes(right, asks):
        made = right.made(change)
        found.setdefault(mistake.name, set()).update(ask.name for ask in asks if _gives(made, ask, figures[ask.name]))
    best = sorted(found, key=lambda name: -len(found[name]))
    named = {ask.name: next((each for each in best if ask.name in found[each]), "") for ask in asks}
    return {name: mistake for name, mistake in named.items() if mistake}


def _figures(scenario: Scenario, name: str) -> list[tuple[fmpq, int]]:
    """Return every printed figure of a name with its decimals; nothing if one of them is not a number."""
    read = [read_printed(text) for row in scenario.printed[name] for cell in row for text in cell.split()]
    return [figure for figure in read if figure is not None] if None not in read else []


def _gives(made: Worked, ask: Ask, figures: list[tuple[fmpq, int]]) -> bool:
    """Return whether a mistake gives every printed figure of a name, to the decimals of the figure."""
    if ask.name not in made.touched:
        return False
    try:
        with at_precision(BITS):
            if made.change is not None and made.change.rounded_to is not None:
                values: Sequence[arb | fmpq] = [figure_number(text) for row in made.figures(ask) for text in row]
            else:
                values = made.enclosure(ask.name).entries()
            return len(values) == len(figures) and all(
                agrees(value, number, scale_of(places)) for value, (number, places) in zip(values, figures, strict=True)
            )
    except (SymattnError, ArithmeticError):
        return False


def in_words(scenario: Scenario, solution: Store, language: str) -> dict[str, str]:
    """Return the feedback on the mistake behind each name's printed figures, for every name that one explains."""
    return {name: mistake_text(mistake, "feedback", language) for name, mistake in mistaken(scenario, solution).items()}
